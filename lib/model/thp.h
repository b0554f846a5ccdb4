/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Transparent huge pages: the settings for all sizes, those of each size, and its counters
 * (Documentation/admin-guide/mm/transhuge.rst). Read once, then not changed.
 *
 * Which sizes there are depends on base page, architecture and kernel; they are listed, never
 * assumed, and are keyed by KiB as their folders are. A size may lack its anonymous or its shared
 * side.
 */
#ifndef TM_MODEL_THP_H
#define TM_MODEL_THP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/value.h"
#include "lib/knob/knob.h"
#include "lib/sys/root.h"

#define TM_THP_FOLDER "sys/kernel/mm/transparent_hugepage"

/* A file with a number that counts something, by the name that the kernel gives it. */
struct tm_thp_counter {
	char *name;
	struct tm_num value;
};

struct tm_thp_counters {
	struct tm_thp_counter *list; /* sorted by name */
	size_t nr, cap;
	enum tm_state state; /* of the folder: TM_ABSENT and others: nothing was read */
};

struct tm_thp_size {
	long kib;
	bool pmd; /* the size of hpage_pmd_size; false for all where that is unknown */
	struct tm_setting enabled;
	struct tm_setting shmem;
	struct tm_thp_counters counters;
};

struct tm_thp {
	enum tm_state state;	 /* of the whole folder: TM_ABSENT: a kernel without huge pages */
	struct tm_num pmd_bytes; /* hpage_pmd_size */
	uint64_t page_bytes;	 /* of the root; 0: unknown */
	struct tm_setting *top;	 /* one for each row of TM_KNOBS_THP, in that order */
	size_t nr_top;
	struct tm_thp_counters khugepaged; /* what is in its folder and is no setting */
	struct tm_thp_size *sizes;	   /* sorted by size; none before Linux 6.8 */
	size_t nr_sizes;
};

/* Reads it; what cannot be read says so in its state. 0 or -ENOMEM. */
int tm_thp_read(struct tm_thp *thp, const struct tm_root *root, struct tm_error *err);
void tm_thp_release(struct tm_thp *thp);

/* NULL where there is no such size. */
const struct tm_thp_size *tm_thp_size(const struct tm_thp *thp, long kib);

/* The setting for all sizes of that name ("enabled", "shmem"); NULL: there is no such row. */
const struct tm_setting *tm_thp_top(const struct tm_thp *thp, const char *name);

/* A counter by its name; TM_ABSENT where this kernel has none, or why none could be read. */
struct tm_num tm_thp_counter(const struct tm_thp_counters *counters, const char *name);

/*
 * What a size's setting comes to. `top` is the setting for all sizes, `own` that of the size; the
 * word in *word belongs to them or is constant, and is set when TM_KNOWN is returned.
 *
 * Anonymous memory: the size's own word, or that for all sizes where it inherits.
 *
 * Shared memory: the same, but "deny" for all sizes stops every size, and "force" leaves those that
 * inherit, for which it is "always", and stops the others. An own word stands even where "never" is
 * said for all sizes.
 */
enum tm_state tm_thp_effective_enabled(const struct tm_text *top, const struct tm_text *own,
				       const char **word);
enum tm_state tm_thp_effective_shmem(const struct tm_text *top, const struct tm_text *own,
				     const char **word);

enum tm_thp_side { TM_THP_ANON, TM_THP_SHMEM };

/*
 * The part of the attempts that fell back to smaller pages, 0 to 1. False: no counters, or nothing
 * was tried yet.
 */
bool tm_thp_fallback(const struct tm_thp_size *size, enum tm_thp_side side, double *ratio);

#endif
