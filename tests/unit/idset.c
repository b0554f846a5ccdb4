/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/base/buf.h"
#include "lib/base/idset.h"

static void test_members(void **state)
{
	struct tm_idset set = TM_IDSET_INIT;

	(void)state;
	assert_true(tm_idset_empty(&set));
	assert_int_equal(tm_idset_count(&set), 0);
	assert_int_equal(tm_idset_next(&set, 0), -1);
	assert_false(tm_idset_has(&set, 0));
	tm_idset_remove(&set, 5);
	tm_idset_remove(&set, -5);

	assert_int_equal(tm_idset_add(&set, -1), -ERANGE);
	assert_int_equal(tm_idset_add(&set, LONG_MIN), -ERANGE);
	assert_int_equal(tm_idset_add(&set, TM_ID_MAX + 1), -ERANGE);
	assert_int_equal(tm_idset_add(&set, LONG_MAX), -ERANGE);
	assert_true(tm_idset_empty(&set));

	assert_int_equal(tm_idset_add(&set, 63), 0);
	assert_int_equal(tm_idset_add(&set, 64), 0);
	assert_int_equal(tm_idset_add(&set, 64), 0);
	assert_int_equal(tm_idset_add(&set, TM_ID_MAX), 0);
	assert_int_equal(tm_idset_count(&set), 3);
	assert_true(tm_idset_has(&set, 63) && tm_idset_has(&set, 64));
	assert_false(tm_idset_has(&set, 62) || tm_idset_has(&set, 65));
	assert_false(tm_idset_has(&set, -1) || tm_idset_has(&set, TM_ID_MAX + 1));
	assert_false(tm_idset_has(&set, LONG_MAX) || tm_idset_has(&set, LONG_MIN));
	assert_int_equal(tm_idset_next(&set, 0), 63);
	assert_int_equal(tm_idset_next(&set, 64), 64);
	assert_int_equal(tm_idset_next(&set, 65), TM_ID_MAX);
	assert_int_equal(tm_idset_next(&set, TM_ID_MAX + 1), -1);
	assert_int_equal(tm_idset_next(&set, -1), -1);
	assert_int_equal(tm_idset_next(&set, LONG_MAX), -1);
	tm_idset_remove(&set, 64);
	assert_false(tm_idset_has(&set, 64));
	tm_idset_release(&set);
	assert_true(tm_idset_empty(&set));
}

static void test_compare(void **state)
{
	struct tm_idset a = TM_IDSET_INIT, b = TM_IDSET_INIT;

	(void)state;
	assert_true(tm_idset_equal(&a, &b));
	assert_false(tm_idset_intersects(&a, &b));
	tm_idset_add(&a, 1);
	tm_idset_add(&b, 5000);
	assert_false(tm_idset_equal(&a, &b) || tm_idset_equal(&b, &a));
	assert_false(tm_idset_intersects(&a, &b));
	tm_idset_add(&b, 1);
	assert_true(tm_idset_intersects(&a, &b) && tm_idset_intersects(&b, &a));
	/* Equal as sets, whatever room they have. */
	tm_idset_remove(&b, 5000);
	assert_true(tm_idset_equal(&a, &b) && tm_idset_equal(&b, &a));

	assert_int_equal(tm_idset_copy(&a, &b), 0);
	assert_true(tm_idset_equal(&a, &b));
	assert_int_equal(tm_idset_copy(&a, &a), 0);
	assert_true(tm_idset_has(&a, 1));
	tm_idset_release(&b);
	assert_int_equal(tm_idset_copy(&a, &b), 0);
	assert_true(tm_idset_empty(&a));
	tm_idset_release(&a);
}

struct text_case {
	const char *text;
	int rc;
	const char *list; /* NULL: as the text */
};

static void try(const struct text_case *cases, size_t nr,
		int (*parse)(struct tm_idset *set, const char *text))
{
	for (size_t i = 0; i < nr; i++) {
		struct tm_idset set = TM_IDSET_INIT;
		const char *wanted = cases[i].list ? cases[i].list : cases[i].text;
		char *list;
		int rc;

		/* What a failure must leave alone. */
		tm_idset_add(&set, 4711);
		rc = parse(&set, cases[i].text);
		list = tm_idset_format(&set);
		assert_non_null(list);
		if (rc != cases[i].rc || strcmp(list, rc ? "4711" : wanted))
			fail_msg("\"%s\": %d, \"%s\"", cases[i].text, rc, list);
		free(list);
		tm_idset_release(&set);
	}
}

