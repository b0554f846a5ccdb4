/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem policy damon status`. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/policy-damon.h"
#include "cmd/recover.h"
#include "cmd/terminal.h"
#include "lib/out/document.h"
#include "lib/out/field.h"
#include "lib/out/table.h"
#include "lib/plan/plan.h"

/* A scheme, or a kdamond without one. */
struct row {
	const struct tm_kdamond *kdamond;
	const struct tm_damon_scheme *scheme;
};

struct region_row {
	const struct tm_kdamond *kdamond;
	const struct tm_damon_region *region;
};

struct status {
	struct app *app;
	const struct tm_machine *machine;
	struct tm_damon damon;
	bool *refreshed; /* per kdamond: its counters are those of now */
	struct row *rows;
	size_t nr_rows;
	struct region_row *regions;
	size_t nr_regions;
};

#define KDAMOND(record) (((const struct row *)(record))->kdamond)
#define SCHEME(record) (((const struct row *)(record))->scheme)

static void get_id(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known((uint64_t)KDAMOND(record)->id));
}

static void get_state(const void *record, struct tm_cell *cell)
{
	tm_cell_text(cell, &KDAMOND(record)->state);
}

static void get_pid(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, KDAMOND(record)->pid);
}

static void get_ours(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, KDAMOND(record)->ours);
}

static void get_operations(const void *record, struct tm_cell *cell)
{
	tm_cell_text(cell, &KDAMOND(record)->operations);
}

static void get_sample(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, KDAMOND(record)->sample_us);
}

static void get_aggregation(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, KDAMOND(record)->aggregation_us);
}

static void get_update(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, KDAMOND(record)->update_us);
}

/* A kdamond without schemes has none of these. */
static void put_num(const struct tm_num *num, struct tm_cell *cell)
{
	tm_cell_num(cell, num ? *num : tm_num_none(TM_NOT_PROVIDED));
}

static void put_text(const struct tm_text *text, struct tm_cell *cell)
{
	cell->state = TM_NOT_PROVIDED;
	if (text)
		tm_cell_text(cell, text);
}

#define SCHEME_FIELD(name, put)                                           \
	static void get_##name(const void *record, struct tm_cell *cell)  \
	{                                                                 \
		put(SCHEME(record) ? &SCHEME(record)->name : NULL, cell); \
	}

SCHEME_FIELD(action, put_text)
SCHEME_FIELD(target, put_num)
SCHEME_FIELD(quota_bytes, put_num)
SCHEME_FIELD(quota_interval_ms, put_num)
SCHEME_FIELD(memcg, put_text)
SCHEME_FIELD(tried_regions, put_num)
SCHEME_FIELD(tried_bytes, put_num)
SCHEME_FIELD(applied_regions, put_num)
SCHEME_FIELD(applied_bytes, put_num)
SCHEME_FIELD(quota_exceeds, put_num)

/* clang-format off */
static const struct tm_field kdamond_fields[] = {
	{ "id", "KDAMOND", TM_FIELD_NUMBER, true, false, false, "its number", get_id },
	{ "state", "STATE", TM_FIELD_TEXT, true, false, false, "does it run", get_state },
	{ "pid", "PID", TM_FIELD_NUMBER, true, false, false, "its process", get_pid },
	{ "ours", "OURS", TM_FIELD_BOOL, true, false, false, "did tiermem start it", get_ours },
	{ "operations", NULL, TM_FIELD_TEXT, false, false, false, NULL, get_operations },
	{ "sample_us", NULL, TM_FIELD_NUMBER, false, false, false, NULL, get_sample },
	{ "aggregation_us", NULL, TM_FIELD_NUMBER, false, false, false, NULL, get_aggregation },
	{ "update_us", NULL, TM_FIELD_NUMBER, false, false, false, NULL, get_update },
};

static const struct tm_field scheme_fields[] = {
	{ "action", "ACTION", TM_FIELD_TEXT, true, false, false, "what it does", get_action },
	{ "target_node", "TO", TM_FIELD_NUMBER, true, false, false, "where to", get_target },
	{ "quota_bytes", "QUOTA", TM_FIELD_BYTES, true, false, false, "at most so much",
	  get_quota_bytes },
	{ "quota_interval_ms", NULL, TM_FIELD_NUMBER, false, false, false, NULL,
	  get_quota_interval_ms },
	{ "memcg", NULL, TM_FIELD_TEXT, false, false, false, NULL, get_memcg },
	{ "tried_regions", NULL, TM_FIELD_NUMBER, false, false, false, NULL, get_tried_regions },
	{ "tried_bytes", "TRIED", TM_FIELD_BYTES, true, false, false, "found", get_tried_bytes },
	{ "applied_regions", NULL, TM_FIELD_NUMBER, false, false, false, NULL,
	  get_applied_regions },
	{ "applied_bytes", "APPLIED", TM_FIELD_BYTES, true, false, false, "moved",
	  get_applied_bytes },
	{ "quota_exceeds", "EXCEEDED", TM_FIELD_NUMBER, true, false, false,
	  "how often the quota ended it", get_quota_exceeds },
};
/* clang-format on */

#define REGION(record) ((const struct region_row *)(record))

static void get_region_kdamond(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known((uint64_t)REGION(record)->kdamond->id));
}

static void get_start(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, REGION(record)->region->start);
}

static void get_end(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, REGION(record)->region->end);
}

static void get_size(const void *record, struct tm_cell *cell)
{
	const struct tm_damon_region *region = REGION(record)->region;

	tm_cell_num(cell, tm_num_none(TM_UNKNOWN));
	if (tm_num_is(&region->start) && tm_num_is(&region->end) &&
	    region->end.value >= region->start.value)
		tm_cell_num(cell, tm_num_known(region->end.value - region->start.value));
}

/* clang-format off */
static const struct tm_field region_fields[] = {
	{ "kdamond", "KDAMOND", TM_FIELD_NUMBER, true, true, false, "who watches",
	  get_region_kdamond },
	{ "start", "START", TM_FIELD_HEX, true, false, false, "first address", get_start },
	{ "end", "END", TM_FIELD_HEX, true, false, false, "the first behind it", get_end },
	{ "size_bytes", "SIZE", TM_FIELD_BYTES, true, false, false, "how much", get_size },
};
/* clang-format on */

static bool is_ours(const struct tm_kdamond *kdamond)
{
	return tm_num_is(&kdamond->ours) && kdamond->ours.value;
}

/* Only our own: with others this would meddle. Returns whether the counters are those of now. */
static bool refresh(const struct status *s, const struct tm_root *root,
		    const struct tm_kdamond *kdamond)
{
	struct tm_error err = { 0 };
	char path[TM_PATH_MAX];

	if (!root->live || !is_ours(kdamond) || kdamond->state.state != TM_KNOWN ||
	    strcmp(kdamond->state.value, "on") != 0 ||
	    tm_path_format(path, TM_DAMON_FOLDER "/%d/state", kdamond->id))
		return false;
	if (!tm_refresh(root, path, "update_schemes_stats", &err))
		return true;
	warn(s->app, "%s: the counters are older", err.text);
	return false;
}

static int read_all(struct status *s, const struct tm_root *root, struct tm_error *err)
{
	bool any = false;
	int rc = policy_damon_read(&s->damon, root, err);

	if (!rc)
		rc = policy_damon_usable(&s->damon, s->machine, err);
	if (rc)
		return rc;
	s->refreshed = calloc(s->damon.nr + 1, sizeof(*s->refreshed));
	if (!s->refreshed)
		return tm_error_nomem(err);
	for (size_t i = 0; i < s->damon.nr; i++)
		any |= s->refreshed[i] = refresh(s, root, &s->damon.list[i]);
	if (any) {
		size_t before = s->damon.nr;

		tm_damon_release(&s->damon);
		rc = policy_damon_read(&s->damon, root, err);
		/* Somebody has made others meanwhile: what was refreshed is not known. */
		if (!rc && s->damon.nr != before)
			rc = tm_error_set(err, ESTALE,
					  "/" TM_DAMON_FOLDER ": changed while it was read");
	}
	return rc;
}

static int make_rows(struct status *s, struct tm_error *err)
{
	size_t rows = 1, regions = 1;

	for (size_t i = 0; i < s->damon.nr; i++) {
		rows += s->damon.list[i].nr_schemes + 1;
		regions += s->damon.list[i].nr_regions;
	}
	s->rows = calloc(rows, sizeof(*s->rows));
	s->regions = calloc(regions, sizeof(*s->regions));
	if (!s->rows || !s->regions)
		return tm_error_nomem(err);
	for (size_t i = 0; i < s->damon.nr; i++) {
		const struct tm_kdamond *k = &s->damon.list[i];

		if (!k->nr_schemes)
			s->rows[s->nr_rows++] = (struct row){ k, NULL };
		for (size_t n = 0; n < k->nr_schemes; n++)
			s->rows[s->nr_rows++] = (struct row){ k, &k->schemes[n] };
		for (size_t n = 0; n < k->nr_regions; n++)
			s->regions[s->nr_regions++] = (struct region_row){ k, &k->regions[n] };
	}
	return 0;
}

/* One table of the fields of two lists, the first of the kdamond. */
static int add_table(const struct status *s, struct tm_buf *out, const struct tm_field *fields,
		     size_t nr, const void *records, size_t nr_records, size_t size,
		     struct tm_error *err)
{
	struct tm_table_style style = terminal_style(s->app);
	size_t chosen[2 * nr], nr_chosen;
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_table *table = tm_table_new(&style);
	int rc = table ? 0 : tm_error_nomem(err);

	if (!rc)
		rc = tm_field_choose(fields, nr, NULL, chosen, &nr_chosen, err);
	if (!rc) {
		tm_table_records(table, fields, chosen, nr_chosen, records, nr_records, size);
		rc = tm_table_print(table, &text, err);
	}
	tm_table_free(table);
	if (!rc)
		tm_buf_adds(out, text);
	return rc;
}

static int make_text(const struct status *s, char **text, struct tm_error *err)
{
	struct tm_field fields[TM_ARRAY_SIZE(kdamond_fields) + TM_ARRAY_SIZE(scheme_fields)];
	bool bare = s->app->raw || s->app->noheadings;
	struct tm_buf out = TM_BUF_INIT;
	int rc = 0;

	memcpy(fields, kdamond_fields, sizeof(kdamond_fields));
	memcpy(fields + TM_ARRAY_SIZE(kdamond_fields), scheme_fields, sizeof(scheme_fields));
	if (s->damon.exclusive && !bare)
		tm_buf_addf(&out, "%s runs, and the kernel starts nothing beside it\n",
			    s->damon.exclusive);
	if (s->nr_rows)
		rc = add_table(s, &out, fields, TM_ARRAY_SIZE(fields), s->rows, s->nr_rows,
			       sizeof(*s->rows), err);
	else if (!bare)
		tm_buf_adds(&out, "no kdamonds\n");
	/* Scripts that ask for bare rows get one table. */
	if (!rc && s->nr_regions && !bare) {
		tm_buf_addc(&out, '\n');
		rc = add_table(s, &out, region_fields, TM_ARRAY_SIZE(region_fields), s->regions,
			       s->nr_regions, sizeof(*s->regions), err);
	}
	if (rc) {
		tm_buf_release(&out);
		return rc;
	}
	if (!out.len)
		tm_buf_adds(&out, "");
	*text = tm_buf_detach(&out);
	return *text ? 0 : tm_error_nomem(err);
}

static void add_kdamond(struct tm_json *json, const struct status *s, size_t i)
{
	const struct tm_kdamond *k = &s->damon.list[i];
	struct row row = { k, NULL };

	tm_json_object(json, NULL);
	tm_field_json(json, kdamond_fields, TM_ARRAY_SIZE(kdamond_fields), &row);
	tm_json_bool(json, "stats_refreshed", s->refreshed[i]);
	tm_json_u64(json, "targets", k->nr_targets);
	tm_json_array(json, "regions");
	for (size_t n = 0; n < k->nr_regions; n++) {
		struct region_row region = { k, &k->regions[n] };

		tm_json_object(json, NULL);
		tm_field_json(json, region_fields, TM_ARRAY_SIZE(region_fields), &region);
		tm_json_end(json);
	}
	tm_json_end(json);
	tm_json_array(json, "schemes");
	for (size_t n = 0; n < k->nr_schemes; n++) {
		row.scheme = &k->schemes[n];
		tm_json_object(json, NULL);
		tm_field_json(json, scheme_fields, TM_ARRAY_SIZE(scheme_fields), &row);
		tm_json_end(json);
	}
	tm_json_end(json);
	tm_json_end(json);
}

static int make_document(const struct status *s, char **text, struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	const struct tm_machine *m = s->machine;
	struct tm_identity identity = { m->kernel, m->host, m->boot_id, m->root };

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin(json, "damon", 1, &identity);
	tm_json_num(json, "nr_kdamonds", s->damon.kdamonds);
	tm_json_string(json, "exclusive", s->damon.exclusive);
	tm_json_array(json, "kdamonds");
	for (size_t i = 0; i < s->damon.nr; i++)
		add_kdamond(json, s, i);
	tm_json_end(json);
	return tm_json_print(json, false, text, err);
}

int policy_damon_status(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	struct status s = { .app = app, .machine = m };
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_error err = { 0 };
	int rc = read_all(&s, root, &err), code = EXIT_DONE;

	if (!rc)
		rc = make_rows(&s, &err);
	if (!rc)
		rc = app->json ? make_document(&s, &text, &err) : make_text(&s, &text, &err);
	if (rc) {
		code = report(app, rc == -ENOTSUP ? EXIT_UNSUPPORTED : EXIT_FAILED, &err);
	} else {
		out_text(app, text);
		recover_warn(app, root);
	}
	free(s.refreshed);
	free(s.rows);
	free(s.regions);
	tm_damon_release(&s.damon);
	return code;
}
