/* SPDX-License-Identifier: GPL-2.0-only */
/* Which machine it is, its nodes, their CPUs and distances. */
#include "tests/unit/machine.h"

static void test_sound(void **state)
{
	struct tm_machine m;
	const struct tm_node *node;

	machine_read(*state, &m);
	assert_false(m.live);
	assert_string_equal(m.root, ((struct tree *)*state)->path);
	assert_text(m.kernel, "6.16.9-test");
	assert_text(m.host, "expander");
	assert_text(m.boot_id, "7f0c3a52-5d0e-4b7e-9c1f-2b8f6c1d9e40");
	assert_int_equal(m.version, 6 << 16 | 16 << 8);
	assert_true(m.has_numa);
	assert_set(&m.possible_nodes, "0-1");
	assert_set(&m.online_nodes, "0-1");
	assert_set(&m.online_cpus, "0-3");
	assert_set(&m.memory_nodes, "0-1");
	assert_int_equal(m.nr_nodes, 2);
	assert_null(tm_machine_node(&m, 2));
	assert_null(tm_machine_node(&m, -1));
	node = machine_get(&m, 0);
	assert_true(node->online);
	assert_false(node->generic_initiator);
	assert_set(&node->cpus, "0-3");
	assert_int_equal(node->nr_distances, 2);
	assert_int_equal(tm_node_distance(node, 1), 14);
	assert_int_equal(tm_node_distance(node, 2), -1);
	node = machine_get(&m, 1);
	assert_int_equal(node->cpus_state, TM_KNOWN);
	assert_set(&node->cpus, "");
	assert_int_equal(m.unreadable.denied + m.unreadable.malformed, 0);
	tm_machine_release(&m);
	assert_null(m.nodes);
	tm_machine_release(&m);
}

/* Nothing but a root: everything is unknown, and nothing fails. */
static void test_nothing(void **state)
{
	struct tm_machine m;

	machine_read(*state, &m);
	assert_false(m.has_numa);
	assert_int_equal(m.nr_nodes, 0);
	assert_int_equal(m.nr_perf + m.nr_tiers, 0);
	assert_int_equal(m.kernel.state, TM_ABSENT);
	assert_null(m.kernel.value);
	assert_int_equal(m.version, 0);
	assert_int_equal(m.online_state, TM_ABSENT);
	assert_int_not_equal(m.tiers_state, TM_KNOWN);
	assert_int_equal(m.weight_mode, TM_WEIGHTS_UNSUPPORTED);
	assert_no_num(m.block_size, TM_ABSENT);
	assert_false(tm_num_is(&m.page_size));
	assert_false(m.cxl.present);
	assert_null(tm_machine_node(&m, 0));
	assert_null(tm_machine_best(&m, 0));
	assert_int_equal(m.unreadable.denied + m.unreadable.malformed, 0);
	assert_problems(&m, "no-nodes");
	tm_machine_release(&m);
}

static void test_kernel_release(void **state)
{
	static const struct {
		const char *osrelease, *version;
		const char *release; /* NULL: unknown */
		unsigned number;
	} cases[] = {
		{ "6.12.117+deb13-amd64", NULL, "6.12.117+deb13-amd64", 6 << 16 | 12 << 8 },
		{ NULL, "Linux version 5.18.0-rc4 (x@y) (gcc)", "5.18.0-rc4", 5 << 16 | 18 << 8 },
		{ "4.4", "Linux version 9.9.9 (x)", "4.4", 4 << 16 | 4 << 8 },
		{ NULL, "FreeBSD 14", NULL, 0 },
		{ NULL, "Linux version ", NULL, 0 },
		{ "next", NULL, "next", 0 },
	};
	struct tree *tree = *state;

	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_machine m;

		tree_remove(tree, "proc");
		tree_folder(tree, "proc");
		if (cases[i].osrelease)
			tree_file(tree, "proc/sys/kernel/osrelease", "%s", cases[i].osrelease);
		if (cases[i].version)
			tree_file(tree, "proc/version", "%s", cases[i].version);
		machine_read(tree, &m);
		if (cases[i].release)
			assert_text(m.kernel, cases[i].release);
		else
			assert_null(m.kernel.value);
		assert_int_equal(m.version, cases[i].number);
		tm_machine_release(&m);
	}
}

