/* SPDX-License-Identifier: GPL-2.0-only */
/* CEDT, CDAT and SLIT. */
#include "tests/unit/acpi-tables.h"

#include "lib/acpi/cdat.h"
#include "lib/acpi/cedt.h"
#include "lib/acpi/slit.h"

static void test_codes(void **state)
{
	static const unsigned ways[] = { 1, 2, 4, 8, 16, 0, 0, 0, 3, 6, 12, 0, 0 };
	static const struct {
		unsigned ways, maps;
	} maps[] = { { 1, 0 },	{ 2, 1 }, { 4, 2 }, { 8, 3 },
		     { 16, 4 }, { 3, 0 }, { 6, 1 }, { 12, 2 } };

	(void)state;
	for (unsigned i = 0; i < TM_ARRAY_SIZE(ways); i++)
		assert_int_equal(tm_cedt_ways(i), ways[i]);
	assert_int_equal(tm_cedt_ways(255), 0);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(tm_cedt_granularity(i), 256 << i);
	assert_int_equal(tm_cedt_granularity(7), 0);
	assert_int_equal(tm_cedt_granularity(UINT64_MAX), 0);
	for (size_t i = 0; i < TM_ARRAY_SIZE(maps); i++)
		assert_int_equal(tm_cedt_maps(maps[i].ways), maps[i].maps);
	assert_int_equal(tm_cedt_maps(0), 0);
}

static void test_cedt(void **state)
{
	struct bytes b = { .size = 0 };
	struct tm_cedt_bridge bridge;
	struct tm_cedt_window w;
	struct tm_cedt_xor x;
	struct tm_cedt_collector c;
	const struct tm_acpi_entry *e;
	struct one one;

	(void)state;
	sample_cedt(&b);
	parse_one(&one, TM_ACPI_CEDT, &b);
	assert_int_equal(one.findings.nr, 0);
	assert_int_equal(one.table.nr_entries, 7);
	e = one.table.entries;
	assert_true(tm_cedt_bridge(&one.table, &e[1], &bridge));
	assert_int_equal(bridge.uid, 13);
	assert_int_equal(bridge.version, 0);
	assert_int_equal(bridge.length, 0x2000);
	assert_false(tm_cedt_window(&one.table, &e[1], &w));
	assert_true(tm_cedt_window(&one.table, &e[3], &w));
	assert_true(w.base == 20ull << 30 && w.length == 3ull << 30);
	assert_int_equal(w.ways, 6);
	assert_int_equal(w.granularity, 1024);
	assert_int_equal(w.arithmetic, 1);
	assert_int_equal(w.restrictions, TM_CEDT_HOST_ONLY_COHERENT | TM_CEDT_VOLATILE);
	assert_int_equal(w.qtg, 1);
	assert_int_equal(w.targets.count, 6);
	assert_int_equal(tm_acpi_element(&w.targets, 5), 13);
	assert_true(tm_cedt_xor(&one.table, &e[4], &x));
	assert_int_equal(x.granularity, 1024);
	assert_int_equal(x.maps.count, 1);
	assert_int_equal(tm_acpi_element(&x.maps, 0), 0x2020900);
	assert_true(tm_cedt_collector(&one.table, &e[5], &c));
	assert_int_equal(c.segment, 1);
	assert_int_equal(c.bus, 0x3f);
	assert_int_equal(c.device, 0x1e);
	assert_int_equal(c.function, 6);
	assert_true(c.has_protocol);
	assert_int_equal(c.protocol, 1);
	assert_true(c.base == 0xfe000000);
	assert_string_equal(e[6].desc->key, "system");
	release_one(&one);

	/* The record in its short form. */
	start(&b, TM_ACPI_CEDT, 1);
	put_all(&b, 2, 3, 16, 0, 8);
	put(&b, 8, 0x1234);
	finish(&b);
	parse_one(&one, TM_ACPI_CEDT, &b);
	assert_true(tm_cedt_collector(&one.table, one.table.entries, &c));
	assert_false(c.has_protocol);
	assert_int_equal(c.base, 0x1234);
	release_one(&one);
}

