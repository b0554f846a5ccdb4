/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/apply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "cmd/terminal.h"
#include "lib/out/document.h"
#include "lib/out/field.h"
#include "lib/out/table.h"

#define CHANGE(record) ((const struct tm_change *)(record))

static void get_kind(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, tm_change_kind_name(CHANGE(record)->kind));
}

static void get_path(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, CHANGE(record)->path);
}

static void get_from(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, CHANGE(record)->from);
}

/* What the kernel makes of an effect, or in part of a count, is known afterwards. */
static void get_to(const void *record, struct tm_cell *cell)
{
	const struct tm_change *change = CHANGE(record);

	tm_cell_string(cell, change->to ? change->to : change->got);
}

static void get_got(const void *record, struct tm_cell *cell)
{
	const struct tm_change *change = CHANGE(record);

	tm_cell_string(cell, change->kind == TM_CHANGE_SET ? NULL : change->got);
}

static void get_state(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, tm_change_state_name(CHANGE(record)->state));
}

static void get_restorable(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known(tm_change_restorable(CHANGE(record))));
}

static void get_why(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, CHANGE(record)->why);
}

static void get_error(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, CHANGE(record)->error);
}

/* clang-format off */
static const struct tm_field fields[] = {
	{ "kind", "KIND", TM_FIELD_TEXT, false, false, false, "set, count, effect or trigger",
	  get_kind },
	{ "path", "FILE", TM_FIELD_TEXT, true, false, true, "the file", get_path },
	{ "from", "FROM", TM_FIELD_TEXT, true, false, false, "what it says now", get_from },
	{ "to", "TO", TM_FIELD_TEXT, true, false, false, "what it is to say", get_to },
	{ "got", NULL, TM_FIELD_TEXT, false, false, false, NULL, get_got },
	{ "state", "STATE", TM_FIELD_TEXT, true, false, false, "how far it got", get_state },
	{ "restorable", NULL, TM_FIELD_BOOL, false, false, false, NULL, get_restorable },
	{ "why", NULL, TM_FIELD_TEXT, false, false, false, NULL, get_why },
	{ "error", NULL, TM_FIELD_TEXT, false, false, false, NULL, get_error },
};
/* clang-format on */

static int print_changes(struct app *app, const struct tm_change *changes, size_t nr)
{
	struct tm_table_style style = terminal_style(app);
	TM_CLEANUP(tm_freep) char *text = NULL;
	size_t chosen[2 * TM_ARRAY_SIZE(fields)], nr_chosen;
	struct tm_table *table = tm_table_new(&style);
	struct tm_error err = { 0 };
	int rc = table ? 0 : tm_error_nomem(&err);

	if (!rc)
		rc = tm_field_choose(fields, TM_ARRAY_SIZE(fields), NULL, chosen, &nr_chosen, &err);
	if (!rc) {
		tm_table_records(table, fields, chosen, nr_chosen, changes, nr, sizeof(*changes));
		rc = tm_table_print(table, &text, &err);
	}
	tm_table_free(table);
	if (rc)
		return report(app, EXIT_FAILED, &err);
	out_text(app, text);
	return EXIT_DONE;
}

static void add_changes(struct tm_json *json, const struct tm_change *changes, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		tm_json_object(json, NULL);
		tm_field_json(json, fields, TM_ARRAY_SIZE(fields), &changes[i]);
		tm_json_end(json);
	}
}

/* The document is printed also when something failed: the error goes to standard error. */
static int print_document(struct app *app, const struct tm_machine *m, const char *title,
			  const char *state, const struct tm_change *const *lists,
			  const size_t *counts, size_t nr)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_identity identity = { m->kernel, m->host, m->boot_id, m->root };
	struct tm_error err = { 0 };
	int rc = json ? 0 : tm_error_nomem(&err);

	if (!rc) {
		tm_document_begin(json, "plan", 1, &identity);
		tm_json_string(json, "title", title);
		tm_json_bool(json, "dry_run", app->dry_run);
		tm_json_string(json, "state", state);
		tm_json_array(json, "changes");
		for (size_t i = 0; i < nr; i++)
			add_changes(json, lists[i], counts[i]);
		tm_json_end(json);
		rc = tm_json_print(json, false, &text, &err);
	}
	if (rc)
		return report(app, EXIT_FAILED, &err);
	out_text(app, text);
	return EXIT_DONE;
}

static int show(struct app *app, const struct tm_machine *m, const struct tm_plan *plan,
		const char *state)
{
	const struct tm_change *changes = plan->changes;

	if (app->json)
		return print_document(app, m, plan->title, state, &changes, &plan->nr, 1);
	if (app->quiet)
		return EXIT_DONE;
	if (!tm_plan_has_work(plan) && !strcmp(state, "unchanged")) {
		out_text(app, "nothing to do: it is so already\n");
		return EXIT_DONE;
	}
	return print_changes(app, plan->changes, plan->nr);
}

void apply_log(const char *title, const struct tm_change *changes, size_t nr,
	       enum tm_change_state state)
{
	struct tm_buf line = TM_BUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		const struct tm_change *change = &changes[i];
		const char *value = state == TM_CHANGE_RESTORED ? change->from :
				    change->to			? change->to :
								  change->got;

