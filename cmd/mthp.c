/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/mthp.h"

#include <errno.h>

#include "cmd/mthp-view.h"

static const struct option show_options[] = {
	{ "columns", 'o', "LIST", VALUE_WORDS, "show these columns of sizes, in this order",
	  mthp_column_word },
	{ "counters", 'c', NULL, VALUE_TEXT, "show every counter of each size instead", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

static const struct option set_options[] = {
	APPLY_OPTIONS,
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

static const struct option preset_options[] = {
	{ "list", 'l', NULL, VALUE_TEXT, "list the presets and what each is for", NULL },
	APPLY_OPTIONS,
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

static const struct option bootargs_options[] = {
	{ "explain", 'e', "LINE", VALUE_TEXT, "say what the kernel makes of this command line",
	  NULL },
	{ "booted", 'b', NULL, VALUE_TEXT, "the same for the line that was booted with", NULL },
	{ "for", 0, "VERSION", VALUE_TEXT, "for the rules of another kernel, such as 6.13", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

static int run_show(struct app *app)
{
	struct tm_error err = { 0 };

	if (app_option(app, "columns") && app_option(app, "counters")) {
		tm_error_set(&err, EINVAL, "--columns: not together with --counters");
		return report(app, EXIT_USAGE, &err);
	}
	if (app->json && (app_option(app, "columns") || app_option(app, "counters"))) {
		tm_error_set(&err, EINVAL, "--json: has every column and counter");
		return report(app, EXIT_USAGE, &err);
	}
	return read_with_machine(app, mthp_show);
}

static int run_set(struct app *app)
{
	return apply_with_machine(app, mthp_set);
}

static int run_bootargs(struct app *app)
{
	return read_with_machine(app, mthp_bootargs);
}

static const struct command show_command = {
	.name = "show",
	.summary = "show the settings of every size, what they come to, and the counters",
	.synopsis = "[--columns LIST | --counters] [SIZE...]",
	.description =
		"Shows a line for each size of huge page that this machine has: ENABLED and SHMEM "
		"are its settings for anonymous and for shared memory, ANON and SHARED what they "
		"come to with those for all sizes, FALLBACK and SHFALLBACK the part of the "
		"attempts that took a smaller page. Below stand the settings for all sizes.\n\n"
		"'n/a' means that this kernel has no such file, '-' that nothing is known, as "
		"before the first attempt.",
	.examples = "tiermem mthp show  # every size\n"
		    "tiermem mthp show --counters 64K 2M  # every counter of two sizes\n"
		    "tiermem mthp show -o size,shalloc,shfell  # is shared memory served?\n",
	.options = show_options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_TABLE,
	.max_operands = -1,
	.operand = "SIZE",
	.operand_words = NULL,
	.run = run_show,
};

static const struct command set_command = {
	.name = "set",
	.summary = "change settings of sizes, and those for all sizes",
	.synopsis = "SIZE|LO-HI|all|pmd|top KEY=VALUE... [SIZE|... KEY=VALUE...]... [--accept]",
	.description =
		"Every size or range is followed by what is to be set: enabled and shmem, and "
		"behind 'top' the settings for all sizes. 'all' means every size that has the "
		"setting, and yields to what is said of a size; 'pmd' is the largest size that one "
		"entry of a page table maps. Several sizes may stand with commas between.\n\n"
		"Values are checked against what the file itself lists. All is one plan: it is "
		"checked before the first write, each value is read back, and any failure takes "
		"back what was written. `tiermem undo` puts the old settings back.\n\n"
		"The kernel takes shmem=force for all sizes only while the PMD size, and no other, "
		"inherits; what would break this is refused before anything is written.",
	.examples = "tiermem mthp set 64K shmem=always  # 64K pages for shared memory\n"
		    "tiermem mthp set all enabled=never 2M enabled=inherit  # as before mTHP\n"
		    "tiermem mthp set 16K-128K enabled=madvise top defrag=defer --dry-run  # only "
		    "look\n",
	.options = set_options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.min_operands = 2,
	.max_operands = -1,
	.operand = "SIZE|KEY=VALUE",
	.operand_words = mthp_group_word,
	.run = run_set,
};

static const struct command preset_command = {
	.name = "preset",
	.summary = "apply a named set of settings, or list them",
	.synopsis = "[NAME | --list] [--accept]",
	.description =
		"Applies one of the documented sets of settings through a plan, as `set` does, and "
		"says what it is for. Without a name, or with --list, lists them; with --verbose "
		"with all that each sets. What this kernel lacks is left out, and said.",
	.examples = "tiermem mthp preset  # what there is\n"
		    "tiermem mthp preset database-shmem --dry-run  # the plan, and why\n"
		    "tiermem mthp preset default  # as a fresh kernel has it\n",
	.options = preset_options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.max_operands = 1,
	.operand = "NAME",
	.operand_kind = VALUE_WORD,
	.operand_words = mthp_preset_word,
	.run = mthp_preset,
};

static const struct command bootargs_command = {
	.name = "bootargs",
	.summary = "print words for the kernel's command line, or explain a line",
	.synopsis = "[--for VERSION] [--explain LINE | --booted] "
		    "[SIZE|LO-HI|all|pmd|top KEY=VALUE...]...",
	.description =
		"Prints the words that bring this kernel to the present settings at boot, or to "
		"these with others laid over them, given as for `set`. What this kernel has no "
		"word for is said.\n\n"
		"With --explain, says of each word about huge pages in LINE what it does, and what "
		"the kernel would ignore and why, by the rules of this machine's kernel and sizes; "
		"then what the line comes to, beside what is set now. One wrong size or policy "
		"makes the kernel ignore the whole word, and naming any size sets all others to "
		"never.\n\n"
		"With --for, by the rules of the kernel that will be booted: one that is newer, or "
		"one with the patch that brings it the words of 6.13.",
	.examples = "tiermem mthp bootargs  # to have it so after the next boot\n"
		    "tiermem mthp bootargs 64K shmem=always  # the same with one thing changed\n"
		    "tiermem mthp bootargs --explain 'thp_anon=64K:always'  # before it is booted\n"
		    "tiermem mthp bootargs --booted  # did the kernel take what it was told?\n",
	.options = bootargs_options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_TABLE,
	.max_operands = -1,
	.operand = "SIZE|KEY=VALUE",
	.operand_words = mthp_group_word,
	.run = run_bootargs,
};

static const struct command *const subcommands[] = {
	&show_command, &set_command, &preset_command, &bootargs_command, NULL,
};

const struct command mthp_command = {
	.name = "mthp",
	.summary = "show and set huge pages per size, for anonymous and shared memory",
	.synopsis = "show|set|preset|bootargs ...",
	.description =
		"Transparent huge pages come in several sizes, each with settings of its own, and "
		"with settings for all sizes that those may inherit.",
	.examples = "tiermem mthp show  # start here\n",
	.group = "Write",
	.subcommands = subcommands,
};
