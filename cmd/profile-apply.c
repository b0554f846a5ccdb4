/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem profile apply` and `diff`: one plan over all sections, or only what it would change. */
#include <errno.h>
#include <string.h>

#include "cmd/apply.h"
#include "cmd/profile-view.h"
#include "cmd/recover.h"
#include "cmd/settings.h"

static int open_root(struct app *app, struct profile_view *view)
{
	struct tm_error err = { 0 };

	return tm_root_open(&view->w.root, app->root, &err) ? report(app, EXIT_FAILED, &err) :
							      EXIT_DONE;
}

/* Without --skip-missing nothing is done where something is missing; with it, that is told. */
static int check_missing(const struct profile_view *view)
{
	struct tm_buf list = TM_BUF_INIT;
	struct tm_error err = { 0 };
	bool skip = app_option(view->app, "skip-missing") != NULL;
	size_t nr = 0;

	for (size_t i = 0; i < view->nr; i++) {
		const struct profile_row *row = &view->rows[i];

		if (row->state != ROW_MISSING)
			continue;
		if (skip)
			warn(view->app, "%s: %s: left out: %s", view->file, row->key, row->why);
		else
			tm_buf_addf(&list, "%s%s: %s", nr ? "; " : "", row->key, row->why);
		nr++;
	}
	if (!nr || skip) {
		tm_buf_release(&list);
		return EXIT_DONE;
	}
	tm_error_set(&err, ENOTSUP, "%s: %s", view->file, tm_buf_str(&list));
	tm_error_hint(&err, "--skip-missing leaves out what this machine lacks");
	tm_buf_release(&list);
	return report(view->app, EXIT_UNSUPPORTED, &err);
}

/* The exit code of a comparison; the differences were shown. */
static int compared(const struct profile_view *view, bool missing_differs)
{
	size_t unreadable = profile_count(view, ROW_UNREADABLE);
	struct tm_error err = { 0 };

	if (profile_count(view, ROW_DIFFERS) ||
	    (missing_differs && profile_count(view, ROW_MISSING)))
		return EXIT_DIFFERS;
	if (!unreadable)
		return EXIT_DONE;
	tm_error_set(&err, EACCES, "%zu of the settings cannot be read", unreadable);
	tm_error_hint(&err, "settings are read by root");
	return report(view->app, EXIT_FAILED, &err);
}

int profile_diff(struct app *app)
{
	struct profile_view view = { 0 };
	int code = profile_read(app, &view);

	if (code == EXIT_DONE)
		code = open_root(app, &view);
	if (code == EXIT_DONE)
		code = profile_compare(&view);
	if (code == EXIT_DONE)
		code = profile_show(&view);
	if (code == EXIT_DONE) {
		recover_warn(app, &view.w.root);
		code = compared(&view, app_option(app, "skip-missing") == NULL);
	}
	profile_release(&view);
	return code;
}

static int refuse_harmful(const struct profile_view *view)
{
	struct tm_error err = { 0 };

	weights_harmful(&view->w, &err);
	tm_error_hint(&err, "give the weights as numbers, or add --force");
	return report(view->app, EXIT_FAILED, &err);
}

/* The nodes of the profile, as far as they are here, with its weights. */
static int plan_weights(struct profile_view *view, struct tm_plan *plan, struct tm_error *err)
{
	struct weights *w = &view->w;
	size_t nr = 0;

	for (size_t i = 0; i < view->nr; i++) {
		const struct profile_row *row = &view->rows[i];

		if (row->weight && row->state != ROW_MISSING)
			w->nodes[nr++] = *row->weight;
	}
	w->nr = nr;
	return nr ? weights_plan_set(w, plan, err) : 0;
}

static bool is_missing(const struct profile_view *view, const char *key)
{
	for (size_t i = 0; i < view->nr; i++)
		if (view->rows[i].state == ROW_MISSING && !strcmp(view->rows[i].key, key))
			return true;
	return false;
}

static int plan_settings(struct profile_view *view, struct tm_plan *plan, struct tm_error *err)
{
	struct settings settings = { 0 };
	int rc = 0;

	for (size_t i = 0; i < view->nr && !rc; i++) {
		const struct profile_row *row = &view->rows[i];

		if (row->knob && row->set != TM_KNOBS_WEIGHTS && row->state != ROW_MISSING)
			rc = settings_want(&settings, &view->w.root, row->knob, row->instance,
					   row->wanted, err);
	}
	if (!rc)
		rc = settings_plan(&settings, &view->w.root, plan, err);
	settings_release(&settings);
	return rc;
}

static int make_plan(struct profile_view *view, struct tm_plan *plan, struct tm_error *err)
{
	int rc = tm_plan_init(plan, &view->w.root, "profile apply", err);

	if (!rc && !is_missing(view, "/weights")) {
		if (view->profile.weights == TM_PROFILE_WEIGHTS_AUTO)
			rc = weights_plan_auto(&view->w, plan, err);
		else if (view->profile.weights != TM_PROFILE_WEIGHTS_NONE)
			rc = plan_weights(view, plan, err);
	}
	return rc ? rc : plan_settings(view, plan, err);
}

static int write_settings(struct app *app, struct profile_view *view)
{
	struct tm_plan plan = { .lock_fd = -1 };
	struct tm_error err = { 0 };
	int code;

	if (view->profile.weights == TM_PROFILE_WEIGHTS_BEST && !tm_idset_empty(&view->w.harmful) &&
	    !app_option(app, "force"))
		return refuse_harmful(view);
	if (make_plan(view, &plan, &err))
		code = report(app, EXIT_FAILED, &err);
	else
		code = apply_plan(app, &view->w.machine, &plan);
	tm_plan_release(&plan);
	return code;
}

/* Looking only goes with none of what is about writing. */
static int refuse_writing(struct app *app)
{
	static const char *const options[] = { "accept", "force" };
	struct tm_error err = { 0 };

	for (size_t i = 0; i < TM_ARRAY_SIZE(options); i++) {
		if (!app_option(app, options[i]))
			continue;
		tm_error_set(&err, EINVAL, "--%s: not together with --check", options[i]);
		return report(app, EXIT_USAGE, &err);
	}
	if (!app->dry_run)
		return EXIT_DONE;
	tm_error_set(&err, EINVAL, "--dry-run: not together with --check");
	return report(app, EXIT_USAGE, &err);
}

static int check(struct app *app, struct profile_view *view)
{
	int code = profile_compare(view);

	if (code == EXIT_DONE)
		code = check_missing(view);
	if (code == EXIT_DONE)
		code = profile_show(view);
	if (code != EXIT_DONE)
		return code;
	recover_warn(app, &view->w.root);
	return compared(view, false);
}

/* What a killed one left is taken back before anything is read. */
static int recover(struct app *app, struct profile_view *view)
{
	bool recovered;
	int code = apply_refuse_archive(app, &view->w.root);

	if (code == EXIT_DONE && app->dry_run)
		recover_warn(app, &view->w.root);
	else if (code == EXIT_DONE)
		code = recover_first(app, &view->w.root, &recovered);
	return code;
}

int profile_apply(struct app *app)
{
	bool checks = app_option(app, "check") != NULL;
	struct profile_view view = { 0 };
	int code = checks ? refuse_writing(app) : EXIT_DONE;

	view.w.root.fd = -1;
	if (code == EXIT_DONE)
		code = profile_read(app, &view);
	if (code == EXIT_DONE)
		code = open_root(app, &view);
	if (code == EXIT_DONE && checks) {
		code = check(app, &view);
	} else if (code == EXIT_DONE) {
		code = recover(app, &view);
		if (code == EXIT_DONE)
			code = profile_compare(&view);
		if (code == EXIT_DONE)
			code = check_missing(&view);
		if (code == EXIT_DONE)
			code = write_settings(app, &view);
	}
	profile_release(&view);
	return code;
}
