/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem help`, and what stands behind --help, --version and a missing command. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "cmd/command.h"

extern const struct command help_command;
extern const struct command version_command;
extern const struct command usage_command;

struct exit_meaning {
	enum exit_code code;
	const char *meaning;
};

/* By code; ends with a NULL meaning. */
extern const struct exit_meaning exit_meanings[];

/* The tiermem.help/1 document: of every command, or of one. */
int help_print_json(struct app *app, const struct command *command);

#endif
