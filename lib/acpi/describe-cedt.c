/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CEDT, CXL 2.0 to 3.1. */
#include "lib/acpi/describe.h"

static const struct tm_acpi_name versions[] = {
	{ 0, "cxl-1.1" },
	{ 1, "cxl-2.0" },
	{ 0, NULL },
};

static const struct tm_acpi_name ways[] = {
	{ 0, "1" }, { 1, "2" }, { 2, "4" },   { 3, "8" },  { 4, "16" },
	{ 8, "3" }, { 9, "6" }, { 10, "12" }, { 0, NULL },
};

static const struct tm_acpi_name granularities[] = {
	{ 0, "256" },  { 1, "512" },  { 2, "1024" },  { 3, "2048" },
	{ 4, "4096" }, { 5, "8192" }, { 6, "16384" }, { 0, NULL },
};

static const struct tm_acpi_name arithmetics[] = {
	{ 0, "modulo" },
	{ 1, "xor" },
	{ 0, NULL },
};

static const struct tm_acpi_name restrictions[] = {
	{ 0, "device-coherent" },
	{ 1, "host-only-coherent" },
	{ 2, "volatile" },
	{ 3, "persistent" },
	{ 4, "fixed" },
	{ 5, "back-invalidate" },
	{ 0, NULL },
};

static const struct tm_acpi_name protocols[] = {
	{ 0, "cxl.io" },
	{ 1, "cxl.cachemem" },
	{ 0, NULL },
};

#define STRUCTURE_HEADER                                                  \
	FIELD("type", "Type", 0, 1, NUMBER),                              \
		FIELD("header_reserved", "Reserved", 1, 1, MUST_BE_ZERO), \
		FIELD("length_bytes", "Record Length", 2, 2, SIZE)

static const struct tm_acpi_field header_fields[] = {
	TM_ACPI_HEADER_FIELDS,
};

static const struct tm_acpi_field bridge_fields[] = {
	STRUCTURE_HEADER,
	FIELD("uid", "UID", 4, 4, NUMBER),
	FIELD("cxl_version", "CXL Version", 8, 4, CHOICE, .names = versions),
	FIELD("reserved1", "Reserved", 12, 4, MUST_BE_ZERO),
	FIELD("base_address", "Base", 16, 8, ADDRESS),
	FIELD("range_bytes", "Length", 24, 8, SIZE),
};

static const struct tm_acpi_field window_fields[] = {
	STRUCTURE_HEADER,
	FIELD("reserved1", "Reserved", 4, 4, MUST_BE_ZERO),
	FIELD("base_address", "Base HPA", 8, 8, ADDRESS),
	FIELD("range_bytes", "Window Size", 16, 8, SIZE),
	FIELD("interleave_ways", "Encoded Number of Interleave Ways", 24, 1, CHOICE, .names = ways),
	FIELD("interleave_arithmetic", "Interleave Arithmetic", 25, 1, CHOICE,
	      .names = arithmetics),
	FIELD("reserved2", "Reserved", 26, 2, MUST_BE_ZERO),
	FIELD("interleave_granularity", "Host Bridge Interleave Granularity", 28, 4, CHOICE,
	      .names = granularities),
	FIELD("restrictions", "Window Restrictions", 32, 2, FLAGS, .names = restrictions),
	FIELD("qtg_id", "QTG ID", 34, 2, NUMBER),
	/* How many follows from the ways, whose code may be unknown: take what fits. */
	FIELD("targets", "Interleave Target", 36, 4, LIST),
};

static const struct tm_acpi_field xor_fields[] = {
	STRUCTURE_HEADER,
	FIELD("reserved1", "Reserved", 4, 2, MUST_BE_ZERO),
	FIELD("interleave_granularity", "Host Bridge Interleave Granularity", 6, 1, CHOICE,
	      .names = granularities),
	FIELD("map_count", "Number of Bitmap Entries", 7, 1, NUMBER),
	FIELD("maps", "XOR Map", 8, 8, LIST, .rows = "map_count", .element = TM_ACPI_HEX),
};

static const struct tm_acpi_field collector_fields[] = {
	STRUCTURE_HEADER,
	FIELD("pci_segment", "RCEC Segment Number", 4, 2, NUMBER),
	FIELD("pci_bus", "RCEC Bus", 6, 2, HEX, .shift = 8, .bits = 8),
	FIELD("pci_device", "RCEC Device", 6, 2, HEX, .shift = 3, .bits = 5),
	FIELD("pci_function", "RCEC Function", 6, 2, HEX, .bits = 3),
	FIELD("base_address", "Base Address", 8, 8, ADDRESS),
	FIELD("protocol", "Protocol Type", 16, 1, CHOICE, .names = protocols),
	FIELD("reserved1", "Reserved", 17, 3, MUST_BE_ZERO),
};

static const struct tm_acpi_field system_fields[] = {
	STRUCTURE_HEADER,
	FIELD("capabilities", "System Capabilities", 4, 2, HEX),
	FIELD("reserved1", "Reserved", 6, 2, MUST_BE_ZERO),
};

/* CXL 3.0 says of RCEC ports that a record has 16 bytes, and lists 20: the last four may lack. */
static const struct tm_acpi_struct structs[] = {
	STRUCT(0, "host-bridge", "CXL Host Bridge Structure", 32, bridge_fields),
	STRUCT(1, "fixed-window", "CXL Fixed Memory Window Structure", 36, window_fields),
	STRUCT(2, "xor-interleave", "CXL XOR Interleave Math Structure", 8, xor_fields),
	STRUCT(3, "rcec-port", "RCEC Downstream Port Association Structure", 16, collector_fields),
	STRUCT(4, "system", "CXL System Description Structure", 8, system_fields),
};

const struct tm_acpi_table_desc tm_acpi_cedt_desc = {
	.name = "CEDT",
	.header_size = 36,
	.length_at = 4,
	.revision_at = 8,
	.last_revision = 2,
	.unknown_revision = TM_ACPI_WARNING,
	.bad_checksum = TM_ACPI_ERROR,
	.type_size = 1,
	.entry_length_at = 2,
	.entry_length_size = 2,
	.header = STRUCT(0, "header", "CXL Early Discovery Table", 36, header_fields),
	.structs = structs,
	.nr_structs = TM_ARRAY_SIZE(structs),
};
