/* SPDX-License-Identifier: GPL-2.0-only */
/* TLB shootdowns: in all, over time, and by CPU. */
#include <string.h>

#include "cmd/top/panels.h"
#include "lib/sample/blind.h"

#define STRIP_ROWS 2

/* How a row of marks covers the CPUs. */
struct strip {
	size_t cpus, marks;
	size_t each; /* CPUs in a mark */
	int rows;
};

static struct strip make_strip(size_t cpus, int columns)
{
	size_t room = columns > 2 ? (size_t)columns - 2 : 1;
	struct strip strip = { .cpus = cpus };

	strip.each = (cpus + room * STRIP_ROWS - 1) / (room * STRIP_ROWS);
	strip.each = TM_MAX(strip.each, (size_t)1);
	strip.marks = (cpus + strip.each - 1) / strip.each;
	strip.rows = (int)((strip.marks + room - 1) / room);
	return strip;
}

static size_t nr_cpus(const struct top_state *state)
{
	const struct tm_interrupts *now = &state->view.now->interrupts;

	return now->rows[TM_IRQ_TLB].state == TM_KNOWN ? now->nr_cpus : 0;
}

/* The busiest CPU of a mark. */
struct busiest {
	int cpu;
	double rate; /* below 0: none is known */
};

static struct busiest find_busiest(const struct top_state *state, const struct strip *strip,
				   size_t mark)
{
	const struct top_view *view = &state->view;
	struct busiest most = { 0, -1 };

	for (size_t i = mark * strip->each; i < TM_MIN((mark + 1) * strip->each, strip->cpus);
	     i++) {
		int cpu = view->now->interrupts.cpus[i];
		struct top_rate rate =
			top_rate(view, tm_pair_irq(view->before, view->now, TM_IRQ_TLB, cpu));

		if (rate.state == TM_KNOWN && rate.per_second > most.rate)
			most = (struct busiest){ cpu, rate.per_second };
	}
	return most;
}

static void draw_strip(struct canvas *canvas, int row, int last, const struct top_state *state)
{
	struct strip strip = make_strip(nr_cpus(state), canvas->columns);
	size_t room = canvas->columns > 2 ? (size_t)canvas->columns - 2 : 1;
	struct busiest most = { 0, 0 };
	char text[TOP_RATE_MAX];
	int column;

	if (!state->view.before || row >= last || !strip.cpus)
		return;
	for (size_t i = 0; i < strip.marks; i++) {
		struct busiest one = find_busiest(state, &strip, i);

		if (one.rate > most.rate)
			most = one;
	}
	column = canvas_print(canvas, row, 2, STYLE_DIM, "by CPU");
	if (strip.each > 1)
		column = canvas_print(canvas, row, column, STYLE_DIM,
				      ", %zu a mark: the busiest of them", strip.each);
	if (most.rate > 0)
		canvas_print(canvas, row, column, STYLE_DIM, "; CPU %d gets most, %s/s", most.cpu,
			     top_rate_text(text, (struct top_rate){ TM_KNOWN, most.rate }));
	row++;
	for (size_t i = 0; i < strip.marks; i++) {
		double value = find_busiest(state, &strip, i).rate;
		double level = value < 0 ? -1 : most.rate > 0 ? value / most.rate : 0;
		int at = row + (int)(i / room);

		if (at >= last)
			break;
		canvas_level(canvas, at, 2 + (int)(i % room),
			     !(value > 0) ?
				     STYLE_DIM :
				     (enum canvas_style)(STYLE_HEAT1 + TM_MIN((int)(level * 4), 3)),
			     level);
	}
}

/* "  word 12k", unless it would be cut off. The column after it. */
static int draw_flush(struct canvas *canvas, int row, int column, const struct top_view *view,
		      const char *word, struct tm_num count)
{
	char text[TOP_RATE_MAX];
	int width = (int)(strlen(word) + strlen(top_rate_text(text, top_rate(view, count)))) + 3;

	if (column + width > canvas->columns)
		return column;
	column = canvas_print(canvas, row, column + 2, STYLE_DIM, "%s", word);
	return canvas_print(canvas, row, column + 1, STYLE_PLAIN, "%s", text);
}

