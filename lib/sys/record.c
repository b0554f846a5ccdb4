/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The recorder's open() is the real one, and walks the same path once more by its parts: each
 * link and folder on the way becomes an entry, and the file at its end is read. Entries are found
 * by the path that is left when all links are followed, so nothing is read twice.
 */
#include "lib/sys/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sys/attr.h"

/* As the kernel's own limit (path_resolution(7)). */
#define MAX_LINKS 40

#define TABLE_MAX (16u << 20)

static void fail(struct tm_recorder *rec, int rc)
{
	if (!rec->failed)
		rec->failed = rc;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct tm_entry *)a)->path, ((const struct tm_entry *)b)->path);
}

struct tm_entry *tm_recorder_find(const struct tm_recorder *rec, const char *path)
{
	struct tm_entry key = { .path = (char *)path };
	void *found = tfind(&key, &rec->entries, compare);

	return found ? *(struct tm_entry **)found : NULL;
}

static void free_entry(void *entry)
{
	free(((struct tm_entry *)entry)->path);
	free(((struct tm_entry *)entry)->data);
	free(entry);
}

/* The new entry, or NULL: it is refused, or the recording failed. */
static struct tm_entry *add(struct tm_recorder *rec, const char *path, enum tm_entry_kind kind)
{
	struct tm_entry *entry;

	/* Names that a snapshot may not have are the kernel's neither. */
	if (rec->failed || tm_entry_path_fault(path))
		return NULL;
	if (rec->nr >= TM_SNAPSHOT_ENTRIES) {
		fail(rec, -EFBIG);
		return NULL;
	}
	entry = calloc(1, sizeof(*entry));
	if (entry)
		entry->path = strdup(path);
	if (!entry || !entry->path || !tsearch(entry, &rec->entries, compare)) {
		if (entry)
			free_entry(entry);
		fail(rec, -ENOMEM);
		return NULL;
	}
	entry->kind = kind;
	rec->nr++;
	if (kind == TM_ENTRY_FILE && ++rec->nr_files && rec->progress)
		rec->progress(rec->progress_context, rec->nr_files);
	return entry;
}

static void set_data(struct tm_recorder *rec, struct tm_entry *entry, const char *data, size_t size)
{
	char *copy = malloc(size + 1);

	if (!copy) {
		fail(rec, -ENOMEM);
		return;
	}
	memcpy(copy, data, size);
	copy[size] = '\0';
	rec->bytes += size - entry->size;
	free(entry->data);
	entry->data = copy;
	entry->size = size;
	if (rec->bytes > TM_SNAPSHOT_BYTES)
		fail(rec, -EFBIG);
}

