/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory to measure with: asked for on certain nodes and of a certain page size, and afterwards
 * looked at, since the kernel gives something else without a word when it has no other.
 *
 * All of it is this process's own, and of the live machine.
 */
#ifndef TM_BENCH_MEMORY_H
#define TM_BENCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/idset.h"
#include "lib/sys/numa.h"

/* By which pages it is to be mapped. */
enum tm_bench_page {
	TM_BENCH_PAGE_USUAL,   /* as the settings of this machine have it */
	TM_BENCH_PAGE_BASE,    /* no huge pages: MADV_NOHUGEPAGE */
	TM_BENCH_PAGE_THP,     /* transparent huge pages: aligned to them, MADV_HUGEPAGE */
	TM_BENCH_PAGE_HUGETLB, /* from the pool of page_bytes */
};
#define TM_BENCH_PAGES (TM_BENCH_PAGE_HUGETLB + 1)

/* "usual", "base", "thp", "hugetlb"; NULL for none of them. */
const char *tm_bench_page_name(unsigned page);

struct tm_bench_want {
	size_t bytes;		      /* rounded up to whole pages */
	enum tm_policy policy;	      /* TM_POLICY_DEFAULT: none of its own */
	const struct tm_idset *nodes; /* NULL: the policy needs none */
	enum tm_bench_page page;
	uint64_t page_bytes; /* of hugetlb, a power of two */
	bool shared;	     /* shared anonymous memory */
};

struct tm_bench_memory {
	char *address;
	size_t bytes;
	struct tm_bench_want want; /* a copy; `nodes` is borrowed */
	void *mapping;		   /* with what the alignment cost */
	size_t mapping_bytes;
};

/*
 * Maps it and sets its policy; touches nothing. Errors: -ENOMEM (address space, or no room in the
 * pool), -EINVAL (no such huge pages, or the kernel knows not the policy or none of the nodes),
 * -EPERM. The memory is zeroed on failure, and tm_bench_memory_unmap harmless.
 */
int tm_bench_memory_map(struct tm_bench_memory *memory, const struct tm_bench_want *want,
			const struct tm_numa *numa, struct tm_error *err);
void tm_bench_memory_unmap(struct tm_bench_memory *memory);

/*
 * Touches every page of `bytes` from `start` on by writing a zero into it (`write`), or by reading.
 * From the thread that calls it, as first touch decides where memory lies.
 */
void tm_bench_touch(void *start, size_t bytes, size_t step, bool write);

/* Where memory lies, and in which pages. */
struct tm_bench_place {
	struct {
		int node;
		uint64_t bytes;
	} nodes[64]; /* sorted by node */
	size_t nr;
	uint64_t misplaced; /* bytes on other nodes than asked for */
	uint64_t unknown;   /* bytes that are not there, or nobody says where; or beyond 64 nodes */
	uint64_t huge;	    /* bytes in huge pages of page_bytes, by smaps */
	uint64_t page_bytes; /* of most of it: 0 where nothing says */
};

/*
 * Looks where every page lies, by move_pages(2), and at smaps for what pages it has: base pages,
 * transparent huge pages of the PMD's size, or hugetlb. 0 or -errno; -EOPNOTSUPP where the kernel
 * has no NUMA.
 */
int tm_bench_memory_look(const struct tm_bench_memory *memory, const struct tm_numa *numa,
			 struct tm_bench_place *place, struct tm_error *err);

/* The same for any mapping of this process. `nodes` NULL: anywhere is right. */
int tm_bench_look(const void *start, size_t bytes, uint64_t step, const struct tm_idset *nodes,
		  const struct tm_numa *numa, struct tm_bench_place *place, struct tm_error *err);

/* The size of transparent huge pages of the PMD, in bytes; 0: this machine has none. */
uint64_t tm_bench_pmd_bytes(void);

#endif
