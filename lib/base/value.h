/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A reading: the value, or the reason why there is none. Zero never stands for "unknown": what a
 * kernel file gives as 0 for "nobody told me" becomes TM_NOT_PROVIDED where it is read.
 */
#ifndef TM_BASE_VALUE_H
#define TM_BASE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum tm_state {
	TM_UNKNOWN = 0, /* nothing says */
	TM_KNOWN,
	TM_ABSENT,	 /* the file is not there */
	TM_DENIED,	 /* this user may not read it */
	TM_UNSUPPORTED,	 /* this kernel or hardware lacks it */
	TM_MALFORMED,	 /* there, but not of the documented form, or unreadable */
	TM_NOT_PROVIDED, /* the kernel or firmware says that it has no figure */
	TM_NOT_ASKED,	 /* costly to find out, and not requested */
	TM_OFFLINE,	 /* goes with something that is offline */
};

/* The word for JSON's <key>_reason, listed in tiermem-json(5); NULL for TM_KNOWN and TM_UNKNOWN. */
const char *tm_state_reason(enum tm_state state);

/* What an errno of a failed read means for the reading. */
enum tm_state tm_state_from_errno(int number);

struct tm_num {
	uint64_t value; /* meaningful only when state is TM_KNOWN */
	enum tm_state state;
};

static inline struct tm_num tm_num_known(uint64_t value)
{
	return (struct tm_num){ value, TM_KNOWN };
}

static inline struct tm_num tm_num_none(enum tm_state state)
{
	return (struct tm_num){ 0, state };
}

static inline bool tm_num_is(const struct tm_num *num)
{
	return num->state == TM_KNOWN;
}

/* A text reading: `value` is owned and set only when state is TM_KNOWN. */
struct tm_text {
	char *value;
	enum tm_state state;
};

void tm_text_release(struct tm_text *text);

#endif
