/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem patches check` */
#include <errno.h>

#include "cmd/patches-show.h"
#include "cmd/patches.h"

static int run(struct app *app)
{
	struct tm_error err = { 0 };
	struct patch_run run = { 0 };
	int rc = patch_run_begin(&run, app, false, &err), code = EXIT_DONE;

	run.checks = true;
	if (!rc)
		rc = patch_run_show(&run, &err);
	if (rc)
		code = report(app, run.usage ? EXIT_USAGE : EXIT_FAILED, &err);
	else if (patch_run_count(&run, OUTCOME_CONFLICT) || patch_run_count(&run, OUTCOME_MISSING))
		code = EXIT_DIFFERS;
	patch_run_release(&run);
	return code;
}

static const struct option options[] = {
	PATCHES_OPTIONS,
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command patches_check_command = {
	.name = "check",
	.summary = "try the patches on a kernel's sources, without changing them",
	.synopsis = "[--patches DIR] DIR [NAME...]",
	.description =
		"Says of each patch whether it applies to the kernel's sources in DIR, is there "
		"already, or where it conflicts. They are tried in the order of their series, each "
		"on top of those before it that apply, so that the answer is that of `patches "
		"apply`. Nothing is written.\n"
		"\n"
		"Lines around a change must be as the patch has them. Where they have moved, that "
		"is found, and told. A NAME is that of a patch, or its number.\n"
		"\n"
		"The exit code is 0 where all apply or are there, and 5 where one does not.",
	.examples = "tiermem patches check ~/linux-source-6.12  # all\n"
		    "tiermem patches check ~/linux-source-6.12 0001 0005  # these\n",
	.options = options,
	.globals = GLOBAL_JSON | GLOBAL_TABLE,
	.min_operands = 1,
	.max_operands = -1,
	.operand = "DIR",
	.operand_kind = VALUE_FOLDER,
	.run = run,
};
