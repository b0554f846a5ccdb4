/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of each patch, and how to find out whether a kernel has it. */
#ifndef CMD_PATCHES_KNOWN_H
#define CMD_PATCHES_KNOWN_H

#include "lib/base/buf.h"
#include "lib/model/machine.h"
#include "lib/sys/root.h"

enum here { HERE_UNKNOWN, HERE_YES, HERE_NO };

/* What a kernel says of a patch. */
struct sign {
	enum here here;
	bool by_version; /* else by something that it shows, or not at all */
	struct tm_buf how;
};

struct known_patch {
	const char *name;
	const char *brings;   /* without a full stop */
	const char *mainline; /* the release that has it: "6.16"; NULL: none yet */
	unsigned since;	      /* the same as in struct tm_machine; 0 */
	/* Looks for it; leaves the sign unknown where nothing shows. 0 or -ENOMEM. */
	int (*probe)(const struct tm_machine *m, const struct tm_root *root, struct sign *sign);
	bool feature; /* no patch: the kernels that the patches are for have it */
};

extern const struct known_patch known_patches[];
extern const size_t nr_known_patches;

/* NULL: nothing is known of a patch of this name. */
const struct known_patch *known_patch_find(const char *name);

/* Whether the kernel of this root has it: by its version, else by what it shows. 0 or -ENOMEM. */
int known_patch_look(const struct known_patch *known, const struct tm_machine *m,
		     const struct tm_root *root, struct sign *sign);

#endif
