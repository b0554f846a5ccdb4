/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/base/buf.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tm_buf_release(struct tm_buf *buf)
{
	free(buf->data);
	*buf = (struct tm_buf)TM_BUF_INIT;
}

void tm_buf_reset(struct tm_buf *buf)
{
	buf->len = 0;
	buf->failed = false;
	if (buf->data)
		buf->data[0] = '\0';
}

const char *tm_buf_str(const struct tm_buf *buf)
{
	return buf->data ? buf->data : "";
}

char *tm_buf_detach(struct tm_buf *buf)
{
	char *str = NULL;

	if (!buf->failed && tm_buf_reserve(buf, 0) == 0) {
		str = buf->data;
		buf->data = NULL;
	}
	tm_buf_release(buf);
	return str;
}

int tm_buf_reserve(struct tm_buf *buf, size_t extra)
{
	size_t cap = buf->cap ? buf->cap : 64;
	char *data;

	if (buf->failed)
		return -ENOMEM;
	if (extra > SIZE_MAX / 4 || buf->len > SIZE_MAX / 4)
		goto failed;
	while (cap < buf->len + extra + 1)
		cap *= 2;
	if (cap == buf->cap)
		return 0;
	data = realloc(buf->data, cap);
	if (!data)
		goto failed;
	data[buf->len] = '\0';
	buf->data = data;
	buf->cap = cap;
	return 0;
failed:
	buf->failed = true;
	return -ENOMEM;
}

void tm_buf_add(struct tm_buf *buf, const void *data, size_t len)
{
	if (tm_buf_reserve(buf, len))
		return;
	if (len)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void tm_buf_adds(struct tm_buf *buf, const char *str)
{
	tm_buf_add(buf, str, strlen(str));
}

void tm_buf_addc(struct tm_buf *buf, char c)
{
	tm_buf_add(buf, &c, 1);
}

void tm_buf_vaddf(struct tm_buf *buf, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0) {
		buf->failed = true;
		return;
	}
	if (tm_buf_reserve(buf, (size_t)len))
		return;
	vsnprintf(buf->data + buf->len, (size_t)len + 1, fmt, ap);
	buf->len += (size_t)len;
}

void tm_buf_addf(struct tm_buf *buf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tm_buf_vaddf(buf, fmt, ap);
	va_end(ap);
}

size_t tm_utf8_length(const char *str, size_t len)
{
	const unsigned char *s = (const unsigned char *)str;
	uint32_t point, least;
	size_t need;

	if (!len)
		return 0;
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf) {
		need = 2;
		point = s[0] & 0x1f;
		least = 0x80;
	} else if ((s[0] & 0xf0) == 0xe0) {
		need = 3;
		point = s[0] & 0x0f;
		least = 0x800;
	} else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		need = 4;
		point = s[0] & 0x07;
		least = 0x10000;
	} else {
		return 0;
	}
	if (len < need)
		return 0;
	for (size_t i = 1; i < need; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (s[i] & 0x3f);
	}
	if (point < least || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
		return 0;
	return need;
}

void tm_buf_add_printable(struct tm_buf *buf, const char *data, size_t len)
{
	while (len) {
		unsigned char c = (unsigned char)*data;
		size_t n = tm_utf8_length(data, len);
		/* U+0080 to U+009F are control characters too: C2 80 to C2 9F. */
		bool control = c < 0x20 || c == 0x7f ||
			       (n == 2 && c == 0xc2 && (unsigned char)data[1] < 0xa0);

		if (n && !control) {
			tm_buf_add(buf, data, n);
		} else {
			n = n ? n : 1;
			for (size_t i = 0; i < n; i++)
				tm_buf_addf(buf, "\\x%02x", (unsigned char)data[i]);
		}
		data += n;
		len -= n;
	}
}

int tm_array_grow(void *array, size_t nr, size_t *cap, size_t size)
{
	void **base = array;
	size_t want;
	void *grown;

	if (nr < *cap)
		return 0;
	want = *cap ? *cap * 2 : 8;
	if (want <= nr)
		want = nr + 1;
	if (want > SIZE_MAX / size)
		return -ENOMEM;
	grown = realloc(*base, want * size);
	if (!grown)
		return -ENOMEM;
	memset((char *)grown + *cap * size, 0, (want - *cap) * size);
	*base = grown;
	*cap = want;
	return 0;
}
