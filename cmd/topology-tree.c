/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `tiermem topology --tree`: tiers with their nodes, then each CXL device's way to its node: memdev
 * → endpoint → decoder → region → dax → node → tier → weight.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/topology-view.h"
#include "lib/base/units.h"

enum column { NAME, SIZE, DETAIL };

struct tree {
	struct tm_table *table;
	const struct topology *t;
	struct tm_buf text;
};

static struct tm_row *add(struct tree *tree, struct tm_row *parent, const char *name,
			  struct tm_num size)
{
	struct tm_row *row = tm_table_row(tree->table, parent);
	char units[TM_UNITS_MAX];
	struct tm_buf safe = TM_BUF_INIT;

	tm_buf_add_printable(&safe, name, strlen(name));
	tm_row_cell(tree->table, row, NAME, tm_buf_str(&safe));
	tm_buf_release(&safe);
	tm_row_cell(tree->table, row, SIZE,
		    tm_num_is(&size) ? tm_format_bytes(units, size.value) : "-");
	tm_buf_reset(&tree->text);
	return row;
}

/* Words gathered in tree->text become the row's detail. */
static void word(struct tree *tree, const char *fmt, ...) TM_PRINTF(2, 3);

static void word(struct tree *tree, const char *fmt, ...)
{
	struct tm_buf plain = TM_BUF_INIT;
	va_list ap;

	if (tree->text.len)
		tm_buf_adds(&tree->text, ", ");
	va_start(ap, fmt);
	tm_buf_vaddf(&plain, fmt, ap);
	va_end(ap);
	tm_buf_add_printable(&tree->text, tm_buf_str(&plain), plain.len);
	tm_buf_release(&plain);
}

static void detail(struct tree *tree, struct tm_row *row)
{
	tm_row_cell(tree->table, row, DETAIL, tm_buf_str(&tree->text));
}

static void add_node(struct tree *tree, struct tm_row *parent, const struct tm_node *node,
		     bool with_tier)
{
	const struct tm_perf *best = tm_machine_best(&tree->t->machine, node->id);
	struct tm_num bandwidth = best ? tm_perf_bandwidth(best) : tm_num_none(TM_UNKNOWN);
	struct tm_num none = tm_num_none(TM_UNKNOWN);
	struct tm_row *row, *cache;
	char name[32];

	snprintf(name, sizeof(name), "node%d", node->id);
	row = add(tree, parent, name,
		  tm_node_has_memory(&tree->t->machine, node) ? node->memory_total : none);
	if (!node->online)
		word(tree, "offline");
	if (tm_node_has_memory(&tree->t->machine, node))
		word(tree, "%s", tm_kind_name(node->kind));
	else
		word(tree, "no memory");
	if (with_tier && tm_num_is(&node->tier))
		word(tree, "tier %" PRIu64, node->tier.value);
	if (tm_num_is(&node->weight))
		word(tree, "weight %" PRIu64, node->weight.value);
	if (tm_num_is(&bandwidth))
		word(tree, "%" PRIu64 " MB/s", bandwidth.value);
	if (best && tm_num_is(&best->read_latency))
		word(tree, "%" PRIu64 " ns", best->read_latency.value);
	if (!tm_idset_empty(&node->cpus)) {
		char *cpus = tm_idset_format(&node->cpus);

		word(tree, "CPUs %s", cpus ? cpus : "?");
		free(cpus);
	}
	detail(tree, row);
	for (size_t i = 0; i < node->nr_caches; i++) {
		snprintf(name, sizeof(name), "cache%d", node->caches[i].level);
		cache = add(tree, row, name, node->caches[i].size);
		word(tree, "memory-side cache");
		if (node->caches[i].indexing)
			word(tree, "%s", node->caches[i].indexing);
		if (node->caches[i].write_policy)
			word(tree, "%s", node->caches[i].write_policy);
		detail(tree, cache);
	}
}

static void add_tiers(struct tree *tree)
{
	const struct tm_machine *m = &tree->t->machine;
	struct tm_num none = tm_num_none(TM_UNKNOWN);
	struct tm_row *row;
	char name[32];

	for (size_t i = 0; i < m->nr_tiers; i++) {
		snprintf(name, sizeof(name), "tier%d", m->tiers[i].id);
		row = add(tree, NULL, name, none);
		if (i == 0)
			word(tree, "fastest");
		detail(tree, row);
		for (size_t n = 0; n < m->nr_nodes; n++)
			if (tm_idset_has(&m->tiers[i].nodes, m->nodes[n].id))
				add_node(tree, row, &m->nodes[n], false);
	}
	/* Nodes of no tier: without memory, or on kernels without tiers. */
	for (size_t n = 0; n < m->nr_nodes; n++)
		if (!tm_num_is(&m->nodes[n].tier))
			add_node(tree, NULL, &m->nodes[n], false);
}

static void add_dax(struct tree *tree, struct tm_row *parent, const struct tm_dax *dax)
{
	const struct tm_machine *m = &tree->t->machine;
	struct tm_row *row = add(tree, parent, dax->name, dax->size);
	const struct tm_node *node = NULL;

	word(tree, "%s", dax->driver[0] ? dax->driver : "no driver");
	if (tm_num_is(&dax->target_node)) {
		node = tm_machine_node(m, (long)dax->target_node.value);
		if (!node || !tm_node_has_memory(m, node))
			word(tree, "for node%" PRIu64 ", which has no memory",
			     dax->target_node.value);
	}
	detail(tree, row);
	if (node && tm_node_has_memory(m, node))
		add_node(tree, row, node, true);
}

