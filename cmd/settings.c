/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/policy-view.h"
#include "lib/base/units.h"

void settings_release(struct settings *settings)
{
	for (size_t i = 0; i < settings->nr; i++)
		free(settings->list[i].value);
	free(settings->list);
	*settings = (struct settings){ 0 };
}

static bool has_instances(const struct tm_knob *knob)
{
	return strstr(knob->path, "%ld") != NULL;
}

void settings_name(const struct tm_knob *knob, long instance, struct tm_buf *name)
{
	char size[TM_UNITS_MAX];

	if (knob == tm_knob_find(TM_KNOBS_MTHP, knob->name))
		tm_buf_addf(name, "%s ", tm_format_bytes(size, (uint64_t)instance << 10));
	else if (knob == tm_knob_find(TM_KNOBS_THP, knob->name))
		tm_buf_adds(name, "top ");
	else if (has_instances(knob))
		tm_buf_addf(name, "node %ld ", instance);
	tm_buf_adds(name, knob->name);
}

/* Why it cannot be read, and so not be set either. */
static int explain(const struct tm_setting *setting, struct tm_error *err)
{
	char path[TM_PATH_MAX];
	struct tm_buf name = TM_BUF_INIT;
	int rc;

	tm_knob_path(setting->knob, setting->instance, path);
	settings_name(setting->knob, setting->instance, &name);
	switch (setting->value.state) {
	case TM_ABSENT:
	case TM_UNSUPPORTED:
		rc = tm_error_set(err, ENOTSUP, "%s: this machine has no /%s", tm_buf_str(&name),
				  path);
		if (setting->knob->since)
			tm_error_hint(err, "it comes with Linux %s", setting->knob->since);
		break;
	case TM_DENIED:
		rc = tm_error_errno(err, EACCES, "/%s", path);
		tm_error_hint(err, "settings are written by root");
		break;
	default:
		rc = tm_error_set(err, EBADMSG, "/%s: holds no %s", path,
				  tm_form_name(setting->knob->form));
		break;
	}
	tm_buf_release(&name);
	return rc;
}

struct wanted *settings_find(const struct settings *settings, const struct tm_knob *knob,
			     long instance)
{
	for (size_t i = 0; i < settings->nr; i++)
		if (settings->list[i].knob == knob && settings->list[i].instance == instance)
			return &settings->list[i];
	return NULL;
}

static int add(struct settings *settings, const struct tm_knob *knob, long instance,
	       struct tm_buf *normal, struct tm_error *err)
{
	const struct wanted *before = settings_find(settings, knob, instance);
	struct tm_buf name = TM_BUF_INIT;

	if (before) {
		if (!strcmp(before->value, tm_buf_str(normal)))
			return 0;
		settings_name(knob, instance, &name);
		tm_error_set(err, EEXIST, "%s: given twice", tm_buf_str(&name));
		tm_buf_release(&name);
		return -EEXIST;
	}
	if (tm_array_grow(&settings->list, settings->nr, &settings->cap, sizeof(*settings->list)))
		return tm_error_nomem(err);
	settings->list[settings->nr] = (struct wanted){ .knob = knob,
							.instance = instance,
							.value = tm_buf_detach(normal) };
	if (!settings->list[settings->nr].value)
		return tm_error_nomem(err);
	settings->nr++;
	return 0;
}

/* The knob's own words, with the size or "top" before them. */
static void name_it(const struct tm_knob *knob, long instance, struct tm_error *err)
{
	struct tm_error plain;
	struct tm_buf name = TM_BUF_INIT;
	size_t len = strlen(knob->name);

	if (!err || strncmp(err->text, knob->name, len))
		return;
	plain = *err;
	settings_name(knob, instance, &name);
	tm_error_set(err, plain.number, "%s%s", tm_buf_str(&name), plain.text + len);
	tm_error_hint(err, "%s", plain.hint);
	tm_buf_release(&name);
}

int settings_want(struct settings *settings, const struct tm_root *root, const struct tm_knob *knob,
		  long instance, const char *word, struct tm_error *err)
{
	struct tm_buf normal = TM_BUF_INIT;
	struct tm_setting now;
	int rc = tm_setting_read(root, knob, instance, &now);

	if (rc)
		return tm_error_nomem(err);
	if (now.value.state != TM_KNOWN)
		rc = explain(&now, err);
	if (!rc) {
		rc = tm_knob_parse(knob, now.accepted, word, &normal, err);
		if (rc == -EINVAL)
			name_it(knob, instance, err);
	}
	if (!rc)
		rc = add(settings, knob, instance, &normal, err);
	tm_buf_release(&normal);
	tm_setting_release(&now);
	return rc;
}

static bool concerns_thp(const struct settings *settings)
{
	for (size_t i = 0; i < settings->nr; i++) {
		const struct tm_knob *knob = settings->list[i].knob;

		if (knob == tm_knob_find(TM_KNOBS_THP, knob->name) ||
		    knob == tm_knob_find(TM_KNOBS_MTHP, knob->name))
			return true;
	}
	return false;
}

static int add_change(struct tm_plan *plan, const struct wanted *wanted, const char *why,
		      struct tm_error *err)
{
	struct tm_change_spec spec = {
		.kind = TM_CHANGE_SET,
		.form = wanted->knob->form,
		.to = wanted->value,
		.lasting = why != NULL,
		.why = why,
	};
	char path[TM_PATH_MAX];

	tm_knob_path(wanted->knob, wanted->instance, path);
	spec.path = path;
	return tm_plan_add(plan, &spec, err);
}

int settings_plan(const struct settings *settings, const struct tm_root *root, struct tm_plan *plan,
		  struct tm_error *err)
{
	struct settings_thp order = { 0 };
	struct tm_thp thp = { 0 };
	int rc = policy_check(settings, root, err);

	if (!rc && concerns_thp(settings))
		rc = tm_thp_read(&thp, root, err);
	if (!rc)
		rc = settings_thp_order(settings, &thp, &order, err);
	for (int turn = 0; turn < 3 && !rc; turn++) {
		for (size_t i = 0; i < settings->nr && !rc; i++) {
			const struct wanted *wanted = &settings->list[i];
			bool top = wanted->knob == order.top;
			int its = top && order.first ? 0 : top && order.last ? 2 : 1;

			if (turn == its)
				rc = add_change(plan, wanted,
						settings_thp_lasting(&order, &thp, wanted), err);
		}
	}
	tm_thp_release(&thp);
	return rc;
}
