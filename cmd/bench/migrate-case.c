/* SPDX-License-Identifier: GPL-2.0-only */
/* One case of `tiermem bench migrate`: the child that sweeps, and what was counted around it. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/bench/migrate.h"
#include "lib/bench/sweep.h"

struct migration {
	const struct migrate_request *request;
	struct tm_bench_want want;
	/* The child's. */
	struct tm_bench_sweep sweep;
	struct tm_bench_memory memory;
	struct tm_bench_team team;
	int *cpus;
};

static int list_cpus(struct migration *m, struct tm_error *err)
{
	size_t nr = 0;

	m->cpus = calloc(tm_idset_count(&m->request->reader_cpus) + 1, sizeof(*m->cpus));
	if (!m->cpus)
		return tm_error_nomem(err);
	tm_idset_for_each(id, &m->request->reader_cpus)
		m->cpus[nr++] = (int)id;
	m->sweep.cpus = m->cpus;
	m->sweep.nr_cpus = nr;
	return 0;
}

/* Filled by this process alone: pages that two of them map would stay. */
static int fill(struct migration *m, struct tm_error *err)
{
	struct tm_bench_sweep *sweep = &m->sweep;
	int rc = tm_bench_memory_map(&m->memory, &m->want, sweep->numa, err);

	if (rc)
		return rc;
	sweep->start = m->memory.address;
	sweep->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	sweep->pages = m->memory.bytes / sweep->page_bytes;
	rc = tm_bench_sweep_init(sweep, err);
	if (rc)
		return rc;
	tm_bench_sweep_fill(sweep);
	if (!sweep->written && mprotect(sweep->start, m->memory.bytes, PROT_READ))
		return tm_error_errno(err, errno, "making the memory read-only");
	return 0;
}

/* Where everything is when all sweeps are over, and what is in it. */
static int check(struct migration *m, struct bench_slot *slot, struct tm_error *err)
{
	size_t wrong = tm_bench_sweep_check(&m->sweep);
	int rc;

	if (wrong != SIZE_MAX)
		return tm_error_set(err, EIO, "page %zu of the memory is not as it was written",
				    wrong);
	rc = tm_bench_memory_look(&m->memory, m->sweep.numa, &slot->place, err);
	slot->has_place = !rc;
	return rc;
}

static int prepare(void *context, struct bench_slot *slot, struct tm_error *err)
{
	struct migration *m = context;
	uint64_t least = m->sweep.least_ns;
	double reads;
	int rc = list_cpus(m, err);

	if (!rc)
		rc = fill(m, err);
	if (!rc)
		rc = check(m, slot, err);
	if (!rc)
		rc = tm_bench_team_start(&m->team, m->request->readers + 1, NULL, &m->sweep, err);
	/* To warm up. */
	m->sweep.least_ns = 0;
	if (!rc)
		rc = tm_bench_sweep_run(&m->sweep, &m->team, &reads, err);
	m->sweep.least_ns = least;
	return rc;
}

static int measure(void *context, struct bench_slot *slot, struct tm_error *err)
{
	struct migration *m = context;
	const struct tm_bench_sweep *sweep = &m->sweep;
	double *values = slot->values;
	int rc = tm_bench_sweep_run(&m->sweep, &m->team, &values[MIGRATE_READS], err);

	if (!rc)
		rc = check(m, slot, err);
	if (rc)
		return rc;
	slot->on_cpu = sweep->on_cpu;
	values[MIGRATE_MOVED] = (double)sweep->moved;
	values[MIGRATE_FAILED] = (double)sweep->failed;
	values[MIGRATE_RETRIED] = (double)sweep->retried;
	if (sweep->move_ns)
		values[MIGRATE_PAGES_PER_SECOND] =
			(double)sweep->moved * 1e9 / (double)sweep->move_ns;
	if (sweep->failed)
		snprintf(slot->note, sizeof(slot->note),
			 "unmoved: %" PRIu64 " pages of a repeat did not go where they should",
			 sweep->failed);
	return 0;
}

/* What a counter rose by in the last repeat, for each page moved; NaN: it was not counted. */
static double per_page(const struct stat_record *counters, enum stat_group group, const char *name,
		       double pages)
{
	for (size_t i = 0; i < counters->nr_counters && counters->nr_runs && pages > 0; i++) {
		const struct stat_counter *counter = &counters->counters[i];
		const struct stat_key *key = &counter->key;
		const struct stat_value *last = &counter->values[counters->nr_runs - 1];

		if (key->group == group && key->cpu < 0 && key->node < 0 &&
		    !strcmp(key->name, name))
			return last->known ? (double)last->value / pages : NAN;
	}
	return NAN;
}

static void derive(void *context, struct bench_slot *slot, const struct stat_record *counters)
{
	static const struct {
		enum migrate_figure figure;
		enum stat_group group;
		const char *name;
	} figures[] = {
		{ MIGRATE_SHOOTDOWNS, STAT_INTERRUPTS, "TLB" },
		{ MIGRATE_IPIS, STAT_INTERRUPTS, "CAL" },
		{ MIGRATE_FLUSHES_ALL, STAT_FLUSHES, "pages_all" },
		{ MIGRATE_FLUSHES_RANGE, STAT_FLUSHES, "pages_range" },
		{ MIGRATE_FLUSHES_ONE, STAT_FLUSHES, "pages_one" },
		{ MIGRATE_DEFERRED, STAT_TLB, "tlb_defer_pages" },
		{ MIGRATE_FORCED, STAT_TLB, "tlb_defer_forced" },
	};

	(void)context;
	for (size_t i = 0; i < TM_ARRAY_SIZE(figures); i++)
		slot->values[figures[i].figure] = per_page(
			counters, figures[i].group, figures[i].name, slot->values[MIGRATE_MOVED]);
}

int migrate_measure(struct bench *b, struct bench_case *c, uint64_t batch, struct tm_error *err)
{
	const struct migrate_request *request = b->request;
	struct tm_idset nodes = TM_IDSET_INIT;
	struct migration m = {
		.request = request,
		.want = { .bytes = request->size,
			  .policy = TM_POLICY_BIND,
			  .nodes = &nodes,
			  .page = TM_BENCH_PAGE_BASE },
		.sweep = { .numa = &b->numa,
			   .batch = batch,
			   .written = request->written,
			   .mover_cpu = request->mover_cpu,
			   .readers = request->readers,
			   .from = request->from,
			   .to = request->to,
			   .least_ns = b->time_ns },
	};
	struct bench_work work = { .context = &m,
				   .prepare = prepare,
				   .measure = measure,
				   .derive = derive,
				   .nodes = &nodes,
				   .page = TM_BENCH_PAGE_BASE };
	int rc = tm_idset_add(&nodes, request->from) ? tm_error_nomem(err) :
						       bench_measure(b, c, &work, err);

	tm_idset_release(&nodes);
	return rc;
}
