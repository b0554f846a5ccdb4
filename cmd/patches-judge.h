/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether patches fit to a kernel's sources, each on top of those before it. In memory only. */
#ifndef CMD_PATCHES_JUDGE_H
#define CMD_PATCHES_JUDGE_H

#include "cmd/patches-set.h"
#include "cmd/patches-tree.h"

enum outcome {
	OUTCOME_FITS,	  /* it can be applied, or with `reverse` taken back */
	OUTCOME_DONE,	  /* it is there already, or with `reverse` not there */
	OUTCOME_CONFLICT, /* a file is otherwise than the patch has it */
	OUTCOME_MISSING,  /* a file that it changes is not there */
};

struct verdict {
	const struct patch *patch;
	enum outcome outcome;
	size_t moved, farthest; /* hunks found at other lines, and the most by which one is off */

	/* Of a conflict, or a missing file: */
	const struct tm_diff_file *file;
	const char *why;   /* what is with the file, in words */
	struct tm_fit fit; /* with a hunk, where it is that one that is not found; no `found` */
	char *found;	   /* a copy of that, without its line break; NULL: the file's end */
};

/*
 * Judges the chosen patches in series order, or with `reverse` from the last to the first; those
 * that fit are applied to the files' `now`. The verdicts, one for each, are to be freed. 0, or what
 * reading gives.
 */
int patches_judge(struct source_tree *tree, const struct patch_set *set, bool reverse,
		  struct verdict **verdicts, size_t *nr, struct tm_error *err);
void patches_free_verdicts(struct verdict *verdicts, size_t nr);

#endif
