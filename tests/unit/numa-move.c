// SPDX-License-Identifier: GPL-2.0-only
/* Moving pages: a kernel of our own that fails, gives up half-way and tells stale things. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "lib/sys/numa-maps.h"
#include "lib/sys/numa-move.h"

#define PAGE 4096
#define PAGES 3000
#define AT(i) ((uint64_t)(i)*PAGE + PAGE)

enum page_kind { PLAIN, SHARED, STUCK, TOLD_BUSY, PINNED_KIND, TORN };

static struct {
	int node[PAGES];
	enum page_kind kind[PAGES];
	long room[8]; /* of each node; -1: endless */
	int fail;     /* moving fails so */
	int calls, moves;
	int ends_after; /* calls, then the process has gone; 0: never */
} kernel;

static size_t index_of(const void *page)
{
	return (size_t)((uintptr_t)page / PAGE - 1);
}

static int fail_with(int number)
{
	errno = number;
	return -1;
}

/* As the kernel: page by page, and at the first that does not move it stops, telling no more. */
static long fake_move_pages(int pid, unsigned long count, void **pages, const int *nodes,
			    int *status, int flags)
{
	assert_int_equal(pid, 7);
	kernel.calls++;
	if (kernel.ends_after && kernel.calls > kernel.ends_after)
		return fail_with(ESRCH);
	if (!nodes) {
		for (unsigned long i = 0; i < count; i++) {
			size_t page = index_of(pages[i]);

			status[i] = page < PAGES ? kernel.node[page] : -EFAULT;
		}
		return 0;
	}
	kernel.moves++;
	if (kernel.fail)
		return fail_with(kernel.fail);
	for (unsigned long i = 0; i < count; i++) {
		size_t page = index_of(pages[i]);

		switch (kernel.kind[page]) {
		case SHARED:
			if (!(flags & 4)) {
				status[i] = -EACCES;
				continue;
			}
			break;
		case TOLD_BUSY:
			status[i] = -EBUSY;
			continue;
		case PINNED_KIND:
			status[i] = -EFAULT;
			continue;
		case STUCK:
			return (long)(count - i);
		default:
			break;
		}
		if (!kernel.room[nodes[i]])
			return fail_with(ENOMEM);
		kernel.room[nodes[i]]--;
		kernel.node[page] = nodes[i];
		/* Of a page that is part of a larger one it says that it was busy. */
		status[i] = kernel.kind[page] == TORN ? -EBUSY : nodes[i];
	}
	return 0;
}

static struct tm_numa numa = { .move_pages = fake_move_pages };
static struct tm_idset from, to;

static struct tm_move start(const char *from_list, const char *to_list)
{
	memset(&kernel, 0, sizeof(kernel));
	for (size_t i = 0; i < 8; i++)
		kernel.room[i] = -1;
	assert_int_equal(tm_idset_parse_list(&from, from_list), 0);
	assert_int_equal(tm_idset_parse_list(&to, to_list), 0);
	return (struct tm_move){
		.numa = &numa, .pid = 7, .from = &from, .to = &to, .stride = 512 * PAGE
	};
}

static int move_all(struct tm_move *move)
{
	return tm_move_range(move, AT(0), AT(PAGES), PAGE);
}

static size_t on(int node)
{
	size_t nr = 0;

	for (size_t i = 0; i < PAGES; i++)
		nr += kernel.node[i] == node;
	return nr;
}

static uint64_t unmoved(const struct tm_move *move)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < TM_NR_UNMOVED; i++)
		nr += move->unmoved[i].pages;
	return nr;
}

static void test_moves(void **state)
{
	struct tm_move move = start("0", "1");

	(void)state;
	kernel.node[5] = 2;
	kernel.node[6] = -ENOENT;
	assert_int_equal(move_all(&move), 0);
	assert_int_equal(on(1), PAGES - 2);
	assert_int_equal(move.moved.pages, PAGES - 2);
	assert_int_equal(move.moved.bytes, (uint64_t)(PAGES - 2) * PAGE);
	assert_int_equal(unmoved(&move), 0);
	/* There is nothing more to do. */
	kernel.moves = 0;
	assert_int_equal(move_all(&move), 0);
	assert_int_equal(kernel.moves, 0);
	tm_move_release(&move);
}

static void test_large_pages(void **state)
{
	struct tm_move move = start("0", "1");

	(void)state;
	assert_int_equal(tm_move_range(&move, AT(0), AT(10), 2 * PAGE), 0);
	assert_int_equal(move.moved.pages, 5);
	assert_int_equal(move.moved.bytes, 10 * PAGE);
	assert_int_equal(on(1), 5);
	tm_move_release(&move);
}

/* Several targets take turns, and what belongs together goes to one. */
static void test_takes_turns(void **state)
{
	struct tm_move move = start("0,3", "1-2");

	(void)state;
	for (size_t i = 0; i < PAGES; i += 2)
		kernel.node[i] = 3;
	assert_int_equal(move_all(&move), 0);
	assert_int_equal(on(1) + on(2), PAGES);
	assert_in_range(on(1), PAGES / 2 - 512, PAGES / 2 + 512);
	for (size_t i = 1; i < PAGES; i++)
		if (AT(i) % (512 * PAGE))
			assert_int_equal(kernel.node[i], kernel.node[i - 1]);
	tm_move_release(&move);
}

