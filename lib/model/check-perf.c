/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of what decides placement: figures, tiers, weights. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/check.h"
#include "lib/tune/kernel.h"

/* No memory answers this slowly; a wrong unit does (a known firmware makes 7600 ns of 76). */
#define IMPLAUSIBLE_NS 2000

static const struct tm_perf *any_row(const struct tm_machine *m, int target)
{
	for (size_t i = 0; i < m->nr_perf; i++)
		if (m->perf[i].target == target && m->perf[i].source == TM_SOURCE_SYSFS)
			return &m->perf[i];
	return NULL;
}

static bool all_dram(const struct tm_machine *m, const struct tm_idset *nodes)
{
	tm_idset_for_each(id, nodes) {
		if (tm_machine_node(m, id)->kind != TM_KIND_DRAM)
			return false;
	}
	return true;
}

/*
 * With a single node of memory there is nothing to choose, and nothing missing; where all is DRAM,
 * tiering has no use for it.
 */
void tm_check_no_performance(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	bool old = m->version && m->version < (5 << 16 | 2 << 8);
	struct tm_idset nodes = TM_IDSET_INIT;

	if (tm_idset_count(&m->memory_nodes) > 1)
		for (size_t i = 0; i < m->nr_nodes; i++)
			if (tm_node_has_memory(m, &m->nodes[i]) && !any_row(m, m->nodes[i].id) &&
			    !m->nodes[i].perf_unreadable)
				tm_check_collect(ck, &nodes, m->nodes[i].id);
	if (all_dram(m, &m->memory_nodes))
		ck->severity = TM_NOTE;
	tm_check_add_nodes(
		ck, &nodes, "the kernel has no latency or bandwidth for %s",
		old ? "kernels before 5.2 have none at all" :
		      "the firmware's HMAT or the device's CDAT says nothing, or the kernel "
		      "refused it; measure instead");
}

void tm_check_not_provided(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	struct tm_idset nodes = TM_IDSET_INIT;

	for (size_t i = 0; i < m->nr_perf; i++) {
		const struct tm_perf *best = tm_machine_best(m, m->perf[i].target);

		if (!tm_perf_has_figure(best ? best : &m->perf[i]))
			tm_check_collect(ck, &nodes, m->perf[i].target);
	}
	tm_check_add_nodes(ck, &nodes, "the firmware describes %s but gives no figures (all are 0)",
			   "weights and rankings cannot be made from it; measure instead");
}

void tm_check_implausible(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	struct tm_idset nodes = TM_IDSET_INIT;

	for (size_t i = 0; i < m->nr_perf; i++) {
		const struct tm_perf *p = &m->perf[i];

		if ((tm_num_is(&p->read_latency) && p->read_latency.value >= IMPLAUSIBLE_NS) ||
		    (tm_num_is(&p->write_latency) && p->write_latency.value >= IMPLAUSIBLE_NS))
			tm_check_collect(ck, &nodes, p->target);
	}
	tm_check_add_nodes(
		ck, &nodes, "the latency given for %s is not plausible",
		"a firmware fault in the unit is likely; the figures are shown as they are");
}

/*
 * Is `far` claimed to be faster than the initiator's own memory `near`, beyond what its kind
 * explains?
 */
static bool claims_too_much(const struct tm_machine *m, const struct tm_perf *near,
			    const struct tm_perf *far)
{
	const struct tm_node *node = tm_machine_node(m, far->target);
	struct tm_num near_bw = tm_perf_bandwidth(near), far_bw = tm_perf_bandwidth(far);

	if (node->kind == TM_KIND_HBM)
		return false;
	if (tm_num_is(&near->read_latency) && tm_num_is(&far->read_latency) &&
	    far->read_latency.value < near->read_latency.value)
		return true;
	/*
	 * Interleaved expanders can have more bandwidth than DRAM, but not alone against a whole
	 * socket.
	 */
	return (node->kind == TM_KIND_CXL || node->kind == TM_KIND_PMEM) && tm_num_is(&near_bw) &&
	       tm_num_is(&far_bw) && far_bw.value > 2 * near_bw.value;
}

