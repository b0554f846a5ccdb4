/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_POLICY_H
#define CMD_POLICY_H

#include "cmd/command.h"

extern const struct command policy_command;

/* Its subcommands, each in the file of its name. */
extern const struct command policy_show_command;
extern const struct command policy_set_command;
extern const struct command policy_preset_command;
extern const struct command policy_usage_command;
extern const struct command policy_damon_command;
extern const struct command policy_migrate_command;

#endif
