/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a line of a recording; recording-write.c writes it. */
#include "lib/sample/recording.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"

/* The state by the word beside a null; unknown words, as of later versions, are just unknown. */
static enum tm_state state_of(const struct tm_jvalue *object, const char *key)
{
	char name[96];
	const struct tm_jvalue *value;
	const char *word;

	snprintf(name, sizeof(name), "%s_reason", key);
	value = tm_jvalue_get(object, name);
	word = value ? tm_jvalue_string(value) : NULL;
	for (int state = TM_KNOWN + 1; word && state <= TM_OFFLINE; state++)
		if (!strcmp(tm_state_reason((enum tm_state)state), word))
			return (enum tm_state)state;
	return TM_UNKNOWN;
}

static int refuse(const char *key, struct tm_error *err)
{
	return tm_error_set(err, EINVAL, "%s: not as `tiermem top` records it", key);
}

static int take_num(const struct tm_jvalue *object, const char *key, struct tm_num *num,
		    struct tm_error *err)
{
	const struct tm_jvalue *value = object ? tm_jvalue_get(object, key) : NULL;
	struct tm_num read = { 0 };

	if (!value)
		*num = tm_num_none(TM_NOT_ASKED);
	else if (tm_jvalue_type(value) == TM_JNULL)
		*num = tm_num_none(state_of(object, key));
	else if (tm_jvalue_u64(value, &read.value))
		return refuse(key, err);
	else
		*num = tm_num_known(read.value);
	return 0;
}

/*
 * The array `key` of `object`: its first member and TM_KNOWN, or the reason why there is none.
 * -EINVAL where it is something else.
 */
static int take_array(const struct tm_jvalue *object, const char *key, enum tm_state *state,
		      const struct tm_jvalue **first, struct tm_error *err)
{
	const struct tm_jvalue *value = object ? tm_jvalue_get(object, key) : NULL;

	*first = NULL;
	*state = TM_KNOWN;
	if (!value) {
		*state = TM_NOT_ASKED;
	} else if (tm_jvalue_type(value) == TM_JNULL) {
		*state = state_of(object, key);
	} else {
		if (tm_jvalue_type(value) != TM_JARRAY)
			return refuse(key, err);
		*first = tm_jvalue_first(value);
	}
	return 0;
}

static int parse_cpus(struct tm_interrupts *in, const struct tm_jvalue *cpu, struct tm_error *err)
{
	for (in->nr_cpus = 0; cpu; cpu = tm_jvalue_next(cpu)) {
		uint64_t id;

		if (tm_jvalue_u64(cpu, &id) || id > TM_ID_MAX ||
		    (in->nr_cpus && (int)id <= in->cpus[in->nr_cpus - 1]))
			return refuse("cpus", err);
		if (tm_array_grow(&in->cpus, in->nr_cpus, &in->cap_cpus, sizeof(*in->cpus)))
			return tm_error_nomem(err);
		in->cpus[in->nr_cpus++] = (int)id;
	}
	return 0;
}

static int parse_row(struct tm_interrupts *in, enum tm_irq irq, const struct tm_jvalue *object,
		     struct tm_error *err)
{
	struct tm_irq_row *row = &in->rows[irq];
	const struct tm_jvalue *count;
	int rc = take_array(object, tm_irq_name(irq), &row->state, &count, err);

	for (row->nr = 0; count && !rc; count = tm_jvalue_next(count))
		if (row->nr == in->nr_cpus || tm_jvalue_u64(count, &row->counts[row->nr++]))
			rc = refuse(tm_irq_name(irq), err);
	return rc;
}

static int parse_interrupts(struct tm_interrupts *in, const struct tm_jvalue *object,
			    struct tm_error *err)
{
	const struct tm_jvalue *cpu;
	int rc = take_array(object, "cpus", &in->state, &cpu, err);

	if (!rc)
		rc = parse_cpus(in, cpu, err);
	if (!rc && tm_interrupts_reserve(in))
		rc = tm_error_nomem(err);
	for (int irq = 0; irq < TM_IRQS && !rc; irq++) {
		if (in->state == TM_KNOWN)
			rc = parse_row(in, (enum tm_irq)irq, object, err);
		else
			in->rows[irq] = (struct tm_irq_row){ in->state, in->rows[irq].counts, 0 };
	}
	return rc;
}

static int parse_counters(struct tm_counters *counters, const struct tm_jvalue *object,
			  struct tm_error *err)
{
	int rc = 0;

