/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/acpi-tables.h"

#include "lib/acpi/check.h"
#include "lib/acpi/hmat.h"

/* What the kernel makes of these, in its own words: hmat_normalize() and cdat_normalize(). */
static void test_value(void **state)
{
	static const struct {
		unsigned revision, data_type;
		uint16_t entry;
		uint64_t base_unit;
		enum tm_hmat_why why;
		uint64_t value;
	} cases[] = {
		/* picoseconds, rounded up */
		{ 2, TM_HMAT_ACCESS_LATENCY, 8, 10000, TM_HMAT_VALUE, 80 },
		{ 2, TM_HMAT_READ_LATENCY, 80, 1001, TM_HMAT_VALUE, 81 },
		{ 2, TM_HMAT_WRITE_LATENCY, 1, 1, TM_HMAT_VALUE, 1 },
		{ 2, TM_HMAT_WRITE_LATENCY, 1, 1000, TM_HMAT_VALUE, 1 },
		/* bandwidths as they are */
		{ 2, TM_HMAT_ACCESS_BANDWIDTH, 75, 4096, TM_HMAT_VALUE, 307200 },
		{ 2, TM_HMAT_READ_BANDWIDTH, 1, 1, TM_HMAT_VALUE, 1 },
		/* revision 1 counts both in tenths */
		{ 1, TM_HMAT_READ_LATENCY, 760, 100, TM_HMAT_VALUE, 7600 },
		{ 1, TM_HMAT_READ_BANDWIDTH, 17900, 1, TM_HMAT_VALUE, 1790 },
		{ 1, TM_HMAT_WRITE_BANDWIDTH, 17901, 1, TM_HMAT_VALUE, 1791 },
		{ 1, TM_HMAT_ACCESS_LATENCY, 10, 1, TM_HMAT_VALUE, 1 },
		{ 1, TM_HMAT_ACCESS_LATENCY, 9, 1, TM_HMAT_NOT_PROVIDED, 0 },
		{ 1, TM_HMAT_ACCESS_BANDWIDTH, 3, 3, TM_HMAT_NOT_PROVIDED, 0 },
		{ 2, TM_HMAT_ACCESS_LATENCY, 9, 1, TM_HMAT_VALUE, 1 },
		/* none */
		{ 2, TM_HMAT_READ_LATENCY, 0, 10000, TM_HMAT_NOT_PROVIDED, 0 },
		{ 2, TM_HMAT_READ_LATENCY, 5, 0, TM_HMAT_NOT_PROVIDED, 0 },
		{ 2, TM_HMAT_READ_LATENCY, 0xffff, 10000, TM_HMAT_UNREACHABLE, 0 },
		{ 1, TM_HMAT_READ_BANDWIDTH, 0xffff, 0, TM_HMAT_UNREACHABLE, 0 },
		{ 2, 6, 5, 1, TM_HMAT_MISSING, 0 },
		/* the last that the kernel takes, and the first that it does not */
		{ 2, TM_HMAT_ACCESS_BANDWIDTH, 3, 0x55555555, TM_HMAT_VALUE, 0xffffffff },
		{ 2, TM_HMAT_ACCESS_BANDWIDTH, 2, 0x80000000, TM_HMAT_BEYOND_KERNEL, 0x100000000 },
		{ 2, TM_HMAT_ACCESS_BANDWIDTH, 4, 0x40000000, TM_HMAT_BEYOND_KERNEL, 0x100000000 },
		{ 2, TM_HMAT_READ_LATENCY, 10, 0x40000000, TM_HMAT_BEYOND_KERNEL, 10737419 },
		{ 1, TM_HMAT_READ_LATENCY, 10, 0x40000000, TM_HMAT_BEYOND_KERNEL, 1073741824 },
		/* 64 bits, and no more */
		{ 2, TM_HMAT_READ_BANDWIDTH, 3, UINT64_MAX / 3, TM_HMAT_BEYOND_KERNEL, UINT64_MAX },
		{ 1, TM_HMAT_READ_BANDWIDTH, 1, UINT64_MAX, TM_HMAT_BEYOND_KERNEL,
		  UINT64_MAX / 10 + 1 },
		{ 2, TM_HMAT_READ_BANDWIDTH, 2, 1ull << 63, TM_HMAT_TOO_LARGE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_hmat_figure figure = tm_hmat_value(cases[i].revision, cases[i].data_type,
							     cases[i].entry, cases[i].base_unit);
		bool known = cases[i].why == TM_HMAT_VALUE || cases[i].why == TM_HMAT_BEYOND_KERNEL;

		if (figure.why != cases[i].why || tm_num_is(&figure.num) != known ||
		    (known && figure.num.value != cases[i].value))
			fail_msg("case %zu: %llu, why %d", i, (unsigned long long)figure.num.value,
				 (int)figure.why);
	}
}

static void test_locality(void **state)
{
	struct bytes b = { .size = 0 };
	struct tm_hmat_locality l;
	struct one one;
	uint16_t entry;
	size_t offset;

	(void)state;
	sample_hmat(&b, 2);
	parse_one(&one, TM_ACPI_HMAT, &b);
	assert_int_equal(one.findings.nr, 0);
	assert_int_equal(one.table.nr_entries, 5);
	assert_false(tm_hmat_locality(&one.table, &one.table.entries[0], &l));
	assert_true(tm_hmat_locality(&one.table, &one.table.entries[2], &l));
	assert_int_equal(l.offset, 120);
	assert_string_equal(l.hierarchy_name, "memory");
	assert_int_equal(l.data_type, TM_HMAT_READ_LATENCY);
	assert_int_equal(l.base_unit, 10);
	assert_int_equal(l.nr_initiators, 2);
	assert_int_equal(l.nr_targets, 3);
	assert_true(l.whole);
	assert_int_equal(tm_hmat_initiator(&l, 1), 1);
	assert_int_equal(tm_hmat_target(&l, 2), 2);
	assert_true(tm_hmat_entry(&l, 1, 1, &entry, &offset));
	assert_int_equal(entry, 50);
	assert_int_equal(offset, 120 + 32 + 20 + 2 * 4);
	assert_int_equal(tm_hmat_figure(&l, 0, 0).num.value, 80);
	assert_int_equal(tm_hmat_figure(&l, 0, 2).why, TM_HMAT_UNREACHABLE);
	assert_int_equal(tm_hmat_figure(&l, 1, 0).why, TM_HMAT_NOT_PROVIDED);
	assert_int_equal(tm_hmat_figure(&l, 1, 2).num.value, 600);
	/* Outside. */
	assert_int_equal(tm_hmat_figure(&l, 2, 0).why, TM_HMAT_MISSING);
	assert_int_equal(tm_hmat_figure(&l, 0, 3).why, TM_HMAT_MISSING);
	assert_false(tm_hmat_entry(&l, SIZE_MAX, SIZE_MAX, &entry, &offset));
	assert_true(tm_hmat_locality(&one.table, &one.table.entries[3], &l));
	assert_string_equal(l.hierarchy_name, "first-level-cache");
	release_one(&one);

	/* Hierarchy 1 was something else in revision 1. */
	sample_hmat(&b, 1);
	parse_one(&one, TM_ACPI_HMAT, &b);
	assert_true(tm_hmat_locality(&one.table, &one.table.entries[3], &l));
	assert_string_equal(l.hierarchy_name, "last-level-memory");
	assert_int_equal(tm_hmat_figure(&l, 0, 0).num.value, 4000);
	assert_int_equal(tm_hmat_figure(&l, 0, 1).why, TM_HMAT_NOT_PROVIDED);
	release_one(&one);
}

static void test_flags(void **state)
{
	struct bytes b = { .size = 0 };
	struct tm_hmat_locality l;
	struct one one;

	(void)state;
	start(&b, TM_ACPI_HMAT, 2);
	put_locality(&b, 0x32, 4, 100, 1, 1);
	put_all(&b, 4, 0, 0);
	put(&b, 2, 7);
	put_at(&b, 50, 1, 6);
	finish(&b);
	parse_one(&one, TM_ACPI_HMAT, &b);
	assert_true(tm_hmat_locality(&one.table, one.table.entries, &l));
	assert_int_equal(l.hierarchy, 2);
	assert_true(l.min_transfer);
	assert_true(l.non_sequential);
	assert_int_equal(l.min_transfer_size, 6);
	release_one(&one);
}

/* Counts that say more than there is: what is there is still read. */
static void test_cut(void **state)
{
	struct bytes b = { .size = 0 };
	struct tm_hmat_locality l;
	struct one one;

	(void)state;
	start(&b, TM_ACPI_HMAT, 2);
	put_locality(&b, 0, 1, 1000, 2, 2);
	put_all(&b, 4, 0, 1, 0, 1);
	put_all(&b, 2, 80, 250, 81);
	put_at(&b, 44, 4, 54);
	finish(&b);
	parse_one(&one, TM_ACPI_HMAT, &b);
	assert_true(tm_hmat_locality(&one.table, one.table.entries, &l));
	assert_false(l.whole);
	assert_int_equal(tm_hmat_figure(&l, 1, 0).num.value, 81);
	assert_int_equal(tm_hmat_figure(&l, 1, 1).why, TM_HMAT_MISSING);
	release_one(&one);

	/* The initiators alone do not fit: then nobody knows where the targets are. */
	put_at(&b, 52, 4, 0xffffffff);
	finish(&b);
	parse_one(&one, TM_ACPI_HMAT, &b);
	assert_true(tm_hmat_locality(&one.table, one.table.entries, &l));
	assert_false(l.whole);
	assert_int_equal(l.nr_targets, 0);
	assert_int_equal(tm_hmat_figure(&l, 0, 0).why, TM_HMAT_MISSING);
	tm_acpi_check_table(&one.table, NULL, &one.findings);
	assert_int_equal(found(&one.findings, TM_ACPI_LENGTH, 72)->severity, TM_ACPI_REFUSED);
	release_one(&one);
}

static void test_cache(void **state)
{
	struct bytes b = { .size = 0 };
	struct tm_hmat_cache c;
	struct one one;

	(void)state;
	start(&b, TM_ACPI_HMAT, 2);
	put_cache(&b, 6, 96ull << 30, 0x00802123, 1, 2);
	put_all(&b, 2, 0x1234, 0xfffe);
	put_cache(&b, 7, 0, 0xffff3444, 2, 0);
	finish(&b);
	parse_one(&one, TM_ACPI_HMAT, &b);
	assert_true(tm_hmat_cache(&one.table, &one.table.entries[0], &c));
	assert_int_equal(c.domain, 6);
	assert_true(c.size_bytes == 96ull << 30);
	assert_int_equal(c.total_levels, 3);
	assert_int_equal(c.level, 2);
	assert_string_equal(c.associativity_name, "direct-mapped");
	assert_string_equal(c.write_policy_name, "write-through");
	assert_int_equal(c.line_size_bytes, 128);
	assert_int_equal(c.address_mode, 1);
	assert_int_equal(c.smbios_handles.count, 2);
	assert_int_equal(tm_acpi_element(&c.smbios_handles, 1), 0xfffe);
	assert_true(tm_hmat_cache(&one.table, &one.table.entries[1], &c));
	assert_null(c.associativity_name);
	assert_null(c.write_policy_name);
	assert_int_equal(c.line_size_bytes, 0xffff);
	assert_int_equal(c.smbios_handles.count, 0);
	release_one(&one);
}

static void test_domain(void **state)
{
	struct bytes b = { .size = 0 };
	struct tm_hmat_domain d;
	struct one one;

	(void)state;
	for (unsigned revision = 1; revision <= 2; revision++) {
		start(&b, TM_ACPI_HMAT, revision);
		put_domain(&b, 1, 3, 7, 0x1000, 0x2000);
		put_domain(&b, 2, 3, 7, 0x1000, 0x2000);
		finish(&b);
		parse_one(&one, TM_ACPI_HMAT, &b);
		assert_true(tm_hmat_domain(&one.table, &one.table.entries[0], &d));
		assert_int_equal(d.initiator, 3);
		assert_int_equal(d.memory, 7);
		assert_true(d.initiator_valid);
		/* Only revision 1 has that flag, and the range. */
		assert_int_equal(d.memory_valid, revision == 2);
		assert_int_equal(d.base, revision == 1 ? 0x1000 : 0);
		assert_int_equal(d.length, revision == 1 ? 0x2000 : 0);
		assert_true(tm_hmat_domain(&one.table, &one.table.entries[1], &d));
		assert_false(d.initiator_valid);
		assert_true(d.memory_valid);
		release_one(&one);
	}
}

/* A table of another kind is none of ours, whatever its types are. */
static void test_other(void **state)
{
	struct bytes b = { .size = 0 };
	struct tm_hmat_locality l;
	struct tm_hmat_cache c;
	struct tm_hmat_domain d;
	struct one one;

	(void)state;
	sample_srat(&b, 3);
	parse_one(&one, TM_ACPI_SRAT, &b);
	for (size_t i = 0; i < one.table.nr_entries; i++) {
		assert_false(tm_hmat_locality(&one.table, &one.table.entries[i], &l));
		assert_false(tm_hmat_cache(&one.table, &one.table.entries[i], &c));
		assert_false(tm_hmat_domain(&one.table, &one.table.entries[i], &d));
	}
	release_one(&one);
}

/* For which faults the kernel drops the whole table, as opposed to living with them. */
static void test_refused(void **state)
{
	static const struct {
		size_t at, size;
		uint64_t value;
		enum tm_acpi_rule rule;
		size_t offset;
		enum tm_acpi_severity severity;
	} cases[] = {
		{ 8, 1, 0, TM_ACPI_REVISION, 8, TM_ACPI_REFUSED },
		{ 8, 1, 3, TM_ACPI_REVISION, 8, TM_ACPI_REFUSED },
		{ 44, 4, 0, TM_ACPI_LENGTH, 40, TM_ACPI_REFUSED },
		{ 44, 4, 36, TM_ACPI_LENGTH, 40, TM_ACPI_REFUSED },
		{ 56, 4, 9, TM_ACPI_REFERENCE, 56, TM_ACPI_REFUSED },
		{ 52, 4, 9, TM_ACPI_REFERENCE, 52, TM_ACPI_REFUSED },
		{ 136, 4, 7, TM_ACPI_LENGTH, 160, TM_ACPI_REFUSED },
		{ 152, 4, 9, TM_ACPI_REFERENCE, 152, TM_ACPI_WARNING },
		{ 262, 2, 9, TM_ACPI_LENGTH, 264, TM_ACPI_ERROR },
		{ 42, 2, 1, TM_ACPI_RESERVED, 42, TM_ACPI_WARNING },
		{ 129, 1, 6, TM_ACPI_RANGE, 129, TM_ACPI_ERROR },
		{ 144, 8, 0, TM_ACPI_RANGE, 144, TM_ACPI_ERROR },
	};
	struct bytes hmat = { .size = 0 }, srat = { .size = 0 };
	const struct tm_acpi_finding *f;

	(void)state;
	sample_srat(&srat, 3);
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_acpi acpi = { 0 };

		sample_hmat(&hmat, 2);
		put_at(&hmat, cases[i].at, cases[i].size, cases[i].value);
		finish(&hmat);
		assert_int_equal(
			tm_acpi_add(&acpi, TM_ACPI_HMAT, "hmat", hmat.data, hmat.size, NULL), 0);
		assert_int_equal(
			tm_acpi_add(&acpi, TM_ACPI_SRAT, "srat", srat.data, srat.size, NULL), 0);
		assert_int_equal(tm_acpi_check(&acpi, NULL), 0);
		f = found(&acpi.findings, cases[i].rule, cases[i].offset);
		if (!f || f->severity != cases[i].severity || f->table != acpi.tables[0])
			fail_msg("case %zu: severity %d", i, f ? (int)f->severity : -1);
		assert_int_equal(tm_acpi_findings_reach(&acpi.findings, TM_ACPI_REFUSED),
				 cases[i].severity == TM_ACPI_REFUSED);
		tm_acpi_release(&acpi);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_value), cmocka_unit_test(test_locality),
		cmocka_unit_test(test_flags), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_cache), cmocka_unit_test(test_domain),
		cmocka_unit_test(test_other), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("acpi-hmat", tests, NULL, NULL);
}
