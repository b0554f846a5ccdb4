/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recording what is read below a root, for a snapshot: what is read through the recorder's own root
 * is kept, with all links on the way there, so that a snapshot holds what the readers of this
 * version read and nothing has to list it a second time. A folder that was listed is kept with all
 * its names, links and files.
 */
#ifndef TM_SYS_RECORD_H
#define TM_SYS_RECORD_H

#include "lib/sys/entry.h"

struct tm_recorder {
	struct tm_root root; /* read through this */
	const struct tm_root *real;
	struct tm_io io;
	void *entries; /* a tree, as tsearch(3) makes it, of struct tm_entry by path */
	size_t nr;
	size_t nr_files;
	uint64_t bytes;
	int failed; /* the first failure, negative; nothing is recorded after it */
	/* Called as files come in, if it is set. */
	void (*progress)(void *context, size_t files);
	void *progress_context;
};

/* `real` must outlive the recorder, and the recorder must not be moved. */
void tm_recorder_init(struct tm_recorder *rec, const struct tm_root *real);
void tm_recorder_release(struct tm_recorder *rec);

/* By its name this is a file that starts something or is of no use: it is never read. */
bool tm_recorder_shuns(const char *path);

/*
 * Reads what a pattern names: "*" in a part stands for any text, "**" as the last part for all that
 * is below. What is not there is passed over.
 */
void tm_recorder_glob(struct tm_recorder *rec, const char *pattern);

/* What was recorded of a path that has no links in it; NULL: nothing. */
struct tm_entry *tm_recorder_find(const struct tm_recorder *rec, const char *path);

/* Adds or replaces a file of its own. */
void tm_recorder_add(struct tm_recorder *rec, const char *path, const char *data, size_t size);

/*
 * All entries, sorted by path, still owned by the recorder; the caller frees the list. -ENOMEM, or
 * -EFBIG where it is more than a snapshot may hold.
 */
int tm_recorder_list(const struct tm_recorder *rec, struct tm_entry ***list, struct tm_error *err);

#endif
