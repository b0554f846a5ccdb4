/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of CXL memory from CDAT, HMAT and SRAT, as the kernel reckons them. */
#include "tests/unit/acpi-tables.h"
#include "tests/unit/machine.h"

#include "lib/acpi/hmat.h"

#define TABLES "sys/firmware/acpi/tables/"
#define SWITCH "pci0000:35/0000:35:01.0/0000:40:00.0"

static void put_table(const struct tree *tree, const char *path, struct bytes *b)
{
	finish(b);
	tree_bytes(tree, path, b->data, b->size);
}

static void put_cdat(const struct tree *tree, const char *endpoint, unsigned read, unsigned write,
		     unsigned bandwidth)
{
	struct bytes b = { .size = 0 };
	char path[200];

	start(&b, TM_ACPI_CDAT, 2);
	put_dsmas(&b, 0, 0, 0, 1ull << 29);
	put_dslbis(&b, 0, 0, TM_HMAT_READ_LATENCY, 1000, (uint16_t)read);
	put_dslbis(&b, 0, 0, TM_HMAT_WRITE_LATENCY, 1000, (uint16_t)write);
	put_dslbis(&b, 0, 0, TM_HMAT_ACCESS_BANDWIDTH, 1, (uint16_t)bandwidth);
	snprintf(path, sizeof(path), CXL "/%s/CDAT", endpoint);
	put_table(tree, path, &b);
}

/* Three pairs of ports: "x y value". */
static void put_sslbis(struct bytes *b, unsigned data_type, uint64_t base_unit,
		       const uint16_t pairs[3][3])
{
	put_all(b, 2, 5, 16 + 3 * 8);
	put_all(b, 1, data_type, 0, 0, 0);
	put(b, 8, base_unit);
	for (int i = 0; i < 3; i++)
		put_all(b, 2, pairs[i][0], pairs[i][1], pairs[i][2], 0);
}

/* The switch's port 0 takes 30 ns, port 1 40 ns; both 20000 MB/s. */
static void put_switch_cdat(const struct tree *tree)
{
	/* From one device to the other it is another way, which CPUs do not go. */
	static const uint16_t latency[3][3] = { { 0x100, 0, 30 }, { 1, 0x100, 40 }, { 0, 1, 99 } };
	static const uint16_t bandwidth[3][3] = { { 0xffff, 0xffff, 200 },
						  { 0, 1, 1 },
						  { 1, 0, 0xffff } };
	struct bytes b = { .size = 0 };

	start(&b, TM_ACPI_CDAT, 2);
	put_sslbis(&b, TM_HMAT_ACCESS_LATENCY, 1000, latency);
	put_sslbis(&b, TM_HMAT_ACCESS_BANDWIDTH, 100, bandwidth);
	put_table(tree, CXL "/port3/CDAT", &b);
}

/* Domain 0 has the CPUs, domain 2 is the host bridge with UID 53: 100 ns, 40000 MB/s from there. */
static void put_firmware(const struct tree *tree)
{
	struct bytes b = { .size = 0 };

	start(&b, TM_ACPI_SRAT, 3);
	put_x2apic(&b, 0, 0, 1);
	put_memory(&b, 0, 0, 1ull << 30, 1);
	put_memory(&b, 1, 1ull << 32, 1ull << 29, 3);
	put_generic(&b, 6, 2, "ACPI0016", 53, 1);
	put_table(tree, TABLES "SRAT", &b);
	start(&b, TM_ACPI_HMAT, 2);
	put_locality(&b, 0, TM_HMAT_ACCESS_LATENCY, 1000, 1, 2);
	put_all(&b, 4, 0, 0, 2);
	put_all(&b, 2, 80, 100);
	put_locality(&b, 0, TM_HMAT_ACCESS_BANDWIDTH, 100, 1, 2);
	put_all(&b, 4, 0, 0, 2);
	put_all(&b, 2, 2000, 400);
	put_table(tree, TABLES "HMAT", &b);
	tree_link(tree, ROOT0 "/dport53", "../../../pci0000:35");
	tree_link(tree, PORT1 "/dport1", "../../../../pci0000:35/0000:35:01.0");
}

static void put_link(const struct tree *tree, const char *pci, const char *speed, unsigned width)
{
	char path[200];

	snprintf(path, sizeof(path), "sys/devices/%s/current_link_speed", pci);
	tree_file(tree, path, "%s GT/s PCIe", speed);
	snprintf(path, sizeof(path), "sys/devices/%s/current_link_width", pci);
	tree_file(tree, path, "%u", width);
}

static void put_on_bus(const struct tree *tree, const char *name, const char *place)
{
	char path[100], target[300];

	snprintf(path, sizeof(path), CXL "/%s", name);
	snprintf(target, sizeof(target), "../../../devices/%s", place);
	tree_link(tree, path, target);
}

