/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Load on memory: reading in bursts, with a pause after each. By the length of the pause it is
 * anything from nothing to all that a CPU can ask for.
 */
#ifndef TM_BENCH_LOAD_H
#define TM_BENCH_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "lib/bench/team.h"

/* Bytes of a burst. */
#define TM_BENCH_BURST 4096

/*
 * Reads a word of every line (a power of two bytes, at most a burst) of `bytes`, and returns their
 * sum, so that none can be left out.
 */
uint64_t tm_bench_read_lines(const char *start, size_t bytes, size_t line);

/*
 * Reads the memory from its beginning, again and again, until the thread's time is over, and pauses
 * `pause_ns` after each burst. Sets thread->amount to the bytes of the lines that were read, and
 * thread->error to -EIO where what it read is not `word` in each line.
 */
void tm_bench_load_run(struct tm_bench_thread *thread, const char *memory, size_t bytes,
		       size_t line, uint64_t pause_ns, uint64_t word);

/* Writes `word` into every line. */
void tm_bench_load_fill(char *memory, size_t bytes, size_t line, uint64_t word);

#endif
