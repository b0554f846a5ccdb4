/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/acpi/field.h"

#include <string.h>

#include "lib/base/compiler.h"

static bool is_list(const struct tm_acpi_field *field)
{
	return field->kind == TM_ACPI_LIST || field->kind == TM_ACPI_MATRIX ||
	       field->kind == TM_ACPI_RECORDS;
}

static uint64_t bits_of(const struct tm_acpi_field *field, uint64_t number)
{
	return field->bits ? number >> field->shift & ((1ull << field->bits) - 1) : number;
}

/* Most keys differ in their first letter. */
static bool same(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}

/* The number in the field of that key; 0 where there is none. */
static uint64_t number_at(const struct tm_acpi_iter *iter, const char *key)
{
	uint64_t number;

	for (size_t i = 0; i < iter->nr; i++) {
		const struct tm_acpi_field *field = &iter->fields[i];

		if (same(field->key, key) &&
		    tm_cursor_peek(&iter->part, field->offset, field->size, &number))
			return bits_of(field, number);
	}
	return 0;
}

static void take_list(struct tm_acpi_iter *iter, const struct tm_acpi_field *field,
		      struct tm_acpi_value *value)
{
	size_t all = tm_cursor_left(&iter->part);
	size_t start = TM_MIN(field->offset ? field->offset : iter->next, all);
	uint64_t fits = (all - start) / field->size;

	value->wanted = field->fixed;
	if (field->rows)
		value->wanted = number_at(iter, field->rows);
	else if (!field->fixed)
		value->wanted = fits;
	if (field->columns) {
		value->columns = number_at(iter, field->columns);
		if (__builtin_mul_overflow(value->wanted, value->columns, &value->wanted))
			value->wanted = UINT64_MAX;
	}
	value->count = TM_MIN(value->wanted, fits);
	iter->lost = value->count < value->wanted;
	value->offset = iter->part.pos + start;
	value->size = (size_t)value->count * field->size;
	value->bytes = iter->part.data + value->offset;
	iter->next = start + value->size;
	iter->end = TM_MAX(iter->end, iter->next);
}

/* A field that is no list; false where the part ends before it does. */
static bool take_single(const struct tm_cursor *part, const struct tm_acpi_field *field,
			struct tm_acpi_value *value)
{
	struct tm_cursor rest = *part;

	if (!tm_cursor_take(&rest, field->offset))
		return false;
	value->offset = rest.pos;
	value->size = field->size;
	value->bytes = tm_cursor_take(&rest, field->size);
	if (!value->bytes)
		return false;
	if (field->size <= 8)
		value->number = bits_of(field, tm_le(value->bytes, field->size));
	return true;
}

bool tm_acpi_iter_next(struct tm_acpi_iter *iter, struct tm_acpi_value *value)
{
	const struct tm_acpi_field *field;

	if (iter->index >= iter->nr || iter->lost)
		return false;
	field = &iter->fields[iter->index++];
	*value = (struct tm_acpi_value){ .field = field };
	if (is_list(field)) {
		take_list(iter, field, value);
		return true;
	}
	if (!take_single(&iter->part, field, value)) {
		iter->index = iter->nr;
		return false;
	}
	iter->end = TM_MAX(iter->end, (size_t)field->offset + field->size);
	return true;
}

bool tm_acpi_iter_find(struct tm_acpi_iter iter, const char *key, struct tm_acpi_value *value)
{
	struct tm_acpi_value found;
	size_t wanted = 0;

	while (wanted < iter.nr && !same(iter.fields[wanted].key, key))
		wanted++;
	if (wanted == iter.nr)
		return false;
	/* Where a list is, only those before it tell. */
	if (is_list(&iter.fields[wanted])) {
		do {
			if (!tm_acpi_iter_next(&iter, &found))
				return false;
		} while (found.field != &iter.fields[wanted]);
	} else {
		found = (struct tm_acpi_value){ .field = &iter.fields[wanted] };
		if (!take_single(&iter.part, found.field, &found))
			return false;
	}
	*value = found;
	return true;
}

struct tm_acpi_iter tm_acpi_record(const struct tm_acpi_value *records, uint64_t i)
{
	size_t size = records->field->size;

	return (struct tm_acpi_iter){
		/* Offsets stay the table's: the bytes begin at `offset` in it. */
		.part = { records->bytes - records->offset, records->offset + (size_t)i * size,
			  records->offset + (size_t)(i + 1) * size },
		.fields = records->field->fields,
		.nr = records->field->nr_fields,
	};
}

uint64_t tm_acpi_element(const struct tm_acpi_value *list, uint64_t i)
{
	return tm_le(list->bytes + (size_t)i * list->field->size, list->field->size);
}

const char *tm_acpi_name_of(const struct tm_acpi_field *field, uint64_t number)
{
	for (const struct tm_acpi_name *name = field->names; name && name->name; name++)
		if (name->value == number)
			return name->name;
	return NULL;
}

uint64_t tm_acpi_unnamed_bits(const struct tm_acpi_value *value)
{
	uint64_t left = value->number;

	for (const struct tm_acpi_name *name = value->field->names; name && name->name; name++)
		left &= ~(1ull << name->value);
	return left;
}

bool tm_acpi_not_zero(const struct tm_acpi_value *value)
{
	if (value->size <= 8)
		return value->number != 0;
	for (size_t i = 0; i < value->size; i++)
		if (value->bytes[i])
			return true;
	return false;
}
