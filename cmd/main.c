/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <unistd.h>

#include "cmd/command.h"

/*
 * A file opened later must not become standard output because that was closed. What stands in its
 * place can be neither read nor written, so that lost output is still noticed.
 */
static void fill_standard_descriptors(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/", O_PATH) != fd)
			_exit(EXIT_FAILED);
}

int main(int argc, char **argv)
{
	struct tm_error err = { 0 };
	struct app app;
	int code;

	fill_standard_descriptors();
	/* Tables may use UTF-8; numbers and messages stay the same everywhere. */
	setlocale(LC_CTYPE, "");
	/*
	 * A reader that goes away must not kill the program between two writes to the machine. It
	 * shows as EPIPE, which out_finish turns into a silent exit 1. What executes another
	 * program sets SIG_DFL first.
	 */
	signal(SIGPIPE, SIG_IGN);

	switch (app_parse(&app, argc, argv, &err)) {
	case 0:
		code = app.command->run(&app);
		break;
	case -EINVAL:
		code = report(&app, EXIT_USAGE, &err);
		break;
	default:
		code = report(&app, EXIT_FAILED, &err);
	}
	code = out_finish(&app, code);
	app_release(&app);
	return code;
}
