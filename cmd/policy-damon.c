/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem policy damon`: the kernel's DAMON moves hot and cold memory between nodes. */
#include "cmd/policy-damon.h"

#include <errno.h>
#include <string.h>

#include "cmd/apply.h"
#include "cmd/policy.h"
#include "cmd/recover.h"

static const char *action_word(size_t i, const char **help)
{
	static const char *const words[] = { "start", "status", "stop" };
	static const char *const texts[] = { "begin to move memory", "show what is at work",
					     "end what start began" };

	if (i >= TM_ARRAY_SIZE(words))
		return NULL;
	*help = texts[i];
	return words[i];
}

static const struct option options[] = {
	{ "cold", 'C', "FROM:TO", VALUE_TEXT,
	  "start: move cold memory of one node to another, such as 0:1 or 0:2,1:3", NULL },
	{ "hot", 'H', "FROM:TO", VALUE_TEXT, "start: move hot memory, such as 1:0", NULL },
	{ "quota", 'Q', "BYTES/INTERVAL", VALUE_TEXT,
	  "start: at most so much each, 256M/1s if not given; none for no limit", NULL },
	{ "interval", 'i', "LIST", VALUE_TEXT,
	  "start: of samples, aggregations and updates; 5ms/100ms/1s if not given", NULL },
	{ "cgroup", 0, "PATH", VALUE_TEXT, "start: only memory of this control group", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

static enum exit_code exit_code(int rc)
{
	switch (rc) {
	case -EINVAL:
		return EXIT_USAGE;
	case -ENOTSUP:
		return EXIT_UNSUPPORTED;
	default:
		return EXIT_FAILED;
	}
}

static int start_plan(struct app *app, const struct policy_damon_wish *wish,
		      const struct tm_root *root, const struct tm_machine *m)
{
	struct tm_plan plan = { .lock_fd = -1 };
	struct tm_error err = { 0 };
	int rc = tm_plan_init(&plan, root, POLICY_DAMON_TITLE, &err), code;

	if (!rc)
		rc = policy_damon_plan(app, wish, root, m, &plan, &err);
	code = rc ? report(app, exit_code(rc), &err) : apply_plan(app, m, &plan);
	tm_plan_release(&plan);
	return code;
}

static int start(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	struct policy_damon_wish wish = { 0 };
	struct tm_error err = { 0 };
	bool recovered = false;
	int rc = policy_damon_parse(app, &wish, &err), code;

	if (rc)
		code = report(app, exit_code(rc), &err);
	else if (app->dry_run)
		code = EXIT_DONE;
	else
		code = recover_first(app, root, &recovered);
	if (code == EXIT_DONE)
		code = start_plan(app, &wish, root, m);
	policy_damon_release(&wish);
	return code;
}

/* What belongs to another action is not ignored. */
static int check_options(struct app *app, const char *action)
{
	struct tm_error err = { 0 };

	for (const struct option *o = options; o->name && strcmp(action, "start"); o++) {
		if (!app_option(app, o->name))
			continue;
		tm_error_set(&err, EINVAL, "--%s: not with %s", o->name, action);
		return report(app, EXIT_USAGE, &err);
	}
	if (app->dry_run && !strcmp(action, "status")) {
		tm_error_set(&err, EINVAL, "--dry-run: status changes nothing");
		return report(app, EXIT_USAGE, &err);
	}
	return EXIT_DONE;
}

static int run(struct app *app)
{
	const char *action = app->argv[0];
	int code = check_options(app, action);

	if (code != EXIT_DONE)
		return code;
	if (!strcmp(action, "status"))
		return read_with_machine(app, policy_damon_status);
	return apply_with_machine(app, !strcmp(action, "start") ? start : policy_damon_stop);
}

const struct command policy_damon_command = {
	.name = "damon",
	.summary = "have DAMON move hot and cold memory between nodes",
	.synopsis = "start|status|stop [--cold FROM:TO] [--hot FROM:TO] [--quota BYTES/INTERVAL] "
		    "[--interval SAMPLE/AGGREGATION/UPDATE] [--cgroup PATH]",
	.description =
		"DAMON is a part of the kernel (6.11 and later for this) that watches which memory "
		"is used, and acts on what it finds. start has it watch the memory of each node "
		"that is named as FROM: what was not seen used for 5 s is cold, what was in use in "
		"a tenth of the samples is hot. It knows neither cpusets nor memory policies, and "
		"a node that is full takes nothing, without a word.\n\n"
		"start refuses where kdamonds are that tiermem has not started, since the kernel "
		"would delete them. stop, as `tiermem undo`, ends only what start began. status "
		"first has the kernel bring the figures of tiermem's own kdamonds up to date.",
	.examples = "tiermem policy damon start --cold 0:1 --hot 1:0  # both ways\n"
		    "tiermem policy damon start --cold 0:2,1:3 --quota 1G/1s  # two sockets\n"
		    "tiermem policy damon status  # how much was moved\n"
		    "tiermem policy damon stop  # no more\n",
	.options = options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.min_operands = 1,
	.max_operands = 1,
	.operand = "start|status|stop",
	.operand_kind = VALUE_WORD,
	.operand_words = action_word,
	.run = run,
};
