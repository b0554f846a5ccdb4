/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/acpi/cursor.h"

const uint8_t *tm_cursor_take(struct tm_cursor *cursor, size_t size)
{
	const uint8_t *bytes;

	if (size > tm_cursor_left(cursor))
		return NULL;
	bytes = cursor->data + cursor->pos;
	cursor->pos += size;
	return bytes;
}

bool tm_cursor_sub(struct tm_cursor *cursor, size_t size, struct tm_cursor *sub)
{
	size_t start = cursor->pos;

	if (!tm_cursor_take(cursor, size))
		return false;
	*sub = (struct tm_cursor){ cursor->data, start, cursor->pos };
	return true;
}

bool tm_cursor_peek(const struct tm_cursor *cursor, size_t skip, size_t size, uint64_t *value)
{
	size_t left = tm_cursor_left(cursor);

	if (!size || size > 8 || skip > left || size > left - skip)
		return false;
	*value = tm_le(cursor->data + cursor->pos + skip, size);
	return true;
}

uint64_t tm_le(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | bytes[size];
	return value;
}
