/* SPDX-License-Identifier: GPL-2.0-only */
/* What the subcommands of `tiermem profile` share: a profile beside the machine. */
#ifndef CMD_PROFILE_VIEW_H
#define CMD_PROFILE_VIEW_H

#include "cmd/command.h"
#include "cmd/weights-view.h"
#include "lib/knob/profile.h"

enum row_state {
	ROW_SAME,
	ROW_DIFFERS,
	ROW_MISSING,	/* this machine has no such setting, or cannot have that value */
	ROW_UNREADABLE, /* it may not be read, or holds nonsense */
};

/* One setting of the profile on this machine. Values are in the user's words. */
struct profile_row {
	char *key; /* where it stands in the profile, as a JSON pointer */
	char *wanted;
	struct tm_text now;
	enum row_state state;
	char *why; /* of ROW_MISSING; else NULL */
	enum tm_knob_set set;
	const struct tm_knob *knob; /* NULL for weights as a whole */
	long instance;
	const struct weight_node *weight; /* of a node's weight: with the wanted one; else NULL */
};

struct profile_view {
	struct app *app;
	const char *file; /* as messages call it */
	struct tm_profile profile;
	struct weights w; /* its root and machine are those of all */
	struct profile_row *rows;
	size_t nr, cap;
};

/* Reads the file. *view is zeroed before. Returns an exit code; reports. */
int profile_read(struct app *app, struct profile_view *view);
/* Reads the machine and makes the rows. The root is open. Returns an exit code; reports. */
int profile_compare(struct profile_view *view);
void profile_release(struct profile_view *view);

size_t profile_count(const struct profile_view *view, enum row_state state);

/* profile-show.c: the differences, or with -v or --json every setting. Returns an exit code. */
int profile_show(const struct profile_view *view);

/* profile-save.c, profile-apply.c: the subcommands. Each returns an exit code. */
int profile_save(struct app *app);
int profile_diff(struct app *app);
int profile_apply(struct app *app);

#endif
