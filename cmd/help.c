/* SPDX-License-Identifier: GPL-2.0-only */
/* Help as text, all of it made from the command tables. */
#include "cmd/help.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/table.h"
#include "lib/base/buf.h"

#define WIDTH 79
#define OPTION_COLUMN 26 /* where the explanation of an option starts */

static const char about[] =
	"See and tune a Linux machine that has more than one kind of memory: local and remote "
	"DRAM, CXL expanders, HBM, persistent memory.";

const struct exit_meaning exit_meanings[] = {
	{ EXIT_DONE, "done, or nothing to do" },
	{ EXIT_FAILED, "failed, and the machine is as it was" },
	{ EXIT_USAGE, "wrong usage" },
	{ EXIT_UNSUPPORTED, "this kernel or hardware lacks it" },
	{ EXIT_ROLLBACK, "a rollback could not finish; what is left is listed" },
	{ EXIT_DIFFERS, "the machine differs from what was asked about" },
	{ EXIT_DONE, NULL },
};

static void add_blanks(struct tm_buf *buf, size_t nr)
{
	tm_buf_addf(buf, "%*s", (int)nr, "");
}

/* The length of the first word. What stands in brackets is one word, if those are closed. */
static size_t word_length(const char *text, size_t len)
{
	size_t blank = len;
	int depth = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == ' ' && blank == len)
			blank = i;
		if (text[i] == ' ' && !depth)
			return i;
		depth += (text[i] == '[') - (text[i] == ']');
	}
	return depth ? blank : len;
}

/* Adds a line, broken between words. The cursor is in `column`; later lines start in `indent`. */
static void add_wrapped(struct tm_buf *buf, const char *text, size_t len, size_t column,
			size_t indent)
{
	bool first = true;

	while (len) {
		size_t word = word_length(text, len);

		if (!first && column + 1 + word > WIDTH) {
			tm_buf_addc(buf, '\n');
			add_blanks(buf, indent);
			column = indent;
		} else if (!first) {
			tm_buf_addc(buf, ' ');
			column++;
		}
		tm_buf_add(buf, text, word);
		column += word;
		first = false;
		text += word;
		len -= word;
		while (len && *text == ' ') {
			text++;
			len--;
		}
	}
	tm_buf_addc(buf, '\n');
}

/* Paragraphs are lines of any length; those that begin with a blank stay as they are. */
static void add_paragraphs(struct tm_buf *buf, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (*text == ' ') {
			tm_buf_add(buf, text, len);
			tm_buf_addc(buf, '\n');
		} else {
			add_wrapped(buf, text, len, 0, 0);
		}
		text += len + (text[len] == '\n');
	}
}

/* "head    explanation": the latter from `column` on, below the head where that is too long. */
static void add_entry(struct tm_buf *buf, const char *head, const char *text, size_t column)
{
	size_t len = strlen(head);

	tm_buf_adds(buf, head);
	if (len + 2 > column) {
		tm_buf_addc(buf, '\n');
		len = 0;
	}
	add_blanks(buf, column - len);
	add_wrapped(buf, text, strlen(text), column, column);
}

static bool words_have_help(word_list words)
{
	const char *help = NULL;

	return words(0, &help) && help;
}

static void add_option(struct tm_buf *buf, const struct option *option)
{
	struct tm_buf head = TM_BUF_INIT, text = TM_BUF_INIT;
	const char *word, *help;

	if (option->letter)
		tm_buf_addf(&head, "  -%c, ", option->letter);
	else
		tm_buf_adds(&head, "      ");
	tm_buf_addf(&head, "--%s", option->name);
	if (option->value)
		tm_buf_addf(&head, " %s", option->value);
	tm_buf_adds(&text, option->help);
	if (option->words && !words_have_help(option->words)) {
		for (size_t i = 0; (word = option->words(i, &help)); i++)
			tm_buf_addf(&text, "%s%s", i ? ", " : ": ", word);
	}
	add_entry(buf, tm_buf_str(&head), tm_buf_str(&text), OPTION_COLUMN);
	tm_buf_release(&head);
	tm_buf_release(&text);
}

