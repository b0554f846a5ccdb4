/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading patches: the lines between hunks, which say what is changed. */
#include "lib/diff/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool tm_diff_next(struct tm_diff_reader *r)
{
	const char *end;

	if (r->at == r->end)
		return false;
	end = memchr(r->at, '\n', (size_t)(r->end - r->at));
	r->line = r->at;
	r->len = (size_t)((end ? end : r->end) - r->at);
	r->ended = end != NULL;
	r->at = end ? end + 1 : r->end;
	r->number++;
	return true;
}

/* The next line is taken again. */
static void put_back(struct tm_diff_reader *r)
{
	r->at = r->line;
	r->number--;
}

int tm_diff_refuse(struct tm_diff_reader *r, const char *why)
{
	return tm_error_set(r->err, EBADMSG, "%s:%zu: %s", r->name, r->number, why);
}

/* Takes the prefix off the line at hand; false where it begins otherwise. */
static bool take(struct tm_diff_reader *r, const char *prefix)
{
	size_t len = strlen(prefix);

	if (r->len < len || memcmp(r->line, prefix, len) != 0)
		return false;
	r->line += len;
	r->len -= len;
	return true;
}

static bool ends_in(const struct tm_diff_reader *r, const char *suffix)
{
	size_t len = strlen(suffix);

	return r->len >= len && !memcmp(r->line + r->len - len, suffix, len);
}

/* --- paths --- */

#define NO_FILE "/dev/null"

static const char *component_fault(const char *at, size_t len)
{
	if (!len || (len == 1 && *at == '.'))
		return "its path has an empty part";
	if (len == 2 && !memcmp(at, "..", 2))
		return "its path leads out of the tree";
	if (len == 4 && !strncasecmp(at, ".git", 4))
		return "its path leads into .git";
	return NULL;
}

/* What is wrong with a path below the top, in words; NULL: nothing. */
static const char *path_fault(const char *path, size_t len)
{
	size_t part = 0;

	if (len >= TM_DIFF_PATH)
		return "its path is too long";
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)path[i] < ' ' || path[i] == 0x7f)
			return "its path has a control character in it";
	for (size_t i = 0; i <= len; i++) {
		const char *fault;

		if (i < len && path[i] != '/')
			continue;
		fault = component_fault(path + part, i - part);
		if (fault)
			return fault;
		part = i + 1;
	}
	return NULL;
}

/*
 * The path of "a/mm/migrate.c", below its first folder: as for `patch -p1`, which is also what git
 * writes. The text of *path is the line's. NULL for /dev/null.
 */
static int take_path(struct tm_diff_reader *r, const char *text, size_t len, const char **path,
		     size_t *path_len)
{
	const char *slash = memchr(text, '/', len), *fault;

	if (len == strlen(NO_FILE) && !memcmp(text, NO_FILE, len)) {
		*path = NULL;
		return 0;
	}
	if (len && *text == '"')
		return tm_diff_refuse(r, "its path is quoted");
	if (slash == text)
		return tm_diff_refuse(r, "its path is absolute");
	if (!slash)
		return tm_diff_refuse(r, "its path has no folder before it, as in a/mm/migrate.c");
	fault = component_fault(text, (size_t)(slash - text));
	*path = slash + 1;
	*path_len = len - (size_t)(*path - text);
	if (!fault)
		fault = path_fault(*path, *path_len);
	return fault ? tm_diff_refuse(r, fault) : 0;
}

/* All that name a file must name the same. */
static int set_path(struct tm_diff_reader *r, const char *path, size_t len)
{
	struct tm_diff_file *file = r->file;

	if (file->path && (strlen(file->path) != len || memcmp(file->path, path, len) != 0))
		return tm_diff_refuse(r, "its two paths differ, and renames are not taken");
	if (file->path)
		return 0;
	for (size_t i = 0; i + 1 < r->diff->nr; i++)
		if (strlen(r->diff->files[i].path) == len &&
		    !memcmp(r->diff->files[i].path, path, len))
			return tm_diff_refuse(r, "this file was changed before");
	file->path = strndup(path, len);
	return file->path ? 0 : -ENOMEM;
}

/* --- files --- */

/* What changes has two or none, and what comes or goes at most its own. */
static bool are_modes_good(const struct tm_diff_file *file)
{
	if (file->kind == TM_DIFF_CHANGES)
		return !file->mode[TM_DIFF_OLD] == !file->mode[TM_DIFF_NEW];
	return !file->mode[file->kind == TM_DIFF_CREATES ? TM_DIFF_OLD : TM_DIFF_NEW];
}

static int finish_file(struct tm_diff_reader *r)
{
	struct tm_diff_file *file = r->file;

	r->file = NULL;
	r->in_header = false;
	if (file && !are_modes_good(file)) {
		r->number = file->line;
		return tm_diff_refuse(r, "its modes do not go together");
	}
	if (!file || file->nr || file->kind != TM_DIFF_CHANGES ||
	    file->mode[TM_DIFF_OLD] != file->mode[TM_DIFF_NEW])
		return 0;
	r->number = file->line;
	return tm_diff_refuse(r, "nothing is changed here");
}

