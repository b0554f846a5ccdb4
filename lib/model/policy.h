/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the kernel moves pages between tiers on this machine: the settings, where each node's cold
 * pages go, the counters, and a verdict on whether pages really move, up and down apart.
 *
 * After the kernel's mm/memory-tiers.c (targets, top tiers), mm/vmscan.c (demotion),
 * kernel/sched/fair.c and mm/migrate.c (promotion). Read once and not changed after.
 */
#ifndef TM_MODEL_POLICY_H
#define TM_MODEL_POLICY_H

#include "lib/knob/knob.h"
#include "lib/model/machine.h"
#include "lib/model/problem.h"

/* /proc/vmstat or a node's vmstat: what has to do with moving pages. */
struct tm_policy_counter {
	char *name;
	struct tm_num value; /* since boot; TM_UNSUPPORTED: this kernel does not count it */
};

/*
 * Those that are known by name come first, in a fixed order, whether the kernel has them or not;
 * then what else begins like them, in the kernel's order.
 */
struct tm_policy_counters {
	struct tm_policy_counter *list;
	size_t nr, cap;
};

/* NULL: neither known by name nor in the file. */
const struct tm_policy_counter *tm_policy_counter(const struct tm_policy_counters *counters,
						  const char *name);

/* A node with memory. */
struct tm_policy_node {
	const struct tm_node *node;
	struct tm_num top; /* 0 or 1: in a top tier, so nothing is promoted out of it */
	/*
	 * Where its cold pages go: one of `targets` at random, and any of `fallback`, which holds
	 * all lower tiers, where that has no room. Empty: nowhere.
	 */
	struct tm_idset targets, fallback;
	struct tm_policy_counters counters;
};

enum tm_answer {
	TM_NO,
	TM_YES,
	TM_UNSURE, /* what it depends on could not be read */
};

/* Is it going on, and if not, why not? */
struct tm_verdict {
	enum tm_answer active;
	/*
	 * TM_ERROR: a link that is missing. TM_WARNING: one that could not be read. TM_NOTE:
	 * something else to know, which does not stop it. The codes are in tiermem-json(5).
	 */
	struct tm_problems reasons;
};

struct tm_tier_policy {
	const struct tm_machine *machine;
	struct tm_setting *settings; /* one for each row of TM_KNOBS_POLICY, in their order */
	size_t nr_settings;
	struct tm_num swappiness;
	enum tm_state debugfs;	      /* TM_KNOWN: mounted; TM_ABSENT, TM_DENIED */
	struct tm_policy_node *nodes; /* sorted by id */
	size_t nr_nodes;
	struct tm_num top_tier; /* the slowest of the top tiers; unknown where there is none */
	struct tm_policy_counters counters;
	struct tm_verdict promotion, demotion;
};

/* `machine` must outlive the policy. 0 or -ENOMEM; what cannot be read says so in its state. */
int tm_policy_read(struct tm_tier_policy *policy, const struct tm_machine *machine,
		   const struct tm_root *root, struct tm_error *err);
void tm_policy_release(struct tm_tier_policy *policy);

/* By the row's name, which must be one of TM_KNOBS_POLICY. */
const struct tm_setting *tm_policy_setting(const struct tm_tier_policy *policy, const char *name);
/* Its number as the file has it; of a switch 0 or 1. */
struct tm_num tm_policy_number(const struct tm_tier_policy *policy, const char *name);

/* NULL where the node has no memory. */
const struct tm_policy_node *tm_policy_node(const struct tm_tier_policy *policy, long id);

/* Is the tier a top tier? Unknown where tiers could not be read. */
struct tm_num tm_policy_top(const struct tm_tier_policy *policy, int tier);

/* kernel.numa_balancing has bit 0: to the node that uses a page; bit 1: hot pages, up a tier. */
#define TM_BALANCING_NORMAL 1
#define TM_BALANCING_TIERING 2

/* As if a setting had the normal text `value`, and the verdicts by that. 0 or -ENOMEM. */
int tm_policy_suppose(struct tm_tier_policy *policy, const char *name, const char *value,
		      struct tm_error *err);

/* The codes there can be in a verdict: the i-th, or NULL. For the documentation's check. */
const char *tm_policy_code(size_t i);

/* policy-tier.c, for tm_policy_read: nodes and their targets. 0 or -ENOMEM. */
int tm_policy_find_targets(struct tm_tier_policy *policy);
/* policy-verdict.c: the verdicts, anew. 0 or -ENOMEM. */
int tm_policy_judge(struct tm_tier_policy *policy);

#endif
