/* SPDX-License-Identifier: GPL-2.0-only */
/* The table and the tiermem.weights/1 document. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/terminal.h"
#include "cmd/weights-view.h"
#include "lib/out/document.h"
#include "lib/out/table.h"

#define NODE(record) ((const struct weight_node *)(record))

static void get_id(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known((uint64_t)NODE(record)->node->id));
}

static void get_kind(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, tm_kind_name(NODE(record)->node->kind));
}

static void get_read(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, NODE(record)->read);
}

static void get_write(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, NODE(record)->write);
}

static void get_bandwidth(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, NODE(record)->bandwidth);
}

static void get_latency(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, NODE(record)->latency);
}

static void get_source(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, NODE(record)->source);
}

static void get_current(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, NODE(record)->node->weight);
}

static void get_kernel(const void *record, struct tm_cell *cell)
{
	unsigned weight = NODE(record)->kernel;

	tm_cell_num(cell, weight ? tm_num_known(weight) : tm_num_none(TM_UNKNOWN));
}

static void get_recommended(const void *record, struct tm_cell *cell)
{
	unsigned weight = NODE(record)->recommended;

	tm_cell_num(cell, weight ? tm_num_known(weight) : tm_num_none(TM_UNKNOWN));
}

/* clang-format off */
static const struct tm_field fields[] = {
	{ "id", "NODE", TM_FIELD_NUMBER, true, false, false, "node id", get_id },
	{ "kind", "KIND", TM_FIELD_TEXT, true, false, false, "kind of memory", get_kind },
	{ "read_bandwidth_mbps", "READ", TM_FIELD_NUMBER, true, false, false, "MB/s", get_read },
	{ "write_bandwidth_mbps", "WRITE", TM_FIELD_NUMBER, true, false, false, "MB/s",
	  get_write },
	{ "bandwidth_mbps", "COUNTS", TM_FIELD_NUMBER, true, false, false,
	  "MB/s: the smaller, or by --mix", get_bandwidth },
	{ "latency_ns", "NS", TM_FIELD_NUMBER, true, false, false, "idle read latency",
	  get_latency },
	{ "source", "SOURCE", TM_FIELD_TEXT, true, false, false, "where the figures come from",
	  get_source },
	{ "current", "NOW", TM_FIELD_NUMBER, true, false, false, "weight that is set",
	  get_current },
	{ "kernel", "KERNEL", TM_FIELD_NUMBER, true, false, false,
	  "weight by the kernel's rule", get_kernel },
	{ "recommended", "BEST", TM_FIELD_NUMBER, true, false, false,
	  "weight that is recommended", get_recommended },
};
/* clang-format on */

static int add_nodes(struct app *app, const struct weights *w, struct tm_buf *out,
		     struct tm_error *err)
{
	size_t chosen[2 * TM_ARRAY_SIZE(fields)], nr = 0;
	struct tm_table_style style = terminal_style(app);
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_table *table = tm_table_new(&style);
	struct tm_buf cell = TM_BUF_INIT;
	int rc = table ? tm_field_choose(fields, TM_ARRAY_SIZE(fields), NULL, chosen, &nr, err) :
			 tm_error_nomem(err);

	for (size_t i = 0; !rc && i < nr; i++)
		tm_table_column(table, fields[chosen[i]].heading,
				fields[chosen[i]].type == TM_FIELD_NUMBER, false, false);
	if (!rc)
		tm_table_column(table, "SHARE", true, false, false);
	for (size_t i = 0; !rc && i < w->nr; i++) {
		struct tm_row *row = tm_table_row(table, NULL);

		for (size_t k = 0; k < nr; k++) {
			tm_buf_reset(&cell);
			tm_field_text(&cell, &fields[chosen[k]], &w->nodes[i], style.raw);
			tm_row_cell(table, row, k, tm_buf_str(&cell));
		}
		tm_buf_reset(&cell);
		if (w->nodes[i].recommended)
			tm_buf_addf(&cell, "%.1f%%", 100 * w->nodes[i].share);
		else
			tm_buf_addc(&cell, '-');
		tm_row_cell(table, row, nr, tm_buf_str(&cell));
	}
	if (!rc)
		rc = tm_table_print(table, &text, err);
	if (!rc)
		tm_buf_adds(out, text);
	tm_buf_release(&cell);
	tm_table_free(table);
	return rc;
}

static void number_text(double number, char text[32])
{
	if (number < 0)
		strcpy(text, "-");
	else
		snprintf(text, 32, "%.0f", number);
}

static int add_predictions(struct app *app, const struct weights *w, struct tm_buf *out,
			   struct tm_error *err)
{
	static const char *const words[NR_PREDICTED] = {
		[LOCAL] = "local only",
		[UNIFORM] = "interleaved evenly",
		[CURRENT] = "weights as they are",
		[KERNEL] = "the kernel's weights",
		[RECOMMENDED] = "the best weights",
	};
	struct tm_table_style style = terminal_style(app);
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_table *table = tm_table_new(&style);
	double local = w->predicted[LOCAL].bandwidth;
	char number[32];
	int rc;

