/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of `tiermem bench report`. */
#ifndef CMD_BENCH_REPORT_H
#define CMD_BENCH_REPORT_H

#include "cmd/bench/bench.h"
#include "cmd/bench/report-page.h"
#include "cmd/stat-compare.h"
#include "cmd/topology-view.h"

/* One figure of a case, before and after. */
struct report_change {
	struct bench_spread of[SIDES];
	bool has_change; /* there is none from 0 */
	double percent;	 /* of the medians */
	enum tm_verdict verdict;
	struct tm_rank_test test; /* meaningful where the verdict is within or larger */
};

/* The same case of two results. */
struct report_pair {
	const struct bench_case *of[SIDES]; /* NULL: that side has none with these labels */
	struct report_change changes[BENCH_METRICS];
};

struct report_comparison {
	const struct bench_kind *kind;
	struct stat_pair machines; /* borrows its records */
	struct report_pair *pairs; /* in the order of `before`, then what only `after` has */
	size_t nr_pairs;
};

struct report {
	char **files; /* names */
	struct bench_result *results;
	size_t nr;
	struct topology topology;	     /* without rows: none is told */
	struct report_comparison comparison; /* without kind: nothing is compared */
};

/* parse.c: what bench_result_read does, of a text. */
int bench_result_parse(struct bench_result *result, const char *name, const char *text, size_t len,
		       struct tm_error *err);

/*
 * report-compare.c: the first of two results with the second, both of one kind. 0 or -ENOMEM.
 */
int report_compare(struct report_comparison *comparison, const struct bench_result *before,
		   const struct bench_result *after);
void report_comparison_release(struct report_comparison *comparison);
/*
 * "better", "worse", or "changed" where neither is; "within", "too-few-runs", "not-comparable";
 * NULL where a side has no value.
 */
const char *report_verdict(const struct report_comparison *comparison,
			   const struct report_change *change, size_t metric);

bool report_same_label(const struct bench_label_kind *kind, const struct bench_label *a,
		       const struct bench_label *b);
bool report_same_labels(const struct bench_kind *kind, const struct bench_case *a,
			const struct bench_case *b);

/* Which labels a table of cases has. */
struct report_labels {
	const struct bench_kind *kind;
	bool shown[BENCH_LABELS];  /* in a column: the cases differ by it */
	bool common[BENCH_LABELS]; /* all have this one */
};

/* Of cases, of which some may be NULL. */
struct report_labels report_labels_choose(const struct bench_kind *kind,
					  const struct bench_case *const *cases, size_t nr);
void report_labels_columns(const struct report_labels *labels, struct page *page,
			   struct page_table *table);
void report_labels_cells(const struct report_labels *labels, struct page *page,
			 struct page_table *table, const struct bench_case *c);
/* "KERNEL read, MEMORY 1": by the headings, what tells it from the others. */
void report_labels_name(const struct report_labels *labels, const struct bench_case *c,
			struct tm_buf *name);
/* The sentence of what all cases have in common; nothing where there is nothing. */
void report_labels_common(const struct report_labels *labels, const struct bench_case *c,
			  struct page *page);

/* Notes, numbered in the order in which they first come; the same one has one number. */
struct report_notes {
	char **texts;
	size_t nr, cap;
	bool failed;
};

/* Adds the numbers of a case's notes to `mark`. `before` stands before each text. */
void report_notes_mark(struct report_notes *notes, const struct bench_case *c, const char *before,
		       struct tm_buf *mark);
/* The list, after the table. Releases. */
void report_notes_end(struct report_notes *notes, struct page *page);

/* A number of a figure, as its table has it. */
void report_add_number(struct tm_buf *text, const struct bench_metric_kind *kind, double number);
/* "MB/s, higher is better" */
void report_add_figure(struct tm_buf *text, const struct bench_metric_kind *kind);

/* report.c: the whole report; with `all` also figures that are neither good nor bad. */
void report_add_all(const struct report *report, bool all, struct page *page);
/* Each adds its part. report-machine.c, report-result.c, report-changes.c */
void report_add_machines(const struct report *report, struct page *page);
void report_add_topology(const struct report *report, struct page *page);
void report_add_result(const struct report *report, size_t index, struct page *page);
/* report-curve.c: of latency under load; nothing where there is none. */
void report_add_curve(const struct bench_result *result, const struct report_labels *labels,
		      struct page *page);
void report_add_changes(const struct report *report, bool all, struct page *page);
/* Which of the machines, from 0, it was measured on; those before it are counted once. */
size_t report_machine_of(const struct report *report, size_t index);

/* report-json.c: the document; the caller frees *text. 0 or -errno. */
int report_json(const struct report *report, char **text, struct tm_error *err);

#endif
