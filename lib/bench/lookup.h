/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Table look-ups as Monte Carlo particle transport makes them. Each nuclide has a table of five
 * cross-sections at certain energies of its own. The energies of all nuclides, sorted, are the
 * union; each of its points has a row that tells for every nuclide which entry of its table
 * applies. A look-up of a random energy in a random material is one binary search in the union, and
 * then for each nuclide of the material two neighbouring entries of its table, between which is
 * interpolated. Hardly anything of this is in a cache, and no prefetcher knows what comes next.
 *
 * Tables and look-ups follow from the seed alone. Some look-ups are kept and done again slowly,
 * without union and rows; a kernel that leaves out any part of the work is noticed.
 */
#ifndef TM_BENCH_LOOKUP_H
#define TM_BENCH_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

#define TM_BENCH_SECTIONS 5
#define TM_BENCH_MATERIALS 8
#define TM_BENCH_NUCLIDES_MAX 1024

/* An entry of a nuclide's table. */
struct tm_bench_point {
	double energy;
	double section[TM_BENCH_SECTIONS];
};

/* What it consists of. */
struct tm_bench_material {
	const uint16_t *nuclides;
	const double *densities;
	unsigned nr;
};

struct tm_bench_grid {
	unsigned nuclides;
	uint64_t points; /* of each nuclide's table, at least 2 */
	uint64_t unions; /* points of the union: of all tables together */
	/* In the memory that is measured. */
	double *energies;	       /* of the union */
	uint32_t *rows;		       /* of each point of the union, an index for each nuclide */
	struct tm_bench_point *tables; /* one nuclide's after the other's */
	/* Small, and always in caches. */
	uint16_t *order;   /* all nuclides; each material has some in a row of them */
	double *densities; /* in the same order */
	struct tm_bench_material materials[TM_BENCH_MATERIALS];
};

/* How much memory a grid takes; 0: none can be so large. */
uint64_t tm_bench_grid_bytes(unsigned nuclides, uint64_t points);

/* The most points with which it takes at most so many bytes; 0: not even two fit. */
uint64_t tm_bench_grid_points(unsigned nuclides, uint64_t bytes);

/* Fills `memory` (of tm_bench_grid_bytes, aligned to a line). 0, -EINVAL or -ENOMEM. */
int tm_bench_grid_build(struct tm_bench_grid *grid, void *memory, unsigned nuclides,
			uint64_t points, uint64_t seed, struct tm_error *err);
void tm_bench_grid_release(struct tm_bench_grid *grid);

/* Look-ups that are done between two looks at the time. */
#define TM_BENCH_BATCH 64
/* Batches 0, 1, 4, 16, 64, … of each run are kept. */
#define TM_BENCH_KEPT 16

/* What a batch came to. */
struct tm_bench_batch {
	uint64_t state;	   /* of the random numbers before it */
	unsigned nr;	   /* look-ups */
	uint64_t checksum; /* of the places that were looked up */
	double sum;	   /* of all cross-sections */
};

/* One thread's look-ups of one run. No two share a line. */
struct tm_bench_lookups {
	_Alignas(64) uint64_t state; /* of the random numbers */
	uint64_t begun;		     /* as it was at the run's beginning */
	uint64_t count;
	uint64_t checksum; /* the same for the same seed and count, on any machine */
	uint64_t batches;
	struct tm_bench_batch kept[TM_BENCH_KEPT];
	size_t nr_kept;
};

/* The run's beginning. Each thread's numbers are others; the next run goes on with them. */
void tm_bench_lookups_seed(struct tm_bench_lookups *lookups, uint64_t seed, unsigned thread);
void tm_bench_lookups_begin(struct tm_bench_lookups *lookups);

/* Does `nr` look-ups, a batch or less. */
void tm_bench_lookups_batch(struct tm_bench_lookups *lookups, const struct tm_bench_grid *grid,
			    unsigned nr);

/*
 * lookup-check.c: was it all done? As many random numbers must have been drawn as `count` needs,
 * and what was kept must be what the slow way gives. 0 or -EIO, with the text.
 */
int tm_bench_lookups_check(const struct tm_bench_lookups *lookups, const struct tm_bench_grid *grid,
			   struct tm_error *err);

/* A look-up's random numbers, for both ways. */
struct tm_bench_draw {
	double energy; /* from 0 to below 1 */
	unsigned material;
};
struct tm_bench_draw tm_bench_draw(uint64_t *state);

/* What a look-up adds to the checksum. */
static inline uint64_t tm_bench_lookup_mix(uint64_t place, uint64_t entries)
{
	return (place * 0x9e3779b97f4a7c15ULL) ^ (entries * 0xd1b54a32d192ed03ULL);
}

#endif
