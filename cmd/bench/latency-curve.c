/* SPDX-License-Identifier: GPL-2.0-only */
/* Latency by the bandwidth that others take at the same time: a curve for each pair and page. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/curve.h"
#include "cmd/bench/latency.h"
#include "cmd/files.h"
#include "cmd/terminal.h"

/* As in the kind's table. */
enum label { INITIATOR, TARGET, PAGE };

static bool same_label(const struct bench_label *a, const struct bench_label *b)
{
	if (a->state != b->state || a->state != TM_KNOWN)
		return a->state == b->state;
	return a->text ? b->text && !strcmp(a->text, b->text) : a->number == b->number;
}

static bool same_curve(const struct bench_case *a, const struct bench_case *b)
{
	return same_label(&a->labels[INITIATOR], &b->labels[INITIATOR]) &&
	       same_label(&a->labels[TARGET], &b->labels[TARGET]) &&
	       same_label(&a->labels[PAGE], &b->labels[PAGE]);
}

static void name_curve(struct curve *curve, const struct bench_case *c)
{
	const struct bench_label *labels = c->labels;

	if (labels[INITIATOR].state == TM_KNOWN && labels[TARGET].state == TM_KNOWN)
		snprintf(curve->name, sizeof(curve->name),
			 "CPU of node %" PRIu64 ", memory of node %" PRIu64 ", %s pages",
			 labels[INITIATOR].number, labels[TARGET].number, labels[PAGE].text);
	else
		snprintf(curve->name, sizeof(curve->name), "%s pages", labels[PAGE].text);
}

static void add_point(struct curve *curve, const struct bench_case *c)
{
	struct bench_spread latency = bench_series_spread(&c->metrics[LATENCY_NS]);
	struct bench_spread bandwidth = bench_series_spread(&c->metrics[LATENCY_BANDWIDTH]);

	if (latency.nr && bandwidth.nr && curve->nr < CURVE_POINTS)
		curve->points[curve->nr++] =
			(struct curve_point){ bandwidth.median / 1e3, latency.median };
}

/* Cases of a curve follow each other. 0 or -ENOMEM; the caller frees *curves. */
static int collect(const struct bench_result *result, struct curve **curves, size_t *nr)
{
	struct curve *all = calloc(result->nr_cases + 1, sizeof(*all));

	*curves = all;
	*nr = 0;
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < result->nr_cases; i++) {
		const struct bench_case *c = &result->cases[i];

		if (!i || !same_curve(c - 1, c)) {
			/* One without a point would have nothing to show. */
			*nr += *nr == 0 || all[*nr - 1].nr > 0;
			name_curve(&all[*nr - 1], c);
		}
		add_point(&all[*nr - 1], c);
	}
	if (*nr && !all[*nr - 1].nr)
		--*nr;
	return 0;
}

static struct curve_figure figure(const struct curve *curves, size_t nr)
{
	return (struct curve_figure){
		.title = "Latency under load",
		.x_name = "GB/s",
		.y_name = "ns",
		.curves = curves,
		.nr = nr,
	};
}

int latency_curve_show(struct bench *b, struct tm_buf *text, struct tm_error *err)
{
	struct tm_table_style style = terminal_style(b->app);
	struct curve_figure drawn;
	struct curve *curves;
	size_t nr;

	if (collect(&b->result, &curves, &nr))
		return tm_error_nomem(err);
	drawn = figure(curves, nr);
	if (nr) {
		tm_buf_addc(text, '\n');
		curve_text(&drawn, style.width ? style.width : 80, style.ascii, text);
	}
	free(curves);
	return text->failed ? tm_error_nomem(err) : 0;
}

int latency_curve_save(struct bench *b, const char *name, struct tm_error *err)
{
	struct tm_buf text = TM_BUF_INIT;
	struct curve_figure drawn;
	struct curve *curves;
	size_t nr;
	int rc;

	if (collect(&b->result, &curves, &nr))
		return tm_error_nomem(err);
	drawn = figure(curves, nr);
	curve_svg(&drawn, &text);
	rc = text.failed ? tm_error_nomem(err) :
			   file_save(name, app_option(b->app, "force") != NULL, text.data, err);
	tm_buf_release(&text);
	free(curves);
	return rc;
}
