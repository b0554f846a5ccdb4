/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/terminal.h"

#include <langinfo.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static size_t terminal_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col ? size.ws_col : 80;
}

struct tm_table_style terminal_style(const struct app *app)
{
	return (struct tm_table_style){
		.headings = !app->noheadings,
		.raw = app->raw,
		.color = !app->no_color,
		.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
		.width = terminal_width(),
	};
}
