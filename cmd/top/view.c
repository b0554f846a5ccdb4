/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/top/view.h"

#include <stdio.h>

struct top_rate top_rate(const struct top_view *view, struct tm_num delta)
{
	struct tm_num interval;

	if (!view->before)
		return (struct top_rate){ TM_UNKNOWN, 0 };
	interval = tm_pair_interval(view->before, view->now);
	if (!tm_num_is(&delta))
		return (struct top_rate){ delta.state, 0 };
	if (!tm_num_is(&interval))
		return (struct top_rate){ TM_UNKNOWN, 0 };
	return (struct top_rate){ TM_KNOWN, (double)delta.value * 1e9 / (double)interval.value };
}

static struct top_rate in_bytes(const struct top_view *view, struct tm_num pages)
{
	struct top_rate rate = top_rate(view, pages);

	if (rate.state == TM_KNOWN && !tm_num_is(&view->facts->page_size))
		rate.state = view->facts->page_size.state;
	rate.per_second *= (double)view->facts->page_size.value;
	return rate;
}

struct top_rate top_promoted(const struct top_view *view)
{
	if (!view->before)
		return top_rate(view, tm_num_none(TM_UNKNOWN));
	return in_bytes(view,
			tm_pair_counter(view->before, view->now, TM_COUNTER_pgpromote_success));
}

#define WHOLE_MACHINE (-1)

static struct tm_num sum_demotions(const struct tm_sample *before, const struct tm_sample *now,
				   int node)
{
	/* Kernels differ in which of them they count. */
	static const enum tm_counter parts[] = {
		TM_COUNTER_pgdemote_kswapd,
		TM_COUNTER_pgdemote_direct,
		TM_COUNTER_pgdemote_khugepaged,
		TM_COUNTER_pgdemote_proactive,
	};
	struct tm_num sum = tm_num_none(TM_UNSUPPORTED);

	for (size_t i = 0; i < TM_ARRAY_SIZE(parts); i++) {
		struct tm_num part = node == WHOLE_MACHINE ?
					     tm_pair_counter(before, now, parts[i]) :
					     tm_pair_node_counter(before, now, node, parts[i]);

		if (part.state == TM_UNSUPPORTED)
			continue;
		if (!tm_num_is(&part))
			return part;
		sum = tm_num_known(sum.value + part.value);
	}
	return sum;
}

struct tm_num top_demotions(const struct tm_sample *before, const struct tm_sample *now)
{
	return sum_demotions(before, now, WHOLE_MACHINE);
}

struct tm_num top_node_demotions(const struct tm_sample *before, const struct tm_sample *now,
				 int node)
{
	return sum_demotions(before, now, node);
}

struct top_rate top_demoted(const struct top_view *view)
{
	if (!view->before)
		return top_rate(view, tm_num_none(TM_UNKNOWN));
	return in_bytes(view, top_demotions(view->before, view->now));
}

static const char *no_value(enum tm_state state)
{
	switch (state) {
	case TM_UNSUPPORTED:
	case TM_ABSENT:
		return "n/a";
	case TM_DENIED:
		return "denied";
	case TM_MALFORMED:
		return "bad";
	default:
		return "-";
	}
}

char *top_rate_text(char text[TOP_RATE_MAX], struct top_rate rate)
{
	static const char units[] = "\0kMGTP";
	double value = rate.per_second;
	size_t unit = 0;

	if (rate.state != TM_KNOWN) {
		snprintf(text, TOP_RATE_MAX, "%s", no_value(rate.state));
		return text;
	}
	while (value >= 999.5 && unit + 2 < sizeof(units)) {
		value /= 1000;
		unit++;
	}
	if (value && value < 9.95)
		snprintf(text, TOP_RATE_MAX, "%.1f%.1s", value, &units[unit]);
	else
		snprintf(text, TOP_RATE_MAX, "%.0f%.1s", value, &units[unit]);
	return text;
}
