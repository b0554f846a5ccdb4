/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `tiermem top` shows at one moment: a pair of samples, and what does not change from sample
 * to sample. Panels, lines, JSON and metrics all read this and nothing else.
 */
#ifndef CMD_TOP_VIEW_H
#define CMD_TOP_VIEW_H

#include "cmd/top/facts.h"
#include "lib/sample/sample.h"

struct top_view {
	const struct top_facts *facts;
	const struct tm_sample *before; /* NULL: `now` is the first */
	const struct tm_sample *now;
};

/* Per second, by the interval between the samples; no value without both. */
struct top_rate {
	enum tm_state state;
	double per_second;
};

struct top_rate top_rate(const struct top_view *view, struct tm_num delta);

/* Pages that moved up and down a tier, in bytes per second. */
struct top_rate top_promoted(const struct top_view *view);
struct top_rate top_demoted(const struct top_view *view);

/* How many pages went down, by whoever's hand; no value where this kernel counts none. */
struct tm_num top_demotions(const struct tm_sample *before, const struct tm_sample *now);
/* The same of one node. */
struct tm_num top_node_demotions(const struct tm_sample *before, const struct tm_sample *now,
				 int node);

/* "1.2k", "35M", "0": at most five characters; "-", "n/a", "denied" as in tables. */
#define TOP_RATE_MAX 16
char *top_rate_text(char text[TOP_RATE_MAX], struct top_rate rate);

/* One tiermem.sample/1 document, in one line. 0 or -errno. */
int top_json(const struct top_view *view, char **text, struct tm_error *err);

/*
 * All counters of `now` in Prometheus's text format 0.0.4. What is not known is left out, and named
 * in tiermem_source_available.
 */
void top_metrics(const struct top_view *view, struct tm_buf *text);

/* One line of figures, exact where `raw`, and the headings above them. */
void top_line(const struct top_view *view, bool raw, struct tm_buf *text);
void top_line_headings(struct tm_buf *text);

#endif
