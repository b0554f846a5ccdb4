/* SPDX-License-Identifier: GPL-2.0-only */
/* Every command there is. The rest of the program knows none of them by name. */
#include "cmd/command.h"
#include "cmd/complete.h"
#include "cmd/help.h"
#include "cmd/topology.h"

const struct command *const tiermem_commands[] = {
	&topology_command,
	&help_command,
	&complete_command,
	NULL,
};
