/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/acpi/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/acpi/describe.h"

/* No machine has so many structures; a hostile table of two-byte ones would. */
#define ENTRIES_MAX 262144

static const struct tm_acpi_table_desc *const descs[TM_ACPI_NR_SIGNATURES] = {
	[TM_ACPI_HMAT] = &tm_acpi_hmat_desc, [TM_ACPI_SRAT] = &tm_acpi_srat_desc,
	[TM_ACPI_SLIT] = &tm_acpi_slit_desc, [TM_ACPI_CEDT] = &tm_acpi_cedt_desc,
	[TM_ACPI_CDAT] = &tm_acpi_cdat_desc,
};

struct reading {
	struct tm_acpi_table *table;
	struct tm_acpi_findings *findings;
	size_t cap;
	bool failed;
};

const char *tm_acpi_signature_name(enum tm_acpi_signature signature)
{
	return descs[signature]->name;
}

/* A CDAT says no name: its length must fit, and its first structure be one of CDAT's. */
static bool looks_like_cdat(const void *data, size_t size)
{
	struct tm_cursor cursor = tm_cursor_make(data, size);
	uint64_t length, revision, reserved, type, first;

	if (!tm_cursor_peek(&cursor, 0, 4, &length) || !tm_cursor_peek(&cursor, 4, 1, &revision) ||
	    !tm_cursor_peek(&cursor, 6, 6, &reserved) || length < tm_acpi_cdat_desc.header_size ||
	    length > size || !revision || revision > tm_acpi_cdat_desc.last_revision || reserved)
		return false;
	if (length == tm_acpi_cdat_desc.header_size)
		return true;
	if (!tm_cursor_peek(&cursor, 16, 1, &type) || !tm_cursor_peek(&cursor, 18, 2, &first))
		return false;
	for (size_t i = 0; i < tm_acpi_cdat_desc.nr_structs; i++)
		if (tm_acpi_cdat_desc.structs[i].type == type)
			return first >= tm_acpi_cdat_desc.structs[i].size;
	return false;
}

bool tm_acpi_recognise(const void *data, size_t size, enum tm_acpi_signature *signature)
{
	for (int i = 0; i < TM_ACPI_CDAT; i++) {
		if (size >= 4 && !memcmp(data, descs[i]->name, 4)) {
			*signature = (enum tm_acpi_signature)i;
			return true;
		}
	}
	if (!looks_like_cdat(data, size))
		return false;
	*signature = TM_ACPI_CDAT;
	return true;
}

static const struct tm_acpi_struct *describe(const struct tm_acpi_table *table, uint32_t type,
					     const struct tm_cursor *part)
{
	for (size_t i = 0; i < table->desc->nr_structs; i++) {
		const struct tm_acpi_struct *s = &table->desc->structs[i];
		uint64_t variant;

		if (s->type != type || table->revision < s->from_revision ||
		    (s->to_revision && table->revision > s->to_revision))
			continue;
		if (!s->variant_at ||
		    (tm_cursor_peek(part, s->variant_at, 1, &variant) && variant == s->variant))
			return s;
	}
	return NULL;
}

static bool add_entry(struct reading *reading, const struct tm_cursor *part, uint32_t type,
		      size_t claimed)
{
	struct tm_acpi_table *table = reading->table;
	struct tm_acpi_entry *entry;

	if (tm_array_grow(&table->entries, table->nr_entries, &reading->cap,
			  sizeof(*table->entries))) {
		reading->failed = true;
		return false;
	}
	entry = &table->entries[table->nr_entries++];
	entry->offset = part->pos;
	entry->length = tm_cursor_left(part);
	entry->claimed = claimed;
	entry->type = type;
	entry->desc = describe(table, type, part);
	return true;
}

/* Takes the next structure off; false where none can follow. */
static bool next_entry(struct reading *reading, struct tm_cursor *rest)
{
	const struct tm_acpi_table_desc *desc = reading->table->desc;
	size_t header = desc->entry_length_at + desc->entry_length_size;
	size_t left = tm_cursor_left(rest), offset = rest->pos;
	uint64_t type = 0, length = 0;
	struct tm_cursor part;

	if (!tm_cursor_peek(rest, 0, desc->type_size, &type) ||
	    !tm_cursor_peek(rest, desc->entry_length_at, desc->entry_length_size, &length)) {
		tm_acpi_find(reading->findings, reading->table, offset, TM_ACPI_LENGTH,
			     TM_ACPI_ERROR, "%zu bytes at the end are too few for a structure",
			     left);
		return false;
	}
	if (length < header) {
		tm_acpi_find(reading->findings, reading->table, offset, TM_ACPI_LENGTH,
			     length ? TM_ACPI_ERROR : TM_ACPI_REFUSED,
			     "a structure of type %" PRIu64 " says that its length is %" PRIu64
			     ": the rest of the table cannot be read",
			     type, length);
		return false;
	}
	if (reading->table->nr_entries >= ENTRIES_MAX) {
		tm_acpi_find(reading->findings, reading->table, offset, TM_ACPI_LENGTH,
			     TM_ACPI_ERROR, "more than %d structures: the rest is not read",
			     ENTRIES_MAX);
		return false;
	}
	if (length > left)
		tm_acpi_find(reading->findings, reading->table, offset, TM_ACPI_LENGTH,
			     TM_ACPI_ERROR,
			     "a structure of type %" PRIu64 " says that its length is %" PRIu64
			     ", and only %zu bytes are left",
			     type, length, left);
	return tm_cursor_sub(rest, (size_t)TM_MIN(length, left), &part) &&
	       add_entry(reading, &part, (uint32_t)type, (size_t)length);
}

