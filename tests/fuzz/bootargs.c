/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any text as a kernel's command line: each word about huge pages gets a fate and a reason, what
 * they come to are words that the kernel has, and the words that are made for that come to the
 * same. The first byte chooses the kernel.
 */
#include "lib/model/thp-boot.h"
#include "tests/fuzz/fuzz.h"

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(word, *words))
			return true;
	return false;
}

static void check_state(const struct tm_thp_boot_state *state)
{
	static const char *const top[] = { "always", "madvise", "never", NULL };
	static const char *const top_shmem[] = { "always", "within_size", "advise", "never", NULL };
	static const char *const anon[] = { "always", "inherit", "madvise", "never", NULL };
	static const char *const shmem[] = { "always", "inherit", "within_size",
					     "advise", "never",	  NULL };

	CHECK(!state->enabled || is_one_of(state->enabled, top));
	CHECK(!state->shmem || is_one_of(state->shmem, top_shmem));
	for (size_t i = 0; i < state->nr_sizes; i++) {
		CHECK(!state->sizes[i].enabled || is_one_of(state->sizes[i].enabled, anon));
		CHECK(!state->sizes[i].shmem || is_one_of(state->sizes[i].shmem, shmem));
	}
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* On kernels that have every word. */
static void check_back(const struct tm_thp_kernel *kernel, const struct tm_thp_boot_state *state)
{
	struct tm_buf line = TM_BUF_INIT, notes = TM_BUF_INIT;
	struct tm_thp_boot back;

	tm_thp_boot_make(kernel, state, &line, &notes);
	CHECK(!line.failed && !strchr(tm_buf_str(&line), ';'));
	CHECK(!tm_thp_boot_explain(kernel, tm_buf_str(&line), &back, NULL));
	for (size_t i = 0; i < back.nr; i++)
		CHECK(back.words[i].fate == TM_THP_TAKEN);
	CHECK(same(back.state.enabled, state->enabled) && same(back.state.shmem, state->shmem));
	CHECK(back.state.nr_sizes == state->nr_sizes);
	for (size_t i = 0; i < state->nr_sizes; i++) {
		CHECK(same(back.state.sizes[i].enabled, state->sizes[i].enabled));
		CHECK(same(back.state.sizes[i].shmem, state->sizes[i].shmem));
	}
	tm_thp_boot_release(&back);
	tm_buf_release(&line);
	tm_buf_release(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned versions[] = { 0, 6 << 16 | 1 << 8, 6 << 16 | 12 << 8,
					     6 << 16 | 13 << 8, 7 << 16 | 3 << 8 };
	static const uint64_t pages[] = { 0, 4096, 16384, 65536 };
	struct tm_thp thp = { .state = TM_ABSENT };
	struct tm_thp_kernel kernel = { &thp, 0, tm_num_none(TM_ABSENT) };
	struct tm_thp_boot boot;
	char *line;

	if (!size)
		return 0;
	kernel.version = versions[data[0] % 5];
	thp.page_bytes = pages[data[0] / 5 % 4];
	if (data[0] / 20 % 2)
		kernel.memory = tm_num_known(1 << 20);
	line = fuzz_text(data + 1, size - 1);
	CHECK(!tm_thp_boot_explain(&kernel, line, &boot, NULL));
	for (size_t i = 0; i < boot.nr; i++) {
		CHECK(boot.words[i].fate <= TM_THP_UNKNOWN);
		CHECK(*boot.words[i].word && *boot.words[i].says);
	}
	check_state(&boot.state);
	if (!kernel.version || kernel.version >= (6 << 16 | 13 << 8))
		check_back(&kernel, &boot.state);
	tm_thp_boot_release(&boot);
	free(line);
	return 0;
}
