/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/sample/recording.h"

static char *print(const struct tm_sample *sample)
{
	struct tm_json *json = tm_json_new();
	char *text;

	assert_non_null(json);
	tm_sample_write(json, sample);
	assert_int_equal(tm_json_print(json, true, &text, NULL), 0);
	tm_json_free(json);
	return text;
}

static int parse(struct tm_sample *sample, const char *text, struct tm_error *err)
{
	struct tm_jdoc *doc;
	int rc;

	assert_int_equal(tm_jdoc_parse("test", text, strlen(text), &doc, NULL), 0);
	rc = tm_sample_parse(sample, tm_jdoc_root(doc), err);
	tm_jdoc_free(doc);
	return rc;
}

static void machine(const struct tree *tree)
{
	tree_file(tree, "sys/devices/system/node/online", "0,3");
	tree_text(tree, "sys/devices/system/node/node0/numastat",
		  "numa_hit 18446744073709551615\nnuma_miss x\n");
	tree_text(tree, "sys/devices/system/node/node3/vmstat",
		  "pgpromote_success 9007199254740993\n");
	tree_text(tree, "sys/devices/system/node/node3/meminfo", "Node 3 MemTotal: 12 kB\n");
	tree_text(tree, "proc/vmstat", "pgpromote_success 18446744073709551614\npgfault x\n");
	tree_text(tree, "proc/interrupts", " CPU0 CPU7\nTLB: 1 4294967295 T\nRES: 5\n");
	tree_text(tree, "sys/kernel/mm/transparent_hugepage/hugepages-64kB/stats/shmem_alloc",
		  "13\n");
}

/* All 64 bits, every state, and lists of other lengths than the object held before. */
static void test_round(void **state)
{
	struct tree *tree = *state;
	struct tm_sample sample = { 0 }, again = { 0 };
	struct tm_sampler sampler;
	char *first, *second;

	machine(tree);
	for (unsigned what = 0; what <= TM_SAMPLE_FILES; what++) {
		assert_int_equal(tm_sampler_open(&sampler, &tree->root, what, NULL), 0);
		assert_int_equal(tm_sample_take(&sampler, &sample, NULL), 0);
		tm_sampler_close(&sampler);
		first = print(&sample);
		assert_int_equal(parse(&again, first, NULL), 0);
		second = print(&again);
		assert_string_equal(first, second);
		free(first);
		free(second);
	}
	assert_true(again.vmstat.value[TM_COUNTER_pgpromote_success].value == UINT64_MAX - 1);
	assert_int_equal(again.vmstat.value[TM_COUNTER_pgfault].state, TM_MALFORMED);
	assert_int_equal(again.vmstat.value[TM_COUNTER_pswpin].state, TM_UNSUPPORTED);
	assert_true(again.nodes.list[0].numastat[TM_NUMASTAT_HIT].value == UINT64_MAX);
	assert_true(again.nodes.list[1].vmstat.value[TM_COUNTER_pgpromote_success].value ==
		    9007199254740993);
	assert_int_equal(again.nodes.list[1].id, 3);
	assert_int_equal(again.interrupts.cpus[1], 7);
	assert_int_equal(again.interrupts.rows[TM_IRQ_RES].nr, 1);
	assert_int_equal(again.interrupts.rows[TM_IRQ_CAL].state, TM_UNSUPPORTED);
	tm_sample_release(&sample);
	tm_sample_release(&again);
}

