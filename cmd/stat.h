/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_STAT_H
#define CMD_STAT_H

#include "cmd/command.h"

extern const struct command stat_command;

#endif
