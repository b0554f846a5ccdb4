/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chase CPU BYTES thp|base SECONDS: the latency of memory in ns, by a pointer chase with nothing
 * in common with tiermem's but the idea; exit code 75 where the CPU was not its own. For
 * tests/bench/peer-latency.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct line {
	struct line *to;
	char rest[64 - sizeof(void *)];
};

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A linear congruence of 64 bits, of which the upper ones are used. */
static size_t below(size_t limit)
{
	static uint64_t x = 88172645463325252ULL;

	x = x * 6364136223846793005ULL + 1442695040888963407ULL;
	return (size_t)((unsigned __int128)x * limit >> 64);
}

/* All lines lead to themselves; then they change places so that one cycle remains (Sattolo). */
static void link_lines(struct line *lines, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		lines[i].to = &lines[i];
	for (size_t i = nr - 1; i > 0; i--) {
		size_t j = below(i);
		struct line *to = lines[i].to;

		lines[i].to = lines[j].to;
		lines[j].to = to;
	}
}

int main(int argc, char **argv)
{
	size_t huge = 2 << 20, bytes, nr, loads = 0;
	struct line *lines, *p;
	double begun, took, cpu_time;
	cpu_set_t cpu;
	char *memory;

	if (argc != 5)
		return 2;
	CPU_ZERO(&cpu);
	CPU_SET(atoi(argv[1]), &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		return 1;
	bytes = strtoull(argv[2], NULL, 10);
	memory = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (memory == MAP_FAILED)
		return 1;
	lines = (struct line *)(((uintptr_t)memory + huge - 1) / huge * huge);
	madvise(lines, bytes, strcmp(argv[3], "thp") ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
	nr = bytes / sizeof(*lines);
	link_lines(lines, nr);
	p = lines;
	cpu_time = seconds(CLOCK_PROCESS_CPUTIME_ID);
	begun = seconds(CLOCK_MONOTONIC_RAW);
	do {
		for (int i = 0; i < 10000; i++)
			p = *(struct line *volatile *)&p->to;
		loads += 10000;
		took = seconds(CLOCK_MONOTONIC_RAW) - begun;
	} while (took < atof(argv[4]));
	cpu_time = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_time;
	/* Others had the CPU for a part of the time. */
	if (cpu_time < 0.95 * took)
		return 75;
	printf("%.3f\n", took * 1e9 / (double)loads);
	return 0;
}
