/* SPDX-License-Identifier: GPL-2.0-only */
/* Loops that clear memory: their range and nothing else; and what notices that they have not. */
#include "tests/unit/tree.h"

#include <string.h>
#include <sys/mman.h>

#include "lib/bench/clear.h"

#define ROOM 8192
#define GUARD 0x5a

static _Alignas(4096) char memory[3 * ROOM];

/* As if it cleared, and skips a line. */
static void skip_clear(char *start, size_t bytes)
{
	memset(start, 0, bytes / 2 / 64 * 64);
	memset(start + (bytes / 2 / 64 + 1) * 64, 0, bytes - (bytes / 2 / 64 + 1) * 64);
}

static const struct tm_bench_loop skipping = { .name = "skipping", .clear = skip_clear };

static bool is_usable(const struct tm_bench_loop *loop)
{
	return !loop->usable || loop->usable();
}

static void check_range(const struct tm_bench_loop *loop, size_t offset, size_t bytes)
{
	char *start = memory + ROOM + offset;

	memset(memory, GUARD, sizeof(memory));
	loop->clear(start, bytes);
	for (const char *at = memory; at < memory + sizeof(memory); at++) {
		bool inside = at >= start && at < start + bytes;

		if (*at != (inside ? 0 : GUARD))
			fail_msg("%s/%u, %zu bytes at %zu: byte %td is %d", loop->name,
				 loop->store_bytes, bytes, offset, at - start, *at);
	}
}

/* Every tail there can be, from several beginnings. */
static void test_ranges(void **state)
{
	static const size_t offsets[] = { 0, 1, 15, 16, 63, 64, 100, 4095 };
	static const size_t sizes[] = { 0,   1,	  2,   15,  16,	  17,	31,   32,   33,	  63,
					64,  65,  127, 128, 129,  191,	255,  256,  257,  319,
					320, 511, 512, 513, 1000, 4095, 4096, 4097, 4159, 4160 };
	size_t tried = 0;

	(void)state;
	for (size_t i = 0; i < tm_bench_nr_loops; i++) {
		if (!is_usable(&tm_bench_loops[i]))
			continue;
		for (size_t o = 0; o < TM_ARRAY_SIZE(offsets); o++)
			for (size_t s = 0; s < TM_ARRAY_SIZE(sizes); s++)
				check_range(&tm_bench_loops[i], offsets[o], sizes[s]);
		tried++;
	}
	assert_true(tried >= 1);
}

/* Up to the last byte before what may not be touched, and from the first one after it. */
static void test_edges(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 65536;
	char *map;

	(void)state;
	map = mmap(NULL, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(mprotect(map + page, bytes, PROT_READ | PROT_WRITE), 0);
	for (size_t i = 0; i < tm_bench_nr_loops; i++) {
		if (!is_usable(&tm_bench_loops[i]))
			continue;
		tm_bench_dirt_put(map + page, bytes, true, 0);
		tm_bench_loops[i].clear(map + page, bytes);
		assert_int_equal(tm_bench_dirt_find(map + page, bytes, true, 0), SIZE_MAX);
		tm_bench_dirt_put(map + page, bytes, true, 0);
		tm_bench_loops[i].clear(map + page + 1, bytes - 1);
		assert_int_equal(tm_bench_dirt_find(map + page, bytes, true, 0), 0);
	}
	munmap(map, bytes + 2 * page);
}

static void test_names(void **state)
{
	const struct tm_bench_loop *vector = tm_bench_loop_find("vector");

	(void)state;
	assert_null(tm_bench_loop_find("none such"));
	assert_non_null(vector);
	/* The widest comes first. */
	for (size_t i = 0; i < tm_bench_nr_loops; i++) {
		const struct tm_bench_loop *loop = &tm_bench_loops[i];

		if (!strcmp(loop->name, "vector") && is_usable(loop))
			assert_true(loop->store_bytes <= vector->store_bytes);
	}
#if defined(__x86_64__)
	assert_non_null(tm_bench_loop_find("rep-stosb"));
	assert_non_null(tm_bench_loop_find("non-temporal"));
#elif defined(__aarch64__)
	assert_null(tm_bench_loop_find("rep-stosb"));
	assert_non_null(tm_bench_loop_find("non-temporal"));
#endif
	assert_string_equal(tm_bench_at_name(TM_BENCH_AT_START), "start");
	assert_string_equal(tm_bench_at_name(TM_BENCH_AT_MIDDLE), "middle");
	assert_string_equal(tm_bench_at_name(TM_BENCH_AT_END), "end");
	assert_null(tm_bench_at_name(TM_BENCH_ATS));
}

/* A single byte is found, wherever it is. */
static void test_find_all(void **state)
{
	static const size_t places[] = { 0, 1, 63, 64, 4095, 4096, 8191, 8192, 12287, 12299 };
	size_t bytes = 12300;

	(void)state;
	memset(memory, 0, sizeof(memory));
	assert_int_equal(tm_bench_dirt_find(memory, bytes, true, 0), SIZE_MAX);
	for (size_t i = 0; i < TM_ARRAY_SIZE(places); i++) {
		memory[places[i]] = 1;
		assert_int_equal(tm_bench_dirt_find(memory, bytes, true, 0), places[i]);
		memory[places[i]] = 0;
	}
	/* It is no business of ours what is behind. */
	memory[bytes] = 1;
	assert_int_equal(tm_bench_dirt_find(memory, bytes, true, 0), SIZE_MAX);
}

/* A sample has the first and the last line and one of each step, and stays within the memory. */
static void check_sample(size_t bytes, uint64_t seed)
{
	char *start = memory + ROOM;
	size_t lines = 0, last = SIZE_MAX;

	memset(memory, 0, sizeof(memory));
	assert_int_equal(tm_bench_dirt_find(start, bytes, false, seed), SIZE_MAX);
	tm_bench_dirt_put(start, bytes, false, seed);
	for (size_t i = 0; i < ROOM; i++)
		assert_int_equal(memory[i], 0);
	for (size_t i = bytes; i < ROOM; i++)
		assert_int_equal(start[i], 0);
	assert_true(start[0] && start[bytes - 1]);
	for (size_t i = 0; i < bytes; i += 64) {
		if (!start[i])
			continue;
		lines++;
		assert_true(last == SIZE_MAX || i - last <= 2 * 4096);
		last = i;
	}
	assert_true(lines >= 1 && lines <= bytes / 4096 + 2);
	/* Each of them is looked at: it is found alone, too. */
	for (size_t i = 0; i < bytes; i++) {
		char was = start[i];

		if (!was)
			continue;
		memset(start, 0, bytes);
		start[i] = was;
		assert_int_equal(tm_bench_dirt_find(start, bytes, false, seed), i);
		memset(start, 0, bytes);
		tm_bench_dirt_put(start, bytes, false, seed);
	}
}

static void test_sample(void **state)
{
	static const size_t sizes[] = { 1, 63, 64, 65, 128, 4095, 4096, 4160, 8064, 8192 };

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(sizes); i++)
		for (uint64_t seed = 0; seed < 8; seed++)
			check_sample(sizes[i], seed);
}

