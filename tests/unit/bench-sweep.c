/* SPDX-License-Identifier: GPL-2.0-only */
/* Sweeps over memory, by a kernel of our own that gives up, has pages in use, and loses data. */
#include "tests/unit/tree.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bench/sweep.h"

#define PAGE 4096
#define PAGES 100

static _Alignas(PAGE) char memory[PAGES * PAGE];

static struct {
	int node[PAGES];
	int busy[PAGES];       /* so often it is in use when it is to move */
	int give_up;	       /* after so many pages of a call; 0: never */
	int fail;	       /* moving fails so */
	int stuck;	       /* this page never moves; -1: none */
	int spoil;	       /* a byte of this page changes when it moves; -1: none */
	unsigned calls;	       /* that moved */
	unsigned long at_most; /* pages of a call */
	unsigned moves[PAGES]; /* of each page */
} kernel;

static size_t index_of(const void *page)
{
	ptrdiff_t offset = (const char *)page - memory;

	assert_true(offset >= 0 && offset < (ptrdiff_t)sizeof(memory) && offset % PAGE == 0);
	return (size_t)offset / PAGE;
}

static int move_one(size_t page, int node)
{
	if (kernel.node[page] == node)
		return node;
	if (kernel.busy[page]) {
		kernel.busy[page]--;
		return -EBUSY;
	}
	if (kernel.stuck == (int)page)
		return -EBUSY;
	if (kernel.spoil == (int)page)
		memory[page * PAGE + PAGE - 1] ^= 1;
	kernel.node[page] = node;
	kernel.moves[page]++;
	return node;
}

static long fake_move_pages(int pid, unsigned long count, void **pages, const int *nodes,
			    int *status, int flags)
{
	assert_int_equal(pid, 0);
	if (!nodes) {
		for (unsigned long i = 0; i < count; i++)
			status[i] = kernel.node[index_of(pages[i])];
		return 0;
	}
	assert_int_equal(flags, 1 << 1); /* MPOL_MF_MOVE */
	kernel.calls++;
	kernel.at_most = TM_MAX(kernel.at_most, count);
	if (kernel.fail) {
		errno = kernel.fail;
		return -1;
	}
	for (unsigned long i = 0; i < count; i++) {
		/* What it says of the rest is older than the call. */
		if (kernel.give_up && i == (unsigned long)kernel.give_up)
			return (long)(count - i);
		status[i] = move_one(index_of(pages[i]), nodes[i]);
	}
	return 0;
}

static const struct tm_numa numa = { .move_pages = fake_move_pages };

static struct tm_bench_sweep begin(size_t batch)
{
	struct tm_bench_sweep sweep = { .numa = &numa,
					.start = memory,
					.page_bytes = PAGE,
					.pages = PAGES,
					.batch = batch,
					.mover_cpu = -1,
					.to = 1 };
	struct tm_error err = { 0 };

	memset(&kernel, 0, sizeof(kernel));
	kernel.stuck = kernel.spoil = -1;
	assert_int_equal(tm_bench_sweep_init(&sweep, &err), 0);
	tm_bench_sweep_fill(&sweep);
	return sweep;
}

static void expect_node(int node)
{
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(kernel.node[i], node);
}

/* Every page once, in calls of the batch's size, the last one of what is left. */
static void test_whole(void **state)
{
	static const size_t batches[] = { 1, 7, 50, 99, 100, 101, 4096 };

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(batches); i++) {
		struct tm_bench_sweep sweep = begin(batches[i]);
		struct tm_error err = { 0 };

		assert_int_equal(tm_bench_sweep_to(&sweep, 1, &err), 0);
		expect_node(1);
		assert_int_equal(sweep.moved, PAGES);
		assert_int_equal(sweep.failed, 0);
		assert_int_equal(sweep.retried, 0);
		assert_int_equal(kernel.calls, (PAGES + batches[i] - 1) / batches[i]);
		assert_int_equal(kernel.at_most, TM_MIN(batches[i], (size_t)PAGES));
		for (size_t page = 0; page < PAGES; page++)
			assert_int_equal(kernel.moves[page], 1);
		/* What is there already has not moved. */
		assert_int_equal(tm_bench_sweep_to(&sweep, 1, &err), 0);
		assert_int_equal(sweep.moved, PAGES);
		assert_int_equal(tm_bench_sweep_to(&sweep, 0, &err), 0);
		expect_node(0);
		assert_int_equal(sweep.moved, 2 * PAGES);
		assert_int_equal(tm_bench_sweep_check(&sweep), SIZE_MAX);
		tm_bench_sweep_release(&sweep);
		tm_bench_sweep_release(&sweep);
	}
}

