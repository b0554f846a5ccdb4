/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/base/units.h"

static void test_parse(void **state)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "1", 0, 1 },
		{ "  42\n", 0, 42 },
		{ "\t7 \t", 0, 7 },
		{ "010", 0, 10 },
		{ "00000000000000000000000000000009", 0, 9 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999999", -ERANGE, 0 },
		{ "0x0", 0, 0 },
		{ "0xff", 0, 255 },
		{ "0XfF", 0, 255 },
		{ "0xffffffffffffffff", 0, UINT64_MAX },
		{ "0x0ffffffffffffffff", 0, UINT64_MAX },
		{ "0x10000000000000000", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ " ", -EINVAL, 0 },
		{ "0x", -EINVAL, 0 },
		{ "0x ", -EINVAL, 0 },
		{ "x1", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ "1.5", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ "12a", -EINVAL, 0 },
		{ "ff", -EINVAL, 0 },
		{ "0xfg", -EINVAL, 0 },
		{ "0x0x1", -EINVAL, 0 },
		{ "1 2", -EINVAL, 0 },
		{ "1,", -EINVAL, 0 },
		{ "1k", -EINVAL, 0 },
		{ "\xd9\xa1", -EINVAL, 0 }, /* a digit, but not ASCII's */
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		uint64_t value = 0xdead;
		int rc = tm_parse_u64(cases[i].text, &value);

		if (rc != cases[i].rc || value != (rc ? 0xdead : cases[i].value))
			fail_msg("\"%s\": %d, %llu", cases[i].text, rc, (unsigned long long)value);
	}
}

static void test_amount(void **state)
{
	static const struct {
		const char *text;
		unsigned step;
		int rc;
		uint64_t value;
		const char *exact; /* the same by tm_format_amount */
	} cases[] = {
		{ "0", 1000, 0, 0, "0" },
		{ "100", 1000, 0, 100, "100" },
		{ "20G", 1000, 0, 20000000000, "19531250Ki" },
		{ "64K", 1024, 0, 65536, "64Ki" },
		{ "64k", 1024, 0, 65536, "64Ki" },
		{ "64Ki", 1000, 0, 65536, "64Ki" },
		{ "64KiB", 1000, 0, 65536, "64Ki" },
		{ "2MB", 1024, 0, 2097152, "2Mi" },
		{ "1.5Gi", 1000, 0, 1610612736, "1536Mi" },
		{ "0.5K", 1000, 0, 500, "500" },
		{ "16777215Ti", 1000, 0, 0xffffff0000000000, "16777215Ti" },
		{ "16777216Ti", 1000, -ERANGE, 0, NULL },
		{ "18446744073709551615", 1000, 0, UINT64_MAX, "18446744073709551615" },
		{ "18446744073709551616", 1000, -ERANGE, 0, NULL },
		{ "1.0000000000000000000001K", 1000, -ERANGE, 0, NULL },
		{ "0.0005K", 1000, -EINVAL, 0, NULL },
		{ "1.", 1000, -EINVAL, 0, NULL },
		{ ".5K", 1000, -EINVAL, 0, NULL },
		{ "", 1000, -EINVAL, 0, NULL },
		{ "K", 1000, -EINVAL, 0, NULL },
		{ "-1K", 1000, -EINVAL, 0, NULL },
		{ "1 K", 1000, -EINVAL, 0, NULL },
		{ "1KK", 1000, -EINVAL, 0, NULL },
		{ "1i", 1000, -EINVAL, 0, NULL },
		{ "1P", 1000, -EINVAL, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		char text[TM_UNITS_MAX];
		uint64_t value = 0xdead;
		int rc = tm_parse_amount(cases[i].text, cases[i].step, &value);

		if (rc != cases[i].rc || value != (rc ? 0xdead : cases[i].value))
			fail_msg("\"%s\": %d, %llu", cases[i].text, rc, (unsigned long long)value);
		if (!rc)
			assert_string_equal(tm_format_amount(text, value), cases[i].exact);
	}
}

static void test_bytes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0B" },
		{ 1, "1B" },
		{ 1023, "1023B" },
		{ 1024, "1K" },
		{ 1024 + 51, "1K" },   /* 1.0498 */
		{ 1024 + 52, "1.1K" }, /* 1.0508 */
		{ 1535, "1.5K" },      /* 1.4990 */
		{ 1536, "1.5K" },
		{ 2047, "2K" }, /* 1.9990 */
		{ 2048, "2K" },
		{ 9 * 1024 + 512, "9.5K" },
		{ 9 * 1024 + 972, "9.9K" }, /* 9.9492 */
		{ 9 * 1024 + 973, "10K" },  /* 9.9502 */
		{ 10239, "10K" },
		{ 10240, "10K" },
		{ 10240 + 511, "10K" },
		{ 10240 + 512, "11K" },
		{ 999 * 1024ULL, "999K" },
		{ 1023 * 1024ULL, "1023K" },
		{ 1023 * 1024ULL + 511, "1023K" },
		{ 1023 * 1024ULL + 512, "1M" },
		{ 1024 * 1024ULL - 1, "1M" },
		{ 1024 * 1024ULL, "1M" },
		/* The tenth is decided by all bits below it, not by the next ten. */
		{ 1024 * 1024ULL + 52428, "1M" },   /* 1.04999924 */
		{ 1024 * 1024ULL + 52429, "1.1M" }, /* 1.05000019 */
		{ (1ULL << 30) * 3 / 2, "1.5G" },
		{ 256ULL << 30, "256G" },
		{ (1ULL << 40) - 1, "1T" },
		{ 1ULL << 40, "1T" },
		{ (1ULL << 50) - 1, "1P" },
		{ (1ULL << 60) - 1, "1E" },
		{ 1ULL << 60, "1E" },
		{ (1ULL << 60) + (1ULL << 59), "1.5E" },
		{ (10ULL << 60) - 1, "10E" },
		{ (9ULL << 60) + ((1ULL << 60) / 10 * 9), "9.9E" },
		{ INT64_MAX, "8E" },
		{ UINT64_MAX, "16E" },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		char buf[TM_UNITS_MAX];

		assert_ptr_equal(tm_format_bytes(buf, cases[i].bytes), buf);
		if (strcmp(buf, cases[i].text))
			fail_msg("%llu: %s, not %s", (unsigned long long)cases[i].bytes, buf,
				 cases[i].text);
	}
}

/* What is shown is never further from the truth than half of its last digit. */
static void test_bytes_near(void **state)
{
	uint64_t seed = 88172645463325252ULL;

	(void)state;
	for (size_t i = 0; i < 20000; i++) {
		char buf[TM_UNITS_MAX], unit;
		long double shown, half, truth;
		uint64_t bytes;
		size_t step;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		bytes = seed >> (i % 64);
		tm_format_bytes(buf, bytes);
		assert_true(strlen(buf) <= 5);
		unit = buf[strlen(buf) - 1];
		buf[strlen(buf) - 1] = '\0'; /* "1E" would begin an exponent */
		shown = strtold(buf, NULL);
		step = (size_t)(strchr("BKMGTPE", unit) - "BKMGTPE");
		truth = (long double)bytes / (long double)(1ULL << (10 * step));
		half = (step && truth < 9.95L ? 0.05L : 0.5L) + 1e-9L;
		if (shown - truth > half || truth - shown > half)
			fail_msg("%llu: %s", (unsigned long long)bytes, buf);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_amount),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_bytes_near),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
