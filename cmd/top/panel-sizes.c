/* SPDX-License-Identifier: GPL-2.0-only */
/* Huge pages by size. */
#include "cmd/top/panels.h"
#include "lib/base/units.h"

static const struct {
	const char *heading;
	enum tm_size_counter counter;
} shown[] = {
	{ "ANON/s", TM_SIZE_ANON_FAULT_ALLOC }, { "FELL/s", TM_SIZE_ANON_FAULT_FALLBACK },
	{ "SHMEM/s", TM_SIZE_SHMEM_ALLOC },	{ "FELL/s", TM_SIZE_SHMEM_FALLBACK },
	{ "SPLIT/s", TM_SIZE_SPLIT },		{ "SWAP/s", TM_SIZE_SWPOUT },
};

static int rows(const struct top_state *state, int columns)
{
	(void)columns;
	return 1 + (state->view.now->sizes.state == TM_KNOWN ? (int)state->view.now->sizes.nr : 1);
}

static void draw(struct canvas *canvas, int row, int rows_given, const struct top_state *state)
{
	const struct top_view *view = &state->view;
	const struct tm_size_samples *sizes = &view->now->sizes;
	char text[TM_UNITS_MAX];

	if (rows_given < 1)
		return;
	canvas_print(canvas, row, 2, STYLE_DIM, "%6s", "SIZE");
	for (size_t k = 0; k < TM_ARRAY_SIZE(shown); k++)
		canvas_print(canvas, row, 10 + (int)k * 9, STYLE_DIM, "%8s", shown[k].heading);
	for (size_t i = 0; i < sizes->nr && (int)i + 1 < rows_given; i++) {
		int at = row + 1 + (int)i;

		canvas_print(canvas, at, 2, STYLE_PLAIN, "%6s",
			     tm_format_bytes(text, sizes->list[i].size_bytes));
		for (size_t k = 0; k < TM_ARRAY_SIZE(shown); k++) {
			struct tm_num delta = tm_num_none(TM_UNKNOWN);

			if (view->before)
				delta = tm_pair_size(view->before, view->now,
						     sizes->list[i].size_bytes, shown[k].counter);
			canvas_print(canvas, at, 10 + (int)k * 9, STYLE_PLAIN, "%8s",
				     top_rate_text(text, top_rate(view, delta)));
		}
	}
	if (sizes->state != TM_KNOWN && rows_given > 1)
		canvas_print(canvas, row + 1, 2, STYLE_DIM, "no sizes: %s",
			     tm_state_reason(sizes->state) ? tm_state_reason(sizes->state) : "-");
}

const struct panel panel_sizes = {
	.title = "Huge pages",
	.help = "allocations, fallbacks and splits of each size",
	.least = 2,
	.rows = rows,
	.draw = draw,
};
