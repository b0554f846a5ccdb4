/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a report says, whatever it is written as: headings, sentences, lists, tables and pictures
 * in their order. Texts may be of any origin: they are made printable here, and escaped where they
 * are written. Out of memory is remembered in `failed`; until it is looked at calls are harmless.
 */
#ifndef CMD_BENCH_REPORT_PAGE_H
#define CMD_BENCH_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/compiler.h"
#include "lib/base/error.h"

struct page_cell {
	char *text;
	char *mark; /* numbers of notes, "1,3"; NULL: none */
};

struct page_column {
	char *heading;
	bool right;
};

struct page_table {
	struct page_column *columns;
	size_t nr_columns, cap_columns;
	struct page_cell *cells; /* row by row */
	size_t nr_cells, cap_cells;
};

/* A bar with what it was measured from. */
struct page_bar {
	const char *label, *value;
	bool same;		 /* the label is that of the bar above it */
	double median, min, max; /* NaN: not known */
	unsigned shade;		 /* 0 or 1 */
	bool marked;		 /* there is a note on it */
};

/* Shown where there are pictures; a table tells the same. */
struct page_bars {
	struct page_bar *bars;
	size_t nr, cap;
};

enum page_kind { PAGE_HEADING, PAGE_TEXT, PAGE_ITEM, PAGE_TABLE, PAGE_BARS, PAGE_DRAWING };

struct page_block {
	enum page_kind kind;
	unsigned level; /* of a heading, 1 to 3; of an item its number, 0: it has none */
	char *text;	/* of bars and drawings their title */
	struct page_table *table;
	struct page_bars *bars;
	char *plain, *svg; /* of a drawing, each whole and as it is */
};

struct page {
	struct page_block *blocks;
	size_t nr, cap;
	bool failed;
};

void page_release(struct page *page);

void page_heading(struct page *page, unsigned level, const char *fmt, ...) TM_PRINTF(3, 4);
void page_text(struct page *page, const char *fmt, ...) TM_PRINTF(2, 3);
/* Items that follow each other are one list; those with a number are notes that marks name. */
void page_item(struct page *page, unsigned number, const char *fmt, ...) TM_PRINTF(3, 4);

/* An empty table, valid as long as the page; NULL after a failure, which the others take. */
struct page_table *page_table(struct page *page);
void page_column(struct page *page, struct page_table *table, bool right, const char *heading);
/* The next cell, row by row. `mark` may be NULL. */
void page_cell(struct page *page, struct page_table *table, const char *text, const char *mark);

/* As page_table(). */
struct page_bars *page_bars(struct page *page, const char *title);
void page_bar(struct page *page, struct page_bars *bars, const struct page_bar *bar);

/* A drawing, made of characters and as SVG. */
void page_drawing(struct page *page, const char *title, const char *plain, const char *svg);

/* The finished text, which the caller frees. 0 or -ENOMEM. */
int page_markdown(const struct page *page, char **text, struct tm_error *err);
int page_html(const struct page *page, char **text, struct tm_error *err);
/* Adds SVG that stands in a page with page_html's style. */
void page_bars_svg(struct tm_buf *out, const struct page_bars *bars, const char *title);

/* How many characters it has. */
size_t page_width(const char *text);
/* Adds text with what means something in HTML replaced. */
void page_escape(struct tm_buf *out, const char *text);

#endif
