/* SPDX-License-Identifier: GPL-2.0-only */
/* What a snapshot may hold. */
#include "tests/unit/tree.h"

#include "lib/sys/entry.h"

static void test_paths(void **state)
{
	static const char *const good[] = { "sys",	  "sys/a/b",  "./sys/",
					    "sys//a/./b", "a..b/...", "sys/\xff\xfe" };
	static const char *const bad[] = { "",	     "/",	 "/sys",	 "..",
					   "sys/..", "sys/../x", "a/b/../../..", "sys/\n",
					   "\x7f",   "\x1b[m" };
	char deep[4 * TM_SNAPSHOT_DEPTH], longest[TM_PATH_MAX + 1];

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(good); i++)
		assert_null(tm_entry_path_fault(good[i]));
	for (size_t i = 0; i < TM_ARRAY_SIZE(bad); i++)
		assert_non_null(tm_entry_path_fault(bad[i]));
	for (size_t i = 0; i < TM_SNAPSHOT_DEPTH; i++)
		memcpy(deep + 2 * i, "a/", 3);
	assert_null(tm_entry_path_fault(deep));
	strcat(deep, "a");
	assert_non_null(tm_entry_path_fault(deep));
	memset(longest, 'a', sizeof(longest));
	longest[TM_PATH_MAX - 1] = '\0';
	assert_null(tm_entry_path_fault(longest));
	longest[TM_PATH_MAX - 1] = 'a';
	longest[TM_PATH_MAX] = '\0';
	assert_non_null(tm_entry_path_fault(longest));
}

static void test_link_targets(void **state)
{
	static const struct {
		const char *path, *target;
		const char *clean; /* NULL: the target is good as it is */
	} cases[] = {
		{ "sys/a/b", "c", NULL },
		{ "sys/a/b", "../c/d", NULL },
		{ "sys/a/b", "../..", NULL },
		{ "sys/a/b", "./x/../../..", NULL },
		{ "sys/a/b", "../../..", "../.." },
		{ "sys/a/b", "../../../../etc/passwd", "../../etc/passwd" },
		{ "sys/a/b", "x/../../../../y", "x/../../../y" },
		{ "sys/a/b", "/", "../.." },
		{ "sys/a/b", "/etc", "../../etc" },
		{ "sys/a/b", "//etc/../../x", "../../etc/../x" },
		{ "top", "/", "." },
		{ "top", "..", "." },
		{ "top", "/sys", "sys" },
	};
	char clean[TM_PATH_MAX];

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		const char *fault = tm_entry_link_fault(cases[i].path, cases[i].target);

		assert_int_equal(fault == NULL, cases[i].clean == NULL);
		assert_int_equal(tm_entry_link_clean(cases[i].path, cases[i].target, clean), 0);
		assert_string_equal(clean, cases[i].clean ? cases[i].clean : cases[i].target);
		assert_null(tm_entry_link_fault(cases[i].path, clean));
	}
	assert_non_null(tm_entry_link_fault("a", ""));
	assert_non_null(tm_entry_link_fault("a", "b\n"));
	assert_int_equal(tm_entry_link_clean("a", "/b\n", clean), -ENAMETOOLONG);
}

static void test_stand_ins(void **state)
{
	static const int numbers[] = { EIO, EINVAL, ENXIO, ENODEV, EOPNOTSUPP, ENODATA };
	char text[TM_STAND_IN_MAX];
	size_t len;

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(numbers); i++) {
		len = tm_stand_in_format(text, numbers[i]);
		assert_int_equal(tm_stand_in_parse(text, len), numbers[i]);
		assert_int_equal(tm_stand_in_parse(text, len - 1), 0);
		assert_int_equal(tm_stand_in_parse(text + 1, len - 1), 0);
	}
	len = tm_stand_in_format(text, 12345);
	assert_int_equal(tm_stand_in_parse(text, len), EIO);
	assert_int_equal(tm_stand_in_parse("", 0), 0);
	assert_int_equal(tm_stand_in_parse("\0\n", 2), 0);
	assert_int_equal(tm_stand_in_parse("\0ENOTHING\n", 10), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_link_targets),
		cmocka_unit_test(test_stand_ins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
