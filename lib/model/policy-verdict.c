/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Do pages move down, and do they move up? Each has its own chain of links; a rule looks at one of
 * them and says what is missing, what could not be read, or what else to know.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/check.h"
#include "lib/model/policy.h"

#define VERSION(major, minor) ((major) << 16 | (minor) << 8)

enum way { DOWN = 1, UP = 2, BOTH = 3 };

struct judge {
	struct tm_checker ck;
	const struct tm_tier_policy *policy;
	const struct tm_verdict *other; /* the verdict on the other way, as far as it is */
	enum way way;
};

/* Those of a known tier, and whether they share one. */
static bool one_tier(const struct tm_tier_policy *p)
{
	const struct tm_num *first = NULL;

	for (size_t i = 0; i < p->nr_nodes; i++) {
		const struct tm_num *tier = &p->nodes[i].node->tier;

		if (!tm_num_is(tier))
			continue;
		if (first && first->value != tier->value)
			return false;
		first = tier;
	}
	return first != NULL;
}

/* Nothing that has a lower tier below it could be read. */
static bool tiers_known(const struct tm_tier_policy *p)
{
	bool known = p->machine->tiers_state == TM_KNOWN;

	for (size_t i = 0; i < p->nr_nodes && known; i++)
		known = tm_num_is(&p->nodes[i].node->tier) ||
			p->nodes[i].node->tier.state == TM_ABSENT;
	return known;
}

/* Memory that has no business in DRAM's tier. */
static bool is_far(const struct tm_node *node)
{
	return node->kind == TM_KIND_CXL || node->kind == TM_KIND_PMEM ||
	       (node->kind == TM_KIND_UNKNOWN && tm_idset_empty(&node->cpus));
}

static bool any_far(const struct tm_tier_policy *p, struct judge *j, struct tm_problem *problem)
{
	bool any = false;

	for (size_t i = 0; i < p->nr_nodes; i++) {
		if (!is_far(p->nodes[i].node))
			continue;
		any = true;
		tm_check_node(&j->ck, problem, p->nodes[i].node->id);
	}
	return any;
}

/* The kernel compares each of the four figures with those of the first DRAM node. */
static bool differ(struct tm_num a, struct tm_num b)
{
	uint64_t more = TM_MAX(a.value, b.value) - TM_MIN(a.value, b.value);

	return tm_num_is(&a) && tm_num_is(&b) && more > a.value / 10;
}

static bool mismatch(const struct tm_perf *a, const struct tm_perf *b)
{
	return differ(a->read_latency, b->read_latency) ||
	       differ(a->write_latency, b->write_latency) ||
	       differ(a->read_bandwidth, b->read_bandwidth) ||
	       differ(a->write_bandwidth, b->write_bandwidth);
}

static const struct tm_perf *cpu_row(const struct tm_machine *m, int target)
{
	const struct tm_perf *row = tm_machine_best(m, target);

	return row && row->access == TM_ACCESS1 && tm_perf_has_figure(row) ? row : NULL;
}

/*
 * The first DRAM node with CPUs whose figures are over a tenth off those of the first of all: the
 * kernel then sorts nobody into tiers by figures. NULL: none. *reference is that first one.
 */
static const struct tm_node *odd_dram(const struct tm_machine *m, const struct tm_node **reference)
{
	*reference = NULL;
	/* Kernel 6.7 brings tiers by figures. */
	if (m->version && m->version < VERSION(6, 7))
		return NULL;
	for (size_t i = 0; i < m->nr_nodes; i++) {
		const struct tm_node *node = &m->nodes[i];

		if (tm_idset_empty(&node->cpus) || !tm_node_has_memory(m, node) ||
		    !cpu_row(m, node->id))
			continue;
		if (!*reference)
			*reference = node;
		else if (mismatch(cpu_row(m, (*reference)->id), cpu_row(m, node->id)))
			return node;
	}
	return NULL;
}

static void check_one_node(struct judge *j)
{
	struct tm_problem *problem;

	if (j->policy->nr_nodes > 1)
		return;
	problem = tm_check_add(&j->ck, j->policy->nr_nodes ?
					       "all memory is in one node: there is nothing to "
					       "move between" :
					       "no node with memory can be read");
	if (j->policy->nr_nodes)
		tm_check_node(&j->ck, problem, j->policy->nodes[0].node->id);
}

