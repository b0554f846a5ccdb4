/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One case: a child prepares, then measures each time it is told to, while the parent counts and
 * listens for signals. They talk by a byte each way; what was measured is in memory of both.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/bench/bench.h"

/* A thread that was on its CPU for less of its time had a neighbour. */
#define ON_CPU 0.95

struct worker {
	struct bench *b;
	const struct bench_work *work;
	struct bench_slot *slot;
	pid_t pid, parent;
	int go[2];   /* a byte: measure; its end: end */
	int done[2]; /* a byte: prepared, or measured; its end: the child has ended */
};

static void clear_slot(struct bench_slot *slot)
{
	for (size_t i = 0; i < BENCH_METRICS; i++)
		slot->values[i] = NAN;
	slot->on_cpu = 0;
}

static bool tell(int fd)
{
	ssize_t n;

	do
		n = write(fd, "", 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static bool hear(int fd)
{
	ssize_t n;
	char byte;

	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

/* Where memory is short this process is to go first: what it holds is of no use to anybody. */
static void offer_to_oom(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) != 4) {
		/* Then it is as likely to be chosen as others. */
	}
	close(fd);
}

static void work(const struct worker *w)
{
	struct bench_slot *slot = w->slot;

	/* Signals that end come from the parent, which is told of them. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != w->parent)
		_exit(1);
	sigprocmask(SIG_SETMASK, &w->b->mask, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	close(w->go[1]);
	close(w->done[0]);
	offer_to_oom();
	slot->rc = w->work->prepare(w->work->context, slot, &slot->error);
	while (!slot->rc && tell(w->done[1]) && hear(w->go[0])) {
		clear_slot(slot);
		slot->rc = w->work->measure(w->work->context, slot, &slot->error);
	}
	/* Nothing of what it inherited is to be flushed or undone twice. */
	_exit(slot->rc ? 1 : 0);
}

static void close_both(int ends[2])
{
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	ends[0] = ends[1] = -1;
}

static int start(struct worker *w, struct tm_error *err)
{
	w->slot = mmap(NULL, sizeof(*w->slot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (w->slot == MAP_FAILED) {
		w->slot = NULL;
		tm_error_nomem(err);
		return -ENOMEM;
	}
	clear_slot(w->slot);
	if (pipe2(w->go, O_CLOEXEC) || pipe2(w->done, O_CLOEXEC))
		return tm_error_errno(err, errno, "pipe");
	fflush(NULL);
	w->parent = getpid();
	w->pid = fork();
	if (w->pid < 0)
		return tm_error_errno(err, errno, "fork");
	if (!w->pid)
		work(w);
	close(w->go[0]);
	close(w->done[1]);
	w->go[0] = w->done[1] = -1;
	return 0;
}

static int interrupted(const struct bench *b, struct tm_error *err)
{
	return tm_error_set(err, EINTR, "ended by %s", strsignal(b->signal));
}

int bench_check_signals(struct bench *b, struct tm_error *err)
{
	const struct timespec at_once = { 0 };
	sigset_t some = b->signals;
	int number;

	while ((number = sigtimedwait(&some, NULL, &at_once)) > 0)
		b->signal = number;
	return b->signal ? interrupted(b, err) : 0;
}

/* What a child that has ended leaves to say. */
static int explain_end(struct worker *w, struct tm_error *err)
{
	int status = 0;

	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
	if (WIFEXITED(status) && w->slot->rc) {
		*err = w->slot->error;
		if (!err->number)
			tm_error_errno(err, -w->slot->rc, "measuring");
		return w->slot->rc;
	}
	/* What was sent to both ends this one first, now and then. */
	if (WIFSIGNALED(status) && bench_check_signals(w->b, err))
		return -EINTR;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
		tm_error_set(err, ENOMEM, "the measuring process was killed, probably for memory");
		tm_error_hint(err, "dmesg says so; give a smaller --size, or --quick");
		return -ENOMEM;
	}
	if (WIFSIGNALED(status))
		return tm_error_set(err, EIO, "the measuring process ended by %s",
				    strsignal(WTERMSIG(status)));
	return tm_error_set(err, EIO, "the measuring process ended too early");
}

/* Until the child has done what it was told. 0, -EINTR after a signal, or what it ended with. */
static int await(struct worker *w, int signals, struct tm_error *err)
{
	struct pollfd both[] = { { w->done[0], POLLIN, 0 }, { signals, POLLIN, 0 } };
	struct signalfd_siginfo info;

	for (;;) {
		if (poll(both, TM_ARRAY_SIZE(both), -1) < 0) {
			if (errno == EINTR)
				continue;
			return tm_error_errno(err, errno, "poll");
		}
		if (both[1].revents && read(signals, &info, sizeof(info)) == sizeof(info)) {
			w->b->signal = (int)info.ssi_signo;
			return interrupted(w->b, err);
		}
		if (both[0].revents)
			return hear(w->done[0]) ? 0 : explain_end(w, err);
	}
}

static void stop(struct worker *w)
{
	close_both(w->go);
	close_both(w->done);
	if (w->pid > 0) {
		kill(w->pid, SIGKILL);
		while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (w->slot)
		munmap(w->slot, sizeof(*w->slot));
}

static bool counts(const struct bench *b)
{
	return b->stat || b->benchmark->counters;
}

static int open_counters(struct worker *w, struct bench_case *c)
{
	if (!counts(w->b))
		return 0;
	c->has_counters = true;
	return stat_events_open(&w->b->events, w->pid, false);
}

static int measure_once(struct worker *w, struct bench_case *c, int signals, struct tm_error *err)
{
	struct tm_sample before = { 0 }, now = { 0 };
	struct bench *b = w->b;
	int rc = 0;

	if (counts(b)) {
		rc = tm_sample_take(&b->sampler, &before, err);
		if (!rc && stat_events_begin(&b->events))
			rc = tm_error_nomem(err);
	}
	if (!rc && !tell(w->go[1]))
		rc = explain_end(w, err);
	if (!rc)
		rc = await(w, signals, err);
	if (!rc && counts(b)) {
		if (stat_events_end(&b->events) || tm_sample_take(&b->sampler, &now, err) ||
		    stat_record_run(&c->counters) || stat_events_count(&b->events, &c->counters) ||
		    stat_count_pair(&c->counters, &before, &now))
			rc = tm_error_nomem(err);
	}
	tm_sample_release(&before);
	tm_sample_release(&now);
	return rc;
}

static int add_notes(const struct bench_work *work, bool crowded, struct bench_case *c,
		     const struct bench_slot *slot)
{
	int rc = 0;

	if (slot->note[0])
		rc = bench_case_note(c, "%s", slot->note);
	if (!rc && slot->on_cpu > 0 && slot->on_cpu < ON_CPU)
		rc = bench_case_note(c, crowded ? "busy: more threads than CPUs" :
						  "busy: others had the CPUs for some of the time");
	if (rc || !slot->has_place)
		return rc;
	c->has_place = true;
	c->place = slot->place;
	if (slot->place.misplaced)
		rc = bench_case_note(c, "misplaced: some memory is on other nodes than asked for");
	if (!rc && slot->place.unknown)
		rc = bench_case_note(c, "misplaced: the kernel does not say where all memory is");
	if (!rc && (work->page == TM_BENCH_PAGE_THP || work->page == TM_BENCH_PAGE_HUGETLB) &&
	    slot->place.page_bytes) {
		uint64_t bytes = slot->place.unknown;

		for (size_t i = 0; i < slot->place.nr; i++)
			bytes += slot->place.nodes[i].bytes;
		if (slot->place.huge < bytes / 10 * 9)
			rc = bench_case_note(c, "page: %u %% of the memory is in huge pages",
					     (unsigned)(slot->place.huge * 100 / (bytes + 1)));
	}
	return rc;
}

static int keep(struct worker *w, struct bench_case *c, struct tm_error *err)
{
	const struct bench_work *work = w->work;
	bool crowded = w->b->threads > tm_idset_count(&w->b->cpus);
	struct bench_slot *slot = w->slot;

	if (work->derive)
		work->derive(work->context, slot, &c->counters);
	if (bench_case_add(&w->b->result, c, slot->values) || add_notes(work, crowded, c, slot))
		return tm_error_nomem(err);
	return 0;
}

static void show_progress(struct bench *b, unsigned repeat, unsigned of)
{
	if (b->app->quiet || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[K%s: case %zu of %zu, repeat %u of %u", b->result.kind->name,
		b->step, TM_MAX(b->steps, b->step), repeat + 1, of);
	fflush(stderr);
}

void bench_expect(struct bench *b, size_t cases)
{
	b->steps = cases;
}

static int measure_all(struct worker *w, struct bench_case *c, int signals, struct tm_error *err)
{
	unsigned repeat = w->work->repeat ? w->work->repeat : w->b->repeat;
	int rc = 0;

	for (unsigned i = 0; i < repeat && !rc; i++) {
		show_progress(w->b, i, repeat);
		rc = measure_once(w, c, signals, err);
		if (!rc)
			rc = keep(w, c, err);
	}
	return rc;
}

static int describe(struct bench_case *c, const struct bench_work *work)
{
	c->page = work->page;
	c->page_bytes = work->page_bytes;
	if (!work->nodes)
		return 0;
	c->place_asked = tm_idset_format(work->nodes);
	return c->place_asked ? 0 : -ENOMEM;
}

int bench_refuse(struct bench *b, struct bench_case *c, struct tm_error *err)
{
	if (!b->reason.number)
		b->reason = *err;
	c->reason = strdup(err->text);
	return c->reason ? 0 : tm_error_nomem(err);
}

int bench_measure(struct bench *b, struct bench_case *c, const struct bench_work *work,
		  struct tm_error *err)
{
	struct worker w = { .b = b, .work = work, .go = { -1, -1 }, .done = { -1, -1 } };
	int signals, rc;

	b->step++;
	if (describe(c, work))
		return tm_error_nomem(err);
	rc = bench_check_signals(b, err);
	if (rc)
		return rc;
	signals = signalfd(-1, &b->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		return tm_error_errno(err, errno, "signalfd");
	rc = start(&w, err);
	if (!rc)
		rc = await(&w, signals, err);
	if (rc == -ENOTSUP || rc == -ENOSYS) {
		/* Of one case: others may do. */
		rc = bench_refuse(b, c, err);
	} else if (!rc) {
		rc = open_counters(&w, c) ? tm_error_nomem(err) : 0;
		if (!rc)
			rc = measure_all(&w, c, signals, err);
		if (counts(b))
			stat_events_close(&b->events);
	}
	stop(&w);
	close(signals);
	return rc;
}
