/* SPDX-License-Identifier: GPL-2.0-only */
/* One result in a report: how it was measured, its cases, and a picture of them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/bench/report.h"
#include "lib/base/units.h"

/* Of the table of cases. */
struct columns {
	struct report_labels labels;
	bool metric[BENCH_METRICS];
	size_t first; /* metric that the spread and the picture are of; BENCH_METRICS: none */
	bool spread, place, pages;
};

static struct columns choose(const struct bench_result *result)
{
	const struct bench_case **cases = calloc(result->nr_cases + 1, sizeof(*cases));
	struct columns columns = { .first = BENCH_METRICS };

	for (size_t k = 0; cases && k < result->nr_cases; k++)
		cases[k] = &result->cases[k];
	columns.labels = report_labels_choose(result->kind, cases, cases ? result->nr_cases : 0);
	free(cases);
	for (size_t i = 0; i < bench_kind_metrics(result->kind); i++)
		for (size_t k = 0; k < result->nr_cases; k++)
			columns.metric[i] |= result->kind->metrics[i].heading &&
					     bench_series_spread(&result->cases[k].metrics[i]).nr;
	for (size_t i = BENCH_METRICS; i-- > 0;)
		if (columns.metric[i])
			columns.first = i;
	for (size_t k = 0; k < result->nr_cases; k++) {
		const struct bench_case *c = &result->cases[k];

		if (columns.first < BENCH_METRICS)
			columns.spread |= bench_series_spread(&c->metrics[columns.first]).nr > 1;
		columns.place |= c->has_place;
		columns.pages |= c->has_place && c->place.page_bytes;
	}
	return columns;
}

static void add_columns(const struct bench_result *result, const struct columns *columns,
			struct page *page, struct page_table *table)
{
	report_labels_columns(&columns->labels, page, table);
	for (size_t i = 0; i < BENCH_METRICS; i++)
		if (columns->metric[i])
			page_column(page, table, true, result->kind->metrics[i].heading);
	/* A table needs a column for the marks, also where nothing at all was measured. */
	if (columns->first == BENCH_METRICS)
		page_column(page, table, true, "FIGURE");
	if (columns->spread)
		page_column(page, table, true, "SPREAD");
	if (columns->place)
		page_column(page, table, false, "LIES ON");
	if (columns->pages)
		page_column(page, table, true, "PAGES");
}

static void add_figure(struct tm_buf *text, const struct bench_metric_kind *kind,
		       const struct bench_series *series)
{
	struct bench_spread spread = bench_series_spread(series);

	if (spread.nr)
		report_add_number(text, kind, spread.median);
	else
		tm_buf_addc(text, '-');
}

static void add_spread(struct tm_buf *text, const struct bench_series *series)
{
	struct bench_spread spread = bench_series_spread(series);
	double percent = bench_spread_percent(&spread);

	if (spread.nr < 2 || !isfinite(percent))
		tm_buf_addc(text, '-');
	else
		tm_buf_addf(text, "±%.1f%%", percent);
}

static uint64_t total_of(const struct tm_bench_place *place)
{
	uint64_t total = place->unknown;

	for (size_t i = 0; i < place->nr; i++)
		total += place->nodes[i].bytes;
	return total;
}

static void add_share(struct tm_buf *text, uint64_t bytes, uint64_t total)
{
	/* All of it needs no number, and a little is not nothing. */
	if (bytes == total)
		return;
	if (bytes < total / 100)
		tm_buf_adds(text, " <1%");
	else
		tm_buf_addf(text, " %.0f%%", 100 * (double)bytes / (double)total);
}

/* "node 0 75%, node 1 25%" */
static void add_place(struct tm_buf *text, const struct bench_case *c)
{
	const struct tm_bench_place *place = &c->place;
	uint64_t total = total_of(place);
	size_t len = text->len;

	for (size_t i = 0; c->has_place && i < place->nr; i++) {
		if (!place->nodes[i].bytes)
			continue;
		tm_buf_addf(text, "%snode %d", text->len > len ? ", " : "", place->nodes[i].node);
		add_share(text, place->nodes[i].bytes, total);
	}
	if (c->has_place && place->unknown) {
		tm_buf_addf(text, "%sunknown", text->len > len ? ", " : "");
		add_share(text, place->unknown, total);
	}
	if (text->len == len)
		tm_buf_addc(text, '-');
}

static void add_pages(struct tm_buf *text, const struct bench_case *c)
{
	char bytes[TM_UNITS_MAX];

	if (!c->has_place || !c->place.page_bytes) {
		tm_buf_addc(text, '-');
		return;
	}
	tm_buf_adds(text, tm_format_bytes(bytes, c->place.page_bytes));
	if (c->place.huge)
		add_share(text, c->place.huge, total_of(&c->place));
}

static void put(struct page *page, struct page_table *table, struct tm_buf *text, const char *mark)
{
	page->failed |= text->failed;
	page_cell(page, table, tm_buf_str(text), mark);
	tm_buf_reset(text);
}

static void add_case(const struct bench_result *result, const struct columns *columns, size_t index,
		     struct page *page, struct page_table *table, struct report_notes *notes)
{
	const struct bench_case *c = &result->cases[index];
	struct tm_buf text = TM_BUF_INIT, mark = TM_BUF_INIT;
	/* The first figure bears the marks: it is what is looked at. */
	size_t marked = TM_MIN(columns->first, bench_kind_metrics(result->kind));

