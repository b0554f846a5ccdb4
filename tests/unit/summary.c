/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "lib/base/compiler.h"
#include "lib/sample/summary.h"

static void check(const uint64_t *values, size_t nr, struct tm_summary wanted)
{
	struct tm_summary got;

	assert_int_equal(tm_summary_make(values, nr, &got), 0);
	assert_true(got.median == wanted.median);
	assert_true(got.min == wanted.min);
	assert_true(got.max == wanted.max);
	assert_true(got.deviation == wanted.deviation);
}

#define CHECK(median, min, max, deviation, ...)                             \
	check((const uint64_t[]){ __VA_ARGS__ },                            \
	      sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), \
	      (struct tm_summary){ median, min, max, deviation })

static void test_middles(void **state)
{
	(void)state;
	CHECK(7, 7, 7, 0, 7);
	CHECK(0, 0, 0, 0, 0, 0);
	CHECK(3, 1, 5, 1, 5, 3, 1, 4, 2);
	/* Half-way, rounded down; so is the deviation: 0, 1, 1, 96. */
	CHECK(3, 2, 100, 1, 4, 100, 2, 3);
	/* One that is far away moves nothing. */
	CHECK(10, 9, 1000000, 1, 9, 10, 11, 10, 1000000);
	/* The textbook's: deviations 1, 1, 0, 0, 2, 4, 7. */
	CHECK(2, 1, 9, 1, 1, 1, 2, 2, 4, 6, 9);
}

static void test_all_bits(void **state)
{
	(void)state;
	CHECK(UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, UINT64_MAX, UINT64_MAX);
	CHECK(UINT64_MAX - 1, UINT64_MAX - 2, UINT64_MAX, 1, UINT64_MAX, UINT64_MAX - 2);
	CHECK(UINT64_MAX / 2, 0, UINT64_MAX, UINT64_MAX / 2, 0, UINT64_MAX);
	/* Neighbours that a double would take for one. */
	CHECK(9007199254740993, 9007199254740992, 9007199254740994, 1, 9007199254740994,
	      9007199254740993, 9007199254740992);
}

static void test_refused(void **state)
{
	const uint64_t values[] = { 3, 1, 2 };
	struct tm_summary summary = { 1, 2, 3, 4 };

	(void)state;
	assert_int_equal(tm_summary_make(values, 0, &summary), -EINVAL);
	assert_int_equal(summary.deviation, 4);
	/* The caller's order stays. */
	assert_int_equal(tm_summary_make(values, TM_ARRAY_SIZE(values), &summary), 0);
	assert_int_equal(values[0], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_middles),
		cmocka_unit_test(test_all_bits),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
