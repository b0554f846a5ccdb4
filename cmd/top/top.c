/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/top/top.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/units.h"

#define SECOND 1000000000ULL
#define MAX_EVENTS 16

int top_advance(struct top *top, struct tm_error *err)
{
	/* Into the older of the two, which becomes the newer. */
	int rc = top_source_next(&top->source, top->before, err);
	struct tm_sample *taken = top->before;

	if (rc <= 0)
		return rc;
	top->before = top->now;
	top->now = taken;
	top->has_before = top->has_now;
	top->has_now = true;
	rc = top_recorder_add(&top->recorder, &top->source, top->now, err);
	return rc ? rc : 1;
}

struct top_view top_view(const struct top *top)
{
	return (struct top_view){
		.facts = &top->source.facts,
		.before = top->has_before ? top->before : NULL,
		.now = top->now,
	};
}

static int refuse(struct app *app, const char *what, const char *why, const char *hint)
{
	struct tm_error err = { 0 };

	tm_error_set(&err, EINVAL, "%s: %s", what, why);
	if (hint)
		tm_error_hint(&err, "%s", hint);
	return report(app, EXIT_USAGE, &err);
}

static int read_options(struct top *top)
{
	struct app *app = top->app;
	const char *interval = app_option(app, "interval"), *count = app_option(app, "count");

	top->interval_ns = SECOND;
	top->as_recorded = app_option(app, "replay") && !interval;
	if (interval && (tm_parse_seconds(interval, &top->interval_ns) ||
			 top->interval_ns < SECOND / 20 || top->interval_ns > 86400 * SECOND))
		return refuse(app, "--interval", "takes seconds, from 0.05 to 86400",
			      "tiermem top --interval 0.5");
	if (count && (tm_parse_u64(count, &top->count) || !top->count))
		return refuse(app, "--count", "takes a number from 1", NULL);
	if (app_option(app, "replay") && app->root)
		return refuse(app, "--root", "not together with --replay",
			      "a recording is of the machine that was recorded");
	if (app_option(app, "replay") && app_option(app, "event"))
		return refuse(app, "--event", "not together with --replay",
			      "a recording has the events that were counted");
	if (app_option(app, "metrics") &&
	    (app->json || count || app_option(app, "batch") || app_option(app, "processes") ||
	     app_option(app, "event")))
		return refuse(app, "--metrics", "prints one page, and only that", NULL);
	if (app_option(app, "processes") && app_option(app, "batch") && !app->json &&
	    !app_option(app, "record"))
		return refuse(app, "--processes", "not in the lines of --batch",
			      "tiermem top --json --processes");
	if (app_option(app, "force") && !app_option(app, "record"))
		return refuse(app, "--force", "only together with --record", NULL);
	return EXIT_DONE;
}

static int print_metrics(struct top *top)
{
	struct tm_buf text = TM_BUF_INIT;
	struct tm_error err = { 0 };
	struct top_view view;
	int rc = top_advance(top, &err), code = EXIT_DONE;

	if (rc > 0) {
		view = top_view(top);
		top_metrics(&view, &text);
		rc = text.failed ? tm_error_nomem(&err) : 0;
	}
	if (rc)
		code = report(top->app, EXIT_FAILED, &err);
	else
		out_text(top->app, tm_buf_str(&text));
	tm_buf_release(&text);
	return code;
}

