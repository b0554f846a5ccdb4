/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/plan/change.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/units.h"
#include "lib/sys/attr.h"

const char *tm_change_kind_name(enum tm_change_kind kind)
{
	static const char *const name[] = {
		[TM_CHANGE_SET] = "set",
		[TM_CHANGE_COUNT] = "count",
		[TM_CHANGE_EFFECT] = "effect",
	};

	return name[kind];
}

const char *tm_change_state_name(enum tm_change_state state)
{
	static const char *const name[] = {
		[TM_CHANGE_PLANNED] = "planned",   [TM_CHANGE_UNCHANGED] = "unchanged",
		[TM_CHANGE_DONE] = "done",	   [TM_CHANGE_FAILED] = "failed",
		[TM_CHANGE_RESTORED] = "restored", [TM_CHANGE_LEFT] = "left",
	};

	return name[state];
}

void tm_change_release(struct tm_change *change)
{
	free(change->path);
	free(change->from);
	free(change->to);
	free(change->got);
	free(change->first);
	free(change->restore);
	free(change->why);
	free(change->error);
	*change = (struct tm_change){ .fd = -1 };
}

int tm_change_read(const struct tm_root *root, const struct tm_change *change, struct tm_buf *now)
{
	struct tm_buf raw = TM_BUF_INIT;
	int rc = tm_attr_read(root, change->path, &raw);

	if (!rc)
		rc = tm_form_normalise(change->form, tm_buf_str(&raw), now);
	tm_buf_release(&raw);
	return rc;
}

int tm_change_explain(const struct tm_change *change, int number, struct tm_error *err)
{
	tm_error_errno(err, number, "/%s", change->path);
	switch (number) {
	case EACCES:
	case EPERM:
		tm_error_hint(err, "settings are written by root");
		break;
	case EROFS:
		tm_error_hint(err,
			      "/%s is mounted read-only, as containers do: run this on the host",
			      strncmp(change->path, "sys/", 4) ? "proc" : "sys");
		break;
	case ENOENT:
		tm_error_hint(err, "this kernel lacks the setting, or its node is gone");
		break;
	default:
		break;
	}
	return -number;
}

int tm_change_check(const struct tm_root *root, const struct tm_change *change,
		    struct tm_error *err)
{
	struct tm_buf now = TM_BUF_INIT;
	int rc = tm_change_read(root, change, &now);

	if (rc) {
		rc = tm_change_explain(change, -rc, err);
	} else if (strcmp(tm_buf_str(&now), change->from)) {
		rc = tm_error_set(err, ESTALE, "/%s: was '%s' and is now '%s'", change->path,
				  change->from, tm_buf_str(&now));
		tm_error_hint(err,
			      "somebody else is setting it; look again, then repeat the command");
	}
	tm_buf_release(&now);
	return rc;
}

int tm_change_open(const struct tm_root *root, struct tm_change *change, struct tm_error *err)
{
	int fd = tm_root_openat(root, change->path, O_WRONLY | O_NONBLOCK | O_NOCTTY, 0);

	if (fd < 0)
		return tm_change_explain(change, -fd, err);
	change->fd = fd;
	return 0;
}

void tm_change_close(const struct tm_root *root, struct tm_change *change)
{
	if (change->fd >= 0)
		root->io->close(root->io_context, change->fd);
	change->fd = -1;
}

static int write_text(const struct tm_root *root, const struct tm_change *change, const char *text)
{
	struct tm_buf line = TM_BUF_INIT;
	ssize_t n;
	int rc = 0;

	tm_buf_addf(&line, "%s\n", text);
	if (line.failed)
		return -ENOMEM;
	n = root->io->write(root->io_context, change->fd, line.data, line.len);
	if (n < 0)
		rc = (int)n;
	else if ((size_t)n != line.len)
		rc = -EIO; /* a setting is taken whole or not at all */
	else if (!root->live)
		/* A plain file may have held more. */
		rc = root->io->truncate(root->io_context, change->fd, (off_t)line.len);
	tm_buf_release(&line);
	return rc;
}

bool tm_change_met(const struct tm_change *change, const char *now)
{
	uint64_t have, want;

	if (!change->to)
		return false;
	if (!strcmp(now, change->to))
		return true;
	return change->kind == TM_CHANGE_COUNT && !tm_parse_u64(now, &have) &&
	       !tm_parse_u64(change->to, &want) && have >= want;
}

