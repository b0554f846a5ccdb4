/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_COMPLETE_H
#define CMD_COMPLETE_H

#include "cmd/command.h"

/* What the scripts in completions/ call. */
extern const struct command complete_command;

#endif
