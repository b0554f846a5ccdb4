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

enum column { NAME, SIZE, DETAIL, PARENT };

/* Longer lists of CPUs are only counted: the table has them. */
#define CPUS_SHOWN 24

struct tree {
	struct tm_table *table;
	const struct topology *t;
	bool raw; /* a list: parents are named, not drawn, and sizes are exact */
	bool failed;
	struct tm_buf words; /* the detail of the row that was added last */
};

struct branch {
	struct tm_row *row;
	char name[TM_NAME_MAX];
};

static struct branch add(struct tree *tree, const struct branch *parent, const char *name,
			 struct tm_num size)
{
	struct branch branch = { .row = tm_table_row(tree->table, parent ? parent->row : NULL) };
	struct tm_buf safe = TM_BUF_INIT;
	char bytes[TM_UNITS_MAX] = "-";

	tm_buf_add_printable(&safe, name, strlen(name));
	tree->failed |= safe.failed;
	snprintf(branch.name, sizeof(branch.name), "%s", tm_buf_str(&safe));
	tm_row_cell(tree->table, branch.row, NAME, tm_buf_str(&safe));
	tm_buf_release(&safe);
	if (tm_num_is(&size) && tree->raw)
		snprintf(bytes, sizeof(bytes), "%" PRIu64, size.value);
	else if (tm_num_is(&size))
		tm_format_bytes(bytes, size.value);
	tm_row_cell(tree->table, branch.row, SIZE, bytes);
	if (tree->raw)
		tm_row_cell(tree->table, branch.row, PARENT, parent ? parent->name : "-");
	tm_buf_reset(&tree->words);
	return branch;
}

static void word(struct tree *tree, const char *fmt, ...) TM_PRINTF(2, 3);

static void word(struct tree *tree, const char *fmt, ...)
{
	struct tm_buf plain = TM_BUF_INIT;
	va_list ap;

	if (tree->words.len)
		tm_buf_adds(&tree->words, ", ");
	va_start(ap, fmt);
	tm_buf_vaddf(&plain, fmt, ap);
	va_end(ap);
	tm_buf_add_printable(&tree->words, tm_buf_str(&plain), plain.len);
	tree->failed |= plain.failed;
	tm_buf_release(&plain);
}

/* The words since add() become the row's detail. */
static void detail(struct tree *tree, const struct branch *branch)
{
	tree->failed |= tree->words.failed;
	tm_row_cell(tree->table, branch->row, DETAIL, tm_buf_str(&tree->words));
}

static void cpus_word(struct tree *tree, const struct tm_idset *set)
{
	char *list = tm_idset_format(set);

	if (!list)
		tree->failed = true;
	else if (strlen(list) > CPUS_SHOWN)
		word(tree, "%zu CPUs", tm_idset_count(set));
	else if (*list)
		word(tree, "CPUs %s", list);
	free(list);
}

static void add_caches(struct tree *tree, const struct branch *parent, const struct tm_node *node)
{
	for (size_t i = 0; i < node->nr_caches; i++) {
		const struct tm_side_cache *cache = &node->caches[i];
		struct branch branch;
		char name[32];

		snprintf(name, sizeof(name), "cache%d", cache->level);
		branch = add(tree, parent, name, cache->size);
		word(tree, "memory-side cache");
		if (cache->indexing)
			word(tree, "%s", cache->indexing);
		if (cache->write_policy)
			word(tree, "%s", cache->write_policy);
		detail(tree, &branch);
	}
}

static void add_node(struct tree *tree, const struct branch *parent, const struct tm_node *node,
		     bool with_tier)
{
	const struct tm_machine *m = &tree->t->machine;
	const struct tm_perf *best = tm_machine_shown(m, node->id);
	struct tm_num bandwidth = best ? tm_perf_bandwidth(best) : tm_num_none(TM_UNKNOWN);
	bool memory = tm_node_has_memory(m, node);
	struct branch branch;
	char name[32];

	snprintf(name, sizeof(name), "node%d", node->id);
	branch = add(tree, parent, name, memory ? node->memory_total : tm_num_none(TM_UNKNOWN));
	if (!node->online)
		word(tree, "offline");
	if (memory || node->kind != TM_KIND_UNKNOWN)
		word(tree, "%s", tm_kind_name(node->kind));
	if (!memory)
		word(tree, "no memory");
	if (node->generic_initiator)
		word(tree, "generic initiator");
	if (with_tier && tm_num_is(&node->tier))
		word(tree, "tier %" PRIu64, node->tier.value);
	/* Kernels before 6.16 have one for every possible node; without memory it means nothing. */
	if (memory && tm_num_is(&node->weight))
		word(tree, "weight %" PRIu64, node->weight.value);
	if (tm_num_is(&bandwidth))
		word(tree, "%" PRIu64 " MB/s", bandwidth.value);
	if (best && tm_num_is(&best->read_latency))
		word(tree, "%" PRIu64 " ns", best->read_latency.value);
	if (best && best->source != TM_SOURCE_SYSFS)
		word(tree, "by %s%s", tm_source_name(best->source),
		     best->complete ? "" : ", incomplete");
	cpus_word(tree, &node->cpus);
	detail(tree, &branch);
	add_caches(tree, &branch, node);
}

