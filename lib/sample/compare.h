/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Is a change larger than the spread of the runs? Decided by the Mann-Whitney U test, two-sided:
 * only the order of the values counts, so neither a normal distribution nor equal spreads are
 * assumed, and one run that was disturbed does little.
 */
#ifndef TM_SAMPLE_COMPARE_H
#define TM_SAMPLE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/sample/summary.h"

/* With fewer runs on a side, what one test says is too much a matter of chance. */
#define TM_COMPARE_RUNS 5
/*
 * A change is larger than the spread where p is below this. Strict, as dozens of counters are
 * compared at once: with 5 runs on each side no two may overlap.
 */
#define TM_COMPARE_LEVEL 0.01
/* Up to so many values in all every order is counted; above, the normal approximation. */
#define TM_COMPARE_EXACT 40

struct tm_rank_test {
	double u; /* pairs in which `after` is above `before`; equal ones count half */
	double p; /* of a U at least as far from the middle, were there no difference */
	bool exact;
};

/*
 * 0, -EINVAL where a side has no values, or -ENOMEM. Ties have the mean of their ranks, also in the
 * exact count. *test is set on success only.
 */
int tm_rank_test(const uint64_t *before, size_t nr_before, const uint64_t *after, size_t nr_after,
		 struct tm_rank_test *test);

enum tm_verdict {
	TM_VERDICT_NONE,    /* one side has no values */
	TM_VERDICT_TOO_FEW, /* fewer than TM_COMPARE_RUNS on a side */
	TM_VERDICT_WITHIN,  /* the spread */
	TM_VERDICT_LARGER,  /* than the spread */
};

/* "too-few-runs", "within", "larger"; NULL for none. */
const char *tm_verdict_name(enum tm_verdict verdict);

struct tm_comparison {
	struct tm_summary before, after; /* each meaningful where its side has values */
	bool has_change;
	double change_percent; /* of the medians; there is none from 0 */
	enum tm_verdict verdict;
	struct tm_rank_test test; /* meaningful where the verdict is within or larger */
};

/* 0 or -ENOMEM. A side may be empty. */
int tm_compare(const uint64_t *before, size_t nr_before, const uint64_t *after, size_t nr_after,
	       struct tm_comparison *comparison);

#endif
