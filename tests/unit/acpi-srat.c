/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/acpi-tables.h"

#include "lib/acpi/srat.h"

static void test_affinity(void **state)
{
	struct bytes b = { .size = 0 };
	struct tm_srat_affinity a;
	struct one one;

	(void)state;
	sample_srat(&b, 3);
	parse_one(&one, TM_ACPI_SRAT, &b);
	assert_int_equal(one.findings.nr, 0);
	assert_int_equal(one.table.nr_entries, 10);
#define AFFINITY(i) assert_true(tm_srat_affinity(&one.table, &one.table.entries[i], &a))
	AFFINITY(0);
	assert_int_equal(a.kind, TM_SRAT_CPU);
	assert_int_equal(a.domain, 1);
	assert_int_equal(a.cpu, 7);
	assert_true(a.enabled);
	AFFINITY(1);
	assert_int_equal(a.kind, TM_SRAT_CPU);
	assert_int_equal(a.cpu, 300);
	AFFINITY(2);
	assert_int_equal(a.kind, TM_SRAT_MEMORY);
	assert_false(a.hot_pluggable);
	AFFINITY(3);
	assert_true(a.base == 1ull << 30 && a.length == 1ull << 30);
	assert_true(a.enabled && a.hot_pluggable && a.non_volatile);
	assert_false(a.specific_purpose);
	AFFINITY(4);
	assert_int_equal(a.kind, TM_SRAT_CPU);
	assert_int_equal(a.cpu, 66);
	AFFINITY(5);
	assert_int_equal(a.kind, TM_SRAT_ITS);
	AFFINITY(6);
	assert_int_equal(a.kind, TM_SRAT_INITIATOR);
	assert_int_equal(a.handle_type, TM_SRAT_HANDLE_ACPI);
	assert_string_equal(a.hid, "ABCD0001");
	assert_int_equal(a.uid, 3);
	AFFINITY(7);
	assert_int_equal(a.kind, TM_SRAT_INITIATOR);
	assert_int_equal(a.handle_type, TM_SRAT_HANDLE_PCI);
	assert_int_equal(a.segment, 1);
	assert_int_equal(a.bus, 0x3f);
	assert_int_equal(a.device, 0x1e);
	assert_int_equal(a.function, 6);
	assert_string_equal(a.hid, "");
	AFFINITY(8);
	assert_int_equal(a.kind, TM_SRAT_PORT);
	assert_string_equal(a.hid, "ACPI0016");
	assert_int_equal(a.uid, 12);
	AFFINITY(9);
	assert_int_equal(a.kind, TM_SRAT_CPU);
	assert_int_equal(a.cpu, 16);
#undef AFFINITY
	release_one(&one);
}

/* The upper bits of a domain: none in revision 1, apart in an APIC structure. */
static void test_domain_bits(void **state)
{
	struct bytes b = { .size = 0 };
	struct tm_srat_affinity a;
	struct one one;

	(void)state;
	for (unsigned revision = 1; revision <= 3; revision++) {
		start(&b, TM_ACPI_SRAT, revision);
		put_all(&b, 1, 0, 16, 4, 7);
		put(&b, 4, 1);
		put_all(&b, 1, 0, 1, 2, 3);
		put(&b, 4, 0);
		put_memory(&b, 0x03020104, 0, 1, 1);
		put_x2apic(&b, 0x03020104, 0, 1);
		finish(&b);
		parse_one(&one, TM_ACPI_SRAT, &b);
		for (size_t i = 0; i < 3; i++) {
			assert_true(tm_srat_affinity(&one.table, &one.table.entries[i], &a));
			assert_int_equal(a.domain, revision == 1 && i < 2 ? 4 : 0x03020104);
		}
		release_one(&one);
	}
}

struct expected {
	uint32_t domain;
	int node;
	unsigned has;
};

static void check_nodes(const struct bytes *srat_bytes, const struct bytes *cedt_bytes,
			const struct expected *expected, size_t nr)
{
	struct one srat, cedt;
	struct tm_srat_nodes nodes;

	parse_one(&srat, TM_ACPI_SRAT, srat_bytes);
	if (cedt_bytes)
		parse_one(&cedt, TM_ACPI_CEDT, cedt_bytes);
	assert_int_equal(tm_srat_nodes(&srat.table, cedt_bytes ? &cedt.table : NULL, &nodes, NULL),
			 0);
	assert_int_equal(nodes.nr, nr);
	for (size_t i = 0; i < nr; i++) {
		const struct tm_srat_node *node = tm_srat_domain(&nodes, expected[i].domain);

		assert_non_null(node);
		assert_int_equal(node->node, expected[i].node);
		assert_int_equal(node->has, expected[i].has);
		assert_ptr_equal(tm_srat_node(&nodes, expected[i].node), node);
	}
	assert_null(tm_srat_node(&nodes, (int)nr));
	tm_srat_nodes_release(&nodes);
	release_one(&srat);
	if (cedt_bytes)
		release_one(&cedt);
}

