/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shootdown COUNT [HOW [PAGES]]: makes TLB shootdowns. One thread stays on a CPU and runs; another,
 * on another CPU, takes away COUNT times a right to memory that it has just used, so that the first
 * must be interrupted each time. HOW is mprotect (one flush each), munmap, or both by turns; PAGES
 * (1) is how much each time.
 *
 * Prints "shootdown: COUNT in NS ns, CPUs A and B". Exit code 77: there is only one CPU.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static atomic_int running, ended;
static atomic_uint beat;
static int cpus[2];

static void die(const char *what)
{
	fprintf(stderr, "shootdown: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

/* The address space stays loaded on this CPU: it neither sleeps nor calls the kernel. */
static void *spin(void *unused)
{
	stay_on(cpus[1]);
	running = 1;
	while (!ended)
		atomic_fetch_add_explicit(&beat, 1, memory_order_relaxed);
	return unused;
}

/* Until the other runs, lest there be nobody to interrupt; but not for long on a busy machine. */
static void wait_for_other(void)
{
	unsigned seen = beat;

	for (int i = 0; i < 20000 && beat == seen; i++)
		;
}

static char *map(size_t size)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	return memory;
}

static void touch(char *memory, size_t size)
{
	for (size_t i = 0; i < size; i += 4096)
		((volatile char *)memory)[i] = 1;
}

static void protect(char *memory, size_t size)
{
	touch(memory, size);
	if (mprotect(memory, size, PROT_READ) || mprotect(memory, size, PROT_READ | PROT_WRITE))
		die("mprotect");
}

/*
 * With a neighbour in the same 2 MiB on either side: were the memory alone in a page table, that
 * would be freed with it, and the range to be flushed reach to the table's beginning.
 */
static char *hole;

static void make_hole(size_t size)
{
	size_t table = 2 << 20;
	char *around = mmap(NULL, size + 3 * table, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (around == MAP_FAILED)
		die("mmap");
	hole = around + (table - (uintptr_t)around % table) + table / 2;
}

static void unmap(size_t size)
{
	char *memory = mmap(hole, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	touch(memory, size);
	if (munmap(memory, size))
		die("munmap");
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	const char *how = argc > 2 ? argv[2] : "mprotect";
	size_t size = (argc > 3 ? strtoul(argv[3], NULL, 0) : 1) * (size_t)sysconf(_SC_PAGESIZE);
	int nr = 0, both = !strcmp(how, "both");
	struct timespec from, to;
	cpu_set_t allowed;
	pthread_t thread;
	char *memory;

	if (!count || !size || (!both && strcmp(how, "mprotect") && strcmp(how, "munmap")))
		return 2;
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		die("sched_getaffinity");
	for (int cpu = 0; cpu < CPU_SETSIZE && nr < 2; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			cpus[nr++] = cpu;
	if (nr < 2)
		return 77;
	memory = map(size);
	make_hole(size);
	stay_on(cpus[0]);
	errno = pthread_create(&thread, NULL, spin, NULL);
	if (errno)
		die("pthread_create");
	while (!running)
		sched_yield();
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (unsigned long i = 0; i < count; i++) {
		wait_for_other();
		if (!strcmp(how, "mprotect") || (both && i % 2))
			protect(memory, size);
		else
			unmap(size);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	ended = 1;
	pthread_join(thread, NULL);
	printf("shootdown: %lu in %lld ns, CPUs %d and %d\n", count,
	       (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec - from.tv_nsec, cpus[0],
	       cpus[1]);
	return 0;
}
