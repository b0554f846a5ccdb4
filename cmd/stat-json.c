/* SPDX-License-Identifier: GPL-2.0-only */
/* The tiermem.stat/1 document of a record. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/stat-record.h"
#include "lib/out/document.h"

void stat_summary_json(struct tm_json *json, const struct tm_summary *summary, bool has_values)
{
	const struct {
		const char *key;
		uint64_t value;
	} members[] = {
		{ "median", summary->median },
		{ "min", summary->min },
		{ "max", summary->max },
		{ "median_absolute_deviation", summary->deviation },
	};

	for (size_t i = 0; i < TM_ARRAY_SIZE(members); i++)
		if (has_values)
			tm_json_u64(json, members[i].key, members[i].value);
		else
			tm_json_null(json, members[i].key);
}

static void add_id(struct tm_json *json, const char *key, int id)
{
	if (id >= 0)
		tm_json_u64(json, key, (uint64_t)id);
	else
		tm_json_null(json, key);
}

void stat_key_json(struct tm_json *json, const struct stat_key *key)
{
	tm_json_string(json, "group", stat_group_words[key->group]);
	tm_json_string(json, "name", key->name);
	tm_json_string(json, "scope", stat_scope_words[key->scope]);
	tm_json_string(json, "unit", stat_unit_words[key->unit]);
	add_id(json, "cpu", key->cpu);
	add_id(json, "node", key->node);
	if (key->size_bytes)
		tm_json_u64(json, "size_bytes", key->size_bytes);
	else
		tm_json_null(json, "size_bytes");
}

void stat_machine_json(struct tm_json *json, const struct stat_machine *machine)
{
	tm_json_object(json, "machine");
	tm_json_text(json, "cpu_model", &machine->cpu_model);
	tm_json_text(json, "online_cpus", &machine->online_cpus);
	tm_json_num(json, "page_size_bytes", machine->page_size);
	tm_json_text(json, "blind", &machine->blind);
	tm_json_array(json, "nodes");
	for (size_t i = 0; i < machine->nr_nodes; i++) {
		tm_json_object(json, NULL);
		add_id(json, "id", machine->nodes[i].id);
		tm_json_num(json, "memory_total_bytes", machine->nodes[i].memory_total);
		tm_json_end(json);
	}
	tm_json_end(json);
	tm_json_end(json);
}

static void add_runs(struct tm_json *json, const struct stat_record *record)
{
	tm_json_array(json, "runs");
	for (size_t i = 0; i < record->nr_runs; i++) {
		const struct stat_run *run = &record->runs[i];

		tm_json_object(json, NULL);
		if (record->command && !run->signal)
			tm_json_u64(json, "exit_code", (uint64_t)run->exit_code);
		else
			tm_json_null(json, "exit_code");
		if (run->signal)
			tm_json_u64(json, "signal", (uint64_t)run->signal);
		else
			tm_json_null(json, "signal");
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_values(struct tm_json *json, const struct stat_record *record,
		       const struct stat_counter *counter)
{
	tm_json_array(json, "values");
	for (size_t i = 0; i < record->nr_runs; i++)
		if (counter->values[i].known)
			tm_json_u64(json, NULL, counter->values[i].value);
		else
			tm_json_null(json, NULL);
	tm_json_end(json);
	tm_json_array(json, "value_reasons");
	for (size_t i = 0; i < record->nr_runs; i++) {
		const struct stat_value *value = &counter->values[i];

		tm_json_string(json, NULL, !value->known && *value->reason ? value->reason : NULL);
	}
	tm_json_end(json);
	tm_json_array(json, "values_scaled");
	for (size_t i = 0; i < record->nr_runs; i++)
		tm_json_bool(json, NULL, counter->values[i].known && counter->values[i].scaled);
	tm_json_end(json);
}

int stat_counters_json(struct tm_json *json, const struct stat_record *record)
{
	uint64_t *known = calloc(record->nr_runs + 1, sizeof(*known));
	int rc = known ? 0 : -ENOMEM;

	tm_json_array(json, "counters");
	for (size_t i = 0; !rc && i < record->nr_counters; i++) {
		const struct stat_counter *counter = &record->counters[i];
		size_t nr = stat_known_values(record, counter, known);
		struct tm_summary summary = { 0 };

		if (nr)
			rc = tm_summary_make(known, nr, &summary);
		tm_json_object(json, NULL);
		stat_key_json(json, &counter->key);
		add_values(json, record, counter);
		stat_summary_json(json, &summary, nr > 0);
		tm_json_end(json);
	}
	tm_json_end(json);
	free(known);
	return rc;
}

int stat_record_json(const struct stat_record *record, char **text, struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	struct tm_identity identity = { record->kernel, record->host, record->boot_id,
					record->root };

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin_at(json, "stat", 1, &identity, record->when);
	if (record->command) {
		tm_json_array(json, "command");
		for (char **word = record->command; *word; word++)
			tm_json_string(json, NULL, *word);
		tm_json_end(json);
	} else {
		tm_json_null(json, "command");
	}
	if (record->pid)
		tm_json_u64(json, "pid", record->pid);
	else
		tm_json_null(json, "pid");
	tm_json_string(json, "events_of", stat_scope_words[record->scope]);
	stat_machine_json(json, &record->machine);
	add_runs(json, record);
	if (stat_counters_json(json, record))
		return tm_error_nomem(err);
	return tm_json_print(json, false, text, err);
}
