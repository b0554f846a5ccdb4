/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem bench migrate`, between its parts. */
#ifndef CMD_BENCH_MIGRATE_H
#define CMD_BENCH_MIGRATE_H

#include "cmd/bench/bench.h"

/* The figures, in the order of the kind's. */
enum migrate_figure {
	MIGRATE_PAGES_PER_SECOND,
	MIGRATE_MOVED,
	MIGRATE_FAILED,
	MIGRATE_RETRIED,
	MIGRATE_SHOOTDOWNS,
	MIGRATE_IPIS,
	MIGRATE_FLUSHES_ALL,
	MIGRATE_FLUSHES_RANGE,
	MIGRATE_FLUSHES_ONE,
	MIGRATE_DEFERRED,
	MIGRATE_FORCED,
	MIGRATE_READS,
};

#define MIGRATE_BATCHES 16

struct migrate_request {
	uint64_t size;
	bool written; /* else read-only */
	uint64_t batches[MIGRATE_BATCHES];
	size_t nr_batches;
	int from, to; /* nodes */
	int mover_cpu;
	unsigned readers;
	struct tm_idset reader_cpus; /* empty: there are no readers */
};

/* migrate-case.c: measures a case that has its labels. */
int migrate_measure(struct bench *b, struct bench_case *c, uint64_t batch, struct tm_error *err);

#endif
