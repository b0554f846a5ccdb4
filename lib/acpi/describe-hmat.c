/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * HMAT, ACPI 6.2 (revision 1) and 6.3 to 6.6 (revision 2). Revision 0, which none defines, is read
 * like 1.
 */
#include "lib/acpi/describe.h"

const struct tm_acpi_name tm_acpi_hierarchies[] = {
	{ 0, "memory" },
	{ 1, "first-level-cache" },
	{ 2, "second-level-cache" },
	{ 3, "third-level-cache" },
	{ 0, NULL },
};

/* Revision 1 had one more level, below the memory-side caches. */
static const struct tm_acpi_name hierarchies_1[] = {
	{ 0, "memory" },
	{ 1, "last-level-memory" },
	{ 2, "first-level-cache" },
	{ 3, "second-level-cache" },
	{ 4, "third-level-cache" },
	{ 0, NULL },
};

/* Bits 4 and 5 of the byte. */
const struct tm_acpi_name tm_acpi_transfer_flags[] = {
	{ 0, "minimum-transfer-size" },
	{ 1, "non-sequential" },
	{ 0, NULL },
};

const struct tm_acpi_name tm_acpi_data_types[] = {
	{ 0, "access-latency" },
	{ 1, "read-latency" },
	{ 2, "write-latency" },
	{ 3, "access-bandwidth" },
	{ 4, "read-bandwidth" },
	{ 5, "write-bandwidth" },
	{ 0, NULL },
};

const struct tm_acpi_name tm_acpi_cache_levels[] = {
	{ 0, "none" }, { 1, "one" }, { 2, "two" }, { 3, "three" }, { 0, NULL },
};

const struct tm_acpi_name tm_acpi_associativities[] = {
	{ 0, "none" },
	{ 1, "direct-mapped" },
	{ 2, "complex" },
	{ 0, NULL },
};

const struct tm_acpi_name tm_acpi_write_policies[] = {
	{ 0, "none" },
	{ 1, "write-back" },
	{ 2, "write-through" },
	{ 0, NULL },
};

static const struct tm_acpi_name domain_flags[] = {
	{ 0, "initiator-valid" },
	{ 0, NULL },
};

static const struct tm_acpi_name domain_flags_1[] = {
	{ 0, "initiator-valid" },
	{ 1, "memory-valid" },
	{ 2, "reservation-hint" },
	{ 0, NULL },
};

static const struct tm_acpi_name address_modes[] = {
	{ 0, "unspecified" },
	{ 1, "extended-linear" },
	{ 0, NULL },
};

#define STRUCTURE_HEADER                                                  \
	FIELD("type", "Type", 0, 2, NUMBER),                              \
		FIELD("header_reserved", "Reserved", 2, 2, MUST_BE_ZERO), \
		FIELD("length_bytes", "Length", 4, 4, SIZE)

static const struct tm_acpi_field header_fields[] = {
	TM_ACPI_HEADER_FIELDS,
	FIELD("reserved", "Reserved", 36, 4, MUST_BE_ZERO),
};

static const struct tm_acpi_field domain_fields_1[] = {
	STRUCTURE_HEADER,
	FIELD("flags", "Flags", 8, 2, FLAGS, .names = domain_flags_1),
	FIELD("reserved1", "Reserved", 10, 2, MUST_BE_ZERO),
	FIELD("initiator_domain", "Processor Proximity Domain", 12, 4, NUMBER),
	FIELD("memory_domain", "Memory Proximity Domain", 16, 4, NUMBER),
	FIELD("reserved2", "Reserved", 20, 4, MUST_BE_ZERO),
	FIELD("base_address", "System Physical Address Range Base", 24, 8, ADDRESS),
	FIELD("range_bytes", "System Physical Address Range Length", 32, 8, SIZE),
};

static const struct tm_acpi_field domain_fields[] = {
	STRUCTURE_HEADER,
	FIELD("flags", "Flags", 8, 2, FLAGS, .names = domain_flags),
	FIELD("reserved1", "Reserved", 10, 2, MUST_BE_ZERO),
	FIELD("initiator_domain", "Proximity Domain for Attached Initiator", 12, 4, NUMBER),
	FIELD("memory_domain", "Proximity Domain for the Memory", 16, 4, NUMBER),
	FIELD("reserved2", "Reserved", 20, 4, MUST_BE_ZERO),
	FIELD("reserved3", "Reserved", 24, 8, MUST_BE_ZERO),
	FIELD("reserved4", "Reserved", 32, 8, MUST_BE_ZERO),
};