static void set_got(struct tm_change *change, struct tm_buf *now)
{
	free(change->got);
	change->got = tm_buf_detach(now);
}

int tm_change_apply(const struct tm_root *root, struct tm_change *change, struct tm_error *err)
{
	struct tm_buf now = TM_BUF_INIT;
	const char *text = change->first;
	int rc = 0;

	if (change->kind == TM_CHANGE_EFFECT)
		return 0;
	if (text)
		rc = write_text(root, change, text);
	if (!rc) {
		text = change->to;
		rc = write_text(root, change, text);
	}
	if (rc)
		return tm_error_errno(err, -rc, "/%s: '%s' was not taken", change->path, text);
	rc = tm_change_read(root, change, &now);
	if (rc)
		tm_error_errno(err, -rc, "/%s: cannot be read back", change->path);
	else if (change->kind == TM_CHANGE_COUNT)
		set_got(change, &now);
	else if (!tm_change_met(change, tm_buf_str(&now)))
		rc = tm_error_set(err, EIO, "/%s: reads '%s' after '%s' was written", change->path,
				  tm_buf_str(&now), change->to);
	tm_buf_release(&now);
	return rc;
}

void tm_change_look(const struct tm_root *root, struct tm_change *change)
{
	struct tm_buf now = TM_BUF_INIT;

	if (change->kind != TM_CHANGE_SET && !tm_change_read(root, change, &now))
		set_got(change, &now);
	tm_buf_release(&now);
}

void tm_change_note(struct tm_change *change, enum tm_change_state state, const char *error)
{
	change->state = state;
	change->again = false;
	free(change->error);
	change->error = error ? strdup(error) : NULL;
}

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

/* Has the file this value by the change? `moved`: a change after it was found to have been made. */
static bool is_ours(const struct tm_change *change, const char *now, bool moved)
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
		return moved;
	default:
		return false;
	}
}

static int write_back(const struct tm_root *root, struct tm_change *change)
{
	bool opened = change->fd < 0;
	int rc = opened ? tm_change_open(root, change, NULL) : 0;

	if (!rc)
		rc = write_text(root, change, change->restore);
	if (opened)
		tm_change_close(root, change);
	return rc;
}

/* Restores one, and verifies it. Was it found to have been made? */
static bool restore(const struct tm_root *root, struct tm_change *change, bool moved)
{
	struct tm_buf now = TM_BUF_INIT;
	struct tm_error err;
	bool made = false;
	int rc = tm_change_read(root, change, &now);

	if (rc) {
		note_errno(change, -rc, "cannot be read");
		goto out;
	}
	made = strcmp(tm_buf_str(&now), change->from) != 0;
	if (!made) {
		tm_change_note(change,
			       change->state == TM_CHANGE_PLANNED ? TM_CHANGE_UNCHANGED :
								    TM_CHANGE_RESTORED,
			       NULL);
		goto out;
	}
	if (!is_ours(change, tm_buf_str(&now), moved)) {
		tm_error_set(&err, ESTALE, "somebody else set it to '%s'", tm_buf_str(&now));
		tm_change_note(change, TM_CHANGE_LEFT, err.text);
		made = false;
		goto out;
	}
	if (!change->restore) {
		tm_change_note(change, TM_CHANGE_LEFT,
			       change->why ? change->why : "it cannot be put back");
		goto out;
	}
	rc = write_back(root, change);
	if (rc) {
		note_errno(change, -rc, "the old value was not taken");
		goto out;
	}
	rc = tm_change_read(root, change, &now);
	if (rc)
		note_errno(change, -rc, "cannot be read back");
	else if (strcmp(tm_buf_str(&now), change->from))
		tm_change_note(change, TM_CHANGE_LEFT,
			       "it does not read as before after the old value was written");
	else
		tm_change_note(change, TM_CHANGE_RESTORED, NULL);
out:
	tm_buf_release(&now);
	return made;
}

size_t tm_changes_restore(const struct tm_root *root, struct tm_change *changes, size_t nr)
{
	bool moved = false;
	size_t left = 0;

	for (size_t i = nr; i-- > 0;) {
		if (changes[i].state == TM_CHANGE_UNCHANGED)
			continue;
		moved |= restore(root, &changes[i], moved) && changes[i].kind != TM_CHANGE_EFFECT;
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
