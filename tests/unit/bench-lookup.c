/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include <math.h>

#include "lib/bench/lookup.h"

#define NUCLIDES 12
#define POINTS 300

struct world {
	char *memory;
	struct tm_bench_grid grid;
};

static void make(struct world *world, unsigned nuclides, uint64_t points, uint64_t seed)
{
	uint64_t bytes = tm_bench_grid_bytes(nuclides, points);
	struct tm_error err = { 0 };

	assert_true(bytes > 0);
	world->memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
	assert_non_null(world->memory);
	assert_int_equal(
		tm_bench_grid_build(&world->grid, world->memory, nuclides, points, seed, &err), 0);
}

static void drop(struct world *world)
{
	tm_bench_grid_release(&world->grid);
	tm_bench_grid_release(&world->grid);
	free(world->memory);
}

static void look_up(struct tm_bench_lookups *lookups, const struct world *world, unsigned batches)
{
	tm_bench_lookups_begin(lookups);
	for (unsigned i = 0; i < batches; i++)
		tm_bench_lookups_batch(lookups, &world->grid, TM_BENCH_BATCH);
}

static void test_sizes(void **state)
{
	static const unsigned nuclides[] = { 1, 2, 64, TM_BENCH_NUCLIDES_MAX };
	static const uint64_t bytes[] = { 64 << 10, 1 << 20, 1ULL << 30, 20ULL << 30 };

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(nuclides); i++)
		for (size_t k = 0; k < TM_ARRAY_SIZE(bytes); k++) {
			uint64_t points = tm_bench_grid_points(nuclides[i], bytes[k]);
			uint64_t got = tm_bench_grid_bytes(nuclides[i], points);

			if (!points)
				continue;
			assert_true(got > 0 && got <= bytes[k]);
			/* Nearly as much as there is room for, where the indices suffice. */
			if (points < UINT32_MAX / nuclides[i])
				assert_true(tm_bench_grid_bytes(nuclides[i], points + 2) >
					    bytes[k] - 512);
		}
	assert_int_equal(tm_bench_grid_points(64, 100), 0);
	assert_int_equal(tm_bench_grid_bytes(0, 100), 0);
	assert_int_equal(tm_bench_grid_bytes(TM_BENCH_NUCLIDES_MAX + 1, 100), 0);
	assert_int_equal(tm_bench_grid_bytes(64, UINT32_MAX), 0);
}

static void test_refused(void **state)
{
	struct tm_bench_grid grid;
	struct tm_error err = { 0 };
	char memory[64];

	(void)state;
	assert_int_equal(tm_bench_grid_build(&grid, memory, 0, 100, 1, &err), -EINVAL);
	assert_int_equal(tm_bench_grid_build(&grid, memory, 4, 1, 1, &err), -EINVAL);
	tm_bench_grid_release(&grid);
}

/* The union has all tables' energies in order, and each row the entry that applies. */
static void test_grid(void **state)
{
	struct world world;
	const struct tm_bench_grid *grid = &world.grid;

	(void)state;
	make(&world, NUCLIDES, POINTS, 1);
	assert_int_equal(grid->unions, NUCLIDES * POINTS);
	assert_true(grid->energies[0] > 0 && grid->energies[grid->unions - 1] < 1);
	for (uint64_t i = 1; i < grid->unions; i++)
		assert_true(grid->energies[i - 1] < grid->energies[i]);
	for (unsigned n = 0; n < NUCLIDES; n++)
		for (uint64_t i = 1; i < POINTS; i++)
			assert_true(grid->tables[n * POINTS + i - 1].energy <
				    grid->tables[n * POINTS + i].energy);
	for (uint64_t i = 0; i < grid->unions; i++)
		for (unsigned n = 0; n < NUCLIDES; n++) {
			const struct tm_bench_point *table = &grid->tables[n * POINTS];
			uint32_t entry = grid->rows[i * NUCLIDES + n];

			assert_true(entry <= POINTS - 2);
			assert_true(entry == 0 || table[entry].energy <= grid->energies[i]);
			assert_true(entry == POINTS - 2 ||
				    table[entry + 1].energy > grid->energies[i]);
		}
	drop(&world);
}

