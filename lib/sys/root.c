/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sys/root.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sys/entry.h"
#include "lib/sys/snapshot.h"

static bool is_live(int fd)
{
	struct stat here, slash;

	return !fstat(fd, &here) && !stat("/", &slash) && here.st_dev == slash.st_dev &&
	       here.st_ino == slash.st_ino;
}

/* The folder, or the one to which an archive was unpacked. A descriptor or -errno. */
static int open_folder(const char *path, struct tm_temp *temp, struct tm_error *err)
{
	/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), rc;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		rc = tm_error_errno(err, errno, "%s", path);
	} else if (S_ISDIR(st.st_mode)) {
		return fd;
	} else if (S_ISREG(st.st_mode)) {
		rc = tm_snapshot_unpack(fd, path, temp, err);
		if (!rc)
			rc = fcntl(temp->fd, F_DUPFD_CLOEXEC, 0);
		if (rc < 0 && temp->guardian)
			rc = tm_error_errno(err, errno, "%s", path);
	} else {
		rc = tm_error_errno(err, ENOTDIR, "%s", path);
		tm_error_hint(err,
			      "a root is a folder that holds sys/ and proc/, or an archive of one");
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

static int check(struct tm_root *root, const char *path, struct tm_error *err)
{
	int rc;

	if (tm_root_exists(root, "sys") || tm_root_exists(root, "proc"))
		return root->live ? 0 : tm_snapshot_identify(root, err);
	rc = tm_error_set(err, EINVAL, "%s: holds neither sys/ nor proc/", path);
	if (root->live)
		tm_error_hint(err, "mount sysfs and procfs first");
	else
		tm_error_hint(err, "give the folder above sys/, as it was captured");
	return rc;
}

int tm_root_open(struct tm_root *root, const char *path, struct tm_error *err)
{
	struct tm_root opened = { .io = &tm_io_system };
	int rc;

	if (!path)
		path = "/";
	opened.fd = open_folder(path, &opened.temp, err);
	if (opened.fd < 0) {
		rc = opened.fd;
		tm_temp_release(&opened.temp);
		return rc;
	}
	opened.live = is_live(opened.fd);
	opened.archive = opened.temp.guardian != 0;
	if (opened.live)
		opened.page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	opened.name = strdup(opened.live ? "/" : path);
	rc = opened.name ? check(&opened, path, err) : tm_error_nomem(err);
	if (rc) {
		close(opened.fd);
		free(opened.name);
		tm_temp_release(&opened.temp);
		return rc;
	}
	*root = opened;
	return 0;
}

void tm_root_close(struct tm_root *root)
{
	if (!root->name)
		return;
	close(root->fd);
	free(root->name);
	tm_temp_release(&root->temp);
	*root = (struct tm_root){ .fd = -1 };
}

int tm_root_openat(const struct tm_root *root, const char *path, int flags, mode_t mode)
{
	return root->io->open(root->io_context, root->fd, path, flags, mode);
}

int tm_file_kind(int fd, struct stat *st)
{
	if (fstat(fd, st))
		return -errno;
	if (S_ISDIR(st->st_mode))
		return -EISDIR;
	return S_ISREG(st->st_mode) ? 0 : -EINVAL;
}

int tm_root_read(const struct tm_root *root, const char *path, size_t max, struct tm_buf *text)
{
	struct tm_buf whole = TM_BUF_INIT;
	/* O_NONBLOCK: opening a FIFO in a stranger's tree must not wait for a writer. */
	int fd = tm_root_openat(root, path, O_RDONLY | O_NONBLOCK, 0);
	struct stat st;
	ssize_t n;
	int rc;

	if (fd < 0)
		return fd;
	rc = tm_file_kind(fd, &st);
	/* As sysfs has it, and libsysfs: what nobody may read is denied to root too. */
	if (!rc && !(st.st_mode & 0444))
		rc = -EACCES;
	while (!rc) {
		rc = tm_buf_reserve(&whole, 4096);
		if (rc)
			break;
		n = root->io->read(root->io_context, fd, whole.data + whole.len,
				   whole.cap - whole.len - 1);
		if (n <= 0) {
			rc = (int)n;
			break;
		}
		whole.len += (size_t)n;
		if (whole.len > max)
			rc = -EFBIG;
	}
	root->io->close(root->io_context, fd);
	if (!rc && root->replay)
		rc = -tm_stand_in_parse(whole.data, whole.len);
	if (rc) {
		tm_buf_release(&whole);
		return rc;
	}
	whole.data[whole.len] = '\0';
	tm_buf_release(text);
	*text = whole;
	return 0;
}

bool tm_root_exists(const struct tm_root *root, const char *path)
{
	int fd = tm_root_openat(root, path, O_PATH, 0);

	if (fd < 0)
		return false;
	root->io->close(root->io_context, fd);
	return true;
}

static int read_link_of(int fd, const char *name, char target[TM_PATH_MAX])
{
	char text[TM_PATH_MAX];
	ssize_t len = readlinkat(fd, name, text, sizeof(text));

	if (len < 0)
		return -errno;
	if ((size_t)len >= sizeof(text))
		return -ENAMETOOLONG;
	memcpy(target, text, (size_t)len);
	target[len] = '\0';
	return 0;
}

int tm_root_readlink(const struct tm_root *root, const char *path, char target[TM_PATH_MAX])
{
	int fd = tm_root_openat(root, path, O_PATH | O_NOFOLLOW, 0);
	int rc;

	if (fd < 0)
		return fd;
	rc = read_link_of(fd, "", target);
	root->io->close(root->io_context, fd);
	return rc == -ENOENT ? -EINVAL : rc; /* an O_PATH descriptor of no link says ENOENT */
}

/* The absolute name of an open descriptor. */
static int descriptor_path(int fd, char path[TM_PATH_MAX])
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return read_link_of(AT_FDCWD, name, path);
}

