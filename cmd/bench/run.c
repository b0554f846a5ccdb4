/* SPDX-License-Identifier: GPL-2.0-only */
/* One benchmark from its options to its result. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd/bench/options.h"
#include "cmd/files.h"
#include "cmd/recover.h"
#include "cmd/terminal.h"

static int open_counters(struct bench *b, struct tm_error *err)
{
	int rc;

	if (!b->stat && !b->benchmark->counters)
		return 0;
	rc = stat_events_init(&b->events, &b->root, &b->result.machine, NULL, err);
	/* Without the library that knows names the kernel's own counters are there. */
	if (rc == -ENOSYS)
		rc = 0;
	if (!rc)
		rc = tm_sampler_open(&b->sampler, &b->root, TM_SAMPLE_FILES, err);
	b->sampling = !rc;
	if (rc)
		stat_events_release(&b->events);
	return rc;
}

/* Whatever can be found wrong is found before anything is measured. */
static int prepare(struct bench *b, struct tm_error *err)
{
	const char *save = app_option(b->app, "save");
	int rc = tm_root_open(&b->root, NULL, err);

	b->request = calloc(1, b->benchmark->request_bytes);
	if (!rc && !b->request)
		rc = tm_error_nomem(err);
	if (!rc)
		rc = tm_machine_read(&b->machine, &b->root, NULL, err);
	if (!rc)
		rc = tm_numa_load(&b->numa, err);
	if (!rc)
		rc = bench_options_parse(b, err);
	if (!rc && b->benchmark->parse)
		rc = b->benchmark->parse(b, err);
	if (!rc && save)
		rc = file_try(save, app_option(b->app, "force") != NULL, err);
	b->result.kind = b->benchmark->kind;
	b->result.quick = b->quick;
	b->result.machine.when = time(NULL);
	b->result.machine.scope = STAT_COMMAND;
	if (!rc)
		rc = stat_take_machine(&b->result.machine, &b->root, &b->machine, err);
	if (!rc)
		rc = bench_conditions(b, err);
	if (!rc)
		rc = open_counters(b, err);
	if (!rc)
		recover_warn(b->app, &b->root);
	return rc;
}

static void release(struct bench *b)
{
	if (b->request && b->benchmark->release)
		b->benchmark->release(b);
	free(b->request);
	if (b->sampling) {
		tm_sampler_close(&b->sampler);
		stat_events_release(&b->events);
	}
	bench_result_release(&b->result);
	tm_idset_release(&b->cpus);
	tm_idset_release(&b->nodes);
	tm_numa_unload(&b->numa);
	tm_machine_release(&b->machine);
	tm_root_close(&b->root);
}

static void end_progress(const struct bench *b)
{
	if (b->step && !b->app->quiet && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static int exit_code(const struct bench *b, int rc)
{
	if (b->left)
		return EXIT_ROLLBACK;
	if (rc == -EINVAL && !b->measuring)
		return EXIT_USAGE;
	return rc == -ENOTSUP ? EXIT_UNSUPPORTED : EXIT_FAILED;
}

/* All cases have a reason: the machine cannot do what was asked for. */
static int check_measured(const struct bench *b, struct tm_error *err)
{
	for (size_t i = 0; i < b->result.nr_cases; i++)
		if (!b->result.cases[i].reason)
			return 0;
	if (b->reason.number) {
		*err = b->reason;
		return -ENOTSUP;
	}
	return tm_error_set(err, ENOTSUP, "%s",
			    b->result.nr_cases ? b->result.cases[0].reason :
						 "there is nothing to measure");
}

/* Restores whatever was set, also after a failure; `rc` stays unless that fails. */
static int measure(struct bench *b, struct tm_error *err)
{
	struct tm_error other = { 0 };
	int rc, restored;

	b->measuring = true;
	rc = b->benchmark->run(b, err);
	end_progress(b);
	restored = bench_settings_restore(b, &other);
	if (restored) {
		if (rc)
			report(b->app, EXIT_ROLLBACK, err);
		*err = other;
		return restored;
	}
	/* Also by a case whose reason this was. */
	if (!rc && b->left)
		rc = tm_error_set(err, EREMOTEIO, "not every setting could be put back");
	if (!rc)
		rc = check_measured(b, err);
	return rc ? rc : bench_check_signals(b, err);
}

static int save(const struct bench *b, const char *document, struct tm_error *err)
{
	const char *name = app_option(b->app, "save");

	/* A limit of the file's size is an error like a full disk, not a reason to be killed. */
	signal(SIGXFSZ, SIG_IGN);
	return name ? file_save(name, app_option(b->app, "force") != NULL, document, err) : 0;
}

static int give(struct bench *b, struct tm_error *err)
{
	struct tm_table_style style = terminal_style(b->app);
	TM_CLEANUP(tm_freep) char *document = NULL;
	TM_CLEANUP(tm_freep) char *tables = NULL;
	struct tm_buf more = TM_BUF_INIT;
	int rc = bench_result_json(&b->result, &document, err), shown;

	if (!rc)
		rc = save(b, document, err);
	if (b->app->json && document) {
		out_text(b->app, document);
	} else if (document) {
		struct tm_error other = { 0 };

		shown = bench_result_show(b->app, &b->result, &style, &tables, rc ? &other : err);
		if (!shown)
			out_text(b->app, tables);
		if (!shown && b->benchmark->show)
			shown = b->benchmark->show(b, &more, rc ? &other : err);
		if (!shown && more.len)
			out_text(b->app, tm_buf_str(&more));
		rc = rc ? rc : shown;
	}
	tm_buf_release(&more);
	return rc;
}

/* Of what ends a process from outside only SIGKILL ends this one before the settings are back. */
static void choose_signals(sigset_t *signals)
{
	static const int ending[] = { SIGINT,  SIGTERM, SIGQUIT,   SIGHUP,  SIGXCPU, SIGALRM,
				      SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR };
	struct sigaction action;

	sigemptyset(signals);
	for (size_t i = 0; i < TM_ARRAY_SIZE(ending); i++)
		sigaddset(signals, ending[i]);
	/* What nohup has ignored stays so: blocked, it would be told of like the others. */
	if (!sigaction(SIGHUP, NULL, &action) && action.sa_handler == SIG_IGN)
		sigdelset(signals, SIGHUP);
}

int bench_run(struct app *app, const struct benchmark *benchmark)
{
	struct bench b = { .app = app, .benchmark = benchmark, .root = { .fd = -1 } };
	struct tm_error err = { 0 };
	int rc, code = EXIT_DONE;

	choose_signals(&b.signals);
	sigprocmask(SIG_BLOCK, &b.signals, &b.mask);
	/* Where children are ignored, their end could not be waited for. */
	signal(SIGCHLD, SIG_DFL);
	rc = prepare(&b, &err);
	if (!rc)
		rc = measure(&b, &err);
	if (!rc) {
		/* Nothing is to be put back any more, and a reader may let wait for ever. */
		sigprocmask(SIG_SETMASK, &b.mask, NULL);
		rc = give(&b, &err);
	}
	/* After a failure one more signal is not to take the place of its exit code. */
	if (b.reported)
		code = b.reported;
	else if (rc)
		code = report(app, exit_code(&b, rc), &err);
	release(&b);
	return code;
}