static struct tm_num tier_size(const struct tm_machine *m, const struct tm_tier *tier)
{
	struct tm_num sum = tm_num_none(TM_UNKNOWN);

	for (size_t i = 0; i < m->nr_nodes; i++)
		if (tm_idset_has(&tier->nodes, m->nodes[i].id) &&
		    tm_num_is(&m->nodes[i].memory_total))
			sum = tm_num_known(sum.value + m->nodes[i].memory_total.value);
	return sum;
}

static void add_tiers(struct tree *tree)
{
	const struct tm_machine *m = &tree->t->machine;

	for (size_t i = 0; i < m->nr_tiers; i++) {
		struct branch branch;
		char name[32];

		snprintf(name, sizeof(name), "tier%d", m->tiers[i].id);
		branch = add(tree, NULL, name, tier_size(m, &m->tiers[i]));
		if (m->nr_tiers > 1 && i == 0)
			word(tree, "fastest");
		if (m->nr_tiers > 1 && i == m->nr_tiers - 1)
			word(tree, "slowest");
		detail(tree, &branch);
		for (size_t n = 0; n < m->nr_nodes; n++)
			if (tm_idset_has(&m->tiers[i].nodes, m->nodes[n].id))
				add_node(tree, &branch, &m->nodes[n], false);
	}
	/* Nodes of no tier: without memory, or on kernels without tiers. */
	for (size_t n = 0; n < m->nr_nodes; n++)
		if (!tm_num_is(&m->nodes[n].tier))
			add_node(tree, NULL, &m->nodes[n], false);
}

static void add_dax(struct tree *tree, const struct branch *parent, const struct tm_dax *dax)
{
	const struct tm_machine *m = &tree->t->machine;
	struct branch branch = add(tree, parent, dax->name, dax->size);
	const struct tm_node *node = NULL;

	word(tree, "%s", dax->driver[0] ? dax->driver : "no driver");
	if (tm_num_is(&dax->target_node)) {
		node = tm_machine_node(m, (long)dax->target_node.value);
		if (!node || !tm_node_has_memory(m, node)) {
			word(tree, "for node%" PRIu64 ", which has no memory",
			     dax->target_node.value);
			node = NULL;
		}
	}
	detail(tree, &branch);
	if (node)
		add_node(tree, &branch, node, true);
}

static void add_region(struct tree *tree, const struct branch *parent,
		       const struct tm_cxl_region *region)
{
	const struct tm_machine *m = &tree->t->machine;
	struct branch branch = add(tree, parent, region->name, region->size);
	bool any = false;

	if (region->mode.state == TM_KNOWN)
		word(tree, "%s", region->mode.value);
	if (tm_num_is(&region->ways))
		word(tree, "%" PRIu64 "-way", region->ways.value);
	if (tm_num_is(&region->granularity))
		word(tree, "granularity %" PRIu64, region->granularity.value);
	if (region->decoder[0])
		word(tree, "in %s", region->decoder);
	if (tm_num_is(&region->commit) && !region->commit.value)
		word(tree, "not committed");
	detail(tree, &branch);
	for (size_t i = 0; i < m->cxl.nr_dax; i++) {
		if (strcmp(m->cxl.dax[i].region, region->name))
			continue;
		add_dax(tree, &branch, &m->cxl.dax[i]);
		any = true;
	}
	/* Memory that the firmware set up has no dax device: its blocks lie in the region. */
	for (size_t i = 0; i < m->nr_nodes && !any; i++)
		if (tm_idset_has(&m->nodes[i].region_blocks, region->id))
			add_node(tree, &branch, &m->nodes[i], true);
}

/* Decoders of which nothing is made would only fill the screen. */
static bool is_used(const struct tm_cxl_decoder *decoder)
{
	return decoder->region[0] || (tm_num_is(&decoder->size) && decoder->size.value);
}

static void add_decoders(struct tree *tree, const struct branch *parent,
			 const struct tm_cxl_port *endpoint)
{
	const struct tm_cxl *cxl = &tree->t->machine.cxl;

	for (size_t i = 0; i < cxl->nr_decoders; i++) {
		const struct tm_cxl_decoder *d = &cxl->decoders[i];
		const struct tm_cxl_region *region = tm_cxl_region_find(cxl, d->region);
		struct branch branch;

		if (strcmp(d->port, endpoint->name) || !is_used(d))
			continue;
		/* What the device gives; the decoder's own size is that of the whole region. */
		branch =
			add(tree, parent, d->name, tm_num_is(&d->dpa_size) ? d->dpa_size : d->size);
		if (d->mode.state == TM_KNOWN)
			word(tree, "%s", d->mode.value);
		if (tm_num_is(&d->start))
			word(tree, "at 0x%" PRIx64, d->start.value);
		if (d->region_state == TM_NOT_PROVIDED)
			word(tree, "no region");
		detail(tree, &branch);
		if (region)
			add_region(tree, &branch, region);
	}
}

