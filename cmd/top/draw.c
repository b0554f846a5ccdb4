/* SPDX-License-Identifier: GPL-2.0-only */
/* The screen as a whole: its head, the panels one below the other, and the help. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd/top/panels.h"
#include "lib/sample/blind.h"

#define FIGURE_COLUMNS 14

const struct panel *const panels[] = {
	&panel_tlb, &panel_migration, &panel_nodes, &panel_processes, &panel_sizes, NULL,
};

int panel_figure(struct canvas *canvas, int row, int column, const struct top_state *state,
		 enum top_figure figure)
{
	const struct top_figure_row *shown = &top_figures[figure];
	char text[TOP_RATE_MAX];
	double percent;

	if (*shown->label) {
		canvas_print(canvas, row, column, STYLE_DIM, "%-*s", FIGURE_COLUMNS, shown->label);
		column += FIGURE_COLUMNS + 1;
	}
	column = canvas_print(canvas, row, column, STYLE_PLAIN, "%6s%s",
			      top_rate_text(text, state->rates[figure]),
			      state->rates[figure].state == TM_KNOWN ? shown->unit : "");
	if (top_state_change(state, figure, &percent))
		column = canvas_print(canvas, row, column, STYLE_WARNING, " %+.0f%%", percent);
	return column;
}

void panel_spark(struct canvas *canvas, int row, int column, int columns,
		 const struct top_state *state, enum top_figure figure)
{
	const struct history *history = &state->histories[figure];
	double max = history_max(history);

	for (int i = 0; i < columns && i < HISTORY; i++) {
		double value = history_get(history, (size_t)i);

		canvas_level(canvas, row, column + columns - 1 - i, STYLE_HEAT2,
			     value < 0 ? -1 :
			     max > 0   ? value / max :
					 0);
	}
}

/* "3 d 04:05", "04:05" */
static void add_uptime(struct canvas *canvas, int *column, const struct top_state *state)
{
	struct tm_num uptime = top_facts_uptime(state->view.facts, state->view.now->time_ns);
	uint64_t minutes = uptime.value / 60;

	if (!tm_num_is(&uptime))
		return;
	*column = canvas_print(canvas, 0, *column + 2, STYLE_PLAIN, "up ");
	if (minutes >= 24 * 60)
		*column = canvas_print(canvas, 0, *column, STYLE_PLAIN, "%" PRIu64 " d ",
				       minutes / (24 * 60));
	*column = canvas_print(canvas, 0, *column, STYLE_PLAIN, "%02d:%02d",
			       (int)(minutes / 60 % 24), (int)(minutes % 60));
}

/* Whether pages move between tiers, in words. The row after it. */
static int draw_verdict(struct canvas *canvas, int row, const struct top_facts *facts)
{
	const char *up = facts->promotion ? facts->promotion : "unknown";
	const char *down = facts->demotion ? facts->demotion : "unknown";

	if (!strcmp(up, down) && strcmp(up, "yes")) {
		canvas_print(canvas, row, 0, STYLE_PLAIN, "tiering: %s", up);
		return row + 1;
	}
	/* Both ways in one line, where there is room. */
	if ((int)(strlen(up) + strlen(down)) + 25 <= canvas->columns) {
		canvas_print(canvas, row, 0, STYLE_PLAIN, "promotion: %s  demotion: %s", up, down);
		return row + 1;
	}
	canvas_print(canvas, row, 0, STYLE_PLAIN, "promotion: %s", up);
	canvas_print(canvas, row + 1, 0, STYLE_PLAIN, "demotion: %s", down);
	return row + 2;
}

