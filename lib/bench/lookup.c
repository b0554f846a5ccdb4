/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/bench/lookup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bench/team.h"

/* Each part of the memory begins at a line of its own. */
#define PART 64

static uint64_t part(uint64_t bytes)
{
	return (bytes + PART - 1) / PART * PART;
}

static uint64_t union_bytes(uint64_t unions)
{
	return part(unions * sizeof(double));
}

static uint64_t row_bytes(uint64_t unions, unsigned nuclides)
{
	return part(unions * nuclides * sizeof(uint32_t));
}

uint64_t tm_bench_grid_bytes(unsigned nuclides, uint64_t points)
{
	uint64_t unions = nuclides * points;

	/* Rows hold indices of 32 bits, and the union is numbered by 32 bits while it is made. */
	if (!nuclides || nuclides > TM_BENCH_NUCLIDES_MAX || points > UINT32_MAX / nuclides)
		return 0;
	return union_bytes(unions) + row_bytes(unions, nuclides) +
	       unions * sizeof(struct tm_bench_point);
}

uint64_t tm_bench_grid_points(unsigned nuclides, uint64_t bytes)
{
	uint64_t each = nuclides * (sizeof(double) + nuclides * sizeof(uint32_t) +
				    sizeof(struct tm_bench_point));
	uint64_t rest = 2 * (uint64_t)PART; /* what the parts may waste */
	uint64_t points = bytes > rest ? (bytes - rest) / each : 0;

	points = TM_MIN(points, UINT32_MAX / nuclides);
	return points < 2 ? 0 : points;
}

/* From 0 to below 1. */
static double random_double(uint64_t *state)
{
	return (double)(tm_bench_random(state) >> 11) * 0x1p-53;
}

static uint64_t random_below(uint64_t *state, uint64_t limit)
{
	return (tm_bench_random(state) >> 32) * limit >> 32;
}

/* Strictly rising from above 0 to below 1, with gaps that differ by up to a thousand times. */
static void make_energies(struct tm_bench_grid *grid, uint64_t *state)
{
	uint64_t begun = *state, total = 0, sum = 0;

	/* The same gaps twice: for their sum, and for the energies. */
	for (uint64_t i = 0; i <= grid->unions; i++)
		total += (1 << 10) + random_below(state, 1 << 20);
	*state = begun;
	for (uint64_t i = 0; i < grid->unions; i++) {
		sum += (1 << 10) + random_below(state, 1 << 20);
		grid->energies[i] = (double)sum / (double)total;
	}
}

/* Whose each point of the union is: every nuclide as often as it has points, in random order. */
static uint16_t *make_owners(const struct tm_bench_grid *grid, uint64_t *state)
{
	uint16_t *owners = malloc(grid->unions * sizeof(*owners));

	for (uint64_t i = 0; owners && i < grid->unions; i++) {
		uint64_t j = random_below(state, i + 1);

		if (j < i)
			owners[i] = owners[j];
		owners[j] = (uint16_t)(i % grid->nuclides);
	}
	return owners;
}

/*
 * Rows and tables in one pass upwards. `filled` has how many entries each nuclide's table has so
 * far; the last of them applies, but the first where there is none yet, and the last but one where
 * no other follows.
 */
static void make_tables(struct tm_bench_grid *grid, const uint16_t *owners, uint32_t *filled,
			uint64_t *state)
{
	uint32_t last = (uint32_t)grid->points - 2;
	uint32_t *row = grid->rows, *before = NULL;

	for (uint64_t i = 0; i < grid->unions; i++, before = row, row += grid->nuclides) {
		unsigned owner = owners[i];
		struct tm_bench_point *point = &grid->tables[owner * grid->points];

		point += filled[owner];
		point->energy = grid->energies[i];
		for (unsigned s = 0; s < TM_BENCH_SECTIONS; s++)
			point->section[s] = random_double(state);
		if (before)
			memcpy(row, before, grid->nuclides * sizeof(*row));
		else
			memset(row, 0, grid->nuclides * sizeof(*row));
		row[owner] = TM_MIN(filled[owner], last);
		filled[owner]++;
	}
}

/* Two materials of half of all nuclides, two of a quarter, and so on, but always one. */
static void make_materials(struct tm_bench_grid *grid, uint64_t *state)
{
	for (unsigned i = 0; i < grid->nuclides; i++) {
		unsigned j = (unsigned)random_below(state, i + 1);

		grid->order[i] = grid->order[j];
		grid->order[j] = (uint16_t)i;
		grid->densities[i] = 0.5 + random_double(state);
	}
	for (unsigned i = 0; i < TM_BENCH_MATERIALS; i++) {
		unsigned nr = TM_MAX(grid->nuclides >> (i / 2 + 1), 1U);
		unsigned from = i % 2 ? grid->nuclides - nr : 0;

		grid->materials[i] = (struct tm_bench_material){
			.nuclides = grid->order + from,
			.densities = grid->densities + from,
			.nr = nr,
		};
	}
}

