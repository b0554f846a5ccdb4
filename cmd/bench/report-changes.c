/* SPDX-License-Identifier: GPL-2.0-only */
/* The comparison of two results in a report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/bench/report.h"

static const char *const side_names[SIDES] = { "before", "after" };

static void add_text(struct page *page, struct page_table *table, const struct tm_text *text)
{
	page_cell(page, table, text->state == TM_KNOWN ? text->value : "unknown", NULL);
}

/* What was compared. */
static void add_head(const struct report *report, struct page *page)
{
	static const char *const headings[] = { "", "FILE", "MEASURED", "HOST", "KERNEL" };
	struct page_table *table = page_table(page);

	for (size_t i = 0; i < TM_ARRAY_SIZE(headings); i++)
		page_column(page, table, false, headings[i]);
	for (int side = 0; side < SIDES; side++) {
		const struct stat_record *machine = &report->results[side].machine;
		char stamp[32] = "";
		struct tm tm;

		if (gmtime_r(&machine->when, &tm))
			strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S UTC", &tm);
		page_cell(page, table, side_names[side], NULL);
		page_cell(page, table, report->files[side], NULL);
		page_cell(page, table, stamp, NULL);
		add_text(page, table, &machine->host);
		add_text(page, table, &machine->kernel);
	}
}

static void add_differences(struct page *page, const struct stat_difference *list, size_t nr)
{
	struct page_table *table = page_table(page);

	page_column(page, table, false, "DIFFERENCE");
	page_column(page, table, false, "BEFORE");
	page_column(page, table, false, "AFTER");
	for (size_t i = 0; i < nr; i++) {
		page_cell(page, table, list[i].what, NULL);
		for (int side = 0; side < SIDES; side++)
			page_cell(page, table, list[i].of[side], NULL);
	}
}

static void add_machines(const struct stat_pair *machines, struct page *page)
{
	if (!machines->comparable) {
		page_text(page, "Not comparable: the machines differ in what matters.");
		add_differences(page, machines->differences, machines->nr_differences);
	}
	if (machines->nr_notes) {
		page_text(page, "Also different:");
		add_differences(page, machines->notes, machines->nr_notes);
	}
}

static bool is_in_both(const struct report_pair *pair)
{
	return pair->of[BEFORE] && pair->of[AFTER];
}

static bool is_known(const struct report_comparison *comparison, size_t metric)
{
	for (size_t i = 0; i < comparison->nr_pairs; i++)
		for (int side = 0; side < SIDES; side++)
			if (is_in_both(&comparison->pairs[i]) &&
			    comparison->pairs[i].changes[metric].of[side].nr)
				return true;
	return false;
}

static void add_number(struct page *page, struct page_table *table,
		       const struct bench_metric_kind *kind, const struct bench_spread *spread,
		       const char *mark)
{
	struct tm_buf text = TM_BUF_INIT;

	if (spread->nr)
		report_add_number(&text, kind, spread->median);
	else
		tm_buf_addc(&text, '-');
	page->failed |= text.failed;
	page_cell(page, table, tm_buf_str(&text), mark);
	tm_buf_release(&text);
}

static void add_change(struct page *page, struct page_table *table,
		       const struct report_change *change)
{
	struct tm_buf text = TM_BUF_INIT;

	if (!change->has_change)
		tm_buf_adds(&text, "n/a");
	else if (change->percent >= 99999.95)
		tm_buf_adds(&text, ">99999%");
	else if (fabs(change->percent) < 0.05)
		tm_buf_adds(&text, "0.0%");
	else
		tm_buf_addf(&text, "%+.1f%%", change->percent);
	page->failed |= text.failed;
	page_cell(page, table, tm_buf_str(&text), NULL);
	tm_buf_release(&text);
}

/* A sentence below says what is short in the table. */
static const char *short_verdict(const char *verdict)
{
	if (!verdict)
		return "n/a";
	return !strcmp(verdict, "too-few-runs")	  ? "too few" :
	       !strcmp(verdict, "not-comparable") ? "none" :
						    verdict;
}

static void add_pair(const struct report_comparison *comparison, const struct report_labels *labels,
		     const struct report_pair *pair, size_t metric, struct page *page,
		     struct page_table *table, struct report_notes *notes)
{
	const struct report_change *change = &pair->changes[metric];

	report_labels_cells(labels, page, table, pair->of[BEFORE]);
	for (int side = 0; side < SIDES; side++) {
		struct tm_buf mark = TM_BUF_INIT;

		report_notes_mark(notes, pair->of[side],
				  side == BEFORE ? "before: " : "after: ", &mark);
		page->failed |= mark.failed;
		add_number(page, table, &comparison->kind->metrics[metric], &change->of[side],
			   mark.data);
		tm_buf_release(&mark);
	}
	add_change(page, table, change);
	page_cell(page, table, short_verdict(report_verdict(comparison, change, metric)), NULL);
}

static void add_table(const struct report_comparison *comparison,
		      const struct report_labels *labels, size_t metric, struct page *page,
		      struct report_notes *notes)
{
	struct page_table *table = page_table(page);

	report_labels_columns(labels, page, table);
	page_column(page, table, true, "BEFORE");
	page_column(page, table, true, "AFTER");
	page_column(page, table, true, "CHANGE");
	page_column(page, table, false, "VERDICT");
	for (size_t i = 0; i < comparison->nr_pairs; i++)
		if (is_in_both(&comparison->pairs[i]))
			add_pair(comparison, labels, &comparison->pairs[i], metric, page, table,
				 notes);
}

