/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses, walks with all typed readings, and builds again what was read: what is built is stable.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "lib/base/buf.h"
#include "lib/json/build.h"
#include "lib/json/parse.h"
#include "tests/fuzz/fuzz.h"

static void add_number(struct tm_json *json, const char *key, const struct tm_jvalue *value)
{
	uint64_t u = 1;
	int64_t i = 1;
	double d = 1;
	int is_u = tm_jvalue_u64(value, &u), is_i = tm_jvalue_i64(value, &i);
	int is_d = tm_jvalue_double(value, &d);

	CHECK(is_u == 0 || is_u == -EINVAL || is_u == -ERANGE);
	CHECK(is_u == 0 || u == 1);
	CHECK(is_i == 0 || i == 1);
	/* A fraction to one is a fraction to the other. */
	CHECK((is_u == -EINVAL) == (is_i == -EINVAL));
	CHECK(is_u || is_i || (uint64_t)i == u);
	CHECK(is_d == 0 || is_d == -ERANGE);
	CHECK(is_d || isfinite(d));
	if (!is_u)
		tm_json_u64(json, key, u);
	else if (!is_i)
		tm_json_i64(json, key, i);
	else if (!is_d)
		tm_json_double(json, key, d == 0 ? 0 : d); /* no -0 */
	else
		tm_json_null(json, key);
}

static void add(struct tm_json *json, const char *key, const struct tm_jvalue *value)
{
	int truth = 7;

	/* A value is of one type: the readings of the others refuse it and change nothing. */
	CHECK((tm_jvalue_bool(value, &truth) == 0) == (tm_jvalue_type(value) == TM_JBOOL));
	CHECK((tm_jvalue_string(value) != NULL) == (tm_jvalue_type(value) == TM_JSTRING));
	switch (tm_jvalue_type(value)) {
	case TM_JNULL:
		tm_json_null(json, key);
		break;
	case TM_JBOOL:
		CHECK(truth == 0 || truth == 1);
		tm_json_bool(json, key, truth);
		break;
	case TM_JNUMBER:
		add_number(json, key, value);
		break;
	case TM_JSTRING: {
		const char *text = tm_jvalue_string(value);
		size_t len = strlen(text), n;

		for (size_t i = 0; i < len; i += n) {
			n = tm_utf8_length(text + i, len - i);
			CHECK(n);
		}
		tm_json_string(json, key, text);
		break;
	}
	case TM_JARRAY:
		tm_json_array(json, key);
		for (value = tm_jvalue_first(value); value; value = tm_jvalue_next(value)) {
			CHECK(!tm_jvalue_key(value));
			add(json, NULL, value);
		}
		tm_json_end(json);
		break;
	case TM_JOBJECT: {
		const struct tm_jvalue *member = tm_jvalue_first(value);

		tm_json_object(json, key);
		for (; member; member = tm_jvalue_next(member)) {
			CHECK(tm_jvalue_key(member));
			/* No key twice. */
			CHECK(tm_jvalue_get(value, tm_jvalue_key(member)) == member);
			add(json, tm_jvalue_key(member), member);
		}
		tm_json_end(json);
		break;
	}
	}
}

/* What the builder makes of a text; NULL where it is no document, or too deep to build. */
static char *rebuild(const char *text, size_t size, bool compact)
{
	struct tm_jdoc *doc = NULL;
	struct tm_error err = { 0 };
	struct tm_json *json;
	char *built = NULL;
	int rc = tm_jdoc_parse("input", text, size, &doc, &err);

	if (rc) {
		CHECK(rc == -EINVAL && !doc && err.number == EINVAL);
		CHECK(!strncmp(err.text, "input:", 6));
		return NULL;
	}
	json = tm_json_new();
	CHECK(json);
	add(json, "document", tm_jdoc_root(doc));
	tm_jdoc_free(doc);
	rc = tm_json_print(json, compact, &built, &err);
	CHECK(rc == 0 || (rc == -EINVAL && !built));
	tm_json_free(json);
	return built;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly as large as the input: the parser is given a length. */
	char *first = rebuild((const char *)data, size, true), *second, *third;
	struct tm_error err = { 0 };
	struct tm_jdoc *doc = NULL;

	if (!first)
		return 0;
	CHECK(tm_jdoc_parse("input", first, strlen(first), &doc, &err) == 0);
	tm_jdoc_free(doc);
	/* {"document":{"document":…}}: take the inner one, so that nothing grows. */
	second = rebuild(first + strlen("{\"document\":"),
			 strlen(first) - strlen("{\"document\":}\n"), false);
	CHECK(second);
	third = rebuild(second, strlen(second), true);
	if (third) {
		/* As the first, inside another "document". */
		CHECK(strlen(third) == strlen(first) + strlen("{\"document\":}"));
		CHECK(!strncmp(third + strlen("{\"document\":"), first, strlen(first) - 1));
	}
	free(first);
	free(second);
	free(third);
	return 0;
}