/* Device n, with endpoint 4+n, at the switch's port n. */
static void put_device(const struct tree *tree, unsigned n, const char *speed, unsigned width)
{
	char name[32], pci[100], port[100], path[250], target[250];

	snprintf(pci, sizeof(pci), SWITCH "/0000:41:0%u.0/0000:4%u:00.0", n, 2 + n);
	put_link(tree, pci, speed, width);
	snprintf(path, sizeof(path), "sys/devices/%s/mem%u", pci, n);
	tree_folder(tree, path);
	snprintf(name, sizeof(name), "mem%u", n);
	put_on_bus(tree, name, path + strlen("sys/devices/"));
	snprintf(port, sizeof(port), "platform/ACPI0017:00/root0/port1/port3/endpoint%u", 4 + n);
	snprintf(path, sizeof(path), "sys/devices/%s/uport", port);
	snprintf(target, sizeof(target), "../../../../../../%s/mem%u", pci, n);
	tree_link(tree, path, target);
	snprintf(name, sizeof(name), "endpoint%u", 4 + n);
	put_on_bus(tree, name, port);
	snprintf(path, sizeof(path), "sys/devices/%s/decoder%u.0/dpa_resource", port, 4 + n);
	tree_file(tree, path, "0x0");
	snprintf(name, sizeof(name), "decoder%u.0", 4 + n);
	snprintf(path, sizeof(path), "%s/%s", port, name);
	put_on_bus(tree, name, path);
	snprintf(path, sizeof(path), REGION0 "/target%u", n);
	tree_file(tree, path, "%s", name);
	snprintf(path, sizeof(path), PORT1 "/port3/dport%u", n);
	snprintf(target, sizeof(target), "../../../../../" SWITCH "/0000:41:0%u.0", n);
	tree_link(tree, path, target);
}

/* Both devices of region0 are behind a switch, whose way up is a link of 32 GT/s x8. */
static void put_switch(const struct tree *tree)
{
	put_firmware(tree);
	tree_remove(tree, CXL "/endpoint2");
	tree_remove(tree, CXL "/decoder2.0");
	tree_remove(tree, CXL "/mem0");
	put_on_bus(tree, "port3", "platform/ACPI0017:00/root0/port1/port3");
	tree_link(tree, PORT1 "/port3/uport", "../../../../../" SWITCH);
	put_link(tree, SWITCH, "32.0", 8);
	put_device(tree, 0, "32.0", 16);
	put_device(tree, 1, "16.0", 8);
	put_cdat(tree, "endpoint4", 150, 250, 16000);
	put_cdat(tree, "endpoint5", 160, 200, 18000);
	put_switch_cdat(tree);
}

static void row_is(const struct tree *tree, bool complete, const uint64_t wanted[4])
{
	const struct tm_perf *row = NULL;
	struct tm_machine m;

	machine_read(tree, &m);
	for (size_t i = 0; i < m.nr_perf; i++)
		if (m.perf[i].source == TM_SOURCE_CDAT) {
			assert_null(row);
			row = &m.perf[i];
		}
	assert_non_null(row);
	assert_int_equal(row->target, 1);
	assert_int_equal(row->access, TM_ACCESS1);
	assert_int_equal(row->complete, complete);
	assert_num(row->read_latency, wanted[0]);
	assert_num(row->write_latency, wanted[1]);
	assert_num(row->read_bandwidth, wanted[2]);
	assert_num(row->write_bandwidth, wanted[3]);
	if (complete)
		assert_num(row->initiator, 0);
	tm_machine_release(&m);
}

/* Read and write latency, bandwidth both ways */
#define assert_row(tree, complete, read, write, bandwidth) \
	row_is(tree, complete, (const uint64_t[4]){ read, write, bandwidth, bandwidth })

static void test_direct(void **state)
{
	struct tree *tree = *state;

	put_firmware(tree);
	put_cdat(tree, "endpoint2", 150, 250, 16000);
	/* 100 to the bridge, 68 bytes over 32000 MB/s are 3 ns. */
	assert_row(tree, true, 253, 353, 16000);
	/* The kernel reckons with the link's raw speed. */
	tree_file(tree, PCI "/current_link_speed", "8.0 GT/s PCIe");
	tree_file(tree, PCI "/current_link_width", "2");
	assert_row(tree, true, 284, 384, 2000);
	/* Flits of 256 bytes, and then the bridge is the limit. */
	tree_file(tree, PCI "/current_link_speed", "64.0 GT/s PCIe");
	tree_file(tree, PCI "/current_link_width", "16");
	put_cdat(tree, "endpoint2", 150, 250, 65000);
	assert_row(tree, true, 252, 352, 40000);
}