#define LOCALITY_COUNTS_AND_LISTS                                                           \
	FIELD("initiator_count", "Number of Initiator Proximity Domains", 12, 4, NUMBER),   \
		FIELD("target_count", "Number of Target Proximity Domains", 16, 4, NUMBER), \
		FIELD("reserved2", "Reserved", 20, 4, MUST_BE_ZERO),                        \
		FIELD("base_unit", "Entry Base Unit", 24, 8, NUMBER),                       \
		FIELD("initiators", "Initiator Proximity Domain List", 32, 4, LIST,         \
		      .rows = "initiator_count"),                                           \
		FIELD("targets", "Target Proximity Domain List", 0, 4, LIST,                \
		      .rows = "target_count"),                                              \
		FIELD("entries", "Entry", 0, 2, MATRIX, .rows = "initiator_count",          \
		      .columns = "target_count")

static const struct tm_acpi_field locality_fields_1[] = {
	STRUCTURE_HEADER,
	FIELD("hierarchy", "Memory Hierarchy", 8, 1, CHOICE, .bits = 4, .names = hierarchies_1),
	FIELD("flags", "Flags", 8, 1, MUST_BE_ZERO, .shift = 4, .bits = 4),
	FIELD("data_type", "Data Type", 9, 1, CHOICE, .names = tm_acpi_data_types),
	FIELD("reserved1", "Reserved", 10, 2, MUST_BE_ZERO),
	LOCALITY_COUNTS_AND_LISTS,
};

static const struct tm_acpi_field locality_fields[] = {
	STRUCTURE_HEADER,
	FIELD("hierarchy", "Memory Hierarchy", 8, 1, CHOICE, .bits = 4,
	      .names = tm_acpi_hierarchies),
	FIELD("flags", "Flags", 8, 1, FLAGS, .shift = 4, .bits = 4,
	      .names = tm_acpi_transfer_flags),
	FIELD("data_type", "Data Type", 9, 1, CHOICE, .names = tm_acpi_data_types),
	FIELD("min_transfer_size", "Minimum Transfer Size", 10, 1, NUMBER),
	FIELD("reserved1", "Reserved", 11, 1, MUST_BE_ZERO),
	LOCALITY_COUNTS_AND_LISTS,
};

#define CACHE_BEFORE_MODE                                                                  \
	STRUCTURE_HEADER, FIELD("memory_domain", "Memory Proximity Domain", 8, 4, NUMBER), \
		FIELD("reserved1", "Reserved", 12, 4, MUST_BE_ZERO),                       \
		FIELD("size_bytes", "Memory Side Cache Size", 16, 8, SIZE),                \
		TM_ACPI_CACHE_ATTRIBUTES(24)

#define CACHE_AFTER_MODE                                                                      \
	FIELD("smbios_count", "Number of SMBIOS Handles", 30, 2, NUMBER),                     \
		FIELD("smbios_handles", "SMBIOS Handle", 32, 2, LIST, .rows = "smbios_count", \
		      .element = TM_ACPI_HEX)

static const struct tm_acpi_field cache_fields_1[] = {
	CACHE_BEFORE_MODE,
	FIELD("reserved2", "Reserved", 28, 2, MUST_BE_ZERO),
	CACHE_AFTER_MODE,
};

static const struct tm_acpi_field cache_fields[] = {
	CACHE_BEFORE_MODE,
	FIELD("address_mode", "Address Mode", 28, 2, CHOICE, .names = address_modes),
	CACHE_AFTER_MODE,
};

static const struct tm_acpi_struct structs[] = {
	STRUCT(0, "memory-range", "Memory Subsystem Address Range", 40, domain_fields_1,
	       .to_revision = 1),
	STRUCT(0, "memory-domain", "Memory Proximity Domain Attributes", 40, domain_fields,
	       .from_revision = 2),
	STRUCT(1, "locality", "System Locality Latency and Bandwidth Information", 32,
	       locality_fields_1, .to_revision = 1),
	STRUCT(1, "locality", "System Locality Latency and Bandwidth Information", 32,
	       locality_fields, .from_revision = 2),
	STRUCT(2, "cache", "Memory Side Cache Information", 32, cache_fields_1, .to_revision = 1),
	STRUCT(2, "cache", "Memory Side Cache Information", 32, cache_fields, .from_revision = 2),
};

const struct tm_acpi_table_desc tm_acpi_hmat_desc = {
	.name = "HMAT",
	.header_size = 40,
	.length_at = 4,
	.revision_at = 8,
	.last_revision = 2,
	.unknown_revision = TM_ACPI_REFUSED,
	.bad_checksum = TM_ACPI_ERROR,
	.type_size = 2,
	.entry_length_at = 4,
	.entry_length_size = 4,
	.header = STRUCT(0, "header", "Heterogeneous Memory Attribute Table", 40, header_fields),
	.structs = structs,
	.nr_structs = TM_ARRAY_SIZE(structs),
};
