/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a snapshot holds, and the rules for it: recording keeps to them, and unpacking refuses what
 * does not.
 */
#ifndef TM_SYS_ENTRY_H
#define TM_SYS_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/sys/root.h"

enum tm_entry_kind { TM_ENTRY_FOLDER, TM_ENTRY_FILE, TM_ENTRY_LINK };

struct tm_entry {
	char *path; /* relative to the root, without links, "." or ".." in it */
	enum tm_entry_kind kind;
	bool denied;	 /* folders and files: the user may not read it */
	bool write_only; /* files that nobody reads */
	char *data; /* a file's content, a link's target; NUL-terminated. NULL when there is none */
	size_t size;
};

/* A large machine's snapshot has some hundred thousand files of few bytes each. */
#define TM_SNAPSHOT_ENTRIES 1000000
#define TM_SNAPSHOT_FILE (64u << 20)
#define TM_SNAPSHOT_BYTES (UINT64_C(2) << 30)
#define TM_SNAPSHOT_DEPTH 64

/* What is wrong with a path or a link's target, in words; NULL: nothing. */
const char *tm_entry_path_fault(const char *path);
const char *tm_entry_link_fault(const char *path, const char *target);

/*
 * A target that is relative and stays below the root, and leads where `target` does as long as the
 * root is one: "/sys/x" from sys/a/b becomes "../../sys/x". 0 or -ENAMETOOLONG.
 */
int tm_entry_link_clean(const char *path, const char *target, char clean[TM_PATH_MAX]);

/*
 * A file that is there and cannot be read for another reason than its mode ("No such device") is
 * stored as a NUL byte and the errno's symbol, which no file of the kernel is.
 */
#define TM_STAND_IN_MAX 32
size_t tm_stand_in_format(char text[TM_STAND_IN_MAX], int number);
/* The positive errno, or 0 where it is no such content. */
int tm_stand_in_parse(const char *text, size_t len);

#endif
