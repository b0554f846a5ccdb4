/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The opened root: every file that tiermem reads or writes is reached through one folder, opened
 * once. Live is "/"; a captured tree is any other folder that holds sys/ or proc/, or an archive
 * that `tiermem snapshot` made of one.
 *
 * Paths are relative to the root, without a leading slash ("sys/devices/system/node/online"). They
 * are resolved with openat2(2) RESOLVE_IN_ROOT: links may point anywhere inside, absolute ones and
 * ".." stop at the root, cycles end in ELOOP. Where the kernel lacks openat2 the same walk is done
 * by hand.
 */
#ifndef TM_SYS_ROOT_H
#define TM_SYS_ROOT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/sys/temp.h"

/* Longest path below a root, with its NUL. */
#define TM_PATH_MAX 1024

/*
 * The system calls by which a root is used. Tests replace them to make the n-th one fail; programs
 * never do. Each returns its result or a negative errno.
 */
struct tm_io {
	/* Opens `path` below the folder `root_fd`, never outside it. flags as open(2). */
	int (*open)(void *context, int root_fd, const char *path, int flags, mode_t mode);
	ssize_t (*read)(void *context, int fd, void *data, size_t size);
	int (*close)(void *context, int fd);
	/* Only for files that are kept open and read again and again. */
	ssize_t (*pread)(void *context, int fd, void *data, size_t size, off_t offset);

	/* Only for roots that are written to. Names are relative to a folder that is open. */
	ssize_t (*write)(void *context, int fd, const void *data, size_t size);
	int (*truncate)(void *context, int fd, off_t size);
	int (*sync)(void *context, int fd);
	int (*rename)(void *context, int folder_fd, const char *from, const char *to);
	int (*unlink)(void *context, int folder_fd, const char *name);
	int (*mkdir)(void *context, int folder_fd, const char *name, mode_t mode);
};

extern const struct tm_io tm_io_system;

struct tm_root {
	int fd;
	bool live;    /* this machine: system calls that act on it make sense */
	bool archive; /* unpacked from one: what is written goes away with it */
	bool replay;  /* a snapshot: read with its machine's page size and name */
	char *name;   /* as the user gave it; "/" when live; of a snapshot, what it was taken of */
	uint64_t page_size; /* bytes; 0: unknown */
	const struct tm_io *io;
	void *io_context;
	struct tm_temp temp; /* where an archive was unpacked to; goes away with the root */
};

/*
 * Opens the root: NULL or a path to "/" is the live machine. Errors: what open(2) gives; -EINVAL
 * where the folder holds neither sys/ nor proc/, or the file is no archive or one that is refused
 * (lib/sys/archive.h).
 */
int tm_root_open(struct tm_root *root, const char *path, struct tm_error *err);
void tm_root_close(struct tm_root *root);

/* Opens a file or folder; -errno. `flags` as open(2); O_CLOEXEC is added. */
int tm_root_openat(const struct tm_root *root, const char *path, int flags, mode_t mode);

/* 0 for an open regular file; -EISDIR or -EINVAL (a FIFO would hang) for what else it is. */
int tm_file_kind(int fd, struct stat *st);

/*
 * Reads a whole file of at most `max` bytes into *text (replaced on success only). -EFBIG where it
 * is larger, -EISDIR, -EINVAL for what is neither a file nor a folder (a FIFO would hang), -EACCES
 * for what nobody may read, also for root.
 */
int tm_root_read(const struct tm_root *root, const char *path, size_t max, struct tm_buf *text);

/* Is something there (whatever it is)? */
bool tm_root_exists(const struct tm_root *root, const char *path);

/* What a link says, without following it. 0 or -errno. */
int tm_root_readlink(const struct tm_root *root, const char *path, char target[TM_PATH_MAX]);

/*
 * Where a path leads after all its links, below the root and without a leading slash. 0 or -errno.
 */
int tm_root_resolve(const struct tm_root *root, const char *path, char resolved[TM_PATH_MAX]);

/*
 * Lists a folder in the kernel's order, without "." and "..". A folder that nobody may read is
 * -EACCES, also for root.
 */
struct tm_scan {
	void *dir;
};

int tm_scan_open(const struct tm_root *root, const char *path, struct tm_scan *scan);
/* The next name, valid until the next call; NULL at the end. */
const char *tm_scan_next(struct tm_scan *scan);
void tm_scan_close(struct tm_scan *scan);

/*
 * For names such as "node12": true when `name` is `prefix` followed by plain decimal digits only
 * (no sign, no leading zeros), and then *id is the number.
 */
bool tm_name_id(const char *name, const char *prefix, long *id);

/* Formats a path; -ENAMETOOLONG where it does not fit. */
int tm_path_format(char path[TM_PATH_MAX], const char *fmt, ...) TM_PRINTF(2, 3);
int tm_path_vformat(char path[TM_PATH_MAX], const char *fmt, va_list ap);

#endif
