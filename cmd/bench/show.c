/* SPDX-License-Identifier: GPL-2.0-only */
/* A result as tables for people: how it was measured, the figures, and what to know about them. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/bench.h"
#include "cmd/stat-view.h"

#define WIDTH 80

struct columns {
	bool label[BENCH_LABELS]; /* some case has it */
	bool metric[BENCH_METRICS];
	bool notes;
};

static struct columns choose_columns(const struct bench_result *result, bool verbose)
{
	struct columns columns = { .notes = false };

	for (size_t k = 0; k < result->nr_cases; k++) {
		const struct bench_case *c = &result->cases[k];

		for (size_t i = 0; i < bench_kind_labels(result->kind); i++)
			columns.label[i] |= c->labels[i].state == TM_KNOWN;
		for (size_t i = 0; i < bench_kind_metrics(result->kind); i++) {
			const struct bench_metric_kind *metric = &result->kind->metrics[i];

			columns.metric[i] |= metric->heading && (verbose || !metric->detail) &&
					     bench_series_spread(&c->metrics[i]).nr;
		}
		columns.notes |= c->nr_notes || c->reason;
	}
	return columns;
}

/* The table's first figure is what the spread is of. */
static size_t first_metric(const struct columns *columns)
{
	for (size_t i = 0; i < BENCH_METRICS; i++)
		if (columns->metric[i])
			return i;
	return 0;
}

static void add_headings(struct tm_table *table, const struct bench_kind *kind,
			 const struct columns *columns)
{
	for (size_t i = 0; i < bench_kind_labels(kind); i++)
		if (columns->label[i])
			tm_table_column(table, kind->labels[i].heading,
					kind->labels[i].type == BENCH_NUMBER ||
						kind->labels[i].type == BENCH_BYTES,
					false, false);
	for (size_t i = 0; i < bench_kind_metrics(kind); i++)
		if (columns->metric[i])
			tm_table_column(table, kind->metrics[i].heading, true, false, false);
	tm_table_column(table, "SPREAD", true, false, false);
	if (columns->notes)
		tm_table_column(table, "NOTE", false, false, false);
}

static void add_figure(struct tm_buf *text, const struct bench_metric_kind *kind,
		       const struct bench_series *series, bool raw)
{
	struct bench_spread spread = bench_series_spread(series);

	if (!spread.nr)
		tm_buf_adds(text, "-");
	else if (raw)
		tm_buf_addf(text, "%.9g", spread.median);
	else
		tm_buf_addf(text, "%.*f", (int)kind->decimals, spread.median);
}

static void add_spread(struct tm_buf *text, const struct bench_series *series, bool ascii)
{
	struct bench_spread spread = bench_series_spread(series);
	double percent = bench_spread_percent(&spread);

	if (spread.nr < 2 || isnan(percent))
		tm_buf_adds(text, "-");
	else
		tm_buf_addf(text, "%s%.1f%%", ascii ? "+-" : "±", percent);
}

static void put(struct tm_table *table, struct tm_row *row, size_t *column, struct tm_buf *text)
{
	tm_row_cell(table, row, (*column)++, tm_buf_str(text));
	tm_buf_reset(text);
}

/* What is noted of several cases has one number. */
struct notes {
	const char **list;
	size_t nr, cap;
	bool failed;
};

/* From 1 on. */
static size_t number_note(struct notes *notes, const char *text)
{
	for (size_t i = 0; i < notes->nr; i++)
		if (!strcmp(notes->list[i], text))
			return i + 1;
	if (tm_array_grow(&notes->list, notes->nr, &notes->cap, sizeof(*notes->list))) {
		notes->failed = true;
		return 0;
	}
	notes->list[notes->nr++] = text;
	return notes->nr;
}

static void add_note_numbers(struct tm_buf *text, const struct bench_case *c, struct notes *notes)
{
	for (size_t i = 0; i < c->nr_notes; i++)
		tm_buf_addf(text, "%s[%zu]", text->len ? " " : "", number_note(notes, c->notes[i]));
	if (c->reason)
		tm_buf_addf(text, "%s[%zu]", text->len ? " " : "", number_note(notes, c->reason));
}

static void add_row(struct tm_table *table, const struct bench_result *result,
		    const struct columns *columns, const struct bench_case *c, struct notes *notes,
		    const struct tm_table_style *style)
{
	struct tm_row *row = tm_table_row(table, NULL);
	const struct bench_kind *kind = result->kind;
	struct tm_buf text = TM_BUF_INIT;
	size_t column = 0;

	for (size_t i = 0; i < bench_kind_labels(kind); i++) {
		if (!columns->label[i])
			continue;
		bench_label_text(&kind->labels[i], &c->labels[i], &text);
		put(table, row, &column, &text);
	}
	for (size_t i = 0; i < bench_kind_metrics(kind); i++) {
		if (!columns->metric[i])
			continue;
		add_figure(&text, &kind->metrics[i], &c->metrics[i], style->raw);
		put(table, row, &column, &text);
	}
	add_spread(&text, &c->metrics[first_metric(columns)], style->ascii);
	put(table, row, &column, &text);
	add_note_numbers(&text, c, notes);
	if (columns->notes)
		put(table, row, &column, &text);
	tm_buf_release(&text);
}

