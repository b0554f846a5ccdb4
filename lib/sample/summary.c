/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_values(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Of values that rise. */
static uint64_t middle(const uint64_t *sorted, size_t nr)
{
	uint64_t low = sorted[(nr - 1) / 2], high = sorted[nr / 2];

	return low + (high - low) / 2;
}

int tm_summary_make(const uint64_t *values, size_t nr, struct tm_summary *summary)
{
	struct tm_summary made;
	uint64_t *sorted;

	if (!nr)
		return -EINVAL;
	sorted = reallocarray(NULL, nr, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, values, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), compare_values);
	made.min = sorted[0];
	made.max = sorted[nr - 1];
	made.median = middle(sorted, nr);
	for (size_t i = 0; i < nr; i++)
		sorted[i] = sorted[i] > made.median ? sorted[i] - made.median :
						      made.median - sorted[i];
	qsort(sorted, nr, sizeof(*sorted), compare_values);
	made.deviation = middle(sorted, nr);
	free(sorted);
	*summary = made;
	return 0;
}
