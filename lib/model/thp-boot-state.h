/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What explaining a command line and making one share. Internal to lib/model. */
#ifndef TM_MODEL_THP_BOOT_STATE_H
#define TM_MODEL_THP_BOOT_STATE_H

#include "lib/model/thp-boot.h"

#define TM_THP_VERSION(major, minor) ((major) << 16 | (minor) << 8)

/* The policies of a side, in the order in which they are said; ends with NULL. */
extern const char *const tm_thp_policies[2][6];

/* What a kernel that is told nothing starts with. 0 or -ENOMEM. */
int tm_thp_boot_start(const struct tm_thp_kernel *kernel, struct tm_thp_boot_state *state);

/* The word of one side of a size; NULL: it has none. */
static inline const char *tm_thp_said(const struct tm_thp_boot_size *size, enum tm_thp_side side)
{
	return side == TM_THP_ANON ? size->enabled : size->shmem;
}

/*
 * KiB of the size that a page middle directory's entry maps: where the machine does not say, the
 * largest for anonymous memory; 0: unknown.
 */
long tm_thp_pmd(const struct tm_thp *thp, const struct tm_thp_boot_state *state);

/* mm/huge_memory.c: with this little memory the kernel starts with "never". */
bool tm_thp_little_memory(const struct tm_thp_kernel *kernel);

void tm_thp_add_kib(struct tm_buf *buf, long kib);

/*
 * Adds the sizes that have this word, as "16K-64K,2M". `words` has one (or NULL) for each of the
 * `nr` sizes. False: none has it.
 */
bool tm_thp_add_ranges(struct tm_buf *buf, const struct tm_thp_boot_size *sizes, size_t nr,
		       const char *const *words, const char *word);

#endif
