/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a benchmark has measured: a tiermem.bench/1 document in memory. Cases are filled by running,
 * or from a file; tables and reports are made from them and know nothing of where they are from.
 *
 * Which labels and figures a benchmark's cases have is a static table, struct bench_kind: it drives
 * the text, the JSON, and what `report` reads.
 */
#ifndef CMD_BENCH_RESULT_H
#define CMD_BENCH_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "cmd/command.h"
#include "cmd/stat-record.h"
#include "lib/base/error.h"
#include "lib/base/value.h"
#include "lib/bench/memory.h"
#include "lib/out/table.h"

/* What tells the cases of a benchmark apart: "initiator", "target", "kernel". */
enum bench_type {
	BENCH_NUMBER,
	BENCH_BYTES, /* "2M" in text */
	BENCH_TEXT,  /* also sets of CPUs or nodes, in list form */
	BENCH_BOOL,  /* "yes" or "no" in text */
};

struct bench_label_kind {
	const char *key;     /* in JSON, with the unit at its end */
	const char *heading; /* of the column */
	enum bench_type type;
	const char *help; /* one sentence for the man page */
};

struct bench_metric_kind {
	const char *key;     /* in JSON, with the unit at its end: "bandwidth_mbps" */
	const char *heading; /* "MB/s"; NULL: only in JSON */
	bool lower_is_better;
	bool neither_is_better; /* tells how it was done, not how well */
	bool detail;		/* a column only with --verbose */
	unsigned decimals;	/* in text */
	const char *help;
};

#define BENCH_LABELS 10
#define BENCH_METRICS 16

struct bench_kind {
	const char *name;
	struct bench_label_kind labels[BENCH_LABELS]; /* end with a NULL key */
	/* End with a NULL key. The first is what cases are compared by, and the spread is of. */
	struct bench_metric_kind metrics[BENCH_METRICS];
};

struct bench_label {
	enum tm_state state; /* TM_KNOWN; else it does not apply to this case */
	uint64_t number;     /* BENCH_NUMBER, BENCH_BYTES, BENCH_BOOL */
	char *text;	     /* BENCH_TEXT; owned */
};

/* The repeats of one figure. */
struct bench_series {
	double *values; /* NaN: this repeat has none */
	size_t nr;
};

/* Of the known values. */
struct bench_spread {
	size_t nr; /* 0: no value at all, and the rest is 0 */
	double median, min, max;
	double deviation; /* the median of the distances to the median, not scaled */
};

struct bench_case {
	struct bench_label labels[BENCH_LABELS];
	struct bench_series metrics[BENCH_METRICS];
	char *reason; /* why it was not measured; NULL: it was. No other members then */
	bool has_place;
	struct tm_bench_place place;
	char *place_asked;	 /* nodes; NULL: any */
	enum tm_bench_page page; /* asked for */
	uint64_t page_bytes;	 /* asked for; 0: no certain one */
	char **notes;		 /* what to know before believing the figures */
	size_t nr_notes, cap_notes;
	bool has_counters;
	struct stat_record counters; /* only its counters and runs */
};

/* Of one node, in the form that `weights compute --from measured:` takes. */
struct bench_node {
	int id;
	struct tm_num read_mbps, write_mbps, read_latency_ns;
};

/* How it was measured: "compiler", "gcc 12.2.0". Keys are those of the JSON object. */
struct bench_condition {
	char *key;
	char *text; /* NULL: not known */
};

struct bench_result {
	const struct bench_kind *kind;
	struct stat_record machine; /* kernel, host, boot id, root, time and the machine; no runs */
	bool quick;
	struct bench_condition *conditions;
	size_t nr_conditions, cap_conditions;
	struct bench_case *cases;
	size_t nr_cases, cap_cases;
	bool has_nodes;
	struct bench_node *nodes;
	size_t nr_nodes, cap_nodes;
};

void bench_result_release(struct bench_result *result);

/* Every kind there is, ended by NULL; by name, or NULL. kinds.c */
extern const struct bench_kind *const bench_kinds[];
const struct bench_kind *bench_kind_find(const char *name);
size_t bench_kind_labels(const struct bench_kind *kind);
size_t bench_kind_metrics(const struct bench_kind *kind);
/* Index of a figure by its key, or -1. */
int bench_kind_metric(const struct bench_kind *kind, const char *key);

/* A new case, whose labels do not apply yet; valid until the next one is added. NULL: no memory. */
struct bench_case *bench_result_case(struct bench_result *result);
/* By the label's key, which the kind must have. 0 or -ENOMEM. */
int bench_case_number(const struct bench_result *result, struct bench_case *c, const char *key,
		      uint64_t number);
int bench_case_text(const struct bench_result *result, struct bench_case *c, const char *key,
		    const char *text);
int bench_case_note(struct bench_case *c, const char *fmt, ...) TM_PRINTF(2, 3);
/* Adds a repeat: one value for each figure of the kind, NaN for none. 0 or -ENOMEM. */
int bench_case_add(const struct bench_result *result, struct bench_case *c, const double *values);
/* Adds it, or replaces the one there is. 0 or -ENOMEM. */
int bench_result_condition(struct bench_result *result, const char *key, const char *fmt, ...)
	TM_PRINTF(3, 4);
/* Adds, or returns the one there is. NULL: no memory. */
struct bench_node *bench_result_node(struct bench_result *result, int id);

struct bench_spread bench_series_spread(const struct bench_series *series);
/* Half the width from the least to the largest, in percent of the median; NaN without one. */
double bench_spread_percent(const struct bench_spread *spread);

/* The text of a label ("2M", "yes", "-"). */
void bench_label_text(const struct bench_label_kind *kind, const struct bench_label *label,
		      struct tm_buf *text);

/* json.c: the document; the caller frees *text. 0 or -errno. */
int bench_result_json(const struct bench_result *result, char **text, struct tm_error *err);
/* The members of a spread: "median" and so on, all null without values. */
void bench_spread_json(struct tm_json *json, const struct bench_spread *spread);
/* "higher" or "lower"; NULL: neither. */
const char *bench_better(const struct bench_metric_kind *kind);
/* Adds the member "conditions". */
void bench_conditions_json(struct tm_json *json, const struct bench_result *result);
/* Add the members "labels", "notes", "place" and "page" of a case. */
void bench_notes_json(struct tm_json *json, const struct bench_case *c);
void bench_labels_json(struct tm_json *json, const struct bench_kind *kind,
		       const struct bench_case *c);
void bench_place_json(struct tm_json *json, const struct bench_case *c);
void bench_page_json(struct tm_json *json, const struct bench_case *c);

/*
 * parse.c: reads a document back into a zeroed result. -EBADMSG where the file is none, or damaged;
 * else what reading gives.
 */
int bench_result_read(struct bench_result *result, const char *name, struct tm_error *err);

/* show.c: tables for people; the caller frees *text. 0 or -errno. */
int bench_result_show(const struct app *app, const struct bench_result *result,
		      const struct tm_table_style *style, char **text, struct tm_error *err);

#endif
