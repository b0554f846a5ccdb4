/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/bench/result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/units.h"

static void release_case(struct bench_case *c)
{
	for (size_t i = 0; i < BENCH_LABELS; i++)
		free(c->labels[i].text);
	for (size_t i = 0; i < BENCH_METRICS; i++)
		free(c->metrics[i].values);
	for (size_t i = 0; i < c->nr_notes; i++)
		free(c->notes[i]);
	free(c->notes);
	free(c->reason);
	free(c->place_asked);
	stat_record_release(&c->counters);
}

void bench_result_release(struct bench_result *result)
{
	for (size_t i = 0; i < result->nr_cases; i++)
		release_case(&result->cases[i]);
	for (size_t i = 0; i < result->nr_conditions; i++) {
		free(result->conditions[i].key);
		free(result->conditions[i].text);
	}
	free(result->cases);
	free(result->conditions);
	free(result->nodes);
	stat_record_release(&result->machine);
	*result = (struct bench_result){ .kind = NULL };
}

struct bench_case *bench_result_case(struct bench_result *result)
{
	struct bench_case *c;

	if (tm_array_grow(&result->cases, result->nr_cases, &result->cap_cases, sizeof(*c)))
		return NULL;
	c = &result->cases[result->nr_cases++];
	*c = (struct bench_case){ .reason = NULL };
	for (size_t i = 0; i < BENCH_LABELS; i++)
		c->labels[i].state = TM_NOT_PROVIDED;
	return c;
}

static struct bench_label *find_label(const struct bench_result *result, struct bench_case *c,
				      const char *key)
{
	for (size_t i = 0; i < bench_kind_labels(result->kind); i++)
		if (!strcmp(result->kind->labels[i].key, key))
			return &c->labels[i];
	return NULL;
}

int bench_case_number(const struct bench_result *result, struct bench_case *c, const char *key,
		      uint64_t number)
{
	struct bench_label *label = find_label(result, c, key);

	if (!label)
		return -EINVAL;
	label->state = TM_KNOWN;
	label->number = number;
	return 0;
}

int bench_case_text(const struct bench_result *result, struct bench_case *c, const char *key,
		    const char *text)
{
	struct bench_label *label = find_label(result, c, key);
	char *copy = strdup(text);

	if (!label || !copy) {
		free(copy);
		return label ? -ENOMEM : -EINVAL;
	}
	free(label->text);
	label->text = copy;
	label->state = TM_KNOWN;
	return 0;
}

int bench_case_note(struct bench_case *c, const char *fmt, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, fmt);
	n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0)
		return -ENOMEM;
	/* Said once, however many repeats it is true of. */
	for (size_t i = 0; i < c->nr_notes; i++) {
		if (!strcmp(c->notes[i], text)) {
			free(text);
			return 0;
		}
	}
	if (tm_array_grow(&c->notes, c->nr_notes, &c->cap_notes, sizeof(*c->notes))) {
		free(text);
		return -ENOMEM;
	}
	c->notes[c->nr_notes++] = text;
	return 0;
}

int bench_case_add(const struct bench_result *result, struct bench_case *c, const double *values)
{
	for (size_t i = 0; i < bench_kind_metrics(result->kind); i++) {
		struct bench_series *series = &c->metrics[i];
		double *grown = reallocarray(series->values, series->nr + 1, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		series->values = grown;
		grown[series->nr++] = values[i];
	}
	return 0;
}

int bench_result_condition(struct bench_result *result, const char *key, const char *fmt, ...)
{
	struct bench_condition made = { .key = strdup(key) };
	va_list args;
	int n = 0;

	if (fmt) {
		va_start(args, fmt);
		n = vasprintf(&made.text, fmt, args);
		va_end(args);
	}
	for (size_t i = 0; made.key && n >= 0 && i < result->nr_conditions; i++) {
		if (!strcmp(result->conditions[i].key, key)) {
			free(result->conditions[i].text);
			result->conditions[i].text = made.text;
			free(made.key);
			return 0;
		}
	}
	if (!made.key || n < 0 ||
	    tm_array_grow(&result->conditions, result->nr_conditions, &result->cap_conditions,
			  sizeof(*result->conditions))) {
		free(made.key);
		if (n >= 0)
			free(made.text);
		return -ENOMEM;
	}
	result->conditions[result->nr_conditions++] = made;
	return 0;
}

struct bench_node *bench_result_node(struct bench_result *result, int id)
{
	size_t at = 0;

	while (at < result->nr_nodes && result->nodes[at].id < id)
		at++;
	if (at < result->nr_nodes && result->nodes[at].id == id)
		return &result->nodes[at];
	if (tm_array_grow(&result->nodes, result->nr_nodes, &result->cap_nodes,
			  sizeof(*result->nodes)))
		return NULL;
	memmove(&result->nodes[at + 1], &result->nodes[at],
		(result->nr_nodes - at) * sizeof(*result->nodes));
	result->nr_nodes++;
	result->has_nodes = true;
	result->nodes[at] = (struct bench_node){
		.id = id,
		.read_mbps = tm_num_none(TM_UNKNOWN),
		.write_mbps = tm_num_none(TM_UNKNOWN),
		.read_latency_ns = tm_num_none(TM_UNKNOWN),
	};
	return &result->nodes[at];
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double middle(const double *sorted, size_t nr)
{
	return nr % 2 ? sorted[nr / 2] : (sorted[nr / 2 - 1] + sorted[nr / 2]) / 2;
}

/* Medians, as tm_summary_make has them: one run that was disturbed would move a mean. */
struct bench_spread bench_series_spread(const struct bench_series *series)
{
	struct bench_spread spread = { .nr = 0 };
	double *sorted = calloc(series->nr + 1, sizeof(*sorted));

	for (size_t i = 0; sorted && i < series->nr; i++)
		if (isfinite(series->values[i]))
			sorted[spread.nr++] = series->values[i];
	if (spread.nr) {
		qsort(sorted, spread.nr, sizeof(*sorted), compare_doubles);
		spread.min = sorted[0];
		spread.max = sorted[spread.nr - 1];
		spread.median = middle(sorted, spread.nr);
		for (size_t i = 0; i < spread.nr; i++)
			sorted[i] = fabs(sorted[i] - spread.median);
		qsort(sorted, spread.nr, sizeof(*sorted), compare_doubles);
		spread.deviation = middle(sorted, spread.nr);
	}
	free(sorted);
	return spread;
}

double bench_spread_percent(const struct bench_spread *spread)
{
	if (!spread->nr || !(spread->median > 0))
		return NAN;
	return (spread->max - spread->min) * 50 / spread->median;
}

void bench_label_text(const struct bench_label_kind *kind, const struct bench_label *label,
		      struct tm_buf *text)
{
	char bytes[TM_UNITS_MAX];

	if (label->state != TM_KNOWN)
		tm_buf_adds(text, "-");
	else if (kind->type == BENCH_TEXT)
		tm_buf_adds(text, label->text);
	else if (kind->type == BENCH_BYTES)
		tm_buf_adds(text, tm_format_bytes(bytes, label->number));
	else if (kind->type == BENCH_BOOL)
		tm_buf_adds(text, label->number ? "yes" : "no");
	else
		tm_buf_addf(text, "%" PRIu64, label->number);
}
