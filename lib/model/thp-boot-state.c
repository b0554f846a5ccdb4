/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/model/thp-boot-state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/units.h"

#define LITTLE_MEMORY (UINT64_C(512) << 20)

const char *const tm_thp_policies[2][6] = {
	[TM_THP_ANON] = { "always", "madvise", "inherit", "never" },
	[TM_THP_SHMEM] = { "always", "advise", "within_size", "inherit", "never" },
};

bool tm_thp_little_memory(const struct tm_thp_kernel *kernel)
{
	return tm_num_is(&kernel->memory) && kernel->memory.value < LITTLE_MEMORY;
}

void tm_thp_boot_state_release(struct tm_thp_boot_state *state)
{
	free(state->sizes);
	*state = (struct tm_thp_boot_state){ 0 };
}

static const char *word_of(const struct tm_setting *setting)
{
	return setting && setting->value.state == TM_KNOWN ? setting->value.value : NULL;
}

int tm_thp_boot_now(const struct tm_thp *thp, struct tm_thp_boot_state *state)
{
	*state = (struct tm_thp_boot_state){
		.enabled = word_of(tm_thp_top(thp, "enabled")),
		.shmem = word_of(tm_thp_top(thp, "shmem")),
		.sizes = calloc(thp->nr_sizes + 1, sizeof(*state->sizes)),
		.nr_sizes = thp->nr_sizes,
	};
	if (!state->sizes)
		return -ENOMEM;
	for (size_t i = 0; i < thp->nr_sizes; i++)
		state->sizes[i] = (struct tm_thp_boot_size){ thp->sizes[i].kib,
							     word_of(&thp->sizes[i].enabled),
							     word_of(&thp->sizes[i].shmem) };
	return 0;
}

long tm_thp_pmd(const struct tm_thp *thp, const struct tm_thp_boot_state *state)
{
	if (tm_num_is(&thp->pmd_bytes))
		return (long)(thp->pmd_bytes.value >> 10);
	for (size_t i = state->nr_sizes; i-- > 0;)
		if (state->sizes[i].enabled)
			return state->sizes[i].kib;
	return 0;
}

/* Sizes as a kernel of this page size has them: two pages (shared only) up to the PMD size. */
static int assume_sizes(const struct tm_thp *thp, struct tm_thp_boot_state *state)
{
	uint64_t page = thp->page_bytes >= 4096 ? thp->page_bytes : 4096;
	uint64_t pmd = tm_num_is(&thp->pmd_bytes) ? thp->pmd_bytes.value : page * (page / 8);

	state->assumed = true;
	state->sizes = calloc(64, sizeof(*state->sizes));
	if (!state->sizes)
		return -ENOMEM;
	for (uint64_t bytes = page * 2; bytes <= pmd && state->nr_sizes < 32; bytes *= 2)
		state->sizes[state->nr_sizes++] =
			(struct tm_thp_boot_size){ (long)(bytes >> 10),
						   bytes > page * 2 ? "never" : NULL, "never" };
	return 0;
}

int tm_thp_boot_start(const struct tm_thp_kernel *kernel, struct tm_thp_boot_state *state)
{
	const struct tm_thp *thp = kernel->thp;
	bool known = thp->nr_sizes != 0;
	bool old = kernel->version && kernel->version < TM_THP_VERSION(6, 8);
	int rc = known || old ? tm_thp_boot_now(thp, state) : assume_sizes(thp, state);
	long pmd;

	if (rc)
		return rc;
	state->enabled = state->shmem = NULL;
	pmd = tm_thp_pmd(thp, state);
	for (size_t i = 0; i < state->nr_sizes; i++) {
		struct tm_thp_boot_size *size = &state->sizes[i];

		/* A file that cannot be read is there all the same. */
		if (size->enabled ||
		    (!state->assumed && thp->sizes[i].enabled.value.state != TM_ABSENT))
			size->enabled = size->kib == pmd ? "inherit" : "never";
		if (size->shmem ||
		    (!state->assumed && thp->sizes[i].shmem.value.state != TM_ABSENT))
			size->shmem = size->kib == pmd ? "inherit" : "never";
	}
	return 0;
}

void tm_thp_add_kib(struct tm_buf *buf, long kib)
{
	char size[TM_UNITS_MAX];

	tm_buf_adds(buf, tm_format_bytes(size, (uint64_t)kib << 10));
}

/* "16K-64K" for sizes that follow each other; the first and the last index, last excluded. */
static void add_run(struct tm_buf *buf, const struct tm_thp_boot_size *sizes, size_t from,
		    size_t to)
{
	tm_thp_add_kib(buf, sizes[from].kib);
	if (to - from > 1) {
		tm_buf_addc(buf, '-');
		tm_thp_add_kib(buf, sizes[to - 1].kib);
	}
}

bool tm_thp_add_ranges(struct tm_buf *buf, const struct tm_thp_boot_size *sizes, size_t nr,
		       const char *const *words, const char *word)
{
	size_t i = 0;
	bool any = false;

	while (i < nr) {
		size_t from = i++;

		if (!words[from] || strcmp(words[from], word))
			continue;
		while (i < nr && words[i] && !strcmp(words[i], word) &&
		       sizes[i].kib == 2 * sizes[i - 1].kib)
			i++;
		if (any)
			tm_buf_addc(buf, ',');
		add_run(buf, sizes, from, i);
		any = true;
	}
	return any;
}
