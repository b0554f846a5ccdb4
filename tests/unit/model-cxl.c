/* SPDX-License-Identifier: GPL-2.0-only */
/* The CXL bus and device DAX. */
#include "tests/unit/machine.h"

static void test_sound(void **state)
{
	const struct tm_cxl_decoder *decoder;
	const struct tm_cxl_memdev *memdev;
	const struct tm_cxl_region *region;
	const struct tm_cxl_port *port;
	struct tm_machine m;

	machine_read(*state, &m);
	assert_true(m.cxl.present);
	assert_int_equal(m.cxl.nr_memdevs, 1);
	assert_int_equal(m.cxl.nr_ports, 3);
	assert_int_equal(m.cxl.nr_decoders, 3);
	assert_int_equal(m.cxl.nr_regions, 1);
	assert_int_equal(m.cxl.nr_dax, 1);

	memdev = tm_cxl_memdev_find(&m.cxl, "mem0");
	assert_non_null(memdev);
	assert_string_equal(memdev->endpoint, "endpoint2");
	assert_string_equal(memdev->pci, "0000:36:00.0");
	assert_text(memdev->serial, "0x5a");
	assert_text(memdev->firmware, "1.4.2");
	assert_num(memdev->numa_node, 0);
	assert_num(memdev->ram_size, 0x20000000);
	assert_num(memdev->pmem_size, 0);
	assert_num(memdev->ram_qos_class, 0);
	assert_no_num(memdev->pmem_qos_class, TM_ABSENT);
	assert_num(memdev->link.speed, 32000);
	assert_num(memdev->link.max_speed, 32000);
	assert_num(memdev->link.width, 8);
	assert_num(memdev->link.max_width, 8);

	port = tm_cxl_port_find(&m.cxl, "endpoint2");
	assert_int_equal(port->kind, TM_PORT_ENDPOINT);
	assert_string_equal(port->parent, "port1");
	assert_string_equal(port->device, "mem0");
	assert_num(port->decoders_committed, 1);
	port = tm_cxl_port_find(&m.cxl, "port1");
	assert_int_equal(port->kind, TM_PORT_SWITCH);
	assert_string_equal(port->parent, "root0");
	assert_string_equal(port->device, "pci0000:35");
	port = tm_cxl_port_find(&m.cxl, "root0");
	assert_int_equal(port->kind, TM_PORT_ROOT);
	assert_string_equal(port->parent, "");

	decoder = tm_cxl_decoder_find(&m.cxl, "decoder0.0");
	assert_int_equal(decoder->kind, TM_PORT_ROOT);
	assert_string_equal(decoder->port, "root0");
	assert_num(decoder->start, 0x100000000);
	assert_num(decoder->qos_class, 0);
	assert_text(decoder->targets, "53");
	assert_true(tm_cxl_window_used(&m.cxl, decoder));
	assert_null(tm_cxl_decoder_memdev(&m.cxl, decoder));
	decoder = tm_cxl_decoder_find(&m.cxl, "decoder2.0");
	assert_int_equal(decoder->kind, TM_PORT_ENDPOINT);
	assert_string_equal(decoder->port, "endpoint2");
	assert_string_equal(decoder->region, "region0");
	assert_text(decoder->mode, "ram");
	assert_num(decoder->dpa_start, 0);
	assert_num(decoder->dpa_size, 0x20000000);
	assert_ptr_equal(tm_cxl_decoder_memdev(&m.cxl, decoder), memdev);

	region = tm_cxl_region_find(&m.cxl, "region0");
	assert_int_equal(region->id, 0);
	assert_string_equal(region->decoder, "decoder0.0");
	assert_text(region->mode, "ram");
	assert_int_equal(region->uuid.state, TM_NOT_PROVIDED);
	assert_num(region->resource, 0x100000000);
	assert_num(region->size, 0x20000000);
	assert_num(region->ways, 1);
	assert_num(region->granularity, 256);
	assert_num(region->commit, 1);
	assert_int_equal(region->nr_targets, 1);
	assert_string_equal(region->targets[0], "decoder2.0");

	assert_string_equal(m.cxl.dax[0].name, "dax0.0");
	assert_string_equal(m.cxl.dax[0].driver, "kmem");
	assert_string_equal(m.cxl.dax[0].region, "region0");
	assert_int_equal(m.cxl.dax[0].kind, TM_DAX_CXL_RAM);
	assert_num(m.cxl.dax[0].target_node, 1);
	assert_num(m.cxl.dax[0].size, 536870912);
	assert_null(tm_cxl_memdev_find(&m.cxl, "mem"));
	assert_null(tm_cxl_region_find(&m.cxl, ""));
	tm_machine_release(&m);
}

