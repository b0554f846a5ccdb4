/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `tiermem topology --matrix`: one grid per figure, initiators down and targets across. The
 * firmware's HMAT has all pairs, sysfs only the best initiators of each target: where both have a
 * pair they stand in one cell. A grid that is wider than the terminal is printed in parts; for
 * --raw it is a list with one row per pair and source.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/topology-view.h"
#include "lib/acpi/slit.h"

enum figure { DISTANCE, READ_LATENCY, WRITE_LATENCY, READ_BANDWIDTH, WRITE_BANDWIDTH, NR_FIGURES };

static const char *const titles[] = {
	[DISTANCE] = "Distance (10 is local)",	     [READ_LATENCY] = "Read latency, ns",
	[WRITE_LATENCY] = "Write latency, ns",	     [READ_BANDWIDTH] = "Read bandwidth, MB/s",
	[WRITE_BANDWIDTH] = "Write bandwidth, MB/s",
};

/* The kernel does not say from where a region's figures are: `from` is NULL. */
static bool starts_at(const struct tm_perf *perf, const struct tm_node *from)
{
	if (!from || !tm_num_is(&perf->initiator))
		return !from && !tm_num_is(&perf->initiator);
	return perf->initiator.value == (uint64_t)from->id;
}

/*
 * The pair's row from a source: of the kernel's the one for CPUs (access1) before that for any
 * initiator.
 */
static const struct tm_perf *pair_of(const struct tm_machine *m, enum tm_source source,
				     const struct tm_node *from, const struct tm_node *to)
{
	const struct tm_perf *found = NULL;

	for (size_t i = 0; i < m->nr_perf; i++) {
		const struct tm_perf *perf = &m->perf[i];

		if (perf->source == source && perf->target == to->id && starts_at(perf, from) &&
		    (!found || perf->access == TM_ACCESS1))
			found = perf;
	}
	return found;
}

static struct tm_num figure_in(const struct tm_perf *perf, enum figure figure)
{
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

static struct tm_num distance_of(const struct tm_node *from, const struct tm_node *to)
{
	int distance = from ? tm_node_distance(from, to->id) : -1;

