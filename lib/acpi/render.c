/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields as text and as JSON. */
#include <inttypes.h>
#include <string.h>

#include "lib/acpi/describe.h"
#include "lib/base/units.h"

static void add_hex(struct tm_buf *text, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		tm_buf_addf(text, "%s%02x", i ? " " : "", bytes[i]);
}

/* Without the blanks or NULs that fill it up. */
static void add_string(struct tm_buf *text, const struct tm_acpi_value *value)
{
	size_t len = strnlen((const char *)value->bytes, value->size);

	while (len && value->bytes[len - 1] == ' ')
		len--;
	tm_buf_add_printable(text, (const char *)value->bytes, len);
}

static void add_bits(struct tm_buf *text, const struct tm_acpi_value *value)
{
	const char *between = " (";

	tm_buf_addf(text, "0x%" PRIx64, value->number);
	for (const struct tm_acpi_name *bit = value->field->names; bit->name; bit++) {
		if (!(value->number >> bit->value & 1))
			continue;
		tm_buf_addf(text, "%s%s", between, bit->name);
		between = ", ";
	}
	if (*between == ',')
		tm_buf_addc(text, ')');
}

static void add_number(struct tm_buf *text, enum tm_acpi_kind kind, uint64_t number)
{
	if (kind == TM_ACPI_HEX || kind == TM_ACPI_ADDRESS)
		tm_buf_addf(text, "0x%" PRIx64, number);
	else
		tm_buf_addf(text, "%" PRIu64, number);
}

static void add_list(struct tm_buf *text, const struct tm_acpi_value *value)
{
	for (uint64_t i = 0; i < value->count; i++) {
		if (i)
			tm_buf_addc(text, value->columns && i % value->columns == 0 ? '\n' : ' ');
		add_number(text, value->field->element, tm_acpi_element(value, i));
	}
}

void tm_acpi_value_text(struct tm_buf *text, const struct tm_acpi_value *value, bool raw)
{
	const char *name = tm_acpi_name_of(value->field, value->number);
	char size[TM_UNITS_MAX];

	switch (value->field->kind) {
	case TM_ACPI_SIZE:
		if (!raw) {
			tm_buf_adds(text, tm_format_bytes(size, value->number));
			break;
		}
		/* fallthrough */
	case TM_ACPI_NUMBER:
	case TM_ACPI_HEX:
	case TM_ACPI_ADDRESS:
		add_number(text, value->field->kind, value->number);
		break;
	case TM_ACPI_CHOICE:
		tm_buf_addf(text, "%" PRIu64 " (%s)", value->number, name ? name : "reserved");
		break;
	case TM_ACPI_FLAGS:
		add_bits(text, value);
		break;
	case TM_ACPI_STRING:
		add_string(text, value);
		break;
	case TM_ACPI_MUST_BE_ZERO:
		if (value->size <= 8) {
			tm_buf_addf(text, "0x%" PRIx64, value->number);
			break;
		}
		/* fallthrough */
	case TM_ACPI_BYTES:
		add_hex(text, value->bytes, value->size);
		break;
	case TM_ACPI_LIST:
	case TM_ACPI_MATRIX:
		add_list(text, value);
		break;
	case TM_ACPI_RECORDS:
		tm_buf_addf(text, "%" PRIu64, value->count);
		break;
	}
}

static void json_text(struct tm_json *json, const char *key, const struct tm_acpi_value *value)
{
	struct tm_buf text = TM_BUF_INIT;

	tm_acpi_value_text(&text, value, true);
	tm_json_string(json, key, text.failed ? NULL : tm_buf_str(&text));
	tm_buf_release(&text);
}

static void json_flags(struct tm_json *json, const struct tm_acpi_value *value)
{
	struct tm_buf key = TM_BUF_INIT;

	tm_json_u64(json, value->field->key, value->number);
	tm_buf_addf(&key, "%s_set", value->field->key);
	tm_json_array(json, tm_buf_str(&key));
	for (const struct tm_acpi_name *bit = value->field->names; bit->name; bit++)
		if (value->number >> bit->value & 1)
			tm_json_string(json, NULL, bit->name);
	tm_json_end(json);
	tm_buf_release(&key);
}

