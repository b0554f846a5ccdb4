/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/top/canvas.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int canvas_resize(struct canvas *canvas, int rows, int columns)
{
	size_t needed = (size_t)rows * (size_t)columns;

	if (needed > canvas->cap) {
		struct canvas_cell *cells =
			reallocarray(canvas->cells, needed, sizeof(*canvas->cells));

		if (!cells)
			return -ENOMEM;
		canvas->cells = cells;
		canvas->cap = needed;
	}
	canvas->rows = rows;
	canvas->columns = columns;
	for (size_t i = 0; i < needed; i++)
		canvas->cells[i] = (struct canvas_cell){ " ", STYLE_PLAIN };
	return 0;
}

void canvas_release(struct canvas *canvas)
{
	free(canvas->cells);
	canvas->cells = NULL;
	canvas->cap = 0;
}

/* The next character of a text; what is no printable UTF-8 becomes a question mark. */
static size_t take(const char *s, struct canvas_cell *cell)
{
	size_t len = tm_utf8_length(s, strlen(s));

	if (!len || (unsigned char)*s < ' ' || *s == 0x7f) {
		strcpy(cell->text, "?");
		return 1;
	}
	memcpy(cell->text, s, len);
	cell->text[len] = '\0';
	return len;
}

static void put(struct canvas *canvas, int row, int column, enum canvas_style style,
		const char *glyph)
{
	struct canvas_cell *cell;

	if (row < 0 || row >= canvas->rows || column < 0 || column >= canvas->columns)
		return;
	cell = &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column];
	take(glyph, cell);
	cell->style = (unsigned char)style;
}

int canvas_print(struct canvas *canvas, int row, int column, enum canvas_style style,
		 const char *fmt, ...)
{
	struct tm_buf text = TM_BUF_INIT;
	struct canvas_cell cell;
	va_list ap;

	va_start(ap, fmt);
	tm_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	for (const char *s = tm_buf_str(&text); *s; column++) {
		s += take(s, &cell);
		put(canvas, row, column, style, cell.text);
	}
	tm_buf_release(&text);
	return column;
}

void canvas_rule(struct canvas *canvas, int row, int column, enum canvas_style style)
{
	for (; column < canvas->columns; column++)
		put(canvas, row, column, style, canvas->unicode ? "─" : "-");
}

void canvas_level(struct canvas *canvas, int row, int column, enum canvas_style style, double level)
{
	static const char *const marks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const ascii[] = { ".", ":", "-", "=", "+", "*", "#", "@" };
	const int steps = TM_ARRAY_SIZE(marks);
	int step = (int)(level * steps);

	if (!(level >= 0)) {
		put(canvas, row, column, style, " ");
		return;
	}
	step = TM_MIN(step, steps - 1);
	put(canvas, row, column, style, canvas->unicode ? marks[step] : ascii[step]);
}

void canvas_bar(struct canvas *canvas, int row, int column, int columns, double filled)
{
	int full = filled > 0 ? (int)(filled * columns + 0.5) : 0;

	/* Something is not nothing, and not quite all is not all. */
	if (filled > 0 && !full)
		full = 1;
	if (filled < 1 && full >= columns)
		full = columns - 1;
	for (int i = 0; i < columns; i++) {
		bool on = i < full;

		put(canvas, row, column + i, on ? STYLE_HEAT2 : STYLE_DIM,
		    canvas->unicode ? (on ? "█" : "░") : (on ? "#" : "."));
	}
}

void canvas_row_text(const struct canvas *canvas, int row, struct tm_buf *text)
{
	size_t start = (size_t)row * (size_t)canvas->columns;
	int last = canvas->columns;

	while (last > 0 && !strcmp(canvas->cells[start + (size_t)last - 1].text, " "))
		last--;
	for (int i = 0; i < last; i++)
		tm_buf_adds(text, canvas->cells[start + (size_t)i].text);
}
