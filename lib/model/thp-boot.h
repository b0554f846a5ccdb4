/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Huge pages on the kernel's command line: what a line makes of them, by the rules of the kernel's
 * own parsers (mm/huge_memory.c and mm/shmem.c, 6.12 to 7.3), and the words for a wanted state.
 * Pure functions over what was read of the machine.
 *
 *	transparent_hugepage=		"enabled" for all sizes
 *	thp_anon=			"enabled" of sizes, from 6.12
 *	transparent_hugepage_shmem=	"shmem_enabled" for all sizes, from 6.13
 *	thp_shmem=			"shmem_enabled" of sizes, from 6.13
 *	transparent_hugepage_tmpfs=	tmpfs that is mounted without huge=, from 6.14
 */
#ifndef TM_MODEL_THP_BOOT_H
#define TM_MODEL_THP_BOOT_H

#include "lib/base/buf.h"
#include "lib/model/thp.h"

/* The kernel that is to boot so: that of the machine that was read. */
struct tm_thp_kernel {
	const struct tm_thp *thp; /* for its sizes */
	unsigned version;	  /* as in struct tm_machine; 0: unknown, taken for the newest */
	struct tm_num memory;	  /* bytes: below 512 MiB kernels start with "never" */
};

struct tm_thp_boot_size {
	long kib;
	const char *enabled, *shmem; /* NULL: has no such side */
};

/* Settings as they are after boot. Words are constants, or belong to what they were read from. */
struct tm_thp_boot_state {
	const char *enabled,
		*shmem; /* for all sizes; NULL: nobody says, so as the kernel was built */
	struct tm_thp_boot_size *sizes; /* sorted */
	size_t nr_sizes;
	bool assumed; /* sizes: the machine has none to show, so those of its page size */
};

void tm_thp_boot_state_release(struct tm_thp_boot_state *state);

/* The settings as they are now. 0 or -ENOMEM. */
int tm_thp_boot_now(const struct tm_thp *thp, struct tm_thp_boot_state *state);

enum tm_thp_fate {
	TM_THP_TAKEN,
	TM_THP_IGNORED, /* the kernel knows the name, but not this value, or not so */
	TM_THP_UNKNOWN, /* this kernel knows no such name */
};
const char *tm_thp_fate_name(enum tm_thp_fate fate);

struct tm_thp_word {
	char *word; /* "name=value", without the quotes around it */
	enum tm_thp_fate fate;
	char *says; /* what it does, or why it does not; without a full stop */
};

struct tm_thp_boot {
	struct tm_thp_word *words; /* those about huge pages, in their order */
	size_t nr, cap;
	struct tm_thp_boot_state state; /* what all of them come to */
};

/* What a whole command line does. 0 or -ENOMEM. */
int tm_thp_boot_explain(const struct tm_thp_kernel *kernel, const char *line,
			struct tm_thp_boot *boot, struct tm_error *err);
void tm_thp_boot_release(struct tm_thp_boot *boot);

/*
 * Adds to *line the words that bring a kernel to `wanted`, with blanks between, and to *notes one
 * line for each thing that they cannot bring. Each policy is a word of its own, so that no ';' is
 * needed, which boot loaders take for the end of a command.
 */
void tm_thp_boot_make(const struct tm_thp_kernel *kernel, const struct tm_thp_boot_state *wanted,
		      struct tm_buf *line, struct tm_buf *notes);

#endif