/* The numbers again, with what they stand for. */
static void add_notes(struct tm_buf *text, const struct notes *notes)
{
	for (size_t i = 0; i < notes->nr; i++)
		tm_buf_addf(text, "[%zu] %s\n", i + 1, notes->list[i]);
}

/* With --verbose: what the columns are. */
static void add_legend(struct tm_buf *text, const struct bench_kind *kind,
		       const struct columns *columns)
{
	tm_buf_adds(text, "\n");
	for (size_t i = 0; i < bench_kind_labels(kind); i++)
		if (columns->label[i])
			tm_buf_addf(text, "%-14s %s\n", kind->labels[i].heading,
				    kind->labels[i].help);
	for (size_t i = 0; i < bench_kind_metrics(kind); i++)
		if (columns->metric[i])
			tm_buf_addf(text, "%-14s %s\n", kind->metrics[i].heading,
				    kind->metrics[i].help);
}

/* Words that follow each other with commas, broken into lines. */
static void add_words(struct tm_buf *text, size_t *column, const char *key, const char *word)
{
	size_t len = strlen(key) + 1 + strlen(word);

	if (*column && *column + 2 + len > WIDTH) {
		tm_buf_adds(text, "\n");
		*column = 0;
	}
	tm_buf_addf(text, "%s%s %s", *column ? ", " : "", key, word);
	*column += len + (*column ? 2 : 0);
}

/* "thp_enabled" → "thp enabled" */
static void add_condition(struct tm_buf *text, size_t *column, const char *key, const char *value)
{
	char *words = strdup(key);

	for (char *c = words; c && *c; c++)
		if (*c == '_')
			*c = ' ';
	if (words)
		add_words(text, column, words, value);
	text->failed |= !words;
	free(words);
}

static void add_head(struct tm_buf *text, const struct bench_result *result)
{
	const struct stat_record *machine = &result->machine;
	size_t column = 0;

	tm_buf_addf(text, "%s%s on %s\n", result->kind->name, result->quick ? " (quick)" : "",
		    machine->machine.cpu_model.state == TM_KNOWN ?
			    machine->machine.cpu_model.value :
			    "an unknown CPU");
	if (machine->kernel.state == TM_KNOWN)
		add_condition(text, &column, "kernel", machine->kernel.value);
	for (size_t i = 0; i < result->nr_conditions; i++)
		if (result->conditions[i].text)
			add_condition(text, &column, result->conditions[i].key,
				      result->conditions[i].text);
	tm_buf_adds(text, "\n\n");
}

/* What --stat counted, one table for each case. */
static int add_counters(const struct app *app, const struct bench_result *result,
			const struct tm_table_style *style, struct tm_buf *text,
			struct tm_error *err)
{
	for (size_t k = 0; k < result->nr_cases; k++) {
		const struct bench_case *c = &result->cases[k];
		TM_CLEANUP(tm_freep) char *table = NULL;
		int rc;

		if (!c->has_counters || !c->counters.nr_runs)
			continue;
		tm_buf_adds(text, "\ncounters of ");
		for (size_t i = 0, n = 0; i < bench_kind_labels(result->kind); i++) {
			if (c->labels[i].state != TM_KNOWN)
				continue;
			tm_buf_addf(text, "%s%s ", n++ ? ", " : "", result->kind->labels[i].key);
			bench_label_text(&result->kind->labels[i], &c->labels[i], text);
		}
		tm_buf_adds(text, "\n");
		rc = stat_show(app, &c->counters, style, &table, err);
		if (rc)
			return rc;
		tm_buf_adds(text, table);
	}
	return 0;
}

int bench_result_show(const struct app *app, const struct bench_result *result,
		      const struct tm_table_style *style, char **text, struct tm_error *err)
{
	struct columns columns = choose_columns(result, app->verbose);
	struct tm_table *table = tm_table_new(style);
	struct tm_buf buf = TM_BUF_INIT;
	char *body = NULL;
	struct notes notes = { .nr = 0 };
	int rc;

	if (!table)
		return tm_error_nomem(err);
	if (style->headings)
		add_head(&buf, result);
	add_headings(table, result->kind, &columns);
	for (size_t k = 0; k < result->nr_cases; k++)
		add_row(table, result, &columns, &result->cases[k], &notes, style);
	rc = notes.failed ? tm_error_nomem(err) : tm_table_print(table, &body, err);
	tm_table_free(table);
	if (!rc) {
		tm_buf_adds(&buf, body);
		add_notes(&buf, &notes);
		if (app->verbose)
			add_legend(&buf, result->kind, &columns);
		if (app_option(app, "stat"))
			rc = add_counters(app, result, style, &buf, err);
	}
	free(body);
	free(notes.list);
	*text = rc ? NULL : tm_buf_detach(&buf);
	tm_buf_release(&buf);
	return rc ? rc : *text ? 0 : tm_error_nomem(err);
}
