/* SPDX-License-Identifier: GPL-2.0-only */
/* Prometheus's text format 0.0.4, for node_exporter's textfile collector. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/top/view.h"
#include "lib/sample/blind.h"

static void heading(struct tm_buf *text, const char *name, const char *type, const char *help)
{
	tm_buf_addf(text, "# HELP tiermem_%s %s\n# TYPE tiermem_%s %s\n", name, help, name, type);
}

static void source(struct tm_buf *text, const char *name, enum tm_state state)
{
	const char *reason = tm_state_reason(state);

	if (state == TM_NOT_ASKED)
		return;
	tm_buf_addf(text, "tiermem_source_available{source=\"%s\",reason=\"%s\"} %d\n", name,
		    reason ? reason : "", state == TM_KNOWN);
}

static void add_sources(const struct tm_sample *now, struct tm_buf *text)
{
	static const enum tm_counter any = TM_COUNTER_pgfault;

	heading(text, "source_available", "gauge",
		"Whether a source of counters could be read, and if not, why.");
	source(text, "interrupts", now->interrupts.state);
	for (int irq = 0; irq < TM_IRQS && now->interrupts.state == TM_KNOWN; irq++)
		source(text, tm_irq_name((enum tm_irq)irq), now->interrupts.rows[irq].state);
	source(text, "vmstat", now->vmstat.value[any].state);
	source(text, "nodes", now->nodes.state);
	source(text, "sizes", now->sizes.state);
	source(text, "flushes", now->events.flush[0].state);
	for (size_t i = 0; i < now->events.nr_pmu; i++)
		source(text, now->events.pmu[i].name, now->events.pmu[i].count.state);
}

static void add_interrupts(const struct tm_interrupts *in, struct tm_buf *text)
{
	static const struct {
		const char *name, *help;
	} rows[] = {
		[TM_IRQ_TLB] = { "tlb_shootdowns_total",
				 "TLB shootdown interrupts received, by CPU." },
		[TM_IRQ_CAL] = { "function_call_interrupts_total",
				 "Function call interrupts received, by CPU." },
		[TM_IRQ_RES] = { "reschedule_interrupts_total",
				 "Rescheduling interrupts received, by CPU." },
	};

	for (int irq = 0; irq < TM_IRQS; irq++) {
		if (in->rows[irq].state != TM_KNOWN)
			continue;
		heading(text, rows[irq].name, "counter", rows[irq].help);
		for (size_t i = 0; i < in->rows[irq].nr; i++)
			tm_buf_addf(text, "tiermem_%s{cpu=\"%d\"} %" PRIu64 "\n", rows[irq].name,
				    in->cpus[i], in->rows[irq].counts[i]);
	}
}

/* An alert on the shootdowns must know that they say nothing. */
static void add_blind(const struct top_facts *facts, struct tm_buf *text)
{
	if (!tm_num_is(&facts->blind))
		return;
	heading(text, "tlb_shootdowns_blind", "gauge",
		"Whether flushes go past the TLB row of /proc/interrupts, and by what.");
	tm_buf_addf(text, "tiermem_tlb_shootdowns_blind{by=\"%s\"} %d\n",
		    tm_blind_name((enum tm_blind)facts->blind.value),
		    facts->blind.value != TM_BLIND_NOT);
}

static void add_vmstat(const struct tm_sample *now, struct tm_buf *text)
{
	for (int i = 0; i < TM_COUNTERS; i++) {
		const char *name = tm_counter_name((enum tm_counter)i);
		const struct tm_num *value = &now->vmstat.value[i];

		if (!tm_num_is(value))
			continue;
		tm_buf_addf(text,
			    "# HELP tiermem_vmstat_%s_total Counter %s of /proc/vmstat.\n"
			    "# TYPE tiermem_vmstat_%s_total counter\n"
			    "tiermem_vmstat_%s_total %" PRIu64 "\n",
			    name, name, name, name, value->value);
	}
}

/* All lines of a metric must stand together: one pass over the nodes for each. */
static void add_node_metric(const struct top_view *view, struct tm_buf *text, const char *name,
			    const char *type, const char *help,
			    struct tm_num (*get)(const struct top_view *view,
						 const struct tm_node_sample *node, int which),
			    int which)
{
	bool begun = false;

	for (size_t i = 0; i < view->now->nodes.nr; i++) {
		const struct tm_node_sample *node = &view->now->nodes.list[i];
		struct tm_num value = get(view, node, which);

		if (!tm_num_is(&value))
			continue;
		if (!begun)
			heading(text, name, type, help);
		begun = true;
		tm_buf_addf(text, "tiermem_%s{node=\"%d\"} %" PRIu64 "\n", name, node->id,
			    value.value);
	}
}

