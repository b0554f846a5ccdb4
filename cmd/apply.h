/* SPDX-License-Identifier: GPL-2.0-only */
/* What every command that writes does with its plan: show it, prepare, apply, tell how it went. */
#ifndef CMD_APPLY_H
#define CMD_APPLY_H

#include "cmd/command.h"
#include "lib/model/machine.h"
#include "lib/plan/journal.h"
#include "lib/plan/plan.h"

/* The options that such a command has besides its own. */
#define APPLY_OPTIONS                                                                            \
	{                                                                                        \
		"accept", 0, NULL, VALUE_TEXT, "go on although something cannot be undone", NULL \
	}

/*
 * Prepares and applies the plan, or with --dry-run only prepares and shows it. Prints the changes
 * (text or a tiermem.plan/1 document), and what went wrong. Each applied plan is a line in the
 * system log. Returns an exit code.
 */
int apply_plan(struct app *app, const struct tm_machine *m, struct tm_plan *plan);

/* Shows what undoing journals did (or would do), in the same form. Returns an exit code. */
int apply_show_journals(struct app *app, const struct tm_machine *m,
			const struct tm_journal *journals, size_t nr, const char *state);

/* One line in the system log: the changes in this state. */
void apply_log(const char *title, const struct tm_change *changes, size_t nr,
	       enum tm_change_state state);

/* A warning for each change that could not be taken back. */
void apply_list_left(const struct app *app, const struct tm_change *changes, size_t nr);

/* A usage error, reported, where the root is an archive and this is no dry run; else EXIT_DONE. */
int apply_refuse_archive(struct app *app, const struct tm_root *root);

/*
 * For a plan that was prepared or previewed and has nothing to write: -EBUSY where a running
 * tiermem holds one of its files, which it will put back, so that the plan would not last. Who may
 * not look at journals is not told.
 */
int apply_check_held(const struct tm_plan *plan, struct tm_error *err);

/* Opens the root, which must not be an archive, reads the machine and works. An exit code. */
int apply_with_machine(struct app *app, int (*work)(struct app *app, const struct tm_root *root,
						    const struct tm_machine *m));

/* The same for what only reads, of which the root may be an archive. */
int read_with_machine(struct app *app, int (*work)(struct app *app, const struct tm_root *root,
						   const struct tm_machine *m));

#endif