/* The ports between the root and this one: "port1, port2". */
static void way_word(struct tree *tree, const struct tm_cxl_port *port)
{
	const struct tm_cxl *cxl = &tree->t->machine.cxl;
	char way[160] = "", longer[160];
	size_t most = cxl->nr_ports; /* a circle of parents ends */

	for (; most-- && port && port->parent[0]; port = tm_cxl_port_find(cxl, port->parent)) {
		snprintf(longer, sizeof(longer), "%.60s%s%.90s", port->parent, *way ? " " : "",
			 way);
		strcpy(way, longer);
	}
	if (*way)
		word(tree, "below %s", way);
}

static void link_words(struct tree *tree, const struct tm_link *link)
{
	bool below = false;

	if (!tm_num_is(&link->speed) || !tm_num_is(&link->width))
		return;
	if (tm_num_is(&link->max_speed) && tm_num_is(&link->max_width))
		below = link->speed.value < link->max_speed.value ||
			link->width.value < link->max_width.value;
	if (below)
		word(tree, "%.1f GT/s x%" PRIu64 " of %.1f GT/s x%" PRIu64,
		     (double)link->speed.value / 1000, link->width.value,
		     (double)link->max_speed.value / 1000, link->max_width.value);
	else
		word(tree, "%.1f GT/s x%" PRIu64, (double)link->speed.value / 1000,
		     link->width.value);
}

static void add_memdev(struct tree *tree, const struct tm_cxl_memdev *memdev)
{
	const struct tm_cxl_port *endpoint =
		tm_cxl_port_find(&tree->t->machine.cxl, memdev->endpoint);
	struct tm_num size = memdev->ram_size;
	struct branch branch;

	if (tm_num_is(&size) && tm_num_is(&memdev->pmem_size))
		size.value += memdev->pmem_size.value;
	branch = add(tree, NULL, memdev->name, size);
	if (memdev->pci[0])
		word(tree, "PCI %s", memdev->pci);
	link_words(tree, &memdev->link);
	if (tm_num_is(&memdev->numa_node))
		word(tree, "near node%" PRIu64, memdev->numa_node.value);
	detail(tree, &branch);
	if (!endpoint)
		return;
	branch = add(tree, &branch, endpoint->name, tm_num_none(TM_UNKNOWN));
	way_word(tree, endpoint);
	detail(tree, &branch);
	add_decoders(tree, &branch, endpoint);
}

static bool has_member(const struct tm_cxl *cxl, const struct tm_cxl_region *region)
{
	for (size_t i = 0; i < cxl->nr_decoders; i++)
		if (!strcmp(cxl->decoders[i].region, region->name) &&
		    tm_cxl_decoder_memdev(cxl, &cxl->decoders[i]))
			return true;
	return false;
}

/* What no memory device leads to. */
static void add_rest(struct tree *tree)
{
	const struct tm_cxl *cxl = &tree->t->machine.cxl;

	for (size_t i = 0; i < cxl->nr_regions; i++)
		if (!has_member(cxl, &cxl->regions[i]))
			add_region(tree, NULL, &cxl->regions[i]);
	for (size_t i = 0; i < cxl->nr_decoders; i++) {
		const struct tm_cxl_decoder *d = &cxl->decoders[i];
		struct branch branch;

		if (d->kind != TM_PORT_ROOT || tm_cxl_window_used(cxl, d))
			continue;
		branch = add(tree, NULL, d->name, d->size);
		word(tree, "window, unpopulated");
		detail(tree, &branch);
	}
	/* Device DAX that is not CXL: persistent memory, memory reserved by the firmware. */
	for (size_t i = 0; i < cxl->nr_dax; i++)
		if (!tm_cxl_region_find(cxl, cxl->dax[i].region))
			add_dax(tree, NULL, &cxl->dax[i]);
}

int topology_tree(const struct topology *t, const struct tm_table_style *style, char **text,
		  struct tm_error *err)
{
	struct tree tree = { .table = tm_table_new(style), .t = t, .raw = style->raw };
	int rc;

	if (!tree.table)
		return tm_error_nomem(err);
	tm_table_column(tree.table, "NAME", false, false, !style->raw);
	tm_table_column(tree.table, "SIZE", true, false, false);
	tm_table_column(tree.table, "DETAIL", false, true, false);
	if (style->raw)
		tm_table_column(tree.table, "PARENT", false, false, false);
	add_tiers(&tree);
	for (size_t i = 0; i < t->machine.cxl.nr_memdevs; i++)
		add_memdev(&tree, &t->machine.cxl.memdevs[i]);
	add_rest(&tree);
	rc = tree.failed ? tm_error_nomem(err) : tm_table_print(tree.table, text, err);
	tm_buf_release(&tree.words);
	tm_table_free(tree.table);
	return rc;
}
