/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/acpi/cursor.h"

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

static void test_take(void **state)
{
	struct tm_cursor cursor = tm_cursor_make(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(tm_cursor_left(&cursor), 9);
	assert_ptr_equal(tm_cursor_take(&cursor, 4), bytes);
	assert_ptr_equal(tm_cursor_take(&cursor, 5), bytes + 4);
	assert_int_equal(tm_cursor_left(&cursor), 0);
	assert_non_null(tm_cursor_take(&cursor, 0));
	assert_null(tm_cursor_take(&cursor, 1));
	assert_int_equal(tm_cursor_left(&cursor), 0);
}

/* Sizes that would wrap if they were added to an offset. */
static void test_no_wrap(void **state)
{
	struct tm_cursor cursor = tm_cursor_make(bytes, sizeof(bytes)), sub;
	uint64_t value = 77;

	(void)state;
	tm_cursor_take(&cursor, 3);
	assert_null(tm_cursor_take(&cursor, SIZE_MAX));
	assert_null(tm_cursor_take(&cursor, SIZE_MAX - 2));
	assert_false(tm_cursor_sub(&cursor, SIZE_MAX - 1, &sub));
	assert_false(tm_cursor_peek(&cursor, SIZE_MAX, 1, &value));
	assert_false(tm_cursor_peek(&cursor, SIZE_MAX - 2, 4, &value));
	assert_false(tm_cursor_peek(&cursor, 6, 1, &value));
	assert_false(tm_cursor_peek(&cursor, 5, 2, &value));
	assert_false(tm_cursor_peek(&cursor, 0, 0, &value));
	assert_false(tm_cursor_peek(&cursor, 0, 9, &value));
	assert_int_equal(value, 77);
	assert_int_equal(cursor.pos, 3);
}

static void test_numbers(void **state)
{
	struct tm_cursor cursor = tm_cursor_make(bytes, sizeof(bytes));
	uint64_t value;

	(void)state;
	assert_true(tm_cursor_peek(&cursor, 0, 1, &value));
	assert_int_equal(value, 1);
	assert_true(tm_cursor_peek(&cursor, 1, 3, &value));
	assert_int_equal(value, 0x040302);
	assert_true(tm_cursor_peek(&cursor, 1, 8, &value));
	assert_true(value == 0x0908070605040302ull);
	assert_int_equal(tm_le(bytes, 0), 0);
}

static void test_sub(void **state)
{
	struct tm_cursor cursor = tm_cursor_make(bytes, sizeof(bytes)), sub, inner;
	uint64_t value;

	(void)state;
	tm_cursor_take(&cursor, 2);
	assert_true(tm_cursor_sub(&cursor, 4, &sub));
	assert_int_equal(cursor.pos, 6);
	/* Offsets stay the table's; and the part ends where it ends, not where the table does. */
	assert_int_equal(sub.pos, 2);
	assert_int_equal(tm_cursor_left(&sub), 4);
	assert_true(tm_cursor_peek(&sub, 3, 1, &value));
	assert_int_equal(value, 6);
	assert_false(tm_cursor_peek(&sub, 3, 2, &value));
	assert_true(tm_cursor_sub(&sub, 4, &inner));
	assert_int_equal(inner.pos, 2);
	assert_false(tm_cursor_sub(&sub, 1, &inner));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_take),
		cmocka_unit_test(test_no_wrap),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_sub),
	};

	return cmocka_run_group_tests_name("acpi-cursor", tests, NULL, NULL);
}
