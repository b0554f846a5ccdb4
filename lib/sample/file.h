/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file of counters that is kept open and read again for each sample. Its buffer grows to what the
 * file needs and then stays: a sample allocates nothing.
 */
#ifndef TM_SAMPLE_FILE_H
#define TM_SAMPLE_FILE_H

#include "lib/base/error.h"
#include "lib/base/value.h"
#include "lib/sys/root.h"

struct tm_file {
	const struct tm_root *root; /* borrowed */
	int fd;
	enum tm_state state; /* TM_KNOWN: open; else why not */
	char *data;
	size_t len, cap;
};

/* A file that cannot be opened says why in its state. `root` must outlive it. */
void tm_file_open(struct tm_file *file, const struct tm_root *root, const char *path);
void tm_file_close(struct tm_file *file);

/*
 * Reads the whole file into `data`, with a NUL after it. 0 or -errno: -EFBIG above 16 MiB, -ENOENT
 * and the like where it is not open.
 */
int tm_file_read(struct tm_file *file);

/*
 * For files of any size, read in parts: continues at `offset` after the `keep` bytes at the end of
 * `data`, which move to its front. Returns how many bytes came, 0 at the end, or -errno.
 */
ssize_t tm_file_next(struct tm_file *file, size_t keep, off_t offset);

#endif
