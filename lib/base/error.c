/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tm_freep(void *pointer_to_pointer)
{
	free(*(void **)pointer_to_pointer);
}

int tm_error_set(struct tm_error *err, int number, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		err->number = number;
		err->hint[0] = '\0';
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
	}
	return -number;
}

int tm_error_errno(struct tm_error *err, int number, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	if (err) {
		err->number = number;
		err->hint[0] = '\0';
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
		len = strlen(err->text);
		snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(number));
	}
	return -number;
}

void tm_error_hint(struct tm_error *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
}

int tm_error_nomem(struct tm_error *err)
{
	return tm_error_set(err, ENOMEM, "out of memory");
}
