/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two results of one benchmark beside each other: cases are the same that have the same labels. As
 * in `tiermem stat --compare`, a change counts where it is larger than the spread of the repeats,
 * and figures of unlike machines are not judged.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/report.h"

/* By which no two runs are alike. */
static bool is_fleeting(const char *key)
{
	return !strcmp(key, "load_average");
}

static int add_note(struct stat_pair *pair, const char *what, const char *before, const char *after)
{
	struct stat_difference *note;

	if (tm_array_grow(&pair->notes, pair->nr_notes, &pair->cap_notes, sizeof(*pair->notes)))
		return -ENOMEM;
	note = &pair->notes[pair->nr_notes++];
	*note = (struct stat_difference){ .of = { strdup(before), strdup(after) } };
	snprintf(note->what, sizeof(note->what), "%s", what);
	for (char *c = note->what; *c; c++)
		if (*c == '_')
			*c = ' ';
	return note->of[BEFORE] && note->of[AFTER] ? 0 : -ENOMEM;
}

static const struct bench_condition *find_condition(const struct bench_result *result,
						    const char *key)
{
	for (size_t i = 0; i < result->nr_conditions; i++)
		if (!strcmp(result->conditions[i].key, key))
			return &result->conditions[i];
	return NULL;
}

static const char *text_of(const struct bench_condition *condition)
{
	return condition && condition->text ? condition->text : "unknown";
}

static int compare_conditions(struct stat_pair *pair, const struct bench_result *before,
			      const struct bench_result *after)
{
	int rc = 0;

	if (before->quick != after->quick)
		rc = add_note(pair, "quick", before->quick ? "yes" : "no",
			      after->quick ? "yes" : "no");
	for (size_t i = 0; i < before->nr_conditions && !rc; i++) {
		const char *key = before->conditions[i].key;
		const char *was = text_of(&before->conditions[i]);
		const char *is = text_of(find_condition(after, key));

		if (!is_fleeting(key) && strcmp(was, is) != 0)
			rc = add_note(pair, key, was, is);
	}
	for (size_t i = 0; i < after->nr_conditions && !rc; i++) {
		const char *key = after->conditions[i].key, *is = text_of(&after->conditions[i]);

		if (!is_fleeting(key) && !find_condition(before, key) && strcmp(is, "unknown") != 0)
			rc = add_note(pair, key, "unknown", is);
	}
	return rc;
}

static int compare_machines(struct stat_pair *pair, const struct bench_result *before,
			    const struct bench_result *after)
{
	int rc;

	/* Borrowed: only what differs is this pair's own. */
	pair->record[BEFORE] = before->machine;
	pair->record[AFTER] = after->machine;
	rc = stat_differ(pair);
	return rc ? rc : compare_conditions(pair, before, after);
}

/* ---- one figure */

