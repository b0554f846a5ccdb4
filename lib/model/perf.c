/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the kernel says of performance and side caches: Documentation/admin-guide/mm/numaperf.rst.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/read.h"

#define NODE "sys/devices/system/node/node%d"

int tm_perf_add(struct tm_machine *m, const struct tm_perf *row)
{
	int rc = tm_array_grow(&m->perf, m->nr_perf, &m->cap_perf, sizeof(*m->perf));

	if (!rc)
		m->perf[m->nr_perf++] = *row;
	return rc;
}

/* One row per best initiator: several can be equally good, and share the figures. */
static int read_class(struct tm_reader *rd, int target, enum tm_access access)
{
	struct tm_perf row = { .target = target, .access = access, .source = TM_SOURCE_SYSFS };
	const char *class = tm_access_name(access);
	char path[TM_PATH_MAX];
	struct tm_scan scan;
	const char *name;
	bool any = false;
	long id;
	int rc;

	rc = tm_path_format(path, NODE "/%s/initiators", target, class);
	if (rc)
		return rc;
	rc = tm_scan_open(rd->root, path, &scan);
	if (rc) {
		tm_read_note(rd, path, tm_state_from_errno(-rc));
		return 0;
	}
	row.read_bandwidth =
		tm_read_figure(rd, NODE "/%s/initiators/read_bandwidth", target, class);
	row.write_bandwidth =
		tm_read_figure(rd, NODE "/%s/initiators/write_bandwidth", target, class);
	row.read_latency = tm_read_figure(rd, NODE "/%s/initiators/read_latency", target, class);
	row.write_latency = tm_read_figure(rd, NODE "/%s/initiators/write_latency", target, class);
	row.complete = tm_perf_has_figure(&row);
	while (!rc && (name = tm_scan_next(&scan))) {
		if (!tm_name_id(name, "node", &id) || id > TM_ID_MAX)
			continue;
		any = true;
		row.initiator = tm_num_known((uint64_t)id);
		rc = tm_perf_add(rd->machine, &row);
	}
	tm_scan_close(&scan);
	if (!rc && !any && row.complete) {
		row.initiator = tm_num_none(TM_ABSENT);
		rc = tm_perf_add(rd->machine, &row);
	}
	return rc;
}

static int compare_rows(const void *a, const void *b)
{
	const struct tm_perf *x = a, *y = b;

	if (x->target != y->target)
		return x->target - y->target;
	if (x->source != y->source)
		return (int)x->source - (int)y->source;
	if (x->access != y->access)
		return (int)x->access - (int)y->access;
	return x->initiator.value < y->initiator.value ? -1 :
							 x->initiator.value > y->initiator.value;
}

static const char *indexing_name(struct tm_num number)
{
	static const char *const name[] = { "direct-mapped", "indexed", "custom" };

	return tm_num_is(&number) && number.value < TM_ARRAY_SIZE(name) ? name[number.value] : NULL;
}

static const char *write_policy_name(struct tm_num number)
{
	static const char *const name[] = { "write-back", "write-through", "none" };

	return tm_num_is(&number) && number.value < TM_ARRAY_SIZE(name) ? name[number.value] : NULL;
}

static int compare_caches(const void *a, const void *b)
{
	return ((const struct tm_side_cache *)a)->level - ((const struct tm_side_cache *)b)->level;
}

static int read_caches(struct tm_reader *rd, struct tm_node *node)
{
	char path[TM_PATH_MAX];
	struct tm_scan scan;
	const char *name;
	long level;
	int rc = tm_path_format(path, NODE "/memory_side_cache", node->id);

	if (rc || tm_scan_open(rd->root, path, &scan))
		return rc;
	while (!rc && (name = tm_scan_next(&scan))) {
		struct tm_side_cache *cache;

		if (!tm_name_id(name, "index", &level) || level > 255)
			continue;
		rc = tm_array_grow(&node->caches, node->nr_caches, &node->cap_caches,
				   sizeof(*node->caches));
		if (rc)
			break;
		cache = &node->caches[node->nr_caches++];
		cache->level = (int)level;
		cache->size = tm_read_figure(rd, "%s/index%ld/size", path, level);
		cache->line_size = tm_read_figure(rd, "%s/index%ld/line_size", path, level);
		cache->indexing =
			indexing_name(tm_read_num(rd, "%s/index%ld/indexing", path, level));
		cache->write_policy =
			write_policy_name(tm_read_num(rd, "%s/index%ld/write_policy", path, level));
	}
	tm_scan_close(&scan);
	if (node->nr_caches)
		qsort(node->caches, node->nr_caches, sizeof(*node->caches), compare_caches);
	return rc;
}

void tm_perf_sort(struct tm_machine *m)
{
	if (m->nr_perf)
		qsort(m->perf, m->nr_perf, sizeof(*m->perf), compare_rows);
}

int tm_read_perf(struct tm_reader *rd)
{
	struct tm_machine *m = rd->machine;
	const struct tm_unreadable *u = &m->unreadable;
	int rc = 0;

	for (size_t i = 0; i < m->nr_nodes && !rc; i++) {
		size_t before = u->denied + u->malformed;

		rc = read_class(rd, m->nodes[i].id, TM_ACCESS0);
		if (!rc)
			rc = read_class(rd, m->nodes[i].id, TM_ACCESS1);
		m->nodes[i].perf_unreadable = u->denied + u->malformed > before;
		if (!rc)
			rc = read_caches(rd, &m->nodes[i]);
	}
	return rc;
}
