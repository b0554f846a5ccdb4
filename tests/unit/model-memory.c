/* SPDX-License-Identifier: GPL-2.0-only */
/* How much memory, in which zones, of what page size, in how many blocks. */
#include "tests/unit/machine.h"

static void test_sound(void **state)
{
	const struct tm_node *node;
	struct tm_machine m;

	machine_read(*state, &m);
	assert_num(m.page_size, 4096);
	assert_num(m.block_size, 128 << 20);
	node = machine_get(&m, 0);
	assert_num(node->memory_total, 1032192ULL << 10);
	assert_num(node->memory_free, 800000ULL << 10);
	/* Zones without pages are left out. */
	assert_int_equal(node->zones_state, TM_KNOWN);
	assert_int_equal(node->nr_zones, 1);
	assert_string_equal(node->zones[0].name, "Normal");
	assert_int_equal(node->zones[0].present_pages, 262144);
	assert_int_equal(node->zones[0].managed_pages, 258048);
	assert_num(node->blocks.total, 8);
	assert_num(node->blocks.online, 8);
	assert_string_equal(node->blocks.source, "zoneinfo");
	node = machine_get(&m, 1);
	assert_int_equal(node->nr_zones, 1);
	assert_string_equal(node->zones[0].name, "Movable");
	assert_num(node->blocks.total, 4);
	assert_num(node->blocks.online, 4);
	tm_machine_release(&m);
}

static void test_meminfo(void **state)
{
	static const struct {
		const char *text;
		enum tm_state state;
		uint64_t total;
		bool memory; /* has_memory lists the node */
	} cases[] = {
		{ "Node 0 MemTotal:       1024 kB\n", TM_KNOWN, 1 << 20, true },
		{ "Node 0 MemTotal: 0 kB\n", TM_KNOWN, 0, false },
		{ "x\nNode 0 MemFree: 5 kB\nNode 0 MemTotal: 1 kB\n", TM_KNOWN, 1024, true },
		{ "Node 0 MemTotal: 18014398509481983 kB\n", TM_KNOWN, UINT64_MAX - 1023, true },
		{ "Node 0 MemTotal: 18014398509481984 kB\n", TM_MALFORMED, 0, true },
		{ "Node 0 MemTotal: 18446744073709551616 kB\n", TM_MALFORMED, 0, true },
		{ "Node 0 MemTotal: 99999999999999999999999 kB\n", TM_MALFORMED, 0, true },
		{ "Node 0 MemTotal: -5 kB\n", TM_MALFORMED, 0, true },
		{ "Node 0 MemTotal: 5 MB\n", TM_MALFORMED, 0, true },
		{ "Node 0 MemTotal: 5\n", TM_MALFORMED, 0, true },
		{ "Node 0 MemTotal: 5 kBytes\n", TM_MALFORMED, 0, true },
		{ "Node 0 MemTotal: five kB\n", TM_MALFORMED, 0, true },
		{ "Node 0 MemTotal:\n", TM_MALFORMED, 0, true },
		{ "Node 0 MemFree: 5 kB\n", TM_MALFORMED, 0, true },
		{ "\n", TM_NOT_PROVIDED, 0, true },
		{ NULL, TM_ABSENT, 0, true },
	};
	struct tree *tree = *state;

	machine_lists(tree, "0", "0", "0");
	machine_node(tree, 0, "0", "10", 64);
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		const struct tm_node *node;
		struct tm_machine m;

		tree_remove(tree, NODE "/node0/meminfo");
		if (cases[i].text)
			tree_text(tree, NODE "/node0/meminfo", cases[i].text);
		machine_read(tree, &m);
		node = machine_get(&m, 0);
		if (node->memory_total.state != cases[i].state)
			fail_msg("case %zu: state %d", i, node->memory_total.state);
		if (cases[i].state == TM_KNOWN)
			assert_int_equal(node->memory_total.value, cases[i].total);
		assert_int_equal(tm_node_has_memory(&m, node), cases[i].memory);
		tm_machine_release(&m);
	}
}

/* MemTotal is what the zones manage: the page size that makes this true. */
static void test_page_size(void **state)
{
	static const struct {
		unsigned long kilobytes, managed;
		uint64_t size; /* 0: unknown */
	} cases[] = {
		{ 4096, 1024, 4096 },	{ 16384, 1024, 16384 },
		{ 65536, 1024, 65536 }, { 1048576, 65536, 16384 },
		{ 1000, 1024, 0 },   /* smaller than any page */
		{ 131072, 1024, 0 }, /* larger */
		{ 5000, 1024, 0 },   /* between */
		{ 0, 1024, 0 },		{ 4096, 0, 0 },
	};
	struct tree *tree = *state;

	machine_lists(tree, "0", "0", "0");
	machine_node(tree, 0, "0", "10", 64);
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_machine m;

		tree_file(tree, NODE "/node0/meminfo", "Node 0 MemTotal: %lu kB",
			  cases[i].kilobytes);
		tree_file(tree, "proc/zoneinfo",
			  "Node 0, zone   Normal\n  pages free 1\n        present  2048\n"
			  "        managed  %lu",
			  cases[i].managed);
		machine_read(tree, &m);
		if (cases[i].size)
			assert_num(m.page_size, cases[i].size);
		else
			assert_false(tm_num_is(&m.page_size));
		tm_machine_release(&m);
	}
}

