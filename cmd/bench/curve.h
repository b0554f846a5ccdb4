/* SPDX-License-Identifier: GPL-2.0-only */
/* Curves through a few points each, in one frame from 0 on: as text, and as SVG. */
#ifndef CMD_BENCH_CURVE_H
#define CMD_BENCH_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"

struct curve_point {
	double x, y; /* neither negative nor NaN */
};

#define CURVE_POINTS 16

struct curve {
	char name[64];
	struct curve_point points[CURVE_POINTS]; /* in the order in which they are joined */
	size_t nr;
};

struct curve_figure {
	const char *title, *x_name, *y_name;
	const struct curve *curves;
	size_t nr;
};

/* The least of 1, 2, 2.5, 5 times a power of ten that is not below `value`; 1 for 0. */
double curve_round_up(double value);

/* Draws in `width` columns (at least 40); lines are dotted in Braille, or ASCII. */
void curve_text(const struct curve_figure *figure, size_t width, bool ascii, struct tm_buf *text);

/* A whole SVG document that needs no other file, and is legible on light and on dark ground. */
void curve_svg(const struct curve_figure *figure, struct tm_buf *text);

#endif
