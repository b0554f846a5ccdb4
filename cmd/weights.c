/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/weights.h"

#include <errno.h>
#include <stdlib.h>

#include "cmd/apply.h"
#include "cmd/recover.h"
#include "cmd/weights-view.h"

static const char *source_word(size_t i, const char **help)
{
	static const char *const word[] = { "sysfs", "hmat", "cdat", "measured:" };
	static const char *const text[] = {
		"what the kernel gives (the usual source)",
		"the firmware's own table",
		"what CXL devices say of themselves",
		"a saved `tiermem bench bandwidth`",
	};

	if (i >= TM_ARRAY_SIZE(word))
		return NULL;
	*help = text[i];
	return word[i];
}

static const char *algorithm_word(size_t i, const char **help)
{
	static const char *const word[] = { "best", "kernel" };
	static const char *const text[] = { "the smallest weights that reach the tolerance",
					    "the rule of kernel 6.16 and later" };

	if (i >= TM_ARRAY_SIZE(word))
		return NULL;
	*help = text[i];
	return word[i];
}

#define FIGURE_OPTIONS                                                                      \
	{ "nodes", 'n', "LIST", VALUE_TEXT, "only these nodes, such as 0,2-3", NULL },      \
		{ "from",                                                                   \
		  0,                                                                        \
		  "SOURCE",                                                                 \
		  VALUE_TEXT,                                                               \
		  "where the bandwidths come from: sysfs, hmat, cdat, "                     \
		  "measured:FILE",                                                          \
		  source_word },                                                            \
		{ "bandwidth",                                                              \
		  0,                                                                        \
		  "LIST",                                                                   \
		  VALUE_TEXT,                                                               \
		  "the bandwidths themselves in bytes/s, such as "                          \
		  "0=300G,2=60G",                                                           \
		  NULL },                                                                   \
		{ "mix",                                                                    \
		  0,                                                                        \
		  "R:W",                                                                    \
		  VALUE_TEXT,                                                               \
		  "the load reads and writes so; without it the slower counts",             \
		  NULL },                                                                   \
		{ "algorithm",	 0, "NAME", VALUE_WORD, "how to compute: best or kernel",   \
		  algorithm_word },                                                         \
		{ "max-weight", 0, "N", VALUE_NUMBER, "no weight above this (255)", NULL }, \
		{ "tolerance",                                                              \
		  0,                                                                        \
		  "PCT",                                                                    \
		  VALUE_TEXT,                                                               \
		  "how far below the ideal is good enough, in percent (1)",                 \
		  NULL },                                                                   \
	{                                                                                   \
		"assume-unknown", 0, "W", VALUE_NUMBER,                                     \
			"give nodes of unknown bandwidth this weight", NULL                 \
	}

