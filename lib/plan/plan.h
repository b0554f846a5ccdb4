/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one way in which tiermem writes settings: a plan, an ordered list of changes.
 *
 *	tm_plan_init → tm_plan_add … → tm_plan_prepare → tm_plan_apply → tm_plan_release
 *
 * Adding reads what is there now. Preparing takes the lock, reads again, refuses what has moved,
 * opens every file for writing and keeps it open, and drops what is so already: all trouble with
 * permissions, read-only file systems and missing files is found before anything is written.
 * Applying writes the journal first, then each change, and reads each back. Any failure rolls back
 * what was done, in reverse, and verifies that too. A value that is neither what was found nor what
 * was written is a stranger's: it is never overwritten, but reported.
 *
 * Some files only come into being by an earlier change of the same plan (DAMON's folders, once
 * their number was written), and go with it. They are neither read nor opened before their turn
 * comes, and taking them back is taking back what made them.
 *
 * What a trigger started is known by a token that the kernel gives it (a process id): undoing ends
 * only what this plan started.
 *
 * Forms compare by meaning (lib/base/form.h). All texts are copied.
 */
#ifndef TM_PLAN_PLAN_H
#define TM_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"
#include "lib/base/form.h"
#include "lib/sys/root.h"

enum tm_change_kind {
	TM_CHANGE_SET,	   /* the value is to be `to` */
	TM_CHANGE_COUNT,   /* a number that is to be at least `to`; may be met in part */
	TM_CHANGE_EFFECT,  /* not written: another change moves it, and undoing must put it back */
	TM_CHANGE_TRIGGER, /* writing `to` starts something, writing `restore` ends it */
};
#define TM_CHANGE_KINDS (TM_CHANGE_TRIGGER + 1)

enum tm_change_state {
	TM_CHANGE_PLANNED,
	TM_CHANGE_UNCHANGED, /* it is so already */
	TM_CHANGE_DONE,
	TM_CHANGE_FAILED,   /* this one could not be done; those before it were taken back */
	TM_CHANGE_RESTORED, /* was done, and taken back */
	TM_CHANGE_LEFT,	    /* could not be taken back, or a stranger's value was found */
};

const char *tm_change_kind_name(enum tm_change_kind kind);
const char *tm_change_state_name(enum tm_change_state state);

struct tm_change {
	enum tm_change_kind kind;
	enum tm_form form;
	char *path; /* relative to the root */
	char *from; /* normal; as it is now; NULL: not known, of a file that is made */
	char *to;   /* normal; NULL for an effect whose outcome the kernel decides */
	/* Normal; what a count, an effect or a file that was made came to be; NULL: not known. */
	char *got;
	char *first;   /* normal; written just before `to`; NULL: nothing */
	char *restore; /* what to write to have `from` back; NULL: it cannot be restored */
	char *why;     /* for people: why it cannot, or what else to know before; may be NULL */
	char *made_by; /* the path of the earlier change that makes the file; NULL: it is there */
	char *token_path; /* of a trigger: the file that says what was started */
	char *token;	  /* what that said afterwards; NULL: not known (yet) */
	enum tm_change_state state;
	char *error; /* what went wrong with it; NULL */
	bool again;  /* LEFT, but taking it back may succeed another time */
	int fd;	     /* open for writing while prepared; else -1 */
};

struct tm_plan {
	const struct tm_root *root;
	char *title; /* the command, for journals and messages: "weights apply" */
	/*
	 * The name of a second journal, which is written too when the plan is applied and stays
	 * when others come after it; not one of *.journal. NULL: none. The caller's.
	 */
	const char *keep_as;
	struct tm_change *changes;
	size_t nr, cap;
	int lock_fd;
	bool prepared;
	bool left;  /* a rollback could not finish */
	bool again; /* and `recover` may be able to */
};

/* What tm_plan_add is told. */
struct tm_change_spec {
	enum tm_change_kind kind;
	enum tm_form form;
	const char *path;
	const char *to; /* NULL only for an effect */
	const char *first;
	bool lasting;	     /* it cannot be restored, whatever is written later */
	const char *restore; /* when it is not `from` that must be written to have `from` back */
	const char *why;
	/*
	 * The file is made by this earlier change (its path), which is no such file itself. It is
	 * not read when it is added: a trigger needs `from`, others have none.
	 */
	const char *made_by;
	const char *from;
	const char *token; /* only of a trigger: the path of the file that says what was started */
};

/* `root` must outlive the plan. 0 or -ENOMEM. */
int tm_plan_init(struct tm_plan *plan, const struct tm_root *root, const char *title,
		 struct tm_error *err);
void tm_plan_release(struct tm_plan *plan);

/*
 * Adds a change after the others, with what the file says now. Errors: -ENOENT, -EACCES, … from
 * reading; -EINVAL where the file or `to` has not the form, or the parts of `spec` do not go
 * together.
 */
int tm_plan_add(struct tm_plan *plan, const struct tm_change_spec *spec, struct tm_error *err);

/* Is there a way back from it? (From a file that is made: with what makes it.) */
bool tm_change_restorable(const struct tm_change *change);

/* Anything that would be written? Before and after preparing. */
bool tm_plan_has_work(const struct tm_plan *plan);

/* The first change that would be written and cannot be restored, or NULL. */
const struct tm_change *tm_plan_lasting(const struct tm_plan *plan);

/*
 * As described above. Errors, with nothing written: -EBUSY (another tiermem writes, or holds a
 * lease on one of the files; the text names its pid), -ESTALE (a file is not what it was), -EPERM
 * (a lasting change and not `accept`), -EACCES, -EROFS, -ENOENT, …
 */
int tm_plan_prepare(struct tm_plan *plan, bool accept, struct tm_error *err);

/*
 * What tm_plan_prepare would find, without the lock, and accepting what lasts: nothing at all is
 * written, also not in the state folder.
 */
int tm_plan_preview(struct tm_plan *plan, struct tm_error *err);

/*
 * Applies a prepared plan. 0: all is so, and `undo` can put it back; the changes' states tell. A
 * negative errno: something failed, what was written is taken back; plan->left says that this could
 * not finish, and the changes in state TM_CHANGE_LEFT are the list of what is left. plan->again:
 * the journal stays, for another try.
 *
 * `keep_lease`: the journal stays, as this process's lease on the files, until tm_plan_restore.
 */
int tm_plan_apply(struct tm_plan *plan, bool keep_lease, struct tm_error *err);

/*
 * Takes back an applied plan that was kept as a lease; waits where another tiermem writes. As
 * tm_plan_apply when it rolls back.
 */
int tm_plan_restore(struct tm_plan *plan, struct tm_error *err);

/*
 * The one write that is no plan: it has the kernel bring up to date what other files of the folder
 * show ("update_schemes_stats"), and changes no setting, so that there is nothing to keep or to put
 * back. 0 or -errno.
 */
int tm_refresh(const struct tm_root *root, const char *path, const char *text,
	       struct tm_error *err);

#endif
