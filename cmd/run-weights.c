/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --weights: tiermem stays as the command's parent, holds the lease on the weights while it runs,
 * and puts the old ones back when it ends, however it ends. Signals go on to the command; what
 * kills tiermem itself at once (SIGKILL) leaves the journal to `tiermem recover`.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
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
	int rc = 0;

	if (!run_changes_weights(run))
		return 0;
	rc = make_plan(run, &plan, err);
	if (!rc)
		rc = tm_plan_preview(&plan, err);
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

/*
 * What the terminal sends goes to the whole foreground group, the command included: it gets no
 * second one. Of a hang-up only the leader of the session is told.
 */
static bool is_for_command(const siginfo_t *info)
{
	return info->si_code != SI_KERNEL || info->si_signo == SIGHUP;
}

/*
 * Waits for the end of the command, and hands on what tiermem is sent meanwhile. Its wait status.
 */
static int attend(pid_t pid, const sigset_t *signals)
{
	siginfo_t info;
	int status;

	for (;;) {
		pid_t ended = waitpid(pid, &status, WNOHANG);

		if (ended == pid)
			return status;
		if (ended < 0)
			return 0;
		if (sigwaitinfo(signals, &info) > 0 && info.si_signo != SIGCHLD &&
		    is_for_command(&info))
			kill(pid, info.si_signo);
	}
}

/*
 * Everything that can be waited for, but what stops and continues a job: that happens to both
 * alike.
 */
static void choose_signals(sigset_t *signals)
{
	static const int others[] = { SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGSEGV, SIGBUS,
				      SIGFPE,  SIGILL,	SIGTRAP, SIGSYS,  SIGABRT, SIGPIPE };

	sigfillset(signals);
	for (size_t i = 0; i < TM_ARRAY_SIZE(others); i++)
		sigdelset(signals, others[i]);
}

/* Ends as the command did: who started tiermem sees no difference. */
static int end_alike(int status)
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
	int status, code;
	pid_t pid;

	if (lasting)
		warn(run->app, "/%s: %s", lasting->path,
		     lasting->why ? lasting->why : "this cannot be undone");
	if (tm_plan_apply(plan, true, &err))
		return plan->left ? report_left(run, plan, &err) :
				    report(run->app, (enum exit_code)RUN_FAILED, &err);
	apply_log(plan->title, plan->changes, plan->nr, TM_CHANGE_DONE);
	pid = start(run, before);
	if (pid < 0) {
		tm_error_errno(&err, errno, "fork");
		code = report(run->app, (enum exit_code)RUN_FAILED, &err);
		put_back(run, plan);
		return code;
	}
	status = attend(pid, signals);
	code = put_back(run, plan);
	/* A command that failed has its own code told; that of success would hide this. */
	return code && WIFEXITED(status) && !WEXITSTATUS(status) ? code : end_alike(status);
}

int run_with_weights(struct run *run)
{
	struct tm_plan plan = { .lock_fd = -1 };
	struct tm_error err = { 0 };
	sigset_t signals, before;
	int code, rc;

	/* From here on until the weights are back nothing but SIGKILL ends tiermem. */
	choose_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, &before);
	rc = make_plan(run, &plan, &err);
	if (!rc)
		rc = tm_plan_prepare(&plan, app_option(run->app, "accept") != NULL, &err);
	code = rc ? report(run->app, (enum exit_code)RUN_FAILED, &err) :
		    run_planned(run, &plan, &signals, &before);
	tm_plan_release(&plan);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return code;
}
