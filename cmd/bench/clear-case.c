/* SPDX-License-Identifier: GPL-2.0-only */
/* One case of `tiermem bench clear`, in the child that measures it. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cmd/bench/clear.h"
#include "lib/base/units.h"

struct clearing {
	const struct clear_request *request;
	const struct tm_numa *numa;
	const struct tm_idset *cpus;
	uint64_t time_ns;
	struct tm_bench_want want;
	struct tm_bench_clear clear;
	/* The child's. */
	struct tm_bench_team team;
	struct tm_bench_memory memory;
	uint64_t seed;
};

/* What a repeat came to. */
struct sum {
	uint64_t bytes, checked, elapsed_ns;
	double on_cpu_ns;
};

/* Dirt is put, and looked for, in each page alike: nobody knows which of them will be where. */
static uint64_t unit_of(const struct clearing *c)
{
	return c->clear.loop ? c->memory.bytes : c->clear.page;
}

static void put_dirt(struct clearing *c)
{
	uint64_t unit = unit_of(c);

	c->seed++;
	for (uint64_t at = 0; at < c->memory.bytes; at += unit)
		tm_bench_dirt_put(c->memory.address + at, unit, c->request->verify, c->seed);
}

static int find_dirt(const struct clearing *c, struct tm_error *err)
{
	uint64_t unit = unit_of(c);

	for (uint64_t at = 0; at < c->memory.bytes; at += unit) {
		size_t found = tm_bench_dirt_find(c->memory.address + at, unit, c->request->verify,
						  c->seed);

		if (found != SIZE_MAX)
			return tm_error_set(err, EIO,
					    "byte %" PRIu64 " of the memory was not cleared",
					    at + found);
	}
	return 0;
}

static int map(struct clearing *c, struct tm_error *err)
{
	int rc = tm_bench_memory_map(&c->memory, &c->want, c->numa, err);

	c->clear.start = c->memory.address;
	c->clear.bytes = c->memory.bytes;
	/* Of what this machine cannot do. */
	return rc == -EINVAL ? -ENOTSUP : rc;
}

static int look(const struct clearing *c, struct bench_slot *slot, struct tm_error *err)
{
	uint64_t asked = c->clear.page, got;
	char a[TM_UNITS_MAX], b[TM_UNITS_MAX];
	int rc = tm_bench_memory_look(&c->memory, c->numa, &slot->place, err);

	if (rc == -EOPNOTSUPP)
		return 0;
	if (rc)
		return rc;
	slot->has_place = true;
	got = slot->place.page_bytes;
	if (asked && got && got != asked)
		return tm_error_set(err, EIO, "pages of %s were got, not of %s",
				    tm_format_bytes(a, got), tm_format_bytes(b, asked));
	slot->values[CLEAR_PAGE_GOT] = got ? (double)got : NAN;
	return 0;
}

/* Once over the memory. What the kernel clears is mapped anew, as it is cleared only once. */
static int pass(struct clearing *c, struct bench_slot *slot, struct sum *sum, struct tm_error *err)
{
	struct tm_bench_outcome outcome;
	int rc = 0;

	if (c->clear.loop)
		put_dirt(c);
	else
		rc = map(c, err);
	if (rc)
		return rc;
	rc = tm_bench_team_run(&c->team, tm_bench_clear_work, 0, &outcome);
	if (rc)
		return tm_error_errno(err, -rc, "clearing");
	sum->bytes += outcome.amount;
	sum->elapsed_ns += outcome.elapsed_ns;
	sum->on_cpu_ns += outcome.on_cpu * (double)outcome.elapsed_ns;
	if (outcome.amount != c->memory.bytes)
		rc = tm_error_set(err, EIO, "only a part of the memory was cleared");
	if (!rc)
		rc = find_dirt(c, err);
	if (!rc && c->request->verify)
		sum->checked += c->memory.bytes;
	if (!rc && sum->bytes == outcome.amount)
		rc = look(c, slot, err);
	if (!c->clear.loop) {
		put_dirt(c);
		tm_bench_memory_unmap(&c->memory);
	}
	return rc;
}

static int prepare(void *context, struct bench_slot *slot, struct tm_error *err)
{
	struct clearing *c = context;
	struct sum unused = { 0 };
	int rc = tm_bench_team_start(&c->team, c->request->threads, c->cpus, &c->clear, err);

	if (!rc && c->clear.loop)
		rc = map(c, err);
	/* To warm up; a page of which nobody knows what was in it has now dirt in it. */
	return rc ? rc : pass(c, slot, &unused, err);
}

static int measure(void *context, struct bench_slot *slot, struct tm_error *err)
{
	struct clearing *c = context;
	double *values = slot->values;
	struct sum sum = { 0 };
	uint64_t pages;
	int rc = 0;

	while (!rc && (!sum.bytes || sum.elapsed_ns < c->time_ns))
		rc = pass(c, slot, &sum, err);
	if (rc || !sum.elapsed_ns)
		return rc;
	slot->on_cpu = sum.on_cpu_ns / (double)sum.elapsed_ns;
	values[CLEAR_MS_PER_GIB] = (double)sum.elapsed_ns / 1e6 / ldexp((double)sum.bytes, -30);
	values[CLEAR_MBPS] = (double)sum.bytes * 1e3 / (double)sum.elapsed_ns;
	if (c->request->verify)
		values[CLEAR_CHECKED] = (double)sum.checked;
	if (c->clear.loop)
		return 0;
	pages = sum.bytes / c->clear.page;
	values[CLEAR_PAGES] = (double)pages;
	values[CLEAR_US_PER_PAGE] = (double)sum.elapsed_ns *
				    (double)TM_MIN(c->request->threads, pages) / 1e3 /
				    (double)pages;
	return 0;
}

static int run(struct bench *b, struct bench_case *c, struct clearing *clearing,
	       struct tm_error *err)
{
	struct bench_work work = { .context = clearing,
				   .prepare = prepare,
				   .measure = measure,
				   .nodes = clearing->want.nodes,
				   .page = clearing->want.page,
				   .page_bytes = clearing->want.page_bytes };

	return bench_measure(b, c, &work, err);
}

int clear_measure(struct bench *b, struct bench_case *c, const struct tm_bench_loop *loop,
		  uint64_t page, uint64_t bytes, int node, struct tm_error *err)
{
	const struct clear_request *request = b->request;
	struct tm_idset nodes = TM_IDSET_INIT;
	struct clearing clearing = {
		.request = request,
		.numa = &b->numa,
		.cpus = &b->cpus,
		.time_ns = b->time_ns,
		.want = { .bytes = bytes, .page = TM_BENCH_PAGE_HUGETLB, .page_bytes = page },
		.clear = { .loop = loop, .page = page, .at = request->at },
	};
	int rc = 0;

	if (loop) {
		clearing.want.page = tm_bench_pmd_bytes() ? TM_BENCH_PAGE_THP : TM_BENCH_PAGE_USUAL;
		clearing.want.page_bytes = 0;
	}
	if (node >= 0) {
		rc = tm_idset_add(&nodes, node) ? tm_error_nomem(err) : 0;
		clearing.want.nodes = &nodes;
		clearing.want.policy = TM_POLICY_BIND;
	}
	if (!rc)
		rc = run(b, c, &clearing, err);
	tm_idset_release(&nodes);
	return rc;
}
