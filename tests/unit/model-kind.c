/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of memory a node has, and why it is called so. */
#include "tests/unit/machine.h"

static void expect(const struct tree *tree, int id, enum tm_kind kind, const char *why)
{
	struct tm_machine m;

	machine_read(tree, &m);
	if (machine_get(&m, id)->kind != kind)
		fail_msg("node %d: %s, not %s", id, tm_kind_name(machine_get(&m, id)->kind),
			 tm_kind_name(kind));
	/* Each kind, and each unknown one, says why. */
	assert_non_null(strstr(machine_get(&m, id)->kind_why, why));
	tm_machine_release(&m);
}

static void test_devices(void **state)
{
	struct tree *tree = *state;

	expect(tree, 0, TM_KIND_DRAM, "CPUs");
	expect(tree, 1, TM_KIND_CXL, "dax0.0 of CXL region0");
	/* Not bound to kmem: the blocks' addresses tell. */
	tree_remove(tree, DAX0 "/driver");
	expect(tree, 1, TM_KIND_CXL, "blocks lie in CXL region0");
	tree_remove(tree, DAX "/dax0.0");
	expect(tree, 1, TM_KIND_CXL, "blocks lie in CXL region0");
	/* Nothing tells any more; without CPUs and slower is no proof. */
	tree_file(tree, REGION0 "/resource", "0x900000000");
	expect(tree, 1, TM_KIND_UNKNOWN, "not faster than DRAM");
	tree_remove(tree, NODE "/node1/access0");
	tree_remove(tree, NODE "/node1/access1");
	expect(tree, 1, TM_KIND_UNKNOWN, "no figures");
	/* No memory, no kind. */
	tree_file(tree, NODE "/node1/meminfo", "Node 1 MemTotal: 0 kB\nNode 1 MemFree: 0 kB");
	expect(tree, 1, TM_KIND_UNKNOWN, "no memory");
}

static void test_reserved(void **state)
{
	struct tree *tree = *state;

	tree_remove(tree, "sys/bus/cxl");
	tree_link(tree, DAX "/dax0.0", "../../../devices/platform/hmem.0/dax0.0");
	tree_file(tree, "sys/devices/platform/hmem.0/dax0.0/target_node", "1");
	tree_link(tree, "sys/devices/platform/hmem.0/dax0.0/driver",
		  "../../../../bus/dax/drivers/kmem");
	expect(tree, 1, TM_KIND_UNKNOWN, "reserved by the firmware");
	machine_figures(tree, 1, 1, 0, 204800 * 6 / 5, 90);
	expect(tree, 1, TM_KIND_UNKNOWN, "reserved by the firmware");
	machine_figures(tree, 1, 1, 0, 204800 * 6 / 5 + 1, 90);
	expect(tree, 1, TM_KIND_HBM, "faster than DRAM");
}

static void test_reserved_in_window(void **state)
{
	struct tree *tree = *state;

	tree_link(tree, DAX "/dax0.0", "../../../devices/platform/hmem.0/dax0.0");
	tree_file(tree, "sys/devices/platform/hmem.0/dax0.0/target_node", "1");
	tree_file(tree, "sys/devices/platform/hmem.0/dax0.0/resource", "0x11fffffff");
	tree_link(tree, "sys/devices/platform/hmem.0/dax0.0/driver",
		  "../../../../bus/dax/drivers/kmem");
	expect(tree, 1, TM_KIND_CXL, "lies in a CXL window");
	tree_file(tree, "sys/devices/platform/hmem.0/dax0.0/resource", "0x120000000");
	expect(tree, 1, TM_KIND_UNKNOWN, "reserved by the firmware");
}

/* CPU-less is not slow: HBM is faster than DRAM. CPU-less is not CXL either. */
static void test_hbm(void **state)
{
	struct tree *tree = *state;

	machine_lists(tree, "0-2", "0-2", "0-2");
	machine_node(tree, 0, "0-3", "10 13 17", 1024);
	machine_node(tree, 1, "", "13 10 20", 512);
	machine_node(tree, 2, "", "17 20 10", 512);
	machine_figures(tree, 0, 1, 0, 200000, 100);
	machine_figures(tree, 1, 1, 0, 400000, 110);
	machine_figures(tree, 2, 1, 0, 50000, 300);
	expect(tree, 0, TM_KIND_DRAM, "CPUs");
	expect(tree, 1, TM_KIND_HBM, "faster than DRAM (400000 against 200000 MB/s)");
	expect(tree, 2, TM_KIND_UNKNOWN, "not faster");
	/* DRAM's own figures are missing: there is nothing to compare with. */
	machine_figures(tree, 0, 1, 0, 0, 0);
	expect(tree, 1, TM_KIND_UNKNOWN, "no figures");
}

/* CPUs and memory in separate nodes: the nearest memory of the CPUs is their DRAM. */
static void test_separate(void **state)
{
	struct tree *tree = *state;

	machine_lists(tree, "0-2", "0-2", "1-2");
	machine_node(tree, 0, "0-3", "10 12 17", 0);
	machine_node(tree, 1, "", "12 10 20", 1024);
	machine_node(tree, 2, "", "17 20 10", 1024);
	machine_figures(tree, 1, 1, 0, 100000, 100);
	machine_figures(tree, 2, 1, 0, 300000, 150);
	expect(tree, 0, TM_KIND_UNKNOWN, "no memory");
	expect(tree, 1, TM_KIND_DRAM, "nearest memory of node 0's CPUs");
	expect(tree, 2, TM_KIND_HBM, "faster than DRAM");
	/* By latency; distances only where that is equal. */
	machine_figures(tree, 2, 1, 0, 90000, 90);
	expect(tree, 2, TM_KIND_DRAM, "nearest");
	machine_figures(tree, 2, 1, 0, 90000, 100);
	expect(tree, 1, TM_KIND_DRAM, "nearest");
}

static void test_pmem(void **state)
{
	struct tree *tree = *state;

	tree_remove(tree, "sys/bus/cxl");
	tree_link(tree, DAX "/dax0.0", "../../../devices/LNXSYSTM:00/ndbus0/region0/dax0.0");
	tree_file(tree, "sys/devices/LNXSYSTM:00/ndbus0/region0/dax0.0/target_node", "1");
	tree_link(tree, "sys/devices/LNXSYSTM:00/ndbus0/region0/dax0.0/driver",
		  "../../../../../bus/dax/drivers/kmem");
	expect(tree, 1, TM_KIND_PMEM, "NVDIMM");
	/* Kept as a device, it is not what the node's memory is made of. */
	tree_link(tree, "sys/devices/LNXSYSTM:00/ndbus0/region0/dax0.0/driver",
		  "../../../../../bus/dax/drivers/device_dax");
	expect(tree, 1, TM_KIND_UNKNOWN, "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		expander_test(test_devices),
		expander_test(test_reserved),
		expander_test(test_reserved_in_window),
		tree_test(test_hbm),
		tree_test(test_separate),
		expander_test(test_pmem),
	};

	return cmocka_run_group_tests_name("model-kind", tests, NULL, NULL);
}
