/* SPDX-License-Identifier: GPL-2.0-only */
/* The comparison for programs: a tiermem.stat-compare/1 document, and comma-separated values. */
#include <inttypes.h>
#include <string.h>

#include "cmd/stat-compare.h"
#include "lib/out/document.h"

static const char *const side_words[SIDES] = { "before", "after" };

static void add_side(struct tm_json *json, const struct stat_pair *pair, enum side side)
{
	const struct stat_record *record = &pair->record[side];

	tm_json_object(json, side_words[side]);
	tm_json_string(json, "file", pair->file[side]);
	tm_json_text(json, "kernel", &record->kernel);
	tm_json_text(json, "host", &record->host);
	tm_json_text(json, "boot_id", &record->boot_id);
	if (record->command) {
		tm_json_array(json, "command");
		for (char **word = record->command; *word; word++)
			tm_json_string(json, NULL, *word);
		tm_json_end(json);
	} else {
		tm_json_null(json, "command");
	}
	tm_json_u64(json, "runs", record->nr_runs);
	tm_json_end(json);
}

void stat_differences_json(struct tm_json *json, const char *key,
			   const struct stat_difference *list, size_t nr)
{
	tm_json_array(json, key);
	for (size_t i = 0; i < nr; i++) {
		tm_json_object(json, NULL);
		tm_json_string(json, "what", list[i].what);
		for (int side = 0; side < SIDES; side++)
			tm_json_string(json, side_words[side], list[i].of[side]);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static const struct tm_summary *summary_of(const struct stat_row *row, enum side side)
{
	return side == BEFORE ? &row->result.before : &row->result.after;
}

static void add_values(struct tm_json *json, const struct stat_pair *pair,
		       const struct stat_row *row, enum side side)
{
	tm_json_object(json, side_words[side]);
	tm_json_u64(json, "runs", row->nr[side]);
	stat_summary_json(json, summary_of(row, side), row->nr[side] > 0);
	tm_json_string(json, "reason", row->nr[side] ? NULL : stat_row_reason(pair, row, side));
	tm_json_bool(json, "scaled", stat_is_scaled(&pair->record[side], row->of[side]));
	tm_json_end(json);
}

static bool is_tested(const struct stat_row *row)
{
	return row->result.verdict == TM_VERDICT_WITHIN || row->result.verdict == TM_VERDICT_LARGER;
}

static void add_row(struct tm_json *json, const struct stat_pair *pair, const struct stat_row *row)
{
	const struct tm_comparison *result = &row->result;

	tm_json_object(json, NULL);
	stat_key_json(json, row->key);
	for (int side = 0; side < SIDES; side++)
		add_values(json, pair, row, (enum side)side);
	if (result->has_change)
		tm_json_double(json, "change_percent", result->change_percent);
	else
		tm_json_null(json, "change_percent");
	tm_json_string(json, "verdict", stat_row_verdict(pair, row));
	if (is_tested(row)) {
		tm_json_double(json, "u", result->test.u);
		tm_json_double(json, "p", result->test.p);
		tm_json_bool(json, "exact", result->test.exact);
	} else {
		tm_json_null(json, "u");
		tm_json_null(json, "p");
		tm_json_null(json, "exact");
	}
	tm_json_end(json);
}

int stat_compare_json(const struct stat_pair *pair, char **text, struct tm_error *err)
{
	const struct tm_text no_machine = { NULL, TM_NOT_ASKED };
	const struct tm_identity identity = { no_machine, no_machine, no_machine, "/" };
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin(json, "stat-compare", 1, &identity);
	for (int side = 0; side < SIDES; side++)
		add_side(json, pair, (enum side)side);
	tm_json_bool(json, "comparable", pair->comparable);
	stat_differences_json(json, "differences", pair->differences, pair->nr_differences);
	stat_differences_json(json, "notes", pair->notes, pair->nr_notes);
	tm_json_object(json, "test");
	tm_json_string(json, "name", "mann-whitney-u");
	tm_json_u64(json, "sides", 2);
	tm_json_double(json, "level", TM_COMPARE_LEVEL);
	tm_json_u64(json, "runs_needed", TM_COMPARE_RUNS);
	tm_json_end(json);
	tm_json_array(json, "counters");
	for (size_t i = 0; i < pair->nr_rows; i++)
		add_row(json, pair, &pair->rows[i]);
	tm_json_end(json);
	return tm_json_print(json, false, text, err);
}

/* Quoted where it must be (RFC 4180). */
static void add_field(struct tm_buf *buf, const char *text)
{
	if (!text)
		return;
	if (!strpbrk(text, ",\"\r\n")) {
		tm_buf_adds(buf, text);
		return;
	}
	tm_buf_addc(buf, '"');
	for (; *text; text++) {
		if (*text == '"')
			tm_buf_addc(buf, '"');
		tm_buf_addc(buf, *text);
	}
	tm_buf_addc(buf, '"');
}

static void add_id(struct tm_buf *buf, int id)
{
	if (id >= 0)
		tm_buf_addf(buf, "%d", id);
	tm_buf_addc(buf, ',');
}

static void add_csv_side(struct tm_buf *buf, const struct stat_pair *pair,
			 const struct stat_row *row, enum side side)
{
	const struct tm_summary *s = summary_of(row, side);

	tm_buf_addf(buf, "%zu,", row->nr[side]);
	if (row->nr[side])
		tm_buf_addf(buf, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",,", s->median,
			    s->min, s->max, s->deviation);
	else
		tm_buf_addf(buf, ",,,,%s,", stat_row_reason(pair, row, side));
}

static void add_csv_row(struct tm_buf *buf, const struct stat_pair *pair,
			const struct stat_row *row)
{
	const struct stat_key *key = row->key;

	add_field(buf, stat_group_words[key->group]);
	tm_buf_addc(buf, ',');
	add_field(buf, key->name);
	tm_buf_addf(buf, ",%s,%s,", stat_scope_words[key->scope], stat_unit_words[key->unit]);
	add_id(buf, key->cpu);
	add_id(buf, key->node);
	if (key->size_bytes)
		tm_buf_addf(buf, "%" PRIu64, key->size_bytes);
	tm_buf_addc(buf, ',');
	add_csv_side(buf, pair, row, BEFORE);
	add_csv_side(buf, pair, row, AFTER);
	if (row->result.has_change)
		tm_buf_addf(buf, "%.6g", row->result.change_percent);
	tm_buf_addc(buf, ',');
	if (is_tested(row))
		tm_buf_addf(buf, "%.6g", row->result.test.p);
	tm_buf_addc(buf, ',');
	add_field(buf, stat_row_verdict(pair, row));
	tm_buf_addc(buf, '\n');
}

int stat_compare_csv(const struct app *app, const struct stat_pair *pair, char **text,
		     struct tm_error *err)
{
	struct tm_buf buf = TM_BUF_INIT;

	if (!app->noheadings)
		tm_buf_adds(&buf,
			    "group,name,scope,unit,cpu,node,size_bytes,"
			    "before_runs,before_median,before_min,before_max,before_mad,"
			    "before_reason,after_runs,after_median,after_min,after_max,after_mad,"
			    "after_reason,change_percent,p,verdict\n");
	for (size_t i = 0; i < pair->nr_rows; i++)
		add_csv_row(&buf, pair, &pair->rows[i]);
	*text = tm_buf_detach(&buf);
	/* A table without rows is none that failed. */
	if (!*text && !buf.failed)
		*text = strdup("");
	return *text ? 0 : tm_error_nomem(err);
}