	for (int i = 0; i < TM_COUNTERS && !rc; i++) {
		const char *name = tm_counter_name((enum tm_counter)i);

		if (object && !tm_jvalue_get(object, name))
			counters->value[i] = tm_num_none(TM_UNSUPPORTED);
		else
			rc = take_num(object, name, &counters->value[i], err);
	}
	return rc;
}

static int parse_node(struct tm_node_sample *node, const struct tm_jvalue *object,
		      struct tm_error *err)
{
	const struct tm_jvalue *numastat = tm_jvalue_get(object, "numastat");
	struct tm_num id = { 0 };
	int rc = take_num(object, "id", &id, err);

	if (!rc && (!tm_num_is(&id) || id.value > TM_ID_MAX))
		rc = refuse("id", err);
	if (!rc)
		rc = take_num(object, "total_bytes", &node->total_bytes, err);
	if (!rc)
		rc = take_num(object, "free_bytes", &node->free_bytes, err);
	for (int k = 0; k < TM_NUMASTATS && !rc; k++)
		rc = take_num(numastat, tm_numastat_name((enum tm_numastat)k), &node->numastat[k],
			      err);
	if (!rc)
		rc = parse_counters(&node->vmstat, tm_jvalue_get(object, "vmstat"), err);
	if (!rc)
		node->id = (int)id.value;
	return rc;
}

static int parse_nodes(struct tm_node_samples *nodes, const struct tm_jvalue *object,
		       struct tm_error *err)
{
	const struct tm_jvalue *node;
	int rc = take_array(object, "nodes", &nodes->state, &node, err);

	for (nodes->nr = 0; node && !rc; node = tm_jvalue_next(node)) {
		if (tm_array_grow(&nodes->list, nodes->nr, &nodes->cap, sizeof(*nodes->list)))
			return tm_error_nomem(err);
		rc = parse_node(&nodes->list[nodes->nr++], node, err);
	}
	return rc;
}

static int parse_size(struct tm_size_sample *size, const struct tm_jvalue *object,
		      struct tm_error *err)
{
	struct tm_num bytes = { 0 };
	int rc = take_num(object, "size_bytes", &bytes, err);

	if (!rc && !tm_num_is(&bytes))
		rc = refuse("size_bytes", err);
	for (int k = 0; k < TM_SIZE_COUNTERS && !rc; k++)
		rc = take_num(object, tm_size_counter_name((enum tm_size_counter)k),
			      &size->value[k], err);
	if (!rc)
		size->size_bytes = bytes.value;
	return rc;
}

static int parse_sizes(struct tm_size_samples *sizes, const struct tm_jvalue *object,
		       struct tm_error *err)
{
	const struct tm_jvalue *size;
	int rc = take_array(object, "sizes", &sizes->state, &size, err);

	for (sizes->nr = 0; size && !rc; size = tm_jvalue_next(size)) {
		if (tm_array_grow(&sizes->list, sizes->nr, &sizes->cap, sizeof(*sizes->list)))
			return tm_error_nomem(err);
		rc = parse_size(&sizes->list[sizes->nr++], size, err);
	}
	return rc;
}

static int parse_flush(struct tm_event_samples *events, const struct tm_jvalue *flush,
		       struct tm_error *err)
{
	int rc = 0;

	for (int reason = 0; reason < TM_FLUSH_REASONS && !rc; reason++) {
		for (int pages = 0; pages < TM_FLUSH_PAGES && !rc; pages++) {
			int cell = tm_flush_cell((enum tm_flush_reason)reason,
						 (enum tm_flush_pages)pages);
			char name[TM_EVENT_CELL_NAME];

			if (cell < 0)
				continue;
			tm_event_cell_name(name, (enum tm_flush_reason)reason,
					   (enum tm_flush_pages)pages);
			rc = take_num(flush, name, &events->flush[cell], err);
		}
	}
	return rc;
}

static int parse_event(struct tm_event_samples *events, const struct tm_jvalue *object,
		       struct tm_error *err)
{
	const struct tm_jvalue *name = tm_jvalue_get(object, "name");
	const struct tm_jvalue *scaled = tm_jvalue_get(object, "scaled");
	struct tm_event_sample *event;
	int flag = 0;

	if (!name || !tm_jvalue_string(name))
		return refuse("name", err);
	if (scaled && tm_jvalue_bool(scaled, &flag))
		return refuse("scaled", err);
	event = tm_event_samples_add(events, tm_jvalue_string(name));
	if (!event)
		return tm_error_nomem(err);
	event->scaled = flag;
	return take_num(object, "count", &event->count, err);
}

