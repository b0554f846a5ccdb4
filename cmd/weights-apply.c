/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plans for weighted interleave. Kernels 6.9 to 6.15 have one file per possible node and no switch;
 * later ones follow nodes with memory and have a switch, which every write of a weight turns off.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/weights-view.h"
#include "lib/knob/weights.h"

/* Kernels refuse to compute weights where they know no bandwidth at all. */
static bool kernel_has_bandwidths(const struct tm_machine *m)
{
	for (size_t i = 0; i < m->nr_perf; i++) {
		struct tm_num bandwidth = tm_perf_bandwidth(&m->perf[i]);

		if (m->perf[i].source == TM_SOURCE_SYSFS && m->perf[i].access == TM_ACCESS1 &&
		    tm_num_is(&bandwidth))
			return true;
	}
	return false;
}

/* Why its weight cannot be written, before anything is. */
static int refuse_node(const struct tm_node *node, struct tm_error *err)
{
	switch (node->weight.state) {
	case TM_DENIED:
		tm_error_set(err, EACCES, "/" TM_WEIGHTS_FOLDER "/node%d: permission denied",
			     node->id);
		tm_error_hint(err, "settings are read and written by root");
		return -EACCES;
	case TM_ABSENT:
		tm_error_set(err, ENOENT, "node %d has memory but no weight file", node->id);
		tm_error_hint(err,
			      "its memory came after boot on a kernel that does not follow it; "
			      "leave it out with --nodes");
		return -ENOENT;
	default:
		return tm_error_set(err, EINVAL, "/" TM_WEIGHTS_FOLDER "/node%d: holds no weight",
				    node->id);
	}
}

static int supported(const struct weights *w, struct tm_error *err)
{
	const struct tm_machine *m = &w->machine;
	int rc = 0;

	if (m->weight_mode == TM_WEIGHTS_UNSUPPORTED)
		return weights_lacking(m, err);
	if (m->weight_mode == TM_WEIGHTS_UNKNOWN)
		return tm_error_set(err, EACCES, "/" TM_WEIGHTS_FOLDER ": cannot be read");
	for (size_t i = 0; i < w->nr && !rc; i++)
		if (!tm_num_is(&w->nodes[i].node->weight))
			rc = refuse_node(w->nodes[i].node, err);
	return rc;
}

int weights_lacking(const struct tm_machine *m, struct tm_error *err)
{
	tm_error_set(err, ENOTSUP, "kernel %s has no weighted interleave",
		     m->kernel.state == TM_KNOWN ? m->kernel.value : "(unknown)");
	tm_error_hint(err, "it came with kernel 6.9");
	return -ENOTSUP;
}

/*
 * Turns the switch off first, in words, so that what undoing must put back is in the plan. Where it
 * is off the plan rests on that, and does not bear with one who will turn it on again.
 */
static int add_manual(const struct weights *w, struct tm_plan *plan, struct tm_error *err)
{
	struct tm_change_spec spec = { .kind = TM_CHANGE_SET, .form = TM_FORM_BOOL, .to = "false" };
	char path[TM_PATH_MAX];

	if (!w->machine.weight_switch[0])
		return 0;
	tm_knob_weight_switch(path, w->machine.weight_switch);
	spec.path = path;
	spec.lasting = !kernel_has_bandwidths(&w->machine);
	if (spec.lasting)
		spec.why = "the kernel knows no bandwidths, so automatic weights cannot be had "
			   "back before the next boot";
	else if (!tm_idset_empty(&w->stale))
		spec.why = "the present weights are stale: undoing has the kernel compute others";
	return tm_plan_add(plan, &spec, err);
}

static int add_weight(struct tm_plan *plan, int node, unsigned weight, struct tm_error *err)
{
	struct tm_change_spec spec = { .kind = TM_CHANGE_SET, .form = TM_FORM_NUMBER };
	char path[TM_PATH_MAX], text[16];

	tm_knob_weight(path, node);
	snprintf(text, sizeof(text), "%u", weight);
	spec.path = path;
	spec.to = text;
	return tm_plan_add(plan, &spec, err);
}

