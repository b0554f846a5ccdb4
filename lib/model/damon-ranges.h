/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the memory of a node lies, as DAMON's targets have it: ranges of physical addresses. */
#ifndef TM_MODEL_DAMON_RANGES_H
#define TM_MODEL_DAMON_RANGES_H

#include "lib/model/machine.h"

/* More would be two files each for the kernel, and no better watched. */
#define TM_DAMON_RANGES 64

struct tm_damon_range {
	uint64_t start, end; /* end is the first address behind it */
};

/*
 * The node's ranges by its memory blocks (Documentation/admin-guide/mm/memory-hotplug.rst), sorted.
 * Where there would be too many, gaps in which no other node has memory are taken along. *list is
 * the caller's. Errors: -ENOTSUP (the kernel shows no memory blocks for it), -E2BIG, -ENOMEM, or
 * what listing gave.
 */
int tm_damon_ranges(const struct tm_machine *machine, const struct tm_root *root, int node,
		    struct tm_damon_range **list, size_t *nr, struct tm_error *err);

#endif