#define CHECK_NODES(srat, cedt, ...)                                          \
	do {                                                                  \
		const struct expected expected_[] = { __VA_ARGS__ };          \
		check_nodes(srat, cedt, expected_, TM_ARRAY_SIZE(expected_)); \
	} while (0)

enum {
	CPU = TM_SRAT_HAS_CPU,
	MEMORY = TM_SRAT_HAS_MEMORY,
	INITIATOR = TM_SRAT_HAS_INITIATOR,
	PORT = TM_SRAT_HAS_PORT,
	WINDOW = TM_SRAT_HAS_WINDOW,
};

/* Domain 6 is node 2: by appearance, CPUs and initiators before all memory. */
static void test_nodes(void **state)
{
	struct bytes b = { .size = 0 };

	(void)state;
	start(&b, TM_ACPI_SRAT, 3);
	put_memory(&b, 7, 4ull << 30, 1ull << 30, 3);
	put_memory(&b, 0, 0, 1ull << 30, 1);
	put_x2apic(&b, 9, 1, 0); /* not enabled */
	put_memory(&b, 6, 2ull << 30, 1ull << 30, 3);
	put_x2apic(&b, 1, 0, 1);
	put_generic(&b, 5, 4, "ABCD0001", 3, 1);
	put_x2apic(&b, 0, 2, 1);
	put_memory(&b, 5, 0, 1ull << 30, 0); /* not enabled */
	finish(&b);
	CHECK_NODES(&b, NULL, { 1, 0, CPU }, { 4, 1, INITIATOR }, { 0, 2, CPU | MEMORY },
		    { 7, 3, MEMORY }, { 6, 4, MEMORY });
}

/* As seen in a virtual machine: the port's domain has memory that may be plugged in. */
static void test_port_and_window(void **state)
{
	struct bytes srat = { .size = 0 }, cedt = { .size = 0 };
	struct tm_srat_nodes nodes;
	struct one one, other;

	(void)state;
	start(&srat, TM_ACPI_SRAT, 1);
	put_x2apic(&srat, 0, 0, 1);
	put_memory(&srat, 0, 0, 1ull << 30, 1);
	put_memory(&srat, 1, 1ull << 30, 1ull << 29, 1);
	put_generic(&srat, 6, 2, "ACPI0016", 12, 1);
	put_memory(&srat, 2, 4ull << 30, 10ull << 30, 3);
	finish(&srat);
	start(&cedt, TM_ACPI_CEDT, 1);
	put_bridge(&cedt, 12, 1, 0x10000);
	put_window(&cedt, 0x3b0000000, 4ull << 30, 0, 0, 0, 1);
	put(&cedt, 4, 12);
	finish(&cedt);
	CHECK_NODES(&srat, &cedt, { 0, 0, CPU | MEMORY }, { 1, 1, MEMORY }, { 2, 2, MEMORY | PORT },
		    { 3, 3, WINDOW });

	/* A port with nothing else comes last, and its number is a guess. */
	start(&srat, TM_ACPI_SRAT, 3);
	put_generic(&srat, 6, 9, "ACPI0016", 12, 1);
	put_x2apic(&srat, 0, 0, 1);
	put_memory(&srat, 0, 0, 1ull << 30, 1);
	finish(&srat);
	CHECK_NODES(&srat, &cedt, { 0, 0, CPU | MEMORY }, { 1, 1, WINDOW }, { 9, 2, PORT });
	parse_one(&one, TM_ACPI_SRAT, &srat);
	parse_one(&other, TM_ACPI_CEDT, &cedt);
	assert_int_equal(tm_srat_nodes(&one.table, &other.table, &nodes, NULL), 0);
	assert_true(tm_srat_domain(&nodes, 9)->doubtful);
	assert_false(tm_srat_domain(&nodes, 1)->doubtful);
	assert_true(tm_srat_domain(&nodes, 1)->base == 0x3b0000000);
	assert_true(tm_srat_domain(&nodes, 1)->length == 4ull << 30);
	assert_null(tm_srat_domain(&nodes, 2));
	tm_srat_nodes_release(&nodes);
	release_one(&one);
	release_one(&other);
}

