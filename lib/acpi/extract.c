/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* acpixtract, in a box: tm_acpi_extract(). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/acpi/file.h"
#include "lib/acpi/table.h"
#include "lib/base/compiler.h"

#define TEXT_NAME "acpidump.txt"
#define SAID_MAX 400 /* of its output, for the message */
#define CPU_SECONDS 20

static int write_text(int dir, const struct tm_buf *text)
{
	int fd = openat(dir, TEXT_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	size_t done = 0;
	int rc = 0;

	if (fd < 0)
		return -errno;
	while (!rc && done < text->len) {
		ssize_t n = write(fd, text->data + done, text->len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			rc = -errno;
	}
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

/* In the child: nothing but system calls, and no way back. */
static void become(const char *tool, int dir, int out)
{
	static const struct rlimit cpu = { CPU_SECONDS, CPU_SECONDS };
	static const struct rlimit file = { TM_ACPI_TABLE_MAX, TM_ACPI_TABLE_MAX };
	static const struct rlimit core = { 0, 0 };
	char *const argv[] = { "acpixtract", "-a", TEXT_NAME, NULL };
	char *const envp[] = { "LC_ALL=C", NULL };
	sigset_t none;
	/* Where this program's own standard streams are closed, these may have their numbers. */
	int null = fcntl(open("/dev/null", O_RDONLY | O_CLOEXEC), F_DUPFD_CLOEXEC, 3);

	out = fcntl(out, F_DUPFD_CLOEXEC, 3);
	dir = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	umask(077);
	if (null >= 0 && dup2(null, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2 &&
	    !fchdir(dir) && !setrlimit(RLIMIT_CPU, &cpu) && !setrlimit(RLIMIT_FSIZE, &file) &&
	    !setrlimit(RLIMIT_CORE, &core))
		execve(tool, argv, envp);
	_exit(127);
}

/* Takes all it says, and keeps the beginning. */
static void listen(int fd, struct tm_buf *said)
{
	char chunk[4096];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno != EINTR)
			break;
		if (n > 0 && said->len < SAID_MAX)
			tm_buf_add(said, chunk, TM_MIN((size_t)n, SAID_MAX - said->len));
	}
}

static int run(const char *tool, int dir, struct tm_buf *said, int *status)
{
	int ends[2], rc = 0;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	child = fork();
	if (child == 0)
		become(tool, dir, ends[1]);
	if (child < 0)
		rc = -errno;
	close(ends[1]);
	if (!rc)
		listen(ends[0], said);
	close(ends[0]);
	while (!rc && waitpid(child, status, 0) < 0)
		if (errno != EINTR)
			rc = -errno;
	return rc;
}

/* The last line that says something: above it is a banner. */
static void last_line(const struct tm_buf *said, struct tm_buf *line)
{
	const char *text = tm_buf_str(said), *end = text + said->len, *start;

	while (end > text && strchr(" \t\r\n", end[-1]))
		end--;
	for (start = end; start > text && start[-1] != '\n'; start--)
		;
	tm_buf_add_printable(line, start, (size_t)(end - start));
}

int tm_acpi_extract(const char *tool, int folder, const char *name, const struct tm_buf *text,
		    struct tm_error *err)
{
	struct tm_buf said = TM_BUF_INIT, line = TM_BUF_INIT;
	int status = 0, rc;

	if (access(tool, X_OK)) {
		rc = tm_error_errno(err, errno, "%s: acpidump text needs %s", name, tool);
		tm_error_hint(err, "install the package acpica-tools");
		return rc;
	}
	rc = write_text(folder, text);
	if (rc)
		return tm_error_errno(err, -rc, "%s: the copy of it for %s", name, tool);
	rc = run(tool, folder, &said, &status);
	last_line(&said, &line);
	if (rc)
		rc = tm_error_errno(err, -rc, "%s", tool);
	else if (WIFSIGNALED(status))
		rc = tm_error_set(err, EIO, "%s: %s was ended by signal %d", name, tool,
				  WTERMSIG(status));
	else if (WEXITSTATUS(status))
		rc = tm_error_set(err, EIO, "%s: %s failed with code %d%s%s", name, tool,
				  WEXITSTATUS(status), line.len ? ": " : "", tm_buf_str(&line));
	tm_buf_release(&said);
	tm_buf_release(&line);
	return rc;
}
