/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A chain of pointers through memory: one in each cache line, every line once, in random order, and
 * back to the first. Each load gives the address of the next one, so that none can begin before
 * the one before it is done, and no prefetcher knows where it goes: the time of a load is the
 * memory's latency.
 *
 * The chain is cut into legs, whose first elements are known beforehand. A chase that does not end
 * a leg where the next begins has not followed the chain.
 */
#ifndef TM_BENCH_CHASE_H
#define TM_BENCH_CHASE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

struct tm_bench_chase {
	char *memory;
	size_t line;  /* bytes from element to element */
	size_t count; /* of elements */
	size_t leg;   /* loads of each leg; the last has what remains */
	size_t legs;
	void **first; /* of each leg; first[legs] is first[0] */
	size_t next;  /* the leg to go on with */
};

/* The size of the cache lines of this machine; 64 where nothing says. */
size_t tm_bench_line_bytes(void);

/*
 * Writes the chain into all of the memory, and checks it. 0; -EINVAL (fewer than two lines, or more
 * than 2^32), -ENOMEM, -EIO as tm_bench_chase_check. Harmless to release on failure.
 */
int tm_bench_chase_build(struct tm_bench_chase *chase, void *memory, size_t bytes, size_t line,
			 uint64_t seed, struct tm_error *err);
void tm_bench_chase_release(struct tm_bench_chase *chase);

/*
 * Is it one cycle of all elements? Many legs are followed at once, so that this takes a small part
 * of the time of a chase. 0, or -EIO with what is wrong.
 */
int tm_bench_chase_check(const struct tm_bench_chase *chase, struct tm_error *err);

/*
 * Follows one leg, and the next time the one after it. Adds its loads to *loads. 0; -EIO where it
 * did not come to its end.
 */
int tm_bench_chase_leg(struct tm_bench_chase *chase, uint64_t *loads);

#endif
