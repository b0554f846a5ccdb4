/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Journals: what a plan is about to write, on disk before the first write. A journal is a lease:
 * while the process that wrote it lives (same boot, pid and start time) nobody else undoes it, and
 * a write to one of its files is refused. They lie in run/tiermem below the root: one named after
 * its lease while a plan is being applied or held, last.journal for the one that `undo` takes back,
 * undo.journal while it does. Every file of that suffix but last.journal is unfinished business
 * once its process is dead.
 */
#ifndef TM_PLAN_JOURNAL_H
#define TM_PLAN_JOURNAL_H

#include <sys/types.h>

#include "lib/plan/plan.h"

#define TM_STATE_FOLDER "run/tiermem"
#define TM_JOURNAL_LAST "last.journal"
#define TM_JOURNAL_UNDO "undo.journal"

/* Whose a journal is. */
struct tm_lease {
	char boot_id[64];
	pid_t pid;
	unsigned long long start; /* clock ticks after boot: field 22 of /proc/PID/stat */
};

struct tm_journal {
	char name[64]; /* its file below TM_STATE_FOLDER */
	struct tm_lease lease;
	char *title;
	char *kept_as; /* the name of its second journal (plan.h: keep_as); NULL: none */
	struct tm_change *changes; /* fd is -1 */
	size_t nr;
	bool again; /* something was left that another try may restore */
};

void tm_journal_release(struct tm_journal *journal);

/* This process's lease, of this machine. */
int tm_lease_mine(struct tm_lease *lease, struct tm_error *err);
/* Does that process still live? (A zombie puts nothing back any more.) */
bool tm_lease_lives(const struct tm_lease *lease);
/*
 * Was it taken before this machine was last booted, on this machine? Then its settings went with
 * that boot, and what files say now is not of its making.
 */
bool tm_lease_expired(const struct tm_lease *lease, const struct tm_root *root);

enum tm_lock {
	TM_LOCK_MAKE = 1 << 0, /* make the state folder, 0700, if need be */
	TM_LOCK_WAIT = 1 << 1, /* wait, some seconds at most, where another process holds it */
};

/*
 * Opens the state folder and takes the lock, which is held while the descriptor is open. The
 * descriptor; -EBUSY where another process holds it; -ENOENT where there is no folder; or another
 * negative errno.
 */
int tm_state_lock(const struct tm_root *root, unsigned flags, struct tm_error *err);

/* Writes the plan's changes as the lease's journal: complete on disk when it returns 0. */
int tm_journal_write(const struct tm_plan *plan, const struct tm_lease *lease,
		     struct tm_error *err);
/* The same under a name of the caller's. */
int tm_journal_write_as(const struct tm_plan *plan, const struct tm_lease *lease, const char *name,
			struct tm_error *err);
/* Makes the lease's journal the one that undo takes back. */
int tm_journal_keep(const struct tm_root *root, const struct tm_lease *lease, struct tm_error *err);
/* Removes the lease's journal; one that is not there is no error. */
int tm_journal_drop(const struct tm_root *root, const struct tm_lease *lease, struct tm_error *err);
/* Removes a journal by name. */
int tm_journal_remove(const struct tm_root *root, const char *name, struct tm_error *err);
/* Gives a journal another name, and journal->name too. */
int tm_journal_rename(const struct tm_root *root, struct tm_journal *journal, const char *name,
		      struct tm_error *err);

/*
 * Reads one by name. -ENOENT where there is none; -EINVAL where it is damaged; -EPERM where the
 * folder is another user's.
 */
int tm_journal_read(const struct tm_root *root, const char *name, struct tm_journal *journal,
		    struct tm_error *err);

/*
 * All journals of plans that were not finished, without last.journal. *list and its members are the
 * caller's. A folder that is not there has none.
 */
int tm_journal_list(const struct tm_root *root, struct tm_journal **list, size_t *nr,
		    struct tm_error *err);

/*
 * -EBUSY where an unfinished journal has the file of one of the changes, also of one that needs no
 * writing: that will be put back, and would not last. The text names the process that holds it, or
 * says that it is dead.
 */
int tm_journal_conflict(const struct tm_root *root, const struct tm_change *changes, size_t nr,
			struct tm_error *err);

/*
 * Takes back a journal's changes in reverse: a file with our value is restored and verified, one at
 * `from` skipped, one at a third value left alone. States and errors are set in the changes. Its
 * second journal is removed, unless another try may restore more. 0; -EREMOTEIO where something is
 * left.
 */
int tm_journal_undo(const struct tm_root *root, struct tm_journal *journal, struct tm_error *err);

#endif
