/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/bench/chase.h"
#include "lib/bench/load.h"

#define LINE 64

struct chain {
	char *memory;
	struct tm_bench_chase chase;
};

static void make(struct chain *chain, size_t count, uint64_t seed)
{
	struct tm_error err = { 0 };

	chain->memory = aligned_alloc(4096, (count * LINE + 4095) / 4096 * 4096);
	assert_non_null(chain->memory);
	assert_int_equal(tm_bench_chase_build(&chain->chase, chain->memory, count * LINE, LINE,
					      seed, &err),
			 0);
}

static void drop(struct chain *chain)
{
	tm_bench_chase_release(&chain->chase);
	tm_bench_chase_release(&chain->chase);
	free(chain->memory);
}

static void **element(const struct chain *chain, size_t index)
{
	return (void **)(chain->memory + index * LINE);
}

static size_t index_of(const struct chain *chain, const void *p)
{
	return (size_t)((const char *)p - chain->memory) / LINE;
}

/* Counted here in the plainest way. */
static void assert_one_cycle(const struct chain *chain, size_t count)
{
	unsigned char *seen = calloc(count, 1);
	void **at = element(chain, 0);

	assert_non_null(seen);
	for (size_t i = 0; i < count; i++) {
		size_t index = index_of(chain, at);

		assert_true(index < count);
		assert_ptr_equal(at, element(chain, index));
		assert_int_equal(seen[index], 0);
		seen[index] = 1;
		at = *at;
	}
	assert_ptr_equal(at, element(chain, 0));
	free(seen);
}

static const size_t counts[] = { 2,    3,    7,	   64,	  100,	 4095,	4096,
				 4097, 8191, 8192, 12289, 65536, 65537, 69632 };

static void test_cycle(void **state)
{
	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(counts); i++) {
		struct chain chain;

		make(&chain, counts[i], i);
		assert_int_equal(chain.chase.count, counts[i]);
		assert_one_cycle(&chain, counts[i]);
		drop(&chain);
	}
}

/* Legs together are all of it, and a next round begins where the first did. */
static void test_legs(void **state)
{
	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(counts); i++) {
		uint64_t loads = 0, first;
		struct chain chain;

		make(&chain, counts[i], 5);
		assert_true(chain.chase.legs * chain.chase.leg >= counts[i]);
		assert_true((chain.chase.legs - 1) * chain.chase.leg < counts[i]);
		for (size_t leg = 0; leg < chain.chase.legs; leg++) {
			assert_int_equal(chain.chase.next, leg);
			assert_int_equal(tm_bench_chase_leg(&chain.chase, &loads), 0);
		}
		assert_int_equal(chain.chase.next, 0);
		/* A short one is gone round more than once. */
		assert_int_equal(loads % counts[i], 0);
		assert_true(loads >= 4096 || counts[i] > 4096);
		assert_true(counts[i] < 4096 || loads == counts[i]);
		first = loads;
		assert_int_equal(tm_bench_chase_leg(&chain.chase, &loads), 0);
		assert_true(loads > first);
		drop(&chain);
	}
}

static void test_order(void **state)
{
	struct chain a, b, c;
	size_t forward = 0, same = 0, equal = 0;

	(void)state;
	make(&a, 65536, 1);
	make(&b, 65536, 1);
	make(&c, 65536, 2);
	for (size_t i = 0; i < 65536; i++) {
		size_t next = index_of(&a, *element(&a, i));

		equal += next == index_of(&b, *element(&b, i));
		same += next == index_of(&c, *element(&c, i));
		/* To the same page or one beside it: two pages in a thousand. */
		forward += next / 64 + 1 >= i / 64 && next / 64 <= i / 64 + 1;
	}
	assert_int_equal(equal, 65536);
	assert_true(same < 64);
	assert_true(forward < 400);
	drop(&a);
	drop(&b);
	drop(&c);
}

static void assert_broken(struct chain *chain)
{
	struct tm_error err = { 0 };

	assert_int_equal(tm_bench_chase_check(&chain->chase, &err), -EIO);
	assert_non_null(strstr(err.text, "broken"));
}

/* Follows all legs, of which one must fail. */
static void assert_noticed(struct chain *chain)
{
	uint64_t loads = 0;
	int rc = 0;

	for (size_t leg = 0; leg < chain->chase.legs && !rc; leg++)
		rc = tm_bench_chase_leg(&chain->chase, &loads);
	assert_int_equal(rc, -EIO);
}

/* Swapping where two elements lead to makes two cycles of one. */
static void test_two_cycles(void **state)
{
	static const size_t sizes[] = { 2, 3, 100, 5000, 65536, 70000 };

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(sizes); i++) {
		struct chain chain;
		void *next;

		make(&chain, sizes[i], 9);
		next = *element(&chain, 0);
		*element(&chain, 0) = *element(&chain, sizes[i] - 1);
		*element(&chain, sizes[i] - 1) = next;
		assert_broken(&chain);
		if (sizes[i] >= 5000)
			assert_noticed(&chain);
		drop(&chain);
	}
}

