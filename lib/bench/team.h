/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads that work at the same time, each on a CPU of its own.
 *
 *	tm_bench_team_start → tm_bench_team_run … → tm_bench_team_end
 *
 * The threads live from start to end, so that no run pays for making them. In a run all wait for
 * each other, then work until the time is over or they are done.
 */
#ifndef TM_BENCH_TEAM_H
#define TM_BENCH_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/idset.h"

struct tm_bench_team;

struct tm_bench_thread {
	struct tm_bench_team *team;
	unsigned index; /* 0 is the first */
	int cpu;	/* -1: may run on any */
	void *context;	/* the team's */

	/* To be set by the work. */
	uint64_t amount; /* of whatever it counts */
	int error;	 /* 0 or -errno: the run fails with the first of these */

	/* What the run took, and the kernel says of it. */
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns;	   /* that it ran */
	uint64_t user_ns, system_ns;
	pthread_t thread;
};

/* Works in small steps, and looks at tm_bench_over between them. Sets thread->amount. */
typedef void (*tm_bench_work)(struct tm_bench_thread *thread);

struct tm_bench_team {
	struct tm_bench_thread *threads;
	unsigned nr;
	_Alignas(64) atomic_bool over;
	/* Private: threads sleep until the next round. */
	pthread_mutex_t lock;
	pthread_cond_t next, done;
	unsigned round, working;
	pthread_barrier_t begin; /* none works, and no time runs, before all are there */
	tm_bench_work work;
	bool ending;
};

/* Is the run's time over? */
static inline bool tm_bench_over(const struct tm_bench_thread *thread)
{
	return atomic_load_explicit(&thread->team->over, memory_order_relaxed);
}

/*
 * Starts `nr` threads; the i-th is bound to the i-th of the CPUs, in turn where there are more
 * threads (`cpus` NULL: to none). 0; -EAGAIN, -ENOMEM, -EINVAL (a CPU that may not be used).
 */
int tm_bench_team_start(struct tm_bench_team *team, unsigned nr, const struct tm_idset *cpus,
			void *context, struct tm_error *err);
void tm_bench_team_end(struct tm_bench_team *team);

/* What a run of all threads came to. */
struct tm_bench_outcome {
	uint64_t amount;     /* of all */
	uint64_t elapsed_ns; /* from the first start to the last end */
	double per_second;   /* the sum of each thread's amount, by what passed until it ended */
	uint64_t user_ns, system_ns, cpu_ns; /* of all */
	/*
	 * The smallest part of its time that a thread was on its CPU: below 1 others had it, or it
	 * slept.
	 */
	double on_cpu;
};

/*
 * One run: `work` in every thread. After `ns` nanoseconds `over` becomes true; with 0 never: the
 * threads end by themselves. 0, or the first thread's error.
 */
int tm_bench_team_run(struct tm_bench_team *team, tm_bench_work work, uint64_t ns,
		      struct tm_bench_outcome *outcome);

uint64_t tm_bench_now(void); /* CLOCK_MONOTONIC, ns */

/* A fast generator of random numbers (xorshift64*), each thread its own; the seed is not 0. */
static inline uint64_t tm_bench_random(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545f4914f6cdd1dULL;
}

#endif
