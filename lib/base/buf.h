/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A growing string. A failed allocation is remembered in `failed` and later calls do nothing, so
 * that a run of additions needs one check at its end.
 */
#ifndef TM_BASE_BUF_H
#define TM_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/base/compiler.h"

struct tm_buf {
	char *data; /* NUL-terminated once anything was added; else NULL */
	size_t len;
	size_t cap;
	bool failed;
};

#define TM_BUF_INIT               \
	{                         \
		NULL, 0, 0, false \
	}

void tm_buf_release(struct tm_buf *buf);
void tm_buf_reset(struct tm_buf *buf);

/* The text so far; "" for an empty buffer. Valid until the buffer changes. */
const char *tm_buf_str(const struct tm_buf *buf);

/*
 * Gives the string away (the caller frees it) and empties the buffer; NULL when an addition failed.
 */
char *tm_buf_detach(struct tm_buf *buf);

/* Makes room for `extra` more bytes and the NUL. 0 or -ENOMEM. */
int tm_buf_reserve(struct tm_buf *buf, size_t extra);

void tm_buf_add(struct tm_buf *buf, const void *data, size_t len);
void tm_buf_adds(struct tm_buf *buf, const char *str);
void tm_buf_addc(struct tm_buf *buf, char c);
void tm_buf_addf(struct tm_buf *buf, const char *fmt, ...) TM_PRINTF(2, 3);
void tm_buf_vaddf(struct tm_buf *buf, const char *fmt, va_list ap);

/*
 * Adds text of unknown origin so that it is safe on a terminal and valid UTF-8: control characters
 * and bytes that are not UTF-8 become \xNN.
 */
void tm_buf_add_printable(struct tm_buf *buf, const char *data, size_t len);

/* Length of the valid UTF-8 sequence at `s` (1 to 4), or 0 where there is none. RFC 3629. */
size_t tm_utf8_length(const char *s, size_t len);

/*
 * Grows *array (elements of `size` bytes) so that index `nr` exists; *cap is the allocated count.
 * New elements are zeroed. 0 or -ENOMEM.
 */
int tm_array_grow(void *array, size_t nr, size_t *cap, size_t size);

#endif
