/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the two halves of reading a patch share. Internal to lib/diff. */
#ifndef TM_DIFF_PARSE_H
#define TM_DIFF_PARSE_H

#include "lib/diff/diff.h"

struct tm_diff_reader {
	const char *name;
	const char *at, *end; /* what is still to be read */
	const char *line;     /* the line at hand, which may have lost a prefix that was taken */
	size_t len;
	bool ended;    /* it has a line break */
	size_t number; /* of it, from 1 */
	struct tm_diff *diff;
	struct tm_diff_file *file; /* to which hunks belong; NULL: none yet */
	bool in_header;		   /* after "diff --git", before the names */
	bool after_hunk;	   /* the line before was the last of a hunk */
	struct tm_error *err;
};

/* Takes the next line; false at the end. */
bool tm_diff_next(struct tm_diff_reader *r);

/* "name:line: why". Returns -EBADMSG. */
int tm_diff_refuse(struct tm_diff_reader *r, const char *why);

/* Reads a hunk, whose first line is at hand without its "@@ ". 0, -EBADMSG or -ENOMEM. */
int tm_diff_hunk(struct tm_diff_reader *r);

#endif
