/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a killed tiermem left: a journal whose process is dead. Commands that write take it back
 * before they write, readers only tell of it.
 */
#ifndef CMD_RECOVER_H
#define CMD_RECOVER_H

#include "cmd/command.h"
#include "lib/model/machine.h"
#include "lib/plan/journal.h"

/*
 * For a command that is about to write: takes back what killed ones left, and says of each setting
 * what it did. *recovered: settings are not what was read before. Returns an exit code, reported:
 * EXIT_DONE also where journals cannot be read, which preparing the plan finds and tells better;
 * EXIT_ROLLBACK where something is left; EXIT_FAILED where it could not begin.
 */
int recover_first(struct app *app, const struct tm_root *root, bool *recovered);

/* For readers: a warning for each such journal. Who may not look is not told. */
void recover_warn(const struct app *app, const struct tm_root *root);

/*
 * Takes back every dead journal of the list (which moves to its front) and shows that as the
 * command's own work; with --dry-run only shows it. *nr_dead: how many these are. Returns an exit
 * code. The lock is held by the caller.
 */
int recover_list(struct app *app, const struct tm_root *root, const struct tm_machine *m,
		 struct tm_journal *list, size_t nr, size_t *nr_dead);

/* Tells what became of `nr` journals, whose undoing ended with `rc`. Returns an exit code. */
int recover_show(struct app *app, const struct tm_root *root, const struct tm_machine *m,
		 struct tm_journal *journals, size_t nr, int rc, const struct tm_error *err);

#endif