/* "  word  what it is" in two columns. */
static void add_words(struct tm_buf *buf, word_list words)
{
	struct tm_buf head = TM_BUF_INIT;
	const char *word, *help;
	size_t column = 0;

	for (size_t i = 0; (word = words(i, &help)); i++)
		column = TM_MAX(column, strlen(word) + 4);
	for (size_t i = 0; help = NULL, (word = words(i, &help)); i++) {
		tm_buf_reset(&head);
		tm_buf_addf(&head, "  %s", word);
		add_entry(buf, tm_buf_str(&head), help ? help : "", column);
	}
	tm_buf_release(&head);
}

static void add_commands(struct tm_buf *buf, const struct command *const *list)
{
	const char *group = NULL;
	struct tm_buf head = TM_BUF_INIT;
	size_t column = 0;

	for (const struct command *const *c = list; *c; c++)
		if (!(*c)->hidden)
			column = TM_MAX(column, strlen((*c)->name) + 4);
	for (const struct command *const *c = list; *c; c++) {
		if ((*c)->hidden)
			continue;
		if ((*c)->group && (!group || strcmp(group, (*c)->group))) {
			group = (*c)->group;
			tm_buf_addf(buf, "\n%s:\n", group);
		}
		tm_buf_reset(&head);
		tm_buf_addf(&head, "  %s", (*c)->name);
		add_entry(buf, tm_buf_str(&head), (*c)->summary, column);
	}
	tm_buf_release(&head);
}

static void add_globals(struct tm_buf *buf, const struct command *command)
{
	tm_buf_adds(buf, "\nGlobal options:\n");
	for (size_t i = 0; i < NR_GLOBAL_OPTIONS; i++)
		if (global_honoured(command, &global_options[i]))
			add_option(buf, &global_options[i].option);
}

static void add_examples(struct tm_buf *buf, const char *text)
{
	struct example example;

	tm_buf_adds(buf, "\nExamples:\n");
	while (example_next(&text, &example)) {
		tm_buf_addf(buf, "  %.*s\n", (int)example.command_len, example.command);
		if (example.does) {
			add_blanks(buf, 6);
			add_wrapped(buf, example.does, example.does_len, 6, 6);
		}
	}
}

static void add_command_help(struct tm_buf *buf, const struct command *parent,
			     const struct command *command)
{
	const char *sep = parent ? " " : "", *group = parent ? parent->name : "";
	size_t usage;

	tm_buf_addf(buf, "tiermem %s%s%s - ", group, sep, command->name);
	add_wrapped(buf, command->summary, strlen(command->summary), buf->len, 4);
	usage = buf->len;
	tm_buf_addf(buf, "\nUsage: tiermem %s%s%s%s", group, sep, command->name,
		    *command->synopsis ? " " : "");
	usage = buf->len - usage - 1;
	add_wrapped(buf, command->synopsis, strlen(command->synopsis), usage, usage);
	if (command->description) {
		tm_buf_addc(buf, '\n');
		add_paragraphs(buf, command->description);
	}
	if (command->subcommands) {
		tm_buf_adds(buf, "\nSubcommands:\n");
		add_commands(buf, command->subcommands);
	}
	if (command->operand_words && words_have_help(command->operand_words)) {
		tm_buf_addf(buf, "\n%s:\n", command->operand);
		add_words(buf, command->operand_words);
	}
	if (command->options)
		tm_buf_adds(buf, "\nOptions:\n");
	for (const struct option *o = command->options; o && o->name; o++)
		add_option(buf, o);
	for (const struct option *o = command->options; o && o->name; o++) {
		if (!o->words || !words_have_help(o->words))
			continue;
		tm_buf_addf(buf, "\n%s of --%s:\n", o->value, o->name);
		add_words(buf, o->words);
	}
	add_globals(buf, command);
	if (command->examples)
		add_examples(buf, command->examples);
	tm_buf_adds(buf, "\nManual pages: tiermem(1), also for exit codes");
	if (command != &help_command && !command->hidden)
		tm_buf_addf(buf, ", and tiermem-%s(1)", parent ? parent->name : command->name);
	tm_buf_adds(buf, ".\n");
}