/* With other seeds other lines: a line that is always skipped is found some day. */
static void test_seeds(void **state)
{
	bool seen[64] = { false };
	size_t nr = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		memset(memory, 0, ROOM);
		tm_bench_dirt_put(memory, ROOM, false, seed);
		for (size_t line = 0; line < 64; line++)
			seen[line] |= memory[4096 + line * 64] != 0;
	}
	for (size_t line = 0; line < 64; line++)
		nr += seen[line];
	assert_int_equal(nr, 64);
}

/* Threads clear all of it, each byte once, however many they are. */
static void run_team(unsigned threads, struct tm_bench_clear *clear, uint64_t amount)
{
	struct tm_bench_team team;
	struct tm_bench_outcome outcome;
	struct tm_error err = { 0 };

	assert_int_equal(tm_bench_team_start(&team, threads, NULL, clear, &err), 0);
	assert_int_equal(tm_bench_team_run(&team, tm_bench_clear_work, 0, &outcome), 0);
	assert_int_equal(outcome.amount, amount);
	tm_bench_team_end(&team);
}

static void test_team(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads <= 5; threads++) {
		struct tm_bench_clear clear = { .start = memory + 64,
						.bytes = 2 * ROOM + 77,
						.loop = tm_bench_loop_find("vector") };

		memset(memory, GUARD, sizeof(memory));
		run_team(threads, &clear, clear.bytes);
		assert_int_equal(tm_bench_dirt_find(clear.start, clear.bytes, true, 0), SIZE_MAX);
		assert_int_equal(memory[63], GUARD);
		assert_int_equal(clear.start[clear.bytes], GUARD);
	}
}

/* A touch writes one byte of each page, there where it is asked for. */
static void test_touch(void **state)
{
	static const size_t offsets[TM_BENCH_ATS] = { 0, 2048, 4095 };

	(void)state;
	for (unsigned at = 0; at < TM_BENCH_ATS; at++)
		for (unsigned threads = 1; threads <= 3; threads++) {
			struct tm_bench_clear clear = { .start = memory,
							.bytes = sizeof(memory),
							.page = 4096,
							.at = (enum tm_bench_at)at };

			memset(memory, GUARD, sizeof(memory));
			run_team(threads, &clear, sizeof(memory));
			for (size_t i = 0; i < sizeof(memory); i++)
				assert_int_equal(memory[i], i % 4096 == offsets[at] ? 0 : GUARD);
		}
}

/* What was skipped is noticed, by a sample after some passes at the latest. */
static void test_skip(void **state)
{
	struct tm_bench_clear clear = { .start = memory, .bytes = 2 * ROOM, .loop = &skipping };
	bool noticed = false;

	(void)state;
	tm_bench_dirt_put(memory, clear.bytes, true, 0);
	run_team(1, &clear, clear.bytes);
	assert_int_equal(tm_bench_dirt_find(memory, clear.bytes, true, 0), ROOM);
	for (uint64_t seed = 0; seed < 2000 && !noticed; seed++) {
		memset(memory, 0, sizeof(memory));
		tm_bench_dirt_put(memory, clear.bytes, false, seed);
		skipping.clear(memory, clear.bytes);
		noticed = tm_bench_dirt_find(memory, clear.bytes, false, seed) != SIZE_MAX;
	}
	assert_true(noticed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges), cmocka_unit_test(test_edges),
		cmocka_unit_test(test_names),  cmocka_unit_test(test_find_all),
		cmocka_unit_test(test_sample), cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_team),   cmocka_unit_test(test_touch),
		cmocka_unit_test(test_skip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
