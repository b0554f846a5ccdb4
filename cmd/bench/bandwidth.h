/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of `tiermem bench bandwidth` share. */
#ifndef CMD_BENCH_BANDWIDTH_H
#define CMD_BENCH_BANDWIDTH_H

#include "cmd/bench/bench.h"
#include "lib/bench/stream-team.h"

/* In the order of the kind's tables. */
enum bandwidth_label { BY_INITIATOR, BY_TARGET, BY_POLICY, BY_SCOPE, BY_KERNEL, BY_NONTEMPORAL };
enum bandwidth_metric { BANDWIDTH, THREADS, ARRAY };

/* A kernel, or a mix: what is done to memory. */
struct bandwidth_load {
	enum tm_bench_op op;
	unsigned reads, writes; /* arrays */
	char name[8];		/* "triad", "2:1" */
};

#define BANDWIDTH_LOADS (TM_BENCH_OPS + 16)

struct bandwidth_request {
	struct bandwidth_load loads[BANDWIDTH_LOADS];
	size_t nr_loads;
	bool usual, past; /* stores: through the caches, non-temporal */
	enum tm_bench_vector vector;
	enum tm_bench_page page;
	uint64_t size; /* of each array; 0: by the caches */
	bool interleave, weighted, compare;
	uint64_t cache; /* all last-level caches of the CPUs; 0: not known */
};

/* How the memory of a case is placed. */
struct bandwidth_way {
	const char *name;  /* label "policy" */
	const char *scope; /* "process", "regions"; NULL: nothing to tell apart */
	enum tm_policy policy;
	bool process;		      /* the policy of the whole process, not of the arrays */
	const struct tm_idset *nodes; /* NULL: wherever it comes */
	const unsigned *weights;      /* in the order of nodes: shares to look for; NULL: none */
};

/* bandwidth-size.c */

/* All last-level caches that the CPUs have, in bytes; 0: not known. */
uint64_t bandwidth_cache(const struct bench *b, const struct tm_idset *cpus);
/*
 * Bytes of each array. Where --size does not say, what is free on the nodes limits it: *limited. 0;
 * -ENOTSUP: there is no room.
 */
int bandwidth_size(const struct bench *b, const struct bandwidth_load *load,
		   const struct bandwidth_way *way, unsigned threads, uint64_t *bytes,
		   bool *limited, struct tm_error *err);

/* bandwidth-case.c */

/*
 * A new case with its labels. `initiator` below 0: CPUs of several nodes, or none. NULL: no
 * memory.
 */
struct bench_case *bandwidth_case_new(struct bench *b, long initiator,
				      const struct bandwidth_load *load, bool nontemporal,
				      const struct bandwidth_way *way);
/* The load on these CPUs, measured as a case of its own. 0 or -errno, as bench_measure. */
int bandwidth_measure(struct bench *b, long initiator, const struct tm_idset *cpus,
		      const struct bandwidth_load *load, bool nontemporal,
		      const struct bandwidth_way *way, struct tm_error *err);
/* Such a case that is not measured, and why. 0 or -ENOMEM. */
int bandwidth_refuse(struct bench *b, long initiator, const struct bandwidth_load *load,
		     bool nontemporal, const struct bandwidth_way *way, const char *reason,
		     struct tm_error *err);

/* bandwidth-nodes.c */

/* What each node gives, from the cases that were measured on it alone, into the result. */
int bandwidth_find_nodes(struct bench *b, struct tm_error *err);

/* bandwidth-compare.c: --compare-policies */
int bandwidth_compare_parse(const struct bench *b, struct tm_error *err);
int bandwidth_compare(struct bench *b, struct tm_error *err);
int bandwidth_compare_show(struct bench *b, struct tm_buf *text, struct tm_error *err);

/* Why weighted interleave cannot be had on the nodes, into *err; 0: it can. */
int bandwidth_weighted_here(const struct bench *b, const struct tm_idset *nodes,
			    struct tm_error *err);
/* The weights that are set, in the order of the nodes; the caller frees. NULL: not all known. */
unsigned *bandwidth_weights_now(const struct bench *b, const struct tm_idset *nodes);

#endif
