/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages that move between nodes and tiers. */
#include "cmd/top/panels.h"

#define NO_FIGURE TOP_FIGURES
/* At the end of the table: few kernels can put flushes off. */
#define DEFER_ROWS 2

/* Two figures a row, and the history of the first. */
static const enum top_figure shown[][2] = {
	{ FIGURE_PROMOTIONS, FIGURE_PROMOTED },
	{ FIGURE_DEMOTIONS, FIGURE_DEMOTED },
	{ FIGURE_MIGRATED, FIGURE_FAILED },
	{ FIGURE_HINTS, FIGURE_THP },
	{ FIGURE_DEFERRED, FIGURE_REFUSED },
	{ FIGURE_FORCED, NO_FIGURE }, /* of all pages that wait */
};

static int rows(const struct top_state *state, int columns)
{
	bool defers = tm_num_is(&state->view.now->vmstat.value[TM_COUNTER_tlb_defer_pages]);

	(void)columns;
	return (int)TM_ARRAY_SIZE(shown) - (defers ? 0 : DEFER_ROWS);
}

static void draw(struct canvas *canvas, int row, int rows_given, const struct top_state *state)
{
	for (size_t i = 0; i < TM_ARRAY_SIZE(shown) && (int)i < rows_given; i++) {
		int at = row + (int)i;
		int column = panel_figure(canvas, at, 2, state, shown[i][0]);

		if (shown[i][1] != NO_FIGURE)
			column = panel_figure(canvas, at, TM_MAX(column + 2, 34), state,
					      shown[i][1]);
		column = TM_MAX(column + 2, 66);
		panel_spark(canvas, at, column, canvas->columns - column - 1, state, shown[i][0]);
	}
}

const struct panel panel_migration = {
	.title = "Migration",
	.help = "pages promoted, demoted, and otherwise moved",
	.least = 2,
	.rows = rows,
	.draw = draw,
};