/* Windows get a domain each, above the highest; not those that SRAT's memory lies in. */
static void test_windows(void **state)
{
	struct bytes srat = { .size = 0 }, cedt = { .size = 0 };

	(void)state;
	start(&srat, TM_ACPI_SRAT, 3);
	put_x2apic(&srat, 3, 0, 1);
	put_memory(&srat, 3, 0, 1ull << 30, 1);
	/* a long range before a short one: the end that counts is that of all before */
	put_memory(&srat, 5, 64ull << 30, 32ull << 30, 1);
	put_memory(&srat, 4, 66ull << 30, 1ull << 30, 1);
	put_memory(&srat, 8, 200ull << 30, 1ull << 30, 0); /* not enabled */
	finish(&srat);
	start(&cedt, TM_ACPI_CEDT, 1);
	put_window(&cedt, 100ull << 30, 4ull << 30, 0, 0, 0, 0); /* free */
	put_window(&cedt, 92ull << 30, 4ull << 30, 0, 0, 0, 0);	 /* ends with memory's last byte */
	put_window(&cedt, 96ull << 30, 4ull << 30, 0, 0, 0, 0);	 /* begins right after */
	put_window(&cedt, 60ull << 30, 4ull << 30, 0, 0, 0, 0);	 /* ends right before */
	put_window(&cedt, 60ull << 30, 0, 0, 0, 0, 0);
	put_window(&cedt, 200ull << 30, 4ull << 30, 0, 0, 0, 0);
	put_window(&cedt, 0xfffffffff0000000, 1ull << 40, 0, 0, 0, 0); /* past the last address */
	finish(&cedt);
	CHECK_NODES(&srat, &cedt, { 3, 0, CPU | MEMORY }, { 5, 1, MEMORY }, { 4, 2, MEMORY },
		    { 6, 3, WINDOW }, { 7, 4, WINDOW }, { 8, 5, WINDOW }, { 9, 6, WINDOW },
		    { 10, 7, WINDOW });

	/* No domain is left above the last. */
	start(&srat, TM_ACPI_SRAT, 3);
	put_memory(&srat, 0xffffffff, 0, 1ull << 30, 1);
	finish(&srat);
	CHECK_NODES(&srat, &cedt, { 0xffffffff, 0, MEMORY });
	/* Nothing at all. */
	start(&srat, TM_ACPI_SRAT, 3);
	finish(&srat);
	check_nodes(&srat, NULL, NULL, 0);
}

/* 8,192 CPUs in 512 domains, backwards: no square effort, and the order is kept. */
static void test_many(void **state)
{
	size_t size = 48 + 8192 * 24;
	uint8_t *data = calloc(1, size);
	struct bytes head = { .size = 0 }, one_cpu = { .size = 0 };
	struct tm_acpi_findings findings = { 0 };
	struct tm_acpi_table srat;
	struct tm_srat_nodes nodes;

	(void)state;
	assert_non_null(data);
	start(&head, TM_ACPI_SRAT, 3);
	put_at(&head, 4, 4, size);
	memcpy(data, head.data, head.size);
	for (uint32_t i = 0; i < 8192; i++) {
		one_cpu.size = 0;
		put_x2apic(&one_cpu, 511 - i / 16, i, 1);
		memcpy(data + 48 + i * 24, one_cpu.data, 24);
	}
	assert_int_equal(
		tm_acpi_table_parse(&srat, TM_ACPI_SRAT, "many", data, size, &findings, NULL), 0);
	assert_int_equal(srat.nr_entries, 8192);
	assert_int_equal(tm_srat_nodes(&srat, NULL, &nodes, NULL), 0);
	assert_int_equal(nodes.nr, 512);
	for (int i = 0; i < 512; i++)
		assert_int_equal(tm_srat_domain(&nodes, (uint32_t)i)->node, 511 - i);
	tm_srat_nodes_release(&nodes);
	tm_acpi_table_release(&srat);
	tm_acpi_findings_release(&findings);
	free(data);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_affinity), cmocka_unit_test(test_domain_bits),
		cmocka_unit_test(test_nodes),	 cmocka_unit_test(test_port_and_window),
		cmocka_unit_test(test_windows),	 cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests_name("acpi-srat", tests, NULL, NULL);
}
