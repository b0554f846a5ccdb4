/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sys/temp.h"

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

/* As it would be if the shell had made the file: it holds no secret. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int write_all(int fd, const char *text)
{
	for (size_t len = strlen(text); len;) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	return fchmod(fd, usual_mode()) || fsync(fd) ? -errno : 0;
}

int file_try(const char *name, bool force, struct tm_error *err)
{
	struct tm_temp temp = { 0 };
	int rc = file_check_place(name, force, err);

	if (!rc)
		rc = tm_temp_file(&temp, name, err);
	tm_temp_release(&temp);
	/* To callers that parse options, -EINVAL would be a wrong one. */
	return rc == -EINVAL ? -EIO : rc;
}

int file_save(const char *name, bool force, const char *text, struct tm_error *err)
{
	struct tm_temp temp = { 0 };
	int rc = file_check_place(name, force, err);

	if (!rc)
		rc = tm_temp_file(&temp, name, err);
	if (rc)
		return rc;
	rc = write_all(temp.fd, text);
	if (!rc)
		rc = tm_temp_keep(&temp, name, force);
	tm_temp_release(&temp);
	return rc ? tm_error_errno(err, -rc, "%s", name) : 0;
}