/* The memory nearest to an initiator: what its own node has, best reached from there. */
static const struct tm_perf *own_memory(const struct tm_machine *m, const struct tm_node *node)
{
	const struct tm_perf *near = tm_machine_best(m, node->id);

	if (!near || node->kind != TM_KIND_DRAM || !tm_num_is(&near->initiator) ||
	    near->initiator.value != (uint64_t)node->id)
		return NULL;
	return near;
}

/* In a tier before that of any DRAM, which is made of the same claims. */
static bool before_dram(const struct tm_machine *m, const struct tm_node *node)
{
	bool any = false;

	if (!tm_num_is(&node->tier) || (node->kind != TM_KIND_CXL && node->kind != TM_KIND_PMEM))
		return false;
	for (size_t i = 0; i < m->nr_nodes; i++) {
		if (m->nodes[i].kind != TM_KIND_DRAM || !tm_num_is(&m->nodes[i].tier))
			continue;
		if (m->nodes[i].tier.value <= node->tier.value)
			return false;
		any = true;
	}
	return any;
}

void tm_check_far_faster(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	struct tm_idset nodes = TM_IDSET_INIT;

	for (size_t i = 0; i < m->nr_nodes; i++) {
		const struct tm_perf *near = own_memory(m, &m->nodes[i]);

		if (before_dram(m, &m->nodes[i]))
			tm_check_collect(ck, &nodes, m->nodes[i].id);
		for (size_t k = 0; near && k < m->nr_perf; k++) {
			const struct tm_perf *far = &m->perf[k];

			/* The kernel does not say from where a CXL region's figures are. */
			if (far->access == near->access && far->target != near->target &&
			    (!tm_num_is(&far->initiator) ||
			     far->initiator.value == near->initiator.value) &&
			    claims_too_much(m, near, far))
				tm_check_collect(ck, &nodes, far->target);
		}
	}
	tm_check_add_nodes(ck, &nodes,
			   "%s: farther than the CPUs' own memory, yet claimed to be faster",
			   "the firmware's figures are in doubt; measure before you rely on them");
}

void tm_check_generic_initiator(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	struct tm_idset nodes = TM_IDSET_INIT;

	for (size_t i = 0; i < m->nr_perf; i++) {
		const struct tm_perf *perf = &m->perf[i];
		const struct tm_node *from = NULL;

		if (perf->access == TM_ACCESS0 && tm_num_is(&perf->initiator))
			from = tm_machine_node(m, (long)perf->initiator.value);
		if (from && from->cpus_state == TM_KNOWN && tm_idset_empty(&from->cpus))
			tm_check_collect(ck, &nodes, perf->target);
	}
	tm_check_add_nodes(ck, &nodes,
			   "the best initiator of %s has no CPUs (access0); access1 is what counts "
			   "for CPUs",
			   "");
}

void tm_check_no_tier(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	struct tm_idset nodes = TM_IDSET_INIT;

	for (size_t i = 0; i < m->nr_nodes && m->nr_tiers; i++)
		if (tm_node_has_memory(m, &m->nodes[i]) && m->nodes[i].tier.state == TM_ABSENT)
			tm_check_collect(ck, &nodes, m->nodes[i].id);
	tm_check_add_nodes(
		ck, &nodes, "%s: in no memory tier, so nothing is promoted or demoted there",
		"offline and online the memory again, or look for memory tier messages in dmesg");
}

static bool dram_in_tier(const struct tm_machine *m, uint64_t tier)
{
	for (size_t i = 0; i < m->nr_nodes; i++)
		if (m->nodes[i].kind == TM_KIND_DRAM && tm_num_is(&m->nodes[i].tier) &&
		    m->nodes[i].tier.value == tier)
			return true;
	return false;
}

void tm_check_dram_tier(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	struct tm_idset nodes = TM_IDSET_INIT;

	for (size_t i = 0; i < m->nr_nodes; i++) {
		const struct tm_node *node = &m->nodes[i];

		if ((node->kind == TM_KIND_CXL || node->kind == TM_KIND_PMEM) &&
		    tm_num_is(&node->tier) && dram_in_tier(m, node->tier.value))
			tm_check_collect(ck, &nodes, node->id);
	}
	tm_check_add_nodes(
		ck, &nodes, "%s: in DRAM's tier, so nothing is ever demoted to it",
		"the kernel had no sane figures when the memory came online; see dmesg and HMAT");
}

