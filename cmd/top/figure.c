/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/top/figure.h"

static struct top_rate irq(const struct top_view *view, enum tm_irq which)
{
	if (!view->before)
		return top_rate(view, tm_num_none(TM_UNKNOWN));
	return top_rate(view, tm_pair_irq_total(view->before, view->now, which, NULL));
}

static struct top_rate counter(const struct top_view *view, enum tm_counter which)
{
	if (!view->before)
		return top_rate(view, tm_num_none(TM_UNKNOWN));
	return top_rate(view, tm_pair_counter(view->before, view->now, which));
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

static struct top_rate get_promotions(const struct top_view *view)
{
	return counter(view, TM_COUNTER_pgpromote_success);
}

static struct top_rate get_demotions(const struct top_view *view)
{
	if (!view->before)
		return top_rate(view, tm_num_none(TM_UNKNOWN));
	return top_rate(view, top_demotions(view->before, view->now));
}

static struct top_rate get_hints(const struct top_view *view)
{
	return counter(view, TM_COUNTER_numa_hint_faults);
}

static struct top_rate get_migrated(const struct top_view *view)
{
	return counter(view, TM_COUNTER_pgmigrate_success);
}

static struct top_rate get_failed(const struct top_view *view)
{
	return counter(view, TM_COUNTER_pgmigrate_fail);
}

static struct top_rate get_thp(const struct top_view *view)
{
	return counter(view, TM_COUNTER_thp_fault_alloc);
}

static struct top_rate get_deferred(const struct top_view *view)
{
	return counter(view, TM_COUNTER_tlb_defer_pages);
}

static struct top_rate get_refused(const struct top_view *view)
{
	return counter(view, TM_COUNTER_tlb_defer_refused);
}

static struct top_rate get_forced(const struct top_view *view)
{
	return counter(view, TM_COUNTER_tlb_defer_forced);
}

const struct top_figure_row top_figures[TOP_FIGURES] = {
	[FIGURE_SHOOTDOWNS] = { "shootdowns", "/s", "TLB/s", 7, get_shootdowns },
	[FIGURE_CALLS] = { "function calls", "/s", "CALL/s", 7, get_calls },
	[FIGURE_RESCHEDULES] = { "reschedules", "/s", NULL, 0, get_reschedules },
	[FIGURE_PROMOTED] = { "", "B/s", "UP-B/s", 7, top_promoted },
	[FIGURE_DEMOTED] = { "", "B/s", "DOWN-B/s", 9, top_demoted },
	[FIGURE_PROMOTIONS] = { "promoted", "/s", NULL, 0, get_promotions },
	[FIGURE_DEMOTIONS] = { "demoted", "/s", NULL, 0, get_demotions },
	[FIGURE_HINTS] = { "hint faults", "/s", "HINT/s", 7, get_hints },
	[FIGURE_MIGRATED] = { "migrated", "/s", "MOVED/s", 8, get_migrated },
	[FIGURE_FAILED] = { "failed", "/s", "FAIL/s", 7, get_failed },
	[FIGURE_THP] = { "huge faults", "/s", "THP/s", 7, get_thp },
	[FIGURE_DEFERRED] = { "deferred", "/s", NULL, 0, get_deferred },
	[FIGURE_REFUSED] = { "refused", "/s", NULL, 0, get_refused },
	[FIGURE_FORCED] = { "forced flushes", "/s", NULL, 0, get_forced },
};