static void test_lists(void **state)
{
	static const struct text_case cases[] = {
		{ "", 0, NULL },
		{ "\n", 0, "" },
		{ " \t\n", 0, "" },
		{ "0", 0, NULL },
		{ "0-3", 0, NULL },
		{ "0-3,8", 0, NULL },
		{ " 0-3,8\n", 0, "0-3,8" },
		{ "0,2-3,62-65,127-128", 0, NULL },
		{ "8,0-3", 0, "0-3,8" },
		{ "0-3,2-5", 0, "0-5" },
		{ "0,1,2", 0, "0-2" },
		{ "3-3", 0, "3" },
		{ "007", 0, "7" },
		{ "65535", 0, NULL },
		{ "0-65535", 0, NULL },
		{ "65536", -ERANGE, NULL },
		{ "0-65536", -ERANGE, NULL },
		{ "0-4294967295", -ERANGE, NULL },
		{ "0-99999999999999999999999999", -ERANGE, NULL },
		{ "99999999999999999999999999", -ERANGE, NULL },
		{ "18446744073709551616", -ERANGE, NULL },
		{ "3-1", -EINVAL, NULL },
		{ "4294967295-0", -EINVAL, NULL },
		{ "-", -EINVAL, NULL },
		{ "-1", -EINVAL, NULL },
		{ "1-", -EINVAL, NULL },
		{ "1-2-3", -EINVAL, NULL },
		{ "1--2", -EINVAL, NULL },
		{ ",", -EINVAL, NULL },
		{ "1,", -EINVAL, NULL },
		{ ",1", -EINVAL, NULL },
		{ "1,,2", -EINVAL, NULL },
		{ "1 2", -EINVAL, NULL },
		{ "1, 2", -EINVAL, NULL },
		{ "1 ,2", -EINVAL, NULL },
		{ "1\n2", -EINVAL, NULL },
		{ "0-3:1/2", -EINVAL, NULL },
		{ "0x3", -EINVAL, NULL },
		{ "+1", -EINVAL, NULL },
		{ "all", -EINVAL, NULL },
		{ "1a", -EINVAL, NULL },
		{ "\xff\xfe", -EINVAL, NULL },
		{ "(null)", -EINVAL, NULL },
	};

	(void)state;
	try(cases, TM_ARRAY_SIZE(cases), tm_idset_parse_list);
}

static void test_masks(void **state)
{
	static const struct text_case cases[] = {
		{ "", 0, "" },
		{ "\n", 0, "" },
		{ "0", 0, "" },
		{ "1", 0, "0" },
		{ "f", 0, "0-3" },
		{ "F0", 0, "4-7" },
		{ " ff\n", 0, "0-7" },
		{ "00000001", 0, "0" },
		{ "80000000", 0, "31" },
		{ "1,00000000", 0, "32" },
		{ "ff,00000001", 0, "0,32-39" },
		{ "1,1", 0, "0,32" }, /* a group is 32 bits however it is written */
		{ "80000000,00000000,00000000", 0, "95" },
		{ "00000000,00000000,00000003", 0, "0-1" },
		{ ",", -EINVAL, NULL },
		{ "1,", -EINVAL, NULL },
		{ ",1", -EINVAL, NULL },
		{ "1,,1", -EINVAL, NULL },
		{ "100000000", -EINVAL, NULL }, /* nine digits without a comma */
		{ "000000001", -EINVAL, NULL },
		{ "1,000000000", -EINVAL, NULL },
		{ "g", -EINVAL, NULL },
		{ "1g", -EINVAL, NULL },
		{ "0x1", -EINVAL, NULL },
		{ "-1", -EINVAL, NULL },
		{ "0-3", -EINVAL, NULL },
		{ "1 1", -EINVAL, NULL },
		{ "1 ,1", -EINVAL, NULL },
		{ "\xff", -EINVAL, NULL },
	};

	(void)state;
	try(cases, TM_ARRAY_SIZE(cases), tm_idset_parse_mask);
}

