/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Single changes: reading, writing and checking one file. Internal to lib/plan. */
#ifndef TM_PLAN_CHANGE_H
#define TM_PLAN_CHANGE_H

#include "lib/plan/plan.h"

void tm_change_release(struct tm_change *change);

/* What the file says now, in normal form. -EINVAL where it has not the form; else as reading. */
int tm_change_read(const struct tm_root *root, const struct tm_change *change, struct tm_buf *now);

/* The sentence for a file that cannot be read or opened. Returns -number. */
int tm_change_explain(const struct tm_change *change, int number, struct tm_error *err);

/* -ESTALE where the file does not say `from` any more. */
int tm_change_check(const struct tm_root *root, const struct tm_change *change,
		    struct tm_error *err);

/* Opens the file for writing, into change->fd. */
int tm_change_open(const struct tm_root *root, struct tm_change *change, struct tm_error *err);
void tm_change_close(const struct tm_root *root, struct tm_change *change);

/* Writes a text to the open file. 0 or -errno; -EIO where it was taken in part. */
int tm_change_write(const struct tm_root *root, const struct tm_change *change, const char *text);

/* What a trigger's token says now. */
int tm_change_token(const struct tm_root *root, const struct tm_change *change,
		    struct tm_buf *token);

/*
 * Writes what the change wants and reads it back; of a trigger the token too. Effects are not
 * written.
 */
int tm_change_apply(const struct tm_root *root, struct tm_change *change, struct tm_error *err);

/*
 * Notes what a count, an effect or a file that was made has come to be; nothing where that cannot
 * be read.
 */
void tm_change_look(const struct tm_root *root, struct tm_change *change);

/* Does the value meet the change? (A count may be larger.) */
bool tm_change_met(const struct tm_change *change, const char *now);

/* Has it an outcome that is known only after it was applied? */
bool tm_change_has_outcome(const struct tm_change *change);

/* Sets the state, and a copy of the reason (or none). */
void tm_change_note(struct tm_change *change, enum tm_change_state state, const char *error);

/*
 * Takes back, in reverse, those of the first `nr` changes that are not UNCHANGED, and verifies
 * each. A file at `from` is left as it is, one with our value restored, one with a value that is
 * neither left and reported. What a trigger started is ended where it is still that. A file that
 * was made is not written; where it says something else than was written to it, and nothing of ours
 * runs, what made it is a stranger's now, and left.
 *
 * Sets the states to RESTORED, UNCHANGED (was never written) or LEFT.
 * Returns how many are LEFT.
 */
size_t tm_changes_restore(const struct tm_root *root, struct tm_change *changes, size_t nr);

/* May another try restore what is left? Not where a stranger's value is, or nothing can. */
bool tm_changes_again(const struct tm_change *changes, size_t nr);

#endif
