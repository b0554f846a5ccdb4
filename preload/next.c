/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "preload/large.h"

struct next next_functions;
bool next_found;
static _Thread_local bool looking;

/* For what dlsym() may want meanwhile: some hundred bytes, on old releases. */
_Alignas(64) char early[EARLY_SIZE];
static size_t early_used;

static void look_up(void)
{
#define LOOK_UP(name, symbol) (*(void **)&next_functions.name = dlsym(RTLD_NEXT, symbol))
	LOOK_UP(malloc, "malloc");
	LOOK_UP(free, "free");
	LOOK_UP(calloc, "calloc");
	LOOK_UP(realloc, "realloc");
	LOOK_UP(memalign, "memalign");
	LOOK_UP(posix_memalign, "posix_memalign");
	LOOK_UP(aligned_alloc, "aligned_alloc");
	LOOK_UP(valloc, "valloc");
	LOOK_UP(pvalloc, "pvalloc");
	LOOK_UP(malloc_usable_size, "malloc_usable_size");
	LOOK_UP(mmap, "mmap64");
	LOOK_UP(mremap, "mremap");
#undef LOOK_UP
}

/* Several threads may do it at once: they find the same. */
const struct next *next_look_up(void)
{
	if (looking)
		return NULL;
	looking = true;
	look_up();
	looking = false;
	__atomic_store_n(&next_found, true, __ATOMIC_RELEASE);
	return &next_functions;
}

/* The size stands before it. */
void *early_alloc(size_t alignment, size_t size)
{
	size_t start, used = __atomic_load_n(&early_used, __ATOMIC_RELAXED), end;

	if (alignment < 2 * sizeof(size_t))
		alignment = 2 * sizeof(size_t);
	do {
		uintptr_t at = (uintptr_t)early + used + sizeof(size_t);

		start = ((at + alignment - 1) & ~(alignment - 1)) - (uintptr_t)early;
		if (size > EARLY_SIZE || start > EARLY_SIZE - size)
			return NULL;
		end = start + size;
	} while (!__atomic_compare_exchange_n(&early_used, &used, end, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	memcpy(early + start - sizeof(size_t), &size, sizeof(size));
	return early + start;
}

bool early_size(const void *p, size_t *size)
{
	const char *at = p;

	if (!is_early(p))
		return false;
	memcpy(size, at - sizeof(size_t), sizeof(*size));
	return true;
}
