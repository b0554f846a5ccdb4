/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dwell BYTES [cold|hot|shared|huge]...: memory of so many bytes that lies there until standard
 * input ends. For each line that it reads it prints how much of a thousand is on nodes 0 and 1:
 * "1000 0". hot: used all the time; shared: by a child too; huge: of huge pages where the kernel
 * gives them.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t page;

static void use(char *memory, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += page)
		((volatile char *)memory)[at]++;
}

/* By the kernel's own word. */
static int print_nodes(char *memory, size_t bytes)
{
	size_t nr = bytes / page, on[2] = { 0, 0 };
	void **pages = calloc(nr, sizeof(*pages));
	int *nodes = calloc(nr, sizeof(*nodes));

	if (!pages || !nodes)
		return 1;
	for (size_t i = 0; i < nr; i++)
		pages[i] = memory + i * page;
	if (syscall(SYS_move_pages, 0, nr, pages, NULL, nodes, 0))
		return 1;
	for (size_t i = 0; i < nr; i++)
		if (nodes[i] == 0 || nodes[i] == 1)
			on[nodes[i]]++;
	printf("%zu %zu\n", on[0] * 1000 / nr, on[1] * 1000 / nr);
	free(pages);
	free(nodes);
	return 0;
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	struct pollfd input = { .fd = 0, .events = POLLIN };
	bool hot = false, shared = false, huge = false;
	char *memory, line[64];

	for (int i = 2; i < argc; i++) {
		hot |= !strcmp(argv[i], "hot");
		shared |= !strcmp(argv[i], "shared");
		huge |= !strcmp(argv[i], "huge");
	}
	page = (size_t)sysconf(_SC_PAGESIZE);
	prctl(PR_SET_THP_DISABLE, !huge, 0, 0, 0);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE), -1, 0);
	if (!bytes || memory == MAP_FAILED)
		return 2;
	use(memory, bytes);
	if (shared && !fork()) {
		prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0);
		use(memory, bytes);
		pause();
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready\n");
	for (;;) {
		if (hot)
			use(memory, bytes);
		if (poll(&input, 1, hot ? 0 : -1) < 0)
			return 1;
		if (!input.revents)
			continue;
		if (read(0, line, sizeof(line)) <= 0)
			return 0;
		if (print_nodes(memory, bytes))
			return 1;
	}
}