/* Names are sorted as people count, and what only resembles one is left out. */
static void test_names(void **state)
{
	static const char *const others[] = {
		"mem",	     "memX",	  "mem01",	 "mem-1",	 "mem4294967296",
		"decoder1",  "decoder1.", "decoder.1",	 "decoder1.2.3", "decoderX.1",
		"region",    "regionX",	  "dax_region0", "pmem_region0", "nvdimm-bridge0",
		"endpointX", "portal1",	  "root",	 "\xff\xfe",
	};
	static const char *const mems[] = { "mem0", "mem2", "mem9", "mem10" };
	struct tree *tree = *state;
	struct tm_machine m;
	char path[200];

	tree_folder(tree, CXL "/mem10");
	tree_folder(tree, CXL "/mem9");
	tree_folder(tree, CXL "/mem2");
	tree_folder(tree, CXL "/decoder10.0");
	for (size_t i = 0; i < TM_ARRAY_SIZE(others); i++) {
		snprintf(path, sizeof(path), CXL "/%s", others[i]);
		tree_folder(tree, path);
	}
	/* Longer than any name of the kernel's. */
	snprintf(path, sizeof(path), CXL "/mem%0*d", TM_NAME_MAX, 1);
	tree_folder(tree, path);
	machine_read(tree, &m);
	assert_int_equal(m.cxl.nr_memdevs, TM_ARRAY_SIZE(mems));
	for (size_t i = 0; i < m.cxl.nr_memdevs; i++)
		assert_string_equal(m.cxl.memdevs[i].name, mems[i]);
	assert_int_equal(m.cxl.nr_decoders, 4);
	assert_string_equal(m.cxl.decoders[3].name, "decoder10.0");
	assert_int_equal(m.cxl.nr_regions, 1);
	assert_int_equal(m.cxl.nr_ports, 3);
	/* Nothing is known of a folder with nothing in it. */
	assert_string_equal(m.cxl.memdevs[1].endpoint, "");
	assert_string_equal(m.cxl.memdevs[1].pci, "");
	assert_no_num(m.cxl.memdevs[1].link.speed, TM_ABSENT);
	tm_machine_release(&m);
}

static void test_links(void **state)
{
	static const struct {
		const char *speed;
		enum tm_state state;
		unsigned value;
	} speeds[] = {
		{ "2.5 GT/s PCIe", TM_KNOWN, 2500 }, { "5.0 GT/s PCIe", TM_KNOWN, 5000 },
		{ "8 GT/s", TM_KNOWN, 8000 },	     { "64.0 GT/s PCIe", TM_KNOWN, 64000 },
		{ "Unknown", TM_NOT_PROVIDED, 0 },   { "Unknown speed", TM_NOT_PROVIDED, 0 },
		{ "fast GT/s", TM_NOT_PROVIDED, 0 }, { "", TM_NOT_PROVIDED, 0 },
	};
	static const struct {
		const char *width;
		enum tm_state state;
		unsigned value;
	} widths[] = {
		{ "16", TM_KNOWN, 16 },	       { "0", TM_NOT_PROVIDED, 0 },
		{ "255", TM_NOT_PROVIDED, 0 }, { "63", TM_NOT_PROVIDED, 0 },
		{ "x8", TM_MALFORMED, 0 },
	};
	struct tree *tree = *state;

	for (size_t i = 0; i < TM_ARRAY_SIZE(speeds); i++) {
		struct tm_machine m;

		tree_file(tree, PCI "/current_link_speed", "%s", speeds[i].speed);
		machine_read(tree, &m);
		assert_int_equal(m.cxl.memdevs[0].link.speed.state, speeds[i].state);
		if (speeds[i].state == TM_KNOWN)
			assert_num(m.cxl.memdevs[0].link.speed, speeds[i].value);
		tm_machine_release(&m);
	}
	for (size_t i = 0; i < TM_ARRAY_SIZE(widths); i++) {
		struct tm_machine m;

		tree_file(tree, PCI "/current_link_width", "%s", widths[i].width);
		machine_read(tree, &m);
		assert_int_equal(m.cxl.memdevs[0].link.width.state, widths[i].state);
		if (widths[i].state == TM_KNOWN)
			assert_num(m.cxl.memdevs[0].link.width, widths[i].value);
		tm_machine_release(&m);
	}
}

