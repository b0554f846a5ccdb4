/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures as lines, one for each sample. */
#include <time.h>

#include "cmd/top/figure.h"

void top_line_headings(struct tm_buf *text)
{
	tm_buf_adds(text, "TIME    ");
	for (size_t i = 0; i < TOP_FIGURES; i++)
		if (top_figures[i].heading)
			tm_buf_addf(text, " %*s", top_figures[i].width, top_figures[i].heading);
	tm_buf_addc(text, '\n');
}

void top_line(const struct top_view *view, bool raw, struct tm_buf *text)
{
	time_t when = (time_t)(view->now->wall_ns / 1000000000);
	char cell[TOP_RATE_MAX], clock[16] = "-";
	struct tm tm;

	if (localtime_r(&when, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	tm_buf_adds(text, clock);
	for (size_t i = 0; i < TOP_FIGURES; i++) {
		const struct top_figure_row *figure = &top_figures[i];
		struct top_rate rate;

		if (!figure->heading)
			continue;
		rate = top_figure_rate(view, (enum top_figure)i);
		if (raw && rate.state == TM_KNOWN)
			tm_buf_addf(text, " %.3f", rate.per_second);
		else if (raw)
			tm_buf_addf(text, " %s", top_rate_text(cell, rate));
		else
			tm_buf_addf(text, " %*s", figure->width, top_rate_text(cell, rate));
	}
	tm_buf_addc(text, '\n');
}
