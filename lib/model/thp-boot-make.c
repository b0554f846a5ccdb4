/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words that bring a kernel to a state. */
#include <stdlib.h>
#include <string.h>

#include "lib/model/thp-boot-state.h"

static void add_blank(struct tm_buf *line)
{
	if (line->len)
		tm_buf_addc(line, ' ');
}

/* As the kernel starts where nothing is said: PMD inherits, the others are "never". */
static bool as_started(const struct tm_thp_boot_state *wanted, enum tm_thp_side side, long pmd)
{
	for (size_t i = 0; i < wanted->nr_sizes; i++) {
		const char *word = tm_thp_said(&wanted->sizes[i], side);

		if (word && strcmp(word, wanted->sizes[i].kib == pmd ? "inherit" : "never"))
			return false;
	}
	return true;
}

/* One word for each policy; "never" only where no other names a size, which makes the rest so. */
static void make_sizes(const struct tm_thp_boot_state *wanted, enum tm_thp_side side,
		       const char *name, struct tm_buf *line)
{
	const char *const *policies = tm_thp_policies[side];
	const char **words = calloc(wanted->nr_sizes + 1, sizeof(*words));
	bool any = false;

	if (!words) {
		line->failed = true;
		return;
	}
	for (size_t i = 0; i < wanted->nr_sizes; i++)
		words[i] = tm_thp_said(&wanted->sizes[i], side);
	for (; *policies; policies++) {
		struct tm_buf list = TM_BUF_INIT;

		if (strcmp(*policies, "never") &&
		    tm_thp_add_ranges(&list, wanted->sizes, wanted->nr_sizes, words, *policies)) {
			add_blank(line);
			tm_buf_addf(line, "%s%s:%s", name, tm_buf_str(&list), *policies);
			any = true;
		}
		tm_buf_release(&list);
	}
	for (size_t i = 0; i < wanted->nr_sizes && !any; i++) {
		if (!words[i])
			continue;
		add_blank(line);
		tm_buf_adds(line, name);
		tm_thp_add_kib(line, wanted->sizes[i].kib);
		tm_buf_adds(line, ":never");
		any = true;
	}
	free(words);
}

void tm_thp_boot_make(const struct tm_thp_kernel *kernel, const struct tm_thp_boot_state *wanted,
		      struct tm_buf *line, struct tm_buf *notes)
{
	unsigned version = kernel->version ? kernel->version : UINT32_MAX;
	long pmd = tm_thp_pmd(kernel->thp, wanted);
	const char *shmem = wanted->shmem;

	if (wanted->enabled) {
		add_blank(line);
		tm_buf_addf(line, "transparent_hugepage=%s", wanted->enabled);
		if (tm_thp_little_memory(kernel) && strcmp(wanted->enabled, "never"))
			tm_buf_adds(notes, "top enabled: with less than 512 MiB of memory the "
					   "kernel starts with never all the same\n");
	}
	if (version >= TM_THP_VERSION(6, 12))
		make_sizes(wanted, TM_THP_ANON, "thp_anon=", line);
	else if (!as_started(wanted, TM_THP_ANON, pmd))
		tm_buf_adds(notes,
			    "enabled of the sizes: this kernel has no word for it, thp_anon= "
			    "comes with Linux 6.12\n");
	if (version >= TM_THP_VERSION(6, 13))
		make_sizes(wanted, TM_THP_SHMEM, "thp_shmem=", line);
	else if (!as_started(wanted, TM_THP_SHMEM, pmd))
		tm_buf_adds(notes, "shmem of the sizes: this kernel has no word for it, thp_shmem= "
				   "comes with Linux 6.13\n");
	if (!shmem)
		return;
	if (!strcmp(shmem, "force") || !strcmp(shmem, "deny")) {
		tm_buf_addf(notes,
			    "top shmem: '%s' cannot be had at boot, the kernel starts with "
			    "never\n",
			    shmem);
		shmem = "never";
	}
	if (version >= TM_THP_VERSION(6, 13)) {
		add_blank(line);
		tm_buf_addf(line, "transparent_hugepage_shmem=%s", shmem);
	} else if (strcmp(shmem, "never")) {
		tm_buf_adds(notes, "top shmem: this kernel has no word for it, "
				   "transparent_hugepage_shmem= comes with Linux 6.13\n");
	}
}
