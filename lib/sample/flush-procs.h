/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * TLB flushes by process, in a table that does not grow without end. A process is its id and its
 * start time, so that one that gets the id of another does not inherit its counts.
 */
#ifndef TM_SAMPLE_FLUSH_PROCS_H
#define TM_SAMPLE_FLUSH_PROCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/value.h"
#include "lib/sys/root.h"

#define TM_FLUSH_PROCS 4096

struct tm_flush_proc {
	pid_t pid; /* 0: idle, or not shown to this pid namespace; -1: one that had ended */
	struct tm_num start; /* in ticks since boot; TM_ABSENT: it ended before it was looked at */
	char comm[16];	     /* its name, as in /proc/PID/stat; "" where it is not known */
	uint64_t victim, initiator;	      /* since it was first seen, up to the last settling */
	uint64_t last_victim, last_initiator; /* of these, between the last two settlings */
	uint64_t new_victim, new_initiator;   /* since the last settling */
};

struct tm_flush_procs {
	struct tm_flush_proc *list; /* in no order */
	size_t nr, cap;
	uint16_t *index;			/* positions + 1 by the hash of the id; 0: free */
	uint64_t other_victim, other_initiator; /* of processes for which there was no place */
};

/* 0 or -ENOMEM. All memory that it will ever need. */
int tm_flush_procs_init(struct tm_flush_procs *procs);
void tm_flush_procs_release(struct tm_flush_procs *procs);

void tm_flush_procs_add(struct tm_flush_procs *procs, pid_t pid, bool victim);

/*
 * Looks at those with new flushes in proc/PID/stat, and adds the new to the rest. Where the table
 * has become nearly full, those without new flushes leave it.
 */
void tm_flush_procs_settle(struct tm_flush_procs *procs, const struct tm_root *root);

#endif
