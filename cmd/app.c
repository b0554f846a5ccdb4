/* SPDX-License-Identifier: GPL-2.0-only */
/* From the command line to struct app. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/help.h"
#include "cmd/table.h"
#include "lib/base/buf.h"
#include "lib/base/units.h"

/* How much of a user's word is repeated in a message. */
#define SHOWN "%.100s"

struct parser {
	struct app *app;
	struct tm_error *err;
	char **argv;
	int argc;
	int next;	    /* index of the first word not yet looked at */
	bool only_operands; /* "--" or the start of a command line was seen */
	bool given[NR_GLOBAL_OPTIONS];
};

static const char *command_path(char buf[64], const struct app *app)
{
	snprintf(buf, 64, "%s%s%s", app->parent ? app->parent->name : "", app->parent ? " " : "",
		 app->command ? app->command->name : "");
	return buf;
}

/* "did you mean …?", or where the answer stands. Returns -EINVAL. */
static int hint(struct parser *p, const char *nearest, const char *prefix, const char *what)
{
	char path[64];

	if (nearest)
		tm_error_hint(p->err, "did you mean %s%s?", prefix, nearest);
	else if (p->app->command)
		tm_error_hint(p->err, "`tiermem %s --help` lists its %s",
			      command_path(path, p->app), what);
	else
		tm_error_hint(p->err, "`tiermem --help` lists the %s", what);
	return -EINVAL;
}

static void try_options(struct tm_nearest *nearest, const struct command *command)
{
	for (const struct option *o = command ? command->options : NULL; o && o->name; o++)
		tm_nearest_try(nearest, o->name);
	for (size_t i = 0; i < NR_GLOBAL_OPTIONS; i++)
		if (global_honoured(command, &global_options[i]))
			tm_nearest_try(nearest, global_options[i].option.name);
}

static int unknown_option(struct parser *p, const char *name, size_t len)
{
	struct tm_nearest nearest = { .word = name, .len = len };

	tm_error_set(p->err, EINVAL, "--%.*s: no such option", (int)TM_MIN(len, (size_t)100), name);
	/* Before the command only global options are known: perhaps its place is wrong. */
	for (const struct command *const *c = tiermem_commands; !p->app->command && *c; c++) {
		if (!(*c)->hidden && option_find(*c, name, len)) {
			tm_error_hint(p->err,
				      "it belongs to `tiermem %s`, and stands after that name",
				      (*c)->name);
			return -EINVAL;
		}
	}
	try_options(&nearest, p->app->command);
	return hint(p, nearest.best, "--", "options");
}

static int check_word(struct parser *p, const char *name, word_list words, const char **value,
		      size_t len)
{
	struct tm_nearest nearest = { .word = *value, .len = len };
	const char *word = word_find(words, *value, len), *help;

	if (word) {
		*value = word;
		return 0;
	}
	for (size_t i = 0; (word = words(i, &help)); i++)
		tm_nearest_try(&nearest, word);
	tm_error_set(p->err, EINVAL, "%s: '%.*s' is none of its values", name,
		     (int)TM_MIN(len, (size_t)100), *value);
	return hint(p, nearest.best, "", "values");
}

static int check_words(struct parser *p, const char *name, word_list words, const char *value)
{
	for (const char *part = value, *end;; part = end + 1) {
		const char *word = part;

		end = strchrnul(part, ',');
		if (check_word(p, name, words, &word, (size_t)(end - part)))
			return -EINVAL;
		/* Its first occurrence must be this one. */
		for (const char *before = value, *stop; before < part; before = stop + 1) {
			stop = strchr(before, ',');
			if (word_find(words, before, (size_t)(stop - before)) == word)
				return tm_error_set(p->err, EINVAL, "%s: '%s' is given twice", name,
						    word);
		}
		if (!*end)
			return 0;
	}
}

/* Checks a value by its kind; `name` is what messages call it. A word gets its list's spelling. */
static int check_value(struct parser *p, const char *name, enum value_kind kind, word_list words,
		       const char **value)
{
	uint64_t number;

	if (!**value && kind != VALUE_TEXT)
		return tm_error_set(p->err, EINVAL, "%s: is empty", name);
	switch (kind) {
	case VALUE_WORD:
		return check_word(p, name, words, value, strlen(*value));
	case VALUE_WORDS:
		return check_words(p, name, words, *value);
	case VALUE_NUMBER:
		switch (tm_parse_u64(*value, &number)) {
		case 0:
			return 0;
		case -ERANGE:
			return tm_error_set(p->err, EINVAL, "%s: '" SHOWN "' is too large", name,
					    *value);
		default:
			return tm_error_set(p->err, EINVAL, "%s: '" SHOWN "' is no number", name,
					    *value);
		}
	default:
		return 0;
	}
}

