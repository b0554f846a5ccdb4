/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tiermem.stat/1 document from a file. What is not there, or is of another kind than it should
 * be, is refused by name; keys that are not known are passed over. Summaries are made anew from the
 * values.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/files.h"
#include "cmd/stat-record.h"
#include "lib/base/idset.h"
#include "lib/json/parse.h"

/* Ten thousand CPUs and a hundred runs stay below. */
#define DOCUMENT_MAX (64u << 20)

struct parser {
	struct stat_record *record;
	const char *name; /* of the file */
	struct tm_error *err;
};

static int refuse(const struct parser *p, const char *where, const char *key)
{
	return tm_error_set(p->err, EBADMSG, "%s: %s%s: missing, or not as it should be", p->name,
			    where, key);
}

static int take_text(const struct parser *p, const struct tm_jvalue *object, const char *where,
		     const char *key, struct tm_text *text)
{
	const struct tm_jvalue *value = tm_jvalue_get(object, key);
	const char *string = value ? tm_jvalue_string(value) : NULL;

	if (!value || (!string && tm_jvalue_type(value) != TM_JNULL))
		return refuse(p, where, key);
	if (!string)
		return 0;
	text->value = strdup(string);
	if (!text->value)
		return tm_error_nomem(p->err);
	text->state = TM_KNOWN;
	return 0;
}

static bool is_null(const struct tm_jvalue *value)
{
	return value && tm_jvalue_type(value) == TM_JNULL;
}

/* A whole number up to `most`, or null, which leaves *number as it is. */
static int take_number(const struct parser *p, const struct tm_jvalue *object, const char *where,
		       const char *key, uint64_t most, uint64_t *number)
{
	const struct tm_jvalue *value = tm_jvalue_get(object, key);
	uint64_t taken;

	if (is_null(value))
		return 0;
	if (!value || tm_jvalue_u64(value, &taken) || taken > most)
		return refuse(p, where, key);
	*number = taken;
	return 0;
}

static int take_id(const struct parser *p, const struct tm_jvalue *object, const char *where,
		   const char *key, int *id)
{
	uint64_t number = UINT64_MAX;
	int rc = take_number(p, object, where, key, TM_ID_MAX, &number);

	if (!rc)
		*id = number == UINT64_MAX ? -1 : (int)number;
	return rc;
}

static int take_word(const struct parser *p, const struct tm_jvalue *object, const char *where,
		     const char *key, const char *const *words, size_t nr, size_t *index)
{
	const struct tm_jvalue *value = tm_jvalue_get(object, key);
	const char *string = value ? tm_jvalue_string(value) : NULL;

	for (size_t i = 0; string && i < nr; i++)
		if (!strcmp(words[i], string)) {
			*index = i;
			return 0;
		}
	return refuse(p, where, key);
}

static const struct tm_jvalue *get_of_type(const struct tm_jvalue *object, const char *key,
					   enum tm_jtype type)
{
	const struct tm_jvalue *value = tm_jvalue_get(object, key);

	return value && tm_jvalue_type(value) == type ? value : NULL;
}

static size_t count(const struct tm_jvalue *array)
{
	size_t nr = 0;

	for (const struct tm_jvalue *v = tm_jvalue_first(array); v; v = tm_jvalue_next(v))
		nr++;
	return nr;
}

static int take_command(const struct parser *p, const struct tm_jvalue *document)
{
	const struct tm_jvalue *array = get_of_type(document, "command", TM_JARRAY);
	size_t nr = 0;

	if (!array)
		return is_null(tm_jvalue_get(document, "command")) ? 0 : refuse(p, "", "command");
	p->record->command = calloc(count(array) + 1, sizeof(*p->record->command));
	if (!p->record->command)
		return tm_error_nomem(p->err);
	for (const struct tm_jvalue *v = tm_jvalue_first(array); v; v = tm_jvalue_next(v)) {
		const char *word = tm_jvalue_string(v);

		if (!word)
			return refuse(p, "", "command");
		p->record->command[nr] = strdup(word);
		if (!p->record->command[nr++])
			return tm_error_nomem(p->err);
	}
	return 0;
}

static int take_node(const struct parser *p, const struct tm_jvalue *row)
{
	struct stat_machine *machine = &p->record->machine;
	struct stat_node node = { .id = -1 };
	uint64_t total = UINT64_MAX;
	int rc = take_id(p, row, "machine.nodes.", "id", &node.id);

	if (!rc && node.id < 0)
		rc = refuse(p, "machine.nodes.", "id");
	if (!rc)
		rc = take_number(p, row, "machine.nodes.", "memory_total_bytes", UINT64_MAX - 1,
				 &total);
	if (rc)
		return rc;
	if (total != UINT64_MAX)
		node.memory_total = tm_num_known(total);
	if (tm_array_grow(&machine->nodes, machine->nr_nodes, &machine->cap_nodes,
			  sizeof(*machine->nodes)))
		return tm_error_nomem(p->err);
	machine->nodes[machine->nr_nodes++] = node;
	return 0;
}

