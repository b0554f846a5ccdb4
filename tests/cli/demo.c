/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A command table that has a bit of everything, linked with the real main, parser, help and
 * completion: what these can do is tested here whether or not some command of tiermem uses it
 * yet.
 */
#include <errno.h>
#include <stdio.h>

#include "cmd/command.h"
#include "cmd/complete.h"
#include "cmd/help.h"
#include "lib/base/buf.h"

/* Prints the command line as the parser understood it. */
static int echo_run(struct app *app)
{
	struct tm_buf buf = TM_BUF_INIT;

	tm_buf_addf(&buf, "command=%s%s%s", app->parent ? app->parent->name : "",
		    app->parent ? " " : "", app->command->name);
	if (app->root)
		tm_buf_addf(&buf, " root=%s", app->root);
	tm_buf_addf(&buf, "%s%s%s%s%s", app->json ? " json" : "", app->dry_run ? " dry-run" : "",
		    app->noheadings ? " noheadings" : "", app->raw ? " raw" : "",
		    app->quiet ? " quiet" : "");
	if (!app->no_color)
		tm_buf_adds(&buf, " color");
	if (app->verbose)
		tm_buf_addf(&buf, " verbose=%d", app->verbose);
	for (const struct option *o = app->command->options; o && o->name; o++)
		if (app_option(app, o->name))
			tm_buf_addf(&buf, " %s=[%s]", o->name, app_option(app, o->name));
	for (int i = 0; i < app->argc; i++)
		tm_buf_addf(&buf, " operand=[%s]", app->argv[i]);
	tm_buf_addc(&buf, '\n');
	out_text(app, tm_buf_str(&buf));
	tm_buf_release(&buf);
	return EXIT_DONE;
}

/* Prints much more than any buffer holds. */
static int flood_run(struct app *app)
{
	for (int i = 0; i < 20000; i++)
		out_text(app, "a line that nobody reads to its end\n");
	return EXIT_DONE;
}

static int fail_run(struct app *app)
{
	struct tm_error err;

	if (app_option(app, "late"))
		out_text(app, "{}\n");
	warn(app, "%s: odd, but %s", "/some/file", "it can be lived with");
	tm_error_errno(&err, ENODEV, "/some/\033[31mfile\xff");
	tm_error_hint(&err, "load the\nmodule");
	return report(app, EXIT_UNSUPPORTED, &err);
}

static const char *column_words(size_t i, const char **help)
{
	static const char *const words[][2] = {
		{ "NODE", "node id" },
		{ "CPUS", "CPUs of the node" },
		{ "TIER", "memory tier: lower is faster" },
		{ "TOTAL",
		  "how much memory it has, in the largest unit that leaves at most three digits" },
	};

	if (i >= TM_ARRAY_SIZE(words))
		return NULL;
	*help = words[i][1];
	return words[i][0];
}

static const char *sort_words(size_t i, const char **help)
{
	static const char *const words[] = { "size", "name", "none" };

	(void)help;
	return i < TM_ARRAY_SIZE(words) ? words[i] : NULL;
}

static const struct option show_options[] = {
	{ .name = "tree", .letter = 't', .help = "print a tree" },
	{ .name = "columns",
	  .letter = 'o',
	  .value = "LIST",
	  .kind = VALUE_WORDS,
	  .help = "print these columns, in this order",
	  .words = column_words },
	{ .name = "sort",
	  .value = "KEY",
	  .kind = VALUE_WORD,
	  .help = "sort by this key",
	  .words = sort_words },
	{ .name = "count",
	  .letter = 'n',
	  .value = "N",
	  .kind = VALUE_NUMBER,
	  .help = "stop after so many" },
	{ .name = "folder", .value = "DIR", .kind = VALUE_FOLDER, .help = "where to look" },
	{ .name = "a-name-too-long-for-its-column",
	  .value = "TEXT",
	  .kind = VALUE_TEXT,
	  .help = "a title to print above it, which may be empty" },
	{ .name = NULL },
};

static const struct command show_command = {
	.name = "show",
	.summary = "show what is there",
	.synopsis = "[--tree | --columns LIST] [--sort KEY] [--count N] [--folder DIR] "
		    "[--a-name-too-long-for-its-column TEXT] [KEY [KEY]]",
	.description =
		"A first paragraph, which is longer than one line of a terminal and is therefore "
		"broken between two words, as often as needed.\n\n"
		"A second one:\n"
		"    with a line that stays    as it is",
	.examples = "tiermem show --tree  # the tree\n"
		    "tiermem show",
	.group = "Look",
	.options = show_options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_TABLE,
	.max_operands = 2,
	.operand = "KEY",
	.operand_kind = VALUE_WORD,
	.operand_words = sort_words,
	.run = echo_run,
};

static const struct option fail_options[] = {
	{ .name = "late", .help = "fail after something was printed" },
	{ .name = NULL },
};

static const struct command fail_command = {
	.name = "fail",
	.summary = "fail",
	.synopsis = "[--late]",
	.group = "Look",
	.options = fail_options,
	.globals = GLOBAL_JSON,
	.run = fail_run,
};

static const struct command flood_command = {
	.name = "flood",
	.summary = "print much",
	.synopsis = "",
	.group = "Look",
	.run = flood_run,
};

static const struct option apply_options[] = {
	{ .name = "from", .value = "FILE", .kind = VALUE_FILE, .help = "where the figures are" },
	{ .name = "force", .letter = 'f', .help = "do it anyway" },
	{ .name = NULL },
};

static const struct command list_command = {
	.name = "list",
	.summary = "list the weights",
	.synopsis = "",
	.globals = GLOBAL_ROOT | GLOBAL_JSON,
	.run = echo_run,
};

static const struct command apply_command = {
	.name = "apply",
	.summary = "set the weights",
	.synopsis = "[--from FILE] [--force] FILE",
	.options = apply_options,
	.globals = GLOBAL_ROOT | GLOBAL_DRY_RUN,
	.min_operands = 1,
	.max_operands = 1,
	.operand = "FILE",
	.operand_kind = VALUE_FILE,
	.run = echo_run,
};

static const struct command *const weights_commands[] = { &list_command, &apply_command, NULL };

static const struct command weights_command = {
	.name = "weights",
	.summary = "see and set weights",
	.synopsis = "list|apply",
	.group = "Set",
	.subcommands = weights_commands,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN,
};

static const struct option run_options[] = {
	{ .name = "nodes", .value = "LIST", .kind = VALUE_TEXT, .help = "which nodes" },
	{ .name = NULL },
};

static const struct command run_command = {
	.name = "run",
	.summary = "run a command",
	.synopsis = "[--nodes LIST] -- COMMAND [ARGUMENT]...",
	.group = "Set",
	.options = run_options,
	.min_operands = 1,
	.max_operands = -1,
	.operand = "COMMAND",
	.passes_command = true,
	.run = echo_run,
};

const struct command *const tiermem_commands[] = {
	&show_command, &fail_command, &flood_command,	 &weights_command,
	&run_command,  &help_command, &complete_command, NULL,
};
