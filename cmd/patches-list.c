/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem patches list` */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/apply.h"
#include "cmd/patches-known.h"
#include "cmd/patches-set.h"
#include "cmd/patches.h"
#include "cmd/terminal.h"
#include "lib/out/document.h"
#include "lib/out/table.h"

struct row {
	const char *name;
	char *number;
	char *subject;			 /* printable */
	const struct patch *patch;	 /* NULL: a feature without one */
	const struct known_patch *known; /* NULL: nothing is */
	struct sign sign;
};

struct list {
	struct patch_set set;
	struct row *rows;
	size_t nr;
};

#define ROW(record) ((const struct row *)(record))

static void get_name(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->name);
}

static void get_number(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->number);
}

static void get_subject(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->subject);
}

static void get_brings(const void *record, struct tm_cell *cell)
{
	const struct row *row = record;

	tm_cell_string(cell, row->known ? row->known->brings : row->subject);
}

static void get_mainline(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->known ? ROW(record)->known->mainline : NULL);
}

static void get_here(const void *record, struct tm_cell *cell)
{
	static const char *const words[] = {
		[HERE_UNKNOWN] = "unknown",
		[HERE_YES] = "yes",
		[HERE_NO] = "no",
	};

	tm_cell_string(cell, words[ROW(record)->sign.here]);
}

static void get_known_by(const void *record, struct tm_cell *cell)
{
	const struct sign *sign = &ROW(record)->sign;

	tm_cell_string(cell, sign->here == HERE_UNKNOWN ? NULL :
			     sign->by_version		? "version" :
							  "probe");
}

static void get_how(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, tm_buf_str(&ROW(record)->sign.how));
}

static void get_files(const void *record, struct tm_cell *cell)
{
	const struct patch *patch = ROW(record)->patch;

	cell->state = patch ? TM_KNOWN : TM_UNKNOWN;
	cell->num = patch ? patch->diff.nr : 0;
}

/* clang-format off */
static const struct tm_field fields[] = {
	{ "name", "PATCH", TM_FIELD_TEXT, true, false, false, "its name", get_name },
	{ "number", NULL, TM_FIELD_TEXT, false, false, false, NULL, get_number },
	{ "subject", "SUBJECT", TM_FIELD_TEXT, false, false, true, "its own first line",
	  get_subject },
	{ "here", "HERE", TM_FIELD_TEXT, true, false, false, "whether this kernel has it",
	  get_here },
	{ "known_by", NULL, TM_FIELD_TEXT, false, false, false, NULL, get_known_by },
	{ "mainline", "MAINLINE", TM_FIELD_TEXT, true, false, false,
	  "the release of Linux since which it is built in", get_mainline },
	{ "brings", "BRINGS", TM_FIELD_TEXT, true, false, true, "what it is for", get_brings },
	{ "how", "HOW", TM_FIELD_TEXT, false, false, true, "by what that is known", get_how },
	{ "files", "FILES", TM_FIELD_NUMBER, false, false, false, "how many files it changes",
	  get_files },
};
/* clang-format on */

/* The fields that are columns too. */
static const char *column_word(size_t i, const char **help)
{
	for (size_t k = 0; k < TM_ARRAY_SIZE(fields); k++) {
		if (!fields[k].heading || i--)
			continue;
		*help = fields[k].help;
		return fields[k].heading;
	}
	return NULL;
}

/* --- the rows --- */

static int fill_row(struct row *row, const struct tm_machine *m, const struct tm_root *root)
{
	const struct patch *patch = row->patch;
	struct tm_buf subject = TM_BUF_INIT;

	if (patch) {
		row->number = strndup(patch->name, patch_number(patch->name));
		if (!row->number)
			return -ENOMEM;
	}
	if (patch && patch->diff.subject) {
		tm_buf_add_printable(&subject, patch->diff.subject, strlen(patch->diff.subject));
		row->subject = tm_buf_detach(&subject);
		if (!row->subject)
			return -ENOMEM;
	}
	if (row->known)
		return known_patch_look(row->known, m, root, &row->sign);
	tm_buf_adds(&row->sign.how, "nothing is known of this patch");
	return row->sign.how.failed ? -ENOMEM : 0;
}

/* The patches, and then what needs none. */
static int fill(struct list *list, const struct tm_machine *m, const struct tm_root *root)
{
	const struct patch_set *set = &list->set;
	int rc = 0;

	list->rows = calloc(set->nr + nr_known_patches, sizeof(*list->rows));
	if (!list->rows)
		return -ENOMEM;
	for (size_t i = 0; i < set->nr; i++)
		list->rows[list->nr++] = (struct row){
			.name = set->patches[i].name,
			.patch = &set->patches[i],
			.known = known_patch_find(set->patches[i].name),
		};
	for (size_t i = 0; i < nr_known_patches; i++)
		if (known_patches[i].feature)
			list->rows[list->nr++] = (struct row){ .name = known_patches[i].name,
							       .known = &known_patches[i] };
	for (size_t i = 0; i < list->nr && !rc; i++)
		rc = fill_row(&list->rows[i], m, root);
	return rc;
}

static void release(struct list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		free(list->rows[i].number);
		free(list->rows[i].subject);
		tm_buf_release(&list->rows[i].sign.how);
	}
	free(list->rows);
	patch_set_release(&list->set);
}

/* --- output --- */

static int make_document(const struct list *list, const struct tm_machine *m, char **text,
			 struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	const struct tm_identity identity = { m->kernel, m->host, m->boot_id, m->root };

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin(json, "patches", 1, &identity);
	tm_json_string(json, "folder", list->set.folder);
	tm_json_string(json, "base", list->set.base);
	tm_json_array(json, "patches");
	for (size_t i = 0; i < list->nr; i++) {
		tm_json_object(json, NULL);
		tm_field_json(json, fields, TM_ARRAY_SIZE(fields), &list->rows[i]);
		tm_json_end(json);
	}
	tm_json_end(json);
	return tm_json_print(json, false, text, err);
}

static int make_table(const struct app *app, const struct list *list, char **text,
		      struct tm_error *err)
{
	struct tm_table_style style = terminal_style(app);
	size_t chosen[2 * TM_ARRAY_SIZE(fields)], nr = 0;
	struct tm_table *table = tm_table_new(&style);
	int rc = table ? tm_field_choose(fields, TM_ARRAY_SIZE(fields), app_option(app, "columns"),
					 chosen, &nr, err) :
			 tm_error_nomem(err);

	if (!rc) {
		tm_table_records(table, fields, chosen, nr, list->rows, list->nr,
				 sizeof(*list->rows));
		rc = tm_table_print(table, text, err);
	}
	tm_table_free(table);
	return rc;
}

/* Below the table: how each answer was found. */
static void add_reasons(const struct list *list, struct tm_buf *out)
{
	tm_buf_addc(out, '\n');
	for (size_t i = 0; i < list->nr; i++)
		tm_buf_addf(out, "%s: %s\n", list->rows[i].name,
			    tm_buf_str(&list->rows[i].sign.how));
}

static int make_text(const struct app *app, const struct list *list, const struct tm_machine *m,
		     char **text, struct tm_error *err)
{
	TM_CLEANUP(tm_freep) char *table = NULL;
	struct tm_buf out = TM_BUF_INIT;
	int rc = make_table(app, list, &table, err);
	bool bare = app->raw || app->noheadings || app_option(app, "columns");

	if (!bare && m->kernel.state == TM_KNOWN) {
		tm_buf_adds(&out, "this kernel: Linux ");
		tm_buf_add_printable(&out, m->kernel.value, strlen(m->kernel.value));
		tm_buf_addc(&out, '\n');
	}
	if (!rc) {
		tm_buf_adds(&out, table);
		if (!bare && !app->quiet)
			add_reasons(list, &out);
		*text = tm_buf_detach(&out);
		rc = *text ? 0 : tm_error_nomem(err);
	}
	tm_buf_release(&out);
	return rc;
}

static int show(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_error err = { 0 };
	struct list list = { 0 };
	int rc = patch_set_read(&list.set, app, &err);

	if (!rc && fill(&list, m, root))
		rc = tm_error_nomem(&err);
	if (!rc)
		rc = app->json ? make_document(&list, m, &text, &err) :
				 make_text(app, &list, m, &text, &err);
	if (!rc)
		out_text(app, text);
	release(&list);
	return rc ? report(app, EXIT_FAILED, &err) : EXIT_DONE;
}

static int run(struct app *app)
{
	struct tm_error err = { 0 };

	if (app->json && app_option(app, "columns")) {
		tm_error_set(&err, EINVAL, "--columns: not together with --json");
		return report(app, EXIT_USAGE, &err);
	}
	return read_with_machine(app, show);
}

static const struct option options[] = {
	PATCHES_OPTIONS,
	{ "columns", 'o', "LIST", VALUE_WORDS, "show these columns, in this order", column_word },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command patches_list_command = {
	.name = "list",
	.summary = "show each patch, what it brings, and whether this kernel has it",
	.synopsis = "[--patches DIR] [--columns LIST]",
	.description =
		"Lists the kernel patches that come with tiermem, and what else newer kernels "
		"have and the patches' own kernel too. HERE says whether the running kernel, or "
		"that of --root, has it: by its version, or by a file, a counter or a setting "
		"that only comes with it. Below the table stands how that was found. Where "
		"nothing shows it, it is unknown, which is not no.\n"
		"\n"
		"MAINLINE is the release of Linux since which it is built in; '-' where none has "
		"it.",
	.examples = "tiermem patches list  # this kernel\n"
		    "tiermem --root server7.tar.zst patches list  # a captured one\n"
		    "tiermem patches list --json | jq '.patches[] | select(.here == \"no\")'  "
		    "# what is missing\n",
	.options = options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_TABLE,
	.run = run,
};
