/* SPDX-License-Identifier: GPL-2.0-only */
/* Copy on write. What is judged is what was copied, never how fast. */
#include "tests/unit/tree.h"

#include <signal.h>

#include "lib/bench/cow.h"

#define KIB ((size_t)1024)

static void try_kind(enum tm_bench_cow_kind kind, unsigned threads)
{
	const struct tm_bench_cow_want want = { .kind = kind,
						.bytes = 250 * KIB,
						.threads = threads };
	struct tm_bench_faults sum = { .passes = 0 };
	struct tm_error err = { 0 };
	struct tm_bench_cow cow;

	assert_int_equal(tm_bench_cow_start(&cow, &want, &err), 0);
	assert_int_equal(cow.pages, (want.bytes + cow.page - 1) / cow.page);
	for (unsigned pass = 1; pass <= 3; pass++) {
		assert_int_equal(tm_bench_cow_pass(&cow, &sum, &err), 0);
		assert_int_equal(sum.passes, pass);
		assert_int_equal(sum.pages, pass * cow.pages);
	}
	assert_true(sum.elapsed_ns > 0);
	tm_bench_cow_end(&cow);
	tm_bench_cow_end(&cow);
}

static void test_kinds(void **state)
{
	(void)state;
	for (int kind = 0; kind < TM_BENCH_COW_KINDS; kind++) {
		try_kind((enum tm_bench_cow_kind)kind, 1);
		try_kind((enum tm_bench_cow_kind)kind, 3);
	}
}

/* More threads than pages: some have none. */
static void test_few_pages(void **state)
{
	const struct tm_bench_cow_want want = { .bytes = 1, .threads = 3 };
	struct tm_bench_faults sum = { .passes = 0 };
	struct tm_error err = { 0 };
	struct tm_bench_cow cow;

	(void)state;
	assert_int_equal(tm_bench_cow_start(&cow, &want, &err), 0);
	assert_int_equal(tm_bench_cow_pass(&cow, &sum, &err), 0);
	assert_int_equal(sum.pages, 1);
	tm_bench_cow_end(&cow);
}

/* Each page once, and not in their own order. */
static void test_order(void **state)
{
	const struct tm_bench_cow_want want = { .bytes = 512 * KIB, .threads = 1 };
	struct tm_error err = { 0 };
	struct tm_bench_cow cow;
	size_t neighbours = 0;
	char *seen;

	(void)state;
	assert_int_equal(tm_bench_cow_start(&cow, &want, &err), 0);
	seen = calloc(cow.pages, 1);
	assert_non_null(seen);
	for (size_t i = 0; i < cow.pages; i++) {
		assert_true(cow.order[i] < cow.pages);
		assert_int_equal(seen[cow.order[i]]++, 0);
		neighbours += i && cow.order[i] == cow.order[i - 1] + 1;
	}
	assert_true(neighbours < cow.pages / 4);
	free(seen);
	tm_bench_cow_end(&cow);
}

static void expect_failure(struct tm_bench_cow *cow, int wanted, const char *text)
{
	struct tm_bench_faults sum = { .passes = 0 };
	struct tm_error err = { 0 };

	assert_int_equal(tm_bench_cow_pass(cow, &sum, &err), wanted);
	assert_non_null(strstr(err.text, text));
	assert_int_equal(sum.passes, 0);
	tm_bench_cow_end(cow);
}

/* A write that goes to the wrong page leaves one page as it was, and that is seen. */
static void test_left_out(void **state)
{
	const struct tm_bench_cow_want want = { .bytes = 64 * KIB, .threads = 1 };
	struct tm_error err = { 0 };
	struct tm_bench_cow cow;

	(void)state;
	assert_int_equal(tm_bench_cow_start(&cow, &want, &err), 0);
	cow.order[1] = cow.order[0];
	expect_failure(&cow, -EIO, "the copy does not hold what was copied");
}

/*
 * A copy that is none: the file's own pages are written to. As far as the copy goes all is right.
 */
static void test_no_copy(void **state)
{
	const struct tm_bench_cow_want want = { .kind = TM_BENCH_COW_PRIVATE,
						.bytes = 64 * KIB,
						.threads = 1 };
	struct tm_error err = { 0 };
	struct tm_bench_cow cow;

	(void)state;
	assert_int_equal(tm_bench_cow_start(&cow, &want, &err), 0);
	((uint64_t *)(void *)cow.original)[1] = 0;
	expect_failure(&cow, -EIO, "a page of the file was changed");
}

/* A copy without a part of what was copied. */
static void test_bad_copy(void **state)
{
	const struct tm_bench_cow_want want = { .kind = TM_BENCH_COW_PRIVATE,
						.bytes = 64 * KIB,
						.threads = 1 };
	struct tm_error err = { 0 };
	struct tm_bench_cow cow;

	(void)state;
	assert_int_equal(tm_bench_cow_start(&cow, &want, &err), 0);
	cow.original[cow.page * 3 + cow.page - 64]++;
	expect_failure(&cow, -EIO, "page 3: the copy does not hold");
}

static void test_bad(void **state)
{
	struct tm_bench_cow_want want = { .bytes = 0, .threads = 1 };
	struct tm_error err = { 0 };
	struct tm_bench_cow cow;

	(void)state;
	assert_int_equal(tm_bench_cow_start(&cow, &want, &err), -EINVAL);
	want.bytes = KIB;
	want.threads = 0;
	assert_int_equal(tm_bench_cow_start(&cow, &want, &err), -EINVAL);
	tm_bench_cow_end(&cow);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(tm_bench_cow_kind_name(TM_BENCH_COW_FORK), "fork");
	assert_string_equal(tm_bench_cow_kind_name(TM_BENCH_COW_PRIVATE), "private");
	assert_null(tm_bench_cow_kind_name(TM_BENCH_COW_KINDS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_few_pages), cmocka_unit_test(test_order),
		cmocka_unit_test(test_left_out),  cmocka_unit_test(test_no_copy),
		cmocka_unit_test(test_bad_copy),  cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
