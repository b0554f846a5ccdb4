/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory tiers (6.1 and later) and interleave weights (6.9 and later). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/read.h"

#define TIERING "sys/devices/virtual/memory_tiering"
#define WEIGHTS "sys/kernel/mm/mempolicy/weighted_interleave"
#define VERSION(major, minor) ((major) << 16 | (minor) << 8)

/*
 * A folder that is not there: too old a kernel, or (a tree cut down, no CONFIG_NUMA) simply absent.
 */
static enum tm_state missing(const struct tm_machine *m, unsigned since, int number)
{
	if (number != ENOENT && number != ENOTDIR)
		return tm_state_from_errno(number);
	return m->version && m->version < since ? TM_UNSUPPORTED : TM_ABSENT;
}

static int compare_tiers(const void *a, const void *b)
{
	return ((const struct tm_tier *)a)->id - ((const struct tm_tier *)b)->id;
}

int tm_read_tiers(struct tm_reader *rd)
{
	struct tm_machine *m = rd->machine;
	enum tm_state elsewhere = TM_ABSENT;
	struct tm_scan scan;
	const char *name;
	long id;
	int rc = tm_scan_open(rd->root, TIERING, &scan);

	if (rc) {
		m->tiers_state = missing(m, VERSION(6, 1), -rc);
		tm_read_note(rd, TIERING, m->tiers_state);
		for (size_t i = 0; i < m->nr_nodes; i++)
			m->nodes[i].tier = tm_num_none(m->tiers_state);
		return 0;
	}
	m->tiers_state = TM_KNOWN;
	while (!rc && (name = tm_scan_next(&scan))) {
		struct tm_tier *tier;

		if (!tm_name_id(name, "memory_tier", &id))
			continue;
		rc = tm_array_grow(&m->tiers, m->nr_tiers, &m->cap_tiers, sizeof(*m->tiers));
		if (rc)
			break;
		tier = &m->tiers[m->nr_tiers++];
		tier->id = (int)id;
		tier->nodes_state =
			tm_read_list(rd, &tier->nodes, TIERING "/memory_tier%ld/nodelist", id);
		/* A tier that cannot be read may hold any node. */
		if (tier->nodes_state != TM_KNOWN)
			elsewhere = tier->nodes_state;
	}
	tm_scan_close(&scan);
	if (m->nr_tiers)
		qsort(m->tiers, m->nr_tiers, sizeof(*m->tiers), compare_tiers);
	for (size_t i = 0; i < m->nr_nodes; i++) {
		struct tm_node *node = &m->nodes[i];

		node->tier = tm_num_none(elsewhere);
		for (size_t t = 0; t < m->nr_tiers; t++)
			if (tm_idset_has(&m->tiers[t].nodes, node->id))
				node->tier = tm_num_known((uint64_t)m->tiers[t].id);
	}
	return rc;
}

/*
 * The switch is called auto; kernels whose build defines `auto` as a macro call it __auto_type.
 * Whatever else is in the folder is no node.
 */
static void read_mode(struct tm_reader *rd)
{
	static const char *const names[] = { "auto", "__auto_type" };
	struct tm_machine *m = rd->machine;

	m->weight_mode = TM_WEIGHTS_MANUAL;
	for (size_t i = 0; i < TM_ARRAY_SIZE(names); i++) {
		struct tm_text text = tm_read_text(rd, WEIGHTS "/%s", names[i]);

		if (text.state != TM_ABSENT) {
			snprintf(m->weight_switch, sizeof(m->weight_switch), "%s", names[i]);
			m->weight_mode = TM_WEIGHTS_UNKNOWN;
		}
		/* As kstrtobool understands them; the kernel prints true or false. */
		if (text.state == TM_KNOWN &&
		    (!strcmp(text.value, "true") || !strcmp(text.value, "1")))
			m->weight_mode = TM_WEIGHTS_AUTO;
		if (text.state == TM_KNOWN &&
		    (!strcmp(text.value, "false") || !strcmp(text.value, "0")))
			m->weight_mode = TM_WEIGHTS_MANUAL;
		tm_text_release(&text);
		if (m->weight_switch[0])
			break;
	}
}

int tm_read_weights(struct tm_reader *rd)
{
	struct tm_machine *m = rd->machine;
	char path[TM_PATH_MAX];
	struct tm_scan scan;
	enum tm_state state = TM_KNOWN;
	int rc = tm_scan_open(rd->root, WEIGHTS, &scan);

	if (rc) {
		state = missing(m, VERSION(6, 9), -rc);
		/*
		 * A kernel that could have it but does not (no CONFIG_NUMA) lacks it all the same.
		 */
		if (state == TM_ABSENT)
			state = TM_UNSUPPORTED;
		m->weight_mode = state == TM_UNSUPPORTED ? TM_WEIGHTS_UNSUPPORTED :
							   TM_WEIGHTS_UNKNOWN;
		tm_read_note(rd, WEIGHTS, state);
	} else {
		tm_scan_close(&scan);
		read_mode(rd);
	}
	for (size_t i = 0; i < m->nr_nodes; i++) {
		struct tm_node *node = &m->nodes[i];

		node->weight = tm_num_none(state);
		if (state != TM_KNOWN)
			continue;
		tm_path_format(path, WEIGHTS "/node%d", node->id);
		node->weight = tm_read_num(rd, "%s", path);
		if (tm_num_is(&node->weight) &&
		    (node->weight.value < 1 || node->weight.value > 255)) {
			node->weight = tm_num_none(TM_MALFORMED);
			tm_read_note(rd, path, TM_MALFORMED);
		}
	}
	return 0;
}
