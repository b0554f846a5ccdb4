/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of `tiermem topology`: one per node, described by one field table. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/topology-view.h"
#include "lib/base/units.h"

#define ROW(record) ((const struct node_row *)(record))
#define NODE(record) (ROW(record)->node)

static void get_id(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known((uint64_t)NODE(record)->id));
}

static void get_online(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known(NODE(record)->online));
}

static void get_cpus(const void *record, struct tm_cell *cell)
{
	cell->state = NODE(record)->cpus_state;
	cell->set = &NODE(record)->cpus;
}

static void get_kind(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, tm_kind_name(NODE(record)->kind));
}

static void get_kind_why(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, NODE(record)->kind_why);
}

static void get_tier(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, NODE(record)->tier);
}

static void get_weight(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, NODE(record)->weight);
}

static void get_total(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, NODE(record)->memory_total);
}

static void get_free(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, NODE(record)->memory_free);
}

/*
 * What the kernel does not say itself may leave out the way from the CPU: such figures are marked.
 */
static void figure(const void *record, struct tm_cell *cell, size_t offset)
{
	const struct tm_perf *best = ROW(record)->best;

	if (!best)
		return;
	tm_cell_num(cell, *(const struct tm_num *)((const char *)best + offset));
	cell->approximate = best->source != TM_SOURCE_SYSFS && !best->complete &&
			    cell->state == TM_KNOWN;
}

static void get_read_bandwidth(const void *record, struct tm_cell *cell)
{
	figure(record, cell, offsetof(struct tm_perf, read_bandwidth));
}

static void get_write_bandwidth(const void *record, struct tm_cell *cell)
{
	figure(record, cell, offsetof(struct tm_perf, write_bandwidth));
}

static void get_read_latency(const void *record, struct tm_cell *cell)
{
	figure(record, cell, offsetof(struct tm_perf, read_latency));
}

static void get_write_latency(const void *record, struct tm_cell *cell)
{
	figure(record, cell, offsetof(struct tm_perf, write_latency));
}

static void get_initiators(const void *record, struct tm_cell *cell)
{
	cell->state = ROW(record)->best ? TM_KNOWN : TM_UNKNOWN;
	cell->set = &ROW(record)->initiators;
}

static void get_source(const void *record, struct tm_cell *cell)
{
	if (ROW(record)->best)
		tm_cell_string(cell, tm_source_name(ROW(record)->best->source));
}

static void get_domain(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, NODE(record)->domain);
}

static void get_distances(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->distances);
	if (!ROW(record)->distances)
		cell->state = NODE(record)->distances_state;
}

static void get_zones(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->zones);
	if (!ROW(record)->zones && NODE(record)->zones_state != TM_KNOWN)
		cell->state = NODE(record)->zones_state;
}

static void get_blocks(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->blocks);
}

static void get_caches(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->caches);
}

static void get_devices(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->devices);
}

const struct tm_field node_fields[] = {
	{ "id", "NODE", TM_FIELD_NUMBER, true, false, false, "node id", get_id },
	{ "domain", "DOMAIN", TM_FIELD_NUMBER, false, false, false,
	  "proximity domain in the firmware's tables", get_domain },
	{ "online", "ONLINE", TM_FIELD_BOOL, false, false, false, "is the node online",
	  get_online },
	{ "kind", "KIND", TM_FIELD_TEXT, true, false, false,
	  "kind of memory: dram, hbm, cxl, pmem, unknown", get_kind },
	{ "kind_why", "WHY", TM_FIELD_TEXT, false, false, true, "what the kind was concluded from",
	  get_kind_why },
	{ "tier", "TIER", TM_FIELD_NUMBER, true, false, false, "memory tier; lower is faster",
	  get_tier },
	{ "cpus", "CPUS", TM_FIELD_SET, true, false, true, "CPUs of the node", get_cpus },
	{ "memory_total_bytes", "TOTAL", TM_FIELD_BYTES, true, false, false, "memory", get_total },
	{ "memory_free_bytes", "FREE", TM_FIELD_BYTES, true, false, false, "memory that is free",
	  get_free },
	{ "read_bandwidth_mbps", "R-MB/s", TM_FIELD_NUMBER, true, true, false,
	  "read bandwidth from the best CPUs", get_read_bandwidth },
	{ "write_bandwidth_mbps", "W-MB/s", TM_FIELD_NUMBER, true, true, false,
	  "write bandwidth from the best CPUs", get_write_bandwidth },
	{ "read_latency_ns", "R-NS", TM_FIELD_NUMBER, true, true, false,
	  "read latency from the best CPUs", get_read_latency },
	{ "write_latency_ns", "W-NS", TM_FIELD_NUMBER, true, true, false,
	  "write latency from the best CPUs", get_write_latency },
	{ "source", "SOURCE", TM_FIELD_TEXT, false, true, false,
	  "who gives these figures: sysfs, hmat, cdat, estimated", get_source },
	{ "initiators", "FROM", TM_FIELD_SET, false, true, false, "nodes of those best CPUs",
	  get_initiators },
	{ "weight", "WEIGHT", TM_FIELD_NUMBER, true, false, false, "weight for weighted interleave",
	  get_weight },
	{ "distances", "DISTANCES", TM_FIELD_TEXT, false, true, true,
	  "distance to each node, as node:distance", get_distances },
	{ "zones", "ZONES", TM_FIELD_TEXT, false, true, true, "zones with memory", get_zones },
	{ "blocks", "BLOCKS", TM_FIELD_TEXT, false, true, false, "memory blocks online/all",
	  get_blocks },
	{ "caches", "CACHES", TM_FIELD_TEXT, false, true, true,
	  "memory-side caches, nearest the memory first", get_caches },
	{ "devices", "DEVICES", TM_FIELD_TEXT, false, true, true,
	  "dax devices and CXL regions behind it", get_devices },
};

