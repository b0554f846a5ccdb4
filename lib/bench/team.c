/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/bench/team.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t tm_bench_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static uint64_t time_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

static void work_once(struct tm_bench_thread *thread)
{
	struct rusage before, after;
	uint64_t cpu;

	thread->amount = 0;
	thread->error = 0;
	getrusage(RUSAGE_THREAD, &before);
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	thread->start_ns = tm_bench_now();
	thread->team->work(thread);
	thread->end_ns = tm_bench_now();
	thread->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	getrusage(RUSAGE_THREAD, &after);
	thread->user_ns = time_ns(&after.ru_utime) - time_ns(&before.ru_utime);
	thread->system_ns = time_ns(&after.ru_stime) - time_ns(&before.ru_stime);
}

static void *live(void *argument)
{
	struct tm_bench_thread *thread = argument;
	struct tm_bench_team *team = thread->team;
	unsigned round = 0;
	bool ending;

	for (;;) {
		pthread_mutex_lock(&team->lock);
		while (team->round == round && !team->ending)
			pthread_cond_wait(&team->next, &team->lock);
		round = team->round;
		ending = team->ending;
		pthread_mutex_unlock(&team->lock);
		if (ending)
			return NULL;
		pthread_barrier_wait(&team->begin);
		work_once(thread);
		pthread_mutex_lock(&team->lock);
		if (!--team->working)
			pthread_cond_signal(&team->done);
		pthread_mutex_unlock(&team->lock);
	}
}

/* The `index`-th of the CPUs, beginning again after the last. */
static int choose_cpu(const struct tm_idset *cpus, unsigned index)
{
	size_t at = index % tm_idset_count(cpus);

	tm_idset_for_each(id, cpus)
		if (!at--)
			return (int)id;
	return -1;
}

static int bind_to(pthread_attr_t *attr, int cpu)
{
	size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
	int rc;

	if (!set)
		return ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	rc = pthread_attr_setaffinity_np(attr, size, set);
	CPU_FREE(set);
	return rc;
}

static int start_thread(struct tm_bench_thread *thread, struct tm_error *err)
{
	pthread_attr_t attr;
	int rc = pthread_attr_init(&attr);

	if (!rc && thread->cpu >= 0)
		rc = bind_to(&attr, thread->cpu);
	if (!rc)
		rc = pthread_create(&thread->thread, &attr, live, thread);
	pthread_attr_destroy(&attr);
	if (rc == EINVAL && thread->cpu >= 0)
		return tm_error_set(err, EINVAL, "CPU %d may not be used", thread->cpu);
	return rc ? tm_error_errno(err, rc, "starting thread %u", thread->index) : 0;
}

int tm_bench_team_start(struct tm_bench_team *team, unsigned nr, const struct tm_idset *cpus,
			void *context, struct tm_error *err)
{
	int rc = 0;

	*team = (struct tm_bench_team){ .nr = 0 };
	if (!nr || (cpus && tm_idset_empty(cpus)))
		return tm_error_set(err, EINVAL, "no CPU to run on");
	team->threads = calloc(nr, sizeof(*team->threads));
	if (!team->threads)
		return tm_error_nomem(err);
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->next, NULL);
	pthread_cond_init(&team->done, NULL);
	pthread_barrier_init(&team->begin, NULL, nr + 1);
	while (team->nr < nr && !rc) {
		struct tm_bench_thread *thread = &team->threads[team->nr];

		*thread = (struct tm_bench_thread){
			.team = team,
			.index = team->nr,
			.cpu = cpus ? choose_cpu(cpus, team->nr) : -1,
			.context = context,
		};
		rc = start_thread(thread, err);
		team->nr += !rc;
	}
	if (rc)
		tm_bench_team_end(team);
	return rc;
}

void tm_bench_team_end(struct tm_bench_team *team)
{
	if (!team->threads)
		return;
	pthread_mutex_lock(&team->lock);
	team->ending = true;
	pthread_cond_broadcast(&team->next);
	pthread_mutex_unlock(&team->lock);
	for (unsigned i = 0; i < team->nr; i++)
		pthread_join(team->threads[i].thread, NULL);
	pthread_barrier_destroy(&team->begin);
	pthread_cond_destroy(&team->done);
	pthread_cond_destroy(&team->next);
	pthread_mutex_destroy(&team->lock);
	free(team->threads);
	*team = (struct tm_bench_team){ .nr = 0 };
}

/*
 * Where threads share a CPU some begin late: their rate is by the time from the first start on, or
 * each would count as if it had the CPU for itself.
 */
static void add_thread(struct tm_bench_outcome *sum, const struct tm_bench_thread *thread,
		       uint64_t first)
{
	uint64_t took = thread->end_ns - thread->start_ns;

	sum->amount += thread->amount;
	sum->user_ns += thread->user_ns;
	sum->system_ns += thread->system_ns;
	sum->cpu_ns += thread->cpu_ns;
	if (!took)
		return;
	sum->per_second += (double)thread->amount * 1e9 / (double)(thread->end_ns - first);
	sum->on_cpu = TM_MIN(sum->on_cpu, (double)thread->cpu_ns / (double)took);
}

int tm_bench_team_run(struct tm_bench_team *team, tm_bench_work work, uint64_t ns,
		      struct tm_bench_outcome *outcome)
{
	struct tm_bench_outcome sum = { .on_cpu = 1 };
	uint64_t first = UINT64_MAX, last = 0;

	atomic_store(&team->over, false);
	pthread_mutex_lock(&team->lock);
	team->work = work;
	team->working = team->nr;
	team->round++;
	pthread_cond_broadcast(&team->next);
	pthread_mutex_unlock(&team->lock);
	/* Many threads are not there at once: the time is not to be over before. */
	pthread_barrier_wait(&team->begin);
	if (ns) {
		struct timespec rest = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

		while (clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) == EINTR)
			;
		atomic_store(&team->over, true);
	}
	pthread_mutex_lock(&team->lock);
	while (team->working)
		pthread_cond_wait(&team->done, &team->lock);
	pthread_mutex_unlock(&team->lock);
	for (unsigned i = 0; i < team->nr; i++)
		first = TM_MIN(first, team->threads[i].start_ns);
	for (unsigned i = 0; i < team->nr; i++) {
		const struct tm_bench_thread *thread = &team->threads[i];

		if (thread->error)
			return thread->error;
		add_thread(&sum, thread, first);
		last = TM_MAX(last, thread->end_ns);
	}
	sum.elapsed_ns = last - first;
	*outcome = sum;
	return 0;
}
