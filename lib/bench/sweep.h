/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moving memory from node to node in whole sweeps, by move_pages(2), while other threads read it.
 *
 *	tm_bench_sweep_init → _fill → { _run … _check } → _release
 *
 * A sweep moves every page once. One page that goes to and fro would find its translation in no
 * other CPU's TLB, and tell nothing of what migration costs.
 */
#ifndef TM_BENCH_SWEEP_H
#define TM_BENCH_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/bench/team.h"
#include "lib/sys/numa.h"

struct tm_bench_sweep {
	/* To be set before; the memory is the caller's. */
	const struct tm_numa *numa;
	char *start;
	size_t page_bytes;
	size_t pages;
	size_t batch;	 /* pages of one call */
	bool written;	 /* pages are written to before each sweep, so that they are dirty */
	int mover_cpu;	 /* -1: any */
	const int *cpus; /* of the readers, in turn */
	size_t nr_cpus;	 /* 0: any */
	unsigned readers;
	int from, to;	   /* nodes */
	uint64_t least_ns; /* sweeps go on until so long was moved */

	/* What came of it. */
	uint64_t moved;	  /* pages that are on the other node now */
	uint64_t failed;  /* and are not */
	uint64_t retried; /* asked for again, as the kernel had them in use */
	uint64_t move_ns; /* in move_pages alone */
	/*
	 * Of the time that a thread wanted a CPU, the part that it had one, of the thread with the
	 * smallest; 0: the kernel does not tell. Waiting for a page is not wanting one. Readers on
	 * the mover's CPU, which only have what it leaves, are not asked.
	 */
	double on_cpu;
	struct tm_error error;

	/* Private. */
	double *parts; /* of each thread */
	void **addresses;
	int *targets, *status, *where;
};

/* Makes room, with the memory mapped. 0 or -ENOMEM. */
int tm_bench_sweep_init(struct tm_bench_sweep *sweep, struct tm_error *err);
void tm_bench_sweep_release(struct tm_bench_sweep *sweep);

/* Every page gets a pattern of its own; where it is not as it was filled, or SIZE_MAX. */
void tm_bench_sweep_fill(const struct tm_bench_sweep *sweep);
size_t tm_bench_sweep_check(const struct tm_bench_sweep *sweep);

/*
 * All pages to a node. They are asked for before and after, which tells what has moved. 0;
 * -ENOMEM (the node is full), -EACCES, -ENODEV, … with the text.
 */
int tm_bench_sweep_to(struct tm_bench_sweep *sweep, int node, struct tm_error *err);

/*
 * A run by a team of the readers and one more, not bound to CPUs: the first thread sweeps to and
 * back, and ends the run, while the others read a word of each page all the time; `reads` is how
 * many of these all did a second (NaN without readers). The counts are those of this run. 0; -EIO
 * (a reader has seen what was never written); else as tm_bench_sweep_to.
 */
int tm_bench_sweep_run(struct tm_bench_sweep *sweep, struct tm_bench_team *team, double *reads,
		       struct tm_error *err);
#endif
