/* SPDX-License-Identifier: GPL-2.0-only */
/* What tables of cases share: labels, notes and numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/report.h"
#include "lib/base/units.h"

bool report_same_label(const struct bench_label_kind *kind, const struct bench_label *a,
		       const struct bench_label *b)
{
	if (a->state != TM_KNOWN || b->state != TM_KNOWN)
		return a->state != TM_KNOWN && b->state != TM_KNOWN;
	return kind->type == BENCH_TEXT ? !strcmp(a->text, b->text) : a->number == b->number;
}

bool report_same_labels(const struct bench_kind *kind, const struct bench_case *a,
			const struct bench_case *b)
{
	for (size_t i = 0; i < bench_kind_labels(kind); i++)
		if (!report_same_label(&kind->labels[i], &a->labels[i], &b->labels[i]))
			return false;
	return true;
}

struct report_labels report_labels_choose(const struct bench_kind *kind,
					  const struct bench_case *const *cases, size_t nr)
{
	struct report_labels labels = { .kind = kind };

	for (size_t i = 0; i < bench_kind_labels(kind); i++) {
		const struct bench_label *first = NULL;
		bool known = false, same = true;

		for (size_t k = 0; k < nr; k++) {
			if (!cases[k])
				continue;
			if (!first)
				first = &cases[k]->labels[i];
			known |= cases[k]->labels[i].state == TM_KNOWN;
			same &= report_same_label(&kind->labels[i], first, &cases[k]->labels[i]);
		}
		labels.common[i] = known && same && nr > 1;
		labels.shown[i] = known && !labels.common[i];
	}
	return labels;
}

void report_labels_columns(const struct report_labels *labels, struct page *page,
			   struct page_table *table)
{
	for (size_t i = 0; i < bench_kind_labels(labels->kind); i++) {
		const struct bench_label_kind *kind = &labels->kind->labels[i];

		if (labels->shown[i])
			page_column(page, table,
				    kind->type == BENCH_NUMBER || kind->type == BENCH_BYTES,
				    kind->heading);
	}
}

void report_labels_cells(const struct report_labels *labels, struct page *page,
			 struct page_table *table, const struct bench_case *c)
{
	struct tm_buf text = TM_BUF_INIT;

	for (size_t i = 0; i < bench_kind_labels(labels->kind); i++) {
		if (!labels->shown[i])
			continue;
		tm_buf_reset(&text);
		bench_label_text(&labels->kind->labels[i], &c->labels[i], &text);
		page->failed |= text.failed;
		page_cell(page, table, tm_buf_str(&text), NULL);
	}
	tm_buf_release(&text);
}

/* "page_bytes 2M" reads better as "page 2M": the unit is in the value. */
static void add_words(struct tm_buf *text, const struct bench_label_kind *kind)
{
	static const char bytes[] = "_bytes";
	size_t len = strlen(kind->key), unit = strlen(bytes);

	if (kind->type == BENCH_BYTES && len > unit && !strcmp(kind->key + len - unit, bytes))
		len -= unit;
	for (size_t i = 0; i < len; i++)
		tm_buf_addc(text, kind->key[i] == '_' ? ' ' : kind->key[i]);
}

void report_labels_name(const struct report_labels *labels, const struct bench_case *c,
			struct tm_buf *name)
{
	bool any = false;

	for (size_t i = 0; i < bench_kind_labels(labels->kind); i++) {
		if (!labels->shown[i] || c->labels[i].state != TM_KNOWN)
			continue;
		tm_buf_addf(name, "%s%s ", any ? ", " : "", labels->kind->labels[i].heading);
		bench_label_text(&labels->kind->labels[i], &c->labels[i], name);
		any = true;
	}
}

void report_labels_common(const struct report_labels *labels, const struct bench_case *c,
			  struct page *page)
{
	struct tm_buf text = TM_BUF_INIT;

	for (size_t i = 0; i < bench_kind_labels(labels->kind); i++) {
		if (!labels->common[i])
			continue;
		tm_buf_adds(&text, text.len ? ", " : "");
		add_words(&text, &labels->kind->labels[i]);
		tm_buf_addc(&text, ' ');
		bench_label_text(&labels->kind->labels[i], &c->labels[i], &text);
	}
	page->failed |= text.failed;
	if (text.len)
		page_text(page, "In all cases: %s.", tm_buf_str(&text));
	tm_buf_release(&text);
}

static void add_note(struct report_notes *notes, const char *before, const char *text,
		     struct tm_buf *mark)
{
	struct tm_buf whole = TM_BUF_INIT;
	size_t at = 0;

	tm_buf_addf(&whole, "%s%s", before, text);
	while (at < notes->nr && strcmp(notes->texts[at], tm_buf_str(&whole)) != 0)
		at++;
	if (at == notes->nr) {
		if (whole.failed ||
		    tm_array_grow(&notes->texts, notes->nr, &notes->cap, sizeof(*notes->texts))) {
			notes->failed = true;
			tm_buf_release(&whole);
			return;
		}
		notes->texts[notes->nr++] = tm_buf_detach(&whole);
	}
	tm_buf_release(&whole);
	tm_buf_addf(mark, "%s%zu", mark->len ? "," : "", at + 1);
}

/* Who measures notes what is misplaced; a file may have been made by another. */
static bool is_silent(const struct bench_case *c)
{
	for (size_t i = 0; i < c->nr_notes; i++)
		if (!strncmp(c->notes[i], "misplaced", strlen("misplaced")))
			return false;
	return c->has_place && c->place.misplaced;
}

void report_notes_mark(struct report_notes *notes, const struct bench_case *c, const char *before,
		       struct tm_buf *mark)
{
	struct tm_buf text = TM_BUF_INIT;
	char bytes[TM_UNITS_MAX];

	if (c->reason) {
		tm_buf_addf(&text, "not measured: %s", c->reason);
		add_note(notes, before, tm_buf_str(&text), mark);
	}
	for (size_t i = 0; i < c->nr_notes; i++)
		add_note(notes, before, c->notes[i], mark);
	if (is_silent(c)) {
		tm_buf_reset(&text);
		tm_buf_addf(&text, "misplaced: %s on other nodes than asked for",
			    tm_format_bytes(bytes, c->place.misplaced));
		add_note(notes, before, tm_buf_str(&text), mark);
	}
	notes->failed |= text.failed;
	tm_buf_release(&text);
}

void report_notes_end(struct report_notes *notes, struct page *page)
{
	for (size_t i = 0; i < notes->nr; i++) {
		page_item(page, (unsigned)i + 1, "%s", notes->texts[i]);
		free(notes->texts[i]);
	}
	free(notes->texts);
	page->failed |= notes->failed;
	*notes = (struct report_notes){ .nr = 0 };
}

void report_add_number(struct tm_buf *text, const struct bench_metric_kind *kind, double number)
{
	/* What no benchmark gives would fill the page with digits. */
	if (fabs(number) >= 1e15)
		tm_buf_addf(text, "%.6g", number);
	else
		tm_buf_addf(text, "%.*f", (int)kind->decimals, number);
}

void report_add_figure(struct tm_buf *text, const struct bench_metric_kind *kind)
{
	tm_buf_adds(text, kind->heading ? kind->heading : kind->key);
	if (!kind->neither_is_better)
		tm_buf_addf(text, ", %s is better", kind->lower_is_better ? "lower" : "higher");
}
