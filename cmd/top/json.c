/* SPDX-License-Identifier: GPL-2.0-only */
/* The tiermem.sample/1 document: what happened since the sample before. */
#include "cmd/top/view.h"
#include "lib/sample/blind.h"
#include "lib/sample/recording.h"

static struct tm_num counter(const struct top_view *view, enum tm_counter which)
{
	if (!view->before)
		return tm_num_none(TM_UNKNOWN);
	return tm_pair_counter(view->before, view->now, which);
}

static void add_group(struct tm_json *json, const struct top_view *view,
		      enum tm_counter_group group)
{
	for (int i = 0; i < TM_COUNTERS; i++)
		if (tm_counter_group((enum tm_counter)i) == group)
			tm_json_num(json, tm_counter_name((enum tm_counter)i),
				    counter(view, (enum tm_counter)i));
}

static void add_rate(struct tm_json *json, const char *key, struct top_rate rate)
{
	if (rate.state == TM_KNOWN)
		tm_json_double(json, key, rate.per_second);
	else
		tm_json_none(json, key, rate.state);
}

static void add_total(struct tm_json *json, const struct top_view *view, const char *key,
		      enum tm_irq irq)
{
	struct tm_num total = tm_num_none(TM_UNKNOWN);

	if (view->before)
		total = tm_pair_irq_total(view->before, view->now, irq, NULL);
	tm_json_num(json, key, total);
}

