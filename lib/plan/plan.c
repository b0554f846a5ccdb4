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

/* Does an earlier change make files? Only one that is written, and was there itself. */
static bool is_maker(const struct tm_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->nr; i++)
		if (!strcmp(plan->changes[i].path, path))
			return plan->changes[i].kind == TM_CHANGE_SET &&
			       plan->changes[i].state == TM_CHANGE_PLANNED &&
			       !plan->changes[i].made_by;
	return false;
}

static int check_spec(const struct tm_plan *plan, const struct tm_change_spec *spec,
		      struct tm_error *err)
{
	bool trigger = spec->kind == TM_CHANGE_TRIGGER;

	if (spec->made_by && !is_maker(plan, spec->made_by))
		return tm_error_set(err, EINVAL, "/%s: nothing in the plan makes it", spec->path);
	if (spec->made_by && !trigger && spec->kind != TM_CHANGE_SET)
		return tm_error_set(err, EINVAL, "/%s: a file that is made can only be set",
				    spec->path);
	if (!spec->from != !(spec->made_by && trigger))
		return tm_error_set(err, EINVAL, "/%s: what it says is %s", spec->path,
				    spec->from ? "read, not given" : "not known beforehand");
	if (spec->token && !trigger)
		return tm_error_set(err, EINVAL, "/%s: starts nothing", spec->path);
	return 0;
}

