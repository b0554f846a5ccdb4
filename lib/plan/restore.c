/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking changes back: what is ours is restored and verified, what is a stranger's left. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/units.h"
#include "lib/plan/change.h"

static void note_errno(struct tm_change *change, int number, const char *what)
{
	struct tm_error err;

	tm_error_errno(&err, number, "%s", what);
	tm_change_note(change, TM_CHANGE_LEFT, err.text);
	/* What is not there any more has gone with its node. */
	change->again = number != ENOENT;
}

/* Lies the count between what was there and what was wanted? */
static bool between(const struct tm_change *change, const char *now)
{
	uint64_t have, from, to;

	if (tm_parse_u64(now, &have) || tm_parse_u64(change->from, &from) ||
	    tm_parse_u64(change->to, &to))
		return false;
	return have >= TM_MIN(from, to) && have <= TM_MAX(from, to);
}

/* What is known while a plan is taken back, from its end on. */
struct undoing {
	const struct tm_root *root;
	struct tm_change *changes;
	size_t nr;
	bool moved; /* a change after this one was found to have been made */
	/* What we started was found running: files that were made by this are as we made them. */
	const char *running;
};

/* Says a file that was made what the plan wrote to it? */
static bool is_as_made(const struct tm_root *root, const struct tm_change *change)
{
	struct tm_buf now = TM_BUF_INIT;
	bool same = !tm_change_read(root, change, &now) && !strcmp(tm_buf_str(&now), change->to);

	tm_buf_release(&now);
	return same;
}

/*
 * Killed before it was known what was started: it is ours where all that it was started with is.
 */
static bool is_surrounded(const struct undoing *u, const struct tm_change *trigger)
{
	for (const struct tm_change *c = u->changes; c < trigger; c++)
		if (trigger->made_by && c->made_by && !strcmp(c->made_by, trigger->made_by) &&
		    c->kind == TM_CHANGE_SET && !is_as_made(u->root, c))
			return false;
	return true;
}

/* Is what runs now what the trigger started? If not, says so. */
static bool is_started(const struct undoing *u, const struct tm_change *change, const char *now,
		       struct tm_error *err)
{
	struct tm_buf token = TM_BUF_INIT;
	bool same;

	if (change->state == TM_CHANGE_FAILED)
		return true;
	if (strcmp(now, change->to) != 0) {
		tm_error_set(err, ESTALE, "somebody else set it to '%s'", now);
		return false;
	}
	if (!change->token_path)
		return true;
	if (!change->token) {
		same = is_surrounded(u, change);
		if (!same)
			tm_error_set(err, ESTALE, "somebody else has started it");
		return same;
	}
	if (tm_change_token(u->root, change, &token)) {
		tm_error_set(err, ESTALE, "/%s does not say who started it", change->token_path);
		same = false;
	} else {
		same = !strcmp(tm_buf_str(&token), change->token);
		if (!same)
			tm_error_set(err, ESTALE, "somebody else has started it: /%s is %s, not %s",
				     change->token_path, tm_buf_str(&token), change->token);
	}
	tm_buf_release(&token);
	return same;
}

/* What it made is not all ours any more, and would go with it. */
static const struct tm_change *find_left(const struct undoing *u, const struct tm_change *maker)
{
	for (const struct tm_change *c = maker + 1; c < u->changes + u->nr; c++)
		if (c->made_by && !strcmp(c->made_by, maker->path) && c->state == TM_CHANGE_LEFT)
			return c;
	return NULL;
}

/* Has the file this value by the change? */
static bool has_our_value(const struct undoing *u, const struct tm_change *change, const char *now)
{
	/* A write that failed may have been taken all the same, and in any way. */
	if (change->state == TM_CHANGE_FAILED)
		return true;
	if (change->got)
		return !strcmp(now, change->got);
	if (change->to && !strcmp(now, change->to))
		return true;
	if (change->first && !strcmp(now, change->first))
		return true;
	switch (change->kind) {
	case TM_CHANGE_COUNT:
		return between(change, now);
	case TM_CHANGE_EFFECT:
		return u->moved;
	default:
		return false;
	}
}

