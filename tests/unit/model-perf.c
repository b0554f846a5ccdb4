/* SPDX-License-Identifier: GPL-2.0-only */
/* Latency, bandwidth and side caches. */
#include "tests/unit/machine.h"

static void test_sound(void **state)
{
	const struct tm_perf *best;
	struct tm_machine m;

	machine_read(*state, &m);
	/* Sorted by target, class and initiator. */
	assert_int_equal(m.nr_perf, 4);
	for (size_t i = 0; i < m.nr_perf; i++) {
		const struct tm_perf *row = &m.perf[i];

		assert_int_equal(row->target, i / 2);
		assert_int_equal(row->access, i % 2 ? TM_ACCESS1 : TM_ACCESS0);
		assert_int_equal(row->source, TM_SOURCE_SYSFS);
		assert_true(row->complete);
		assert_num(row->initiator, 0);
		assert_num(row->read_bandwidth, i < 2 ? 204800 : 25600);
		assert_num(row->write_latency, i < 2 ? 100 : 240);
	}
	best = tm_machine_best(&m, 1);
	assert_int_equal(best->access, TM_ACCESS1);
	assert_num(tm_perf_bandwidth(best), 25600);
	assert_null(tm_machine_best(&m, 2));
	tm_machine_release(&m);
}

/* 0 is the kernel's word for "nobody told me". */
static void test_zero(void **state)
{
	struct tree *tree = *state;
	const struct tm_perf *best;
	struct tm_machine m;

	machine_figures(tree, 1, 0, 0, 0, 0);
	machine_figures(tree, 1, 1, 0, 0, 0);
	machine_read(tree, &m);
	best = tm_machine_best(&m, 1);
	assert_non_null(best);
	assert_false(best->complete);
	assert_no_num(best->read_bandwidth, TM_NOT_PROVIDED);
	assert_no_num(best->write_bandwidth, TM_NOT_PROVIDED);
	assert_no_num(best->read_latency, TM_NOT_PROVIDED);
	assert_no_num(best->write_latency, TM_NOT_PROVIDED);
	assert_no_num(tm_perf_bandwidth(best), TM_NOT_PROVIDED);
	assert_int_equal(m.unreadable.malformed, 0);
	tm_machine_release(&m);

	/* Zeros without an initiator say nothing at all. */
	tree_remove(tree, NODE "/node1/access1/initiators/node0");
	tree_remove(tree, NODE "/node1/access0/initiators/node0");
	machine_read(tree, &m);
	assert_null(tm_machine_best(&m, 1));
	tm_machine_release(&m);
}

/* Bandwidth without latency, and the smaller of two bandwidths. */
static void test_partial(void **state)
{
	struct tree *tree = *state;
	const struct tm_perf *best;
	struct tm_machine m;

	tree_remove(tree, NODE "/node1/access1/initiators/read_latency");
	tree_remove(tree, NODE "/node1/access1/initiators/write_latency");
	tree_file(tree, NODE "/node1/access1/initiators/write_bandwidth", "20000");
	machine_read(tree, &m);
	best = tm_machine_best(&m, 1);
	assert_num(tm_perf_bandwidth(best), 20000);
	assert_no_num(best->read_latency, TM_ABSENT);
	assert_false(machine_get(&m, 1)->perf_unreadable);
	tm_machine_release(&m);

	tree_file(tree, NODE "/node1/access1/initiators/write_bandwidth", "-1");
	machine_read(tree, &m);
	best = tm_machine_best(&m, 1);
	assert_num(best->read_bandwidth, 25600);
	assert_no_num(tm_perf_bandwidth(best), TM_MALFORMED);
	assert_true(machine_get(&m, 1)->perf_unreadable);
	tm_machine_release(&m);
}

/* access1 alone is normal; access0 alone serves if its initiator has CPUs. */
static void test_classes(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;

	tree_remove(tree, NODE "/node1/access0");
	machine_read(tree, &m);
	assert_int_equal(m.nr_perf, 3);
	assert_int_equal(tm_machine_best(&m, 1)->access, TM_ACCESS1);
	tm_machine_release(&m);

	tree_remove(tree, NODE "/node1/access1");
	machine_figures(tree, 1, 0, 0, 11111, 111);
	machine_read(tree, &m);
	assert_int_equal(tm_machine_best(&m, 1)->access, TM_ACCESS0);
	assert_num(tm_machine_best(&m, 1)->read_bandwidth, 11111);
	tm_machine_release(&m);

	/* Its initiator is the node itself, which has no CPUs: no basis for decisions. */
	tree_remove(tree, NODE "/node1/access0");
	machine_figures(tree, 1, 0, 1, 11111, 111);
	machine_read(tree, &m);
	assert_null(tm_machine_best(&m, 1));
	assert_int_equal(m.nr_perf, 3);
	tm_machine_release(&m);
}

/* A generic initiator is ten times as fast as the CPUs: theirs is what counts. */
static void test_generic_initiator(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;

	machine_lists(tree, "0-2", "0-2", "0-1");
	tree_file(tree, NODE "/has_generic_initiator", "2");
	machine_node(tree, 0, "0-3", "10 14 20", 64);
	machine_node(tree, 1, "", "14 10 20", 64);
	machine_node(tree, 2, "", "20 20 10", 0);
	machine_figures(tree, 1, 0, 2, 500000, 10);
	machine_figures(tree, 1, 1, 0, 50000, 100);
	machine_read(tree, &m);
	/* Rows are ordered by class before initiator. */
	assert_int_equal(m.nr_perf, 2);
	assert_int_equal(m.perf[0].access, TM_ACCESS0);
	assert_num(m.perf[0].initiator, 2);
	assert_num(tm_machine_best(&m, 1)->initiator, 0);
	assert_num(tm_perf_bandwidth(tm_machine_best(&m, 1)), 50000);
	assert_true(machine_get(&m, 2)->generic_initiator);
	tm_machine_release(&m);
}

