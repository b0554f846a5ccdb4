/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/patches-known.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/model/thp-boot.h"
#include "lib/sys/attr.h"

#define RELEASE(major, minor) ((major) << 16 | (minor) << 8)

#define WEIGHTS "sys/kernel/mm/mempolicy/weighted_interleave"
#define TLB_DEFER_SWITCH "sys/kernel/mm/tlb_defer/enabled"

/* Is it there? Where that cannot be seen, nothing is known. */
static enum here is_there(const struct tm_root *root, const char *path)
{
	int fd = tm_root_openat(root, path, O_PATH, 0);

	if (fd >= 0) {
		close(fd);
		return HERE_YES;
	}
	return fd == -ENOENT || fd == -ENOTDIR ? HERE_NO : HERE_UNKNOWN;
}

/* A file that is there with the patch, in a folder that is always there. */
static void by_file(const struct tm_root *root, const char *folder, const char *name,
		    struct sign *sign)
{
	char path[TM_PATH_MAX];

	if (is_there(root, folder) != HERE_YES || tm_path_format(path, "%s/%s", folder, name))
		return;
	sign->here = is_there(root, path);
	if (sign->here == HERE_YES)
		tm_buf_addf(&sign->how, "there is a file /%s", path);
	else if (sign->here == HERE_NO)
		tm_buf_addf(&sign->how, "there is no file /%s", path);
}

static int probe_weights(const struct tm_machine *m, const struct tm_root *root, struct sign *sign)
{
	char name[sizeof(m->weight_switch) + 1];

	/* A backport of the first version calls it otherwise. */
	snprintf(name, sizeof(name), "%s", *m->weight_switch ? m->weight_switch : "auto");
	by_file(root, WEIGHTS, name, sign);
	/* Captured trees hold all of this folder, if there is one. */
	if (sign->here == HERE_UNKNOWN && is_there(root, "sys/kernel/mm") == HERE_YES &&
	    is_there(root, WEIGHTS) == HERE_NO) {
		sign->here = HERE_NO;
		tm_buf_adds(&sign->how, "this kernel has no weighted interleave");
	}
	return 0;
}

static int probe_clear(const struct tm_machine *m, const struct tm_root *root, struct sign *sign)
{
	(void)m;
	by_file(root, "proc/sys/vm", "clear_gigantic_nocache", sign);
	return 0;
}

/* Counters of the patch in /proc/vmstat, by how their names begin. */
static int by_vmstat(const struct tm_root *root, const char *prefix, struct sign *sign)
{
	struct tm_buf text = TM_BUF_INIT;
	int rc = tm_attr_read(root, "proc/vmstat", &text);
	size_t len = strlen(prefix);

	if (!rc) {
		sign->here = HERE_NO;
		for (const char *line = tm_buf_str(&text); *line && sign->here == HERE_NO;
		     line += strcspn(line, "\n"), line += *line == '\n')
			if (!strncmp(line, prefix, len))
				sign->here = HERE_YES;
		tm_buf_addf(&sign->how, "/proc/vmstat has %s%s counters",
			    sign->here == HERE_YES ? "" : "no ", prefix);
	}
	tm_buf_release(&text);
	return rc == -ENOMEM ? rc : 0;
}

/* Whoever has it may wonder why nothing is put off: it has to be turned on. */
static int probe_defer(const struct tm_machine *m, const struct tm_root *root, struct sign *sign)
{
	int rc = by_vmstat(root, "tlb_defer_", sign);
	struct tm_text enabled;

	(void)m;
	if (rc || sign->here != HERE_YES)
		return rc;
	enabled = tm_attr_text(root, TLB_DEFER_SWITCH);
	if (enabled.state == TM_KNOWN && !strcmp(enabled.value, "0"))
		tm_buf_adds(&sign->how, "; it is off: 1 in /" TLB_DEFER_SWITCH
					", or tlb_defer=on at boot, turns it on");
	else if (enabled.state == TM_KNOWN)
		tm_buf_adds(&sign->how, "; it is on");
	tm_text_release(&enabled);
	return 0;
}

static int no_trace(const struct tm_machine *m, const struct tm_root *root, struct sign *sign)
{
	(void)m;
	(void)root;
	tm_buf_adds(&sign->how, "it shows nowhere; measure with `tiermem bench migrate`");
	return 0;
}

/* --- thp_shmem= --- */

static bool is_shmem_word(const char *word)
{
	return !strncmp(word, "thp_shmem", 9) || !strncmp(word, "transparent_hugepage_shmem", 26);
}

/* Were they taken, and do the settings that they ask for differ from those without them? */
static bool is_in_effect(const struct tm_thp_boot *boot, const struct tm_thp_boot_state *now)
{
	const struct tm_thp_boot_state *asked = &boot->state;
	bool differs = false;

	if (asked->shmem) {
		if (!now->shmem || strcmp(now->shmem, asked->shmem) != 0)
			return false;
		/* As it is without. */
		differs = strcmp(asked->shmem, "never") != 0;
	}
	for (size_t i = 0; i < now->nr_sizes && i < asked->nr_sizes; i++) {
		const char *is = now->sizes[i].shmem, *wanted = asked->sizes[i].shmem;

		if (!is || !wanted)
			continue;
		if (strcmp(is, wanted) != 0)
			return false;
		differs |= strcmp(wanted, "never") != 0 && strcmp(wanted, "inherit") != 0;
	}
	return differs;
}

