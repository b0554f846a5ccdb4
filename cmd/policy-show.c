/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem policy show`: the tables and the verdict. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/policy-damon.h"
#include "cmd/policy-view.h"
#include "cmd/recover.h"

struct shown {
	struct app *app;
	struct policy_view view;
	struct tm_damon damon;
	struct setting_row *settings;
	size_t nr_settings;
};

/* --- settings --- */

struct setting_row {
	const struct tm_setting *setting;
	char *word; /* as people say it; NULL: no value */
	const char *why;
};

#define SETTING(record) ((const struct setting_row *)(record))

static void get_name(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, SETTING(record)->setting->knob->name);
}

static void get_word(const void *record, struct tm_cell *cell)
{
	const struct setting_row *row = SETTING(record);

	tm_cell_string(cell, row->word);
	if (row->word)
		return;
	cell->state = row->setting->value.state;
	if (cell->state == TM_ABSENT)
		cell->state = TM_UNSUPPORTED;
}

static void get_why(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, SETTING(record)->why);
}

static const struct tm_field setting_fields[] = {
	{ "name", "SETTING", TM_FIELD_TEXT, true, true, false, "its name", get_name },
	{ "value", "NOW", TM_FIELD_TEXT, true, true, false, "what it is", get_word },
	{ "why", "MEANS", TM_FIELD_TEXT, true, true, true, "what that means", get_why },
};

/* What this value does, else what the setting is. */
static const char *explain(const struct tm_setting *setting)
{
	const struct tm_knob_word *words = setting->knob->words;

	for (size_t i = 0; words && words[i].word; i++)
		if (words[i].value && !strcmp(words[i].value, setting->value.value))
			return words[i].help;
	return setting->knob->help;
}

static bool below_debugfs(const struct tm_knob *knob)
{
	return !strncmp(knob->path, "sys/kernel/debug/", strlen("sys/kernel/debug/"));
}

static const char *explain_none(const struct tm_setting *setting, const struct tm_tier_policy *p)
{
	bool debugfs = below_debugfs(setting->knob);

	switch (setting->value.state) {
	case TM_ABSENT:
	case TM_UNSUPPORTED:
		return debugfs && p->debugfs == TM_ABSENT ? "debugfs is not mounted" :
							    "this kernel does not have it";
	case TM_DENIED:
		return debugfs ? "only root may look into debugfs" : "this user may not read it";
	default:
		return "not of the known form";
	}
}

static int make_settings(struct shown *s, struct tm_error *err)
{
	const struct tm_tier_policy *p = &s->view.policy;

	s->settings = calloc(p->nr_settings + 1, sizeof(*s->settings));
	if (!s->settings)
		return tm_error_nomem(err);
	for (size_t i = 0; i < p->nr_settings; i++) {
		const struct tm_setting *setting = &p->settings[i];
		struct setting_row *row = &s->settings[s->nr_settings++];
		struct tm_buf word = TM_BUF_INIT;

		row->setting = setting;
		if (setting->value.state != TM_KNOWN) {
			row->why = explain_none(setting, p);
			continue;
		}
		row->why = explain(setting);
		tm_knob_say(setting->knob, setting->value.value, &word);
		if (setting->knob->unit && !strcmp(setting->knob->unit, "ms"))
			tm_buf_adds(&word, " ms");
		row->word = tm_buf_detach(&word);
		if (!row->word)
			return tm_error_nomem(err);
	}
	return 0;
}

/* --- nodes --- */

#define NODE(record) ((const struct tm_policy_node *)(record))

static void get_id(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known((uint64_t)NODE(record)->node->id));
}

static void get_kind(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, tm_kind_name(NODE(record)->node->kind));
}

static void get_tier(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, NODE(record)->node->tier);
}

static void get_top(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, NODE(record)->top);
}

static void get_cpus(const void *record, struct tm_cell *cell)
{
	cell->state = NODE(record)->node->cpus_state;
	cell->set = &NODE(record)->node->cpus;
}

static void get_size(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, NODE(record)->node->memory_total);
}

static void get_free(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, NODE(record)->node->memory_free);
}

static void get_targets(const void *record, struct tm_cell *cell)
{
	cell->state = TM_KNOWN;
	cell->set = &NODE(record)->targets;
}

static void get_fallback(const void *record, struct tm_cell *cell)
{
	cell->state = TM_KNOWN;
	cell->set = &NODE(record)->fallback;
}

static struct tm_num counter(const struct tm_policy_counters *counters, const char *name)
{
	const struct tm_policy_counter *found = tm_policy_counter(counters, name);

	return found ? found->value : tm_num_none(TM_UNSUPPORTED);
}

static void get_promoted(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, counter(&NODE(record)->counters, "pgpromote_success"));
}

/* Whoever it was that reclaimed. Unknown where none of them is known. */
static void get_demoted(const void *record, struct tm_cell *cell)
{
	const struct tm_policy_counters *counters = &NODE(record)->counters;
	struct tm_num sum = counter(counters, "pgdemote_kswapd");

	for (size_t i = 0; i < counters->nr; i++) {
		const struct tm_policy_counter *c = &counters->list[i];

		if (strncmp(c->name, "pgdemote_", strlen("pgdemote_")) || !tm_num_is(&c->value) ||
		    !strcmp(c->name, "pgdemote_kswapd"))
			continue;
		sum = tm_num_known((tm_num_is(&sum) ? sum.value : 0) + c->value.value);
	}
	tm_cell_num(cell, sum);
}

/* clang-format off */
const struct tm_field policy_node_fields[] = {
	{ "id", "NODE", TM_FIELD_NUMBER, true, false, false, "node id", get_id },
	{ "kind", "KIND", TM_FIELD_TEXT, true, false, false, "kind of memory", get_kind },
	{ "tier", "TIER", TM_FIELD_NUMBER, true, false, false, "its tier; lower is faster",
	  get_tier },
	{ "top", "TOP", TM_FIELD_BOOL, true, false, false,
	  "in a top tier: nothing is promoted out of it", get_top },
	{ "cpus", "CPUS", TM_FIELD_SET, false, false, false, "its CPUs", get_cpus },
	{ "memory_total_bytes", "SIZE", TM_FIELD_BYTES, true, false, false, "its memory",
	  get_size },
	{ "memory_free_bytes", "FREE", TM_FIELD_BYTES, true, false, false, "of it free", get_free },
	{ "demotes_to", "DOWN-TO", TM_FIELD_SET, true, false, true, "where its cold pages go",
	  get_targets },
	{ "demotes_else_to", "ELSE", TM_FIELD_SET, true, false, true,
	  "or where else, if there is no room", get_fallback },
	{ "demoted", "DEMOTED", TM_FIELD_NUMBER, true, true, false, "pages moved down out of it",
	  get_demoted },
	{ "promoted", "PROMOTED", TM_FIELD_NUMBER, true, true, false, "pages moved up into it",
	  get_promoted },
};
/* clang-format on */

const size_t policy_nr_node_fields = TM_ARRAY_SIZE(policy_node_fields);

/* --- counters --- */

#define COUNTER(record) ((const struct tm_policy_counter *)(record))

static void get_counter_name(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, COUNTER(record)->name);
}

static void get_counter_value(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, COUNTER(record)->value);
}

static const struct tm_field counter_fields[] = {
	{ "name", "COUNTER", TM_FIELD_TEXT, true, true, false, "its name", get_counter_name },
	{ "value", "PAGES", TM_FIELD_NUMBER, true, true, false, "since boot", get_counter_value },
};

/* Those of moving between tiers; the others with -v. */
static int add_counters(const struct shown *s, struct tm_buf *out, struct tm_error *err)
{
	const struct tm_policy_counters *all = &s->view.policy.counters;
	struct tm_policy_counter *some = calloc(all->nr + 1, sizeof(*some));
	size_t nr = 0;
	int rc;

	if (!some)
		return tm_error_nomem(err);
	for (size_t i = 0; i < all->nr; i++)
		if (s->app->verbose || !strncmp(all->list[i].name, "pg", 2))
			some[nr++] = all->list[i];
	tm_buf_addc(out, '\n');
	rc = policy_add_table(s->app, counter_fields, TM_ARRAY_SIZE(counter_fields), some, nr,
			      sizeof(*some), out, err);
	free(some);
	return rc;
}

/* --- DAMON --- */

static void add_text(struct tm_buf *out, const struct tm_text *text)
{
	if (text->state == TM_KNOWN)
		tm_buf_add_printable(out, text->value, strlen(text->value));
	else
		tm_buf_addc(out, '?');
}

static void add_damon(const struct tm_damon *damon, struct tm_buf *out)
{
	if (damon->exclusive)
		tm_buf_addf(out, "damon: %s runs, beside which nothing else can\n",
			    damon->exclusive);
	for (size_t i = 0; i < damon->nr; i++) {
		const struct tm_kdamond *k = &damon->list[i];

		tm_buf_addf(out, "damon: kdamond %d ", k->id);
		add_text(out, &k->state);
		if (tm_num_is(&k->ours))
			tm_buf_adds(out, k->ours.value ? ", started by tiermem" :
							 ", not started by tiermem");
		for (size_t n = 0; n < k->nr_schemes; n++) {
			tm_buf_adds(out, n ? ", " : ": ");
			add_text(out, &k->schemes[n].action);
			if (tm_num_is(&k->schemes[n].target))
				tm_buf_addf(out, " to node %llu",
					    (unsigned long long)k->schemes[n].target.value);
		}
		tm_buf_addc(out, '\n');
	}
}

/* --- verdict --- */

#define WIDTH 80

/* Words, on lines of at most 80 columns; further lines are indented. */
static void add_wrapped(struct tm_buf *out, const char *text, size_t column, size_t indent)
{
	bool first = true;

	for (size_t len; *text; text += len + (text[len] == ' ')) {
		len = strcspn(text, " ");
		if (!first && column + 1 + len > WIDTH) {
			tm_buf_addf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			tm_buf_addc(out, ' ');
			column++;
		}
		tm_buf_add_printable(out, text, len);
		column += len;
		first = false;
	}
	tm_buf_addc(out, '\n');
}

static void add_reason(struct tm_buf *out, const struct tm_problem *reason)
{
	struct tm_buf line = TM_BUF_INIT;

	tm_buf_addf(&line, "%s: %s [%s]",
		    reason->severity == TM_ERROR   ? "missing" :
		    reason->severity == TM_WARNING ? "unknown" :
						     "note",
		    reason->message, reason->code);
	tm_buf_adds(out, "  ");
	add_wrapped(out, tm_buf_str(&line), 2, 4);
	if (reason->hint[0]) {
		tm_buf_adds(out, "    hint: ");
		add_wrapped(out, reason->hint, strlen("    hint: "), 6);
	}
	out->failed |= line.failed;
	tm_buf_release(&line);
}

static void add_verdict(struct tm_buf *out, const char *what, const struct tm_verdict *verdict)
{
	tm_buf_addf(out, "%s: %s\n", what, policy_answer(verdict->active));
	/* What else there is to know matters only where it is at work, or nearly. */
	for (size_t i = 0; i < verdict->reasons.nr; i++)
		if (verdict->reasons.list[i].severity != TM_NOTE || verdict->active != TM_NO)
			add_reason(out, &verdict->reasons.list[i]);
}

static int add_all(const struct shown *s, struct tm_buf *out, struct tm_error *err)
{
	const struct tm_tier_policy *p = &s->view.policy;
	int rc = policy_add_table(s->app, setting_fields, TM_ARRAY_SIZE(setting_fields),
				  s->settings, s->nr_settings, sizeof(*s->settings), out, err);

	/* Scripts that ask for bare rows get one table. */
	if (rc || s->app->raw || s->app->noheadings)
		return rc;
	tm_buf_addc(out, '\n');
	rc = policy_add_table(s->app, policy_node_fields, policy_nr_node_fields, p->nodes,
			      p->nr_nodes, sizeof(*p->nodes), out, err);
	if (!rc)
		rc = add_counters(s, out, err);
	tm_buf_addc(out, '\n');
	add_damon(&s->damon, out);
	add_verdict(out, "promotion", &p->promotion);
	add_verdict(out, "demotion", &p->demotion);
	return rc;
}

static int make_text(const struct shown *s, char **text, struct tm_error *err)
{
	struct tm_buf out = TM_BUF_INIT;
	int rc = add_all(s, &out, err);

	return policy_take_text(&out, rc, text, err);
}

static int run_show(struct app *app)
{
	struct shown s = { .app = app };
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_error err = { 0 };
	int rc = policy_view_read(&s.view, app->root, &err);

	if (!rc)
		rc = policy_damon_read(&s.damon, &s.view.root, &err);
	if (!rc)
		rc = make_settings(&s, &err);
	if (!rc)
		rc = app->json ? policy_json(&s.view, &s.damon, &text, &err) :
				 make_text(&s, &text, &err);
	if (!rc) {
		out_text(app, text);
		recover_warn(app, &s.view.root);
	}
	for (size_t i = 0; i < s.nr_settings; i++)
		free(s.settings[i].word);
	free(s.settings);
	tm_damon_release(&s.damon);
	policy_view_release(&s.view);
	return rc ? report(app, EXIT_FAILED, &err) : EXIT_DONE;
}

const struct command policy_show_command = {
	.name = "show",
	.summary = "show what moves pages between tiers, and whether it is at work",
	.synopsis = "",
	.description =
		"Shows the settings; for each node with memory its tier, whether that is a top "
		"tier, and where its cold pages go; the kernel's counters (with -v all of them); "
		"what DAMON does; and a verdict on promotion and demotion, each apart: is it at "
		"work, and if not, which link is missing.\n\n"
		"The slowest tier with CPUs and every faster one are top tiers: nothing is "
		"promoted out of them. A node's pages go to the nearest node of the next slower "
		"tier.",
	.examples = "tiermem policy show  # is it at work?\n"
		    "tiermem policy show --json | jq .verdict.promotion.missing  # why not\n",
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_TABLE,
	.run = run_show,
};
