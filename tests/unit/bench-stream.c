/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bench/stream-team.h"

#define MOST 700
#define GUARD (-77.0)

static double *new_array(size_t nr)
{
	double *array = aligned_alloc(64, (nr * sizeof(double) + 127) / 64 * 64);

	assert_non_null(array);
	return array;
}

/* What an element is to be. */
static double wanted(enum tm_bench_op op, double a, double b, double x)
{
	switch (op) {
	case TM_BENCH_WRITE:
		return x;
	case TM_BENCH_COPY:
		return a;
	case TM_BENCH_SCALE:
		return x * a;
	case TM_BENCH_ADD:
		return a + b;
	case TM_BENCH_TRIAD:
		return a + x * b;
	default:
		return GUARD;
	}
}

static void check_kernel(tm_bench_kernel kernel, enum tm_bench_op op, size_t nr)
{
	double *to = new_array(MOST), *a = new_array(MOST), *b = new_array(MOST);
	uint64_t sum = 0, got;

	for (size_t i = 0; i < MOST; i++) {
		uint64_t word;

		to[i] = GUARD;
		a[i] = (double)i + 0.5;
		b[i] = 3.0 * (double)i - 100;
		memcpy(&word, &a[i], sizeof(word));
		sum += i < nr ? word : 0;
	}
	got = kernel(to, a, b, 2.5, nr);
	tm_bench_stream_fence();
	assert_true(got == (op == TM_BENCH_READ ? sum : 0));
	for (size_t i = 0; i < MOST; i++) {
		assert_true(to[i] == (i < nr ? wanted(op, a[i], b[i], 2.5) : GUARD));
		assert_true(a[i] == (double)i + 0.5 && b[i] == 3.0 * (double)i - 100);
	}
	free(to);
	free(a);
	free(b);
}

static void test_kernels(void **state)
{
	unsigned tried = 0;

	(void)state;
	for (unsigned vector = 0; vector < TM_BENCH_VECTORS; vector++) {
		for (unsigned op = 0; op < 2 * TM_BENCH_MIX; op++) {
			tm_bench_kernel kernel = tm_bench_stream_kernel(op % TM_BENCH_MIX, vector,
									op >= TM_BENCH_MIX);

			if (!kernel || !tm_bench_vector_here(vector))
				continue;
			tried++;
			for (size_t nr = 0; nr < 140; nr++)
				check_kernel(kernel, op % TM_BENCH_MIX, nr);
			check_kernel(kernel, op % TM_BENCH_MIX, MOST - 1);
		}
	}
	/* Two widths are everywhere. */
	assert_true(tried >= 12);
	assert_true(tm_bench_vector_here(tm_bench_vector_widest()));
	for (unsigned vector = tm_bench_vector_widest() + 1; vector < TM_BENCH_VECTORS; vector++)
		assert_false(tm_bench_vector_here(vector));
	/* A read stores nothing, and a mix is made of others. */
	assert_null(tm_bench_stream_kernel(TM_BENCH_READ, TM_BENCH_128, true));
	assert_null(tm_bench_stream_kernel(TM_BENCH_MIX, TM_BENCH_128, false));
}

static void test_names(void **state)
{
	unsigned reads, writes;

	(void)state;
	assert_string_equal(tm_bench_op_name(TM_BENCH_READ), "read");
	assert_string_equal(tm_bench_op_name(TM_BENCH_MIX), "mix");
	assert_null(tm_bench_op_name(TM_BENCH_OPS));
	assert_string_equal(tm_bench_vector_name(TM_BENCH_SCALAR), "scalar");
	assert_string_equal(tm_bench_vector_name(TM_BENCH_512), "512");
	assert_null(tm_bench_vector_name(TM_BENCH_VECTORS));
	tm_bench_op_arrays(TM_BENCH_TRIAD, &reads, &writes);
	assert_int_equal(reads, 2);
	assert_int_equal(writes, 1);
	tm_bench_op_arrays(TM_BENCH_WRITE, &reads, &writes);
	assert_int_equal(reads, 0);
	assert_int_equal(writes, 1);
}

/* A stream with arrays of its own, filled. */
static void make(struct tm_bench_stream *stream, enum tm_bench_op op, unsigned reads,
		 unsigned writes, size_t nr)
{
	assert_int_equal(tm_bench_stream_init(stream, op, reads, writes, tm_bench_vector_widest(),
					      false, NULL),
			 0);
	for (unsigned k = 0; k < stream->reads + stream->writes; k++)
		stream->arrays[k] = new_array(nr);
	stream->nr = nr;
	tm_bench_stream_fill(stream);
}

static void drop(struct tm_bench_stream *stream)
{
	for (unsigned k = 0; k < stream->reads + stream->writes; k++)
		free(stream->arrays[k]);
}

