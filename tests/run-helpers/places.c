/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * places SIZE: makes memory of every kind, most of it SIZE bytes large, and prints which policy and
 * nodes the kernel has for each: "malloc weighted-interleave 0-1".
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BITS 1024

static size_t size, page;

static void print_place(const char *what, const void *address)
{
	static const char *const modes[] = {
		"default",	  "preferred",		"bind", "interleave", "local",
		"preferred-many", "weighted-interleave"
	};
	unsigned long mask[BITS / (8 * sizeof(unsigned long))] = { 0 };
	const char *comma = " ";
	int mode;

	if (!address || address == MAP_FAILED) {
		printf("%s: %s\n", what, strerror(errno));
		return;
	}
	if (syscall(SYS_get_mempolicy, &mode, mask, BITS + 1, address, 2)) {
		printf("%s get_mempolicy: %s\n", what, strerror(errno));
		return;
	}
	mode &= 0x1fff;
	printf("%s %s", what, mode < 7 ? modes[mode] : "?");
	for (unsigned id = 0; id < BITS; id++) {
		if (!(mask[id / (8 * sizeof(*mask))] >> id % (8 * sizeof(*mask)) & 1))
			continue;
		printf("%s%u", comma, id);
		comma = ",";
	}
	printf("\n");
}

static void *fill(void *p, size_t len)
{
	if (p && p != MAP_FAILED)
		memset(p, 1, len);
	return p;
}

static void *map(size_t len, int flags)
{
	return fill(mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1,
			 0),
		    len);
}

static void *thread(void *name)
{
	char here = 0;

	print_place(name, &here);
	return NULL;
}

static void print_heap(void)
{
	char *p, *q;

	print_place("small", fill(malloc(100), 100));
	print_place("below", fill(malloc(size - 1), size - 1));
	print_place("malloc", fill(malloc(size), size));
	print_place("calloc", fill(calloc(size / 8, 8), size));
	print_place("memalign", fill(memalign(64 * page, size), size));
	print_place("aligned_alloc", fill(aligned_alloc(page, size), size));
	print_place("valloc", fill(valloc(size), size));
	print_place("pvalloc", fill(pvalloc(size - 1), size));
	p = NULL;
	if (posix_memalign((void **)&p, 2 * page, size))
		p = NULL;
	print_place("posix_memalign", fill(p, size));
	/* From small to large and back. */
	p = fill(malloc(1000), 1000);
	p = realloc(p, size);
	print_place("realloc", fill(p, size));
	p = realloc(p, 4 * size);
	print_place("realloc-larger", fill(p, 4 * size));
	print_place("realloc-larger-end", p ? p + 4 * size - 1 : NULL);
	p = realloc(p, 1000);
	print_place("realloc-small", p);
	q = reallocarray(NULL, size / 8, 8);
	print_place("reallocarray", fill(q, size));
}

static void print_maps(void)
{
	char *p, *large = map(size, 0);
	int fd = open("/proc/self/exe", O_RDONLY);

	print_place("mmap", large);
	print_place("mmap-below", map(size - page, 0));
	print_place("mmap-populate", map(size, MAP_POPULATE));
	print_place("mmap-shared",
		    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
	print_place("mmap-stack", map(size, MAP_STACK));
	print_place("mmap-file", mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0));
	close(fd);
	/* Pieces put into a large mapping, and one put beside it. */
	print_place("fixed-piece", mmap(large + page, page, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	p = mmap(NULL, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	print_place("fixed-beside", mmap(p, page, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	p = mremap(large, size, 2 * size, MREMAP_MAYMOVE);
	print_place("mremap-larger-end", p == MAP_FAILED ? NULL : p + 2 * size - 1);
	p = mremap(map(size - page, 0), size - page, size, MREMAP_MAYMOVE);
	print_place("mremap-becomes-large", p);
}

int main(int argc, char **argv)
{
	pthread_t t;
	int here = 0;

	if (argc != 2 || !(size = strtoull(argv[1], NULL, 0)))
		return 2;
	page = (size_t)sysconf(_SC_PAGESIZE);
	setvbuf(stdout, NULL, _IONBF, 0);
	print_place("text", (const void *)(uintptr_t)main);
	print_place("data", &size);
	print_place("stack", &here);
	if (!pthread_create(&t, NULL, thread, "thread-stack"))
		pthread_join(t, NULL);
	print_heap();
	print_maps();
	if (!fork()) {
		print_place("child-malloc", fill(malloc(size), size));
		_exit(0);
	}
	wait(NULL);
	return 0;
}
