/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moving the memory of a process from nodes to nodes, and why pages would not move.
 *
 * move_pages(2) moves until something fails, and what it tells of pages may then be older than the
 * call. So every page is asked for afterwards: it has moved where it is on its target.
 */
#ifndef TM_SYS_NUMA_MOVE_H
#define TM_SYS_NUMA_MOVE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/sys/numa.h"

enum tm_unmoved {
	TM_UNMOVED_SHARED,    /* several processes map it, and `shared` was not set */
	TM_UNMOVED_BUSY,      /* in use by the kernel or a device just now */
	TM_UNMOVED_FULL,      /* no target node has memory left */
	TM_UNMOVED_UNMOVABLE, /* the kernel moves no pages of this kind */
	TM_UNMOVED_GONE,      /* freed or swapped out meanwhile */
	TM_UNMOVED_OTHER,
	TM_NR_UNMOVED,
};

/* "shared": as in JSON. */
const char *tm_unmoved_name(enum tm_unmoved reason);

struct tm_move_count {
	uint64_t pages; /* of the mapping's page size */
	uint64_t bytes;
};

struct tm_move {
	/* To be set before. */
	const struct tm_numa *numa;
	pid_t pid;
	const struct tm_idset *from;
	const struct tm_idset *to;
	/*
	 * Bytes of address space that go to one target before it is the next one's turn: a multiple
	 * of the largest page, which must not be torn.
	 */
	uint64_t stride;
	bool shared;
	/* Called between batches, if it is set; the move ends where it returns true. */
	bool (*stop)(void *context, const struct tm_move *move);
	void *context;

	/* What came of it. */
	struct tm_move_count moved;
	struct tm_move_count unmoved[TM_NR_UNMOVED];
	struct tm_idset full; /* targets that took no more */
};

void tm_move_release(struct tm_move *move);

/*
 * Moves what of the addresses start to end is on the nodes `from`; `page_bytes` is the mapping's.
 * Errors, with the counts right as far as it went: -ECANCELED (stopped), -ENOSPC (all targets are
 * full), -ESRCH (the process has ended), -EPERM, -EACCES (its cpuset does not allow a target),
 * -ENOMEM, …
 */
int tm_move_range(struct tm_move *move, uint64_t start, uint64_t end, uint64_t page_bytes);

#endif
