/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of each table, for table.c; the lists are in describe-*.c. */
#ifndef TM_ACPI_DESCRIBE_H
#define TM_ACPI_DESCRIBE_H

#include "lib/acpi/table.h"
#include "lib/base/compiler.h"

#define FIELD TM_ACPI_FIELD
#define STRUCT TM_ACPI_STRUCT

struct tm_acpi_table_desc {
	const char *name;
	uint8_t header_size; /* where the structures begin */
	uint8_t length_at;   /* of the table's own length, 4 bytes */
	uint8_t revision_at;
	uint8_t last_revision; /* 1 to this one are known */
	enum tm_acpi_severity unknown_revision;
	enum tm_acpi_severity bad_checksum;
	/* How a structure begins. type_size 0: all that follows is one structure of type 0. */
	uint8_t type_size;
	uint8_t entry_length_at;
	uint8_t entry_length_size;
	struct tm_acpi_struct header;
	const struct tm_acpi_struct *structs;
	size_t nr_structs;
};

extern const struct tm_acpi_table_desc tm_acpi_hmat_desc;
extern const struct tm_acpi_table_desc tm_acpi_srat_desc;
extern const struct tm_acpi_table_desc tm_acpi_slit_desc;
extern const struct tm_acpi_table_desc tm_acpi_cedt_desc;
extern const struct tm_acpi_table_desc tm_acpi_cdat_desc;

/* The 36 bytes that all tables but CDAT begin with. */
#define TM_ACPI_HEADER_FIELDS                                         \
	FIELD("signature", "Signature", 0, 4, STRING),                \
		FIELD("length_bytes", "Length", 4, 4, SIZE),          \
		FIELD("revision", "Revision", 8, 1, NUMBER),          \
		FIELD("checksum", "Checksum", 9, 1, HEX),             \
		FIELD("oem_id", "OEM ID", 10, 6, STRING),             \
		FIELD("oem_table_id", "OEM Table ID", 16, 8, STRING), \
		FIELD("oem_revision", "OEM Revision", 24, 4, HEX),    \
		FIELD("creator_id", "Creator ID", 28, 4, STRING),     \
		FIELD("creator_revision", "Creator Revision", 32, 4, HEX)

/* Which of the fields of a flags byte and a cache's attributes HMAT and CDAT share. */
extern const struct tm_acpi_name tm_acpi_hierarchies[];
extern const struct tm_acpi_name tm_acpi_transfer_flags[];
extern const struct tm_acpi_name tm_acpi_data_types[];
extern const struct tm_acpi_name tm_acpi_cache_levels[];
extern const struct tm_acpi_name tm_acpi_associativities[];
extern const struct tm_acpi_name tm_acpi_write_policies[];

#define TM_ACPI_CACHE_ATTRIBUTES(at)                                                         \
	FIELD("total_levels", "Total Cache Levels", at, 4, CHOICE, .bits = 4,                \
	      .names = tm_acpi_cache_levels),                                                \
		FIELD("level", "Cache Level", at, 4, CHOICE, .shift = 4, .bits = 4,          \
		      .names = tm_acpi_cache_levels),                                        \
		FIELD("associativity", "Cache Associativity", at, 4, CHOICE, .shift = 8,     \
		      .bits = 4, .names = tm_acpi_associativities),                          \
		FIELD("write_policy", "Write Policy", at, 4, CHOICE, .shift = 12, .bits = 4, \
		      .names = tm_acpi_write_policies),                                      \
		FIELD("line_size_bytes", "Cache Line Size", at, 4, SIZE, .shift = 16, .bits = 16)

#endif
