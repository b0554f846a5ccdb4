/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patches in the unified format, as git and `diff -u` write them, and what they make of a file.
 *
 * Only what can be understood whole is taken: text, new files, deletions and modes. Renames, binary
 * parts, links, paths that lead out of the tree or into .git, and hunks whose lines are not as many
 * as they say are refused with the line at which they stand.
 */
#ifndef TM_DIFF_DIFF_H
#define TM_DIFF_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"

/* What a patch may come to. The files that it changes may be larger. */
#define TM_DIFF_BYTES (8u << 20)
#define TM_DIFF_FILES 2048

/* Longest path of a file in a patch, with its NUL. */
#define TM_DIFF_PATH 1024

enum tm_diff_side { TM_DIFF_OLD, TM_DIFF_NEW };
#define TM_DIFF_SIDES (TM_DIFF_NEW + 1)

struct tm_diff_line {
	char mark;	  /* ' ' on both sides, '-' on the old one, '+' on the new one */
	const char *text; /* with its line break, if it has one */
	size_t len;
};

struct tm_diff_hunk {
	size_t line;		     /* of the patch, at which it begins */
	size_t start[TM_DIFF_SIDES]; /* its first line in the file, from 1; 0: of an empty one */
	size_t count[TM_DIFF_SIDES];
	const struct tm_diff_line *lines;
	size_t nr;
};

enum tm_diff_kind { TM_DIFF_CHANGES, TM_DIFF_CREATES, TM_DIFF_DELETES };

struct tm_diff_file {
	char *path; /* below the top of the tree, without links, "." or ".." in it */
	enum tm_diff_kind kind;
	unsigned mode[TM_DIFF_SIDES]; /* permissions: 0644 or 0755; 0: nothing says */
	size_t line;		      /* of the patch, at which it begins */
	struct tm_diff_hunk *hunks;   /* in the file's order, none over another */
	size_t nr, cap;
};

struct tm_diff {
	char *subject; /* of the mail that it is in, without "[PATCH]"; NULL: nothing says */
	struct tm_diff_file *files; /* each path once */
	size_t nr, cap;
	char *text;		    /* what all lines point into */
	struct tm_diff_line *lines; /* of all hunks */
	size_t nr_lines;
};

/*
 * Reads a patch. `name` is for messages, which begin with "name:line: ". -EBADMSG where it is
 * refused, -ENOMEM; *diff is set on success only.
 */
int tm_diff_parse(const char *name, const char *text, size_t len, struct tm_diff *diff,
		  struct tm_error *err);
void tm_diff_release(struct tm_diff *diff);

/* How the hunks of a file fit to it. */
struct tm_fit {
	size_t moved;	 /* hunks that were found at another line than they say */
	size_t offset;	 /* and by how many lines, all together */
	size_t farthest; /* and the one that moved most */

	/* Of the first that does not fit: */
	const struct tm_diff_hunk *hunk; /* NULL: all fit */
	size_t number;			 /* of the hunk, from 1 */
	size_t line; /* of the file: where it is first otherwise, and how; from 1 */
	const struct tm_diff_line *wanted; /* NULL: the end of the file */
	const char *found;		   /* its line, in `text`; NULL: its end */
	size_t found_len;
};

/*
 * What the hunks make of `text`, added to *out; `reverse`: take them back. Each must be found as it
 * is, to the last byte, after the one before it, and as near to its line as can be; one with less
 * context before or behind its changes than on the other side is at the start or the end of the
 * file. 0; -ESTALE where one is not found, and *fit says which; -ENOMEM.
 */
int tm_diff_fit(const struct tm_diff_file *file, bool reverse, const char *text, size_t len,
		struct tm_buf *out, struct tm_fit *fit);

#endif