	if (!table)
		return tm_error_nomem(err);
	tm_table_column(table, "PREDICTED", false, false, false);
	tm_table_column(table, "MB/s", true, false, false);
	tm_table_column(table, "OF LOCAL", true, false, false);
	tm_table_column(table, "MEAN NS", true, false, false);
	for (int p = 0; p <= NR_PREDICTED; p++) {
		struct tm_row *row = tm_table_row(table, NULL);
		double bandwidth = p < NR_PREDICTED ? w->predicted[p].bandwidth : w->ideal;

		tm_row_cell(table, row, 0,
			    p < NR_PREDICTED ? words[p] : "the ideal: all nodes at once");
		number_text(bandwidth, number);
		tm_row_cell(table, row, 1, number);
		if (bandwidth >= 0 && local > 0)
			snprintf(number, sizeof(number), "%.2fx", bandwidth / local);
		else
			strcpy(number, "-");
		tm_row_cell(table, row, 2, number);
		number_text(p < NR_PREDICTED ? w->predicted[p].latency : -1, number);
		tm_row_cell(table, row, 3, number);
	}
	rc = tm_table_print(table, &text, err);
	if (!rc)
		tm_buf_addf(out, "\n%s", text);
	tm_table_free(table);
	return rc;
}

static void add_set(struct tm_buf *out, const struct tm_idset *nodes, const char *before,
		    const char *after)
{
	char *list = tm_idset_format(nodes);

	if (list && *list)
		tm_buf_addf(out, "%s%s %s%s%s", before, tm_idset_count(nodes) > 1 ? "s" : "", list,
			    *after == '\n' ? "" : " ", after);
	free(list);
}

static size_t count_homes(const struct weights *w)
{
	size_t homes = 0;

	for (size_t i = 0; i < w->nr; i++)
		homes += !tm_idset_empty(&w->nodes[i].node->cpus);
	return homes;
}

static void add_remarks(const struct weights *w, struct tm_buf *out)
{
	tm_buf_addf(out, "\nmode: %s%s\n", tm_weight_mode_name(w->machine.weight_mode),
		    w->machine.weight_mode == TM_WEIGHTS_UNSUPPORTED ?
			    " (kernel 6.9 brings weighted interleave)" :
			    "");
	add_set(out, &w->unknown, "no weights: nobody gives the bandwidth of node",
		"\n"
		"  hint: measure it, or give --bandwidth, or a weight by --assume-unknown\n");
	add_set(out, &w->harmful, "warning: even weight 1 costs more than it brings on node",
		"\n  hint: leave it out with --nodes\n");
	add_set(out, &w->stale, "warning: the kernel's automatic weights are stale on node",
		"\n  hint: `tiermem weights apply --auto --accept` computes them anew\n");
	if (count_homes(w) > 1)
		tm_buf_adds(out, "note: several of these nodes have CPUs; what crosses the link "
				 "between sockets is\n"
				 "  slower than predicted\n"
				 "  hint: give a task the nodes of its own socket\n");
	if (weights_shortfall(w) >= 0 && !w->within)
		tm_buf_addf(out, "note: these weights are %.1f%% below the ideal%s\n",
			    100 * weights_shortfall(w), w->nearest ? "; none come nearer" : "");
}

static void add_known(struct tm_json *json, const char *name, const char *unit, double value)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_%s", name, unit);
	if (value < 0)
		tm_json_null(json, key);
	else
		tm_json_double(json, key, value);
}

static int show_json(struct app *app, const struct weights *w)
{
	const struct tm_machine *m = &w->machine;
	struct tm_identity identity = { m->kernel, m->host, m->boot_id, m->root };
	double below = weights_shortfall(w);
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_error err = { 0 };
	int rc = json ? 0 : tm_error_nomem(&err);

	if (!rc) {
		tm_document_begin(json, "weights", 1, &identity);
		tm_json_string(json, "mode", tm_weight_mode_name(m->weight_mode));
		tm_json_array(json, "nodes");
		for (size_t i = 0; i < w->nr; i++) {
			tm_json_object(json, NULL);
			tm_field_json(json, fields, TM_ARRAY_SIZE(fields), &w->nodes[i]);
			tm_json_bool(json, "complete", w->nodes[i].complete);
			tm_json_bool(json, "assumed", w->nodes[i].assumed != 0);
			if (w->nodes[i].recommended)
				tm_json_double(json, "share", w->nodes[i].share);
			else
				tm_json_null(json, "share");
			tm_json_end(json);
		}
		tm_json_end(json);
		tm_json_object(json, "prediction");
		add_known(json, "ideal", "mbps", w->ideal);
		for (int p = 0; p < NR_PREDICTED; p++) {
			add_known(json, predicted_names[p], "mbps", w->predicted[p].bandwidth);
			add_known(json, predicted_names[p], "latency_ns", w->predicted[p].latency);
		}
		tm_json_end(json);
		tm_json_idset(json, "unknown_nodes", &w->unknown);
		tm_json_idset(json, "harmful_nodes", &w->harmful);
		tm_json_idset(json, "stale_nodes", &w->stale);
		tm_json_bool(json, "within_tolerance", w->within);
		add_known(json, "below_ideal", "percent", below < 0 ? below : 100 * below);
		rc = tm_json_print(json, false, &text, &err);
	}
	if (rc)
		return report(app, EXIT_FAILED, &err);
	out_text(app, text);
	return EXIT_DONE;
}

int weights_show(struct app *app, const struct weights *w)
{
	struct tm_buf out = TM_BUF_INIT;
	struct tm_error err = { 0 };
	int rc;

	if (app->json)
		return show_json(app, w);
	rc = add_nodes(app, w, &out, &err);
	/* Scripts that ask for bare rows get nothing else. */
	if (!rc && !app->raw && !app->noheadings) {
		rc = add_predictions(app, w, &out, &err);
		if (!app->quiet)
			add_remarks(w, &out);
	}
	if (!rc && out.failed)
		rc = tm_error_nomem(&err);
	if (!rc)
		out_text(app, tm_buf_str(&out));
	tm_buf_release(&out);
	return rc ? report(app, EXIT_FAILED, &err) : EXIT_DONE;
}
