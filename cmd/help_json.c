/* SPDX-License-Identifier: GPL-2.0-only */
/* The command tables as the document tiermem.help/1. */
#include "cmd/help.h"
#include "cmd/table.h"
#include "lib/base/buf.h"
#include "lib/json/build.h"

static const char *kind_name(enum value_kind kind)
{
	static const char *const names[] = {
		[VALUE_TEXT] = "text", [VALUE_FILE] = "file",	[VALUE_FOLDER] = "folder",
		[VALUE_WORD] = "word", [VALUE_WORDS] = "words", [VALUE_NUMBER] = "number",
	};

	return names[kind];
}

static void add_words(struct tm_json *json, word_list words)
{
	const char *word, *help;

	tm_json_array(json, "words");
	for (size_t i = 0; words && (help = NULL, word = words(i, &help)); i++) {
		tm_json_object(json, NULL);
		tm_json_string(json, "word", word);
		tm_json_string(json, "help", help);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_option(struct tm_json *json, const struct option *option)
{
	char letter[2] = { option->letter, '\0' };

	tm_json_object(json, NULL);
	tm_json_string(json, "name", option->name);
	tm_json_string(json, "letter", option->letter ? letter : NULL);
	tm_json_string(json, "value", option->value);
	tm_json_string(json, "kind", option->value ? kind_name(option->kind) : NULL);
	tm_json_string(json, "help", option->help);
	add_words(json, option->words);
	tm_json_end(json);
}

static void add_examples(struct tm_json *json, const char *text)
{
	struct tm_buf part = TM_BUF_INIT;
	struct example example;

	tm_json_array(json, "examples");
	while (example_next(&text, &example)) {
		tm_json_object(json, NULL);
		tm_buf_reset(&part);
		tm_buf_add(&part, example.command, example.command_len);
		tm_json_string(json, "command", tm_buf_str(&part));
		tm_buf_reset(&part);
		tm_buf_add(&part, example.does, example.does_len);
		tm_json_string(json, "does", example.does ? tm_buf_str(&part) : NULL);
		tm_json_end(json);
	}
	tm_json_end(json);
	tm_buf_release(&part);
}

static void add_operands(struct tm_json *json, const struct command *command)
{
	if (!command->operand) {
		tm_json_null(json, "operands");
		return;
	}
	tm_json_object(json, "operands");
	tm_json_string(json, "name", command->operand);
	tm_json_string(json, "kind",
		       command->passes_command ? "command" : kind_name(command->operand_kind));
	tm_json_i64(json, "min", command->min_operands);
	if (command->max_operands < 0)
		tm_json_null(json, "max");
	else
		tm_json_i64(json, "max", command->max_operands);
	add_words(json, command->operand_words);
	tm_json_end(json);
}

static void add_commands(struct tm_json *json, const char *key, const struct command *const *list,
			 const struct command *only)
{
	tm_json_array(json, key);
	for (; list && *list; list++) {
		const struct command *c = *list;

		if (c->hidden || (only && c != only))
			continue;
		tm_json_object(json, NULL);
		tm_json_string(json, "name", c->name);
		tm_json_string(json, "group", c->group);
		tm_json_string(json, "summary", c->summary);
		tm_json_string(json, "synopsis", c->synopsis);
		tm_json_string(json, "description", c->description);
		add_examples(json, c->examples);
		tm_json_array(json, "options");
		for (const struct option *o = c->options; o && o->name; o++)
			add_option(json, o);
		tm_json_end(json);
		tm_json_array(json, "global_options");
		for (size_t i = 0; i < NR_GLOBAL_OPTIONS; i++)
			if (global_honoured(c, &global_options[i]))
				tm_json_string(json, NULL, global_options[i].option.name);
		tm_json_end(json);
		add_operands(json, c);
		add_commands(json, "subcommands", c->subcommands, NULL);
		tm_json_end(json);
	}
	tm_json_end(json);
}

int help_print_json(struct app *app, const struct command *command)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_error err;

	if (!json) {
		tm_error_nomem(&err);
		return report(app, EXIT_FAILED, &err);
	}
	tm_json_string(json, "schema", "tiermem.help/1");
	tm_json_string(json, "tiermem", TIERMEM_VERSION);
	tm_json_array(json, "global_options");
	for (size_t i = 0; i < NR_GLOBAL_OPTIONS; i++)
		add_option(json, &global_options[i].option);
	tm_json_end(json);
	add_commands(json, "commands", tiermem_commands, command);
	tm_json_array(json, "exit_codes");
	for (const struct exit_meaning *m = exit_meanings; m->meaning; m++) {
		tm_json_object(json, NULL);
		tm_json_u64(json, "code", m->code);
		tm_json_string(json, "meaning", m->meaning);
		tm_json_end(json);
	}
	tm_json_end(json);
	if (tm_json_print(json, false, &text, &err))
		return report(app, EXIT_FAILED, &err);
	out_text(app, text);
	return EXIT_DONE;
}
