/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unpacks what anybody may have made. Two things keep it inside its folder: every path is opened
 * from there part by part, following no link, and nothing that is already there is written to.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sys/archive.h"
#include "lib/sys/libarchive.h"

#define BLOCK (64 * 1024)

/* Modes that tell, while unpacking, whether a folder has had its own entry yet. */
#define MODE_IMPLIED 0700
#define MODE_FOLDER 0755
#define MODE_DENIED 0711

const struct tm_archive_limits tm_archive_limits = {
	.entries = TM_SNAPSHOT_ENTRIES,
	.file = TM_SNAPSHOT_FILE + 1, /* one byte more than any reader takes (lib/sys/record.c) */
	.total = TM_SNAPSHOT_BYTES,
};

struct unpack {
	struct tm_libarchive la;
	struct archive *archive;
	const char *name;
	int folder_fd;
	const struct tm_archive_limits *limits;
	struct tm_error *err;
	size_t entries;
	uint64_t total;
	/* The folder that was last unpacked to, and where the parts of its path end. */
	char parent[TM_PATH_MAX];
	struct {
		size_t end;
		int fd;
	} part[TM_SNAPSHOT_DEPTH];
	int depth;     /* parts that are open */
	char **denied; /* folders, which lose their mode at the end */
	size_t nr_denied, cap_denied;
	char *block;
};

static int refuse(struct unpack *u, const char *path, const char *why)
{
	tm_error_set(u->err, EINVAL, "%.150s: refused: %s%s%.200s", u->name, why, path ? ": " : "",
		     path ? path : "");
	tm_error_hint(u->err, "snapshots hold only files, folders and links that stay inside; this "
			      "one is damaged, or not of tiermem");
	return -EINVAL;
}

/* libarchive cannot go on: no archive at all, cut short, damaged. */
static int refuse_format(struct unpack *u)
{
	const char *why = u->la.archive_error_string(u->archive);

	if (!u->entries) {
		tm_error_set(u->err, EINVAL, "%.300s: not a snapshot archive", u->name);
		tm_error_hint(u->err,
			      "a root is a folder that holds sys/ and proc/, or a file that "
			      "`tiermem snapshot` wrote");
		return -EINVAL;
	}
	return refuse(u, NULL, why ? why : "damaged");
}

static int failed(struct unpack *u, int number, const char *path)
{
	tm_error_errno(u->err, number, "%.150s: cannot be unpacked: %.200s", u->name, path);
	if (number == ENOSPC || number == EDQUOT)
		tm_error_hint(u->err, "set TMPDIR to a folder with more room");
	return -number;
}

/* The path without "." and doubled or trailing slashes; "" for the top itself. */
static int clean_path(struct unpack *u, const char *raw, char path[TM_PATH_MAX])
{
	const char *fault = raw ? tm_entry_path_fault(raw) : "no path";
	size_t len = 0;

	if (fault)
		return refuse(u, raw ? raw : "", fault);
	while (*raw) {
		size_t part = strcspn(raw, "/");

		if (part && !(part == 1 && *raw == '.')) {
			if (len)
				path[len++] = '/';
			memcpy(path + len, raw, part);
			len += part;
		}
		raw += part + (raw[part] == '/');
	}
	path[len] = '\0';
	return 0;
}

static int parent_fd_of(const struct unpack *u)
{
	return u->depth ? u->part[u->depth - 1].fd : u->folder_fd;
}

static void leave(struct unpack *u)
{
	close(u->part[--u->depth].fd);
}

/* Opens a folder in the one that is open, and makes it if it is missing. */
static int enter(struct unpack *u, const char *path, size_t start, size_t end)
{
	const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int parent_fd = parent_fd_of(u), fd;
	char name[TM_PATH_MAX];

	memcpy(name, path + start, end - start);
	name[end - start] = '\0';
	fd = openat(parent_fd, name, flags);
	if (fd < 0 && errno == ENOENT && !mkdirat(parent_fd, name, MODE_IMPLIED))
		fd = openat(parent_fd, name, flags);
	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		return refuse(u, path, "a file or link where a folder should be");
	if (fd < 0)
		return failed(u, errno, path);
	u->part[u->depth].fd = fd;
	u->part[u->depth++].end = end;
	return 0;
}

