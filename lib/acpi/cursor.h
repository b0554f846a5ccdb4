/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading of bytes that may lie: a cursor is a part of a table that never reaches outside, and all
 * its numbers are little-endian. Offsets are the table's, also in a part of a part, so that what is
 * found can be named by them. Bounds are checked by subtraction: no sum can wrap around.
 */
#ifndef TM_ACPI_CURSOR_H
#define TM_ACPI_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tm_cursor {
	const uint8_t *data; /* the table's first byte */
	size_t pos;	     /* what is left is [pos, end) */
	size_t end;
};

static inline struct tm_cursor tm_cursor_make(const void *data, size_t size)
{
	return (struct tm_cursor){ data, 0, size };
}

static inline size_t tm_cursor_left(const struct tm_cursor *cursor)
{
	return cursor->end - cursor->pos;
}

/* The next `size` bytes, and past them; NULL where fewer are left. */
const uint8_t *tm_cursor_take(struct tm_cursor *cursor, size_t size);

/* Splits the next `size` bytes off as a part of their own; false where fewer are left. */
bool tm_cursor_sub(struct tm_cursor *cursor, size_t size, struct tm_cursor *sub);

/* A number of 1 to 8 bytes, `skip` bytes after the position, which stays. */
bool tm_cursor_peek(const struct tm_cursor *cursor, size_t skip, size_t size, uint64_t *value);

/* The little-endian number of 1 to 8 bytes that are known to be there. */
uint64_t tm_le(const uint8_t *bytes, size_t size);

#endif
