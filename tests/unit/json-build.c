/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include <math.h>

#include "lib/json/build.h"
#include "lib/json/parse.h"

/* Prints compactly, checks the text, and frees the builder. */
static void expect(struct tm_json *json, const char *wanted)
{
	struct tm_error err = { 0 };
	char *text = NULL;

	assert_non_null(json);
	assert_int_equal(tm_json_print(json, true, &text, &err), 0);
	assert_string_equal(text, wanted);
	free(text);
	tm_json_free(json);
}

static void expect_failure(struct tm_json *json)
{
	struct tm_error err = { 0 };
	char untouched[] = "x", *text = untouched;

	assert_int_equal(tm_json_print(json, true, &text, &err), -EINVAL);
	assert_ptr_equal(text, untouched);
	assert_int_equal(err.number, EINVAL);
	assert_string_not_equal(err.text, "");
	tm_json_free(json);
}

static void test_empty(void **state)
{
	struct tm_json *json = tm_json_new();

	(void)state;
	expect(json, "{}\n");
	tm_json_free(NULL);
}

static void test_nesting(void **state)
{
	struct tm_json *json = tm_json_new();
	struct tm_error err = { 0 };
	char *text;

	(void)state;
	tm_json_object(json, "a");
	tm_json_bool(json, "t", true);
	tm_json_bool(json, "f", false);
	tm_json_null(json, "n");
	tm_json_end(json);
	tm_json_array(json, "l");
	tm_json_u64(json, NULL, 1);
	tm_json_object(json, NULL);
	tm_json_end(json);
	tm_json_array(json, NULL);
	tm_json_end(json);
	tm_json_end(json);
	tm_json_string(json, "", "empty key");
	/* Printing changes nothing: it can be done again. */
	assert_int_equal(tm_json_print(json, false, &text, &err), 0);
	assert_int_equal(text[strlen(text) - 1], '\n');
	free(text);
	expect(json, "{\"a\":{\"t\":true,\"f\":false,\"n\":null},\"l\":[1,{},[]],"
		     "\"\":\"empty key\"}\n");
}

static void test_integers(void **state)
{
	struct tm_json *json = tm_json_new();

	(void)state;
	tm_json_array(json, "n");
	tm_json_u64(json, NULL, 0);
	tm_json_u64(json, NULL, UINT64_MAX);
	tm_json_u64(json, NULL, (1ULL << 53) + 1);
	tm_json_u64(json, NULL, 1ULL << 63);
	tm_json_i64(json, NULL, INT64_MIN);
	tm_json_i64(json, NULL, INT64_MAX);
	tm_json_i64(json, NULL, -1);
	tm_json_i64(json, NULL, -(1LL << 53) - 1);
	tm_json_end(json);
	expect(json, "{\"n\":[0,18446744073709551615,9007199254740993,9223372036854775808,"
		     "-9223372036854775808,9223372036854775807,-1,-9007199254740993]}\n");
}

static void test_doubles(void **state)
{
	struct tm_json *json = tm_json_new();

	(void)state;
	tm_json_array(json, "d");
	tm_json_double(json, NULL, 0.5);
	tm_json_double(json, NULL, 12345.678);
	tm_json_double(json, NULL, -1e300);
	tm_json_double(json, NULL, 1e-300);
	tm_json_double(json, NULL, (double)NAN);
	tm_json_double(json, NULL, (double)INFINITY);
	tm_json_double(json, NULL, (double)-INFINITY);
	tm_json_end(json);
	expect(json, "{\"d\":[0.5,12345.7,-1e+300,1e-300,null,null,null]}\n");
}

static void test_strings(void **state)
{
	struct tm_json *json = tm_json_new();

	(void)state;
	tm_json_array(json, "s");
	tm_json_string(json, NULL, NULL);
	tm_json_string(json, NULL, "");
	tm_json_string(json, NULL, "\"\\/\b\f\n\r\t");
	tm_json_string(json, NULL, "\x02\x1f");
	tm_json_string(json, NULL, "\xc3\xa9\xf0\x9f\x98\x80");
	tm_json_string(json, NULL, "caf\xe9");		    /* Latin-1 */
	tm_json_string(json, NULL, "\xc0\x80\xed\xa0\x80"); /* overlong; a surrogate */
	tm_json_string(json, NULL, "\xe2\x82");		    /* cut short */
	tm_json_end(json);
	expect(json, "{\"s\":[null,\"\",\"\\\"\\\\/\\b\\f\\n\\r\\t\",\"\\u0002\\u001f\","
		     "\"\xc3\xa9\xf0\x9f\x98\x80\",\"caf\\\\xe9\","
		     "\"\\\\xc0\\\\x80\\\\xed\\\\xa0\\\\x80\",\"\\\\xe2\\\\x82\"]}\n");
}

