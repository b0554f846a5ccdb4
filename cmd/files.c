/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int read_all(FILE *file, size_t max, struct tm_buf *text)
{
	char chunk[4096];
	size_t n;

	errno = 0;
	while (text->len <= max && (n = fread(chunk, 1, sizeof(chunk), file)) > 0)
		tm_buf_add(text, chunk, n);
	if (ferror(file))
		return errno ? errno : EIO;
	if (text->failed)
		return ENOMEM;
	return text->len > max ? EFBIG : 0;
}

int file_read(const char *name, size_t max, struct tm_buf *text, struct tm_error *err)
{
	FILE *file;
	int rc;

	if (!strcmp(name, "-")) {
		rc = read_all(stdin, max, text);
		return rc ? tm_error_errno(err, rc, "standard input") : 0;
	}
	file = fopen(name, "re");
	if (!file)
		return tm_error_errno(err, errno, "%s", name);
	rc = read_all(file, max, text);
	fclose(file);
	return rc ? tm_error_errno(err, rc, "%s", name) : 0;
}

int file_check_place(const char *name, bool force, struct tm_error *err)
{
	struct stat st;

	if (lstat(name, &st))
		return errno == ENOENT ? 0 : tm_error_errno(err, errno, "%s", name);
	if (!S_ISREG(st.st_mode))
		return tm_error_set(err, EEXIST, "%s: is no plain file, and is not replaced", name);
	if (force)
		return 0;
	tm_error_errno(err, EEXIST, "%s", name);
	tm_error_hint(err, "--force replaces it");
	return -EEXIST;
}
