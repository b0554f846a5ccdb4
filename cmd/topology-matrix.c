/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `tiermem topology --matrix`: one grid per figure, initiators down and targets across. sysfs has
 * only the best initiators of each target; the rest of the grid is empty. Where a grid is wider
 * than the terminal, and for --raw, the same is a list with one row per pair.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/topology-view.h"

enum figure { DISTANCE, READ_LATENCY, WRITE_LATENCY, READ_BANDWIDTH, WRITE_BANDWIDTH, NR_FIGURES };

static const char *const titles[] = {
	[DISTANCE] = "Distance (10 is local)",	     [READ_LATENCY] = "Read latency, ns",
	[WRITE_LATENCY] = "Write latency, ns",	     [READ_BANDWIDTH] = "Read bandwidth, MB/s",
	[WRITE_BANDWIDTH] = "Write bandwidth, MB/s",
};

/* The pair's row for CPUs (access1), else the one for any initiator. */
static const struct tm_perf *pair(const struct tm_machine *m, int initiator, int target)
{
	const struct tm_perf *found = NULL;

	for (size_t i = 0; i < m->nr_perf; i++) {
		const struct tm_perf *perf = &m->perf[i];

		if (perf->target == target && tm_num_is(&perf->initiator) &&
		    perf->initiator.value == (uint64_t)initiator &&
		    (!found || perf->access == TM_ACCESS1))
			found = perf;
	}
	return found;
}

static struct tm_num figure_of(const struct tm_machine *m, enum figure figure,
			       const struct tm_node *from, const struct tm_node *to)
{
	const struct tm_perf *perf = pair(m, from->id, to->id);
	int distance = tm_node_distance(from, to->id);

	if (figure == DISTANCE)
		return distance < 0 ? tm_num_none(TM_UNKNOWN) : tm_num_known((uint64_t)distance);
	if (!perf)
		return tm_num_none(TM_UNKNOWN);
	switch (figure) {
	case READ_LATENCY:
		return perf->read_latency;
	case WRITE_LATENCY:
		return perf->write_latency;
	case READ_BANDWIDTH:
		return perf->read_bandwidth;
	default:
		return perf->write_bandwidth;
	}
}

static const char *text_of(struct tm_num num, char buf[24])
{
	if (!tm_num_is(&num))
		return "-";
	snprintf(buf, 24, "%" PRIu64, num.value);
	return buf;
}

/* A node from which something is measured: it has CPUs, or is an initiator of its own kind. */
static bool initiates(const struct tm_machine *m, const struct tm_node *node)
{
	if (!tm_idset_empty(&node->cpus) || node->generic_initiator)
		return true;
	for (size_t i = 0; i < m->nr_perf; i++)
		if (tm_num_is(&m->perf[i].initiator) &&
		    m->perf[i].initiator.value == (uint64_t)node->id)
			return true;
	return false;
}

static int add_grid(const struct tm_machine *m, enum figure figure,
		    const struct tm_table_style *style, struct tm_buf *out, struct tm_error *err)
{
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_table *table = tm_table_new(style);
	char buf[24];
	int rc;

	if (!table)
		return tm_error_nomem(err);
	tm_table_column(table, "FROM\\TO", true, false, false);
	for (size_t k = 0; k < m->nr_nodes; k++) {
		snprintf(buf, sizeof(buf), "%d", m->nodes[k].id);
		if (figure == DISTANCE || tm_node_has_memory(m, &m->nodes[k]))
			tm_table_column(table, buf, true, false, false);
	}
	for (size_t i = 0; i < m->nr_nodes; i++) {
		const struct tm_node *from = &m->nodes[i];
		struct tm_row *row;
		size_t column = 1;

		if (figure != DISTANCE && !initiates(m, from))
			continue;
		row = tm_table_row(table, NULL);
		snprintf(buf, sizeof(buf), "%d", from->id);
		tm_row_cell(table, row, 0, buf);
		for (size_t k = 0; k < m->nr_nodes; k++) {
			if (figure != DISTANCE && !tm_node_has_memory(m, &m->nodes[k]))
				continue;
			tm_row_cell(table, row, column++,
				    text_of(figure_of(m, figure, from, &m->nodes[k]), buf));
		}
	}
	rc = tm_table_print(table, &text, err);
	tm_table_free(table);
	if (!rc && *text)
		tm_buf_addf(out, "%s%s\n%s", out->len ? "\n" : "", titles[figure], text);
	return rc;
}

static size_t widest_line(const char *text)
{
	size_t widest = 0, len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		widest = TM_MAX(widest, len);
	}
	return widest;
}

static int make_list(const struct tm_machine *m, const struct tm_table_style *style, char **text,
		     struct tm_error *err)
{
	static const char *const heading[] = { "FROM", "TO",	 "DISTANCE", "R-NS",
					       "W-NS", "R-MB/s", "W-MB/s" };
	struct tm_table *table = tm_table_new(style);
	char buf[24];
	int rc;

	if (!table)
		return tm_error_nomem(err);
	for (size_t i = 0; i < TM_ARRAY_SIZE(heading); i++)
		tm_table_column(table, heading[i], true, false, false);
	for (size_t i = 0; i < m->nr_nodes; i++) {
		for (size_t k = 0; k < m->nr_nodes; k++) {
			struct tm_row *row = tm_table_row(table, NULL);

			snprintf(buf, sizeof(buf), "%d", m->nodes[i].id);
			tm_row_cell(table, row, 0, buf);
			snprintf(buf, sizeof(buf), "%d", m->nodes[k].id);
			tm_row_cell(table, row, 1, buf);
			for (int f = 0; f < NR_FIGURES; f++)
				tm_row_cell(table, row, (size_t)f + 2,
					    text_of(figure_of(m, (enum figure)f, &m->nodes[i],
							      &m->nodes[k]),
						    buf));
		}
	}
	rc = tm_table_print(table, text, err);
	tm_table_free(table);
	return rc;
}

int topology_matrix(const struct topology *t, const struct tm_table_style *style, char **text,
		    struct tm_error *err)
{
	struct tm_table_style wide = *style;
	struct tm_buf out = TM_BUF_INIT;
	char *whole;
	int rc = 0;

	if (style->raw)
		return make_list(&t->machine, style, text, err);
	wide.width = 0;
	wide.color = false; /* escapes would count as width */
	for (int f = 0; f < NR_FIGURES && !rc; f++)
		rc = add_grid(&t->machine, (enum figure)f, &wide, &out, err);
	if (!rc && style->width && widest_line(tm_buf_str(&out)) > style->width) {
		tm_buf_release(&out);
		return make_list(&t->machine, style, text, err);
	}
	whole = tm_buf_detach(&out);
	if (!rc && !whole)
		rc = tm_error_nomem(err);
	if (rc)
		free(whole);
	else
		*text = whole;
	return rc;
}