static int take_machine(const struct parser *p, const struct tm_jvalue *document)
{
	const struct tm_jvalue *object = get_of_type(document, "machine", TM_JOBJECT);
	const struct tm_jvalue *nodes = object ? get_of_type(object, "nodes", TM_JARRAY) : NULL;
	struct stat_machine *machine = &p->record->machine;
	uint64_t page = 0;
	int rc;

	if (!nodes)
		return refuse(p, "", object ? "machine.nodes" : "machine");
	rc = take_text(p, object, "machine.", "cpu_model", &machine->cpu_model);
	if (!rc)
		rc = take_text(p, object, "machine.", "online_cpus", &machine->online_cpus);
	if (!rc)
		rc = take_number(p, object, "machine.", "page_size_bytes", UINT64_MAX, &page);
	/* Who has not asked has not got it. */
	if (!rc && tm_jvalue_get(object, "blind"))
		rc = take_text(p, object, "machine.", "blind", &machine->blind);
	if (page)
		machine->page_size = tm_num_known(page);
	for (const struct tm_jvalue *v = tm_jvalue_first(nodes); v && !rc; v = tm_jvalue_next(v))
		rc = take_node(p, v);
	return rc;
}

static int take_runs(const struct parser *p, const struct tm_jvalue *document)
{
	const struct tm_jvalue *array = get_of_type(document, "runs", TM_JARRAY);
	int rc = 0;

	if (!array || !tm_jvalue_first(array))
		return refuse(p, "", "runs");
	for (const struct tm_jvalue *v = tm_jvalue_first(array); v && !rc; v = tm_jvalue_next(v)) {
		uint64_t code = 0, number = 0;

		rc = take_number(p, v, "runs.", "exit_code", 255, &code);
		if (!rc)
			rc = take_number(p, v, "runs.", "signal", 255, &number);
		if (!rc && stat_record_run(p->record))
			rc = tm_error_nomem(p->err);
		if (!rc)
			p->record->runs[p->record->nr_runs - 1] =
				(struct stat_run){ (int)code, (int)number };
	}
	return rc;
}

static int take_values(const struct parser *p, const char *where, const struct tm_jvalue *row,
		       struct stat_value *values)
{
	const struct tm_jvalue *array = get_of_type(row, "values", TM_JARRAY);
	const struct tm_jvalue *reasons = get_of_type(row, "value_reasons", TM_JARRAY);
	const struct tm_jvalue *scaled = get_of_type(row, "values_scaled", TM_JARRAY);
	const struct tm_jvalue *value, *reason, *estimate;
	size_t nr = p->record->nr_runs;

	if (!array || count(array) != nr)
		return refuse(p, where, "values");
	if (!reasons || count(reasons) != nr)
		return refuse(p, where, "value_reasons");
	if (!scaled || count(scaled) != nr)
		return refuse(p, where, "values_scaled");
	value = tm_jvalue_first(array);
	reason = tm_jvalue_first(reasons);
	estimate = tm_jvalue_first(scaled);
	for (size_t i = 0; i < nr; i++) {
		int is_scaled;

		if (is_null(value)) {
			values[i] = stat_value_none(tm_jvalue_string(reason));
		} else {
			values[i] = (struct stat_value){ .known = true };
			if (tm_jvalue_u64(value, &values[i].value))
				return refuse(p, where, "values");
		}
		if (tm_jvalue_bool(estimate, &is_scaled))
			return refuse(p, where, "values_scaled");
		values[i].scaled = is_scaled;
		value = tm_jvalue_next(value);
		reason = tm_jvalue_next(reason);
		estimate = tm_jvalue_next(estimate);
	}
	return 0;
}

static int take_key(const struct parser *p, const char *where, const struct tm_jvalue *row,
		    struct stat_key *key)
{
	const struct tm_jvalue *name = tm_jvalue_get(row, "name");
	size_t group = 0, scope = 0, unit = 0;
	int rc;