static void add_overview(struct tm_buf *buf)
{
	tm_buf_adds(buf, "Usage: tiermem [OPTION]... COMMAND [ARGUMENT]...\n\n");
	add_paragraphs(buf, about);
	add_commands(buf, tiermem_commands);
}

static void add_program_help(struct tm_buf *buf)
{
	char code[8];

	add_overview(buf);
	add_globals(buf, NULL);
	tm_buf_adds(buf,
		    "\nGlobal options may stand before or after the command. One that a command "
		    "cannot\nhonour is refused.\n\nExit codes:\n");
	for (const struct exit_meaning *m = exit_meanings; m->meaning; m++) {
		snprintf(code, sizeof(code), "  %d", m->code);
		add_entry(buf, code, m->meaning, 5);
	}
	tm_buf_adds(
		buf,
		"\n`tiermem help COMMAND` tells more about a command; so does its manual page,\n"
		"tiermem-COMMAND(1). Start with: tiermem topology\n");
}

/* Prints the text and releases it. */
static int print(struct app *app, struct tm_buf *buf)
{
	struct tm_error err;
	int code = EXIT_DONE;

	if (buf->failed) {
		tm_error_nomem(&err);
		code = report(app, EXIT_FAILED, &err);
	} else {
		out_text(app, tm_buf_str(buf));
	}
	tm_buf_release(buf);
	return code;
}

/* Of `parent`, or at all where that is NULL. */
static int no_such_command(struct app *app, const struct command *parent, const char *name)
{
	const char *nearest =
		command_nearest(parent ? parent->subcommands : tiermem_commands, name);
	struct tm_error err;

	tm_error_set(&err, EINVAL, "'%.100s': no such %s", name, parent ? "subcommand" : "command");
	if (nearest)
		tm_error_hint(&err, "did you mean %s?", nearest);
	else
		tm_error_hint(&err, "`tiermem help%s%s` lists what there is", parent ? " " : "",
			      parent ? parent->name : "");
	return report(app, EXIT_USAGE, &err);
}

static int help_run(struct app *app)
{
	const struct command *const *list = tiermem_commands;
	const struct command *command = NULL, *parent = NULL;
	struct tm_buf buf = TM_BUF_INIT;

	for (int i = 0; i < app->argc; i++) {
		parent = command;
		command = command_find(list, app->argv[i]);
		if (!command)
			return no_such_command(app, parent, app->argv[i]);
		list = command->subcommands;
	}
	if (app->json)
		return help_print_json(app, parent ? parent : command);
	if (command)
		add_command_help(&buf, parent, command);
	else
		add_program_help(&buf);
	return print(app, &buf);
}

static const char *help_words(size_t i, const char **help)
{
	const struct command *const *c = tiermem_commands;

	for (; *c; c++) {
		if ((*c)->hidden || i--)
			continue;
		*help = (*c)->summary;
		return (*c)->name;
	}
	return NULL;
}

const struct command help_command = {
	.name = "help",
	.summary = "explain tiermem, or one of its commands",
	.synopsis = "[COMMAND [SUBCOMMAND]] [--json]",
	.description = "Without COMMAND it prints what `tiermem --help` prints, with one what "
		       "`tiermem COMMAND --help` prints. With --json it prints the command tables "
		       "themselves, as scripts and editors may want them.",
	.examples = "tiermem help topology  # what topology shows, and its options\n"
		    "tiermem help --json  # every command, option and exit code as JSON",
	.group = "Help",
	.globals = GLOBAL_JSON,
	.max_operands = 2,
	.operand = "COMMAND",
	.operand_kind = VALUE_TEXT,
	.operand_words = help_words,
	.run = help_run,
};

static int version_run(struct app *app)
{
	out_text(app, "tiermem " TIERMEM_VERSION "\n");
	return EXIT_DONE;
}

const struct command version_command = { .name = "--version", .run = version_run };

static int usage_run(struct app *app)
{
	struct tm_buf buf = TM_BUF_INIT;

	(void)app;
	add_overview(&buf);
	tm_buf_adds(&buf, "\n`tiermem --help` tells more.\n");
	fputs(tm_buf_str(&buf), stderr);
	tm_buf_release(&buf);
	return EXIT_USAGE;
}

const struct command usage_command = { .name = "", .run = usage_run };