int tm_root_resolve(const struct tm_root *root, const char *path, char resolved[TM_PATH_MAX])
{
	char base[TM_PATH_MAX] = "", absolute[TM_PATH_MAX] = "";
	int fd = tm_root_openat(root, path, O_PATH, 0);
	size_t len;
	int rc;

	if (fd < 0)
		return fd;
	rc = descriptor_path(root->fd, base);
	if (!rc)
		rc = descriptor_path(fd, absolute);
	root->io->close(root->io_context, fd);
	if (rc)
		return rc;
	len = strlen(base);
	if (len && base[len - 1] == '/')
		len--;
	if (strncmp(absolute, base, len) || (absolute[len] != '/' && absolute[len] != '\0'))
		return -EXDEV;
	len += strspn(absolute + len, "/");
	memmove(resolved, absolute + len, strlen(absolute + len) + 1);
	return 0;
}

int tm_scan_open(const struct tm_root *root, const char *path, struct tm_scan *scan)
{
	int fd = tm_root_openat(root, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0);
	struct stat st;
	DIR *dir;
	int rc = 0;

	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) && !(st.st_mode & 0444))
		rc = -EACCES;
	dir = rc ? NULL : fdopendir(fd);
	if (!dir) {
		rc = rc ? rc : -errno;
		root->io->close(root->io_context, fd);
		return rc;
	}
	scan->dir = dir;
	return 0;
}

const char *tm_scan_next(struct tm_scan *scan)
{
	struct dirent *entry;

	do
		entry = readdir(scan->dir);
	while (entry && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")));
	return entry ? entry->d_name : NULL;
}

void tm_scan_close(struct tm_scan *scan)
{
	if (scan->dir)
		closedir(scan->dir);
	scan->dir = NULL;
}

bool tm_name_id(const char *name, const char *prefix, long *id)
{
	size_t len = strlen(prefix);
	long number = 0;

	if (strncmp(name, prefix, len) || !isdigit((unsigned char)name[len]))
		return false;
	if (name[len] == '0' && name[len + 1])
		return false;
	for (name += len; isdigit((unsigned char)*name); name++) {
		if (number > 100000000)
			return false;
		number = number * 10 + (*name - '0');
	}
	if (*name)
		return false;
	*id = number;
	return true;
}

int tm_path_vformat(char path[TM_PATH_MAX], const char *fmt, va_list ap)
{
	int len = vsnprintf(path, TM_PATH_MAX, fmt, ap);

	return len < 0 || len >= TM_PATH_MAX ? -ENAMETOOLONG : 0;
}

int tm_path_format(char path[TM_PATH_MAX], const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = tm_path_vformat(path, fmt, ap);
	va_end(ap);
	return rc;
}