/* The last id that there may be, and the one behind it. */
static void test_mask_limit(void **state)
{
	struct tm_buf text = TM_BUF_INIT;
	struct tm_idset set = TM_IDSET_INIT;

	(void)state;
	tm_buf_adds(&text, "80000000");
	for (size_t i = 0; i < (TM_ID_MAX + 1) / 32 - 1; i++)
		tm_buf_adds(&text, ",00000000");
	assert_int_equal(tm_idset_parse_mask(&set, tm_buf_str(&text)), 0);
	assert_int_equal(tm_idset_count(&set), 1);
	assert_true(tm_idset_has(&set, TM_ID_MAX));
	tm_buf_reset(&text);
	tm_buf_adds(&text, "1");
	for (size_t i = 0; i < (TM_ID_MAX + 1) / 32; i++)
		tm_buf_adds(&text, ",00000000");
	assert_int_equal(tm_idset_parse_mask(&set, tm_buf_str(&text)), -ERANGE);
	assert_true(tm_idset_has(&set, TM_ID_MAX));
	/* Groups of zeros beyond the end say nothing and do no harm. */
	text.data[0] = '0';
	assert_int_equal(tm_idset_parse_mask(&set, tm_buf_str(&text)), 0);
	assert_true(tm_idset_empty(&set));
	tm_buf_release(&text);
	tm_idset_release(&set);
}

#define MODEL_BITS 700

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* The kernel's two texts for a set, made from an array of flags. */
static void write_texts(const bool *flag, struct tm_buf *list, struct tm_buf *mask)
{
	tm_buf_reset(list);
	tm_buf_reset(mask);
	for (int i = 0; i < MODEL_BITS; i++) {
		int last = i;

		if (!flag[i])
			continue;
		while (last + 1 < MODEL_BITS && flag[last + 1])
			last++;
		tm_buf_addf(list, last > i ? "%s%d-%d" : "%s%d", list->len ? "," : "", i, last);
		i = last;
	}
	for (int group = (MODEL_BITS + 31) / 32 - 1; group >= 0; group--) {
		unsigned bits = 0;

		for (int bit = 0; bit < 32; bit++)
			if (group * 32 + bit < MODEL_BITS && flag[group * 32 + bit])
				bits |= 1u << bit;
		tm_buf_addf(mask, group ? "%08x," : "%08x\n", bits);
	}
}

static void test_model(void **state)
{
	struct tm_buf list = TM_BUF_INIT, mask = TM_BUF_INIT;
	uint64_t seed = 20250101;

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct tm_idset added = TM_IDSET_INIT, listed = TM_IDSET_INIT;
		struct tm_idset masked = TM_IDSET_INIT;
		bool flag[MODEL_BITS] = { false };
		size_t count = 0, seen = 0;
		char *text;

		for (int i = 0; i < MODEL_BITS; i++) {
			/* Sparse, even and dense sets. */
			flag[i] = next_random(&seed) % 64 < (uint64_t)(round % 65);
			count += flag[i];
			if (flag[i])
				assert_int_equal(tm_idset_add(&added, i), 0);
		}
		write_texts(flag, &list, &mask);
		assert_int_equal(tm_idset_parse_list(&listed, tm_buf_str(&list)), 0);
		assert_int_equal(tm_idset_parse_mask(&masked, tm_buf_str(&mask)), 0);
		assert_true(tm_idset_equal(&added, &listed) && tm_idset_equal(&added, &masked));
		assert_int_equal(tm_idset_count(&added), count);
		assert_int_equal(tm_idset_empty(&added), count == 0);
		text = tm_idset_format(&masked);
		assert_string_equal(text, tm_buf_str(&list));
		free(text);
		for (int i = 0; i < MODEL_BITS; i++)
			assert_int_equal(tm_idset_has(&listed, i), flag[i]);
		tm_idset_for_each(id, &listed) {
			assert_true(flag[id]);
			seen++;
		}
		assert_int_equal(seen, count);
		for (int i = 0; i < MODEL_BITS; i += 3) {
			tm_idset_remove(&added, i);
			count -= flag[i];
		}
		assert_int_equal(tm_idset_count(&added), count);
		tm_idset_release(&added);
		tm_idset_release(&listed);
		tm_idset_release(&masked);
	}
	tm_buf_release(&list);
	tm_buf_release(&mask);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),	   cmocka_unit_test(test_compare),
		cmocka_unit_test(test_lists),	   cmocka_unit_test(test_masks),
		cmocka_unit_test(test_mask_limit), cmocka_unit_test(test_model),
	};

	return cmocka_run_group_tests_name("idset", tests, NULL, NULL);
}
