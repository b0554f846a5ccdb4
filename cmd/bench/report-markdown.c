/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A report as Markdown (tables as GitHub has them) that is read in a terminal as it is. Bars are
 * left out: all they show is in the tables.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/report-page.h"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* What would be markup is escaped, and nothing else: names are to stay readable. */
static void add_escaped(struct tm_buf *out, const char *text)
{
	for (const char *c = text; *c; c++) {
		bool markup = strchr("\\`*|[]~", *c) != NULL;

		if (*c == '_')
			markup = c == text || !is_word(c[-1]) || !is_word(c[1]);
		if (*c == '<')
			markup = c[1] == '/' || c[1] == '!' || c[1] == '?' ||
				 isalpha((unsigned char)c[1]);
		if (*c == '&')
			markup = c[1] == '#' || isalpha((unsigned char)c[1]);
		if (markup)
			tm_buf_addc(out, '\\');
		tm_buf_addc(out, *c);
	}
}

static void add_pad(struct tm_buf *out, size_t from, size_t to, char with)
{
	for (; from < to; from++)
		tm_buf_addc(out, with);
}

/* As it is written, and how wide: with room for marks after it. */
struct layout {
	size_t *text, *mark; /* of each column */
};

static size_t escaped_width(struct tm_buf *scratch, const char *text)
{
	tm_buf_reset(scratch);
	add_escaped(scratch, text);
	return page_width(tm_buf_str(scratch));
}

static void fit(struct layout *layout, size_t column, const struct page_cell *cell,
		struct tm_buf *scratch)
{
	size_t width = escaped_width(scratch, cell->text);

	layout->text[column] = TM_MAX(layout->text[column], width);
	width = cell->mark ? page_width(cell->mark) + strlen(" []") : 0;
	layout->mark[column] = TM_MAX(layout->mark[column], width);
}

static int measure(const struct page_table *table, struct layout *layout, struct tm_buf *scratch)
{
	size_t nr = table->nr_columns;

	layout->text = calloc(2 * nr + 1, sizeof(*layout->text));
	if (!layout->text)
		return -1;
	layout->mark = layout->text + nr;
	for (size_t i = 0; i < nr; i++) {
		size_t width = escaped_width(scratch, table->columns[i].heading);

		/* A line of dashes needs three. */
		layout->text[i] = TM_MAX(width, (size_t)3);
	}
	for (size_t row = 0; row < table->nr_cells && nr; row += nr)
		for (size_t i = 0; i < nr; i++)
			fit(layout, i, &table->cells[row + i], scratch);
	return 0;
}

static void add_cell(struct tm_buf *out, const struct layout *layout, size_t column, bool right,
		     const char *text, const char *mark)
{
	struct tm_buf escaped = TM_BUF_INIT;
	size_t width = escaped_width(&escaped, text), mark_width = 0;

	tm_buf_adds(out, "| ");
	if (right)
		add_pad(out, width, layout->text[column], ' ');
	tm_buf_adds(out, tm_buf_str(&escaped));
	if (!right && !mark)
		add_pad(out, width, layout->text[column], ' ');
	if (mark) {
		tm_buf_addf(out, " [%s]", mark);
		mark_width = page_width(mark) + strlen(" []");
		if (!right)
			add_pad(out, width, layout->text[column], ' ');
	}
	add_pad(out, mark_width, layout->mark[column] + 1, ' ');
	out->failed |= escaped.failed;
	tm_buf_release(&escaped);
}

static void add_table(struct tm_buf *out, const struct page_table *table)
{
	struct tm_buf scratch = TM_BUF_INIT;
	struct layout layout = { NULL, NULL };
	size_t nr = table->nr_columns;

	if (measure(table, &layout, &scratch)) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < nr; i++)
		add_cell(out, &layout, i, table->columns[i].right, table->columns[i].heading, NULL);
	tm_buf_adds(out, "|\n");
	for (size_t i = 0; i < nr; i++) {
		bool right = table->columns[i].right;

		tm_buf_adds(out, right ? "|-" : "|:");
		add_pad(out, 0, layout.text[i] + layout.mark[i], '-');
		tm_buf_addc(out, right ? ':' : '-');
	}
	tm_buf_adds(out, "|\n");
	for (size_t row = 0; row < table->nr_cells && nr; row += nr) {
		for (size_t i = 0; i < nr; i++) {
			const struct page_cell *cell = &table->cells[row + i];

			add_cell(out, &layout, i, table->columns[i].right, cell->text, cell->mark);
		}
		tm_buf_adds(out, "|\n");
	}
	out->failed |= scratch.failed;
	tm_buf_release(&scratch);
	free(layout.text);
}

static void add_block(struct tm_buf *out, const struct page_block *block)
{
	switch (block->kind) {
	case PAGE_HEADING:
		add_pad(out, 0, block->level, '#');
		tm_buf_addc(out, ' ');
		add_escaped(out, block->text);
		tm_buf_addc(out, '\n');
		break;
	case PAGE_ITEM:
		tm_buf_adds(out, "- ");
		if (block->level)
			tm_buf_addf(out, "[%u] ", block->level);
		add_escaped(out, block->text);
		tm_buf_addc(out, '\n');
		break;
	case PAGE_TABLE:
		add_table(out, block->table);
		break;
	case PAGE_DRAWING:
		tm_buf_addf(out, "```text\n%s```\n", block->plain);
		break;
	default:
		add_escaped(out, block->text);
		tm_buf_addc(out, '\n');
		break;
	}
}

int page_markdown(const struct page *page, char **text, struct tm_error *err)
{
	struct tm_buf out = TM_BUF_INIT;
	enum page_kind last = PAGE_HEADING;

	if (page->failed)
		return tm_error_nomem(err);
	for (size_t i = 0; i < page->nr; i++) {
		const struct page_block *block = &page->blocks[i];

		if (block->kind == PAGE_BARS)
			continue;
		if (out.len && !(block->kind == PAGE_ITEM && last == PAGE_ITEM))
			tm_buf_addc(&out, '\n');
		add_block(&out, block);
		last = block->kind;
	}
	*text = tm_buf_detach(&out);
	return *text ? 0 : tm_error_nomem(err);
}
