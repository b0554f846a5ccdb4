/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/base/value.h"

static void test_reason(void **state)
{
	static const struct {
		enum tm_state state;
		const char *reason;
	} cases[] = {
		{ TM_ABSENT, "absent" },
		{ TM_DENIED, "denied" },
		{ TM_UNSUPPORTED, "unsupported" },
		{ TM_MALFORMED, "malformed" },
		{ TM_NOT_PROVIDED, "not-provided" },
		{ TM_OFFLINE, "offline" },
		{ TM_NOT_ASKED, "not-asked" },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++)
		assert_string_equal(tm_state_reason(cases[i].state), cases[i].reason);
	assert_null(tm_state_reason(TM_KNOWN));
	assert_null(tm_state_reason(TM_UNKNOWN));
}

static void test_from_errno(void **state)
{
	static const struct {
		int number;
		enum tm_state state;
	} cases[] = {
		{ ENOENT, TM_ABSENT },		{ ENOTDIR, TM_ABSENT },
		{ EACCES, TM_DENIED },		{ EPERM, TM_DENIED },
		{ ENODEV, TM_UNSUPPORTED },	{ ENXIO, TM_UNSUPPORTED },
		{ EOPNOTSUPP, TM_UNSUPPORTED }, { ENOSYS, TM_UNSUPPORTED },
		{ EIO, TM_MALFORMED },		{ EINVAL, TM_MALFORMED },
		{ EISDIR, TM_MALFORMED },	{ EFBIG, TM_MALFORMED },
		{ ELOOP, TM_MALFORMED },	{ 99999, TM_MALFORMED },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++)
		assert_int_equal(tm_state_from_errno(cases[i].number), cases[i].state);
	/* No failure makes a value. */
	for (int number = 1; number < 200; number++)
		assert_int_not_equal(tm_state_from_errno(number), TM_KNOWN);
}

static void test_num_and_text(void **state)
{
	struct tm_num none = tm_num_none(TM_DENIED), zero = tm_num_known(0), fresh = { 0 };
	struct tm_text text = { strdup("x"), TM_KNOWN };

	(void)state;
	assert_false(tm_num_is(&none));
	assert_int_equal(none.state, TM_DENIED);
	assert_true(tm_num_is(&zero));
	/* Memory that was only cleared is no known zero. */
	assert_false(tm_num_is(&fresh));
	tm_text_release(&text);
	assert_null(text.value);
	assert_int_not_equal(text.state, TM_KNOWN);
	tm_text_release(&text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reason),
		cmocka_unit_test(test_from_errno),
		cmocka_unit_test(test_num_and_text),
	};

	return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