/* Ids are sparse, folders come in any order, and names that only resemble one are none. */
static void test_ids(void **state)
{
	static const char *const others[] = {
		"node01",
		"node-1",
		"node+2",
		"nodeX",
		"node",
		"node1x",
		"node 1",
		"node\xff",
		"node99999",
		"node4294967296",
		"node18446744073709551617",
		"xnode1",
		"node0x1",
		"node1.5",
		"power",
		"has_cpu_not",
	};
	struct tree *tree = *state;
	struct tm_machine m;
	char path[128];

	machine_lists(tree, "0-255", "0,8,250,255", "0,8,250,255");
	machine_node(tree, 255, "3", "40 30 20 10", 64);
	machine_node(tree, 8, "1", "20 10 30 40", 64);
	machine_node(tree, 250, "2", "30 20 10 40", 64);
	machine_node(tree, 0, "0", "10 20 30 40", 64);
	for (size_t i = 0; i < TM_ARRAY_SIZE(others); i++) {
		snprintf(path, sizeof(path), NODE "/%s/cpulist", others[i]);
		tree_file(tree, path, "0-3");
	}
	machine_read(tree, &m);
	assert_int_equal(m.nr_nodes, 4);
	assert_int_equal(m.nodes[0].id, 0);
	assert_int_equal(m.nodes[1].id, 8);
	assert_int_equal(m.nodes[2].id, 250);
	assert_int_equal(m.nodes[3].id, 255);
	for (size_t i = 0; i < m.nr_nodes; i++)
		assert_ptr_equal(tm_machine_node(&m, m.nodes[i].id), &m.nodes[i]);
	assert_null(tm_machine_node(&m, 1));
	assert_null(tm_machine_node(&m, 9));
	assert_null(tm_machine_node(&m, 256));
	assert_set(&machine_get(&m, 255)->cpus, "3");
	/* Columns are the online nodes in order, not their numbers. */
	assert_int_equal(tm_node_distance(machine_get(&m, 8), 0), 20);
	assert_int_equal(tm_node_distance(machine_get(&m, 8), 8), 10);
	assert_int_equal(tm_node_distance(machine_get(&m, 8), 250), 30);
	assert_int_equal(tm_node_distance(machine_get(&m, 8), 255), 40);
	assert_int_equal(tm_node_distance(machine_get(&m, 8), 1), -1);
	tm_machine_release(&m);
}

/* Node 1 has a folder (or is possible) and is offline: it has no column. */
static void test_offline(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;

	machine_lists(tree, "0-3", "0,2", "0,2");
	machine_node(tree, 0, "0-1", "10 32", 64);
	machine_node(tree, 1, "", "", 0);
	machine_node(tree, 2, "2-3", "32 10", 64);
	machine_read(tree, &m);
	assert_false(machine_get(&m, 1)->online);
	assert_int_equal(machine_get(&m, 1)->nr_distances, 0);
	assert_int_equal(machine_get(&m, 0)->nr_distances, 2);
	assert_int_equal(tm_node_distance(machine_get(&m, 0), 2), 32);
	assert_int_equal(tm_node_distance(machine_get(&m, 0), 1), -1);
	assert_int_equal(tm_node_distance(machine_get(&m, 2), 0), 32);
	tm_machine_release(&m);

	/* A tree of a kernel that printed a column for each possible node. */
	machine_node(tree, 0, "0-1", "10 21 32 43", 64);
	machine_read(tree, &m);
	assert_int_equal(machine_get(&m, 0)->nr_distances, 2);
	assert_int_equal(tm_node_distance(machine_get(&m, 0), 2), 32);
	assert_int_equal(tm_node_distance(machine_get(&m, 0), 1), -1);
	tm_machine_release(&m);

	/* As many columns as possible nodes, but its own is not 10: they are something else. */
	machine_node(tree, 2, "2-3", "10 21 32 43", 64);
	machine_read(tree, &m);
	assert_int_equal(machine_get(&m, 2)->distances_state, TM_MALFORMED);
	assert_int_equal(machine_get(&m, 2)->nr_distances, 0);
	tm_machine_release(&m);
}

