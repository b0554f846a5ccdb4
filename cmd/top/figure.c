/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/top/figure.h"

static struct top_rate irq(const struct top_view *view, enum tm_irq which)
{
	if (!view->before)
		return top_rate(view, tm_num_none(TM_UNKNOWN));
	return top_rate(view, tm_pair_irq_total(view->before, view->now, which, NULL));
}

static struct top_rate get_shootdowns(const struct top_view *view)
{
	return irq(view, TM_IRQ_TLB);
}

static struct top_rate get_calls(const struct top_view *view)
{
	return irq(view, TM_IRQ_CAL);
}

static struct top_rate get_reschedules(const struct top_view *view)
{
	return irq(view, TM_IRQ_RES);
}

static struct top_rate get_demotions(const struct top_view *view)
{
	if (!view->before)
		return top_rate(view, tm_num_none(TM_UNKNOWN));
	return top_rate(view, top_demotions(view->before, view->now));
}

const struct top_figure_row top_figures[TOP_FIGURES] = {
	[FIGURE_SHOOTDOWNS] = { "shootdowns", "/s", "TLB/s", 7, get_shootdowns, TM_COUNTERS },
	[FIGURE_CALLS] = { "function calls", "/s", "CALL/s", 7, get_calls, TM_COUNTERS },
	[FIGURE_RESCHEDULES] = { "reschedules", "/s", NULL, 0, get_reschedules, TM_COUNTERS },
	[FIGURE_PROMOTED] = { "", "B/s", "UP-B/s", 7, top_promoted, TM_COUNTERS },
	[FIGURE_DEMOTED] = { "", "B/s", "DOWN-B/s", 9, top_demoted, TM_COUNTERS },
	[FIGURE_PROMOTIONS] = { "promoted", "/s", NULL, 0, NULL, TM_COUNTER_pgpromote_success },
	[FIGURE_DEMOTIONS] = { "demoted", "/s", NULL, 0, get_demotions, TM_COUNTERS },
	[FIGURE_HINTS] = { "hint faults", "/s", "HINT/s", 7, NULL, TM_COUNTER_numa_hint_faults },
	[FIGURE_MIGRATED] = { "migrated", "/s", "MOVED/s", 8, NULL, TM_COUNTER_pgmigrate_success },
	[FIGURE_FAILED] = { "failed", "/s", "FAIL/s", 7, NULL, TM_COUNTER_pgmigrate_fail },
	[FIGURE_THP] = { "huge faults", "/s", "THP/s", 7, NULL, TM_COUNTER_thp_fault_alloc },
	[FIGURE_DEFERRED] = { "deferred", "/s", NULL, 0, NULL, TM_COUNTER_tlb_defer_pages },
	[FIGURE_REFUSED] = { "refused", "/s", NULL, 0, NULL, TM_COUNTER_tlb_defer_refused },
	[FIGURE_FORCED] = { "forced flushes", "/s", NULL, 0, NULL, TM_COUNTER_tlb_defer_forced },
};

struct top_rate top_figure_rate(const struct top_view *view, enum top_figure figure)
{
	const struct top_figure_row *row = &top_figures[figure];

	if (row->get)
		return row->get(view);
	if (!view->before)
		return top_rate(view, tm_num_none(TM_UNKNOWN));
	return top_rate(view, tm_pair_counter(view->before, view->now, row->counter));
}
