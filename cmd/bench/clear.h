/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem bench clear`, between its parts. */
#ifndef CMD_BENCH_CLEAR_H
#define CMD_BENCH_CLEAR_H

#include "cmd/bench/bench.h"
#include "lib/bench/clear.h"

/* The figures, in the order of the kind's. */
enum clear_figure {
	CLEAR_MS_PER_GIB,
	CLEAR_MBPS,
	CLEAR_US_PER_PAGE,
	CLEAR_PAGES,
	CLEAR_PAGE_GOT,
	CLEAR_CHECKED,
};

#define CLEAR_SIZES 16

struct clear_request {
	bool user_space;
	bool verify; /* look at all of the memory, not at a sample */
	uint64_t page_sizes[CLEAR_SIZES];
	size_t nr_page_sizes;
	enum tm_bench_at at;
	uint64_t size; /* of the memory */
	unsigned threads;
};

/* clear-pool.c: sizes of huge pages that this machine has, rising. 0, -ENOTSUP, … */
int clear_list_sizes(const struct bench *b, uint64_t sizes[CLEAR_SIZES], size_t *nr,
		     struct tm_error *err);
/* Is there a pool of this size? */
bool clear_has_size(const struct bench *b, uint64_t page);
/*
 * Adds pages for `bytes` to the pool of a node (-1: of the machine). *pages: how many may be used
 * now, of the pool's free ones. 0; -ENOTSUP, with the reason, where there are none.
 */
int clear_fill_pool(struct bench *b, uint64_t page, int node, uint64_t bytes, uint64_t *pages,
		    struct tm_error *err);

/*
 * clear-case.c: measures a case that has its labels: of the loop, or with NULL of the kernel in
 * pages of this size. `bytes` in all; node -1: any.
 */
int clear_measure(struct bench *b, struct bench_case *c, const struct tm_bench_loop *loop,
		  uint64_t page, uint64_t bytes, int node, struct tm_error *err);

#endif