	return distance < 0 ? tm_num_none(TM_UNKNOWN) : tm_num_known((uint64_t)distance);
}

/* What SLIT says between the nodes' domains. */
static struct tm_num table_distance(const struct tm_machine *m, const struct tm_node *from,
				    const struct tm_node *to)
{
	const struct tm_acpi_table *table = tm_acpi_table(&m->firmware.acpi, TM_ACPI_SLIT);
	struct tm_slit slit;
	int distance = -1;

	if (table && tm_slit_read(table, &slit) && from && tm_num_is(&from->domain) &&
	    tm_num_is(&to->domain))
		distance = tm_slit_distance(&slit, from->domain.value, to->domain.value);
	return distance < 0 ? tm_num_none(TM_UNKNOWN) : tm_num_known((uint64_t)distance);
}

/* One cell, from all that is known of the pair. Marks are explained below the grids. */
struct cell {
	struct tm_num number;
	struct tm_num kernel; /* known where the kernel says otherwise */
	bool best;    /* the kernel has this pair among its best, and the firmware has it too */
	bool partial; /* does not cover the whole way */
};

static struct cell cell_of(const struct tm_machine *m, enum figure figure,
			   const struct tm_node *from, const struct tm_node *to)
{
	static const enum tm_source others[] = { TM_SOURCE_CDAT, TM_SOURCE_ESTIMATED };
	struct cell cell = { tm_num_none(TM_UNKNOWN), tm_num_none(TM_UNKNOWN), false, false };
	struct tm_num kernel, table;

	if (figure == DISTANCE) {
		kernel = distance_of(from, to);
		table = table_distance(m, from, to);
	} else {
		kernel = figure_in(pair_of(m, TM_SOURCE_SYSFS, from, to), figure);
		table = figure_in(pair_of(m, TM_SOURCE_HMAT, from, to), figure);
		cell.best = tm_num_is(&kernel) && tm_num_is(&table);
	}
	cell.number = tm_num_is(&table) ? table : kernel;
	if (tm_num_is(&table) && tm_num_is(&kernel) && table.value != kernel.value)
		cell.kernel = kernel;
	for (size_t i = 0;
	     i < TM_ARRAY_SIZE(others) && !tm_num_is(&cell.number) && figure != DISTANCE; i++) {
		const struct tm_perf *perf = pair_of(m, others[i], from, to);

		cell.number = figure_in(perf, figure);
		cell.partial = perf && !perf->complete;
	}
	return cell;
}

static const char *number_text(struct tm_num num, char buf[64])
{
	if (!tm_num_is(&num))
		return "-";
	snprintf(buf, 64, "%" PRIu64, num.value);
	return buf;
}

static const char *cell_text(const struct cell *cell, char buf[64])
{
	if (!tm_num_is(&cell->number))
		return "-";
	if (tm_num_is(&cell->kernel))
		snprintf(buf, 64, "%" PRIu64 "(%" PRIu64 ")", cell->number.value,
			 cell->kernel.value);
	else
		snprintf(buf, 64, "%" PRIu64 "%s", cell->number.value,
			 cell->partial ? "~" :
			 cell->best    ? "*" :
					 "");
	return buf;
}

/* Has any pair that starts there the figure? */
static bool has_figure(const struct tm_machine *m, enum figure figure, const struct tm_node *from)
{
	for (size_t k = 0; k < m->nr_nodes; k++) {
		struct cell cell = cell_of(m, figure, from, &m->nodes[k]);

		if (tm_num_is(&cell.number))
			return true;
	}
	return false;
}

/* A node from which something is measured: it has CPUs, or is an initiator of its own kind. */
static bool is_row(const struct tm_machine *m, enum figure figure, const struct tm_node *from)
{
	return figure == DISTANCE || !tm_idset_empty(&from->cpus) || from->generic_initiator ||
	       has_figure(m, figure, from);
}

static void add_row(struct tm_table *table, const struct tm_machine *m, enum figure figure,
		    const struct tm_node *from, const struct tm_node *const *to, size_t nr)
{
	struct tm_row *row = tm_table_row(table, NULL);
	char buf[64] = "unnamed";

	if (from)
		snprintf(buf, sizeof(buf), "%d", from->id);
	tm_row_cell(table, row, 0, buf);
	for (size_t k = 0; k < nr; k++) {
		struct cell cell = cell_of(m, figure, from, to[k]);

		tm_row_cell(table, row, k + 1, cell_text(&cell, buf));
	}
}

static int print_part(const struct tm_machine *m, enum figure figure,
		      const struct tm_table_style *style, const struct tm_node *const *to,
		      size_t nr, char **text, struct tm_error *err)
{
	struct tm_table *table = tm_table_new(style);
	char buf[64];
	int rc;

	if (!table)
		return tm_error_nomem(err);
	tm_table_column(table, "FROM\\TO", true, false, false);
	for (size_t k = 0; k < nr; k++) {
		snprintf(buf, sizeof(buf), "%d", to[k]->id);
		tm_table_column(table, buf, true, false, false);
	}
	for (size_t i = 0; i < m->nr_nodes; i++)
		if (is_row(m, figure, &m->nodes[i]))
			add_row(table, m, figure, &m->nodes[i], to, nr);
	if (has_figure(m, figure, NULL))
		add_row(table, m, figure, NULL, to, nr);
	rc = tm_table_print(table, text, err);
	tm_table_free(table);
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

/* Prints as many of the targets as fit; *nr becomes their number. */
static int print_fitting(const struct tm_machine *m, enum figure figure,
			 const struct tm_table_style *style, size_t width,
			 const struct tm_node *const *to, size_t *nr, char **text,
			 struct tm_error *err)
{
	for (;;) {
		char *part = NULL;
		size_t widest;
		int rc = print_part(m, figure, style, to, *nr, &part, err);

		if (rc)
			return rc;
		widest = part ? widest_line(part) : 0;
		if (!width || widest <= width || *nr == 1) {
			*text = part;
			return 0;
		}
		free(part);
		*nr = TM_MAX(TM_MIN(*nr - 1, *nr * width / widest), (size_t)1);
	}
}

static int add_grid(const struct tm_machine *m, enum figure figure,
		    const struct tm_table_style *style, size_t width, struct tm_buf *out,
		    struct tm_error *err)
{
	const struct tm_node **to = calloc(m->nr_nodes + 1, sizeof(*to));
	size_t nr = 0, part;
	bool any = has_figure(m, figure, NULL);
	char *text = NULL;
	int rc = 0;

	if (!to)
		return tm_error_nomem(err);
	for (size_t k = 0; k < m->nr_nodes; k++) {
		if (figure == DISTANCE || tm_node_has_memory(m, &m->nodes[k]))
			to[nr++] = &m->nodes[k];
		any |= has_figure(m, figure, &m->nodes[k]);
	}
	for (size_t first = 0; any && first < nr && !rc; first += part) {
		part = nr - first;
		rc = print_fitting(m, figure, style, width, to + first, &part, &text, err);
		if (rc)
			break;
		tm_buf_addf(out, "%s%s%s\n%s", out->len ? "\n" : "", titles[figure],
			    first ? " (continued)" : "", text);
		free(text);
	}
	free(to);
	return rc;
}

static void add_list_row(struct tm_table *table, const struct tm_node *from,
			 const struct tm_node *to, struct tm_num distance,
			 const struct tm_perf *perf, const char *source)
{
	struct tm_row *row = tm_table_row(table, NULL);
	char buf[64];

	snprintf(buf, sizeof(buf), "%d", to->id);
	tm_row_cell(table, row, 1, buf);
	snprintf(buf, sizeof(buf), "%d", from ? from->id : -1);
	tm_row_cell(table, row, 0, from ? buf : "-");
	tm_row_cell(table, row, 2, number_text(distance, buf));
	for (int f = READ_LATENCY; f < NR_FIGURES; f++)
		tm_row_cell(table, row, (size_t)f + 2,
			    number_text(figure_in(perf, (enum figure)f), buf));
	tm_row_cell(table, row, NR_FIGURES + 2, source);
}

/* The kernel's row for each pair, with what else is known of it below. */
static void add_list_rows(struct tm_table *table, const struct tm_machine *m,
			  const struct tm_node *from)
{
	for (size_t k = 0; k < m->nr_nodes; k++) {
		const struct tm_node *to = &m->nodes[k];
		const struct tm_perf *kernel = pair_of(m, TM_SOURCE_SYSFS, from, to);

		if (from || kernel)
			add_list_row(table, from, to, distance_of(from, to), kernel, "sysfs");
		for (int s = TM_SOURCE_HMAT; s <= TM_SOURCE_ESTIMATED; s++) {
			const struct tm_perf *perf = pair_of(m, (enum tm_source)s, from, to);

			if (perf)
				add_list_row(table, from, to,
					     s == TM_SOURCE_HMAT ? table_distance(m, from, to) :
								   tm_num_none(TM_UNKNOWN),
					     perf, tm_source_name((enum tm_source)s));
		}
	}
}

static int make_list(const struct tm_machine *m, const struct tm_table_style *style, char **text,
		     struct tm_error *err)
{
	static const char *const heading[] = { "FROM", "TO",	 "DISTANCE", "R-NS",
					       "W-NS", "R-MB/s", "W-MB/s",   "SOURCE" };
	struct tm_table *table = tm_table_new(style);
	int rc;

	if (!table)
		return tm_error_nomem(err);
	for (size_t i = 0; i < TM_ARRAY_SIZE(heading); i++)
		tm_table_column(table, heading[i], true, false, false);
	for (size_t i = 0; i < m->nr_nodes; i++)
		add_list_rows(table, m, &m->nodes[i]);
	add_list_rows(table, m, NULL);
	rc = tm_table_print(table, text, err);
	tm_table_free(table);
	return rc;
}

/* Explains the marks that the grids use, and no others. */
static void add_legend(const struct tm_machine *m, struct tm_buf *out)
{
	bool best = false, differs = false, partial = false;

	for (int f = 0; f < NR_FIGURES; f++) {
		for (size_t k = 0; k < m->nr_nodes; k++) {
			/* The row of unnamed initiators comes last. */
			for (size_t i = 0; i <= m->nr_nodes; i++) {
				struct cell cell = cell_of(m, (enum figure)f,
							   i < m->nr_nodes ? &m->nodes[i] : NULL,
							   &m->nodes[k]);

				best |= cell.best && !tm_num_is(&cell.kernel);
				differs |= tm_num_is(&cell.kernel);
				partial |= cell.partial && tm_num_is(&cell.number);
			}
		}
	}
	if (best || differs || partial)
		tm_buf_addc(out, '\n');
	if (best)
		tm_buf_adds(out,
			    "* the kernel's best initiators; the others are in the firmware's HMAT "
			    "alone\n");
	if (differs)
		tm_buf_adds(out, "n(m) the firmware says n, the kernel m\n");
	if (partial)
		tm_buf_adds(
			out,
			"~ the device's own figure, or an estimate: the way to it is not in it\n");
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
		rc = add_grid(&t->machine, (enum figure)f, &wide, style->width, &out, err);
	if (!rc)
		add_legend(&t->machine, &out);
	if (!rc && t->machine.nr_nodes && !t->machine.nr_perf)
		tm_buf_addf(&out, "%sNo latency or bandwidth is known.\n", out.len ? "\n" : "");
	whole = tm_buf_detach(&out);
	if (!rc && !whole)
		rc = tm_error_nomem(err);
	if (rc)
		free(whole);
	else
		*text = whole;
	return rc;
}
