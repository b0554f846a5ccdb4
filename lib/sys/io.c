/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The system's own I/O, and the walk that stands in for openat2 where the kernel does not have it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/sys/root.h"
#include "lib/sys/walk.h"

/* As the kernel's own limit (path_resolution(7)). */
#define MAX_LINKS 40
#define MAX_DEPTH 128

struct walk {
	int fd[MAX_DEPTH]; /* fd[0] is the root and not ours; the others are the folders entered */
	int depth;
	int links;
	char rest[2 * TM_PATH_MAX]; /* what is still to be walked */
};

static void leave(struct walk *walk, int depth)
{
	while (walk->depth > depth)
		close(walk->fd[walk->depth--]);
}

/* Replaces the component just taken by the link's target. */
static int follow(struct walk *walk, int link_fd)
{
	char target[TM_PATH_MAX], joined[sizeof(walk->rest)];
	ssize_t len = readlinkat(link_fd, "", target, sizeof(target) - 1);
	size_t rest = strlen(walk->rest);

	if (len < 0)
		return -errno;
	target[len] = '\0';
	if (++walk->links > MAX_LINKS)
		return -ELOOP;
	/* A target that fills all the room may go on beyond it. */
	if ((size_t)len == sizeof(target) - 1 || (size_t)len + rest >= sizeof(joined))
		return -ENAMETOOLONG;
	/* What is left is empty or begins with a slash. */
	memcpy(joined, target, (size_t)len);
	memcpy(joined + len, walk->rest, rest + 1);
	memcpy(walk->rest, joined, (size_t)len + rest + 1);
	if (target[0] == '/')
		leave(walk, 0); /* absolute: from the root */
	return 0;
}

static int enter(struct walk *walk, int fd)
{
	if (walk->depth + 1 >= MAX_DEPTH)
		return -ENAMETOOLONG;
	walk->fd[++walk->depth] = fd;
	return 0;
}

/* Takes the next component off `rest`; false when there is none. */
static bool take(struct walk *walk, char name[256])
{
	char *start = walk->rest + strspn(walk->rest, "/");
	size_t len = strcspn(start, "/");

	if (!len || len > 255)
		return false;
	memcpy(name, start, len);
	name[len] = '\0';
	memmove(walk->rest, start + len, strlen(start + len) + 1);
	return true;
}

static bool at_end(const struct walk *walk)
{
	return walk->rest[strspn(walk->rest, "/")] == '\0';
}

int tm_walk_open(int root_fd, const char *path, int flags, mode_t mode)
{
	struct walk walk = { .fd = { root_fd } };
	char name[256];
	struct stat st;
	int fd, rc = 0;

	if (!*path)
		return -ENOENT;
	if (strlen(path) >= sizeof(walk.rest))
		return -ENAMETOOLONG;
	strcpy(walk.rest, path);
	while (!rc && !at_end(&walk)) {
		bool last;

		if (!take(&walk, name)) {
			rc = -ENAMETOOLONG;
			break;
		}
		last = !walk.rest[0]; /* with a slash behind it, it must be a folder */
		if (!strcmp(name, "."))
			continue;
		if (!strcmp(name, "..")) {
			leave(&walk, walk.depth ? walk.depth - 1 : 0);
			continue;
		}
		fd = openat(walk.fd[walk.depth], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0) {
			rc = -errno;
			if (rc == -ENOENT && last && (flags & O_CREAT))
				goto final;
			break;
		}
		if (fstat(fd, &st)) {
			rc = -errno;
		} else if (S_ISLNK(st.st_mode)) {
			if (last && (flags & O_NOFOLLOW)) {
				close(fd);
				goto final;
			}
			rc = follow(&walk, fd);
		} else if (S_ISDIR(st.st_mode)) {
			rc = enter(&walk, fd);
			if (!rc)
				continue;
		} else if (last) {
			close(fd);
			goto final;
		} else {
			rc = -ENOTDIR;
		}
		close(fd);
	}
	if (rc)
		goto out;
	strcpy(name, "."); /* the path ended in a folder */
final:
	fd = openat(walk.fd[walk.depth], name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
	rc = fd < 0 ? -errno : fd;
out:
	leave(&walk, 0);
	return rc;
}

static int system_open(void *context, int root_fd, const char *path, int flags, mode_t mode)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd;

	(void)context;
	do
		fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	while (fd < 0 && (errno == EINTR || errno == EAGAIN));
	if (fd >= 0)
		return (int)fd;
	return errno == ENOSYS ? tm_walk_open(root_fd, path, flags, mode) : -errno;
}

static ssize_t system_read(void *context, int fd, void *data, size_t size)
{
	ssize_t n;

	(void)context;
	do
		n = read(fd, data, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static int system_close(void *context, int fd)
{
	(void)context;
	return close(fd) ? -errno : 0;
}

/* At the file's start: settings are written whole. */
static ssize_t system_pread(void *context, int fd, void *data, size_t size, off_t offset)
{
	ssize_t n;

	(void)context;
	do
		n = pread(fd, data, size, offset);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static ssize_t system_write(void *context, int fd, const void *data, size_t size)
{
	ssize_t n;

	(void)context;
	do {
		n = pwrite(fd, data, size, 0);
		/* The numbers in debugfs know no offsets, and take each write as a whole. */
		if (n < 0 && errno == ESPIPE)
			n = write(fd, data, size);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static int system_truncate(void *context, int fd, off_t size)
{
	(void)context;
	return ftruncate(fd, size) ? -errno : 0;
}

static int system_sync(void *context, int fd)
{
	(void)context;
	return fsync(fd) ? -errno : 0;
}

static int system_rename(void *context, int folder_fd, const char *from, const char *to)
{
	(void)context;
	return renameat(folder_fd, from, folder_fd, to) ? -errno : 0;
}

static int system_unlink(void *context, int folder_fd, const char *name)
{
	(void)context;
	return unlinkat(folder_fd, name, 0) ? -errno : 0;
}

static int system_mkdir(void *context, int folder_fd, const char *name, mode_t mode)
{
	(void)context;
	return mkdirat(folder_fd, name, mode) ? -errno : 0;
}

const struct tm_io tm_io_system = {
	.open = system_open,
	.read = system_read,
	.close = system_close,
	.pread = system_pread,
	.write = system_write,
	.truncate = system_truncate,
	.sync = system_sync,
	.rename = system_rename,
	.unlink = system_unlink,
	.mkdir = system_mkdir,
};
