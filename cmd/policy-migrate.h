/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of `tiermem policy migrate`. */
#ifndef CMD_POLICY_MIGRATE_H
#define CMD_POLICY_MIGRATE_H

#include "cmd/command.h"
#include "lib/model/machine.h"
#include "lib/sys/numa-maps.h"
#include "lib/sys/numa-move.h"

struct migrate {
	struct app *app;
	uint64_t pid;
	struct tm_root root;
	struct tm_machine machine;
	struct tm_idset from, to, mems;
	struct tm_text name; /* of the command, as the kernel has it */
	struct tm_numa_maps before, after;
	bool after_known;
	struct tm_numa numa;
	struct tm_move move;
	/* "planned", "done", "interrupted", "ended" (the process), "full", "failed" */
	const char *state;
};

/* Bytes of a process that are on a node. */
uint64_t migrate_bytes_on(const struct tm_numa_maps *maps, int node);

/* What was moved, and where memory lies: a table or a tiermem.migrate/1 document. */
int migrate_show(const struct migrate *m, char **text, struct tm_error *err);

#endif
