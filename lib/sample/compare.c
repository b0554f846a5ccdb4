/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/base/compiler.h"

struct ranked {
	uint64_t value;
	bool after;
	size_t twice; /* its rank, doubled: that of equal values, their mean, may be a half */
};

static int compare_ranked(const void *a, const void *b)
{
	uint64_t x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;

	return (x > y) - (x < y);
}

/* Ranks count from 1. Returns the sum of t^3 - t over the groups of t equal values. */
static double rank(struct ranked *all, size_t nr)
{
	double ties = 0;

	qsort(all, nr, sizeof(*all), compare_ranked);
	for (size_t first = 0, end; first < nr; first = end) {
		double size;

		for (end = first + 1; end < nr && all[end].value == all[first].value; end++)
			;
		for (size_t i = first; i < end; i++)
			all[i].twice = first + 1 + end;
		size = (double)(end - first);
		ties += size * size * size - size;
	}
	return ties;
}

/*
 * Of all ways to choose `chosen` of the values, the part whose doubled rank sum is at least as far
 * from its mean as `sum` is. The ways are counted by number and sum; counts stay below 2^53, so
 * that they are exact (40 over 20 is 1.4e11).
 */
static int count_ways(const struct ranked *all, size_t nr, size_t chosen, size_t sum, double *part)
{
	/* The doubled ranks add up to nr * (nr + 1), with ties too. */
	size_t most = nr * (nr + 1), width = most + 1;
	double *ways = calloc((chosen + 1) * width, sizeof(*ways));
	double far = 0, total = 0;
	/* |nr * s - chosen * most| compares distances from the mean in whole numbers. */
	long long seen = llabs((long long)(nr * sum) - (long long)(chosen * most));

	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	for (size_t i = 0; i < nr; i++)
		for (size_t k = TM_MIN(i + 1, chosen); k > 0; k--)
			for (size_t s = all[i].twice; s <= most; s++)
				ways[k * width + s] += ways[(k - 1) * width + s - all[i].twice];
	for (size_t s = 0; s <= most; s++) {
		double n = ways[chosen * width + s];

		total += n;
		if (llabs((long long)(nr * s) - (long long)(chosen * most)) >= seen)
			far += n;
	}
	free(ways);
	*part = far / total;
	return 0;
}

/* With a correction for continuity, and for ties. */
static double approximate(double n1, double n2, double u, double ties)
{
	double n = n1 + n2;
	double variance = n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1)));
	double distance = fabs(u - n1 * n2 / 2) - 0.5;

	if (variance <= 0 || distance <= 0)
		return 1;
	return erfc(distance / sqrt(variance) / sqrt(2));
}

int tm_rank_test(const uint64_t *before, size_t nr_before, const uint64_t *after, size_t nr_after,
		 struct tm_rank_test *test)
{
	size_t nr = nr_before + nr_after, sum = 0;
	struct tm_rank_test made;
	struct ranked *all;
	double ties;
	int rc = 0;

	if (!nr_before || !nr_after)
		return -EINVAL;
	all = calloc(nr, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		all[i].after = i >= nr_before;
		all[i].value = all[i].after ? after[i - nr_before] : before[i];
	}
	ties = rank(all, nr);
	for (size_t i = 0; i < nr; i++)
		sum += all[i].after ? all[i].twice : 0;
	made.u = (double)sum / 2 - (double)nr_after * ((double)nr_after + 1) / 2;
	made.exact = nr <= TM_COMPARE_EXACT;
	if (made.exact)
		rc = count_ways(all, nr, nr_after, sum, &made.p);
	else
		made.p = approximate((double)nr_before, (double)nr_after, made.u, ties);
	free(all);
	if (!rc)
		*test = made;
	return rc;
}

const char *tm_verdict_name(enum tm_verdict verdict)
{
	static const char *const names[] = {
		[TM_VERDICT_TOO_FEW] = "too-few-runs",
		[TM_VERDICT_WITHIN] = "within",
		[TM_VERDICT_LARGER] = "larger",
	};

	return names[verdict];
}

static double change_percent(uint64_t before, uint64_t after)
{
	double distance = after >= before ? (double)(after - before) : -(double)(before - after);

	return 100 * distance / (double)before;
}

int tm_compare(const uint64_t *before, size_t nr_before, const uint64_t *after, size_t nr_after,
	       struct tm_comparison *comparison)
{
	struct tm_comparison made = { .verdict = TM_VERDICT_NONE };
	int rc = nr_before ? tm_summary_make(before, nr_before, &made.before) : 0;

	if (!rc && nr_after)
		rc = tm_summary_make(after, nr_after, &made.after);
	if (!rc && nr_before && nr_after) {
		made.has_change = made.before.median != 0;
		if (made.has_change)
			made.change_percent = change_percent(made.before.median, made.after.median);
		made.verdict = TM_VERDICT_TOO_FEW;
		if (TM_MIN(nr_before, nr_after) >= TM_COMPARE_RUNS) {
			rc = tm_rank_test(before, nr_before, after, nr_after, &made.test);
			made.verdict = made.test.p < TM_COMPARE_LEVEL ? TM_VERDICT_LARGER :
									TM_VERDICT_WITHIN;
		}
	}
	if (!rc)
		*comparison = made;
	return rc;
}