/*
 * The kernel moves the weight when it computes: undoing must put it back. `lasting`: it was
 * computed too, and to write it would switch that off.
 */
static int add_effect(struct tm_plan *plan, int node, bool lasting, struct tm_error *err)
{
	struct tm_change_spec spec = { .kind = TM_CHANGE_EFFECT,
				       .form = TM_FORM_NUMBER,
				       .lasting = lasting };
	char path[TM_PATH_MAX];

	tm_knob_weight(path, node);
	spec.path = path;
	if (lasting)
		spec.why = "the kernel computes it anew, and the stale weight cannot be had back "
			   "while it does";
	return tm_plan_add(plan, &spec, err);
}

int weights_plan_set(const struct weights *w, struct tm_plan *plan, struct tm_error *err)
{
	bool differs = false;
	int rc = supported(w, err);

	for (size_t i = 0; i < w->nr && !rc; i++)
		differs |= w->nodes[i].node->weight.value != w->nodes[i].recommended;
	if (!rc && (differs || w->machine.weight_mode != TM_WEIGHTS_AUTO))
		rc = add_manual(w, plan, err);
	for (size_t i = 0; i < w->nr && !rc; i++)
		rc = add_weight(plan, w->nodes[i].node->id, w->nodes[i].recommended, err);
	return rc;
}

/* Automatic already: what is not stale stays as it is. */
static int plan_refresh(const struct weights *w, struct tm_plan *plan, struct tm_change_spec *spec,
			struct tm_error *err)
{
	int rc = 0;

	if (tm_idset_empty(&w->stale))
		return tm_plan_add(plan, spec, err);
	tm_idset_for_each(id, &w->stale)
		rc = rc ? rc : add_effect(plan, (int)id, true, err);
	/* Only going through off makes the kernel compute anew. */
	spec->first = "false";
	return rc ? rc : tm_plan_add(plan, spec, err);
}

int weights_plan_auto(const struct weights *w, struct tm_plan *plan, struct tm_error *err)
{
	const struct tm_machine *m = &w->machine;
	struct tm_change_spec spec = { .kind = TM_CHANGE_SET, .form = TM_FORM_BOOL, .to = "true" };
	char path[TM_PATH_MAX];
	int rc = supported(w, err);

	if (rc)
		return rc;
	if (!m->weight_switch[0]) {
		tm_error_set(err, ENOTSUP, "this kernel has no automatic weights");
		tm_error_hint(err,
			      "they came with kernel 6.16; `tiermem weights apply` without --auto "
			      "sets them by hand");
		return -ENOTSUP;
	}
	tm_knob_weight_switch(path, m->weight_switch);
	spec.path = path;
	if (m->weight_mode == TM_WEIGHTS_AUTO)
		return plan_refresh(w, plan, &spec, err);
	if (!kernel_has_bandwidths(m)) {
		tm_error_set(err, ENODEV, "the kernel knows no bandwidths to make weights of");
		tm_error_hint(err, "`tiermem weights apply --bandwidth LIST` sets them by hand");
		return -ENODEV;
	}
	tm_idset_for_each(id, &m->memory_nodes) {
		const struct tm_node *node = tm_machine_node(m, id);

		if (!rc && node && tm_num_is(&node->weight))
			rc = add_effect(plan, node->id, false, err);
	}
	return rc ? rc : tm_plan_add(plan, &spec, err);
}

int weights_plan_reset(const struct weights *w, struct tm_plan *plan, struct tm_error *err)
{
	const struct tm_machine *m = &w->machine;
	int rc = supported(w, err);

	if (rc)
		return rc;
	if (m->weight_mode == TM_WEIGHTS_AUTO || (m->weight_switch[0] && kernel_has_bandwidths(m)))
		return weights_plan_auto(w, plan, err);
	/* Without bandwidths, and on older kernels, the default is 1 for every node. */
	rc = add_manual(w, plan, err);
	for (size_t i = 0; i < w->nr && !rc; i++)
		rc = add_weight(plan, w->nodes[i].node->id, 1, err);
	return rc;
}
