/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NUMA nodes: Documentation/ABI/stable/sysfs-devices-node. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/read.h"

#define NODES "sys/devices/system/node"

static int compare_nodes(const void *a, const void *b)
{
	return ((const struct tm_node *)a)->id - ((const struct tm_node *)b)->id;
}

/* A stranger's tree can have a file, or a link to nowhere, of a node's name. */
static bool is_folder(struct tm_reader *rd, long id)
{
	char path[TM_PATH_MAX];
	int fd;

	if (tm_path_format(path, NODES "/node%ld", id))
		return false;
	fd = tm_root_openat(rd->root, path, O_PATH | O_DIRECTORY, 0);
	if (fd < 0) {
		tm_read_note(rd, path, fd == -EACCES ? TM_DENIED : TM_MALFORMED);
		return false;
	}
	rd->root->io->close(rd->root->io_context, fd);
	return true;
}

static int list_nodes(struct tm_reader *rd)
{
	struct tm_machine *m = rd->machine;
	struct tm_scan scan;
	const char *name;
	long id;
	int rc = tm_scan_open(rd->root, NODES, &scan);

	if (rc) {
		tm_read_note(rd, NODES, tm_state_from_errno(-rc));
		return 0;
	}
	m->has_numa = true;
	while (!rc && (name = tm_scan_next(&scan))) {
		if (!tm_name_id(name, "node", &id) || id > TM_ID_MAX || !is_folder(rd, id))
			continue;
		rc = tm_array_grow(&m->nodes, m->nr_nodes, &m->cap_nodes, sizeof(*m->nodes));
		if (!rc)
			m->nodes[m->nr_nodes++].id = (int)id;
	}
	tm_scan_close(&scan);
	if (m->nr_nodes)
		qsort(m->nodes, m->nr_nodes, sizeof(*m->nodes), compare_nodes);
	return rc;
}

/*
 * The mask is what the kernel computes from: online CPUs of the node. The list is the same, but in
 * captured trees it may be older or missing; then it is cut to the CPUs that are online.
 */
static int read_cpus(struct tm_reader *rd, struct tm_node *node)
{
	const struct tm_machine *m = rd->machine;

	node->cpus_state = tm_read_mask(rd, &node->cpus, NODES "/node%d/cpumap", node->id);
	if (node->cpus_state == TM_KNOWN)
		return 0;
	node->cpus_state = tm_read_list(rd, &node->cpus, NODES "/node%d/cpulist", node->id);
	if (node->cpus_state != TM_KNOWN || m->online_cpus_state != TM_KNOWN)
		return 0;
	tm_idset_for_each(cpu, &node->cpus) {
		if (!tm_idset_has(&m->online_cpus, cpu))
			tm_idset_remove(&node->cpus, cpu);
	}
	return 0;
}

/*
 * Column k is the k-th online node, not node k. A tree captured from a kernel that printed one
 * column per possible node is recognised by its count and its own 10.
 */
static int map_distances(struct tm_reader *rd, struct tm_node *node, const int *value, size_t nr)
{
	const struct tm_machine *m = rd->machine;
	const struct tm_idset *columns = &m->online_nodes;
	size_t k = 0;

	if (!nr)
		return -EINVAL;
	/* A single column is the node's own, even where `online` cannot be read. */
	if (m->online_state != TM_KNOWN && nr == 1 && value[0] == 10) {
		if (tm_array_grow(&node->distances, 0, &node->cap_distances,
				  sizeof(*node->distances)))
			return -ENOMEM;
		node->distances[node->nr_distances++] = (struct tm_distance){ node->id, 10 };
		return 0;
	}
	if (nr != tm_idset_count(columns)) {
		columns = &m->possible_nodes;
		if (m->possible_state != TM_KNOWN || nr != tm_idset_count(columns))
			return -EINVAL;
		tm_idset_for_each(id, columns) {
			if (id == node->id && value[k] != 10)
				return -EINVAL;
			k++;
		}
		k = 0;
	}
	tm_idset_for_each(id, columns) {
		int distance = value[k++];

		if (!tm_idset_has(&m->online_nodes, id))
			continue;
		if (tm_array_grow(&node->distances, node->nr_distances, &node->cap_distances,
				  sizeof(*node->distances)))
			return -ENOMEM;
		node->distances[node->nr_distances++] = (struct tm_distance){ (int)id, distance };
	}
	return 0;
}

static int read_distances(struct tm_reader *rd, struct tm_node *node)
{
	struct tm_text text = tm_read_text(rd, NODES "/node%d/distance", node->id);
	size_t nr = 0, cap = 0;
	int *value = NULL;
	int rc = 0;

	/* The kernel's own file is never empty. */
	node->distances_state = text.state == TM_NOT_PROVIDED ? TM_MALFORMED : text.state;
	for (char *s = text.value; s && *s && !rc;) {
		char *end;
		long distance = strtol(s, &end, 10);

		if (end == s || distance < 0 || distance > 255 ||
		    (*end && !isspace((unsigned char)*end)))
			rc = -EINVAL;
		else
			rc = tm_array_grow(&value, nr, &cap, sizeof(*value));
		if (!rc)
			value[nr++] = (int)distance;
		s = end + strspn(end, " \t\n");
	}
	if (!rc && text.state == TM_KNOWN)
		rc = map_distances(rd, node, value, nr);
	if (rc == -EINVAL) {
		node->distances_state = TM_MALFORMED;
		rc = 0;
	}
	free(value);
	tm_text_release(&text);
	return rc;
}

int tm_read_nodes(struct tm_reader *rd)
{
	struct tm_machine *m = rd->machine;
	struct tm_idset generic = TM_IDSET_INIT;
	int rc;

	m->possible_state = tm_read_list(rd, &m->possible_nodes, NODES "/possible");
	m->online_state = tm_read_list(rd, &m->online_nodes, NODES "/online");
	m->online_cpus_state = tm_read_list(rd, &m->online_cpus, "sys/devices/system/cpu/online");
	rc = list_nodes(rd);
	if (!rc && m->online_state != TM_KNOWN)
		/* The kernel makes a folder for a node when it comes online. */
		for (size_t i = 0; i < m->nr_nodes && !rc; i++)
			rc = tm_idset_add(&m->online_nodes, m->nodes[i].id);
	tm_read_list(rd, &generic, NODES "/has_generic_initiator");
	for (size_t i = 0; i < m->nr_nodes && !rc; i++) {
		struct tm_node *node = &m->nodes[i];

		node->online = tm_idset_has(&m->online_nodes, node->id);
		node->generic_initiator = tm_idset_has(&generic, node->id);
		rc = read_cpus(rd, node);
		if (!rc)
			rc = read_distances(rd, node);
	}
	tm_idset_release(&generic);
	return rc;
}
