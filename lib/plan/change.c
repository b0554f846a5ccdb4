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
		[TM_CHANGE_TRIGGER] = "trigger",
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
	free(change->made_by);
	free(change->token_path);
	free(change->token);
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

int tm_change_write(const struct tm_root *root, const struct tm_change *change, const char *text)
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

int tm_change_token(const struct tm_root *root, const struct tm_change *change,
		    struct tm_buf *token)
{
	struct tm_buf raw = TM_BUF_INIT;
	int rc = tm_attr_read(root, change->token_path, &raw);

	if (!rc)
		rc = tm_form_normalise(TM_FORM_TEXT, tm_buf_str(&raw), token);
	tm_buf_release(&raw);
	return rc;
}

/* Who is it that was started? */
static int take_token(const struct tm_root *root, struct tm_change *change, struct tm_error *err)
{
	struct tm_buf token = TM_BUF_INIT;
	int rc = tm_change_token(root, change, &token);

	if (!rc) {
		free(change->token);
		change->token = tm_buf_detach(&token);
		rc = change->token ? 0 : -ENOMEM;
	}
	tm_buf_release(&token);
	return rc ? tm_error_errno(err, -rc, "/%s", change->token_path) : 0;
}

int tm_change_apply(const struct tm_root *root, struct tm_change *change, struct tm_error *err)
{
	struct tm_buf now = TM_BUF_INIT;
	const char *text = change->first;
	int rc = 0;

	if (change->kind == TM_CHANGE_EFFECT)
		return 0;
	if (text)
		rc = tm_change_write(root, change, text);
	if (!rc) {
		text = change->to;
		rc = tm_change_write(root, change, text);
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
	if (!rc && change->token_path)
		rc = take_token(root, change, err);
	tm_buf_release(&now);
	return rc;
}

bool tm_change_has_outcome(const struct tm_change *change)
{
	return change->kind == TM_CHANGE_COUNT || change->kind == TM_CHANGE_EFFECT ||
	       (change->made_by && change->kind == TM_CHANGE_SET);
}

void tm_change_look(const struct tm_root *root, struct tm_change *change)
{
	struct tm_buf now = TM_BUF_INIT;

	if (tm_change_has_outcome(change) && !tm_change_read(root, change, &now))
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
