/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The best weights for weighted interleave, and what any weights are good for.
 *
 * With weights w and bandwidths b, a stream of pages spread by w is done when its slowest node is:
 * the aggregate is min over nodes of b * sum(w) / w. The ideal is sum(b). This knows nothing of
 * paths that nodes share (socket links, a CXL switch), and says nothing of loads bound by latency.
 */
#ifndef TM_TUNE_BEST_H
#define TM_TUNE_BEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's largest weight. */
#define TM_WEIGHT_MAX 255

/* Bandwidths must be 1 to this, in any unit that all nodes share. */
#define TM_TUNE_BANDWIDTH_MAX (UINT64_C(1) << 48)

struct tm_tune_request {
	const uint64_t *bandwidth; /* of each node */
	size_t nr;		   /* 1 to 1024 */
	unsigned max_weight;	   /* 1 to TM_WEIGHT_MAX */
	unsigned tolerance_ppm;	   /* how far below the ideal is good enough: 10000 is 1 % */
};

/*
 * The weights of the least sum whose prediction is within the tolerance of the ideal; among those
 * the ones of the highest prediction, then the first in lexicographic order. *within says whether
 * there are such; if not, weight[] gets those of the highest prediction (then least sum, then
 * lexicographic). All arithmetic is exact. 0; -EINVAL for a request out of bounds; -ENOMEM. Outputs
 * are set on success only.
 */
int tm_tune_best(const struct tm_tune_request *request, unsigned *weight, bool *within);

/*
 * The predicted aggregate bandwidth, in the unit of the bandwidths. A weight of 0 leaves the node
 * out; 0 where all are.
 */
double tm_tune_bandwidth(const uint64_t *bandwidth, const unsigned *weight, size_t nr);

/*
 * The mean of the nodes' idle latencies over pages spread by the weights; 0 where all weights are
 * 0.
 */
double tm_tune_latency(const uint64_t *latency, const unsigned *weight, size_t nr);

/*
 * One bandwidth for a mix of reads and writes: the time for `reads` units read and `writes` units
 * written, one after the other. At least one of the two must be positive.
 */
uint64_t tm_tune_mix(uint64_t read_bandwidth, uint64_t write_bandwidth, unsigned reads,
		     unsigned writes);

#endif
