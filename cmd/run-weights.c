/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --weights: tiermem stays as the command's parent, holds the lease on the weights while it runs,
 * and puts the old ones back when it ends, however it ends. Signals go on to the command; what
 * kills tiermem itself at once (SIGKILL) leaves the journal to `tiermem recover`.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/apply.h"
#include "cmd/run-view.h"

bool run_changes_weights(const struct run *run)
{
	if (!run->weights || run->fallen_back)
		return false;
	for (size_t i = 0; i < run->w.nr; i++) {
		const struct tm_num *now = &run->w.nodes[i].node->weight;

		if (!tm_num_is(now) || now->value != run->w.nodes[i].recommended)
			return true;
	}
	return false;
}

static int make_plan(struct run *run, struct tm_plan *plan, struct tm_error *err)
{
	int rc = tm_plan_init(plan, &run->w.root, "run", err);

	return rc ? rc : weights_plan_set(&run->w, plan, err);
}

int run_check_weights(struct run *run, struct tm_error *err)
{
	struct tm_plan plan = { .lock_fd = -1 };
	int rc = make_plan(run, &plan, err);

	if (!rc)
		rc = tm_plan_preview(&plan, err);
	if (!rc)
		rc = apply_check_held(&plan, err);
	tm_plan_release(&plan);
	/* Errors of files are not the command line's. */
	return rc == -EINVAL ? -EIO : rc;
}

/*
 * The command inherits the mask that tiermem was started with. Where children are ignored, their
 * end could not be waited for.
 */
static pid_t start(struct run *run, const sigset_t *mask)
{
	void (*child)(int) = signal(SIGCHLD, SIG_DFL);
	pid_t pid = fork();

	if (pid)
		return pid;
	signal(SIGCHLD, child);
	sigprocmask(SIG_SETMASK, mask, NULL);
	_exit(run_become(run));
}

static int report_left(struct run *run, const struct tm_plan *plan, struct tm_error *err)
{
	apply_list_left(run->app, plan->changes, plan->nr);
	if (plan->again)
		tm_error_hint(err, "`tiermem recover` tries again");
	return report(run->app, EXIT_ROLLBACK, err);
}

/* EXIT_DONE, or another exit code, reported. */
static int put_back(struct run *run, struct tm_plan *plan)
{
	struct tm_error err = { 0 };
	int rc = tm_plan_restore(plan, &err);
	bool left = rc != -EREMOTEIO;

	apply_log(plan->title, plan->changes, plan->nr, TM_CHANGE_RESTORED);
	/*
	 * What cannot be had back was announced, and accepted: that it is not back is no failure.
	 */
	for (size_t i = 0; i < plan->nr; i++)
		left |= plan->changes[i].state == TM_CHANGE_LEFT && plan->changes[i].restore;
	return rc && left ? report_left(run, plan, &err) : EXIT_DONE;
}

static int run_planned(struct run *run, struct tm_plan *plan, const sigset_t *signals,
		       const sigset_t *before)
{
	const struct tm_change *lasting = tm_plan_lasting(plan);
	struct tm_error err = { 0 };
	struct child_end end = { .status = 0 };
	int code;
	pid_t pid;

	if (lasting)
		warn(run->app, "/%s: %s", lasting->path,
		     lasting->why ? lasting->why : "this cannot be undone");
	if (tm_plan_apply(plan, true, &err))
		return plan->left ? report_left(run, plan, &err) :
				    report(run->app, (enum exit_code)CHILD_FAILED, &err);
	apply_log(plan->title, plan->changes, plan->nr, TM_CHANGE_DONE);
	pid = start(run, before);
	if (pid < 0) {
		tm_error_errno(&err, errno, "fork");
		code = report(run->app, (enum exit_code)CHILD_FAILED, &err);
		put_back(run, plan);
		return code;
	}
	/* A child that cannot be waited for has ended. */
	child_attend(pid, signals, &end);
	code = put_back(run, plan);
	/* A command that failed has its own code told; that of success would hide this. */
	return code && WIFEXITED(end.status) && !WEXITSTATUS(end.status) ?
		       code :
		       child_end_alike(end.status);
}

int run_with_weights(struct run *run)
{
	struct tm_plan plan = { .lock_fd = -1 };
	struct tm_error err = { 0 };
	sigset_t signals, before;
	int code, rc;

	/* From here on until the weights are back nothing but SIGKILL ends tiermem. */
	child_choose_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, &before);
	rc = make_plan(run, &plan, &err);
	if (!rc)
		rc = tm_plan_prepare(&plan, app_option(run->app, "accept") != NULL, &err);
	if (!rc)
		rc = apply_check_held(&plan, &err);
	code = rc ? report(run->app, (enum exit_code)CHILD_FAILED, &err) :
		    run_planned(run, &plan, &signals, &before);
	tm_plan_release(&plan);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return code;
}
