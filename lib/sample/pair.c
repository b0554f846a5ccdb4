/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What happened between two samples. */
#include "lib/sample/sample.h"

#define IRQ_BITS 32
#define COUNTER_BITS 64

struct tm_num tm_pair_interval(const struct tm_sample *before, const struct tm_sample *now)
{
	if (now->time_ns <= before->time_ns)
		return tm_num_none(TM_UNKNOWN);
	return tm_num_known(now->time_ns - before->time_ns);
}

struct tm_num tm_pair_irq(const struct tm_sample *before, const struct tm_sample *now,
			  enum tm_irq irq, int cpu)
{
	struct tm_num was = tm_interrupts_count(&before->interrupts, irq, cpu);
	struct tm_num is = tm_interrupts_count(&now->interrupts, irq, cpu);

	return tm_count_delta(&was, &is, IRQ_BITS);
}

struct tm_num tm_pair_irq_total(const struct tm_sample *before, const struct tm_sample *now,
				enum tm_irq irq, size_t *cpus)
{
	const struct tm_interrupts *was = &before->interrupts, *is = &now->interrupts;
	uint64_t total = 0;
	size_t both = 0;

	if (is->rows[irq].state != TM_KNOWN)
		return tm_num_none(is->rows[irq].state);
	if (was->rows[irq].state != TM_KNOWN)
		return tm_num_none(was->rows[irq].state);
	/* Both lists rise. */
	for (size_t i = 0, k = 0; i < is->nr_cpus; i++) {
		struct tm_num delta;

		while (k < was->nr_cpus && was->cpus[k] < is->cpus[i])
			k++;
		if (k == was->nr_cpus || was->cpus[k] != is->cpus[i])
			continue;
		if (i >= is->rows[irq].nr || k >= was->rows[irq].nr)
			return tm_num_none(TM_MALFORMED);
		delta = tm_count_delta(&(struct tm_num){ was->rows[irq].counts[k], TM_KNOWN },
				       &(struct tm_num){ is->rows[irq].counts[i], TM_KNOWN },
				       IRQ_BITS);
		if (!tm_num_is(&delta))
			return delta;
		total += delta.value;
		both++;
	}
	if (!both)
		return tm_num_none(TM_OFFLINE);
	if (cpus)
		*cpus = both;
	return tm_num_known(total);
}

struct tm_num tm_pair_counter(const struct tm_sample *before, const struct tm_sample *now,
			      enum tm_counter counter)
{
	return tm_count_delta(&before->vmstat.value[counter], &now->vmstat.value[counter],
			      COUNTER_BITS);
}

struct node_pair {
	const struct tm_node_sample *before, *now;
};

/* False, with the reason in *none, where the node is not in both. */
static bool find_node(const struct tm_sample *before, const struct tm_sample *now, int id,
		      struct node_pair *pair, struct tm_num *none)
{
	*none = tm_num_none(now->nodes.state != TM_KNOWN    ? now->nodes.state :
			    before->nodes.state != TM_KNOWN ? before->nodes.state :
							      TM_OFFLINE);
	pair->before = tm_node_samples_find(&before->nodes, id);
	pair->now = tm_node_samples_find(&now->nodes, id);
	return pair->before && pair->now;
}

struct tm_num tm_pair_node_counter(const struct tm_sample *before, const struct tm_sample *now,
				   int node, enum tm_counter counter)
{
	struct node_pair pair;
	struct tm_num none;

	if (!find_node(before, now, node, &pair, &none))
		return none;
	return tm_count_delta(&pair.before->vmstat.value[counter], &pair.now->vmstat.value[counter],
			      COUNTER_BITS);
}

struct tm_num tm_pair_numastat(const struct tm_sample *before, const struct tm_sample *now,
			       int node, enum tm_numastat numastat)
{
	struct node_pair pair;
	struct tm_num none;

	if (!find_node(before, now, node, &pair, &none))
		return none;
	return tm_count_delta(&pair.before->numastat[numastat], &pair.now->numastat[numastat],
			      COUNTER_BITS);
}

static const struct tm_size_sample *find_size(const struct tm_size_samples *sizes, uint64_t bytes)
{
	for (size_t i = 0; i < sizes->nr; i++)
		if (sizes->list[i].size_bytes == bytes)
			return &sizes->list[i];
	return NULL;
}

struct tm_num tm_pair_size(const struct tm_sample *before, const struct tm_sample *now,
			   uint64_t size_bytes, enum tm_size_counter counter)
{
	const struct tm_size_sample *was = find_size(&before->sizes, size_bytes);
	const struct tm_size_sample *is = find_size(&now->sizes, size_bytes);

	if (!was || !is)
		return tm_num_none(now->sizes.state != TM_KNOWN ? now->sizes.state : TM_ABSENT);
	return tm_count_delta(&was->value[counter], &is->value[counter], COUNTER_BITS);
}

struct tm_num tm_pair_event(const struct tm_sample *before, const struct tm_sample *now,
			    const char *name)
{
	const struct tm_event_sample *was = tm_event_samples_find(&before->events, name);
	const struct tm_event_sample *is = tm_event_samples_find(&now->events, name);

	if (!was || !is)
		return tm_num_none(TM_ABSENT);
	return tm_count_delta(&was->count, &is->count, COUNTER_BITS);
}

static struct tm_num process_count(const struct tm_process_sample *process,
				   enum tm_process_count count)
{
	return count == TM_PROCESS_INITIATED ? process->initiated :
	       count == TM_PROCESS_RECEIVED  ? process->received :
					       process->migrated;
}

struct tm_num tm_pair_process(const struct tm_sample *before, const struct tm_sample *now,
			      const struct tm_process_sample *process, enum tm_process_count count)
{
	struct tm_num is = process_count(process, count), was;
	const struct tm_process_sample *older =
		tm_process_samples_find(&before->processes, process->pid, process->start);

	if (before->processes.state != TM_KNOWN || now->processes.state != TM_KNOWN)
		return tm_num_none(tm_num_is(&is) ? TM_UNKNOWN : is.state);
	if (older)
		was = process_count(older, count);
	else
		was = count == TM_PROCESS_MIGRATED ? tm_num_none(TM_UNKNOWN) : tm_num_known(0);
	return tm_count_delta(&was, &is, COUNTER_BITS);
}

struct tm_num tm_pair_processes_lost(const struct tm_sample *before, const struct tm_sample *now)
{
	struct tm_num was = { before->processes.lost, before->processes.flush_state };
	struct tm_num is = { now->processes.lost, now->processes.flush_state };

	return tm_count_delta(&was, &is, COUNTER_BITS);
}
