// SPDX-License-Identifier: GPL-2.0-only
/* What DAMON's folders say, and where the memory of a node lies. */
#include "tests/unit/tree.h"

#include "lib/model/damon-ranges.h"
#include "lib/model/damon.h"

#define K TM_DAMON_FOLDER
#define S K "/1/contexts/0/schemes/0"

static struct tm_error err;

static const struct tree_entry entries[] = {
	{ K "/nr_kdamonds", "2\n", NULL },
	/* As the kernel makes one: nothing in it yet. */
	{ K "/0/state", "off\n", NULL },
	{ K "/0/pid", "-1\n", NULL },
	{ K "/0/contexts/nr_contexts", "0\n", NULL },
	{ K "/1/state", "on\n", NULL },
	{ K "/1/pid", "78\n", NULL },
	{ K "/1/contexts/nr_contexts", "1\n", NULL },
	{ K "/1/contexts/0/operations", "paddr\n", NULL },
	{ K "/1/contexts/0/monitoring_attrs/intervals/sample_us", "5000\n", NULL },
	{ K "/1/contexts/0/monitoring_attrs/intervals/aggr_us", "100000\n", NULL },
	{ K "/1/contexts/0/monitoring_attrs/intervals/update_us", "many\n", NULL },
	{ K "/1/contexts/0/targets/nr_targets", "2\n", NULL },
	{ K "/1/contexts/0/targets/0/regions/nr_regions", "2\n", NULL },
	{ K "/1/contexts/0/targets/0/regions/0/start", "0\n", NULL },
	{ K "/1/contexts/0/targets/0/regions/0/end", "4096\n", NULL },
	{ K "/1/contexts/0/targets/0/regions/1/start", "18446744073709547520\n", NULL },
	{ K "/1/contexts/0/targets/1/regions/nr_regions", "0\n", NULL },
	{ K "/1/contexts/0/schemes/nr_schemes", "1\n", NULL },
	{ S "/action", "migrate_cold\n", NULL },
	{ S "/target_nid", "-1\n", NULL },
	{ S "/quotas/bytes", "134217728\n", NULL },
	{ S "/quotas/reset_interval_ms", "1000\n", NULL },
	{ S "/filters/nr_filters", "2\n", NULL },
	{ S "/filters/0/type", "anon\n", NULL },
	{ S "/filters/1/type", "memcg\n", NULL },
	{ S "/filters/1/memcg_path", "/db\n", NULL },
	{ S "/stats/nr_tried", "3\n", NULL },
	{ S "/stats/sz_tried", "12288\n", NULL },
	{ S "/stats/nr_applied", "2\n", NULL },
	{ S "/stats/sz_applied", "8192\n", NULL },
	{ S "/stats/qt_exceeds", "0\n", NULL },
};

static void make(struct tree *tree)
{
	for (size_t i = 0; i < TM_ARRAY_SIZE(entries); i++)
		tree_add(tree, &entries[i]);
}

static void test_read(void **state)
{
	struct tm_damon_owned owned[] = { { 0, 78 }, { 1, 77 }, { 1, 78 } };
	const struct tm_damon_scheme *scheme;
	struct tree *tree = *state;
	const struct tm_kdamond *k;
	struct tm_damon damon;

	make(tree);
	assert_int_equal(tm_damon_read(&damon, &tree->root, owned, 3, &err), 0);
	assert_int_equal(damon.kdamonds.value, 2);
	assert_int_equal(damon.nr, 2);
	assert_null(damon.exclusive);
	k = &damon.list[0];
	assert_string_equal(k->state.value, "off");
	assert_int_equal(k->pid.state, TM_NOT_PROVIDED);
	assert_int_equal(k->ours.value, 0);
	assert_int_equal(k->operations.state, TM_ABSENT);
	assert_int_equal(k->nr_targets, 0);
	assert_int_equal(k->nr_schemes, 0);
	k = &damon.list[1];
	assert_int_equal(k->id, 1);
	assert_string_equal(k->state.value, "on");
	assert_int_equal(k->pid.value, 78);
	assert_int_equal(k->ours.value, 1);
	assert_string_equal(k->operations.value, "paddr");
	assert_int_equal(k->sample_us.value, 5000);
	assert_int_equal(k->update_us.state, TM_MALFORMED);
	assert_int_equal(k->nr_targets, 2);
	assert_int_equal(k->nr_regions, 2);
	assert_int_equal(k->regions[0].end.value, 4096);
	assert_int_equal(k->regions[1].start.value, UINT64_MAX - 4095);
	assert_int_equal(k->regions[1].end.state, TM_ABSENT);
	assert_int_equal(k->nr_schemes, 1);
	scheme = &k->schemes[0];
	assert_string_equal(scheme->action.value, "migrate_cold");
	assert_int_equal(scheme->target.state, TM_NOT_PROVIDED);
	assert_int_equal(scheme->quota_bytes.value, 134217728);
	assert_string_equal(scheme->memcg.value, "/db");
	assert_int_equal(scheme->tried_bytes.value, 12288);
	assert_int_equal(scheme->applied_regions.value, 2);
	assert_true(tm_num_is(&scheme->quota_exceeds));
	tm_damon_release(&damon);
}

