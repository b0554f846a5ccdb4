/* SPDX-License-Identifier: GPL-2.0-only */
/* The comparison for people. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/stat-compare.h"
#include "cmd/terminal.h"

#define WIDTH 80

static const char *const side_names[SIDES] = { "before", "after" };

static void add_side(struct tm_buf *buf, const struct stat_pair *pair, enum side side)
{
	const struct stat_record *record = &pair->record[side];
	const struct tm_text *kernel = &record->kernel;

	tm_buf_addf(buf, "%-8s", side_names[side]);
	tm_buf_add_printable(buf, pair->file[side], strlen(pair->file[side]));
	tm_buf_addf(buf, ": %zu run%s, kernel ", record->nr_runs, record->nr_runs == 1 ? "" : "s");
	if (kernel->state == TM_KNOWN)
		tm_buf_add_printable(buf, kernel->value, strlen(kernel->value));
	else
		tm_buf_adds(buf, "unknown");
	tm_buf_adds(buf, "\n        ");
	stat_add_command(buf, record, WIDTH - 8);
	tm_buf_addc(buf, '\n');
}

static void add_differences(struct tm_buf *buf, const struct stat_difference *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		tm_buf_addf(buf, "  %s\n", list[i].what);
		for (int side = 0; side < SIDES; side++) {
			tm_buf_addf(buf, "    %-8s", side_names[side]);
			tm_buf_add_printable(buf, list[i].of[side], strlen(list[i].of[side]));
			tm_buf_addc(buf, '\n');
		}
	}
}

static void add_head(struct tm_buf *buf, const struct stat_pair *pair)
{
	add_side(buf, pair, BEFORE);
	add_side(buf, pair, AFTER);
	if (!pair->comparable) {
		tm_buf_adds(buf, "\nnot comparable: the machines differ in what matters\n");
		add_differences(buf, pair->differences, pair->nr_differences);
	}
	if (pair->nr_notes) {
		tm_buf_adds(buf, "\nalso different\n");
		add_differences(buf, pair->notes, pair->nr_notes);
	}
	tm_buf_addc(buf, '\n');
}

static bool is_lacking(const struct stat_pair *pair, const struct stat_row *row, enum side side)
{
	const char *reason;

	if (row->nr[side])
		return false;
	reason = stat_row_reason(pair, row, side);
	return !strcmp(reason, "unsupported") || !strcmp(reason, "absent");
}

/* What neither side has, or has as 0. */
static bool is_dull(const struct stat_pair *pair, const struct stat_row *row)
{
	if (row->key->cpu >= 0)
		return true;
	if (row->key->group == STAT_EVENTS || row->key->group <= STAT_INTERRUPTS)
		return false;
	for (int side = 0; side < SIDES; side++) {
		const struct tm_summary *s = side == BEFORE ? &row->result.before :
							      &row->result.after;

		if (row->nr[side] ? s->max != 0 : !is_lacking(pair, row, (enum side)side))
			return false;
	}
	return true;
}

static void add_change(struct tm_buf *cell, const struct tm_comparison *result, bool raw)
{
	double change = result->change_percent;

	if (!result->has_change)
		tm_buf_adds(cell, "n/a");
	else if (!raw && change >= 99999.95)
		tm_buf_adds(cell, ">99999%");
	else if (change > -0.05 && change < 0.05)
		tm_buf_adds(cell, "0.0%");
	else
		tm_buf_addf(cell, "%+.1f%%", change);
}

enum column { COUNTER, OF, WAS, IS, CHANGE, VERDICT, NR_COLUMNS };

static const char *short_verdict(const char *verdict)
{
	if (!verdict)
		return "n/a";
	/* A line below says it in full. */
	return !strcmp(verdict, "too-few-runs")	  ? "too few" :
	       !strcmp(verdict, "not-comparable") ? "none" :
						    verdict;
}

static void add_value(struct tm_buf *cell, const struct stat_pair *pair, const struct stat_row *row,
		      enum side side, bool raw)
{
	const struct tm_summary *s = side == BEFORE ? &row->result.before : &row->result.after;

	if (!row->nr[side]) {
		tm_buf_adds(cell, stat_row_reason(pair, row, side));
		return;
	}
	if (!raw && stat_is_scaled(&pair->record[side], row->of[side]))
		tm_buf_addc(cell, '~');
	stat_add_number(cell, s->median, row->key->unit, raw);
}

static void add_cell(struct tm_buf *cell, enum column column, const struct stat_pair *pair,
		     const struct stat_row *row, bool raw)
{
	switch (column) {
	case COUNTER:
		stat_key_text(cell, row->key);
		break;
	case OF:
		tm_buf_adds(cell, stat_scope_words[row->key->scope]);
		break;
	case WAS:
		add_value(cell, pair, row, BEFORE, raw);
		break;
	case IS:
		add_value(cell, pair, row, AFTER, raw);
		break;
	case CHANGE:
		add_change(cell, &row->result, raw);
		break;
	default:
		tm_buf_adds(cell, short_verdict(stat_row_verdict(pair, row)));
		break;
	}
}

