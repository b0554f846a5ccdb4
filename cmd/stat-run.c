/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the command, or waits beside a process, and counts meanwhile. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/files.h"
#include "cmd/stat-events.h"
#include "cmd/terminal.h"

struct counting {
	struct app *app;
	const struct stat_request *request;
	char *program; /* NULL: there is no command */
	struct tm_root root;
	struct stat_record record;
	struct stat_events events;
	struct tm_sampler sampler;
	struct tm_sample before, now;
	sigset_t signals, mask;
	int process; /* a descriptor of it; -1: none */
	bool interrupted;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* 0, or an exit code with the reason in *err. */
static int open_process(struct counting *c, struct tm_error *err)
{
	pid_t pid = (pid_t)c->request->pid;

	c->process = -1;
	if (!pid)
		return EXIT_DONE;
	c->process = (int)syscall(SYS_pidfd_open, pid, 0);
	if (c->process >= 0)
		return EXIT_DONE;
	if (errno == ESRCH || errno == EINVAL)
		tm_error_set(err, ESRCH, "--pid: there is no process %" PRIu64, c->request->pid);
	else
		tm_error_errno(err, errno, "--pid: process %" PRIu64, c->request->pid);
	return errno == ENOSYS ? EXIT_UNSUPPORTED : CHILD_FAILED;
}

static int copy_command(struct counting *c)
{
	struct app *app = c->app;

	if (!app->argc)
		return 0;
	c->record.command = calloc((size_t)app->argc + 1, sizeof(*c->record.command));
	if (!c->record.command)
		return -ENOMEM;
	for (int i = 0; i < app->argc; i++) {
		c->record.command[i] = strdup(app->argv[i]);
		if (!c->record.command[i])
			return -ENOMEM;
	}
	return 0;
}

/* Whatever can be found wrong is found before anything runs. 0, or an exit code. */
static int prepare(struct counting *c, struct tm_error *err)
{
	int code, rc;

	if (c->request->output &&
	    file_try(c->request->output, app_option(c->app, "force") != NULL, err))
		return CHILD_FAILED;
	if (c->app->argc) {
		code = child_find_program(c->app->argv[0], &c->program, err);
		if (code)
			return code;
	}
	code = open_process(c, err);
	if (code)
		return code;
	if (tm_root_open(&c->root, c->app->root, err))
		return CHILD_FAILED;
	if (c->root.archive || c->root.replay) {
		tm_error_set(err, EINVAL, "--root: nothing is counted in a snapshot");
		return EXIT_USAGE;
	}
	c->record.scope = c->request->scope;
	c->record.pid = c->request->pid;
	c->record.when = time(NULL);
	if (copy_command(c)) {
		tm_error_nomem(err);
		return CHILD_FAILED;
	}
	if (stat_read_machine(&c->record, &c->root, err))
		return CHILD_FAILED;
	rc = stat_events_init(&c->events, &c->root, &c->record, c->request->events, err);
	if (rc)
		return rc == -EINVAL ? EXIT_USAGE : rc == -ENOSYS ? EXIT_UNSUPPORTED : CHILD_FAILED;
	return tm_sampler_open(&c->sampler, &c->root, TM_SAMPLE_FILES, err) ? CHILD_FAILED :
									      EXIT_DONE;
}

static void release(struct counting *c)
{
	if (c->process >= 0)
		close(c->process);
	free(c->program);
	stat_events_release(&c->events);
	tm_sampler_close(&c->sampler);
	tm_sample_release(&c->before);
	tm_sample_release(&c->now);
	stat_record_release(&c->record);
	tm_root_close(&c->root);
}

/* Has the user had enough? What came between two waits counts too. */
static bool was_interrupted(struct counting *c)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP };
	const struct timespec at_once = { 0 };
	sigset_t some;

	sigemptyset(&some);
	for (size_t i = 0; i < TM_ARRAY_SIZE(ending); i++)
		sigaddset(&some, ending[i]);
	while (sigtimedwait(&some, NULL, &at_once) > 0)
		c->interrupted = true;
	return c->interrupted;
}

static int begin(struct counting *c, struct tm_error *err)
{
	int rc = tm_sample_take(&c->sampler, &c->before, err);

	if (!rc && stat_events_begin(&c->events))
		rc = tm_error_nomem(err);
	return rc;
}

