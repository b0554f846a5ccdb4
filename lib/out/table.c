/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/out/table.h"

#include <errno.h>
#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#define ENDLESS 1000000

/* A column is not folded to less than this. */
#define NARROWEST 12

struct tm_table {
	struct libscols_table *scols;
	struct tm_table_style style;
	bool failed;
};

struct tm_table *tm_table_new(const struct tm_table_style *style)
{
	struct tm_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->style = *style;
	table->scols = scols_new_table();
	if (!table->scols) {
		free(table);
		return NULL;
	}
	scols_table_enable_raw(table->scols, style->raw);
	scols_table_enable_noheadings(table->scols, !style->headings);
	scols_table_enable_colors(table->scols, style->color);
	scols_table_enable_ascii(table->scols, style->ascii);
	/*
	 * The caller knows the terminal; libsmartcols must not look at descriptors of its own
	 * choice. It folds cells on terminals only, so it is given one that is wide enough for
	 * anything.
	 */
	if (style->width && !style->raw) {
		scols_table_set_termforce(table->scols, SCOLS_TERMFORCE_ALWAYS);
		scols_table_set_termwidth(table->scols, ENDLESS);
	} else {
		scols_table_set_termforce(table->scols, SCOLS_TERMFORCE_NEVER);
	}
	return table;
}

void tm_table_free(struct tm_table *table)
{
	if (!table)
		return;
	scols_unref_table(table->scols);
	free(table);
}

void tm_table_column(struct tm_table *table, const char *heading, bool right, bool shrink,
		     bool tree)
{
	int flags = (right ? SCOLS_FL_RIGHT : 0) | (shrink ? SCOLS_FL_WRAP : 0) |
		    (tree ? SCOLS_FL_TREE : 0);
	struct libscols_column *column = scols_table_new_column(table->scols, heading, 0, flags);

	if (!column || (shrink && (scols_column_set_safechars(column, "\n") ||
				   scols_column_set_wrapfunc(column, scols_wrapnl_chunksize,
							     scols_wrapnl_nextchunk, NULL))))
		table->failed = true;
	else if (table->style.color && table->style.headings)
		scols_cell_set_color(scols_column_get_header(column), "bold");
}

struct tm_row *tm_table_row(struct tm_table *table, struct tm_row *parent)
{
	struct libscols_line *line =
		scols_table_new_line(table->scols, (struct libscols_line *)parent);

	if (!line)
		table->failed = true;
	return (struct tm_row *)line;
}

void tm_row_cell(struct tm_table *table, struct tm_row *row, size_t column, const char *text)
{
	/* An empty cell would vanish from raw output, and columns would shift. */
	if (table->style.raw && !*text)
		text = "-";
	if (row && scols_line_set_data((struct libscols_line *)row, column, text))
		table->failed = true;
}

void tm_table_records(struct tm_table *table, const struct tm_field *fields, const size_t *chosen,
		      size_t nr_chosen, const void *records, size_t nr, size_t record_size)
{
	struct tm_buf text = TM_BUF_INIT;

	for (size_t i = 0; i < nr_chosen; i++) {
		const struct tm_field *field = &fields[chosen[i]];

		tm_table_column(table, field->heading,
				field->type != TM_FIELD_TEXT && field->type != TM_FIELD_SET &&
					field->type != TM_FIELD_BOOL,
				field->shrink, false);
	}
	for (size_t r = 0; r < nr; r++) {
		const void *record = (const char *)records + r * record_size;
		struct tm_row *row = tm_table_row(table, NULL);

		for (size_t i = 0; i < nr_chosen; i++) {
			tm_buf_reset(&text);
			tm_field_text(&text, &fields[chosen[i]], record, table->style.raw);
			tm_row_cell(table, row, i, tm_buf_str(&text));
			table->failed |= text.failed;
		}
	}
	tm_buf_release(&text);
}