static void test_distances(void **state)
{
	static const struct {
		const char *text;
		enum tm_state state;
		int here, there;
	} cases[] = {
		{ "10 20\n", TM_KNOWN, 10, 20 },
		{ "10 255\n", TM_KNOWN, 10, 255 },
		{ "10  240 \n", TM_KNOWN, 10, 240 },
		{ "0 9\n", TM_KNOWN, 0, 9 }, /* shown as it is; a check complains */
		{ "10\n", TM_MALFORMED, -1, -1 },
		{ "10 20 30\n", TM_MALFORMED, -1, -1 },
		{ "10 256\n", TM_MALFORMED, -1, -1 },
		{ "10 -20\n", TM_MALFORMED, -1, -1 },
		{ "10 20x\n", TM_MALFORMED, -1, -1 },
		{ "10,20\n", TM_MALFORMED, -1, -1 },
		{ "10 0x14\n", TM_MALFORMED, -1, -1 },
		{ "10 99999999999999999999\n", TM_MALFORMED, -1, -1 },
		{ "ten twenty\n", TM_MALFORMED, -1, -1 },
		{ "\n", TM_MALFORMED, -1, -1 }, /* the kernel's is never empty */
		{ NULL, TM_ABSENT, -1, -1 },
	};
	struct tree *tree = *state;

	machine_lists(tree, "0-1", "0-1", "0-1");
	machine_node(tree, 0, "0", "", 64);
	machine_node(tree, 1, "1", "20 10", 64);
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		const struct tm_node *node;
		struct tm_machine m;

		tree_remove(tree, NODE "/node0/distance");
		if (cases[i].text)
			tree_text(tree, NODE "/node0/distance", cases[i].text);
		machine_read(tree, &m);
		node = machine_get(&m, 0);
		if (node->distances_state != cases[i].state)
			fail_msg("case %zu: state %d", i, node->distances_state);
		assert_int_equal(tm_node_distance(node, 0), cases[i].here);
		assert_int_equal(tm_node_distance(node, 1), cases[i].there);
		tm_machine_release(&m);
	}
}

/*
 * The mask is what the kernel computes from; the list stands in, cut to the CPUs that are online.
 */
static void test_cpus(void **state)
{
	static const struct {
		const char *map, *list;
		enum tm_state state;
		const char *cpus;
	} cases[] = {
		{ "0000000f\n", "0-7\n", TM_KNOWN, "0-3" },
		{ "00000001,0000000f\n", "0-3\n", TM_KNOWN, "0-3,32" },
		{ "0\n", "0-7\n", TM_KNOWN, "" },
		{ NULL, "0-7\n", TM_KNOWN, "0-3" },
		{ NULL, "0-3,6\n", TM_KNOWN, "0-3" },
		{ "bad\x01\n", "2-3\n", TM_KNOWN, "2-3" },
		{ "zz\n", "x\n", TM_MALFORMED, "" },
		{ NULL, NULL, TM_ABSENT, "" },
	};
	struct tree *tree = *state;

	tree_file(tree, "sys/devices/system/cpu/online", "0-3,32");
	machine_lists(tree, "0", "0", "0");
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_machine m;

		machine_node(tree, 0, "", "10", 64);
		tree_remove(tree, NODE "/node0/cpulist");
		tree_remove(tree, NODE "/node0/cpumap");
		if (cases[i].map)
			tree_text(tree, NODE "/node0/cpumap", cases[i].map);
		if (cases[i].list)
			tree_text(tree, NODE "/node0/cpulist", cases[i].list);
		machine_read(tree, &m);
		assert_int_equal(machine_get(&m, 0)->cpus_state, cases[i].state);
		assert_set(&machine_get(&m, 0)->cpus, cases[i].cpus);
		tm_machine_release(&m);
	}
}

static void test_generic_initiator(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;

	tree_file(tree, NODE "/has_generic_initiator", "1");
	machine_read(tree, &m);
	assert_false(machine_get(&m, 0)->generic_initiator);
	assert_true(machine_get(&m, 1)->generic_initiator);
	tm_machine_release(&m);
}

/* Without the list of those online, the nodes that have a folder are. */
static void test_no_online_list(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;

	tree_file(tree, NODE "/online", "0-1,what");
	machine_read(tree, &m);
	assert_int_equal(m.online_state, TM_MALFORMED);
	assert_true(machine_get(&m, 0)->online && machine_get(&m, 1)->online);
	assert_int_equal(tm_node_distance(machine_get(&m, 0), 1), 14);
	tm_machine_release(&m);
}

