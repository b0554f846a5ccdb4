/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/bench/sweep.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* Of a page that the kernel has in use just now. */
#define TRIES 10

static volatile uint64_t *words_of(const struct tm_bench_sweep *sweep, size_t page)
{
	return (volatile uint64_t *)(void *)(sweep->start + page * sweep->page_bytes);
}

static size_t words_in(const struct tm_bench_sweep *sweep)
{
	return sweep->page_bytes / sizeof(uint64_t);
}

/* What belongs there: no two words of the memory are alike, so that none can stand for another. */
static uint64_t pattern(size_t page, size_t word)
{
	uint64_t x = ((uint64_t)page << 32 | word) + 1;

	x *= 0x9e3779b97f4a7c15ULL;
	return x ^ x >> 29;
}

int tm_bench_sweep_init(struct tm_bench_sweep *sweep, struct tm_error *err)
{
	sweep->addresses = calloc(sweep->pages + 1, sizeof(*sweep->addresses));
	sweep->targets = calloc(sweep->batch + 1, sizeof(*sweep->targets));
	sweep->status = calloc(sweep->batch + 1, sizeof(*sweep->status));
	sweep->where = calloc(sweep->pages + 1, sizeof(*sweep->where));
	sweep->parts = calloc(sweep->readers + 1, sizeof(*sweep->parts));
	if (!sweep->parts || !sweep->addresses || !sweep->targets || !sweep->status ||
	    !sweep->where) {
		tm_bench_sweep_release(sweep);
		return tm_error_nomem(err);
	}
	for (size_t i = 0; i < sweep->pages; i++)
		sweep->addresses[i] = sweep->start + i * sweep->page_bytes;
	return 0;
}

void tm_bench_sweep_release(struct tm_bench_sweep *sweep)
{
	free(sweep->addresses);
	free(sweep->targets);
	free(sweep->status);
	free(sweep->where);
	free(sweep->parts);
	sweep->parts = NULL;
	sweep->addresses = NULL;
	sweep->targets = sweep->status = sweep->where = NULL;
}

void tm_bench_sweep_fill(const struct tm_bench_sweep *sweep)
{
	for (size_t page = 0; page < sweep->pages; page++)
		for (size_t i = 0; i < words_in(sweep); i++)
			words_of(sweep, page)[i] = pattern(page, i);
}

size_t tm_bench_sweep_check(const struct tm_bench_sweep *sweep)
{
	for (size_t page = 0; page < sweep->pages; page++)
		for (size_t i = 0; i < words_in(sweep); i++)
			if (words_of(sweep, page)[i] != pattern(page, i))
				return page;
	return SIZE_MAX;
}

static size_t count_left(const struct tm_bench_sweep *sweep, size_t count, int node)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++)
		left += sweep->status[i] != node;
	return left;
}

/* Pages that are on the node already cost the kernel next to nothing when they are tried again. */
static int move_batch(struct tm_bench_sweep *sweep, size_t first, size_t count, int node,
		      struct tm_error *err)
{
	void **pages = sweep->addresses + first;

	for (int tries = 1;; tries++) {
		size_t left;
		long rc;

		rc = tm_numa_move_pages(sweep->numa, 0, count, pages, sweep->targets, sweep->status,
					false);
		/* It gave up somewhere, and has not told of every page. */
		if (rc > 0)
			rc = tm_numa_find_pages(sweep->numa, 0, count, pages, sweep->status);
		if (rc == -ENOMEM)
			return tm_error_set(err, ENOMEM, "node %d has no memory left", node);
		if (rc)
			return tm_error_errno(err, (int)-rc, "moving pages to node %d", node);
		left = count_left(sweep, count, node);
		if (!left || tries == TRIES)
			return 0;
		sweep->retried += left;
	}
}

static int find_all(struct tm_bench_sweep *sweep, struct tm_error *err)
{
	int rc = tm_numa_find_pages(sweep->numa, 0, sweep->pages, sweep->addresses, sweep->where);

	return rc ? tm_error_errno(err, -rc, "asking where memory lies") : 0;
}

int tm_bench_sweep_to(struct tm_bench_sweep *sweep, int node, struct tm_error *err)
{
	size_t there = 0, arrived = 0;
	uint64_t start;
	int rc = find_all(sweep, err);

	for (size_t i = 0; i < sweep->batch; i++)
		sweep->targets[i] = node;
	for (size_t i = 0; i < sweep->pages && !rc; i++) {
		there += sweep->where[i] == node;
		if (sweep->written)
			words_of(sweep, i)[0] = pattern(i, 0);
	}
	start = tm_bench_now();
	for (size_t i = 0; i < sweep->pages && !rc; i += sweep->batch)
		rc = move_batch(sweep, i, TM_MIN(sweep->batch, sweep->pages - i), node, err);
	sweep->move_ns += tm_bench_now() - start;
	if (!rc)
		rc = find_all(sweep, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < sweep->pages; i++)
		arrived += sweep->where[i] == node;
	sweep->moved += arrived > there ? arrived - there : 0;
	sweep->failed += sweep->pages - arrived;
	return 0;
}

