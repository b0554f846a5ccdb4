/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/bench/chase.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/bench/team.h"

/*
 * Short enough to end soon after the time is over (about a millisecond with the slowest memory),
 * long enough that looking at the clock and at the end costs nothing.
 */
#define LEG_LOADS 4096
#define LEGS_MAX 65536

/* Legs that are checked at the same time: about as many loads as a CPU keeps in flight. */
#define ABREAST 16

size_t tm_bench_line_bytes(void)
{
	long bytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);

	return bytes >= 16 && bytes <= 4096 && !(bytes & (bytes - 1)) ? (size_t)bytes : 64;
}

static void **element(const struct tm_bench_chase *chase, size_t index)
{
	return (void **)(chase->memory + index * chase->line);
}

/* The numbers of all elements in random order (Fisher and Yates). NULL: no memory. */
static uint32_t *shuffle(size_t count, uint64_t seed)
{
	uint32_t *order = calloc(count, sizeof(*order));
	uint64_t state = seed ? seed : 1;

	for (size_t i = 0; order && i < count; i++) {
		/* From the upper half of the random number, without a division. */
		size_t j = (size_t)((tm_bench_random(&state) >> 32) * (i + 1) >> 32);

		order[i] = order[j];
		order[j] = (uint32_t)i;
	}
	return order;
}

static void choose_legs(struct tm_bench_chase *chase)
{
	size_t legs = chase->count / LEG_LOADS;

	legs = legs < 1 ? 1 : TM_MIN(legs, LEGS_MAX);
	chase->leg = (chase->count + legs - 1) / legs;
	/* Rounding up may have left nothing for the last ones. */
	chase->legs = (chase->count + chase->leg - 1) / chase->leg;
}

static void link_all(struct tm_bench_chase *chase, const uint32_t *order)
{
	for (size_t i = 0; i < chase->count; i++) {
		void **from = element(chase, order[i]);

		*from = element(chase, order[i + 1 < chase->count ? i + 1 : 0]);
		if (i % chase->leg == 0)
			chase->first[i / chase->leg] = from;
	}
	chase->first[chase->legs] = chase->first[0];
}

int tm_bench_chase_build(struct tm_bench_chase *chase, void *memory, size_t bytes, size_t line,
			 uint64_t seed, struct tm_error *err)
{
	size_t count = bytes / line;
	uint32_t *order;

	*chase = (struct tm_bench_chase){ .memory = memory, .line = line, .count = count };
	if (count < 2 || count > UINT32_MAX)
		return tm_error_set(err, EINVAL, "no chain of %zu elements", count);
	choose_legs(chase);
	chase->first = calloc(chase->legs + 1, sizeof(*chase->first));
	order = chase->first ? shuffle(count, seed) : NULL;
	if (!order) {
		tm_bench_chase_release(chase);
		return tm_error_nomem(err);
	}
	link_all(chase, order);
	free(order);
	return tm_bench_chase_check(chase, err);
}

void tm_bench_chase_release(struct tm_bench_chase *chase)
{
	free(chase->first);
	*chase = (struct tm_bench_chase){ .count = 0 };
}

static size_t leg_loads(const struct tm_bench_chase *chase, size_t leg)
{
	return TM_MIN(chase->leg, chase->count - leg * chase->leg);
}

static bool is_element(const struct tm_bench_chase *chase, const void *p)
{
	size_t offset = (uintptr_t)p - (uintptr_t)chase->memory;

	return offset / chase->line < chase->count && offset % chase->line == 0;
}

/*
 * Follows the legs from `leg` on, `nr` of them side by side. True: each ends where the next begins,
 * stays among the elements, and does not come by the chain's start on the way.
 */
static bool check_legs(const struct tm_bench_chase *chase, size_t leg, size_t nr)
{
	void *at[ABREAST];
	bool good = true;

	for (size_t i = 0; i < nr; i++)
		at[i] = chase->first[leg + i];
	for (size_t load = 0; load < chase->leg && good; load++) {
		for (size_t i = 0; i < nr; i++) {
			if (load >= leg_loads(chase, leg + i))
				continue;
			good &= (load == 0 && leg + i == 0) || at[i] != chase->first[0];
			at[i] = *(void **)at[i];
			if (!is_element(chase, at[i]))
				return false;
		}
	}
	for (size_t i = 0; i < nr; i++)
		good &= at[i] == chase->first[leg + i + 1];
	return good;
}

/*
 * As many steps as there are elements lead from the start back to it, and none of those before did.
 * So no element came twice, as else the start would never have come again: all came once.
 */
int tm_bench_chase_check(const struct tm_bench_chase *chase, struct tm_error *err)
{
	for (size_t leg = 0; leg < chase->legs; leg += ABREAST)
		if (!check_legs(chase, leg, TM_MIN(ABREAST, chase->legs - leg)))
			return tm_error_set(
				err, EIO, "the chain of %zu elements is broken between %zu and %zu",
				chase->count, leg * chase->leg,
				TM_MIN((leg + ABREAST) * chase->leg, chase->count));
	return 0;
}

/* No load of these begins before the one before it has come. */
static void *follow(void *at, size_t loads)
{
	void **p = at;

	for (; loads >= 16; loads -= 16) {
		p = *p, p = *p, p = *p, p = *p;
		p = *p, p = *p, p = *p, p = *p;
		p = *p, p = *p, p = *p, p = *p;
		p = *p, p = *p, p = *p, p = *p;
	}
	while (loads--)
		p = *p;
	return p;
}

int tm_bench_chase_leg(struct tm_bench_chase *chase, uint64_t *loads)
{
	size_t nr = leg_loads(chase, chase->next), done = 0;
	void *at = chase->first[chase->next];

	/* A short chain is gone round several times, so that a leg is never too short to time. */
	do {
		at = follow(at, nr);
		done += nr;
	} while (chase->legs == 1 && done < LEG_LOADS && at == chase->first[0]);
	*loads += done;
	if (at != chase->first[chase->next + 1])
		return -EIO;
	chase->next = chase->next + 1 < chase->legs ? chase->next + 1 : 0;
	return 0;
}
