/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * touch CPU BYTES private|shared SECONDS: base pages touched for the first time, by a loop that
 * does nothing else: how many in a second of the clock, and in one of its CPU. For
 * tests/bench/peer-fault.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* By this name peer-fault finds it in callgrind's counts. */
__attribute__((noinline)) static void bare_loop(volatile char *memory, const char *end, size_t page)
{
	for (; memory < end; memory += page)
		*memory = 1;
}

int main(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes;
	double elapsed = 0, ran = 0, limit, passes = 0;
	cpu_set_t cpus;

	if (argc != 5)
		return 2;
	bytes = strtoull(argv[2], NULL, 10);
	limit = strtod(argv[4], NULL);
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("CPU");
		return 1;
	}
	do {
		int kind = strcmp(argv[3], "shared") ? MAP_PRIVATE : MAP_SHARED;
		char *memory =
			mmap(NULL, bytes, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
		double start, cpu;

		if (memory == MAP_FAILED) {
			perror("mmap");
			return 1;
		}
		madvise(memory, bytes, MADV_NOHUGEPAGE);
		cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
		start = seconds(CLOCK_MONOTONIC);
		bare_loop(memory, memory + bytes, page);
		elapsed += seconds(CLOCK_MONOTONIC) - start;
		ran += seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
		munmap(memory, bytes);
		passes++;
	} while (elapsed < limit);
	printf("%.0f %.0f\n", (double)(bytes / page) * passes / elapsed,
	       (double)(bytes / page) * passes / ran);
	return 0;
}
