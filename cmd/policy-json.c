/* SPDX-License-Identifier: GPL-2.0-only */
/* The tiermem.policy/1 document. */
#include <string.h>

#include "cmd/policy-view.h"
#include "lib/out/document.h"

/* The JSON key of each row of TM_KNOBS_POLICY. */
static const struct {
	const char *knob, *key;
} keys[] = {
	{ "demotion", "demotion" },
	{ "numa-balancing", NULL },
	{ "promote-rate-limit", "promote_rate_limit_bytes_per_second" },
	{ "hot-threshold", "hot_threshold_ms" },
	{ "scan-delay", "scan_delay_ms" },
	{ "scan-period-min", "scan_period_min_ms" },
	{ "scan-period-max", "scan_period_max_ms" },
	{ "scan-size", "scan_size_bytes" },
	{ "zone-reclaim-mode", "zone_reclaim_mode" },
	{ "watermark-scale-factor", "watermark_scale_factor" },
};

static void add_balancing(struct tm_json *json, const struct tm_tier_policy *p)
{
	struct tm_num mode = tm_policy_number(p, "numa-balancing");

	tm_json_object(json, "numa_balancing");
	tm_json_num(json, "raw", mode);
	if (tm_num_is(&mode)) {
		tm_json_bool(json, "normal", mode.value & TM_BALANCING_NORMAL);
		tm_json_bool(json, "tiering", mode.value & TM_BALANCING_TIERING);
	} else {
		tm_json_null(json, "normal");
		tm_json_null(json, "tiering");
	}
	tm_json_end(json);
}

static void add_setting(struct tm_json *json, const char *key, const struct tm_setting *setting)
{
	if (setting->value.state != TM_KNOWN)
		tm_json_none(json, key, setting->value.state);
	else if (setting->knob->form == TM_FORM_BOOL)
		tm_json_bool(json, key, !strcmp(setting->value.value, "true"));
	else
		tm_json_num(json, key, tm_knob_number(setting->knob, setting->value.value));
}

static void add_settings(struct tm_json *json, const struct tm_tier_policy *p)
{
	for (size_t i = 0; i < p->nr_settings; i++) {
		for (size_t k = 0; k < TM_ARRAY_SIZE(keys); k++) {
			if (strcmp(keys[k].knob, p->settings[i].knob->name))
				continue;
			if (keys[k].key)
				add_setting(json, keys[k].key, &p->settings[i]);
			else
				add_balancing(json, p);
		}
	}
	tm_json_num(json, "swappiness", p->swappiness);
	if (p->debugfs == TM_KNOWN)
		tm_json_bool(json, "debugfs", true);
	else if (p->debugfs == TM_ABSENT)
		tm_json_bool(json, "debugfs", false);
	else
		tm_json_none(json, "debugfs", p->debugfs);
}

static void add_counters(struct tm_json *json, const struct tm_policy_counters *counters)
{
	tm_json_object(json, "counters");
	for (size_t i = 0; i < counters->nr; i++)
		tm_json_num(json, counters->list[i].name, counters->list[i].value);
	tm_json_end(json);
}

static int add_tiers(struct tm_json *json, const struct tm_tier_policy *p)
{
	const struct tm_machine *m = p->machine;
	int rc = 0;

	if (m->tiers_state != TM_KNOWN) {
		tm_json_none(json, "tiers", m->tiers_state);
		return 0;
	}
	tm_json_array(json, "tiers");
	for (size_t t = 0; t < m->nr_tiers; t++) {
		const struct tm_tier *tier = &m->tiers[t];
		struct tm_idset to = TM_IDSET_INIT;

		for (size_t i = 0; i < p->nr_nodes && !rc; i++)
			if (tm_idset_has(&tier->nodes, p->nodes[i].node->id))
				tm_idset_for_each(id, &p->nodes[i].targets)
					rc = rc ? rc : tm_idset_add(&to, id);
		tm_json_object(json, NULL);
		tm_json_i64(json, "id", tier->id);
		if (tier->nodes_state == TM_KNOWN)
			tm_json_idset(json, "nodes", &tier->nodes);
		else
			tm_json_none(json, "nodes", tier->nodes_state);
		tm_json_bool(json, "top", tm_policy_top(p, tier->id).value);
		tm_json_idset(json, "demotes_to", &to);
		tm_json_end(json);
		tm_idset_release(&to);
	}
	tm_json_end(json);
	return rc;
}