/* One node's zones as "name present managed;…". */
static void zones_text(const struct tm_node *node, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < node->nr_zones; i++) {
		size_t len = strlen(text);

		snprintf(text + len, size - len, "%s %llu %llu;", node->zones[i].name,
			 (unsigned long long)node->zones[i].present_pages,
			 (unsigned long long)node->zones[i].managed_pages);
	}
}

static void test_zones(void **state)
{
	static const struct {
		const char *text;
		const char *zones; /* of node 0 */
	} cases[] = {
		{ "Node 0, zone      DMA\n  pages free     1\n        present  5\n"
		  "        managed  4\n",
		  "DMA 5 4;" },
		/* Counts of CPUs and of the node, which bear similar names, are not the zone's. */
		{ "Node 0, zone   Normal\n  per-node stats\n      nr_present 99\n  pages free 1\n"
		  "        present  5\n        managed  4\n      nr_zone_present 7\n  pagesets\n"
		  "    cpu: 0\n              count: 1\n",
		  "Normal 5 4;" },
		{ "Node 1, zone   Normal\n        present  9\n        managed  9\n"
		  "Node 0, zone  Movable\n        present  3\n        managed  2\n",
		  "Movable 3 2;" },
		{ "Node 0, zone   DMA32\n        present  1\n        managed  1\n"
		  "Node 0, zone   Normal\n        present  2\n        managed  2\n"
		  "Node 0, zone   Device\n        present  0\n        managed  0\n",
		  "DMA32 1 1;Normal 2 2;" },
		/* No line break at the end. */
		{ "Node 0, zone   Normal\n        present  5\n        managed  4", "Normal 5 4;" },
		{ "Node 7, zone   Normal\n        present  5\n        managed  4\n", "" },
		{ "Node 0, zone   Normal\n", "" },
		{ "Node 0, zone   Normal", "" },
		{ "Node 0, zone\n        present  5\n", "" },
		{ "Node x, zone Normal\n        present  5\n", "" },
		{ "Node 99999999999999999999, zone Normal\n        present  5\n", "" },
		{ "        present  5\n", "" },
		{ "", "" },
		/* What is no number gives no pages. */
		{ "Node 0, zone   Normal\n        present  5x\n        managed  4\n", "" },
		{ "Node 0, zone   Normal\n        present  -5\n        managed  4\n", "" },
		{ "Node 0, zone   Normal\n        present  +5\n        managed  4\n", "" },
		{ "Node 0, zone   Normal\n        present  \n  5\n        managed  4\n", "" },
		{ "Node 0, zone   Normal\n        present  0x5\n        managed  4\n", "" },
		{ "Node 0, zone   Normal\n        present  18446744073709551616\n", "" },
		{ "Node 0, zone   Normal\n        present  99999999999999999999999\n", "" },
	};
	struct tree *tree = *state;

	machine_lists(tree, "0-1", "0-1", "0-1");
	machine_node(tree, 0, "0", "10 20", 64);
	machine_node(tree, 1, "1", "20 10", 64);
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_machine m;
		char text[256];

		tree_text(tree, "proc/zoneinfo", cases[i].text);
		machine_read(tree, &m);
		zones_text(machine_get(&m, 0), text, sizeof(text));
		if (strcmp(text, cases[i].zones))
			fail_msg("case %zu: %s", i, text);
		tm_machine_release(&m);
	}
	tree_remove(tree, "proc/zoneinfo");
	{
		struct tm_machine m;

		machine_read(tree, &m);
		assert_int_equal(machine_get(&m, 0)->zones_state, TM_ABSENT);
		tm_machine_release(&m);
	}
}

static void test_block_size(void **state)
{
	static const struct {
		const char *text;
		enum tm_state state;
		uint64_t size;
	} cases[] = {
		{ "8000000\n", TM_KNOWN, 0x8000000 }, /* hexadecimal without 0x */
		{ "80000000\n", TM_KNOWN, 0x80000000 },
		{ "100000\n", TM_KNOWN, 0x100000 },
		{ "0\n", TM_MALFORMED, 0 },
		{ "0x8000000\n", TM_MALFORMED, 0 },
		{ "x\n", TM_MALFORMED, 0 },
		{ "-8\n", TM_MALFORMED, 0 },
		{ "ffffffffffffffffff\n", TM_MALFORMED, 0 },
		{ "8000000                                                   x\n", TM_MALFORMED,
		  0 },
		{ "000000000000000000000000000000018000000000000000000\n", TM_MALFORMED, 0 },
		{ "\n", TM_NOT_PROVIDED, 0 },
		{ NULL, TM_ABSENT, 0 },
	};
	struct tree *tree = *state;

	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_machine m;

		tree_remove(tree, BLOCK "/block_size_bytes");
		if (cases[i].text)
			tree_text(tree, BLOCK "/block_size_bytes", cases[i].text);
		machine_read(tree, &m);
		if (m.block_size.state != cases[i].state)
			fail_msg("case %zu: state %d, %llx", i, m.block_size.state,
				 (unsigned long long)m.block_size.value);
		if (cases[i].state == TM_KNOWN)
			assert_int_equal(m.block_size.value, cases[i].size);
		else
			/* Then there is no telling how many are online. */
			assert_false(tm_num_is(&machine_get(&m, 0)->blocks.online));
		assert_num(machine_get(&m, 0)->blocks.total, 8);
		tm_machine_release(&m);
	}
}

