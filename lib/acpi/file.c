/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/acpi/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "lib/sys/root.h"

int tm_acpi_read_file(int dir, const char *path, size_t max, struct tm_buf *bytes)
{
	struct tm_buf whole = TM_BUF_INIT;
	/* O_NONBLOCK: a FIFO must not wait for a writer. */
	int fd = openat(dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	ssize_t n;
	int rc;

	if (fd < 0)
		return -errno;
	rc = tm_file_kind(fd, &st);
	if (!rc && st.st_size > 0 && (uint64_t)st.st_size > max)
		rc = -EFBIG;
	while (!rc) {
		rc = tm_buf_reserve(&whole, 65536);
		if (rc)
			break;
		n = read(fd, whole.data + whole.len, whole.cap - whole.len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			rc = -errno;
		if (n <= 0)
			break;
		whole.len += (size_t)n;
		if (whole.len > max)
			rc = -EFBIG;
	}
	close(fd);
	if (rc) {
		tm_buf_release(&whole);
		return rc;
	}
	tm_buf_release(bytes);
	*bytes = whole;
	return 0;
}

bool tm_acpi_is_dump(const char *text, size_t len)
{
	static const char mark[] = " @ 0x";
	const char *at = text;

	if (memchr(text, '\0', len))
		return false;
	while ((at = memmem(at, len - (size_t)(at - text), mark, strlen(mark)))) {
		const char *line = at - 4;
		bool good = at - text >= 4 && (at - text == 4 || line[-1] == '\n');

		for (int i = 0; good && i < 4; i++)
			good = isalnum((unsigned char)line[i]) || line[i] == '_';
		if (good)
			return true;
		at++;
	}
	return false;
}
