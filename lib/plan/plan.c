/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/plan/change.h"
#include "lib/plan/journal.h"

int tm_plan_init(struct tm_plan *plan, const struct tm_root *root, const char *title,
		 struct tm_error *err)
{
	char *copy = strdup(title);

	if (!copy)
		return tm_error_nomem(err);
	*plan = (struct tm_plan){ .root = root, .title = copy, .lock_fd = -1 };
	return 0;
}

static void close_files(struct tm_plan *plan)
{
	for (size_t i = 0; i < plan->nr; i++)
		tm_change_close(plan->root, &plan->changes[i]);
	if (plan->lock_fd >= 0)
		close(plan->lock_fd);
	plan->lock_fd = -1;
	plan->prepared = false;
}

void tm_plan_release(struct tm_plan *plan)
{
	if (!plan->title)
		return;
	close_files(plan);
	for (size_t i = 0; i < plan->nr; i++)
		tm_change_release(&plan->changes[i]);
	free(plan->changes);
	free(plan->title);
	*plan = (struct tm_plan){ .lock_fd = -1 };
}

/* What the file would say if it were as an earlier change of this plan leaves it. */
static const char *planned_value(const struct tm_plan *plan, const char *path)
{
	for (size_t i = plan->nr; i-- > 0;)
		if (!strcmp(plan->changes[i].path, path))
			return plan->changes[i].to;
	return NULL;
}

static int copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

static int normal_text(const struct tm_change_spec *spec, const char *text, char **to,
		       struct tm_error *err)
{
	struct tm_buf normal = TM_BUF_INIT;
	int rc = text ? tm_form_normalise(spec->form, text, &normal) : 0;

	if (rc == -EINVAL)
		return tm_error_set(err, EINVAL, "/%s: '%s' is no value for it", spec->path, text);
	if (!rc && text) {
		*to = tm_buf_detach(&normal);
		rc = *to ? 0 : -ENOMEM;
	}
	return rc;
}

static int fill_change(const struct tm_plan *plan, struct tm_change *change,
		       const struct tm_change_spec *spec, struct tm_error *err)
{
	const char *planned = planned_value(plan, spec->path);
	struct tm_buf normal = TM_BUF_INIT;
	int rc;

	change->kind = spec->kind;
	change->form = spec->form;
	if (copy_text(&change->path, spec->path) || copy_text(&change->why, spec->why))
		return tm_error_nomem(err);
	if (planned) {
		rc = copy_text(&change->from, planned);
	} else {
		rc = tm_change_read(plan->root, change, &normal);
		if (rc == -EINVAL)
			return tm_error_set(err, EINVAL, "/%s: holds no %s", spec->path,
					    tm_form_name(spec->form));
		if (rc)
			return tm_change_explain(change, -rc, err);
		change->from = tm_buf_detach(&normal);
		rc = change->from ? 0 : -ENOMEM;
	}
	if (!rc)
		rc = normal_text(spec, spec->to, &change->to, err);
	if (!rc)
		rc = normal_text(spec, spec->first, &change->first, err);
	if (rc == -EINVAL)
		return rc;
	if (!rc && !spec->lasting)
		rc = copy_text(&change->restore, spec->restore ? spec->restore : change->from);
	return rc ? tm_error_nomem(err) : 0;
}

int tm_plan_add(struct tm_plan *plan, const struct tm_change_spec *spec, struct tm_error *err)
{
	struct tm_change change = { .fd = -1 };
	int rc = fill_change(plan, &change, spec, err);

	if (!rc && tm_array_grow(&plan->changes, plan->nr, &plan->cap, sizeof(*plan->changes)))
		rc = tm_error_nomem(err);
	if (rc) {
		tm_change_release(&change);
		return rc;
	}
	if (change.to && tm_change_met(&change, change.from) && !change.first)
		change.state = TM_CHANGE_UNCHANGED;
	plan->changes[plan->nr++] = change;
	return 0;
}

static bool is_work(const struct tm_change *change)
{
	return change->kind != TM_CHANGE_EFFECT && change->state == TM_CHANGE_PLANNED;
}

bool tm_plan_has_work(const struct tm_plan *plan)
{
	for (size_t i = 0; i < plan->nr; i++)
		if (is_work(&plan->changes[i]))
			return true;
	return false;
}

const struct tm_change *tm_plan_lasting(const struct tm_plan *plan)
{
	for (size_t i = 0; i < plan->nr; i++)
		if (plan->changes[i].state == TM_CHANGE_PLANNED && !plan->changes[i].restore)
			return &plan->changes[i];
	return NULL;
}

/* Reads again: only the first change of a file sees what the file itself says. */
static int check_unmoved(const struct tm_plan *plan, struct tm_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < plan->nr && !rc; i++) {
		bool first = true;

		for (size_t k = 0; k < i && first; k++)
			first = strcmp(plan->changes[k].path, plan->changes[i].path) != 0;
		if (first)
			rc = tm_change_check(plan->root, &plan->changes[i], err);
	}
	return rc;
}

static int open_files(struct tm_plan *plan, struct tm_error *err)
{
	int rc = check_unmoved(plan, err);

	for (size_t i = 0; i < plan->nr && !rc; i++)
		if (is_work(&plan->changes[i]))
			rc = tm_change_open(plan->root, &plan->changes[i], err);
	return rc;
}

