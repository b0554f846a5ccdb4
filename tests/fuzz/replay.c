/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a fuzz target over the inputs in tests/fuzz/corpus/NAME, where NAME is the program's own,
 * and prints TAP. An input that breaks the target ends the program, and with that the test.
 */
#include <dirent.h>
#include <errno.h>

#include "tests/fuzz/fuzz.h"

static int is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t size = 0, room = 1 << 20;
	uint8_t *data = malloc(room), *exact;

	if (!file || !data) {
		free(data);
		if (file)
			fclose(file);
		return -1;
	}
	size = fread(data, 1, room, file);
	fclose(file);
	/* Exactly as large as the input. */
	exact = realloc(data, size ? size : 1);
	if (!exact)
		exact = data;
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return 0;
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	struct dirent **entries = NULL;
	char folder[512], path[1024];
	int nr, failed = 0;

	(void)argc;
	snprintf(folder, sizeof(folder), "tests/fuzz/corpus/%s", name);
	nr = scandir(folder, &entries, is_input, alphasort);
	if (nr <= 0) {
		printf("1..1\nnot ok 1 - %s: %s\n", folder, nr ? strerror(errno) : "no inputs");
		free(entries);
		return 1;
	}
	printf("1..%d\n", nr);
	for (int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		printf("# %s\n", path);
		fflush(stdout); /* a crash then names its input */
		if (replay(path)) {
			failed = 1;
			printf("not ");
		}
		printf("ok %d - %s\n", i + 1, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return failed;
}
