/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `tiermem complete -- WORD...`: what the last of the words typed after "tiermem" can become.
 * Prints lines "candidate<TAB>explanation", or one line that leaves the rest to the shell:
 *
 *	:file<TAB>PREFIX	a file name, after PREFIX ("--root=", or nothing)
 *	:folder<TAB>PREFIX	a folder's name
 *	:command<TAB>N		a command line of its own, which begins with the N-th word, from 0
 *
 * Half-typed lines are normal here: what is wrong is passed over, and nothing is an error.
 */
#include "cmd/complete.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cmd/table.h"
#include "lib/base/buf.h"

/* What the words before the last one say. */
struct typed {
	const struct command *command;
	const struct option *pending; /* waits for its value */
	bool only_operands;
	int operands;
	int command_line; /* index of the word where a command line of its own begins, or -1 */
	uint64_t options; /* of the command that were given: a bit for each */
	unsigned globals;
	bool lost; /* no such command: nothing is known about what follows */
};

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static void offer(struct tm_buf *out, const char *prefix, size_t prefix_len, const char *word,
		  const char *help)
{
	tm_buf_add(out, prefix, prefix_len);
	tm_buf_addf(out, "%s\t%s\n", word, help ? help : "");
}

/* Notes that an option was given; returns it if it takes a value. */
static const struct option *note_option(struct typed *typed, const struct option *option,
					const struct global_option *global)
{
	if (option && typed->command)
		typed->options |= UINT64_C(1) << (option - typed->command->options);
	else if (global)
		typed->globals |= 1U << (global - global_options);
	else
		return NULL;
	option = option ? option : &global->option;
	return option->value ? option : NULL;
}

static void note_word(struct typed *typed, const char *word, int index)
{
	const struct command *const *list = typed->command ? typed->command->subcommands :
							     tiermem_commands;
	size_t len;

	if (typed->pending) {
		typed->pending = NULL;
	} else if (typed->only_operands || word[0] != '-' || !word[1]) {
		if (!list) {
			if (typed->command->passes_command)
				typed->command_line = index;
			typed->operands++;
			return;
		}
		typed->command = command_find(list, word);
		typed->lost = !typed->command;
	} else if (!strcmp(word, "--")) {
		typed->only_operands = true;
	} else if (word[1] == '-') {
		word += 2;
		len = strcspn(word, "=");
		typed->pending = note_option(typed, option_find(typed->command, word, len),
					     global_find(word, len));
		if (word[len])
			typed->pending = NULL;
	} else {
		while (*++word) {
			typed->pending = note_option(typed,
						     option_find_letter(typed->command, *word),
						     global_find_letter(*word));
			if (!typed->pending)
				continue;
			if (word[1])
				typed->pending = NULL;
			return;
		}
	}
}

static void offer_commands(struct tm_buf *out, const struct command *const *list, const char *typed)
{
	for (; *list; list++)
		if (!(*list)->hidden && starts_with((*list)->name, typed))
			offer(out, "", 0, (*list)->name, (*list)->summary);
}

static void offer_option(struct tm_buf *out, const struct option *option, const char *typed)
{
	char name[64];

	snprintf(name, sizeof(name), "--%s", option->name);
	if (starts_with(name, typed))
		offer(out, "", 0, name, option->help);
	if (!option->letter || !*typed)
		return;
	snprintf(name, sizeof(name), "-%c", option->letter);
	if (starts_with(name, typed))
		offer(out, "", 0, name, option->help);
}

/* Options that the command honours and that were not given yet; --verbose may be repeated. */
static void offer_options(struct tm_buf *out, const struct typed *typed, const char *text)
{
	const struct option *options = typed->command ? typed->command->options : NULL;

	for (size_t i = 0; options && options[i].name; i++)
		if (!(typed->options >> i & 1))
			offer_option(out, &options[i], text);
	for (size_t i = 0; i < NR_GLOBAL_OPTIONS; i++)
		if (global_honoured(typed->command, &global_options[i]) &&
		    (!(typed->globals >> i & 1) || i == OPTION_VERBOSE))
			offer_option(out, &global_options[i].option, text);
}

