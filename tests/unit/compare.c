/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The values of p for few numbers were counted by hand of all ways to divide them (written as
 * fractions), those for many by the same count of 40 and of 50 numbers in exact arithmetic.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "lib/base/compiler.h"
#include "lib/sample/compare.h"

#define LIST(...)                          \
	(const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)

static void near(double got, double wanted, double relative)
{
	double distance = got > wanted ? got - wanted : wanted - got;

	if (distance > wanted * relative)
		fail_msg("%.17g, and not %.17g", got, wanted);
}

static void check(const uint64_t *before, size_t nr_before, const uint64_t *after, size_t nr_after,
		  double u, double p)
{
	struct tm_rank_test test;
	double back = (double)nr_before * (double)nr_after - u;

	assert_int_equal(tm_rank_test(before, nr_before, after, nr_after, &test), 0);
	assert_true(test.exact);
	near(test.u, u, 0);
	near(test.p, p, 1e-12);
	/* Which side is called before makes no difference. */
	assert_int_equal(tm_rank_test(after, nr_after, before, nr_before, &test), 0);
	near(test.u, back, 0);
	near(test.p, p, 1e-12);
}

static void test_exact(void **state)
{
	(void)state;
	/* Wholly apart: of 252 ways only this one and its mirror image. */
	check(LIST(1, 2, 3, 4, 5), LIST(6, 7, 8, 9, 10), 25, 2.0 / 252);
	check(LIST(6, 7, 8, 9, 10), LIST(1, 2, 3, 4, 5), 0, 2.0 / 252);
	/* One pair the other way round. */
	check(LIST(1, 2, 3, 4, 6), LIST(5, 7, 8, 9, 10), 24, 4.0 / 252);
	check(LIST(19, 22, 16, 29, 24), LIST(20, 11, 17, 12), 3, 14.0 / 126);
	check(LIST(1, 2, 3), LIST(4, 5, 6, 7), 12, 2.0 / 35);
	check(LIST(5), LIST(5), 0.5, 1);
	/* Only the order counts, and all 64 bits of it. */
	check(LIST(0, 1, 2, 3, UINT64_MAX - 5),
	      LIST(UINT64_MAX - 4, UINT64_MAX - 3, UINT64_MAX - 2, UINT64_MAX - 1, UINT64_MAX), 25,
	      2.0 / 252);
}

static void test_ties(void **state)
{
	(void)state;
	check(LIST(1, 1, 1, 1, 1), LIST(1, 1, 1, 1, 1), 12.5, 1);
	check(LIST(1, 2, 2, 3, 3), LIST(3, 4, 4, 4, 5), 24, 6.0 / 252);
	check(LIST(0, 0, 0, 0, 0, 0), LIST(0, 0, 0, 5, 7, 7, 9), 33, 120.0 / 1716);
}

static void test_many(void **state)
{
	uint64_t before[25], after[25];
	struct tm_rank_test test;

	(void)state;
	/* The most that are counted exactly. */
	for (size_t i = 0; i < 20; i++) {
		before[i] = 100 + i;
		after[i] = 107 + i;
	}
	check(before, 20, after, 20, 315.5, 0.0013224349540062652);
	/* And above: 0.00161 by a count, 0.00203515… by the normal approximation. */
	for (size_t i = 0; i < 25; i++) {
		before[i] = 2 * i;
		after[i] = 15 + 2 * i;
	}
	assert_int_equal(tm_rank_test(before, 25, after, 25, &test), 0);
	assert_false(test.exact);
	near(test.u, 472, 0);
	near(test.p, 0.002035157807278383, 1e-9);
	/* With ties, which make its variance smaller. */
	for (size_t i = 0; i < 25; i++) {
		before[i] = 3 + 2 * (i / 2);
		after[i] = 15 + 3 * (i / 2);
	}
	assert_int_equal(tm_rank_test(before, 25, after, 25, &test), 0);
	near(test.u, 564, 0);
	near(test.p, 1.0872518974354857e-06, 1e-9);
	/* All equal: there is no variance to divide by. */
	for (size_t i = 0; i < 25; i++)
		before[i] = after[i] = 4;
	assert_int_equal(tm_rank_test(before, 25, after, 25, &test), 0);
	near(test.p, 1, 0);
}