static void test_reasons(void **state)
{
	struct tm_move move = start("0", "1");

	(void)state;
	for (size_t i = 0; i < PAGES; i++)
		kernel.kind[i] = i % 7 == 1   ? SHARED :
				 i % 7 == 2   ? TOLD_BUSY :
				 i % 7 == 3   ? PINNED_KIND :
				 i % 7 == 4   ? TORN :
				 i % 100 == 5 ? STUCK :
						PLAIN;
	assert_int_equal(move_all(&move), 0);
	assert_int_equal(move.moved.pages, on(1));
	assert_int_equal(move.moved.pages + unmoved(&move), PAGES);
	assert_int_equal(move.unmoved[TM_UNMOVED_SHARED].pages, 429);
	assert_int_equal(move.unmoved[TM_UNMOVED_UNMOVABLE].pages, 429);
	for (size_t i = 0; i < PAGES; i++)
		if (kernel.kind[i] == PLAIN || kernel.kind[i] == TORN)
			assert_int_equal(kernel.node[i], 1);
	tm_move_release(&move);

	move = start("0", "1");
	move.shared = true;
	for (size_t i = 0; i < PAGES; i++)
		kernel.kind[i] = SHARED;
	assert_int_equal(move_all(&move), 0);
	assert_int_equal(on(1), PAGES);
	tm_move_release(&move);
}

/* Nothing moves at all: it ends, and each page is told of once. */
static void test_all_stuck(void **state)
{
	struct tm_move move = start("0", "1");

	(void)state;
	for (size_t i = 0; i < PAGES; i++)
		kernel.kind[i] = STUCK;
	assert_int_equal(move_all(&move), 0);
	assert_int_equal(move.moved.pages, 0);
	assert_int_equal(move.unmoved[TM_UNMOVED_BUSY].pages, PAGES);
	assert_in_range(kernel.moves, PAGES, 3 * PAGES);
	tm_move_release(&move);
}

static void test_full(void **state)
{
	struct tm_move move = start("0", "1");

	(void)state;
	kernel.room[1] = 700;
	assert_int_equal(move_all(&move), -ENOSPC);
	assert_int_equal(on(1), 700);
	assert_int_equal(move.moved.pages, 700);
	assert_int_equal(move.unmoved[TM_UNMOVED_FULL].pages, 1024 - 700);
	assert_true(tm_idset_has(&move.full, 1));
	tm_move_release(&move);

	/* The other one takes over. */
	move = start("0", "1-2");
	kernel.room[1] = 100;
	assert_int_equal(move_all(&move), 0);
	assert_int_equal(on(1), 100);
	assert_int_equal(on(2), PAGES - 100);
	assert_int_equal(unmoved(&move), 0);
	tm_move_release(&move);
}

static void test_process_ends(void **state)
{
	(void)state;
	for (int calls = 1; calls < 12; calls++) {
		struct tm_move move = start("0", "1");

		kernel.ends_after = calls;
		assert_int_equal(move_all(&move), -ESRCH);
		assert_true(move.moved.pages <= on(1));
		tm_move_release(&move);
	}
}

static void test_refusals(void **state)
{
	static const int numbers[] = { EPERM, EACCES, ENODEV };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct tm_move move = start("0", "1");

		kernel.fail = numbers[i];
		assert_int_equal(move_all(&move), -numbers[i]);
		assert_int_equal(move.moved.pages, 0);
		tm_move_release(&move);
	}
}

static bool stop(void *context, const struct tm_move *move)
{
	(void)context;
	return move->moved.pages >= 1024;
}

static void test_stops(void **state)
{
	struct tm_move move = start("0", "1");

	(void)state;
	move.stop = stop;
	assert_int_equal(move_all(&move), -ECANCELED);
	assert_int_equal(move.moved.pages, 1024);
	assert_int_equal(on(1), 1024);
	tm_move_release(&move);
}

static int visit(void *context, const struct tm_numa_map *map)
{
	int *seen = context;

	switch ((*seen)++) {
	case 0:
		assert_int_equal(map->start, 0x7f0000000000);
		assert_int_equal(map->page_bytes, 4096);
		assert_int_equal(map->nr, 2);
		assert_int_equal(map->resident[1].node, 3);
		assert_int_equal(map->resident[1].bytes, 5 * 4096);
		return 0;
	case 1:
		assert_int_equal(map->start, 0xaa000);
		assert_int_equal(map->page_bytes, 2 << 20);
		assert_int_equal(map->resident[0].bytes, 6 << 20);
		return 42;
	default:
		fail();
		return 0;
	}
}

static void test_mappings(void **state)
{
	static const char text[] = "7f0000000000 default anon=12 N0=7 N3=5 kernelpagesize_kB=4\n"
				   "nonsense\n"
				   "1000 default\n"
				   "aa000 bind:0 file=/x huge dirty=3 N0=3 kernelpagesize_kB=2048\n"
				   "bb000 default anon=1 N0=1 kernelpagesize_kB=4\n";
	int seen = 0;

	(void)state;
	assert_int_equal(tm_numa_maps_each(text, visit, &seen), 42);
	assert_int_equal(seen, 2);
	assert_int_equal(tm_numa_maps_each("", visit, &seen), 0);
}

static int release(void **state)
{
	(void)state;
	tm_idset_release(&from);
	tm_idset_release(&to);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moves),	     cmocka_unit_test(test_large_pages),
		cmocka_unit_test(test_takes_turns),  cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_all_stuck),    cmocka_unit_test(test_full),
		cmocka_unit_test(test_process_ends), cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_stops),	     cmocka_unit_test(test_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
