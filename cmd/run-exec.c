/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding the command, and becoming it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/run-view.h"

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

static int cannot_execute(const char *name, int rc, struct tm_error *err)
{
	if (is_absent(rc) && !strchr(name, '/'))
		tm_error_set(err, ENOENT, "'%.200s': no such command", name);
	else
		tm_error_errno(err, -rc, "%.200s", name);
	return is_absent(rc) ? RUN_ABSENT : rc == -ENOMEM ? RUN_FAILED : RUN_CANNOT;
}

int run_find_program(struct run *run, struct tm_error *err)
{
	const char *name = run->app->argv[0];
	int rc;

	if (strchr(name, '/') || !*name) {
		rc = check_file(name);
		if (!rc) {
			run->program = strdup(name);
			rc = run->program ? 0 : -ENOMEM;
		}
	} else {
		rc = search_path(name, &run->program);
	}
	return rc ? cannot_execute(name, rc, err) : EXIT_DONE;
}

/* What main put in the place of descriptors that were closed is not for the command. */
static void close_stand_ins(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		int flags = fcntl(fd, F_GETFL);

		if (flags >= 0 && (flags & O_PATH))
			close(fd);
	}
}

static int set_policy(const struct run *run, struct tm_error *err)
{
	int rc;

	/*
	 * What is not large stays on local memory, whatever policy tiermem itself was started
	 * under.
	 */
	if (run->large)
		rc = tm_numa_set_policy(&run->numa, TM_POLICY_DEFAULT, NULL);
	else
		rc = tm_numa_set_policy(&run->numa, run->policy, &run->nodes);
	if (rc)
		return tm_error_errno(err, -rc, "set_mempolicy");
	return run->large ? run_set_environment(run, err) : 0;
}

int run_become(struct run *run)
{
	struct tm_error err = { 0 };
	int rc, code;

	if (set_policy(run, &err))
		return report(run->app, (enum exit_code)RUN_FAILED, &err);
	/* It was ignored for the sake of tiermem's own writing. */
	signal(SIGPIPE, SIG_DFL);
	close_stand_ins();
	execvp(run->program, run->app->argv);
	rc = -errno;
	code = cannot_execute(run->app->argv[0], rc, &err);
	return report(run->app, (enum exit_code)code, &err);
}