int tm_bench_grid_build(struct tm_bench_grid *grid, void *memory, unsigned nuclides,
			uint64_t points, uint64_t seed, struct tm_error *err)
{
	uint64_t state = seed ? seed : 1;
	uint16_t *owners = NULL;
	uint32_t *filled = NULL;
	int rc = 0;

	*grid = (struct tm_bench_grid){ .nuclides = nuclides, .points = points };
	if (points < 2 || !tm_bench_grid_bytes(nuclides, points))
		return tm_error_set(err, EINVAL, "no grid of %u nuclides has %llu points each",
				    nuclides, (unsigned long long)points);
	grid->unions = nuclides * points;
	grid->energies = memory;
	grid->rows = (uint32_t *)((char *)memory + union_bytes(grid->unions));
	grid->tables =
		(struct tm_bench_point *)((char *)grid->rows + row_bytes(grid->unions, nuclides));
	grid->order = calloc(nuclides, sizeof(*grid->order));
	grid->densities = calloc(nuclides, sizeof(*grid->densities));
	filled = calloc(nuclides, sizeof(*filled));
	make_energies(grid, &state);
	owners = make_owners(grid, &state);
	if (grid->order && grid->densities && filled && owners) {
		make_tables(grid, owners, filled, &state);
		make_materials(grid, &state);
	} else {
		tm_bench_grid_release(grid);
		rc = tm_error_nomem(err);
	}
	free(owners);
	free(filled);
	return rc;
}

void tm_bench_grid_release(struct tm_bench_grid *grid)
{
	free(grid->order);
	free(grid->densities);
	*grid = (struct tm_bench_grid){ .nuclides = 0 };
}

struct tm_bench_draw tm_bench_draw(uint64_t *state)
{
	double energy = random_double(state);

	return (struct tm_bench_draw){ energy, (unsigned)(tm_bench_random(state) >> 61) };
}

/* The last point of the union that is not above the energy; the first where all are. */
static uint64_t find(const struct tm_bench_grid *grid, double energy)
{
	const double *low = grid->energies;
	uint64_t nr = grid->unions;

	while (nr > 1) {
		uint64_t half = nr / 2;

		if (low[half] <= energy)
			low += half;
		nr -= half;
	}
	return (uint64_t)(low - grid->energies);
}

/* How far the energy is on the way from one entry to the next; outside the table its end counts. */
static double fraction(const struct tm_bench_point *low, double energy)
{
	double part_of = (energy - low[0].energy) / (low[1].energy - low[0].energy);

	return part_of < 0 ? 0 : part_of > 1 ? 1 : part_of;
}

static void look_up(const struct tm_bench_grid *grid, const struct tm_bench_draw *draw,
		    struct tm_bench_batch *batch)
{
	const struct tm_bench_material *material = &grid->materials[draw->material];
	uint64_t place = find(grid, draw->energy), entries = 0;
	const uint32_t *row = &grid->rows[place * grid->nuclides];
	double sums[TM_BENCH_SECTIONS] = { 0 };

	for (unsigned i = 0; i < material->nr; i++) {
		unsigned nuclide = material->nuclides[i];
		const struct tm_bench_point *low =
			&grid->tables[nuclide * grid->points + row[nuclide]];
		double way = fraction(low, draw->energy), density = material->densities[i];

		entries += row[nuclide];
		for (unsigned s = 0; s < TM_BENCH_SECTIONS; s++)
			sums[s] += density * (low[0].section[s] +
					      way * (low[1].section[s] - low[0].section[s]));
	}
	batch->checksum += tm_bench_lookup_mix(place, entries);
	for (unsigned s = 0; s < TM_BENCH_SECTIONS; s++)
		batch->sum += sums[s];
}

void tm_bench_lookups_seed(struct tm_bench_lookups *lookups, uint64_t seed, unsigned thread)
{
	/* Far from each other, and never 0. */
	uint64_t state = (seed + 1 + thread) * 0x9e3779b97f4a7c15ULL;

	*lookups = (struct tm_bench_lookups){ .state = state ? state : 1 };
	tm_bench_random(&lookups->state);
}

void tm_bench_lookups_begin(struct tm_bench_lookups *lookups)
{
	lookups->begun = lookups->state;
	lookups->count = lookups->checksum = lookups->batches = 0;
	lookups->nr_kept = 0;
}

void tm_bench_lookups_batch(struct tm_bench_lookups *lookups, const struct tm_bench_grid *grid,
			    unsigned nr)
{
	struct tm_bench_batch batch = { .state = lookups->state, .nr = nr };

	for (unsigned i = 0; i < nr; i++) {
		struct tm_bench_draw draw = tm_bench_draw(&lookups->state);

		look_up(grid, &draw, &batch);
	}
	lookups->count += nr;
	lookups->checksum += batch.checksum;
	/* The next that is kept: 0, then the powers of four. */
	if (lookups->nr_kept < TM_BENCH_KEPT &&
	    lookups->batches == (lookups->nr_kept ? 1ULL << 2 * (lookups->nr_kept - 1) : 0))
		lookups->kept[lookups->nr_kept++] = batch;
	lookups->batches++;
}