static void test_blocks_asked(void **state)
{
	static const struct tm_machine_options ask = { .blocks = true };
	struct tree *tree = *state;
	struct tm_error err = { 0 };
	const struct tm_node *node;
	struct tm_machine m;

	tree_file(tree, BLOCK "/memory3/state", "offline");
	tree_file(tree, BLOCK "/memory4/state", "going-offline");
	assert_int_equal(tm_machine_read(&m, &tree->root, &ask, &err), 0);
	node = machine_get(&m, 0);
	assert_num(node->blocks.total, 8);
	assert_num(node->blocks.online, 7);
	assert_string_equal(node->blocks.source, "state");
	tm_machine_release(&m);

	/* One that does not answer: no count, rather than a wrong one. */
	tree_remove(tree, BLOCK "/memory5/state");
	assert_int_equal(tm_machine_read(&m, &tree->root, &ask, &err), 0);
	node = machine_get(&m, 0);
	assert_string_not_equal(node->blocks.source ? node->blocks.source : "", "state");
	assert_string_equal(machine_get(&m, 1)->blocks.source, "state");
	tm_machine_release(&m);
}

/* Memory beyond what is linked (a tree that was cut down) is not online blocks. */
static void test_more_than_blocks(void **state)
{
	struct tree *tree = *state;
	struct tm_machine m;

	tree_remove(tree, NODE "/node0/memory6");
	tree_remove(tree, NODE "/node0/memory7");
	machine_read(tree, &m);
	assert_num(machine_get(&m, 0)->blocks.total, 6);
	assert_num(machine_get(&m, 0)->blocks.online, 6);
	tm_machine_release(&m);
}

/* Numbers that are too large together make no small ones. */
static void test_blocks_overflow(void **state)
{
	static const char *const present[] = { "18446744073709551615", "9223372036854775808",
					       "4503599627370496", "4503599627370497" };
	struct tree *tree = *state;

	for (size_t i = 0; i < TM_ARRAY_SIZE(present); i++) {
		const struct tm_node *node;
		struct tm_machine m;

		tree_file(tree, "proc/zoneinfo",
			  "Node 0, zone   Normal\n        present  %s\n        managed  258048\n"
			  "Node 1, zone  Movable\n        present  131072\n"
			  "        managed  131072",
			  present[i]);
		machine_read(tree, &m);
		node = machine_get(&m, 0);
		assert_num(m.page_size, 4096);
		if (tm_num_is(&node->blocks.online))
			assert_int_equal(node->blocks.online.value, 8);
		tm_machine_release(&m);
	}
}

/* Names that only resemble a memory block's are none. */
static void test_block_names(void **state)
{
	static const char *const names[] = { "memory",
					     "memory01",
					     "memory-1",
					     "memoryX",
					     "memory 9",
					     "memory_failure",
					     "memory99999999999999999999" };
	struct tree *tree = *state;
	struct tm_machine m;
	char path[128];

	for (size_t i = 0; i < TM_ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), NODE "/node0/%s", names[i]);
		tree_folder(tree, path);
	}
	machine_read(tree, &m);
	assert_num(machine_get(&m, 0)->blocks.total, 8);
	tm_machine_release(&m);

	tree_remove(tree, NODE "/node1/memory32");
	tree_remove(tree, NODE "/node1/memory33");
	tree_remove(tree, NODE "/node1/memory34");
	tree_remove(tree, NODE "/node1/memory35");
	machine_read(tree, &m);
	assert_no_num(machine_get(&m, 1)->blocks.total, TM_ABSENT);
	assert_false(tm_num_is(&machine_get(&m, 1)->blocks.online));
	tm_machine_release(&m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		expander_test(test_sound),
		tree_test(test_meminfo),
		tree_test(test_page_size),
		tree_test(test_zones),
		expander_test(test_block_size),
		expander_test(test_blocks_asked),
		expander_test(test_blocks_overflow),
		expander_test(test_block_names),
		expander_test(test_more_than_blocks),
	};

	return cmocka_run_group_tests_name("model-memory", tests, NULL, NULL);
}
