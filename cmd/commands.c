/* SPDX-License-Identifier: GPL-2.0-only */
/* Every command there is. The rest of the program knows none of them by name. */
#include "cmd/bench/bench.h"
#include "cmd/command.h"
#include "cmd/complete.h"
#include "cmd/help.h"
#include "cmd/mthp.h"
#include "cmd/patches.h"
#include "cmd/policy.h"
#include "cmd/profile.h"
#include "cmd/run.h"
#include "cmd/snapshot.h"
#include "cmd/stat.h"
#include "cmd/top/top.h"
#include "cmd/topology.h"
#include "cmd/undo.h"
#include "cmd/weights.h"

/* clang-format off */
const struct command *const tiermem_commands[] = {
	&topology_command,
	&weights_command,
	&mthp_command,
	&policy_command,
	&profile_command,
	&undo_command,
	&recover_command,
	&run_command,
	&top_command,
	&stat_command,
	&bench_command,
	&patches_command,
	&snapshot_command,
	&help_command,
	&complete_command,
	NULL,
};
/* clang-format on */
