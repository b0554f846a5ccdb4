/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/table.h"

#include <string.h>
#include <strings.h>

const struct global_option global_options[NR_GLOBAL_OPTIONS] = {
	[OPTION_ROOT] = {
		.option = { .name = "root", .value = "DIR|ARCHIVE", .kind = VALUE_FILE,
			    .help = "read the machine captured there instead of this one" },
		.bit = GLOBAL_ROOT,
		.refusal = "reads no machine",
	},
	[OPTION_JSON] = {
		.option = { .name = "json", .help = "print JSON" },
		.bit = GLOBAL_JSON,
		.refusal = "has no JSON output",
	},
	[OPTION_DRY_RUN] = {
		.option = { .name = "dry-run",
			    .help = "show what would be written, and write nothing" },
		.bit = GLOBAL_DRY_RUN,
		.refusal = "writes nothing",
	},
	[OPTION_NOHEADINGS] = {
		.option = { .name = "noheadings", .help = "print tables without their headings" },
		.bit = GLOBAL_TABLE,
		.refusal = "prints no table",
	},
	[OPTION_RAW] = {
		.option = { .name = "raw",
			    .help = "print tables for scripts: one blank between columns, "
				    "nothing cut" },
		.bit = GLOBAL_TABLE,
		.refusal = "prints no table",
	},
	[OPTION_NO_COLOR] = { .option = { .name = "no-color", .help = "print without colours" } },
	[OPTION_QUIET] = { .option = { .name = "quiet", .letter = 'q', .help = "no warnings" } },
	[OPTION_VERBOSE] = {
		.option = { .name = "verbose", .letter = 'v', .help = "say more, and why" },
	},
	[OPTION_VERSION] = { .option = { .name = "version", .help = "print the version" } },
	[OPTION_HELP] = { .option = { .name = "help", .letter = 'h', .help = "print this help" } },
};

bool global_honoured(const struct command *command, const struct global_option *global)
{
	return !command || !global->bit || (command->globals & global->bit);
}

const struct command *command_find(const struct command *const *list, const char *name)
{
	for (; list && *list; list++)
		if (!strcmp((*list)->name, name))
			return *list;
	return NULL;
}

const char *command_nearest(const struct command *const *list, const char *name)
{
	struct tm_nearest nearest = { .word = name, .len = strlen(name) };

	for (; list && *list; list++)
		if (!(*list)->hidden)
			tm_nearest_try(&nearest, (*list)->name);
	return nearest.best;
}

static bool equals(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && !memcmp(name, text, len);
}

const struct option *option_find(const struct command *command, const char *name, size_t len)
{
	for (const struct option *o = command ? command->options : NULL; o && o->name; o++)
		if (equals(o->name, name, len))
			return o;
	return NULL;
}

const struct option *option_find_letter(const struct command *command, char letter)
{
	for (const struct option *o = command ? command->options : NULL; o && o->name; o++)
		if (o->letter && o->letter == letter)
			return o;
	return NULL;
}

const struct global_option *global_find(const char *name, size_t len)
{
	for (size_t i = 0; i < NR_GLOBAL_OPTIONS; i++)
		if (equals(global_options[i].option.name, name, len))
			return &global_options[i];
	return NULL;
}

const struct global_option *global_find_letter(char letter)
{
	for (size_t i = 0; i < NR_GLOBAL_OPTIONS; i++)
		if (global_options[i].option.letter && global_options[i].option.letter == letter)
			return &global_options[i];
	return NULL;
}

const char *word_find(word_list words, const char *text, size_t len)
{
	const char *word, *help;

	for (size_t i = 0; (word = words(i, &help)); i++)
		if (strlen(word) == len && !strncasecmp(word, text, len))
			return word;
	return NULL;
}

bool example_next(const char **text, struct example *example)
{
	static const char mark[] = "  # ";
	const char *line = *text, *does;
	size_t len;

	if (!line || !*line)
		return false;
	len = strcspn(line, "\n");
	*text = line + len + (line[len] == '\n');
	does = memmem(line, len, mark, strlen(mark));
	*example = (struct example){ .command = line,
				     .command_len = does ? (size_t)(does - line) : len };
	if (does) {
		example->does = does + strlen(mark);
		example->does_len = (size_t)(line + len - example->does);
	}
	return true;
}