int tm_plan_preview(struct tm_plan *plan, struct tm_error *err)
{
	int rc = 0;

	if (tm_plan_has_work(plan)) {
		rc = open_files(plan, err);
		if (!rc)
			rc = tm_journal_conflict(plan->root, plan->changes, plan->nr, NULL, err);
	}
	close_files(plan);
	return rc;
}

int tm_plan_prepare(struct tm_plan *plan, bool accept, struct tm_error *err)
{
	const struct tm_change *lasting = tm_plan_lasting(plan);
	int rc = 0;

	if (!tm_plan_has_work(plan)) {
		plan->prepared = true;
		return 0;
	}
	if (lasting && !accept) {
		rc = tm_error_set(err, EPERM, "/%s: %s", lasting->path,
				  lasting->why ? lasting->why : "this cannot be undone");
		tm_error_hint(err, "add --accept if that is what you want");
		return rc;
	}
	/*
	 * Files first: what this user may not write is the clearer message than what he may not
	 * lock.
	 */
	rc = open_files(plan, err);
	if (!rc) {
		plan->lock_fd = tm_state_lock(plan->root, TM_LOCK_MAKE, err);
		rc = plan->lock_fd < 0 ? plan->lock_fd : 0;
	}
	if (!rc)
		rc = tm_journal_conflict(plan->root, plan->changes, plan->nr, NULL, err);
	/* Under the lock no other tiermem writes: what is read now holds until we write. */
	if (!rc)
		rc = check_unmoved(plan, err);
	if (rc) {
		close_files(plan);
		return rc;
	}
	plan->prepared = true;
	return 0;
}

/* Takes back the first `done` changes; the one that failed keeps its reason. */
static void fail_at(struct tm_plan *plan, size_t done, const struct tm_error *err)
{
	size_t failed = plan->nr;

	for (size_t i = 0; i < done; i++)
		if (plan->changes[i].state == TM_CHANGE_FAILED)
			failed = i;
	plan->left = tm_changes_restore(plan->root, plan->changes, done) > 0;
	plan->again = tm_changes_again(plan->changes, done);
	if (failed < plan->nr && plan->changes[failed].state != TM_CHANGE_LEFT)
		tm_change_note(&plan->changes[failed], TM_CHANGE_FAILED, err->text);
}

/*
 * Writes one after the other. *done counts those that taking back must look at: one that somebody
 * else has set since is not touched.
 */
static int write_changes(struct tm_plan *plan, size_t *done, struct tm_error *err)
{
	for (*done = 0; *done < plan->nr; ++*done) {
		struct tm_change *change = &plan->changes[*done];
		int rc;

		if (change->state != TM_CHANGE_PLANNED)
			continue;
		rc = is_work(change) ? tm_change_check(plan->root, change, err) : 0;
		if (rc) {
			tm_change_note(change, TM_CHANGE_FAILED, err->text);
			return rc;
		}
		rc = tm_change_apply(plan->root, change, err);
		change->state = rc ? TM_CHANGE_FAILED : TM_CHANGE_DONE;
		if (rc) {
			++*done;
			return rc;
		}
	}
	return 0;
}

/* What counts and effects came to be is known only now, and undoing needs it. */
static int write_outcomes(struct tm_plan *plan, const struct tm_lease *lease, struct tm_error *err)
{
	bool any = false;

	for (size_t i = 0; i < plan->nr; i++) {
		if (plan->changes[i].state != TM_CHANGE_DONE)
			continue;
		tm_change_look(plan->root, &plan->changes[i]);
		any |= plan->changes[i].kind != TM_CHANGE_SET;
	}
	return any ? tm_journal_write(plan, lease, err) : 0;
}

int tm_plan_apply(struct tm_plan *plan, bool keep_lease, struct tm_error *err)
{
	struct tm_error own = { 0 };
	struct tm_lease lease;
	size_t done = 0;
	int rc;

	if (!err)
		err = &own;
	if (!plan->prepared)
		return tm_error_set(err, EINVAL, "the plan was not prepared");
	if (!tm_plan_has_work(plan)) {
		close_files(plan);
		return 0;
	}
	rc = tm_lease_mine(&lease, err);
	if (!rc)
		rc = tm_journal_write(plan, &lease, err);
	if (rc)
		goto out;
	rc = write_changes(plan, &done, err);
	if (!rc)
		rc = write_outcomes(plan, &lease, err);
	/* Settings that could not be undone later are not made. */
	if (!rc && !keep_lease)
		rc = tm_journal_keep(plan->root, &lease, err);
	if (rc) {
		fail_at(plan, done, err);
		if (!plan->again)
			tm_journal_drop(plan->root, &lease, NULL);
	}
out:
	close_files(plan);
	return rc;
}

int tm_plan_restore(struct tm_plan *plan, struct tm_error *err)
{
	struct tm_lease lease;
	bool any = false;
	int rc = tm_lease_mine(&lease, err);

	for (size_t i = 0; i < plan->nr; i++)
		any |= plan->changes[i].state == TM_CHANGE_DONE;
	if (rc || !any)
		return rc;
	plan->lock_fd = tm_state_lock(plan->root, TM_LOCK_MAKE | TM_LOCK_WAIT, err);
	if (plan->lock_fd < 0)
		return plan->lock_fd;
	plan->left = tm_changes_restore(plan->root, plan->changes, plan->nr) > 0;
	plan->again = tm_changes_again(plan->changes, plan->nr);
	if (!plan->again)
		rc = tm_journal_drop(plan->root, &lease, err);
	if (plan->left)
		rc = tm_error_set(err, EREMOTEIO, "not every setting could be put back");
	close_files(plan);
	return rc;
}