	*key = (struct stat_key){ .name = name ? tm_jvalue_string(name) : NULL };
	if (!key->name)
		return refuse(p, where, "name");
	rc = take_word(p, row, where, "group", stat_group_words, STAT_GROUPS, &group);
	if (!rc)
		rc = take_word(p, row, where, "scope", stat_scope_words, STAT_SCOPES, &scope);
	if (!rc)
		rc = take_word(p, row, where, "unit", stat_unit_words, STAT_UNITS, &unit);
	if (!rc)
		rc = take_id(p, row, where, "cpu", &key->cpu);
	if (!rc)
		rc = take_id(p, row, where, "node", &key->node);
	if (!rc)
		rc = take_number(p, row, where, "size_bytes", UINT64_MAX, &key->size_bytes);
	key->group = (enum stat_group)group;
	key->scope = (enum stat_scope)scope;
	key->unit = (enum stat_unit)unit;
	return rc;
}

static int take_counter(const struct parser *p, const struct tm_jvalue *row, size_t index)
{
	struct stat_value *values = calloc(p->record->nr_runs, sizeof(*values));
	struct stat_key key;
	char where[48];
	int rc;

	if (!values)
		return tm_error_nomem(p->err);
	snprintf(where, sizeof(where), "counters[%zu].", index);
	rc = take_key(p, where, row, &key);
	if (!rc)
		rc = take_values(p, where, row, values);
	if (!rc)
		rc = stat_record_put(p->record, &key, values);
	free(values);
	if (rc == -EEXIST)
		return tm_error_set(p->err, EBADMSG, "%s: %s%.100s is there twice", p->name, where,
				    key.name);
	return rc == -ENOMEM ? tm_error_nomem(p->err) : rc;
}

int stat_record_take_machine(struct stat_record *record, const struct tm_jvalue *document,
			     const char *name, struct tm_error *err)
{
	const struct parser p = { record, name, err };
	int rc = take_text(&p, document, "", "kernel", &record->kernel);

	if (!rc)
		rc = take_text(&p, document, "", "host", &record->host);
	if (!rc)
		rc = take_text(&p, document, "", "boot_id", &record->boot_id);
	return rc ? rc : take_machine(&p, document);
}

int stat_record_take_counters(struct stat_record *record, const struct tm_jvalue *object,
			      const char *name, struct tm_error *err)
{
	const struct tm_jvalue *array = get_of_type(object, "counters", TM_JARRAY);
	const struct parser p = { record, name, err };
	size_t index = 0;
	int rc = 0;

	if (!array)
		return refuse(&p, "", "counters");
	for (const struct tm_jvalue *v = tm_jvalue_first(array); v && !rc; v = tm_jvalue_next(v))
		rc = take_counter(&p, v, index++);
	return rc;
}

static int take_schema(const struct parser *p, const struct tm_jvalue *document)
{
	const struct tm_jvalue *value = tm_jvalue_get(document, "schema");
	const char *schema = value ? tm_jvalue_string(value) : NULL;

	if (!schema)
		return tm_error_set(p->err, EBADMSG, "%s: names no schema", p->name);
	if (strcmp(schema, "tiermem.stat/1") != 0) {
		tm_error_set(p->err, EBADMSG, "%s: a %.100s document, and no tiermem.stat/1",
			     p->name, schema);
		tm_error_hint(p->err, "`tiermem stat -o FILE -- COMMAND` writes one");
		return -EBADMSG;
	}
	return 0;
}

static int take_document(const struct parser *p, const struct tm_jvalue *document)
{
	struct stat_record *record = p->record;
	size_t scope = 0;
	int rc = take_schema(p, document);

	if (!rc)
		rc = stat_record_take_machine(record, document, p->name, p->err);
	if (!rc)
		rc = take_command(p, document);
	if (!rc)
		rc = take_number(p, document, "", "pid", UINT64_MAX, &record->pid);
	if (!rc)
		rc = take_word(p, document, "", "events_of", stat_scope_words, STAT_SCOPES, &scope);
	record->scope = (enum stat_scope)scope;
	if (!rc)
		rc = take_runs(p, document);
	return rc ? rc : stat_record_take_counters(record, document, p->name, p->err);
}

int stat_record_read(struct stat_record *record, const char *name, struct tm_error *err)
{
	struct parser p = { record, name, err };
	struct tm_buf text = TM_BUF_INIT;
	struct tm_jdoc *doc = NULL;
	int rc = file_read(name, DOCUMENT_MAX, &text, err);

	if (!rc)
		rc = tm_jdoc_parse(name, tm_buf_str(&text), text.len, &doc, err);
	tm_buf_release(&text);
	if (!rc)
		rc = take_document(&p, tm_jdoc_root(doc));
	tm_jdoc_free(doc);
	if (rc)
		stat_record_release(record);
	return rc;
}
