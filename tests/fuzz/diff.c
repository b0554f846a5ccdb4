/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A patch that is taken names plain paths below the top, each once, and hunks whose lines are as
 * many as they say. To a file that is made of its own lines it fits or not, and if it does, the
 * file grows by what the hunks say.
 */
#include <errno.h>
#include <stdbool.h>
#include <strings.h>

#include "lib/diff/diff.h"
#include "tests/fuzz/fuzz.h"

/* No larger files are made. */
#define LINES_MAX 5000

static bool is_on(const struct tm_diff_line *line, enum tm_diff_side side)
{
	return line->mark == ' ' || line->mark == (side == TM_DIFF_OLD ? '-' : '+');
}

static void check_path(const struct tm_diff *diff, size_t at)
{
	const char *path = diff->files[at].path;
	char copy[TM_DIFF_PATH], *rest = copy, *part;

	CHECK(*path && *path != '/' && strlen(path) < sizeof(copy));
	strcpy(copy, path);
	while ((part = strsep(&rest, "/")))
		CHECK(*part && strcmp(part, ".") && strcmp(part, "..") && strcasecmp(part, ".git"));
	for (const char *c = path; *c; c++)
		CHECK((unsigned char)*c >= ' ');
	for (size_t i = 0; i < at; i++)
		CHECK(strcmp(diff->files[i].path, path));
}

static void check_hunk(const struct tm_diff_hunk *hunk)
{
	size_t seen[TM_DIFF_SIDES] = { 0 }, changes = 0;

	for (size_t i = 0; i < hunk->nr; i++) {
		const struct tm_diff_line *line = &hunk->lines[i];

		CHECK(line->mark == ' ' || line->mark == '-' || line->mark == '+');
		CHECK(!memchr(line->text, '\n', line->len ? line->len - 1 : 0));
		seen[TM_DIFF_OLD] += is_on(line, TM_DIFF_OLD);
		seen[TM_DIFF_NEW] += is_on(line, TM_DIFF_NEW);
		changes += line->mark != ' ';
	}
	CHECK(changes);
	for (int side = 0; side < TM_DIFF_SIDES; side++)
		CHECK(seen[side] == hunk->count[side]);
}

static long growth(const struct tm_diff_file *file, bool reverse)
{
	long bytes = 0;

	for (size_t i = 0; i < file->nr; i++)
		for (size_t k = 0; k < file->hunks[i].nr; k++) {
			const struct tm_diff_line *line = &file->hunks[i].lines[k];

			if (line->mark != ' ')
				bytes += (line->mark == '+') != reverse ? (long)line->len :
									  -(long)line->len;
		}
	return bytes;
}

/* One side's lines, each hunk where it says that it is, or `off` lines behind that. */
static void make_side(const struct tm_diff_file *file, enum tm_diff_side side, size_t off,
		      struct tm_buf *text)
{
	size_t line = 1;

	for (size_t i = 0; i < file->nr; i++) {
		const struct tm_diff_hunk *hunk = &file->hunks[i];

		for (; line < hunk->start[side] + off && line < LINES_MAX; line++)
			tm_buf_adds(text, "other\n");
		for (size_t k = 0; k < hunk->nr; k++) {
			if (!is_on(&hunk->lines[k], side))
				continue;
			tm_buf_add(text, hunk->lines[k].text, hunk->lines[k].len);
			line++;
		}
	}
}

static void check_fit(const struct tm_diff_file *file, bool reverse, const char *text, size_t len)
{
	struct tm_buf out = TM_BUF_INIT, back = TM_BUF_INIT;
	struct tm_fit fit;
	int rc = tm_diff_fit(file, reverse, text, len, &out, &fit);

	CHECK(rc == 0 || rc == -ESTALE);
	if (rc) {
		CHECK(fit.hunk && fit.number >= 1 && fit.number <= file->nr && fit.line >= 1);
		CHECK(!fit.found || (fit.found >= text && fit.found + fit.found_len <= text + len));
	} else {
		CHECK(!fit.hunk && fit.moved <= file->nr);
		CHECK((long)out.len == (long)len + growth(file, reverse));
		rc = tm_diff_fit(file, !reverse, tm_buf_str(&out), out.len, &back, &fit);
		CHECK(rc == -ESTALE || back.len == len);
	}
	tm_buf_release(&out);
	tm_buf_release(&back);
}

static void check_file(const struct tm_diff_file *file, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < file->nr; i++)
		check_hunk(&file->hunks[i]);
	if (file->kind == TM_DIFF_CHANGES)
		CHECK(file->nr || file->mode[TM_DIFF_OLD] != file->mode[TM_DIFF_NEW]);
	for (int side = 0; side < TM_DIFF_SIDES; side++) {
		check_fit(file, side == TM_DIFF_NEW, (const char *)data, size);
		check_fit(file, side == TM_DIFF_NEW, "", 0);
		for (size_t off = 0; off < 3; off += 2) {
			struct tm_buf text = TM_BUF_INIT;

			make_side(file, (enum tm_diff_side)side, off, &text);
			check_fit(file, side == TM_DIFF_NEW, tm_buf_str(&text), text.len);
			tm_buf_release(&text);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tm_diff diff = { 0 };
	struct tm_error err = { 0 };
	int rc = tm_diff_parse("input", (const char *)data, size, &diff, &err);

	if (rc) {
		CHECK(rc == -EBADMSG && !diff.files && !diff.nr);
		CHECK(err.number && !strncmp(err.text, "input:", 6));
		return 0;
	}
	CHECK(diff.nr);
	for (size_t i = 0; i < diff.nr; i++) {
		check_path(&diff, i);
		check_file(&diff.files[i], data, size);
	}
	tm_diff_release(&diff);
	return 0;
}
