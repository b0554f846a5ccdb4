/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Clearing of memory: by the kernel, which clears a huge page when it is touched first, and by
 * loops of our own in memory that is there already.
 *
 * Whether it was cleared is looked at: dirt is put into the memory before, and searched for after.
 */
#ifndef TM_BENCH_CLEAR_H
#define TM_BENCH_CLEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/bench/team.h"

/* Which byte of a page is touched first: the kernel may begin or end there. */
enum tm_bench_at { TM_BENCH_AT_START, TM_BENCH_AT_MIDDLE, TM_BENCH_AT_END };
#define TM_BENCH_ATS (TM_BENCH_AT_END + 1)

/* "start", "middle", "end"; NULL for none of them. */
const char *tm_bench_at_name(unsigned at);

/* A way to clear. All sizes and alignments are taken. */
struct tm_bench_loop {
	const char *name;
	unsigned store_bytes; /* that one instruction stores; 0: the CPU decides */
	bool (*usable)(void); /* has this CPU the instructions? NULL: all have */
	void (*clear)(char *start, size_t bytes);
};

/* All that this architecture has, wider stores of the same name before narrower ones. */
extern const struct tm_bench_loop tm_bench_loops[];
extern const size_t tm_bench_nr_loops;

/* The first of the name that this CPU can do, or NULL. */
const struct tm_bench_loop *tm_bench_loop_find(const char *name);

/* What is to be cleared, for all threads together; the context of tm_bench_clear_work. */
struct tm_bench_clear {
	char *start;
	size_t bytes;
	const struct tm_bench_loop *loop; /* NULL: the kernel is to do it, for a touch of … */
	size_t page;			  /* … each of these … */
	enum tm_bench_at at;		  /* … here */
};

/* The work of a thread: its part of the pages, or of the memory. The amount is bytes. */
void tm_bench_clear_work(struct tm_bench_thread *thread);

/*
 * Puts dirt into memory: into all of it, or into its first and last line and one in each 4 KiB,
 * which `seed` chooses. A line is 64 bytes; so many are all the least.
 */
void tm_bench_dirt_put(char *start, size_t bytes, bool all, uint64_t seed);

/* Where the first byte is that is not 0, of those that tm_bench_dirt_put wrote; SIZE_MAX: none. */
size_t tm_bench_dirt_find(const char *start, size_t bytes, bool all, uint64_t seed);

#endif