static void add_nodes(struct tm_json *json, const struct tm_tier_policy *p)
{
	tm_json_array(json, "nodes");
	for (size_t i = 0; i < p->nr_nodes; i++) {
		tm_json_object(json, NULL);
		tm_field_json(json, policy_node_fields, policy_nr_node_fields, &p->nodes[i]);
		add_counters(json, &p->nodes[i].counters);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_damon(struct tm_json *json, const struct tm_damon *damon)
{
	tm_json_object(json, "damon");
	tm_json_num(json, "nr_kdamonds", damon->kdamonds);
	tm_json_string(json, "exclusive", damon->exclusive);
	tm_json_array(json, "kdamonds");
	for (size_t i = 0; i < damon->nr; i++) {
		const struct tm_kdamond *k = &damon->list[i];

		tm_json_object(json, NULL);
		tm_json_i64(json, "id", k->id);
		tm_json_text(json, "state", &k->state);
		tm_json_num(json, "pid", k->pid);
		if (tm_num_is(&k->ours))
			tm_json_bool(json, "ours", k->ours.value);
		else
			tm_json_none(json, "ours", k->ours.state);
		tm_json_text(json, "operations", &k->operations);
		tm_json_array(json, "schemes");
		for (size_t n = 0; n < k->nr_schemes; n++) {
			tm_json_object(json, NULL);
			tm_json_text(json, "action", &k->schemes[n].action);
			tm_json_num(json, "target_node", k->schemes[n].target);
			tm_json_end(json);
		}
		tm_json_end(json);
		tm_json_end(json);
	}
	tm_json_end(json);
	tm_json_end(json);
}

static void add_reasons(struct tm_json *json, const char *key, const struct tm_problems *reasons,
			bool notes)
{
	tm_json_array(json, key);
	for (size_t i = 0; i < reasons->nr; i++) {
		const struct tm_problem *reason = &reasons->list[i];

		if ((reason->severity == TM_NOTE) != notes)
			continue;
		tm_json_object(json, NULL);
		tm_json_string(json, "code", reason->code);
		tm_json_idset(json, "nodes", &reason->nodes);
		tm_json_string(json, "message", reason->message);
		tm_json_string(json, "hint", reason->hint[0] ? reason->hint : NULL);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_verdict(struct tm_json *json, const char *key, const struct tm_verdict *verdict)
{
	tm_json_object(json, key);
	if (verdict->active == TM_UNSURE)
		tm_json_null(json, "active");
	else
		tm_json_bool(json, "active", verdict->active == TM_YES);
	add_reasons(json, "missing", &verdict->reasons, false);
	add_reasons(json, "notes", &verdict->reasons, true);
	tm_json_end(json);
}

int policy_json(const struct policy_view *view, const struct tm_damon *damon, char **text,
		struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	const struct tm_tier_policy *p = &view->policy;
	const struct tm_machine *m = &view->machine;
	struct tm_identity identity = { m->kernel, m->host, m->boot_id, m->root };

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin(json, "policy", 1, &identity);
	add_settings(json, p);
	if (add_tiers(json, p))
		return tm_error_nomem(err);
	add_nodes(json, p);
	add_counters(json, &p->counters);
	add_damon(json, damon);
	tm_json_object(json, "verdict");
	add_verdict(json, "promotion", &p->promotion);
	add_verdict(json, "demotion", &p->demotion);
	tm_json_end(json);
	return tm_json_print(json, false, text, err);
}