static void test_refused(void **state)
{
	const uint64_t one = 1;
	struct tm_rank_test test = { .p = 7 };

	(void)state;
	assert_int_equal(tm_rank_test(&one, 0, &one, 1, &test), -EINVAL);
	assert_int_equal(tm_rank_test(&one, 1, &one, 0, &test), -EINVAL);
	near(test.p, 7, 0);
}

static struct tm_comparison compare(const uint64_t *before, size_t nr_before, const uint64_t *after,
				    size_t nr_after)
{
	struct tm_comparison comparison;

	assert_int_equal(tm_compare(before, nr_before, after, nr_after, &comparison), 0);
	return comparison;
}

static void test_verdicts(void **state)
{
	struct tm_comparison c;

	(void)state;
	c = compare(LIST(10, 11, 12, 13, 14), LIST(5, 6, 7, 8, 9));
	assert_int_equal(c.verdict, TM_VERDICT_LARGER);
	assert_true(c.has_change);
	near(-c.change_percent, 100.0 * 5 / 12, 1e-12);
	assert_int_equal(c.before.median, 12);
	assert_int_equal(c.after.median, 7);
	/* Five of each: one overlap is enough to doubt. */
	c = compare(LIST(10, 11, 12, 13, 14), LIST(5, 6, 7, 8, 11));
	assert_int_equal(c.verdict, TM_VERDICT_WITHIN);
	/* Large changes of few runs say nothing. */
	c = compare(LIST(1, 2, 3, 4), LIST(100, 200, 300, 400, 500));
	assert_int_equal(c.verdict, TM_VERDICT_TOO_FEW);
	near(c.change_percent, 100.0 * 298 / 2, 1e-12);
	c = compare(LIST(1, 2, 3, 4, 5, 6, 7), LIST(9));
	assert_int_equal(c.verdict, TM_VERDICT_TOO_FEW);
}

static void test_no_change(void **state)
{
	struct tm_comparison c;

	(void)state;
	/* There is no percentage of 0, and a verdict all the same. */
	c = compare(LIST(0, 0, 0, 0, 0), LIST(1, 2, 3, 4, 5));
	assert_false(c.has_change);
	assert_int_equal(c.verdict, TM_VERDICT_LARGER);
	c = compare(LIST(0, 0, 0, 0, 0), LIST(0, 0, 0, 0, 0));
	assert_false(c.has_change);
	assert_int_equal(c.verdict, TM_VERDICT_WITHIN);
	/* A side without values: its other side is still told. */
	c = compare(NULL, 0, LIST(3, 4, 5));
	assert_int_equal(c.verdict, TM_VERDICT_NONE);
	assert_false(c.has_change);
	assert_int_equal(c.after.median, 4);
	c = compare(NULL, 0, NULL, 0);
	assert_int_equal(c.verdict, TM_VERDICT_NONE);
	/* All 64 bits. */
	c = compare(LIST(UINT64_MAX), LIST(0));
	near(-c.change_percent, 100, 1e-12);
}

static void test_names(void **state)
{
	(void)state;
	assert_null(tm_verdict_name(TM_VERDICT_NONE));
	assert_string_equal(tm_verdict_name(TM_VERDICT_TOO_FEW), "too-few-runs");
	assert_string_equal(tm_verdict_name(TM_VERDICT_WITHIN), "within");
	assert_string_equal(tm_verdict_name(TM_VERDICT_LARGER), "larger");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),	 cmocka_unit_test(test_ties),
		cmocka_unit_test(test_many),	 cmocka_unit_test(test_refused),
		cmocka_unit_test(test_verdicts), cmocka_unit_test(test_no_change),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
