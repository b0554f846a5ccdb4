/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/sample/sample.h"

#define NODE "sys/devices/system/node/"
#define THP "sys/kernel/mm/transparent_hugepage/"

/* The kernel's files change while they are open; those of a tree are made anew. */
TM_PRINTF(3, 4)
static void again(const struct tree *tree, const char *path, const char *fmt, ...)
{
	char name[PATH_MAX], text[1024];
	va_list ap;
	int fd, len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fd = open(tree_name(tree, path, name), O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0) {
		tree_text(tree, path, text);
		return;
	}
	assert_int_equal(write(fd, text, (size_t)len), len);
	assert_int_equal(close(fd), 0);
}

static void node(const struct tree *tree, int id, unsigned hits, unsigned promoted, unsigned free)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), NODE "node%d/numastat", id);
	again(tree, path, "numa_hit %u\nnuma_miss 0\nlocal_node 5\n", hits);
	snprintf(path, sizeof(path), NODE "node%d/vmstat", id);
	again(tree, path, "nr_free_pages 9\npgpromote_success %u\n", promoted);
	snprintf(path, sizeof(path), NODE "node%d/meminfo", id);
	again(tree, path,
	      "\nNode %d MemTotal:        1000 kB\nNode %d MemFree:          %u kB\n"
	      "Node %d MemUsed:          1 kB\n",
	      id, id, free, id);
}

static void machine(const struct tree *tree)
{
	tree_file(tree, NODE "online", "0,3\n");
	node(tree, 0, 100, 0, 400);
	node(tree, 3, 50, 7, 0);
	tree_file(tree, "proc/vmstat", "pgpromote_success 7\npgfault 1000\n");
	tree_file(tree, "proc/interrupts",
		  "  CPU0 CPU1 CPU4\nTLB: 4294967290 5 9 TLB shootdowns\nRES: 1 1 1 R\n");
	tree_file(tree, THP "hugepages-64kB/stats/shmem_alloc", "3\n");
	tree_file(tree, THP "hugepages-2048kB/stats/anon_fault_alloc", "1\n");
	tree_file(tree, THP "hugepages-8kB/enabled", "always [never]\n");
	tree_file(tree, THP "hugepages-xkB/enabled", "always [never]\n");
}

static void is(struct tm_num got, enum tm_state state, uint64_t value)
{
	if (got.state != state || got.value != value)
		fail_msg("state %d, %llu, and not %d, %llu", got.state,
			 (unsigned long long)got.value, state, (unsigned long long)value);
}

static void test_pairs(void **state)
{
	struct tree *tree = *state;
	struct tm_sample a = { 0 }, b = { 0 };
	struct tm_sampler sampler;
	size_t cpus = 0;

	machine(tree);
	assert_int_equal(tm_sampler_open(&sampler, &tree->root, TM_SAMPLE_FILES, NULL), 0);
	assert_int_equal(tm_sample_take(&sampler, &a, NULL), 0);
	assert_int_equal(a.nodes.nr, 2);
	is(a.nodes.list[0].total_bytes, TM_KNOWN, 1000 << 10);
	is(a.nodes.list[1].free_bytes, TM_KNOWN, 0);

	/* CPU 1 leaves and CPU 2 comes; node 3 leaves and node 1 comes; CPU 0 wraps. */
	again(tree, "proc/interrupts",
	      "  CPU0 CPU2 CPU4\nTLB: 4 1000 12 TLB shootdowns\nRES: 2 9 2 R\n");
	again(tree, NODE "online", "0-1\n");
	node(tree, 0, 130, 2, 300);
	node(tree, 1, 1, 1, 1);
	again(tree, "proc/vmstat", "pgpromote_success 9\npgfault 999\n");
	again(tree, THP "hugepages-64kB/stats/shmem_alloc", "13\n");
	assert_int_equal(tm_sample_take(&sampler, &b, NULL), 0);

	is(tm_pair_irq(&a, &b, TM_IRQ_TLB, 0), TM_KNOWN, 10);
	is(tm_pair_irq(&a, &b, TM_IRQ_TLB, 1), TM_OFFLINE, 0);
	is(tm_pair_irq(&a, &b, TM_IRQ_TLB, 2), TM_OFFLINE, 0);
	is(tm_pair_irq(&a, &b, TM_IRQ_TLB, 4), TM_KNOWN, 3);
	is(tm_pair_irq(&a, &b, TM_IRQ_CAL, 0), TM_UNSUPPORTED, 0);
	is(tm_pair_irq_total(&a, &b, TM_IRQ_TLB, &cpus), TM_KNOWN, 13);
	assert_int_equal(cpus, 2);
	is(tm_pair_irq_total(&a, &b, TM_IRQ_CAL, NULL), TM_UNSUPPORTED, 0);

	is(tm_pair_counter(&a, &b, TM_COUNTER_pgpromote_success), TM_KNOWN, 2);
	is(tm_pair_counter(&a, &b, TM_COUNTER_pgfault), TM_UNKNOWN, 0); /* was reset */
	is(tm_pair_counter(&a, &b, TM_COUNTER_pgdemote_kswapd), TM_UNSUPPORTED, 0);

	is(tm_pair_node_counter(&a, &b, 0, TM_COUNTER_pgpromote_success), TM_KNOWN, 2);
	is(tm_pair_node_counter(&a, &b, 3, TM_COUNTER_pgpromote_success), TM_OFFLINE, 0);
	is(tm_pair_node_counter(&a, &b, 1, TM_COUNTER_pgpromote_success), TM_OFFLINE, 0);
	is(tm_pair_numastat(&a, &b, 0, TM_NUMASTAT_HIT), TM_KNOWN, 30);
	is(tm_pair_numastat(&a, &b, 0, TM_NUMASTAT_FOREIGN), TM_UNSUPPORTED, 0);
	assert_null(tm_node_samples_find(&b.nodes, 3));

	assert_int_equal(b.sizes.nr, 3);
	assert_true(b.sizes.list[0].size_bytes == 8 << 10);
	assert_true(b.sizes.list[2].size_bytes == 2 << 20);
	is(tm_pair_size(&a, &b, 64 << 10, TM_SIZE_SHMEM_ALLOC), TM_KNOWN, 10);
	is(tm_pair_size(&a, &b, 64 << 10, TM_SIZE_SPLIT), TM_UNSUPPORTED, 0);
	is(tm_pair_size(&a, &b, 128 << 10, TM_SIZE_SPLIT), TM_ABSENT, 0);

	/* The clock, which may stand still or jump. */
	b.time_ns = a.time_ns + 5;
	is(tm_pair_interval(&a, &b), TM_KNOWN, 5);
	is(tm_pair_interval(&a, &a), TM_UNKNOWN, 0);
	is(tm_pair_interval(&b, &a), TM_UNKNOWN, 0);

	tm_sampler_close(&sampler);
	tm_sample_release(&a);
	tm_sample_release(&b);
}

