/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors: functions of lib return 0 or a negative errno, and explain themselves in a struct
 * tm_error.
 *
 * The text is a sentence without a full stop that names the path or argument and says why, as in
 * "/sys/devices/system/node/online: permission denied". The hint, when there is one, says what the
 * user can do. Neither ends in a newline. Every function that takes a `struct tm_error *` accepts
 * NULL.
 */
#ifndef TM_BASE_ERROR_H
#define TM_BASE_ERROR_H

#include "lib/base/compiler.h"

struct tm_error {
	int number; /* positive errno; 0: no error */
	char text[512];
	char hint[256];
};

/*
 * Sets the text (cut to fit) and clears the hint. Returns -number, so that it can end a function.
 */
int tm_error_set(struct tm_error *err, int number, const char *fmt, ...) TM_PRINTF(3, 4);

/* As tm_error_set, with ": " and the errno's own words appended. */
int tm_error_errno(struct tm_error *err, int number, const char *fmt, ...) TM_PRINTF(3, 4);

/* Adds a hint to the error that is set. */
void tm_error_hint(struct tm_error *err, const char *fmt, ...) TM_PRINTF(2, 3);

/* Out of memory. Returns -ENOMEM. */
int tm_error_nomem(struct tm_error *err);

#endif
