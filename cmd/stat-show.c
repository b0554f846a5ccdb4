/* SPDX-License-Identifier: GPL-2.0-only */
/* The report of a record, for people. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stat-view.h"
#include "lib/base/units.h"

#define WIDTH 80
/* From these on a number is shown with a power of ten: it must stay narrow. */
#define LONG_NUMBER 10000000000ULL
#define VERY_LONG_NUMBER 1000000000000000ULL

/* "40,417,078" */
static void add_grouped(struct tm_buf *text, uint64_t value)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, value);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			tm_buf_addc(text, ',');
		tm_buf_addc(text, digits[i]);
	}
}

void stat_add_number(struct tm_buf *text, uint64_t value, enum stat_unit unit, bool raw)
{
	char bytes[TM_UNITS_MAX];

	if (raw)
		tm_buf_addf(text, "%" PRIu64, value);
	else if (unit == STAT_BYTES)
		tm_buf_adds(text, tm_format_bytes(bytes, value));
	else if (unit == STAT_NS)
		tm_buf_addf(text, "%.*f s", value < 1000000000000 ? 4 : 1, (double)value / 1e9);
	else if (value < LONG_NUMBER)
		add_grouped(text, value);
	else if (value < VERY_LONG_NUMBER)
		tm_buf_addf(text, "%.2fe9", (double)value / 1e9);
	else
		tm_buf_addf(text, "%.5e", (double)value);
}

void stat_add_command(struct tm_buf *text, const struct stat_record *record, size_t most)
{
	struct tm_buf line = TM_BUF_INIT;

	if (!record->command && record->pid)
		tm_buf_addf(&line, "process %" PRIu64, record->pid);
	for (char **word = record->command; word && *word; word++) {
		if (word != record->command)
			tm_buf_addc(&line, ' ');
		tm_buf_add_printable(&line, *word, strlen(*word));
	}
	if (line.len > most) {
		size_t cut = most - 3;

		/* Not within a character. */
		while (cut && ((unsigned char)line.data[cut] & 0xc0) == 0x80)
			cut--;
		tm_buf_add(text, line.data, cut);
		tm_buf_adds(text, "...");
	} else {
		tm_buf_adds(text, tm_buf_str(&line));
	}
	text->failed |= line.failed;
	tm_buf_release(&line);
}

struct row {
	const struct stat_counter *counter;
	uint64_t *values; /* scratch for the known ones */
	size_t nr;
	struct tm_summary summary;
};

static int make_row(const struct stat_record *record, size_t index, uint64_t *values,
		    struct row *row)
{
	*row = (struct row){ .counter = &record->counters[index], .values = values };
	row->nr = stat_known_values(record, row->counter, values);
	return row->nr ? tm_summary_make(values, row->nr, &row->summary) : 0;
}

/* Nothing moved, or nothing could: what is only in the way, unless it was asked for. */
static bool is_dull(const struct stat_record *record, const struct row *row)
{
	const struct stat_key *key = &row->counter->key;

	if (key->cpu >= 0)
		return true;
	if (key->group <= STAT_INTERRUPTS || key->group == STAT_EVENTS)
		return false;
	if (!row->nr) {
		const char *reason = stat_missing_reason(record, row->counter);

		/* One line below the table says it of all of them. */
		return key->group == STAT_FLUSHES || !strcmp(reason, "unsupported") ||
		       !strcmp(reason, "absent");
	}
	return !row->summary.max;
}

/* "-1.2% .. +3.4%" of the median, or where that is 0 what they are. */
static void add_range(struct tm_buf *text, const struct tm_summary *s, enum stat_unit unit)
{
	double median = (double)s->median;

	if (s->min == s->max) {
		tm_buf_adds(text, "none");
	} else if (s->median) {
		tm_buf_addf(text, "-%.1f%% .. +%.1f%%", 100 * (double)(s->median - s->min) / median,
			    100 * (double)(s->max - s->median) / median);
	} else {
		stat_add_number(text, s->min, unit, false);
		tm_buf_adds(text, " .. ");
		stat_add_number(text, s->max, unit, false);
	}
}

static void add_deviation(struct tm_buf *text, const struct tm_summary *s, enum stat_unit unit)
{
	if (s->median)
		tm_buf_addf(text, "%.1f%%", 100 * (double)s->deviation / (double)s->median);
	else
		stat_add_number(text, s->deviation, unit, false);
}

enum column { COUNTER, OF, COUNT, DEVIATION, RANGE, LEAST, MOST, NR_COLUMNS };

