/* SPDX-License-Identifier: GPL-2.0-only */
/* Two records beside each other. */
#ifndef CMD_STAT_COMPARE_H
#define CMD_STAT_COMPARE_H

#include "cmd/stat-view.h"
#include "lib/sample/compare.h"

enum side { BEFORE, AFTER, SIDES };

/* What is not the same, in words. */
struct stat_difference {
	char what[32];
	char *of[SIDES];
};

struct stat_row {
	const struct stat_key *key;
	const struct stat_counter *of[SIDES]; /* NULL: that side has not counted it */
	size_t nr[SIDES];		      /* runs of which it is known */
	struct tm_comparison result;	      /* without verdict where nothing is comparable */
};

struct stat_pair {
	const char *file[SIDES];
	struct stat_record record[SIDES];
	bool comparable;
	struct stat_difference *differences; /* why not */
	size_t nr_differences, cap_differences;
	struct stat_difference *notes; /* that are worth knowing, and no reason */
	size_t nr_notes, cap_notes;
	struct stat_record all; /* only keys: those of both, in order */
	struct stat_row *rows;
	size_t nr_rows;
};

/* stat-differ.c: fills comparable, differences and notes. 0 or -ENOMEM. */
int stat_differ(struct stat_pair *pair);

/* Why a side has no value: a word, or "unknown". Only where nr[side] is 0. */
const char *stat_row_reason(const struct stat_pair *pair, const struct stat_row *row,
			    enum side side);
/* "larger", "within", "too-few-runs", "not-comparable"; NULL where a side has no value. */
const char *stat_row_verdict(const struct stat_pair *pair, const struct stat_row *row);

/* stat-compare-data.c: adds a member with what differs. */
void stat_differences_json(struct tm_json *json, const char *key,
			   const struct stat_difference *list, size_t nr);

/* stat-compare-text.c, stat-compare-data.c: 0 or -errno; the caller frees *text. */
int stat_compare_text(const struct app *app, const struct stat_pair *pair, char **text,
		      struct tm_error *err);
int stat_compare_json(const struct stat_pair *pair, char **text, struct tm_error *err);
int stat_compare_csv(const struct app *app, const struct stat_pair *pair, char **text,
		     struct tm_error *err);

#endif