static void add_flushes(struct tm_json *json, const struct top_view *view)
{
	const struct tm_event_samples *now = &view->now->events;
	const struct tm_event_samples *before = view->before ? &view->before->events : NULL;
	struct tm_num none = tm_num_none(TM_UNKNOWN);

	tm_json_object(json, "flush_reasons");
	for (int i = 0; i < TM_FLUSH_REASONS; i++)
		tm_json_num(json, tm_flush_reason_name((enum tm_flush_reason)i),
			    before ? tm_event_flush_reason(before, now, (enum tm_flush_reason)i) :
				     none);
	tm_json_end(json);
	tm_json_object(json, "flush_pages");
	for (int i = 0; i < TM_FLUSH_PAGES; i++)
		tm_json_num(json, tm_flush_pages_name((enum tm_flush_pages)i),
			    before ? tm_event_flush_pages(before, now, (enum tm_flush_pages)i) :
				     none);
	tm_json_end(json);
	tm_json_array(json, "pmu");
	for (size_t i = 0; i < now->nr_pmu; i++) {
		tm_json_object(json, NULL);
		tm_json_string(json, "event", now->pmu[i].name);
		tm_json_num(json, "count",
			    view->before ?
				    tm_pair_event(view->before, view->now, now->pmu[i].name) :
				    none);
		tm_json_bool(json, "scaled", now->pmu[i].scaled);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_tlb(struct tm_json *json, const struct top_view *view)
{
	const struct tm_interrupts *now = &view->now->interrupts;

	tm_json_object(json, "tlb");
	add_total(json, view, "shootdowns_total", TM_IRQ_TLB);
	add_total(json, view, "function_calls_total", TM_IRQ_CAL);
	add_total(json, view, "reschedules_total", TM_IRQ_RES);
	if (now->rows[TM_IRQ_TLB].state != TM_KNOWN) {
		tm_json_none(json, "shootdowns", now->rows[TM_IRQ_TLB].state);
	} else {
		tm_json_array(json, "shootdowns");
		for (size_t i = 0; i < now->nr_cpus; i++) {
			struct tm_num count = tm_num_none(TM_UNKNOWN);

			if (view->before)
				count = tm_pair_irq(view->before, view->now, TM_IRQ_TLB,
						    now->cpus[i]);
			tm_json_object(json, NULL);
			tm_json_i64(json, "cpu", now->cpus[i]);
			tm_json_num(json, "count", count);
			tm_json_end(json);
		}
		tm_json_end(json);
	}
	if (tm_num_is(&view->facts->blind))
		tm_json_string(json, "blind",
			       tm_blind_name((enum tm_blind)view->facts->blind.value));
	else
		tm_json_none(json, "blind", view->facts->blind.state);
	add_flushes(json, view);
	tm_json_object(json, "vmstat");
	add_group(json, view, TM_GROUP_TLB);
	tm_json_end(json);
	tm_json_end(json);
}

static void add_migration(struct tm_json *json, const struct top_view *view)
{
	tm_json_object(json, "migration");
	add_rate(json, "promoted_bytes_per_second", top_promoted(view));
	add_rate(json, "demoted_bytes_per_second", top_demoted(view));
	add_group(json, view, TM_GROUP_MIGRATION);
	tm_json_end(json);
}

static void add_thp(struct tm_json *json, const struct top_view *view)
{
	const struct tm_size_samples *sizes = &view->now->sizes;

	tm_json_object(json, "thp");
	add_group(json, view, TM_GROUP_THP);
	if (sizes->state != TM_KNOWN) {
		tm_json_none(json, "sizes", sizes->state);
		tm_json_end(json);
		return;
	}
	tm_json_array(json, "sizes");
	for (size_t i = 0; i < sizes->nr; i++) {
		tm_json_object(json, NULL);
		tm_json_u64(json, "size_bytes", sizes->list[i].size_bytes);
		for (int k = 0; k < TM_SIZE_COUNTERS; k++)
			tm_json_num(json, tm_size_counter_name((enum tm_size_counter)k),
				    view->before ? tm_pair_size(view->before, view->now,
								sizes->list[i].size_bytes,
								(enum tm_size_counter)k) :
						   tm_num_none(TM_UNKNOWN));
		tm_json_end(json);
	}
	tm_json_end(json);
	tm_json_end(json);
}

static void add_node(struct tm_json *json, const struct top_view *view,
		     const struct tm_node_sample *node)
{
	const struct top_node *known = top_facts_node(view->facts, node->id);

	tm_json_object(json, NULL);
	tm_json_i64(json, "id", node->id);
	tm_json_num(json, "tier", known ? known->tier : tm_num_none(TM_UNKNOWN));
	tm_json_num(json, "weight", known ? known->weight : tm_num_none(TM_UNKNOWN));
	tm_json_num(json, "memory_total_bytes", node->total_bytes);
	tm_json_num(json, "memory_free_bytes", node->free_bytes);
	for (int k = 0; k < TM_NUMASTATS; k++)
		tm_json_num(json, tm_numastat_name((enum tm_numastat)k),
			    view->before ? tm_pair_numastat(view->before, view->now, node->id,
							    (enum tm_numastat)k) :
					   tm_num_none(TM_UNKNOWN));
	for (int i = 0; i < TM_COUNTERS; i++)
		if (tm_counter_group((enum tm_counter)i) == TM_GROUP_MIGRATION)
			tm_json_num(json, tm_counter_name((enum tm_counter)i),
				    view->before ?
					    tm_pair_node_counter(view->before, view->now, node->id,
								 (enum tm_counter)i) :
					    tm_num_none(TM_UNKNOWN));
	tm_json_end(json);
}

static void add_process(struct tm_json *json, const struct top_view *view,
			const struct tm_process_sample *process)
{
	static const char *const keys[] = {
		[TM_PROCESS_INITIATED] = "flushes_caused",
		[TM_PROCESS_RECEIVED] = "flushes_suffered",
		[TM_PROCESS_MIGRATED] = "pages_migrated",
	};

	tm_json_object(json, NULL);
	tm_json_i64(json, "pid", process->pid);
	tm_json_u64(json, "start_ticks", process->start);
	tm_json_string(json, "name", process->name);
	for (int i = 0; i < (int)TM_ARRAY_SIZE(keys); i++)
		tm_json_num(json, keys[i],
			    view->before ? tm_pair_process(view->before, view->now, process,
							   (enum tm_process_count)i) :
					   tm_num_none(TM_UNKNOWN));
	tm_json_num(json, "resident_bytes", process->resident_bytes);
	tm_process_memory_write(json, process);
	tm_json_end(json);
}

/* Only where they were asked for. */
static void add_processes(struct tm_json *json, const struct top_view *view)
{
	const struct tm_process_samples *processes = &view->now->processes;

	if (processes->state != TM_KNOWN)
		return;
	tm_json_num(json, "flushes_lost",
		    view->before ? tm_pair_processes_lost(view->before, view->now) :
				   tm_num_none(TM_UNKNOWN));
	tm_json_array(json, "processes");
	for (size_t i = 0; i < processes->nr; i++)
		add_process(json, view, &processes->list[i]);
	tm_json_end(json);
}

int top_json(const struct top_view *view, char **text, struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	struct tm_identity identity = top_facts_identity(view->facts);
	struct tm_num interval = tm_num_none(TM_UNKNOWN);

	if (!json)
		return tm_error_nomem(err);
	if (view->before)
		interval = tm_pair_interval(view->before, view->now);
	tm_document_begin_at(json, "sample", 1, &identity,
			     (time_t)(view->now->wall_ns / 1000000000));
	if (tm_num_is(&interval))
		tm_json_double(json, "interval_s", (double)interval.value / 1e9);
	else
		tm_json_null(json, "interval_s");
	tm_json_object(json, "tiering");
	tm_json_string(json, "promotion", view->facts->promotion);
	tm_json_string(json, "demotion", view->facts->demotion);
	tm_json_end(json);
	add_tlb(json, view);
	add_migration(json, view);
	add_thp(json, view);
	if (view->now->nodes.state == TM_KNOWN) {
		tm_json_array(json, "nodes");
		for (size_t i = 0; i < view->now->nodes.nr; i++)
			add_node(json, view, &view->now->nodes.list[i]);
		tm_json_end(json);
	} else {
		tm_json_none(json, "nodes", view->now->nodes.state);
	}
	add_processes(json, view);
	return tm_json_print(json, true, text, err);
}