/* Every state that a run may be stopped in is checked, and right; one wrong word is found. */
static void check_stream(enum tm_bench_op op, unsigned reads, unsigned writes)
{
	const size_t nr = 2 * TM_BENCH_STEP + 100;
	struct tm_bench_stream stream;
	struct tm_error err = { 0 };
	uint64_t bytes = 0;

	make(&stream, op, reads, writes, nr);
	assert_int_equal(tm_bench_stream_check(&stream, NULL), 0);
	for (unsigned step = 1; step <= 8; step++) {
		bytes += tm_bench_stream_step(&stream);
		assert_int_equal(stream.pass, step / 3);
		assert_int_equal(tm_bench_stream_check(&stream, &err), 0);
	}
	assert_true(bytes ==
		    (2 * nr + 2 * TM_BENCH_STEP) * sizeof(double) * (stream.reads + stream.writes));
	stream.arrays[stream.reads + stream.writes - 1][nr - 1] += 1;
	assert_int_equal(tm_bench_stream_check(&stream, &err), -EIO);
	assert_non_null(strstr(err.text, tm_bench_op_name(op)));
	drop(&stream);
}

static void test_streams(void **state)
{
	static const unsigned char mixes[][2] = { { 1, 0 }, { 0, 1 }, { 2, 1 },
						  { 1, 1 }, { 3, 1 }, { 16, 16 } };

	(void)state;
	for (unsigned op = 0; op < TM_BENCH_MIX; op++)
		check_stream(op, 0, 0);
	for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++)
		check_stream(TM_BENCH_MIX, mixes[i][0], mixes[i][1]);
}

static void test_refused(void **state)
{
	struct tm_bench_stream stream;
	struct tm_error err = { 0 };

	(void)state;
	assert_int_equal(tm_bench_stream_init(&stream, TM_BENCH_MIX, 0, 0, TM_BENCH_128, false,
					      &err),
			 -EINVAL);
	assert_int_equal(tm_bench_stream_init(&stream, TM_BENCH_MIX, 17, 0, TM_BENCH_128, false,
					      &err),
			 -EINVAL);
	assert_int_equal(tm_bench_stream_init(&stream, TM_BENCH_MIX, 1, 17, TM_BENCH_128, false,
					      &err),
			 -EINVAL);
	/* Single numbers are always stored through the caches. */
	assert_int_equal(tm_bench_stream_init(&stream, TM_BENCH_WRITE, 0, 0, TM_BENCH_SCALAR, true,
					      &err),
			 -ENOTSUP);
	if (tm_bench_vector_widest() < TM_BENCH_512)
		assert_int_equal(tm_bench_stream_init(&stream, TM_BENCH_READ, 0, 0, TM_BENCH_512,
						      false, &err),
				 -ENOTSUP);
}

/* ---- kernels that leave something out are found */

static uint64_t nothing(double *to, const double *a, const double *b, double x, size_t nr)
{
	(void)to, (void)a, (void)b, (void)x, (void)nr;
	return 0;
}

/* All but the last word of each step. */
static uint64_t all_but_one(double *to, const double *a, const double *b, double x, size_t nr)
{
	for (size_t i = 0; i + 1 < nr; i++)
		to[i] = (a ? a[i] : 0) + (b || !a ? x * (b ? b[i] : 1) : 0);
	return 0;
}

/* A word of every line, four times: as many words, and another sum. */
static uint64_t one_of_line(double *to, const double *a, const double *b, double x, size_t nr)
{
	uint64_t sum = 0, word;

	(void)to, (void)b, (void)x;
	for (size_t i = 0; i < nr; i++) {
		memcpy(&word, &a[i / 8 * 8], sizeof(word));
		sum += word;
	}
	return sum;
}

static bool is_found(enum tm_bench_op op, unsigned reads, unsigned writes, tm_bench_kernel reader,
		     tm_bench_kernel writer)
{
	struct tm_bench_stream stream;
	int rc;

	make(&stream, op, reads, writes, TM_BENCH_STEP + 64);
	if (reader)
		stream.reader = reader;
	if (writer)
		stream.writer = writer;
	while (stream.pass < 2)
		tm_bench_stream_step(&stream);
	tm_bench_stream_step(&stream);
	rc = tm_bench_stream_check(&stream, NULL);
	drop(&stream);
	return rc == -EIO;
}

static void test_skipping(void **state)
{
	(void)state;
	assert_true(is_found(TM_BENCH_READ, 0, 0, nothing, NULL));
	assert_true(is_found(TM_BENCH_READ, 0, 0, one_of_line, NULL));
	for (unsigned op = TM_BENCH_WRITE; op < TM_BENCH_MIX; op++)
		assert_true(is_found(op, 0, 0, NULL, nothing));
	assert_true(is_found(TM_BENCH_WRITE, 0, 0, NULL, all_but_one));
	assert_true(is_found(TM_BENCH_COPY, 0, 0, NULL, all_but_one));
	assert_true(is_found(TM_BENCH_TRIAD, 0, 0, NULL, all_but_one));
	assert_true(is_found(TM_BENCH_MIX, 2, 1, one_of_line, NULL));
	assert_true(is_found(TM_BENCH_MIX, 2, 1, NULL, all_but_one));
	assert_false(is_found(TM_BENCH_MIX, 2, 1, NULL, NULL));
}

