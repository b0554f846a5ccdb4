/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/stat-record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sample/blind.h"

const char *const stat_scope_words[STAT_SCOPES] = {
	[STAT_SYSTEM] = "system",
	[STAT_COMMAND] = "command",
	[STAT_PROCESS] = "process",
};

const char *const stat_unit_words[STAT_UNITS] = {
	[STAT_COUNT] = "count",
	[STAT_NS] = "ns",
	[STAT_BYTES] = "bytes",
};

const char *const stat_group_words[STAT_GROUPS] = {
	[STAT_TIME] = "time",		[STAT_USAGE] = "usage",	  [STAT_INTERRUPTS] = "interrupts",
	[STAT_FLUSHES] = "flushes",	[STAT_EVENTS] = "events", [STAT_TLB] = "tlb",
	[STAT_MIGRATION] = "migration", [STAT_NUMA] = "numa",	  [STAT_THP] = "thp",
	[STAT_RECLAIM] = "reclaim",	[STAT_SIZES] = "sizes",
};

struct stat_value stat_value_none(const char *reason)
{
	struct stat_value value = { .known = false };

	snprintf(value.reason, sizeof(value.reason), "%s", reason ? reason : "");
	return value;
}

struct stat_value stat_value_of(struct tm_num num)
{
	if (!tm_num_is(&num))
		return stat_value_none(tm_state_reason(num.state));
	return (struct stat_value){ .value = num.value, .known = true };
}

void stat_record_release(struct stat_record *record)
{
	tm_text_release(&record->kernel);
	tm_text_release(&record->host);
	tm_text_release(&record->boot_id);
	tm_text_release(&record->machine.cpu_model);
	tm_text_release(&record->machine.online_cpus);
	tm_text_release(&record->machine.blind);
	free(record->machine.nodes);
	free(record->root);
	for (char **word = record->command; word && *word; word++)
		free(*word);
	free(record->command);
	for (size_t i = 0; i < record->nr_counters; i++) {
		free((char *)record->counters[i].key.name);
		free(record->counters[i].values);
	}
	free(record->counters);
	free(record->runs);
	*record = (struct stat_record){ 0 };
}

/* What a counter's value is in a run that knows nothing of it. */
static struct stat_value no_value(const struct stat_key *key)
{
	if (key->cpu >= 0 || key->node >= 0)
		return stat_value_none(tm_state_reason(TM_OFFLINE));
	return stat_value_none(tm_state_reason(TM_ABSENT));
}

int stat_record_run(struct stat_record *record)
{
	size_t nr = record->nr_runs + 1;

	if (tm_array_grow(&record->runs, record->nr_runs, &record->cap_runs, sizeof(*record->runs)))
		return -ENOMEM;
	for (size_t i = 0; i < record->nr_counters; i++) {
		struct stat_counter *counter = &record->counters[i];
		struct stat_value *values =
			reallocarray(counter->values, nr, sizeof(*counter->values));

		if (!values)
			return -ENOMEM;
		counter->values = values;
		values[nr - 1] = no_value(&counter->key);
	}
	record->runs[nr - 1] = (struct stat_run){ 0 };
	record->nr_runs = nr;
	return 0;
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_keys(const struct stat_key *a, const struct stat_key *b)
{
	int order = ORDER(a->group, b->group);

	if (!order)
		order = ORDER(a->node, b->node);
	if (!order)
		order = ORDER(a->cpu, b->cpu);
	return order ? order : ORDER(a->size_bytes, b->size_bytes);
}

/* The first that does not stand before it. */
static size_t lower_bound(const struct stat_record *record, const struct stat_key *key)
{
	size_t low = 0, high = record->nr_counters;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_keys(&record->counters[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* True, with its place; else false, with the place where it belongs: last of those of its order. */
static bool find(const struct stat_record *record, const struct stat_key *key, size_t *at)
{
	for (*at = lower_bound(record, key); *at < record->nr_counters; ++*at) {
		const struct stat_key *other = &record->counters[*at].key;

		if (compare_keys(other, key) != 0)
			break;
		if (other->scope == key->scope && other->unit == key->unit &&
		    !strcmp(other->name, key->name))
			return true;
	}
	return false;
}

const struct stat_counter *stat_record_find(const struct stat_record *record,
					    const struct stat_key *key)
{
	size_t at;

	return find(record, key, &at) ? &record->counters[at] : NULL;
}

static int insert(struct stat_record *record, const struct stat_key *key, size_t at)
{
	struct stat_counter counter = { .key = *key };
	char *name;

	if (tm_array_grow(&record->counters, record->nr_counters, &record->cap_counters,
			  sizeof(*record->counters)))
		return -ENOMEM;
	name = strdup(key->name);
	counter.values = calloc(record->nr_runs + 1, sizeof(*counter.values));
	if (!name || !counter.values) {
		free(name);
		free(counter.values);
		return -ENOMEM;
	}
	counter.key.name = name;
	for (size_t i = 0; i < record->nr_runs; i++)
		counter.values[i] = no_value(key);
	memmove(&record->counters[at + 1], &record->counters[at],
		(record->nr_counters - at) * sizeof(*record->counters));
	record->counters[at] = counter;
	record->nr_counters++;
	return 0;
}

int stat_record_add(struct stat_record *record, const struct stat_key *key, struct stat_value value)
{
	size_t at;

	if (!find(record, key, &at) && insert(record, key, at))
		return -ENOMEM;
	record->counters[at].values[record->nr_runs - 1] = value;
	return 0;
}

int stat_record_put(struct stat_record *record, const struct stat_key *key,
		    const struct stat_value *values)
{
	size_t at;

	if (find(record, key, &at))
		return -EEXIST;
	if (insert(record, key, at))
		return -ENOMEM;
	memcpy(record->counters[at].values, values, record->nr_runs * sizeof(*values));
	return 0;
}

void stat_key_text(struct tm_buf *text, const struct stat_key *key)
{
	if (key->node >= 0)
		tm_buf_addf(text, "node%d/", key->node);
	if (key->cpu >= 0)
		tm_buf_addf(text, "cpu%d/", key->cpu);
	if (key->size_bytes)
		tm_buf_addf(text, "%llukB/", (unsigned long long)(key->size_bytes >> 10));
	tm_buf_add_printable(text, key->name, strlen(key->name));
}

size_t stat_known_values(const struct stat_record *record, const struct stat_counter *counter,
			 uint64_t *values)
{
	size_t nr = 0;

	for (size_t i = 0; counter && i < record->nr_runs; i++)
		if (counter->values[i].known)
			values[nr++] = counter->values[i].value;
	return nr;
}

bool stat_is_scaled(const struct stat_record *record, const struct stat_counter *counter)
{
	for (size_t i = 0; counter && i < record->nr_runs; i++)
		if (counter->values[i].known && counter->values[i].scaled)
			return true;
	return false;
}

const char *stat_missing_reason(const struct stat_record *record,
				const struct stat_counter *counter)
{
	for (size_t i = 0; counter && i < record->nr_runs; i++)
		if (!counter->values[i].known)
			return counter->values[i].reason;
	return "";
}

const char *stat_explain_blind(const struct stat_machine *machine)
{
	for (int i = 0; machine->blind.state == TM_KNOWN && i < TM_BLINDS; i++)
		if (!strcmp(machine->blind.value, tm_blind_name((enum tm_blind)i)))
			return tm_blind_explain((enum tm_blind)i);
	return NULL;
}