/* By number and process both; and not at all where it is not known. */
static void test_ours(void **state)
{
	struct tm_damon_owned other[] = { { 1, 77 }, { 0, 78 } };
	struct tree *tree = *state;
	struct tm_damon damon;

	make(tree);
	assert_int_equal(tm_damon_read(&damon, &tree->root, other, 2, &err), 0);
	assert_int_equal(damon.list[1].ours.value, 0);
	assert_true(tm_num_is(&damon.list[1].ours));
	tm_damon_release(&damon);
	assert_int_equal(tm_damon_read(&damon, &tree->root, NULL, 0, &err), 0);
	assert_int_equal(damon.list[1].ours.state, TM_UNKNOWN);
	tm_damon_release(&damon);
}

static void test_lacking(void **state)
{
	struct tree *tree = *state;
	struct tm_damon damon;

	assert_int_equal(tm_damon_read(&damon, &tree->root, NULL, 0, &err), 0);
	assert_int_equal(damon.kdamonds.state, TM_ABSENT);
	assert_int_equal(damon.nr, 0);
	tm_damon_release(&damon);
	tree_file(tree, K "/nr_kdamonds", "4");
	tree_mode(tree, K "/nr_kdamonds", 0);
	assert_int_equal(tm_damon_read(&damon, &tree->root, NULL, 0, &err), 0);
	assert_int_equal(damon.kdamonds.state, TM_DENIED);
	tm_damon_release(&damon);
	/* A forged number ends somewhere. */
	tree_file(tree, K "/nr_kdamonds", "18446744073709551615");
	assert_int_equal(tm_damon_read(&damon, &tree->root, NULL, 0, &err), 0);
	assert_in_range(damon.nr, 1, 100000);
	tm_damon_release(&damon);
}

static void test_exclusive(void **state)
{
	struct tree *tree = *state;
	struct tm_damon damon;

	tree_file(tree, "sys/module/damon_reclaim/parameters/enabled", "N");
	tree_file(tree, "sys/module/damon_stat/parameters/enabled", "Y");
	assert_int_equal(tm_damon_read(&damon, &tree->root, NULL, 0, &err), 0);
	assert_string_equal(damon.exclusive, "damon_stat");
	/* What acts comes before what only watches. */
	tree_file(tree, "sys/module/damon_reclaim/parameters/enabled", "Y");
	assert_int_equal(tm_damon_read(&damon, &tree->root, NULL, 0, &err), 0);
	assert_string_equal(damon.exclusive, "damon_reclaim");
}

static void add_blocks(struct tree *tree, int node, int from, int to, int step)
{
	for (int i = from; i <= to; i += step) {
		char path[128];

		snprintf(path, sizeof(path), "sys/devices/system/node/node%d/memory%d", node, i);
		tree_folder(tree, path);
	}
}

#define BLOCK UINT64_C(0x8000000)

static int ranges(struct tree *tree, int node, struct tm_damon_range **list, size_t *nr)
{
	struct tm_node nodes[] = { { .id = 0 }, { .id = 5 }, { .id = 7 } };
	struct tm_machine machine = { .nodes = nodes,
				      .nr_nodes = 3,
				      .block_size = tm_num_known(BLOCK) };

	return tm_damon_ranges(&machine, &tree->root, node, list, nr, &err);
}

static void test_ranges(void **state)
{
	struct tree *tree = *state;
	struct tm_damon_range *list;
	size_t nr;

	add_blocks(tree, 0, 0, 1, 1);
	add_blocks(tree, 0, 32, 40, 1);
	add_blocks(tree, 5, 41, 99, 1);
	/* A block in which two nodes have memory. */
	add_blocks(tree, 5, 40, 40, 1);
	assert_int_equal(ranges(tree, 0, &list, &nr), 0);
	assert_int_equal(nr, 2);
	assert_int_equal(list[0].start, 0);
	assert_int_equal(list[0].end, 2 * BLOCK);
	assert_int_equal(list[1].start, 32 * BLOCK);
	assert_int_equal(list[1].end, 41 * BLOCK);
	free(list);
	assert_int_equal(ranges(tree, 5, &list, &nr), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(list[0].start, 40 * BLOCK);
	assert_int_equal(list[0].end, 100 * BLOCK);
	free(list);
	assert_int_equal(ranges(tree, 7, &list, &nr), -ENOTSUP);
}

/* Many pieces: gaps in which nobody has memory are taken along, others' memory never. */
static void test_many_ranges(void **state)
{
	struct tree *tree = *state;
	struct tm_damon_range *list;
	size_t nr;

	add_blocks(tree, 0, 0, 400, 2);
	add_blocks(tree, 5, 201, 201, 1);
	assert_int_equal(ranges(tree, 0, &list, &nr), 0);
	assert_int_equal(nr, 2);
	assert_int_equal(list[0].start, 0);
	assert_int_equal(list[0].end, 201 * BLOCK);
	assert_int_equal(list[1].start, 202 * BLOCK);
	assert_int_equal(list[1].end, 401 * BLOCK);
	free(list);
	add_blocks(tree, 5, 1, 399, 2);
	assert_int_equal(ranges(tree, 0, &list, &nr), -E2BIG);
	assert_non_null(strstr(err.text, "node 0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_read),	   tree_test(test_ours),   tree_test(test_lacking),
		tree_test(test_exclusive), tree_test(test_ranges), tree_test(test_many_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