/* A kernel that does it once, and then only says so. */
static uint64_t once(double *to, const double *a, const double *b, double x, size_t nr)
{
	return x > 2 ? 0 :
		       tm_bench_stream_kernel(TM_BENCH_WRITE, TM_BENCH_128, false)(to, a, b, x, nr);
}

static void test_later(void **state)
{
	(void)state;
	assert_true(is_found(TM_BENCH_WRITE, 0, 0, NULL, once));
}

/* ---- several threads */

static void start(struct tm_bench_streams *streams, enum tm_bench_op op, unsigned reads,
		  unsigned writes)
{
	const struct tm_bench_streams_want want = {
		.op = op,
		.reads = reads,
		.writes = writes,
		.vector = tm_bench_vector_widest(),
		.array_bytes = (1 << 20) + 5000,
		.threads = 3,
	};
	struct tm_error err = { 0 };

	assert_int_equal(tm_bench_streams_start(streams, &want, NULL, &err), 0);
}

static void test_team(void **state)
{
	struct tm_bench_outcome outcome;
	struct tm_bench_streams streams;
	struct tm_error err = { 0 };
	uint64_t page = tm_bench_streams_least(1);

	(void)state;
	start(&streams, TM_BENCH_MIX, 2, 1);
	assert_int_equal(streams.nr, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(streams.parts[i].stream.pass, 1);
		assert_int_equal(streams.parts[i].stream.nr * sizeof(double) % page, 0);
	}
	assert_int_equal(streams.memory[0].bytes, 3 * streams.parts[0].stream.nr * sizeof(double));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(tm_bench_streams_run(&streams, 1000000, &outcome), 0);
		assert_true(outcome.amount > 0);
		assert_int_equal(outcome.amount % (3 * sizeof(double)), 0);
	}
	assert_int_equal(tm_bench_streams_check(&streams, &err), 0);
	tm_bench_streams_end(&streams);
	tm_bench_streams_end(&streams);
}

static void test_team_skipping(void **state)
{
	struct tm_bench_outcome outcome;
	struct tm_bench_streams streams;
	struct tm_error err = { 0 };

	(void)state;
	start(&streams, TM_BENCH_READ, 0, 0);
	streams.parts[1].stream.reader = nothing;
	assert_int_equal(tm_bench_streams_run(&streams, 1000000, &outcome), 0);
	assert_int_equal(tm_bench_streams_check(&streams, &err), -EIO);
	assert_non_null(strstr(err.text, "read did not do its work"));
	tm_bench_streams_end(&streams);
}

static void test_team_refused(void **state)
{
	struct tm_bench_streams_want want = { .op = TM_BENCH_READ,
					      .array_bytes = 4096,
					      .threads = 2 };
	struct tm_bench_streams streams;
	struct tm_error err = { 0 };

	(void)state;
	want.array_bytes = tm_bench_streams_least(2) - 1;
	assert_int_equal(tm_bench_streams_start(&streams, &want, NULL, &err), -EINVAL);
	want.op = TM_BENCH_MIX;
	assert_int_equal(tm_bench_streams_start(&streams, &want, NULL, &err), -EINVAL);
	want.threads = 0;
	want.op = TM_BENCH_READ;
	assert_int_equal(tm_bench_streams_start(&streams, &want, NULL, &err), -EINVAL);
	assert_null(streams.parts);
}

/* For callgrind, which counts instructions: each kernel once, over 8192 elements. */
static int run_each_once(void)
{
	double *to = new_array(8192), *a = new_array(8192), *b = new_array(8192);

	memset(a, 0, 8192 * sizeof(*a));
	memset(b, 0, 8192 * sizeof(*b));
	for (unsigned vector = 0; vector <= tm_bench_vector_widest(); vector++) {
		for (unsigned op = 0; op < 2 * TM_BENCH_MIX; op++) {
			tm_bench_kernel kernel = tm_bench_stream_kernel(op % TM_BENCH_MIX, vector,
									op >= TM_BENCH_MIX);

			if (kernel)
				kernel(to, a, b, 2, 8192);
		}
	}
	free(to);
	free(a);
	free(b);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels),	     cmocka_unit_test(test_names),
		cmocka_unit_test(test_streams),	     cmocka_unit_test(test_refused),
		cmocka_unit_test(test_skipping),     cmocka_unit_test(test_later),
		cmocka_unit_test(test_team),	     cmocka_unit_test(test_team_skipping),
		cmocka_unit_test(test_team_refused),
	};

	if (argc > 1 && !strcmp(argv[1], "once"))
		return run_each_once();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
