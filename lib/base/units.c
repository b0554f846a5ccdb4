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

struct tm_num tm_leading_number(const char *text)
{
	uint64_t value = 0;
	const char *start;

	while (*text == ' ' || *text == '\t')
		text++;
	for (start = text; isdigit((unsigned char)*text); text++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return tm_num_none(TM_MALFORMED);
	if (text == start || (*text && !isspace((unsigned char)*text)))
		return tm_num_none(TM_MALFORMED);
	return tm_num_known(value);
}

static const char steps[] = "KMGT";

int tm_parse_amount(const char *text, unsigned step, uint64_t *amount)
{
	uint64_t whole = 0, divisor = 1, factor = 1;
	size_t digits = strspn(text, "0123456789"), i = 0;
	const char *unit;

	if (!digits)
		return -EINVAL;
	for (; i < digits; i++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(text[i] - '0'), &whole))
			return -ERANGE;
	if (text[i] == '.') {
		if (!isdigit((unsigned char)text[++i]))
			return -EINVAL;
		for (; isdigit((unsigned char)text[i]); i++)
			if (__builtin_mul_overflow(whole, 10, &whole) ||
			    __builtin_add_overflow(whole, (uint64_t)(text[i] - '0'), &whole) ||
			    __builtin_mul_overflow(divisor, 10, &divisor))
				return -ERANGE;
	}
	unit = text[i] ? strchr(steps, toupper((unsigned char)text[i])) : NULL;
	if (unit) {
		i++;
		if (text[i] == 'i') {
			step = 1024;
			i++;
		}
		for (const char *u = steps; u <= unit; u++)
			factor *= step;
	}
	if (text[i] == 'B')
		i++;
	if (text[i])
		return -EINVAL;
	if (__builtin_mul_overflow(whole, factor, &whole))
		return -ERANGE;
	if (whole % divisor)
		return -EINVAL;
	*amount = whole / divisor;
	return 0;
}

char *tm_format_amount(char buf[TM_UNITS_MAX], uint64_t amount)
{
	size_t step = 0;

	while (amount && !(amount % 1024) && step < strlen(steps)) {
		amount /= 1024;
		step++;
	}
	if (step)
		snprintf(buf, TM_UNITS_MAX, "%llu%ci", (unsigned long long)amount, steps[step - 1]);
	else
		snprintf(buf, TM_UNITS_MAX, "%llu", (unsigned long long)amount);
	return buf;
}

int tm_parse_seconds(const char *text, uint64_t *ns)
{
	char amount[64];

	/* Nanoseconds are what a billionth of "1G" is. */
	if (strlen(text) + 2 > sizeof(amount) || text[strspn(text, "0123456789.")])
		return -EINVAL;
	strcpy(amount, text);
	strcat(amount, "G");
	return tm_parse_amount(amount, 1000, ns);
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
