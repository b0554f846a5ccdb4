/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libarchive, loaded when it is used: reading a machine must not pay for it, and tiermem works
 * without it but for snapshots. Internal to lib/sys.
 */
#ifndef TM_SYS_LIBARCHIVE_H
#define TM_SYS_LIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#include "lib/base/error.h"

#define TM_LIBARCHIVE(X)                         \
	X(archive_entry_clear)                   \
	X(archive_entry_filetype)                \
	X(archive_entry_free)                    \
	X(archive_entry_hardlink)                \
	X(archive_entry_new)                     \
	X(archive_entry_pathname)                \
	X(archive_entry_perm)                    \
	X(archive_entry_set_filetype)            \
	X(archive_entry_set_mtime)               \
	X(archive_entry_set_pathname)            \
	X(archive_entry_set_perm)                \
	X(archive_entry_set_size)                \
	X(archive_entry_set_symlink)             \
	X(archive_entry_size)                    \
	X(archive_entry_size_is_set)             \
	X(archive_entry_sparse_count)            \
	X(archive_entry_symlink)                 \
	X(archive_error_string)                  \
	X(archive_filter_count)                  \
	X(archive_read_data)                     \
	X(archive_read_free)                     \
	X(archive_read_new)                      \
	X(archive_read_next_header)              \
	X(archive_read_open_fd)                  \
	X(archive_read_support_filter_bzip2)     \
	X(archive_read_support_filter_gzip)      \
	X(archive_read_support_filter_xz)        \
	X(archive_read_support_filter_zstd)      \
	X(archive_read_support_format_tar)       \
	X(archive_write_add_filter_gzip)         \
	X(archive_write_add_filter_none)         \
	X(archive_write_add_filter_xz)           \
	X(archive_write_add_filter_zstd)         \
	X(archive_write_close)                   \
	X(archive_write_data)                    \
	X(archive_write_free)                    \
	X(archive_write_header)                  \
	X(archive_write_new)                     \
	X(archive_write_open)                    \
	X(archive_write_set_bytes_in_last_block) \
	X(archive_write_set_filter_option)       \
	X(archive_write_set_format_gnutar)

struct tm_libarchive {
	void *handle;
#define TM_LIBARCHIVE_MEMBER(function) __typeof__(&(function)) function;
	TM_LIBARCHIVE(TM_LIBARCHIVE_MEMBER)
#undef TM_LIBARCHIVE_MEMBER
};

/* 0, or -ENOSYS where the library is not installed. */
int tm_libarchive_load(struct tm_libarchive *la, struct tm_error *err);
void tm_libarchive_unload(struct tm_libarchive *la);

#endif