static int store_value(struct parser *p, const struct option *option, const char **slot,
		       const char *value)
{
	char name[64];

	snprintf(name, sizeof(name), "--%s", option->name);
	if (!value)
		value = "";
	else if (check_value(p, name, option->kind, option->words, &value))
		return -EINVAL;
	/* Two values are a slip of whoever wrote the script: neither may win silently. */
	if (*slot && strcmp(*slot, value))
		return tm_error_set(p->err, EINVAL,
				    "%s: given twice, as '" SHOWN "' and '" SHOWN "'", name, *slot,
				    value);
	*slot = value;
	return 0;
}

static int set_global(struct parser *p, enum global_index index, const char *value)
{
	struct app *app = p->app;

	p->given[index] = true;
	switch (index) {
	case OPTION_ROOT:
		return store_value(p, &global_options[index].option, &app->root, value);
	case OPTION_JSON:
		app->json = true;
		break;
	case OPTION_DRY_RUN:
		app->dry_run = true;
		break;
	case OPTION_NOHEADINGS:
		app->noheadings = true;
		break;
	case OPTION_RAW:
		app->raw = true;
		break;
	case OPTION_NO_COLOR:
		app->no_color = true;
		break;
	case OPTION_QUIET:
		app->quiet = true;
		break;
	case OPTION_VERBOSE:
		app->verbose++;
		break;
	default:
		break;
	}
	return 0;
}

/* Sets an option that was found: `value` is what was joined to it, or NULL. */
static int set_option(struct parser *p, const struct option *option,
		      const struct global_option *global, const char *value)
{
	if (!option)
		option = &global->option;
	if (option->value && !value) {
		value = p->next < p->argc ? p->argv[p->next] : NULL;
		/* "--root --json" has lost its value; one that begins so can be joined with "=". */
		if (!value || (value[0] == '-' && value[1]))
			return tm_error_set(p->err, EINVAL, "--%s: needs a value, %s", option->name,
					    option->value);
		p->next++;
	}
	if (global)
		return set_global(p, (enum global_index)(global - global_options), value);
	return store_value(p, option, &p->app->values[option - p->app->command->options], value);
}

static int parse_long(struct parser *p, const char *text)
{
	size_t len = strcspn(text, "=");
	const char *value = text[len] ? text + len + 1 : NULL;
	const struct option *option = option_find(p->app->command, text, len);
	const struct global_option *global = option ? NULL : global_find(text, len);

	if (!option && !global)
		return unknown_option(p, text, len);
	if (value && !(option ? option : &global->option)->value)
		return tm_error_set(p->err, EINVAL, "--%.*s: takes no value", (int)len, text);
	return set_option(p, option, global, value);
}

/* What "-json" was perhaps meant to be; NULL: no option. */
static const char *long_name(const struct command *command, const char *text, size_t len)
{
	const struct option *option = option_find(command, text, len);
	const struct global_option *global = option ? NULL : global_find(text, len);

	return option ? option->name : global ? global->option.name : NULL;
}

static int parse_letters(struct parser *p, const char *text)
{
	for (const char *at = text; *at; at++) {
		const struct option *option = option_find_letter(p->app->command, *at);
		const struct global_option *global = option ? NULL : global_find_letter(*at);
		bool valued;
		int ret;

		if (!option && !global) {
			const char *meant = long_name(p->app->command, text, strcspn(text, "="));

			tm_error_set(p->err, EINVAL, "-%.*s: no such option",
				     (int)TM_MAX(tm_utf8_length(at, strlen(at)), (size_t)1), at);
			return hint(p, meant, "--", "options");
		}
		valued = option && option->value;
		ret = set_option(p, option, global, valued && at[1] ? at + 1 : NULL);
		if (ret || valued)
			return ret;
	}
	return 0;
}

static int choose_command(struct parser *p, const char *word)
{
	struct app *app = p->app;
	const struct command *const *list = app->command ? app->command->subcommands :
							   tiermem_commands;
	const struct command *found = command_find(list, word);
	size_t nr = 0;

	if (!found) {
		tm_error_set(p->err, EINVAL, "'" SHOWN "': no such %s", word,
			     app->command ? "subcommand" : "command");
		return hint(p, command_nearest(list, word), "",
			    app->command ? "subcommands" : "commands");
	}
	app->parent = app->command;
	app->command = found;
	for (const struct option *o = found->options; o && o->name; o++)
		nr++;
	app->values = calloc(nr + 1, sizeof(*app->values));
	return app->values ? 0 : tm_error_nomem(p->err);
}

