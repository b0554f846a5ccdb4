/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Each problem is raised by the expander machine with one thing wrong, and by nothing else: its
 * twin, wrong in a way that does not count, has no problem, nor has the sound machine.
 */
#include "tests/unit/machine.h"

static void sound(const struct tree *tree)
{
	(void)tree;
}

static void by_hand(const struct tree *tree)
{
	tree_file(tree, WEIGHTS "/auto", "false");
}

static void no_nodes(const struct tree *tree)
{
	tree_remove(tree, "sys");
	tree_folder(tree, "sys");
}

static void denied(const struct tree *tree)
{
	tree_mode(tree, "proc/sys/kernel/random/boot_id", 0000);
}

static void unknown_boot(const struct tree *tree)
{
	tree_remove(tree, "proc/sys/kernel/random/boot_id");
}

static void bad_number(const struct tree *tree)
{
	tree_file(tree, PCI "/mem0/ram/size", "much");
}

static void bad_weight(const struct tree *tree)
{
	tree_file(tree, WEIGHTS "/node1", "300");
}

static void same_cpus(const struct tree *tree)
{
	tree_file(tree, NODE "/node1/cpumap", "f");
}

static void other_cpus(const struct tree *tree)
{
	tree_file(tree, NODE "/node1/cpumap", "7");
}

static void short_distances(const struct tree *tree)
{
	tree_file(tree, NODE "/node0/distance", "10");
}

static void far_from_itself(const struct tree *tree)
{
	tree_file(tree, NODE "/node1/distance", "14 11");
}

static void reserved_distance(const struct tree *tree)
{
	tree_file(tree, NODE "/node0/distance", "10 9");
	tree_file(tree, NODE "/node1/distance", "9 10");
}

static void one_way(const struct tree *tree)
{
	tree_file(tree, NODE "/node0/distance", "10 17");
}

static void unreachable(const struct tree *tree)
{
	tree_file(tree, NODE "/node0/distance", "10 255");
	tree_file(tree, NODE "/node1/distance", "255 10");
}

static void nearly_unreachable(const struct tree *tree)
{
	tree_file(tree, NODE "/node0/distance", "10 254");
	tree_file(tree, NODE "/node1/distance", "254 10");
}

static void unknown_link(const struct tree *tree)
{
	tree_file(tree, PCI "/current_link_speed", "Unknown");
	tree_file(tree, PCI "/current_link_width", "0");
}

/* Without its link's speed there is nothing to estimate from either. */
static void no_figures(const struct tree *tree)
{
	by_hand(tree);
	unknown_link(tree);
	tree_remove(tree, NODE "/node1/access0");
	tree_remove(tree, NODE "/node1/access1");
}

/* Node 1 has CPUs and no memory: a single node with memory needs no figures. */
static void one_memory_without_figures(const struct tree *tree)
{
	no_figures(tree);
	tree_remove(tree, NODE "/node0/access0");
	tree_remove(tree, NODE "/node0/access1");
	tree_remove(tree, "sys/bus/cxl");
	tree_remove(tree, "sys/bus/dax");
	tree_file(tree, NODE "/node1/meminfo", "Node 1 MemTotal: 0 kB\nNode 1 MemFree: 0 kB");
}

static void zero_figures(const struct tree *tree)
{
	by_hand(tree);
	machine_figures(tree, 1, 0, 0, 0, 0);
	machine_figures(tree, 1, 1, 0, 0, 0);
}

static void only_bandwidth(const struct tree *tree)
{
	machine_figures(tree, 1, 1, 0, 25600, 0);
}

static void slow_to_read(const struct tree *tree)
{
	tree_file(tree, NODE "/node1/access1/initiators/read_latency", "2000");
}

static void slow_to_write(const struct tree *tree)
{
	tree_file(tree, NODE "/node1/access1/initiators/write_latency", "2000");
}

static void nearly_too_slow(const struct tree *tree)
{
	machine_figures(tree, 1, 1, 0, 25600, 1999);
}

static void far_latency(const struct tree *tree)
{
	machine_figures(tree, 1, 1, 0, 25600, 99);
}

static void equal_latency(const struct tree *tree)
{
	machine_figures(tree, 1, 1, 0, 25600, 100);
}

static void far_bandwidth(const struct tree *tree)
{
	by_hand(tree);
	machine_figures(tree, 1, 1, 0, 2 * 204800 + 1, 240);
}

static void wide_interleave(const struct tree *tree)
{
	by_hand(tree);
	machine_figures(tree, 1, 1, 0, 2 * 204800, 240);
}

static void generic_initiator(const struct tree *tree)
{
	tree_remove(tree, NODE "/node1/access0/initiators/node0");
	tree_link(tree, NODE "/node1/access0/initiators/node1", "../../../node1");
}

static void no_tier(const struct tree *tree)
{
	tree_file(tree, TIERING "/memory_tier86/nodelist", "%s", "");
}

