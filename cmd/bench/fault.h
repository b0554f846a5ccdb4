/* SPDX-License-Identifier: GPL-2.0-only */
/* What `bench fault` and `bench cow` share, and the page sizes of `bench fault --each-size`. */
#ifndef CMD_BENCH_FAULT_H
#define CMD_BENCH_FAULT_H

#include "cmd/bench/bench.h"
#include "lib/bench/fault.h"
#include "lib/model/thp.h"

/* fault-passes.c */

/* The numbers of threads to measure with, into counts[2]: one and all, or those of --threads. */
size_t faults_threads(const struct bench *b, unsigned counts[2]);

/*
 * In the child, before threads are made: memory is of the nodes of --nodes. -ENOTSUP where there is
 * not so much of it.
 */
int faults_place(const struct bench *b, uint64_t bytes, struct tm_error *err);

/* A pass, as tm_bench_fault_pass. */
typedef int (*faults_pass)(void *context, struct tm_bench_faults *sum, struct tm_error *err);

/* Passes until the time of a repeat is over, at least one. */
int faults_repeat(const struct bench *b, faults_pass pass, void *context,
		  struct tm_bench_faults *sum, struct tm_error *err);

/* NaN for a division by nothing. */
double faults_ratio(uint64_t a, uint64_t b);

/* fault-sizes.c */

/* More than any kernel has: every order up to the largest. */
#define FAULT_SIZES 32

/* -ENOTSUP where this machine has no huge pages. */
int fault_sizes_read(const struct bench *b, struct tm_thp *thp, struct tm_error *err);

/* The base page, and every size that memory of this side can be given, into sizes. */
size_t fault_sizes_list(const struct tm_thp *thp, enum tm_thp_side side,
			uint64_t sizes[FAULT_SIZES]);

/* Applies settings by which memory of this side gets pages of this size, and no others. */
int fault_sizes_set(struct bench *b, const struct tm_thp *thp, enum tm_thp_side side,
		    uint64_t bytes, struct tm_error *err);

/* How often the kernel got a page of a size, and how often it did not. */
struct fault_tries {
	struct tm_num got, fell_back;
};

struct fault_tries fault_sizes_tries(const struct tm_root *root, enum tm_thp_side side,
				     uint64_t bytes);

/* What to say where a page size was asked for and is not what a fault brought; else "". */
void fault_sizes_note(uint64_t asked, double bytes_per_fault, const struct fault_tries *before,
		      const struct fault_tries *now, char *note, size_t size);

#endif
