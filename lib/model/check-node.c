/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of nodes: what could be read, CPUs, distances, memory blocks. */
#include "lib/model/check.h"

void tm_check_no_nodes(struct tm_checker *ck)
{
	if (!ck->machine->nr_nodes)
		tm_check_hint(tm_check_add(ck, "no NUMA nodes can be read from "
					       "/sys/devices/system/node"),
			      "the kernel was built without NUMA, or the tree was captured without "
			      "that folder");
}

void tm_check_unreadable(struct tm_checker *ck)
{
	const struct tm_unreadable *u = &ck->machine->unreadable;
	struct tm_problem *problem;

	if (!u->denied)
		return;
	problem = tm_check_add(ck, "%zu file%s may not be read by this user, the first is /%.150s",
			       u->denied, u->denied > 1 ? "s" : "", u->first_denied);
	/* The same on a machine and on its snapshot. */
	tm_check_hint(problem, "run as root to see the rest, or capture the tree as root");
}

void tm_check_malformed(struct tm_checker *ck)
{
	const struct tm_unreadable *u = &ck->machine->unreadable;
	struct tm_problem *problem;

	if (!u->malformed)
		return;
	problem = tm_check_add(ck, "%zu file%s not of the documented form, the first is /%.150s",
			       u->malformed, u->malformed > 1 ? "s are" : " is",
			       u->first_malformed);
	tm_check_hint(problem, "what they would say is shown as unknown");
}

/*
 * Some firmware, and numa=fake, give every node the same CPUs: binding by node then means nothing.
 */
void tm_check_fake_numa(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	struct tm_idset nodes = TM_IDSET_INIT;

	for (size_t i = 0; i < m->nr_nodes; i++) {
		if (tm_idset_empty(&m->nodes[i].cpus) ||
		    !tm_idset_equal(&m->nodes[i].cpus, &m->nodes[0].cpus))
			goto out;
		tm_check_collect(ck, &nodes, m->nodes[i].id);
	}
	if (m->nr_nodes > 1)
		tm_check_add_nodes(
			ck, &nodes, "%s list the same CPUs: the node boundaries are not real",
			"look for numa=fake on the kernel's command line, or a firmware setting");
out:
	tm_idset_release(&nodes);
}

static bool bad_own_distance(const struct tm_node *node)
{
	for (size_t i = 0; i < node->nr_distances; i++) {
		const struct tm_distance *d = &node->distances[i];

		/* ACPI 6.5, 5.2.17: 10 to itself, 0 to 9 reserved. */
		if (d->node == node->id ? d->value != 10 : d->value < 10)
			return true;
	}
	return false;
}

void tm_check_distance_malformed(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	struct tm_idset nodes = TM_IDSET_INIT;

	for (size_t i = 0; i < m->nr_nodes; i++)
		if (m->nodes[i].distances_state == TM_MALFORMED || bad_own_distance(&m->nodes[i]))
			tm_check_collect(ck, &nodes, m->nodes[i].id);
	tm_check_add_nodes(
		ck, &nodes, "the distances of %s do not fit the online nodes, or are no distances",
		"the firmware's SLIT is at fault, or nodes changed while they were read");
}

void tm_check_distance_asymmetric(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	int from = -1, to = -1, there = 0, back = 0;
	struct tm_idset nodes = TM_IDSET_INIT;
	struct tm_problem *problem;
	size_t pairs = 0;

	for (size_t i = 0; i < m->nr_nodes; i++) {
		for (size_t k = i + 1; k < m->nr_nodes; k++) {
			const struct tm_node *a = &m->nodes[i], *b = &m->nodes[k];
			int ab = tm_node_distance(a, b->id), ba = tm_node_distance(b, a->id);

			if (ab < 0 || ba < 0 || ab == ba)
				continue;
			tm_check_collect(ck, &nodes, a->id);
			tm_check_collect(ck, &nodes, b->id);
			if (pairs++ == 0) {
				from = a->id;
				to = b->id;
				there = ab;
				back = ba;
			}
		}
	}
	if (pairs) {
		problem = tm_check_add(
			ck,
			"distances differ by direction in %zu pair%s, the first: %d to %d is "
			"%d, back is %d",
			pairs, pairs > 1 ? "s" : "", from, to, there, back);
		if (problem) {
			problem->nodes = nodes;
			nodes = (struct tm_idset)TM_IDSET_INIT;
		}
	}
	tm_idset_release(&nodes);
}

void tm_check_distance_unreachable(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	struct tm_idset nodes = TM_IDSET_INIT;

	for (size_t i = 0; i < m->nr_nodes; i++)
		for (size_t k = 0; k < m->nodes[i].nr_distances; k++)
			if (m->nodes[i].distances[k].value == 255)
				tm_check_collect(ck, &nodes, m->nodes[i].id);
	tm_check_add_nodes(ck, &nodes, "the firmware calls some nodes unreachable (255) from %s",
			   "");
}

/*
 * Memory that was there at boot has holes, so a few blocks fewer than are linked say nothing; for
 * hotplugged memory, or when every block was asked, each one counts.
 */
static bool partly_online(const struct tm_machine *m, const struct tm_node *node)
{
	const struct tm_blocks *blocks = &node->blocks;
	uint64_t offline;

	if (!tm_num_is(&blocks->total) || !tm_num_is(&blocks->online) ||
	    blocks->online.value >= blocks->total.value || blocks->online.value == 0)
		return false;
	offline = blocks->total.value - blocks->online.value;
	if (node->kind == TM_KIND_CXL || node->kind == TM_KIND_PMEM ||
	    (blocks->source && blocks->source[0] == 's'))
		return true;
	(void)m;
	return offline > 4 && offline * 8 > blocks->total.value;
}

void tm_check_partly_online(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;

	for (size_t i = 0; i < m->nr_nodes; i++) {
		const struct tm_node *node = &m->nodes[i];
		struct tm_problem *problem;

		if (!partly_online(m, node))
			continue;
		problem = tm_check_add(ck,
				       "node %d: only %llu of its %llu memory blocks are online",
				       node->id, (unsigned long long)node->blocks.online.value,
				       (unsigned long long)node->blocks.total.value);
		tm_check_node(ck, problem, node->id);
		tm_check_hint(problem,
			      "chmem --enable, or echo online_movable to each block's state");
	}
}
