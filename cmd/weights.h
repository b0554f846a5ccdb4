/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_WEIGHTS_H
#define CMD_WEIGHTS_H

#include "cmd/command.h"

extern const struct command weights_command;

#endif