const size_t nr_node_fields = TM_ARRAY_SIZE(node_fields);

static void add_word(struct tm_buf *buf, const char *word)
{
	tm_buf_addf(buf, "%s%s", buf->len ? "," : "", word);
}

/* Gives away the text, or NULL for an empty one. */
static char *finish(struct tm_buf *buf, bool *failed)
{
	char *text = NULL;

	*failed |= buf->failed;
	if (buf->len)
		text = tm_buf_detach(buf);
	tm_buf_release(buf);
	return text;
}

static bool describe(struct node_row *row)
{
	const struct tm_node *node = row->node;
	const struct tm_cxl *cxl = &row->machine->cxl;
	struct tm_buf buf = TM_BUF_INIT;
	char units[TM_UNITS_MAX];
	bool failed = false;

	for (size_t i = 0; i < node->nr_zones; i++)
		add_word(&buf, node->zones[i].name);
	row->zones = finish(&buf, &failed);
	for (size_t i = 0; i < node->nr_distances; i++)
		tm_buf_addf(&buf, "%s%d:%d", i ? "," : "", node->distances[i].node,
			    node->distances[i].value);
	row->distances = finish(&buf, &failed);
	for (size_t i = 0; i < node->nr_caches; i++)
		add_word(&buf, tm_num_is(&node->caches[i].size) ?
				       tm_format_bytes(units, node->caches[i].size.value) :
				       "-");
	row->caches = finish(&buf, &failed);
	if (tm_num_is(&node->blocks.online))
		tm_buf_addf(&buf, "%" PRIu64 "/", node->blocks.online.value);
	else if (tm_num_is(&node->blocks.total))
		tm_buf_adds(&buf, "-/");
	if (tm_num_is(&node->blocks.total))
		tm_buf_addf(&buf, "%" PRIu64, node->blocks.total.value);
	row->blocks = finish(&buf, &failed);
	for (size_t i = 0; i < cxl->nr_dax; i++) {
		const struct tm_dax *dax = &cxl->dax[i];

		if (!tm_num_is(&dax->target_node) || dax->target_node.value != (uint64_t)node->id)
			continue;
		if (dax->region[0])
			add_word(&buf, dax->region);
		add_word(&buf, dax->name);
	}
	row->devices = finish(&buf, &failed);
	return failed;
}

static int fill_row(struct node_row *row, const struct tm_machine *m, const struct tm_node *node)
{
	row->machine = m;
	row->node = node;
	row->best = tm_machine_shown(m, node->id);
	for (size_t i = 0; row->best && i < m->nr_perf; i++) {
		const struct tm_perf *perf = &m->perf[i];

		/* sysfs lists all that are equally good; of a matrix it is the chosen row. */
		if (perf != row->best &&
		    (row->best->source != TM_SOURCE_SYSFS || perf->target != node->id ||
		     perf->source != row->best->source || perf->access != row->best->access))
			continue;
		if (tm_num_is(&perf->initiator) &&
		    tm_idset_add(&row->initiators, (long)perf->initiator.value))
			return -1;
	}
	return describe(row) ? -1 : 0;
}