static size_t known_values(const struct bench_series *series, double *values)
{
	size_t nr = 0;

	for (size_t i = 0; i < series->nr; i++)
		if (isfinite(series->values[i]))
			values[nr++] = series->values[i];
	return nr;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The first that is not below it. */
static size_t lower_bound(const double *sorted, size_t nr, double value)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The test looks at nothing but the order, so that places in it are as good as the values. */
static int test(struct report_change *change, const struct bench_series *before,
		const struct bench_series *after)
{
	size_t room = before->nr + after->nr, nr, nr_before;
	double *all = calloc(2 * room + 1, sizeof(*all)), *sorted;
	uint64_t *places = calloc(room + 1, sizeof(*places));
	int rc = -ENOMEM;

	if (all && places) {
		sorted = all + room;
		nr_before = known_values(before, all);
		nr = nr_before + known_values(after, all + nr_before);
		memcpy(sorted, all, nr * sizeof(*all));
		qsort(sorted, nr, sizeof(*sorted), compare_doubles);
		for (size_t i = 0; i < nr; i++)
			places[i] = lower_bound(sorted, nr, all[i]);
		rc = tm_rank_test(places, nr_before, places + nr_before, nr - nr_before,
				  &change->test);
	}
	free(all);
	free(places);
	if (!rc)
		change->verdict = change->test.p < TM_COMPARE_LEVEL ? TM_VERDICT_LARGER :
								      TM_VERDICT_WITHIN;
	return rc;
}

static int compare_series(struct report_change *change, const struct bench_series *before,
			  const struct bench_series *after, bool comparable)
{
	const struct bench_spread *was = &change->of[BEFORE], *is = &change->of[AFTER];

	change->of[BEFORE] = bench_series_spread(before);
	change->of[AFTER] = bench_series_spread(after);
	change->verdict = TM_VERDICT_NONE;
	if (!comparable || !was->nr || !is->nr)
		return 0;
	change->percent = 100 * (is->median - was->median) / fabs(was->median);
	change->has_change = isfinite(change->percent);
	change->verdict = TM_VERDICT_TOO_FEW;
	if (TM_MIN(was->nr, is->nr) < TM_COMPARE_RUNS)
		return 0;
	return test(change, before, after);
}

static int compare_pair(const struct report_comparison *comparison, struct report_pair *pair)
{
	static const struct bench_series none = { NULL, 0 };
	int rc = 0;

	for (size_t i = 0; i < bench_kind_metrics(comparison->kind) && !rc; i++) {
		const struct bench_series *series[SIDES];

		for (int side = 0; side < SIDES; side++)
			series[side] = pair->of[side] ? &pair->of[side]->metrics[i] : &none;
		rc = compare_series(&pair->changes[i], series[BEFORE], series[AFTER],
				    comparison->machines.comparable);
	}
	return rc;
}

const char *report_verdict(const struct report_comparison *comparison,
			   const struct report_change *change, size_t metric)
{
	const struct bench_metric_kind *kind = &comparison->kind->metrics[metric];

	if (!change->of[BEFORE].nr || !change->of[AFTER].nr)
		return NULL;
	if (!comparison->machines.comparable)
		return "not-comparable";
	if (change->verdict != TM_VERDICT_LARGER)
		return tm_verdict_name(change->verdict);
	/* By ranks, as the medians can be the same where most values differ. */
	if (kind->neither_is_better)
		return "changed";
	return (change->test.u * 2 >
		(double)change->of[BEFORE].nr * (double)change->of[AFTER].nr) ==
			       !kind->lower_is_better ?
		       "better" :
		       "worse";
}

/* ---- cases */

static struct report_pair *find_partner(struct report_comparison *comparison,
					const struct bench_case *after)
{
	for (size_t i = 0; i < comparison->nr_pairs; i++) {
		struct report_pair *pair = &comparison->pairs[i];

		if (pair->of[BEFORE] && !pair->of[AFTER] &&
		    report_same_labels(comparison->kind, pair->of[BEFORE], after))
			return pair;
	}
	return NULL;
}

static int pair_cases(struct report_comparison *comparison, const struct bench_result *before,
		      const struct bench_result *after)
{
	int rc = 0;

	comparison->pairs =
		calloc(before->nr_cases + after->nr_cases + 1, sizeof(*comparison->pairs));
	if (!comparison->pairs)
		return -ENOMEM;
	for (size_t i = 0; i < before->nr_cases; i++)
		comparison->pairs[comparison->nr_pairs++].of[BEFORE] = &before->cases[i];
	for (size_t i = 0; i < after->nr_cases; i++) {
		struct report_pair *pair = find_partner(comparison, &after->cases[i]);

		if (!pair)
			pair = &comparison->pairs[comparison->nr_pairs++];
		pair->of[AFTER] = &after->cases[i];
	}
	for (size_t i = 0; i < comparison->nr_pairs && !rc; i++)
		rc = compare_pair(comparison, &comparison->pairs[i]);
	return rc;
}

int report_compare(struct report_comparison *comparison, const struct bench_result *before,
		   const struct bench_result *after)
{
	int rc;

	*comparison = (struct report_comparison){ .kind = before->kind };
	rc = compare_machines(&comparison->machines, before, after);
	return rc ? rc : pair_cases(comparison, before, after);
}

static void release_differences(struct stat_difference *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (int side = 0; side < SIDES; side++)
			free(list[i].of[side]);
	free(list);
}

void report_comparison_release(struct report_comparison *comparison)
{
	release_differences(comparison->machines.differences, comparison->machines.nr_differences);
	release_differences(comparison->machines.notes, comparison->machines.nr_notes);
	free(comparison->pairs);
	*comparison = (struct report_comparison){ .kind = NULL };
}
