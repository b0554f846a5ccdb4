/* SPDX-License-Identifier: GPL-2.0-only */
/* Curves on a terminal: lines of dots, points as letters, one letter for each curve. */
#include "cmd/bench/curve.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"

#define ROWS 15
#define MARGIN 9 /* columns for the numbers on the left */
#define WIDTH_MAX 100

/* A cell of Braille has two dots side by side and four above each other. */
#define ACROSS 2
#define DOWN 4

struct canvas {
	size_t columns;
	double x_max, y_max;
	uint8_t *dots; /* of each cell, as Unicode numbers them from U+2800 on */
	char *letters; /* of each cell; 0: none */
};

double curve_round_up(double value)
{
	static const double steps[] = { 1, 2, 2.5, 5, 10 };
	double power;

	if (!(value > 0))
		return 1;
	power = pow(10, floor(log10(value)));
	for (size_t i = 0; i < TM_ARRAY_SIZE(steps); i++)
		if (value <= steps[i] * power * (1 + 1e-9))
			return steps[i] * power;
	return 10 * power;
}

/* In dots from the upper left corner; `max` is at the other end. */
static long place(double value, double max, size_t dots)
{
	return lround(value / max * (double)(dots - 1));
}

static size_t cell(const struct canvas *canvas, long x, long y)
{
	return (size_t)y / DOWN * canvas->columns + (size_t)x / ACROSS;
}

static void set_dot(struct canvas *canvas, long x, long y)
{
	static const uint8_t bits[DOWN][ACROSS] = {
		{ 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
	};

	canvas->dots[cell(canvas, x, y)] |= bits[y % DOWN][x % ACROSS];
}

static void locate(const struct canvas *canvas, const struct curve_point *point, long *x, long *y)
{
	*x = place(point->x, canvas->x_max, canvas->columns * ACROSS);
	*y = (long)ROWS * DOWN - 1 - place(point->y, canvas->y_max, ROWS * DOWN);
}

static void join(struct canvas *canvas, const struct curve_point *from,
		 const struct curve_point *to)
{
	long x0, y0, x1, y1, steps;

	locate(canvas, from, &x0, &y0);
	locate(canvas, to, &x1, &y1);
	steps = TM_MAX(TM_MAX(labs(x1 - x0), labs(y1 - y0)), 1);
	for (long i = 0; i <= steps; i++)
		set_dot(canvas, x0 + lround((double)((x1 - x0) * i) / (double)steps),
			y0 + lround((double)((y1 - y0) * i) / (double)steps));
}

static char letter(const struct curve_figure *figure, size_t curve)
{
	return figure->nr == 1 ? 'o' : (char)('a' + curve % 26);
}

static void draw(struct canvas *canvas, const struct curve_figure *figure)
{
	for (size_t i = 0; i < figure->nr; i++) {
		const struct curve *curve = &figure->curves[i];

		for (size_t p = 0; p < curve->nr; p++) {
			long x, y;

			locate(canvas, &curve->points[p], &x, &y);
			canvas->letters[cell(canvas, x, y)] = letter(figure, i);
			if (p)
				join(canvas, &curve->points[p - 1], &curve->points[p]);
		}
	}
}

/* U+2800 and the dots, in UTF-8. */
static void add_braille(struct tm_buf *text, uint8_t dots)
{
	tm_buf_addc(text, (char)0xe2);
	tm_buf_addc(text, (char)(0xa0 | dots >> 6));
	tm_buf_addc(text, (char)(0x80 | (dots & 0x3f)));
}

/* Blanks at a line's end are left out. */
static void add_row(struct tm_buf *text, const struct canvas *canvas, size_t row, bool ascii)
{
	size_t begin = row * canvas->columns, end = begin + canvas->columns;

	while (end > begin && !canvas->letters[end - 1] && !canvas->dots[end - 1])
		end--;
	for (size_t i = begin; i < end; i++) {
		if (canvas->letters[i])
			tm_buf_addc(text, canvas->letters[i]);
		else if (!canvas->dots[i])
			tm_buf_addc(text, ' ');
		else if (ascii)
			tm_buf_addc(text, '.');
		else
			add_braille(text, canvas->dots[i]);
	}
	tm_buf_addc(text, '\n');
}

/* Numbers at the upper end, the middle and the lower end of the axis. */
static void add_rows(struct tm_buf *text, const struct canvas *canvas, bool ascii)
{
	for (size_t row = 0; row < ROWS; row++) {
		double value = canvas->y_max * (double)(ROWS - 1 - row) / (ROWS - 1);

		if (row % (ROWS / 2) == 0)
			tm_buf_addf(text, "%*.4g ", MARGIN - 1, value);
		else
			tm_buf_addf(text, "%*s", MARGIN, "");
		tm_buf_adds(text, ascii ? "|" : "│");
		add_row(text, canvas, row, ascii);
	}
}

static void add_axis(struct tm_buf *text, const struct canvas *canvas, const char *name, bool ascii)
{
	size_t left = canvas->columns / 2;

	tm_buf_addf(text, "%*s%s", MARGIN, "", ascii ? "+" : "└");
	for (size_t i = 0; i < canvas->columns; i++)
		tm_buf_adds(text, ascii ? "-" : "─");
	tm_buf_addf(text, "\n%*s%-*s%-*.4g%*.4g  %s\n", MARGIN + 1, "", (int)left, "0",
		    (int)(canvas->columns - left) / 2, canvas->x_max / 2,
		    (int)(canvas->columns - left - (canvas->columns - left) / 2), canvas->x_max,
		    name);
}

static void add_all(struct tm_buf *text, const struct canvas *canvas,
		    const struct curve_figure *figure, bool ascii)
{
	tm_buf_addf(text, "%s\n%s\n", figure->title, figure->y_name);
	add_rows(text, canvas, ascii);
	add_axis(text, canvas, figure->x_name, ascii);
	for (size_t i = 0; i < figure->nr; i++)
		tm_buf_addf(text, "  %c  %s\n", letter(figure, i), figure->curves[i].name);
}

static void find_ends(struct canvas *canvas, const struct curve_figure *figure)
{
	for (size_t i = 0; i < figure->nr; i++)
		for (size_t p = 0; p < figure->curves[i].nr; p++) {
			canvas->x_max = fmax(canvas->x_max, figure->curves[i].points[p].x);
			canvas->y_max = fmax(canvas->y_max, figure->curves[i].points[p].y);
		}
	canvas->x_max = curve_round_up(canvas->x_max);
	canvas->y_max = curve_round_up(canvas->y_max);
}

void curve_text(const struct curve_figure *figure, size_t width, bool ascii, struct tm_buf *text)
{
	/* To the right of the axis there is room for its name. */
	size_t beside = MARGIN + 1 + 2 + strlen(figure->x_name);
	size_t columns = TM_MIN(width, WIDTH_MAX);
	struct canvas canvas = { .columns = columns > beside + 20 ? columns - beside : 20 };

	find_ends(&canvas, figure);
	canvas.dots = calloc(ROWS * canvas.columns, sizeof(*canvas.dots));
	canvas.letters = calloc(ROWS * canvas.columns, sizeof(*canvas.letters));
	if (canvas.dots && canvas.letters) {
		draw(&canvas, figure);
		add_all(text, &canvas, figure, ascii);
	} else {
		text->failed = true;
	}
	free(canvas.dots);
	free(canvas.letters);
}