/* Flushes by reason, in short words, then by size. */
static void draw_flushes(struct canvas *canvas, int row, const struct top_state *state)
{
	static const char *const words[TM_FLUSH_REASONS] = {
		[TM_FLUSH_TASK_SWITCH] = "switch",	  [TM_FLUSH_REMOTE_SHOOTDOWN] = "received",
		[TM_FLUSH_LOCAL_SHOOTDOWN] = "local",	  [TM_FLUSH_LOCAL_MM_SHOOTDOWN] = "mm",
		[TM_FLUSH_REMOTE_SEND_IPI] = "initiated", [TM_FLUSH_REMOTE_WRONG_CPU] = NULL,
	};
	const struct top_view *view = &state->view;
	const struct tm_event_samples *now = &view->now->events;
	struct tm_num count = tm_num_none(TM_UNKNOWN);
	int column = canvas_print(canvas, row, 2, STYLE_DIM, "flushes/s");

	if (*state->flush_error) {
		canvas_print(canvas, row, column + 2, STYLE_DIM, "not counted: %s (? helps)",
			     state->flush_error);
		return;
	}
	for (int i = 0; i < TM_FLUSH_REASONS; i++) {
		if (!words[i])
			continue;
		if (view->before)
			count = tm_event_flush_reason(&view->before->events, now,
						      (enum tm_flush_reason)i);
		column = draw_flush(canvas, row, column, view, words[i], count);
	}
	for (int i = TM_FLUSH_ONE; i <= TM_FLUSH_ALL; i++) {
		if (view->before)
			count = tm_event_flush_pages(&view->before->events, now,
						     (enum tm_flush_pages)i);
		column = draw_flush(canvas, row, column, view,
				    tm_flush_pages_name((enum tm_flush_pages)i), count);
	}
}

/* Do none of the events of the hardware have a count? Then their common reason goes to *state. */
static bool no_pmu(const struct tm_event_samples *events, enum tm_state *state)
{
	for (size_t i = 0; i < events->nr_pmu; i++) {
		if (tm_num_is(&events->pmu[i].count) ||
		    events->pmu[i].count.state != events->pmu[0].count.state)
			return false;
		*state = events->pmu[i].count.state;
	}
	return true;
}

/* In as many rows as it takes; `canvas` may be NULL. How many that are. */
static int draw_pmu(struct canvas *canvas, int row, int last, const struct top_state *state,
		    int columns)
{
	const struct top_view *view = &state->view;
	const struct tm_event_samples *events = &view->now->events;
	enum tm_state reason = TM_UNKNOWN;
	int column = 2, first = row;
	char cell[TOP_RATE_MAX];

	if (!events->nr_pmu)
		return 0;
	if (no_pmu(events, &reason)) {
		if (canvas && row < last)
			canvas_print(canvas, row, 2, STYLE_DIM, "hardware events %s",
				     top_rate_text(cell, (struct top_rate){ reason, 0 }));
		return 1;
	}
	for (size_t i = 0; i < events->nr_pmu; i++) {
		const char *name = events->pmu[i].name;
		struct tm_num count = tm_num_none(TM_UNKNOWN);
		int width = (int)strlen(name) + 8;

		if (view->before)
			count = tm_pair_event(view->before, view->now, name);
		if (column > 2 && column + width > columns) {
			column = 2;
			row++;
		}
		if (canvas && row < last) {
			int at = canvas_print(canvas, row, column, STYLE_DIM, "%s ", name);

			canvas_print(canvas, row, at, STYLE_PLAIN, "%s%s",
				     events->pmu[i].scaled ? "~" : "",
				     top_rate_text(cell, top_rate(view, count)));
		}
		column += width + 2;
	}
	return row + 1 - first;
}

static int rows(const struct top_state *state, int columns)
{
	return 3 + draw_pmu(NULL, 0, 0, state, columns) + make_strip(nr_cpus(state), columns).rows +
	       (nr_cpus(state) > 0);
}

/* Where flushes go past the row, its figure says little. The column after it. */
static int draw_blind(struct canvas *canvas, int row, int column, const struct top_facts *facts)
{
	if (!tm_num_is(&facts->blind) || facts->blind.value == TM_BLIND_NOT)
		return column;
	return canvas_print(canvas, row, column, STYLE_WARNING, "blind (%s)  ",
			    tm_blind_name((enum tm_blind)facts->blind.value));
}

static void draw(struct canvas *canvas, int row, int rows_given, const struct top_state *state)
{
	int last = row + rows_given, column;
	enum tm_state known = state->view.now->interrupts.rows[TM_IRQ_TLB].state;

	if (row >= last)
		return;
	column = panel_figure(canvas, row, 2, state, FIGURE_SHOOTDOWNS);
	if (known == TM_UNSUPPORTED) {
		canvas_print(canvas, row, column + 2, STYLE_DIM, "(not on this architecture)");
	} else {
		column = draw_blind(canvas, row, TM_MAX(column + 2, 34), state->view.facts);
		panel_spark(canvas, row, column, canvas->columns - column - 1, state,
			    FIGURE_SHOOTDOWNS);
	}
	if (++row >= last)
		return;
	column = panel_figure(canvas, row, 2, state, FIGURE_CALLS);
	panel_figure(canvas, row, TM_MAX(column + 2, 34), state, FIGURE_RESCHEDULES);
	if (++row >= last)
		return;
	draw_flushes(canvas, row, state);
	row++;
	row += draw_pmu(canvas, row, last, state, canvas->columns);
	draw_strip(canvas, row, last, state);
}

const struct panel panel_tlb = {
	.title = "TLB",
	.help = "interrupts to flush TLBs",
	.least = 3,
	.rows = rows,
	.draw = draw,
};
