/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include <math.h>

#include "lib/json/parse.h"

static int parse(const char *text, size_t len, struct tm_jdoc **doc, struct tm_error *err)
{
	/* At the end of an allocation, without a NUL, so that sanitizers see a byte too far. */
	char *copy = malloc(len ? len : 1);
	int rc;

	assert_non_null(copy);
	memcpy(copy, text, len);
	rc = tm_jdoc_parse("file.json", copy, len, doc, err);
	free(copy);
	return rc;
}

struct bytes {
	const char *text;
	size_t len;
};
#define TEXT(literal)                        \
	{                                    \
		literal, sizeof(literal) - 1 \
	}

static void test_accepted(void **state)
{
	static const struct bytes cases[] = {
		TEXT("{}"),
		TEXT("[]"),
		TEXT("0"),
		TEXT("-0"),
		TEXT("\"\""),
		TEXT("null"),
		TEXT("true"),
		TEXT("false"),
		TEXT(" \t\r\n{ } \t\r\n"),
		TEXT("[1,2.5,-3e4,5E-6,7e+8,0.0,-0.1]"),
		TEXT("[[],{},[{}],[[[]]]]"),
		TEXT("{\"\":1}"),
		TEXT("{\"a\":{\"a\":{\"a\":[\"a\"]}}}"), /* no duplicates: other objects */
		TEXT("{\"a\":1,\"A\":2,\"a \":3}"),
		TEXT("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\"]"),
		TEXT("[\"\\ud83d\\ude00\"]"),
		TEXT("[\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"]"),
		TEXT("[\"\x7f\"]"),
		TEXT("[\"\\\\u0000\"]"), /* a backslash, then u0000 */
		TEXT("[\"\\u0002\"]"),
		TEXT("[99999999999999999999999999999999999999]"),
		TEXT("[1e999]"),
		TEXT("[\"{[,:]}\"]"),
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_error err = { 0 };
		struct tm_jdoc *doc = NULL;

		if (parse(cases[i].text, cases[i].len, &doc, &err))
			fail_msg("%s: %s", cases[i].text, err.text);
		assert_non_null(tm_jdoc_root(doc));
		tm_jdoc_free(doc);
	}
}

static void test_refused(void **state)
{
	static const struct bytes cases[] = {
		TEXT(""),
		TEXT(" "),
		TEXT("\0"),
		TEXT("{}\0"),
		TEXT("{\0}"),
		TEXT("[\"a\0b\"]"),
		TEXT("\xef\xbb\xbf{}"), /* a byte order mark */
		TEXT("{"),
		TEXT("}"),
		TEXT("["),
		TEXT("]"),
		TEXT("[}"),
		TEXT("{]"),
		TEXT("[1"),
		TEXT("[1,"),
		TEXT("[1,]"),
		TEXT("[,1]"),
		TEXT("[1 2]"),
		TEXT("[1,,2]"),
		TEXT("{\"a\"}"),
		TEXT("{\"a\":}"),
		TEXT("{\"a\":1,}"),
		TEXT("{,}"),
		TEXT("{\"a\" 1}"),
		TEXT("{\"a\":1 \"b\":2}"),
		TEXT("{a:1}"),
		TEXT("{'a':1}"),
		TEXT("{1:2}"),
		TEXT("{null:2}"),
		TEXT("{} {}"),
		TEXT("{}x"),
		TEXT("1 2"),
		TEXT("{}//"),
		TEXT("/* */{}"),
		TEXT("nul"),
		TEXT("nulll"),
		TEXT("NULL"),
		TEXT("True"),
		TEXT("truefalse"),
		TEXT("[true false]"),
		TEXT("NaN"),
		TEXT("[Infinity]"),
		TEXT("[-Infinity]"),
		TEXT("[undefined]"),
		TEXT("[01]"),
		TEXT("[-01]"),
		TEXT("[00]"),
		TEXT("[1.]"),
		TEXT("[.5]"),
		TEXT("[+1]"),
		TEXT("[-]"),
		TEXT("[--1]"),
		TEXT("[1e]"),
		TEXT("[1e+]"),
		TEXT("[1.e1]"),
		TEXT("[1.5.5]"),
		TEXT("[0x10]"),
		TEXT("[1a]"),
		TEXT("[1_000]"),
		TEXT("[1-2]"),
		TEXT("-"),
		TEXT("\""),
		TEXT("[\"abc]"),
		TEXT("[\"abc\\\"]"),
		TEXT("[\"\\"),
		TEXT("[\"\\x41\"]"),
		TEXT("[\"\\'\"]"),
		TEXT("[\"\\u12\"]"),
		TEXT("[\"\\u12g4\"]"),
		TEXT("[\"\\u\"]"),
		TEXT("[\"\\u123"),
		TEXT("[\"\\u123\"]"),
		TEXT("[\"\\u123gh\"]"),
		TEXT("[\"\\u 041\"]"),
		TEXT("[\"\\ud83d\"]"), /* half a pair, and the other half */
		TEXT("[\"\\ude00\"]"),
		TEXT("[\"\\ud83d\\u0041\"]"),
		TEXT("[\"\\u0000\"]"),
		TEXT("[\"a\nb\"]"),
		TEXT("[\"a\tb\"]"),
		TEXT("[\"\x01\"]"),
		TEXT("[\"\x1f\"]"),
		TEXT("[\x0b]"),
		TEXT("[\xc2\xa0]"), /* no white space to JSON */
		TEXT("[\"\xff\"]"),
		TEXT("[\"\xc0\x80\"]"),
		TEXT("[\"\xed\xa0\x80\"]"),
		TEXT("[\"\xf4\x90\x80\x80\"]"),
		TEXT("[\"\xe2\x82\"]"),
		TEXT("{\"\xff\":1}"),
		TEXT("{\"a\":1,\"a\":1}"),
		TEXT("{\"a\":1,\"b\":2,\"a\":3}"),
		TEXT("{\"\":1,\"\":2}"),
		TEXT("{\"a\":1,\"\\u0061\":2}"), /* one key in two spellings */
		TEXT("[{\"x\":{\"a\":1,\"a\":1}}]"),
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_error err = { 0 };
		struct tm_jdoc *doc = (struct tm_jdoc *)&err, *before = doc;
		int rc = parse(cases[i].text, cases[i].len, &doc, &err);

		if (rc != -EINVAL)
			fail_msg("case %zu, %s: %d", i, cases[i].text, rc);
		assert_ptr_equal(doc, before);
		assert_int_equal(err.number, EINVAL);
		/* The sentence begins with the file. */
		assert_int_equal(strncmp(err.text, "file.json:", 10), 0);
		assert_int_equal(parse(cases[i].text, cases[i].len, &doc, NULL), -EINVAL);
	}
}