static const struct option figure_options[] = {
	FIGURE_OPTIONS,
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

static const struct option apply_options[] = {
	FIGURE_OPTIONS,
	{ "auto", 0, NULL, VALUE_TEXT, "let the kernel compute and keep them (6.16 and later)",
	  NULL },
	{ "force", 0, NULL, VALUE_TEXT, "also where it is predicted to be slower than local memory",
	  NULL },
	APPLY_OPTIONS,
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

static const struct option reset_options[] = {
	APPLY_OPTIONS,
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

static int run_show(struct app *app)
{
	struct tm_error err = { 0 };
	struct weights w;
	int code = weights_init(app, &w);

	if (code == EXIT_DONE) {
		code = weights_show(app, &w);
		recover_warn(app, &w.root);
		/* The rest is shown all the same. */
		if (code == EXIT_DONE && w.machine.weight_mode == TM_WEIGHTS_UNSUPPORTED) {
			weights_lacking(&w.machine, &err);
			code = report(app, EXIT_UNSUPPORTED, &err);
		}
	}
	weights_release(&w);
	return code;
}

int weights_unknown(const struct weights *w, struct tm_error *err)
{
	TM_CLEANUP(tm_freep) char *list = tm_idset_format(&w->unknown);

	return tm_error_set(err, ENODATA,
			    "the bandwidth of node%s %s is unknown, and no weight is invented",
			    tm_idset_count(&w->unknown) > 1 ? "s" : "", list ? list : "");
}

static int refuse_unknown(struct app *app, const struct weights *w)
{
	struct tm_error err = { 0 };

	weights_unknown(w, &err);
	tm_error_hint(
		&err,
		"measure it, or give it with --bandwidth, or a weight with --assume-unknown W");
	return report(app, EXIT_UNSUPPORTED, &err);
}

static int run_compute(struct app *app)
{
	struct weights w;
	int code = weights_init(app, &w);

	if (code == EXIT_DONE) {
		code = weights_show(app, &w);
		recover_warn(app, &w.root);
		if (code == EXIT_DONE && !tm_idset_empty(&w.unknown))
			code = refuse_unknown(app, &w);
	}
	weights_release(&w);
	return code;
}

int weights_harmful(const struct weights *w, struct tm_error *err)
{
	TM_CLEANUP(tm_freep) char *list = tm_idset_format(&w->harmful);

	return tm_error_set(
		err, EPERM,
		"node %s would make it slower than local memory alone (%.0f against %.0f MB/s)",
		list ? list : "", w->predicted[RECOMMENDED].bandwidth,
		w->predicted[LOCAL].bandwidth);
}

static int refuse_harmful(struct app *app, const struct weights *w)
{
	struct tm_error err = { 0 };

	weights_harmful(w, &err);
	tm_error_hint(&err, "leave it out with --nodes, or add --force");
	return report(app, EXIT_FAILED, &err);
}

typedef int (*plan_fn)(const struct weights *w, struct tm_plan *plan, struct tm_error *err);

/* What a killed one left is taken back first; then the weights are others than were read. */
static int recover(struct app *app, struct weights *w)
{
	bool recovered = false;
	int code = apply_refuse_archive(app, &w->root);

	if (code == EXIT_DONE && app->dry_run)
		recover_warn(app, &w->root);
	else if (code == EXIT_DONE)
		code = recover_first(app, &w->root, &recovered);
	if (code != EXIT_DONE || !recovered)
		return code;
	weights_release(w);
	return weights_init(app, w);
}

static int apply(struct app *app, struct weights *w, const char *title, plan_fn make)
{
	struct tm_plan plan = { .lock_fd = -1 };
	struct tm_error err = { 0 };
	int code = recover(app, w), rc;

	if (code != EXIT_DONE)
		return code;
	rc = tm_plan_init(&plan, &w->root, title, &err);
	if (!rc)
		rc = make(w, &plan, &err);
	if (rc)
		code = report(app, rc == -ENOTSUP || rc == -ENODEV ? EXIT_UNSUPPORTED : EXIT_FAILED,
			      &err);
	else
		code = apply_plan(app, &w->machine, &plan);
	tm_plan_release(&plan);
	return code;
}

/* With --auto the kernel computes, from what it knows, for every node. */
static int refuse_figures(struct app *app)
{
	struct tm_error err = { 0 };

	for (const struct option *o = figure_options; o->name; o++) {
		if (!app_option(app, o->name))
			continue;
		tm_error_set(&err, EINVAL, "--%s: not together with --auto", o->name);
		return report(app, EXIT_USAGE, &err);
	}
	return EXIT_DONE;
}

static int run_apply(struct app *app)
{
	bool automatic = app_option(app, "auto") != NULL;
	struct weights w = { .root = { .fd = -1 } };
	int code = automatic ? refuse_figures(app) : EXIT_DONE;

	if (code == EXIT_DONE)
		code = weights_init(app, &w);

	if (code == EXIT_DONE && w.machine.weight_mode != TM_WEIGHTS_UNSUPPORTED && !automatic) {
		if (!tm_idset_empty(&w.unknown))
			code = refuse_unknown(app, &w);
		else if (!tm_idset_empty(&w.harmful) && !app_option(app, "force"))
			code = refuse_harmful(app, &w);
	}
	if (code == EXIT_DONE)
		code = apply(app, &w, automatic ? "weights apply --auto" : "weights apply",
			     automatic ? weights_plan_auto : weights_plan_set);
	weights_release(&w);
	return code;
}

static int run_reset(struct app *app)
{
	struct weights w;
	int code = weights_init(app, &w);

	if (code == EXIT_DONE)
		code = apply(app, &w, "weights reset", weights_plan_reset);
	weights_release(&w);
	return code;
}

static const struct command show_command = {
	.name = "show",
	.summary = "show the weights, the kernel's own, the best, and what each is good for",
	.synopsis = "[--nodes LIST] [--from SOURCE | --bandwidth LIST] [--mix R:W]",
	.description =
		"Shows for each node with memory its bandwidth and latency, the weight that is "
		"set, the one by the kernel's rule, and the best; then what each choice is "
		"predicted to bring.\n\n"
		"The prediction is the slowest node's: with weights w and bandwidths b it is the "
		"least of b x sum(w) / w. It knows nothing of paths that nodes share, such as the "
		"link between sockets, and says nothing of loads that wait for latency.",
	.examples = "tiermem weights show  # what is set, and what would be better\n"
		    "tiermem weights show --mix 2:1  # for a load that reads twice as much as it "
		    "writes\n",
	.options = figure_options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_TABLE,
	.run = run_show,
};

static const struct command compute_command = {
	.name = "compute",
	.summary = "compute weights from given figures, without writing them",
	.synopsis = "[--from SOURCE | --bandwidth LIST] [--nodes LIST] [--algorithm NAME] ...",
	.description =
		"As show, for figures of your own. Exits 3 where a node's bandwidth is unknown: "
		"no weight is ever invented.",
	.examples = "tiermem weights compute --bandwidth 0=300G,2=60G  # from a data sheet\n"
		    "tiermem weights compute --from measured:bw.json  # from a measurement\n",
	.options = figure_options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_TABLE,
	.run = run_compute,
};

static const struct command apply_command = {
	.name = "apply",
	.summary = "set the best weights, verify them, and keep what undoing needs",
	.synopsis = "[--auto] [--nodes LIST] [--from SOURCE | --bandwidth LIST] ... [--accept] "
		    "[--force]",
	.description =
		"Writes the recommended weights through a plan: everything is checked before the "
		"first write, each value is read back, and any failure takes back what was "
		"written. `tiermem undo` puts the old weights back. Applying what is already so "
		"writes nothing.\n\n"
		"Weights are global, and bind new allocations of tasks that use weighted "
		"interleave only. On kernel 6.16 and later, setting a weight turns the kernel's "
		"automatic weights off; where the kernel knows no bandwidths they cannot be had "
		"back before the next boot, and --accept is needed.",
	.examples = "tiermem weights apply --dry-run  # what would be written\n"
		    "tiermem weights apply && tiermem weights show  # set and look\n"
		    "tiermem weights apply --auto  # let the kernel compute them\n",
	.options = apply_options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.run = run_apply,
};

static const struct command reset_command = {
	.name = "reset",
	.summary = "go back to the kernel's default weights",
	.synopsis = "[--accept]",
	.description =
		"On kernel 6.16 and later the default is what the kernel computes; before, and "
		"where it knows no bandwidths, 1 for every node.",
	.examples = "tiermem weights reset  # as after boot\n",
	.options = reset_options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.run = run_reset,
};

static const struct command *const subcommands[] = {
	&show_command, &compute_command, &apply_command, &reset_command, NULL,
};

const struct command weights_command = {
	.name = "weights",
	.summary = "show, compute and set weights for weighted interleave",
	.synopsis = "show|compute|apply|reset ...",
	.description =
		"Weighted interleave spreads a task's pages over nodes in proportion to their "
		"weights, so that memories of unlike speed are busy for the same time.",
	.examples = "tiermem weights show  # start here\n",
	.group = "Write",
	.subcommands = subcommands,
};
