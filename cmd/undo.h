/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_UNDO_H
#define CMD_UNDO_H

#include "cmd/command.h"

extern const struct command undo_command;
extern const struct command recover_command;

#endif
