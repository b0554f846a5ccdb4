/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/model/read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void tm_read_note(struct tm_reader *rd, const char *path, enum tm_state state)
{
	struct tm_unreadable *u = &rd->machine->unreadable;

	if (state == TM_DENIED && u->denied++ == 0)
		snprintf(u->first_denied, sizeof(u->first_denied), "%.200s", path);
	if (state == TM_MALFORMED && u->malformed++ == 0)
		snprintf(u->first_malformed, sizeof(u->first_malformed), "%.200s", path);
}

/* Formats the path of a reading; a path that does not fit is a malformed reading. */
#define FORMAT_PATH(rd, path, fmt, bad)                       \
	do {                                                  \
		va_list ap_;                                  \
		int rc_;                                      \
		va_start(ap_, fmt);                           \
		rc_ = tm_path_vformat(path, fmt, ap_);        \
		va_end(ap_);                                  \
		if (rc_) {                                    \
			tm_read_note(rd, path, TM_MALFORMED); \
			return bad;                           \
		}                                             \
	} while (0)

struct tm_num tm_read_num(struct tm_reader *rd, const char *fmt, ...)
{
	char path[TM_PATH_MAX];
	struct tm_num num;

	FORMAT_PATH(rd, path, fmt, tm_num_none(TM_MALFORMED));
	num = tm_attr_num(rd->root, path);
	tm_read_note(rd, path, num.state);
	return num;
}

struct tm_num tm_read_figure(struct tm_reader *rd, const char *fmt, ...)
{
	char path[TM_PATH_MAX];
	struct tm_num num;

	FORMAT_PATH(rd, path, fmt, tm_num_none(TM_MALFORMED));
	num = tm_attr_num(rd->root, path);
	tm_read_note(rd, path, num.state);
	if (num.state == TM_KNOWN && num.value == 0)
		num.state = TM_NOT_PROVIDED;
	return num;
}

struct tm_num tm_read_id(struct tm_reader *rd, const char *fmt, ...)
{
	char path[TM_PATH_MAX];
	struct tm_text text;
	struct tm_num num = tm_num_none(TM_UNKNOWN);

	FORMAT_PATH(rd, path, fmt, tm_num_none(TM_MALFORMED));
	text = tm_attr_text(rd->root, path);
	if (text.state == TM_KNOWN && !strcmp(text.value, "-1")) {
		num.state = TM_NOT_PROVIDED;
	} else {
		num = tm_attr_num(rd->root, path);
		if (num.state == TM_KNOWN && num.value > TM_ID_MAX)
			num = tm_num_none(TM_MALFORMED);
		tm_read_note(rd, path, num.state);
	}
	tm_text_release(&text);
	return num;
}

struct tm_text tm_read_text(struct tm_reader *rd, const char *fmt, ...)
{
	char path[TM_PATH_MAX];
	struct tm_text text = { NULL, TM_MALFORMED };

	FORMAT_PATH(rd, path, fmt, text);
	text = tm_attr_text(rd->root, path);
	tm_read_note(rd, path, text.state);
	return text;
}

enum tm_state tm_read_list(struct tm_reader *rd, struct tm_idset *set, const char *fmt, ...)
{
	char path[TM_PATH_MAX];
	enum tm_state state;

	FORMAT_PATH(rd, path, fmt, TM_MALFORMED);
	state = tm_attr_list(rd->root, path, set);
	tm_read_note(rd, path, state);
	return state;
}

enum tm_state tm_read_mask(struct tm_reader *rd, struct tm_idset *set, const char *fmt, ...)
{
	char path[TM_PATH_MAX];
	enum tm_state state;

	FORMAT_PATH(rd, path, fmt, TM_MALFORMED);
	state = tm_attr_mask(rd->root, path, set);
	tm_read_note(rd, path, state);
	return state;
}

enum tm_state tm_read_file(struct tm_reader *rd, struct tm_buf *text, size_t max, const char *path)
{
	int rc = tm_root_read(rd->root, path, max, text);
	enum tm_state state = rc ? tm_state_from_errno(-rc) : TM_KNOWN;

	tm_read_note(rd, path, state);
	return state;
}
