/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/profile.h"

#include "cmd/apply.h"
#include "cmd/profile-view.h"

static const char *section_word(size_t i, const char **help)
{
	static const char *const word[] = { "weights", "mthp", "policy" };
	static const char *const text[] = {
		"weights for weighted interleave",
		"huge pages, for all sizes and of each",
		"demotion, NUMA balancing, reclaim",
	};

	if (i >= TM_ARRAY_SIZE(word))
		return NULL;
	*help = text[i];
	return word[i];
}

#define SKIP_OPTION                                                                            \
	{                                                                                      \
		"skip-missing", 0, NULL, VALUE_TEXT, "leave out what this machine lacks", NULL \
	}

static const struct option save_options[] = {
	{ "only", 0, "LIST", VALUE_WORDS, "save these sections only", section_word },
	{ "best", 0, NULL, VALUE_TEXT,
	  "not the weights that are set, but the best of wherever it is applied", NULL },
	{ "force", 'f', NULL, VALUE_TEXT, "replace FILE if it is there", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

static const struct option diff_options[] = {
	SKIP_OPTION,
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

static const struct option apply_options[] = {
	{ "check", 0, NULL, VALUE_TEXT, "write nothing, and exit 5 where the machine differs",
	  NULL },
	SKIP_OPTION,
	{ "force", 0, NULL, VALUE_TEXT,
	  "also best weights that are predicted to be slower than local memory", NULL },
	APPLY_OPTIONS,
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

static const struct command save_command = {
	.name = "save",
	.summary = "save what is set now",
	.synopsis = "[--only LIST] [--best] [--force] [FILE]",
	.description =
		"Writes the settings of this machine as one JSON document to FILE, or to standard "
		"output. What this machine has not, or this user may not read, is left out; -v "
		"names it. FILE is written whole or not at all.",
	.examples =
		"tiermem profile save /etc/tiermem/profile.json  # what the boot service applies\n"
		"tiermem profile save --best --only weights  # for every machine, its own best\n",
	.options = save_options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON,
	.max_operands = 1,
	.operand = "FILE",
	.operand_kind = VALUE_FILE,
	.run = profile_save,
};

static const struct command diff_command = {
	.name = "diff",
	.summary = "show where this machine differs from a profile",
	.synopsis = "[--skip-missing] FILE",
	.description =
		"Lists each setting of the profile that is otherwise on this machine, with both "
		"values; with -v, every setting. Values compare by what they mean: 20G and 19073Mi "
		"of rate limit are the same. Exits 0 where nothing differs, else 5.",
	.examples = "tiermem profile diff /etc/tiermem/profile.json  # does it still hold?\n",
	.options = diff_options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_TABLE,
	.min_operands = 1,
	.max_operands = 1,
	.operand = "FILE",
	.operand_kind = VALUE_FILE,
	.run = profile_diff,
};

static const struct command apply_command = {
	.name = "apply",
	.summary = "make this machine as a profile says",
	.synopsis = "[--check] [--skip-missing] [--force] [--accept] FILE",
	.description =
		"Brings all sections of the profile about in one plan: everything is checked "
		"before the first write, each value is read back, and any failure takes back what "
		"was written. What is so already is not written. `tiermem undo` puts all back.\n\n"
		"A setting that this machine lacks stops it with exit code 3, before anything is "
		"written; --skip-missing leaves it out and says so. FILE - is standard input.",
	.examples = "tiermem profile apply --dry-run web.json  # what would be written\n"
		    "tiermem profile apply web.json  # write it\n"
		    "tiermem profile apply --check web.json || echo differs  # for monitoring\n",
	.options = apply_options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.min_operands = 1,
	.max_operands = 1,
	.operand = "FILE",
	.operand_kind = VALUE_FILE,
	.run = profile_apply,
};

static const struct command *const subcommands[] = {
	&save_command,
	&diff_command,
	&apply_command,
	NULL,
};

const struct command profile_command = {
	.name = "profile",
	.summary = "save, compare and apply all settings as one file",
	.synopsis = "save|diff|apply ...",
	.description =
		"Settings of memory tiers are gone after a reboot. A profile keeps them: weights, "
		"huge pages and migration between tiers in one file, which the boot service "
		"tiermem-profile applies from /etc/tiermem/profile.json, and again when memory "
		"comes online.",
	.examples = "tiermem profile save /etc/tiermem/profile.json  # keep what is set\n"
		    "tiermem profile diff /etc/tiermem/profile.json  # does it still hold?\n",
	.group = "Write",
	.subcommands = subcommands,
};
