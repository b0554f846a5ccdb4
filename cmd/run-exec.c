/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding the command, and becoming it. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "cmd/run-view.h"

int run_find_program(struct run *run, struct tm_error *err)
{
	return child_find_program(run->app->argv[0], &run->program, err);
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
		return report(run->app, (enum exit_code)CHILD_FAILED, &err);
	/* It was ignored for the sake of tiermem's own writing. */
	signal(SIGPIPE, SIG_DFL);
	child_close_stand_ins();
	execvp(run->program, run->app->argv);
	rc = -errno;
	code = child_cannot_execute(run->app->argv[0], rc, &err);
	return report(run->app, (enum exit_code)code, &err);
}
