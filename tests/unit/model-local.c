/* SPDX-License-Identifier: GPL-2.0-only */
/* Which memory is local to which CPUs. */
#include "tests/unit/machine.h"

#include "lib/model/local.h"

/* Two sockets, each with its own far memory: 0 and 2, 1 and 3. */
static int sockets_setup(void **state)
{
	tree_setup(state);
	machine_lists(*state, "0-3", "0-3", "0-3");
	machine_node(*state, 0, "0-3", "10 21 14 24", 64);
	machine_node(*state, 1, "4-7", "21 10 24 14", 64);
	machine_node(*state, 2, "", "14 24 10 26", 64);
	machine_node(*state, 3, "", "24 14 26 10", 64);
	return 0;
}

static void expect(const struct tree *tree, const char *cpus, const char *wanted)
{
	struct tm_idset set = TM_IDSET_INIT, nodes = TM_IDSET_INIT;
	struct tm_machine m;

	machine_read(tree, &m);
	assert_int_equal(tm_idset_parse_list(&set, cpus), 0);
	/* What was in it before goes away. */
	assert_int_equal(tm_idset_add(&nodes, 77), 0);
	assert_int_equal(tm_machine_local(&m, &set, &nodes), 0);
	assert_set(&nodes, wanted);
	tm_idset_release(&set);
	tm_idset_release(&nodes);
	tm_machine_release(&m);
}

static void test_distances(void **state)
{
	expect(*state, "0-3", "0,2");
	expect(*state, "2", "0,2");
	expect(*state, "4-7", "1,3");
	expect(*state, "0-7", "0-3");
	expect(*state, "3,4", "0-3");
	expect(*state, "", "");
	expect(*state, "8-15", "");
	/* Equally near to both. */
	machine_node(*state, 0, "0-3", "10 21 14 14", 64);
	machine_node(*state, 1, "4-7", "21 10 24 14", 64);
	expect(*state, "0-3", "0,2-3");
	expect(*state, "4-7", "1,3");
	/* What counts is the way from the CPUs, not the way back. */
	machine_node(*state, 3, "", "10 255 26 10", 64);
	expect(*state, "4-7", "1,3");
}

/* What the kernel says of initiators counts more than distances. */
static void test_initiators(void **state)
{
	machine_figures(*state, 0, 1, 0, 200000, 100);
	machine_figures(*state, 1, 1, 1, 200000, 100);
	machine_figures(*state, 2, 1, 1, 30000, 300);
	expect(*state, "0-3", "0");
	expect(*state, "4-7", "1-3");
	/* Several are best. */
	machine_figures(*state, 2, 1, 0, 30000, 300);
	expect(*state, "0-3", "0,2");
	expect(*state, "4-7", "1-3");
	/* Figures that name no initiator leave it to distance. */
	machine_figures(*state, 3, 1, -1, 30000, 300);
	expect(*state, "0-3", "0,2");
	expect(*state, "4-7", "1-3");
}

static void test_access0(void **state)
{
	/* Without access1 it is access0, if that is a CPU's. */
	machine_figures(*state, 2, 0, 1, 30000, 300);
	expect(*state, "0-3", "0");
	expect(*state, "4-7", "1-3");
	/* access1 is what counts. */
	machine_figures(*state, 2, 1, 0, 30000, 300);
	expect(*state, "0-3", "0,2");
	expect(*state, "4-7", "1,3");
	/* A device says nothing of CPUs: by distance, then. */
	machine_figures(*state, 3, 0, 2, 30000, 300);
	expect(*state, "4-7", "1,3");
}

/* Its CPUs are nobody's nearest. */
static void test_cpus_alone(void **state)
{
	struct tree *tree = *state;

	machine_lists(tree, "0-3", "0-3", "0,2-3");
	tree_file(tree, NODE "/node1/meminfo", "Node 1 MemTotal: 0 kB\nNode 1 MemFree: 0 kB");
	expect(tree, "4-7", "3");
	machine_node(tree, 3, "", "24 14 26 10", 64);
	machine_node(tree, 0, "0-3", "10 21 14 12", 64);
	/* Now all memory is node 0's; the nearest to them is node 3's. */
	expect(tree, "4-7", "3");
	expect(tree, "0-3", "0,2-3");
	machine_node(tree, 1, "4-7", "18 10 24 18", 64);
	tree_file(tree, NODE "/node1/meminfo", "Node 1 MemTotal: 0 kB\nNode 1 MemFree: 0 kB");
	expect(tree, "4-7", "0,3");
}

static void test_unknown(void **state)
{
	struct tree *tree = *state;

	/* Without distances only what has the CPUs itself is known to be local. */
	for (int id = 0; id < 4; id++) {
		char path[64];

		snprintf(path, sizeof(path), NODE "/node%d/distance", id);
		tree_remove(tree, path);
	}
	expect(tree, "0-3", "0");
	expect(tree, "0-7", "0-1");
	tree_remove(tree, NODE "/node0/cpulist");
	tree_remove(tree, NODE "/node1/cpulist");
	expect(tree, "0-7", "");
}

#define sockets_test(function) \
	cmocka_unit_test_setup_teardown(function, sockets_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		sockets_test(test_distances), sockets_test(test_initiators),
		sockets_test(test_access0),   sockets_test(test_cpus_alone),
		sockets_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
