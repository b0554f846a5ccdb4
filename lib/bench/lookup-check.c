/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Look-ups done again in the plain way: nothing of the union's rows is used, and the place in the
 * union is what the tables make it. So whatever is wrong with the rows, the search or the kernel
 * does not come out the same here.
 */
#include <errno.h>
#include <math.h>

#include "lib/bench/lookup.h"
#include "lib/bench/team.h"

/* How many entries of a nuclide's table are not above the energy. */
static uint64_t count_below(const struct tm_bench_grid *grid, unsigned nuclide, double energy)
{
	const struct tm_bench_point *table = &grid->tables[nuclide * grid->points];
	uint64_t low = 0, high = grid->points;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (table[middle].energy <= energy)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double value_at(const struct tm_bench_point *low, unsigned section, double energy)
{
	const struct tm_bench_point *high = low + 1;

	if (energy <= low->energy)
		return low->section[section];
	if (energy >= high->energy)
		return high->section[section];
	return (low->section[section] * (high->energy - energy) +
		high->section[section] * (energy - low->energy)) /
	       (high->energy - low->energy);
}

static void look_up_slowly(const struct tm_bench_grid *grid, const struct tm_bench_draw *draw,
			   struct tm_bench_batch *batch)
{
	const struct tm_bench_material *material = &grid->materials[draw->material];
	uint64_t below = 0, entries = 0;

	/* The union's points are the tables' entries. */
	for (unsigned nuclide = 0; nuclide < grid->nuclides; nuclide++)
		below += count_below(grid, nuclide, draw->energy);
	for (unsigned i = 0; i < material->nr; i++) {
		unsigned nuclide = material->nuclides[i];
		uint64_t entry = count_below(grid, nuclide, draw->energy);

		entry = entry ? TM_MIN(entry - 1, grid->points - 2) : 0;
		entries += entry;
		for (unsigned s = 0; s < TM_BENCH_SECTIONS; s++)
			batch->sum += material->densities[i] *
				      value_at(&grid->tables[nuclide * grid->points + entry], s,
					       draw->energy);
	}
	batch->checksum += tm_bench_lookup_mix(below ? below - 1 : 0, entries);
}

/* Sums that are taken in another order differ in their last digits. */
static int check_batch(const struct tm_bench_batch *kept, const struct tm_bench_grid *grid)
{
	struct tm_bench_batch slow = { .state = kept->state, .nr = kept->nr };
	uint64_t state = kept->state;

	for (unsigned i = 0; i < kept->nr; i++) {
		struct tm_bench_draw draw = tm_bench_draw(&state);

		look_up_slowly(grid, &draw, &slow);
	}
	return slow.checksum == kept->checksum && fabs(slow.sum - kept->sum) <= 1e-9 * slow.sum ?
		       0 :
		       -EIO;
}

int tm_bench_lookups_check(const struct tm_bench_lookups *lookups, const struct tm_bench_grid *grid,
			   struct tm_error *err)
{
	uint64_t state = lookups->begun;

	if (lookups->count && !lookups->nr_kept)
		return tm_error_set(err, EIO, "no look-ups were kept to be checked");
	for (size_t i = 0; i < lookups->nr_kept; i++)
		if (check_batch(&lookups->kept[i], grid))
			return tm_error_set(err, EIO, "%u look-ups came to %.17g, which is wrong",
					    lookups->kept[i].nr, lookups->kept[i].sum);
	for (uint64_t i = 0; i < lookups->count; i++)
		(void)tm_bench_draw(&state);
	if (state != lookups->state)
		return tm_error_set(err, EIO, "%llu look-ups were counted, and others were made",
				    (unsigned long long)lookups->count);
	return 0;
}
