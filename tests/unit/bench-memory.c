/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory to measure with, and what is told of where it lies. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/bench/memory.h"

#define PAGES 5000

/* A machine whose pages lie where the test says. */
static int (*node_of)(size_t page);
static char *first;
static size_t page_size;
static int bound_mode;

static long fake_move_pages(int pid, unsigned long count, void **pages, const int *nodes,
			    int *status, int flags)
{
	assert_int_equal(pid, 0);
	assert_null(nodes);
	assert_int_equal(flags, 0);
	for (unsigned long i = 0; i < count; i++)
		status[i] = node_of((size_t)((char *)pages[i] - first) / page_size);
	return 0;
}

static long fake_mbind(void *start, unsigned long len, int mode, const unsigned long *mask,
		       unsigned long max_node, unsigned flags)
{
	(void)mask;
	(void)max_node;
	assert_int_equal(flags, 0);
	assert_true((uintptr_t)start % page_size == 0 && len % page_size == 0);
	bound_mode = mode;
	return 0;
}

static struct tm_numa numa;

static int setup(void **state)
{
	(void)state;
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	numa = (struct tm_numa){ .move_pages = fake_move_pages, .mbind = fake_mbind };
	return 0;
}

static struct tm_bench_memory map(const struct tm_idset *nodes, enum tm_bench_page page)
{
	struct tm_bench_want want = { .bytes = PAGES * page_size, .nodes = nodes, .page = page };
	struct tm_bench_memory memory;

	assert_int_equal(tm_bench_memory_map(&memory, &want, &numa, NULL), 0);
	first = memory.address;
	return memory;
}

static int all_on_one(size_t page)
{
	(void)page;
	return 1;
}

static void right_place(void **state)
{
	struct tm_idset nodes = TM_IDSET_INIT;
	struct tm_bench_memory memory;
	struct tm_bench_place place;

	(void)state;
	node_of = all_on_one;
	assert_int_equal(tm_idset_add(&nodes, 1), 0);
	memory = map(&nodes, TM_BENCH_PAGE_BASE);
	tm_bench_touch(memory.address, memory.bytes, page_size, true);
	assert_int_equal(tm_bench_memory_look(&memory, &numa, &place, NULL), 0);
	assert_int_equal(place.nr, 1);
	assert_int_equal(place.nodes[0].node, 1);
	assert_int_equal(place.nodes[0].bytes, memory.bytes);
	assert_int_equal(place.misplaced, 0);
	assert_int_equal(place.unknown, 0);
	assert_int_equal(place.page_bytes, page_size);
	assert_int_equal(place.huge, 0);
	tm_bench_memory_unmap(&memory);
	tm_idset_release(&nodes);
}

/* Every third page elsewhere, one nowhere: across the batches in which it asks. */
static int scattered(size_t page)
{
	if (page == PAGES - 1)
		return -ENOENT;
	return page % 3 ? 1 : 40;
}

static void wrong_place(void **state)
{
	struct tm_idset nodes = TM_IDSET_INIT;
	struct tm_bench_memory memory;
	struct tm_bench_place place;
	size_t elsewhere = 0;

	(void)state;
	node_of = scattered;
	for (size_t i = 0; i < PAGES - 1; i++)
		elsewhere += scattered(i) == 40;
	assert_int_equal(tm_idset_add(&nodes, 1), 0);
	memory = map(&nodes, TM_BENCH_PAGE_BASE);
	assert_int_equal(tm_bench_memory_look(&memory, &numa, &place, NULL), 0);
	assert_int_equal(place.nr, 2);
	assert_int_equal(place.nodes[1].node, 40);
	assert_int_equal(place.nodes[1].bytes, elsewhere * page_size);
	assert_int_equal(place.misplaced, elsewhere * page_size);
	assert_int_equal(place.unknown, page_size);
	tm_bench_memory_unmap(&memory);
	tm_idset_release(&nodes);
}

static int on_many(size_t page)
{
	return (int)(page % 100);
}