/* Into a new run of the record. */
static int end(struct counting *c, struct tm_error *err)
{
	int rc = stat_events_end(&c->events);

	if (!rc)
		rc = tm_sample_take(&c->sampler, &c->now, err);
	if (!rc)
		rc = stat_record_run(&c->record);
	if (!rc)
		rc = stat_events_count(&c->events, &c->record);
	if (!rc)
		rc = stat_count_pair(&c->record, &c->before, &c->now);
	return rc ? tm_error_nomem(err) : 0;
}

static pid_t whose(const struct counting *c, pid_t command)
{
	return c->record.scope == STAT_COMMAND ? command : (pid_t)c->record.pid;
}

static int execute(struct counting *c, struct child *child, struct child_end *ended,
		   uint64_t *elapsed, struct tm_error *err)
{
	bool on_exec = c->record.scope == STAT_COMMAND;
	uint64_t start;
	int rc;

	if (stat_events_open(&c->events, whose(c, child->pid), on_exec)) {
		tm_error_nomem(err);
		return CHILD_FAILED;
	}
	if (begin(c, err))
		return CHILD_FAILED;
	start = now_ns();
	rc = child_go(child);
	if (rc)
		return child_cannot_execute(c->app->argv[0], rc, err);
	rc = child_attend(child->pid, &c->signals, ended);
	if (rc) {
		tm_error_errno(err, -rc, "waiting for the command");
		return CHILD_FAILED;
	}
	*elapsed = ended->time_ns - start;
	return EXIT_DONE;
}

static int run_once(struct counting *c, int *status, struct tm_error *err)
{
	struct child_setup setup = { .program = c->program,
				     .argv = c->app->argv,
				     .mask = &c->mask,
				     .files = &c->events.files,
				     .output_to_error = c->app->json };
	struct child child = { .go = -1, .failed = -1 };
	struct child_end ended = { 0 };
	uint64_t elapsed = 0;
	struct stat_run *run;
	int code;

	if (child_start(&child, &setup, err))
		return CHILD_FAILED;
	code = execute(c, &child, &ended, &elapsed, err);
	child_drop(&child);
	if (!code && end(c, err))
		code = CHILD_FAILED;
	stat_events_close(&c->events);
	if (code)
		return code;
	if (stat_count_usage(&c->record, elapsed, &ended)) {
		tm_error_nomem(err);
		return CHILD_FAILED;
	}
	run = &c->record.runs[c->record.nr_runs - 1];
	if (WIFSIGNALED(ended.status))
		run->signal = WTERMSIG(ended.status);
	else
		run->exit_code = WEXITSTATUS(ended.status);
	c->interrupted |= ended.interrupted;
	*status = ended.status;
	return EXIT_DONE;
}

/* On a terminal: how far it is. The command's own output stands between the lines. */
static void tell_progress(const struct counting *c)
{
	struct stat_key key = { .group = STAT_TIME,
				.scope = STAT_COMMAND,
				.unit = STAT_NS,
				.name = "elapsed",
				.cpu = -1,
				.node = -1 };
	const struct stat_counter *elapsed = stat_record_find(&c->record, &key);
	size_t nr = c->record.nr_runs;

	if (c->request->repeat < 2 || c->app->quiet || !isatty(STDERR_FILENO) || !elapsed)
		return;
	fprintf(stderr, "run %zu of %" PRIu64 ": %.3f s\n", nr, c->request->repeat,
		(double)elapsed->values[nr - 1].value / 1e9);
}

/* All runs. *status is that of the first that did not succeed, else 0. */
static int run_all(struct counting *c, int *status, struct tm_error *err)
{
	int code = EXIT_DONE;

	*status = 0;
	for (uint64_t i = 0; i < c->request->repeat && !code; i++) {
		int one = 0;

		/* What comes before the first is for the command. */
		if (i && was_interrupted(c))
			break;
		code = run_once(c, &one, err);
		if (!*status)
			*status = one;
		if (!code)
			tell_progress(c);
		/* What was killed was to end. */
		c->interrupted |= WIFSIGNALED(one);
	}
	return code;
}

