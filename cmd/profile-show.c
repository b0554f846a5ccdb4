/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of differences and the tiermem.profile-diff/1 document. */
#include <errno.h>

#include "cmd/profile-view.h"
#include "cmd/terminal.h"
#include "lib/out/document.h"
#include "lib/out/table.h"

#define ROW(record) ((const struct profile_row *)(record))

static void get_key(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->key);
}

static void get_wanted(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->wanted);
}

static void get_now(const void *record, struct tm_cell *cell)
{
	tm_cell_text(cell, &ROW(record)->now);
}

static void get_state(const void *record, struct tm_cell *cell)
{
	static const char *const words[] = {
		[ROW_SAME] = "same",
		[ROW_DIFFERS] = "differs",
		[ROW_MISSING] = "missing",
		[ROW_UNREADABLE] = "unreadable",
	};

	tm_cell_string(cell, words[ROW(record)->state]);
}

static void get_why(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->why);
}

/* clang-format off */
static const struct tm_field fields[] = {
	{ "setting", "SETTING", TM_FIELD_TEXT, true, false, true, "where it stands", get_key },
	{ "profile", "PROFILE", TM_FIELD_TEXT, true, false, false, "as the profile has it",
	  get_wanted },
	{ "machine", "MACHINE", TM_FIELD_TEXT, true, false, false, "as it is", get_now },
	{ "state", "STATE", TM_FIELD_TEXT, true, false, false, "how the two compare", get_state },
	{ "why", NULL, TM_FIELD_TEXT, false, false, false, NULL, get_why },
};
/* clang-format on */

static bool skips(const struct profile_view *view)
{
	return app_option(view->app, "skip-missing") != NULL;
}

static int make_document(const struct profile_view *view, char **text, struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	const struct tm_machine *m = &view->w.machine;
	struct tm_identity identity = { m->kernel, m->host, m->boot_id, m->root };
	size_t missing = skips(view) ? 0 : profile_count(view, ROW_MISSING);

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin(json, "profile-diff", 1, &identity);
	tm_json_string(json, "file", view->file);
	tm_json_bool(json, "same",
		     !profile_count(view, ROW_DIFFERS) && !profile_count(view, ROW_UNREADABLE) &&
			     !missing);
	tm_json_array(json, "settings");
	for (size_t i = 0; i < view->nr; i++) {
		tm_json_object(json, NULL);
		tm_field_json(json, fields, TM_ARRAY_SIZE(fields), &view->rows[i]);
		tm_json_end(json);
	}
	tm_json_end(json);
	return tm_json_print(json, false, text, err);
}

static bool is_shown(const struct profile_view *view, const struct profile_row *row)
{
	if (view->app->verbose)
		return true;
	return row->state != ROW_SAME && !(row->state == ROW_MISSING && skips(view));
}

static int make_table(const struct profile_view *view, char **text, struct tm_error *err)
{
	struct tm_table_style style = terminal_style(view->app);
	size_t chosen[2 * TM_ARRAY_SIZE(fields)], nr = 0;
	struct tm_table *table = tm_table_new(&style);
	struct tm_buf cell = TM_BUF_INIT;
	int rc = table ? tm_field_choose(fields, TM_ARRAY_SIZE(fields), NULL, chosen, &nr, err) :
			 tm_error_nomem(err);

	for (size_t k = 0; !rc && k < nr; k++)
		tm_table_column(table, fields[chosen[k]].heading, false, fields[chosen[k]].shrink,
				false);
	for (size_t i = 0; !rc && i < view->nr; i++) {
		struct tm_row *row;

		if (!is_shown(view, &view->rows[i]))
			continue;
		row = tm_table_row(table, NULL);
		for (size_t k = 0; k < nr; k++) {
			tm_buf_reset(&cell);
			tm_field_text(&cell, &fields[chosen[k]], &view->rows[i], style.raw);
			tm_row_cell(table, row, k, tm_buf_str(&cell));
		}
	}
	if (!rc && cell.failed)
		rc = tm_error_nomem(err);
	if (!rc)
		rc = tm_table_print(table, text, err);
	tm_buf_release(&cell);
	tm_table_free(table);
	return rc;
}

int profile_show(const struct profile_view *view)
{
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_error err = { 0 };
	int rc;

	if (!view->app->json && view->app->quiet)
		return EXIT_DONE;
	rc = view->app->json ? make_document(view, &text, &err) : make_table(view, &text, &err);
	if (rc || !text)
		return report(view->app, EXIT_FAILED, &err);
	out_text(view->app, *text ? text : "the machine is as the profile says\n");
	return EXIT_DONE;
}
