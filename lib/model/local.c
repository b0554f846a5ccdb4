/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/model/local.h"

#include <errno.h>

/* The nodes in which the CPUs are. */
static int find_homes(const struct tm_machine *m, const struct tm_idset *cpus,
		      struct tm_idset *homes)
{
	for (size_t i = 0; i < m->nr_nodes; i++)
		if (tm_idset_intersects(&m->nodes[i].cpus, cpus) &&
		    tm_idset_add(homes, m->nodes[i].id))
			return -ENOMEM;
	return 0;
}

enum answer { UNTOLD, NO, YES };

/* What the rows of a class say: is one of the best initiators a home? */
static enum answer ask_rows(const struct tm_machine *m, int target, enum tm_access access,
			    const struct tm_idset *homes)
{
	enum answer answer = UNTOLD;

	for (size_t i = 0; i < m->nr_perf; i++) {
		const struct tm_perf *row = &m->perf[i];
		const struct tm_node *initiator;

		if (row->target != target || row->access != access ||
		    row->source != TM_SOURCE_SYSFS || !tm_num_is(&row->initiator))
			continue;
		/* A device can be the best initiator of any kind: it says nothing of CPUs. */
		initiator = tm_machine_node(m, (long)row->initiator.value);
		if (!initiator || tm_idset_empty(&initiator->cpus))
			continue;
		if (tm_idset_has(homes, initiator->id))
			return YES;
		answer = NO;
	}
	return answer;
}

static int nearer(int a, int b)
{
	return a >= 0 && (b < 0 || a < b);
}

/* Is a home among the nodes with CPUs that are nearest to the target? */
static enum answer ask_distances(const struct tm_machine *m, int target,
				 const struct tm_idset *homes)
{
	enum answer answer = UNTOLD;
	int least = -1;

	for (size_t i = 0; i < m->nr_nodes; i++) {
		const struct tm_node *from = &m->nodes[i];
		int distance = tm_node_distance(from, target);
		bool home = tm_idset_has(homes, from->id);

		if (tm_idset_empty(&from->cpus) || distance < 0)
			continue;
		if (nearer(distance, least)) {
			least = distance;
			answer = home ? YES : NO;
		} else if (distance == least && home) {
			answer = YES;
		}
	}
	return answer;
}

static bool is_local(const struct tm_machine *m, const struct tm_node *node,
		     const struct tm_idset *homes)
{
	enum answer answer = ask_rows(m, node->id, TM_ACCESS1, homes);

	if (answer == UNTOLD)
		answer = ask_rows(m, node->id, TM_ACCESS0, homes);
	if (answer == UNTOLD)
		answer = ask_distances(m, node->id, homes);
	return answer == YES || (answer == UNTOLD && tm_idset_has(homes, node->id));
}

/* The memory nearest to each home. */
static int find_nearest(const struct tm_machine *m, const struct tm_idset *homes,
			struct tm_idset *nodes)
{
	tm_idset_for_each(home, homes) {
		const struct tm_node *from = tm_machine_node(m, home);
		int least = -1;

		tm_idset_for_each(id, &m->memory_nodes) {
			int distance = tm_node_distance(from, (int)id);

			if (nearer(distance, least))
				least = distance;
		}
		tm_idset_for_each(id, &m->memory_nodes)
			if (least >= 0 && tm_node_distance(from, (int)id) == least &&
			    tm_idset_add(nodes, id))
				return -ENOMEM;
	}
	return 0;
}

int tm_machine_local(const struct tm_machine *m, const struct tm_idset *cpus,
		     struct tm_idset *nodes)
{
	struct tm_idset homes = TM_IDSET_INIT, found = TM_IDSET_INIT;
	int rc = find_homes(m, cpus, &homes);

	for (size_t i = 0; i < m->nr_nodes && !rc; i++)
		if (tm_idset_has(&m->memory_nodes, m->nodes[i].id) &&
		    is_local(m, &m->nodes[i], &homes))
			rc = tm_idset_add(&found, m->nodes[i].id);
	if (!rc && tm_idset_empty(&found))
		rc = find_nearest(m, &homes, &found);
	tm_idset_release(&homes);
	if (rc) {
		tm_idset_release(&found);
		return rc;
	}
	tm_idset_release(nodes);
	*nodes = found;
	return 0;
}
