/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/model/damon-ranges.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/buf.h"

struct block {
	long id;
	int node;
};

struct blocks {
	struct block *list;
	size_t nr, cap;
};

static int by_id(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : x->node - y->node;
}

static int add_node(struct blocks *blocks, const struct tm_root *root, int node)
{
	char path[TM_PATH_MAX];
	struct tm_scan scan;
	const char *name;
	long id;
	int rc = tm_path_format(path, "sys/devices/system/node/node%d", node);

	if (!rc)
		rc = tm_scan_open(root, path, &scan);
	if (rc)
		return rc;
	while (!rc && (name = tm_scan_next(&scan))) {
		if (!tm_name_id(name, "memory", &id))
			continue;
		rc = tm_array_grow(&blocks->list, blocks->nr, &blocks->cap, sizeof(*blocks->list));
		if (!rc)
			blocks->list[blocks->nr++] = (struct block){ id, node };
	}
	tm_scan_close(&scan);
	return rc;
}

/* The node's runs of blocks; `list` may be NULL to count them. */
static size_t join(const struct blocks *blocks, int node, bool over_gaps, uint64_t size,
		   struct tm_damon_range *list)
{
	long last = -2;
	size_t nr = 0;
	bool open = false;

	for (size_t i = 0; i < blocks->nr; i++) {
		const struct block *block = &blocks->list[i];

		if (block->node != node) {
			open = false;
			continue;
		}
		if (!(over_gaps ? open : block->id == last + 1)) {
			if (list)
				list[nr].start = (uint64_t)block->id * size;
			nr++;
		}
		if (list)
			list[nr - 1].end = ((uint64_t)block->id + 1) * size;
		last = block->id;
		open = true;
	}
	return nr;
}

static int make(const struct blocks *blocks, int node, uint64_t size, struct tm_damon_range **list,
		size_t *nr, struct tm_error *err)
{
	bool over_gaps = false;
	size_t count = join(blocks, node, over_gaps, size, NULL);

	if (count > TM_DAMON_RANGES) {
		over_gaps = true;
		count = join(blocks, node, over_gaps, size, NULL);
	}
	if (!count)
		return tm_error_set(err, ENOTSUP, "the kernel shows no memory blocks of node %d",
				    node);
	if (count > TM_DAMON_RANGES)
		return tm_error_set(err, E2BIG,
				    "the memory of node %d lies in %zu pieces, more than %d", node,
				    count, TM_DAMON_RANGES);
	*list = calloc(count, sizeof(**list));
	if (!*list)
		return tm_error_nomem(err);
	*nr = join(blocks, node, over_gaps, size, *list);
	return 0;
}

int tm_damon_ranges(const struct tm_machine *machine, const struct tm_root *root, int node,
		    struct tm_damon_range **list, size_t *nr, struct tm_error *err)
{
	struct blocks blocks = { 0 };
	int rc = 0;

	if (!tm_num_is(&machine->block_size) || !machine->block_size.value)
		return tm_error_set(err, ENOTSUP,
				    "the kernel does not tell the size of its memory "
				    "blocks");
	for (size_t i = 0; i < machine->nr_nodes && !rc; i++) {
		rc = add_node(&blocks, root, machine->nodes[i].id);
		if (rc == -ENOENT)
			rc = 0; /* it has gone, or was never online */
		else if (rc)
			tm_error_errno(err, -rc, "/sys/devices/system/node/node%d",
				       machine->nodes[i].id);
	}
	if (!rc && blocks.nr)
		qsort(blocks.list, blocks.nr, sizeof(*blocks.list), by_id);
	if (!rc)
		rc = make(&blocks, node, machine->block_size.value, list, nr, err);
	free(blocks.list);
	return rc;
}
