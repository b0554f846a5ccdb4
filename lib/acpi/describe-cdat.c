/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CDAT, 1.0 to 1.04. It comes from a device, by its mailbox or a switch, and has no signature. */
#include "lib/acpi/describe.h"

static const struct tm_acpi_name memory_flags[] = {
	{ 2, "non-volatile" },
	{ 3, "shareable" },
	{ 4, "hardware-managed-coherency" },
	{ 5, "interconnect-specific-dynamic-capacity" },
	{ 6, "read-only" },
	{ 0, NULL },
};

static const struct tm_acpi_name initiator_flags[] = {
	{ 0, "memory-attached" },
	{ 0, NULL },
};

static const struct tm_acpi_name efi_types[] = {
	{ 0, "conventional" },
	{ 1, "specific-purpose" },
	{ 2, "reserved" },
	{ 0, NULL },
};

#define STRUCTURE_HEADER                                                  \
	FIELD("type", "Type", 0, 1, NUMBER),                              \
		FIELD("header_reserved", "Reserved", 1, 1, MUST_BE_ZERO), \
		FIELD("length_bytes", "Length", 2, 2, SIZE)

static const struct tm_acpi_field header_fields[] = {
	FIELD("length_bytes", "Length", 0, 4, SIZE),
	FIELD("revision", "Revision", 4, 1, NUMBER),
	FIELD("checksum", "Checksum", 5, 1, HEX),
	FIELD("reserved", "Reserved", 6, 6, MUST_BE_ZERO),
	FIELD("sequence", "Sequence", 12, 4, NUMBER),
};

static const struct tm_acpi_field dsmas_fields[] = {
	STRUCTURE_HEADER,
	FIELD("handle", "DSMADHandle", 4, 1, NUMBER),
	FIELD("flags", "Flags", 5, 1, FLAGS, .names = memory_flags),
	FIELD("reserved1", "Reserved", 6, 2, MUST_BE_ZERO),
	FIELD("base_address", "DPA Base", 8, 8, ADDRESS),
	FIELD("range_bytes", "DPA Length", 16, 8, SIZE),
};

static const struct tm_acpi_field dslbis_fields[] = {
	STRUCTURE_HEADER,
	FIELD("handle", "Handle", 4, 1, NUMBER),
	FIELD("hierarchy", "Memory Hierarchy", 5, 1, CHOICE, .bits = 4,
	      .names = tm_acpi_hierarchies),
	FIELD("flags", "Flags", 5, 1, FLAGS, .shift = 4, .bits = 4,
	      .names = tm_acpi_transfer_flags),
	FIELD("data_type", "Data Type", 6, 1, CHOICE, .names = tm_acpi_data_types),
	FIELD("reserved1", "Reserved", 7, 1, MUST_BE_ZERO),
	FIELD("base_unit", "Entry Base Unit", 8, 8, NUMBER),
	FIELD("entries", "Entry", 16, 2, LIST, .fixed = 3),
	FIELD("reserved2", "Reserved", 22, 2, MUST_BE_ZERO),
};

static const struct tm_acpi_field dsmscis_fields[] = {
	STRUCTURE_HEADER,
	FIELD("handle", "DSMASHandle", 4, 1, NUMBER),
	FIELD("reserved1", "Reserved", 5, 3, MUST_BE_ZERO),
	FIELD("size_bytes", "Memory Side Cache Size", 8, 8, SIZE),
	TM_ACPI_CACHE_ATTRIBUTES(16),
};

static const struct tm_acpi_field dsis_fields[] = {
	STRUCTURE_HEADER,
	FIELD("flags", "Flags", 4, 1, FLAGS, .names = initiator_flags),
	FIELD("handle", "Handle", 5, 1, NUMBER),
	FIELD("reserved1", "Reserved", 6, 2, MUST_BE_ZERO),
};

static const struct tm_acpi_field dsemts_fields[] = {
	STRUCTURE_HEADER,
	FIELD("handle", "DSMASHandle", 4, 1, NUMBER),
	FIELD("efi_type", "EFI Memory Type and Attribute", 5, 1, CHOICE, .names = efi_types),
	FIELD("reserved1", "Reserved", 6, 2, MUST_BE_ZERO),
	FIELD("offset_bytes", "DPA Offset", 8, 8, ADDRESS),
	FIELD("range_bytes", "DPA Length", 16, 8, SIZE),
};

/* Port 0x0100 is the one upstream, 0xffff any. */
static const struct tm_acpi_field pair_fields[] = {
	FIELD("x_port", "Port X ID", 0, 2, HEX),
	FIELD("y_port", "Port Y ID", 2, 2, HEX),
	FIELD("entry", "Latency or Bandwidth", 4, 2, NUMBER),
	FIELD("reserved", "Reserved", 6, 2, MUST_BE_ZERO),
};

static const struct tm_acpi_field sslbis_fields[] = {
	STRUCTURE_HEADER,
	FIELD("data_type", "Data Type", 4, 1, CHOICE, .names = tm_acpi_data_types),
	FIELD("reserved1", "Reserved", 5, 3, MUST_BE_ZERO),
	FIELD("base_unit", "Entry Base Unit", 8, 8, NUMBER),
	FIELD("pairs", "SSLBE", 16, 8, RECORDS, TM_ACPI_FIELDS(pair_fields)),
};

static const struct tm_acpi_struct structs[] = {
	STRUCT(0, "dsmas", "Device Scoped Memory Affinity Structure", 24, dsmas_fields),
	STRUCT(1, "dslbis", "Device Scoped Latency and Bandwidth Information Structure", 24,
	       dslbis_fields),
	STRUCT(2, "dsmscis", "Device Scoped Memory Side Cache Information Structure", 20,
	       dsmscis_fields),
	STRUCT(3, "dsis", "Device Scoped Initiator Structure", 8, dsis_fields),
	STRUCT(4, "dsemts", "Device Scoped EFI Memory Type Structure", 24, dsemts_fields),
	STRUCT(5, "sslbis", "Switch Scoped Latency and Bandwidth Information Structure", 16,
	       sslbis_fields),
};

const struct tm_acpi_table_desc tm_acpi_cdat_desc = {
	.name = "CDAT",
	.header_size = 16,
	.length_at = 0,
	.revision_at = 4,
	.last_revision = 2,
	.unknown_revision = TM_ACPI_WARNING,
	.bad_checksum = TM_ACPI_REFUSED,
	.type_size = 1,
	.entry_length_at = 2,
	.entry_length_size = 2,
	.header = STRUCT(0, "header", "Coherent Device Attribute Table", 16, header_fields),
	.structs = structs,
	.nr_structs = TM_ARRAY_SIZE(structs),
};
