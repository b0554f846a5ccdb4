/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing a line of a recording; recording.c reads it. */
#include "lib/sample/recording.h"

static void write_interrupts(struct tm_json *json, const struct tm_interrupts *in)
{
	tm_json_object(json, "interrupts");
	if (in->state != TM_KNOWN) {
		tm_json_none(json, "cpus", in->state);
		tm_json_end(json);
		return;
	}
	tm_json_array(json, "cpus");
	for (size_t i = 0; i < in->nr_cpus; i++)
		tm_json_i64(json, NULL, in->cpus[i]);
	tm_json_end(json);
	for (int irq = 0; irq < TM_IRQS; irq++) {
		const struct tm_irq_row *row = &in->rows[irq];

		if (row->state != TM_KNOWN) {
			tm_json_none(json, tm_irq_name((enum tm_irq)irq), row->state);
			continue;
		}
		tm_json_array(json, tm_irq_name((enum tm_irq)irq));
		for (size_t i = 0; i < row->nr; i++)
			tm_json_u64(json, NULL, row->counts[i]);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void write_counters(struct tm_json *json, const struct tm_counters *counters)
{
	tm_json_object(json, "vmstat");
	/* Of a node most are not counted at all: those are left out. */
	for (int i = 0; i < TM_COUNTERS; i++)
		if (counters->value[i].state != TM_UNSUPPORTED)
			tm_json_num(json, tm_counter_name((enum tm_counter)i), counters->value[i]);
	tm_json_end(json);
}

static void write_nodes(struct tm_json *json, const struct tm_node_samples *nodes)
{
	if (nodes->state != TM_KNOWN) {
		tm_json_none(json, "nodes", nodes->state);
		return;
	}
	tm_json_array(json, "nodes");
	for (size_t i = 0; i < nodes->nr; i++) {
		const struct tm_node_sample *node = &nodes->list[i];

		tm_json_object(json, NULL);
		tm_json_i64(json, "id", node->id);
		tm_json_num(json, "total_bytes", node->total_bytes);
		tm_json_num(json, "free_bytes", node->free_bytes);
		tm_json_object(json, "numastat");
		for (int k = 0; k < TM_NUMASTATS; k++)
			tm_json_num(json, tm_numastat_name((enum tm_numastat)k), node->numastat[k]);
		tm_json_end(json);
		write_counters(json, &node->vmstat);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void write_sizes(struct tm_json *json, const struct tm_size_samples *sizes)
{
	if (sizes->state != TM_KNOWN) {
		tm_json_none(json, "sizes", sizes->state);
		return;
	}
	tm_json_array(json, "sizes");
	for (size_t i = 0; i < sizes->nr; i++) {
		tm_json_object(json, NULL);
		tm_json_u64(json, "size_bytes", sizes->list[i].size_bytes);
		for (int k = 0; k < TM_SIZE_COUNTERS; k++)
			tm_json_num(json, tm_size_counter_name((enum tm_size_counter)k),
				    sizes->list[i].value[k]);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void write_events(struct tm_json *json, const struct tm_event_samples *events)
{
	tm_json_object(json, "flush");
	for (int reason = 0; reason < TM_FLUSH_REASONS; reason++) {
		for (int pages = 0; pages < TM_FLUSH_PAGES; pages++) {
			int cell = tm_flush_cell((enum tm_flush_reason)reason,
						 (enum tm_flush_pages)pages);
			char name[TM_EVENT_CELL_NAME];

			if (cell < 0)
				continue;
			tm_event_cell_name(name, (enum tm_flush_reason)reason,
					   (enum tm_flush_pages)pages);
			tm_json_num(json, name, events->flush[cell]);
		}
	}
	tm_json_end(json);
	tm_json_array(json, "pmu");
	for (size_t i = 0; i < events->nr_pmu; i++) {
		tm_json_object(json, NULL);
		tm_json_string(json, "name", events->pmu[i].name);
		tm_json_num(json, "count", events->pmu[i].count);
		tm_json_bool(json, "scaled", events->pmu[i].scaled);
		tm_json_end(json);
	}
	tm_json_end(json);
}

void tm_process_memory_write(struct tm_json *json, const struct tm_process_sample *process)
{
	if (process->memory_state != TM_KNOWN) {
		tm_json_none(json, "memory", process->memory_state);
		return;
	}
	tm_json_array(json, "memory");
	for (size_t i = 0; i < process->nr_memory; i++) {
		tm_json_object(json, NULL);
		tm_json_i64(json, "node", process->memory[i].node);
		tm_json_u64(json, "bytes", process->memory[i].bytes);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void write_process(struct tm_json *json, const struct tm_process_sample *process)
{
	tm_json_object(json, NULL);
	tm_json_i64(json, "pid", process->pid);
	tm_json_u64(json, "start", process->start);
	tm_json_string(json, "name", process->name);
	tm_json_num(json, "initiated", process->initiated);
	tm_json_num(json, "received", process->received);
	tm_json_num(json, "migrated", process->migrated);
	tm_json_num(json, "resident_bytes", process->resident_bytes);
	tm_process_memory_write(json, process);
	tm_json_end(json);
}

static void write_processes(struct tm_json *json, const struct tm_process_samples *processes)
{
	/* Mostly nobody asked, and then it need not be said in each line. */
	if (processes->state == TM_NOT_ASKED)
		return;
	tm_json_num(json, "flushes_lost",
		    (struct tm_num){ processes->lost, processes->flush_state });
	tm_json_array(json, "processes");
	for (size_t i = 0; i < processes->nr; i++)
		write_process(json, &processes->list[i]);
	tm_json_end(json);
}

void tm_sample_write(struct tm_json *json, const struct tm_sample *sample)
{
	tm_json_u64(json, "time_ns", sample->time_ns);
	tm_json_u64(json, "wall_ns", sample->wall_ns);
	write_interrupts(json, &sample->interrupts);
	write_counters(json, &sample->vmstat);
	write_nodes(json, &sample->nodes);
	write_sizes(json, &sample->sizes);
	write_events(json, &sample->events);
	write_processes(json, &sample->processes);
}
