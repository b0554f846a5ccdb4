/* SPDX-License-Identifier: GPL-2.0-only */
/* What `patches check` and `patches apply` print. */
#ifndef CMD_PATCHES_SHOW_H
#define CMD_PATCHES_SHOW_H

#include "cmd/patches-judge.h"

/* One run on a kernel's sources. */
struct patch_run {
	struct app *app;
	struct patch_set set;
	struct source_tree tree;
	struct verdict *verdicts;
	size_t nr;
	bool checks, reverse; /* neither: applies */
	bool written;
	bool usage; /* what failed is the command line */
};

/* Reads patches and sources, warns of the wrong version, and judges. What any of that gives. */
int patch_run_begin(struct patch_run *run, struct app *app, bool reverse, struct tm_error *err);
void patch_run_release(struct patch_run *run);

/* How many patches have this outcome. */
size_t patch_run_count(const struct patch_run *run, enum outcome outcome);

/* The table, or the document tiermem.patches-tree/1. 0 or -errno. */
int patch_run_show(const struct patch_run *run, struct tm_error *err);

#endif
