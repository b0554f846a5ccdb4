/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem undo` takes back the last plan that was applied. */
#include "cmd/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/apply.h"
#include "cmd/recover.h"

/*
 * Undoing is unfinished business while it lasts, under a name that `recover` looks for. Afterwards
 * it can be tried again where something is left.
 */
static int undo_journal(const struct tm_root *root, struct tm_journal *journal,
			struct tm_error *err)
{
	int rc = tm_journal_rename(root, journal, TM_JOURNAL_UNDO, err);

	if (rc)
		return rc;
	rc = tm_journal_undo(root, journal, err);
	if (!rc)
		return tm_journal_remove(root, journal->name, err);
	tm_journal_rename(root, journal, TM_JOURNAL_LAST, NULL);
	return rc;
}

/* -ENOENT: nothing to undo. */
static int read_last(const struct tm_root *root, struct tm_journal *journal, struct tm_error *err)
{
	int rc = tm_journal_read(root, TM_JOURNAL_LAST, journal, err);

	if (!rc && tm_lease_expired(&journal->lease, root)) {
		tm_journal_release(journal);
		rc = -ENOENT;
	}
	if (rc == -ENOENT) {
		tm_error_set(err, ENOENT, "there is nothing to undo");
		tm_error_hint(err, "only the last applied plan since boot can be taken back");
	}
	return rc;
}

/*
 * What a killed tiermem left is the last that was changed, or is this very undoing: taking that
 * back is what was asked for, and the plan before it stays as it is.
 */
static int undo_unfinished(struct app *app, const struct tm_root *root, const struct tm_machine *m,
			   bool *any)
{
	struct tm_journal *list, last = { 0 };
	struct tm_error err = { 0 };
	size_t nr, dead = 0;
	int code = EXIT_DONE;

	if (tm_journal_list(root, &list, &nr, &err))
		code = report(app, EXIT_FAILED, &err);
	else
		code = recover_list(app, root, m, list, nr, &dead);
	*any = dead > 0;
	if (dead && code == EXIT_DONE) {
		warn(app, "this takes back what a killed tiermem %s left", list[0].title);
		if (!read_last(root, &last, NULL))
			warn(app,
			     "the last plan that was finished, %s, stays: repeat the command "
			     "to take it back",
			     last.title);
	}
	tm_journal_release(&last);
	for (size_t i = 0; i < nr; i++)
		tm_journal_release(&list[i]);
	free(list);
	return code;
}

static int undo_plan(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	struct tm_journal journal = { 0 };
	struct tm_error err = { 0 };
	int code, rc = read_last(root, &journal, &err);

	if (!rc)
		rc = tm_journal_conflict(root, journal.changes, journal.nr, &err);
	if (rc) {
		code = report(app, EXIT_FAILED, &err);
	} else {
		if (!app->dry_run)
			rc = undo_journal(root, &journal, &err);
		code = recover_show(app, root, m, &journal, 1, rc, &err);
	}
	tm_journal_release(&journal);
	return code;
}

static int undo_last(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	int lock = app->dry_run ? -ENOENT : -1, code;
	struct tm_error err = { 0 };
	bool any = false;

	if (!app->dry_run)
		lock = tm_state_lock(root, 0, &err);
	if (lock < 0 && lock != -ENOENT)
		return report(app, EXIT_FAILED, &err);
	code = undo_unfinished(app, root, m, &any);
	if (code == EXIT_DONE && !any)
		code = undo_plan(app, root, m);
	if (lock >= 0)
		close(lock);
	return code;
}

static int run_undo(struct app *app)
{
	return apply_with_machine(app, undo_last);
}

const struct command undo_command = {
	.name = "undo",
	.summary = "put back what the last plan changed",
	.synopsis = "",
	.description =
		"Takes back the last plan that tiermem applied since boot, in reverse, and "
		"verifies it. A setting that somebody else has changed since is left alone and "
		"named; the exit code is then 4. Where a killed tiermem has left something "
		"half-way, that is what is taken back.",
	.examples = "tiermem undo --dry-run  # what would be put back\n"
		    "tiermem undo  # put it back\n",
	.group = "Write",
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.run = run_undo,
};