static void check_tiers_unknown(struct judge *j)
{
	const struct tm_machine *m = j->policy->machine;

	if (j->policy->nr_nodes < 2 || tiers_known(j->policy))
		return;
	tm_check_hint(tm_check_add(&j->ck, m->tiers_state == TM_UNSUPPORTED ?
						   "this kernel does not show its memory tiers" :
						   "the memory tiers cannot be read"),
		      m->tiers_state == TM_UNSUPPORTED ? "Linux 6.1 brings them" : "");
}

static bool lacks_tier(const struct tm_tier_policy *p)
{
	return p->nr_nodes > 1 && tiers_known(p) && one_tier(p);
}

static void check_no_lower_tier(struct judge *j)
{
	const struct tm_tier_policy *p = j->policy;

	if (lacks_tier(p) && !any_far(p, j, NULL))
		tm_check_add(&j->ck, "all nodes are of one tier: none is slower than the others");
}

static void check_one_tier(struct judge *j)
{
	const struct tm_tier_policy *p = j->policy;
	struct tm_problem *problem;

	if (!lacks_tier(p) || !any_far(p, j, NULL))
		return;
	problem = tm_check_add(&j->ck, "the far memory is in the same tier as DRAM, so the kernel "
				       "takes both for equal");
	any_far(p, j, problem);
	tm_check_hint(problem, "the kernel has no sound figures of it at boot: `tiermem topology "
			       "--firmware` shows what HMAT says, or a firmware update may help");
}

static void check_dram_mismatch(struct judge *j)
{
	const struct tm_node *reference, *odd = odd_dram(j->policy->machine, &reference);
	struct tm_problem *problem;

	if (!odd)
		return;
	/* With a tier below all the same, all that is wrong is which tier it is. */
	if (!lacks_tier(j->policy))
		j->ck.severity = TM_NOTE;
	problem = tm_check_add(&j->ck,
			       "the figures of DRAM nodes %d and %d differ by over 10%%, for which "
			       "the kernel gives up tiers by performance",
			       reference->id, odd->id);
	tm_check_node(&j->ck, problem, reference->id);
	tm_check_node(&j->ck, problem, odd->id);
	tm_check_hint(problem, "look for 'memory-tiers' in the kernel's log; the firmware's HMAT "
			       "has to give DRAM nodes like figures");
}

static void check_no_tier(struct judge *j)
{
	const struct tm_tier_policy *p = j->policy;
	struct tm_idset nodes = TM_IDSET_INIT;

	for (size_t i = 0; i < p->nr_nodes; i++)
		if (p->machine->tiers_state == TM_KNOWN &&
		    p->nodes[i].node->tier.state == TM_ABSENT)
			tm_check_collect(&j->ck, &nodes, p->nodes[i].node->id);
	tm_check_add_nodes(&j->ck, &nodes, "%s: in no tier, so nothing moves out of it", "");
}

/* --- down --- */

static void check_demotion_unsupported(struct judge *j)
{
	if (tm_policy_number(j->policy, "demotion").state == TM_ABSENT)
		tm_check_hint(tm_check_add(&j->ck, "this kernel has no demotion"),
			      "it needs CONFIG_NUMA and CONFIG_MIGRATION");
}

/* Is it there, and yet not known? */
static bool unreadable(struct tm_num number)
{
	return !tm_num_is(&number) && number.state != TM_ABSENT;
}

static void check_demotion_unreadable(struct judge *j)
{
	if (unreadable(tm_policy_number(j->policy, "demotion")))
		tm_check_add(&j->ck, "whether demotion is on cannot be read");
}

static void check_demotion_off(struct judge *j)
{
	struct tm_num on = tm_policy_number(j->policy, "demotion");

	if (tm_num_is(&on) && !on.value)
		tm_check_hint(tm_check_add(&j->ck, "demotion is off: reclaim drops cold pages or "
						   "swaps them out"),
			      "tiermem policy set demotion=on");
}

