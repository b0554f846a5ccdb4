/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/base/buf.h"
#include "lib/base/error.h"

static void test_empty(void **state)
{
	struct tm_buf buf = TM_BUF_INIT;
	char *text;

	(void)state;
	assert_string_equal(tm_buf_str(&buf), "");
	tm_buf_add(&buf, NULL, 0);
	assert_string_equal(tm_buf_str(&buf), "");
	tm_buf_reset(&buf);
	tm_buf_release(&buf);
	tm_buf_release(&buf);
	text = tm_buf_detach(&buf);
	assert_non_null(text);
	assert_string_equal(text, "");
	free(text);
}

/* Every length across the first doublings, so that the terminator's place is tried at each edge. */
static void test_growth(void **state)
{
	struct tm_buf buf = TM_BUF_INIT;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		assert_int_equal(buf.len, i);
		assert_int_equal(strlen(tm_buf_str(&buf)), i);
		tm_buf_addc(&buf, (char)('a' + i % 26));
		assert_true(buf.cap > buf.len);
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(buf.data[i], 'a' + i % 26);
	tm_buf_release(&buf);
	assert_int_equal(buf.len, 0);
	assert_null(buf.data);

	for (size_t i = 0; i < 200; i++) {
		tm_buf_addf(&buf, "%*s", (int)i, "");
		assert_int_equal(buf.len, i);
		assert_int_equal(buf.data[i], '\0');
		tm_buf_release(&buf);
	}
}

static void test_pieces(void **state)
{
	struct tm_buf buf = TM_BUF_INIT;
	char *text;

	(void)state;
	tm_buf_adds(&buf, "node");
	tm_buf_addf(&buf, "%d", 12);
	tm_buf_add(&buf, "-\0-", 3);
	assert_int_equal(buf.len, 9);
	assert_memory_equal(buf.data, "node12-\0-", 10);
	tm_buf_reset(&buf);
	assert_string_equal(tm_buf_str(&buf), "");
	tm_buf_adds(&buf, "again");
	text = tm_buf_detach(&buf);
	assert_string_equal(text, "again");
	free(text);
	assert_null(buf.data);
	assert_int_equal(buf.cap, 0);
}

/* A failed allocation is remembered; what cannot be allocated is found before it is tried. */
static void test_failure_sticks(void **state)
{
	struct tm_buf buf = TM_BUF_INIT;

	(void)state;
	tm_buf_adds(&buf, "kept");
	assert_int_equal(tm_buf_reserve(&buf, SIZE_MAX), -ENOMEM);
	assert_int_equal(tm_buf_reserve(&buf, SIZE_MAX / 2), -ENOMEM);
	assert_true(buf.failed);
	tm_buf_adds(&buf, " lost");
	tm_buf_addf(&buf, "%d", 1);
	assert_int_equal(tm_buf_reserve(&buf, 1), -ENOMEM);
	assert_string_equal(tm_buf_str(&buf), "kept");
	assert_null(tm_buf_detach(&buf));
	assert_null(buf.data);
	assert_false(buf.failed);
	tm_buf_adds(&buf, "new");
	assert_int_equal(tm_buf_reserve(&buf, SIZE_MAX), -ENOMEM);
	tm_buf_reset(&buf);
	assert_false(buf.failed);
	assert_int_equal(tm_buf_reserve(&buf, 10), 0);
	tm_buf_release(&buf);
}

/* RFC 3629, section 3, and the tables of Unicode (3-7): the edges of each row. */
static void test_utf8(void **state)
{
	static const struct {
		const char *bytes;
		size_t size, length;
	} cases[] = {
		{ "", 0, 0 },
		{ "\0", 1, 1 },
		{ "a", 1, 1 },
		{ "\x7f", 1, 1 },
		{ "\x80", 1, 0 },
		{ "\xbf", 1, 0 },
		{ "\xc0\x80", 2, 0 },
		{ "\xc1\xbf", 2, 0 },
		{ "\xc2\x80", 2, 2 },
		{ "\xc2", 1, 0 },
		{ "\xc2\x7f", 2, 0 },
		{ "\xc2\xc0", 2, 0 },
		{ "\xdf\xbf", 2, 2 },
		{ "\xe0\x80\x80", 3, 0 },
		{ "\xe0\x9f\xbf", 3, 0 },
		{ "\xe0\xa0\x80", 3, 3 },
		{ "\xe0\xa0", 2, 0 },
		{ "\xe0\xa0z", 3, 0 },
		{ "\xed\x9f\xbf", 3, 3 },
		{ "\xed\xa0\x80", 3, 0 }, /* a surrogate */
		{ "\xed\xbf\xbf", 3, 0 },
		{ "\xee\x80\x80", 3, 3 },
		{ "\xef\xbf\xbf", 3, 3 },
		{ "\xf0\x80\x80\x80", 4, 0 },
		{ "\xf0\x8f\xbf\xbf", 4, 0 },
		{ "\xf0\x90\x80\x80", 4, 4 },
		{ "\xf0\x90\x80", 3, 0 },
		{ "\xf4\x8f\xbf\xbf", 4, 4 },
		{ "\xf4\x90\x80\x80", 4, 0 }, /* above U+10FFFF */
		{ "\xf5\x80\x80\x80", 4, 0 },
		{ "\xff\xff\xff\xff", 4, 0 },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		/* At the end of an allocation, so that sanitizers see a byte too far. */
		char *copy = malloc(cases[i].size ? cases[i].size : 1);

		assert_non_null(copy);
		memcpy(copy, cases[i].bytes, cases[i].size);
		if (tm_utf8_length(copy, cases[i].size) != cases[i].length)
			fail_msg("case %zu: %zu", i, tm_utf8_length(copy, cases[i].size));
		free(copy);
	}
}

