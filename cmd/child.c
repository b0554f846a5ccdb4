/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/compiler.h"

/* As execvp(3) where there is no PATH. */
#define USUAL_PATH "/bin:/usr/bin"

/* 0, or why it cannot be executed. */
static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) ? -errno : 0;
}

static bool is_absent(int rc)
{
	return rc == -ENOENT || rc == -ENOTDIR;
}

/* The first that can be executed; as execvp(3), one that may not is passed over but remembered. */
static int search_path(const char *name, char **found)
{
	const char *path = getenv("PATH");
	int remembered = -ENOENT;

	for (const char *part = path ? path : USUAL_PATH;; part++) {
		size_t len = strcspn(part, ":");
		char *file;
		int rc;

		if (asprintf(&file, "%.*s%s%s", (int)len, part, len ? "/" : "./", name) < 0)
			return -ENOMEM;
		rc = check_file(file);
		if (!rc) {
			*found = file;
			return 0;
		}
		free(file);
		if (!is_absent(rc) && rc != -EISDIR)
			remembered = rc;
		part += len;
		if (!*part)
			return remembered;
	}
}

int child_cannot_execute(const char *name, int rc, struct tm_error *err)
{
	if (is_absent(rc) && !strchr(name, '/'))
		tm_error_set(err, ENOENT, "'%.200s': no such command", name);
	else
		tm_error_errno(err, -rc, "%.200s", name);
	return is_absent(rc) ? CHILD_ABSENT : rc == -ENOMEM ? CHILD_FAILED : CHILD_CANNOT;
}

int child_find_program(const char *name, char **program, struct tm_error *err)
{
	int rc;

	if (strchr(name, '/') || !*name) {
		rc = check_file(name);
		if (!rc) {
			*program = strdup(name);
			rc = *program ? 0 : -ENOMEM;
		}
	} else {
		rc = search_path(name, program);
	}
	return rc ? child_cannot_execute(name, rc, err) : 0;
}

void child_close_stand_ins(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		int flags = fcntl(fd, F_GETFL);

		if (flags >= 0 && (flags & O_PATH))
			close(fd);
	}
}

/*
 * In the child. It inherits the mask and the limit that tiermem was started with; main ignores
 * SIGPIPE for the sake of tiermem's own writing.
 */
static void become(const struct child_setup *setup, void (*on_child)(int), int go, int failed)
{
	ssize_t n;
	char byte;
	int rc;

	do
		n = read(go, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(CHILD_FAILED);
	signal(SIGCHLD, on_child);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, setup->mask, NULL);
	if (setup->files)
		setrlimit(RLIMIT_NOFILE, setup->files);
	if (setup->output_to_error)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	child_close_stand_ins();
	execvp(setup->program, setup->argv);
	rc = errno;
	while (write(failed, &rc, sizeof(rc)) < 0 && errno == EINTR)
		;
	_exit(CHILD_CANNOT);
}

static void close_pair(int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

int child_start(struct child *child, const struct child_setup *setup, struct tm_error *err)
{
	void (*on_child)(int);
	int go[2], failed[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		return tm_error_errno(err, errno, "pipe");
	if (pipe2(failed, O_CLOEXEC)) {
		int rc = tm_error_errno(err, errno, "pipe");

		close_pair(go);
		return rc;
	}
	/* Where children are ignored, their end could not be waited for. */
	on_child = signal(SIGCHLD, SIG_DFL);
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		int rc = tm_error_errno(err, errno, "fork");

		close_pair(go);
		close_pair(failed);
		return rc;
	}
	if (!pid) {
		close(go[1]);
		close(failed[0]);
		become(setup, on_child, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	*child = (struct child){ pid, go[1], failed[0] };
	return 0;
}

static void wait_for(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int child_go(struct child *child)
{
	int number = 0;
	ssize_t n;

	/* main ignores SIGPIPE: one that is gone shows in its status. */
	do
		n = write(child->go, "", 1);
	while (n < 0 && errno == EINTR);
	close(child->go);
	do
		n = read(child->failed, &number, sizeof(number));
	while (n < 0 && errno == EINTR);
	close(child->failed);
	child->go = child->failed = -1;
	if (n != sizeof(number))
		return 0;
	wait_for(child->pid);
	child->pid = 0;
	return -number;
}

void child_drop(struct child *child)
{
	if (!child->pid || child->go < 0)
		return;
	close(child->go);
	close(child->failed);
	wait_for(child->pid);
	*child = (struct child){ .go = -1, .failed = -1 };
}

/* But for what stops and continues a job: that happens to both alike. */
void child_choose_signals(sigset_t *signals)
{
	static const int others[] = { SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGSEGV, SIGBUS,
				      SIGFPE,  SIGILL,	SIGTRAP, SIGSYS,  SIGABRT, SIGPIPE };

	sigfillset(signals);
	for (size_t i = 0; i < TM_ARRAY_SIZE(others); i++)
		sigdelset(signals, others[i]);
}

/*
 * What the terminal sends goes to the whole foreground group, the command included: it gets no
 * second one. Of a hang-up only the leader of the session is told.
 */
static bool is_for_command(const siginfo_t *info)
{
	return info->si_code != SI_KERNEL || info->si_signo == SIGHUP;
}

static bool is_ending(int number)
{
	return number == SIGINT || number == SIGTERM || number == SIGQUIT || number == SIGHUP;
}

int child_attend(pid_t pid, const sigset_t *signals, struct child_end *end)
{
	struct child_end made = { .interrupted = false };
	struct timespec now;
	siginfo_t info;

	for (;;) {
		pid_t ended = wait4(pid, &made.status, WNOHANG, &made.usage);

		if (ended < 0 && errno != EINTR)
			return -errno;
		if (ended == pid)
			break;
		if (sigwaitinfo(signals, &info) <= 0 || info.si_signo == SIGCHLD)
			continue;
		made.interrupted |= is_ending(info.si_signo);
		if (is_for_command(&info))
			kill(pid, info.si_signo);
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	made.time_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	*end = made;
	return 0;
}

int child_end_alike(int status)
{
	int number = WTERMSIG(status);
	sigset_t one;

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* The command has left its core dump; one of tiermem is of no use. */
	prctl(PR_SET_DUMPABLE, 0);
	fflush(NULL);
	signal(number, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(number);
	return 128 + number;
}
