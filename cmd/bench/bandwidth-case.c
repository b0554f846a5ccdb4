/* SPDX-License-Identifier: GPL-2.0-only */
/* One case: a load, from some CPUs, on memory that is placed in some way. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/bandwidth.h"
#include "lib/base/units.h"

/* Of all pages, as far as shares may be from what the weights ask for. */
#define SHARE_OFF 0.02

struct measuring {
	const struct bench *b;
	const struct bandwidth_way *way;
	struct tm_bench_streams_want want;
	struct tm_bench_streams streams;
	unsigned left; /* repeats */
};

/* Threads and their stacks come after it, and get it too. */
static int set_process(const struct measuring *m, struct tm_error *err)
{
	const struct bandwidth_way *way = m->way;
	int rc = way->process ? tm_numa_set_policy(&m->b->numa, way->policy, way->nodes) : 0;

	if (rc)
		tm_error_errno(err, -rc, "policy %s of the process", tm_policy_name(way->policy));
	return rc == -EINVAL ? -ENOTSUP : rc;
}

/* In the child. */
static int prepare(void *context, struct bench_slot *slot, struct tm_error *err)
{
	struct measuring *m = context;
	struct tm_error look = { 0 };
	int rc = set_process(m, err);

	if (!rc)
		rc = tm_bench_streams_start(&m->streams, &m->want, &m->b->numa, err);
	if (rc)
		return rc == -EINVAL ? -ENOTSUP : rc;
	slot->has_place = !tm_bench_streams_look(&m->streams, &m->b->numa, &slot->place, &look);
	/* Figures without a place are figures still, but it must be said. */
	if (!slot->has_place)
		snprintf(slot->note, sizeof(slot->note), "not known where the memory lies: %.200s",
			 look.text);
	return 0;
}

static int measure(void *context, struct bench_slot *slot, struct tm_error *err)
{
	struct measuring *m = context;
	struct tm_bench_outcome outcome;
	int rc = tm_bench_streams_run(&m->streams, m->b->time_ns, &outcome);

	if (rc)
		return tm_error_errno(err, -rc, "streaming");
	slot->on_cpu = outcome.on_cpu;
	slot->values[BANDWIDTH] = outcome.per_second / 1e6;
	slot->values[THREADS] = m->want.threads;
	slot->values[ARRAY] = (double)m->streams.memory[0].want.bytes;
	/* What was counted must have been done, or no figure is true. */
	return --m->left ? 0 : tm_bench_streams_check(&m->streams, err);
}

struct bench_case *bandwidth_case_new(struct bench *b, long initiator,
				      const struct bandwidth_load *load, bool nontemporal,
				      const struct bandwidth_way *way)
{
	struct bench_result *result = &b->result;
	struct bench_case *c = bench_result_case(result);
	TM_CLEANUP(tm_freep) char *target = way->nodes ? tm_idset_format(way->nodes) : NULL;
	int rc = c && (target || !way->nodes) ? 0 : -ENOMEM;

	if (!rc && initiator >= 0)
		rc = bench_case_number(result, c, "initiator", (uint64_t)initiator);
	if (!rc && target)
		rc = bench_case_text(result, c, "target", target);
	if (!rc)
		rc = bench_case_text(result, c, "policy", way->name);
	if (!rc && way->scope)
		rc = bench_case_text(result, c, "scope", way->scope);
	if (!rc)
		rc = bench_case_text(result, c, "kernel", load->name);
	if (!rc && load->writes)
		rc = bench_case_number(result, c, "nontemporal", nontemporal);
	return rc ? NULL : c;
}

static uint64_t bytes_on(const struct tm_bench_place *place, long node)
{
	for (size_t i = 0; i < place->nr; i++)
		if (place->nodes[i].node == node)
			return place->nodes[i].bytes;
	return 0;
}