static struct tm_num get_memory(const struct top_view *view, const struct tm_node_sample *node,
				int which)
{
	(void)view;
	return which ? node->free_bytes : node->total_bytes;
}

static struct tm_num get_static(const struct top_view *view, const struct tm_node_sample *node,
				int which)
{
	const struct top_node *known = top_facts_node(view->facts, node->id);

	if (!known)
		return tm_num_none(TM_UNKNOWN);
	return which ? known->weight : known->tier;
}

static struct tm_num get_numastat(const struct top_view *view, const struct tm_node_sample *node,
				  int which)
{
	(void)view;
	return node->numastat[which];
}

static struct tm_num get_counter(const struct top_view *view, const struct tm_node_sample *node,
				 int which)
{
	(void)view;
	return node->vmstat.value[which];
}

static void add_nodes(const struct top_view *view, struct tm_buf *text)
{
	char name[96], help[160];

	add_node_metric(view, text, "node_memory_total_bytes", "gauge", "Memory of a node.",
			get_memory, 0);
	add_node_metric(view, text, "node_memory_free_bytes", "gauge", "Free memory of a node.",
			get_memory, 1);
	add_node_metric(view, text, "node_tier", "gauge",
			"Memory tier of a node when sampling began; lower is faster.", get_static,
			0);
	add_node_metric(view, text, "node_weight", "gauge",
			"Weighted-interleave weight of a node when sampling began.", get_static, 1);
	for (int i = 0; i < TM_NUMASTATS; i++) {
		const char *key = tm_numastat_name((enum tm_numastat)i);

		snprintf(name, sizeof(name), "node_numastat_%s_total", key);
		snprintf(help, sizeof(help), "Counter %s of a node's numastat.", key);
		add_node_metric(view, text, name, "counter", help, get_numastat, i);
	}
	for (int i = 0; i < TM_COUNTERS; i++) {
		const char *key = tm_counter_name((enum tm_counter)i);

		/* Those of numastat, by the same names. */
		if (tm_counter_group((enum tm_counter)i) == TM_GROUP_NUMA)
			continue;
		snprintf(name, sizeof(name), "node_vmstat_%s_total", key);
		snprintf(help, sizeof(help), "Counter %s of a node's vmstat.", key);
		add_node_metric(view, text, name, "counter", help, get_counter, i);
	}
}

static void add_sizes(const struct tm_size_samples *sizes, struct tm_buf *text)
{
	for (int k = 0; k < TM_SIZE_COUNTERS; k++) {
		const char *key = tm_size_counter_name((enum tm_size_counter)k);
		bool begun = false;

		for (size_t i = 0; i < sizes->nr; i++) {
			const struct tm_num *value = &sizes->list[i].value[k];

			if (!tm_num_is(value))
				continue;
			if (!begun)
				tm_buf_addf(text,
					    "# HELP tiermem_thp_%s_total Counter %s of a size of "
					    "huge page.\n# TYPE tiermem_thp_%s_total counter\n",
					    key, key, key);
			begun = true;
			tm_buf_addf(text,
				    "tiermem_thp_%s_total{size_bytes=\"%" PRIu64 "\"} %" PRIu64
				    "\n",
				    key, sizes->list[i].size_bytes, value->value);
		}
	}
}

static void add_events(const struct tm_event_samples *events, struct tm_buf *text)
{
	bool begun = false;

	for (int reason = 0; reason < TM_FLUSH_REASONS; reason++) {
		for (int pages = 0; pages < TM_FLUSH_PAGES; pages++) {
			int cell = tm_flush_cell((enum tm_flush_reason)reason,
						 (enum tm_flush_pages)pages);

			if (cell < 0 || !tm_num_is(&events->flush[cell]))
				continue;
			if (!begun)
				heading(text, "tlb_flushes_total", "counter",
					"TLB flushes since sampling began, by reason and size.");
			begun = true;
			tm_buf_addf(text,
				    "tiermem_tlb_flushes_total{reason=\"%s\",pages=\"%s\"} %" PRIu64
				    "\n",
				    tm_flush_reason_name((enum tm_flush_reason)reason),
				    tm_flush_pages_name((enum tm_flush_pages)pages),
				    events->flush[cell].value);
		}
	}
}

void top_metrics(const struct top_view *view, struct tm_buf *text)
{
	add_sources(view->now, text);
	add_interrupts(&view->now->interrupts, text);
	add_blind(view->facts, text);
	add_vmstat(view->now, text);
	add_nodes(view, text);
	add_sizes(&view->now->sizes, text);
	add_events(&view->now->events, text);
}
