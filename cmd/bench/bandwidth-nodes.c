/* SPDX-License-Identifier: GPL-2.0-only */
/* What each node gives: the figures that weights are computed from. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/bench/bandwidth.h"

/* Of the case's memory, as much must lie where it was asked for. */
#define PLACED 95

struct figures {
	double read, write;
};

/* "2:1" of a mix or of a kernel that does only one of the two; false: neither. */
static bool parts_of(const char *kernel, unsigned *reads, unsigned *writes)
{
	if (sscanf(kernel, "%u:%u", reads, writes) == 2)
		return true;
	for (unsigned op = TM_BENCH_READ; op <= TM_BENCH_WRITE; op++) {
		tm_bench_op_arrays(op, reads, writes);
		if (!strcmp(kernel, tm_bench_op_name(op)))
			return true;
	}
	return false;
}

static bool is_placed(const struct bench_case *c)
{
	uint64_t bytes = c->place.unknown;

	for (size_t i = 0; i < c->place.nr; i++)
		bytes += c->place.nodes[i].bytes;
	return !c->has_place || c->place.misplaced <= bytes / 100 * (100 - PLACED);
}

/* Is it of this node alone, and what did it give? */
static bool takes(const struct bench_case *c, int node, unsigned *reads, unsigned *writes,
		  double *bandwidth)
{
	struct bench_spread spread = bench_series_spread(&c->metrics[BANDWIDTH]);
	char name[16];

	snprintf(name, sizeof(name), "%d", node);
	*bandwidth = spread.median;
	return spread.nr && !c->reason && c->labels[BY_TARGET].state == TM_KNOWN &&
	       !strcmp(c->labels[BY_TARGET].text, name) &&
	       !strcmp(c->labels[BY_POLICY].text, "bind") && is_placed(c) &&
	       parts_of(c->labels[BY_KERNEL].text, reads, writes);
}

/* The best of all initiators, which is what the kernel tells too. */
static struct figures find_pure(const struct bench_result *result, int node)
{
	struct figures best = { 0 };

	for (size_t i = 0; i < result->nr_cases; i++) {
		unsigned reads, writes;
		double bandwidth;

		if (!takes(&result->cases[i], node, &reads, &writes, &bandwidth))
			continue;
		if (!writes)
			best.read = TM_MAX(best.read, bandwidth);
		if (!reads)
			best.write = TM_MAX(best.write, bandwidth);
	}
	return best;
}

/*
 * The other side of a mix, where only one is known: as tm_tune_mix reckons, reads and writes take
 * their times one after the other.
 */
static void find_mixed(const struct bench_result *result, int node, struct figures *best)
{
	struct figures known = *best;

	if (!(known.read > 0) == !(known.write > 0))
		return;
	for (size_t i = 0; i < result->nr_cases; i++) {
		unsigned reads, writes;
		double bandwidth, left;

		if (!takes(&result->cases[i], node, &reads, &writes, &bandwidth) || !reads ||
		    !writes)
			continue;
		left = (reads + writes) / bandwidth -
		       (known.read > 0 ? reads / known.read : writes / known.write);
		if (left <= 0)
			continue;
		if (known.read > 0)
			best->write = TM_MAX(best->write, writes / left);
		else
			best->read = TM_MAX(best->read, reads / left);
	}
}

static struct tm_num whole(double mbps)
{
	return mbps >= 1 ? tm_num_known((uint64_t)(mbps + 0.5)) : tm_num_none(TM_UNKNOWN);
}

int bandwidth_find_nodes(struct bench *b, struct tm_error *err)
{
	b->result.has_nodes = true;
	tm_idset_for_each(id, &b->nodes) {
		struct figures figures = find_pure(&b->result, (int)id);
		struct bench_node *node = bench_result_node(&b->result, (int)id);

		if (!node)
			return tm_error_nomem(err);
		find_mixed(&b->result, (int)id, &figures);
		node->read_mbps = whole(figures.read);
		node->write_mbps = whole(figures.write);
	}
	return 0;
}