bool tm_recorder_shuns(const char *path)
{
	static const char *const names[] = {
		"flush", "probe", "remove", "rescan", "reset", "reset_method", "trigger", "uevent",
	};
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	for (size_t i = 0; i < TM_ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* What readers take of such a file. */
static size_t max_size(const char *path)
{
	size_t len = strlen(path);

	if (!strncmp(path, "proc/", 5))
		return TM_SNAPSHOT_FILE;
	if (!strncmp(path, "sys/firmware/", 13) || (len > 5 && !strcmp(path + len - 5, "/CDAT")))
		return TABLE_MAX;
	return TM_ATTR_MAX;
}

/*
 * Reads what fits, and one byte more of what does not: then it is too large for whoever replays it,
 * as it was for whoever read it here.
 */
static int read_content(const struct tm_root *root, const char *path, struct tm_buf *text)
{
	int fd = tm_root_openat(root, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);
	size_t max = max_size(path);
	ssize_t n = 1;
	int rc = 0;

	if (fd < 0)
		return fd;
	while (!rc && n > 0 && text->len <= max) {
		rc = tm_buf_reserve(text, 4096);
		if (rc)
			break;
		n = root->io->read(root->io_context, fd, text->data + text->len,
				   TM_MIN(text->cap - text->len - 1, max + 1 - text->len));
		if (n < 0)
			rc = (int)n;
		else
			text->len += (size_t)n;
	}
	root->io->close(root->io_context, fd);
	return rc;
}

static void add_stand_in(struct tm_recorder *rec, struct tm_entry *entry, int number)
{
	char text[TM_STAND_IN_MAX] = "";
	size_t size = tm_stand_in_format(text, number);

	set_data(rec, entry, text, size);
}

/* As tm_root_read has it, what nobody may read is denied to root too. */
static struct tm_entry *add_file(struct tm_recorder *rec, const char *path, mode_t mode)
{
	bool readable = mode & 0444, write_only = !readable && (mode & 0222);
	struct tm_buf text = TM_BUF_INIT;
	struct tm_entry *entry = NULL;
	int rc = 0;

	if (tm_recorder_shuns(path))
		write_only = true;
	else if (readable)
		rc = read_content(rec->real, path, &text);
	if (rc == -ENOMEM)
		fail(rec, rc);
	else if (rc != -ENOENT) /* it may just have gone */
		entry = add(rec, path, TM_ENTRY_FILE);
	if (!entry)
		goto out;
	entry->write_only = write_only;
	entry->denied = !write_only && (!readable || rc == -EACCES || rc == -EPERM);
	if (entry->denied || write_only)
		goto out;
	if (rc)
		add_stand_in(rec, entry, -rc);
	else
		set_data(rec, entry, tm_buf_str(&text), text.len);
out:
	tm_buf_release(&text);
	return entry;
}

static struct tm_entry *add_link(struct tm_recorder *rec, const char *path, int fd,
				 const char *name)
{
	char target[TM_PATH_MAX], clean[TM_PATH_MAX];
	ssize_t len = readlinkat(fd, name, target, sizeof(target) - 1);
	struct tm_entry *entry;

	if (len < 0 || len == sizeof(target) - 1)
		return NULL;
	target[len] = '\0';
	if (tm_entry_path_fault(path) || tm_entry_link_clean(path, target, clean))
		return NULL;
	entry = add(rec, path, TM_ENTRY_LINK);
	if (entry)
		set_data(rec, entry, clean, strlen(clean));
	return entry;
}

/* What is at a path without links in it. NULL: nothing that can be recorded; *rc says why. */
static struct tm_entry *look(struct tm_recorder *rec, const char *path, int *rc)
{
	struct tm_entry *entry = tm_recorder_find(rec, path);
	struct stat st;
	int fd;

	*rc = 0;
	if (entry)
		return entry;
	fd = tm_root_openat(rec->real, path, O_PATH | O_NOFOLLOW, 0);
	if (fd < 0) {
		*rc = fd;
		return NULL;
	}
	if (fstat(fd, &st))
		*rc = -errno;
	else if (S_ISLNK(st.st_mode))
		entry = add_link(rec, path, fd, "");
	else if (S_ISDIR(st.st_mode))
		entry = add(rec, path, TM_ENTRY_FOLDER);
	else if (S_ISREG(st.st_mode))
		entry = add_file(rec, path, st.st_mode);
	else if ((entry = add(rec, path, TM_ENTRY_FILE)))
		add_stand_in(rec, entry, EINVAL); /* as tm_root_read has it */
	rec->real->io->close(rec->real->io_context, fd);
	return entry;
}

/* Joins a name to a path in place. False: too long. */
static bool join(char path[TM_PATH_MAX], const char *name, size_t len)
{
	size_t at = strlen(path);

	if (at + len + 2 > TM_PATH_MAX)
		return false;
	if (at)
		path[at++] = '/';
	memcpy(path + at, name, len);
	path[at + len] = '\0';
	return true;
}

static void cut(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

static void list_folder(struct tm_recorder *rec, struct tm_entry *folder)
{
	const struct tm_root *real = rec->real;
	int fd = tm_root_openat(real, folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0), rc;
	char path[TM_PATH_MAX];
	struct dirent *entry;
	struct stat st;
	DIR *dir = NULL;

	if (fd < 0) {
		folder->denied = fd == -EACCES || fd == -EPERM;
		return;
	}
	if (!fstat(fd, &st) && !(st.st_mode & 0444))
		folder->denied = true;
	else if (!(dir = fdopendir(fd)))
		fail(rec, -errno);
	if (!dir) {
		real->io->close(real->io_context, fd);
		return;
	}
	while (!rec->failed && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		strcpy(path, folder->path);
		if (!strcmp(name, ".") || !strcmp(name, "..") || !join(path, name, strlen(name)) ||
		    tm_recorder_find(rec, path))
			continue;
		if (entry->d_type == DT_LNK)
			add_link(rec, path, fd, name);
		else if (entry->d_type == DT_DIR)
			add(rec, path, TM_ENTRY_FOLDER);
		else if (!tm_recorder_shuns(path))
			look(rec, path, &rc);
	}
	closedir(dir);
}

/*
 * The way to `rest` goes through a folder that may not be searched: what is there is unknown, but
 * that it was denied is kept.
 */
static void add_denied(struct tm_recorder *rec, const char *path, const char *rest, int flags)
{
	char whole[TM_PATH_MAX];
	struct tm_entry *entry = NULL;

	if (snprintf(whole, sizeof(whole), "%s%s", path, rest) >= (int)sizeof(whole))
		return;
	for (char *slash = whole; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		if (!tm_recorder_find(rec, whole) && !add(rec, whole, TM_ENTRY_FOLDER))
			return;
	}
	if (!tm_recorder_find(rec, whole))
		entry = add(rec, whole, flags & O_DIRECTORY ? TM_ENTRY_FOLDER : TM_ENTRY_FILE);
	if (entry)
		entry->denied = true;
}

static void record(struct tm_recorder *rec, const char *text, int flags)
{
	char path[TM_PATH_MAX] = "", rest[2 * TM_PATH_MAX], joined[2 * TM_PATH_MAX];
	struct tm_entry *entry = NULL;
	int links = 0, rc;

	if (snprintf(rest, sizeof(rest), "%s", text) >= (int)sizeof(rest))
		return;
	for (char *at = rest; *(at += strspn(at, "/"));) {
		size_t len = strcspn(at, "/");
		bool last = !at[len];

		if (len == 1 && *at == '.') {
			at += len;
			continue;
		}
		if (len == 2 && !memcmp(at, "..", 2)) {
			cut(path);
			entry = NULL;
			at += len;
			continue;
		}
		if (!join(path, at, len))
			return;
		at += len;
		entry = look(rec, path, &rc);
		if (!entry) {
			if (rc == -EACCES || rc == -EPERM)
				add_denied(rec, path, at, flags);
			return;
		}
		if (entry->kind == TM_ENTRY_FILE)
			return;
		if (entry->kind == TM_ENTRY_FOLDER || (last && (flags & O_NOFOLLOW)))
			continue;
		if (++links > MAX_LINKS || snprintf(joined, sizeof(joined), "%s%s", entry->data,
						    at) >= (int)sizeof(joined))
			return;
		strcpy(rest, joined);
		at = rest;
		cut(path);
		entry = NULL;
	}
	/* After "..", it was listed or can be found again. */
	if ((flags & (O_DIRECTORY | O_PATH)) != O_DIRECTORY)
		return;
	if (!entry && *path)
		entry = look(rec, path, &rc);
	if (entry && entry->kind == TM_ENTRY_FOLDER)
		list_folder(rec, entry);
}

static int recorder_open(void *context, int root_fd, const char *path, int flags, mode_t mode)
{
	struct tm_recorder *rec = context;
	int fd = rec->real->io->open(rec->real->io_context, root_fd, path, flags, mode);

	if (!rec->failed)
		record(rec, path, flags);
	return fd;
}

static ssize_t recorder_read(void *context, int fd, void *data, size_t size)
{
	const struct tm_root *real = ((struct tm_recorder *)context)->real;

	return real->io->read(real->io_context, fd, data, size);
}

static int recorder_close(void *context, int fd)
{
	const struct tm_root *real = ((struct tm_recorder *)context)->real;

	return real->io->close(real->io_context, fd);
}

void tm_recorder_init(struct tm_recorder *rec, const struct tm_root *real)
{
	*rec = (struct tm_recorder){
		.root = *real,
		.real = real,
		/* Nothing is written through it. */
		.io = { .open = recorder_open, .read = recorder_read, .close = recorder_close },
	};
	rec->root.io = &rec->io;
	rec->root.io_context = rec;
}

void tm_recorder_release(struct tm_recorder *rec)
{
	tdestroy(rec->entries, free_entry);
	rec->entries = NULL;
	rec->nr = 0;
}

void tm_recorder_add(struct tm_recorder *rec, const char *path, const char *data, size_t size)
{
	struct tm_entry *entry = tm_recorder_find(rec, path);

	if (!entry)
		entry = add(rec, path, TM_ENTRY_FILE);
	if (entry)
		set_data(rec, entry, data, size);
}

struct gather {
	struct tm_entry **list;
	size_t nr;
};

static void gather(const void *node, VISIT visit, void *context)
{
	struct gather *g = context;

	if (visit == postorder || visit == leaf)
		g->list[g->nr++] = *(struct tm_entry *const *)node;
}

int tm_recorder_list(const struct tm_recorder *rec, struct tm_entry ***list, struct tm_error *err)
{
	struct gather g = { NULL, 0 };

	if (rec->failed == -EFBIG)
		return tm_error_set(err, EFBIG, "%s: there is more in it than a snapshot can hold",
				    rec->real->name);
	if (rec->failed)
		return tm_error_errno(err, -rec->failed, "%s", rec->real->name);
	g.list = calloc(rec->nr + 1, sizeof(struct tm_entry *));
	if (!g.list)
		return tm_error_nomem(err);
	twalk_r(rec->entries, gather, &g);
	*list = g.list;
	return 0;
}