/* In use: tried again, and counted apart from what has moved. */
static void test_busy(void **state)
{
	struct tm_bench_sweep sweep = begin(10);
	struct tm_error err = { 0 };

	(void)state;
	kernel.busy[3] = 2;
	kernel.busy[5] = 1;
	kernel.busy[77] = 1;
	assert_int_equal(tm_bench_sweep_to(&sweep, 1, &err), 0);
	expect_node(1);
	assert_int_equal(sweep.moved, PAGES);
	assert_int_equal(sweep.retried, 4);
	assert_int_equal(sweep.failed, 0);
	tm_bench_sweep_release(&sweep);
}

/* The kernel tells nothing of what it has not come to: it is asked where the pages are. */
static void test_give_up(void **state)
{
	struct tm_bench_sweep sweep = begin(10);
	struct tm_error err = { 0 };

	(void)state;
	kernel.give_up = 4;
	kernel.stuck = 2;
	assert_int_equal(tm_bench_sweep_to(&sweep, 1, &err), 0);
	/* Of each ten the last six are never come to. */
	assert_int_equal(sweep.moved, 39);
	assert_int_equal(sweep.failed, 61);
	assert_int_equal(kernel.node[2], 0);
	assert_int_equal(kernel.node[3], 1);
	tm_bench_sweep_release(&sweep);
}

/* A page that never moves is no reason to end, nor for endless tries. */
static void test_stuck(void **state)
{
	struct tm_bench_sweep sweep = begin(100);
	struct tm_error err = { 0 };

	(void)state;
	kernel.stuck = 42;
	assert_int_equal(tm_bench_sweep_to(&sweep, 1, &err), 0);
	assert_int_equal(sweep.moved, PAGES - 1);
	assert_int_equal(sweep.failed, 1);
	assert_true(kernel.calls > 1 && kernel.calls < 100);
	tm_bench_sweep_release(&sweep);
}

static void test_fail(void **state)
{
	struct tm_bench_sweep sweep = begin(10);
	struct tm_error err = { 0 };

	(void)state;
	kernel.fail = ENOMEM;
	assert_int_equal(tm_bench_sweep_to(&sweep, 1, &err), -ENOMEM);
	assert_string_equal(err.text, "node 1 has no memory left");
	kernel.fail = ENODEV;
	assert_int_equal(tm_bench_sweep_to(&sweep, 7, &err), -ENODEV);
	assert_non_null(strstr(err.text, "moving pages to node 7: "));
	assert_int_equal(sweep.moved, 0);
	tm_bench_sweep_release(&sweep);
}

/* Any byte that is not as it was written, and pages that were mixed up. */
static void test_check(void **state)
{
	struct tm_bench_sweep sweep = begin(10);
	char page[PAGE];

	(void)state;
	assert_int_equal(tm_bench_sweep_check(&sweep), SIZE_MAX);
	for (size_t i = 0; i < sizeof(memory); i += 997) {
		memory[i] ^= 0x10;
		assert_int_equal(tm_bench_sweep_check(&sweep), i / PAGE);
		memory[i] ^= 0x10;
	}
	assert_int_equal(tm_bench_sweep_check(&sweep), SIZE_MAX);
	memcpy(page, memory + 5 * PAGE, PAGE);
	memcpy(memory + 5 * PAGE, memory + 6 * PAGE, PAGE);
	memcpy(memory + 6 * PAGE, page, PAGE);
	assert_int_equal(tm_bench_sweep_check(&sweep), 5);
	memset(memory, 0, sizeof(memory));
	assert_int_equal(tm_bench_sweep_check(&sweep), 0);
	tm_bench_sweep_release(&sweep);
}

static int run_team(struct tm_bench_sweep *sweep, double *reads, struct tm_error *err)
{
	struct tm_bench_team team;
	int rc;

	assert_int_equal(tm_bench_team_start(&team, sweep->readers + 1, NULL, sweep, err), 0);
	rc = tm_bench_sweep_run(sweep, &team, reads, err);
	tm_bench_team_end(&team);
	return rc;
}

static struct tm_bench_sweep begin_team(unsigned readers)
{
	struct tm_bench_sweep sweep = begin(10);
	struct tm_error err = { 0 };

	tm_bench_sweep_release(&sweep);
	sweep.readers = readers;
	assert_int_equal(tm_bench_sweep_init(&sweep, &err), 0);
	return sweep;
}

