/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The allocations that are mapped on their own, in an open hash table: start → length. It lies in
 * mappings of its own, so that it needs no malloc.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/large.h"

struct block {
	uintptr_t start; /* 0: free */
	size_t len;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *table;
size_t blocks_capacity; /* a power of two */
static size_t count;

static void take_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void give_lock(void)
{
	pthread_mutex_unlock(&lock);
}

/* A child of a process with threads must find the table whole, and the lock free. */
void blocks_init(void)
{
	pthread_atfork(take_lock, give_lock, give_lock);
}

static void *map(size_t len)
{
	void *p =
		next()->mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static size_t home(uintptr_t start)
{
	return (size_t)((start / page_size) * 0x9e3779b97f4a7c15ULL >> 20) & (blocks_capacity - 1);
}

static struct block *find(const void *p)
{
	if (!blocks_capacity)
		return NULL;
	for (size_t i = home((uintptr_t)p);; i = (i + 1) & (blocks_capacity - 1)) {
		if (table[i].start == (uintptr_t)p)
			return &table[i];
		if (!table[i].start)
			return NULL;
	}
}

static void put(uintptr_t start, size_t len)
{
	size_t i = home(start);

	while (table[i].start)
		i = (i + 1) & (blocks_capacity - 1);
	table[i] = (struct block){ start, len };
	count++;
}

static size_t distance(size_t from, size_t to)
{
	return (to - from) & (blocks_capacity - 1);
}

/* Closes the gap, so that every search still ends at a free place. */
static void take_out(struct block *block)
{
	size_t gap = (size_t)(block - table);

	for (size_t i = gap;;) {
		i = (i + 1) & (blocks_capacity - 1);
		if (!table[i].start)
			break;
		/* It may move back to the gap, but not before its home. */
		if (distance(home(table[i].start), i) >= distance(gap, i)) {
			table[gap] = table[i];
			gap = i;
		}
	}
	table[gap].start = 0;
	count--;
}

/* Room for one more; never more than half full. */
static bool make_room(void)
{
	struct block *old = table, *grown;
	size_t old_capacity = blocks_capacity,
	       wanted = blocks_capacity ? 2 * blocks_capacity : 1024;

	if (2 * count < blocks_capacity)
		return true;
	grown = map(page_up(wanted * sizeof(*grown)));
	if (!grown)
		return false;
	table = grown;
	blocks_capacity = wanted;
	count = 0;
	for (size_t i = 0; i < old_capacity; i++)
		if (old[i].start)
			put(old[i].start, old[i].len);
	if (old)
		munmap(old, page_up(old_capacity * sizeof(*old)));
	return true;
}

/* At an address that is a multiple of the alignment, which is more than a page. */
static char *map_aligned(size_t alignment, size_t len)
{
	size_t extra = alignment - page_size, before;
	char *p, *start;

	if (len > PTRDIFF_MAX - extra)
		return NULL;
	p = map(len + extra);
	if (!p)
		return NULL;
	start = (char *)(((uintptr_t)p + extra) & ~(alignment - 1));
	before = (size_t)(start - p);
	if (before)
		munmap(p, before);
	if (extra > before)
		munmap(start + len, extra - before);
	return start;
}

void *block_new(size_t alignment, size_t size)
{
	size_t len = page_up(size);
	int saved = errno;
	bool kept;
	char *p;

	if (size > PTRDIFF_MAX)
		return NULL;
	p = alignment > page_size ? map_aligned(alignment, len) : map(len);
	if (!p)
		return NULL;
	policy_apply(p, len);
	take_lock();
	kept = make_room();
	if (kept)
		put((uintptr_t)p, len);
	give_lock();
	if (!kept) {
		munmap(p, len);
		return NULL;
	}
	errno = saved;
	return p;
}

bool block_size(const void *p, size_t *size)
{
	const struct block *block;

	take_lock();
	block = find(p);
	if (block)
		*size = block->len;
	give_lock();
	return block != NULL;
}

bool block_free(void *p)
{
	struct block *block;
	int saved = errno;
	size_t len = 0;

	take_lock();
	block = find(p);
	if (block) {
		len = block->len;
		take_out(block);
	}
	give_lock();
	if (!block)
		return false;
	/* Only now: as soon as it is unmapped, another thread may get the same address. */
	munmap(p, len);
	errno = saved;
	return true;
}

/* Under the lock, since the old address is another's as soon as the block has moved. */
bool block_resize(void **p, size_t size)
{
	size_t len = page_up(size);
	struct block *block;
	void *moved = NULL;

	take_lock();
	block = find(*p);
	if (block && block->len == len) {
		moved = *p;
	} else if (block && size <= PTRDIFF_MAX) {
		/* The policy goes along: it is the mapping's. */
		moved = next()->mremap(*p, block->len, len, MREMAP_MAYMOVE, NULL);
		if (moved == MAP_FAILED) {
			moved = NULL;
		} else {
			take_out(block);
			put((uintptr_t)moved, len);
		}
	}
	give_lock();
	if (!block)
		return false;
	*p = moved;
	return true;
}