/* The memdev's node is where its CPUs are: the memory is found by the dax device. */
static void test_memdev_node(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;

	tree_file(tree, PCI "/mem0/numa_node", "-1");
	machine_read(tree, &m);
	assert_no_num(m.cxl.memdevs[0].numa_node, TM_NOT_PROVIDED);
	assert_int_equal(machine_get(&m, 1)->kind, TM_KIND_CXL);
	tm_machine_release(&m);
	tree_file(tree, PCI "/mem0/numa_node", "7");
	machine_read(tree, &m);
	assert_num(m.cxl.memdevs[0].numa_node, 7);
	assert_int_equal(m.nr_nodes, 2);
	tm_machine_release(&m);
	tree_file(tree, PCI "/mem0/numa_node", "99999999999");
	machine_read(tree, &m);
	assert_no_num(m.cxl.memdevs[0].numa_node, TM_MALFORMED);
	tm_machine_release(&m);
}

/* All ones stand for an address that is not set. */
static void test_addresses(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;

	tree_file(tree, ENDPOINT2 "/decoder2.0/dpa_resource", "0xffffffffffffffff");
	tree_file(tree, REGION0 "/resource", "0xffffffffffffffff");
	tree_file(tree, ROOT0 "/decoder0.0/start", "0x10000000000000000");
	machine_read(tree, &m);
	assert_no_num(m.cxl.decoders[2].dpa_start, TM_NOT_PROVIDED);
	assert_no_num(m.cxl.regions[0].resource, TM_NOT_PROVIDED);
	assert_no_num(m.cxl.decoders[0].start, TM_MALFORMED);
	tm_machine_release(&m);
}

static void test_targets(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;
	char path[200];

	/* The second place is not set yet; the third is. */
	tree_file(tree, REGION0 "/target1", "%s", "");
	tree_file(tree, REGION0 "/target2", "decoder4.0");
	machine_read(tree, &m);
	assert_int_equal(m.cxl.regions[0].nr_targets, 2);
	assert_string_equal(m.cxl.regions[0].targets[1], "decoder4.0");
	tm_machine_release(&m);

	/* No more than there can be. */
	for (int i = 0; i < 40; i++) {
		snprintf(path, sizeof(path), REGION0 "/target%d", i);
		tree_file(tree, path, "decoder%d.0", i);
	}
	machine_read(tree, &m);
	assert_int_equal(m.cxl.regions[0].nr_targets, 16);
	tm_machine_release(&m);

	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	tree_file(tree, REGION0 "/target0", "%s", path);
	tree_file(tree, ENDPOINT2 "/decoder2.0/region", "%s", path);
	machine_read(tree, &m);
	assert_int_equal(m.cxl.regions[0].nr_targets, 15);
	assert_string_equal(m.cxl.decoders[2].region, "");
	assert_problems(&m, "");
	tm_machine_release(&m);
}

/* Two memdevs below one port, ports that are their own ancestors: every walk ends. */
static void test_cycles(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;

	tree_link(tree, ENDPOINT2 "/uport", "endpoint2");
	tree_link(tree, PORT1 "/uport", "../port1");
	tree_link(tree, PORT1 "/port1", ".");
	tree_link(tree, REGION0 "/region0", "../region0");
	tree_link(tree, CXL "/mem1", "mem2");
	tree_link(tree, CXL "/mem2", "mem1");
	tree_link(tree, CXL "/mem3", "../devices");
	tree_link(tree, CXL "/mem4", "../../../..");
	tree_link(tree, CXL "/mem5", "/etc");
	tree_link(tree, CXL "/endpoint3", "mem0");
	tree_link(tree, CXL "/decoder9.9", "region0");
	tree_fifo(tree, "sys/bus/cxl/flush");
	tree_file(tree, ENDPOINT2 "/decoder2.0/region", "decoder2.0");
	machine_read(tree, &m);
	assert_int_equal(m.cxl.nr_memdevs, 6);
	assert_string_equal(tm_cxl_memdev_find(&m.cxl, "mem0")->endpoint, "");
	for (int i = 1; i < 6; i++) {
		char name[32];

		snprintf(name, sizeof(name), "mem%d", i);
		assert_string_equal(tm_cxl_memdev_find(&m.cxl, name)->pci, "");
	}
	tm_machine_release(&m);
}

#define ND "sys/devices/platform/ACPI0017:00/nvdimm-bridge0/ndbus0/region0"

