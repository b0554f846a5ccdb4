/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include "cmd/command.h"

extern const struct command run_command;

#endif
