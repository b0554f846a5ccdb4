/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking things up in the command table: shared by parsing, help and completion. */
#ifndef CMD_TABLE_H
#define CMD_TABLE_H

#include "cmd/command.h"
#include "lib/base/nearest.h"

struct global_option {
	struct option option;
	unsigned bit;	     /* which commands honour it (enum global); 0: all do */
	const char *refusal; /* after the name of a command that does not */
};

enum global_index {
	OPTION_ROOT,
	OPTION_JSON,
	OPTION_DRY_RUN,
	OPTION_NOHEADINGS,
	OPTION_RAW,
	OPTION_NO_COLOR,
	OPTION_QUIET,
	OPTION_VERBOSE,
	OPTION_VERSION,
	OPTION_HELP,
	NR_GLOBAL_OPTIONS,
};

/* In the order of enum global_index. */
extern const struct global_option global_options[NR_GLOBAL_OPTIONS];

/* True: the command (NULL: none chosen yet) honours the global option. */
bool global_honoured(const struct command *command, const struct global_option *global);

/* The command of a list (NULL-terminated, or NULL) with this name; NULL: there is none. */
const struct command *command_find(const struct command *const *list, const char *name);

/* By long name (of `len` bytes) or by letter; NULL: there is none. The command may be NULL. */
const struct option *option_find(const struct command *command, const char *name, size_t len);
const struct option *option_find_letter(const struct command *command, char letter);
const struct global_option *global_find(const char *name, size_t len);
const struct global_option *global_find_letter(char letter);

/* The word of a list that equals `text` of `len` bytes in any case; NULL: there is none. */
const char *word_find(word_list words, const char *text, size_t len);

/* One line of a command's examples; pointers into it. */
struct example {
	const char *command;
	size_t command_len;
	const char *does; /* NULL: not explained */
	size_t does_len;
};

/* Takes the next line off *text; false at the end. */
bool example_next(const char **text, struct example *example);

/* The name of a list's command that was perhaps meant, or NULL. */
const char *command_nearest(const struct command *const *list, const char *name);

#endif
