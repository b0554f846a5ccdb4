/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/model/policy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/units.h"
#include "lib/sys/attr.h"

#define DEBUGFS "sys/kernel/debug"
#define VMSTAT_MAX (1u << 20)

/*
 * Where events are counted, they are for the whole machine; the migrations between tiers are also
 * there per node, in newer kernels.
 */
static const char *const events[] = {
	"pgpromote_success",   "pgpromote_candidate",
	"pgdemote_kswapd",     "pgdemote_direct",
	"pgdemote_khugepaged", "pgdemote_proactive",
	"pgmigrate_success",   "pgmigrate_fail",
	"numa_pte_updates",    "numa_huge_pte_updates",
	"numa_hint_faults",    "numa_hint_faults_local",
	"numa_pages_migrated", "numa_hit",
	"numa_miss",	       "numa_foreign",
	"numa_interleave",     "numa_local",
	"numa_other",	       "thp_migration_success",
	"thp_migration_fail",  "thp_migration_split",
};

/* The first of them: those between tiers. */
#define NODE_EVENTS 6

/* Names vary with kernels: what begins so is shown, whether it is known or not. */
static const char *const families[] = { "pgpromote_", "pgdemote_", "pgmigrate_", "numa_",
					"thp_migration_" };

static int add_counter(struct tm_policy_counters *counters, const char *name, size_t len,
		       struct tm_num value)
{
	char *copy = strndup(name, len);

	if (!copy ||
	    tm_array_grow(&counters->list, counters->nr, &counters->cap, sizeof(*counters->list))) {
		free(copy);
		return -ENOMEM;
	}
	counters->list[counters->nr++] = (struct tm_policy_counter){ copy, value };
	return 0;
}

static struct tm_policy_counter *find_counter(const struct tm_policy_counters *counters,
					      const char *name, size_t len)
{
	for (size_t i = 0; i < counters->nr; i++)
		if (!strncmp(counters->list[i].name, name, len) && !counters->list[i].name[len])
			return &counters->list[i];
	return NULL;
}

const struct tm_policy_counter *tm_policy_counter(const struct tm_policy_counters *counters,
						  const char *name)
{
	return find_counter(counters, name, strlen(name));
}

static bool in_family(const char *name, size_t len)
{
	for (size_t i = 0; i < TM_ARRAY_SIZE(families); i++) {
		size_t start = strlen(families[i]);

		if (len > start && !strncmp(name, families[i], start))
			return true;
	}
	return false;
}

/* "pgdemote_kswapd 4711" */
static int take_line(struct tm_policy_counters *counters, const char *line, const char *end)
{
	const char *blank = memchr(line, ' ', (size_t)(end - line));
	struct tm_num value = tm_num_none(TM_MALFORMED);
	struct tm_policy_counter *known;
	char text[32];
	size_t len;

	if (!blank || !in_family(line, (size_t)(blank - line)))
		return 0;
	len = (size_t)(blank - line);
	if ((size_t)snprintf(text, sizeof(text), "%.*s", (int)(end - blank - 1), blank + 1) <
		    sizeof(text) &&
	    !tm_parse_u64(text, &value.value))
		value.state = TM_KNOWN;
	known = find_counter(counters, line, len);
	if (!known)
		return add_counter(counters, line, len, value);
	known->value = value;
	return 0;
}

static int read_counters(const struct tm_root *root, const char *path, size_t nr_events,
			 struct tm_policy_counters *counters)
{
	struct tm_buf text = TM_BUF_INIT;
	int rc = tm_root_read(root, path, VMSTAT_MAX, &text);
	enum tm_state state = rc ? tm_state_from_errno(-rc) : TM_UNSUPPORTED;

	if (rc != -ENOMEM)
		rc = 0;
	for (size_t i = 0; i < nr_events && !rc; i++)
		rc = add_counter(counters, events[i], strlen(events[i]), tm_num_none(state));
	for (const char *line = tm_buf_str(&text), *end; *line && !rc;
	     line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		rc = take_line(counters, line, end);
	}
	tm_buf_release(&text);
	return rc;
}

static void release_counters(struct tm_policy_counters *counters)
{
	for (size_t i = 0; i < counters->nr; i++)
		free(counters->list[i].name);
	free(counters->list);
	*counters = (struct tm_policy_counters){ 0 };
}

