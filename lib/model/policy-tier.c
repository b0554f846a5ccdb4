/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where cold pages go, and out of which tiers hot ones come: the rules by which the kernel
 * (mm/memory-tiers.c) fills its tables, which it shows nowhere but in its log.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "lib/model/policy.h"

static bool has_cpus(const struct tm_node *node)
{
	return !tm_idset_empty(&node->cpus);
}

/* Tiers without memory are not among the kernel's. */
static bool has_memory(const struct tm_machine *m, const struct tm_tier *tier)
{
	return tm_idset_intersects(&tier->nodes, &m->memory_nodes);
}

/* The slowest tier with CPUs; it and every faster one are top. */
static struct tm_num find_top(const struct tm_machine *m)
{
	struct tm_num top = tm_num_none(TM_UNKNOWN);

	for (size_t t = 0; t < m->nr_tiers; t++)
		tm_idset_for_each(id, &m->tiers[t].nodes) {
			const struct tm_node *node = tm_machine_node(m, id);

			if (node && has_cpus(node))
				top = tm_num_known((uint64_t)m->tiers[t].id);
		}
	return top;
}

struct tm_num tm_policy_top(const struct tm_tier_policy *p, int tier)
{
	if (p->machine->tiers_state != TM_KNOWN)
		return tm_num_none(p->machine->tiers_state);
	return tm_num_known(tm_num_is(&p->top_tier) && (uint64_t)tier <= p->top_tier.value);
}

/* The next slower tier than that of the node; NULL: none. */
static const struct tm_tier *lower_tier(const struct tm_machine *m, const struct tm_node *node)
{
	for (size_t t = 0; t < m->nr_tiers && tm_num_is(&node->tier); t++)
		if ((uint64_t)m->tiers[t].id > node->tier.value && has_memory(m, &m->tiers[t]))
			return &m->tiers[t];
	return NULL;
}

/*
 * How far the kernel takes a node to be when it looks for the next best one: lower numbers than
 * one's own and nodes with CPUs come later. (Equal ones it sorts by a load that it shows nowhere;
 * here the lower number comes first.)
 */
static int remoteness(const struct tm_node *from, const struct tm_node *to)
{
	int distance = tm_node_distance(from, to->id);

	return distance < 0 ? INT_MAX : distance + (to->id < from->id) + has_cpus(to);
}

static const struct tm_node *next_best(const struct tm_machine *m, const struct tm_node *from,
				       const struct tm_tier *tier, const struct tm_idset *used)
{
	const struct tm_node *best = NULL;

	tm_idset_for_each(id, &tier->nodes) {
		const struct tm_node *node = tm_machine_node(m, id);

		if (!node || tm_idset_has(used, id) || !tm_node_has_memory(m, node))
			continue;
		if (!best || remoteness(from, node) < remoteness(from, best))
			best = node;
	}
	return best;
}

/* The best node of the next tier, and those after it as long as they are just as distant. */
static int find_preferred(const struct tm_machine *m, const struct tm_node *from,
			  struct tm_idset *targets)
{
	const struct tm_tier *tier = lower_tier(m, from);
	const struct tm_node *next;
	int distance = -1;

	while (tier && (next = next_best(m, from, tier, targets))) {
		int to = tm_node_distance(from, next->id);

		if (!tm_idset_empty(targets) && to != distance)
			break;
		distance = to;
		if (tm_idset_add(targets, next->id))
			return -ENOMEM;
	}
	return 0;
}

/* All memory that is in no tier as fast as the node's, or faster. */
static int find_fallback(const struct tm_machine *m, const struct tm_node *from,
			 struct tm_idset *fallback)
{
	for (size_t i = 0; i < m->nr_nodes && tm_num_is(&from->tier); i++) {
		const struct tm_node *node = &m->nodes[i];

		if (tm_node_has_memory(m, node) &&
		    (tm_num_is(&node->tier) ? node->tier.value > from->tier.value :
					      node->tier.state == TM_ABSENT) &&
		    tm_idset_add(fallback, node->id))
			return -ENOMEM;
	}
	return 0;
}

int tm_policy_find_targets(struct tm_tier_policy *p)
{
	const struct tm_machine *m = p->machine;

	p->top_tier = find_top(m);
	p->nodes = calloc(m->nr_nodes + 1, sizeof(*p->nodes));
	if (!p->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < m->nr_nodes; i++) {
		const struct tm_node *node = &m->nodes[i];
		struct tm_policy_node *made;

		if (!tm_node_has_memory(m, node))
			continue;
		made = &p->nodes[p->nr_nodes++];
		made->node = node;
		/* What is in no tier counts as top, too. */
		if (tm_num_is(&node->tier))
			made->top = tm_policy_top(p, (int)node->tier.value);
		else
			made->top = node->tier.state == TM_ABSENT && m->tiers_state == TM_KNOWN ?
					    tm_num_known(1) :
					    tm_num_none(node->tier.state);
		if (find_preferred(m, node, &made->targets) ||
		    find_fallback(m, node, &made->fallback))
			return -ENOMEM;
	}
	return 0;
}