/* "NAME,NAME". A name of libpfm4 has no comma. */
static int split(const char *text, char **list, char **names, size_t *nr, struct tm_error *err)
{
	char *save = NULL;

	*list = strdup(text);
	if (!*list)
		return tm_error_nomem(err);
	for (char *name = strtok_r(*list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		if (*nr == MAX_EVENTS)
			return tm_error_set(err, E2BIG, "--event: more than %d events", MAX_EVENTS);
		names[(*nr)++] = name;
	}
	return *nr ? 0 : tm_error_set(err, EINVAL, "--event: takes names of events");
}

static int open_files(struct top *top)
{
	struct app *app = top->app;
	const char *replay = app_option(app, "replay"), *record = app_option(app, "record");
	const char *events = app_option(app, "event");
	struct tm_error err = { 0 };
	char *names[MAX_EVENTS], *list = NULL;
	size_t nr_names = 0;
	int rc = events ? split(events, &list, names, &nr_names, &err) : 0;

	if (rc) {
		free(list);
		return report(app, EXIT_USAGE, &err);
	}
	rc = replay ? top_source_replay(&top->source, replay, &err) :
		      top_source_live(&top->source, app->root, &err);
	/* One page has one sample, and nothing is counted before it. */
	if (!rc && !replay && !app_option(app, "metrics"))
		rc = top_source_events(&top->source, (const char *const *)names, nr_names, &err);
	free(list);
	if (!rc && app_option(app, "processes"))
		rc = top_source_processes(&top->source, true, &err);
	if (!rc && record)
		rc = top_recorder_open(&top->recorder, record, app_option(app, "force") != NULL,
				       &err);
	return rc ? report(app, EXIT_FAILED, &err) : EXIT_DONE;
}

static int run(struct app *app)
{
	struct top top = {
		.app = app,
		.source = { .root = { .fd = -1 } },
		.recorder = { .fd = -1 },
	};
	int code = read_options(&top);

	/* A recording that may not grow is a failed write, not the end of the watching. */
	signal(SIGXFSZ, SIG_IGN);
	top.now = &top.samples[0];
	top.before = &top.samples[1];
	if (code == EXIT_DONE)
		code = open_files(&top);
	if (code == EXIT_DONE) {
		if (app_option(app, "metrics"))
			code = print_metrics(&top);
		else if (app->json || app_option(app, "batch"))
			code = top_batch(&top);
		else
			code = top_screen(&top);
	}
	top_recorder_close(&top.recorder);
	top_source_close(&top.source);
	tm_sample_release(&top.samples[0]);
	tm_sample_release(&top.samples[1]);
	return code;
}

static const struct option options[] = {
	{ "batch", 'b', NULL, VALUE_TEXT, "print lines instead of a screen", NULL },
	{ "interval", 'd', "SECONDS", VALUE_TEXT, "time between samples (1)", NULL },
	{ "count", 'n', "N", VALUE_NUMBER, "stop after so many samples", NULL },
	{ "event", 'e', "NAME", VALUE_TEXT, "count these events of the hardware as well", NULL },
	{ "processes", 'p', NULL, VALUE_TEXT, "look at single processes as well", NULL },
	{ "record", 0, "FILE", VALUE_FILE, "keep the samples in a file", NULL },
	{ "force", 0, NULL, VALUE_TEXT, "record over a file that is there", NULL },
	{ "replay", 0, "FILE", VALUE_FILE, "show a recording instead of this machine", NULL },
	{ "metrics", 0, NULL, VALUE_TEXT, "print one page in Prometheus's text format", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command top_command = {
	.name = "top",
	.summary = "watch TLB shootdowns and page migration",
	.synopsis = "[--batch | --metrics] [--interval SECONDS] [--count N] [--record FILE] "
		    "[--replay FILE]",
	.description =
		"Shows, each second, what moving pages between tiers costs and brings: "
		"interrupts to flush other CPUs' TLBs, pages promoted and demoted, and how "
		"full each node is.\n\n"
		"Counters come from /proc/interrupts, /proc/vmstat and sysfs. What this kernel "
		"does not count is n/a, and what this user may not read is denied: neither is 0.",
	.examples = "tiermem top  # the screen; ? explains its keys\n"
		    "tiermem top --batch -n 10  # ten lines\n"
		    "tiermem top --json -n 5 | jq .tlb.shootdowns_total  # for scripts\n"
		    "tiermem top --record night.ndjson --batch >/dev/null  # record\n"
		    "tiermem top --replay night.ndjson  # and look at it later\n",
	.group = "Measure",
	.options = options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_TABLE,
	.run = run,
};
