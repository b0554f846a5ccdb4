/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pressure COLD BOUND: memory of COLD MiB that is used once, then BOUND MiB that must lie in node
 * 0, so that what is cold has to go. Prints "full"; after a line on standard input it gives back
 * what was bound and uses the rest again and again, until standard input ends.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MPOL_BIND 2
#define PAGE 4096

static char *map(size_t size)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return p;
}

static void use(char *p, size_t size)
{
	for (size_t i = 0; i < size; i += PAGE)
		((volatile char *)p)[i]++;
}

int main(int argc, char **argv)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	size_t cold_size, bound_size;
	unsigned long nodes = 1;
	char *cold, *bound, line[64];

	if (argc != 3)
		return 2;
	cold_size = strtoul(argv[1], NULL, 10) << 20;
	bound_size = strtoul(argv[2], NULL, 10) << 20;
	cold = map(cold_size);
	use(cold, cold_size);
	bound = map(bound_size);
	if (syscall(SYS_mbind, bound, bound_size, MPOL_BIND, &nodes, 8 * sizeof(nodes), 0)) {
		perror("mbind");
		return 1;
	}
	use(bound, bound_size);
	printf("full\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 0;
	munmap(bound, bound_size);
	while (poll(&input, 1, 0) == 0)
		use(cold, cold_size);
	return 0;
}