/* Persistent CXL memory: nothing but the address ties the dax device to its region. */
static void test_pmem(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;

	tree_file(tree, REGION0 "/mode", "pmem");
	tree_remove(tree, DAX "/dax0.0");
	tree_remove(tree, REGION0 "/dax_region0");
	tree_link(tree, DAX "/dax1.0",
		  "../../../devices/platform/ACPI0017:00/nvdimm-bridge0/ndbus0/region0/dax1.0/"
		  "dax1.0");
	tree_file(tree, ND "/dax1.0/dax1.0/target_node", "1");
	tree_file(tree, ND "/dax1.0/dax1.0/resource", "0x100200000");
	tree_link(tree, ND "/dax1.0/dax1.0/driver", "../../../../../../../../bus/dax/drivers/kmem");
	machine_read(tree, &m);
	assert_int_equal(m.cxl.dax[0].kind, TM_DAX_CXL_PMEM);
	assert_string_equal(m.cxl.dax[0].region, "region0");
	assert_int_equal(machine_get(&m, 1)->kind, TM_KIND_CXL);
	tm_machine_release(&m);

	/* Elsewhere: it is not this region's. */
	tree_file(tree, ND "/dax1.0/dax1.0/resource", "0x900000000");
	machine_read(tree, &m);
	assert_string_equal(m.cxl.dax[0].region, "");
	tm_machine_release(&m);
	/* An address that only root may read: the only persistent region it can be. */
	tree_mode(tree, ND "/dax1.0/dax1.0/resource", 0000);
	machine_read(tree, &m);
	assert_string_equal(m.cxl.dax[0].region, "region0");
	tm_machine_release(&m);
	tree_folder(tree, CXL "/region7");
	tree_file(tree, CXL "/region7/mode", "pmem");
	machine_read(tree, &m);
	assert_string_equal(m.cxl.dax[0].region, "");
	tm_machine_release(&m);
}

static void test_dax(void **state)
{
	static const struct {
		const char *place;
		enum tm_dax_kind kind;
	} cases[] = {
		{ "devices/LNXSYSTM:00/ACPI0012:00/ndbus0/region1/dax1.0/dax1.0", TM_DAX_PMEM },
		{ "devices/platform/hmem.3/dax1.0", TM_DAX_RESERVED },
		{ "devices/platform/e820_pmem/dax1.0", TM_DAX_OTHER },
		/* Called a region, and not below a decoder. */
		{ "devices/other/region5/dax_region5/dax1.0", TM_DAX_OTHER },
	};
	struct tree *tree = *state;
	char path[200];

	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_machine m;

		snprintf(path, sizeof(path), "../../../%s", cases[i].place);
		tree_link(tree, DAX "/dax1.0", path);
		snprintf(path, sizeof(path), "sys/%s/target_node", cases[i].place);
		tree_file(tree, path, "-1");
		snprintf(path, sizeof(path), "sys/%s/mapping0/start", cases[i].place);
		tree_file(tree, path, "0x4000");
		machine_read(tree, &m);
		assert_int_equal(m.cxl.nr_dax, 2);
		assert_int_equal(m.cxl.dax[1].kind, cases[i].kind);
		assert_string_equal(m.cxl.dax[1].region, "");
		assert_string_equal(m.cxl.dax[1].driver, "");
		assert_no_num(m.cxl.dax[1].target_node, TM_NOT_PROVIDED);
		assert_num(m.cxl.dax[1].resource, 0x4000);
		tm_machine_release(&m);
	}
}

static void test_kind_names(void **state)
{
	(void)state;
	assert_string_equal(tm_port_kind_name(TM_PORT_ROOT), "root");
	assert_string_equal(tm_port_kind_name(TM_PORT_SWITCH), "switch");
	assert_string_equal(tm_port_kind_name(TM_PORT_ENDPOINT), "endpoint");
	assert_string_equal(tm_dax_kind_name(TM_DAX_OTHER), "other");
	assert_string_equal(tm_dax_kind_name(TM_DAX_CXL_RAM), "cxl-ram");
	assert_string_equal(tm_dax_kind_name(TM_DAX_CXL_PMEM), "cxl-pmem");
	assert_string_equal(tm_dax_kind_name(TM_DAX_PMEM), "pmem");
	assert_string_equal(tm_dax_kind_name(TM_DAX_RESERVED), "reserved");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		expander_test(test_sound),     expander_test(test_names),
		expander_test(test_links),     expander_test(test_memdev_node),
		expander_test(test_addresses), expander_test(test_targets),
		expander_test(test_cycles),    expander_test(test_pmem),
		expander_test(test_dax),       cmocka_unit_test(test_kind_names),
	};

	return cmocka_run_group_tests_name("model-cxl", tests, NULL, NULL);
}
