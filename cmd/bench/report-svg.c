/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bars from 0 to the median, with a whisker from the least to the largest value. Letters are of one
 * width, so that their room can be reckoned.
 */
#include <math.h>

#include "cmd/bench/report-page.h"

#define WIDTH 860
#define LETTER 7.3
#define LETTERS_MAX 56 /* of a label; longer ones end in dots */
#define ROW 18
#define BAR 11
#define GAP 6	  /* before a bar with a label */
#define LEAST 120 /* room for bars */

struct layout {
	double left, right; /* of the bars */
	double max;
	double height;
};

static struct layout lay_out(const struct page_bars *bars)
{
	struct layout layout = { .height = GAP };
	size_t label = 0, value = 0;

	for (size_t i = 0; i < bars->nr; i++) {
		const struct page_bar *bar = &bars->bars[i];

		label = TM_MAX(label, page_width(bar->label));
		value = TM_MAX(value, page_width(bar->value));
		layout.max = fmax(layout.max, bar->max);
		layout.height += ROW + (bar->same ? 0 : GAP);
	}
	layout.left = LETTER * (double)TM_MIN(label, (size_t)LETTERS_MAX) + 10;
	layout.right = fmax(WIDTH - LETTER * (double)value - 16, layout.left + LEAST);
	return layout;
}

static double x_of(const struct layout *layout, double value)
{
	double part = layout->max > 0 ? value / layout->max : 0;

	/* Nothing is below 0 here, but for what a file says. */
	return layout->left + (layout->right - layout->left) * fmin(fmax(part, 0), 1);
}

/* As much of it as there is room for. */
static void add_label(struct tm_buf *out, const char *label)
{
	struct tm_buf cut = TM_BUF_INIT;
	size_t width = 0;

	if (page_width(label) <= LETTERS_MAX) {
		page_escape(out, label);
		return;
	}
	for (const char *c = label; *c; c++) {
		width += ((unsigned char)*c & 0xc0) != 0x80;
		if (width > LETTERS_MAX - 3)
			break;
		tm_buf_addc(&cut, *c);
	}
	page_escape(out, tm_buf_str(&cut));
	tm_buf_adds(out, "...");
	out->failed |= cut.failed;
	tm_buf_release(&cut);
}

static void add_whisker(struct tm_buf *out, const struct layout *layout, const struct page_bar *bar,
			double middle)
{
	double from = x_of(layout, bar->min), to = x_of(layout, bar->max);

	if (bar->min >= bar->max)
		return;
	tm_buf_addf(out,
		    "<path class=\"whisker\" d=\"M%.1f %.1fv6m0 -3H%.1fm0 -3v6\" fill=\"none\"/>\n",
		    from, middle - 3, to);
}

static void add_known(struct tm_buf *out, const struct layout *layout, const struct page_bar *bar,
		      double middle)
{
	tm_buf_addf(out,
		    "<rect class=\"bar%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n",
		    bar->shade, layout->left, middle - BAR / 2.0,
		    x_of(layout, bar->median) - layout->left, BAR);
	add_whisker(out, layout, bar, middle);
}

static void add_bar(struct tm_buf *out, const struct layout *layout, const struct page_bar *bar,
		    double top)
{
	double middle = top + ROW / 2.0;

	tm_buf_adds(out, "<g><title>");
	page_escape(out, bar->label);
	if (isnan(bar->median))
		tm_buf_adds(out, ": unknown</title>\n");
	else
		tm_buf_addf(out, ": %.6g (%.6g to %.6g)</title>\n", bar->median, bar->min,
			    bar->max);
	if (!bar->same) {
		tm_buf_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\"%s>",
			    layout->left - 8, middle + 4, bar->marked ? " class=\"noted\"" : "");
		add_label(out, bar->label);
		tm_buf_adds(out, "</text>\n");
	}
	if (!isnan(bar->median))
		add_known(out, layout, bar, middle);
	tm_buf_addf(out, "<text x=\"%.1f\" y=\"%.1f\">", layout->right + 8, middle + 4);
	page_escape(out, bar->value);
	tm_buf_adds(out, "</text></g>\n");
}

void page_bars_svg(struct tm_buf *out, const struct page_bars *bars, const char *title)
{
	struct layout layout = lay_out(bars);
	double top = 0;

	tm_buf_addf(out,
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\" "
		    "height=\"%.0f\" viewBox=\"0 0 %d %.0f\" aria-label=\"",
		    WIDTH, layout.height, WIDTH, layout.height);
	page_escape(out, title);
	tm_buf_addf(out, "\">\n<path class=\"axis\" d=\"M%.1f 0V%.0f\"/>\n", layout.left,
		    layout.height);
	for (size_t i = 0; i < bars->nr; i++) {
		top += bars->bars[i].same ? 0 : GAP;
		add_bar(out, &layout, &bars->bars[i], top);
		top += ROW;
	}
	tm_buf_adds(out, "</svg>\n");
}
