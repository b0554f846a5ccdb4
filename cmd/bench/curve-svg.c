/* SPDX-License-Identifier: GPL-2.0-only */
/* Curves as SVG. The ground is left as it is; all colours stand out from white and from black. */
#include <math.h>
#include <string.h>

#include "cmd/bench/curve.h"
#include "lib/base/compiler.h"

#define WIDTH 720
#define HEIGHT 420
#define LEFT 70
#define TOP 40
#define PLOT_WIDTH 620
#define PLOT_HEIGHT 310
#define LEGEND_LINE 18
#define TICKS 5

#define GREY "#808080"

/* Of even lightness, and told apart also by those who see red and green alike. */
static const char *const colours[] = { "#2f7fc1", "#d9822b", "#2a9d6f", "#c0508f",
				       "#8a63d2", "#a07d20", "#3f9fb5", "#c8553d" };

static const char *colour(size_t curve)
{
	return colours[curve % TM_ARRAY_SIZE(colours)];
}

static void add_escaped(struct tm_buf *text, const char *plain)
{
	for (; *plain; plain++) {
		switch (*plain) {
		case '&':
			tm_buf_adds(text, "&amp;");
			break;
		case '<':
			tm_buf_adds(text, "&lt;");
			break;
		case '>':
			tm_buf_adds(text, "&gt;");
			break;
		default:
			tm_buf_addc(text, *plain);
		}
	}
}

static void add_text(struct tm_buf *text, double x, double y, const char *attributes,
		     const char *plain)
{
	tm_buf_addf(text, "<text x=\"%.1f\" y=\"%.1f\" fill=\"" GREY "\"%s>", x, y, attributes);
	add_escaped(text, plain);
	tm_buf_adds(text, "</text>\n");
}

static double x_of(double value, double max)
{
	return LEFT + value / max * PLOT_WIDTH;
}

static double y_of(double value, double max)
{
	return TOP + PLOT_HEIGHT - value / max * PLOT_HEIGHT;
}

static void add_frame(struct tm_buf *text, const struct curve_figure *figure, double x_max,
		      double y_max)
{
	for (int i = 0; i <= TICKS; i++) {
		double x = x_of(i, TICKS), y = y_of(i, TICKS);

		tm_buf_addf(text,
			    "<path d=\"M%.1f %d V%d M%d %.1f H%d\" stroke=\"" GREY
			    "\" stroke-opacity=\"%s\"/>\n",
			    x, TOP, TOP + PLOT_HEIGHT, LEFT, y, LEFT + PLOT_WIDTH,
			    i ? "0.25" : "1");
		tm_buf_addf(text,
			    "<text x=\"%.1f\" y=\"%d\" fill=\"" GREY
			    "\" text-anchor=\"middle\">%.4g</text>\n",
			    x, TOP + PLOT_HEIGHT + 18, x_max * i / TICKS);
		tm_buf_addf(text,
			    "<text x=\"%d\" y=\"%.1f\" fill=\"" GREY
			    "\" text-anchor=\"end\">%.4g</text>\n",
			    LEFT - 8, y + 4, y_max * i / TICKS);
	}
	add_text(text, LEFT + PLOT_WIDTH, TOP + PLOT_HEIGHT + 38, " text-anchor=\"end\"",
		 figure->x_name);
	add_text(text, 8, TOP - 8, "", figure->y_name);
	add_text(text, LEFT + PLOT_WIDTH / 2.0, TOP - 20,
		 " text-anchor=\"middle\" font-weight=\"bold\"", figure->title);
}

static void add_curve(struct tm_buf *text, const struct curve *curve, size_t index, double x_max,
		      double y_max)
{
	tm_buf_addf(text, "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"%s\" points=\"",
		    colour(index));
	for (size_t i = 0; i < curve->nr; i++)
		tm_buf_addf(text, "%s%.1f,%.1f", i ? " " : "", x_of(curve->points[i].x, x_max),
			    y_of(curve->points[i].y, y_max));
	tm_buf_adds(text, "\"/>\n");
	for (size_t i = 0; i < curve->nr; i++) {
		const struct curve_point *point = &curve->points[i];

		tm_buf_addf(text,
			    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\">"
			    "<title>%.6g, %.6g</title></circle>\n",
			    x_of(point->x, x_max), y_of(point->y, y_max), colour(index), point->x,
			    point->y);
	}
}

static void add_legend(struct tm_buf *text, const struct curve *curve, size_t index)
{
	int y = HEIGHT + (int)index * LEGEND_LINE;

	tm_buf_addf(text, "<path d=\"M%d %d h24\" stroke-width=\"2\" stroke=\"%s\"/>\n", LEFT,
		    y - 4, colour(index));
	add_text(text, LEFT + 32, y, "", curve->name);
}

void curve_svg(const struct curve_figure *figure, struct tm_buf *text)
{
	int height = HEIGHT + (int)figure->nr * LEGEND_LINE;
	double x_max = 0, y_max = 0;

	for (size_t i = 0; i < figure->nr; i++)
		for (size_t p = 0; p < figure->curves[i].nr; p++) {
			x_max = fmax(x_max, figure->curves[i].points[p].x);
			y_max = fmax(y_max, figure->curves[i].points[p].y);
		}
	x_max = curve_round_up(x_max);
	y_max = curve_round_up(y_max);
	tm_buf_addf(text,
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		    "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n",
		    WIDTH, height, WIDTH, height);
	tm_buf_adds(text, "<title>");
	add_escaped(text, figure->title);
	tm_buf_adds(text, "</title>\n");
	add_frame(text, figure, x_max, y_max);
	for (size_t i = 0; i < figure->nr; i++)
		add_curve(text, &figure->curves[i], i, x_max, y_max);
	for (size_t i = 0; i < figure->nr; i++)
		add_legend(text, &figure->curves[i], i);
	tm_buf_adds(text, "</svg>\n");
}
