/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sys/archive.h"
#include "lib/sys/libarchive.h"

int tm_archive_compression(const char *name, enum tm_compression *compression)
{
	static const char *const suffix[] = {
		[TM_TAR] = ".tar",
		[TM_TAR_GZ] = ".tar.gz",
		[TM_TAR_XZ] = ".tar.xz",
		[TM_TAR_ZST] = ".tar.zst",
	};
	size_t len = strlen(name);

	for (size_t i = 0; i < TM_ARRAY_SIZE(suffix); i++) {
		size_t end = strlen(suffix[i]);

		if (len <= end || name[len - end - 1] == '/' || strcmp(name + len - end, suffix[i]))
			continue;
		*compression = (enum tm_compression)i;
		return 0;
	}
	return -EINVAL;
}

struct output {
	int fd;
	int error; /* errno of the first write that failed */
};

/* A failure is kept from libarchive, which would leave memory behind. */
static la_ssize_t write_output(struct archive *a, void *context, const void *data, size_t size)
{
	struct output *out = context;
	const char *at = data;
	size_t left = size;

	(void)a;
	while (left && !out->error) {
		ssize_t n = write(out->fd, at, left);

		if (n < 0 && errno != EINTR)
			out->error = errno;
		if (n > 0) {
			at += n;
			left -= (size_t)n;
		}
	}
	return (la_ssize_t)size;
}

static int add_filter(const struct tm_libarchive *la, struct archive *a, enum tm_compression c)
{
	switch (c) {
	case TM_TAR_GZ:
		/* Its head would have the time of now. */
		if (la->archive_write_add_filter_gzip(a) != ARCHIVE_OK)
			return ARCHIVE_FATAL;
		return la->archive_write_set_filter_option(a, "gzip", "timestamp", NULL);
	case TM_TAR_XZ:
		return la->archive_write_add_filter_xz(a);
	case TM_TAR_ZST:
		return la->archive_write_add_filter_zstd(a);
	case TM_TAR:
		break;
	}
	return la->archive_write_add_filter_none(a);
}

static mode_t mode_of(const struct tm_entry *entry)
{
	switch (entry->kind) {
	case TM_ENTRY_FOLDER:
		/* What is in a folder that cannot be listed may still be found by name. */
		return entry->denied ? 0111 : 0755;
	case TM_ENTRY_FILE:
		return entry->denied ? 0000 : entry->write_only ? 0200 : 0644;
	case TM_ENTRY_LINK:
		break;
	}
	return 0777;
}

static int add_entry(const struct tm_libarchive *la, struct archive *a, struct archive_entry *e,
		     const struct tm_entry *entry, time_t time)
{
	static const unsigned type[] = {
		[TM_ENTRY_FOLDER] = AE_IFDIR,
		[TM_ENTRY_FILE] = AE_IFREG,
		[TM_ENTRY_LINK] = AE_IFLNK,
	};
	size_t size = entry->kind == TM_ENTRY_FILE ? entry->size : 0;
	int rc;

	la->archive_entry_clear(e);
	la->archive_entry_set_pathname(e, entry->path);
	la->archive_entry_set_filetype(e, type[entry->kind]);
	la->archive_entry_set_perm(e, mode_of(entry));
	la->archive_entry_set_size(e, (la_int64_t)size);
	la->archive_entry_set_mtime(e, time, 0);
	if (entry->kind == TM_ENTRY_LINK)
		la->archive_entry_set_symlink(e, entry->data);
	rc = la->archive_write_header(a, e);
	if (rc == ARCHIVE_OK && size &&
	    la->archive_write_data(a, entry->data, size) != (la_ssize_t)size)
		rc = ARCHIVE_FATAL;
	return rc;
}

int tm_archive_write(int fd, enum tm_compression compression, struct tm_entry *const *list,
		     size_t nr, time_t time, struct tm_error *err)
{
	struct output out = { .fd = fd };
	struct tm_libarchive la;
	struct archive_entry *e = NULL;
	struct archive *a;
	int rc = tm_libarchive_load(&la, err);

	if (rc)
		return rc;
	a = la.archive_write_new();
	if (a)
		e = la.archive_entry_new();
	if (!e) {
		rc = tm_error_nomem(err);
		goto free;
	}
	rc = add_filter(&la, a, compression);
	/* Of tar's forms this one takes any name as it is. */
	if (rc == ARCHIVE_OK)
		rc = la.archive_write_set_format_gnutar(a);
	/* No padding to a tape's blocks. */
	if (rc == ARCHIVE_OK)
		rc = la.archive_write_set_bytes_in_last_block(a, 1);
	if (rc == ARCHIVE_OK)
		rc = la.archive_write_open(a, &out, NULL, write_output, NULL);
	for (size_t i = 0; rc == ARCHIVE_OK && !out.error && i < nr; i++)
		rc = add_entry(&la, a, e, list[i], time);
	if (rc == ARCHIVE_OK)
		rc = la.archive_write_close(a);
	if (out.error)
		rc = tm_error_errno(err, out.error, "the archive cannot be written");
	else if (rc != ARCHIVE_OK)
		rc = tm_error_set(err, EIO, "the archive cannot be written: %s",
				  la.archive_error_string(a) ? la.archive_error_string(a) :
							       "libarchive does not say why");
free:
	if (e)
		la.archive_entry_free(e);
	if (a)
		la.archive_write_free(a);
	tm_libarchive_unload(&la);
	return rc;
}
