/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/patches-show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/terminal.h"
#include "lib/out/document.h"
#include "lib/out/table.h"

/* A line of source is shown so far. */
#define SHOWN 200

/* A verdict as it is shown. */
struct row {
	const struct verdict *verdict;
	const char *outcome;
	char *where;
};

/* By direction and, when it fits, by whether it was done. */
static const char *outcome_word(const struct patch_run *run, const struct verdict *verdict)
{
	switch (verdict->outcome) {
	case OUTCOME_FITS:
		if (run->reverse)
			return run->written ? "reversed" : "reverses";
		return run->written ? "applied" : "applies";
	case OUTCOME_DONE:
		return run->reverse ? "absent" : "there";
	case OUTCOME_CONFLICT:
		return "conflict";
	case OUTCOME_MISSING:
		return "missing";
	}
	return NULL;
}

/* A line as the patch or the file has it. */
static void add_line(struct tm_buf *buf, const char *text, size_t len)
{
	if (len && text[len - 1] == '\n')
		len--;
	len -= len && text[len - 1] == '\r';
	for (; len && (*text == '\t' || *text == ' '); len--)
		text++;
	tm_buf_addc(buf, '\'');
	tm_buf_add_printable(buf, text, TM_MIN(len, (size_t)SHOWN));
	tm_buf_addc(buf, '\'');
}

/* "hunk 2, line 1194: 'x' where the patch has 'y'" */
static void add_hunk(struct tm_buf *buf, const struct verdict *verdict)
{
	const struct tm_fit *fit = &verdict->fit;

	tm_buf_addf(buf, ": hunk %zu, line %zu: ", fit->number, fit->line);
	if (!fit->wanted) {
		tm_buf_adds(buf, "is there, but should begin or end the file");
		return;
	}
	if (verdict->found)
		add_line(buf, verdict->found, strlen(verdict->found));
	else
		tm_buf_adds(buf, "the end");
	tm_buf_adds(buf, " where the patch has ");
	add_line(buf, fit->wanted->text, fit->wanted->len);
}

static char *describe(const struct verdict *verdict)
{
	struct tm_buf buf = TM_BUF_INIT;

	if (verdict->file) {
		tm_buf_add_printable(&buf, verdict->file->path, strlen(verdict->file->path));
		if (verdict->fit.hunk)
			add_hunk(&buf, verdict);
		else
			tm_buf_addf(&buf, " %s", verdict->why);
	} else if (verdict->moved) {
		tm_buf_addf(&buf, "%zu hunk%s moved, by %s%zu line%s", verdict->moved,
			    verdict->moved == 1 ? "" : "s", verdict->moved == 1 ? "" : "up to ",
			    verdict->farthest, verdict->farthest == 1 ? "" : "s");
	}
	return tm_buf_detach(&buf);
}

/* --- text --- */

#define ROW(record) ((const struct row *)(record))

static void get_name(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->verdict->patch->name);
}

static void get_outcome(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->outcome);
}

static void get_where(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, *ROW(record)->where ? ROW(record)->where : NULL);
}

/* clang-format off */
static const struct tm_field fields[] = {
	{ "name", "PATCH", TM_FIELD_TEXT, true, false, false, NULL, get_name },
	{ "outcome", "OUTCOME", TM_FIELD_TEXT, true, false, false, NULL, get_outcome },
	{ "where", "WHERE", TM_FIELD_TEXT, true, true, true, NULL, get_where },
};
/* clang-format on */

static int make_table(const struct patch_run *run, const struct row *rows, char **text,
		      struct tm_error *err)
{
	struct tm_table_style style = terminal_style(run->app);
	size_t chosen[2 * TM_ARRAY_SIZE(fields)], nr = 0;
	struct tm_table *table = tm_table_new(&style);
	int rc = table ? tm_field_choose(fields, TM_ARRAY_SIZE(fields), NULL, chosen, &nr, err) :
			 tm_error_nomem(err);

	if (!rc) {
		tm_table_records(table, fields, chosen, nr, rows, run->nr, sizeof(*rows));
		rc = tm_table_print(table, text, err);
	}
	tm_table_free(table);
	return rc;
}

static void print_text(const struct patch_run *run, const char *table)
{
	struct app *app = run->app;
	struct tm_buf buf = TM_BUF_INIT;

	if (!app->noheadings && !app->raw) {
		tm_buf_addf(&buf, "Linux %s in ", run->tree.version);
		tm_buf_add_printable(&buf, run->tree.name, strlen(run->tree.name));
		tm_buf_addc(&buf, '\n');
	}
	tm_buf_adds(&buf, table);
	out_text(app, tm_buf_str(&buf));
	tm_buf_release(&buf);
}

/* --- JSON --- */

static void add_text(struct tm_json *json, const char *key, const char *text, size_t len)
{
	char copy[SHOWN + 1];

	if (text)
		snprintf(copy, sizeof(copy), "%.*s", (int)TM_MIN(len, (size_t)SHOWN), text);
	tm_json_string(json, key, text ? copy : NULL);
}

static void add_conflict(struct tm_json *json, const struct verdict *verdict)
{
	const struct tm_fit *fit = &verdict->fit;
	const struct tm_diff_line *wanted = fit->wanted;

	if (!verdict->file) {
		tm_json_null(json, "conflict");
		return;
	}
	tm_json_object(json, "conflict");
	tm_json_string(json, "file", verdict->file->path);
	tm_json_string(json, "why", verdict->why);
	if (fit->hunk) {
		size_t len = wanted ? wanted->len : 0;

		tm_json_u64(json, "hunk", fit->number);
		tm_json_u64(json, "patch_line", fit->hunk->line);
		tm_json_u64(json, "line", fit->line);
		add_text(json, "found", verdict->found, SIZE_MAX);
		add_text(json, "wanted", wanted ? wanted->text : NULL,
			 len && wanted->text[len - 1] == '\n' ? len - 1 : len);
	} else {
		tm_json_null(json, "hunk");
		tm_json_null(json, "patch_line");
		tm_json_null(json, "line");
		tm_json_null(json, "found");
		tm_json_null(json, "wanted");
	}
	tm_json_end(json);
}