static void test_position(void **state)
{
	struct tm_error err = { 0 };
	struct tm_jdoc *doc;

	(void)state;
	assert_int_equal(parse("{\n  \"a\": 01\n}", 13, &doc, &err), -EINVAL);
	assert_non_null(strstr(err.text, "file.json:2:8: "));
	assert_int_equal(parse("\x01", 1, &doc, &err), -EINVAL);
	assert_non_null(strstr(err.text, "file.json:1:1: "));
	assert_int_equal(parse("[\n\n\"ab\xff\"]", 8, &doc, &err), -EINVAL);
	assert_non_null(strstr(err.text, "file.json:3:4: "));
	assert_int_equal(parse("[\"abc", 5, &doc, &err), -EINVAL);
	assert_non_null(strstr(err.text, "file.json:1:2: "));
}

static void test_nesting(void **state)
{
	char text[2 * 300];

	(void)state;
	for (size_t depth = 60; depth < 300; depth += depth < 70 ? 1 : 50) {
		struct tm_error err = { 0 };
		struct tm_jdoc *doc = NULL;
		int rc;

		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		rc = parse(text, 2 * depth, &doc, &err);
		assert_int_equal(rc, depth <= 64 ? 0 : -EINVAL);
		if (rc)
			assert_non_null(strstr(err.text, "deep"));
		else
			tm_jdoc_free(doc);
	}
	/* Brackets in strings do not count. */
	memset(text, '[', sizeof(text));
	text[1] = '"';
	text[sizeof(text) - 2] = '"';
	text[sizeof(text) - 1] = ']';
	{
		struct tm_jdoc *doc = NULL;

		assert_int_equal(parse(text, sizeof(text), &doc, NULL), 0);
		tm_jdoc_free(doc);
	}
}

