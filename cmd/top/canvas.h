/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What panels draw on: rows of cells in memory, each one character in a style. What does not fit is
 * cut off. The screen shows it; a test can read it.
 */
#ifndef CMD_TOP_CANVAS_H
#define CMD_TOP_CANVAS_H

#include "lib/base/buf.h"

enum canvas_style {
	STYLE_PLAIN,
	STYLE_TITLE,
	STYLE_DIM,
	STYLE_WARNING,
	STYLE_SELECTED,
	STYLE_HEAT1, /* four steps of heat */
	STYLE_HEAT2,
	STYLE_HEAT3,
	STYLE_HEAT4,
};
#define CANVAS_STYLES (STYLE_HEAT4 + 1)

struct canvas_cell {
	char text[5]; /* one UTF-8 character of one column */
	unsigned char style;
};

struct canvas {
	int rows, columns;
	bool unicode; /* else ASCII only */
	struct canvas_cell *cells;
	size_t cap;
};

/* Makes it so large and blank. 0 or -ENOMEM. */
int canvas_resize(struct canvas *canvas, int rows, int columns);
void canvas_release(struct canvas *canvas);

/* Prints at a row and column; returns the column after it, also when it was cut. */
int canvas_print(struct canvas *canvas, int row, int column, enum canvas_style style,
		 const char *fmt, ...) TM_PRINTF(5, 6);

/* A line from `column` to the right end. */
void canvas_rule(struct canvas *canvas, int row, int column, enum canvas_style style);

/* One of eight marks for 0..1, blank for what is not known (below 0). */
void canvas_level(struct canvas *canvas, int row, int column, enum canvas_style style,
		  double level);

/* A bar of so many columns, filled to 0..1; all of it dim when below 0. */
void canvas_bar(struct canvas *canvas, int row, int column, int columns, double filled);

/* The text of a row, without blanks at its end. */
void canvas_row_text(const struct canvas *canvas, int row, struct tm_buf *text);

#endif
