/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One firmware table: a copy of its bytes, cut into structures. Whatever the bytes are, reading
 * them ends, stays inside and gives what is sound; what is not is in the findings.
 */
#ifndef TM_ACPI_TABLE_H
#define TM_ACPI_TABLE_H

#include "lib/acpi/field.h"
#include "lib/acpi/findings.h"
#include "lib/base/error.h"

enum tm_acpi_signature {
	TM_ACPI_HMAT,
	TM_ACPI_SRAT,
	TM_ACPI_SLIT,
	TM_ACPI_CEDT,
	TM_ACPI_CDAT, /* of a device or switch; the table itself bears no signature */
	TM_ACPI_NR_SIGNATURES,
};

/* No table is larger. */
#define TM_ACPI_TABLE_MAX (16 * 1024 * 1024)

struct tm_acpi_entry {
	size_t offset;
	size_t length;			   /* in bytes that are there */
	size_t claimed;			   /* as the structure itself says */
	uint32_t type;			   /* SLIT has no types: 0 */
	const struct tm_acpi_struct *desc; /* NULL: a type that is not known */
};

struct tm_acpi_table_desc; /* describe.h */

struct tm_acpi_table {
	enum tm_acpi_signature signature;
	const struct tm_acpi_table_desc *desc;
	char *origin; /* the file, for people */
	uint8_t *data;
	size_t size; /* bytes that are there */
	size_t used; /* of them, the table's by its own length */
	unsigned revision;
	struct tm_acpi_entry header;
	struct tm_acpi_entry *entries;
	size_t nr_entries;
};

/*
 * Copies the bytes and cuts them. `origin` is copied. 0, or -ENOMEM and *table is empty. Findings
 * keep the table's address: it must not move while they are used.
 */
int tm_acpi_table_parse(struct tm_acpi_table *table, enum tm_acpi_signature signature,
			const char *origin, const void *data, size_t size,
			struct tm_acpi_findings *findings, struct tm_error *err);
void tm_acpi_table_release(struct tm_acpi_table *table);

/* "HMAT" and so on. */
const char *tm_acpi_signature_name(enum tm_acpi_signature signature);

/*
 * Which table these bytes are: by the signature, or for CDAT by its form. False: none of ours.
 */
bool tm_acpi_recognise(const void *data, size_t size, enum tm_acpi_signature *signature);

/* Goes over the fields of table->header or of one of table->entries. */
struct tm_acpi_iter tm_acpi_iter(const struct tm_acpi_table *table,
				 const struct tm_acpi_entry *entry);

/* The field of that key; false where the structure lacks it. */
bool tm_acpi_value(const struct tm_acpi_table *table, const struct tm_acpi_entry *entry,
		   const char *key, struct tm_acpi_value *value);

/* The number of that field; 0 where the structure is too short for it. */
uint64_t tm_acpi_number(const struct tm_acpi_table *table, const struct tm_acpi_entry *entry,
			const char *key);

/* The name of that field's value; NULL where it has none, or the structure lacks the field. */
const char *tm_acpi_choice(const struct tm_acpi_table *table, const struct tm_acpi_entry *entry,
			   const char *key);

/* All of a structure's fixed part is there, and it is of this type. */
static inline bool tm_acpi_entry_is(const struct tm_acpi_entry *entry, uint32_t type)
{
	return entry->desc && entry->type == type && entry->length >= entry->desc->size;
}

/*
 * Into the open object: {"signature", "origin", "header" {...}, "structures" [{"offset", "name",
 * fields...}]}. A structure of a type that is not known has null for its name, and its "type" and
 * "length_bytes".
 */
void tm_acpi_table_json(struct tm_json *json, const struct tm_acpi_table *table);
void tm_acpi_entry_json(struct tm_json *json, const struct tm_acpi_table *table,
			const struct tm_acpi_entry *entry);

#endif
