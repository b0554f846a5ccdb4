/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `tiermem topology --firmware` and `--acpi`: the firmware's tables in full, with all that is
 * wrong.
 */
#ifndef CMD_TOPOLOGY_FIRMWARE_H
#define CMD_TOPOLOGY_FIRMWARE_H

#include "cmd/command.h"
#include "lib/json/build.h"
#include "lib/model/machine.h"

/* The tables of the machine, or with `path` of files. Returns an exit code; reports errors. */
int topology_firmware(struct app *app, const char *path);

/*
 * "firmware": {…} of the topology document: which tables there are, domains, and how many faults.
 */
void topology_add_firmware(struct tm_json *json, const struct tm_machine *m);

#endif