/* Without swap they are still moved; without swappiness reclaim hardly looks at them. */
static void check_swappiness(struct judge *j)
{
	if (tm_num_is(&j->policy->swappiness) && !j->policy->swappiness.value)
		tm_check_hint(tm_check_add(&j->ck, "vm.swappiness is 0: of programs' own memory "
						   "hardly any is moved, only file cache"),
			      "sysctl vm.swappiness=60");
}

static void check_no_way_up(struct judge *j)
{
	if (j->other->active == TM_NO)
		tm_check_add(&j->ck, "what has moved down does not come up again when it is used");
}

/* --- up --- */

static struct tm_num balancing(const struct judge *j)
{
	return tm_policy_number(j->policy, "numa-balancing");
}

static void check_balancing_unsupported(struct judge *j)
{
	if (balancing(j).state == TM_ABSENT)
		tm_check_hint(tm_check_add(&j->ck, "this kernel has no NUMA balancing"),
			      "it needs CONFIG_NUMA_BALANCING");
}

static void check_balancing_unreadable(struct judge *j)
{
	if (unreadable(balancing(j)))
		tm_check_add(&j->ck, "whether NUMA balancing is on cannot be read");
}

static void check_balancing_off(struct judge *j)
{
	struct tm_num mode = balancing(j);

	if (tm_num_is(&mode) && !mode.value)
		tm_check_hint(tm_check_add(&j->ck, "NUMA balancing is off: nobody sees which pages "
						   "are hot"),
			      "tiermem policy set numa-balancing=tiering");
}

/* The sysctl takes 4, for which the kernel has no meaning. */
static void check_balancing_odd(struct judge *j)
{
	struct tm_num mode = balancing(j);

	if (tm_num_is(&mode) && mode.value &&
	    !(mode.value & (TM_BALANCING_NORMAL | TM_BALANCING_TIERING)))
		tm_check_hint(tm_check_add(&j->ck,
					   "kernel.numa_balancing is %" PRIu64
					   ", in which neither bit 0 nor bit 1 is set",
					   mode.value),
			      "tiermem policy set numa-balancing=tiering");
}

static void check_all_top(struct judge *j)
{
	const struct tm_tier_policy *p = j->policy;
	struct tm_problem *problem;

	if (p->nr_nodes < 2 || !tiers_known(p) || one_tier(p) || !tm_num_is(&p->top_tier))
		return;
	for (size_t i = 0; i < p->nr_nodes; i++)
		if (tm_num_is(&p->nodes[i].top) && !p->nodes[i].top.value)
			return;
	problem = tm_check_add(&j->ck,
			       "the slowest tier, %" PRIu64
			       ", has CPUs, so every tier is a top tier: nothing is promoted out "
			       "of those",
			       p->top_tier.value);
	for (size_t i = 0; i < p->nr_nodes; i++)
		if (p->nodes[i].node->tier.value == p->top_tier.value)
			tm_check_node(&j->ck, problem, p->nodes[i].node->id);
}

/* Pages move to the node of the CPU that uses them, which must have memory. */
static void check_no_home(struct judge *j)
{
	const struct tm_tier_policy *p = j->policy;

	for (size_t i = 0; i < p->nr_nodes; i++)
		if (!tm_idset_empty(&p->nodes[i].node->cpus) ||
		    p->nodes[i].node->cpus_state != TM_KNOWN)
			return;
	if (p->nr_nodes > 1)
		tm_check_add(&j->ck,
			     "no node has both CPUs and memory, and pages move to the node of the "
			     "CPU that uses them");
}

static void check_unlimited(struct judge *j)
{
	struct tm_num mode = balancing(j);

	if (tm_num_is(&mode) && (mode.value & TM_BALANCING_NORMAL) &&
	    !(mode.value & TM_BALANCING_TIERING))
		tm_check_hint(
			tm_check_add(&j->ck,
				     "numa-balancing=normal moves pages up without hot threshold "
				     "or rate limit, only into free memory, and pgpromote_success "
				     "does not count them"),
			"tiermem policy set numa-balancing=tiering");
}

