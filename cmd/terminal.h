/* SPDX-License-Identifier: GPL-2.0-only */
/* What standard output is, as far as tables care. */
#ifndef CMD_TERMINAL_H
#define CMD_TERMINAL_H

#include "cmd/command.h"
#include "lib/out/table.h"

/*
 * Width and colour where standard output is a terminal; else neither. ASCII where the locale is not
 * UTF-8.
 */
struct tm_table_style terminal_style(const struct app *app);

#endif
