/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that the user names: documents to read, and places to write to. */
#ifndef CMD_FILES_H
#define CMD_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"

/*
 * Adds the whole file, or standard input for "-", to *text; pipes are read to their end. -EFBIG
 * above `max` bytes, -ENOMEM, or what reading gives; the text names the file.
 */
int file_read(const char *name, size_t max, struct tm_buf *text, struct tm_error *err);

/*
 * What is there already: only a plain file may be replaced, and only with `force`, which the hint
 * calls --force. -EEXIST, or what looking gives.
 */
int file_check_place(const char *name, bool force, struct tm_error *err);

/*
 * Could the file be made? Found out before work that may take hours: as file_check_place(), and
 * whether its folder can be written to. Leaves nothing. Never -EINVAL.
 */
int file_try(const char *name, bool force, struct tm_error *err);

/*
 * Makes the file with this text, whole or not at all, and on the disk before it has its name.
 * `force` as for file_check_place(). What looking, writing or naming gives; the text names the
 * file.
 */
int file_save(const char *name, bool force, const char *text, struct tm_error *err);

#endif
