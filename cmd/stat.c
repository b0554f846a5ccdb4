/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem stat`: counters around a command, and two such measurements compared. */
#include "cmd/stat.h"

#include <errno.h>

#include "cmd/stat-view.h"
#include "lib/base/units.h"

/* Enough for any spread, and few enough for every order of two such rows to be counted in time. */
#define REPEAT_MAX 1000

static int refuse_with(const struct app *app, const char *option, const char *other,
		       struct tm_error *err)
{
	return app_option(app, option) && app_option(app, other) ?
		       tm_error_set(err, EINVAL, "--%s: not together with --%s", other, option) :
		       0;
}

static int parse_compare(struct app *app, struct tm_error *err)
{
	static const char *const others[] = { "repeat", "output", "force", "event", "all", "pid" };
	int rc = 0;

	for (size_t i = 0; i < TM_ARRAY_SIZE(others) && !rc; i++)
		rc = refuse_with(app, "compare", others[i], err);
	if (!rc && app->json && app_option(app, "csv"))
		rc = tm_error_set(err, EINVAL, "--csv: not together with --json");
	if (!rc && app->root)
		rc = tm_error_set(err, EINVAL, "--root: --compare reads no machine");
	if (!rc && app->argc != 2) {
		rc = tm_error_set(err, EINVAL, "--compare: needs two files, BEFORE and AFTER");
		if (app->argc > 2)
			tm_error_hint(err, "options stand before the files");
	}
	return rc;
}

static int parse_run(struct app *app, struct stat_request *request, struct tm_error *err)
{
	const char *repeat = app_option(app, "repeat"), *pid = app_option(app, "pid");
	int rc = refuse_with(app, "all", "pid", err);

	*request = (struct stat_request){ .repeat = 1,
					  .output = app_option(app, "output"),
					  .events = app_option(app, "event"),
					  .scope = pid			  ? STAT_PROCESS :
						   app_option(app, "all") ? STAT_SYSTEM :
									    STAT_COMMAND };
	if (rc)
		return rc;
	if (app_option(app, "csv"))
		return tm_error_set(err, EINVAL, "--csv: only with --compare");
	if (app_option(app, "force") && !request->output)
		return tm_error_set(err, EINVAL, "--force: replaces the file of --output");
	if (app->json && (app->raw || app->noheadings))
		return tm_error_set(err, EINVAL, "--raw: not together with --json");
	if (repeat && (tm_parse_u64(repeat, &request->repeat) || !request->repeat ||
		       request->repeat > REPEAT_MAX))
		return tm_error_set(err, EINVAL, "--repeat: '%.100s' is not from 1 to %d", repeat,
				    REPEAT_MAX);
	if (pid && (tm_parse_u64(pid, &request->pid) || !request->pid || request->pid > INT32_MAX))
		return tm_error_set(err, EINVAL, "--pid: '%.100s' is no process id", pid);
	if (app->root && request->events)
		return tm_error_set(err, EINVAL,
				    "--event: counted on the live machine only, without --root");
	if (!app->argc && !pid) {
		tm_error_set(err, EINVAL, "needs a COMMAND to run");
		tm_error_hint(err, "or --pid PID, or --compare BEFORE AFTER");
		return -EINVAL;
	}
	if (!app->argc && repeat)
		return tm_error_set(err, EINVAL, "--repeat: there is no command to repeat");
	return 0;
}

static int run(struct app *app)
{
	bool compare = app_option(app, "compare") != NULL;
	struct stat_request request;
	struct tm_error err = { 0 };

	if (compare ? parse_compare(app, &err) : parse_run(app, &request, &err))
		return report(app, EXIT_USAGE, &err);
	return compare ? stat_compare(app, app->argv[0], app->argv[1]) : stat_run(app, &request);
}

static const struct option options[] = {
	{ "repeat", 'r', "N", VALUE_NUMBER, "run it N times, and tell the median and the spread",
	  NULL },
	{ "output", 'o', "FILE", VALUE_FILE, "save what was counted, for --compare", NULL },
	{ "force", 'f', NULL, VALUE_TEXT, "replace FILE if it is there", NULL },
	{ "event", 'e', "LIST", VALUE_TEXT,
	  "count these events instead of the usual ones, such as itlb.itlb_flush", NULL },
	{ "all", 'a', NULL, VALUE_TEXT, "count events of the whole system, not of the command",
	  NULL },
	{ "pid", 'p', "PID", VALUE_NUMBER,
	  "count events of a process, until it ends or by Ctrl-C, or while COMMAND runs", NULL },
	{ "compare", 'c', NULL, VALUE_TEXT, "compare two saved files", NULL },
	{ "csv", 0, NULL, VALUE_TEXT, "print the comparison as comma-separated values", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command stat_command = {
	.name = "stat",
	.summary = "count TLB flushes and migration around a command, and compare",
	.synopsis = "[--repeat N] [--output FILE [--force]] [--event LIST] [--all | --pid PID] "
		    "[--] COMMAND... | --compare [--csv] BEFORE AFTER",
	.description =
		"Runs COMMAND and tells what the kernel and the CPUs counted meanwhile: TLB "
		"shootdowns of each CPU, flushes by reason, page migration, promotion and "
		"demotion, huge pages, and TLB misses. The report goes to standard error, as "
		"standard output is the command's; with --json it is the other way round. "
		"Signals and the exit code are the command's.\n"
		"\n"
		"Interrupts and the kernel's counters are always of the whole system; events "
		"are of the command and all its children, unless --all or --pid is given. "
		"Column OF tells which.\n"
		"\n"
		"--compare shows how the medians of two saved measurements differ, and whether "
		"that is more than the runs of each differ among themselves (Mann-Whitney U "
		"test, two-sided, p below 0.01; at least 5 runs each). Where the machines are "
		"not alike it says what differs, and compares nothing.",
	.examples = "tiermem stat -- ./stream  # once\n"
		    "tiermem stat -r 10 -o before.json -- ./stream  # save ten runs\n"
		    "tiermem stat --compare before.json after.json  # what has changed\n"
		    "tiermem stat -e itlb.itlb_flush,dTLB-load-misses -- ./stream\n"
		    "tiermem stat --all -- sleep 10  # the whole system for ten seconds\n"
		    "tiermem stat --pid 1234  # until Ctrl-C\n",
	.group = "Measure",
	.options = options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_TABLE,
	.max_operands = -1,
	.operand = "COMMAND",
	.operand_kind = VALUE_FILE,
	.passes_command = true,
	.run = run,
};