static void json_choice(struct tm_json *json, const struct tm_acpi_value *value)
{
	struct tm_buf key = TM_BUF_INIT;

	tm_json_u64(json, value->field->key, value->number);
	tm_buf_addf(&key, "%s_name", value->field->key);
	tm_json_string(json, tm_buf_str(&key), tm_acpi_name_of(value->field, value->number));
	tm_buf_release(&key);
}

static void json_list(struct tm_json *json, const struct tm_acpi_value *value)
{
	tm_json_array(json, value->field->key);
	for (uint64_t i = 0; i < value->count; i++) {
		if (value->columns && i % value->columns == 0)
			tm_json_array(json, NULL);
		tm_json_u64(json, NULL, tm_acpi_element(value, i));
		if (value->columns &&
		    (i % value->columns == value->columns - 1 || i + 1 == value->count))
			tm_json_end(json);
	}
	tm_json_end(json);
}

static void json_records(struct tm_json *json, const struct tm_acpi_value *value)
{
	struct tm_acpi_value inner;

	tm_json_array(json, value->field->key);
	for (uint64_t i = 0; i < value->count; i++) {
		struct tm_acpi_iter iter = tm_acpi_record(value, i);

		tm_json_object(json, NULL);
		while (tm_acpi_iter_next(&iter, &inner))
			tm_acpi_value_json(json, &inner);
		tm_json_end(json);
	}
	tm_json_end(json);
}

void tm_acpi_value_json(struct tm_json *json, const struct tm_acpi_value *value)
{
	switch (value->field->kind) {
	case TM_ACPI_NUMBER:
	case TM_ACPI_HEX:
	case TM_ACPI_ADDRESS:
	case TM_ACPI_SIZE:
		tm_json_u64(json, value->field->key, value->number);
		break;
	case TM_ACPI_CHOICE:
		json_choice(json, value);
		break;
	case TM_ACPI_FLAGS:
		json_flags(json, value);
		break;
	case TM_ACPI_MUST_BE_ZERO:
		if (!tm_acpi_not_zero(value))
			break;
		/* fallthrough */
	case TM_ACPI_STRING:
	case TM_ACPI_BYTES:
		json_text(json, value->field->key, value);
		break;
	case TM_ACPI_LIST:
	case TM_ACPI_MATRIX:
		json_list(json, value);
		break;
	case TM_ACPI_RECORDS:
		json_records(json, value);
		break;
	}
}

void tm_acpi_entry_json(struct tm_json *json, const struct tm_acpi_table *table,
			const struct tm_acpi_entry *entry)
{
	struct tm_acpi_iter iter = tm_acpi_iter(table, entry);
	struct tm_acpi_value value;

	tm_json_u64(json, "offset", entry->offset);
	tm_json_string(json, "name", entry->desc ? entry->desc->key : NULL);
	if (!entry->desc) {
		tm_json_u64(json, "type", entry->type);
		tm_json_u64(json, "length_bytes", entry->claimed);
	}
	while (tm_acpi_iter_next(&iter, &value))
		tm_acpi_value_json(json, &value);
}

void tm_acpi_table_json(struct tm_json *json, const struct tm_acpi_table *table)
{
	struct tm_acpi_iter iter = tm_acpi_iter(table, &table->header);
	struct tm_acpi_value value;

	tm_json_string(json, "signature", table->desc->name);
	tm_json_string(json, "origin", table->origin);
	tm_json_object(json, "header");
	while (tm_acpi_iter_next(&iter, &value))
		tm_acpi_value_json(json, &value);
	tm_json_end(json);
	tm_json_array(json, "structures");
	for (size_t i = 0; i < table->nr_entries; i++) {
		tm_json_object(json, NULL);
		tm_acpi_entry_json(json, table, &table->entries[i]);
		tm_json_end(json);
	}
	tm_json_end(json);
}
