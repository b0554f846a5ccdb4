/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory tiers and interleave weights. */
#include "tests/unit/machine.h"

static void test_order(void **state)
{
	static const int order[] = { 4, 22, 35, 100, 326 };
	struct tree *tree = *state;
	struct tm_machine m;
	char path[128];

	/* As text, 100 would come first. */
	for (size_t i = 0; i < TM_ARRAY_SIZE(order); i++) {
		snprintf(path, sizeof(path), TIERING "/memory_tier%d/nodelist", order[i]);
		tree_file(tree, path, "%s", order[i] == 35 ? "1" : order[i] == 4 ? "0" : "");
	}
	tree_remove(tree, TIERING "/memory_tier86");
	tree_file(tree, TIERING "/memory_tier-1/nodelist", "0");
	tree_file(tree, TIERING "/memory_tierX/nodelist", "0");
	tree_file(tree, TIERING "/memory_tier04/nodelist", "0");
	tree_file(tree, TIERING "/memory_tier/nodelist", "0");
	tree_file(tree, TIERING "/memory_tier99999999999999999999/nodelist", "0");
	machine_read(tree, &m);
	assert_int_equal(m.tiers_state, TM_KNOWN);
	assert_int_equal(m.nr_tiers, TM_ARRAY_SIZE(order));
	for (size_t i = 0; i < m.nr_tiers; i++)
		assert_int_equal(m.tiers[i].id, order[i]);
	assert_num(machine_get(&m, 0)->tier, 4);
	assert_num(machine_get(&m, 1)->tier, 35);
	assert_set(&m.tiers[2].nodes, "1");
	assert_set(&m.tiers[3].nodes, "");
	tm_machine_release(&m);
}

static void test_no_tier(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;

	tree_file(tree, TIERING "/memory_tier86/nodelist", "%s", "");
	machine_read(tree, &m);
	assert_no_num(machine_get(&m, 1)->tier, TM_ABSENT);
	tm_machine_release(&m);

	/* In a tier that cannot be read it may still be. */
	tree_file(tree, TIERING "/memory_tier86/nodelist", "one");
	machine_read(tree, &m);
	assert_no_num(machine_get(&m, 1)->tier, TM_MALFORMED);
	assert_num(machine_get(&m, 0)->tier, 4);
	assert_int_equal(m.tiers[1].nodes_state, TM_MALFORMED);
	tm_machine_release(&m);
	tree_file(tree, TIERING "/memory_tier86/nodelist", "1");
	tree_mode(tree, TIERING "/memory_tier86/nodelist", 0000);
	machine_read(tree, &m);
	assert_no_num(machine_get(&m, 1)->tier, TM_DENIED);
	tm_machine_release(&m);
}

/* What a kernel lacks because it is too old is not what this tree lacks. */
static void test_versions(void **state)
{
	static const struct {
		const char *release;
		enum tm_state tiers, weights;
	} cases[] = {
		{ "5.15.0", TM_UNSUPPORTED, TM_UNSUPPORTED },
		{ "6.0.19", TM_UNSUPPORTED, TM_UNSUPPORTED },
		{ "6.1.0", TM_ABSENT, TM_UNSUPPORTED },
		{ "6.8.12", TM_ABSENT, TM_UNSUPPORTED },
		{ "6.12.0", TM_ABSENT, TM_UNSUPPORTED },
		{ "unknown", TM_ABSENT, TM_UNSUPPORTED },
	};
	struct tree *tree = *state;

	tree_remove(tree, TIERING);
	tree_remove(tree, WEIGHTS);
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_machine m;

		tree_file(tree, "proc/sys/kernel/osrelease", "%s", cases[i].release);
		machine_read(tree, &m);
		assert_int_equal(m.tiers_state, cases[i].tiers);
		assert_int_equal(m.nr_tiers, 0);
		assert_no_num(machine_get(&m, 1)->tier, cases[i].tiers);
		assert_int_equal(m.weight_mode, TM_WEIGHTS_UNSUPPORTED);
		assert_no_num(machine_get(&m, 1)->weight, cases[i].weights);
		assert_string_equal(m.weight_switch, "");
		tm_machine_release(&m);
	}
}

