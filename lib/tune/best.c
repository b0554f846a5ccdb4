/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For a given sum of weights, the highest prediction has the least max(w/b). Starting from all ones
 * and always raising the weight whose next value has the least w/b keeps that so for each sum in
 * turn (it is the divisor method of apportionment), so one pass over the sums sees the best of
 * each.
 */
#include "lib/tune/best.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide;

/* w/b of one node: how heavily it is loaded. */
struct load {
	unsigned weight;
	uint64_t bandwidth;
};

static bool lighter(struct load a, struct load b)
{
	return (wide)a.weight * b.bandwidth < (wide)b.weight * a.bandwidth;
}

/* Is sum / load at least (1 - tolerance) * ideal? */
static bool good_enough(unsigned sum, struct load load, wide ideal, unsigned tolerance_ppm)
{
	return (wide)sum * load.bandwidth * 1000000 >=
	       ideal * load.weight * (1000000 - tolerance_ppm);
}

/* Is sum_a / a a higher prediction than sum_b / b? */
static bool predicts_more(unsigned sum_a, struct load a, unsigned sum_b, struct load b)
{
	return (wide)sum_a * a.bandwidth * b.weight > (wide)sum_b * b.bandwidth * a.weight;
}

/* The node to raise next; nr where all are at the maximum. */
static size_t next_node(const struct tm_tune_request *r, const unsigned *weight)
{
	struct load best = { 0, 1 };
	size_t found = r->nr;

	for (size_t i = 0; i < r->nr; i++) {
		struct load raised = { weight[i] + 1, r->bandwidth[i] };

		if (weight[i] < r->max_weight && (found == r->nr || lighter(raised, best))) {
			best = raised;
			found = i;
		}
	}
	return found;
}

/* The first in lexicographic order of all weights with this sum in which no node is loaded more. */
static void first_in_order(const struct tm_tune_request *r, unsigned sum, struct load most,
			   unsigned *weight)
{
	uint64_t room = 0;

	for (size_t i = 0; i < r->nr; i++) {
		wide bound = (wide)r->bandwidth[i] * most.weight / most.bandwidth;

		weight[i] = bound < r->max_weight ? (unsigned)bound : r->max_weight;
		room += weight[i];
	}
	for (size_t i = 0; i < r->nr; i++) {
		/* What the nodes after this one cannot take, this one must. */
		room -= weight[i];
		weight[i] = sum > room + 1 ? (unsigned)(sum - room) : 1;
		sum -= weight[i];
	}
}

static bool acceptable(const struct tm_tune_request *r)
{
	if (r->nr < 1 || r->nr > 1024 || r->max_weight < 1 || r->max_weight > TM_WEIGHT_MAX ||
	    r->tolerance_ppm > 1000000)
		return false;
	for (size_t i = 0; i < r->nr; i++)
		if (r->bandwidth[i] < 1 || r->bandwidth[i] > TM_TUNE_BANDWIDTH_MAX)
			return false;
	return true;
}

int tm_tune_best(const struct tm_tune_request *r, unsigned *weight, bool *within)
{
	struct load most = { 0, 1 }, best_most;
	unsigned sum = (unsigned)r->nr, best_sum;
	unsigned *current;
	wide ideal = 0;
	bool good;

	if (!acceptable(r))
		return -EINVAL;
	current = calloc(r->nr, sizeof(*current));
	if (!current)
		return -ENOMEM;
	for (size_t i = 0; i < r->nr; i++) {
		struct load load = { 1, r->bandwidth[i] };

		current[i] = 1;
		ideal += r->bandwidth[i];
		if (i == 0 || lighter(most, load))
			most = load;
	}
	best_most = most;
	best_sum = sum;
	for (;;) {
		size_t raise;

		good = good_enough(sum, most, ideal, r->tolerance_ppm);
		if (good || predicts_more(sum, most, best_sum, best_most)) {
			best_sum = sum;
			best_most = most;
		}
		raise = good ? r->nr : next_node(r, current);
		if (raise == r->nr)
			break;
		current[raise]++;
		sum++;
		if (lighter(most, (struct load){ current[raise], r->bandwidth[raise] }))
			most = (struct load){ current[raise], r->bandwidth[raise] };
	}
	free(current);
	first_in_order(r, best_sum, best_most, weight);
	*within = good;
	return 0;
}

double tm_tune_bandwidth(const uint64_t *bandwidth, const unsigned *weight, size_t nr)
{
	double least = 0, sum = 0;
	bool any = false;

	for (size_t i = 0; i < nr; i++)
		sum += weight[i];
	for (size_t i = 0; i < nr; i++) {
		double limit = weight[i] ? (double)bandwidth[i] * sum / weight[i] : 0;

		if (weight[i] && (!any || limit < least)) {
			least = limit;
			any = true;
		}
	}
	return least;
}

double tm_tune_latency(const uint64_t *latency, const unsigned *weight, size_t nr)
{
	double total = 0, sum = 0;

	for (size_t i = 0; i < nr; i++) {
		total += (double)latency[i] * weight[i];
		sum += weight[i];
	}
	return sum > 0 ? total / sum : 0;
}

uint64_t tm_tune_mix(uint64_t read_bandwidth, uint64_t write_bandwidth, unsigned reads,
		     unsigned writes)
{
	wide units = (wide)(reads + (uint64_t)writes) * read_bandwidth * write_bandwidth;
	wide time = (wide)reads * write_bandwidth + (wide)writes * read_bandwidth;

	return time ? (uint64_t)(units / time) : 0;
}
