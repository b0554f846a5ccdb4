/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text tables and trees, drawn by libsmartcols. Nothing is printed: the caller gets the text. */
#ifndef TM_OUT_TABLE_H
#define TM_OUT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"
#include "lib/out/field.h"

struct tm_table_style {
	bool headings;
	bool raw;     /* one space between columns, exact numbers, no cutting */
	bool color;   /* bold headings */
	bool ascii;   /* trees in ASCII instead of line-drawing characters */
	size_t width; /* of the terminal; 0: as wide as it comes */
};

struct tm_table; /* opaque */

/* An empty table. Cells come from fields and records, or as plain text. NULL: out of memory. */
struct tm_table *tm_table_new(const struct tm_table_style *style);
void tm_table_free(struct tm_table *table);

/*
 * Adds a column. `shrink`: where the table is wider than the terminal, its cells are folded onto
 * several lines; nothing is ever cut. `tree`: it carries the tree's branches.
 */
void tm_table_column(struct tm_table *table, const char *heading, bool right, bool shrink,
		     bool tree);

/*
 * Adds a row below `parent` (a row returned earlier), or at the top when NULL. The row is valid as
 * long as the table; NULL after a failure, which tm_table_print reports.
 */
struct tm_row;
struct tm_row *tm_table_row(struct tm_table *table, struct tm_row *parent);
void tm_row_cell(struct tm_table *table, struct tm_row *row, size_t column, const char *text);

/* All records with the chosen fields: columns and rows in one call. */
void tm_table_records(struct tm_table *table, const struct tm_field *fields, const size_t *chosen,
		      size_t nr_chosen, const void *records, size_t nr, size_t record_size);

/* The finished text, with a newline at its end ("" when there are no rows); the caller frees it. */
int tm_table_print(struct tm_table *table, char **text, struct tm_error *err);

#endif
