/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of sizes, the settings for all of them, and the counters. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/mthp-view.h"
#include "cmd/recover.h"
#include "cmd/terminal.h"
#include "lib/base/units.h"
#include "lib/out/table.h"

#define ROW(record) ((const struct mthp_row *)(record))

/* Files that are not there are such as this kernel does not have. */
static void lacking(struct tm_cell *cell)
{
	if (cell->state == TM_ABSENT)
		cell->state = TM_UNSUPPORTED;
}

static void get_size(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known((uint64_t)ROW(record)->size->kib << 10));
}

static void get_pmd(const void *record, struct tm_cell *cell)
{
	if (tm_num_is(&ROW(record)->thp->pmd_bytes))
		tm_cell_num(cell, tm_num_known(ROW(record)->size->pmd));
	else
		tm_cell_num(cell, ROW(record)->thp->pmd_bytes);
	lacking(cell);
}

static void get_enabled(const void *record, struct tm_cell *cell)
{
	tm_cell_text(cell, &ROW(record)->size->enabled.value);
	lacking(cell);
}

static void get_shmem(const void *record, struct tm_cell *cell)
{
	tm_cell_text(cell, &ROW(record)->size->shmem.value);
	lacking(cell);
}

static void get_anon(const void *record, struct tm_cell *cell)
{
	const char *word = NULL;

	cell->state = tm_thp_effective_enabled(&tm_thp_top(ROW(record)->thp, "enabled")->value,
					       &ROW(record)->size->enabled.value, &word);
	cell->text = word;
	lacking(cell);
}

static void get_shared(const void *record, struct tm_cell *cell)
{
	const char *word = NULL;

	cell->state = tm_thp_effective_shmem(&tm_thp_top(ROW(record)->thp, "shmem")->value,
					     &ROW(record)->size->shmem.value, &word);
	cell->text = word;
	lacking(cell);
}

static void get_fallback(const void *record, struct tm_cell *cell, enum tm_thp_side side)
{
	const char *text = ROW(record)->fallback[side];

	tm_cell_string(cell, *text ? text : NULL);
}

static void get_anon_fallback(const void *record, struct tm_cell *cell)
{
	get_fallback(record, cell, TM_THP_ANON);
}

static void get_shmem_fallback(const void *record, struct tm_cell *cell)
{
	get_fallback(record, cell, TM_THP_SHMEM);
}

/* clang-format off */
/* The counters that kernels up to 7.3 have. Others are shown by --counters and in JSON. */
#define COUNTERS(EACH) \
	EACH(anon_fault_alloc, "ALLOC", "faults that got one") \
	EACH(anon_fault_fallback, "FELL", "faults that took a smaller page") \
	EACH(anon_fault_fallback_charge, "FELL-CHARGE", "of these: the cgroup was full") \
	EACH(shmem_alloc, "SHALLOC", "allocations for shared memory") \
	EACH(shmem_fallback, "SHFELL", "of shared memory that took a smaller page") \
	EACH(shmem_fallback_charge, "SHFELL-CHARGE", "of these: the cgroup was full") \
	EACH(nr_anon, "NR-ANON", "how many there are of anonymous memory") \
	EACH(nr_anon_partially_mapped, "NR-PARTIAL", "of these: in part unmapped") \
	EACH(split, "SPLIT", "split into smaller ones") \
	EACH(split_failed, "SPLIT-FAILED", "splitting that failed") \
	EACH(split_deferred, "SPLIT-DEFERRED", "put on the list for splitting") \
	EACH(swpout, "SWPOUT", "swapped out in one piece") \
	EACH(swpout_fallback, "SWPOUT-FELL", "split before they were swapped out") \
	EACH(swpin, "SWPIN", "swapped in in one piece") \
	EACH(swpin_fallback, "SWPIN-FELL", "swapped in as smaller pages") \
	EACH(swpin_fallback_charge, "SWPIN-CHARGE", "of these: the cgroup was full") \
	EACH(zswpout, "ZSWPOUT", "swapped out to zswap in one piece") \
	EACH(collapse_alloc, "COLLAPSE", "allocated by khugepaged") \
	EACH(collapse_alloc_failed, "COLLAPSE-FAILED", "khugepaged found none") \
	EACH(collapse_exceed_none_pte, "EXCEED-NONE", "not collapsed: max_ptes_none") \
	EACH(collapse_exceed_swap_pte, "EXCEED-SWAP", "not collapsed: max_ptes_swap") \
	EACH(collapse_exceed_shared_pte, "EXCEED-SHARED", "not collapsed: max_ptes_shared")

