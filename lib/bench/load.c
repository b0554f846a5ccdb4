/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/bench/load.h"

#include <errno.h>

uint64_t tm_bench_read_lines(const char *start, size_t bytes, size_t line)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;
	size_t i = 0;

	/* Four sums: none waits for the loads of another. */
	for (; i + 4 * line <= bytes; i += 4 * line) {
		a += *(const uint64_t *)(start + i);
		b += *(const uint64_t *)(start + i + line);
		c += *(const uint64_t *)(start + i + 2 * line);
		d += *(const uint64_t *)(start + i + 3 * line);
	}
	for (; i < bytes; i += line)
		a += *(const uint64_t *)(start + i);
	return a + b + c + d;
}

void tm_bench_load_fill(char *memory, size_t bytes, size_t line, uint64_t word)
{
	for (size_t i = 0; i + line <= bytes; i += line)
		*(uint64_t *)(memory + i) = word;
}

/* Tells the CPU that this is waiting: another thread of the core may have its units. */
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void pause_for(uint64_t ns)
{
	uint64_t end;

	if (!ns)
		return;
	end = tm_bench_now() + ns;
	while (tm_bench_now() < end)
		relax();
}

void tm_bench_load_run(struct tm_bench_thread *thread, const char *memory, size_t bytes,
		       size_t line, uint64_t pause_ns, uint64_t word)
{
	const size_t bursts = bytes / TM_BENCH_BURST;
	uint64_t sum = 0, done = 0;

	if (!bursts)
		return;
	do {
		sum += tm_bench_read_lines(memory + done % bursts * TM_BENCH_BURST, TM_BENCH_BURST,
					   line);
		done++;
		pause_for(pause_ns);
	} while (!tm_bench_over(thread));
	thread->amount = done * TM_BENCH_BURST;
	if (sum != done * (TM_BENCH_BURST / line) * word)
		thread->error = -EIO;
}
