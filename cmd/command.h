/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One static table per command: it drives parsing, --help, `tiermem help --json`, completion and
 * the check of the man pages.
 */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/compiler.h"
#include "lib/base/error.h"

/* Exit codes, the same for every command. */
enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1, /* and the machine is as it was */
	EXIT_USAGE = 2,
	EXIT_UNSUPPORTED = 3, /* this kernel or hardware lacks it */
	EXIT_ROLLBACK = 4,    /* a rollback could not finish */
	EXIT_DIFFERS = 5,
};

/*
 * What an option's value or an operand is: how completion finds candidates, and what the parser
 * checks before the command runs. Only VALUE_TEXT may be empty.
 */
enum value_kind {
	VALUE_TEXT, /* anything */
	VALUE_FILE,
	VALUE_FOLDER,
	VALUE_WORD,   /* one of `words`, in any case; the table's spelling is stored */
	VALUE_WORDS,  /* some of `words`, each once, in any case, with commas between */
	VALUE_NUMBER, /* as tm_parse_u64 reads it */
};

/* The i-th candidate, NULL after the last. It and *help, where that is set, must stay valid. */
typedef const char *(*word_list)(size_t i, const char **help);

struct option {
	const char *name;  /* long name, without the dashes */
	char letter;	   /* short name, or 0 */
	const char *value; /* what its value is called in --help ("DIR"); NULL: a flag */
	enum value_kind kind;
	const char *help; /* one sentence in lower case, without a full stop */
	word_list words;  /* for VALUE_WORD and VALUE_WORDS */
};

/* Global options that a command honours, as bits; the others are refused. */
enum global {
	GLOBAL_ROOT = 1 << 0,	 /* --root DIR|ARCHIVE */
	GLOBAL_JSON = 1 << 1,	 /* --json */
	GLOBAL_DRY_RUN = 1 << 2, /* --dry-run */
	GLOBAL_TABLE = 1 << 3,	 /* --noheadings, --raw */
};

struct app;

struct command {
	const char *name;
	const char *summary;	 /* one line in lower case, for the list of commands */
	const char *synopsis;	 /* what follows the name: "[--tree | --matrix] [--columns LIST]" */
	const char *description; /* paragraphs that teach, for --help */
	const char *examples;	 /* lines "command  # what it does" */
	const char *group;	 /* heading in the list of commands */
	const struct option *options; /* ends with a NULL name; NULL: none */
	/* Ends with NULL; NULL: none. With subcommands there are no options, operands or run. */
	const struct command *const *subcommands;
	unsigned globals; /* enum global */
	int min_operands;
	int max_operands;    /* -1: no limit */
	const char *operand; /* what an operand is called; NULL: takes none */
	enum value_kind operand_kind;
	word_list operand_words; /* candidates; binding when operand_kind is VALUE_WORD */
	bool passes_command; /* the first operand and all after it are a command line of its own */
	bool hidden;	     /* not in the list of commands */
	int (*run)(struct app *app); /* returns an exit code */
};

/* The command line as parsed, and what every command needs. One per process, on main's stack. */
struct app {
	const struct command *command; /* the innermost (sub)command */
	const struct command *parent;  /* its command, when it is a subcommand; else NULL */
	const char *root;	       /* --root, or NULL for the live machine */
	bool json;
	bool dry_run;
	bool noheadings;
	bool raw;
	bool no_color; /* --no-color, NO_COLOR, or standard output is no terminal */
	bool quiet;
	int verbose;
	int argc;	     /* operands */
	char **argv;	     /* operands; NULL-terminated */
	const char **values; /* per option of the command: "" for a flag, NULL when absent */
	bool printed;	     /* something went to standard output already */
	int out_error;	     /* errno of the first failed write to standard output */
};

/* Every command, in the order of the list of commands; ends with NULL. */
extern const struct command *const tiermem_commands[];

/*
 * Parses into *app (command, options, operands, globals). Options may stand before or after the
 * command and may be mixed with operands until "--"; options of a command stand after it. Long
 * options must be written out ("--json", "--root DIR", "--root=DIR"), short ones may be joined
 * ("-qv", "-n5"). A valued option may be repeated only with the same value. 0; -EINVAL for a
 * usage error, with the text and a hint in *err (a near miss is suggested); -ENOMEM. --help and
 * --version set app->command to the commands that print them. app_release frees, also after a
 * failure.
 */
int app_parse(struct app *app, int argc, char **argv, struct tm_error *err);
void app_release(struct app *app);

/* The value of an option of the current command: NULL when it was not given, "" for a flag. */
const char *app_option(const struct app *app, const char *name);

/*
 * Output. out_text prints to standard output and notes that something was printed; a failed write
 * (closed pipe, full disk) is noticed at exit by main, which then exits 1 (but quietly for EPIPE).
 */
void out_text(struct app *app, const char *text);

/* At the very end. Returns `code`, but EXIT_FAILED for EXIT_DONE where output was lost. */
int out_finish(struct app *app, int code);

/*
 * "tiermem COMMAND: what: why" and "hint: …" on standard error; returns `code`. With --json, and
 * when nothing was printed yet, a tiermem.error/1 document goes to standard output.
 */
int report(struct app *app, enum exit_code code, const struct tm_error *err);

/* "tiermem COMMAND: warning: what: why" on standard error; silent with -q. */
void warn(const struct app *app, const char *fmt, ...) TM_PRINTF(2, 3);

#endif