static int bind_to(int cpu)
{
	size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
	int rc;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	rc = sched_setaffinity(0, size, set) ? -errno : 0;
	CPU_FREE(set);
	return rc;
}

/* What the kernel tells of this thread: that it ran, and that it waited for its CPU. */
struct waits {
	unsigned long long ran_ns, waited_ns;
	bool known;
};

static struct waits read_waits(void)
{
	struct waits waits = { .known = false };
	FILE *file = fopen("/proc/thread-self/schedstat", "re");

	if (!file)
		return waits;
	waits.known = fscanf(file, "%llu %llu", &waits.ran_ns, &waits.waited_ns) == 2;
	fclose(file);
	return waits;
}

/* 0: not told. */
static double part_on_cpu(const struct waits *before)
{
	struct waits now = read_waits();
	double ran, waited;

	if (!before->known || !now.known || now.ran_ns <= before->ran_ns)
		return 0;
	ran = (double)(now.ran_ns - before->ran_ns);
	waited = (double)(now.waited_ns - before->waited_ns);
	return ran / (ran + waited);
}

/* -1: any. */
static int cpu_of(const struct tm_bench_sweep *sweep, unsigned thread)
{
	if (!thread)
		return sweep->mover_cpu;
	return sweep->nr_cpus ? sweep->cpus[(thread - 1) % sweep->nr_cpus] : -1;
}

static bool is_beside_mover(const struct tm_bench_sweep *sweep, unsigned thread)
{
	return thread && sweep->mover_cpu >= 0 && cpu_of(sweep, thread) == sweep->mover_cpu;
}

/*
 * A reader beside the mover reads while that waits, as it does in each call: otherwise it would
 * keep the CPU for some milliseconds each time.
 */
static int place(const struct tm_bench_sweep *sweep, unsigned thread)
{
	static const struct sched_param none = { .sched_priority = 0 };
	int cpu = cpu_of(sweep, thread);
	int rc = cpu < 0 ? 0 : bind_to(cpu);

	if (!rc && is_beside_mover(sweep, thread) && sched_setscheduler(0, SCHED_IDLE, &none))
		rc = -errno;
	return rc;
}

static int move(struct tm_bench_thread *thread, struct tm_bench_sweep *sweep)
{
	int rc = 0;

	while (!rc) {
		rc = tm_bench_sweep_to(sweep, sweep->to, &sweep->error);
		if (!rc)
			rc = tm_bench_sweep_to(sweep, sweep->from, &sweep->error);
		if (sweep->move_ns >= sweep->least_ns || tm_bench_over(thread))
			break;
	}
	return rc;
}

/* Another word of each page every time, so that it is not one line of each that stays cached. */
static int read_pages(struct tm_bench_thread *thread, const struct tm_bench_sweep *sweep)
{
	for (size_t turn = thread->index; !tm_bench_over(thread); turn++) {
		size_t word = turn % words_in(sweep);

		for (size_t page = 0; page < sweep->pages && !tm_bench_over(thread); page++) {
			if (words_of(sweep, page)[word] != pattern(page, word))
				return -EIO;
			thread->amount++;
		}
	}
	return 0;
}

static void work(struct tm_bench_thread *thread)
{
	struct tm_bench_sweep *sweep = thread->context;
	bool moves = !thread->index;
	int rc = place(sweep, thread->index);
	struct waits before = read_waits();

	if (!rc)
		rc = moves ? move(thread, sweep) : read_pages(thread, sweep);
	sweep->parts[thread->index] = part_on_cpu(&before);
	thread->error = rc;
	if (moves || rc)
		atomic_store(&thread->team->over, true);
}

int tm_bench_sweep_run(struct tm_bench_sweep *sweep, struct tm_bench_team *team, double *reads,
		       struct tm_error *err)
{
	struct tm_bench_outcome outcome;
	int rc;

	sweep->moved = sweep->failed = sweep->retried = sweep->move_ns = 0;
	sweep->error = (struct tm_error){ .number = 0 };
	rc = tm_bench_team_run(team, work, 0, &outcome);
	if (rc && sweep->error.number) {
		if (err)
			*err = sweep->error;
		return rc;
	}
	if (rc == -EIO)
		return tm_error_set(err, EIO, "a reader saw in a page what was never written");
	if (rc)
		return tm_error_errno(err, -rc, "binding threads to CPUs");
	*reads = sweep->readers ? outcome.per_second : NAN;
	sweep->on_cpu = 1;
	for (unsigned i = 0; i <= sweep->readers; i++)
		if (!is_beside_mover(sweep, i))
			sweep->on_cpu = TM_MIN(sweep->on_cpu, sweep->parts[i]);
	return 0;
}
