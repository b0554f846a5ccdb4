/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files outside any root, for load-path.c. */
#ifndef TM_ACPI_FILE_H
#define TM_ACPI_FILE_H

#include "lib/base/buf.h"
#include "lib/base/error.h"

/* acpidump prints four characters for a byte, and more. */
#define TM_ACPI_TEXT_MAX (128u * 1024 * 1024)

/*
 * Reads a regular file of at most `max` bytes, below the folder `dir` or as AT_FDCWD has it.
 * -EFBIG; -EISDIR; -EINVAL for what is neither file nor folder; what open(2) and read(2) give.
 */
int tm_acpi_read_file(int dir, const char *path, size_t max, struct tm_buf *bytes);

/* Is it what acpidump prints? Its tables begin with lines such as "HMAT @ 0x...". */
bool tm_acpi_is_dump(const char *text, size_t len);

#define TM_ACPI_ACPIXTRACT "/usr/bin/acpixtract"

/*
 * Runs `tool -a` on acpidump's text, in an empty folder, which then holds the tables as *.dat. It
 * gets no environment, no input, little processor time and little room. `name` is the text's, for
 * messages.
 */
int tm_acpi_extract(const char *tool, int folder, const char *name, const struct tm_buf *text,
		    struct tm_error *err);

#endif