static void old_kernel(const struct tree *tree)
{
	tree_file(tree, "proc/sys/kernel/osrelease", "5.15.0");
	tree_remove(tree, TIERING);
	tree_remove(tree, WEIGHTS);
}

static void same_tier(const struct tree *tree)
{
	tree_remove(tree, TIERING "/memory_tier86");
	tree_file(tree, TIERING "/memory_tier4/nodelist", "0-1");
}

static void next_tier(const struct tree *tree)
{
	tree_remove(tree, TIERING "/memory_tier86");
	tree_file(tree, TIERING "/memory_tier5/nodelist", "1");
}

/* The expander's memory is not there: no node 1. */
static void no_node1(const struct tree *tree)
{
	by_hand(tree);
	machine_lists(tree, "0-1", "0", "0");
	tree_remove(tree, NODE "/node1");
	tree_remove(tree, WEIGHTS "/node1");
	tree_remove(tree, TIERING "/memory_tier86");
	tree_file(tree, NODE "/node0/distance", "10");
	tree_text(tree, "proc/zoneinfo",
		  "Node 0, zone   Normal\n        present  262144\n        managed  258048\n");
}

static void unbound(const struct tree *tree)
{
	no_node1(tree);
	tree_remove(tree, DAX0 "/driver");
}

static void no_dax(const struct tree *tree)
{
	no_node1(tree);
	tree_remove(tree, DAX "/dax0.0");
}

static void pmem_not_used(const struct tree *tree)
{
	unbound(tree);
	tree_file(tree, REGION0 "/mode", "pmem");
}

static void not_committed(const struct tree *tree)
{
	unbound(tree);
	tree_file(tree, REGION0 "/commit", "0");
}

static void zones(const struct tree *tree, unsigned pages0, const char *zone1, unsigned pages1)
{
	tree_file(tree, "proc/zoneinfo",
		  "Node 0, zone   Normal\n        present  %u\n        managed  258048\n"
		  "Node 1, zone %s\n        present  %u\n        managed  %u",
		  pages0, zone1, pages1, pages1);
}

static void three_blocks(const struct tree *tree)
{
	zones(tree, 262144, "Movable", 131072 * 3 / 4);
}

/* Memory that was there at boot has holes. */
static void hole_in_dram(const struct tree *tree)
{
	zones(tree, 262144 * 7 / 8, "Movable", 131072);
}

static void kernel_zone(const struct tree *tree)
{
	zones(tree, 262144, "Normal", 131072);
}

static void device_zone(const struct tree *tree)
{
	zones(tree, 262144, "Device", 131072);
}

static void lost_decoder(const struct tree *tree)
{
	tree_file(tree, ENDPOINT2 "/decoder2.0/region", "%s", "");
}

static void unused_decoder(const struct tree *tree)
{
	lost_decoder(tree);
	tree_file(tree, ENDPOINT2 "/decoder2.0/size", "0x0");
}

static void narrow_link(const struct tree *tree)
{
	tree_file(tree, PCI "/current_link_width", "4");
}

static void slow_link(const struct tree *tree)
{
	tree_file(tree, PCI "/current_link_speed", "16.0 GT/s PCIe");
}

static void other_class(const struct tree *tree)
{
	tree_file(tree, PCI "/mem0/ram/qos_class", "1");
}

static void no_class(const struct tree *tree)
{
	tree_file(tree, PCI "/mem0/ram/qos_class", "-1");
}

static void second_window(const struct tree *tree)
{
	tree_file(tree, NODE "/possible", "0-2");
	tree_link(tree, CXL "/decoder0.1",
		  "../../../devices/platform/ACPI0017:00/root0/decoder0.1");
	tree_file(tree, ROOT0 "/decoder0.1/start", "0x200000000");
	tree_file(tree, ROOT0 "/decoder0.1/size", "0x20000000");
}

static void window_of_unknown_region(const struct tree *tree)
{
	second_window(tree);
	tree_link(tree, CXL "/region1",
		  "../../../devices/platform/ACPI0017:00/root0/decoder0.1/region1");
	tree_folder(tree, ROOT0 "/decoder0.1/region1");
}

static void left_behind(const struct tree *tree)
{
	tree_file(tree, WEIGHTS "/node1", "1");
}

static void left_behind_by_hand(const struct tree *tree)
{
	left_behind(tree);
	by_hand(tree);
}

static void no_weight_file(const struct tree *tree)
{
	tree_remove(tree, WEIGHTS "/node1");
}