static int read_settings(struct tm_tier_policy *p, const struct tm_root *root)
{
	size_t nr;
	const struct tm_knob *knobs = tm_knob_list(TM_KNOBS_POLICY, &nr);

	p->settings = calloc(nr, sizeof(*p->settings));
	if (!p->settings)
		return -ENOMEM;
	for (; p->nr_settings < nr; p->nr_settings++)
		if (tm_setting_read(root, &knobs[p->nr_settings], 0, &p->settings[p->nr_settings]))
			return -ENOMEM;
	return 0;
}

/*
 * Its folder is always there, empty where nothing is mounted on it; who is not root may not look
 * inside, so that every file below is denied.
 */
static enum tm_state find_debugfs(const struct tm_root *root)
{
	struct tm_scan scan;
	enum tm_state state;
	int rc = tm_scan_open(root, DEBUGFS, &scan);

	if (rc)
		return tm_state_from_errno(-rc);
	state = tm_scan_next(&scan) ? TM_KNOWN : TM_ABSENT;
	tm_scan_close(&scan);
	return state;
}

static int read_all(struct tm_tier_policy *p, const struct tm_root *root)
{
	char path[TM_PATH_MAX];
	int rc = read_settings(p, root);

	p->debugfs = find_debugfs(root);
	p->swappiness = tm_attr_num(root, "proc/sys/vm/swappiness");
	if (!rc)
		rc = tm_policy_find_targets(p);
	if (!rc)
		rc = read_counters(root, "proc/vmstat", TM_ARRAY_SIZE(events), &p->counters);
	for (size_t i = 0; i < p->nr_nodes && !rc; i++) {
		tm_path_format(path, "sys/devices/system/node/node%d/vmstat", p->nodes[i].node->id);
		rc = read_counters(root, path, NODE_EVENTS, &p->nodes[i].counters);
	}
	return rc ? rc : tm_policy_judge(p);
}

int tm_policy_read(struct tm_tier_policy *policy, const struct tm_machine *machine,
		   const struct tm_root *root, struct tm_error *err)
{
	struct tm_tier_policy read = { .machine = machine };

	if (read_all(&read, root)) {
		tm_policy_release(&read);
		return tm_error_nomem(err);
	}
	*policy = read;
	return 0;
}

void tm_policy_release(struct tm_tier_policy *p)
{
	for (size_t i = 0; i < p->nr_settings; i++)
		tm_setting_release(&p->settings[i]);
	free(p->settings);
	for (size_t i = 0; i < p->nr_nodes; i++) {
		tm_idset_release(&p->nodes[i].targets);
		tm_idset_release(&p->nodes[i].fallback);
		release_counters(&p->nodes[i].counters);
	}
	free(p->nodes);
	release_counters(&p->counters);
	tm_problems_release(&p->promotion.reasons);
	tm_problems_release(&p->demotion.reasons);
	*p = (struct tm_tier_policy){ 0 };
}

const struct tm_setting *tm_policy_setting(const struct tm_tier_policy *p, const char *name)
{
	for (size_t i = 0; i < p->nr_settings; i++)
		if (!strcmp(p->settings[i].knob->name, name))
			return &p->settings[i];
	return NULL;
}

struct tm_num tm_policy_number(const struct tm_tier_policy *p, const char *name)
{
	const struct tm_setting *setting = tm_policy_setting(p, name);
	struct tm_num number;

	if (!setting || setting->value.state != TM_KNOWN)
		return tm_num_none(setting ? setting->value.state : TM_ABSENT);
	if (setting->knob->form == TM_FORM_BOOL)
		return tm_num_known(!strcmp(setting->value.value, "true"));
	number.state = tm_parse_u64(setting->value.value, &number.value) ? TM_MALFORMED : TM_KNOWN;
	return number;
}

const struct tm_policy_node *tm_policy_node(const struct tm_tier_policy *p, long id)
{
	for (size_t i = 0; i < p->nr_nodes; i++)
		if (p->nodes[i].node->id == id)
			return &p->nodes[i];
	return NULL;
}

int tm_policy_suppose(struct tm_tier_policy *p, const char *name, const char *value,
		      struct tm_error *err)
{
	char *copy = strdup(value);

	if (!copy)
		return tm_error_nomem(err);
	for (size_t i = 0; i < p->nr_settings; i++) {
		if (strcmp(p->settings[i].knob->name, name))
			continue;
		tm_text_release(&p->settings[i].value);
		p->settings[i].value = (struct tm_text){ copy, TM_KNOWN };
		copy = NULL;
	}
	free(copy);
	return tm_policy_judge(p) ? tm_error_nomem(err) : 0;
}
