/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/top/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/buf.h"
#include "lib/base/units.h"
#include "lib/model/policy.h"
#include "lib/sample/blind.h"
#include "lib/sys/attr.h"

#define SECOND 1000000000ULL

void top_facts_release(struct top_facts *facts)
{
	tm_text_release(&facts->kernel);
	tm_text_release(&facts->host);
	tm_text_release(&facts->boot_id);
	free(facts->root);
	free(facts->promotion);
	free(facts->demotion);
	free(facts->nodes);
	*facts = (struct top_facts){ 0 };
}

static int copy_text(struct tm_text *to, const struct tm_text *from)
{
	to->state = from->state;
	if (from->state != TM_KNOWN)
		return 0;
	to->value = strdup(from->value);
	return to->value ? 0 : -ENOMEM;
}

static int add_node(struct top_facts *facts, const struct top_node *node)
{
	if (tm_array_grow(&facts->nodes, facts->nr_nodes, &facts->cap_nodes, sizeof(*facts->nodes)))
		return -ENOMEM;
	facts->nodes[facts->nr_nodes++] = *node;
	return 0;
}

static int from_machine(struct top_facts *facts, const struct tm_machine *m)
{
	int rc = copy_text(&facts->kernel, &m->kernel);

	if (!rc)
		rc = copy_text(&facts->host, &m->host);
	if (!rc)
		rc = copy_text(&facts->boot_id, &m->boot_id);
	facts->root = strdup(m->root);
	if (!facts->root)
		rc = -ENOMEM;
	facts->page_size = m->page_size;
	for (size_t i = 0; i < m->nr_nodes && !rc; i++)
		rc = add_node(facts, &(struct top_node){ m->nodes[i].id, m->nodes[i].tier,
							 m->nodes[i].weight });
	return rc;
}

/* "yes", or "no: " and the first link that is missing. */
static char *verdict_text(const struct tm_verdict *verdict)
{
	const char *word = verdict->active == TM_YES ? "yes" :
			   verdict->active == TM_NO  ? "no" :
						       "unsure";
	enum tm_severity wanted = verdict->active == TM_NO ? TM_ERROR : TM_WARNING;
	struct tm_buf text = TM_BUF_INIT;

	tm_buf_adds(&text, word);
	for (size_t i = 0; i < verdict->reasons.nr && verdict->active != TM_YES; i++) {
		if (verdict->reasons.list[i].severity != wanted)
			continue;
		tm_buf_addf(&text, ": %s", verdict->reasons.list[i].message);
		break;
	}
	return tm_buf_detach(&text);
}

static int judge(struct top_facts *facts, const struct tm_machine *m, const struct tm_root *root,
		 struct tm_error *err)
{
	struct tm_tier_policy policy;
	int rc = tm_policy_read(&policy, m, root, err);

	if (rc)
		return rc;
	facts->promotion = verdict_text(&policy.promotion);
	facts->demotion = verdict_text(&policy.demotion);
	tm_policy_release(&policy);
	return facts->promotion && facts->demotion ? 0 : tm_error_nomem(err);
}

/* "12345.67 …" */
static struct tm_num read_uptime(const struct tm_root *root)
{
	struct tm_text text = tm_attr_text(root, "proc/uptime");
	struct tm_num uptime = tm_num_none(text.state);

	if (text.state == TM_KNOWN) {
		text.value[strcspn(text.value, ".")] = '\0';
		if (tm_parse_u64(text.value, &uptime.value))
			uptime.state = TM_MALFORMED;
	}
	tm_text_release(&text);
	return uptime;
}

static struct tm_num read_blind(const struct tm_root *root)
{
	struct tm_idset possible = TM_IDSET_INIT;
	size_t cpus = 0;
	struct tm_num blind;

	if (tm_attr_list(root, "sys/devices/system/cpu/possible", &possible) == TM_KNOWN)
		cpus = tm_idset_count(&possible);
	tm_idset_release(&possible);
	blind = tm_blind_read(root, tm_cpuid_system, NULL, cpus);
	return blind;
}