static void test_values(void **state)
{
	struct tm_json *json = tm_json_new();
	struct tm_idset set = TM_IDSET_INIT;
	struct tm_text word = { strdup("x"), TM_KNOWN }, none = { NULL, TM_ABSENT };

	(void)state;
	tm_json_idset(json, "empty", &set);
	tm_idset_parse_list(&set, "0-3,8");
	tm_json_idset(json, "set", &set);
	tm_json_num(json, "zero", tm_num_known(0));
	tm_json_num(json, "denied", tm_num_none(TM_DENIED));
	tm_json_num(json, "unknown", tm_num_none(TM_UNKNOWN));
	tm_json_text(json, "word", &word);
	tm_json_text(json, "none", &none);
	tm_json_none(json, "bad", TM_MALFORMED);
	tm_json_array(json, "list");
	tm_json_num(json, NULL, tm_num_none(TM_DENIED));
	tm_json_none(json, NULL, TM_OFFLINE);
	tm_json_end(json);
	tm_idset_release(&set);
	tm_text_release(&word);
	expect(json, "{\"empty\":\"\",\"set\":\"0-3,8\",\"zero\":0,\"denied\":null,"
		     "\"denied_reason\":\"denied\",\"unknown\":null,\"word\":\"x\",\"none\":null,"
		     "\"none_reason\":\"absent\",\"bad\":null,\"bad_reason\":\"malformed\","
		     "\"list\":[null,null]}\n");
}

/* What a program does wrong is told once, at the end, and harms nothing until then. */
static void test_misuse(void **state)
{
	struct tm_json *json;

	(void)state;
	json = tm_json_new();
	tm_json_end(json); /* one too many */
	tm_json_u64(json, "a", 1);
	expect_failure(json);

	json = tm_json_new();
	tm_json_object(json, "open");
	expect_failure(json);

	json = tm_json_new();
	tm_json_u64(json, NULL, 1); /* an object's member without a key */
	expect_failure(json);

	json = tm_json_new();
	tm_json_array(json, "list");
	tm_json_u64(json, "key", 1); /* an array's member with one */
	tm_json_end(json);
	expect_failure(json);

	json = tm_json_new();
	tm_json_object(json, NULL);
	tm_json_end(json);
	tm_json_end(json);
	expect_failure(json);
}

static void test_depth(void **state)
{
	for (int depth = 30; depth < 40; depth++) {
		struct tm_json *json = tm_json_new();
		struct tm_error err = { 0 };
		char *text = NULL;
		int rc;

		(void)state;
		for (int i = 0; i < depth; i++)
			tm_json_object(json, "o");
		for (int i = 0; i < depth; i++)
			tm_json_end(json);
		rc = tm_json_print(json, true, &text, &err);
		/* The document itself is the first of the 32. */
		assert_int_equal(rc, depth <= 31 ? 0 : -EINVAL);
		free(text);
		tm_json_free(json);
	}
}

/* What the builder writes, the parser takes back with every bit. */
static void test_round_trip(void **state)
{
	static const uint64_t numbers[] = {
		0,	   1,	       (1ULL << 53) - 1, (1ULL << 53) + 1,
		INT64_MAX, 1ULL << 63, UINT64_MAX - 1,	 UINT64_MAX
	};
	struct tm_json *json = tm_json_new();
	struct tm_error err = { 0 };
	const struct tm_jvalue *value;
	struct tm_jdoc *doc;
	char *text;
	size_t at = 0;

	(void)state;
	tm_json_array(json, "n");
	for (size_t i = 0; i < TM_ARRAY_SIZE(numbers); i++)
		tm_json_u64(json, NULL, numbers[i]);
	tm_json_end(json);
	tm_json_string(json, "s", "\x02\"\\\xc3\xa9\n");
	assert_int_equal(tm_json_print(json, false, &text, &err), 0);
	tm_json_free(json);

	assert_int_equal(tm_jdoc_parse("x", text, strlen(text), &doc, &err), 0);
	free(text);
	value = tm_jvalue_first(tm_jvalue_get(tm_jdoc_root(doc), "n"));
	for (; value; value = tm_jvalue_next(value)) {
		uint64_t number;

		assert_int_equal(tm_jvalue_u64(value, &number), 0);
		assert_int_equal(number, numbers[at++]);
	}
	assert_int_equal(at, TM_ARRAY_SIZE(numbers));
	assert_string_equal(tm_jvalue_string(tm_jvalue_get(tm_jdoc_root(doc), "s")),
			    "\x02\"\\\xc3\xa9\n");
	tm_jdoc_free(doc);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),	   cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_integers),   cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_strings),	   cmocka_unit_test(test_values),
		cmocka_unit_test(test_misuse),	   cmocka_unit_test(test_depth),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests_name("json-build", tests, NULL, NULL);
}
