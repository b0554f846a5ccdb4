/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/sample/counters.h"

/* The search needs the order; every name is found, and nothing near it. */
static void test_names(void **state)
{
	(void)state;
	for (int i = 0; i < TM_COUNTERS; i++) {
		const char *name = tm_counter_name((enum tm_counter)i);
		size_t len = strlen(name);

		if (i)
			assert_true(strcmp(tm_counter_name((enum tm_counter)(i - 1)), name) < 0);
		assert_int_equal(tm_counter_find(name, len), i);
		assert_int_not_equal(tm_counter_find(name, len - 1), i);
		assert_non_null(tm_counter_group_name(tm_counter_group((enum tm_counter)i)));
	}
	assert_int_equal(tm_counter_find("", 0), TM_COUNTERS);
	assert_int_equal(tm_counter_find("pgpromote", 9), TM_COUNTERS);
	assert_int_equal(tm_counter_find("pgpromote_successes", 19), TM_COUNTERS);
}

static void test_parse(void **state)
{
	struct tm_counters c;

	(void)state;
	tm_counters_parse(&c, "nr_free_pages 12\nnuma_hit 18446744073709551615\n\npgfault x\n"
			      "pgmajfault\nnew_counter_of_tomorrow 7\nthp_split_pmd 0\npswpin 1.5\n"
			      "pgpromote_success 3\ntlb_defer_pages 4096\ntlb_defer_forced 8\n"
			      "tlb_defer_refused 2\nnr_unstable 0\n");
	assert_true(tm_num_is(&c.value[TM_COUNTER_numa_hit]));
	assert_true(c.value[TM_COUNTER_numa_hit].value == UINT64_MAX);
	assert_int_equal(c.value[TM_COUNTER_pgfault].state, TM_MALFORMED);
	assert_int_equal(c.value[TM_COUNTER_pgmajfault].state, TM_MALFORMED);
	assert_int_equal(c.value[TM_COUNTER_pswpin].state, TM_MALFORMED);
	assert_int_equal(c.value[TM_COUNTER_thp_split_pmd].state, TM_KNOWN);
	assert_int_equal(c.value[TM_COUNTER_thp_split_pmd].value, 0);
	assert_int_equal(c.value[TM_COUNTER_pgpromote_success].value, 3);
	assert_int_equal(c.value[TM_COUNTER_tlb_defer_pages].value, 4096);
	assert_int_equal(c.value[TM_COUNTER_tlb_defer_forced].value, 8);
	assert_int_equal(c.value[TM_COUNTER_tlb_defer_refused].value, 2);
	/* Field case 23: absent is not zero. */
	assert_int_equal(c.value[TM_COUNTER_pgdemote_kswapd].state, TM_UNSUPPORTED);
	tm_counters_parse(&c, "tlb_defer_pages_of_tomorrow 1\n");
	assert_int_equal(c.value[TM_COUNTER_tlb_defer_pages].state, TM_UNSUPPORTED);
	assert_int_equal(c.value[TM_COUNTER_numa_hit].state, TM_UNSUPPORTED);
}

static void test_delta(void **state)
{
	static const struct {
		uint64_t before, now;
		unsigned bits;
		enum tm_state state;
		uint64_t delta;
	} cases[] = {
		{ 5, 9, 32, TM_KNOWN, 4 },
		{ 5, 5, 64, TM_KNOWN, 0 },
		{ UINT32_MAX, 0, 32, TM_KNOWN, 1 },
		{ UINT32_MAX - 9, 90, 32, TM_KNOWN, 100 },
		{ 0x80000001, 0, 32, TM_KNOWN, 0x7fffffff },
		{ 0x80000000, 0, 32, TM_UNKNOWN, 0 },
		{ 100, 7, 32, TM_UNKNOWN, 0 }, /* reset */
		{ UINT32_MAX, 0, 64, TM_UNKNOWN, 0 },
		{ 1ULL << 33, 7, 32, TM_UNKNOWN, 0 },
		{ 0, UINT64_MAX, 64, TM_KNOWN, UINT64_MAX },
	};
	struct tm_num denied = tm_num_none(TM_DENIED), one = tm_num_known(1), delta;

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_num before = tm_num_known(cases[i].before),
			      now = tm_num_known(cases[i].now);

		delta = tm_count_delta(&before, &now, cases[i].bits);
		assert_int_equal(delta.state, cases[i].state);
		assert_true(delta.value == cases[i].delta);
	}
	delta = tm_count_delta(&denied, &one, 64);
	assert_int_equal(delta.state, TM_DENIED);
	delta = tm_count_delta(&one, &denied, 64);
	assert_int_equal(delta.state, TM_DENIED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_delta),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
