/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_PATCHES_H
#define CMD_PATCHES_H

#include "cmd/command.h"

extern const struct command patches_command;

/* Its subcommands, each in the file of its name. */
extern const struct command patches_list_command;
extern const struct command patches_check_command;
extern const struct command patches_apply_command;

/* The option that all of them have. */
#define PATCHES_OPTIONS                                                                        \
	{                                                                                      \
		"patches", 'p', "DIR", VALUE_FOLDER, "take the patches and the series of DIR", \
			NULL                                                                   \
	}

#endif