static void test_printable(void **state)
{
	static const struct {
		const char *in;
		size_t len;
		const char *out;
	} cases[] = {
		{ "plain", 5, "plain" },
		{ "", 0, "" },
		{ "a\x1b[31mb", 7, "a\\x1b[31mb" },
		{ "\t\n\r", 3, "\\x09\\x0a\\x0d" },
		{ "\0", 1, "\\x00" },
		{ "\x7f", 1, "\\x7f" },
		{ "\xc2\x9b"
		  "2J",
		  4, "\\xc2\\x9b2J" }, /* CSI of C1 */
		{ "\xc2\x80\xc2\x9f", 4, "\\xc2\\x80\\xc2\\x9f" },
		{ "\xc2\xa0", 2, "\xc2\xa0" },
		{ "\xc3\xa9", 2, "\xc3\xa9" },
		{ "\xff\xc3", 2, "\\xff\\xc3" },
		{ "\xe2\x82", 2, "\\xe2\\x82" },
		{ "\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80" },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_buf buf = TM_BUF_INIT;

		tm_buf_add_printable(&buf, cases[i].in, cases[i].len);
		assert_string_equal(tm_buf_str(&buf), cases[i].out);
		tm_buf_release(&buf);
	}
}

static void test_array(void **state)
{
	struct pair {
		int a, b;
	} *list = NULL;
	size_t cap = 0;

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		assert_int_equal(tm_array_grow(&list, i, &cap, sizeof(*list)), 0);
		assert_true(cap > i);
		/* New elements are zeroed, old ones kept. */
		for (size_t k = i; k < cap; k++)
			assert_true(list[k].a == 0 && list[k].b == 0);
		list[i] = (struct pair){ (int)i + 1, -(int)i };
	}
	for (size_t i = 0; i < 100; i++)
		assert_true(list[i].a == (int)i + 1 && list[i].b == -(int)i);
	/* An index far beyond the end. */
	assert_int_equal(tm_array_grow(&list, 5000, &cap, sizeof(*list)), 0);
	assert_true(cap > 5000);
	assert_int_equal(list[5000].a, 0);
	assert_int_equal(list[99].a, 100);
	assert_int_equal(tm_array_grow(&list, SIZE_MAX / 2, &cap, sizeof(*list)), -ENOMEM);
	assert_int_equal(list[99].a, 100);
	free(list);
}

static void test_error(void **state)
{
	struct tm_error err = { 0 };
	char big[2000];

	(void)state;
	assert_int_equal(tm_error_set(&err, EINVAL, "%s: no", "x"), -EINVAL);
	assert_int_equal(err.number, EINVAL);
	assert_string_equal(err.text, "x: no");
	tm_error_hint(&err, "try %d", 2);
	assert_string_equal(err.hint, "try 2");
	/* A new error does not keep the old one's hint. */
	assert_int_equal(tm_error_errno(&err, ENOENT, "/a"), -ENOENT);
	assert_string_equal(err.text, "/a: No such file or directory");
	assert_string_equal(err.hint, "");
	assert_int_equal(tm_error_nomem(&err), -ENOMEM);
	assert_int_equal(err.number, ENOMEM);

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	tm_error_set(&err, EINVAL, "%s", big);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	tm_error_errno(&err, EIO, "%s", big);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	tm_error_hint(&err, "%s", big);
	assert_int_equal(strlen(err.hint), sizeof(err.hint) - 1);

	/* Nobody has to want the words. */
	assert_int_equal(tm_error_set(NULL, EPERM, "x"), -EPERM);
	assert_int_equal(tm_error_errno(NULL, EPERM, "x"), -EPERM);
	assert_int_equal(tm_error_nomem(NULL), -ENOMEM);
	tm_error_hint(NULL, "x");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),  cmocka_unit_test(test_growth),
		cmocka_unit_test(test_pieces), cmocka_unit_test(test_failure_sticks),
		cmocka_unit_test(test_utf8),   cmocka_unit_test(test_printable),
		cmocka_unit_test(test_array),  cmocka_unit_test(test_error),
	};

	return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