static void add_region(struct tree *tree, struct tm_row *parent, const struct tm_cxl_region *region)
{
	const struct tm_machine *m = &tree->t->machine;
	struct tm_row *row = add(tree, parent, region->name, region->size);
	bool any = false;

	if (region->mode.state == TM_KNOWN)
		word(tree, "%s", region->mode.value);
	if (tm_num_is(&region->ways))
		word(tree, "%" PRIu64 "-way", region->ways.value);
	if (tm_num_is(&region->granularity))
		word(tree, "granularity %" PRIu64, region->granularity.value);
	if (tm_num_is(&region->commit) && !region->commit.value)
		word(tree, "not committed");
	detail(tree, row);
	for (size_t i = 0; i < m->cxl.nr_dax; i++) {
		if (strcmp(m->cxl.dax[i].region, region->name))
			continue;
		add_dax(tree, row, &m->cxl.dax[i]);
		any = true;
	}
	/* Memory that the firmware set up has no dax device: its blocks lie in the region. */
	for (size_t i = 0; i < m->nr_nodes && !any; i++)
		if (tm_idset_has(&m->nodes[i].region_blocks, region->id))
			add_node(tree, row, &m->nodes[i], true);
}

static void add_decoders(struct tree *tree, struct tm_row *parent,
			 const struct tm_cxl_port *endpoint)
{
	const struct tm_cxl *cxl = &tree->t->machine.cxl;

	for (size_t i = 0; i < cxl->nr_decoders; i++) {
		const struct tm_cxl_decoder *d = &cxl->decoders[i];
		const struct tm_cxl_region *region = tm_cxl_region_find(cxl, d->region);
		struct tm_row *row;

		/* Decoders that nothing is made of would only fill the screen. */
		if (strcmp(d->port, endpoint->name) ||
		    (!d->region[0] && !(tm_num_is(&d->size) && d->size.value)))
			continue;
		row = add(tree, parent, d->name, d->size);
		if (d->mode.state == TM_KNOWN)
			word(tree, "%s", d->mode.value);
		if (tm_num_is(&d->start))
			word(tree, "at 0x%" PRIx64, d->start.value);
		if (!d->region[0])
			word(tree, "no region");
		detail(tree, row);
		if (region)
			add_region(tree, row, region);
	}
}

static void add_memdev(struct tree *tree, const struct tm_cxl_memdev *memdev)
{
	const struct tm_cxl *cxl = &tree->t->machine.cxl;
	const struct tm_cxl_port *endpoint = tm_cxl_port_find(cxl, memdev->endpoint);
	const struct tm_link *link = &memdev->link;
	struct tm_num size = memdev->ram_size;
	struct tm_row *row;

	if (tm_num_is(&size) && tm_num_is(&memdev->pmem_size))
		size.value += memdev->pmem_size.value;
	row = add(tree, NULL, memdev->name, size);
	if (memdev->pci[0])
		word(tree, "PCI %s", memdev->pci);
	if (tm_num_is(&link->speed) && tm_num_is(&link->width))
		word(tree, "link %.1f GT/s x%" PRIu64, (double)link->speed.value / 1000,
		     link->width.value);
	if (tm_num_is(&link->max_speed) && tm_num_is(&link->max_width))
		word(tree, "of %.1f GT/s x%" PRIu64, (double)link->max_speed.value / 1000,
		     link->max_width.value);
	if (tm_num_is(&memdev->numa_node))
		word(tree, "CPUs at node%" PRIu64, memdev->numa_node.value);
	detail(tree, row);
	if (!endpoint)
		return;
	row = add(tree, row, endpoint->name, tm_num_none(TM_UNKNOWN));
	word(tree, "below %s", endpoint->parent[0] ? endpoint->parent : "?");
	detail(tree, row);
	add_decoders(tree, row, endpoint);
}

int topology_tree(const struct topology *t, const struct tm_table_style *style, char **text,
		  struct tm_error *err)
{
	struct tree tree = { tm_table_new(style), t, TM_BUF_INIT };
	int rc;

	if (!tree.table)
		return tm_error_nomem(err);
	tm_table_column(tree.table, "NAME", false, false, true);
	tm_table_column(tree.table, "SIZE", true, false, false);
	tm_table_column(tree.table, "DETAIL", false, true, false);
	add_tiers(&tree);
	for (size_t i = 0; i < t->machine.cxl.nr_memdevs; i++)
		add_memdev(&tree, &t->machine.cxl.memdevs[i]);
	/*
	 * Memory by device DAX that is not CXL: persistent memory, memory reserved by the firmware.
	 */
	for (size_t i = 0; i < t->machine.cxl.nr_dax; i++)
		if (!t->machine.cxl.dax[i].region[0])
			add_dax(&tree, NULL, &t->machine.cxl.dax[i]);
	rc = tree.text.failed ? tm_error_nomem(err) : tm_table_print(tree.table, text, err);
	tm_buf_release(&tree.text);
	tm_table_free(tree.table);
	return rc;
}
