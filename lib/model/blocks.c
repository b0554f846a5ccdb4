/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory blocks: Documentation/admin-guide/mm/memory-hotplug.rst. A large machine has a hundred
 * thousand of them, so they are counted by the links in the node's folder, and how many are online
 * is reckoned from the zones; each is asked for its state only on request. Runs after nodes, memory
 * and CXL regions are known.
 */
#include <errno.h>
#include <string.h>

#include "lib/model/read.h"

/*
 * Beyond so many blocks the folders of ordinary nodes are not even listed unless asked for. Memory
 * that came later, and so may be partly offline, is in nodes without CPUs or in movable zones.
 */
#define MANY_BLOCKS 16384

struct count {
	uint64_t total;
	uint64_t online;
	bool asked; /* every state could be read */
};

/* Does the block lie in a CXL region's address range? */
static int note_regions(const struct tm_machine *m, struct tm_node *node, uint64_t block)
{
	uint64_t start;

	if (!m->cxl.nr_regions || m->block_size.state != TM_KNOWN ||
	    __builtin_mul_overflow(block, m->block_size.value, &start))
		return 0;
	for (size_t i = 0; i < m->cxl.nr_regions; i++) {
		const struct tm_cxl_region *region = &m->cxl.regions[i];

		if (tm_num_is(&region->resource) && tm_num_is(&region->size) &&
		    start >= region->resource.value &&
		    start - region->resource.value < region->size.value &&
		    tm_idset_add(&node->region_blocks, region->id) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

static void ask_state(struct tm_reader *rd, long block, struct count *count)
{
	struct tm_text state = tm_read_text(rd, "sys/devices/system/memory/memory%ld/state", block);

	if (state.state != TM_KNOWN)
		count->asked = false;
	else if (!strcmp(state.value, "online") || !strcmp(state.value, "going-offline"))
		count->online++;
	tm_text_release(&state);
}

static int count_blocks(struct tm_reader *rd, struct tm_node *node, struct count *count)
{
	char path[TM_PATH_MAX];
	struct tm_scan scan;
	const char *name;
	long block;
	int rc = 0;

	if (tm_path_format(path, "sys/devices/system/node/node%d", node->id) ||
	    tm_scan_open(rd->root, path, &scan))
		return 0;
	while (!rc && (name = tm_scan_next(&scan))) {
		if (!tm_name_id(name, "memory", &block))
			continue;
		count->total++;
		rc = note_regions(rd->machine, node, (uint64_t)block);
		if (!rc && rd->options->blocks)
			ask_state(rd, block, count);
	}
	tm_scan_close(&scan);
	return rc;
}

/* Bytes that the node's zones hold, or what it manages where the zones do not tell. */
static uint64_t present_bytes(const struct tm_machine *m, const struct tm_node *node,
			      const char **source)
{
	bool fits = node->zones_state == TM_KNOWN && tm_num_is(&m->page_size);
	uint64_t bytes = 0;

	for (size_t i = 0; i < node->nr_zones; i++)
		fits = fits && !__builtin_add_overflow(bytes, node->zones[i].present_pages, &bytes);
	if (fits && !__builtin_mul_overflow(bytes, m->page_size.value, &bytes)) {
		*source = "zoneinfo";
		return bytes;
	}
	*source = tm_num_is(&node->memory_total) ? "meminfo" : NULL;
	return *source ? node->memory_total.value : 0;
}

static bool has_many_blocks(const struct tm_machine *m)
{
	uint64_t bytes = 0;
	const char *source;

	for (size_t i = 0; i < m->nr_nodes; i++)
		bytes += present_bytes(m, &m->nodes[i], &source);
	return tm_num_is(&m->block_size) && bytes / m->block_size.value > MANY_BLOCKS;
}

static bool is_ordinary(const struct tm_node *node)
{
	for (size_t i = 0; i < node->nr_zones; i++)
		if (!strcmp(node->zones[i].name, "Movable"))
			return false;
	return node->nr_zones && !tm_idset_empty(&node->cpus);
}

int tm_read_blocks(struct tm_reader *rd)
{
	struct tm_machine *m = rd->machine;
	bool spare = !rd->options->blocks && has_many_blocks(m);

	for (size_t i = 0; i < m->nr_nodes; i++) {
		struct tm_node *node = &m->nodes[i];
		struct count count = { .asked = rd->options->blocks };
		uint64_t bytes, size;

		if (spare && is_ordinary(node)) {
			node->blocks.total = node->blocks.online = tm_num_none(TM_NOT_ASKED);
			continue;
		}
		if (count_blocks(rd, node, &count))
			return -ENOMEM;
		/* No links: a kernel without memory hotplug, or a tree that was cut down. */
		node->blocks.total = count.total ? tm_num_known(count.total) :
						   tm_num_none(TM_ABSENT);
		node->blocks.online = tm_num_none(TM_UNKNOWN);
		if (!count.total)
			continue;
		if (count.asked) {
			node->blocks.source = "state";
			node->blocks.online = tm_num_known(count.online);
			continue;
		}
		bytes = present_bytes(m, node, &node->blocks.source);
		size = m->block_size.state == TM_KNOWN ? m->block_size.value : 0;
		if (node->blocks.source && size) {
			uint64_t online = bytes / size + (bytes % size != 0);

			node->blocks.online = tm_num_known(TM_MIN(online, count.total));
		} else {
			node->blocks.source = NULL;
		}
	}
	return 0;
}