static int begin_file(struct tm_diff_reader *r)
{
	struct tm_diff *diff = r->diff;
	int rc = finish_file(r);

	if (!rc && diff->nr == TM_DIFF_FILES)
		rc = tm_diff_refuse(r, "too many files");
	if (!rc)
		rc = tm_array_grow(&diff->files, diff->nr, &diff->cap, sizeof(*diff->files));
	if (rc)
		return rc;
	r->file = &diff->files[diff->nr++];
	r->file->line = r->number;
	return 0;
}

/* "diff --git a/PATH b/PATH". The paths may have blanks in them; both are the same. */
static int git_line(struct tm_diff_reader *r)
{
	size_t half = r->len / 2, len = 0;
	const char *path[TM_DIFF_SIDES] = { NULL, NULL };
	int rc = begin_file(r);

	if (rc)
		return rc;
	if (r->len && *r->line == '"')
		return tm_diff_refuse(r, "its path is quoted");
	if (r->len % 2 == 0 || r->line[half] != ' ')
		return tm_diff_refuse(r, "its two paths differ, and renames are not taken");
	for (int side = 0; side < TM_DIFF_SIDES && !rc; side++) {
		rc = take_path(r, side ? r->line + half + 1 : r->line, half, &path[side], &len);
		if (!rc)
			rc = path[side] ? set_path(r, path[side], len) :
					  tm_diff_refuse(r, "it names no file");
	}
	r->in_header = true;
	return rc;
}

/* Of "100644" the permissions. Git knows no others than these two. */
static int take_mode(struct tm_diff_reader *r, unsigned *mode)
{
	if (r->len == 6 && !memcmp(r->line, "100644", 6))
		*mode = 0644;
	else if (r->len == 6 && !memcmp(r->line, "100755", 6))
		*mode = 0755;
	else
		return tm_diff_refuse(r, "only plain files are taken, of mode 100644 or 100755");
	return 0;
}

static int set_kind(struct tm_diff_reader *r, enum tm_diff_kind kind)
{
	if (r->file->kind != TM_DIFF_CHANGES && r->file->kind != kind)
		return tm_diff_refuse(r, "a file is either new or deleted");
	r->file->kind = kind;
	return 0;
}

/* A line between "diff --git" and the first hunk. -ENOENT where it is none. */
static int header_line(struct tm_diff_reader *r)
{
	struct tm_diff_file *file = r->file;
	int rc;

	if (take(r, "old mode "))
		return take_mode(r, &file->mode[TM_DIFF_OLD]);
	if (take(r, "new mode "))
		return take_mode(r, &file->mode[TM_DIFF_NEW]);
	if (take(r, "new file mode ")) {
		rc = set_kind(r, TM_DIFF_CREATES);
		return rc ? rc : take_mode(r, &file->mode[TM_DIFF_NEW]);
	}
	if (take(r, "deleted file mode ")) {
		rc = set_kind(r, TM_DIFF_DELETES);
		return rc ? rc : take_mode(r, &file->mode[TM_DIFF_OLD]);
	}
	if (take(r, "rename ") || take(r, "copy ") || take(r, "similarity index ") ||
	    take(r, "dissimilarity index "))
		return tm_diff_refuse(r, "renames and copies are not taken; git's --no-renames "
					 "makes none");
	return take(r, "index ") ? 0 : -ENOENT;
}

/* Behind a path `diff -u` puts a tab and the time. */
static size_t path_length(const struct tm_diff_reader *r)
{
	const char *tab = memchr(r->line, '\t', r->len);

	return tab ? (size_t)(tab - r->line) : r->len;
}

/* "--- a/PATH" and "+++ b/PATH", either of which may be /dev/null. */
static int name_lines(struct tm_diff_reader *r)
{
	const char *path[TM_DIFF_SIDES] = { NULL, NULL };
	size_t len[TM_DIFF_SIDES] = { 0, 0 };
	int rc = r->in_header ? 0 : begin_file(r);

	for (int side = 0; side < TM_DIFF_SIDES && !rc; side++) {
		if (side == TM_DIFF_NEW && (!tm_diff_next(r) || !take(r, "+++ ")))
			return tm_diff_refuse(r, "after the old name a line \"+++ \" is missing");
		rc = take_path(r, r->line, path_length(r), &path[side], &len[side]);
		if (!rc && path[side])
			rc = set_path(r, path[side], len[side]);
	}
	if (rc)
		return rc;
	r->in_header = false;
	if (!path[TM_DIFF_OLD] && !path[TM_DIFF_NEW])
		return tm_diff_refuse(r, "it names no file");
	if (!path[TM_DIFF_OLD])
		return set_kind(r, TM_DIFF_CREATES);
	if (!path[TM_DIFF_NEW])
		return set_kind(r, TM_DIFF_DELETES);
	return r->file->kind == TM_DIFF_CHANGES ?
		       0 :
		       tm_diff_refuse(r, "a new or deleted file is " NO_FILE " on its other side");
}

