/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flushes system|process|idle CMD...: TLB flushes while CMD runs, as lib/sample counts them: one
 * line for each combination, "REASON PAGES COUNT". With `system` on all CPUs, with `process` in CMD
 * alone; `idle` opens nothing, for comparing the time. Exit code 77: they cannot be counted here.
 *
 * flushes ring CMD...: by process, "PID COMM VICTIM INITIATOR", and "lost COUNT".
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sample/flush-ring.h"
#include "lib/sample/flush.h"

static struct tm_root root;
static struct tm_idset online;
static int gate[2];

static int die(const char *what, int rc)
{
	fprintf(stderr, "flushes: %s: %s\n", what, strerror(-rc));
	exit(1);
}

/* A child that waits until it may run. */
static pid_t start(char **argv)
{
	pid_t pid;
	char go;

	if (pipe(gate))
		die("pipe", -errno);
	pid = fork();
	if (pid < 0)
		die("fork", -errno);
	if (pid)
		return pid;
	close(gate[1]);
	if (read(gate[0], &go, 1) == 1)
		execvp(argv[0], argv);
	_exit(127);
}

static void go(void)
{
	if (write(gate[1], "", 1) != 1)
		die("pipe", -errno);
}

static int end(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("waitpid", -errno);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void check(int rc)
{
	if (rc)
		die("reading", rc);
}

static void give_up(pid_t pid, const struct tm_error *err)
{
	fprintf(stderr, "flushes: %s\n", err->text);
	kill(pid, SIGKILL);
	exit(77);
}

static void show(const struct tm_flush_counts *counts)
{
	for (int r = 0; r < TM_FLUSH_REASONS; r++) {
		for (int p = 0; p < TM_FLUSH_PAGES; p++) {
			int cell = tm_flush_cell((enum tm_flush_reason)r, (enum tm_flush_pages)p);
			const struct tm_perf_count *c = &counts->cell[cell < 0 ? 0 : cell];

			if (cell < 0)
				continue;
			printf("%s %s ", tm_flush_reason_name((enum tm_flush_reason)r),
			       tm_flush_pages_name((enum tm_flush_pages)p));
			if (tm_num_is(&c->count))
				printf("%llu\n", (unsigned long long)c->count.value);
			else
				printf("%s\n", c->why ? tm_perf_reason(c->why) : "unknown");
		}
	}
}

static int count(bool system, char **argv)
{
	struct tm_flush_target target = { .on_exec = true };
	struct tm_perf_reading before = { 0 }, now = { 0 };
	struct tm_flush_counts counts;
	struct tm_flush flush;
	pid_t pid = start(argv);
	int status;

	target.pid = system ? 0 : pid;
	check(tm_flush_open(&flush, &root, &tm_perf_io_system, NULL, &target));
	if (flush.state != TM_KNOWN)
		give_up(pid, &flush.error);
	check(tm_flush_follow(&flush, &online));
	check(tm_flush_read(&flush, &before));
	go();
	status = end(pid);
	check(tm_flush_read(&flush, &now));
	tm_flush_count(&flush, system ? &before : NULL, &now, &counts);
	show(&counts);
	tm_flush_close(&flush);
	tm_perf_reading_release(&before);
	tm_perf_reading_release(&now);
	return status;
}

static int by_process(char **argv)
{
	struct tm_flush_ring ring;
	pid_t pid = start(argv);
	siginfo_t ended = { 0 };

	check(tm_flush_ring_open(&ring, &root, &tm_perf_io_system, NULL));
	if (ring.state != TM_KNOWN)
		give_up(pid, &ring.error);
	check(tm_flush_ring_follow(&ring, &online));
	go();
	/*
	 * Emptied long before it is full; and its process is there to be looked at until the end.
	 */
	while (!waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) && !ended.si_pid) {
		tm_flush_ring_read(&ring);
		usleep(1000);
	}
	tm_flush_ring_read(&ring);
	for (size_t i = 0; i < ring.procs.nr; i++) {
		const struct tm_flush_proc *p = &ring.procs.list[i];

		printf("%d %s %llu %llu\n", p->pid, p->comm, (unsigned long long)p->victim,
		       (unsigned long long)p->initiator);
	}
	printf("lost %llu\n", (unsigned long long)ring.lost);
	tm_flush_ring_close(&ring);
	return end(pid);
}

int main(int argc, char **argv)
{
	struct tm_buf text = TM_BUF_INIT;
	struct rlimit old;
	int rc, status;

	if (argc < 3)
		return 2;
	rc = tm_root_open(&root, NULL, NULL);
	if (!rc)
		rc = tm_root_read(&root, "sys/devices/system/cpu/online", 4096, &text);
	if (!rc)
		rc = tm_idset_parse_list(&online, tm_buf_str(&text));
	if (!rc)
		rc = tm_perf_make_room(TM_FLUSH_CELLS * tm_idset_count(&online), &old);
	if (rc)
		die("start", rc);
	if (!strcmp(argv[1], "ring")) {
		status = by_process(argv + 2);
	} else if (!strcmp(argv[1], "idle")) {
		pid_t pid = start(argv + 2);

		go();
		status = end(pid);
	} else {
		status = count(!strcmp(argv[1], "system"), argv + 2);
	}
	tm_buf_release(&text);
	tm_idset_release(&online);
	tm_root_close(&root);
	return status;
}
