/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/patches-tree.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/diff/diff.h"

/* The largest sources of Linux, register lists, have some 20 MB. */
#define FILE_MAX (64u << 20)

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* --- finding and reading --- */

static int note_made(struct source_tree *tree, const char *path, size_t len)
{
	if (tm_array_grow(&tree->made, tree->nr_made, &tree->cap_made, sizeof(*tree->made)))
		return -ENOMEM;
	tree->made[tree->nr_made] = strndup(path, len);
	if (!tree->made[tree->nr_made])
		return -ENOMEM;
	tree->nr_made++;
	return 0;
}

/* A folder in that of `fd`, made if it is missing and wanted. */
static int enter(struct source_tree *tree, int fd, const char *name, bool make, const char *path,
		 size_t len)
{
	int next = openat(fd, name, OPEN_FOLDER);

	if (next >= 0 || errno != ENOENT || !make)
		return next < 0 ? -errno : next;
	if (note_made(tree, path, len))
		return -ENOMEM;
	if (mkdirat(fd, name, 0777)) {
		int rc = -errno;

		free(tree->made[--tree->nr_made]);
		return rc;
	}
	next = openat(fd, name, OPEN_FOLDER);
	return next < 0 ? -errno : next;
}

int tree_open_folder(struct source_tree *tree, const char *path, bool make, const char **name)
{
	int fd = fcntl(tree->fd, F_DUPFD_CLOEXEC, 0);
	const char *slash;

	*name = path;
	if (fd < 0)
		return -errno;
	while ((slash = strchr(*name, '/'))) {
		char folder[TM_DIFF_PATH];
		int next;

		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - *name), *name);
		next = enter(tree, fd, folder, make, path, (size_t)(slash - path));
		close(fd);
		if (next < 0)
			return next;
		fd = next;
		*name = slash + 1;
	}
	return fd;
}

int tree_read_fd(int fd, struct tm_buf *text)
{
	ssize_t n;

	do {
		if (tm_buf_reserve(text, 1 << 16))
			return -ENOMEM;
		n = read(fd, text->data + text->len, text->cap - text->len - 1);
		if (n < 0 && errno != EINTR)
			return -errno;
		text->len += (size_t)TM_MAX(n, 0);
		text->data[text->len] = '\0';
		if (text->len > FILE_MAX)
			return -EFBIG;
	} while (n);
	return 0;
}

static int read_file(struct source_tree *tree, struct tree_file *file)
{
	const char *name;
	int folder = tree_open_folder(tree, file->path, false, &name), fd, rc = 0;

	if (folder < 0)
		return folder;
	/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
	fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &file->st))
		rc = -errno;
	else if (!S_ISREG(file->st.st_mode))
		rc = -EINVAL;
	else
		rc = tree_read_fd(fd, &file->before.text);
	if (fd >= 0)
		close(fd);
	close(folder);
	file->before.there = !rc;
	file->before.mode = file->st.st_mode & 07777;
	return rc;
}

static int explain(const struct source_tree *tree, const char *path, int rc, struct tm_error *err)
{
	switch (rc) {
	case -ENOMEM:
		return tm_error_nomem(err);
	case -ELOOP:
	case -ENOTDIR:
		return tm_error_set(err, -rc, "%s/%s: is a link or below one, and is not followed",
				    tree->name, path);
	case -EINVAL:
		return tm_error_set(err, EINVAL, "%s/%s: is no plain file", tree->name, path);
	default:
		return tm_error_errno(err, -rc, "%s/%s", tree->name, path);
	}
}

static void free_file(struct tree_file *file)
{
	if (!file)
		return;
	tm_buf_release(&file->before.text);
	tm_buf_release(&file->now.text);
	free(file->path);
	free(file);
}

int tree_file(struct source_tree *tree, const char *path, struct tree_file **file,
	      struct tm_error *err)
{
	struct tree_file *made;
	int rc;

	for (size_t i = 0; i < tree->nr; i++) {
		if (!strcmp(tree->files[i]->path, path)) {
			*file = tree->files[i];
			return 0;
		}
	}
	made = calloc(1, sizeof(*made));
	if (!made ||
	    tm_array_grow(&tree->files, tree->nr, &tree->cap, sizeof(struct tree_file *))) {
		free(made);
		return tm_error_nomem(err);
	}
	made->folder_fd = -1;
	made->path = strdup(path);
	rc = made->path ? read_file(tree, made) : -ENOMEM;
	if (rc == -ENOENT)
		rc = 0;
	if (!rc) {
		made->now.there = made->before.there;
		made->now.mode = made->before.mode;
		tm_buf_add(&made->now.text, made->before.text.data, made->before.text.len);
		rc = made->now.text.failed ? -ENOMEM : 0;
	}
	if (rc) {
		free_file(made);
		return explain(tree, path, rc, err);
	}
	tree->files[tree->nr++] = made;
	*file = made;
	return 0;
}