/* "28:3:1" of the nodes with memory; "" where that would be too long to read. */
static void current_weights(const struct tm_machine *m, char ratio[64])
{
	size_t len = 0;

	tm_idset_for_each(id, &m->memory_nodes) {
		const struct tm_node *node = tm_machine_node(m, id);

		if (!node || !tm_num_is(&node->weight) || len > 50) {
			*ratio = '\0';
			return;
		}
		len += (size_t)snprintf(ratio + len, 64 - len, "%s%u", len ? ":" : "",
					(unsigned)node->weight.value);
	}
}

static void wanted_weights(const unsigned *weight, size_t nr, char ratio[64])
{
	size_t len = 0;

	for (size_t i = 0; i < nr && len <= 50; i++)
		len += (size_t)snprintf(ratio + len, 64 - len, "%s%u", len ? ":" : "", weight[i]);
}

static void report_stale(struct tm_checker *ck, struct tm_idset *nodes, const unsigned *weight,
			 size_t nr)
{
	char current[64] = "", wanted[64] = "";
	struct tm_problem *problem;

	problem = tm_check_add_nodes(
		ck, nodes, "the automatic weight of %s is not what the kernel's rule gives now",
		"write false, then true to the auto file: the kernel computes them anew");
	current_weights(ck->machine, current);
	wanted_weights(weight, nr, wanted);
	if (problem && *current) {
		size_t len = strlen(problem->message);

		snprintf(problem->message + len, sizeof(problem->message) - len,
			 ": %s instead of %s", current, wanted);
	}
}

/* Could all be read that the kernel's rule starts from? */
static bool knows_bandwidths(const struct tm_machine *m)
{
	tm_idset_for_each(id, &m->online_nodes) {
		const struct tm_node *node = tm_machine_node(m, id);

		if (!node || node->perf_unreadable)
			return false;
	}
	return true;
}

/*
 * In auto mode the weights follow the bandwidths when they are computed, but a node that comes
 * online later can be left behind.
 */
void tm_check_stale_weights(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	size_t nr = tm_idset_count(&m->memory_nodes), at = 0;
	struct tm_idset nodes = TM_IDSET_INIT;
	uint32_t *bandwidth;
	unsigned *weight;

	if (m->weight_mode != TM_WEIGHTS_AUTO || !nr || !knows_bandwidths(m))
		return;
	bandwidth = calloc(nr, sizeof(*bandwidth));
	weight = calloc(nr, sizeof(*weight));
	if (!bandwidth || !weight) {
		ck->problems->failed = true;
		goto out;
	}
	tm_idset_for_each(id, &m->memory_nodes) {
		const struct tm_perf *best = tm_machine_best(m, (int)id);
		struct tm_num bw = tm_num_none(TM_UNKNOWN);

		if (best && best->access == TM_ACCESS1)
			bw = tm_perf_bandwidth(best);
		bandwidth[at++] = tm_num_is(&bw) ? (uint32_t)bw.value : 0;
	}
	tm_tune_kernel_weights(bandwidth, nr, weight);
	at = 0;
	tm_idset_for_each(id, &m->memory_nodes) {
		const struct tm_node *node = tm_machine_node(m, id);

		if (node && tm_num_is(&node->weight) && node->weight.value != weight[at])
			tm_check_collect(ck, &nodes, id);
		at++;
	}
	report_stale(ck, &nodes, weight, nr);
out:
	free(bandwidth);
	free(weight);
	tm_idset_release(&nodes);
}

void tm_check_weight_file(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	struct tm_idset nodes = TM_IDSET_INIT;

	if (m->weight_mode != TM_WEIGHTS_UNSUPPORTED)
		for (size_t i = 0; i < m->nr_nodes; i++)
			if (tm_node_has_memory(m, &m->nodes[i]) &&
			    m->nodes[i].weight.state == TM_ABSENT)
				tm_check_collect(ck, &nodes, m->nodes[i].id);
	tm_check_add_nodes(ck, &nodes,
			   "%s: memory, but no weight file: weighted interleave takes it as 1",
			   "the memory came online after boot on a kernel that does not follow it");
}
