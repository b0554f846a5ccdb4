/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_PROFILE_H
#define CMD_PROFILE_H

#include "cmd/command.h"

extern const struct command profile_command;

#endif
