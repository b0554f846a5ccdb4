/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * First touch: memory is mapped, every page of it written to once, by threads at the same time, and
 * unmapped. Only the writing is timed.
 *
 *	tm_bench_fault_start → tm_bench_fault_pass … → tm_bench_fault_end
 */
#ifndef TM_BENCH_FAULT_H
#define TM_BENCH_FAULT_H

#include "lib/bench/memory.h"
#include "lib/bench/team.h"

/* What page faults came to, over all passes. */
struct tm_bench_faults {
	unsigned passes;
	uint64_t pages;	 /* base pages that were written to */
	uint64_t faults; /* that the kernel counted for the threads meanwhile */
	uint64_t elapsed_ns, cpu_ns, user_ns, system_ns;
	double on_cpu; /* of the pass in which it was least; 0: there was none */
};

void tm_bench_faults_add(struct tm_bench_faults *sum, const struct tm_bench_outcome *outcome,
			 uint64_t faults);
/* Of the thread that calls it, since it began. */
uint64_t tm_bench_faults_now(void);

enum tm_bench_fault_kind {
	TM_BENCH_FAULT_PRIVATE, /* anonymous memory */
	TM_BENCH_FAULT_SHARED,	/* the same, shared */
	TM_BENCH_FAULT_MEMFD,
	TM_BENCH_FAULT_TMPFS, /* a file without a name in a tmpfs */
};
#define TM_BENCH_FAULT_KINDS (TM_BENCH_FAULT_TMPFS + 1)

/* "private", "shared", "memfd", "tmpfs"; NULL for none of them. */
const char *tm_bench_fault_kind_name(unsigned kind);

struct tm_bench_fault_want {
	enum tm_bench_fault_kind kind;
	size_t bytes;	    /* of all threads together; each part is rounded up */
	size_t unit;	    /* a power of two: parts begin and end at multiples. 0: base pages */
	bool base;	    /* no huge pages, whatever the settings say */
	bool one_mapping;   /* threads have parts of one mapping; else each has one of its own */
	const char *folder; /* of a tmpfs; borrowed */
	unsigned threads;
	const struct tm_idset *cpus; /* as for a team; borrowed */
};

struct tm_bench_fault {
	struct tm_bench_fault_want want;
	size_t page;	    /* base */
	size_t part, bytes; /* of each thread, and of all */
	char *start;	    /* NULL: nothing is mapped */
	/* Private. */
	struct tm_bench_team team;
	void *reserved;
	size_t reserved_bytes;
	uint64_t *faults; /* of each thread in the last pass */
};

/* What all parts come to. */
size_t tm_bench_fault_bytes(const struct tm_bench_fault_want *want);

/*
 * Starts the threads, which have the memory policy of the caller. It must stay where it is until
 * tm_bench_fault_end, which is harmless after a failure.
 */
int tm_bench_fault_start(struct tm_bench_fault *fault, const struct tm_bench_fault_want *want,
			 struct tm_error *err);
void tm_bench_fault_end(struct tm_bench_fault *fault);

/*
 * One pass, added to *sum. The memory of the pass before is unmapped first, and that of this one
 * stays, to be looked at. 0; -ENOMEM, -ENOSPC, …
 */
int tm_bench_fault_pass(struct tm_bench_fault *fault, struct tm_bench_faults *sum,
			struct tm_error *err);

/*
 * The free bytes of a tmpfs. -ENOTSUP where the folder is on another file system; else why it
 * cannot be asked.
 */
int tm_bench_tmpfs_free(const char *folder, uint64_t *bytes, struct tm_error *err);

#endif
