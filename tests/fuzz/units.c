/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers, sizes, and text for the terminal. The input is a number's text; its first bytes a
 * number.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>

#include "lib/base/buf.h"
#include "lib/base/units.h"
#include "tests/fuzz/fuzz.h"

/* Digits only, then libc's own reading. */
static bool model(const char *text, uint64_t *value, bool *large)
{
	static const char decimal[] = "0123456789", hex[] = "0123456789abcdefABCDEF";
	const char *digits;
	size_t len, spaces;
	int base = 10;

	*large = false;
	while (isspace((unsigned char)*text))
		text++;
	if (text[0] == '0' && tolower((unsigned char)text[1]) == 'x') {
		base = 16;
		text += 2;
	}
	digits = base == 16 ? hex : decimal;
	len = strspn(text, digits);
	for (spaces = len; isspace((unsigned char)text[spaces]); spaces++)
		;
	errno = 0;
	*value = strtoull(text, NULL, base);
	*large = len && errno == ERANGE;
	return len && !text[spaces] && !*large;
}

static void try_number(const char *text)
{
	uint64_t value = 4711, wanted;
	bool large, good = model(text, &wanted, &large);
	int rc = tm_parse_u64(text, &value);

	CHECK(rc == 0 || rc == -EINVAL || (rc == -ERANGE && large));
	CHECK((rc == 0) == good);
	CHECK(value == (good ? wanted : 4711));
}

/*
 * The nearest tenth, or the nearest whole, of the largest unit that leaves something before the
 * point.
 */
static void try_bytes(uint64_t bytes)
{
	static const char units[] = "BKMGTPE";
	char text[TM_UNITS_MAX], wanted[TM_UNITS_MAX];
	unsigned __int128 tenths;
	size_t step = 0;

	CHECK(tm_format_bytes(text, bytes) == text);
	CHECK(strlen(text) <= 5);
	while (step < 6 && bytes >> (10 * step) >= 1024)
		step++;
	tenths = ((unsigned __int128)bytes * 20 + (1ULL << (10 * step))) / (2ULL << (10 * step));
	if (step && bytes >> (10 * step) < 10 && tenths < 100) {
		if (tenths % 10)
			snprintf(wanted, sizeof(wanted), "%u.%u%c", (unsigned)(tenths / 10),
				 (unsigned)(tenths % 10), units[step]);
		else
			snprintf(wanted, sizeof(wanted), "%u%c", (unsigned)(tenths / 10),
				 units[step]);
	} else {
		unsigned __int128 unit = (unsigned __int128)1 << (10 * step);
		uint64_t whole = (uint64_t)((bytes + (step ? unit / 2 : 0)) / unit);

		if (whole == 1024 && step && step < 6) {
			whole = 1;
			step++;
		}
		snprintf(wanted, sizeof(wanted), "%u%c", (unsigned)whole, units[step]);
	}
	CHECK(!strcmp(text, wanted));
}

/* What is shown has no control characters, is UTF-8, and is unchanged where it was so before. */
static void try_printable(const uint8_t *data, size_t size)
{
	struct tm_buf once = TM_BUF_INIT, twice = TM_BUF_INIT;

	tm_buf_add_printable(&once, (const char *)data, size);
	CHECK(!once.failed && once.len >= size);
	for (size_t i = 0; i < once.len;) {
		size_t n = tm_utf8_length(once.data + i, once.len - i);
		unsigned char c = (unsigned char)once.data[i];

		CHECK(n >= 1 && n <= 4);
		CHECK(c >= 0x20 && c != 0x7f);
		CHECK(c != 0xc2 || (unsigned char)once.data[i + 1] >= 0xa0);
		i += n;
	}
	tm_buf_add_printable(&twice, tm_buf_str(&once), once.len);
	CHECK(!strcmp(tm_buf_str(&once), tm_buf_str(&twice)));
	tm_buf_release(&once);
	tm_buf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	uint64_t number = 0;

	try_number(text);
	memcpy(&number, data, size < sizeof(number) ? size : sizeof(number));
	try_bytes(number);
	/* Also numbers that people write, and their neighbours. */
	if (tm_parse_u64(text, &number) == 0)
		for (uint64_t near = number - 2; near != number + 3; near++)
			try_bytes(near);
	try_printable(data, size);
	free(text);
	return 0;
}
