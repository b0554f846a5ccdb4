/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem bench report`: saved results as one document, and two of them compared. */
#include "cmd/bench/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/files.h"
#include "cmd/recover.h"

#define MARKDOWN "markdown"
#define HTML "html"
#define JSON "json"

static const char *format_word(size_t i, const char **help)
{
	static const struct {
		const char *word, *help;
	} words[] = {
		{ MARKDOWN, "text that is read as it is" },
		{ HTML, "one page with pictures, which needs no other file" },
		{ JSON, "for programs" },
	};

	if (i >= TM_ARRAY_SIZE(words))
		return NULL;
	*help = words[i].help;
	return words[i].word;
}

static const char *format_of(const struct app *app)
{
	const char *format = app_option(app, "format");

	return app->json ? JSON : format ? format : MARKDOWN;
}

static int check(const struct app *app, struct tm_error *err)
{
	if (app->json && app_option(app, "format") && strcmp(app_option(app, "format"), JSON) != 0)
		return tm_error_set(err, EINVAL, "--format: not together with --json");
	if (app_option(app, "force") && !app_option(app, "output"))
		return tm_error_set(err, EINVAL, "--force: replaces the file of --output");
	if (app_option(app, "compare") && app->argc != 2)
		return tm_error_set(err, EINVAL, "--compare: needs two files, BEFORE and AFTER");
	return 0;
}

static int read_results(struct report *report, const struct app *app, struct tm_error *err)
{
	int rc = 0;

	for (int i = 0; i < app->argc && !rc; i++) {
		rc = bench_result_read(&report->results[i], app->argv[i], err);
		report->nr += !rc;
	}
	return rc;
}

static int compare(struct report *report, struct tm_error *err)
{
	const struct bench_result *results = report->results;

	if (results[BEFORE].kind != results[AFTER].kind)
		return tm_error_set(err, EBADMSG, "%s: is of %s, and %s is of %s",
				    report->files[AFTER], results[AFTER].kind->name,
				    report->files[BEFORE], results[BEFORE].kind->name);
	return report_compare(&report->comparison, &results[BEFORE], &results[AFTER]) ?
		       tm_error_nomem(err) :
		       0;
}

static bool equals(const struct tm_text *a, const struct tm_text *b)
{
	return a->state == TM_KNOWN && b->state == TM_KNOWN && !strcmp(a->value, b->value);
}

/* Since this boot: another may have had other memory. */
static bool is_measured_here(const struct report *report)
{
	const struct tm_machine *m = &report->topology.machine;

	for (size_t i = 0; i < report->nr; i++)
		if (equals(&m->host, &report->results[i].machine.host) &&
		    equals(&m->boot_id, &report->results[i].machine.boot_id))
			return true;
	return false;
}

/* What was asked for is told, and else what a result was measured on. */
static int read_topology(struct report *report, struct app *app, struct tm_error *err)
{
	bool asked = app->root || app_option(app, "topology");
	struct tm_root root;
	int rc = tm_root_open(&root, app->root, err);

	if (rc)
		return asked ? rc : 0;
	rc = topology_init(&report->topology, &root, NULL, err);
	if (rc || (!asked && !is_measured_here(report)))
		topology_release(&report->topology);
	else
		recover_warn(app, &root);
	tm_root_close(&root);
	return asked ? rc : 0;
}

void report_add_all(const struct report *report, bool all, struct page *page)
{
	if (report->comparison.kind) {
		page_heading(page, 1, "tiermem bench: %s, before and after",
			     report->comparison.kind->name);
		report_add_changes(report, all, page);
	} else {
		page_heading(page, 1, "tiermem bench: report");
	}
	report_add_machines(report, page);
	if (report->topology.rows)
		report_add_topology(report, page);
	for (size_t i = 0; i < report->nr && !report->comparison.kind; i++)
		report_add_result(report, i, page);
}

static int make_text(const struct report *report, const struct app *app, char **text,
		     struct tm_error *err)
{
	const char *format = format_of(app);
	struct page page = { .nr = 0 };
	int rc;

	if (!strcmp(format, JSON))
		return report_json(report, text, err);
	report_add_all(report, app->verbose > 0, &page);
	rc = (!strcmp(format, HTML) ? page_html : page_markdown)(&page, text, err);
	page_release(&page);
	return rc;
}

static int deliver(struct app *app, const char *text, struct tm_error *err)
{
	const char *output = app_option(app, "output");

	if (output)
		return file_save(output, app_option(app, "force") != NULL, text, err);
	out_text(app, text);
	return 0;
}

static int make(struct app *app, struct report *made, struct tm_error *err)
{
	TM_CLEANUP(tm_freep) char *text = NULL;
	int rc = read_results(made, app, err);

	if (!rc && app_option(app, "compare"))
		rc = compare(made, err);
	if (!rc)
		rc = read_topology(made, app, err);
	if (!rc)
		rc = make_text(made, app, &text, err);
	return rc ? rc : deliver(app, text, err);
}

static int run(struct app *app)
{
	struct bench_result *results;
	struct report made = { .files = app->argv };
	struct tm_error err = { 0 };
	int rc, code = EXIT_DONE;

	if (check(app, &err))
		return report(app, EXIT_USAGE, &err);
	results = calloc((size_t)app->argc, sizeof(*results));
	made.results = results;
	rc = results ? make(app, &made, &err) : tm_error_nomem(&err);
	if (made.comparison.kind && !made.comparison.machines.comparable)
		code = EXIT_DIFFERS;
	report_comparison_release(&made.comparison);
	topology_release(&made.topology);
	for (size_t i = 0; i < made.nr; i++)
		bench_result_release(&results[i]);
	free(results);
	return rc ? report(app, EXIT_FAILED, &err) : code;
}

static const struct option options[] = {
	{ "format", 'F', "FORMAT", VALUE_WORD, "write it so: markdown, html or json", format_word },
	{ "output", 'o', "FILE", VALUE_FILE, "write the report to FILE", NULL },
	{ "force", 'f', NULL, VALUE_TEXT, "replace FILE if it is there", NULL },
	{ "compare", 'c', NULL, VALUE_TEXT, "compare two results of one benchmark", NULL },
	{ "topology", 't', NULL, VALUE_TEXT,
	  "tell this machine's topology, whatever was measured on", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command bench_report_command = {
	.name = "report",
	.summary = "one report of saved results, or a comparison of two",
	.synopsis = "[--format FORMAT] [--output FILE [--force]] [--topology] FILE... | "
		    "--compare [OPTION...] BEFORE AFTER",
	.description =
		"Puts results that benchmarks saved with --save into one document: the machines, "
		"how each was measured, and a table of medians for each, with what to know before "
		"believing a figure. Markdown is read in a terminal as it is; HTML is one file "
		"with pictures, which can be sent to others.\n"
		"\n"
		"--compare tells what changed from BEFORE to AFTER, and whether that is more than "
		"the repeats of each differ among themselves (Mann-Whitney U test, two-sided, p "
		"below 0.01; at least 5 repeats each). Where the machines are not alike it says "
		"what differs, judges nothing, and exits with 5. With --verbose it also compares "
		"figures that are neither good nor bad.\n"
		"\n"
		"The topology is that of this machine, where a result was measured on it since "
		"it was booted, or with --root that of a captured one.",
	.examples = "tiermem bench report bandwidth.json latency.json\n"
		    "tiermem bench report -F html -o report.html *.json  # to send to others\n"
		    "tiermem bench report --compare before.json after.json\n"
		    "tiermem bench report --root snapshot.tar.gz bandwidth.json  # with tiers\n",
	.group = "Measure",
	.options = options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON,
	.min_operands = 1,
	.max_operands = -1,
	.operand = "FILE",
	.operand_kind = VALUE_FILE,
	.run = run,
};
