/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings for the time of a run: a plan that is kept as a lease and put back. */
#include <errno.h>
#include <string.h>

#include "cmd/apply.h"
#include "cmd/bench/options.h"
#include "cmd/recover.h"

/* What a killed tiermem left is put back first: else it would be found, and restored, as it is. */
static int recover(struct bench *b, struct tm_error *err)
{
	bool recovered = false;
	int code;

	if (b->recovered)
		return 0;
	b->recovered = true;
	code = recover_first(b->app, &b->root, &recovered);
	if (code) {
		b->reported = code;
		return tm_error_set(err, ECANCELED, "an earlier run's settings are still there");
	}
	if (!recovered)
		return 0;
	/* What was told and chosen before is of other settings. */
	tm_machine_release(&b->machine);
	code = tm_machine_read(&b->machine, &b->root, NULL, err);
	return code ? code : bench_conditions(b, err);
}

static int begin_plan(struct bench *b, struct tm_error *err)
{
	int rc = recover(b, err);

	if (!rc && b->has_plan && b->plan_applied)
		rc = bench_settings_restore(b, err);
	if (!rc && !b->has_plan) {
		rc = tm_plan_init(&b->plan, &b->root, "bench", err);
		b->has_plan = !rc;
	}
	return rc;
}

int bench_setting(struct bench *b, enum tm_change_kind kind, enum tm_form form, const char *path,
		  const char *to, struct tm_error *err)
{
	struct tm_change_spec spec = { .kind = kind, .form = form, .path = path, .to = to };
	int rc = begin_plan(b, err);

	if (!rc)
		rc = tm_plan_add(&b->plan, &spec, err);
	return rc == -ENOENT ? -ENOTSUP : rc;
}

struct tm_plan *bench_settings_plan(struct bench *b, struct tm_error *err)
{
	return begin_plan(b, err) ? NULL : &b->plan;
}

int bench_settings_apply(struct bench *b, struct tm_error *err)
{
	int rc;

	if (!b->has_plan || b->plan_applied)
		return 0;
	rc = tm_plan_prepare(&b->plan, false, err);
	if (!rc)
		rc = apply_check_held(&b->plan, err);
	if (!rc)
		rc = tm_plan_apply(&b->plan, true, err);
	if (rc) {
		b->left |= b->plan.left;
		if (b->plan.left)
			apply_list_left(b->app, b->plan.changes, b->plan.nr);
		tm_plan_release(&b->plan);
		b->has_plan = false;
		return rc;
	}
	b->plan_applied = true;
	apply_log(b->plan.title, b->plan.changes, b->plan.nr, TM_CHANGE_DONE);
	return 0;
}

const char *bench_setting_got(const struct bench *b, const char *path)
{
	for (size_t i = 0; b->has_plan && i < b->plan.nr; i++) {
		const struct tm_change *change = &b->plan.changes[i];

		if (strcmp(change->path, path) != 0)
			continue;
		if (change->got)
			return change->got;
		return change->state == TM_CHANGE_UNCHANGED ? change->from : change->to;
	}
	return NULL;
}

int bench_settings_restore(struct bench *b, struct tm_error *err)
{
	int rc = 0;

	if (!b->has_plan)
		return 0;
	if (b->plan_applied) {
		rc = tm_plan_restore(&b->plan, err);
		if (!rc)
			apply_log("bench", b->plan.changes, b->plan.nr, TM_CHANGE_RESTORED);
		/* Also where it could not even begin. */
		b->left |= rc != 0;
		if (b->plan.left)
			apply_list_left(b->app, b->plan.changes, b->plan.nr);
	}
	tm_plan_release(&b->plan);
	b->has_plan = b->plan_applied = false;
	return rc;
}
