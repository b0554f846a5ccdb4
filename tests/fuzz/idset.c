/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists and masks of ids, against a second reading of the same text. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>

#include "lib/base/buf.h"
#include "lib/base/idset.h"
#include "tests/fuzz/fuzz.h"

/* The model's set, and the first id above all that it ever held: most inputs need little of it. */
static bool member[TM_ID_MAX + 1];
static long top;

static void clear(void)
{
	memset(member, 0, (size_t)top * sizeof(member[0]));
	top = 0;
}

static void set_member(long id)
{
	member[id] = true;
	if (id >= top)
		top = id + 1;
}

/* From the first byte that is no space up to the last; false where a space is between. */
static bool one_word(const char *text, const char **start, const char **end)
{
	while (isspace((unsigned char)*text))
		text++;
	*start = text;
	while (*text && !isspace((unsigned char)*text))
		text++;
	*end = text;
	while (isspace((unsigned char)*text))
		text++;
	return !*text;
}

/* The number at *s; larger than any id where there are more digits than any id has. */
static bool read_number(const char **s, const char *end, long *number)
{
	size_t digits = 0;

	while (*s < end && **s == '0' && *s + 1 < end && isdigit((unsigned char)(*s)[1]))
		(*s)++;
	for (*number = 0; *s < end && isdigit((unsigned char)**s); (*s)++, digits++)
		if (digits < 9)
			*number = *number * 10 + **s - '0';
	if (digits > 9)
		*number = 999999999;
	return digits > 0;
}

/* Sets member[]; false where the text is no list or names too large an id. */
static bool model_list(const char *text)
{
	const char *s, *end;

	clear();
	if (!one_word(text, &s, &end))
		return false;
	while (s < end) {
		long first, last;

		if (!read_number(&s, end, &first))
			return false;
		last = first;
		if (s < end && *s == '-') {
			s++;
			if (!read_number(&s, end, &last))
				return false;
		}
		if (first > last || last > TM_ID_MAX)
			return false;
		for (long id = first; id <= last; id++)
			set_member(id);
		if (s == end)
			return true;
		if (*s++ != ',' || s == end)
			return false;
	}
	return true;
}

/* A mask, group by group from the left. */
static bool model_mask(const char *text)
{
	const char *s, *end;
	size_t groups = 1;

	clear();
	if (!one_word(text, &s, &end))
		return false;
	for (const char *c = s; c < end; c++)
		groups += *c == ',';
	while (s < end) {
		char digits[9] = "";
		size_t n = 0;
		unsigned long bits;

		while (s < end && isxdigit((unsigned char)*s)) {
			if (n == 8)
				return false;
			digits[n++] = *s++;
		}
		if (!n || (s < end && *s != ','))
			return false;
		bits = strtoul(digits, NULL, 16);
		groups--;
		for (size_t bit = 0; bit < 32; bit++) {
			if (!(bits >> bit & 1))
				continue;
			if (groups * 32 + bit > TM_ID_MAX)
				return false;
			set_member((long)(groups * 32 + bit));
		}
		if (s < end && ++s == end)
			return false; /* a comma at the end */
	}
	return true;
}

static void same(const struct tm_idset *set)
{
	size_t count = 0;

	/* Others beyond would show in the count. */
	for (long id = 0; id < top; id++) {
		CHECK(tm_idset_has(set, id) == member[id]);
		count += member[id];
	}
	CHECK(tm_idset_count(set) == count);
	CHECK(tm_idset_empty(set) == (count == 0));
	tm_idset_for_each(id, set) {
		CHECK(member[id]);
		count--;
	}
	CHECK(count == 0);
}

/* What is printed reads back as the same set, and prints the same. */
static void round_trip(const struct tm_idset *set)
{
	struct tm_idset again = TM_IDSET_INIT;
	char *text = tm_idset_format(set), *second;

	CHECK(text && tm_idset_parse_list(&again, text) == 0);
	CHECK(tm_idset_equal(set, &again));
	second = tm_idset_format(&again);
	CHECK(second && !strcmp(text, second));
	free(second);
	free(text);
	tm_idset_release(&again);
}

static void try(const char *text, int (*parse)(struct tm_idset *set, const char *text), bool wanted)
{
	struct tm_idset set = TM_IDSET_INIT;
	int rc;

	CHECK(tm_idset_add(&set, 4711) == 0);
	rc = parse(&set, text);
	CHECK(rc == 0 || rc == -EINVAL || rc == -ERANGE);
	CHECK((rc == 0) == wanted);
	if (rc) {
		CHECK(tm_idset_count(&set) == 1 && tm_idset_has(&set, 4711));
	} else {
		same(&set);
		round_trip(&set);
	}
	tm_idset_release(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);

	try(text, tm_idset_parse_list, model_list(text));
	try(text, tm_idset_parse_mask, model_mask(text));
	free(text);
	return 0;
}
