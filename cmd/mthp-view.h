/* SPDX-License-Identifier: GPL-2.0-only */
/* What the subcommands of `tiermem mthp` share. */
#ifndef CMD_MTHP_VIEW_H
#define CMD_MTHP_VIEW_H

#include "cmd/apply.h"
#include "cmd/command.h"
#include "cmd/settings.h"
#include "lib/model/machine.h"
#include "lib/model/thp.h"
#include "lib/out/field.h"

/* Why this machine has nothing to set or show. Returns -ENOTSUP, -EACCES or another. */
int mthp_lacking(const struct tm_thp *thp, struct tm_error *err);

/* An exit code for an error of the functions below. */
enum exit_code mthp_exit(int rc);

/* mthp-show.c: a size as it is shown. */
struct mthp_row {
	const struct tm_thp *thp;
	const struct tm_thp_size *size;
	char fallback[2][16]; /* by enum tm_thp_side: "12.5%"; "" where it is unknown */
};
extern const struct tm_field mthp_fields[];
extern const size_t nr_mthp_fields;
const char *mthp_column_word(size_t i, const char **help);
int mthp_show(struct app *app, const struct tm_root *root, const struct tm_machine *m);

/* mthp-json.c */
int mthp_json(struct app *app, const struct tm_machine *m, const struct tm_thp *thp,
	      const struct mthp_row *rows, size_t nr);

/*
 * mthp-groups.c: the sizes that a word names, as "64K", "16K-128K", "all", "pmd" or some of these
 * with commas between. Sets chosen[] (one for each size of the machine). *top: the word is "top".
 * *all: it is "all". Errors: -EINVAL (no such word), -ENOTSUP (a size that this machine lacks).
 */
int mthp_sizes(const struct tm_thp *thp, const char *word, bool *chosen, bool *top, bool *all,
	       struct tm_error *err);

/*
 * Wants what words such as `64K shmem=always 16K-128K enabled=madvise top defrag=madvise` say. What
 * is said of "all" yields to what is said of a size. Errors: -EINVAL (usage), -ENOTSUP, -EACCES, …
 */
int mthp_want(struct settings *settings, const struct tm_root *root, const struct tm_thp *thp,
	      char *const *words, int nr, struct tm_error *err);
/* Candidates for completion. */
const char *mthp_group_word(size_t i, const char **help);

/* mthp-set.c */
int mthp_set(struct app *app, const struct tm_root *root, const struct tm_machine *m);
/* Plans and applies; `title` is the command, for the journal. An exit code. */
int mthp_apply(struct app *app, const struct tm_root *root, const struct tm_machine *m,
	       const struct settings *settings, const char *title);
/* Takes back first what a killed tiermem left; a dry run only tells of it. An exit code. */
int mthp_recover(struct app *app, const struct tm_root *root);

/* mthp-preset.c */
int mthp_preset(struct app *app);
const char *mthp_preset_word(size_t i, const char **help);
/* Adds a paragraph in lines of at most 78 characters, each after two blanks. */
void mthp_fold(struct tm_buf *out, const char *text);

/* mthp-bootargs.c */
int mthp_bootargs(struct app *app, const struct tm_root *root, const struct tm_machine *m);

#endif