#define GETTER(name, heading, help) \
	static void count_##name(const void *record, struct tm_cell *cell) \
	{ \
		tm_cell_num(cell, tm_thp_counter(&ROW(record)->size->counters, #name)); \
		lacking(cell); \
	}
COUNTERS(GETTER)

#define FIELD(name, heading, help) \
	{ #name, heading, TM_FIELD_NUMBER, false, true, false, help, count_##name },

const struct tm_field mthp_fields[] = {
	{ "size_bytes", "SIZE", TM_FIELD_BYTES, true, false, false, "of the huge page", get_size },
	{ "pmd", "PMD", TM_FIELD_BOOL, true, false, false, "is it the PMD size?", get_pmd },
	{ "enabled", "ENABLED", TM_FIELD_TEXT, true, false, false,
	  "setting for anonymous memory", get_enabled },
	{ "effective_enabled", "ANON", TM_FIELD_TEXT, true, false, false,
	  "what it comes to, with the setting for all sizes", get_anon },
	{ "anon_fallback_ratio", "FALLBACK", TM_FIELD_TEXT, true, true, false,
	  "faults that took a smaller page", get_anon_fallback },
	{ "shmem_enabled", "SHMEM", TM_FIELD_TEXT, true, false, false,
	  "setting for shared memory", get_shmem },
	{ "effective_shmem", "SHARED", TM_FIELD_TEXT, true, false, false,
	  "what it comes to, with the setting for all sizes", get_shared },
	{ "shmem_fallback_ratio", "SHFALLBACK", TM_FIELD_TEXT, true, true, false,
	  "allocations for shared memory that took a smaller page", get_shmem_fallback },
	COUNTERS(FIELD)
};
/* clang-format on */
const size_t nr_mthp_fields = TM_ARRAY_SIZE(mthp_fields);

const char *mthp_column_word(size_t i, const char **help)
{
	if (i >= nr_mthp_fields)
		return NULL;
	*help = mthp_fields[i].help;
	return mthp_fields[i].heading;
}

static int add_table(struct tm_table *table, struct tm_buf *out, struct tm_error *err)
{
	TM_CLEANUP(tm_freep) char *text = NULL;
	int rc = tm_table_print(table, &text, err);

	if (!rc)
		tm_buf_addf(out, "%s%s", out->len ? "\n" : "", text);
	return rc;
}

static int add_sizes(struct app *app, const struct mthp_row *rows, size_t nr, struct tm_buf *out,
		     struct tm_error *err)
{
	size_t chosen[2 * TM_ARRAY_SIZE(mthp_fields)], nr_chosen = 0;
	struct tm_table_style style = terminal_style(app);
	struct tm_table *table = tm_table_new(&style);
	int rc = table ? tm_field_choose(mthp_fields, nr_mthp_fields, app_option(app, "columns"),
					 chosen, &nr_chosen, err) :
			 tm_error_nomem(err);

	if (!rc) {
		tm_table_records(table, mthp_fields, chosen, nr_chosen, rows, nr, sizeof(*rows));
		rc = add_table(table, out, err);
	}
	tm_table_free(table);
	return rc;
}

/* As the kernel writes it: the words it takes, the one that holds in brackets. */
static void add_choice(const struct tm_setting *setting, struct tm_buf *out)
{
	size_t len = strlen(setting->value.value);
	const char *at = setting->accepted, *word;

	for (; at && (word = at + strspn(at, " "), *word); at = word + strcspn(word, " ")) {
		size_t word_len = strcspn(word, " ");
		bool holds = word_len == len && !strncmp(word, setting->value.value, len);

		tm_buf_addf(out, "%s%s%.*s%s", word == setting->accepted ? "" : " ",
			    holds ? "[" : "", (int)word_len, word, holds ? "]" : "");
	}
	if (!setting->accepted)
		tm_buf_adds(out, setting->value.value);
}

static void add_value(const struct tm_setting *setting, struct tm_buf *out)
{
	const struct tm_knob *knob = setting->knob;

	switch (setting->value.state) {
	case TM_KNOWN:
		break;
	case TM_ABSENT:
	case TM_UNSUPPORTED:
		tm_buf_adds(out, "n/a");
		return;
	case TM_DENIED:
		tm_buf_adds(out, "denied");
		return;
	default:
		tm_buf_adds(out, "bad");
		return;
	}
	if (knob->form == TM_FORM_CHOICE) {
		add_choice(setting, out);
		return;
	}
	tm_knob_say(knob, setting->value.value, out);
	if (knob->unit)
		tm_buf_addf(out, " %s", knob->unit);
}

static int add_top(struct app *app, const struct tm_thp *thp, struct tm_buf *out,
		   struct tm_error *err)
{
	struct tm_table_style style = terminal_style(app);
	struct tm_table *table = tm_table_new(&style);
	struct tm_buf value = TM_BUF_INIT;
	int rc;

	if (!table)
		return tm_error_nomem(err);
	tm_table_column(table, "TOP", false, false, false);
	tm_table_column(table, "VALUE", false, true, false);
	for (size_t i = 0; i < thp->nr_top; i++) {
		struct tm_row *row = tm_table_row(table, NULL);

		tm_row_cell(table, row, 0, thp->top[i].knob->name);
		tm_buf_reset(&value);
		add_value(&thp->top[i], &value);
		tm_row_cell(table, row, 1, tm_buf_str(&value));
	}
	rc = add_table(table, out, err);
	tm_buf_release(&value);
	tm_table_free(table);
	return rc;
}

/* The next name of a counter after `name` in any of the sizes; NULL after the last. */
static const char *next_counter(const struct mthp_row *rows, size_t nr, const char *name)
{
	const char *next = NULL;

	for (size_t i = 0; i < nr; i++) {
		const struct tm_thp_counters *counters = &rows[i].size->counters;

		for (size_t k = 0; k < counters->nr; k++) {
			const char *it = counters->list[k].name;

			if ((!name || strcmp(it, name) > 0) && (!next || strcmp(it, next) < 0))
				next = it;
		}
	}
	return next;
}

static void counter_text(struct tm_num num, struct tm_buf *text)
{
	if (tm_num_is(&num))
		tm_buf_addf(text, "%llu", (unsigned long long)num.value);
	else
		tm_buf_adds(text, num.state == TM_ABSENT ? "n/a" : "-");
}

/* One line for each counter that any size has, known by name or not. */
static int add_counters(struct app *app, const struct mthp_row *rows, size_t nr, struct tm_buf *out,
			struct tm_error *err)
{
	struct tm_table_style style = terminal_style(app);
	struct tm_table *table = tm_table_new(&style);
	struct tm_buf text = TM_BUF_INIT;
	const char *name = NULL;
	char size[TM_UNITS_MAX];
	int rc;

	if (!table)
		return tm_error_nomem(err);
	tm_table_column(table, "COUNTER", false, false, false);
	for (size_t i = 0; i < nr; i++)
		tm_table_column(table, tm_format_bytes(size, (uint64_t)rows[i].size->kib << 10),
				true, false, false);
	while ((name = next_counter(rows, nr, name))) {
		struct tm_row *row = tm_table_row(table, NULL);

		tm_buf_reset(&text);
		tm_buf_add_printable(&text, name, strlen(name));
		tm_row_cell(table, row, 0, tm_buf_str(&text));
		for (size_t i = 0; i < nr; i++) {
			tm_buf_reset(&text);
			counter_text(tm_thp_counter(&rows[i].size->counters, name), &text);
			tm_row_cell(table, row, i + 1, tm_buf_str(&text));
		}
	}
	rc = add_table(table, out, err);
	tm_buf_release(&text);
	tm_table_free(table);
	return rc;
}

static bool says(const struct tm_setting *setting, const char *word)
{
	return setting->value.state == TM_KNOWN && !strcmp(setting->value.value, word);
}

static void add_remarks(const struct tm_thp *thp, struct tm_buf *out)
{
	const struct tm_setting *shmem = tm_thp_top(thp, "shmem");
	char size[TM_UNITS_MAX];

	if (tm_num_is(&thp->pmd_bytes))
		tm_buf_addf(out, "\nPMD size: %s\n", tm_format_bytes(size, thp->pmd_bytes.value));
	if (!thp->nr_sizes)
		tm_buf_adds(out, "note: this kernel has no settings per size; Linux 6.8 brings "
				 "them\n");
	if (says(shmem, "deny"))
		tm_buf_adds(out,
			    "note: top shmem 'deny' stops huge pages of shared memory in every "
			    "size\n");
	if (says(shmem, "force"))
		tm_buf_adds(out, "note: top shmem 'force' leaves only the sizes that inherit\n");
}

static int show_text(struct app *app, const struct tm_thp *thp, const struct mthp_row *rows,
		     size_t nr)
{
	struct tm_buf out = TM_BUF_INIT;
	struct tm_error err = { 0 };
	int rc;

	if (app_option(app, "counters"))
		rc = add_counters(app, rows, nr, &out, &err);
	else
		rc = add_sizes(app, rows, nr, &out, &err);
	/* Scripts that ask for bare rows, and who asks for one part, get nothing else. */
	if (!rc && !app->raw && !app->noheadings && !app_option(app, "columns") &&
	    !app_option(app, "counters")) {
		rc = add_top(app, thp, &out, &err);
		if (!rc && !app->quiet)
			add_remarks(thp, &out);
	}
	if (!rc && out.failed)
		rc = tm_error_nomem(&err);
	if (!rc)
		out_text(app, tm_buf_str(&out));
	tm_buf_release(&out);
	if (!rc)
		return EXIT_DONE;
	return report(app, rc == -EINVAL || rc == -E2BIG ? EXIT_USAGE : EXIT_FAILED, &err);
}

static void fill_row(struct mthp_row *row, const struct tm_thp *thp, const struct tm_thp_size *size)
{
	*row = (struct mthp_row){ .thp = thp, .size = size };
	for (int side = TM_THP_ANON; side <= TM_THP_SHMEM; side++) {
		double ratio;

		if (tm_thp_fallback(size, (enum tm_thp_side)side, &ratio))
			snprintf(row->fallback[side], sizeof(row->fallback[side]), "%.1f%%",
				 100 * ratio);
	}
}

/* The sizes of the operands, or all. */
static int make_rows(struct app *app, const struct tm_thp *thp, struct mthp_row *rows, size_t *nr,
		     struct tm_error *err)
{
	/* Chosen by any operand, and by the one at hand. */
	bool *chosen = calloc(2 * thp->nr_sizes + 1, sizeof(*chosen)), *some, top, all;
	int rc = 0;

	*nr = 0;
	if (!chosen)
		return tm_error_nomem(err);
	some = chosen + thp->nr_sizes;
	for (int i = 0; i < app->argc && !rc; i++) {
		rc = mthp_sizes(thp, app->argv[i], some, &top, &all, err);
		if (!rc && top) {
			rc = tm_error_set(err, EINVAL, "top: is no size");
			tm_error_hint(err, "what is set for all sizes is shown below the table");
		}
		for (size_t k = 0; k < thp->nr_sizes && !rc; k++)
			chosen[k] |= some[k];
	}
	for (size_t i = 0; i < thp->nr_sizes && !rc; i++)
		if (!app->argc || chosen[i])
			fill_row(&rows[(*nr)++], thp, &thp->sizes[i]);
	free(chosen);
	return rc;
}

int mthp_show(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	struct mthp_row *rows = NULL;
	struct tm_error err = { 0 };
	struct tm_thp thp = { 0 };
	size_t nr = 0;
	int rc = tm_thp_read(&thp, root, &err), code;

	if (!rc) {
		rows = calloc(thp.nr_sizes + 1, sizeof(*rows));
		rc = rows ? make_rows(app, &thp, rows, &nr, &err) : tm_error_nomem(&err);
	}
	if (rc)
		code = report(app, mthp_exit(rc), &err);
	else if (app->json)
		code = mthp_json(app, m, &thp, rows, nr);
	else
		code = thp.state == TM_KNOWN ? show_text(app, &thp, rows, nr) : EXIT_DONE;
	if (!rc)
		recover_warn(app, root);
	/* The document is printed all the same. */
	if (code == EXIT_DONE && thp.state != TM_KNOWN)
		code = report(app, mthp_exit(mthp_lacking(&thp, &err)), &err);
	free(rows);
	tm_thp_release(&thp);
	return code;
}
