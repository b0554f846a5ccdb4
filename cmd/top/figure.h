/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The figures of the whole machine: one table for the screen, its histories and baselines, and the
 * lines of --batch.
 */
#ifndef CMD_TOP_FIGURE_H
#define CMD_TOP_FIGURE_H

#include "cmd/top/view.h"

enum top_figure {
	FIGURE_SHOOTDOWNS,
	FIGURE_CALLS,
	FIGURE_RESCHEDULES,
	FIGURE_PROMOTED,
	FIGURE_DEMOTED,
	FIGURE_PROMOTIONS,
	FIGURE_DEMOTIONS,
	FIGURE_HINTS,
	FIGURE_MIGRATED,
	FIGURE_FAILED,
	FIGURE_THP,
	FIGURE_DEFERRED,
	FIGURE_REFUSED,
	FIGURE_FORCED,
};
#define TOP_FIGURES (FIGURE_FORCED + 1)

struct top_figure_row {
	const char *label;   /* on the screen; "" where it stands beside another */
	const char *unit;    /* behind its value there */
	const char *heading; /* above lines; NULL: not in lines */
	int width;	     /* of that column */
	struct top_rate (*get)(const struct top_view *view); /* NULL: of this counter */
	enum tm_counter counter;
};

extern const struct top_figure_row top_figures[TOP_FIGURES];

struct top_rate top_figure_rate(const struct top_view *view, enum top_figure figure);

#endif
