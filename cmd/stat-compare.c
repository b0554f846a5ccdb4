/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem stat --compare BEFORE AFTER` */
#include "cmd/stat-compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void release(struct stat_pair *pair)
{
	for (size_t i = 0; i < pair->nr_differences; i++)
		for (int side = 0; side < SIDES; side++)
			free(pair->differences[i].of[side]);
	for (size_t i = 0; i < pair->nr_notes; i++)
		for (int side = 0; side < SIDES; side++)
			free(pair->notes[i].of[side]);
	free(pair->differences);
	free(pair->notes);
	free(pair->rows);
	stat_record_release(&pair->all);
	for (int side = 0; side < SIDES; side++)
		stat_record_release(&pair->record[side]);
}

static int collect_keys(struct stat_pair *pair)
{
	const struct stat_value none = { .known = false };

	for (int side = 0; side < SIDES; side++)
		for (size_t i = 0; i < pair->record[side].nr_counters; i++)
			if (stat_record_put(&pair->all, &pair->record[side].counters[i].key,
					    &none) == -ENOMEM)
				return -ENOMEM;
	return 0;
}

static int make_row(const struct stat_pair *pair, struct stat_row *row, uint64_t *values[SIDES])
{
	int rc;

	for (int side = 0; side < SIDES; side++) {
		row->of[side] = stat_record_find(&pair->record[side], row->key);
		row->nr[side] = stat_known_values(&pair->record[side], row->of[side], values[side]);
	}
	rc = tm_compare(values[BEFORE], row->nr[BEFORE], values[AFTER], row->nr[AFTER],
			&row->result);
	if (!rc && !pair->comparable) {
		row->result.has_change = false;
		row->result.verdict = TM_VERDICT_NONE;
	}
	return rc;
}

static int make_rows(struct stat_pair *pair)
{
	uint64_t *values[SIDES];
	int rc = collect_keys(pair);

	for (int side = 0; side < SIDES; side++) {
		values[side] = calloc(pair->record[side].nr_runs + 1, sizeof(uint64_t));
		if (!values[side])
			rc = -ENOMEM;
	}
	if (!rc) {
		pair->rows = calloc(pair->all.nr_counters + 1, sizeof(*pair->rows));
		rc = pair->rows ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < pair->all.nr_counters && !rc; i++) {
		struct stat_row row = { .key = &pair->all.counters[i].key };

		rc = make_row(pair, &row, values);
		pair->rows[pair->nr_rows++] = row;
	}
	free(values[BEFORE]);
	free(values[AFTER]);
	return rc;
}

const char *stat_row_reason(const struct stat_pair *pair, const struct stat_row *row,
			    enum side side)
{
	const char *reason;

	if (row->of[side]) {
		reason = stat_missing_reason(&pair->record[side], row->of[side]);
		return *reason ? reason : "unknown";
	}
	if (row->key->group == STAT_EVENTS || row->key->group == STAT_FLUSHES)
		return tm_state_reason(TM_NOT_ASKED);
	if (row->key->cpu >= 0 || row->key->node >= 0)
		return tm_state_reason(TM_OFFLINE);
	return tm_state_reason(TM_ABSENT);
}

const char *stat_row_verdict(const struct stat_pair *pair, const struct stat_row *row)
{
	if (!row->nr[BEFORE] || !row->nr[AFTER])
		return NULL;
	return pair->comparable ? tm_verdict_name(row->result.verdict) : "not-comparable";
}

int stat_compare(struct app *app, const char *before, const char *after)
{
	struct stat_pair pair = { .file = { before, after } };
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_error err = { 0 };
	int rc = 0, code;

	for (int side = 0; side < SIDES && !rc; side++)
		rc = stat_record_read(&pair.record[side], pair.file[side], &err);
	if (!rc && (stat_differ(&pair) || make_rows(&pair)))
		rc = tm_error_nomem(&err);
	if (!rc && app->json)
		rc = stat_compare_json(&pair, &text, &err);
	else if (!rc && app_option(app, "csv"))
		rc = stat_compare_csv(app, &pair, &text, &err);
	else if (!rc)
		rc = stat_compare_text(app, &pair, &text, &err);
	code = pair.comparable ? EXIT_DONE : EXIT_DIFFERS;
	if (!rc)
		out_text(app, text);
	release(&pair);
	return rc ? report(app, EXIT_FAILED, &err) : code;
}
