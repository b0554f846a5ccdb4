/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/json/parse.h"
#include "lib/out/document.h"

static struct tm_jdoc *head(const struct tm_identity *identity)
{
	struct tm_json *json = tm_json_new();
	struct tm_error err = { 0 };
	struct tm_jdoc *doc;
	char *text;

	tm_document_begin(json, "topology", 1, identity);
	assert_int_equal(tm_json_print(json, true, &text, &err), 0);
	tm_json_free(json);
	/* The schema comes first, so that a reader knows at once what it has. */
	assert_int_equal(strncmp(text, "{\"schema\":\"tiermem.topology/1\",", 31), 0);
	assert_int_equal(tm_jdoc_parse("x", text, strlen(text), &doc, &err), 0);
	free(text);
	return doc;
}

static void test_known(void **state)
{
	struct tm_identity identity = {
		.kernel = { strdup("6.12.0"), TM_KNOWN },
		.host = { strdup("name"), TM_KNOWN },
		.boot_id = { strdup("id"), TM_KNOWN },
		.root = "/captured",
	};
	static const struct {
		const char *key, *value;
	} members[] = {
		{ "schema", "tiermem.topology/1" },
		{ "tiermem", TIERMEM_VERSION },
		{ "kernel", "6.12.0" },
		{ "host", "name" },
		{ "boot_id", "id" },
		{ "root", "/captured" },
	};
	struct tm_jdoc *doc = head(&identity);
	const struct tm_jvalue *root = tm_jdoc_root(doc);
	const char *stamp = tm_jvalue_string(tm_jvalue_get(root, "time"));

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(members); i++)
		assert_string_equal(tm_jvalue_string(tm_jvalue_get(root, members[i].key)),
				    members[i].value);
	/* 2025-01-31T23:59:59Z */
	assert_non_null(stamp);
	assert_int_equal(strlen(stamp), 20);
	for (size_t i = 0; i < 20; i++) {
		static const char shape[] = "0000-00-00T00:00:00Z";

		if (shape[i] == '0')
			assert_in_range(stamp[i], '0', '9');
		else
			assert_int_equal(stamp[i], shape[i]);
	}
	tm_jdoc_free(doc);
	tm_text_release(&identity.kernel);
	tm_text_release(&identity.host);
	tm_text_release(&identity.boot_id);
}

static void test_unknown(void **state)
{
	const struct tm_identity identity = {
		.kernel = { NULL, TM_DENIED },
		.host = { NULL, TM_ABSENT },
		.boot_id = { NULL, TM_UNKNOWN },
		.root = "/",
	};
	struct tm_jdoc *doc = head(&identity);
	const struct tm_jvalue *root = tm_jdoc_root(doc);

	(void)state;
	assert_int_equal(tm_jvalue_type(tm_jvalue_get(root, "kernel")), TM_JNULL);
	assert_string_equal(tm_jvalue_string(tm_jvalue_get(root, "kernel_reason")), "denied");
	assert_string_equal(tm_jvalue_string(tm_jvalue_get(root, "host_reason")), "absent");
	assert_int_equal(tm_jvalue_type(tm_jvalue_get(root, "boot_id")), TM_JNULL);
	assert_null(tm_jvalue_get(root, "boot_id_reason"));
	tm_jdoc_free(doc);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests_name("document", tests, NULL, NULL);
}
