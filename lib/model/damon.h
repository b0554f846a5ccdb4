/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DAMON as its sysfs interface shows it (Documentation/admin-guide/mm/damon/usage.rst): kernel
 * threads, what each watches, and what it does with memory that it finds.
 *
 * Counters of a scheme are those of the last time that somebody wrote update_schemes_stats into its
 * kdamond's state.
 */
#ifndef TM_MODEL_DAMON_H
#define TM_MODEL_DAMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/value.h"
#include "lib/sys/root.h"

#define TM_DAMON_FOLDER "sys/kernel/mm/damon/admin/kdamonds"

struct tm_damon_scheme {
	struct tm_text action;	   /* "migrate_cold" */
	struct tm_num target;	   /* node id; TM_NOT_PROVIDED: none */
	struct tm_num quota_bytes; /* per interval; 0: no limit */
	struct tm_num quota_interval_ms;
	struct tm_text memcg; /* of its first filter by control group; TM_NOT_PROVIDED: none */
	struct tm_num tried_regions, tried_bytes;
	struct tm_num applied_regions, applied_bytes;
	struct tm_num quota_exceeds; /* how often the quota cut it short */
};

/* Physical addresses where operations are "paddr". */
struct tm_damon_region {
	struct tm_num start, end;
};

struct tm_kdamond {
	int id;
	struct tm_text state;	   /* "on", "off" */
	struct tm_num pid;	   /* TM_NOT_PROVIDED: it does not run */
	struct tm_num ours;	   /* 0 or 1: this tiermem's; unknown to who may not look */
	struct tm_text operations; /* "paddr", "vaddr", "fvaddr"; of the first context */
	struct tm_num sample_us, aggregation_us, update_us;
	size_t nr_targets;
	struct tm_damon_region *regions; /* of all targets */
	size_t nr_regions, cap_regions;
	struct tm_damon_scheme *schemes;
	size_t nr_schemes, cap_schemes;
};

/* A kdamond that tiermem has started, by what only it can have: its number and its process id. */
struct tm_damon_owned {
	int id;
	uint64_t pid;
};

struct tm_damon {
	/* How many kdamonds there are. TM_ABSENT: this kernel has no DAMON; TM_DENIED; ... */
	struct tm_num kdamonds;
	struct tm_kdamond *list; /* sorted by id */
	size_t nr, cap;
	/* "damon_reclaim": a module that runs, beside which the kernel starts none; NULL: none. */
	const char *exclusive;
};

/*
 * Reads all of them. `owned` are those that tiermem has started; NULL: it is not known which.
 * What cannot be read says so in its state. 0 or -ENOMEM.
 */
int tm_damon_read(struct tm_damon *damon, const struct tm_root *root,
		  const struct tm_damon_owned *owned, size_t nr_owned, struct tm_error *err);
void tm_damon_release(struct tm_damon *damon);

#endif
