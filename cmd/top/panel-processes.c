/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes: who asks for flushes, who suffers them, and where their memory is. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/top/panels.h"
#include "lib/base/units.h"

#define MEMORY_COLUMN 65
#define TIERS 8

/* A row, with what it is sorted by. */
struct row {
	const struct tm_process_sample *process;
	struct top_rate rates[3]; /* by enum tm_process_count */
	double key;
};

static double value(const struct top_rate *rate)
{
	return rate->state == TM_KNOWN ? rate->per_second : -1;
}

static double by_flushes(const struct row *row)
{
	return value(&row->rates[TM_PROCESS_INITIATED]) + value(&row->rates[TM_PROCESS_RECEIVED]);
}

static double by_initiated(const struct row *row)
{
	return value(&row->rates[TM_PROCESS_INITIATED]);
}

static double by_received(const struct row *row)
{
	return value(&row->rates[TM_PROCESS_RECEIVED]);
}

static double by_migrated(const struct row *row)
{
	return value(&row->rates[TM_PROCESS_MIGRATED]);
}

static double by_memory(const struct row *row)
{
	return tm_num_is(&row->process->resident_bytes) ?
		       (double)row->process->resident_bytes.value :
		       -1;
}

static const struct {
	const char *name;
	double (*key)(const struct row *row);
} orders[TOP_SORTS] = {
	[SORT_FLUSHES] = { "flushes", by_flushes },
	[SORT_INITIATED] = { "flushes caused", by_initiated },
	[SORT_RECEIVED] = { "flushes suffered", by_received },
	[SORT_MIGRATED] = { "migrated pages", by_migrated },
	[SORT_MEMORY] = { "memory", by_memory },
};

/* By falling key, then by memory, then by pid. */
static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	double memory_x = by_memory(x), memory_y = by_memory(y);

	if (x->key < y->key || x->key > y->key)
		return x->key < y->key ? 1 : -1;
	if (memory_x < memory_y || memory_x > memory_y)
		return memory_x < memory_y ? 1 : -1;
	return x->process->pid - y->process->pid;
}

static const char *name_of(const struct tm_process_sample *process)
{
	if (*process->name)
		return process->name;
	return process->pid ? "(ended)" : "(idle)";
}

static struct row make_row(const struct top_state *state, const struct tm_process_sample *process)
{
	const struct top_view *view = &state->view;
	struct row row = { .process = process };

	for (int i = 0; i < 3; i++) {
		struct tm_num delta = tm_num_none(TM_UNKNOWN);

		if (view->before)
			delta = tm_pair_process(view->before, view->now, process,
						(enum tm_process_count)i);
		row.rates[i] = top_rate(view, delta);
	}
	row.key = orders[state->sort].key(&row);
	return row;
}

/* "4:1.2G 22:300M": bytes by tier, the fastest first. */
static void draw_memory(struct canvas *canvas, int row, const struct top_facts *facts,
			const struct tm_process_sample *process)
{
	struct {
		struct tm_num tier;
		uint64_t bytes;
	} tiers[TIERS];
	char text[TM_UNITS_MAX];
	int nr = 0, column = MEMORY_COLUMN;

	if (process->memory_state != TM_KNOWN) {
		if (process->memory_state == TM_DENIED)
			canvas_print(canvas, row, column, STYLE_DIM, "denied");
		return;
	}
	for (size_t i = 0; i < process->nr_memory; i++) {
		const struct top_node *node = top_facts_node(facts, process->memory[i].node);
		struct tm_num tier = node ? node->tier : tm_num_none(TM_UNKNOWN);
		int at = 0;

		/* What is in no known tier comes last, as "?". */
		tier.value = tm_num_is(&tier) ? tier.value : UINT64_MAX;
		while (at < nr && tiers[at].tier.value < tier.value)
			at++;
		if (at == nr || tiers[at].tier.value != tier.value) {
			if (nr == TIERS)
				continue;
			memmove(&tiers[at + 1], &tiers[at], (size_t)(nr++ - at) * sizeof(*tiers));
			tiers[at].tier = tier;
			tiers[at].bytes = 0;
		}
		tiers[at].bytes += process->memory[i].bytes;
	}
	for (int i = 0; i < nr; i++) {
		if (tm_num_is(&tiers[i].tier))
			column = canvas_print(canvas, row, column, STYLE_DIM, "%" PRIu64 ":",
					      tiers[i].tier.value);
		else
			column = canvas_print(canvas, row, column, STYLE_DIM, "?:");
		column = canvas_print(canvas, row, column, STYLE_PLAIN, "%s ",
				      tm_format_bytes(text, tiers[i].bytes));
	}
}

