/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/bench/clear.h"

#include <string.h>

#define LINE 64
#define STEP 4096 /* with one line of a sample in each */
#define DIRT 0xa5

const char *tm_bench_at_name(unsigned at)
{
	static const char *const names[TM_BENCH_ATS] = { "start", "middle", "end" };

	return at < TM_BENCH_ATS ? names[at] : NULL;
}

const struct tm_bench_loop *tm_bench_loop_find(const char *name)
{
	for (size_t i = 0; i < tm_bench_nr_loops; i++) {
		const struct tm_bench_loop *loop = &tm_bench_loops[i];

		if (!strcmp(loop->name, name) && (!loop->usable || loop->usable()))
			return loop;
	}
	return NULL;
}

static size_t touch_offset(const struct tm_bench_clear *clear)
{
	switch (clear->at) {
	case TM_BENCH_AT_MIDDLE:
		return clear->page / 2;
	case TM_BENCH_AT_END:
		return clear->page - 1;
	default:
		return 0;
	}
}

void tm_bench_clear_work(struct tm_bench_thread *thread)
{
	const struct tm_bench_clear *clear = thread->context;
	/* Threads share what is never torn: a page, or one of a sample's steps. */
	size_t unit = clear->loop ? STEP : clear->page, units = clear->bytes / unit;
	size_t first = units * thread->index / thread->team->nr;
	size_t last = units * (thread->index + 1) / thread->team->nr;
	char *start = clear->start + first * unit, *end = clear->start + last * unit;

	if (thread->index + 1 == thread->team->nr)
		end = clear->start + clear->bytes;
	if (clear->loop)
		clear->loop->clear(start, (size_t)(end - start));
	else
		for (char *page = start; page < end; page += unit)
			*(volatile char *)(page + touch_offset(clear)) = 0;
	thread->amount = (uint64_t)(end - start);
}

/* The sample: where its next line begins after the one at `offset`; `bytes` at the end. */
static size_t next_line(size_t offset, size_t bytes, uint64_t seed)
{
	size_t step = offset / STEP + 1, last = bytes - LINE;
	uint64_t state = (seed + 1) * 0x9e3779b97f4a7c15ULL + step;

	if (offset == last)
		return bytes;
	/* Neighbours' seeds give like numbers at first. */
	tm_bench_random(&state);
	offset = step * STEP + tm_bench_random(&state) % (STEP / LINE) * LINE;
	return TM_MIN(offset, last);
}

void tm_bench_dirt_put(char *start, size_t bytes, bool all, uint64_t seed)
{
	if (all || bytes <= LINE) {
		memset(start, DIRT, bytes);
		return;
	}
	for (size_t at = 0; at < bytes; at = next_line(at, bytes, seed))
		memset(start + at, DIRT, LINE);
}

static size_t find_in(const char *start, size_t from, size_t to)
{
	static const char zeros[STEP];

	for (size_t at = from; at < to; at += STEP) {
		size_t len = TM_MIN(to - at, (size_t)STEP);

		if (!memcmp(start + at, zeros, len))
			continue;
		while (!start[at])
			at++;
		return at;
	}
	return SIZE_MAX;
}

size_t tm_bench_dirt_find(const char *start, size_t bytes, bool all, uint64_t seed)
{
	size_t found = SIZE_MAX;

	if (all || bytes <= LINE)
		return find_in(start, 0, bytes);
	for (size_t at = 0; at < bytes && found == SIZE_MAX; at = next_line(at, bytes, seed))
		found = find_in(start, at, at + LINE);
	return found;
}