/* 1: a value came out; else the error. `i` and `u` hold it where one is wanted. */
static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		int unsigned_rc, signed_rc, double_rc;
		uint64_t u;
		int64_t i;
		double d;
	} cases[] = {
		{ "0", 0, 0, 0, 0, 0, 0 },
		{ "-0", 0, 0, 0, 0, 0, 0 },
		{ "1", 0, 0, 0, 1, 1, 1 },
		{ "-1", -ERANGE, 0, 0, 0, -1, -1 },
		{ "9007199254740993", 0, 0, 0, 9007199254740993, 9007199254740993,
		  9007199254740992.0 },
		{ "9223372036854775807", 0, 0, 0, INT64_MAX, INT64_MAX, 0x1p63 },
		{ "9223372036854775808", 0, -ERANGE, 0, 1ULL << 63, 0, 0x1p63 },
		{ "18446744073709551615", 0, -ERANGE, 0, UINT64_MAX, 0, 0x1p64 },
		{ "18446744073709551616", -ERANGE, -ERANGE, 0, 0, 0, 0x1p64 },
		{ "-9223372036854775808", -ERANGE, 0, 0, 0, INT64_MIN, -0x1p63 },
		{ "-9223372036854775809", -ERANGE, -ERANGE, 0, 0, 0, -0x1p63 },
		{ "1.0", -EINVAL, -EINVAL, 0, 0, 0, 1 },
		{ "1.5", -EINVAL, -EINVAL, 0, 0, 0, 1.5 },
		{ "1e3", -EINVAL, -EINVAL, 0, 0, 0, 1000 },
		{ "-2.5E-1", -EINVAL, -EINVAL, 0, 0, 0, -0.25 },
		{ "1e999", -EINVAL, -EINVAL, -ERANGE, 0, 0, 0 },
		{ "-1e999", -EINVAL, -EINVAL, -ERANGE, 0, 0, 0 },
		{ "1e-999", -EINVAL, -EINVAL, 0, 0, 0, 0 },
		{ "\"1\"", -EINVAL, -EINVAL, -EINVAL, 0, 0, 0 },
		{ "true", -EINVAL, -EINVAL, -EINVAL, 0, 0, 0 },
		{ "null", -EINVAL, -EINVAL, -EINVAL, 0, 0, 0 },
		{ "[1]", -EINVAL, -EINVAL, -EINVAL, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		const struct tm_jvalue *value;
		struct tm_jdoc *doc;
		uint64_t u = 77;
		int64_t s = 77;
		double d = 77;

		assert_int_equal(parse(cases[i].text, strlen(cases[i].text), &doc, NULL), 0);
		value = tm_jdoc_root(doc);
		if (tm_jvalue_u64(value, &u) != cases[i].unsigned_rc ||
		    tm_jvalue_i64(value, &s) != cases[i].signed_rc ||
		    tm_jvalue_double(value, &d) != cases[i].double_rc)
			fail_msg("%s: another result", cases[i].text);
		assert_int_equal(u, cases[i].unsigned_rc ? 77 : cases[i].u);
		assert_int_equal(s, cases[i].signed_rc ? 77 : cases[i].i);
		assert_true(cases[i].double_rc ? d == 77.0 : d == cases[i].d);
		tm_jdoc_free(doc);
	}
}

static void test_walk(void **state)
{
	static const char text[] = "{\"b\":true,\"f\":false,\"n\":null,\"s\":\"\\u00e9\\u0002\","
				   "\"l\":[1,\"1\",[]],\"o\":{\"k\":2},\"A\":1,\"a\":2}";
	const struct tm_jvalue *root, *value;
	struct tm_jdoc *doc;
	uint64_t number;
	size_t members = 0;
	int truth = 7;

	(void)state;
	assert_int_equal(parse(text, strlen(text), &doc, NULL), 0);
	root = tm_jdoc_root(doc);
	assert_int_equal(tm_jvalue_type(root), TM_JOBJECT);
	assert_null(tm_jvalue_key(root));
	for (value = tm_jvalue_first(root); value; value = tm_jvalue_next(value)) {
		assert_non_null(tm_jvalue_key(value));
		assert_ptr_equal(tm_jvalue_get(root, tm_jvalue_key(value)), value);
		members++;
	}
	assert_int_equal(members, 8);
	assert_null(tm_jvalue_get(root, "none"));
	assert_null(tm_jvalue_get(root, ""));

	assert_int_equal(tm_jvalue_bool(tm_jvalue_get(root, "b"), &truth), 0);
	assert_int_equal(truth, 1);
	assert_int_equal(tm_jvalue_bool(tm_jvalue_get(root, "f"), &truth), 0);
	assert_int_equal(truth, 0);
	truth = 7;
	assert_int_equal(tm_jvalue_bool(tm_jvalue_get(root, "n"), &truth), -EINVAL);
	assert_int_equal(tm_jvalue_bool(tm_jvalue_get(root, "A"), &truth), -EINVAL);
	assert_int_equal(truth, 7);
	assert_int_equal(tm_jvalue_type(tm_jvalue_get(root, "n")), TM_JNULL);
	assert_int_equal(tm_jvalue_type(tm_jvalue_get(root, "A")), TM_JNUMBER);
	assert_string_equal(tm_jvalue_string(tm_jvalue_get(root, "s")), "\xc3\xa9\x02");
	assert_null(tm_jvalue_string(tm_jvalue_get(root, "A")));
	assert_null(tm_jvalue_string(tm_jvalue_get(root, "l")));
	/* Keys are told apart by case. */
	assert_int_equal(tm_jvalue_u64(tm_jvalue_get(root, "a"), &number), 0);
	assert_int_equal(number, 2);

	value = tm_jvalue_first(tm_jvalue_get(root, "l"));
	assert_null(tm_jvalue_key(value));
	assert_int_equal(tm_jvalue_type(value), TM_JNUMBER);
	value = tm_jvalue_next(value);
	assert_int_equal(tm_jvalue_type(value), TM_JSTRING);
	assert_null(tm_jvalue_first(value));
	value = tm_jvalue_next(value);
	assert_int_equal(tm_jvalue_type(value), TM_JARRAY);
	assert_null(tm_jvalue_first(value));
	assert_null(tm_jvalue_next(value));
	assert_null(tm_jvalue_get(tm_jvalue_get(root, "l"), "k"));
	tm_jdoc_free(doc);
	tm_jdoc_free(NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_position), cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_numbers),	 cmocka_unit_test(test_walk),
	};

	return cmocka_run_group_tests_name("json-parse", tests, NULL, NULL);
}
