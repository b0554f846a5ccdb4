/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The malloc family. It maps large allocations within the C library, where nobody can step in, and
 * may also serve them from a heap: so they are mapped here, and known again when they are given
 * back.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/large.h"

static bool is_power(size_t n)
{
	return n && !(n & (n - 1));
}

/* NULL: not large, or there is no memory for it on its own. */
static void *try_block(size_t alignment, size_t size)
{
	if (!policy_is_for(size) || !is_power(alignment))
		return NULL;
	return block_new(alignment, size);
}

EXPORT void *malloc(size_t size)
{
	void *p = try_block(1, size);

	if (p)
		return p;
	return next() ? next()->malloc(size) : early_alloc(1, size);
}

EXPORT void *calloc(size_t count, size_t size)
{
	size_t bytes;
	bool fits = !__builtin_mul_overflow(count, size, &bytes);
	/* New mappings are zero. */
	void *p = fits ? try_block(1, bytes) : NULL;

	if (p)
		return p;
	if (next())
		return next()->calloc(count, size);
	return fits ? early_alloc(1, bytes) : NULL;
}

EXPORT void free(void *p)
{
	if (UNLIKELY(may_be_block(p)) && block_free(p))
		return;
	if (LIKELY(next() && !is_early(p)))
		next()->free(p);
}

/* Ends up where an allocation of the new size belongs. `size` is that of the old one. */
static void *move(void *old, size_t old_size, size_t size)
{
	void *p = malloc(size);

	if (!p)
		return NULL;
	memcpy(p, old, old_size < size ? old_size : size);
	free(old);
	return p;
}

static void *resize_block(void *p, size_t old_size, size_t size)
{
	void *moved = p;

	if (!size) {
		free(p);
		return NULL;
	}
	if (!policy_is_for(size)) {
		moved = move(p, old_size, size);
		/* Making it smaller does not fail. */
		return moved ? moved : p;
	}
	if (block_resize(&moved, size) && moved)
		return moved;
	errno = ENOMEM;
	return NULL;
}

EXPORT void *realloc(void *p, size_t size)
{
	size_t old_size;
	void *moved;

	if (!p)
		return malloc(size);
	if (UNLIKELY(may_be_block(p)) && block_size(p, &old_size))
		return resize_block(p, old_size, size);
	if (early_size(p, &old_size))
		return move(p, old_size, size);
	if (!next())
		return NULL;
	/*
	 * One that becomes large: copied into its own mapping, as its pages would stay where they
	 * are.
	 */
	if (policy_is_for(size) && next()->malloc_usable_size) {
		moved = block_new(1, size);
		if (moved) {
			old_size = next()->malloc_usable_size(p);
			memcpy(moved, p, old_size < size ? old_size : size);
			next()->free(p);
			return moved;
		}
	}
	return next()->realloc(p, size);
}

EXPORT void *reallocarray(void *p, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

EXPORT void *memalign(size_t alignment, size_t size)
{
	void *p = try_block(alignment, size);

	if (p)
		return p;
	return next() ? next()->memalign(alignment, size) : early_alloc(alignment, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	void *p = try_block(alignment, size);

	if (p)
		return p;
	return next() ? next()->aligned_alloc(alignment, size) : early_alloc(alignment, size);
}

EXPORT int posix_memalign(void **p, size_t alignment, size_t size)
{
	void *block = alignment % sizeof(void *) ? NULL : try_block(alignment, size);

	if (block) {
		*p = block;
		return 0;
	}
	return next() ? next()->posix_memalign(p, alignment, size) : ENOMEM;
}

EXPORT void *valloc(size_t size)
{
	void *p = try_block(1, size);

	if (p)
		return p;
	return next() ? next()->valloc(size) : NULL;
}

EXPORT void *pvalloc(size_t size)
{
	/* It is for whole pages; before the set-up nothing is large. */
	void *p = try_block(1, policy_is_set() ? page_up(size) : size);

	if (p)
		return p;
	return next() ? next()->pvalloc(size) : NULL;
}

EXPORT size_t malloc_usable_size(void *p)
{
	size_t size;

	if (!p)
		return 0;
	if ((may_be_block(p) && block_size(p, &size)) || early_size(p, &size))
		return size;
	return next() && next()->malloc_usable_size ? next()->malloc_usable_size(p) : 0;
}

/* C23; a C library that has them frees within itself, where our blocks are unknown. */
EXPORT void free_sized(void *p, size_t size);
EXPORT void free_sized(void *p, size_t size)
{
	(void)size;
	free(p);
}

EXPORT void free_aligned_sized(void *p, size_t alignment, size_t size);
EXPORT void free_aligned_sized(void *p, size_t alignment, size_t size)
{
	(void)alignment;
	(void)size;
	free(p);
}
