/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/base/nearest.h"

#include <string.h>

#include "lib/base/compiler.h"

#define LONGEST_WORD 31

/* Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t d[LONGEST_WORD + 1][LONGEST_WORD + 1];

	for (size_t i = 0; i <= a_len; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= b_len; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		for (size_t j = 1; j <= b_len; j++) {
			size_t least = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			least = TM_MIN(least, d[i - 1][j] + 1);
			least = TM_MIN(least, d[i][j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				least = TM_MIN(least, d[i - 2][j - 2] + 1);
			d[i][j] = least;
		}
	}
	return d[a_len][b_len];
}

void tm_nearest_try(struct tm_nearest *nearest, const char *candidate)
{
	size_t len = strlen(candidate), distance;

	if (!nearest->len || nearest->len > LONGEST_WORD || len > LONGEST_WORD)
		return;
	/* A word that was only cut short counts as one slip. */
	if (len > nearest->len && !memcmp(candidate, nearest->word, nearest->len))
		distance = 1;
	else
		distance = edit_distance(nearest->word, nearest->len, candidate, len);
	if (distance > TM_MAX(nearest->len / 3, (size_t)1) || distance >= TM_MAX(nearest->len, len))
		return;
	if (!nearest->best || distance < nearest->distance) {
		nearest->best = candidate;
		nearest->distance = distance;
	}
}
