/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spread BYTES [populate]: touches an array of so many bytes (or maps it and has the kernel fill it
 * at once), and prints how many of its pages are on each node, as in "0 50000", and on which node
 * text, stack and a small allocation are.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NODES 64

static void print_one(const char *what, void *address)
{
	int node = -1;

	syscall(SYS_move_pages, 0, 1UL, &address, NULL, &node, 0);
	printf("%s %d\n", what, node);
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 1 ? strtoull(argv[1], NULL, 0) : 0, counts[NODES] = { 0 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE), nr = bytes / page, elsewhere = 0;
	/* Huge pages would be too few to tell a ratio by. */
	int set = prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	char *array = argc > 2 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) :
				 malloc(bytes);
	char *small = malloc(100);
	void **pages = calloc(nr, sizeof(*pages));
	int *nodes = calloc(nr, sizeof(*nodes)), here = 0;

	if (set || !nr || !array || array == MAP_FAILED || !small || !pages || !nodes)
		return 2;
	memset(array, 1, bytes);
	*small = 1;
	for (size_t i = 0; i < nr; i++)
		pages[i] = array + i * page;
	if (syscall(SYS_move_pages, 0, nr, pages, NULL, nodes, 0)) {
		perror("move_pages");
		return 1;
	}
	for (size_t i = 0; i < nr; i++) {
		if (nodes[i] >= 0 && nodes[i] < NODES)
			counts[nodes[i]]++;
		else
			elsewhere++;
	}
	for (int i = 0; i < NODES; i++)
		if (counts[i])
			printf("%d %zu\n", i, counts[i]);
	if (elsewhere)
		printf("? %zu\n", elsewhere);
	print_one("text", (void *)(uintptr_t)main);
	print_one("stack", &here);
	print_one("small", small);
	return 0;
}
