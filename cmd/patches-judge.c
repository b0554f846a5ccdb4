/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/patches-judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One patch tried in one direction: what it would make of each of its files. */
struct trial {
	bool fits;
	bool missing; /* a file is not there */
	size_t moved, offset, farthest;
	const struct tm_diff_file *file; /* the first that does not fit */
	const char *why;
	struct tm_fit fit;
	size_t nr;
	struct tree_file **files;
	struct tree_state *made;
};

static void trial_release(struct trial *trial)
{
	for (size_t i = 0; trial->made && i < trial->nr; i++)
		tm_buf_release(&trial->made[i].text);
	free(trial->made);
	free(trial->files);
	*trial = (struct trial){ 0 };
}

/* The files are now as the patch makes them. */
static void trial_take(struct trial *trial)
{
	for (size_t i = 0; i < trial->nr; i++) {
		struct tree_state old = trial->files[i]->now;

		trial->files[i]->now = trial->made[i];
		trial->made[i] = old;
	}
}

static int misfit(struct trial *trial, const struct tm_diff_file *file, const char *why)
{
	trial->file = file;
	trial->why = why;
	return -ESTALE;
}

static bool runs(mode_t mode)
{
	return (mode & 0111) != 0;
}

/* Who may read it may also run it, or nobody may. */
static mode_t with_mode(mode_t mode, unsigned wanted)
{
	return runs(wanted) ? mode | (mode & 0444) >> 2 : mode & ~(mode_t)0111;
}

/* As the shell would make it. */
static mode_t new_mode(unsigned wanted)
{
	mode_t mask = umask(0);

	umask(mask);
	return (runs(wanted) ? 0777 : 0666) & ~mask;
}

static enum tm_diff_kind kind_of(const struct tm_diff_file *file, bool reverse)
{
	if (!reverse || file->kind == TM_DIFF_CHANGES)
		return file->kind;
	return file->kind == TM_DIFF_CREATES ? TM_DIFF_DELETES : TM_DIFF_CREATES;
}

static int try_file(struct trial *trial, const struct tm_diff_file *file, bool reverse,
		    const struct tree_state *now, struct tree_state *made)
{
	enum tm_diff_kind kind = kind_of(file, reverse);
	unsigned from = file->mode[reverse ? TM_DIFF_NEW : TM_DIFF_OLD];
	unsigned to = file->mode[reverse ? TM_DIFF_OLD : TM_DIFF_NEW];
	int rc;

	if (kind == TM_DIFF_CREATES && now->there)
		return misfit(trial, file, "is there already");
	if (kind != TM_DIFF_CREATES && !now->there) {
		trial->missing = true;
		return misfit(trial, file, "is not there");
	}
	rc = tm_diff_fit(file, reverse, tm_buf_str(&now->text), now->there ? now->text.len : 0,
			 &made->text, &trial->fit);
	trial->moved += trial->fit.moved;
	trial->offset += trial->fit.offset;
	trial->farthest = TM_MAX(trial->farthest, trial->fit.farthest);
	if (rc)
		return rc == -ESTALE ? misfit(trial, file, "is otherwise") : rc;
	if (kind == TM_DIFF_DELETES)
		return made->text.len ? misfit(trial, file, "has more lines") : 0;
	if (kind == TM_DIFF_CHANGES && from && runs(now->mode) != runs(from))
		return misfit(trial, file, "has another mode");
	made->there = true;
	made->mode = kind == TM_DIFF_CREATES ? new_mode(to) :
		     to			     ? with_mode(now->mode, to) :
					       now->mode;
	return 0;
}

static int try_patch(struct source_tree *tree, const struct patch *patch, bool reverse,
		     struct trial *trial, struct tm_error *err)
{
	const struct tm_diff *diff = &patch->diff;
	int rc = 0;

	*trial = (struct trial){ .nr = diff->nr,
				 .files = calloc(diff->nr, sizeof(struct tree_file *)),
				 .made = calloc(diff->nr, sizeof(*trial->made)) };
	if (!trial->files || !trial->made) {
		trial_release(trial);
		return tm_error_nomem(err);
	}
	for (size_t i = 0; i < diff->nr && !rc; i++) {
		rc = tree_file(tree, diff->files[i].path, &trial->files[i], err);
		if (rc)
			break;
		rc = try_file(trial, &diff->files[i], reverse, &trial->files[i]->now,
			      &trial->made[i]);
		if (rc == -ENOMEM)
			tm_error_nomem(err);
	}
	trial->fits = !rc;
	if (rc && !trial->file) {
		trial_release(trial);
		return rc;
	}
	return 0;
}