/* To and back, and from the start again until enough was moved; counts are of one run. */
static void test_run(void **state)
{
	struct tm_bench_sweep sweep = begin_team(2);
	struct tm_error err = { 0 };
	double reads = -1;

	(void)state;
	assert_int_equal(run_team(&sweep, &reads, &err), 0);
	expect_node(0);
	assert_int_equal(sweep.moved, 2 * PAGES);
	assert_true(reads >= 0);
	assert_true(sweep.on_cpu >= 0 && sweep.on_cpu <= 1);
	sweep.least_ns = 1000000;
	sweep.written = true;
	assert_int_equal(run_team(&sweep, &reads, &err), 0);
	expect_node(0);
	assert_true(sweep.move_ns >= 1000000);
	assert_int_equal(sweep.moved % (2 * PAGES), 0);
	assert_int_equal(tm_bench_sweep_check(&sweep), SIZE_MAX);
	tm_bench_sweep_release(&sweep);
}

static void test_run_alone(void **state)
{
	struct tm_bench_sweep sweep = begin_team(0);
	struct tm_error err = { 0 };
	double reads = -1;

	(void)state;
	assert_int_equal(run_team(&sweep, &reads, &err), 0);
	assert_int_equal(sweep.moved, 2 * PAGES);
	assert_true(isnan(reads));
	kernel.fail = EACCES;
	assert_int_equal(run_team(&sweep, &reads, &err), -EACCES);
	assert_non_null(strstr(err.text, "moving pages to node 1: "));
	tm_bench_sweep_release(&sweep);
}

/* Readers see it, or the check does, when a kernel loses a byte. */
static void test_spoilt(void **state)
{
	struct tm_bench_sweep sweep = begin_team(1);
	struct tm_error err = { 0 };
	double reads;
	int rc;

	(void)state;
	sweep.to = 0; /* nothing moves, so that the readers have their time */
	sweep.least_ns = 1000000;
	memory[9 * PAGE + 8] ^= 1;
	rc = run_team(&sweep, &reads, &err);
	if (rc) {
		assert_int_equal(rc, -EIO);
		assert_string_equal(err.text, "a reader saw in a page what was never written");
	}
	assert_int_equal(tm_bench_sweep_check(&sweep), 9);
	memory[9 * PAGE + 8] ^= 1;
	/* Once there it is spoilt, back again it would be whole. */
	kernel.spoil = 11;
	assert_int_equal(tm_bench_sweep_to(&sweep, 1, &err), 0);
	assert_int_equal(tm_bench_sweep_check(&sweep), 11);
	tm_bench_sweep_release(&sweep);
}

static size_t count_idle_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	size_t nr = 0;

	assert_non_null(tasks);
	for (struct dirent *task; (task = readdir(tasks));)
		nr += task->d_name[0] != '.' &&
		      sched_getscheduler(atoi(task->d_name)) == SCHED_IDLE;
	closedir(tasks);
	return nr;
}

/* Readers that share the mover's CPU, and only they, have what it leaves. */
static void test_beside_mover(void **state)
{
	struct tm_bench_sweep sweep = begin_team(3);
	const int cpus[] = { sched_getcpu() };
	struct tm_error err = { 0 };
	struct tm_bench_team team;
	double reads;

	(void)state;
	sweep.cpus = cpus;
	sweep.nr_cpus = 1;
	assert_int_equal(tm_bench_team_start(&team, 4, NULL, &sweep, &err), 0);
	assert_int_equal(tm_bench_sweep_run(&sweep, &team, &reads, &err), 0);
	assert_int_equal(count_idle_threads(), 0);
	sweep.mover_cpu = cpus[0];
	assert_int_equal(tm_bench_sweep_run(&sweep, &team, &reads, &err), 0);
	assert_int_equal(count_idle_threads(), 3);
	tm_bench_team_end(&team);
	assert_int_equal(sweep.moved, 2 * PAGES);
	tm_bench_sweep_release(&sweep);
}

/* A CPU that is not there is an error of the run, whoever should have been on it. */
static void test_bad_cpu(void **state)
{
	static const int none[] = { 9999 };
	struct tm_bench_sweep sweep = begin_team(1);
	struct tm_error err = { 0 };
	double reads;

	(void)state;
	sweep.cpus = none;
	sweep.nr_cpus = 1;
	assert_int_equal(run_team(&sweep, &reads, &err), -EINVAL);
	sweep.nr_cpus = 0;
	sweep.mover_cpu = 9999;
	assert_int_equal(run_team(&sweep, &reads, &err), -EINVAL);
	assert_true(err.text[0]);
	tm_bench_sweep_release(&sweep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),	cmocka_unit_test(test_busy),
		cmocka_unit_test(test_give_up), cmocka_unit_test(test_stuck),
		cmocka_unit_test(test_fail),	cmocka_unit_test(test_check),
		cmocka_unit_test(test_run),	cmocka_unit_test(test_run_alone),
		cmocka_unit_test(test_spoilt),	cmocka_unit_test(test_beside_mover),
		cmocka_unit_test(test_bad_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