static void test_cdat(void **state)
{
	struct bytes b = { .size = 0 };
	struct tm_cdat_range r;
	struct tm_cdat_perf p;
	struct tm_cdat_cache cache;
	struct tm_cdat_initiator i;
	struct tm_cdat_efi efi;
	struct tm_cdat_switch s;
	struct tm_cdat_pair pair;
	const struct tm_acpi_entry *e;
	struct one one;

	(void)state;
	sample_cdat(&b);
	parse_one(&one, TM_ACPI_CDAT, &b);
	assert_int_equal(one.findings.nr, 0);
	assert_int_equal(one.table.nr_entries, 10);
	e = one.table.entries;
	assert_true(tm_cdat_range(&one.table, &e[1], &r));
	assert_int_equal(r.handle, 1);
	assert_int_equal(r.flags, TM_CDAT_NON_VOLATILE);
	assert_true(r.base == 1ull << 28 && r.length == 1ull << 28);
	assert_true(tm_cdat_perf(&one.table, &e[2], &p));
	assert_int_equal(p.figure.num.value, 150);
	assert_int_equal(p.entry[0], 15);
	assert_string_equal(p.hierarchy_name, "memory");
	assert_true(tm_cdat_perf(&one.table, &e[5], &p));
	assert_int_equal(p.figure.why, TM_HMAT_UNREACHABLE);
	assert_true(tm_cdat_cache(&one.table, &e[6], &cache));
	assert_int_equal(cache.size_bytes, 1 << 24);
	assert_string_equal(cache.associativity_name, "complex");
	assert_int_equal(cache.line_size_bytes, 64);
	assert_true(tm_cdat_initiator(&one.table, &e[7], &i));
	assert_true(i.memory_attached);
	assert_int_equal(i.handle, 0);
	assert_true(tm_cdat_efi(&one.table, &e[8], &efi));
	assert_int_equal(efi.efi_type, 1);
	assert_int_equal(efi.length, 1 << 20);
	assert_true(tm_cdat_switch(&one.table, &e[9], &s));
	assert_int_equal(s.pairs.count, 2);
	pair = tm_cdat_pair(&s, 0);
	assert_int_equal(pair.x, TM_CDAT_PORT_UPSTREAM);
	assert_int_equal(pair.y, 1);
	assert_int_equal(pair.figure.num.value, 25);
	pair = tm_cdat_pair(&s, 1);
	assert_int_equal(pair.y, TM_CDAT_PORT_ANY);
	assert_int_equal(pair.figure.why, TM_HMAT_NOT_PROVIDED);
	release_one(&one);
}

/* A range's figures: the memory's own, an access figure for both, only what the kernel takes. */
static void test_cdat_figures(void **state)
{
	struct bytes b = { .size = 0 };
	struct tm_cdat_figures f;
	struct one one;

	(void)state;
	start(&b, TM_ACPI_CDAT, 1);
	put_dsmas(&b, 0, 0, 0, 1ull << 28);
	put_dslbis(&b, 0, 0, 0, 1000, 100);
	put_dslbis(&b, 0, 0, 2, 1000, 250);
	put_dslbis(&b, 0, 1, 1, 1000, 5); /* of a cache */
	put_dslbis(&b, 1, 0, 1, 1000, 7); /* of another range */
	put_dslbis(&b, 0, 0, 4, 1000, 16);
	put_dslbis(&b, 0, 0, 5, 0x40000000, 4); /* beyond the kernel */
	finish(&b);
	parse_one(&one, TM_ACPI_CDAT, &b);
	f = tm_cdat_figures(&one.table, 0);
	assert_int_equal(f.read_latency.value, 100);
	assert_int_equal(f.write_latency.value, 250);
	assert_int_equal(f.read_bandwidth.value, 16000);
	assert_int_equal(f.write_bandwidth.state, TM_NOT_PROVIDED);
	f = tm_cdat_figures(&one.table, 2);
	assert_int_equal(f.read_latency.state, TM_NOT_PROVIDED);
	release_one(&one);
}

static void test_slit(void **state)
{
	struct bytes b = { .size = 0 };
	struct tm_slit slit;
	struct one one;

	(void)state;
	sample_slit(&b);
	parse_one(&one, TM_ACPI_SLIT, &b);
	assert_true(tm_slit_read(&one.table, &slit));
	assert_int_equal(slit.count, 3);
	assert_int_equal(tm_slit_distance(&slit, 0, 2), 240);
	assert_int_equal(tm_slit_distance(&slit, 2, 0), 255);
	assert_int_equal(tm_slit_distance(&slit, 2, 2), 10);
	assert_int_equal(tm_slit_distance(&slit, 3, 0), -1);
	assert_int_equal(tm_slit_distance(&slit, 0, 3), -1);
	release_one(&one);

	/* It says more than it has: 2^63 rows of which seven bytes are there. */
	b.size -= 2;
	put_at(&b, 36, 8, 1ull << 63);
	finish(&b);
	parse_one(&one, TM_ACPI_SLIT, &b);
	assert_true(tm_slit_read(&one.table, &slit));
	assert_int_equal(tm_slit_distance(&slit, 0, 6), 31 + 224);
	assert_int_equal(tm_slit_distance(&slit, 0, 7), -1);
	assert_int_equal(tm_slit_distance(&slit, 2, 0), -1);
	assert_int_equal(tm_slit_distance(&slit, (1ull << 63) - 1, (1ull << 63) - 1), -1);
	release_one(&one);

	/* No count at all. */
	b.size = 40;
	finish(&b);
	parse_one(&one, TM_ACPI_SLIT, &b);
	assert_false(tm_slit_read(&one.table, &slit));
	release_one(&one);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codes), cmocka_unit_test(test_cedt),
		cmocka_unit_test(test_cdat),  cmocka_unit_test(test_cdat_figures),
		cmocka_unit_test(test_slit),
	};

	return cmocka_run_group_tests_name("acpi-cxl", tests, NULL, NULL);
}
