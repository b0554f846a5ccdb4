/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel's sources: read file by file as they are asked for, changed in memory, and then written
 * all together or not at all. No link is followed below the top, so that nothing outside is read or
 * written.
 */
#ifndef CMD_PATCHES_TREE_H
#define CMD_PATCHES_TREE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/sys/temp.h"

/* A file at one time. */
struct tree_state {
	bool there;
	mode_t mode; /* permissions */
	struct tm_buf text;
};

struct tree_file {
	char *path; /* below the top */
	struct tree_state before, now;
	struct stat st; /* of what was there before */

	/* While it is written: */
	int folder_fd; /* in which it lies; -1: not open */
	struct tm_temp temp;
	bool done, left; /* it is as `now`; it could not be put back */
};

struct source_tree {
	int fd;
	char *name;    /* as the user gave it */
	char *version; /* "6.12.57", by its Makefile */
	unsigned major, minor;
	bool git;
	struct tree_file **files;
	size_t nr, cap;
	char **made; /* folders that writing made, outer ones first */
	size_t nr_made, cap_made;
};

/* Opens a folder that holds a kernel's sources. -EINVAL where it does not. */
int tree_open(struct source_tree *tree, const char *name, struct tm_error *err);
void tree_close(struct source_tree *tree);

/*
 * The file, read if that was not done before; one that is not there is no error. -ELOOP where a
 * link is on the way, -EINVAL where it is no plain file, -EFBIG, …
 */
int tree_file(struct source_tree *tree, const char *path, struct tree_file **file,
	      struct tm_error *err);

bool tree_is_changed(const struct tree_file *file);
size_t tree_count_changed(const struct source_tree *tree);

/*
 * Writes what was changed. Each file is written beside its place, and takes that when all of them
 * are on the disk; signals that end the program wait until then. Any failure, and such a signal
 * (-EINTR), puts back what had its place. -ESTALE where a file is not as it was read; -EREMOTEIO
 * where something could not be put back: these files are `left`.
 */
int tree_write(struct source_tree *tree, struct tm_error *err);

/* Reads a whole file that is open. 0 or -errno. */
int tree_read_fd(int fd, struct tm_buf *text);

/*
 * Opens the folder in which `path` lies, without following links, and finds the name in it.
 * `make`: folders that are missing are made. A descriptor or -errno.
 */
int tree_open_folder(struct source_tree *tree, const char *path, bool make, const char **name);

#endif
