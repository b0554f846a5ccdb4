/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem profile save`: what is set now, as a profile. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/files.h"
#include "cmd/profile-view.h"
#include "lib/model/thp.h"
#include "lib/out/document.h"

struct saving {
	struct app *app;
	struct tm_root root;
	struct tm_machine machine;
	struct tm_thp thp;
	struct tm_profile profile;
	size_t denied;
};

static bool wants(const struct app *app, const char *section)
{
	const char *list = app_option(app, "only");
	size_t len = strlen(section);

	if (!list)
		return true;
	for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == len && !strncasecmp(at, section, len))
			return true;
	return false;
}

/* What is left out is named with -v; what may not be read is counted in any case. */
static void leave_out(struct saving *s, enum tm_knob_set set, const struct tm_knob *knob,
		      long instance, enum tm_state state)
{
	struct tm_buf place = TM_BUF_INIT;

	s->denied += state == TM_DENIED;
	tm_profile_place(set, knob, instance, &place);
	if (s->app->verbose)
		warn(s->app, "%s: left out: %s", tm_buf_str(&place),
		     state == TM_DENIED	   ? "this user may not read it" :
		     state == TM_MALFORMED ? "it holds a value that is none" :
					     "this machine has no such setting");
	tm_buf_release(&place);
}

static int save_setting(struct saving *s, enum tm_knob_set set, const struct tm_knob *knob,
			long instance)
{
	struct tm_buf word = TM_BUF_INIT, normal = TM_BUF_INIT;
	struct tm_setting setting;
	enum tm_state state;
	int rc = tm_setting_read(&s->root, knob, instance, &setting);

	if (rc)
		return rc;
	state = setting.value.state;
	if (state == TM_KNOWN) {
		tm_knob_say(knob, setting.value.value, &word);
		/* Kernels take some values that mean nothing: what could not be set is not kept. */
		rc = tm_knob_parse(knob, setting.accepted, tm_buf_str(&word), &normal, NULL);
		if (rc == -EINVAL) {
			state = TM_MALFORMED;
			rc = 0;
		}
	}
	if (!rc && state != TM_KNOWN)
		leave_out(s, set, knob, instance, state);
	else if (!rc)
		rc = tm_profile_add(&s->profile, set, knob, instance, tm_buf_str(&word));
	tm_buf_release(&word);
	tm_buf_release(&normal);
	tm_setting_release(&setting);
	return rc;
}

static int save_set(struct saving *s, enum tm_knob_set set, long instance)
{
	size_t nr;
	const struct tm_knob *rows = tm_knob_list(set, &nr);
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++)
		rc = save_setting(s, set, &rows[i], instance);
	return rc;
}

static int save_weights(struct saving *s)
{
	const struct tm_machine *m = &s->machine;
	const struct tm_knob *knob = tm_knob_find(TM_KNOBS_WEIGHTS, "weight");
	int rc = 0;

	if (app_option(s->app, "best")) {
		s->profile.weights = TM_PROFILE_WEIGHTS_BEST;
		return 0;
	}
	switch (m->weight_mode) {
	case TM_WEIGHTS_AUTO:
		s->profile.weights = TM_PROFILE_WEIGHTS_AUTO;
		return 0;
	case TM_WEIGHTS_MANUAL:
		s->profile.weights = TM_PROFILE_WEIGHTS_GIVEN;
		break;
	case TM_WEIGHTS_UNSUPPORTED:
		if (s->app->verbose)
			warn(s->app, "/weights: left out: this machine has no such setting");
		return 0;
	default:
		s->denied++;
		if (s->app->verbose)
			warn(s->app, "/weights: left out: they cannot be read");
		return 0;
	}
	tm_idset_for_each(id, &m->memory_nodes)
		rc = rc ? rc : save_setting(s, TM_KNOBS_WEIGHTS, knob, id);
	return rc;
}

static int read_settings(struct saving *s, struct tm_error *err)
{
	int rc = tm_machine_read(&s->machine, &s->root, NULL, err);

	if (!rc)
		rc = tm_thp_read(&s->thp, &s->root, err);
	if (rc)
		return rc;
	if (wants(s->app, "weights"))
		rc = save_weights(s);
	if (!rc && wants(s->app, "mthp"))
		rc = save_set(s, TM_KNOBS_THP, 0);
	for (size_t i = 0; i < s->thp.nr_sizes && !rc && wants(s->app, "mthp"); i++)
		rc = save_set(s, TM_KNOBS_MTHP, s->thp.sizes[i].kib);
	if (!rc && wants(s->app, "policy"))
		rc = save_set(s, TM_KNOBS_POLICY, 0);
	return rc ? tm_error_nomem(err) : 0;
}

static int make_document(const struct saving *s, char **text, struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	const struct tm_machine *m = &s->machine;
	struct tm_identity identity = { m->kernel, m->host, m->boot_id, m->root };

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin(json, "profile", 1, &identity);
	tm_profile_json(json, &s->profile);
	return tm_json_print(json, false, text, err);
}

static size_t count_settings(const struct tm_profile *profile)
{
	return profile->nr + (profile->weights == TM_PROFILE_WEIGHTS_BEST ||
			      profile->weights == TM_PROFILE_WEIGHTS_AUTO);
}

static void print_result(struct saving *s, const char *file, const char *text)
{
	struct tm_buf line = TM_BUF_INIT;

	if (!file || s->app->json) {
		out_text(s->app, text);
	} else if (!s->app->quiet) {
		tm_buf_add_printable(&line, file, strlen(file));
		tm_buf_addf(&line, ": %zu settings\n", count_settings(&s->profile));
		out_text(s->app, tm_buf_str(&line));
	}
	tm_buf_release(&line);
	if (s->denied && !s->app->verbose)
		warn(s->app,
		     "this user may not read %zu of the settings, which are left out; -v names "
		     "them",
		     s->denied);
}

int profile_save(struct app *app)
{
	TM_CLEANUP(tm_freep) char *text = NULL;
	const char *file = app->argc ? app->argv[0] : NULL;
	struct saving s = { .app = app };
	struct tm_error err = { 0 };
	int rc;

	if (app_option(app, "best") && !wants(app, "weights")) {
		tm_error_set(&err, EINVAL, "--best: is about weights, which --only leaves out");
		return report(app, EXIT_USAGE, &err);
	}
	if (app_option(app, "force") && !file) {
		tm_error_set(&err, EINVAL, "--force: replaces a file, and none is given");
		return report(app, EXIT_USAGE, &err);
	}
	rc = tm_root_open(&s.root, app->root, &err);
	if (!rc) {
		rc = read_settings(&s, &err);
		if (!rc)
			rc = make_document(&s, &text, &err);
		if (!rc && file)
			rc = file_save(file, app_option(app, "force") != NULL, text, &err);
		if (!rc)
			print_result(&s, file, text);
		tm_root_close(&s.root);
	}
	tm_profile_release(&s.profile);
	tm_thp_release(&s.thp);
	tm_machine_release(&s.machine);
	return rc ? report(app, EXIT_FAILED, &err) : EXIT_DONE;
}