static int look_at_line(const struct tm_thp *thp, const char *line, struct sign *sign)
{
	/* As a kernel reads it that knows these words. */
	struct tm_thp_kernel kernel = { .thp = thp, .version = RELEASE(6, 13) };
	struct tm_thp_boot_state now = { 0 };
	struct tm_thp_boot boot = { 0 };
	bool given = false;
	int rc = tm_thp_boot_explain(&kernel, line, &boot, NULL);

	if (!rc)
		rc = tm_thp_boot_now(thp, &now);
	for (size_t i = 0; i < boot.nr; i++)
		given |= is_shmem_word(boot.words[i].word);
	if (rc) {
		/* No memory. */
	} else if (!given) {
		tm_buf_adds(&sign->how, "it shows only with thp_shmem= on the command line");
	} else if (is_in_effect(&boot, &now)) {
		sign->here = HERE_YES;
		tm_buf_adds(&sign->how, "what the command line says of shared memory is in effect");
	} else {
		tm_buf_adds(&sign->how,
			    "settings are not as the command line says, or would be so anyway");
	}
	tm_thp_boot_state_release(&now);
	tm_thp_boot_release(&boot);
	return rc;
}

static int probe_parameters(const struct tm_machine *m, const struct tm_root *root,
			    struct sign *sign)
{
	struct tm_buf line = TM_BUF_INIT;
	struct tm_thp thp = { 0 };
	int rc = tm_attr_read(root, "proc/cmdline", &line);

	(void)m;
	if (!rc)
		rc = tm_thp_read(&thp, root, NULL);
	if (!rc && thp.nr_sizes)
		rc = look_at_line(&thp, tm_buf_str(&line), sign);
	tm_thp_release(&thp);
	tm_buf_release(&line);
	return rc == -ENOMEM ? rc : 0;
}

static int probe_sizes(const struct tm_machine *m, const struct tm_root *root, struct sign *sign)
{
	struct tm_thp thp = { 0 };
	int rc = tm_thp_read(&thp, root, NULL);

	(void)m;
	for (size_t i = 0; i < thp.nr_sizes && !rc; i++) {
		if (thp.sizes[i].shmem.value.state == TM_ABSENT)
			continue;
		sign->here = HERE_YES;
		tm_buf_addf(&sign->how,
			    "there is a file /" TM_THP_FOLDER "/hugepages-%ldkB/shmem_enabled",
			    thp.sizes[i].kib);
		break;
	}
	if (!rc && thp.state == TM_KNOWN && sign->here == HERE_UNKNOWN) {
		sign->here = HERE_NO;
		tm_buf_adds(&sign->how, "no size of huge pages has a file shmem_enabled");
	}
	tm_thp_release(&thp);
	return rc;
}

/* --- the table --- */

const struct known_patch known_patches[] = {
	{
		.name = "0001-weighted-interleave-auto",
		.brings = "weights of weighted interleave that follow the bandwidths of the nodes",
		.mainline = "6.16",
		.since = RELEASE(6, 16),
		.probe = probe_weights,
	},
	{
		.name = "0002-migrate-lone-folio",
		.brings = "moving a single page flushes that page from the TLBs, not all of them",
		.probe = no_trace,
	},
	{
		.name = "0003-migrate-defer-flush",
		.brings = "moved read-only pages are flushed from the TLBs when their memory is "
			  "used again",
		.probe = probe_defer,
	},
	{
		.name = "0004-clear-gigantic-nocache",
		.brings = "huge pages of 1 GB are cleared past the caches (x86-64)",
		.probe = probe_clear,
	},
	{
		.name = "0005-shmem-boot-parameters",
		.brings = "thp_shmem= and transparent_hugepage_shmem= on the kernel command line",
		.mainline = "6.13",
		.since = RELEASE(6, 13),
		.probe = probe_parameters,
	},
	{
		.name = "shmem-sizes",
		.brings = "huge pages of each size for shared memory; needs no patch",
		.mainline = "6.11",
		.since = RELEASE(6, 11),
		.probe = probe_sizes,
		.feature = true,
	},
};

const size_t nr_known_patches = TM_ARRAY_SIZE(known_patches);

const struct known_patch *known_patch_find(const char *name)
{
	for (size_t i = 0; i < nr_known_patches; i++)
		if (!strcmp(known_patches[i].name, name))
			return &known_patches[i];
	return NULL;
}

int known_patch_look(const struct known_patch *known, const struct tm_machine *m,
		     const struct tm_root *root, struct sign *sign)
{
	if (known->since && m->version >= known->since) {
		sign->here = HERE_YES;
		sign->by_version = true;
		tm_buf_addf(&sign->how, "built in since Linux %s", known->mainline);
		return sign->how.failed ? -ENOMEM : 0;
	}
	if (known->probe(m, root, sign) || sign->how.failed)
		return -ENOMEM;
	if (!sign->how.len)
		tm_buf_adds(&sign->how, "nothing that would tell can be read");
	return sign->how.failed ? -ENOMEM : 0;
}
