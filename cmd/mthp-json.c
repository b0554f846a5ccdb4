/* SPDX-License-Identifier: GPL-2.0-only */
/* The tiermem.mthp/1 document. */
#include <stdio.h>
#include <string.h>

#include "cmd/mthp-view.h"
#include "lib/out/document.h"

/* An array of the words in a list with blanks between; null where there is none. */
static void add_accepted(struct tm_json *json, const char *key, const struct tm_setting *setting)
{
	char name[80], word[64];
	const char *at = setting->accepted;

	snprintf(name, sizeof(name), "%s_accepted", key);
	if (!at) {
		tm_json_none(json, name, TM_UNKNOWN);
		return;
	}
	tm_json_array(json, name);
	for (size_t len; *at; at += len) {
		at += strspn(at, " ");
		len = strcspn(at, " ");
		snprintf(word, sizeof(word), "%.*s", (int)TM_MIN(len, sizeof(word) - 1), at);
		if (len)
			tm_json_string(json, NULL, word);
	}
	tm_json_end(json);
}

static void add_setting(struct tm_json *json, const char *key, const struct tm_setting *setting)
{
	const struct tm_knob *knob = setting->knob;
	const char *value = setting->value.value;

	if (setting->value.state != TM_KNOWN) {
		tm_json_none(json, key, setting->value.state);
		if (knob->form == TM_FORM_CHOICE)
			add_accepted(json, key, setting);
	} else if (knob->form == TM_FORM_CHOICE) {
		tm_json_string(json, key, value);
		add_accepted(json, key, setting);
	} else if (knob->form == TM_FORM_BOOL || knob->max == 1) {
		tm_json_bool(json, key, !strcmp(value, "true") || !strcmp(value, "1"));
	} else {
		tm_json_num(json, key, tm_knob_number(knob, value));
	}
}

static void add_counters(struct tm_json *json, const struct tm_thp_counters *counters)
{
	for (size_t i = 0; i < counters->nr; i++)
		tm_json_num(json, counters->list[i].name, counters->list[i].value);
}

/* Keys are the files' own names. */
static void add_top(struct tm_json *json, const struct tm_thp *thp)
{
	static const char folder[] = TM_THP_FOLDER "/", own[] = "khugepaged/";
	bool inside = false;

	tm_json_object(json, "top_level");
	for (size_t i = 0; i < thp->nr_top; i++) {
		const char *name = thp->top[i].knob->path + strlen(folder);
		bool below = !strncmp(name, own, strlen(own));

		if (below && !inside)
			tm_json_object(json, "khugepaged");
		inside = below;
		add_setting(json, below ? name + strlen(own) : name, &thp->top[i]);
	}
	/* Its rows are the last ones. */
	tm_json_object(json, "counters");
	add_counters(json, &thp->khugepaged);
	tm_json_end(json);
	tm_json_end(json);
	tm_json_end(json);
}

static void add_ratio(struct tm_json *json, const char *key, const struct tm_thp_size *size,
		      enum tm_thp_side side)
{
	double ratio;

	if (tm_thp_fallback(size, side, &ratio))
		tm_json_double(json, key, ratio);
	else
		tm_json_null(json, key);
}

static void add_size(struct tm_json *json, const struct mthp_row *row)
{
	const struct tm_thp_size *size = row->size;

	tm_json_object(json, NULL);
	tm_field_json(json, mthp_fields, nr_mthp_fields, row);
	add_accepted(json, "enabled", &size->enabled);
	add_accepted(json, "shmem_enabled", &size->shmem);
	add_ratio(json, "anon_fallback_ratio", size, TM_THP_ANON);
	add_ratio(json, "shmem_fallback_ratio", size, TM_THP_SHMEM);
	if (size->counters.state == TM_KNOWN) {
		tm_json_object(json, "counters");
		add_counters(json, &size->counters);
		tm_json_end(json);
	} else {
		tm_json_none(json, "counters", size->counters.state);
	}
	tm_json_end(json);
}

int mthp_json(struct app *app, const struct tm_machine *m, const struct tm_thp *thp,
	      const struct mthp_row *rows, size_t nr)
{
	struct tm_identity identity = { m->kernel, m->host, m->boot_id, m->root };
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_error err = { 0 };
	int rc = json ? 0 : tm_error_nomem(&err);

	if (!rc) {
		tm_document_begin(json, "mthp", 1, &identity);
		tm_json_num(json, "page_size_bytes", m->page_size);
		tm_json_num(json, "pmd_size_bytes", thp->pmd_bytes);
		add_top(json, thp);
		tm_json_array(json, "sizes");
		for (size_t i = 0; i < nr; i++)
			add_size(json, &rows[i]);
		tm_json_end(json);
		rc = tm_json_print(json, false, &text, &err);
	}
	if (rc)
		return report(app, EXIT_FAILED, &err);
	out_text(app, text);
	return EXIT_DONE;
}
