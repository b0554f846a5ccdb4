/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_TOPOLOGY_H
#define CMD_TOPOLOGY_H

#include "cmd/command.h"

extern const struct command topology_command;

#endif