/* True: `word` stands in the list "a,b,c," already. */
static bool listed(const char *list, size_t len, const char *word)
{
	size_t word_len = strlen(word);

	for (const char *end; len; len -= (size_t)(end + 1 - list), list = end + 1) {
		end = memchr(list, ',', len);
		if ((size_t)(end - list) == word_len && !strncasecmp(list, word, word_len))
			return true;
	}
	return false;
}

/*
 * Candidates for a value or operand of which `text` is typed; `prefix` goes before each, as
 * "--columns=".
 */
static void offer_values(struct tm_buf *out, enum value_kind kind, word_list words,
			 const char *prefix, size_t prefix_len, const char *text)
{
	const char *last = kind == VALUE_WORDS ? strrchr(text, ',') : NULL;
	size_t before = last ? (size_t)(last + 1 - text) : 0;
	const char *word, *help;
	struct tm_buf whole = TM_BUF_INIT;

	if (kind == VALUE_FILE || kind == VALUE_FOLDER)
		tm_buf_addf(out, "%s\t%.*s\n", kind == VALUE_FILE ? ":file" : ":folder",
			    (int)prefix_len, prefix);
	tm_buf_add(&whole, prefix, prefix_len);
	tm_buf_add(&whole, text, before);
	for (size_t i = 0; words && (help = NULL, word = words(i, &help)); i++)
		if (!strncasecmp(word, text + before, strlen(text + before)) &&
		    !listed(text, before, word))
			offer(out, tm_buf_str(&whole), whole.len, word, help);
	tm_buf_release(&whole);
}

static void offer_for(struct tm_buf *out, const struct typed *typed, const char *text, int index)
{
	const struct command *command = typed->command;

	if (typed->pending) {
		offer_values(out, typed->pending->kind, typed->pending->words, "", 0, text);
	} else if (!typed->only_operands && text[0] == '-') {
		size_t len = starts_with(text, "--") ? strcspn(text, "=") : strlen(text);
		const struct option *option = NULL;

		if (!text[len]) {
			offer_options(out, typed, text);
			return;
		}
		option = option_find(command, text + 2, len - 2);
		if (!option && global_find(text + 2, len - 2))
			option = &global_find(text + 2, len - 2)->option;
		if (option && option->value)
			offer_values(out, option->kind, option->words, text, len + 1,
				     text + len + 1);
	} else if (!command) {
		offer_commands(out, tiermem_commands, text);
	} else if (command->subcommands) {
		offer_commands(out, command->subcommands, text);
	} else if (command->passes_command) {
		tm_buf_addf(out, ":command\t%d\n", index);
	} else if (command->max_operands < 0 || typed->operands < command->max_operands) {
		offer_values(out, command->operand_kind, command->operand_words, "", 0, text);
	} else if (!*text) {
		/* Nothing but options can follow. */
		offer_options(out, typed, text);
	}
}

static int complete_run(struct app *app)
{
	struct typed typed = { .command_line = -1 };
	struct tm_buf out = TM_BUF_INIT;
	int last = app->argc - 1;

	for (int i = 0; i < last && typed.command_line < 0 && !typed.lost; i++)
		note_word(&typed, app->argv[i], i);
	if (typed.command_line >= 0)
		tm_buf_addf(&out, ":command\t%d\n", typed.command_line);
	else if (!typed.lost)
		offer_for(&out, &typed, last >= 0 ? app->argv[last] : "", last);
	out_text(app, tm_buf_str(&out));
	tm_buf_release(&out);
	return EXIT_DONE;
}

const struct command complete_command = {
	.name = "complete",
	.summary = "print what a half-typed command line can become, for the shells",
	.synopsis = "-- WORD...",
	.max_operands = -1,
	.operand = "WORD",
	.operand_kind = VALUE_TEXT,
	.hidden = true,
	.run = complete_run,
};