static void test_switch(void **state)
{
	static const struct {
		const char *name, *value;
		enum tm_weight_mode mode;
	} cases[] = {
		{ "auto", "true", TM_WEIGHTS_AUTO },
		{ "auto", "1", TM_WEIGHTS_AUTO },
		{ "auto", "false", TM_WEIGHTS_MANUAL },
		{ "auto", "0", TM_WEIGHTS_MANUAL },
		{ "auto", "perhaps", TM_WEIGHTS_UNKNOWN },
		{ "auto", "", TM_WEIGHTS_UNKNOWN },
		/* Kernels that were built where `auto` is a macro. */
		{ "__auto_type", "true", TM_WEIGHTS_AUTO },
		{ "__auto_type", "false", TM_WEIGHTS_MANUAL },
		/* 6.9 to 6.15 have none. */
		{ "", NULL, TM_WEIGHTS_MANUAL },
	};
	struct tree *tree = *state;
	struct tm_machine m;
	char path[160];

	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		tree_remove(tree, WEIGHTS "/auto");
		tree_remove(tree, WEIGHTS "/__auto_type");
		snprintf(path, sizeof(path), WEIGHTS "/%s", cases[i].name);
		if (cases[i].value)
			tree_file(tree, path, "%s", cases[i].value);
		machine_read(tree, &m);
		if (m.weight_mode != cases[i].mode)
			fail_msg("case %zu: %s", i, tm_weight_mode_name(m.weight_mode));
		assert_string_equal(m.weight_switch, cases[i].name);
		/* The switch is never taken for a node. */
		assert_int_equal(m.nr_nodes, 2);
		assert_num(machine_get(&m, 0)->weight, 28);
		tm_machine_release(&m);
	}
	tree_file(tree, WEIGHTS "/auto", "true");
	tree_mode(tree, WEIGHTS "/auto", 0200);
	machine_read(tree, &m);
	assert_int_equal(m.weight_mode, TM_WEIGHTS_UNKNOWN);
	assert_string_equal(m.weight_switch, "auto");
	tm_machine_release(&m);
	/* A folder that is no folder. */
	tree_file(tree, WEIGHTS, "text");
	machine_read(tree, &m);
	assert_false(tm_num_is(&machine_get(&m, 0)->weight));
	tm_machine_release(&m);
}

static void test_weights(void **state)
{
	static const struct {
		const char *text;
		enum tm_state state;
		unsigned value;
	} cases[] = {
		{ "1\n", TM_KNOWN, 1 },	     { "255\n", TM_KNOWN, 255 },
		{ "0\n", TM_MALFORMED, 0 },  { "256\n", TM_MALFORMED, 0 },
		{ "-1\n", TM_MALFORMED, 0 }, { "x\n", TM_MALFORMED, 0 },
		{ "\n", TM_MALFORMED, 0 },   { "", TM_MALFORMED, 0 },
		{ NULL, TM_ABSENT, 0 },
	};
	struct tree *tree = *state;

	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_machine m;

		tree_remove(tree, WEIGHTS "/node1");
		if (cases[i].text)
			tree_text(tree, WEIGHTS "/node1", cases[i].text);
		machine_read(tree, &m);
		if (cases[i].state == TM_KNOWN)
			assert_num(machine_get(&m, 1)->weight, cases[i].value);
		else
			assert_no_num(machine_get(&m, 1)->weight, cases[i].state);
		assert_int_equal(m.unreadable.malformed, cases[i].state == TM_MALFORMED);
		assert_num(machine_get(&m, 0)->weight, 28);
		tm_machine_release(&m);
	}
}

/* Weight files of nodes that are only possible belong to no node. */
static void test_possible_weights(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;
	char path[128];

	for (int i = 2; i < 12; i++) {
		snprintf(path, sizeof(path), WEIGHTS "/node%d", i);
		tree_file(tree, path, "1");
	}
	tree_file(tree, NODE "/possible", "0-11");
	machine_read(tree, &m);
	assert_int_equal(m.nr_nodes, 2);
	assert_set(&m.memory_nodes, "0-1");
	tm_machine_release(&m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		expander_test(test_order),    expander_test(test_no_tier),
		expander_test(test_versions), expander_test(test_switch),
		expander_test(test_weights),  expander_test(test_possible_weights),
	};

	return cmocka_run_group_tests_name("model-tier", tests, NULL, NULL);
}