static void more_nodes_than_there_is_room_for(void **state)
{
	struct tm_bench_memory memory;
	struct tm_bench_place place;
	uint64_t sum = 0;

	(void)state;
	node_of = on_many;
	memory = map(NULL, TM_BENCH_PAGE_BASE);
	assert_int_equal(tm_bench_memory_look(&memory, &numa, &place, NULL), 0);
	assert_int_equal(place.nr, 64);
	for (size_t i = 0; i < place.nr; i++) {
		assert_int_equal(place.nodes[i].node, i);
		sum += place.nodes[i].bytes;
	}
	assert_int_equal(sum + place.unknown, memory.bytes);
	assert_true(place.unknown > 0);
	tm_bench_memory_unmap(&memory);
}

static int refusal = ENOSYS;

static long refuse(int pid, unsigned long count, void **pages, const int *nodes, int *status,
		   int flags)
{
	(void)pid, (void)count, (void)pages, (void)nodes, (void)status, (void)flags;
	errno = refusal;
	return -1;
}

static void nobody_says_where(void **state)
{
	struct tm_bench_place place = { .nr = 7 };
	struct tm_error err = { 0 };
	char page[1] = { 0 };

	(void)state;
	numa.move_pages = refuse;
	assert_int_equal(tm_bench_look(page, page_size, page_size, NULL, &numa, &place, &err),
			 -EOPNOTSUPP);
	assert_int_equal(place.nr, 7);
	assert_true(strlen(err.text) > 0);
	/* Forbidden, as containers have it: then it is not known. */
	refusal = EPERM;
	assert_int_equal(tm_bench_look(page, page_size, page_size, NULL, &numa, &place, &err), 0);
	assert_int_equal(place.nr, 0);
	assert_int_equal(place.unknown, page_size);
	refusal = ENOSYS;
	numa.move_pages = fake_move_pages;
}

static void the_policy_is_set_before_anything_is_there(void **state)
{
	struct tm_bench_want want = { .bytes = 1, .policy = TM_POLICY_INTERLEAVE };
	struct tm_bench_memory memory;

	(void)state;
	assert_int_equal(tm_bench_memory_map(&memory, &want, &numa, NULL), 0);
	assert_int_equal(bound_mode, TM_POLICY_INTERLEAVE);
	assert_int_equal(memory.bytes, page_size);
	tm_bench_memory_unmap(&memory);
	tm_bench_memory_unmap(&memory);
}

static void huge_pages_are_aligned(void **state)
{
	uint64_t pmd = tm_bench_pmd_bytes();
	struct tm_bench_memory memory;

	(void)state;
	if (!pmd)
		return;
	memory = map(NULL, TM_BENCH_PAGE_THP);
	assert_int_equal((uintptr_t)memory.address % pmd, 0);
	assert_int_equal(memory.bytes % pmd, 0);
	memory.address[memory.bytes - 1] = 1;
	tm_bench_memory_unmap(&memory);
}

static void pools_that_are_not_there(void **state)
{
	struct tm_bench_want want = { .bytes = 4096, .page = TM_BENCH_PAGE_HUGETLB };
	struct tm_bench_memory memory;
	struct tm_error err = { 0 };

	(void)state;
	want.page_bytes = 3000;
	assert_int_equal(tm_bench_memory_map(&memory, &want, &numa, &err), -EINVAL);
	assert_null(memory.mapping);
	want.page_bytes = 1ULL << 43;
	assert_true(tm_bench_memory_map(&memory, &want, &numa, &err) < 0);
	assert_true(strstr(err.text, "huge pages of 8T") != NULL);
	assert_null(memory.mapping);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_place),
		cmocka_unit_test(wrong_place),
		cmocka_unit_test(more_nodes_than_there_is_room_for),
		cmocka_unit_test(nobody_says_where),
		cmocka_unit_test(the_policy_is_set_before_anything_is_there),
		cmocka_unit_test(huge_pages_are_aligned),
		cmocka_unit_test(pools_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