/* Folders, links out of the tree, cycles and pipes in the place of nodes and their files. */
static void test_hostile(void **state)
{
	struct tree *tree = *state;
	const struct tm_node *node;
	struct tm_machine m;

	tree_link(tree, NODE "/node2", "/etc");
	tree_link(tree, NODE "/node3", "node3");
	tree_link(tree, NODE "/node4", "node5");
	tree_link(tree, NODE "/node5", "node4");
	tree_file(tree, NODE "/node6", "text");
	tree_fifo(tree, NODE "/node7/distance");
	tree_folder(tree, NODE "/node7/cpulist");
	tree_link(tree, NODE "/node7/meminfo", "../../../../../../../../etc/passwd");
	tree_fifo(tree, "proc/sys/kernel/hostname");
	machine_read(tree, &m);
	/* What is no folder inside the tree is no node. */
	assert_int_equal(m.nr_nodes, 3);
	assert_int_equal(m.host.state, TM_MALFORMED);
	node = machine_get(&m, 7);
	assert_false(node->online);
	assert_int_equal(node->cpus_state, TM_MALFORMED);
	assert_int_equal(node->distances_state, TM_MALFORMED);
	assert_no_num(node->memory_total, TM_ABSENT);
	assert_int_equal(node->kind, TM_KIND_UNKNOWN);
	assert_false(tm_node_has_memory(&m, node));
	/* The sound ones are as they were. */
	assert_int_equal(tm_node_distance(machine_get(&m, 0), 1), 14);
	assert_int_equal(machine_get(&m, 1)->kind, TM_KIND_CXL);
	assert_true(m.unreadable.malformed >= 7);
	assert_string_not_equal(m.unreadable.first_malformed, "");
	tm_machine_release(&m);
}

static void test_denied(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;

	tree_mode(tree, NODE "/node0/distance", 0000);
	tree_mode(tree, NODE "/node0/cpumap", 0000);
	tree_mode(tree, NODE "/node0/cpulist", 0000);
	tree_mode(tree, WEIGHTS "/node0", 0000);
	machine_read(tree, &m);
	assert_int_equal(machine_get(&m, 0)->distances_state, TM_DENIED);
	assert_int_equal(machine_get(&m, 0)->cpus_state, TM_DENIED);
	assert_no_num(machine_get(&m, 0)->weight, TM_DENIED);
	assert_int_equal(m.unreadable.denied, 4);
	assert_string_equal(m.unreadable.first_denied, NODE "/node0/cpumap");
	tm_machine_release(&m);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(tm_kind_name(TM_KIND_UNKNOWN), "unknown");
	assert_string_equal(tm_kind_name(TM_KIND_DRAM), "dram");
	assert_string_equal(tm_kind_name(TM_KIND_HBM), "hbm");
	assert_string_equal(tm_kind_name(TM_KIND_CXL), "cxl");
	assert_string_equal(tm_kind_name(TM_KIND_PMEM), "pmem");
	assert_string_equal(tm_access_name(TM_ACCESS0), "access0");
	assert_string_equal(tm_access_name(TM_ACCESS1), "access1");
	assert_string_equal(tm_access_name(TM_ACCESS_MATRIX), "matrix");
	assert_string_equal(tm_source_name(TM_SOURCE_SYSFS), "sysfs");
	assert_string_equal(tm_source_name(TM_SOURCE_HMAT), "hmat");
	assert_string_equal(tm_source_name(TM_SOURCE_CDAT), "cdat");
	assert_string_equal(tm_source_name(TM_SOURCE_ESTIMATED), "estimated");
	assert_string_equal(tm_source_name(TM_SOURCE_MEASURED), "measured");
	assert_string_equal(tm_weight_mode_name(TM_WEIGHTS_UNSUPPORTED), "unsupported");
	assert_string_equal(tm_weight_mode_name(TM_WEIGHTS_MANUAL), "manual");
	assert_string_equal(tm_weight_mode_name(TM_WEIGHTS_AUTO), "auto");
	assert_string_equal(tm_weight_mode_name(TM_WEIGHTS_UNKNOWN), "unknown");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		expander_test(test_sound),
		tree_test(test_nothing),
		tree_test(test_kernel_release),
		tree_test(test_ids),
		tree_test(test_offline),
		tree_test(test_distances),
		tree_test(test_cpus),
		expander_test(test_generic_initiator),
		expander_test(test_no_online_list),
		expander_test(test_hostile),
		expander_test(test_denied),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("model-nodes", tests, NULL, NULL);
}