/* Whatever is missing, what remains is the device's own. */
static void test_missing(void **state)
{
	static const char *const needed[] = { TABLES "SRAT", TABLES "HMAT", ROOT0 "/dport53",
					      PCI "/current_link_speed",
					      PCI "/current_link_width" };
	struct tree *tree = *state;
	struct tm_machine m;

	for (size_t i = 0; i < TM_ARRAY_SIZE(needed); i++) {
		put_firmware(tree);
		put_link(tree, &PCI[strlen("sys/devices/")], "32.0", 8);
		put_cdat(tree, "endpoint2", 150, 250, 16000);
		assert_row(tree, true, 253, 353, 16000);
		tree_remove(tree, needed[i]);
		assert_row(tree, false, 150, 250, 16000);
	}
	/* A bridge with another UID is not this one's. */
	put_firmware(tree);
	put_link(tree, &PCI[strlen("sys/devices/")], "32.0", 8);
	tree_remove(tree, ROOT0 "/dport53");
	tree_link(tree, ROOT0 "/dport54", "../../../pci0000:35");
	assert_row(tree, false, 150, 250, 16000);
	/* Without CDAT the link would be all, and the kernel knows better. */
	tree_remove(tree, ENDPOINT2 "/CDAT");
	machine_read(tree, &m);
	for (size_t i = 0; i < m.nr_perf; i++)
		assert_true(m.perf[i].source <= TM_SOURCE_HMAT);
	tm_machine_release(&m);
	tree_remove(tree, NODE "/node1/access0");
	tree_remove(tree, NODE "/node1/access1");
	machine_read(tree, &m);
	assert_int_equal(tm_machine_shown(&m, 1)->source, TM_SOURCE_ESTIMATED);
	assert_false(tm_machine_shown(&m, 1)->complete);
	assert_num(tm_machine_shown(&m, 1)->read_bandwidth, 31507);
	assert_no_num(tm_machine_shown(&m, 1)->read_latency, TM_UNKNOWN);
	tm_machine_release(&m);
}

static void test_switch(void **state)
{
	struct tree *tree = *state;

	put_switch(tree);
	/*
	 * The slower of them: 100 to the bridge, 3 up, 40 through the switch, 5 down, 160 or 200;
	 * the other 100 + 3 + 30 + 2 + 150 or 250. The way up is a limit to both.
	 */
	assert_row(tree, true, 308, 385, 32000);
	/* Where nothing is shared that limits, it is the sum: 16000 by CDAT, 16000 by the link. */
	put_link(tree, SWITCH, "32.0", 16);
	assert_row(tree, true, 307, 384, 32000);
	put_device(tree, 1, "16.0", 16);
	assert_row(tree, true, 305, 384, 34000);
	/* The switch's own limit is one for each port. */
	put_cdat(tree, "endpoint4", 150, 250, 30000);
	assert_row(tree, true, 305, 384, 38000);
	/* Then the bridge's, for all. */
	put_cdat(tree, "endpoint5", 160, 200, 30000);
	put_device(tree, 1, "32.0", 16);
	assert_row(tree, true, 304, 384, 40000);
}

static void test_switch_unknown(void **state)
{
	static const char *const needed[] = { CXL "/port3/CDAT", PORT1 "/port3/dport1",
					      "sys/devices/" SWITCH "/current_link_speed" };
	struct tree *tree = *state;
	struct bytes b = { .size = 0 };

	for (size_t i = 0; i < TM_ARRAY_SIZE(needed); i++) {
		put_switch(tree);
		tree_remove(tree, needed[i]);
		assert_row(tree, false, 160, 250, 34000);
	}
	/* Bandwidth alone does not make a way. */
	put_switch(tree);
	start(&b, TM_ACPI_CDAT, 2);
	put_sslbis(&b, TM_HMAT_ACCESS_BANDWIDTH, 100,
		   (const uint16_t[3][3]){ { 0x100, 0, 9 }, { 0x100, 1, 9 }, { 0, 1, 9 } });
	put_table(tree, CXL "/port3/CDAT", &b);
	assert_row(tree, false, 160, 250, 34000);
	/* A switch that is its own way up. */
	put_switch(tree);
	tree_remove(tree, CXL "/port3");
	tree_link(tree, CXL "/port3", "../../../devices/platform/ACPI0017:00/root0/port1/port3");
	tree_link(tree, PORT1 "/port3/dport7", "../port3");
	tree_link(tree, PORT1 "/port3/port3", ".");
	assert_row(tree, true, 308, 385, 32000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		expander_test(test_direct),
		expander_test(test_missing),
		expander_test(test_switch),
		expander_test(test_switch_unknown),
	};

	return cmocka_run_group_tests_name("model-cdat", tests, NULL, NULL);
}
