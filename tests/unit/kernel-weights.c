/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/tune/kernel.h"

#define MOST 16

static void test_vectors(void **state)
{
	static const struct {
		uint32_t bandwidth[MOST];
		size_t nr;
		unsigned weight[MOST];
	} cases[] = {
		{ { 256000, 64000 }, 2, { 25, 6 } },
		{ { 4711, 4711 }, 2, { 1, 1 } },
		{ { 4711, 4711, 4711, 4711 }, 4, { 1, 1, 1, 1 } },
		{ { 100000, 0 }, 2, { 32, 1 } },
		{ { 0, 100000 }, 2, { 1, 32 } },
		{ { 300, 300, 100 }, 3, { 13, 13, 4 } },
		{ { 310, 10 }, 2, { 31, 1 } },
		{ { 262144, 262144, 61440 }, 3, { 14, 14, 3 } },
		{ { 307200, 61440 }, 2, { 26, 5 } },
		{ { 204800, 25600 }, 2, { 28, 3 } },
		/* One node: 32 of 32, reduced. */
		{ { 1 }, 1, { 1 } },
		{ { UINT32_MAX / 32 }, 1, { 1 } },
		/* Nobody knows anything. */
		{ { 0 }, 1, { 1 } },
		{ { 0, 0, 0 }, 3, { 1, 1, 1 } },
		/* A share under one part in 32 is raised to one. */
		{ { 1000000, 1 }, 2, { 31, 1 } },
		{ { 31, 1 }, 2, { 31, 1 } },
		{ { 320, 10 }, 2, { 31, 1 } },
		/* 32 times a bandwidth does not fit 32 bits: 2^27 is 0, 2^27 + 1 is 32. */
		{ { 1u << 27, 1 }, 2, { 1, 1 } },
		{ { (1u << 27) + 1, 0 }, 2, { 1, 1 } },
		/* The sum of bandwidths does not fit either, and is not cut. */
		{ { 1u << 31, 1u << 31, 1 }, 3, { 1, 1, 1 } },
		{ { UINT32_MAX, UINT32_MAX, UINT32_MAX }, 3, { 1, 1, 1 } },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		unsigned weight[MOST];

		tm_tune_kernel_weights(cases[i].bandwidth, cases[i].nr, weight);
		for (size_t k = 0; k < cases[i].nr; k++)
			if (weight[k] != cases[i].weight[k])
				fail_msg("case %zu, node %zu: %u, not %u", i, k, weight[k],
					 cases[i].weight[k]);
	}
	tm_tune_kernel_weights(NULL, 0, NULL);
}

/*
 * The same told another way: each weight is found by counting how often the sum goes into the
 * scaled bandwidth, and the greatest common divisor by trying all from above.
 */
static void model(const uint32_t *bandwidth, size_t nr, unsigned *weight)
{
	const uint64_t modulus = 1ULL << 32;
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += bandwidth[i];
	for (size_t i = 0; i < nr; i++) {
		uint64_t scaled = (uint64_t)bandwidth[i] * 32 % modulus;

		weight[i] = 0;
		/* As long as something remains: what goes in without a rest first counts too. */
		if (sum && scaled > sum)
			for (; scaled >= sum; scaled -= sum)
				weight[i]++;
		if (!weight[i])
			weight[i] = 1;
	}
	for (unsigned divisor = 32; divisor > 1; divisor--) {
		bool divides = true;

		for (size_t i = 0; i < nr; i++)
			divides = divides && weight[i] % divisor == 0;
		for (size_t i = 0; divides && i < nr; i++)
			weight[i] /= divisor;
	}
}

static void test_random(void **state)
{
	uint64_t seed = 0x9e3779b97f4a7c15;

	(void)state;
	for (size_t round = 0; round < 10000; round++) {
		uint32_t bandwidth[MOST];
		unsigned weight[MOST], wanted[MOST];
		size_t nr = 1 + round % MOST;

		for (size_t i = 0; i < nr; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			/* All magnitudes; every eighth node has no figure. */
			bandwidth[i] = seed % 8 ? (uint32_t)(seed >> 16) >> (seed >> 56) % 32 : 0;
		}
		tm_tune_kernel_weights(bandwidth, nr, weight);
		model(bandwidth, nr, wanted);
		for (size_t i = 0; i < nr; i++) {
			/* What the kernel's file would take. */
			assert_in_range(weight[i], 1, 255);
			if (weight[i] != wanted[i])
				fail_msg("round %zu, node %zu of %zu: %u, not %u", round, i, nr,
					 weight[i], wanted[i]);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("kernel-weights", tests, NULL, NULL);
}
