/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "lib/base/buf.h"
#include "lib/json/build.h"

void out_text(struct app *app, const char *text)
{
	errno = 0;
	if (fputs(text, stdout) < 0 && !app->out_error)
		app->out_error = errno ? errno : EIO;
	app->printed = true;
}

/* "topology", "weights apply"; empty before a command is known. */
static void add_command(struct tm_buf *buf, const struct app *app)
{
	if (app->parent)
		tm_buf_addf(buf, "%s ", app->parent->name);
	if (app->command)
		tm_buf_adds(buf, app->command->name);
}

/* "tiermem COMMAND: ", then text of unknown origin made safe for a terminal. */
static void print_message(const struct app *app, const char *kind, const char *text,
			  const char *hint)
{
	struct tm_buf buf = TM_BUF_INIT;

	tm_buf_adds(&buf, "tiermem");
	if (app->command)
		tm_buf_addc(&buf, ' ');
	add_command(&buf, app);
	tm_buf_addf(&buf, ": %s", kind);
	tm_buf_add_printable(&buf, text, strlen(text));
	tm_buf_addc(&buf, '\n');
	if (*hint) {
		tm_buf_adds(&buf, "hint: ");
		tm_buf_add_printable(&buf, hint, strlen(hint));
		tm_buf_addc(&buf, '\n');
	}
	fputs(buf.failed ? "tiermem: out of memory\n" : tm_buf_str(&buf), stderr);
	tm_buf_release(&buf);
}

static void print_error_document(struct app *app, enum exit_code code, const struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_buf command = TM_BUF_INIT;

	add_command(&command, app);
	if (!json || command.failed)
		goto out;
	tm_json_string(json, "schema", "tiermem.error/1");
	tm_json_string(json, "tiermem", TIERMEM_VERSION);
	tm_json_string(json, "command", app->command ? tm_buf_str(&command) : NULL);
	tm_json_u64(json, "exit_code", code);
	tm_json_string(json, "errno", err->number ? strerrorname_np(err->number) : NULL);
	tm_json_string(json, "message", err->text);
	tm_json_string(json, "hint", *err->hint ? err->hint : NULL);
	if (!tm_json_print(json, false, &text, NULL))
		out_text(app, text);
out:
	tm_buf_release(&command);
}

int report(struct app *app, enum exit_code code, const struct tm_error *err)
{
	print_message(app, "", err->text, err->hint);
	if (app->json && !app->printed)
		print_error_document(app, code, err);
	return code;
}

void warn(const struct app *app, const char *fmt, ...)
{
	struct tm_buf text = TM_BUF_INIT;
	va_list ap;

	if (app->quiet)
		return;
	va_start(ap, fmt);
	tm_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	print_message(app, "warning: ", tm_buf_str(&text), "");
	tm_buf_release(&text);
}

int out_finish(struct app *app, int code)
{
	struct tm_error err;

	/* Writes what was buffered; closing also finds what a network file system kept back. */
	errno = 0;
	if (fclose(stdout) && !app->out_error)
		app->out_error = errno ? errno : EIO;
	if (!app->out_error)
		return code;
	if (app->out_error != EPIPE) {
		tm_error_errno(&err, app->out_error, "standard output");
		print_message(app, "", err.text, "");
	}
	return code == EXIT_DONE ? EXIT_FAILED : code;
}
