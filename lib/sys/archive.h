/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Snapshots as tar archives. Writing is reproducible: the same entries and time give the same
 * bytes. What is read may come from anyone: it is refused as a whole as soon as something in it is
 * not what writing makes (lib/sys/entry.h).
 */
#ifndef TM_SYS_ARCHIVE_H
#define TM_SYS_ARCHIVE_H

#include <time.h>

#include "lib/sys/entry.h"

enum tm_compression { TM_TAR, TM_TAR_GZ, TM_TAR_XZ, TM_TAR_ZST };

/* By the name's end (".tar.zst"). 0, or -EINVAL where it is none of these. */
int tm_archive_compression(const char *name, enum tm_compression *compression);

/*
 * Writes the entries, in the order of the list, to an open file. -errno of what failed, -ENOSYS
 * without libarchive.
 */
int tm_archive_write(int fd, enum tm_compression compression, struct tm_entry *const *list,
		     size_t nr, time_t time, struct tm_error *err);

struct tm_archive_limits {
	size_t entries;
	uint64_t file;	/* bytes of one */
	uint64_t total; /* bytes of all together */
};

extern const struct tm_archive_limits tm_archive_limits;

/*
 * Unpacks an archive (`name` is for messages) into an empty folder that nobody else writes to. What
 * was unpacked before a fault stays there. -EINVAL: no archive, or one that is refused; -ENOSYS
 * without libarchive; else what writing gave.
 */
int tm_archive_unpack(int fd, const char *name, int folder_fd,
		      const struct tm_archive_limits *limits, struct tm_error *err);

#endif