static int fill_from(const struct tm_plan *plan, struct tm_change *change,
		     const struct tm_change_spec *spec, struct tm_error *err)
{
	const char *planned = planned_value(plan, spec->path);
	struct tm_buf normal = TM_BUF_INIT;
	int rc;

	if (spec->made_by) {
		rc = normal_text(spec, spec->from, &change->from, err);
	} else if (planned) {
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
	return rc == -ENOMEM ? tm_error_nomem(err) : rc;
}

static int fill_change(const struct tm_plan *plan, struct tm_change *change,
		       const struct tm_change_spec *spec, struct tm_error *err)
{
	int rc;

	change->kind = spec->kind;
	change->form = spec->form;
	if (copy_text(&change->path, spec->path) || copy_text(&change->why, spec->why) ||
	    copy_text(&change->made_by, spec->made_by) ||
	    copy_text(&change->token_path, spec->token))
		return tm_error_nomem(err);
	rc = fill_from(plan, change, spec, err);
	if (rc)
		return rc;
	rc = normal_text(spec, spec->to, &change->to, err);
	if (!rc)
		rc = normal_text(spec, spec->first, &change->first, err);
	if (rc == -EINVAL)
		return rc;
	if (!rc && !spec->lasting && change->from)
		rc = copy_text(&change->restore, spec->restore ? spec->restore : change->from);
	return rc ? tm_error_nomem(err) : 0;
}

int tm_plan_add(struct tm_plan *plan, const struct tm_change_spec *spec, struct tm_error *err)
{
	struct tm_change change = { .fd = -1 };
	int rc = check_spec(plan, spec, err);

	if (!rc)
		rc = fill_change(plan, &change, spec, err);
	if (!rc && tm_array_grow(&plan->changes, plan->nr, &plan->cap, sizeof(*plan->changes)))
		rc = tm_error_nomem(err);
	if (rc) {
		tm_change_release(&change);
		return rc;
	}
	if (change.to && !change.made_by && tm_change_met(&change, change.from) && !change.first)
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

bool tm_change_restorable(const struct tm_change *change)
{
	return change->restore || (change->made_by && change->kind == TM_CHANGE_SET);
}

const struct tm_change *tm_plan_lasting(const struct tm_plan *plan)
{
	for (size_t i = 0; i < plan->nr; i++)
		if (plan->changes[i].state == TM_CHANGE_PLANNED &&
		    !tm_change_restorable(&plan->changes[i]))
			return &plan->changes[i];
	return NULL;
}

/*
 * Reads again: only the first change of a file sees what the file itself says, and what will be
 * made is not there yet.
 */
static int check_unmoved(const struct tm_plan *plan, struct tm_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < plan->nr && !rc; i++) {
		bool first = !plan->changes[i].made_by;

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
		if (is_work(&plan->changes[i]) && !plan->changes[i].made_by)
			rc = tm_change_open(plan->root, &plan->changes[i], err);
	return rc;
}

int tm_plan_preview(struct tm_plan *plan, struct tm_error *err)
{
	int rc = 0;

	if (tm_plan_has_work(plan)) {
		rc = open_files(plan, err);
		if (!rc)
			rc = tm_journal_conflict(plan->root, plan->changes, plan->nr, err);
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
		rc = tm_journal_conflict(plan->root, plan->changes, plan->nr, err);
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

/* What is to be started by files that are made; NULL: nothing. */
static const struct tm_change *find_trigger(const struct tm_plan *plan, const char *made_by)
{
	for (size_t i = 0; i < plan->nr; i++)
		if (plan->changes[i].kind == TM_CHANGE_TRIGGER && plan->changes[i].made_by &&
		    !strcmp(plan->changes[i].made_by, made_by) &&
		    plan->changes[i].state == TM_CHANGE_PLANNED)
			return &plan->changes[i];
	return NULL;
}

/* The last look before it is written. */
static int begin_change(const struct tm_plan *plan, struct tm_change *change, struct tm_error *err)
{
	const struct tm_change *trigger = NULL;
	int rc = 0;

	if (change->made_by) {
		trigger = find_trigger(plan, change->made_by);
		rc = tm_change_open(plan->root, change, err);
	}
	if (!rc && is_work(change) && change->from)
		rc = tm_change_check(plan->root, change, err);
	/* Once it is open: what runs, somebody else has made since. */
	if (!rc && trigger && trigger != change)
		rc = tm_change_check(plan->root, trigger, err);
	return rc;
}

/*
 * Writes one after the other. *done counts those that taking back must look at: one that somebody
 * else has set since is not touched.
 */
static int write_changes(struct tm_plan *plan, const struct tm_lease *lease, size_t *done,
			 struct tm_error *err)
{
	for (*done = 0; *done < plan->nr; ++*done) {
		struct tm_change *change = &plan->changes[*done];
		int rc;

		if (change->state != TM_CHANGE_PLANNED)
			continue;
		rc = begin_change(plan, change, err);
		if (rc) {
			tm_change_note(change, TM_CHANGE_FAILED, err->text);
			return rc;
		}
		rc = tm_change_apply(plan->root, change, err);
		change->state = rc ? TM_CHANGE_FAILED : TM_CHANGE_DONE;
		/* Whoever recovers must know what was started, and nothing else. */
		if (!rc && change->token)
			rc = tm_journal_write(plan, lease, err);
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
		any |= tm_change_has_outcome(&plan->changes[i]);
	}
	return any ? tm_journal_write(plan, lease, err) : 0;
}

/* Settings that could not be undone later are not made. */
static int keep_journal(const struct tm_plan *plan, const struct tm_lease *lease,
			struct tm_error *err)
{
	int rc = plan->keep_as ? tm_journal_write_as(plan, lease, plan->keep_as, err) : 0;

	if (rc)
		return rc;
	rc = tm_journal_keep(plan->root, lease, err);
	if (rc && plan->keep_as)
		tm_journal_remove(plan->root, plan->keep_as, NULL);
	return rc;
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
	rc = write_changes(plan, &lease, &done, err);
	if (!rc)
		rc = write_outcomes(plan, &lease, err);
	if (!rc && !keep_lease)
		rc = keep_journal(plan, &lease, err);
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

int tm_refresh(const struct tm_root *root, const char *path, const char *text, struct tm_error *err)
{
	struct tm_change change = { .path = (char *)path, .fd = -1 };
	int rc = tm_change_open(root, &change, err);

	if (rc)
		return rc;
	rc = tm_change_write(root, &change, text);
	tm_change_close(root, &change);
	return rc ? tm_error_errno(err, -rc, "/%s: '%s' was not taken", path, text) : 0;
}