static void test_broken(void **state)
{
	struct tm_error err = { 0 };
	uint64_t loads = 0;
	struct chain chain;
	void *next;

	(void)state;
	make(&chain, 20000, 3);
	next = *element(&chain, 777);

	/* An element is left out. */
	*element(&chain, 777) = *(void **)next;
	assert_broken(&chain);
	assert_noticed(&chain);
	/* It leads to itself: it never ends, but a leg does. */
	*element(&chain, 777) = element(&chain, 777);
	assert_broken(&chain);
	chain.chase.next = 0;
	assert_noticed(&chain);
	/* It leads into an element's middle, or beside the memory. */
	*element(&chain, 777) = (char *)next + 8;
	assert_broken(&chain);
	*element(&chain, 777) = chain.memory + 20000L * LINE;
	assert_broken(&chain);
	*element(&chain, 777) = NULL;
	assert_broken(&chain);

	*element(&chain, 777) = next;
	assert_int_equal(tm_bench_chase_check(&chain.chase, &err), 0);
	chain.chase.next = 0;
	assert_int_equal(tm_bench_chase_leg(&chain.chase, &loads), 0);
	drop(&chain);
}

/* A kernel that takes a shortcut does not come to where the leg ends. */
static void test_shortcut(void **state)
{
	uint64_t loads = 0;
	struct chain chain;

	(void)state;
	make(&chain, 20000, 3);
	chain.chase.first[0] = *(void **)chain.chase.first[0];
	assert_int_equal(tm_bench_chase_leg(&chain.chase, &loads), -EIO);
	drop(&chain);
}

static void test_refused(void **state)
{
	struct tm_bench_chase chase;
	struct tm_error err = { 0 };
	char memory[LINE];

	(void)state;
	assert_int_equal(tm_bench_chase_build(&chase, memory, sizeof(memory), LINE, 1, &err),
			 -EINVAL);
	tm_bench_chase_release(&chase);
	assert_int_equal(tm_bench_chase_build(&chase, memory, (size_t)LINE << 32, LINE, 1, &err),
			 -EINVAL);
	tm_bench_chase_release(&chase);
	assert_true(tm_bench_line_bytes() >= 16 && tm_bench_line_bytes() <= 4096);
}

static void test_read_lines(void **state)
{
	static const size_t lines[] = { 16, 32, 64, 128, 4096 };
	char *memory = aligned_alloc(4096, 16384);

	(void)state;
	assert_non_null(memory);
	for (size_t i = 0; i < TM_ARRAY_SIZE(lines); i++) {
		memset(memory, 0, 16384);
		tm_bench_load_fill(memory, 16384, lines[i], 3);
		assert_int_equal(tm_bench_read_lines(memory, 16384, lines[i]),
				 3 * 16384 / lines[i]);
		assert_int_equal(tm_bench_read_lines(memory, 4096, lines[i]), 3 * 4096 / lines[i]);
	}
	free(memory);
}

struct load {
	char *memory;
	uint64_t pause_ns;
	uint64_t word;
};

static void run_load(struct tm_bench_thread *thread)
{
	const struct load *load = thread->context;

	tm_bench_load_run(thread, load->memory, 16384, LINE, load->pause_ns, load->word);
}

static void test_load(void **state)
{
	struct load load = { aligned_alloc(4096, 16384), 0, 77 };
	struct tm_bench_outcome outcome;
	struct tm_bench_team team;
	struct tm_error err = { 0 };

	(void)state;
	assert_non_null(load.memory);
	tm_bench_load_fill(load.memory, 16384, LINE, 77);
	assert_int_equal(tm_bench_team_start(&team, 2, NULL, &load, &err), 0);
	assert_int_equal(tm_bench_team_run(&team, run_load, 2000000, &outcome), 0);
	assert_int_equal(outcome.amount % TM_BENCH_BURST, 0);
	load.pause_ns = 1000;
	assert_int_equal(tm_bench_team_run(&team, run_load, 2000000, &outcome), 0);
	assert_int_equal(outcome.amount % TM_BENCH_BURST, 0);
	/* What was read is not what is there. */
	load.word = 78;
	assert_int_equal(tm_bench_team_run(&team, run_load, 20000000, &outcome), -EIO);
	tm_bench_team_end(&team);
	free(load.memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cycle),	cmocka_unit_test(test_legs),
		cmocka_unit_test(test_order),	cmocka_unit_test(test_two_cycles),
		cmocka_unit_test(test_broken),	cmocka_unit_test(test_shortcut),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_read_lines),
		cmocka_unit_test(test_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
