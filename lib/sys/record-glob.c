/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sys/record.h"

static void free_names(char **names)
{
	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

/*
 * A folder's names, with NULL behind them, or NULL. Not through the recorder: which of them belong
 * into the snapshot is for the pattern to say.
 */
static char **list_names(struct tm_recorder *rec, const char *path)
{
	char **names = calloc(1, sizeof(*names));
	size_t nr = 0, cap = names ? 1 : 0;
	int rc = names ? 0 : -ENOMEM;
	struct tm_scan scan;
	const char *name;

	if (rc || tm_scan_open(rec->real, path, &scan))
		goto out;
	while (!rc && (name = tm_scan_next(&scan))) {
		rc = tm_array_grow(&names, nr + 1, &cap, sizeof(*names));
		if (rc)
			break;
		names[nr] = strdup(name);
		rc = names[nr++] ? 0 : -ENOMEM;
	}
	tm_scan_close(&scan);
out:
	if (rc && !rec->failed)
		rec->failed = rc;
	return names;
}

static void touch(struct tm_recorder *rec, const char *path)
{
	int fd = tm_root_openat(&rec->root, path, O_PATH, 0);

	if (fd >= 0)
		rec->root.io->close(rec->root.io_context, fd);
}

/* Everything below: real folders only, so that links make no circles. */
static void read_all(struct tm_recorder *rec, const char *path, int depth)
{
	char below[TM_PATH_MAX];
	const struct tm_entry *entry;
	char **names;

	if (depth > TM_SNAPSHOT_DEPTH)
		return;
	names = list_names(rec, path);
	for (size_t i = 0; names && names[i] && !rec->failed; i++) {
		if (tm_path_format(below, "%s/%s", path, names[i]) || tm_recorder_shuns(below))
			continue;
		touch(rec, below);
		entry = tm_recorder_find(rec, below);
		if (entry && entry->kind == TM_ENTRY_FOLDER)
			read_all(rec, below, depth + 1);
	}
	free_names(names);
}

static void read_pattern(struct tm_recorder *rec, const char *path, const char *pattern)
{
	size_t len = strcspn(pattern, "/");
	char below[TM_PATH_MAX], part[256];
	char **names;

	if (!len) {
		touch(rec, path);
		return;
	}
	if (!strcmp(pattern, "**")) {
		touch(rec, path);
		/* Entries are known by the path that no link is in. */
		if (!tm_root_resolve(rec->real, path, below))
			read_all(rec, below, 0);
		return;
	}
	if (len >= sizeof(part))
		return;
	memcpy(part, pattern, len);
	part[len] = '\0';
	pattern += len + (pattern[len] == '/');
	if (!strpbrk(part, "*?[")) {
		if (!tm_path_format(below, "%s%s%s", path, *path ? "/" : "", part))
			read_pattern(rec, below, pattern);
		return;
	}
	names = list_names(rec, path);
	for (size_t i = 0; names && names[i] && !rec->failed; i++)
		if (!fnmatch(part, names[i], 0) &&
		    !tm_path_format(below, "%s/%s", path, names[i]) && !tm_recorder_shuns(below))
			read_pattern(rec, below, pattern);
	free_names(names);
}

void tm_recorder_glob(struct tm_recorder *rec, const char *pattern)
{
	read_pattern(rec, "", pattern);
}
