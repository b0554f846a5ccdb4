/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem recover`, and what other commands do about journals of killed ones. */
#include "cmd/recover.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/apply.h"
#include "cmd/undo.h"

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

static void note_undone(const struct app *app, const struct tm_root *root, const char *title,
			const struct tm_journal *journal)
{
	if (root->live)
		apply_log(title, journal->changes, journal->nr, TM_CHANGE_RESTORED);
	apply_list_left(app, journal->changes, journal->nr);
}

int recover_show(struct app *app, const struct tm_root *root, const struct tm_machine *m,
		 struct tm_journal *journals, size_t nr, int rc, const struct tm_error *err)
{
	int code;

	for (size_t i = 0; i < nr && !app->dry_run; i++)
		note_undone(app, root, app->command->name, &journals[i]);
	swap_values(journals, nr);
	code = apply_show_journals(app, m, journals, nr,
				   app->dry_run	    ? "planned" :
				   rc == -EREMOTEIO ? "left" :
						      "restored");
	if (rc)
		return report(app, rc == -EREMOTEIO ? EXIT_ROLLBACK : EXIT_FAILED, err);
	return code;
}

static bool is_dead(const struct tm_journal *journal, const struct tm_root *root)
{
	return !tm_lease_lives(&journal->lease) && !tm_lease_expired(&journal->lease, root);
}

/*
 * What can be recovered moves to the front of the list; how many these are. What an earlier boot
 * left has gone with it: such a journal is removed.
 */
static size_t choose_dead(const struct app *app, const struct tm_root *root,
			  struct tm_journal *list, size_t nr)
{
	size_t dead = 0;

	for (size_t i = 0; i < nr; i++) {
		struct tm_journal journal = list[i];

		if (is_dead(&journal, root)) {
			list[i] = list[dead];
			list[dead++] = journal;
		} else if (tm_lease_expired(&journal.lease, root) && !app->dry_run) {
			tm_journal_remove(root, journal.name, NULL);
		}
	}
	return dead;
}

/* Takes them back. 0, or the gravest error; the changes' states tell. */
static int take_back(const struct tm_root *root, struct tm_journal *list, size_t nr,
		     struct tm_error *err)
{
	struct tm_error one = { 0 };
	int first = 0;

	for (size_t i = 0; i < nr; i++) {
		int rc = tm_journal_undo(root, &list[i], &one);

		/* A stranger's value stays for good, and must not bar the file for ever. */
		if (!list[i].again && tm_journal_remove(root, list[i].name, rc ? NULL : &one) &&
		    !rc)
			rc = -one.number;
		/* What is left is the gravest. */
		if (rc && (!first || rc == -EREMOTEIO)) {
			first = rc;
			*err = one;
		}
		if (list[i].again)
			tm_error_hint(err, "`tiermem recover` tries again");
	}
	return first;
}

int recover_list(struct app *app, const struct tm_root *root, const struct tm_machine *m,
		 struct tm_journal *list, size_t nr, size_t *nr_dead)
{
	struct tm_error err = { 0 };
	size_t dead = choose_dead(app, root, list, nr);
	int rc = 0;

	*nr_dead = dead;
	if (!dead)
		return EXIT_DONE;
	if (!app->dry_run)
		rc = take_back(root, list, dead, &err);
	return recover_show(app, root, m, list, dead, rc, &err);
}

static void release_list(struct tm_journal *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		tm_journal_release(&list[i]);
	free(list);
}

void recover_warn(const struct app *app, const struct tm_root *root)
{
	struct tm_journal *list;
	struct tm_error err;
	size_t nr;
	int rc = tm_journal_list(root, &list, &nr, &err);

	if (rc) {
		if (rc != -EACCES && rc != -EPERM)
			warn(app, "%s", err.text);
		return;
	}
	for (size_t i = 0; i < nr; i++)
		if (is_dead(&list[i], root))
			warn(app,
			     "a killed tiermem %s has left settings half-way: `tiermem recover` "
			     "puts them back",
			     list[i].title);
	release_list(list, nr);
}

/* Is there anything to take the lock for? */
static bool any_unfinished(const struct tm_root *root)
{
	struct tm_journal *list;
	bool any = false;
	size_t nr;

	if (tm_journal_list(root, &list, &nr, NULL))
		return false;
	for (size_t i = 0; i < nr; i++)
		any |= !tm_lease_lives(&list[i].lease);
	release_list(list, nr);
	return any;
}

static void tell(const struct app *app, const struct tm_journal *journal)
{
	bool any = false;

	for (size_t i = 0; i < journal->nr; i++) {
		const struct tm_change *change = &journal->changes[i];

		any |= change->state != TM_CHANGE_UNCHANGED;
		if (change->state == TM_CHANGE_RESTORED && change->from)
			warn(app, "/%s: a killed tiermem %s had changed it; put back to '%s'",
			     change->path, journal->title, change->from);
	}
	if (!any)
		warn(app, "a killed tiermem %s had written nothing yet; its journal is removed",
		     journal->title);
}

int recover_first(struct app *app, const struct tm_root *root, bool *recovered)
{
	struct tm_journal *list = NULL;
	struct tm_error err = { 0 };
	int lock, rc, code = EXIT_DONE;
	size_t nr = 0, dead;

	*recovered = false;
	if (!any_unfinished(root))
		return EXIT_DONE;
	lock = tm_state_lock(root, 0, &err);
	rc = lock < 0 ? lock : tm_journal_list(root, &list, &nr, &err);
	if (rc) {
		code = report(app, EXIT_FAILED, &err);
	} else {
		dead = choose_dead(app, root, list, nr);
		rc = take_back(root, list, dead, &err);
		for (size_t i = 0; i < dead; i++) {
			tell(app, &list[i]);
			note_undone(app, root, "recover", &list[i]);
		}
		*recovered = dead > 0;
		if (rc)
			code = report(app, rc == -EREMOTEIO ? EXIT_ROLLBACK : EXIT_FAILED, &err);
	}
	if (lock >= 0)
		close(lock);
	release_list(list, nr);
	return code;
}

static void warn_living(const struct app *app, const struct tm_journal *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (tm_lease_lives(&list[i].lease))
			warn(app,
			     "process %d (tiermem %s) lives and will put its settings back itself",
			     (int)list[i].lease.pid, list[i].title);
}

static int nothing_left(struct app *app, const struct tm_machine *m)
{
	if (app->json)
		return apply_show_journals(app, m, NULL, 0, "unchanged");
	if (!app->quiet)
		out_text(app, "nothing to recover\n");
	return EXIT_DONE;
}

static int recover_dead(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	struct tm_journal *list = NULL;
	struct tm_error err = { 0 };
	int lock = -1, code, rc = 0;
	size_t nr = 0, dead;

	if (!app->dry_run) {
		lock = tm_state_lock(root, 0, &err);
		rc = lock < 0 && lock != -ENOENT ? lock : 0;
	}
	if (!rc)
		rc = tm_journal_list(root, &list, &nr, &err);
	if (rc) {
		code = report(app, EXIT_FAILED, &err);
	} else {
		warn_living(app, list, nr);
		code = recover_list(app, root, m, list, nr, &dead);
		if (!dead)
			code = nothing_left(app, m);
	}
	if (lock >= 0)
		close(lock);
	release_list(list, nr);
	return code;
}

static int run_recover(struct app *app)
{
	return apply_with_machine(app, recover_dead);
}

const struct command recover_command = {
	.name = "recover",
	.summary = "finish what a killed tiermem left half-way",
	.synopsis = "",
	.description =
		"A plan is written to a journal before its first write. Where the process was "
		"killed, this takes back what it had written: a setting that it had changed is "
		"restored, one that it had not is left, and one that somebody else has changed "
		"since is left alone and named (exit code 4). The journal of a process that lives "
		"is never touched. Every command that writes does the same before it writes.",
	.examples = "tiermem recover  # after a crash\n",
	.group = "Write",
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.run = run_recover,
};
