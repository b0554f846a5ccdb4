/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_MTHP_H
#define CMD_MTHP_H

#include "cmd/command.h"

extern const struct command mthp_command;

#endif
