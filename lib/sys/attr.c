/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libsysfs reads the attributes. It takes names only, so it is given the name of a descriptor that
 * was opened inside the root: it can reach nothing else. What is longer than the page that libsysfs
 * reads (lists of CPUs on large machines are the only case in the kernel) is read again as a file.
 * Folders are listed by lib/sys/root.c: libsysfs sorts its lists by insertion, which takes seconds
 * for the tens of thousands of memory blocks of a large machine.
 */
#include "lib/sys/attr.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysfs/libsysfs.h>
#include <unistd.h>

#include "lib/base/units.h"
#include "lib/sys/entry.h"

/* No attribute holds a NUL byte, but in a snapshot one stands for what reading failed with. */
static int refuse_binary(const struct tm_root *root, const char *data, size_t len)
{
	int number = root->replay ? tm_stand_in_parse(data, len) : 0;

	return number ? -number : -EINVAL;
}

/* libsysfs on an open descriptor. 1: longer than it can read. */
static int read_by_libsysfs(const struct tm_root *root, int fd, struct tm_buf *text)
{
	struct sysfs_attribute *attr;
	char name[32];
	int rc = 0;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	attr = sysfs_open_attribute(name);
	if (!attr)
		return errno ? -errno : -EIO;
	errno = 0;
	if (sysfs_read_attribute(attr))
		rc = errno ? -errno : -EIO;
	else if (attr->len >= sysconf(_SC_PAGESIZE))
		rc = 1;
	else if (attr->len && memchr(attr->value, '\0', (size_t)attr->len))
		rc = refuse_binary(root, attr->value, (size_t)attr->len);
	else if (attr->len)
		tm_buf_add(text, attr->value, (size_t)attr->len);
	sysfs_close_attribute(attr);
	return rc;
}

int tm_attr_read(const struct tm_root *root, const char *path, struct tm_buf *text)
{
	struct tm_buf read = TM_BUF_INIT;
	int fd = tm_root_openat(root, path, O_PATH, 0);
	struct stat st;
	int rc = 0;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		rc = -errno;
	else if (S_ISDIR(st.st_mode))
		rc = -EISDIR;
	else if (!S_ISREG(st.st_mode))
		rc = -EINVAL;
	else
		rc = read_by_libsysfs(root, fd, &read);
	root->io->close(root->io_context, fd);
	if (rc == 1) {
		rc = tm_root_read(root, path, TM_ATTR_MAX, &read);
		if (!rc && memchr(read.data, '\0', read.len))
			rc = -EINVAL;
	}
	if (!rc && read.failed)
		rc = -ENOMEM;
	if (rc) {
		tm_buf_release(&read);
		return rc;
	}
	while (read.len && isspace((unsigned char)read.data[read.len - 1]))
		read.data[--read.len] = '\0';
	tm_buf_release(text);
	*text = read;
	return 0;
}

struct tm_text tm_attr_text(const struct tm_root *root, const char *path)
{
	struct tm_buf buf = TM_BUF_INIT;
	struct tm_text text = { NULL, TM_UNKNOWN };
	int rc = tm_attr_read(root, path, &buf);

	if (rc) {
		text.state = tm_state_from_errno(-rc);
	} else if (!buf.len) {
		text.state = TM_NOT_PROVIDED;
		tm_buf_release(&buf);
	} else {
		text.value = tm_buf_detach(&buf);
		text.state = text.value ? TM_KNOWN : TM_MALFORMED;
	}
	return text;
}

struct tm_num tm_attr_num(const struct tm_root *root, const char *path)
{
	struct tm_text text = tm_attr_text(root, path);
	struct tm_num num = tm_num_none(text.state);

	/* An empty file is no number, whatever it means for a text. */
	if (text.state == TM_NOT_PROVIDED)
		num.state = TM_MALFORMED;
	if (text.state == TM_KNOWN)
		num.state = tm_parse_u64(text.value, &num.value) ? TM_MALFORMED : TM_KNOWN;
	if (num.state != TM_KNOWN)
		num.value = 0;
	tm_text_release(&text);
	return num;
}

static enum tm_state read_set(const struct tm_root *root, const char *path, struct tm_idset *set,
			      int (*parse)(struct tm_idset *set, const char *text))
{
	struct tm_buf buf = TM_BUF_INIT;
	int rc = tm_attr_read(root, path, &buf);

	if (!rc)
		rc = parse(set, tm_buf_str(&buf));
	tm_buf_release(&buf);
	return rc ? tm_state_from_errno(-rc) : TM_KNOWN;
}

enum tm_state tm_attr_list(const struct tm_root *root, const char *path, struct tm_idset *set)
{
	return read_set(root, path, set, tm_idset_parse_list);
}

enum tm_state tm_attr_mask(const struct tm_root *root, const char *path, struct tm_idset *set)
{
	return read_set(root, path, set, tm_idset_parse_mask);
}
