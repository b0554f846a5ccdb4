/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The system's own I/O, and the walk that stands in for openat2 where the kernel does not have it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
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
	if ((size_t)len + 1 + rest >= sizeof(joined))
		return -ENAMETOOLONG;
	memcpy(joined, target, (size_t)len);
	joined[len] = '/';
	memcpy(joined + len + 1, walk->rest, rest + 1);
	memcpy(walk->rest, joined, (size_t)len + 1 + rest + 1);
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

	if (strlen(path) >= sizeof(walk.rest))
		return -ENAMETOOLONG;
	strcpy(walk.rest, path);
	while (!rc && !at_end(&walk)) {
		if (!take(&walk, name)) {
			rc = -ENAMETOOLONG;
			break;
		}
		if (!strcmp(name, "."))
			continue;
		if (!strcmp(name, "..")) {
			leave(&walk, walk.depth ? walk.depth - 1 : 0);
			continue;
		}
		fd = openat(walk.fd[walk.depth], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0) {
			rc = -errno;
			if (rc == -ENOENT && at_end(&walk) && (flags & O_CREAT))
				goto final;
			break;
		}
		if (fstat(fd, &st)) {
			rc = -errno;
		} else if (S_ISLNK(st.st_mode)) {
			if (at_end(&walk) && (flags & O_NOFOLLOW)) {
				close(fd);
				goto final;
			}
			rc = follow(&walk, fd);
			if (!rc) {
				close(fd);
				continue;
			}
		} else if (!S_ISDIR(st.st_mode)) {
			close(fd);
			rc = at_end(&walk) ? 0 : -ENOTDIR;
			if (!rc)
				goto final;
			break;
		} else {
			rc = enter(&walk, fd);
			if (!rc)
				continue;
		}
		close(fd);
	}
	strcpy(name, "."); /* the path ended in a folder */
final:
	if (!rc || (rc == -ENOENT && (flags & O_CREAT))) {
		fd = openat(walk.fd[walk.depth], name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
		rc = fd < 0 ? -errno : fd;
	}
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

const struct tm_io tm_io_system = {
	.open = system_open,
	.read = system_read,
	.close = system_close,
};
