/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "lib/acpi/check.h"
#include "lib/acpi/describe.h"

/*
 * For which structures that are too short the kernel drops the whole table: of HMAT all that it
 * knows, of SRAT those of CPUs and memory. Of the others it drops them alone.
 */
static enum tm_acpi_severity too_short(const struct tm_acpi_table *table,
				       const struct tm_acpi_entry *entry)
{
	if (table->signature == TM_ACPI_HMAT)
		return TM_ACPI_REFUSED;
	if (table->signature == TM_ACPI_SRAT && (entry->type <= 3 || entry->type == 7))
		return TM_ACPI_REFUSED;
	return TM_ACPI_ERROR;
}

/* And for which whose lists are too short: it does not look at a cache's handles. */
static enum tm_acpi_severity list_too_short(const struct tm_acpi_table *table,
					    const struct tm_acpi_entry *entry)
{
	return table->signature == TM_ACPI_HMAT && entry->type == 1 ? TM_ACPI_REFUSED :
								      TM_ACPI_ERROR;
}

/* And for which that are too long: those of which it wants the exact size. */
static enum tm_acpi_severity too_long(const struct tm_acpi_table *table,
				      const struct tm_acpi_entry *entry)
{
	return entry->type == 0 && (table->signature == TM_ACPI_HMAT ||
				    table->signature == TM_ACPI_SRAT) ?
		       TM_ACPI_REFUSED :
		       TM_ACPI_WARNING;
}

struct place {
	const struct tm_acpi_table *table;
	const struct tm_acpi_entry *entry;
	struct tm_acpi_findings *findings;
};

static void check_number(const struct place *place, const struct tm_acpi_value *value)
{
	const struct tm_acpi_field *field = value->field;

	switch (field->kind) {
	case TM_ACPI_MUST_BE_ZERO:
		if (!tm_acpi_not_zero(value))
			break;
		if (value->size > 8)
			tm_acpi_find(place->findings, place->table, value->offset, TM_ACPI_RESERVED,
				     TM_ACPI_WARNING, "%s: reserved bytes are not 0",
				     place->entry->desc->label);
		else
			tm_acpi_find(place->findings, place->table, value->offset, TM_ACPI_RESERVED,
				     TM_ACPI_WARNING,
				     "%s: reserved bits are 0x%" PRIx64 " and must be 0",
				     place->entry->desc->label, value->number);
		break;
	case TM_ACPI_FLAGS:
		if (tm_acpi_unnamed_bits(value))
			tm_acpi_find(place->findings, place->table, value->offset, TM_ACPI_RESERVED,
				     TM_ACPI_WARNING,
				     "%s: %s has the reserved bits 0x%" PRIx64 " set",
				     place->entry->desc->label, field->label,
				     tm_acpi_unnamed_bits(value) << field->shift);
		break;
	case TM_ACPI_CHOICE:
		if (!tm_acpi_name_of(field, value->number))
			tm_acpi_find(place->findings, place->table, value->offset, TM_ACPI_RANGE,
				     TM_ACPI_ERROR, "%s: %s is %" PRIu64 ", which is reserved",
				     place->entry->desc->label, field->label, value->number);
		break;
	default:
		break;
	}
}

static void check_records(const struct place *place, const struct tm_acpi_value *records)
{
	struct tm_acpi_value value;

	for (uint64_t i = 0; i < records->count; i++) {
		struct tm_acpi_iter iter = tm_acpi_record(records, i);

		while (tm_acpi_iter_next(&iter, &value))
			check_number(place, &value);
	}
}

static void check_entry(const struct place *place)
{
	const struct tm_acpi_entry *entry = place->entry;
	struct tm_acpi_iter iter = tm_acpi_iter(place->table, entry);
	struct tm_acpi_value value;

	if (!entry->desc) {
		tm_acpi_find(place->findings, place->table, entry->offset, TM_ACPI_RANGE,
			     TM_ACPI_NOTE, "a structure of type %" PRIu32 ", which is not known",
			     entry->type);
		return;
	}
	if (entry->claimed < entry->desc->size)
		tm_acpi_find(place->findings, place->table, entry->offset, TM_ACPI_LENGTH,
			     too_short(place->table, entry), "%s: %zu bytes are too few: it has %u",
			     entry->desc->label, entry->claimed, entry->desc->size);
	while (tm_acpi_iter_next(&iter, &value)) {
		check_number(place, &value);
		if (value.field->kind == TM_ACPI_RECORDS)
			check_records(place, &value);
		/* The one that runs past the table is found already, with its length. */
		if (value.count < value.wanted && entry->claimed <= entry->length &&
		    entry->claimed >= entry->desc->size)
			tm_acpi_find(place->findings, place->table, value.offset, TM_ACPI_LENGTH,
				     list_too_short(place->table, entry),
				     "%s: %" PRIu64 " of %s should follow, and there is room for "
				     "%" PRIu64,
				     entry->desc->label, value.wanted, value.field->label,
				     value.count);
	}
	if (!iter.lost && entry->length >= entry->desc->size && entry->length > iter.end)
		tm_acpi_find(place->findings, place->table, entry->offset + iter.end,
			     TM_ACPI_LENGTH, too_long(place->table, entry),
			     "%s: %zu bytes follow its last field", entry->desc->label,
			     entry->length - iter.end);
}

void tm_acpi_check_fields(const struct tm_acpi_table *table, struct tm_acpi_findings *findings)
{
	struct place place = { table, &table->header, findings };
	struct tm_acpi_iter iter = tm_acpi_iter(table, &table->header);
	struct tm_acpi_value value;

	while (tm_acpi_iter_next(&iter, &value))
		check_number(&place, &value);
	for (size_t i = 0; i < table->nr_entries; i++) {
		place.entry = &table->entries[i];
		check_entry(&place);
	}
}

void tm_acpi_check_table(const struct tm_acpi_table *table, const struct tm_srat_nodes *nodes,
			 struct tm_acpi_findings *findings)
{
	tm_acpi_check_fields(table, findings);
	switch (table->signature) {
	case TM_ACPI_HMAT:
		tm_acpi_check_hmat(table, nodes, findings);
		break;
	case TM_ACPI_SRAT:
		tm_acpi_check_srat(table, findings);
		break;
	case TM_ACPI_SLIT:
		tm_acpi_check_slit(table, nodes, findings);
		break;
	case TM_ACPI_CEDT:
		tm_acpi_check_cedt(table, findings);
		break;
	case TM_ACPI_CDAT:
		tm_acpi_check_cdat(table, findings);
		break;
	case TM_ACPI_NR_SIGNATURES:
		break;
	}
}