struct layout {
	enum column columns[NR_COLUMNS];
	size_t nr;
};

static struct layout choose_columns(const struct stat_record *record, bool raw)
{
	if (record->nr_runs < 2)
		return (struct layout){ { COUNTER, OF, COUNT }, 3 };
	if (raw)
		return (struct layout){ { COUNTER, OF, COUNT, DEVIATION, LEAST, MOST }, 6 };
	return (struct layout){ { COUNTER, OF, COUNT, DEVIATION, RANGE }, 5 };
}

static void add_cell(struct tm_buf *cell, enum column column, const struct stat_record *record,
		     const struct row *row, bool raw)
{
	const struct stat_key *key = &row->counter->key;
	const struct tm_summary *s = &row->summary;
	const char *reason = stat_missing_reason(record, row->counter);

	if (column == COUNTER) {
		stat_key_text(cell, key);
	} else if (column == OF) {
		tm_buf_adds(cell, stat_scope_words[key->scope]);
	} else if (!row->nr) {
		tm_buf_adds(cell, column != COUNT ? "-" : *reason ? reason : "unknown");
	} else if (column == COUNT) {
		if (stat_is_scaled(record, row->counter))
			tm_buf_addc(cell, '~');
		stat_add_number(cell, s->median, key->unit, raw);
	} else if (column == RANGE) {
		add_range(cell, s, key->unit);
	} else if (column == DEVIATION && !raw) {
		add_deviation(cell, s, key->unit);
	} else {
		stat_add_number(cell,
				column == LEAST ? s->min :
				column == MOST	? s->max :
						  s->deviation,
				key->unit, raw);
	}
}

struct left_out {
	size_t still, lacking;
	const char *flushes; /* why there are none by reason; NULL: there are */
	bool scaled, partly; /* are some shown: estimated, or not known of every run? */
};

static int add_rows(struct tm_table *table, const struct app *app, const struct stat_record *record,
		    const struct layout *layout, struct left_out *left)
{
	uint64_t *values = calloc(record->nr_runs + 1, sizeof(*values));
	struct tm_buf cell = TM_BUF_INIT;
	int rc = values ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < record->nr_counters; i++) {
		struct tm_row *line;
		struct row row;

		rc = make_row(record, i, values, &row);
		if (rc)
			break;
		if (!app->verbose && is_dull(record, &row)) {
			if (row.counter->key.group == STAT_FLUSHES && !row.nr)
				left->flushes = stat_missing_reason(record, row.counter);
			/* Those of each CPU have a table of their own. */
			if (row.counter->key.cpu < 0 && row.nr)
				left->still++;
			else if (row.counter->key.cpu < 0)
				left->lacking++;
			continue;
		}
		left->scaled |= stat_is_scaled(record, row.counter);
		left->partly |= row.nr && row.nr < record->nr_runs;
		line = tm_table_row(table, NULL);
		for (size_t k = 0; k < layout->nr; k++) {
			tm_buf_reset(&cell);
			add_cell(&cell, layout->columns[k], record, &row, app->raw);
			tm_row_cell(table, line, k, tm_buf_str(&cell));
			rc = cell.failed ? -ENOMEM : rc;
		}
	}
	tm_buf_release(&cell);
	free(values);
	return rc;
}

static void add_headings(struct tm_table *table, const struct stat_record *record,
			 const struct layout *layout)
{
	static const char *const headings[NR_COLUMNS] = {
		[COUNTER] = "COUNTER", [OF] = "OF",	[DEVIATION] = "MAD",
		[RANGE] = "RANGE",     [LEAST] = "MIN", [MOST] = "MAX",
	};

	for (size_t k = 0; k < layout->nr; k++) {
		enum column column = layout->columns[k];
		const char *heading = column == COUNT ? (record->nr_runs > 1 ? "MEDIAN" : "COUNT") :
							headings[column];

		tm_table_column(table, heading, column > OF, column == COUNTER, false);
	}
}

static int add_table(struct tm_buf *buf, const struct app *app, const struct stat_record *record,
		     const struct tm_table_style *style, struct left_out *left,
		     struct tm_error *err)
{
	struct layout layout = choose_columns(record, app->raw);
	struct tm_table *table = tm_table_new(style);
	TM_CLEANUP(tm_freep) char *text = NULL;
	int rc = table ? 0 : tm_error_nomem(err);

