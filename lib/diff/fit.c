/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding the place of each hunk in a file, and making what it makes of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diff/diff.h"

struct line {
	const char *text;
	size_t len; /* with its line break, if it has one */
};

struct fitter {
	enum tm_diff_side from; /* the side that the file is expected to be on */
	struct line *lines;
	size_t nr;
	size_t taken; /* lines that hunks before have covered, or stand before these */
	long shift;   /* by which the hunk before was found off its place */
};

static int split(const char *text, size_t len, struct line **lines, size_t *nr)
{
	const char *end = text + len;
	size_t count = 0;

	for (const char *at = text; at < end; count++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		at = stop ? stop + 1 : end;
	}
	*lines = calloc(count + 1, sizeof(**lines));
	if (!*lines)
		return -ENOMEM;
	*nr = count;
	for (size_t i = 0; i < count; i++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		(*lines)[i].text = text;
		(*lines)[i].len = (size_t)((stop ? stop + 1 : end) - text);
		text += (*lines)[i].len;
	}
	return 0;
}

static bool is_on(const struct tm_diff_line *line, enum tm_diff_side side)
{
	return line->mark != (side == TM_DIFF_OLD ? '+' : '-');
}

/* How many of the hunk's lines are as in the file from `at` on; all of them: it fits there. */
static size_t match(const struct fitter *f, const struct tm_diff_hunk *hunk, size_t at,
		    const struct tm_diff_line **wanted)
{
	size_t same = 0;

	*wanted = NULL;
	for (size_t i = 0; i < hunk->nr; i++) {
		const struct tm_diff_line *line = &hunk->lines[i];
		const struct line *found = &f->lines[at + same];

		if (!is_on(line, f->from))
			continue;
		if (at + same >= f->nr || found->len != line->len ||
		    memcmp(found->text, line->text, line->len) != 0) {
			*wanted = line;
			return same;
		}
		same++;
	}
	return same;
}

static void count_context(const struct tm_diff_hunk *hunk, size_t *before, size_t *behind)
{
	*before = *behind = 0;
	while (*before < hunk->nr && hunk->lines[*before].mark == ' ')
		++*before;
	while (*behind < hunk->nr && hunk->lines[hunk->nr - 1 - *behind].mark == ' ')
		++*behind;
}

/* Where it would be if nothing had moved since the hunk before it. */
static size_t guess_place(const struct fitter *f, const struct tm_diff_hunk *hunk)
{
	size_t start = hunk->start[f->from];
	long guess = (long)start - (hunk->count[f->from] ? 1 : 0) + f->shift;

	return guess < (long)f->taken ? f->taken : (size_t)guess;
}

static bool fits(const struct fitter *f, const struct tm_diff_hunk *hunk, size_t at)
{
	const struct tm_diff_line *wanted;

	return match(f, hunk, at, &wanted) == hunk->count[f->from];
}

/* The nearest place from the guess on that it fits. False: none. */
static bool find_place(const struct fitter *f, const struct tm_diff_hunk *hunk, size_t guess,
		       size_t *place)
{
	size_t count = hunk->count[f->from], before, behind, low = f->taken, high;

	if (count > f->nr - f->taken)
		return false;
	high = f->nr - count;
	count_context(hunk, &before, &behind);
	/* diff gives less context only where the file has no more. */
	if (!before || before < behind)
		high = 0;
	if (!behind || behind < before)
		low = TM_MAX(low, f->nr - count);
	if (low > high)
		return false;
	guess = TM_MIN(TM_MAX(guess, low), high);
	for (size_t step = 0; guess + step <= high || step <= guess - low; step++) {
		*place = guess + step;
		if (*place <= high && fits(f, hunk, *place))
			return true;
		*place = guess - step;
		if (step && step <= guess - low && fits(f, hunk, *place))
			return true;
	}
	return false;
}

static void note_misfit(const struct fitter *f, const struct tm_diff_hunk *hunk, size_t guess,
			struct tm_fit *fit)
{
	size_t at = TM_MIN(guess, f->nr);
	size_t line = at + match(f, hunk, at, &fit->wanted);

	fit->hunk = hunk;
	fit->line = line + 1;
	if (line < f->nr) {
		fit->found = f->lines[line].text;
		fit->found_len = f->lines[line].len;
	}
}

static void add_lines(const struct fitter *f, size_t from, size_t to, struct tm_buf *out)
{
	if (from < to)
		tm_buf_add(out, f->lines[from].text,
			   (size_t)(f->lines[to - 1].text - f->lines[from].text) +
				   f->lines[to - 1].len);
}

static void add_hunk(const struct tm_diff_hunk *hunk, enum tm_diff_side side, struct tm_buf *out)
{
	for (size_t i = 0; i < hunk->nr; i++)
		if (is_on(&hunk->lines[i], side))
			tm_buf_add(out, hunk->lines[i].text, hunk->lines[i].len);
}

static int fit_hunk(struct fitter *f, const struct tm_diff_hunk *hunk, struct tm_buf *out,
		    struct tm_fit *fit)
{
	size_t guess = guess_place(f, hunk), count = hunk->count[f->from], place;
	long shift;

	if (!find_place(f, hunk, guess, &place)) {
		note_misfit(f, hunk, guess, fit);
		return -ESTALE;
	}
	add_lines(f, f->taken, place, out);
	add_hunk(hunk, f->from == TM_DIFF_OLD ? TM_DIFF_NEW : TM_DIFF_OLD, out);
	shift = (long)place - (long)hunk->start[f->from] + (count ? 1 : 0);
	fit->moved += shift != 0;
	fit->offset += (size_t)labs(shift);
	fit->farthest = TM_MAX(fit->farthest, (size_t)labs(shift));
	f->shift = shift;
	f->taken = place + count;
	return 0;
}

int tm_diff_fit(const struct tm_diff_file *file, bool reverse, const char *text, size_t len,
		struct tm_buf *out, struct tm_fit *fit)
{
	struct fitter f = { .from = reverse ? TM_DIFF_NEW : TM_DIFF_OLD };
	int rc = split(text, len, &f.lines, &f.nr);

	*fit = (struct tm_fit){ 0 };
	for (size_t i = 0; i < file->nr && !rc; i++) {
		fit->number = i + 1;
		rc = fit_hunk(&f, &file->hunks[i], out, fit);
	}
	if (!rc)
		add_lines(&f, f.taken, f.nr, out);
	free(f.lines);
	return !rc && out->failed ? -ENOMEM : rc;
}
