/* SPDX-License-Identifier: GPL-2.0-only */
/* Which kdamonds tiermem has started, and `tiermem policy damon stop`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/apply.h"
#include "cmd/policy-damon.h"
#include "cmd/recover.h"
#include "lib/base/buf.h"
#include "lib/base/units.h"

/* The record of this boot. -ENOENT: there is none. */
static int read_record(const struct tm_root *root, struct tm_journal *record, struct tm_error *err)
{
	int rc = tm_journal_read(root, POLICY_DAMON_RECORD, record, err);

	if (!rc && tm_lease_expired(&record->lease, root)) {
		tm_journal_release(record);
		rc = -ENOENT;
	}
	return rc;
}

/* "…/kdamonds/3/pid" → 3 */
static bool take_id(const char *path, int *id)
{
	size_t len = strlen(TM_DAMON_FOLDER "/");
	const char *slash;
	char name[16];
	long number;

	if (strncmp(path, TM_DAMON_FOLDER "/", len) != 0)
		return false;
	path += len;
	slash = strchr(path, '/');
	if (!slash || strcmp(slash, "/pid") != 0 || (size_t)(slash - path) >= sizeof(name))
		return false;
	memcpy(name, path, (size_t)(slash - path));
	name[slash - path] = '\0';
	if (!tm_name_id(name, "", &number))
		return false;
	*id = (int)number;
	return true;
}

/* What it says was started. *list is the caller's, and never NULL. 0 or -ENOMEM. */
static int list_owned(const struct tm_journal *record, struct tm_damon_owned **list, size_t *nr)
{
	*nr = 0;
	*list = calloc(record->nr + 1, sizeof(**list));
	for (size_t i = 0; *list && i < record->nr; i++) {
		const struct tm_change *change = &record->changes[i];
		struct tm_damon_owned owned;

		if (change->kind == TM_CHANGE_TRIGGER && change->token &&
		    take_id(change->token_path, &owned.id) &&
		    !tm_parse_u64(change->token, &owned.pid))
			(*list)[(*nr)++] = owned;
	}
	return *list ? 0 : -ENOMEM;
}

int policy_damon_read(struct tm_damon *damon, const struct tm_root *root, struct tm_error *err)
{
	struct tm_damon_owned *owned = NULL;
	struct tm_journal record = { 0 };
	size_t nr = 0;
	int rc = read_record(root, &record, NULL);

	/* Who may not look does not know whose they are. */
	if (!rc || rc == -ENOENT)
		rc = list_owned(&record, &owned, &nr) ? tm_error_nomem(err) : 0;
	else
		rc = 0;
	if (!rc)
		rc = tm_damon_read(damon, root, owned, nr, err);
	free(owned);
	tm_journal_release(&record);
	return rc;
}

/* The plan that `undo` would take back is this one: it has been taken back now. */
static void forget_last(const struct tm_root *root, const struct tm_lease *lease)
{
	struct tm_journal last = { 0 };

	if (!tm_journal_read(root, TM_JOURNAL_LAST, &last, NULL) && last.lease.pid == lease->pid &&
	    last.lease.start == lease->start && !strcmp(last.lease.boot_id, lease->boot_id))
		tm_journal_remove(root, TM_JOURNAL_LAST, NULL);
	tm_journal_release(&last);
}

static int take_back(const struct tm_root *root, struct tm_journal *record, struct tm_error *err)
{
	struct tm_error own = { 0 };
	int rc = tm_journal_undo(root, record, err), removed;

	/* What is a stranger's now stays so: there is nothing to try again. */
	if (record->again)
		return rc;
	forget_last(root, &record->lease);
	removed = tm_journal_remove(root, POLICY_DAMON_RECORD, &own);
	if (rc || !removed)
		return rc;
	if (err)
		*err = own;
	return removed;
}

static bool was_anything(const struct tm_journal *record)
{
	for (size_t i = 0; i < record->nr; i++)
		if (record->changes[i].state != TM_CHANGE_UNCHANGED)
			return true;
	return false;
}

static int nothing_to_stop(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	struct tm_damon damon = { 0 };

	if (!policy_damon_read(&damon, root, NULL) && tm_num_is(&damon.kdamonds) &&
	    damon.kdamonds.value)
		warn(app, "there are kdamonds that tiermem has not started: they are left alone");
	tm_damon_release(&damon);
	if (app->json)
		return apply_show_journals(app, m, NULL, 0, "unchanged");
	if (!app->quiet)
		out_text(app, "nothing to stop: tiermem has started no kdamond that is there\n");
	return EXIT_DONE;
}

static int stop_recorded(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	struct tm_journal record = { 0 };
	struct tm_error err = { 0 };
	int code, rc = read_record(root, &record, &err);

	if (rc == -ENOENT)
		return nothing_to_stop(app, root, m);
	if (!rc)
		rc = tm_journal_conflict(root, record.changes, record.nr, &err);
	if (rc) {
		code = report(app, EXIT_FAILED, &err);
	} else {
		if (!app->dry_run)
			rc = take_back(root, &record, &err);
		if (!app->dry_run && !rc && !was_anything(&record))
			code = nothing_to_stop(app, root, m);
		else
			code = recover_show(app, root, m, &record, 1, rc, &err);
	}
	tm_journal_release(&record);
	return code;
}

int policy_damon_stop(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	struct tm_error err = { 0 };
	int lock = -1, code;

	if (!app->dry_run) {
		lock = tm_state_lock(root, 0, &err);
		if (lock < 0 && lock != -ENOENT)
			return report(app, EXIT_FAILED, &err);
	}
	code = stop_recorded(app, root, m);
	if (lock >= 0)
		close(lock);
	return code;
}
