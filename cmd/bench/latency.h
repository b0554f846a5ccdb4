/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of `tiermem bench latency`. */
#ifndef CMD_BENCH_LATENCY_H
#define CMD_BENCH_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/bench/bench.h"
#include "lib/bench/chase.h"
#include "lib/bench/team.h"

enum latency_metric { LATENCY_NS, LATENCY_BANDWIDTH, LATENCY_LOADS };

/* The pause of a case without load. */
#define LATENCY_IDLE UINT64_MAX

/* One case: what the parent chooses, and then what the child has. */
struct latency_case {
	const struct tm_numa *numa;
	const struct tm_idset *nodes; /* of the memory; NULL: this machine has no nodes */
	enum tm_policy policy;
	enum tm_bench_page page;
	uint64_t size, time_ns;
	int cpu;		     /* of the chase */
	const struct tm_idset *cpus; /* of all threads */
	bool loaded;		     /* a step of a curve; else bandwidth says nothing */
	uint64_t pause_ns; /* between bursts of the others; LATENCY_IDLE: they do nothing */
	unsigned loaders;
	/* The child's. */
	size_t line;
	struct tm_bench_memory memory, load;
	struct tm_bench_chase chase;
	struct tm_bench_team team;
	uint64_t chase_ns, chase_loads; /* of this repeat */
	struct tm_error *err;
};

/* latency-case.c: for struct bench_work. */
int latency_prepare(void *context, struct bench_slot *slot, struct tm_error *err);
int latency_measure(void *context, struct bench_slot *slot, struct tm_error *err);
/* Bytes for one thread to read, of a chase through `size`. */
uint64_t latency_load_bytes(uint64_t size, unsigned loaders);

/* latency-curve.c: latency by bandwidth, drawn, and as SVG into a file. 0 or -errno. */
int latency_curve_show(struct bench *b, struct tm_buf *text, struct tm_error *err);
int latency_curve_save(struct bench *b, const char *name, struct tm_error *err);

#endif