/*
 * Opens the folder in which `path` lies, from where it parts from that of the entry before. Its
 * descriptor stays u's.
 */
static int enter_parent(struct unpack *u, const char *path, const char **last)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0, end;
	int rc = 0;

	*last = slash ? slash + 1 : path;
	while (u->depth && (u->part[u->depth - 1].end > len ||
			    strncmp(u->parent, path, u->part[u->depth - 1].end) ||
			    path[u->part[u->depth - 1].end] != '/'))
		leave(u);
	memcpy(u->parent, path, len);
	for (end = u->depth ? u->part[u->depth - 1].end + 1 : 0; !rc && end < len; end++) {
		size_t start = end;

		end += strcspn(path + end, "/");
		rc = enter(u, path, start, end);
	}
	return rc ? rc : parent_fd_of(u);
}

static int unpack_folder(struct unpack *u, int parent_fd, const char *last, const char *path,
			 bool denied)
{
	struct stat st;

	if (mkdirat(parent_fd, last, MODE_IMPLIED)) {
		if (errno != EEXIST || fstatat(parent_fd, last, &st, AT_SYMLINK_NOFOLLOW))
			return failed(u, errno, path);
		/* What was already unpacked below it has made it. */
		if (!S_ISDIR(st.st_mode) || (st.st_mode & 0777) != MODE_IMPLIED)
			return refuse(u, path, "there twice");
	}
	if (fchmodat(parent_fd, last, denied ? MODE_DENIED : MODE_FOLDER, 0))
		return failed(u, errno, path);
	if (!denied)
		return 0;
	if (tm_array_grow(&u->denied, u->nr_denied, &u->cap_denied, sizeof(*u->denied)))
		return tm_error_nomem(u->err);
	u->denied[u->nr_denied] = strdup(path);
	if (!u->denied[u->nr_denied])
		return tm_error_nomem(u->err);
	u->nr_denied++;
	return 0;
}

static int write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

static int unpack_content(struct unpack *u, int fd, const char *path, uint64_t size)
{
	uint64_t left = size;
	la_ssize_t n;
	int rc;

	while ((n = u->la.archive_read_data(u->archive, u->block, BLOCK)) > 0) {
		if ((uint64_t)n > left)
			return refuse(u, path, "more in it than it says");
		left -= (uint64_t)n;
		rc = write_all(fd, u->block, (size_t)n);
		if (rc)
			return failed(u, -rc, path);
	}
	if (n < 0)
		return refuse_format(u);
	return left ? refuse(u, path, "less in it than it says") : 0;
}

