/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that measure: that all of them work, at the same time, and what is told of it is true. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/bench/team.h"

#define THREADS 3

struct shared {
	atomic_uint worked[THREADS];
	atomic_uint here;
	unsigned met;	/* how many were there when the last one came */
	uint64_t until; /* that many steps, where it is not 0 */
};

static void count(struct tm_bench_thread *thread)
{
	struct shared *shared = thread->context;

	do {
		atomic_fetch_add(&shared->worked[thread->index], 1);
		thread->amount++;
		sched_yield();
	} while (!tm_bench_over(thread) && (!shared->until || thread->amount < shared->until));
}

static void each_works_until_the_time_is_over(void **state)
{
	struct shared shared = { .until = 0 };
	struct tm_bench_outcome outcome;
	struct tm_bench_team team;
	uint64_t sum = 0;

	(void)state;
	assert_int_equal(tm_bench_team_start(&team, THREADS, NULL, &shared, NULL), 0);
	assert_int_equal(tm_bench_team_run(&team, count, 20000000, &outcome), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		assert_true(shared.worked[i] > 0);
		sum += shared.worked[i];
	}
	assert_int_equal(outcome.amount, sum);
	assert_true(outcome.elapsed_ns > 0);
	assert_true(outcome.per_second > 0);
	assert_true(outcome.on_cpu > 0 && outcome.on_cpu <= 1.01);
	tm_bench_team_end(&team);
}

/* On one CPU they begin one after the other, and what each waited for it counts. */
static void a_late_start_makes_none_fast(void **state)
{
	struct tm_idset cpus = TM_IDSET_INIT;
	struct shared shared = { .until = 0 };
	struct tm_bench_outcome outcome;
	uint64_t first = UINT64_MAX;
	struct tm_bench_team team;
	double rate = 0;

	(void)state;
	assert_int_equal(tm_idset_add(&cpus, sched_getcpu()), 0);
	assert_int_equal(tm_bench_team_start(&team, THREADS, &cpus, &shared, NULL), 0);
	assert_int_equal(tm_bench_team_run(&team, count, 20000000, &outcome), 0);
	for (unsigned i = 0; i < THREADS; i++)
		first = TM_MIN(first, team.threads[i].start_ns);
	for (unsigned i = 0; i < THREADS; i++)
		rate += (double)team.threads[i].amount * 1e9 /
			(double)(team.threads[i].end_ns - first);
	assert_true(outcome.per_second > rate * 0.999 && outcome.per_second < rate * 1.001);
	tm_bench_team_end(&team);
	tm_idset_release(&cpus);
}

static void runs_do_not_add_up(void **state)
{
	struct shared shared = { .until = 7 };
	struct tm_bench_outcome outcome;
	struct tm_bench_team team;

	(void)state;
	assert_int_equal(tm_bench_team_start(&team, THREADS, NULL, &shared, NULL), 0);
	for (unsigned run = 1; run <= 50; run++) {
		assert_int_equal(tm_bench_team_run(&team, count, 0, &outcome), 0);
		assert_int_equal(outcome.amount, 7 * THREADS);
		for (unsigned i = 0; i < THREADS; i++)
			assert_int_equal(shared.worked[i], 7 * run);
	}
	tm_bench_team_end(&team);
}

/* None goes on before all are there: else this would never end. */
static void meet(struct tm_bench_thread *thread)
{
	struct shared *shared = thread->context;

	atomic_fetch_add(&shared->here, 1);
	while (atomic_load(&shared->here) < THREADS)
		sched_yield();
}

static void all_work_at_the_same_time(void **state)
{
	struct shared shared = { .until = 0 };
	struct tm_bench_outcome outcome;
	struct tm_bench_team team;

	(void)state;
	assert_int_equal(tm_bench_team_start(&team, THREADS, NULL, &shared, NULL), 0);
	assert_int_equal(tm_bench_team_run(&team, meet, 0, &outcome), 0);
	assert_int_equal(shared.here, THREADS);
	tm_bench_team_end(&team);
}

