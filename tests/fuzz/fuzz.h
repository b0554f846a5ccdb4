/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the fuzz targets share. A target is a libFuzzer program, or replays its corpus (replay.c).
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A claim that no input may break; as assert, but never compiled out. */
#define CHECK(claim)                                                                        \
	do {                                                                                \
		if (!(claim)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim); \
			abort();                                                            \
		}                                                                           \
	} while (0)

/*
 * The input as text: a copy with a NUL, in memory of its own, so that sanitizers see a byte too
 * far. What follows a NUL in the input is unreachable, as it is for the functions that take text.
 */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	CHECK(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
