/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The word that was perhaps meant by a misspelt one. */
#ifndef TM_BASE_NEAREST_H
#define TM_BASE_NEAREST_H

#include <stddef.h>

/* Start with .word and .len, try each candidate, and look at .best. */
struct tm_nearest {
	const char *word;
	size_t len;
	const char *best; /* NULL: nothing is near enough to be meant */
	size_t distance;
};

void tm_nearest_try(struct tm_nearest *nearest, const char *candidate);

#endif