static void test_materials(void **state)
{
	struct world world;
	unsigned seen[NUCLIDES] = { 0 };

	(void)state;
	make(&world, NUCLIDES, 4, 3);
	for (unsigned i = 0; i < NUCLIDES; i++)
		seen[world.grid.order[i]]++;
	for (unsigned i = 0; i < NUCLIDES; i++)
		assert_int_equal(seen[i], 1);
	for (unsigned i = 0; i < TM_BENCH_MATERIALS; i++) {
		const struct tm_bench_material *material = &world.grid.materials[i];

		assert_true(material->nr >= 1 && material->nr <= NUCLIDES / 2);
		assert_true(material->nuclides >= world.grid.order);
		assert_true(material->nuclides + material->nr <= world.grid.order + NUCLIDES);
		assert_true(material->densities - world.grid.densities ==
			    material->nuclides - world.grid.order);
	}
	drop(&world);
}

static void test_one_nuclide(void **state)
{
	struct tm_bench_lookups lookups;
	struct tm_error err = { 0 };
	struct world world;

	(void)state;
	make(&world, 1, 2, 1);
	tm_bench_lookups_seed(&lookups, 1, 0);
	look_up(&lookups, &world, 3);
	assert_int_equal(tm_bench_lookups_check(&lookups, &world.grid, &err), 0);
	drop(&world);
}

static void test_same_again(void **state)
{
	struct tm_bench_lookups a, b;
	struct world one, two, other;

	(void)state;
	make(&one, NUCLIDES, POINTS, 1);
	make(&two, NUCLIDES, POINTS, 1);
	make(&other, NUCLIDES, POINTS, 2);
	tm_bench_lookups_seed(&a, 5, 0);
	tm_bench_lookups_seed(&b, 5, 0);
	look_up(&a, &one, 20);
	look_up(&b, &two, 20);
	assert_int_equal(a.count, 20 * TM_BENCH_BATCH);
	assert_true(a.checksum == b.checksum && a.state == b.state);
	assert_true(a.kept[2].checksum == b.kept[2].checksum && a.kept[2].sum == b.kept[2].sum);
	/* Not in other batches: that each look-up counts, not how they are bundled. */
	tm_bench_lookups_seed(&b, 5, 0);
	tm_bench_lookups_begin(&b);
	for (unsigned i = 0; i < 20 * TM_BENCH_BATCH; i++)
		tm_bench_lookups_batch(&b, &one.grid, 1);
	assert_true(a.checksum == b.checksum && a.count == b.count);

	/* The next run, another thread, another seed and another grid are other look-ups. */
	b = a;
	look_up(&b, &one, 20);
	assert_true(a.checksum != b.checksum);
	tm_bench_lookups_seed(&b, 5, 1);
	look_up(&b, &one, 20);
	assert_true(a.checksum != b.checksum);
	tm_bench_lookups_seed(&b, 6, 0);
	look_up(&b, &one, 20);
	assert_true(a.checksum != b.checksum);
	tm_bench_lookups_seed(&b, 5, 0);
	look_up(&b, &other, 20);
	assert_true(a.checksum != b.checksum);
	drop(&one);
	drop(&two);
	drop(&other);
}

static void test_draw(void **state)
{
	uint64_t random = 1;
	unsigned seen[TM_BENCH_MATERIALS] = { 0 };
	double sum = 0;

	(void)state;
	for (unsigned i = 0; i < 8000; i++) {
		struct tm_bench_draw draw = tm_bench_draw(&random);

		assert_true(draw.energy >= 0 && draw.energy < 1);
		assert_true(draw.material < TM_BENCH_MATERIALS);
		seen[draw.material]++;
		sum += draw.energy;
	}
	assert_true(sum > 3800 && sum < 4200);
	for (unsigned i = 0; i < TM_BENCH_MATERIALS; i++)
		assert_true(seen[i] > 800 && seen[i] < 1200);
}