/* Several initiators can be equally good; names that only resemble a node's are none. */
static void test_initiators(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;
	size_t rows = 0;

	tree_link(tree, NODE "/node1/access1/initiators/node8", "../../../node8");
	tree_link(tree, NODE "/node1/access1/initiators/node12", "../../../node12");
	tree_link(tree, NODE "/node1/access1/initiators/node01", "../../../node1");
	tree_link(tree, NODE "/node1/access1/initiators/nodeX", "../../../node1");
	tree_link(tree, NODE "/node1/access1/initiators/node99999", "../../../node1");
	machine_read(tree, &m);
	for (size_t i = 0; i < m.nr_perf; i++) {
		static const uint64_t initiators[] = { 0, 8, 12 };

		if (m.perf[i].target != 1 || m.perf[i].access != TM_ACCESS1)
			continue;
		assert_num(m.perf[i].initiator, initiators[rows++]);
		assert_num(m.perf[i].read_bandwidth, 25600);
	}
	assert_int_equal(rows, 3);
	tm_machine_release(&m);
}

/* The kernel names no initiator for the figures of a CXL region. */
static void test_no_initiator(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;

	tree_remove(tree, NODE "/node1/access1/initiators/node0");
	machine_read(tree, &m);
	assert_non_null(tm_machine_best(&m, 1));
	assert_no_num(tm_machine_best(&m, 1)->initiator, TM_ABSENT);
	assert_num(tm_machine_best(&m, 1)->read_bandwidth, 25600);
	tm_machine_release(&m);
}

static void test_hostile(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;

	tree_file(tree, NODE "/node0/access0/initiators", "text");
	tree_link(tree, NODE "/node0/access1", "access1");
	tree_link(tree, NODE "/node1/access0", "/etc");
	tree_folder(tree, NODE "/node1/access1/initiators/read_latency");
	tree_fifo(tree, NODE "/node1/access1/initiators/read_bandwidth");
	machine_read(tree, &m);
	assert_int_equal(m.nr_perf, 1);
	assert_no_num(m.perf[0].read_latency, TM_MALFORMED);
	assert_no_num(m.perf[0].read_bandwidth, TM_MALFORMED);
	assert_num(m.perf[0].write_latency, 240);
	tm_machine_release(&m);
}

static void test_caches(void **state)
{
	struct tree *tree = *state;
	const struct tm_node *node;
	struct tm_machine m;

	machine_read(tree, &m);
	node = machine_get(&m, 0);
	assert_int_equal(node->nr_caches, 1);
	assert_int_equal(node->caches[0].level, 1);
	assert_num(node->caches[0].size, 1 << 30);
	assert_num(node->caches[0].line_size, 64);
	assert_string_equal(node->caches[0].indexing, "direct-mapped");
	assert_string_equal(node->caches[0].write_policy, "write-back");
	assert_int_equal(machine_get(&m, 1)->nr_caches, 0);
	tm_machine_release(&m);

	tree_file(tree, NODE "/node0/memory_side_cache/index10/size", "5");
	tree_file(tree, NODE "/node0/memory_side_cache/index2/size", "0");
	tree_file(tree, NODE "/node0/memory_side_cache/index2/indexing", "1");
	tree_file(tree, NODE "/node0/memory_side_cache/index2/write_policy", "1");
	tree_file(tree, NODE "/node0/memory_side_cache/index3/indexing", "2");
	tree_file(tree, NODE "/node0/memory_side_cache/index3/write_policy", "2");
	tree_file(tree, NODE "/node0/memory_side_cache/index4/indexing", "3");
	tree_file(tree, NODE "/node0/memory_side_cache/index4/write_policy", "reserved");
	tree_file(tree, NODE "/node0/memory_side_cache/index01/size", "1");
	tree_file(tree, NODE "/node0/memory_side_cache/indexX/size", "1");
	machine_read(tree, &m);
	node = machine_get(&m, 0);
	assert_int_equal(node->nr_caches, 5);
	/* By number, not as text. */
	assert_int_equal(node->caches[1].level, 2);
	assert_int_equal(node->caches[4].level, 10);
	assert_no_num(node->caches[1].size, TM_NOT_PROVIDED);
	assert_string_equal(node->caches[1].indexing, "indexed");
	assert_string_equal(node->caches[1].write_policy, "write-through");
	assert_string_equal(node->caches[2].indexing, "custom");
	assert_string_equal(node->caches[2].write_policy, "none");
	assert_null(node->caches[3].indexing);
	assert_null(node->caches[3].write_policy);
	assert_num(node->caches[4].size, 5);
	assert_null(node->caches[4].indexing);
	tm_machine_release(&m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		expander_test(test_sound),	   expander_test(test_zero),
		expander_test(test_partial),	   expander_test(test_classes),
		tree_test(test_generic_initiator), expander_test(test_initiators),
		expander_test(test_no_initiator),  expander_test(test_hostile),
		expander_test(test_caches),
	};

	return cmocka_run_group_tests_name("model-perf", tests, NULL, NULL);
}