static int parse_events(struct tm_event_samples *events, const struct tm_jvalue *object,
			struct tm_error *err)
{
	const struct tm_jvalue *event;
	enum tm_state state;
	int rc;

	tm_event_samples_none(events, TM_NOT_ASKED);
	rc = parse_flush(events, tm_jvalue_get(object, "flush"), err);
	if (!rc)
		rc = take_array(object, "pmu", &state, &event, err);
	for (; !rc && event; event = tm_jvalue_next(event))
		rc = parse_event(events, event, err);
	return rc;
}

static int parse_memory(struct tm_process_sample *process, const struct tm_jvalue *object,
			struct tm_error *err)
{
	const struct tm_jvalue *entry;
	int rc = take_array(object, "memory", &process->memory_state, &entry, err);
	int last = -1;

	for (; entry && !rc; entry = tm_jvalue_next(entry)) {
		struct tm_num node = { 0 }, bytes = { 0 };

		rc = take_num(entry, "node", &node, err);
		if (!rc)
			rc = take_num(entry, "bytes", &bytes, err);
		if (rc)
			break;
		if (!tm_num_is(&node) || !tm_num_is(&bytes) || node.value > TM_ID_MAX ||
		    (int)node.value <= last)
			return refuse("memory", err);
		last = (int)node.value;
		if (tm_process_sample_add_memory(process, last, bytes.value))
			return tm_error_nomem(err);
	}
	return rc;
}

static int parse_process(struct tm_process_samples *processes, const struct tm_jvalue *object,
			 struct tm_error *err)
{
	struct tm_process_sample *process = tm_process_samples_add(processes);
	const struct tm_jvalue *pid = tm_jvalue_get(object, "pid");
	const struct tm_jvalue *start = tm_jvalue_get(object, "start");
	const struct tm_jvalue *value = tm_jvalue_get(object, "name");
	const char *name = value ? tm_jvalue_string(value) : NULL;
	int64_t number;
	int rc;

	if (!process)
		return tm_error_nomem(err);
	if (!pid || tm_jvalue_i64(pid, &number) || number < -1 || number > INT32_MAX)
		return refuse("pid", err);
	process->pid = (int)number;
	if (!start || tm_jvalue_u64(start, &process->start))
		return refuse("start", err);
	if (!name || strlen(name) >= sizeof(process->name))
		return refuse("name", err);
	strcpy(process->name, name);
	rc = take_num(object, "initiated", &process->initiated, err);
	if (!rc)
		rc = take_num(object, "received", &process->received, err);
	if (!rc)
		rc = take_num(object, "migrated", &process->migrated, err);
	if (!rc)
		rc = take_num(object, "resident_bytes", &process->resident_bytes, err);
	return rc ? rc : parse_memory(process, object, err);
}

static int parse_processes(struct tm_process_samples *processes, const struct tm_jvalue *object,
			   struct tm_error *err)
{
	const struct tm_jvalue *process;
	struct tm_num lost = { 0 };
	int rc;

	tm_process_samples_none(processes, TM_NOT_ASKED);
	rc = take_num(object, "flushes_lost", &lost, err);
	if (!rc)
		rc = take_array(object, "processes", &processes->state, &process, err);
	if (rc)
		return rc;
	processes->flush_state = lost.state;
	processes->lost = lost.value;
	for (; process && !rc; process = tm_jvalue_next(process)) {
		if (processes->nr == TM_PROCESSES_MAX)
			return refuse("processes", err);
		rc = parse_process(processes, process, err);
	}
	return rc;
}

int tm_sample_parse(struct tm_sample *sample, const struct tm_jvalue *object, struct tm_error *err)
{
	struct tm_num monotonic = { 0 }, wall = { 0 };
	int rc = take_num(object, "time_ns", &monotonic, err);

	if (!rc)
		rc = take_num(object, "wall_ns", &wall, err);
	if (!rc && (!tm_num_is(&monotonic) || !tm_num_is(&wall)))
		rc = refuse("time_ns", err);
	if (!rc) {
		sample->time_ns = monotonic.value;
		sample->wall_ns = wall.value;
		rc = parse_interrupts(&sample->interrupts, tm_jvalue_get(object, "interrupts"),
				      err);
	}
	if (!rc)
		rc = parse_counters(&sample->vmstat, tm_jvalue_get(object, "vmstat"), err);
	if (!rc)
		rc = parse_nodes(&sample->nodes, object, err);
	if (!rc)
		rc = parse_sizes(&sample->sizes, object, err);
	if (!rc)
		rc = parse_events(&sample->events, object, err);
	if (!rc)
		rc = parse_processes(&sample->processes, object, err);
	return rc;
}
