/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/bench/stream.h"

#include <errno.h>
#include <string.h>

/* Of a mix, elements of one array at a time: lines enough to pass the call, few enough to mix. */
#define BLOCK 128

/* What targets hold before the first pass; no kernel writes it. */
#define UNTOUCHED (-1.0)

/* Sources count up to this and begin anew: no power of two, so that no two pages are alike. */
#define PERIOD 8191

const char *tm_bench_op_name(unsigned op)
{
	static const char *const names[TM_BENCH_OPS] = {
		[TM_BENCH_READ] = "read",   [TM_BENCH_WRITE] = "write", [TM_BENCH_COPY] = "copy",
		[TM_BENCH_SCALE] = "scale", [TM_BENCH_ADD] = "add",	[TM_BENCH_TRIAD] = "triad",
		[TM_BENCH_MIX] = "mix",
	};

	return op < TM_BENCH_OPS ? names[op] : NULL;
}

const char *tm_bench_vector_name(unsigned vector)
{
	static const char *const names[TM_BENCH_VECTORS] = {
		[TM_BENCH_SCALAR] = "scalar",
		[TM_BENCH_128] = "128",
		[TM_BENCH_256] = "256",
		[TM_BENCH_512] = "512",
	};

	return vector < TM_BENCH_VECTORS ? names[vector] : NULL;
}

void tm_bench_op_arrays(enum tm_bench_op op, unsigned *reads, unsigned *writes)
{
	static const unsigned char arrays[TM_BENCH_OPS][2] = {
		[TM_BENCH_READ] = { 1, 0 }, [TM_BENCH_WRITE] = { 0, 1 },
		[TM_BENCH_COPY] = { 1, 1 }, [TM_BENCH_SCALE] = { 1, 1 },
		[TM_BENCH_ADD] = { 2, 1 },  [TM_BENCH_TRIAD] = { 2, 1 },
	};

	*reads = arrays[op][0];
	*writes = arrays[op][1];
}

/* The x of a pass: what is left of the pass before is seen. */
static double factor(uint64_t pass)
{
	return (double)(2 + pass % 13);
}

/* Sources, from their first element on: small whole numbers, so that kernels reckon exactly. */
static double source(unsigned array, size_t i)
{
	return (double)(1 + array + i % PERIOD);
}

int tm_bench_stream_init(struct tm_bench_stream *stream, enum tm_bench_op op, unsigned reads,
			 unsigned writes, enum tm_bench_vector vector, bool nontemporal,
			 struct tm_error *err)
{
	struct tm_bench_stream s = {
		.op = op, .reads = reads, .writes = writes, .nontemporal = nontemporal
	};

	if (op != TM_BENCH_MIX)
		tm_bench_op_arrays(op, &s.reads, &s.writes);
	if (s.reads > TM_BENCH_MIX_MAX || s.writes > TM_BENCH_MIX_MAX || !(s.reads + s.writes))
		return tm_error_set(err, EINVAL, "a mix of %u reads and %u writes", s.reads,
				    s.writes);
	if (!tm_bench_vector_here(vector))
		return tm_error_set(err, ENOTSUP, "this CPU has no vectors of %s bits",
				    tm_bench_vector_name(vector));
	if (op == TM_BENCH_READ || (op == TM_BENCH_MIX && s.reads))
		s.reader = tm_bench_stream_kernel(TM_BENCH_READ, vector, false);
	if (op != TM_BENCH_READ && s.writes)
		s.writer = tm_bench_stream_kernel(op == TM_BENCH_MIX ? TM_BENCH_WRITE : op, vector,
						  nontemporal);
	if (s.writes && !s.writer)
		return tm_error_set(err, ENOTSUP, "no non-temporal stores of this width here");
	*stream = s;
	return 0;
}

void tm_bench_stream_fill(struct tm_bench_stream *stream)
{
	for (unsigned k = 0; k < stream->reads + stream->writes; k++)
		for (size_t i = 0; i < stream->nr; i++)
			stream->arrays[k][i] = k < stream->reads ? source(k, i) : UNTOUCHED;
	stream->pass = 0;
	stream->at = 0;
	stream->sum = 0;
}

/* All arrays in turn, block by block. */
static void step_mix(struct tm_bench_stream *stream, size_t from, size_t to, double x)
{
	for (size_t i = from; i < to; i += BLOCK) {
		size_t nr = TM_MIN((size_t)BLOCK, to - i);
		unsigned k = 0;

		for (; k < stream->reads; k++)
			stream->sum += stream->reader(NULL, stream->arrays[k] + i, NULL, 0, nr);
		for (; k < stream->reads + stream->writes; k++)
			stream->writer(stream->arrays[k] + i, NULL, NULL, x, nr);
	}
}

uint64_t tm_bench_stream_step(struct tm_bench_stream *stream)
{
	size_t at = stream->at, nr = TM_MIN((size_t)TM_BENCH_STEP, stream->nr - at);
	double x = factor(stream->pass), *to = NULL, *a = NULL, *b = NULL;

	if (stream->op == TM_BENCH_MIX) {
		step_mix(stream, at, at + nr, x);
	} else {
		if (stream->reads)
			a = stream->arrays[0] + at;
		if (stream->reads > 1)
			b = stream->arrays[1] + at;
		if (stream->writes)
			to = stream->arrays[stream->reads] + at;
		stream->sum += (stream->writer ? stream->writer : stream->reader)(to, a, b, x, nr);
	}
	if (stream->nontemporal)
		tm_bench_stream_fence();
	stream->at += nr;
	if (stream->at == stream->nr) {
		stream->at = 0;
		stream->pass++;
	}
	return (uint64_t)nr * sizeof(double) * (stream->reads + stream->writes);
}

static double target(const struct tm_bench_stream *stream, size_t i)
{
	double x;

	if (i >= stream->at && !stream->pass)
		return UNTOUCHED;
	x = factor(i < stream->at ? stream->pass : stream->pass - 1);
	switch (stream->op) {
	case TM_BENCH_COPY:
		return source(0, i);
	case TM_BENCH_SCALE:
		return x * source(0, i);
	case TM_BENCH_ADD:
		return source(0, i) + source(1, i);
	case TM_BENCH_TRIAD:
		return source(0, i) + x * source(1, i);
	default:
		return x;
	}
}

int tm_bench_stream_check(const struct tm_bench_stream *stream, struct tm_error *err)
{
	uint64_t sum = 0;

	for (unsigned k = 0; k < stream->reads + stream->writes; k++) {
		for (size_t i = 0; i < stream->nr; i++) {
			double is = stream->arrays[k][i];
			double wanted = k < stream->reads ? source(k, i) : target(stream, i);
			uint64_t word;

			if (is != wanted)
				return tm_error_set(
					err, EIO,
					"%s did not do its work: word %zu of array %u is %g "
					"and not %g, after %llu passes",
					tm_bench_op_name(stream->op), i, k, is, wanted,
					(unsigned long long)stream->pass);
			memcpy(&word, &is, sizeof(word));
			if (k < stream->reads)
				sum += word * (stream->pass + (i < stream->at));
		}
	}
	if (stream->reader && sum != stream->sum)
		return tm_error_set(
			err, EIO,
			"%s did not do its work: the sum of what it read is not that of "
			"the array, after %llu passes",
			tm_bench_op_name(stream->op), (unsigned long long)stream->pass);
	return 0;
}
