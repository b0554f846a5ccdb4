/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

int tm_parse_u64(const char *text, uint64_t *value)
{
	uint64_t parsed = 0;
	unsigned base = 10;
	const char *digits;

	while (isspace((unsigned char)*text))
		text++;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	for (digits = text; isxdigit((unsigned char)*text); text++) {
		int c = tolower((unsigned char)*text);
		unsigned digit = isdigit(c) ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;

		if (digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(parsed, base, &parsed) ||
		    __builtin_add_overflow(parsed, digit, &parsed))
			return -ERANGE;
	}
	if (text == digits)
		return -EINVAL;
	while (isspace((unsigned char)*text))
		text++;
	if (*text)
		return -EINVAL;
	*value = parsed;
	return 0;
}

char *tm_format_bytes(char buf[TM_UNITS_MAX], uint64_t bytes)
{
	static const char unit[] = "BKMGTPE";
	size_t step = 0;
	uint64_t whole = bytes, tenths;

	while (whole >= 1024 && step + 1 < strlen(unit)) {
		whole >>= 10;
		step++;
	}
	/* One decimal below ten, rounded half up: the part below the point is under 2^60. */
	if (step && whole < 10) {
		uint64_t one = 1ULL << (step * 10);

		tenths = whole * 10 + ((bytes & (one - 1)) * 10 + one / 2) / one;
		if (tenths % 10 && tenths < 100) {
			snprintf(buf, TM_UNITS_MAX, "%u.%u%c", (unsigned)(tenths / 10),
				 (unsigned)(tenths % 10), unit[step]);
			return buf;
		}
		whole = tenths / 10;
	} else if (step) {
		/* Round half up to the whole unit. */
		whole += (bytes >> (step * 10 - 1)) & 1;
		if (whole == 1024 && step + 1 < strlen(unit)) {
			whole = 1;
			step++;
		}
	}
	snprintf(buf, TM_UNITS_MAX, "%u%c", (unsigned)whole, unit[step]);
	return buf;
}
