/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What TIERMEM_LARGE says, and the system calls that make it so. They are made directly: libnuma is
 * not for here.
 */
#include <ctype.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/large.h"

#define WORD_BITS (8 * sizeof(unsigned long))
#define MASK_BITS (16 * WORD_BITS)
#define GET_ADDRESS 2	  /* MPOL_F_ADDR */
#define MODE_FLAGS 0xe000 /* what the kernel adds to the mode */

/* glibc takes no larger threshold on 64 bits (DEFAULT_MMAP_THRESHOLD_MAX). */
#define THRESHOLD_MAX (4u * 1024 * 1024 * sizeof(long))

/* In the kernel's order, and with the names that lib/sys/numa.c has. */
static const char *const modes[] = {
	"default",	  "preferred",		"bind", "interleave", "local",
	"preferred-many", "weighted-interleave"
};

static int mode;
static unsigned long nodes[16];
size_t large_size;
size_t page_size = 1;
static bool setting_up;

static bool take_number(const char **text, unsigned long long *number)
{
	const char *s = *text;

	*number = 0;
	for (; isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, (unsigned long long)(*s - '0'), number))
			return false;
	if (s == *text)
		return false;
	*text = s;
	return true;
}

/* "0-1,3:" */
static bool take_nodes(const char **text)
{
	for (;;) {
		unsigned long long from, to;

		if (!take_number(text, &from))
			return false;
		to = from;
		if (**text == '-') {
			(*text)++;
			if (!take_number(text, &to))
				return false;
		}
		if (to < from || to >= MASK_BITS)
			return false;
		for (; from <= to; from++)
			nodes[from / WORD_BITS] |= 1UL << (from % WORD_BITS);
		if (**text != ',')
			return *(*text)++ == ':';
		(*text)++;
	}
}

static bool parse(const char *text, size_t *size)
{
	size_t len = strcspn(text, ":"), i = 0;
	unsigned long long bytes;

	while (i < sizeof(modes) / sizeof(modes[0]) &&
	       (strlen(modes[i]) != len || memcmp(modes[i], text, len)))
		i++;
	if (i == sizeof(modes) / sizeof(modes[0]) || !text[len])
		return false;
	mode = (int)i;
	text += len + 1;
	if (!take_nodes(&text) || !take_number(&text, &bytes) || *text || !bytes ||
	    bytes > PTRDIFF_MAX)
		return false;
	*size = (size_t)bytes;
	return true;
}

/*
 * The first allocation of the process comes here, mostly from the loader: before any constructor,
 * and before there are threads. What happens below may allocate: that is not large.
 */
bool policy_set_up(size_t len)
{
	size_t large = SIZE_MAX, size;
	const char *text;
	int threshold;

	/* So early that there is no environment yet: at the next time, then. */
	if (!environ || __atomic_test_and_set(&setting_up, __ATOMIC_ACQUIRE))
		return false;
	text = getenv("TIERMEM_LARGE");
	if (text && parse(text, &size) && next()) {
		page_size = (size_t)sysconf(_SC_PAGESIZE);
		blocks_init();
		/*
		 * malloc maps on its own what is above a threshold, which it moves as it goes.
		 * Pinned, all that is smaller than SIZE is kept in its heaps, as it would be in the
		 * long run.
		 */
		threshold = (int)(size < THRESHOLD_MAX ? size : THRESHOLD_MAX);
		mallopt(M_MMAP_THRESHOLD, threshold);
		mallopt(M_TRIM_THRESHOLD, 2 * threshold);
		large = size;
	}
	__atomic_store_n(&large_size, large, __ATOMIC_RELEASE);
	return len >= large;
}

void policy_apply(void *start, size_t len)
{
	int saved = errno;

	/* The kernel takes one bit fewer than it is told. */
	syscall(SYS_mbind, start, len, mode, nodes, MASK_BITS + 1, 0);
	errno = saved;
}

bool policy_is_at(const void *address)
{
	unsigned long has[16] = { 0 };
	int saved = errno, found = -1;
	long rc = syscall(SYS_get_mempolicy, &found, has, MASK_BITS + 1, address, GET_ADDRESS);

	errno = saved;
	return !rc && (found & ~MODE_FLAGS) == mode && !memcmp(has, nodes, sizeof(has));
}

void policy_enter(struct policy_saved *saved)
{
	int number = errno;

	memset(saved->nodes, 0, sizeof(saved->nodes));
	if (syscall(SYS_get_mempolicy, &saved->mode, saved->nodes, MASK_BITS + 1, NULL, 0) ||
	    syscall(SYS_set_mempolicy, mode, nodes, MASK_BITS + 1))
		saved->mode = -1;
	errno = number;
}

void policy_leave(const struct policy_saved *saved)
{
	int number = errno;
	bool any = false;

	for (size_t i = 0; i < sizeof(saved->nodes) / sizeof(saved->nodes[0]); i++)
		any |= saved->nodes[i] != 0;
	if (saved->mode >= 0)
		syscall(SYS_set_mempolicy, saved->mode, any ? saved->nodes : NULL,
			any ? MASK_BITS + 1 : 0);
	errno = number;
}
