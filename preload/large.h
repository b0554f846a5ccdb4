/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libtiermem-large.so, which `tiermem run --large SIZE` preloads: anonymous mappings of SIZE and
 * above get a memory policy, everything else stays as it is. What the policy is stands in the
 * environment, so that children have it too:
 *
 *	TIERMEM_LARGE=weighted-interleave:0-1:16777216
 *
 * Without that, or where it is not of this form, the library does nothing. It must never break the
 * program: where the kernel refuses something, the memory is there all the same, without policy.
 */
#ifndef PRELOAD_LARGE_H
#define PRELOAD_LARGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define EXPORT __attribute__((visibility("default")))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Every malloc and free comes through here: what decides is inline, and reached without tables. */
#pragma GCC visibility push(hidden)

/* The functions that would have been called without this library. */
struct next {
	void *(*malloc)(size_t size);
	void (*free)(void *p);
	void *(*calloc)(size_t count, size_t size);
	void *(*realloc)(void *p, size_t size);
	void *(*memalign)(size_t alignment, size_t size);
	int (*posix_memalign)(void **p, size_t alignment, size_t size);
	void *(*aligned_alloc)(size_t alignment, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
	size_t (*malloc_usable_size)(void *p);
	void *(*mmap)(void *start, size_t len, int prot, int flags, int fd, off64_t offset);
	void *(*mremap)(void *start, size_t old_len, size_t len, int flags, ...);
};

/* next.c */
extern struct next next_functions;
extern bool next_found;
const struct next *next_look_up(void);

/* NULL while they are being looked up, which itself may allocate. */
static inline const struct next *next(void)
{
	return LIKELY(__atomic_load_n(&next_found, __ATOMIC_ACQUIRE)) ? &next_functions :
									next_look_up();
}

/* Memory for that time: never given back. */
#define EARLY_SIZE 16384
extern char early[EARLY_SIZE];
void *early_alloc(size_t alignment, size_t size);
/* Is it such memory, and how much of it? */
bool early_size(const void *p, size_t *size);

static inline bool is_early(const void *p)
{
	return (uintptr_t)p - (uintptr_t)early < EARLY_SIZE;
}

/* policy.c */
extern size_t large_size; /* 0: not known yet; SIZE_MAX: there is no policy */
bool policy_set_up(size_t len);

/* Is a mapping of this size large? The first call sets everything up. */
static inline bool policy_is_for(size_t len)
{
	size_t large = __atomic_load_n(&large_size, __ATOMIC_ACQUIRE);

	return UNLIKELY(len >= large) && (large || policy_set_up(len));
}

/* Is there a policy at all? */
static inline bool policy_is_set(void)
{
	size_t large = __atomic_load_n(&large_size, __ATOMIC_ACQUIRE);

	return large && large != SIZE_MAX;
}

/* Gives it to a mapping that nobody has touched yet. Safe in a signal handler; keeps errno. */
void policy_apply(void *start, size_t len);
/* Has the memory there got it? Safe in a signal handler; keeps errno. */
bool policy_is_at(const void *address);
/* This thread's own policy for a while: what is mapped and filled in one call. */
struct policy_saved {
	int mode; /* -1: nothing was changed */
	unsigned long nodes[16];
};
void policy_enter(struct policy_saved *saved);
void policy_leave(const struct policy_saved *saved);
/* Set as soon as there is a policy. */
extern size_t page_size;

/* To whole pages; 0 where that is too much. */
static inline size_t page_up(size_t size)
{
	return (size + page_size - 1) & ~(page_size - 1);
}

/*
 * blocks.c: allocations that are mapped on their own. They begin at a page, so that others are told
 * apart fast.
 */
extern size_t blocks_capacity; /* 0: there was none yet */
void blocks_init(void);

/* Nearly all other pointers are told by this alone. */
static inline bool may_be_block(const void *p)
{
	return p && !((uintptr_t)p & (page_size - 1)) &&
	       __atomic_load_n(&blocks_capacity, __ATOMIC_RELAXED);
}

/* NULL where there is no memory. `alignment` is a power of two. */
void *block_new(size_t alignment, size_t size);
/* Is it one, and how large? */
bool block_size(const void *p, size_t *size);
/* False where it is none. */
bool block_free(void *p);
/*
 * True where it is one: *p is what it became, NULL where there was no memory and it stays as it
 * was.
 */
bool block_resize(void **p, size_t size);

#pragma GCC visibility pop

#endif
