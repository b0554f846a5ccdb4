/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the memory of a process lies, and by which policies: /proc/PID/numa_maps. */
#ifndef TM_SYS_NUMA_MAPS_H
#define TM_SYS_NUMA_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/idset.h"

/* Bytes that are in memory, by node. */
struct tm_resident {
	int node;
	uint64_t bytes;
};

/* All mappings with the same policy. */
struct tm_placement {
	char policy[32]; /* as tm_policy_name has it, else as the kernel says it */
	char flags[32];	 /* "static", "relative", …; "" for none */
	struct tm_idset nodes;
	size_t mappings;
	struct tm_resident *resident; /* sorted by node */
	size_t nr, cap;
};

struct tm_numa_maps {
	struct tm_placement *list; /* in the order in which they turn up */
	size_t nr, cap;
	/*
	 * The placement of the stack, which never has a policy of its own: it has the process's.
	 * NULL: there is none, as in a kernel thread.
	 */
	const struct tm_placement *process;
	size_t malformed; /* lines that were not understood */
};

/*
 * `text` is the whole file. 0 or -ENOMEM; lines that are not of the known form are counted and left
 * out.
 */
int tm_numa_maps_parse(struct tm_numa_maps *maps, const char *text, struct tm_error *err);
void tm_numa_maps_release(struct tm_numa_maps *maps);

/* One mapping. */
struct tm_numa_map {
	uint64_t start;	     /* address */
	uint64_t page_bytes; /* of its page tables: that of huge pages with hugetlbfs alone */
	const struct tm_resident *resident; /* sorted by node */
	size_t nr;
};

/*
 * Calls `visit` for each mapping that has pages in memory, in the order of the text, until it
 * returns something else than 0, and returns that. -ENOMEM. Lines that are not of the known form
 * are left out.
 */
int tm_numa_maps_each(const char *text, int (*visit)(void *context, const struct tm_numa_map *map),
		      void *context);

#endif