	if (!rc) {
		add_headings(table, record, &layout);
		if (add_rows(table, app, record, &layout, left))
			rc = tm_error_nomem(err);
	}
	if (!rc)
		rc = tm_table_print(table, &text, err);
	tm_table_free(table);
	if (!rc)
		tm_buf_adds(buf, text);
	return rc;
}

static void add_cpu(struct tm_buf *line, const struct stat_record *record,
		    const struct stat_counter *counter, uint64_t *values)
{
	size_t nr = stat_known_values(record, counter, values);
	const char *reason = stat_missing_reason(record, counter);
	struct tm_summary summary;

	tm_buf_addf(line, "  %d: ", counter->key.cpu);
	if (nr && !tm_summary_make(values, nr, &summary))
		stat_add_number(line, summary.median, STAT_COUNT, false);
	else
		tm_buf_adds(line, *reason ? reason : "unknown");
}

/* The row of the shootdowns that each CPU received. */
static int add_cpus(struct tm_buf *buf, const struct stat_record *record)
{
	uint64_t *values = calloc(record->nr_runs + 1, sizeof(*values));
	struct tm_buf one = TM_BUF_INIT;
	size_t column = WIDTH, nr = 0;

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < record->nr_counters; i++) {
		const struct stat_counter *counter = &record->counters[i];

		if (counter->key.cpu < 0)
			continue;
		if (!nr++)
			tm_buf_adds(buf, "\nTLB shootdowns that each CPU received:\n");
		tm_buf_reset(&one);
		add_cpu(&one, record, counter, values);
		if (column + one.len > WIDTH) {
			if (nr > 1)
				tm_buf_addc(buf, '\n');
			column = 0;
		}
		tm_buf_adds(buf, tm_buf_str(&one));
		buf->failed |= one.failed;
		column += one.len;
	}
	if (nr)
		tm_buf_addc(buf, '\n');
	tm_buf_release(&one);
	free(values);
	return 0;
}

static void add_head(struct tm_buf *buf, const struct stat_record *record)
{
	size_t failed = 0;

	for (size_t i = 0; i < record->nr_runs; i++)
		failed += record->runs[i].exit_code || record->runs[i].signal;
	tm_buf_addf(buf, "%zu run%s", record->nr_runs, record->nr_runs == 1 ? "" : "s");
	if (record->command || record->pid) {
		tm_buf_adds(buf, ": ");
		stat_add_command(buf, record, WIDTH - 12);
	}
	tm_buf_addc(buf, '\n');
	if (failed && record->nr_runs > 1)
		tm_buf_addf(buf, "%zu of the runs did not succeed\n", failed);
	tm_buf_addc(buf, '\n');
}

static const char *explain_flushes(const char *reason)
{
	if (!strcmp(reason, "absent"))
		return "tracefs is not mounted";
	if (!strcmp(reason, "unsupported"))
		return "this kernel does not trace them";
	if (!strcmp(reason, "denied"))
		return "this user may not trace them";
	return *reason ? reason : "unknown";
}

static void add_notes(struct tm_buf *buf, const struct stat_record *record,
		      const struct left_out *left)
{
	const char *blind = stat_explain_blind(&record->machine);

	if (blind)
		tm_buf_addf(buf, "\nTLB row is blind: %s\n", blind);
	if (left->scaled)
		tm_buf_adds(buf, "\n~ is an estimate: the event shared its counter with others\n");
	if (left->partly)
		tm_buf_adds(buf,
			    "\nSome counters are not known of every run; --json has the runs\n");
	if (left->flushes)
		tm_buf_addf(buf, "\nTLB flushes by reason are not counted: %s\n",
			    explain_flushes(left->flushes));
	if (left->still || left->lacking)
		tm_buf_addf(buf,
			    "\nnot shown: %zu counters that did not move, %zu that are not on this "
			    "machine (-v)\n",
			    left->still, left->lacking);
}

int stat_show(const struct app *app, const struct stat_record *record,
	      const struct tm_table_style *style, char **text, struct tm_error *err)
{
	bool bare = app->raw || app->noheadings;
	struct tm_buf buf = TM_BUF_INIT;
	struct left_out left = { 0 };
	int rc;

	if (!bare)
		add_head(&buf, record);
	rc = add_table(&buf, app, record, style, &left, err);
	if (!rc && !bare) {
		if (add_cpus(&buf, record))
			rc = tm_error_nomem(err);
		add_notes(&buf, record, &left);
	}
	if (rc) {
		tm_buf_release(&buf);
		return rc;
	}
	*text = tm_buf_detach(&buf);
	return *text ? 0 : tm_error_nomem(err);
}