static void cut(struct reading *reading, struct tm_cursor rest)
{
	if (!reading->table->desc->type_size) {
		add_entry(reading, &rest, 0, tm_cursor_left(&rest));
		return;
	}
	while (tm_cursor_left(&rest) && next_entry(reading, &rest))
		;
}

static void check_sum(const struct reading *reading)
{
	const struct tm_acpi_table *table = reading->table;
	uint8_t sum = 0;
	size_t at = table->desc->revision_at + 1u;

	for (size_t i = 0; i < table->used; i++)
		sum = (uint8_t)(sum + table->data[i]);
	if (sum)
		tm_acpi_find(reading->findings, table, at, TM_ACPI_CHECKSUM,
			     table->desc->bad_checksum,
			     "the checksum is 0x%02x and should be 0x%02x", table->data[at],
			     (uint8_t)(table->data[at] - sum));
}

/* How far the table goes: by its own word, where that can be true. */
static void find_end(struct reading *reading)
{
	struct tm_acpi_table *table = reading->table;
	struct tm_cursor all = tm_cursor_make(table->data, table->size);
	size_t at = table->desc->length_at;
	uint64_t length = 0;

	table->used = table->size;
	if (!tm_cursor_peek(&all, at, 4, &length) || table->size < table->desc->header_size) {
		tm_acpi_find(reading->findings, table, 0, TM_ACPI_LENGTH, TM_ACPI_ERROR,
			     "%zu bytes are too few: the header alone has %u", table->size,
			     table->desc->header_size);
	} else if (length < table->desc->header_size) {
		tm_acpi_find(reading->findings, table, at, TM_ACPI_LENGTH, TM_ACPI_ERROR,
			     "the table says that its length is %" PRIu64
			     ", and its header alone has %u",
			     length, table->desc->header_size);
	} else if (length > table->size) {
		tm_acpi_find(reading->findings, table, at, TM_ACPI_LENGTH, TM_ACPI_ERROR,
			     "the table says that its length is %" PRIu64
			     ", and %zu bytes are there",
			     length, table->size);
	} else {
		table->used = (size_t)length;
		if (table->used < table->size)
			tm_acpi_find(reading->findings, table, table->used, TM_ACPI_LENGTH,
				     TM_ACPI_WARNING, "%zu bytes follow the end of the table",
				     table->size - table->used);
		check_sum(reading);
	}
}

static void read_header(struct reading *reading)
{
	struct tm_acpi_table *table = reading->table;
	const struct tm_acpi_table_desc *desc = table->desc;
	struct tm_cursor all = tm_cursor_make(table->data, table->size), header;
	uint64_t revision = 0;
	size_t length = TM_MIN(table->used, (size_t)desc->header_size);

	table->header = (struct tm_acpi_entry){ 0, length, desc->header_size, 0, &desc->header };
	if (tm_cursor_peek(&all, desc->revision_at, 1, &revision)) {
		table->revision = (unsigned)revision;
		if (!revision || revision > desc->last_revision)
			tm_acpi_find(reading->findings, table, desc->revision_at, TM_ACPI_REVISION,
				     desc->unknown_revision,
				     "revision %" PRIu64 " is not known: 1 to %u are", revision,
				     desc->last_revision);
	}
	if (table->signature != TM_ACPI_CDAT && table->size >= 4 &&
	    memcmp(table->data, desc->name, 4))
		tm_acpi_find(reading->findings, table, 0, TM_ACPI_RANGE, TM_ACPI_ERROR,
			     "the signature is not %s", desc->name);
	all.end = table->used;
	if (tm_cursor_sub(&all, desc->header_size, &header))
		cut(reading, all);
}

int tm_acpi_table_parse(struct tm_acpi_table *table, enum tm_acpi_signature signature,
			const char *origin, const void *data, size_t size,
			struct tm_acpi_findings *findings, struct tm_error *err)
{
	struct reading reading = { table, findings, 0, false };

	*table = (struct tm_acpi_table){
		.signature = signature,
		.desc = descs[signature],
	};
	table->origin = strdup(origin);
	/* To the byte, so that tools see a reading past its end. */
	table->data = malloc(size ? size : 1);
	table->size = size;
	if (table->origin && table->data) {
		if (size)
			memcpy(table->data, data, size);
		find_end(&reading);
		read_header(&reading);
		if (!reading.failed && !findings->failed)
			return 0;
	}
	tm_acpi_table_release(table);
	return tm_error_nomem(err);
}

void tm_acpi_table_release(struct tm_acpi_table *table)
{
	free(table->origin);
	free(table->data);
	free(table->entries);
	*table = (struct tm_acpi_table){ 0 };
}

struct tm_acpi_iter tm_acpi_iter(const struct tm_acpi_table *table,
				 const struct tm_acpi_entry *entry)
{
	return (struct tm_acpi_iter){
		.part = { table->data, entry->offset, entry->offset + entry->length },
		.fields = entry->desc ? entry->desc->fields : NULL,
		.nr = entry->desc ? entry->desc->nr_fields : 0,
	};
}

bool tm_acpi_value(const struct tm_acpi_table *table, const struct tm_acpi_entry *entry,
		   const char *key, struct tm_acpi_value *value)
{
	return tm_acpi_iter_find(tm_acpi_iter(table, entry), key, value);
}

uint64_t tm_acpi_number(const struct tm_acpi_table *table, const struct tm_acpi_entry *entry,
			const char *key)
{
	struct tm_acpi_value value;

	return tm_acpi_value(table, entry, key, &value) ? value.number : 0;
}

const char *tm_acpi_choice(const struct tm_acpi_table *table, const struct tm_acpi_entry *entry,
			   const char *key)
{
	struct tm_acpi_value value;

	if (!tm_acpi_value(table, entry, key, &value))
		return NULL;
	return tm_acpi_name_of(value.field, value.number);
}
