/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem patches apply` */
#include <errno.h>
#include <string.h>

#include "cmd/patches-show.h"
#include "cmd/patches.h"

/* The first patch that stands in the way of all; NULL: none does. */
static const struct verdict *find_obstacle(const struct patch_run *run)
{
	for (size_t i = 0; i < run->nr; i++)
		if (run->verdicts[i].outcome == OUTCOME_CONFLICT ||
		    run->verdicts[i].outcome == OUTCOME_MISSING)
			return &run->verdicts[i];
	return NULL;
}

static int refuse(const struct patch_run *run, const struct verdict *verdict, struct tm_error *err)
{
	size_t others = patch_run_count(run, OUTCOME_FITS);

	tm_error_set(err, ESTALE, "%s: %s, because of %s: nothing is written", verdict->patch->name,
		     run->reverse ? "cannot be taken back" : "does not apply", verdict->file->path);
	if (others)
		tm_error_hint(err, "%s can be %s: name %s after DIR",
			      others == 1 ? "the other" : "the others",
			      run->reverse ? "taken back" : "applied", others == 1 ? "it" : "them");
	return -ESTALE;
}

static void print_end(const struct patch_run *run)
{
	size_t files = tree_count_changed(&run->tree);
	struct app *app = run->app;
	struct tm_buf buf = TM_BUF_INIT;

	if (app->json || app->quiet || app->raw || app->noheadings)
		return;
	if (!files)
		tm_buf_adds(&buf, "nothing to do\n");
	else
		tm_buf_addf(&buf, "%zu file%s %s\n", files, files == 1 ? "" : "s",
			    run->written ? "written" : "would be written");
	if (run->written && run->tree.git)
		tm_buf_adds(&buf, "nothing is committed: `git add` and `git commit` do that\n");
	out_text(app, tm_buf_str(&buf));
	tm_buf_release(&buf);
}

/* After the error: what stayed as the patches made it. */
static void list_left(const struct patch_run *run)
{
	const struct source_tree *tree = &run->tree;

	for (size_t i = 0; i < tree->nr; i++)
		if (tree->files[i]->left)
			warn(run->app, "%s/%s: could not be put back", tree->name,
			     tree->files[i]->path);
}

static int apply(struct patch_run *run, struct tm_error *err)
{
	const struct verdict *obstacle = find_obstacle(run);
	int rc = 0;

	if (!obstacle && !run->app->dry_run && tree_count_changed(&run->tree)) {
		rc = tree_write(&run->tree, err);
		run->written = !rc;
	}
	if (!rc) {
		rc = patch_run_show(run, err);
		if (!rc && obstacle)
			rc = refuse(run, obstacle, err);
		else if (!rc)
			print_end(run);
	}
	return rc;
}

static int run(struct app *app)
{
	struct tm_error err = { 0 };
	struct patch_run run = { 0 };
	int rc = patch_run_begin(&run, app, app_option(app, "reverse") != NULL, &err);
	int code = EXIT_DONE;

	if (!rc)
		rc = apply(&run, &err);
	if (rc)
		code = report(app,
			      run.usage	       ? EXIT_USAGE :
			      rc == -EREMOTEIO ? EXIT_ROLLBACK :
						 EXIT_FAILED,
			      &err);
	if (rc == -EREMOTEIO)
		list_left(&run);
	patch_run_release(&run);
	return code;
}

static const struct option options[] = {
	PATCHES_OPTIONS,
	{ "reverse", 'R', NULL, VALUE_TEXT, "take the patches back, the last first", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command patches_apply_command = {
	.name = "apply",
	.summary = "apply the patches to a kernel's sources, all or none",
	.synopsis = "[--patches DIR] [--reverse] DIR [NAME...]",
	.description =
		"Applies the patches, or those that are named, to the kernel's sources in DIR: a "
		"plain tree, or one of git, in which nothing is committed. What is there already "
		"is left as it is. If one does not apply, nothing is written.\n"
		"\n"
		"All is worked out first. Then each file is written beside its place, and takes "
		"it when all of them are on the disk. If something fails meanwhile, or the "
		"program is interrupted, what was there before is put back. --reverse does the "
		"same in the other direction, and gives back every byte.",
	.examples = "tiermem patches apply --dry-run ~/linux-source-6.12  # see first\n"
		    "tiermem patches apply ~/linux-source-6.12  # all of them\n"
		    "tiermem patches apply ~/linux-source-6.12 0002  # one\n"
		    "tiermem patches apply --reverse ~/linux-source-6.12  # as it was before\n",
	.options = options,
	.globals = GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.min_operands = 1,
	.max_operands = -1,
	.operand = "DIR",
	.operand_kind = VALUE_FOLDER,
	.run = run,
};