int topology_init(struct topology *t, const struct tm_root *root,
		  const struct tm_machine_options *options, struct tm_error *err)
{
	struct topology made = { 0 };
	int rc = tm_machine_read(&made.machine, root, options, err);

	if (!rc)
		rc = tm_problems_find(&made.machine, &made.problems, err);
	if (!rc) {
		made.rows = calloc(made.machine.nr_nodes ? made.machine.nr_nodes : 1,
				   sizeof(*made.rows));
		rc = made.rows ? 0 : tm_error_nomem(err);
	}
	/* Rows point into the machine, so it moves to its place first. */
	*t = made;
	for (size_t i = 0; !rc && i < t->machine.nr_nodes; i++)
		if (fill_row(&t->rows[i], &t->machine, &t->machine.nodes[i]))
			rc = tm_error_nomem(err);
	if (rc)
		topology_release(t);
	return rc;
}

void topology_release(struct topology *t)
{
	for (size_t i = 0; t->rows && i < t->machine.nr_nodes; i++) {
		tm_idset_release(&t->rows[i].initiators);
		free(t->rows[i].zones);
		free(t->rows[i].distances);
		free(t->rows[i].caches);
		free(t->rows[i].blocks);
		free(t->rows[i].devices);
	}
	free(t->rows);
	tm_problems_release(&t->problems);
	tm_machine_release(&t->machine);
	*t = (struct topology){ 0 };
}

int topology_table(const struct topology *t, const char *columns,
		   const struct tm_table_style *style, char **text, struct tm_error *err)
{
	size_t chosen[2 * TM_ARRAY_SIZE(node_fields)], nr;
	struct tm_table *table;
	int rc = tm_field_choose(node_fields, nr_node_fields, columns, chosen, &nr, err);

	if (rc)
		return rc;
	table = tm_table_new(style);
	if (!table)
		return tm_error_nomem(err);
	tm_table_records(table, node_fields, chosen, nr, t->rows, t->machine.nr_nodes,
			 sizeof(*t->rows));
	rc = tm_table_print(table, text, err);
	tm_table_free(table);
	return rc;
}

/*
 * Ends the line that begins with `start` columns; where it would be longer than `width` (0:
 * endless), words go to further lines that are indented by `indent`.
 */
static void add_folded(struct tm_buf *out, const char *text, size_t start, size_t indent,
		       size_t width)
{
	size_t column = start;

	for (size_t len; *text; text += len + (text[len] == ' ')) {
		len = strcspn(text, " ");
		if (column > start && width && column + 1 + len > width) {
			tm_buf_addf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > start) {
			tm_buf_addc(out, ' ');
			column++;
		}
		tm_buf_add(out, text, len);
		column += len;
	}
	tm_buf_addc(out, '\n');
}

int topology_reasons(const struct topology *t, size_t width, char **text, struct tm_error *err)
{
	struct tm_buf out = TM_BUF_INIT, line = TM_BUF_INIT;

	for (size_t i = 0; i < t->machine.nr_nodes; i++) {
		const struct tm_node *node = &t->machine.nodes[i];

		tm_buf_reset(&line);
		tm_buf_addf(&line, "kind of node %d: %s (", node->id, tm_kind_name(node->kind));
		tm_buf_add_printable(&line, node->kind_why, strlen(node->kind_why));
		tm_buf_addc(&line, ')');
		add_folded(&out, tm_buf_str(&line), 0, 2, width);
		out.failed |= line.failed;
	}
	tm_buf_release(&line);
	*text = tm_buf_detach(&out);
	return *text ? 0 : tm_error_nomem(err);
}

int topology_problems(const struct topology *t, size_t width, char **text, struct tm_error *err)
{
	static const char hint[] = "  hint: ";
	struct tm_buf out = TM_BUF_INIT, line = TM_BUF_INIT;

	for (size_t i = 0; i < t->problems.nr; i++) {
		const struct tm_problem *p = &t->problems.list[i];

		tm_buf_reset(&line);
		tm_buf_addf(&line, "%s: ", tm_severity_name(p->severity));
		tm_buf_add_printable(&line, p->message, strlen(p->message));
		tm_buf_addf(&line, " [%s]", p->code);
		add_folded(&out, tm_buf_str(&line), 0, 2, width);
		out.failed |= line.failed;
		if (!p->hint[0])
			continue;
		tm_buf_reset(&line);
		tm_buf_add_printable(&line, p->hint, strlen(p->hint));
		tm_buf_adds(&out, hint);
		add_folded(&out, tm_buf_str(&line), strlen(hint), strlen(hint), width);
		out.failed |= line.failed;
	}
	tm_buf_release(&line);
	*text = tm_buf_detach(&out);
	return *text ? 0 : tm_error_nomem(err);
}
