/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading hunks. */
#include <errno.h>
#include <string.h>

#include "lib/diff/parse.h"

/* No file has so many lines. */
#define LINES_MAX 100000000

/* What is read of a hunk's lines. */
struct sides {
	size_t seen[TM_DIFF_SIDES];
	bool closed[TM_DIFF_SIDES]; /* its last line had no line break */
	size_t context, changes;
};

static bool take_number(const char **at, const char *end, size_t *number)
{
	const char *start = *at;

	for (*number = 0; *at < end && **at >= '0' && **at <= '9'; ++*at) {
		*number = *number * 10 + (size_t)(**at - '0');
		if (*number > LINES_MAX)
			return false;
	}
	return *at > start;
}

/* "-12,7": start and count; without a count it is 1. */
static bool take_range(const char **at, const char *end, char sign, size_t *start, size_t *count)
{
	if (*at == end || *(*at)++ != sign || !take_number(at, end, start))
		return false;
	*count = 1;
	if (*at < end && **at == ',') {
		++*at;
		if (!take_number(at, end, count))
			return false;
	}
	/* Lines are counted from 1. */
	return *start || !*count;
}

static int first_line(struct tm_diff_reader *r, struct tm_diff_hunk *hunk)
{
	const char *at = r->line, *end = r->line + r->len;
	bool good = take_range(&at, end, '-', &hunk->start[TM_DIFF_OLD], &hunk->count[TM_DIFF_OLD]);

	good = good && at < end && *at++ == ' ' &&
	       take_range(&at, end, '+', &hunk->start[TM_DIFF_NEW], &hunk->count[TM_DIFF_NEW]);
	good = good && end - at >= 3 && !memcmp(at, " @@", 3);
	return good ? 0 : tm_diff_refuse(r, "no hunk, which begins as in \"@@ -3,7 +3,8 @@\"");
}

/* "\ No newline at end of file", in any language: the line before has none. */
static int no_line_break(struct tm_diff_reader *r, struct tm_diff_hunk *hunk, struct sides *sides)
{
	struct tm_diff_line *last = hunk->nr ? &r->diff->lines[r->diff->nr_lines - 1] : NULL;

	if (!last || !last->len || last->text[last->len - 1] != '\n')
		return tm_diff_refuse(r, "no line stands before it");
	last->len--;
	if (last->mark != '+')
		sides->closed[TM_DIFF_OLD] = true;
	if (last->mark != '-')
		sides->closed[TM_DIFF_NEW] = true;
	return 0;
}

/* A line on one side or both. */
static int content_line(struct tm_diff_reader *r, struct tm_diff_hunk *hunk, struct sides *sides)
{
	/* Some mail programs take the blank off an empty line of context. */
	char mark = r->len ? *r->line : ' ';
	struct tm_diff_line *line = &r->diff->lines[r->diff->nr_lines];

	if (mark != ' ' && mark != '-' && mark != '+')
		return tm_diff_refuse(r, "fewer lines than the hunk says");
	if (!r->ended)
		return tm_diff_refuse(r, "the patch ends within this line");
	for (int side = 0; side < TM_DIFF_SIDES; side++) {
		if (mark == (side == TM_DIFF_OLD ? '+' : '-'))
			continue;
		if (sides->seen[side]++ == hunk->count[side])
			return tm_diff_refuse(r, "more lines than the hunk says");
		if (sides->closed[side])
			return tm_diff_refuse(r, "a line after one without a line break");
	}
	if (mark == ' ')
		sides->context++;
	else
		sides->changes++;
	line->mark = mark;
	line->text = r->len ? r->line + 1 : r->line;
	line->len = r->len ? r->len : 1;
	r->diff->nr_lines++;
	hunk->nr++;
	return 0;
}

static bool is_complete(const struct tm_diff_hunk *hunk, const struct sides *sides)
{
	return sides->seen[TM_DIFF_OLD] == hunk->count[TM_DIFF_OLD] &&
	       sides->seen[TM_DIFF_NEW] == hunk->count[TM_DIFF_NEW];
}

static int read_lines(struct tm_diff_reader *r, struct tm_diff_hunk *hunk, struct sides *sides)
{
	int rc = 0;

	while (!rc && !is_complete(hunk, sides)) {
		if (!tm_diff_next(r))
			return tm_diff_refuse(r, "the patch ends within a hunk");
		rc = r->len && *r->line == '\\' ? no_line_break(r, hunk, sides) :
						  content_line(r, hunk, sides);
	}
	if (!rc && r->at < r->end && *r->at == '\\') {
		tm_diff_next(r);
		rc = no_line_break(r, hunk, sides);
	}
	return rc;
}

/* Without context nobody knows where it belongs, unless it is all of the file. */
static bool has_place(const struct tm_diff_hunk *hunk, const struct sides *sides)
{
	return sides->context || (hunk->start[TM_DIFF_OLD] <= 1 && hunk->start[TM_DIFF_NEW] <= 1);
}

/* How hunks of the file go together. What is wrong, in words; NULL: nothing. */
static const char *find_fault(const struct tm_diff_file *file, const struct tm_diff_hunk *hunk,
			      const struct sides *sides)
{
	const struct tm_diff_hunk *before = file->nr ? hunk - 1 : NULL;

	if (!sides->changes)
		return "nothing is changed here";
	if (!has_place(hunk, sides))
		return "it has no context, of which diff -u gives three lines";
	if (file->kind == TM_DIFF_CREATES && (before || hunk->count[TM_DIFF_OLD]))
		return "a new file has old lines";
	if (file->kind == TM_DIFF_DELETES && (before || hunk->count[TM_DIFF_NEW]))
		return "a deleted file has new lines";
	for (int side = 0; before && side < TM_DIFF_SIDES; side++)
		if (hunk->start[side] < before->start[side] + before->count[side])
			return "it does not come after the hunk before it";
	return NULL;
}

int tm_diff_hunk(struct tm_diff_reader *r)
{
	struct tm_diff_file *file = r->file;
	struct sides sides = { 0 };
	struct tm_diff_hunk *hunk;
	const char *fault;
	int rc = tm_array_grow(&file->hunks, file->nr, &file->cap, sizeof(*file->hunks));

	if (rc)
		return rc;
	hunk = &file->hunks[file->nr];
	*hunk = (struct tm_diff_hunk){ .line = r->number,
				       .lines = &r->diff->lines[r->diff->nr_lines] };
	rc = first_line(r, hunk);
	if (!rc)
		rc = read_lines(r, hunk, &sides);
	if (rc)
		return rc;
	fault = find_fault(file, hunk, &sides);
	if (fault) {
		r->number = hunk->line;
		return tm_diff_refuse(r, fault);
	}
	file->nr++;
	r->after_hunk = true;
	return 0;
}