int top_facts_read(struct top_facts *facts, const struct tm_root *root, struct tm_error *err)
{
	struct top_facts read = { 0 };
	struct tm_machine machine;
	struct timespec now = { 0 };
	int rc = tm_machine_read(&machine, root, &(struct tm_machine_options){ 0 }, err);

	if (rc)
		return rc;
	rc = from_machine(&read, &machine);
	if (rc)
		tm_error_nomem(err);
	else
		rc = judge(&read, &machine, root, err);
	tm_machine_release(&machine);
	if (rc) {
		top_facts_release(&read);
		return rc;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	read.time_ns = (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
	read.uptime_s = read_uptime(root);
	read.blind = read_blind(root);
	*facts = read;
	return 0;
}

static bool same_num(const struct tm_num *a, const struct tm_num *b)
{
	return a->state == b->state && (!tm_num_is(a) || a->value == b->value);
}

/* The uptime aside, which always is another. */
static bool same_facts(const struct top_facts *a, const struct top_facts *b)
{
	bool same = a->nr_nodes == b->nr_nodes && !strcmp(a->promotion, b->promotion) &&
		    !strcmp(a->demotion, b->demotion);

	for (size_t i = 0; i < a->nr_nodes && same; i++)
		same = a->nodes[i].id == b->nodes[i].id &&
		       same_num(&a->nodes[i].tier, &b->nodes[i].tier) &&
		       same_num(&a->nodes[i].weight, &b->nodes[i].weight);
	return same;
}

int top_facts_refresh(struct top_facts *facts, const struct tm_root *root, struct tm_error *err)
{
	struct top_facts read;
	int rc = top_facts_read(&read, root, err);
	bool same;

	if (rc)
		return rc;
	same = same_facts(facts, &read);
	top_facts_release(facts);
	*facts = read;
	return !same;
}

struct tm_identity top_facts_identity(const struct top_facts *facts)
{
	return (struct tm_identity){
		.kernel = facts->kernel,
		.host = facts->host,
		.boot_id = facts->boot_id,
		.root = facts->root,
	};
}

const struct top_node *top_facts_node(const struct top_facts *facts, int id)
{
	for (size_t i = 0; i < facts->nr_nodes; i++)
		if (facts->nodes[i].id == id)
			return &facts->nodes[i];
	return NULL;
}

struct tm_num top_facts_uptime(const struct top_facts *facts, uint64_t time_ns)
{
	struct tm_num uptime = facts->uptime_s;
	uint64_t since = TM_MAX(time_ns, facts->time_ns) - facts->time_ns;
	uint64_t before = TM_MAX(time_ns, facts->time_ns) - time_ns;

	if (tm_num_is(&uptime))
		uptime.value =
			uptime.value + since / SECOND - TM_MIN(uptime.value, before / SECOND);
	return uptime;
}

void top_facts_write(struct tm_json *json, const struct top_facts *facts, uint64_t time_ns)
{
	tm_json_object(json, "machine");
	tm_json_num(json, "page_size_bytes", facts->page_size);
	tm_json_num(json, "uptime_s", top_facts_uptime(facts, time_ns));
	if (tm_num_is(&facts->blind))
		tm_json_string(json, "blind", tm_blind_name((enum tm_blind)facts->blind.value));
	else
		tm_json_none(json, "blind", facts->blind.state);
	tm_json_string(json, "promotion", facts->promotion);
	tm_json_string(json, "demotion", facts->demotion);
	tm_json_array(json, "nodes");
	for (size_t i = 0; i < facts->nr_nodes; i++) {
		tm_json_object(json, NULL);
		tm_json_i64(json, "id", facts->nodes[i].id);
		tm_json_num(json, "tier", facts->nodes[i].tier);
		tm_json_num(json, "weight", facts->nodes[i].weight);
		tm_json_end(json);
	}
	tm_json_end(json);
	tm_json_end(json);
}

/* A number or null; what a recording lacks was not known. */
static struct tm_num get_num(const struct tm_jvalue *object, const char *key)
{
	const struct tm_jvalue *value = tm_jvalue_get(object, key);
	uint64_t number;

	if (!value || tm_jvalue_u64(value, &number))
		return tm_num_none(TM_UNKNOWN);
	return tm_num_known(number);
}

static int get_text(const struct tm_jvalue *object, const char *key, struct tm_text *text)
{
	const struct tm_jvalue *value = tm_jvalue_get(object, key);
	const char *string = value ? tm_jvalue_string(value) : NULL;

	if (!string)
		return 0;
	text->value = strdup(string);
	text->state = text->value ? TM_KNOWN : TM_UNKNOWN;
	return text->value ? 0 : -ENOMEM;
}

static struct tm_num get_blind(const struct tm_jvalue *machine)
{
	const struct tm_jvalue *value = tm_jvalue_get(machine, "blind");
	const char *name = value ? tm_jvalue_string(value) : NULL;

	for (unsigned i = 0; name && i < TM_BLINDS; i++)
		if (!strcmp(name, tm_blind_name((enum tm_blind)i)))
			return tm_num_known(i);
	return tm_num_none(TM_UNKNOWN);
}

/* What the uptime was by the clock of the line's sample. */
static void parse_uptime(struct top_facts *facts, const struct tm_jvalue *document,
			 const struct tm_jvalue *machine)
{
	struct tm_num time = get_num(document, "time_ns");

	facts->uptime_s = get_num(machine, "uptime_s");
	if (!tm_num_is(&time))
		facts->uptime_s = tm_num_none(TM_UNKNOWN);
	facts->time_ns = time.value;
}

static int parse_nodes(struct top_facts *facts, const struct tm_jvalue *machine)
{
	const struct tm_jvalue *nodes = tm_jvalue_get(machine, "nodes");

	for (const struct tm_jvalue *v = nodes ? tm_jvalue_first(nodes) : NULL; v;
	     v = tm_jvalue_next(v)) {
		struct tm_num id = get_num(v, "id");

		if (!tm_num_is(&id) || id.value > TM_ID_MAX)
			return -EINVAL;
		if (add_node(facts, &(struct top_node){ (int)id.value, get_num(v, "tier"),
							get_num(v, "weight") }))
			return -ENOMEM;
	}
	return 0;
}

int top_facts_parse(struct top_facts *facts, const struct tm_jvalue *document, struct tm_error *err)
{
	const struct tm_jvalue *machine = tm_jvalue_get(document, "machine");
	struct top_facts read = { 0 };
	struct tm_text root = { 0 }, promotion = { 0 }, demotion = { 0 };
	int rc = machine ? 0 : -EINVAL;

	if (!rc)
		rc = get_text(document, "kernel", &read.kernel);
	if (!rc)
		rc = get_text(document, "host", &read.host);
	if (!rc)
		rc = get_text(document, "boot_id", &read.boot_id);
	if (!rc)
		rc = get_text(document, "root", &root);
	if (!rc)
		rc = get_text(machine, "promotion", &promotion);
	if (!rc)
		rc = get_text(machine, "demotion", &demotion);
	read.root = root.value;
	read.promotion = promotion.value;
	read.demotion = demotion.value;
	if (!rc) {
		parse_uptime(&read, document, machine);
		read.blind = get_blind(machine);
		read.page_size = get_num(machine, "page_size_bytes");
	}
	if (!rc)
		rc = parse_nodes(&read, machine);
	if (rc) {
		top_facts_release(&read);
		return rc == -ENOMEM ? tm_error_nomem(err) :
				       tm_error_set(err, EINVAL,
						    "machine: not as `tiermem top` records it");
	}
	*facts = read;
	return 0;
}