static int unpack_file(struct unpack *u, int parent_fd, const char *last, const char *path,
		       mode_t mode, uint64_t size)
{
	int fd, rc;

	if (size > u->limits->file)
		return refuse(u, path, "file too large");
	if (size > u->limits->total - u->total)
		return refuse(u, path, "too much in all");
	u->total += size;
	fd = openat(parent_fd, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno == EEXIST ? refuse(u, path, "there twice") : failed(u, errno, path);
	rc = unpack_content(u, fd, path, size);
	if (!rc && fchmod(fd, mode))
		rc = failed(u, errno, path);
	if (close(fd) && !rc)
		rc = failed(u, errno, path);
	return rc;
}

static int unpack_link(struct unpack *u, int parent_fd, const char *last, const char *path,
		       const char *target)
{
	const char *fault = target ? tm_entry_link_fault(path, target) : "link to nothing";

	if (fault)
		return refuse(u, path, fault);
	if (symlinkat(target, parent_fd, last))
		return errno == EEXIST ? refuse(u, path, "there twice") : failed(u, errno, path);
	return 0;
}

static const char *forbidden_kind(unsigned type)
{
	switch (type) {
	case AE_IFREG:
	case AE_IFDIR:
	case AE_IFLNK:
		return NULL;
	case AE_IFIFO:
		return "named pipe";
	case AE_IFSOCK:
		return "socket";
	case AE_IFCHR:
	case AE_IFBLK:
		return "device";
	default:
		return "neither file, folder nor link";
	}
}

/* What nobody may read stays so; what can only be written is nothing that was denied. */
static mode_t file_mode(mode_t recorded)
{
	if (recorded & 0444)
		return 0644;
	return recorded & 0222 ? 0200 : 0000;
}

static int unpack_entry(struct unpack *u, struct archive_entry *e)
{
	const struct tm_libarchive *la = &u->la;
	const char *raw = la->archive_entry_pathname(e), *last, *fault;
	unsigned type = la->archive_entry_filetype(e);
	bool denied = !(la->archive_entry_perm(e) & 0444);
	la_int64_t size = la->archive_entry_size_is_set(e) ? la->archive_entry_size(e) : 0;
	char path[TM_PATH_MAX];
	int rc = clean_path(u, raw, path), parent_fd;

	if (rc)
		return rc;
	fault = la->archive_entry_hardlink(e) ? "hard link" : forbidden_kind(type);
	/* Of these, GNU tar and pax know several kinds, and none is of use here. */
	if (!fault && la->archive_entry_sparse_count(e))
		fault = "sparse file";
	if (!fault && (size < 0 || (size && type != AE_IFREG)))
		fault = "wrong size";
	if (fault)
		return refuse(u, raw, fault);
	if (!*path)
		return type == AE_IFDIR ? 0 : refuse(u, raw, "no name");
	parent_fd = enter_parent(u, path, &last);
	if (parent_fd < 0)
		return parent_fd;
	switch (type) {
	case AE_IFDIR:
		return unpack_folder(u, parent_fd, last, path, denied);
	case AE_IFREG:
		return unpack_file(u, parent_fd, last, path, file_mode(la->archive_entry_perm(e)),
				   (uint64_t)size);
	default:
		return unpack_link(u, parent_fd, last, path, la->archive_entry_symlink(e));
	}
}

/* Deepest last in the list of any archive that tiermem wrote, so from its end. */
static int deny_folders(struct unpack *u)
{
	const char *last;
	int parent_fd;

	while (u->nr_denied) {
		const char *path = u->denied[u->nr_denied - 1];

		parent_fd = enter_parent(u, path, &last);
		if (parent_fd < 0)
			return parent_fd;
		if (fchmodat(parent_fd, last, 0111, 0))
			return failed(u, errno, path);
		free(u->denied[--u->nr_denied]);
	}
	return 0;
}

static int unpack_all(struct unpack *u, int fd)
{
	const struct tm_libarchive *la = &u->la;
	struct archive *a = u->archive;
	struct archive_entry *e;
	int rc;

	/* A filter that needed a program of its own would answer with a warning. */
	if (la->archive_read_support_filter_gzip(a) || la->archive_read_support_filter_bzip2(a) ||
	    la->archive_read_support_filter_xz(a) || la->archive_read_support_filter_zstd(a) ||
	    la->archive_read_support_format_tar(a))
		return tm_error_set(u->err, ENOSYS,
				    "this libarchive lacks one of gzip, bzip2, xz and zstd");
	if (la->archive_read_open_fd(a, fd, BLOCK))
		return refuse_format(u);
	while ((rc = la->archive_read_next_header(a, &e)) == ARCHIVE_OK) {
		/* The second is the file itself. */
		if (la->archive_filter_count(a) > 2)
			return refuse(u, NULL, "compressed twice");
		if (u->entries++ >= u->limits->entries)
			return refuse(u, NULL, "too many entries");
		rc = unpack_entry(u, e);
		if (rc)
			return rc;
	}
	if (rc != ARCHIVE_EOF || !u->entries)
		return refuse_format(u);
	return deny_folders(u);
}

int tm_archive_unpack(int fd, const char *name, int folder_fd,
		      const struct tm_archive_limits *limits, struct tm_error *err)
{
	struct unpack u = {
		.name = name,
		.folder_fd = folder_fd,
		.limits = limits,
		.err = err,
	};
	int rc = tm_libarchive_load(&u.la, err);

	if (rc)
		return rc;
	u.block = malloc(BLOCK);
	u.archive = u.la.archive_read_new();
	rc = u.block && u.archive ? unpack_all(&u, fd) : tm_error_nomem(err);
	if (u.archive)
		u.la.archive_read_free(u.archive);
	free(u.block);
	while (u.nr_denied)
		free(u.denied[--u.nr_denied]);
	free(u.denied);
	while (u.depth)
		leave(&u);
	tm_libarchive_unload(&u.la);
	return rc;
}