/* In cells: escapes for colour take none, and of a character's bytes only the first counts. */
static size_t widest_line(const char *text)
{
	size_t widest = 0, cells = 0;

	for (; *text; text++) {
		if (*text == '\033')
			text += strcspn(text, "m\n");
		else if (*text == '\n')
			cells = 0;
		else if ((*text & 0xc0) != 0x80)
			cells++;
		widest = TM_MAX(widest, cells);
	}
	return widest;
}

/* Breaks a text into lines of at most `limit` bytes, after a comma or at a blank where it can. */
static void fold_text(struct tm_buf *folded, const char *text, size_t limit)
{
	tm_buf_reset(folded);
	while (strlen(text) > limit) {
		size_t end = limit;

		while (end && text[end - 1] != ',' && text[end] != ' ')
			end--;
		if (!end)
			break; /* one long word: better too wide than broken */
		tm_buf_add(folded, text, end);
		tm_buf_addc(folded, '\n');
		text += end + (text[end] == ' ');
	}
	tm_buf_adds(folded, text);
}

static const char *cell_text(struct tm_table *table, size_t line, struct libscols_column *column)
{
	struct libscols_cell *cell =
		scols_line_get_column_cell(scols_table_get_line(table->scols, line), column);

	return cell ? scols_cell_get_data(cell) : NULL;
}

static size_t longest_cell(struct tm_table *table, struct libscols_column *column)
{
	size_t longest = 0;

	for (size_t i = 0; i < scols_table_get_nlines(table->scols); i++) {
		const char *text = cell_text(table, i, column);

		if (text)
			longest = TM_MAX(longest, widest_line(text));
	}
	return longest;
}

static void fold_column(struct tm_table *table, struct libscols_column *column, size_t limit)
{
	struct tm_buf folded = TM_BUF_INIT;

	for (size_t i = 0; i < scols_table_get_nlines(table->scols); i++) {
		const char *text = cell_text(table, i, column);

		if (!text)
			continue;
		fold_text(&folded, text, limit);
		if (folded.failed ||
		    scols_line_set_column_data(scols_table_get_line(table->scols, i), column,
					       tm_buf_str(&folded)))
			table->failed = true;
	}
	tm_buf_release(&folded);
}

/* Where the table is wider than the terminal, folds the widest of the columns that may be. */
static bool fit(struct tm_table *table, const char *text)
{
	size_t wide = widest_line(text), most = NARROWEST;
	struct libscols_column *widest = NULL;

	if (!table->style.width || table->style.raw || wide <= table->style.width)
		return false;
	for (size_t i = 0; i < scols_table_get_ncols(table->scols); i++) {
		struct libscols_column *column = scols_table_get_column(table->scols, i);
		size_t longest = scols_column_is_wrap(column) ? longest_cell(table, column) : 0;

		if (longest > most) {
			most = longest;
			widest = column;
		}
	}
	if (!widest)
		return false;
	wide -= table->style.width;
	fold_column(table, widest, most > wide + NARROWEST ? most - wide : NARROWEST);
	return true;
}

int tm_table_print(struct tm_table *table, char **text, struct tm_error *err)
{
	struct tm_buf whole = TM_BUF_INIT;
	char *printed = NULL, *finished;

	if (!table->failed && !scols_table_is_empty(table->scols)) {
		size_t tries = scols_table_get_ncols(table->scols);

		do {
			free(printed);
			printed = NULL;
			if (scols_print_table_to_string(table->scols, &printed))
				return tm_error_nomem(err);
		} while (tries-- && fit(table, printed));
	}
	if (table->failed) {
		free(printed);
		return tm_error_nomem(err);
	}
	/* Without blanks that fill up last cells; versions differ in whether the last line ends. */
	for (const char *line = printed; line && *line;) {
		size_t len = strcspn(line, "\n"), end = len;

		while (end && line[end - 1] == ' ')
			end--;
		tm_buf_add(&whole, line, end);
		tm_buf_addc(&whole, '\n');
		line += len + (line[len] == '\n');
	}
	free(printed);
	finished = tm_buf_detach(&whole);
	if (!finished)
		return tm_error_nomem(err);
	*text = finished;
	return 0;
}