static void add_bars(const struct report_comparison *comparison, const struct report_labels *labels,
		     size_t metric, struct page *page)
{
	const struct bench_metric_kind *kind = &comparison->kind->metrics[metric];
	struct tm_buf title = TM_BUF_INIT, label = TM_BUF_INIT, value = TM_BUF_INIT;
	struct page_bars *bars;

	report_add_figure(&title, kind);
	tm_buf_adds(&title, "; of each case before above after");
	bars = page_bars(page, tm_buf_str(&title));
	for (size_t i = 0; i < comparison->nr_pairs; i++) {
		const struct report_pair *pair = &comparison->pairs[i];

		if (!is_in_both(pair))
			continue;
		tm_buf_reset(&label);
		report_labels_name(labels, pair->of[BEFORE], &label);
		if (!label.len)
			tm_buf_adds(&label, comparison->kind->name);
		for (int side = 0; side < SIDES; side++) {
			const struct bench_spread *spread = &pair->changes[metric].of[side];

			tm_buf_reset(&value);
			if (spread->nr)
				report_add_number(&value, kind, spread->median);
			else
				tm_buf_addc(&value, '-');
			page_bar(page, bars,
				 &(struct page_bar){
					 .label = tm_buf_str(&label),
					 .value = tm_buf_str(&value),
					 .same = side == AFTER,
					 .median = spread->nr ? spread->median : NAN,
					 .min = spread->min,
					 .max = spread->max,
					 .shade = side == AFTER,
					 .marked = pair->of[BEFORE]->nr_notes ||
						   pair->of[AFTER]->nr_notes,
				 });
		}
	}
	page->failed |= title.failed || label.failed || value.failed;
	tm_buf_release(&title);
	tm_buf_release(&label);
	tm_buf_release(&value);
}

static void add_alone(const struct report_comparison *comparison, enum side side, struct page *page)
{
	struct report_labels all = { .kind = comparison->kind };
	bool any = false;

	for (size_t i = 0; i < BENCH_LABELS; i++)
		all.shown[i] = true;
	for (size_t i = 0; i < comparison->nr_pairs; i++) {
		const struct report_pair *pair = &comparison->pairs[i];
		struct tm_buf name = TM_BUF_INIT;

		if (is_in_both(pair) || !pair->of[side])
			continue;
		if (!any)
			page_heading(page, 2, "Only %s", side_names[side]);
		any = true;
		report_labels_name(&all, pair->of[side], &name);
		page->failed |= name.failed;
		page_item(page, 0, "%s", name.len ? name.data : "a case without labels");
		tm_buf_release(&name);
	}
}

struct told {
	bool exact, approximate, too_few;
};

static struct told look(const struct report_comparison *comparison, bool all)
{
	struct told told = { .exact = false };

	for (size_t i = 0; i < comparison->nr_pairs; i++)
		for (size_t k = 0; k < bench_kind_metrics(comparison->kind); k++) {
			const struct report_change *change = &comparison->pairs[i].changes[k];
			bool tested = change->verdict == TM_VERDICT_LARGER ||
				      change->verdict == TM_VERDICT_WITHIN;

			if (!all && comparison->kind->metrics[k].neither_is_better)
				continue;
			told.exact |= tested && change->test.exact;
			told.approximate |= tested && !change->test.exact;
			told.too_few |= change->verdict == TM_VERDICT_TOO_FEW;
		}
	return told;
}

static void explain(const struct report_comparison *comparison, bool all, struct page *page)
{
	struct told told = look(comparison, all);

	if (told.exact || told.approximate)
		page_text(page,
			  "Better and worse: the change is larger than the spread of the repeats "
			  "(Mann-Whitney U test, %s, two-sided, p < %g). Within: it is not.",
			  told.exact ? "exact" : "normal approximation", TM_COMPARE_LEVEL);
	if (told.too_few)
		page_text(page,
			  "Too few repeats to say whether a change is larger than their spread: it "
			  "takes %d before and after.",
			  TM_COMPARE_RUNS);
}

static bool is_told(const struct report_comparison *comparison, size_t metric, bool all)
{
	const struct bench_metric_kind *kind = &comparison->kind->metrics[metric];

	return (all || (kind->heading && !kind->neither_is_better)) && is_known(comparison, metric);
}

void report_add_changes(const struct report *report, bool all, struct page *page)
{
	const struct report_comparison *comparison = &report->comparison;
	const struct bench_case **cases = calloc(comparison->nr_pairs + 1, sizeof(*cases));
	struct report_notes notes = { .nr = 0 };
	struct report_labels labels;
	size_t nr = 0, told = 0;

	page->failed |= !cases;
	for (size_t i = 0; cases && i < comparison->nr_pairs; i++)
		if (is_in_both(&comparison->pairs[i]))
			cases[nr++] = comparison->pairs[i].of[BEFORE];
	labels = report_labels_choose(comparison->kind, cases, nr);
	add_head(report, page);
	add_machines(&comparison->machines, page);
	if (nr)
		report_labels_common(&labels, cases[0], page);
	else
		page_text(page, "No case is in both files.");
	for (size_t i = 0; i < bench_kind_metrics(comparison->kind); i++) {
		struct tm_buf title = TM_BUF_INIT;

		if (!is_told(comparison, i, all))
			continue;
		report_add_figure(&title, &comparison->kind->metrics[i]);
		page_heading(page, 2, "%s", tm_buf_str(&title));
		page->failed |= title.failed;
		tm_buf_release(&title);
		add_table(comparison, &labels, i, page, &notes);
		if (!told++)
			add_bars(comparison, &labels, i, page);
	}
	report_notes_end(&notes, page);
	explain(comparison, all, page);
	for (int side = 0; side < SIDES; side++)
		add_alone(comparison, (enum side)side, page);
	free(cases);
}
