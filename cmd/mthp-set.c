/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>

#include "cmd/mthp-view.h"
#include "cmd/recover.h"

int mthp_lacking(const struct tm_thp *thp, struct tm_error *err)
{
	int rc;

	if (thp->state == TM_DENIED) {
		rc = tm_error_errno(err, EACCES, "/%s", TM_THP_FOLDER);
		tm_error_hint(err, "settings are read and written by root");
		return rc;
	}
	rc = tm_error_set(err, ENOTSUP, "this machine has no transparent huge pages");
	tm_error_hint(err, "the kernel is built without them, or their folder is hidden");
	return rc;
}

enum exit_code mthp_exit(int rc)
{
	return rc == -ENOTSUP		      ? EXIT_UNSUPPORTED :
	       rc == -EINVAL || rc == -EEXIST ? EXIT_USAGE :
						EXIT_FAILED;
}

int mthp_recover(struct app *app, const struct tm_root *root)
{
	bool recovered;

	if (!app->dry_run)
		return recover_first(app, root, &recovered);
	recover_warn(app, root);
	return EXIT_DONE;
}

int mthp_apply(struct app *app, const struct tm_root *root, const struct tm_machine *m,
	       const struct settings *settings, const char *title)
{
	struct tm_plan plan = { .lock_fd = -1 };
	struct tm_error err = { 0 };
	int rc = tm_plan_init(&plan, root, title, &err), code;

	if (!rc)
		rc = settings_plan(settings, root, &plan, &err);
	code = rc ? report(app, EXIT_FAILED, &err) : apply_plan(app, m, &plan);
	tm_plan_release(&plan);
	return code;
}

int mthp_set(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	struct settings settings = { 0 };
	struct tm_error err = { 0 };
	struct tm_thp thp = { 0 };
	int code = mthp_recover(app, root), rc;

	if (code != EXIT_DONE)
		return code;
	rc = tm_thp_read(&thp, root, &err);
	if (!rc && thp.state != TM_KNOWN)
		rc = mthp_lacking(&thp, &err);
	if (!rc)
		rc = mthp_want(&settings, root, &thp, app->argv, app->argc, &err);
	if (rc)
		code = report(app, mthp_exit(rc), &err);
	else
		code = mthp_apply(app, root, m, &settings, "mthp set");
	settings_release(&settings);
	tm_thp_release(&thp);
	return code;
}