	report_notes_mark(notes, c, "", &mark);
	page->failed |= mark.failed;
	report_labels_cells(&columns->labels, page, table, c);
	for (size_t i = 0; i < BENCH_METRICS; i++) {
		if (!columns->metric[i])
			continue;
		add_figure(&text, &result->kind->metrics[i], &c->metrics[i]);
		put(page, table, &text, i == marked && mark.len ? mark.data : NULL);
	}
	if (columns->first == BENCH_METRICS)
		page_cell(page, table, "-", mark.len ? mark.data : NULL);
	if (columns->spread) {
		add_spread(&text, &c->metrics[columns->first]);
		put(page, table, &text, NULL);
	}
	if (columns->place) {
		add_place(&text, c);
		put(page, table, &text, NULL);
	}
	if (columns->pages) {
		add_pages(&text, c);
		put(page, table, &text, NULL);
	}
	tm_buf_release(&text);
	tm_buf_release(&mark);
}

static bool is_noted(const struct bench_case *c)
{
	return c->nr_notes || (c->has_place && c->place.misplaced);
}

static void add_bars(const struct bench_result *result, const struct columns *columns,
		     struct page *page)
{
	const struct bench_metric_kind *kind = &result->kind->metrics[columns->first];
	struct tm_buf title = TM_BUF_INIT, label = TM_BUF_INIT, value = TM_BUF_INIT;
	struct page_bars *bars;

	report_add_figure(&title, kind);
	tm_buf_adds(&title, "; median, and from the least to the largest repeat");
	bars = page_bars(page, tm_buf_str(&title));
	for (size_t k = 0; k < result->nr_cases; k++) {
		const struct bench_case *c = &result->cases[k];
		struct bench_spread spread = bench_series_spread(&c->metrics[columns->first]);

		if (!spread.nr)
			continue;
		tm_buf_reset(&label);
		tm_buf_reset(&value);
		report_labels_name(&columns->labels, c, &label);
		if (!label.len)
			tm_buf_adds(&label, result->kind->name);
		report_add_number(&value, kind, spread.median);
		page_bar(page, bars,
			 &(struct page_bar){
				 .label = label.data,
				 .value = value.data,
				 .median = spread.median,
				 .min = spread.min,
				 .max = spread.max,
				 .marked = is_noted(c),
			 });
	}
	page->failed |= title.failed || label.failed || value.failed;
	tm_buf_release(&title);
	tm_buf_release(&label);
	tm_buf_release(&value);
}

static void add_when(const struct bench_result *result, struct tm_buf *text)
{
	char stamp[64] = "";
	struct tm tm;

	if (gmtime_r(&result->machine.when, &tm))
		strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S UTC", &tm);
	tm_buf_addf(text, "Measured %s", stamp);
	if (result->quick)
		tm_buf_adds(text, " with --quick: a first look, not to be relied on");
	tm_buf_addc(text, '.');
}

/* "thp_enabled" → "thp enabled" */
static void add_words(struct tm_buf *text, const char *key)
{
	for (; *key; key++)
		tm_buf_addc(text, *key == '_' ? ' ' : *key);
}

static void add_conditions(const struct bench_result *result, struct page *page)
{
	struct page_table *table;
	struct tm_buf key = TM_BUF_INIT;

	if (!result->nr_conditions)
		return;
	table = page_table(page);
	page_column(page, table, false, "CONDITION");
	page_column(page, table, false, "");
	for (size_t i = 0; i < result->nr_conditions; i++) {
		const struct bench_condition *condition = &result->conditions[i];

		add_words(&key, condition->key);
		put(page, table, &key, NULL);
		page_cell(page, table, condition->text ? condition->text : "unknown", NULL);
	}
	tm_buf_release(&key);
}

static void add_number(struct page *page, struct page_table *table, const struct tm_num *num)
{
	char text[24] = "-";

	if (tm_num_is(num))
		snprintf(text, sizeof(text), "%" PRIu64, num->value);
	page_cell(page, table, text, NULL);
}

/* What `weights compute --from measured:` takes. */
static void add_nodes(const struct bench_result *result, struct page *page)
{
	struct page_table *table;

	if (!result->nr_nodes)
		return;
	page_text(page, "The best of each node, as weights are computed from:");
	table = page_table(page);
	page_column(page, table, true, "NODE");
	page_column(page, table, true, "READ MB/s");
	page_column(page, table, true, "WRITE MB/s");
	page_column(page, table, true, "READ ns");
	for (size_t i = 0; i < result->nr_nodes; i++) {
		const struct bench_node *node = &result->nodes[i];

		add_number(page, table, &(struct tm_num){ (uint64_t)node->id, TM_KNOWN });
		add_number(page, table, &node->read_mbps);
		add_number(page, table, &node->write_mbps);
		add_number(page, table, &node->read_latency_ns);
	}
}

void report_add_result(const struct report *report, size_t index, struct page *page)
{
	const struct bench_result *result = &report->results[index];
	struct columns columns = choose(result);
	struct report_notes notes = { .nr = 0 };
	struct tm_buf when = TM_BUF_INIT;
	struct page_table *table;

	page_heading(page, 2, "%s: %s", result->kind->name, report->files[index]);
	add_when(result, &when);
	if (report_machine_of(report, report->nr - 1) || report_machine_of(report, index))
		tm_buf_addf(&when, " On machine %zu.", report_machine_of(report, index) + 1);
	page_text(page, "%s", tm_buf_str(&when));
	page->failed |= when.failed;
	tm_buf_release(&when);
	add_conditions(result, page);
	if (!result->nr_cases) {
		page_text(page, "There are no cases in it.");
		return;
	}
	report_labels_common(&columns.labels, &result->cases[0], page);
	table = page_table(page);
	add_columns(result, &columns, page, table);
	for (size_t k = 0; k < result->nr_cases; k++)
		add_case(result, &columns, k, page, table, &notes);
	report_notes_end(&notes, page);
	if (columns.first < BENCH_METRICS)
		add_bars(result, &columns, page);
	report_add_curve(result, &columns.labels, page);
	add_nodes(result, page);
}