		if (change->state == state && value)
			tm_buf_addf(&line, " /%s=%s", change->path, value);
	}
	openlog("tiermem", LOG_PID, LOG_USER);
	syslog(LOG_NOTICE, "%s:%s", title, tm_buf_str(&line));
	closelog();
	tm_buf_release(&line);
}

void apply_list_left(const struct app *app, const struct tm_change *changes, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct tm_change *change = &changes[i];
		const char *why = change->error ? change->error : "left as it is";

		if (change->state != TM_CHANGE_LEFT)
			continue;
		if (change->from)
			warn(app, "/%s: %s; it was '%s' before", change->path, why, change->from);
		else
			warn(app, "/%s: %s", change->path, why);
	}
}

int apply_refuse_archive(struct app *app, const struct tm_root *root)
{
	struct tm_error err = { 0 };

	if (!root->archive || app->dry_run)
		return EXIT_DONE;
	tm_error_set(&err, EINVAL, "--root: nothing can be written to an archive");
	tm_error_hint(&err, "unpack it and give the folder, or add --dry-run");
	return report(app, EXIT_USAGE, &err);
}

int apply_check_held(const struct tm_plan *plan, struct tm_error *err)
{
	int rc = 0;

	/* Preparing looks itself where it writes. */
	if (!tm_plan_has_work(plan))
		rc = tm_journal_conflict(plan->root, plan->changes, plan->nr, err);
	return rc == -EACCES || rc == -EPERM ? 0 : rc;
}

static int with_machine(struct app *app, bool writes,
			int (*work)(struct app *app, const struct tm_root *root,
				    const struct tm_machine *m))
{
	struct tm_machine machine = { 0 };
	struct tm_error err = { 0 };
	struct tm_root root;
	int code = EXIT_DONE;

	if (tm_root_open(&root, app->root, &err))
		return report(app, EXIT_FAILED, &err);
	if (writes)
		code = apply_refuse_archive(app, &root);
	if (code != EXIT_DONE)
		; /* nothing is read */
	else if (tm_machine_read(&machine, &root, NULL, &err))
		code = report(app, EXIT_FAILED, &err);
	else
		code = work(app, &root, &machine);
	tm_machine_release(&machine);
	tm_root_close(&root);
	return code;
}

int apply_with_machine(struct app *app, int (*work)(struct app *app, const struct tm_root *root,
						    const struct tm_machine *m))
{
	return with_machine(app, true, work);
}

int read_with_machine(struct app *app, int (*work)(struct app *app, const struct tm_root *root,
						   const struct tm_machine *m))
{
	return with_machine(app, false, work);
}

/* A preview accepts everything, and is stopped by whatever else would stop the plan. */
static int preview(struct app *app, const struct tm_machine *m, struct tm_plan *plan, bool work)
{
	struct tm_error err = { 0 };

	if (tm_plan_preview(plan, &err) || apply_check_held(plan, &err))
		return report(app, EXIT_FAILED, &err);
	return show(app, m, plan, work ? "planned" : "unchanged");
}

int apply_plan(struct app *app, const struct tm_machine *m, struct tm_plan *plan)
{
	struct tm_error err = { 0 };
	bool work = tm_plan_has_work(plan);
	const char *state;
	int code = apply_refuse_archive(app, plan->root), rc;

	if (code != EXIT_DONE)
		return code;
	for (size_t i = 0; work && i < plan->nr; i++)
		if (plan->changes[i].state == TM_CHANGE_PLANNED && plan->changes[i].why)
			warn(app, "/%s: %s", plan->changes[i].path, plan->changes[i].why);
	if (app->dry_run)
		return preview(app, m, plan, work);
	if (tm_plan_prepare(plan, app_option(app, "accept") != NULL, &err) ||
	    apply_check_held(plan, &err))
		return report(app, EXIT_FAILED, &err);
	rc = tm_plan_apply(plan, false, &err);
	state = plan->left ? "left" : rc ? "rolled-back" : work ? "applied" : "unchanged";
	if (!rc && work && plan->root->live)
		apply_log(plan->title, plan->changes, plan->nr, TM_CHANGE_DONE);
	code = show(app, m, plan, state);
	if (!rc)
		return code;
	apply_list_left(app, plan->changes, plan->nr);
	if (plan->again)
		tm_error_hint(&err, "`tiermem recover` tries again");
	return report(app, plan->left ? EXIT_ROLLBACK : EXIT_FAILED, &err);
}

int apply_show_journals(struct app *app, const struct tm_machine *m,
			const struct tm_journal *journals, size_t nr, const char *state)
{
	int code = EXIT_DONE;

	if (app->json) {
		const struct tm_change *lists[nr + 1];
		size_t counts[nr + 1];

		for (size_t i = 0; i < nr; i++) {
			lists[i] = journals[i].changes;
			counts[i] = journals[i].nr;
		}
		return print_document(app, m, app->command->name, state, lists, counts, nr);
	}
	for (size_t i = 0; i < nr && code == EXIT_DONE && !app->quiet; i++)
		code = print_changes(app, journals[i].changes, journals[i].nr);
	return code;
}