/* Shares as they are, beside those that the weights ask for. */
static int note_shares(struct bench_case *c, const struct bandwidth_way *way, unsigned arrays)
{
	struct tm_buf got = TM_BUF_INIT, wanted = TM_BUF_INIT;
	uint64_t bytes = c->place.unknown, sum = 0;
	/* Spread is by whole pages, be they huge. */
	uint64_t unit = c->place.huge ? tm_bench_pmd_bytes() : c->place.page_bytes;
	bool off = false;
	size_t at = 0;
	int rc;

	if (!c->has_place || !way->weights)
		return 0;
	for (size_t i = 0; i < c->place.nr; i++)
		bytes += c->place.nodes[i].bytes;
	for (size_t i = 0; i < tm_idset_count(way->nodes); i++)
		sum += way->weights[i];
	tm_idset_for_each(id, way->nodes) {
		double share = (double)bytes_on(&c->place, id) / (double)TM_MAX(bytes, UINT64_C(1));
		double right = (double)way->weights[at] / (double)sum;
		/* One round of the weights may be cut short, in each array. */
		double slack = (double)(way->weights[at] * unit * arrays) /
			       (double)TM_MAX(bytes, UINT64_C(1));

		off |= share < right - TM_MAX(slack, SHARE_OFF) ||
		       share > right + TM_MAX(slack, SHARE_OFF);
		tm_buf_addf(&wanted, "%s%u", at ? ":" : "", way->weights[at]);
		tm_buf_addf(&got, "%s%.1f %% on node %ld", at ? ", " : "", share * 100, id);
		at++;
	}
	rc = got.failed || wanted.failed ?
		     -ENOMEM :
		     bench_case_note(c, "%s%s of the pages; the weights are %s",
				     off ? "misplaced: " : "", tm_buf_str(&got),
				     tm_buf_str(&wanted));
	tm_buf_release(&got);
	tm_buf_release(&wanted);
	return rc;
}

/* Caches that hold a good part of the arrays make memory look better than it is. */
static int note_size(const struct bench *b, struct bench_case *c, uint64_t bytes, bool limited)
{
	const struct bandwidth_request *request = b->request;
	char array[TM_UNITS_MAX], cache[TM_UNITS_MAX];

	tm_format_bytes(array, bytes);
	tm_format_bytes(cache, request->cache);
	if (request->cache && bytes < request->cache)
		return bench_case_note(c, "arrays of %s are smaller than the caches of %s", array,
				       cache);
	if (limited)
		return bench_case_note(c, "arrays of %s: for larger ones too little memory is free",
				       array);
	return 0;
}

int bandwidth_measure(struct bench *b, long initiator, const struct tm_idset *cpus,
		      const struct bandwidth_load *load, bool nontemporal,
		      const struct bandwidth_way *way, struct tm_error *err)
{
	const struct bandwidth_request *request = b->request;
	struct measuring m = {
		.b = b,
		.way = way,
		.want = {
			.op = load->op,
			.reads = load->reads,
			.writes = load->writes,
			.vector = request->vector,
			.nontemporal = nontemporal,
			.threads = b->threads_given ? b->threads : (unsigned)tm_idset_count(cpus),
			.cpus = cpus,
			.policy = way->process ? TM_POLICY_DEFAULT : way->policy,
			.nodes = way->nodes,
			.page = request->page,
		},
		.left = b->repeat,
	};
	struct bench_work work = {
		.context = &m,
		.prepare = prepare,
		.measure = measure,
		.nodes = way->nodes,
		.page = request->page,
	};
	struct bench_case *c = bandwidth_case_new(b, initiator, load, nontemporal, way);
	bool limited;
	int rc;

	if (!c)
		return tm_error_nomem(err);
	rc = bandwidth_size(b, load, way, m.want.threads, &m.want.array_bytes, &limited, err);
	if (!rc)
		rc = bench_measure(b, c, &work, err);
	if (!rc && !c->reason &&
	    (note_size(b, c, m.want.array_bytes, limited) ||
	     note_shares(c, way, load->reads + load->writes)))
		rc = tm_error_nomem(err);
	return rc;
}

int bandwidth_refuse(struct bench *b, long initiator, const struct bandwidth_load *load,
		     bool nontemporal, const struct bandwidth_way *way, const char *reason,
		     struct tm_error *err)
{
	struct bench_case *c = bandwidth_case_new(b, initiator, load, nontemporal, way);

	if (!c)
		return tm_error_nomem(err);
	c->reason = strdup(reason);
	return c->reason ? 0 : tm_error_nomem(err);
}
