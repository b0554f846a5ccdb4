/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the child of a case does: one thread follows a chain of pointers, the others read as much as
 * the case says.
 */
#include "cmd/bench/latency.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/bench/load.h"

#define MIB (1ULL << 20)
#define SEED 20

/* In every line that the others read, so that reading can be proved. */
#define WORD 0x0123456789abcdefULL

/* Together as much as the chain, so that caches do not hold it; and more than a CPU's own cache. */
uint64_t latency_load_bytes(uint64_t size, unsigned loaders)
{
	uint64_t bytes = loaders ? TM_MAX(size / loaders, TM_MIN(size, 16 * MIB)) : 0;

	return bytes / TM_BENCH_BURST * TM_BENCH_BURST;
}

static bool is_chaser(const struct tm_bench_thread *thread, const struct latency_case *c)
{
	return thread->cpu == c->cpu;
}

/* The part of the memory for load that is this thread's. */
static char *slice(const struct tm_bench_thread *thread, const struct latency_case *c)
{
	unsigned index = thread->index;

	/* The threads are in the order of their CPUs, and the chaser has no part. */
	for (unsigned i = 0; i < thread->index; i++)
		if (is_chaser(&thread->team->threads[i], c))
			index--;
	return c->load.address + index * latency_load_bytes(c->size, c->loaders);
}

/* Touched in order before the chain is written in random order. */
static void build(struct tm_bench_thread *thread)
{
	struct latency_case *c = thread->context;

	if (!is_chaser(thread, c)) {
		tm_bench_load_fill(slice(thread, c), latency_load_bytes(c->size, c->loaders),
				   c->line, WORD);
		return;
	}
	tm_bench_touch(c->memory.address, c->size, 4096, true);
	thread->error =
		tm_bench_chase_build(&c->chase, c->memory.address, c->size, c->line, SEED, c->err);
}

static void chase(struct tm_bench_thread *thread, struct latency_case *c)
{
	uint64_t begun = tm_bench_now();

	c->chase_loads = 0;
	do
		thread->error = tm_bench_chase_leg(&c->chase, &c->chase_loads);
	while (!thread->error && !tm_bench_over(thread));
	c->chase_ns = tm_bench_now() - begun;
	if (thread->error)
		tm_error_set(c->err, EIO, "the chase left its chain: the latency is not true");
}

static void work(struct tm_bench_thread *thread)
{
	struct latency_case *c = thread->context;

	if (is_chaser(thread, c)) {
		chase(thread, c);
		return;
	}
	tm_bench_load_run(thread, slice(thread, c), latency_load_bytes(c->size, c->loaders),
			  c->line, c->pause_ns, WORD);
}

static int map_memory(struct latency_case *c, struct tm_error *err)
{
	struct tm_bench_want want = {
		.bytes = c->size,
		.policy = c->policy,
		.nodes = c->nodes,
		.page = c->page,
	};
	int rc;

	if (c->page == TM_BENCH_PAGE_THP && !tm_bench_pmd_bytes())
		return tm_error_set(err, ENOTSUP, "this kernel has no transparent huge pages");
	rc = tm_bench_memory_map(&c->memory, &want, c->numa, err);
	want.bytes = c->loaders * latency_load_bytes(c->size, c->loaders);
	if (!rc && want.bytes)
		rc = tm_bench_memory_map(&c->load, &want, c->numa, err);
	return rc;
}

/* A kernel without NUMA has no other place for it. */
static int look(const struct latency_case *c, const struct tm_bench_memory *memory,
		struct tm_bench_place *place, struct tm_error *err)
{
	int rc = tm_bench_memory_look(memory, c->numa, place, err);

	return rc == -EOPNOTSUPP || rc == -ENOSYS ? 1 : rc;
}

int latency_prepare(void *context, struct bench_slot *slot, struct tm_error *err)
{
	struct latency_case *c = context;
	struct tm_bench_outcome outcome;
	struct tm_bench_place place;
	int rc = map_memory(c, err);

	c->line = tm_bench_line_bytes();
	c->err = err;
	if (!rc)
		rc = tm_bench_team_start(&c->team, c->loaders + 1, c->cpus, c, err);
	if (!rc)
		rc = tm_bench_team_run(&c->team, build, 0, &outcome);
	if (rc || !c->loaders)
		return rc;
	rc = look(c, &c->load, &place, err);
	if (!rc && place.misplaced)
		snprintf(slot->note, sizeof(slot->note),
			 "misplaced: the load reads memory on other nodes than asked for");
	return TM_MIN(rc, 0);
}

static void tell(const struct latency_case *c, struct bench_slot *slot,
		 const struct tm_bench_outcome *outcome)
{
	slot->values[LATENCY_NS] = (double)c->chase_ns / (double)c->chase_loads;
	/* Of the others alone; and that they read nothing is known. */
	slot->values[LATENCY_BANDWIDTH] = c->loaded ? outcome->per_second / 1e6 : NAN;
	slot->values[LATENCY_LOADS] = (double)c->chase_loads;
	slot->on_cpu = outcome->on_cpu;
}

int latency_measure(void *context, struct bench_slot *slot, struct tm_error *err)
{
	struct latency_case *c = context;
	struct tm_bench_outcome outcome;
	int rc;

	c->err = err;
	rc = tm_bench_team_run(&c->team, work, c->time_ns, &outcome);
	if (rc) {
		if (!err->number)
			tm_error_set(err, -rc, "the load did not read what is in memory");
		return rc;
	}
	tell(c, slot, &outcome);
	rc = tm_bench_chase_check(&c->chase, err);
	if (rc)
		return rc;
	rc = look(c, &c->memory, &slot->place, err);
	slot->has_place = !rc;
	return TM_MIN(rc, 0);
}