/* --- the mail around it --- */

/* "Subject: [PATCH 1/2] words", which may go on in lines that begin with a blank. */
static int subject_lines(struct tm_diff_reader *r)
{
	struct tm_buf subject = TM_BUF_INIT;
	const char *close;

	while (r->len && *r->line == '[' && (close = memchr(r->line, ']', r->len))) {
		r->len -= (size_t)(close + 1 - r->line);
		r->line = close + 1;
		while (take(r, " "))
			;
	}
	tm_buf_add(&subject, r->line, r->len);
	while (tm_diff_next(r)) {
		if (!r->len || (*r->line != ' ' && *r->line != '\t')) {
			put_back(r);
			break;
		}
		tm_buf_addc(&subject, ' ');
		tm_buf_add(&subject, r->line + 1, r->len - 1);
	}
	r->diff->subject = tm_buf_detach(&subject);
	return r->diff->subject ? 0 : -ENOMEM;
}

/* Is "+++ " next? Else "--- " is prose, or mail's signature. */
static bool names_follow(const struct tm_diff_reader *r)
{
	return r->end - r->at >= 4 && !memcmp(r->at, "+++ ", 4);
}

/* What mail ends in, before a line of any text; some programs take the blank off. */
static bool is_signature(const struct tm_diff_reader *r)
{
	return (r->len == 2 || r->len == 3) && !memcmp(r->line, "-- ", r->len);
}

/* A line outside hunks. */
static int any_line(struct tm_diff_reader *r)
{
	bool after_hunk = r->after_hunk;

	r->after_hunk = false;
	if (take(r, "diff --git "))
		return git_line(r);
	if (r->in_header) {
		int rc = header_line(r);

		if (rc != -ENOENT)
			return rc;
	}
	if ((r->in_header || names_follow(r)) && take(r, "--- "))
		return name_lines(r);
	if (take(r, "@@ ")) {
		if (!r->file || r->in_header)
			return tm_diff_refuse(r, "a hunk without the names of its file");
		return tm_diff_hunk(r);
	}
	if (take(r, "GIT binary patch") || (take(r, "Binary files ") && ends_in(r, " differ")))
		return tm_diff_refuse(r, "binary files are not taken");
	if (!r->diff->nr && !r->diff->subject && take(r, "Subject: "))
		return subject_lines(r);
	if (after_hunk && r->len && strchr(" +-", *r->line) && !is_signature(r))
		return tm_diff_refuse(r, "more lines than the hunk says");
	return 0;
}

static int read_all(struct tm_diff_reader *r)
{
	int rc = 0;

	while (!rc && tm_diff_next(r))
		rc = any_line(r);
	if (!rc)
		rc = finish_file(r);
	if (!rc && !r->diff->nr)
		rc = tm_error_set(r->err, EBADMSG, "%s: changes nothing", r->name);
	return rc;
}

/* Room for the lines of all hunks: no more than the patch has. */
static int make_room(struct tm_diff *diff, const char *text, size_t len)
{
	size_t lines = 1;

	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	diff->text = malloc(len + 1);
	diff->lines = calloc(lines, sizeof(*diff->lines));
	if (!diff->text || !diff->lines)
		return -ENOMEM;
	memcpy(diff->text, text, len);
	diff->text[len] = '\0';
	return 0;
}

int tm_diff_parse(const char *name, const char *text, size_t len, struct tm_diff *diff,
		  struct tm_error *err)
{
	struct tm_diff made = { 0 };
	struct tm_diff_reader r = { .name = name, .diff = &made, .err = err };
	int rc;

	if (len > TM_DIFF_BYTES)
		return tm_error_set(err, EBADMSG, "%s: is too large for a patch", name);
	if (memchr(text, '\0', len))
		return tm_error_set(err, EBADMSG, "%s: holds NUL bytes", name);
	rc = make_room(&made, text, len);
	if (!rc) {
		r.at = made.text;
		r.end = made.text + len;
		rc = read_all(&r);
	}
	if (rc) {
		tm_diff_release(&made);
		return rc == -ENOMEM ? tm_error_nomem(err) : rc;
	}
	*diff = made;
	return 0;
}

void tm_diff_release(struct tm_diff *diff)
{
	for (size_t i = 0; i < diff->nr; i++) {
		free(diff->files[i].path);
		free(diff->files[i].hunks);
	}
	free(diff->files);
	free(diff->lines);
	free(diff->text);
	free(diff->subject);
	*diff = (struct tm_diff){ 0 };
}
