/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_SNAPSHOT_H
#define CMD_SNAPSHOT_H

#include "cmd/command.h"

extern const struct command snapshot_command;

#endif
