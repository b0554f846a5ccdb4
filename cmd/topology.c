/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/recover.h"
#include "cmd/terminal.h"
#include "cmd/topology-firmware.h"
#include "cmd/topology-view.h"

static const char *column_word(size_t i, const char **help)
{
	/* Fields that are only in JSON have no heading. */
	for (size_t k = 0; k < nr_node_fields; k++) {
		if (!node_fields[k].heading || i--)
			continue;
		*help = node_fields[k].help;
		return node_fields[k].heading;
	}
	return NULL;
}

static const struct option options[] = {
	{ "tree", 't', NULL, VALUE_TEXT,
	  "show tiers and nodes, and each CXL device's way to its node", NULL },
	{ "matrix", 'm', NULL, VALUE_TEXT,
	  "show distance, latency and bandwidth for each initiator and target", NULL },
	{ "columns", 'o', "LIST", VALUE_WORDS, "show these columns, in this order", column_word },
	{ "blocks", 'b', NULL, VALUE_TEXT, "ask every memory block whether it is online", NULL },
	{ "firmware", 'f', NULL, VALUE_TEXT,
	  "show the firmware's tables in full, with what is wrong in them", NULL },
	{ "acpi", 'a', "PATH", VALUE_FILE,
	  "the same for a table, a folder of tables, or acpidump's text", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

/* A part of its own, after an empty line; nothing where the part is empty. */
static void print_part(struct app *app, const char *text)
{
	if (!*text)
		return;
	if (app->printed)
		out_text(app, "\n");
	out_text(app, text);
}

static int print_text(struct app *app, const struct topology *t)
{
	TM_CLEANUP(tm_freep) char *text = NULL;
	TM_CLEANUP(tm_freep) char *reasons = NULL;
	TM_CLEANUP(tm_freep) char *problems = NULL;
	struct tm_table_style style = terminal_style(app);
	struct tm_error err = { 0 };
	int rc;

	if (app_option(app, "tree"))
		rc = topology_tree(t, &style, &text, &err);
	else if (app_option(app, "matrix"))
		rc = topology_matrix(t, &style, &text, &err);
	else
		rc = topology_table(t, app_option(app, "columns"), &style, &text, &err);
	if (rc)
		return report(app, rc == -EINVAL || rc == -E2BIG ? EXIT_USAGE : EXIT_FAILED, &err);
	print_part(app, text);
	/* Scripts that ask for bare rows get nothing else. */
	if (app->raw || app->noheadings)
		return EXIT_DONE;
	rc = topology_reasons(t, style.width, &reasons, &err);
	if (!rc)
		rc = topology_problems(t, style.width, &problems, &err);
	if (rc)
		return report(app, EXIT_FAILED, &err);
	if (app->verbose)
		print_part(app, reasons);
	if (!app->quiet)
		print_part(app, problems);
	return EXIT_DONE;
}

/* Options that cannot be honoured together are refused, not ignored. */
static int contradict(const struct app *app, struct tm_error *err)
{
	static const char *const shapes[] = { "firmware", "acpi", "tree", "matrix", "columns" };
	const char *given = NULL;

	for (size_t i = 0; i < TM_ARRAY_SIZE(shapes); i++) {
		/* The first two have a document of their own. */
		if (i == 2 && app->json && !given)
			given = "json";
		if (!app_option(app, shapes[i]))
			continue;
		if (given)
			return tm_error_set(err, EINVAL, "--%s: not together with --%s", shapes[i],
					    given);
		given = shapes[i];
	}
	return 0;
}

static int run(struct app *app)
{
	struct tm_machine_options read_options = { .blocks = app_option(app, "blocks") != NULL };
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct topology t = { 0 };
	struct tm_error err = { 0 };
	struct tm_root root;
	int code;

	if (contradict(app, &err))
		return report(app, EXIT_USAGE, &err);
	if (app_option(app, "firmware") || app_option(app, "acpi"))
		return topology_firmware(app, app_option(app, "acpi"));
	if (tm_root_open(&root, app->root, &err))
		return report(app, EXIT_FAILED, &err);
	if (topology_init(&t, &root, &read_options, &err)) {
		code = report(app, EXIT_FAILED, &err);
	} else if (!app->json) {
		code = print_text(app, &t);
	} else if (topology_json(&t, &text, &err)) {
		code = report(app, EXIT_FAILED, &err);
	} else {
		out_text(app, text);
		code = EXIT_DONE;
	}
	topology_release(&t);
	recover_warn(app, &root);
	tm_root_close(&root);
	return code;
}

const struct command topology_command = {
	.name = "topology",
	.summary = "show nodes, tiers, latency and bandwidth, and the CXL devices behind them",
	.synopsis = "[--tree | --matrix | --columns LIST] [--blocks] | --firmware | --acpi PATH",
	.description =
		"Shows every NUMA node with its kind of memory, its tier, and how fast its best "
		"CPUs reach it, as the kernel gives it. Below the table stand the problems found, "
		"each with a hint.\n"
		"\n"
		"Bandwidth is in MB/s (10^6 bytes), latency in nanoseconds. '-' means that nobody "
		"says, 'n/a' that this kernel has no such thing, 'denied' that you may not read "
		"it, 'bad' that it is not of the documented form. Zero is never shown for an "
		"unknown figure.\n"
		"\n"
		"With --verbose follows, for each node, what its kind was concluded from.\n"
		"\n"
		"With --root the same is read from a captured tree, which holds sys/ and proc/.",
	.examples = "tiermem topology  # the nodes of this machine\n"
		    "tiermem topology --tree  # with the way from each CXL device to its node\n"
		    "tiermem topology -o node,zones,blocks --blocks  # is memory partly online?\n"
		    "tiermem topology --json | jq '.problems'  # what is wrong, for a script\n",
	.group = "Look",
	.options = options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_TABLE,
	.run = run,
};