static void check_rate_limit(struct judge *j)
{
	struct tm_num limit = tm_policy_number(j->policy, "promote-rate-limit");
	struct tm_num mode = balancing(j);

	if (tm_num_is(&limit) && !limit.value && tm_num_is(&mode) &&
	    (mode.value & TM_BALANCING_TIERING))
		tm_check_hint(tm_check_add(&j->ck, "the rate limit is 0: pages move up only where "
						   "ample memory is free"),
			      "tiermem policy set promote-rate-limit=64Gi");
}

static void check_no_room(struct judge *j)
{
	if (j->other->active == TM_NO)
		tm_check_add(&j->ck,
			     "nothing moves down: once the upper tier is full, little comes up");
}

static const struct rule {
	const char *code;
	enum tm_severity severity;
	enum way way;
	bool last; /* asks how the other way is doing */
	void (*check)(struct judge *j);
} rules[] = {
	{ "one-node", TM_ERROR, BOTH, false, check_one_node },
	{ "tiers-unreadable", TM_WARNING, BOTH, false, check_tiers_unknown },
	{ "no-lower-tier", TM_ERROR, BOTH, false, check_no_lower_tier },
	{ "one-tier", TM_ERROR, BOTH, false, check_one_tier },
	{ "dram-mismatch", TM_ERROR, BOTH, false, check_dram_mismatch },
	{ "node-without-tier", TM_NOTE, BOTH, false, check_no_tier },
	{ "demotion-unsupported", TM_ERROR, DOWN, false, check_demotion_unsupported },
	{ "demotion-unreadable", TM_WARNING, DOWN, false, check_demotion_unreadable },
	{ "demotion-off", TM_ERROR, DOWN, false, check_demotion_off },
	{ "swappiness-zero", TM_NOTE, DOWN, false, check_swappiness },
	{ "balancing-unsupported", TM_ERROR, UP, false, check_balancing_unsupported },
	{ "balancing-unreadable", TM_WARNING, UP, false, check_balancing_unreadable },
	{ "balancing-off", TM_ERROR, UP, false, check_balancing_off },
	{ "balancing-odd", TM_WARNING, UP, false, check_balancing_odd },
	{ "all-top", TM_ERROR, UP, false, check_all_top },
	{ "no-home", TM_ERROR, UP, false, check_no_home },
	{ "unlimited", TM_NOTE, UP, false, check_unlimited },
	{ "rate-limit-zero", TM_NOTE, UP, false, check_rate_limit },
	{ "no-way-up", TM_NOTE, DOWN, true, check_no_way_up },
	{ "no-room", TM_NOTE, UP, true, check_no_room },
};

const char *tm_policy_code(size_t i)
{
	return i < TM_ARRAY_SIZE(rules) ? rules[i].code : NULL;
}

static enum tm_answer answer(const struct tm_problems *reasons)
{
	enum tm_answer active = TM_YES;

	for (size_t i = 0; i < reasons->nr; i++) {
		if (reasons->list[i].severity == TM_ERROR)
			return TM_NO;
		if (reasons->list[i].severity == TM_WARNING)
			active = TM_UNSURE;
	}
	return active;
}

static void run_rules(struct tm_tier_policy *p, enum way way, bool last)
{
	struct tm_verdict *verdict = way == UP ? &p->promotion : &p->demotion;
	struct judge j = { .policy = p, .way = way };

	j.other = way == UP ? &p->demotion : &p->promotion;
	j.ck.machine = p->machine;
	j.ck.problems = &verdict->reasons;
	for (size_t i = 0; i < TM_ARRAY_SIZE(rules); i++) {
		/* Half a set-up is only worth a word where its half is there. */
		if (!(rules[i].way & way) || rules[i].last != last ||
		    (last && verdict->active == TM_NO))
			continue;
		j.ck.code = rules[i].code;
		j.ck.severity = rules[i].severity;
		rules[i].check(&j);
	}
	verdict->active = answer(&verdict->reasons);
}

int tm_policy_judge(struct tm_tier_policy *p)
{
	tm_problems_release(&p->promotion.reasons);
	tm_problems_release(&p->demotion.reasons);
	run_rules(p, DOWN, false);
	run_rules(p, UP, false);
	run_rules(p, DOWN, true);
	run_rules(p, UP, true);
	return p->promotion.reasons.failed || p->demotion.reasons.failed ? -ENOMEM : 0;
}