static int parse_word(struct parser *p, const char *word)
{
	struct app *app = p->app;

	if (!app->command || app->command->subcommands) {
		free(app->values);
		app->values = NULL;
		return choose_command(p, word);
	}
	app->argv[app->argc++] = (char *)word;
	if (app->command->passes_command)
		p->only_operands = true;
	return 0;
}

static int check_globals(struct parser *p)
{
	const struct app *app = p->app;
	char path[64];

	for (size_t i = 0; i < NR_GLOBAL_OPTIONS; i++) {
		const struct global_option *global = &global_options[i];

		if (!p->given[i])
			continue;
		if (!global_honoured(app->command, global))
			return tm_error_set(p->err, EINVAL, "--%s: %s %s", global->option.name,
					    command_path(path, app), global->refusal);
		if (app->json && global->bit == GLOBAL_TABLE)
			return tm_error_set(p->err, EINVAL, "--%s: not together with --json",
					    global->option.name);
	}
	return 0;
}

static int check_operands(struct parser *p)
{
	struct app *app = p->app;
	const struct command *command = app->command;

	if (command->subcommands) {
		tm_error_set(p->err, EINVAL, "needs a subcommand");
		return hint(p, NULL, "", "subcommands");
	}
	if (app->argc < command->min_operands) {
		tm_error_set(p->err, EINVAL, "needs %s", command->operand);
		return hint(p, NULL, "", "operands");
	}
	if (command->max_operands >= 0 && app->argc > command->max_operands)
		return tm_error_set(p->err, EINVAL, "'" SHOWN "': %s",
				    app->argv[command->max_operands],
				    command->operand ? "one operand too many" : "takes no operand");
	for (int i = 0; i < app->argc && !command->passes_command; i++)
		if (check_value(p, command->operand, command->operand_kind, command->operand_words,
				(const char **)&app->argv[i]))
			return -EINVAL;
	return 0;
}

/* What prints help, the version, or the short help where there is no command, is a command too. */
static bool choose_internal(struct parser *p)
{
	struct app *app = p->app;

	if (p->given[OPTION_HELP]) {
		/* As `tiermem help COMMAND` says it. */
		app->argc = 0;
		if (app->parent)
			app->argv[app->argc++] = (char *)app->parent->name;
		if (app->command)
			app->argv[app->argc++] = (char *)app->command->name;
		app->argv[app->argc] = NULL;
		app->command = &help_command;
	} else if (p->given[OPTION_VERSION]) {
		app->command = &version_command;
	} else if (!app->command && !app->json) {
		app->command = &usage_command;
	} else {
		return false;
	}
	app->parent = NULL;
	return true;
}

static int parse(struct parser *p)
{
	while (p->next < p->argc) {
		const char *word = p->argv[p->next++];
		int ret = 0;

		if (p->only_operands || word[0] != '-' || !word[1])
			ret = parse_word(p, word);
		else if (word[1] != '-')
			ret = parse_letters(p, word + 1);
		else if (word[2])
			ret = parse_long(p, word + 2);
		else
			p->only_operands = true;
		if (ret)
			return ret;
	}
	/* Who asks for help need not have the rest right. */
	if (choose_internal(p))
		return p->given[OPTION_HELP] ? 0 : check_globals(p);
	if (!p->app->command) {
		tm_error_set(p->err, EINVAL, "no command was given");
		return hint(p, NULL, "", "commands");
	}
	return check_globals(p) ? -EINVAL : check_operands(p);
}

/* Who asked for JSON gets the error as JSON, also where --json stands after what was wrong. */
static bool wants_json(const struct parser *p)
{
	for (int i = p->next; i < p->argc && strcmp(p->argv[i], "--"); i++)
		if (!strcmp(p->argv[i], "--json"))
			return true;
	return false;
}

int app_parse(struct app *app, int argc, char **argv, struct tm_error *err)
{
	struct parser p = { .app = app, .err = err, .argv = argv, .argc = argc, .next = 1 };
	const char *no_color = getenv("NO_COLOR");
	int ret;

	*app = (struct app){ 0 };
	app->no_color = (no_color && *no_color) || !isatty(STDOUT_FILENO);
	/* Room for every operand, and for the two words that --help makes of a command. */
	app->argv = calloc((size_t)TM_MAX(argc, 0) + 3, sizeof(*app->argv));
	if (!app->argv)
		return tm_error_nomem(err);
	ret = parse(&p);
	if (ret && !p.only_operands && wants_json(&p))
		app->json = true;
	return ret;
}

void app_release(struct app *app)
{
	free(app->argv);
	free(app->values);
	app->argv = NULL;
	app->values = NULL;
}

const char *app_option(const struct app *app, const char *name)
{
	const struct option *option = option_find(app->command, name, strlen(name));

	return option ? app->values[option - app->command->options] : NULL;
}
