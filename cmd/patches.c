/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/patches.h"

static const struct command *const subcommands[] = {
	&patches_list_command,
	&patches_check_command,
	&patches_apply_command,
	NULL,
};

const struct command patches_command = {
	.name = "patches",
	.summary = "kernel patches that come with tiermem, and which of them a kernel has",
	.synopsis = "list|check|apply ...",
	.description =
		"Some of what tiermem can set or measure needs a newer kernel than Debian 12 and "
		"13 have, or one that nobody has yet. Patches for Linux 6.12 come with it. This "
		"shows what each is for and whether the running kernel has it, tries them on a "
		"kernel's sources, and applies them there.",
	.examples = "tiermem patches list  # what there is, and what this kernel has\n"
		    "tiermem patches check ~/linux-source-6.12  # do they fit?\n"
		    "tiermem patches apply ~/linux-source-6.12  # all of them, or none\n",
	.group = "Kernel",
	.subcommands = subcommands,
};