static void add_verdict(struct tm_json *json, const struct row *row)
{
	const struct tm_diff *diff = &row->verdict->patch->diff;
	size_t hunks = 0;

	tm_json_object(json, NULL);
	tm_json_string(json, "name", row->verdict->patch->name);
	tm_json_string(json, "subject", diff->subject);
	tm_json_string(json, "outcome", row->outcome);
	tm_json_array(json, "files");
	for (size_t i = 0; i < diff->nr; i++) {
		tm_json_string(json, NULL, diff->files[i].path);
		hunks += diff->files[i].nr;
	}
	tm_json_end(json);
	tm_json_u64(json, "hunks", hunks);
	tm_json_u64(json, "moved_hunks", row->verdict->moved);
	tm_json_u64(json, "moved_lines", row->verdict->farthest);
	add_conflict(json, row->verdict);
	tm_json_end(json);
}

static const char *file_change(const struct tree_file *file)
{
	return !file->before.there ? "created" : !file->now.there ? "deleted" : "changed";
}

static int print_document(const struct patch_run *run, const struct row *rows, struct tm_error *err)
{
	static const struct tm_text no_machine = { NULL, TM_NOT_ASKED };
	const struct tm_identity identity = { no_machine, no_machine, no_machine, "/" };
	const struct source_tree *tree = &run->tree;
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	TM_CLEANUP(tm_freep) char *text = NULL;
	int rc;

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin(json, "patches-tree", 1, &identity);
	tm_json_string(json, "action", run->checks ? "check" : run->reverse ? "reverse" : "apply");
	tm_json_bool(json, "dry_run", run->app->dry_run);
	tm_json_string(json, "folder", run->set.folder);
	tm_json_string(json, "base", run->set.base);
	tm_json_object(json, "tree");
	tm_json_string(json, "path", tree->name);
	tm_json_string(json, "version", tree->version);
	tm_json_bool(json, "git", tree->git);
	tm_json_end(json);
	tm_json_array(json, "patches");
	for (size_t i = 0; i < run->nr; i++)
		add_verdict(json, &rows[i]);
	tm_json_end(json);
	tm_json_bool(json, "written", run->written);
	tm_json_array(json, "files");
	for (size_t i = 0; i < tree->nr; i++) {
		if (!tree_is_changed(tree->files[i]))
			continue;
		tm_json_object(json, NULL);
		tm_json_string(json, "path", tree->files[i]->path);
		tm_json_string(json, "change", file_change(tree->files[i]));
		tm_json_end(json);
	}
	tm_json_end(json);
	rc = tm_json_print(json, false, &text, err);
	if (!rc)
		out_text(run->app, text);
	return rc;
}

int patch_run_show(const struct patch_run *run, struct tm_error *err)
{
	struct row *rows = calloc(run->nr + 1, sizeof(*rows));
	TM_CLEANUP(tm_freep) char *table = NULL;
	int rc = 0;

	if (!rows)
		return tm_error_nomem(err);
	for (size_t i = 0; i < run->nr && !rc; i++) {
		const struct verdict *verdict = &run->verdicts[i];

		rows[i] = (struct row){ verdict, outcome_word(run, verdict), describe(verdict) };
		if (!rows[i].where)
			rc = tm_error_nomem(err);
	}
	if (!rc && run->app->json)
		rc = print_document(run, rows, err);
	else if (!rc && !run->app->quiet)
		rc = make_table(run, rows, &table, err);
	if (!rc && table)
		print_text(run, table);
	for (size_t i = 0; i < run->nr; i++)
		free(rows[i].where);
	free(rows);
	return rc;
}

/* --- a run --- */

static void check_version(const struct patch_run *run)
{
	const struct source_tree *tree = &run->tree;
	char release[32];

	snprintf(release, sizeof(release), "%u.%u", tree->major, tree->minor);
	if (run->set.base && strcmp(run->set.base, release) != 0)
		warn(run->app, "%s: is Linux %s, and the patches are for %s", tree->name,
		     tree->version, run->set.base);
}

int patch_run_begin(struct patch_run *run, struct app *app, bool reverse, struct tm_error *err)
{
	int rc;

	*run = (struct patch_run){ .app = app, .reverse = reverse, .tree = { .fd = -1 } };
	rc = patch_set_read(&run->set, app, err);
	if (!rc) {
		rc = patch_set_choose(&run->set, app->argv + 1, err);
		run->usage = rc == -EINVAL;
	}
	if (!rc)
		rc = tree_open(&run->tree, app->argv[0], err);
	if (rc)
		return rc;
	check_version(run);
	return patches_judge(&run->tree, &run->set, reverse, &run->verdicts, &run->nr, err);
}

void patch_run_release(struct patch_run *run)
{
	patches_free_verdicts(run->verdicts, run->nr);
	tree_close(&run->tree);
	patch_set_release(&run->set);
}

size_t patch_run_count(const struct patch_run *run, enum outcome outcome)
{
	size_t nr = 0;

	for (size_t i = 0; i < run->nr; i++)
		nr += run->verdicts[i].outcome == outcome;
	return nr;
}
