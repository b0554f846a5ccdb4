/* SPDX-License-Identifier: GPL-2.0-only */
/* Nodes: how full they are, and who allocates from them. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/top/panels.h"
#include "lib/base/units.h"

#define BAR 20

static int rows(const struct top_state *state, int columns)
{
	(void)columns;
	return 1 + (state->view.now->nodes.state == TM_KNOWN ? (int)state->view.now->nodes.nr : 1);
}

static char *number_text(char text[TM_UNITS_MAX], struct tm_num number)
{
	if (tm_num_is(&number))
		snprintf(text, TM_UNITS_MAX, "%" PRIu64, number.value);
	else
		top_rate_text(text, (struct top_rate){ number.state, 0 });
	return text;
}

static char *bytes_text(char text[TM_UNITS_MAX], struct tm_num bytes)
{
	if (tm_num_is(&bytes))
		return tm_format_bytes(text, bytes.value);
	return top_rate_text(text, (struct top_rate){ bytes.state, 0 });
}

static char *numastat_text(char text[TOP_RATE_MAX], const struct top_view *view, int node,
			   enum tm_numastat which)
{
	struct tm_num delta = tm_num_none(TM_UNKNOWN);

	if (view->before)
		delta = tm_pair_numastat(view->before, view->now, node, which);
	return top_rate_text(text, top_rate(view, delta));
}

/* Pages that came up to a node, and that went down from it. */
static char *moved_text(char text[TOP_RATE_MAX], const struct top_view *view, int node, bool up)
{
	struct tm_num delta = tm_num_none(TM_UNKNOWN);

	if (view->before)
		delta = up ? tm_pair_node_counter(view->before, view->now, node,
						  TM_COUNTER_pgpromote_success) :
			     top_node_demotions(view->before, view->now, node);
	return top_rate_text(text, top_rate(view, delta));
}

static void draw_node(struct canvas *canvas, int row, const struct top_view *view,
		      const struct tm_node_sample *node)
{
	const struct top_node *known = top_facts_node(view->facts, node->id);
	struct tm_num none = tm_num_none(TM_UNKNOWN), used = node->total_bytes;
	char tier[TM_UNITS_MAX], weight[TM_UNITS_MAX], total[TM_UNITS_MAX], taken[TM_UNITS_MAX];
	char hits[TOP_RATE_MAX], misses[TOP_RATE_MAX], interleaved[TOP_RATE_MAX];
	double filled = -1;

	if (tm_num_is(&used) && tm_num_is(&node->free_bytes) &&
	    node->free_bytes.value <= used.value) {
		used.value -= node->free_bytes.value;
		if (node->total_bytes.value)
			filled = (double)used.value / (double)node->total_bytes.value;
	} else if (tm_num_is(&used)) {
		used = tm_num_none(node->free_bytes.state == TM_KNOWN ? TM_MALFORMED :
									node->free_bytes.state);
	}
	canvas_print(canvas, row, 2, STYLE_PLAIN, "%4d %5s %6s %6s %6s", node->id,
		     number_text(tier, known ? known->tier : none),
		     number_text(weight, known ? known->weight : none), bytes_text(taken, used),
		     bytes_text(total, node->total_bytes));
	canvas_bar(canvas, row, 35, BAR, filled);
	canvas_print(canvas, row, 35 + BAR, STYLE_PLAIN, " %6s %7s %7s",
		     numastat_text(hits, view, node->id, TM_NUMASTAT_HIT),
		     numastat_text(misses, view, node->id, TM_NUMASTAT_MISS),
		     numastat_text(interleaved, view, node->id, TM_NUMASTAT_INTERLEAVE));
	canvas_print(canvas, row, 80, STYLE_PLAIN, "%7s %7s",
		     moved_text(hits, view, node->id, true),
		     moved_text(misses, view, node->id, false));
}

static void draw(struct canvas *canvas, int row, int rows_given, const struct top_state *state)
{
	const struct tm_node_samples *nodes = &state->view.now->nodes;

	if (rows_given < 1)
		return;
	canvas_print(canvas, row, 2, STYLE_DIM, "%4s %5s %6s %6s %6s  %-*s %6s %7s %7s", "NODE",
		     "TIER", "WEIGHT", "USED", "OF", BAR, "", "HIT/s", "MISS/s", "INTL/s");
	canvas_print(canvas, row, 80, STYLE_DIM, "%7s %7s", "UP/s", "DOWN/s");
	for (size_t i = 0; i < nodes->nr && (int)i + 1 < rows_given; i++)
		draw_node(canvas, row + 1 + (int)i, &state->view, &nodes->list[i]);
	if (nodes->state != TM_KNOWN && rows_given > 1)
		canvas_print(canvas, row + 1, 2, STYLE_DIM, "no nodes: %s",
			     tm_state_reason(nodes->state) ? tm_state_reason(nodes->state) : "-");
}

const struct panel panel_nodes = {
	.title = "Nodes",
	.help = "memory of each node, and allocations from it",
	.least = 4,
	.rows = rows,
	.draw = draw,
};