static void draw_row(struct canvas *canvas, int at, const struct top_state *state,
		     const struct row *row)
{
	const struct tm_process_sample *process = row->process;
	char cells[3][TOP_RATE_MAX], memory[TM_UNITS_MAX], pid[16] = "-";

	if (process->pid >= 0)
		snprintf(pid, sizeof(pid), "%d", process->pid);
	for (int i = 0; i < 3; i++)
		top_rate_text(cells[i], row->rates[i]);
	if (tm_num_is(&process->resident_bytes))
		tm_format_bytes(memory, process->resident_bytes.value);
	else
		strcpy(memory, "-");
	canvas_print(canvas, at, 2, STYLE_PLAIN, "%7s %-15s %8s %8s %8s %8s", pid, name_of(process),
		     cells[TM_PROCESS_INITIATED], cells[TM_PROCESS_RECEIVED],
		     cells[TM_PROCESS_MIGRATED], memory);
	draw_memory(canvas, at, state->view.facts, process);
}

static int rows(const struct top_state *state, int columns)
{
	const struct tm_process_samples *processes = &state->view.now->processes;

	(void)columns;
	return processes->state == TM_KNOWN ? 1 + (int)TM_MIN(processes->nr, (size_t)20) : 1;
}

static void draw(struct canvas *canvas, int row, int rows_given, const struct top_state *state)
{
	const struct top_view *view = &state->view;
	const struct tm_process_samples *processes = &view->now->processes;
	struct row *list;
	size_t nr = 0;

	if (rows_given < 1)
		return;
	if (processes->state != TM_KNOWN) {
		canvas_print(canvas, row, 2, STYLE_DIM, "%s",
			     state->replay ? "not in this recording: record with --processes" :
					     "wait for the next sample");
		return;
	}
	canvas_print(canvas, row, 2, STYLE_DIM, "%7s %-15s %8s %8s %8s %8s", "PID", "NAME",
		     "CAUSE/s", "SUFFER/s", "MOVED/s", "MEMORY");
	canvas_print(canvas, row, MEMORY_COLUMN, STYLE_DIM, "BY TIER");
	list = calloc(processes->nr + 1, sizeof(*list));
	if (!list)
		return;
	for (size_t i = 0; i < processes->nr; i++)
		if (!*state->filter || strstr(name_of(&processes->list[i]), state->filter))
			list[nr++] = make_row(state, &processes->list[i]);
	qsort(list, nr, sizeof(*list), compare);
	for (size_t i = 0; i < nr && (int)i + 1 < rows_given; i++)
		draw_row(canvas, row + 1 + (int)i, state, &list[i]);
	free(list);
}

/* What the list is sorted by, the filter, and what was lost. */
static void draw_title(struct canvas *canvas, int row, int column, const struct top_state *state)
{
	const struct top_view *view = &state->view;
	struct tm_num lost = tm_num_none(TM_UNKNOWN);
	char text[TOP_RATE_MAX];

	if (view->now->processes.state != TM_KNOWN)
		return;
	column = canvas_print(canvas, row, column, STYLE_DIM, "sorted by %s ",
			      orders[state->sort].name);
	if (*state->filter)
		column = canvas_print(canvas, row, column, STYLE_WARNING, "/%s ", state->filter);
	if (view->now->processes.flush_state != TM_KNOWN)
		column = canvas_print(
			canvas, row, column, STYLE_WARNING, " flushes: %s ",
			top_rate_text(text,
				      (struct top_rate){ view->now->processes.flush_state, 0 }));
	if (view->before)
		lost = tm_pair_processes_lost(view->before, view->now);
	if (tm_num_is(&lost) && lost.value)
		canvas_print(canvas, row, column, STYLE_WARNING, " lost %s/s ",
			     top_rate_text(text, top_rate(view, lost)));
}

const struct panel panel_processes = {
	.title = "Processes",
	.help = "who causes flushes, who suffers them, and whose memory is where",
	.least = 4,
	.rows = rows,
	.draw = draw,
	.draw_title = draw_title,
};