static void fail_second(struct tm_bench_thread *thread)
{
	thread->error = thread->index == 1 ? -ENODATA : 0;
}

/* Sleeping is not working: a thread that had its CPU for little of the time is told. */
static void doze(struct tm_bench_thread *thread)
{
	const struct timespec rest = { .tv_nsec = 30000000 };

	if (!thread->index)
		nanosleep(&rest, NULL);
}

static void an_error_is_the_runs(void **state)
{
	struct tm_bench_outcome outcome = { .amount = 77 };
	struct tm_bench_team team;

	(void)state;
	assert_int_equal(tm_bench_team_start(&team, THREADS, NULL, NULL, NULL), 0);
	assert_int_equal(tm_bench_team_run(&team, fail_second, 0, &outcome), -ENODATA);
	assert_int_equal(outcome.amount, 77);
	/* It is forgotten with the run. */
	assert_int_equal(tm_bench_team_run(&team, doze, 0, &outcome), 0);
	tm_bench_team_end(&team);
}

static void a_thread_that_was_away_is_noticed(void **state)
{
	struct tm_bench_outcome outcome;
	struct tm_bench_team team;

	(void)state;
	assert_int_equal(tm_bench_team_start(&team, 2, NULL, NULL, NULL), 0);
	assert_int_equal(tm_bench_team_run(&team, doze, 0, &outcome), 0);
	assert_true(outcome.on_cpu < 0.5);
	tm_bench_team_end(&team);
}

static void where(struct tm_bench_thread *thread)
{
	cpu_set_t set;

	thread->error = sched_getaffinity(0, sizeof(set), &set) ? -errno : 0;
	thread->amount = (uint64_t)CPU_COUNT(&set);
	if (!CPU_ISSET(thread->cpu, &set))
		thread->error = -ESRCH;
}

static void each_is_bound_to_its_cpu(void **state)
{
	struct tm_idset cpus = TM_IDSET_INIT;
	struct tm_bench_outcome outcome;
	struct tm_bench_team team;
	cpu_set_t set;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			assert_int_equal(tm_idset_add(&cpus, cpu), 0);
	assert_int_equal(tm_bench_team_start(&team, THREADS, &cpus, NULL, NULL), 0);
	assert_int_equal(tm_bench_team_run(&team, where, 0, &outcome), 0);
	assert_int_equal(outcome.amount, THREADS);
	/* More threads than CPUs: they begin again with the first. */
	assert_int_equal(team.threads[0].cpu, tm_idset_next(&cpus, 0));
	if (tm_idset_count(&cpus) == 2)
		assert_int_equal(team.threads[2].cpu, team.threads[0].cpu);
	tm_bench_team_end(&team);
	tm_idset_release(&cpus);
}

static void a_cpu_that_is_not_there_is_refused(void **state)
{
	struct tm_idset cpus = TM_IDSET_INIT;
	struct tm_error err = { 0 };
	struct tm_bench_team team;

	(void)state;
	assert_int_equal(tm_bench_team_start(&team, 1, &cpus, NULL, &err), -EINVAL);
	assert_int_equal(tm_idset_add(&cpus, sched_getcpu()), 0);
	assert_int_equal(tm_idset_add(&cpus, 8000), 0);
	assert_int_equal(tm_bench_team_start(&team, 2, &cpus, NULL, &err), -EINVAL);
	assert_string_equal(err.text, "CPU 8000 may not be used");
	tm_bench_team_end(&team);
	tm_idset_release(&cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_works_until_the_time_is_over),
		cmocka_unit_test(a_late_start_makes_none_fast),
		cmocka_unit_test(runs_do_not_add_up),
		cmocka_unit_test(all_work_at_the_same_time),
		cmocka_unit_test(an_error_is_the_runs),
		cmocka_unit_test(a_thread_that_was_away_is_noticed),
		cmocka_unit_test(each_is_bound_to_its_cpu),
		cmocka_unit_test(a_cpu_that_is_not_there_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
