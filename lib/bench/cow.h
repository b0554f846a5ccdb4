/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copy on write: threads of one process write to pages that are shared with somebody, each page
 * once, in a random order over all the memory, so that every write has a page copied. Only the
 * writing is timed.
 *
 * Afterwards both sides are looked at: the copies hold what was copied, and the originals are as
 * they were.
 *
 *	tm_bench_cow_start → tm_bench_cow_pass … → tm_bench_cow_end
 */
#ifndef TM_BENCH_COW_H
#define TM_BENCH_COW_H

#include <sys/types.h>

#include "lib/bench/fault.h"

/* With whom the pages are shared. */
enum tm_bench_cow_kind {
	TM_BENCH_COW_FORK,    /* a child process, which holds them until the pass is over */
	TM_BENCH_COW_PRIVATE, /* a memfd, of which this is a private mapping that was read before */
};
#define TM_BENCH_COW_KINDS (TM_BENCH_COW_PRIVATE + 1)

/* "fork", "private"; NULL for none of them. */
const char *tm_bench_cow_kind_name(unsigned kind);

struct tm_bench_cow_want {
	enum tm_bench_cow_kind kind;
	size_t bytes; /* rounded up to base pages */
	unsigned threads;
	const struct tm_idset *cpus; /* as for a team; borrowed */
};

struct tm_bench_cow {
	struct tm_bench_cow_want want;
	size_t page, pages; /* bytes of a base page, and how many there are */
	char *start;	    /* what is written to */
	/* Private. */
	struct tm_bench_team team;
	uint32_t *order;  /* every page once */
	uint64_t *faults; /* of each thread in the last pass */
	uint64_t pass;
	char *original;	   /* the memfd, mapped to be looked at */
	pid_t holder;	   /* 0: there is none */
	int holder_told;   /* its end tells it to end */
	int holder_answer; /* by which it then answers */
};

/*
 * Starts the threads, which have the memory policy of the caller. It must stay where it is until
 * tm_bench_cow_end, which is harmless after a failure.
 */
int tm_bench_cow_start(struct tm_bench_cow *cow, const struct tm_bench_cow_want *want,
		       struct tm_error *err);
void tm_bench_cow_end(struct tm_bench_cow *cow);

/*
 * One pass, added to *sum: shares the pages, writes, and looks at both sides. 0; -EIO where a copy
 * or an original is not what it should be; -ECHILD where the process that shares the pages did not
 * live to the end; -EAGAIN, -ENOMEM, …
 */
int tm_bench_cow_pass(struct tm_bench_cow *cow, struct tm_bench_faults *sum, struct tm_error *err);

#endif
