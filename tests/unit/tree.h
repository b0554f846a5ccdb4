/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tree in a folder of its own, to be opened as a root. Paths are relative to it, the folders
 * above an entry come by themselves, and a later entry takes the place of an earlier one.
 */
#ifndef TESTS_UNIT_TREE_H
#define TESTS_UNIT_TREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/compiler.h"
#include "lib/sys/root.h"

struct tree {
	char path[256];
	struct tm_root root;
};

/* A file (text), a link (link) or, with neither, a folder. */
struct tree_entry {
	const char *path;
	const char *text;
	const char *link;
};

static inline int tree_remove_one(const char *path, const struct stat *st, int type,
				  struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type == FTW_DNR)
		chmod(path, 0700);
	return remove(path);
}

static inline void tree_remove_all(const char *path)
{
	nftw(path, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The entry's name in the file system, its folders made. */
static inline const char *tree_name(const struct tree *tree, const char *path, char name[PATH_MAX])
{
	int len = snprintf(name, PATH_MAX, "%s/%s", tree->path, path);
	char *last;
	bool there;

	assert_in_range(len, 1, PATH_MAX - 1);
	last = strrchr(name, '/');
	*last = '\0';
	there = access(name, F_OK) == 0;
	*last = '/';
	for (char *slash = name + strlen(tree->path); !there && (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		if (mkdir(name, 0755))
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
	return name;
}

static inline void tree_remove(const struct tree *tree, const char *path)
{
	char name[PATH_MAX];

	tree_remove_all(tree_name(tree, path, name));
}

static inline void tree_bytes(const struct tree *tree, const char *path, const void *data,
			      size_t size)
{
	char name[PATH_MAX];
	int fd;

	tree_remove(tree, path);
	fd = open(tree_name(tree, path, name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	assert_int_equal(close(fd), 0);
}

static inline void tree_text(const struct tree *tree, const char *path, const char *text)
{
	tree_bytes(tree, path, text, strlen(text));
}

/* As the kernel writes attributes: one line. */
TM_PRINTF(3, 4)
static inline void tree_file(const struct tree *tree, const char *path, const char *fmt, ...)
{
	char line[4096];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	assert_in_range(len, 0, sizeof(line) - 2);
	line[len] = '\n';
	tree_bytes(tree, path, line, (size_t)len + 1);
}

static inline void tree_folder(const struct tree *tree, const char *path)
{
	char name[PATH_MAX];
	struct stat st;

	if (lstat(tree_name(tree, path, name), &st) || !S_ISDIR(st.st_mode)) {
		tree_remove_all(name);
		assert_int_equal(mkdir(name, 0755), 0);
	}
}

static inline void tree_link(const struct tree *tree, const char *path, const char *target)
{
	char name[PATH_MAX];

	tree_remove(tree, path);
	assert_int_equal(symlink(target, tree_name(tree, path, name)), 0);
}

static inline void tree_fifo(const struct tree *tree, const char *path)
{
	char name[PATH_MAX];

	tree_remove(tree, path);
	assert_int_equal(mkfifo(tree_name(tree, path, name), 0644), 0);
}

static inline void tree_mode(const struct tree *tree, const char *path, mode_t mode)
{
	char name[PATH_MAX];

	assert_int_equal(chmod(tree_name(tree, path, name), mode), 0);
}

static inline void tree_add(const struct tree *tree, const struct tree_entry *entry)
{
	if (entry->link)
		tree_link(tree, entry->path, entry->link);
	else if (entry->text)
		tree_text(tree, entry->path, entry->text);
	else
		tree_folder(tree, entry->path);
}

/* An empty tree (sys/ and proc/) and its opened root. */
static inline void tree_make(struct tree *tree)
{
	const char *temp = getenv("TMPDIR");
	struct tm_error err = { 0 };

	snprintf(tree->path, sizeof(tree->path), "%s/tiermem-unit.XXXXXX", temp ? temp : "/tmp");
	assert_non_null(mkdtemp(tree->path));
	tree_folder(tree, "sys");
	tree_folder(tree, "proc");
	assert_int_equal(tm_root_open(&tree->root, tree->path, &err), 0);
	assert_false(tree->root.live);
}

static inline void tree_free(struct tree *tree)
{
	tm_root_close(&tree->root);
	tree_remove_all(tree->path);
}

/* For cmocka_unit_test_setup_teardown: *state is the tree. */
static inline int tree_setup(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	assert_non_null(tree);
	tree_make(tree);
	*state = tree;
	return 0;
}

static inline int tree_teardown(void **state)
{
	tree_free(*state);
	free(*state);
	return 0;
}

#define tree_test(function) cmocka_unit_test_setup_teardown(function, tree_setup, tree_teardown)

#endif
