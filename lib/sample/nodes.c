/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/idset.h"
#include "lib/base/units.h"

#define NODES "sys/devices/system/node"

struct tm_node_file {
	int id;
	struct tm_file vmstat, numastat, meminfo;
};

static const char *const numastat_names[] = {
	[TM_NUMASTAT_HIT] = "numa_hit",		[TM_NUMASTAT_MISS] = "numa_miss",
	[TM_NUMASTAT_FOREIGN] = "numa_foreign", [TM_NUMASTAT_INTERLEAVE] = "interleave_hit",
	[TM_NUMASTAT_LOCAL] = "local_node",	[TM_NUMASTAT_OTHER] = "other_node",
};

const char *tm_numastat_name(enum tm_numastat numastat)
{
	return numastat_names[numastat];
}

void tm_node_samples_release(struct tm_node_samples *nodes)
{
	free(nodes->list);
	*nodes = (struct tm_node_samples){ 0 };
}

const struct tm_node_sample *tm_node_samples_find(const struct tm_node_samples *nodes, int id)
{
	for (size_t i = 0; i < nodes->nr; i++)
		if (nodes->list[i].id == id)
			return &nodes->list[i];
	return NULL;
}

void tm_node_files_open(struct tm_node_files *files, const struct tm_root *root)
{
	*files = (struct tm_node_files){ .root = root };
	tm_file_open(&files->online, root, NODES "/online");
}

static void close_nodes(struct tm_node_files *files)
{
	for (size_t i = 0; i < files->nr; i++) {
		tm_file_close(&files->list[i].vmstat);
		tm_file_close(&files->list[i].numastat);
		tm_file_close(&files->list[i].meminfo);
	}
	files->nr = 0;
}

void tm_node_files_close(struct tm_node_files *files)
{
	close_nodes(files);
	tm_file_close(&files->online);
	free(files->known);
	free(files->list);
	*files = (struct tm_node_files){ .online = { .fd = -1 } };
}

static void open_one(struct tm_node_files *files, struct tm_file *file, int id, const char *name)
{
	char path[TM_PATH_MAX];

	(void)tm_path_format(path, NODES "/node%d/%s", id, name);
	tm_file_open(file, files->root, path);
}

static int open_nodes(struct tm_node_files *files, const struct tm_idset *ids)
{
	tm_idset_for_each(id, ids) {
		struct tm_node_file *node;

		if (tm_array_grow(&files->list, files->nr, &files->cap, sizeof(*files->list)))
			return -ENOMEM;
		node = &files->list[files->nr++];
		node->id = (int)id;
		open_one(files, &node->vmstat, node->id, "vmstat");
		open_one(files, &node->numastat, node->id, "numastat");
		open_one(files, &node->meminfo, node->id, "meminfo");
	}
	return 0;
}

/* Opens the nodes that are online, when they are not those of last time. */
static int follow_nodes(struct tm_node_files *files)
{
	struct tm_idset ids = { 0 };
	int rc = tm_file_read(&files->online);

	if (rc)
		return rc;
	if (files->known && !strcmp(files->known, files->online.data))
		return 0;
	close_nodes(files);
	free(files->known);
	files->known = NULL;
	rc = tm_idset_parse_list(&ids, files->online.data);
	if (!rc)
		rc = open_nodes(files, &ids);
	tm_idset_release(&ids);
	if (rc)
		return rc;
	files->known = strdup(files->online.data);
	return files->known ? 0 : -ENOMEM;
}

/* Lines of "name value". */
static void parse_numastat(struct tm_node_sample *node, const char *text)
{
	for (size_t i = 0; i < TM_NUMASTATS; i++)
		node->numastat[i] = tm_num_none(TM_UNSUPPORTED);
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		size_t len = strcspn(text, " \n");

		for (size_t i = 0; i < TM_NUMASTATS; i++)
			if (len == strlen(numastat_names[i]) &&
			    !memcmp(text, numastat_names[i], len))
				node->numastat[i] = tm_leading_number(text + len);
	}
}

/* "Node 0 MemTotal:       1030120 kB" */
static struct tm_num parse_memory(const char *text, const char *name)
{
	const char *found = strstr(text, name);
	struct tm_num kib;

	if (!found)
		return tm_num_none(TM_UNSUPPORTED);
	kib = tm_leading_number(found + strlen(name));
	if (!tm_num_is(&kib))
		return kib;
	if (__builtin_mul_overflow(kib.value, 1024, &kib.value))
		return tm_num_none(TM_MALFORMED);
	return kib;
}

static enum tm_state read_file(struct tm_file *file, bool *nomem)
{
	int rc = tm_file_read(file);

	*nomem |= rc == -ENOMEM;
	return rc ? tm_state_from_errno(-rc) : TM_KNOWN;
}

static int read_node(struct tm_node_file *file, struct tm_node_sample *node)
{
	bool nomem = false;
	enum tm_state state = read_file(&file->vmstat, &nomem);

	node->id = file->id;
	if (state == TM_KNOWN)
		tm_counters_parse(&node->vmstat, file->vmstat.data);
	else
		tm_counters_none(&node->vmstat, state);
	state = read_file(&file->numastat, &nomem);
	if (state == TM_KNOWN)
		parse_numastat(node, file->numastat.data);
	for (size_t i = 0; i < TM_NUMASTATS && state != TM_KNOWN; i++)
		node->numastat[i] = tm_num_none(state);
	state = read_file(&file->meminfo, &nomem);
	node->total_bytes = node->free_bytes = tm_num_none(state);
	if (state == TM_KNOWN) {
		node->total_bytes = parse_memory(file->meminfo.data, " MemTotal:");
		node->free_bytes = parse_memory(file->meminfo.data, " MemFree:");
	}
	return nomem ? -ENOMEM : 0;
}

int tm_node_files_read(struct tm_node_files *files, struct tm_node_samples *nodes)
{
	int rc = follow_nodes(files);

	nodes->nr = 0;
	nodes->state = rc ? tm_state_from_errno(-rc) : TM_KNOWN;
	for (size_t i = 0; i < files->nr && !rc; i++) {
		rc = tm_array_grow(&nodes->list, nodes->nr, &nodes->cap, sizeof(*nodes->list));
		if (!rc)
			rc = read_node(&files->list[i], &nodes->list[nodes->nr++]);
	}
	return rc == -ENOMEM ? rc : 0;
}