bool tree_is_changed(const struct tree_file *file)
{
	const struct tree_state *a = &file->before, *b = &file->now;

	if (a->there != b->there)
		return true;
	return a->there && (a->mode != b->mode || a->text.len != b->text.len ||
			    memcmp(tm_buf_str(&a->text), tm_buf_str(&b->text), a->text.len) != 0);
}

size_t tree_count_changed(const struct source_tree *tree)
{
	size_t nr = 0;

	for (size_t i = 0; i < tree->nr; i++)
		nr += tree_is_changed(tree->files[i]);
	return nr;
}

/* --- which kernel it is --- */

/* What follows "NAME =" in the first lines of the Makefile; NULL: nothing. */
static char *makefile_value(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (size_t lines = 0; *text && lines < 40;
	     lines++, text += strcspn(text, "\n"), text += !!*text) {
		const char *value = text + len;

		if (strncmp(text, name, len) != 0)
			continue;
		value += strspn(value, " \t");
		if (*value++ != '=')
			continue;
		value += strspn(value, " \t");
		return strndup(value, strcspn(value, " \t\r\n#"));
	}
	return NULL;
}

static bool take_version(struct source_tree *tree, const char *text)
{
	static const char *const names[] = { "VERSION", "PATCHLEVEL", "SUBLEVEL", "EXTRAVERSION" };
	char *values[TM_ARRAY_SIZE(names)];
	bool good;

	for (size_t i = 0; i < TM_ARRAY_SIZE(names); i++)
		values[i] = makefile_value(text, names[i]);
	good = values[0] && values[1] && isdigit((unsigned char)*values[0]) &&
	       isdigit((unsigned char)*values[1]);
	if (good) {
		struct tm_buf version = TM_BUF_INIT;

		tree->major = (unsigned)strtoul(values[0], NULL, 10);
		tree->minor = (unsigned)strtoul(values[1], NULL, 10);
		tm_buf_addf(&version, "%s.%s", values[0], values[1]);
		if (values[2] && *values[2])
			tm_buf_addf(&version, ".%s", values[2]);
		if (values[3])
			tm_buf_adds(&version, values[3]);
		tree->version = tm_buf_detach(&version);
		good = tree->version != NULL;
	}
	for (size_t i = 0; i < TM_ARRAY_SIZE(names); i++)
		free(values[i]);
	return good;
}

static int identify(struct source_tree *tree, struct tm_error *err)
{
	struct tree_file *makefile = NULL;
	struct stat st;
	int rc = tree_file(tree, "Makefile", &makefile, err);

	if (!makefile)
		return rc;
	if (!makefile->before.there || !take_version(tree, tm_buf_str(&makefile->before.text))) {
		tm_error_set(err, EINVAL, "%s: holds no sources of Linux: %s", tree->name,
			     makefile->before.there ? "its Makefile tells no version" :
						      "it has no Makefile");
		tm_error_hint(err, "Debian's are in the package linux-source-6.12");
		return -EINVAL;
	}
	/* A folder, or in a worktree a file that says where that is. */
	tree->git = !fstatat(tree->fd, ".git", &st, AT_SYMLINK_NOFOLLOW);
	return 0;
}

int tree_open(struct source_tree *tree, const char *name, struct tm_error *err)
{
	int rc;

	*tree = (struct source_tree){ .fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	if (tree->fd < 0)
		return tm_error_errno(err, errno, "%s", name);
	tree->name = strdup(name);
	for (size_t len = tree->name ? strlen(tree->name) : 0;
	     len > 1 && tree->name[len - 1] == '/';)
		tree->name[--len] = '\0';
	rc = tree->name ? identify(tree, err) : tm_error_nomem(err);
	if (rc)
		tree_close(tree);
	return rc;
}

void tree_close(struct source_tree *tree)
{
	for (size_t i = 0; i < tree->nr; i++)
		free_file(tree->files[i]);
	for (size_t i = 0; i < tree->nr_made; i++)
		free(tree->made[i]);
	if (tree->fd >= 0)
		close(tree->fd);
	free(tree->files);
	free(tree->made);
	free(tree->name);
	free(tree->version);
	*tree = (struct source_tree){ .fd = -1 };
}