/* Some batches of a run are kept, each four times as far as the one before. */
static void test_kept(void **state)
{
	struct tm_bench_lookups lookups;
	struct tm_error err = { 0 };
	struct world world;

	(void)state;
	make(&world, NUCLIDES, POINTS, 1);
	tm_bench_lookups_seed(&lookups, 1, 0);
	tm_bench_lookups_begin(&lookups);
	assert_int_equal(tm_bench_lookups_check(&lookups, &world.grid, &err), 0);
	look_up(&lookups, &world, 70);
	assert_int_equal(lookups.nr_kept, 5); /* 0, 1, 4, 16, 64 */
	assert_int_equal(tm_bench_lookups_check(&lookups, &world.grid, &err), 0);
	look_up(&lookups, &world, 1);
	assert_int_equal(lookups.nr_kept, 1);
	assert_int_equal(tm_bench_lookups_check(&lookups, &world.grid, &err), 0);
	drop(&world);
}

static void assert_noticed(const struct tm_bench_lookups *lookups, const struct world *world)
{
	struct tm_error err = { 0 };

	assert_int_equal(tm_bench_lookups_check(lookups, &world->grid, &err), -EIO);
	assert_true(strlen(err.text) > 0);
}

/* Whatever a kernel leaves out shows. */
static void test_skipping(void **state)
{
	struct tm_bench_lookups good, bad;
	struct world world;

	(void)state;
	make(&world, NUCLIDES, POINTS, 1);
	tm_bench_lookups_seed(&good, 1, 0);
	look_up(&good, &world, 20);

	bad = good;
	bad.count += TM_BENCH_BATCH; /* that were never made */
	assert_noticed(&bad, &world);
	bad = good;
	bad.count--;
	assert_noticed(&bad, &world);
	bad = good;
	bad.nr_kept = 0;
	assert_noticed(&bad, &world);
	bad = good;
	bad.kept[2].sum *= 1 + 1e-6; /* a little of one value */
	assert_noticed(&bad, &world);
	bad = good;
	bad.kept[2].sum = NAN;
	assert_noticed(&bad, &world);
	bad = good;
	bad.kept[3].checksum++;
	assert_noticed(&bad, &world);
	bad = good;
	bad.kept[3].nr--; /* one was left out */
	assert_noticed(&bad, &world);
	drop(&world);
}

/* So do wrong rows, a wrong union, and values that were read elsewhere. */
static void test_wrong_grid(void **state)
{
	struct tm_bench_lookups lookups;
	struct world world;

	(void)state;
	make(&world, NUCLIDES, POINTS, 1);
	for (uint64_t i = 0; i < world.grid.unions * NUCLIDES; i++)
		world.grid.rows[i] ^= i % 2;
	tm_bench_lookups_seed(&lookups, 1, 0);
	look_up(&lookups, &world, 5);
	assert_noticed(&lookups, &world);
	drop(&world);

	make(&world, NUCLIDES, POINTS, 1);
	for (uint64_t i = 0; i < world.grid.unions; i++)
		world.grid.energies[i] = world.grid.energies[i - i % 2];
	tm_bench_lookups_seed(&lookups, 1, 0);
	look_up(&lookups, &world, 5);
	assert_noticed(&lookups, &world);
	drop(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),	    cmocka_unit_test(test_refused),
		cmocka_unit_test(test_grid),	    cmocka_unit_test(test_materials),
		cmocka_unit_test(test_one_nuclide), cmocka_unit_test(test_same_again),
		cmocka_unit_test(test_draw),	    cmocka_unit_test(test_kept),
		cmocka_unit_test(test_skipping),    cmocka_unit_test(test_wrong_grid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
