/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams of several threads at the same time, each through its own part of the same arrays.
 *
 *	tm_bench_streams_start → tm_bench_streams_run … → tm_bench_streams_check → …_end
 */
#ifndef TM_BENCH_STREAM_TEAM_H
#define TM_BENCH_STREAM_TEAM_H

#include "lib/bench/memory.h"
#include "lib/bench/stream.h"
#include "lib/bench/team.h"

struct tm_bench_streams_want {
	enum tm_bench_op op;
	unsigned reads, writes; /* of a mix */
	enum tm_bench_vector vector;
	bool nontemporal;
	uint64_t array_bytes; /* of each array; cut to whole pages for each thread */
	unsigned threads;
	const struct tm_idset *cpus; /* NULL: any */
	enum tm_policy policy;	     /* of the arrays; TM_POLICY_DEFAULT: the process's */
	const struct tm_idset *nodes;
	enum tm_bench_page page;
};

/* One thread's. */
struct tm_bench_streams_part {
	struct tm_bench_stream stream;
	struct tm_error error; /* of the check */
};

struct tm_bench_streams {
	struct tm_bench_memory memory[TM_BENCH_ARRAYS];
	unsigned nr; /* arrays */
	struct tm_bench_streams_part *parts;
	struct tm_bench_team team;
};

/* The least array_bytes: a page for each thread. */
uint64_t tm_bench_streams_least(unsigned threads);

/*
 * Maps the arrays; each thread fills its part (which is the first touch), and goes through it once
 * to warm up. Errors: of tm_bench_memory_map, tm_bench_team_start and tm_bench_stream_init.
 */
int tm_bench_streams_start(struct tm_bench_streams *streams,
			   const struct tm_bench_streams_want *want, const struct tm_numa *numa,
			   struct tm_error *err);
void tm_bench_streams_end(struct tm_bench_streams *streams);

/* Where all arrays lie. As tm_bench_memory_look. */
int tm_bench_streams_look(const struct tm_bench_streams *streams, const struct tm_numa *numa,
			  struct tm_bench_place *place, struct tm_error *err);

/* Streams for `ns`, from where it was. The amounts of the outcome are bytes. 0 or -errno. */
int tm_bench_streams_run(struct tm_bench_streams *streams, uint64_t ns,
			 struct tm_bench_outcome *outcome);

/* Has every thread done what was counted? -EIO: the text says which word is wrong. */
int tm_bench_streams_check(struct tm_bench_streams *streams, struct tm_error *err);

#endif
