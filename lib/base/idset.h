/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sets of small numbers: CPUs and NUMA nodes, keyed by id. Ids are sparse and may be large (a
 * machine with nodes 0, 8 and 255 exists), so nothing in the project is indexed by a node's
 * position.
 *
 * The text forms are the kernel's: the list "0-3,8" (bitmap_parselist) and the mask "ff,00000001"
 * (bitmap_parse).
 */
#ifndef TM_BASE_IDSET_H
#define TM_BASE_IDSET_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/compiler.h"

/* Far above any kernel's limits (8192 CPUs, 1024 nodes); a larger id is garbage. */
#define TM_ID_MAX 65535

struct tm_idset {
	unsigned long *word;
	size_t nwords;
};

#define TM_IDSET_INIT   \
	{               \
		NULL, 0 \
	}

void tm_idset_release(struct tm_idset *set);

/* 0, -ERANGE for an id outside 0..TM_ID_MAX, or -ENOMEM. */
int tm_idset_add(struct tm_idset *set, long id);
void tm_idset_remove(struct tm_idset *set, long id);
bool tm_idset_has(const struct tm_idset *set, long id);
size_t tm_idset_count(const struct tm_idset *set);
bool tm_idset_empty(const struct tm_idset *set);
bool tm_idset_equal(const struct tm_idset *a, const struct tm_idset *b);
bool tm_idset_intersects(const struct tm_idset *a, const struct tm_idset *b);
int tm_idset_copy(struct tm_idset *to, const struct tm_idset *from);

/*
 * The smallest member >= from, or -1: `for (id = tm_idset_next(s, 0); id >= 0; id =
 * tm_idset_next(s, id + 1))`.
 */
long tm_idset_next(const struct tm_idset *set, long from);

#define tm_idset_for_each(id, set) \
	for (long id = tm_idset_next(set, 0); id >= 0; id = tm_idset_next(set, id + 1))

/*
 * Parse the kernel's list or mask. White space at the ends is accepted, an empty text is the empty
 * set. 0; -EINVAL malformed; -ERANGE an id above TM_ID_MAX; -ENOMEM. *set is replaced on success
 * only.
 */
int tm_idset_parse_list(struct tm_idset *set, const char *text);
int tm_idset_parse_mask(struct tm_idset *set, const char *text);

/* The list form, "" for the empty set; the caller frees it. NULL: out of memory. */
char *tm_idset_format(const struct tm_idset *set);

#endif
