/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "cmd/top/top.h"
#include "lib/sample/blind.h"

#define HEADINGS_EVERY 20

/* The signals that end it, which are blocked, so that a line is never cut by them. */
static void end_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGHUP);
}

/* Sleeps until the time. False when it is to end. */
static bool wait_until(struct top *top, uint64_t when_ns, int signals)
{
	for (;;) {
		struct pollfd polled[] = {
			{ .fd = signals, .events = POLLIN },
			{ .fd = top_source_fd(&top->source), .events = POLLIN },
		};
		struct timespec now, left;
		uint64_t now_ns, left_ns;
		int n;

		clock_gettime(CLOCK_MONOTONIC, &now);
		now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
		left_ns = when_ns > now_ns ? when_ns - now_ns : 0;
		left = (struct timespec){ .tv_sec = (time_t)(left_ns / 1000000000),
					  .tv_nsec = (long)(left_ns % 1000000000) };
		n = ppoll(polled, TM_ARRAY_SIZE(polled), &left, NULL);
		if (!n)
			return true;
		if (n > 0 && polled[0].revents) {
			struct signalfd_siginfo signal;

			/* Taken off, lest it comes when it is not blocked any more. */
			(void)!read(signals, &signal, sizeof(signal));
			return false;
		}
		if (n > 0)
			top_source_drain(&top->source);
	}
}

static int show(struct top *top, uint64_t shown, struct tm_error *err)
{
	struct top_view view = top_view(top);
	struct tm_buf text = TM_BUF_INIT;
	char *document = NULL;
	int rc = 0;

	if (top->app->json) {
		rc = top_json(&view, &document, err);
		if (!rc)
			out_text(top->app, document);
		free(document);
	} else {
		if (!(shown % HEADINGS_EVERY) && !top->app->noheadings)
			top_line_headings(&text);
		top_line(&view, top->app->raw, &text);
		rc = text.failed ? tm_error_nomem(err) : 0;
		if (!rc)
			out_text(top->app, tm_buf_str(&text));
		tm_buf_release(&text);
	}
	if (!rc && fflush(stdout) && !top->app->out_error)
		top->app->out_error = errno;
	return rc;
}

/* What lines have no place for. */
static void warn_of_shootdowns(const struct top *top)
{
	const struct tm_num *blind = &top->source.facts.blind;

	if (top->app->json)
		return;
	if (top->now->interrupts.rows[TM_IRQ_TLB].state == TM_UNSUPPORTED)
		warn(top->app, "TLB/s: not on this architecture");
	else if (tm_num_is(blind) && blind->value != TM_BLIND_NOT)
		warn(top->app, "TLB/s is blind: %s", tm_blind_explain((enum tm_blind)blind->value));
}

int top_batch(struct top *top)
{
	struct tm_error err = { 0 };
	uint64_t shown = 0, next;
	sigset_t signals, old;
	int rc, fd;

	end_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, &old);
	fd = signalfd(-1, &signals, SFD_CLOEXEC);
	if (fd < 0) {
		tm_error_errno(&err, errno, "signalfd");
		return report(top->app, EXIT_FAILED, &err);
	}
	/* Rates need two samples: the first is not shown. */
	rc = top_advance(top, &err);
	next = top->now->time_ns;
	if (rc > 0)
		warn_of_shootdowns(top);
	while (rc > 0 && !(top->count && shown == top->count)) {
		next += top->interval_ns;
		if (!top->source.recording && !wait_until(top, next, fd))
			break;
		rc = top_advance(top, &err);
		if (rc <= 0)
			break;
		/*
		 * After a stop, or a machine that slept, samples that were missed are not made up.
		 */
		if (top->now->time_ns > next + top->interval_ns)
			next = top->now->time_ns;
		rc = show(top, shown++, &err);
		rc = rc ? rc : 1;
		if (top->app->out_error)
			break;
	}
	close(fd);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return rc < 0 ? report(top->app, EXIT_FAILED, &err) : EXIT_DONE;
}