/* Processes, which a tree has none of. */
static void test_processes(void **state)
{
	struct tm_sample sample = { .time_ns = 1, .wall_ns = UINT64_MAX }, again = { 0 };
	struct tm_process_samples *list = &sample.processes;
	struct tm_process_sample *one;
	char *first, *second;

	(void)state;
	tm_process_samples_none(list, TM_KNOWN);
	list->lost = UINT64_MAX;
	for (int i = 0; i < 3; i++) {
		one = tm_process_samples_add(list);
		assert_non_null(one);
		one->pid = i - 1;
		one->start = UINT64_MAX - (uint64_t)i;
		strcpy(one->name, i ? "fifteen letters" : "\\x1b");
		one->initiated = tm_num_known(UINT64_MAX);
		one->received = tm_num_none(TM_DENIED);
		one->memory_state = i == 1 ? TM_DENIED : TM_KNOWN;
		for (int node = 0; node < 3 * (i == 2); node++)
			assert_int_equal(
				tm_process_sample_add_memory(one, node * 7, 1 + (uint64_t)node), 0);
	}
	first = print(&sample);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(parse(&again, first, NULL), 0);
		second = print(&again);
		assert_string_equal(first, second);
		free(second);
	}
	assert_int_equal(again.processes.nr, 3);
	assert_true(again.processes.lost == UINT64_MAX);
	assert_int_equal(again.processes.list[2].memory[2].node, 14);
	/* Not recorded is not asked. */
	assert_int_equal(parse(&again, "{\"time_ns\":1,\"wall_ns\":1}", NULL), 0);
	assert_int_equal(again.processes.state, TM_NOT_ASKED);
	assert_int_equal(again.processes.nr, 0);
	free(first);
	tm_sample_release(&sample);
	tm_sample_release(&again);
}

static void test_damaged(void **state)
{
	static const struct {
		const char *text, *named;
	} cases[] = {
		{ "{}", "time_ns" },
		{ "{\"time_ns\":1}", "time_ns" },
		{ "{\"time_ns\":null,\"wall_ns\":1}", "time_ns" },
		{ "{\"time_ns\":-1,\"wall_ns\":1}", "time_ns" },
		{ "{\"time_ns\":1.5,\"wall_ns\":1}", "time_ns" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"interrupts\":{\"cpus\":3}}", "cpus" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"interrupts\":{\"cpus\":[1,1]}}", "cpus" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"interrupts\":{\"cpus\":[70000]}}", "cpus" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"interrupts\":{\"cpus\":[\"x\"]}}", "cpus" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"interrupts\":{\"cpus\":[1],\"TLB\":[1,2]}}",
		  "TLB" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"interrupts\":{\"cpus\":[1],\"TLB\":[-2]}}",
		  "TLB" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"vmstat\":{\"pgfault\":\"1\"}}", "pgfault" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"nodes\":{}}", "nodes" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"nodes\":[{}]}", "id" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"nodes\":[{\"id\":1e99}]}", "id" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"nodes\":[7]}", "id" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"sizes\":[{\"size_bytes\":null}]}", "size_bytes" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"processes\":[{}]}", "pid" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"processes\":[{\"pid\":-2,\"start\":1}]}", "pid" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"processes\":[{\"pid\":1,\"start\":1,"
		  "\"name\":\"0123456789abcdef\"}]}",
		  "name" },
		{ "{\"time_ns\":1,\"wall_ns\":1,\"processes\":[{\"pid\":1,\"start\":1,\"name\":"
		  "\"a\",\"memory\":[{\"node\":1,\"bytes\":1},{\"node\":1,\"bytes\":1}]}]}",
		  "memory" },
	};
	struct tm_sample sample = { 0 };

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_error err = { 0 };

		if (parse(&sample, cases[i].text, &err) != -EINVAL ||
		    strncmp(err.text, cases[i].named, strlen(cases[i].named)))
			fail_msg("%s: '%s'", cases[i].text, err.text);
	}
	/* What a later version adds is passed over, and what an earlier one lacked is not known. */
	assert_int_equal(parse(&sample,
			       "{\"time_ns\":1,\"wall_ns\":1,\"new\":[{}],\"nodes\":null,"
			       "\"nodes_reason\":\"tomorrow\",\"vmstat\":{\"new\":\"x\"}}",
			       NULL),
			 0);
	assert_int_equal(sample.nodes.state, TM_UNKNOWN);
	assert_int_equal(sample.vmstat.value[TM_COUNTER_pgfault].state, TM_UNSUPPORTED);
	assert_int_equal(sample.processes.state, TM_NOT_ASKED);
	assert_int_equal(sample.interrupts.rows[TM_IRQ_TLB].state, TM_NOT_ASKED);
	tm_sample_release(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_round, tree_setup, tree_teardown),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
