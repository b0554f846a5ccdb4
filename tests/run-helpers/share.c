/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * share BYTES [COMMAND...]: maps so much shared anonymous memory, writes to every page, and runs
 * the command, if any, while it lasts. Exits with the command's code.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t bytes = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory;
	pid_t child;
	int status;

	if (!bytes)
		return 2;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 2;
	for (size_t at = 0; at < bytes; at += page)
		memory[at] = 1;
	if (argc < 3)
		return 0;
	child = fork();
	if (!child) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 2;
	return WEXITSTATUS(status);
}
