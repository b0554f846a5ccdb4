/* SPDX-License-Identifier: GPL-2.0-only */
/* Latency by the bandwidth that others took meanwhile, of cases that are steps of load. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/curve.h"
#include "cmd/bench/report.h"

/* Of a terminal. */
#define COLUMNS 80
/* What no memory does would leave no room for the rest. */
#define MOST 1e12

/* By these the points of a curve differ, and by no others. */
static bool is_load(const struct bench_label_kind *kind)
{
	return !strncmp(kind->key, "load_", strlen("load_"));
}

static bool same_curve(const struct bench_kind *kind, const struct bench_case *a,
		       const struct bench_case *b)
{
	for (size_t i = 0; i < bench_kind_labels(kind); i++)
		if (!is_load(&kind->labels[i]) &&
		    !report_same_label(&kind->labels[i], &a->labels[i], &b->labels[i]))
			return false;
	return true;
}

/* What tells it from the other curves, as much as there is room for. */
static void name_curve(const struct report_labels *labels, const struct bench_case *c,
		       struct page *page, struct curve *curve)
{
	struct tm_buf name = TM_BUF_INIT, safe = TM_BUF_INIT;
	size_t len;

	report_labels_name(labels, c, &name);
	tm_buf_add_printable(&safe, tm_buf_str(&name), name.len);
	page->failed |= name.failed || safe.failed;
	if (!safe.len)
		tm_buf_adds(&safe, labels->kind->name);
	len = TM_MIN(safe.len, sizeof(curve->name) - 1);
	/* Not within a character. */
	while (len && ((unsigned char)tm_buf_str(&safe)[len] & 0xc0) == 0x80)
		len--;
	memcpy(curve->name, tm_buf_str(&safe), len);
	tm_buf_release(&name);
	tm_buf_release(&safe);
}

static bool is_drawable(const struct bench_spread *spread)
{
	return spread->nr && spread->median >= 0 && spread->median < MOST;
}

static void add_point(struct curve *curve, const struct bench_spread *latency,
		      const struct bench_spread *bandwidth)
{
	if (is_drawable(latency) && is_drawable(bandwidth) && curve->nr < CURVE_POINTS)
		curve->points[curve->nr++] =
			(struct curve_point){ bandwidth->median / 1e3, latency->median };
}

/* One point is no curve: it is left out. */
static size_t collect(const struct bench_result *result, const struct report_labels *labels,
		      size_t latency, size_t bandwidth, struct page *page, struct curve *curves)
{
	size_t nr = 0;

	for (size_t first = 0, end; first < result->nr_cases; first = end) {
		const struct bench_case *c = &result->cases[first];
		struct curve *curve = &curves[nr];

		*curve = (struct curve){ .nr = 0 };
		for (end = first;
		     end < result->nr_cases && same_curve(result->kind, c, &result->cases[end]);
		     end++) {
			struct bench_spread ns =
				bench_series_spread(&result->cases[end].metrics[latency]);
			struct bench_spread mbps =
				bench_series_spread(&result->cases[end].metrics[bandwidth]);

			add_point(curve, &ns, &mbps);
		}
		name_curve(labels, c, page, curve);
		nr += curve->nr > 1;
	}
	return nr;
}

static void draw(const struct curve *curves, size_t nr, struct page *page)
{
	const struct curve_figure figure = {
		.title = "Latency under load",
		.x_name = "GB/s",
		.y_name = "ns",
		.curves = curves,
		.nr = nr,
	};
	struct tm_buf plain = TM_BUF_INIT, svg = TM_BUF_INIT;

	curve_text(&figure, COLUMNS, true, &plain);
	curve_svg(&figure, &svg);
	page->failed |= plain.failed || svg.failed;
	page_drawing(page, "Latency by the bandwidth that the others took meanwhile",
		     tm_buf_str(&plain), tm_buf_str(&svg));
	tm_buf_release(&plain);
	tm_buf_release(&svg);
}

void report_add_curve(const struct bench_result *result, const struct report_labels *labels,
		      struct page *page)
{
	int latency = bench_kind_metric(result->kind, "latency_ns");
	int bandwidth = bench_kind_metric(result->kind, "bandwidth_mbps");
	struct report_labels telling = *labels;
	struct curve *curves;
	bool loaded = false;
	size_t nr;

	for (size_t i = 0; i < bench_kind_labels(result->kind); i++) {
		loaded |= is_load(&result->kind->labels[i]) && labels->shown[i];
		telling.shown[i] &= !is_load(&result->kind->labels[i]);
	}
	if (!loaded || latency < 0 || bandwidth < 0)
		return;
	curves = calloc(result->nr_cases + 1, sizeof(*curves));
	if (!curves) {
		page->failed = true;
		return;
	}
	nr = collect(result, &telling, (size_t)latency, (size_t)bandwidth, page, curves);
	if (nr)
		draw(curves, nr, page);
	free(curves);
}
