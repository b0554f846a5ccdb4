/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem policy set` and `preset`: settings by name, through a plan. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/apply.h"
#include "cmd/policy-view.h"
#include "cmd/recover.h"
#include "lib/base/nearest.h"
#include "lib/base/units.h"

/* --- what is wanted --- */

static int unknown_setting(const char *name, size_t len, struct tm_error *err)
{
	struct tm_nearest nearest = { .word = name, .len = len };
	size_t nr;
	const struct tm_knob *knobs = tm_knob_list(TM_KNOBS_POLICY, &nr);

	for (size_t i = 0; i < nr; i++)
		tm_nearest_try(&nearest, knobs[i].name);
	tm_error_set(err, EINVAL, "'%.*s': there is no such setting", (int)TM_MIN(len, 64u), name);
	if (nearest.best)
		tm_error_hint(err, "did you mean %s?", nearest.best);
	else
		tm_error_hint(err, "`tiermem policy show` lists them");
	return -EINVAL;
}

static int want(struct settings *settings, const struct tm_root *root, const char *text,
		struct tm_error *err)
{
	const char *equals = strchr(text, '=');
	const struct tm_knob *knob;
	char name[64];

	if (!equals) {
		tm_error_set(err, EINVAL, "'%.100s': not of the form KEY=VALUE", text);
		tm_error_hint(err, "such as demotion=on");
		return -EINVAL;
	}
	if ((size_t)(equals - text) >= sizeof(name))
		return unknown_setting(text, (size_t)(equals - text), err);
	snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
	knob = tm_knob_find(TM_KNOBS_POLICY, name);
	if (!knob)
		return unknown_setting(name, strlen(name), err);
	return settings_want(settings, root, knob, 0, equals + 1, err);
}

/* By the name of one of the policy's. */
static const struct wanted *wants(const struct settings *settings, const char *name)
{
	return settings_find(settings, tm_knob_find(TM_KNOBS_POLICY, name), 0);
}

/* What it will be: as wanted, else as it is; unknown where neither is known. */
static int outcome(const struct settings *settings, const struct tm_root *root, const char *name,
		   struct tm_num *number)
{
	const struct wanted *wanted = wants(settings, name);
	struct tm_setting now = { 0 };
	const char *text;

	if (!wanted && tm_setting_read(root, tm_knob_find(TM_KNOBS_POLICY, name), 0, &now))
		return -ENOMEM;
	text = wanted ? wanted->value : now.value.value;
	*number = tm_num_none(TM_UNKNOWN);
	if (text && !tm_parse_u64(text, &number->value))
		number->state = TM_KNOWN;
	tm_setting_release(&now);
	return 0;
}

int policy_check(const struct settings *settings, const struct tm_root *root, struct tm_error *err)
{
	bool least_given = wants(settings, "scan-period-min"),
	     most_given = wants(settings, "scan-period-max");
	struct tm_num least, most;

	if (!least_given && !most_given)
		return 0;
	if (outcome(settings, root, "scan-period-min", &least) ||
	    outcome(settings, root, "scan-period-max", &most))
		return tm_error_nomem(err);
	if (!tm_num_is(&least) || !tm_num_is(&most) || least.value <= most.value)
		return 0;
	tm_error_set(err, EINVAL,
		     "scan-period-min would be %llu ms, more than scan-period-max, %llu ms",
		     (unsigned long long)least.value, (unsigned long long)most.value);
	if (!least_given || !most_given)
		tm_error_hint(err, "set both");
	return -EINVAL;
}

/* --- what comes of it --- */

static void warn_way(const struct app *app, const char *name, const struct tm_verdict *verdict)
{
	for (size_t i = 0; i < verdict->reasons.nr; i++) {
		const struct tm_problem *reason = &verdict->reasons.list[i];

		if (reason->severity != TM_NOTE || verdict->active != TM_NO)
			warn(app, "%s: %s", name, reason->message);
	}
}

/* Who turns something on is told why it will not work, or only by halves. */
static int warn_of_outcome(const struct app *app, const struct settings *settings,
			   struct tm_tier_policy *p, struct tm_error *err)
{
	struct tm_num on;
	int rc = 0;

	for (size_t i = 0; i < settings->nr && !rc; i++)
		rc = tm_policy_suppose(p, settings->list[i].knob->name, settings->list[i].value,
				       err);
	if (rc)
		return rc;
	on = tm_policy_number(p, "demotion");
	if (wants(settings, "demotion") && on.value)
		warn_way(app, "demotion", &p->demotion);
	on = tm_policy_number(p, "numa-balancing");
	if (wants(settings, "numa-balancing") && on.value)
		warn_way(app, "promotion", &p->promotion);
	return 0;
}

static int exit_code(int rc)
{
	return rc == -EINVAL || rc == -EEXIST ? EXIT_USAGE :
	       rc == -ENOTSUP		      ? EXIT_UNSUPPORTED :
						EXIT_FAILED;
}

/* What a killed one left is taken back first; then the settings are others than were read. */
static int open_view(struct app *app, struct policy_view *view)
{
	struct tm_error err = { 0 };
	bool recovered = false;
	int code;

	if (policy_view_read(view, app->root, &err))
		return report(app, EXIT_FAILED, &err);
	code = apply_refuse_archive(app, &view->root);
	if (code == EXIT_DONE && app->dry_run)
		recover_warn(app, &view->root);
	else if (code == EXIT_DONE)
		code = recover_first(app, &view->root, &recovered);
	if (code != EXIT_DONE || !recovered)
		return code;
	policy_view_release(view);
	return policy_view_read(view, app->root, &err) ? report(app, EXIT_FAILED, &err) : code;
}

/* From the settings that are wanted to the end. Returns an exit code. */
static int apply(struct app *app, struct policy_view *view, const char *title,
		 const struct settings *settings, bool warnings)
{
	struct tm_plan plan = { .lock_fd = -1 };
	struct tm_error err = { 0 };
	int rc, code;

	rc = tm_plan_init(&plan, &view->root, title, &err);
	if (!rc)
		rc = settings_plan(settings, &view->root, &plan, &err);
	if (!rc && warnings)
		rc = warn_of_outcome(app, settings, &view->policy, &err);
	code = rc ? report(app, (enum exit_code)exit_code(rc), &err) :
		    apply_plan(app, &view->machine, &plan);
	tm_plan_release(&plan);
	return code;
}

static int run_set(struct app *app)
{
	struct policy_view view = { .root = { .fd = -1 } };
	struct settings settings = { 0 };
	struct tm_error err = { 0 };
	int code = open_view(app, &view), rc = 0;

	for (int i = 0; code == EXIT_DONE && !rc && i < app->argc; i++)
		rc = want(&settings, &view.root, app->argv[i], &err);
	if (rc)
		code = report(app, (enum exit_code)exit_code(rc), &err);
	else if (code == EXIT_DONE)
		code = apply(app, &view, "policy set", &settings, true);
	settings_release(&settings);
	policy_view_release(&view);
	return code;
}

/* --- presets --- */

struct preset_setting {
	const char *text; /* KEY=VALUE; NULL: no more */
	bool optional;	  /* where the machine has no such setting, that is as good */
	const char *why;
};

static const struct preset {
	const char *name, *help;
	bool warnings; /* it turns on what a machine may be unfit for */
	struct preset_setting settings[4];
} presets[] = {
	{ "tiering",
	  "hot pages move up, cold ones down",
	  true,
	  { { "demotion=on", false, "what is not used makes room for what is" },
	    { "numa-balancing=tiering", false, "what is used comes up, the hottest first" },
	    { "zone-reclaim-mode=off", true, "new memory may come from a slower node at once" },
	    { NULL, false, NULL } } },
	{ "static",
	  "pages stay where they were placed, by interleaving or by hand",
	  false,
	  { { "demotion=off", true, "reclaim leaves them in their node" },
	    { "numa-balancing=off", true, "nor do they follow who uses them" },
	    { NULL, false, NULL } } },
	{ "off",
	  "no tiering: as the kernel boots",
	  false,
	  { { "demotion=off", true, "the default" },
	    { "numa-balancing=normal", true, "the default of machines with several nodes" },
	    { "promote-rate-limit=64Gi", true, "the default, which nobody reaches" },
	    { NULL, false, NULL } } },
};

static const char *preset_word(size_t i, const char **help)
{
	if (i >= TM_ARRAY_SIZE(presets))
		return NULL;
	*help = presets[i].help;
	return presets[i].name;
}

static void explain_preset(struct app *app, const struct preset *preset)
{
	struct tm_buf text = TM_BUF_INIT;

	if (app->json || app->quiet || app->raw || app->noheadings)
		return;
	tm_buf_addf(&text, "%s: %s\n", preset->name, preset->help);
	for (const struct preset_setting *s = preset->settings; s->text; s++)
		tm_buf_addf(&text, "  %-24s %s\n", s->text, s->why);
	tm_buf_addc(&text, '\n');
	out_text(app, tm_buf_str(&text));
	tm_buf_release(&text);
}

static int run_preset(struct app *app)
{
	const struct preset *preset = presets;
	struct policy_view view = { .root = { .fd = -1 } };
	struct settings settings = { 0 };
	struct tm_error err = { 0 };
	char title[64];
	int code = open_view(app, &view), rc = 0;

	while (strcmp(preset->name, app->argv[0]))
		preset++;
	for (const struct preset_setting *s = preset->settings; code == EXIT_DONE && !rc && s->text;
	     s++) {
		rc = want(&settings, &view.root, s->text, &err);
		if (rc == -ENOTSUP && s->optional)
			rc = 0;
	}
	snprintf(title, sizeof(title), "policy preset %s", preset->name);
	if (rc) {
		code = report(app, (enum exit_code)exit_code(rc), &err);
	} else if (code == EXIT_DONE) {
		explain_preset(app, preset);
		code = apply(app, &view, title, &settings, preset->warnings);
	}
	settings_release(&settings);
	policy_view_release(&view);
	return code;
}

/* --- the commands --- */

/* "demotion=on" for each word that a setting has a name for, "scan-delay=" for the others. */
static const char *setting_word(size_t i, const char **help)
{
	static const char *const yes_no[] = { "on", "off" };
	static char store[32][48];
	size_t nr, n = 0;
	const struct tm_knob *knobs = tm_knob_list(TM_KNOBS_POLICY, &nr);

	for (size_t k = 0; k < nr; k++) {
		const struct tm_knob_word *words = knobs[k].words;
		size_t nr_words = knobs[k].form == TM_FORM_BOOL ? TM_ARRAY_SIZE(yes_no) : 0;

		while (words && words[nr_words].word)
			nr_words++;
		for (size_t w = 0; w < TM_MAX(nr_words, (size_t)1); w++, n++) {
			if (n != i || i >= TM_ARRAY_SIZE(store))
				continue;
			snprintf(store[i], sizeof(store[i]), "%s=%s", knobs[k].name,
				 !nr_words ? "" :
				 words	   ? words[w].word :
					     yes_no[w]);
			*help = words ? words[w].help : knobs[k].help;
			return store[i];
		}
	}
	return NULL;
}

static const struct option options[] = {
	APPLY_OPTIONS,
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command policy_set_command = {
	.name = "set",
	.summary = "set what moves pages between tiers",
	.synopsis = "KEY=VALUE...",
	.description =
		"Sets one or several settings through a plan: all values are checked before the "
		"first write, each is read back, and any failure takes back what was written. "
		"`tiermem undo` puts the old values back.\n\n"
		"  demotion                on or off\n"
		"  numa-balancing          off, normal, tiering or both\n"
		"  promote-rate-limit      bytes a second, such as 20G\n"
		"  hot-threshold           milliseconds\n"
		"  scan-delay              milliseconds\n"
		"  scan-period-min         milliseconds\n"
		"  scan-period-max         milliseconds\n"
		"  scan-size               bytes\n"
		"  zone-reclaim-mode       off, clean, or 0 to 7\n"
		"  watermark-scale-factor  1 to 3000 ten-thousandths of a node's memory\n\n"
		"hot-threshold and those that begin with scan are in debugfs, which must be "
		"mounted.",
	.examples = "tiermem policy set demotion=on numa-balancing=tiering  # both ways\n"
		    "tiermem policy set promote-rate-limit=2G --dry-run  # what would be written\n",
	.options = options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.min_operands = 1,
	.max_operands = -1,
	.operand = "KEY=VALUE",
	.operand_kind = VALUE_TEXT,
	.operand_words = setting_word,
	.run = run_set,
};

const struct command policy_preset_command = {
	.name = "preset",
	.summary = "set what belongs together: tiering, static or off",
	.synopsis = "tiering|static|off",
	.description =
		"A preset is a few settings that make sense together; it is shown with its reasons "
		"before it is applied.\n\n"
		"  tiering  hot pages move up, cold ones down: demotion=on,\n"
		"           numa-balancing=tiering, zone-reclaim-mode=off\n"
		"  static   pages stay where they were placed: demotion=off,\n"
		"           numa-balancing=off\n"
		"  off      as the kernel boots: demotion=off, numa-balancing=normal,\n"
		"           promote-rate-limit=64Gi",
	.examples = "tiermem policy preset tiering --dry-run  # look first\n"
		    "tiermem policy preset static  # for weighted interleave\n",
	.options = options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.min_operands = 1,
	.max_operands = 1,
	.operand = "NAME",
	.operand_kind = VALUE_WORD,
	.operand_words = preset_word,
	.run = run_preset,
};