/* A machine with nothing of it, and a sampler that was not asked. */
static void test_nothing(void **state)
{
	struct tree *tree = *state;
	struct tm_sample a = { 0 };
	struct tm_sampler sampler;

	assert_int_equal(tm_sampler_open(&sampler, &tree->root, TM_SAMPLE_FILES, NULL), 0);
	assert_int_equal(tm_sample_take(&sampler, &a, NULL), 0);
	is(tm_pair_irq_total(&a, &a, TM_IRQ_TLB, NULL), TM_ABSENT, 0);
	is(tm_pair_counter(&a, &a, TM_COUNTER_pgfault), TM_ABSENT, 0);
	is(tm_pair_node_counter(&a, &a, 0, TM_COUNTER_pgfault), TM_ABSENT, 0);
	is(tm_pair_size(&a, &a, 65536, TM_SIZE_SPLIT), TM_ABSENT, 0);
	tm_sampler_close(&sampler);

	machine(tree);
	assert_int_equal(tm_sampler_open(&sampler, &tree->root, 0, NULL), 0);
	assert_int_equal(tm_sample_take(&sampler, &a, NULL), 0);
	is(tm_pair_irq(&a, &a, TM_IRQ_TLB, 0), TM_NOT_ASKED, 0);
	is(tm_pair_counter(&a, &a, TM_COUNTER_pgfault), TM_NOT_ASKED, 0);
	is(tm_pair_node_counter(&a, &a, 0, TM_COUNTER_pgfault), TM_NOT_ASKED, 0);
	is(tm_pair_size(&a, &a, 65536, TM_SIZE_SPLIT), TM_NOT_ASKED, 0);
	tm_sampler_close(&sampler);
	tm_sample_release(&a);
}

/* Thousands of samples allocate nothing more than the first. */
static void test_no_growth(void **state)
{
	struct tree *tree = *state;
	struct tm_sample a = { 0 };
	struct tm_sampler sampler;
	const void *cpus, *counts, *nodes, *text;

	machine(tree);
	assert_int_equal(tm_sampler_open(&sampler, &tree->root, TM_SAMPLE_FILES, NULL), 0);
	assert_int_equal(tm_sample_take(&sampler, &a, NULL), 0);
	cpus = a.interrupts.cpus;
	counts = a.interrupts.rows[TM_IRQ_TLB].counts;
	nodes = a.nodes.list;
	text = sampler.vmstat.data;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(tm_sample_take(&sampler, &a, NULL), 0);
	assert_ptr_equal(a.interrupts.cpus, cpus);
	assert_ptr_equal(a.interrupts.rows[TM_IRQ_TLB].counts, counts);
	assert_ptr_equal(a.nodes.list, nodes);
	assert_ptr_equal(sampler.vmstat.data, text);
	tm_sampler_close(&sampler);
	tm_sample_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pairs, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_nothing, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_no_growth, tree_setup, tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