static const struct {
	void (*change)(const struct tree *tree);
	const char *codes; /* all of them, in order */
	const char *nodes; /* of the first */
} cases[] = {
	{ sound, "", NULL },
	{ by_hand, "", NULL },
	{ no_nodes, "no-nodes", "" },
	{ denied, "unreadable", "" },
	{ unknown_boot, "", NULL },
	{ bad_number, "malformed", "" },
	{ bad_weight, "malformed", "" },
	{ same_cpus, "fake-numa", "0-1" },
	{ other_cpus, "", NULL },
	{ short_distances, "distance-malformed", "0" },
	{ far_from_itself, "distance-malformed", "1" },
	{ reserved_distance, "distance-malformed", "0-1" },
	{ one_way, "distance-asymmetric", "0-1" },
	{ unreachable, "distance-unreachable", "0-1" },
	{ nearly_unreachable, "", NULL },
	{ no_figures, "no-performance", "1" },
	{ one_memory_without_figures, "", NULL },
	{ zero_figures, "not-provided", "1" },
	{ only_bandwidth, "", NULL },
	{ slow_to_read, "implausible-performance", "1" },
	{ slow_to_write, "implausible-performance", "1" },
	{ nearly_too_slow, "", NULL },
	{ far_latency, "far-faster-than-near", "1" },
	{ equal_latency, "", NULL },
	{ far_bandwidth, "far-faster-than-near", "1" },
	{ wide_interleave, "", NULL },
	{ generic_initiator, "generic-initiator-best", "1" },
	{ no_tier, "node-without-tier", "1" },
	{ old_kernel, "", NULL },
	{ same_tier, "cxl-in-dram-tier", "1" },
	{ next_tier, "", NULL },
	{ no_node1, "memory-offline", "1" },
	{ unbound, "memory-offline", "1" },
	{ no_dax, "memory-offline", "" },
	{ pmem_not_used, "", NULL },
	{ not_committed, "", NULL },
	{ three_blocks, "memory-partly-online", "1" },
	{ hole_in_dram, "", NULL },
	{ kernel_zone, "cxl-zone-normal", "1" },
	{ device_zone, "", NULL },
	{ lost_decoder, "decoder-without-region", "" },
	{ unused_decoder, "", NULL },
	{ narrow_link, "link-degraded", "1" },
	{ slow_link, "link-degraded", "1" },
	{ unknown_link, "", NULL },
	{ other_class, "qos-class-mismatch", NULL },
	{ no_class, "", NULL },
	{ second_window, "window-unpopulated", "2" },
	{ window_of_unknown_region, "", NULL },
	{ left_behind, "stale-weights", "1" },
	{ left_behind_by_hand, "", NULL },
	{ no_weight_file, "weight-file-missing", "1" },
};

static void expect(const struct tree *tree, size_t i)
{
	struct tm_problems problems = { 0 };
	struct tm_error err = { 0 };
	char codes[1024];
	struct tm_machine m;

	cases[i].change(tree);
	machine_read(tree, &m);
	machine_problems(&m, codes, sizeof(codes));
	if (strcmp(codes, cases[i].codes))
		fail_msg("case %zu: \"%s\", not \"%s\"", i, codes, cases[i].codes);
	assert_int_equal(tm_problems_find(&m, &problems, &err), 0);
	for (size_t k = 0; k < problems.nr; k++) {
		const struct tm_problem *p = &problems.list[k];

		/* Whole sentences, and no set of nodes left out of its message. */
		assert_in_range(strlen(p->message), 10, sizeof(p->message) - 2);
		assert_true(strlen(p->hint) < sizeof(p->hint) - 1);
		assert_null(strchr(p->message, '%'));
		if (k == 0 && cases[i].nodes)
			assert_set(&p->nodes, cases[i].nodes);
	}
	tm_problems_release(&problems);
	tm_machine_release(&m);
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		void *tree;

		expander_setup(&tree);
		expect(tree, i);
		tree_teardown(&tree);
	}
}

/* No problem without a case that raises it, here or where the firmware's tables are at hand. */
static void test_all_codes(void **state)
{
	static const char *const elsewhere[] = {
		"incomplete-performance", "firmware-fault", "hmat-missing",	"hmat-refused",
		"hmat-entries",		  "hmat-disagrees", "domains-doubtful",
	};
	size_t nr = 0;

	(void)state;
	for (const char *code; (code = tm_problem_code(nr)); nr++) {
		bool raised = false;

		for (size_t i = 0; i < TM_ARRAY_SIZE(cases) && !raised; i++)
			raised = !strcmp(cases[i].codes, code);
		for (size_t i = 0; i < TM_ARRAY_SIZE(elsewhere) && !raised; i++)
			raised = !strcmp(elsewhere[i], code);
		if (!raised)
			fail_msg("nothing raises %s", code);
		for (size_t k = 0; k < nr; k++)
			assert_string_not_equal(code, tm_problem_code(k));
	}
	assert_true(nr > 20);
	assert_null(tm_problem_code(nr));
	assert_null(tm_problem_code(SIZE_MAX));
}

static void test_severities(void **state)
{
	(void)state;
	assert_string_equal(tm_severity_name(TM_NOTE), "note");
	assert_string_equal(tm_severity_name(TM_WARNING), "warning");
	assert_string_equal(tm_severity_name(TM_ERROR), "error");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_all_codes),
		cmocka_unit_test(test_severities),
	};

	return cmocka_run_group_tests_name("problems", tests, NULL, NULL);
}