static int tell_misfit(struct verdict *verdict, const struct trial *trial)
{
	const struct tm_fit *fit = &trial->fit;
	size_t len = fit->found_len;

	verdict->outcome = trial->missing ? OUTCOME_MISSING : OUTCOME_CONFLICT;
	verdict->file = trial->file;
	verdict->why = trial->why;
	verdict->fit = *fit;
	verdict->fit.found = NULL;
	if (!fit->hunk || !fit->found)
		return 0;
	/* The file may have changed by the time it is shown. */
	verdict->found = strndup(fit->found, len && fit->found[len - 1] == '\n' ? len - 1 : len);
	return verdict->found ? 0 : -ENOMEM;
}

/*
 * Tries both directions. Where both fit, which little context can make so, the one that needs less
 * moving is meant.
 */
static int judge(struct source_tree *tree, const struct patch *patch, bool reverse,
		 struct verdict *verdict, struct tm_error *err)
{
	struct trial wanted, other = { 0 };
	int rc = try_patch(tree, patch, reverse, &wanted, err);

	if (rc)
		return rc;
	rc = try_patch(tree, patch, !reverse, &other, err);
	*verdict = (struct verdict){ .patch = patch, .outcome = OUTCOME_FITS };
	if (rc) {
		/* Said already. */
	} else if (other.fits && (!wanted.fits || other.offset < wanted.offset)) {
		verdict->outcome = OUTCOME_DONE;
	} else if (wanted.fits) {
		verdict->moved = wanted.moved;
		verdict->farthest = wanted.farthest;
		trial_take(&wanted);
	} else if (tell_misfit(verdict, &wanted)) {
		rc = tm_error_nomem(err);
	}
	trial_release(&wanted);
	trial_release(&other);
	return rc;
}

static int reset(struct source_tree *tree)
{
	for (size_t i = 0; i < tree->nr; i++) {
		struct tree_state *now = &tree->files[i]->now;
		const struct tree_state *before = &tree->files[i]->before;

		tm_buf_reset(&now->text);
		tm_buf_add(&now->text, tm_buf_str(&before->text), before->text.len);
		now->there = before->there;
		now->mode = before->mode;
		if (now->text.failed)
			return -ENOMEM;
	}
	return 0;
}

/* Takes the patch off if it is there. As to both directions, see judge(). */
static int take_off(struct source_tree *tree, const struct patch *patch, bool *there,
		    struct tm_error *err)
{
	struct trial off, on = { 0 };
	int rc = try_patch(tree, patch, true, &off, err);

	if (rc)
		return rc;
	if (off.fits)
		rc = try_patch(tree, patch, false, &on, err);
	*there = !rc && off.fits && !(on.fits && on.offset <= off.offset);
	if (*there)
		trial_take(&off);
	trial_release(&off);
	trial_release(&on);
	return rc;
}

/*
 * Which patches are there: found by taking them off, the last first, since a later one may have
 * changed what an earlier one brought.
 */
static int find_there(struct source_tree *tree, const struct patch_set *set, bool *there,
		      struct tm_error *err)
{
	int rc = 0;

	for (size_t i = set->nr; i-- > 0 && !rc;)
		rc = take_off(tree, &set->patches[i], &there[i], err);
	if (!rc && reset(tree))
		rc = tm_error_nomem(err);
	return rc;
}

static int judge_all(struct source_tree *tree, const struct patch_set *set, bool reverse,
		     const bool *there, struct verdict *verdicts, size_t *nr, struct tm_error *err)
{
	int rc = 0;

	for (size_t k = 0; k < set->nr && !rc; k++) {
		size_t i = reverse ? set->nr - 1 - k : k;
		struct verdict *verdict = &verdicts[*nr];

		if (!set->patches[i].chosen)
			continue;
		++*nr;
		*verdict = (struct verdict){ .patch = &set->patches[i], .outcome = OUTCOME_DONE };
		if (!there[i])
			rc = judge(tree, verdict->patch, reverse, verdict, err);
	}
	return rc;
}

/* By path, which is the order in which they are written and listed. */
static int by_path(const void *a, const void *b)
{
	return strcmp((*(struct tree_file *const *)a)->path, (*(struct tree_file *const *)b)->path);
}

int patches_judge(struct source_tree *tree, const struct patch_set *set, bool reverse,
		  struct verdict **verdicts, size_t *nr, struct tm_error *err)
{
	struct verdict *made = calloc(set->nr + 1, sizeof(*made));
	bool *there = calloc(set->nr + 1, sizeof(*there));
	int rc = 0;

	*nr = 0;
	if (!made || !there) {
		free(made);
		free(there);
		return tm_error_nomem(err);
	}
	if (!reverse)
		rc = find_there(tree, set, there, err);
	if (!rc)
		rc = judge_all(tree, set, reverse, there, made, nr, err);
	free(there);
	if (rc) {
		patches_free_verdicts(made, *nr);
		return rc;
	}
	qsort(tree->files, tree->nr, sizeof(struct tree_file *), by_path);
	*verdicts = made;
	return 0;
}

void patches_free_verdicts(struct verdict *verdicts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(verdicts[i].found);
	free(verdicts);
}
