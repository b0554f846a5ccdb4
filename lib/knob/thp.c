/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Huge pages: Documentation/admin-guide/mm/transhuge.rst. */
#include <stdint.h>

#include "lib/knob/rows.h"

#define THP "sys/kernel/mm/transparent_hugepage/"
#define HUGEPAGED THP "khugepaged/"

static const struct tm_knob_word enabled_words[] = {
	{ "always", NULL, "for every anonymous mapping" },
	{ "madvise", NULL, "only where the program asks with MADV_HUGEPAGE" },
	{ "never", NULL, "not at all, but for MADV_COLLAPSE" },
	{ NULL, NULL, NULL },
};

static const struct tm_knob_word shmem_words[] = {
	{ "always", NULL, "whenever a page of shared memory is allocated" },
	{ "within_size", NULL, "only as far as the file reaches, or where asked for" },
	{ "advise", NULL, "only where the program asks with MADV_HUGEPAGE" },
	{ "never", NULL, "not at all, but for MADV_COLLAPSE" },
	{ "deny", NULL, "never, whatever the sizes say: for emergencies" },
	{ "force", NULL, "always, where the size inherits: for testing" },
	{ NULL, NULL, NULL },
};

static const struct tm_knob_word defrag_words[] = {
	{ "always", NULL, "a fault stops to reclaim and compact" },
	{ "defer", NULL, "a fault wakes kswapd and kcompactd, and goes on with small pages" },
	{ "defer+madvise", NULL, "as defer, but stops where the program asks for huge pages" },
	{ "madvise", NULL, "stops only where the program asks for huge pages" },
	{ "never", NULL, "a fault takes what is free" },
	{ NULL, NULL, NULL },
};

static const struct tm_knob_word size_words[] = {
	{ "inherit", NULL, "as the setting for all sizes says" },
	{ "always", NULL, "for every anonymous mapping" },
	{ "madvise", NULL, "only where the program asks with MADV_HUGEPAGE" },
	{ "never", NULL, "not at all, but for MADV_COLLAPSE" },
	{ NULL, NULL, NULL },
};

static const struct tm_knob_word size_shmem_words[] = {
	{ "inherit", NULL, "as the setting for all sizes says" },
	{ "always", NULL, "whenever a page of shared memory is allocated" },
	{ "within_size", NULL, "only as far as the file reaches, or where asked for" },
	{ "advise", NULL, "only where the program asks with MADV_HUGEPAGE" },
	{ "never", NULL, "not at all, but for MADV_COLLAPSE" },
	{ NULL, NULL, NULL },
};

/* Their files read and take 0 and 1 only, unlike those that also take words. */
static const struct tm_knob_word switch_words[] = {
	{ "on", "1", "yes" },
	{ "off", "0", "no" },
	{ NULL, NULL, NULL },
};

const struct tm_knob tm_knob_rows_thp[] = {
	{
		.name = "enabled",
		.path = THP "enabled",
		.form = TM_FORM_CHOICE,
		.words = enabled_words,
		.help = "huge pages for anonymous memory, for the sizes that inherit it",
	},
	{
		.name = "shmem",
		.path = THP "shmem_enabled",
		.form = TM_FORM_CHOICE,
		.words = shmem_words,
		.help = "huge pages for shared memory, for the sizes that inherit it",
	},
	{
		.name = "defrag",
		.path = THP "defrag",
		.form = TM_FORM_CHOICE,
		.words = defrag_words,
		.help = "what a fault does to find a huge page",
	},
	{
		.name = "use-zero-page",
		.path = THP "use_zero_page",
		.form = TM_FORM_NUMBER,
		.words = switch_words,
		.max = 1,
		.help = "reading untouched memory maps a huge page of zeros",
	},
	{
		.name = "shrink-underused",
		.path = THP "shrink_underused",
		.form = TM_FORM_BOOL,
		.since = "6.12",
		.help = "huge pages that hold mostly zeros are split when memory is short",
	},
	{
		.name = "khugepaged-defrag",
		.path = HUGEPAGED "defrag",
		.form = TM_FORM_NUMBER,
		.words = switch_words,
		.max = 1,
		.help = "khugepaged reclaims and compacts to find a huge page",
	},
	{
		.name = "khugepaged-pages-to-scan",
		.path = HUGEPAGED "pages_to_scan",
		.form = TM_FORM_NUMBER,
		.min = 1,
		.max = UINT32_MAX,
		.unit = "pages",
		.help = "how far khugepaged looks in one pass",
	},
	{
		.name = "khugepaged-scan-sleep",
		.path = HUGEPAGED "scan_sleep_millisecs",
		.form = TM_FORM_NUMBER,
		.max = UINT32_MAX,
		.unit = "ms",
		.help = "how long khugepaged rests between passes",
	},
	{
		.name = "khugepaged-alloc-sleep",
		.path = HUGEPAGED "alloc_sleep_millisecs",
		.form = TM_FORM_NUMBER,
		.max = UINT32_MAX,
		.unit = "ms",
		.help = "how long khugepaged waits after it found no huge page",
	},
	/* Their upper bounds are pages of one huge page, which the kernel knows and checks. */
	{
		.name = "khugepaged-max-ptes-none",
		.path = HUGEPAGED "max_ptes_none",
		.form = TM_FORM_NUMBER,
		.max = UINT32_MAX,
		.unit = "pages",
		.help = "how many empty pages a new huge page may fill up",
	},
	{
		.name = "khugepaged-max-ptes-swap",
		.path = HUGEPAGED "max_ptes_swap",
		.form = TM_FORM_NUMBER,
		.max = UINT32_MAX,
		.unit = "pages",
		.help = "how many pages may be brought back from swap for a new huge page",
	},
	{
		.name = "khugepaged-max-ptes-shared",
		.path = HUGEPAGED "max_ptes_shared",
		.form = TM_FORM_NUMBER,
		.max = UINT32_MAX,
		.unit = "pages",
		.help = "how many pages of a new huge page may be shared with other processes",
	},
	{ .name = NULL },
};

const struct tm_knob tm_knob_rows_mthp[] = {
	{
		.name = "enabled",
		.path = THP "hugepages-%ldkB/enabled",
		.form = TM_FORM_CHOICE,
		.words = size_words,
		.since = "6.8",
		.help = "huge pages of this size for anonymous memory",
	},
	{
		.name = "shmem",
		.path = THP "hugepages-%ldkB/shmem_enabled",
		.form = TM_FORM_CHOICE,
		.words = size_shmem_words,
		.since = "6.11",
		.help = "huge pages of this size for shared memory",
	},
	{ .name = NULL },
};