/* No command: until the process ends, or the user says so. */
static int wait_for_process(struct counting *c)
{
	int told = signalfd(-1, &c->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	struct pollfd both[] = { { c->process, POLLIN, 0 }, { told, POLLIN, 0 } };
	int rc = 0;

	if (told < 0)
		return -errno;
	while (!c->interrupted) {
		struct signalfd_siginfo info;

		if (poll(both, TM_ARRAY_SIZE(both), -1) < 0 && errno != EINTR) {
			rc = -errno;
			break;
		}
		if (both[0].revents)
			break;
		if (read(told, &info, sizeof(info)) == sizeof(info) &&
		    (info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM ||
		     info.ssi_signo == SIGQUIT || info.ssi_signo == SIGHUP))
			c->interrupted = true;
	}
	close(told);
	return rc;
}

static int attend_process(struct counting *c, struct tm_error *err)
{
	struct stat_key key = { .group = STAT_TIME,
				.scope = STAT_PROCESS,
				.unit = STAT_NS,
				.name = "elapsed",
				.cpu = -1,
				.node = -1 };
	uint64_t start;
	int rc = stat_events_open(&c->events, whose(c, 0), false);

	if (rc)
		tm_error_nomem(err);
	if (!rc)
		rc = begin(c, err);
	start = now_ns();
	if (!rc) {
		rc = wait_for_process(c);
		if (rc)
			tm_error_errno(err, -rc, "waiting for process %" PRIu64, c->record.pid);
	}
	if (!rc) {
		struct tm_num elapsed = tm_num_known(now_ns() - start);

		rc = end(c, err);
		if (!rc && stat_record_add(&c->record, &key, stat_value_of(elapsed)))
			rc = tm_error_nomem(err);
	}
	stat_events_close(&c->events);
	return rc ? CHILD_FAILED : EXIT_DONE;
}

/* The report goes where warnings go: standard output is the command's. */
static struct tm_table_style error_style(const struct app *app)
{
	struct tm_table_style style = terminal_style(app);
	struct winsize size;

	style.width = 0;
	if (!isatty(STDERR_FILENO))
		style.color = false;
	else if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size))
		style.width = size.ws_col ? size.ws_col : 80;
	return style;
}

static int give(struct counting *c, struct tm_error *err)
{
	struct tm_table_style style = error_style(c->app);
	TM_CLEANUP(tm_freep) char *document = NULL;
	TM_CLEANUP(tm_freep) char *report_text = NULL;
	int rc = stat_record_json(&c->record, &document, err);

	/* A limit of the file's size is an error like a full disk, not a reason to be killed. */
	signal(SIGXFSZ, SIG_IGN);
	if (!rc && c->request->output)
		rc = file_save(c->request->output, app_option(c->app, "force") != NULL, document,
			       err);
	if (c->app->json && document) {
		out_text(c->app, document);
	} else if (!c->app->json) {
		struct tm_error other;
		int shown = stat_show(c->app, &c->record, &style, &report_text, rc ? &other : err);

		if (!shown)
			fputs(report_text, stderr);
		rc = rc ? rc : shown;
	}
	return rc;
}

static void tell_events(const struct counting *c)
{
	if (c->app->verbose && c->events.flush.error.text[0])
		warn(c->app, "%s", c->events.flush.error.text);
}

static int count(struct counting *c, int *status)
{
	struct tm_error err = { 0 };
	int code = prepare(c, &err);

	if (!code)
		code = c->program ? run_all(c, status, &err) : attend_process(c, &err);
	/* What was counted before something failed is told all the same. */
	if (c->record.nr_runs) {
		struct tm_error other = { 0 };

		tell_events(c);
		if (give(c, &other)) {
			report(c->app, (enum exit_code)CHILD_FAILED, &other);
			code = code ? code : -1;
		}
	}
	if (code > 0)
		return report(c->app, (enum exit_code)code, &err);
	return code ? CHILD_FAILED : EXIT_DONE;
}

int stat_run(struct app *app, const struct stat_request *request)
{
	struct counting c = { .app = app, .request = request, .root = { .fd = -1 }, .process = -1 };
	int status = 0, code;

	/* From here on until the report is out nothing but SIGKILL ends tiermem. */
	child_choose_signals(&c.signals);
	sigprocmask(SIG_BLOCK, &c.signals, &c.mask);
	code = count(&c, &status);
	release(&c);
	if (!code)
		code = child_end_alike(status);
	sigprocmask(SIG_SETMASK, &c.mask, NULL);
	return code;
}