/* May it be taken back? If not, says why. */
static bool is_ours(const struct undoing *u, const struct tm_change *change, const char *now,
		    bool *again, struct tm_error *err)
{
	const struct tm_change *left;

	*again = false;
	if (change->kind == TM_CHANGE_TRIGGER)
		return is_started(u, change, now, err);
	if (!has_our_value(u, change, now)) {
		tm_error_set(err, ESTALE, "somebody else set it to '%s'", now);
		return false;
	}
	left = find_left(u, change);
	if (!left)
		return true;
	tm_error_set(err, ESTALE, "/%s goes with it, and is left: %s", left->path,
		     left->error ? left->error : "");
	*again = left->again;
	return false;
}

static int write_back(const struct tm_root *root, struct tm_change *change)
{
	bool opened = change->fd < 0;
	int rc = opened ? tm_change_open(root, change, NULL) : 0;

	if (!rc)
		rc = tm_change_write(root, change, change->restore);
	if (opened)
		tm_change_close(root, change);
	return rc;
}

/* Writes the old value and verifies it. */
static void put_back(const struct tm_root *root, struct tm_change *change, struct tm_buf *now)
{
	int rc;

	if (!change->restore) {
		tm_change_note(change, TM_CHANGE_LEFT,
			       change->why ? change->why : "it cannot be put back");
		return;
	}
	rc = write_back(root, change);
	if (rc) {
		note_errno(change, -rc, "the old value was not taken");
		return;
	}
	rc = tm_change_read(root, change, now);
	if (rc)
		note_errno(change, -rc, "cannot be read back");
	else if (strcmp(tm_buf_str(now), change->from))
		tm_change_note(change, TM_CHANGE_LEFT,
			       "it does not read as before after the old value was written");
	else
		tm_change_note(change, TM_CHANGE_RESTORED, NULL);
}

/* It is as it was before. */
static void note_as_before(struct tm_change *change)
{
	tm_change_note(change,
		       change->state == TM_CHANGE_PLANNED ? TM_CHANGE_UNCHANGED :
							    TM_CHANGE_RESTORED,
		       NULL);
}

/* Nothing is written: it goes with what made it, unless somebody else uses it now. */
static void leave_made(const struct undoing *u, struct tm_change *change, const char *now)
{
	bool known = change->got || change->state == TM_CHANGE_DONE;
	struct tm_error err;

	if ((u->running && !strcmp(u->running, change->made_by)) ||
	    !strcmp(now, change->got ? change->got : change->to)) {
		tm_change_note(change, TM_CHANGE_RESTORED, NULL);
	} else if (known) {
		tm_error_set(&err, ESTALE, "somebody else set it to '%s'", now);
		tm_change_note(change, TM_CHANGE_LEFT, err.text);
	} else {
		note_as_before(change);
	}
}

/* Restores one, and verifies it. */
static void restore(struct undoing *u, struct tm_change *change)
{
	struct tm_buf now = TM_BUF_INIT;
	struct tm_error err;
	bool again;
	int rc = tm_change_read(u->root, change, &now);

	if (rc == -ENOENT && change->made_by) {
		note_as_before(change);
	} else if (rc) {
		note_errno(change, -rc, "cannot be read");
	} else if (change->made_by && change->kind == TM_CHANGE_SET) {
		leave_made(u, change, tm_buf_str(&now));
	} else if (!strcmp(tm_buf_str(&now), change->from)) {
		note_as_before(change);
	} else if (!is_ours(u, change, tm_buf_str(&now), &again, &err)) {
		tm_change_note(change, TM_CHANGE_LEFT, err.text);
		change->again = again;
	} else {
		u->moved |= change->kind != TM_CHANGE_EFFECT;
		if (change->kind == TM_CHANGE_TRIGGER)
			u->running = change->made_by;
		put_back(u->root, change, &now);
	}
	tm_buf_release(&now);
}

size_t tm_changes_restore(const struct tm_root *root, struct tm_change *changes, size_t nr)
{
	struct undoing undoing = { .root = root, .changes = changes, .nr = nr };
	size_t left = 0;

	for (size_t i = nr; i-- > 0;) {
		if (changes[i].state == TM_CHANGE_UNCHANGED)
			continue;
		restore(&undoing, &changes[i]);
		left += changes[i].state == TM_CHANGE_LEFT;
	}
	return left;
}

bool tm_changes_again(const struct tm_change *changes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (changes[i].state == TM_CHANGE_LEFT && changes[i].again)
			return true;
	return false;
}