struct told {
	size_t left_out;
	bool exact, approximate, too_few, scaled;
};

static void note_row(struct told *told, const struct stat_pair *pair, const struct stat_row *row)
{
	enum tm_verdict verdict = row->result.verdict;

	if (verdict == TM_VERDICT_WITHIN || verdict == TM_VERDICT_LARGER) {
		told->exact |= row->result.test.exact;
		told->approximate |= !row->result.test.exact;
	}
	told->too_few |= verdict == TM_VERDICT_TOO_FEW;
	for (int side = 0; side < SIDES; side++)
		told->scaled |= stat_is_scaled(&pair->record[side], row->of[side]);
}

static int add_table(struct tm_buf *buf, const struct app *app, const struct stat_pair *pair,
		     struct told *told, struct tm_error *err)
{
	static const char *const headings[NR_COLUMNS] = { "COUNTER", "OF",     "BEFORE",
							  "AFTER",   "CHANGE", "VERDICT" };
	struct tm_table_style style = terminal_style(app);
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_table *table = tm_table_new(&style);
	struct tm_buf cell = TM_BUF_INIT;
	int rc;

	if (!table)
		return tm_error_nomem(err);
	for (int i = 0; i < NR_COLUMNS; i++)
		tm_table_column(table, headings[i], i >= WAS && i <= CHANGE, i == COUNTER, false);
	for (size_t i = 0; i < pair->nr_rows; i++) {
		const struct stat_row *row = &pair->rows[i];
		struct tm_row *line;

		if (!app->verbose && is_dull(pair, row)) {
			told->left_out++;
			continue;
		}
		note_row(told, pair, row);
		line = tm_table_row(table, NULL);
		for (int k = 0; k < NR_COLUMNS; k++) {
			tm_buf_reset(&cell);
			add_cell(&cell, (enum column)k, pair, row, app->raw);
			tm_row_cell(table, line, (size_t)k, tm_buf_str(&cell));
			buf->failed |= cell.failed;
		}
	}
	tm_buf_release(&cell);
	rc = tm_table_print(table, &text, err);
	tm_table_free(table);
	if (!rc)
		tm_buf_adds(buf, text);
	return rc;
}

static void add_blind(struct tm_buf *buf, const struct stat_pair *pair)
{
	const char *before = stat_explain_blind(&pair->record[BEFORE].machine);
	const char *after = stat_explain_blind(&pair->record[AFTER].machine);

	if (before && after && !strcmp(before, after)) {
		tm_buf_addf(buf, "\nTLB row is blind: %s\n", before);
		return;
	}
	if (before || after)
		tm_buf_addc(buf, '\n');
	if (before)
		tm_buf_addf(buf, "TLB row is blind before: %s\n", before);
	if (after)
		tm_buf_addf(buf, "TLB row is blind after: %s\n", after);
}

static void add_notes(struct tm_buf *buf, const struct stat_pair *pair, const struct told *told)
{
	size_t before = pair->record[BEFORE].nr_runs, after = pair->record[AFTER].nr_runs;

	if (told->exact || told->approximate)
		tm_buf_addf(buf,
			    "\nlarger: than the spread of the runs, %zu before and %zu after\n"
			    "(Mann-Whitney U test, %s, two-sided, p < %g)\n",
			    before, after, told->exact ? "exact" : "normal approximation",
			    TM_COMPARE_LEVEL);
	if (told->too_few)
		tm_buf_addf(buf,
			    "\ntoo few runs to say whether a change is larger than the spread of "
			    "the runs:\n%zu before and %zu after; it takes %d of each\n",
			    before, after, TM_COMPARE_RUNS);
	if (told->scaled)
		tm_buf_adds(buf, "\n~ is an estimate: the event shared its counter with others\n");
	add_blind(buf, pair);
	if (told->left_out)
		tm_buf_addf(buf,
			    "\nnot shown: %zu rows: single CPUs, and what is 0 or lacking on both "
			    "sides (-v)\n",
			    told->left_out);
}

int stat_compare_text(const struct app *app, const struct stat_pair *pair, char **text,
		      struct tm_error *err)
{
	bool bare = app->raw || app->noheadings;
	struct tm_buf buf = TM_BUF_INIT;
	struct told told = { 0 };
	int rc;

	if (!bare)
		add_head(&buf, pair);
	rc = add_table(&buf, app, pair, &told, err);
	if (!rc && !bare)
		add_notes(&buf, pair, &told);
	if (rc) {
		tm_buf_release(&buf);
		return rc;
	}
	*text = tm_buf_detach(&buf);
	return *text ? 0 : tm_error_nomem(err);
}
