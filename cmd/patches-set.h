/* SPDX-License-Identifier: GPL-2.0-only */
/* The patches of one folder, in the order of its file "series". */
#ifndef CMD_PATCHES_SET_H
#define CMD_PATCHES_SET_H

#include "cmd/command.h"
#include "lib/diff/diff.h"

struct patch {
	char *name; /* of its file, without ".patch": "0001-weighted-interleave-auto" */
	struct tm_diff diff;
	bool chosen;
};

struct patch_set {
	char *folder;
	char *base; /* the kernel that they are for, by the folder's name: "6.12"; NULL: not said */
	struct patch *patches;
	size_t nr, cap;
};

/*
 * Reads the folder of --patches, or the one that came with tiermem: beside the program where that
 * was built, else where it was installed. Every patch is read whole. -ENOENT, -EBADMSG, …
 */
int patch_set_read(struct patch_set *set, const struct app *app, struct tm_error *err);
void patch_set_release(struct patch_set *set);

/*
 * Chooses those that are named, by the file's name with or without ".patch" or by its number; all
 * where none is named. -EINVAL where one is not there.
 */
int patch_set_choose(struct patch_set *set, char *const *names, struct tm_error *err);

/* The number that the name begins with, as it is written there: its length. 0: none. */
size_t patch_number(const char *name);

#endif