/* The row after it. */
static int draw_head(struct canvas *canvas, const struct top_state *state)
{
	const struct top_facts *facts = state->view.facts;
	time_t when = (time_t)(state->view.now->wall_ns / 1000000000);
	char clock[16] = "-";
	struct tm tm;
	int column;

	if (localtime_r(&when, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	column = canvas_print(canvas, 0, 0, STYLE_TITLE, "%s",
			      facts->host.state == TM_KNOWN ? facts->host.value : "tiermem top");
	column = canvas_print(canvas, 0, column + 2, STYLE_PLAIN, "Linux %s",
			      facts->kernel.state == TM_KNOWN ? facts->kernel.value : "-");
	add_uptime(canvas, &column, state);
	if (state->interval_ns)
		column = canvas_print(canvas, 0, column + 2, STYLE_PLAIN, "every %g s",
				      (double)state->interval_ns / 1e9);
	if (state->replay && state->pace_ns)
		column = canvas_print(canvas, 0, column + 2, STYLE_WARNING, "replay at %g s",
				      (double)state->pace_ns / 1e9);
	else if (state->replay)
		column = canvas_print(canvas, 0, column + 2, STYLE_WARNING, "replay");
	if (state->paused)
		column = canvas_print(canvas, 0, column + 2, STYLE_WARNING, "paused");
	if (state->recording)
		column = canvas_print(canvas, 0, column + 2, STYLE_WARNING, "recording");
	if (state->has_baseline)
		column = canvas_print(canvas, 0, column + 2, STYLE_WARNING, "baseline");
	if (column < canvas->columns - 8)
		canvas_print(canvas, 0, canvas->columns - 8, STYLE_PLAIN, "%s", clock);
	return draw_verdict(canvas, 1, facts);
}

static const struct {
	const char *keys, *does;
} keys[] = {
	{ "q", "leave" },
	{ "space", "pause, and go on" },
	{ "+ -", "longer between samples, shorter; of a recording its pace" },
	{ "b", "take the means so far as the baseline; again: forget it" },
	{ "r", "forget histories, means and baseline" },
	{ "w", "record to a file in this folder from now on; again: stop" },
	{ "s", "sort processes by something else" },
	{ "/", "show processes with this in their name; Esc: all" },
	{ "?", "this help" },
};

static void draw_help(struct canvas *canvas, int row, const struct top_state *state)
{
	const struct tm_num *blind = &state->view.facts->blind;

	for (size_t i = 0; i < TM_ARRAY_SIZE(keys); i++, row++) {
		canvas_print(canvas, row, 2, STYLE_TITLE, "%s", keys[i].keys);
		canvas_print(canvas, row, 10, STYLE_PLAIN, "%s", keys[i].does);
	}
	for (size_t i = 0; panels[i]; i++, row++) {
		canvas_print(canvas, row, 2, STYLE_TITLE, "%zu", i + 1);
		canvas_print(canvas, row, 10, STYLE_PLAIN, "%s: %s", panels[i]->title,
			     panels[i]->help);
	}
	canvas_print(canvas, ++row, 2, STYLE_DIM,
		     "-: not known   n/a: this kernel does not count it   denied: not for you");
	if (*state->flush_error)
		canvas_print(canvas, ++row, 2, STYLE_DIM, "flushes are not counted: %s",
			     state->flush_error);
	if (*state->flush_hint)
		canvas_print(canvas, ++row, 4, STYLE_DIM, "%s", state->flush_hint);
	if (tm_num_is(blind) && blind->value != TM_BLIND_NOT)
		canvas_print(canvas, ++row, 2, STYLE_DIM, "shootdowns are blind: %s",
			     tm_blind_explain((enum tm_blind)blind->value));
}

/*
 * How many rows each panel gets below its title: what it makes good use of, in turn, and then what
 * it would like. -1: it is not shown.
 */
static void share_rows(const struct canvas *canvas, const struct top_state *state, int room,
		       int shares[MAX_PANELS])
{
	for (size_t i = 0; panels[i]; i++) {
		int wanted = TM_MIN(panels[i]->rows(state, canvas->columns), panels[i]->least);

		shares[i] = -1;
		if (state->hidden & 1u << i || room < 1)
			continue;
		shares[i] = TM_MIN(wanted, room - 1);
		room -= shares[i] + 1;
	}
	for (size_t i = 0; panels[i]; i++) {
		int more;

		if (shares[i] < 0)
			continue;
		more = panels[i]->rows(state, canvas->columns) - shares[i];
		more = TM_MIN(TM_MAX(more, 0), room);
		shares[i] += more;
		room -= more;
	}
}

static void draw_panels(struct canvas *canvas, int row, int last, const struct top_state *state,
			struct layout *layout)
{
	int shares[MAX_PANELS] = { 0 };

	share_rows(canvas, state, last - row, shares);
	for (size_t i = 0; panels[i]; i++) {
		int column;

		if (shares[i] < 0)
			continue;
		layout->title_row[i] = row;
		column = canvas_print(canvas, row, 0, STYLE_TITLE, "%zu %s ", i + 1,
				      panels[i]->title);
		canvas_rule(canvas, row, column, STYLE_DIM);
		if (panels[i]->draw_title)
			panels[i]->draw_title(canvas, row, column, state);
		panels[i]->draw(canvas, row + 1, shares[i], state);
		row += 1 + shares[i];
	}
}

void screen_draw(struct canvas *canvas, const struct top_state *state, struct layout *layout)
{
	bool footer = state->message[0] || state->filtering;
	int row;

	for (size_t i = 0; i < MAX_PANELS; i++)
		layout->title_row[i] = -1;
	row = draw_head(canvas, state);
	if (state->help)
		draw_help(canvas, row + 1, state);
	else
		draw_panels(canvas, row, canvas->rows - footer, state, layout);
	if (!footer)
		return;
	if (state->filtering)
		canvas_print(canvas, canvas->rows - 1, 0, STYLE_SELECTED, " /%-*s", canvas->columns,
			     state->filter);
	else
		canvas_print(canvas, canvas->rows - 1, 0, STYLE_SELECTED, "%-*s", canvas->columns,
			     state->message);
}
