/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `tiermem undo` takes back the last plan that was applied, `tiermem recover` those that were not
 * finished.
 */
#include "cmd/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/apply.h"

/* To people, FROM is what undoing found and TO what it puts back. */
static void swap_values(struct tm_journal *journals, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		for (size_t k = 0; k < journals[i].nr; k++) {
			struct tm_change *change = &journals[i].changes[k];
			char *from = change->from;

			if (!change->to) {
				change->to = change->got;
				change->got = NULL;
			}
			change->from = change->to;
			change->to = from;
		}
	}
}

/* Tells what became of the journals, whose undoing ended with `rc`. */
static int finish(struct app *app, const struct tm_root *root, const struct tm_machine *m,
		  struct tm_journal *journals, size_t nr, int rc, const struct tm_error *err)
{
	int code;

	for (size_t i = 0; i < nr && !app->dry_run; i++) {
		if (root->live)
			apply_log(app->command->name, journals[i].changes, journals[i].nr,
				  TM_CHANGE_RESTORED);
		apply_list_left(app, journals[i].changes, journals[i].nr);
	}
	swap_values(journals, nr);
	code = apply_show_journals(app, m, journals, nr,
				   app->dry_run	    ? "planned" :
				   rc == -EREMOTEIO ? "left" :
						      "restored");
	if (rc)
		return report(app, rc == -EREMOTEIO ? EXIT_ROLLBACK : EXIT_FAILED, err);
	return code;
}

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

static int undo_last(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	struct tm_journal journal = { 0 };
	struct tm_error err = { 0 };
	int lock = -1, code, rc = 0;

	if (!app->dry_run) {
		lock = tm_state_lock(root, 0, &err);
		rc = lock < 0 && lock != -ENOENT ? lock : 0;
	}
	if (!rc)
		rc = read_last(root, &journal, &err);
	if (!rc)
		rc = tm_journal_conflict(root, journal.changes, journal.nr, NULL, &err);
	if (rc) {
		code = report(app, EXIT_FAILED, &err);
	} else {
		if (!app->dry_run)
			rc = undo_journal(root, &journal, &err);
		code = finish(app, root, m, &journal, 1, rc, &err);
	}
	if (lock >= 0)
		close(lock);
	tm_journal_release(&journal);
	return code;
}

/* What can be recovered moves to the front of the list; how many these are. */
static size_t choose_dead(const struct app *app, const struct tm_root *root,
			  struct tm_journal *list, size_t nr)
{
	size_t dead = 0;

	for (size_t i = 0; i < nr; i++) {
		struct tm_journal journal = list[i];

		if (tm_lease_lives(&journal.lease)) {
			warn(app,
			     "process %d (tiermem %s) lives and will put its settings back itself",
			     (int)journal.lease.pid, journal.title);
		} else if (tm_lease_expired(&journal.lease, root)) {
			if (!app->dry_run)
				tm_journal_remove(root, journal.name, NULL);
		} else {
			list[i] = list[dead];
			list[dead++] = journal;
		}
	}
	return dead;
}

static int recover_list(struct app *app, const struct tm_root *root, const struct tm_machine *m,
			struct tm_journal *list, size_t nr)
{
	struct tm_error err = { 0 }, one = { 0 };
	size_t dead = choose_dead(app, root, list, nr);
	int first = 0;

	if (!dead) {
		if (app->json)
			return apply_show_journals(app, m, list, 0, "unchanged");
		if (!app->quiet)
			out_text(app, "nothing to recover\n");
		return EXIT_DONE;
	}
	for (size_t i = 0; i < dead && !app->dry_run; i++) {
		int rc = tm_journal_undo(root, &list[i], &one);

		/* A stranger's value stays for good, and must not bar the file for ever. */
		if (!list[i].again && tm_journal_remove(root, list[i].name, rc ? NULL : &one) &&
		    !rc)
			rc = -one.number;
		/* What is left is the gravest. */
		if (rc && (!first || rc == -EREMOTEIO)) {
			first = rc;
			err = one;
		}
	}
	return finish(app, root, m, list, dead, first, &err);
}

static int recover_dead(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	struct tm_journal *list = NULL;
	struct tm_error err = { 0 };
	int lock = -1, code, rc = 0;
	size_t nr = 0;

	if (!app->dry_run) {
		lock = tm_state_lock(root, 0, &err);
		rc = lock < 0 && lock != -ENOENT ? lock : 0;
	}
	if (!rc)
		rc = tm_journal_list(root, &list, &nr, &err);
	code = rc ? report(app, EXIT_FAILED, &err) : recover_list(app, root, m, list, nr);
	if (lock >= 0)
		close(lock);
	for (size_t i = 0; i < nr; i++)
		tm_journal_release(&list[i]);
	free(list);
	return code;
}

typedef int (*work_fn)(struct app *app, const struct tm_root *root, const struct tm_machine *m);

static int with_machine(struct app *app, work_fn work)
{
	struct tm_machine machine = { 0 };
	struct tm_error err = { 0 };
	struct tm_root root;
	int code;

	if (tm_root_open(&root, app->root, &err))
		return report(app, EXIT_FAILED, &err);
	code = apply_refuse_archive(app, &root);
	if (code != EXIT_DONE)
		; /* nothing is read */
	else if (tm_machine_read(&machine, &root, NULL, &err))
		code = report(app, EXIT_FAILED, &err);
	else
		code = work(app, &root, &machine);
	tm_machine_release(&machine);
	tm_root_close(&root);
	return code;
}

static int run_undo(struct app *app)
{
	return with_machine(app, undo_last);
}

static int run_recover(struct app *app)
{
	return with_machine(app, recover_dead);
}

const struct command undo_command = {
	.name = "undo",
	.summary = "put back what the last plan changed",
	.synopsis = "",
	.description =
		"Takes back the last plan that tiermem applied since boot, in reverse, and "
		"verifies it. A setting that somebody else has changed since is left alone and "
		"named; the exit code is then 4.",
	.examples = "tiermem undo --dry-run  # what would be put back\n"
		    "tiermem undo  # put it back\n",
	.group = "Write",
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.run = run_undo,
};

const struct command recover_command = {
	.name = "recover",
	.summary = "finish what a killed tiermem left half-way",
	.synopsis = "",
	.description =
		"A plan is written to a journal before its first write. Where the process was "
		"killed, this takes back what it had written: a setting that it had changed is "
		"restored, one that it had not is left, and one that somebody else has changed "
		"since is left alone and named (exit code 4). The journal of a process that lives "
		"is never touched.",
	.examples = "tiermem recover  # after a crash\n",
	.group = "Write",
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.run = run_recover,
};
