/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/bench/report-page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void release_table(struct page_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->nr_columns; i++)
		free(table->columns[i].heading);
	for (size_t i = 0; i < table->nr_cells; i++) {
		free(table->cells[i].text);
		free(table->cells[i].mark);
	}
	free(table->columns);
	free(table->cells);
	free(table);
}

static void release_bars(struct page_bars *bars)
{
	if (!bars)
		return;
	for (size_t i = 0; i < bars->nr; i++) {
		free((char *)bars->bars[i].label);
		free((char *)bars->bars[i].value);
	}
	free(bars->bars);
	free(bars);
}

void page_release(struct page *page)
{
	for (size_t i = 0; i < page->nr; i++) {
		free(page->blocks[i].text);
		release_table(page->blocks[i].table);
		release_bars(page->blocks[i].bars);
		free(page->blocks[i].plain);
		free(page->blocks[i].svg);
	}
	free(page->blocks);
	*page = (struct page){ .nr = 0 };
}

/* A copy without control characters; NULL after a failure, and of NULL. */
static char *copy(struct page *page, const char *text)
{
	struct tm_buf safe = TM_BUF_INIT;
	char *made;

	if (!text)
		return NULL;
	tm_buf_add_printable(&safe, text, strlen(text));
	made = tm_buf_detach(&safe);
	page->failed |= !made;
	return made;
}

static struct page_block *add_block(struct page *page, enum page_kind kind)
{
	struct page_block *block;

	if (page->failed ||
	    tm_array_grow(&page->blocks, page->nr, &page->cap, sizeof(*page->blocks))) {
		page->failed = true;
		return NULL;
	}
	block = &page->blocks[page->nr++];
	*block = (struct page_block){ .kind = kind };
	return block;
}

TM_PRINTF(4, 0)
static void add_words(struct page *page, enum page_kind kind, unsigned level, const char *fmt,
		      va_list args)
{
	struct page_block *block = add_block(page, kind);
	struct tm_buf text = TM_BUF_INIT;

	tm_buf_vaddf(&text, fmt, args);
	page->failed |= text.failed;
	if (block) {
		block->level = level;
		block->text = copy(page, tm_buf_str(&text));
	}
	tm_buf_release(&text);
}

void page_heading(struct page *page, unsigned level, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_words(page, PAGE_HEADING, level, fmt, args);
	va_end(args);
}

void page_text(struct page *page, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_words(page, PAGE_TEXT, 0, fmt, args);
	va_end(args);
}

void page_item(struct page *page, unsigned number, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_words(page, PAGE_ITEM, number, fmt, args);
	va_end(args);
}

struct page_table *page_table(struct page *page)
{
	struct page_block *block = add_block(page, PAGE_TABLE);

	if (!block)
		return NULL;
	block->table = calloc(1, sizeof(*block->table));
	page->failed |= !block->table;
	return block->table;
}

void page_column(struct page *page, struct page_table *table, bool right, const char *heading)
{
	if (page->failed || tm_array_grow(&table->columns, table->nr_columns, &table->cap_columns,
					  sizeof(*table->columns))) {
		page->failed = true;
		return;
	}
	table->columns[table->nr_columns++] =
		(struct page_column){ .heading = copy(page, heading), .right = right };
}

void page_cell(struct page *page, struct page_table *table, const char *text, const char *mark)
{
	if (page->failed || tm_array_grow(&table->cells, table->nr_cells, &table->cap_cells,
					  sizeof(*table->cells))) {
		page->failed = true;
		return;
	}
	table->cells[table->nr_cells++] =
		(struct page_cell){ .text = copy(page, text), .mark = copy(page, mark) };
}

struct page_bars *page_bars(struct page *page, const char *title)
{
	struct page_block *block = add_block(page, PAGE_BARS);

	if (!block)
		return NULL;
	block->text = copy(page, title);
	block->bars = calloc(1, sizeof(*block->bars));
	page->failed |= !block->bars;
	return block->bars;
}

void page_bar(struct page *page, struct page_bars *bars, const struct page_bar *bar)
{
	struct page_bar *added;

	if (page->failed || tm_array_grow(&bars->bars, bars->nr, &bars->cap, sizeof(*bars->bars))) {
		page->failed = true;
		return;
	}
	added = &bars->bars[bars->nr++];
	*added = *bar;
	added->label = copy(page, bar->label);
	added->value = copy(page, bar->value);
}

void page_drawing(struct page *page, const char *title, const char *plain, const char *svg)
{
	struct page_block *block = add_block(page, PAGE_DRAWING);

	if (!block)
		return;
	block->text = copy(page, title);
	block->plain = strdup(plain);
	block->svg = strdup(svg);
	page->failed |= !block->plain || !block->svg;
}

size_t page_width(const char *text)
{
	size_t width = 0;

	/* What continues a character does not count. */
	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}
