/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What repeated measurements of one counter come to: the middle, and how far they lie apart. Means
 * are not used: one run that was disturbed would move them.
 */
#ifndef TM_SAMPLE_SUMMARY_H
#define TM_SAMPLE_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

struct tm_summary {
	uint64_t median; /* of an even number of values half-way between the two, rounded down */
	uint64_t min, max;
	uint64_t deviation; /* the median of the distances to the median, not scaled */
};

/*
 * Of `nr` values in any order, all of whose 64 bits count. 0, -EINVAL where there are none, or
 * -ENOMEM.
 */
int tm_summary_make(const uint64_t *values, size_t nr, struct tm_summary *summary);

#endif
