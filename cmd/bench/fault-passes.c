/* SPDX-License-Identifier: GPL-2.0-only */
/* What `bench fault` and `bench cow` do alike: threads, memory, and passes in a repeat. */
#include <errno.h>
#include <math.h>

#include "cmd/bench/fault.h"

size_t faults_threads(const struct bench *b, unsigned counts[2])
{
	size_t all = tm_idset_count(&b->cpus);

	counts[0] = b->threads_given ? b->threads : 1;
	counts[1] = (unsigned)all;
	return b->threads_given || all < 2 ? 1 : 2;
}

int faults_place(const struct bench *b, uint64_t bytes, struct tm_error *err)
{
	int rc = 0;

	/* One that has enough will do: the kernel takes from others what it lacks. */
	tm_idset_for_each(node, &b->nodes) {
		rc = bench_check_room(b, (int)node, bytes, err);
		if (!rc)
			break;
	}
	if (rc || !b->nodes_given)
		return rc;
	rc = tm_numa_set_policy(&b->numa, TM_POLICY_BIND, &b->nodes);
	return rc ? tm_error_errno(err, -rc, "--nodes: memory of these alone") : 0;
}

int faults_repeat(const struct bench *b, faults_pass pass, void *context,
		  struct tm_bench_faults *sum, struct tm_error *err)
{
	uint64_t begin = tm_bench_now();
	int rc;

	*sum = (struct tm_bench_faults){ .passes = 0 };
	/* What is not timed takes its time too, and is not to take much more. */
	do
		rc = pass(context, sum, err);
	while (!rc && sum->elapsed_ns < b->time_ns && tm_bench_now() - begin < 3 * b->time_ns);
	return rc;
}

double faults_ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : NAN;
}
