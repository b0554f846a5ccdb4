/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SRAT, up to ACPI 6.6. Revision 1 had 8 bits for a proximity domain; what follows them there was
 * reserved, and is ignored by the kernel too.
 */
#include "lib/acpi/describe.h"

static const struct tm_acpi_name enabled[] = {
	{ 0, "enabled" },
	{ 0, NULL },
};

static const struct tm_acpi_name memory_flags[] = {
	{ 0, "enabled" }, { 1, "hot-pluggable" }, { 2, "non-volatile" }, { 3, "specific-purpose" },
	{ 0, NULL },
};

static const struct tm_acpi_name generic_flags[] = {
	{ 0, "enabled" },
	{ 1, "architectural-transactions" },
	{ 0, NULL },
};

static const struct tm_acpi_name handle_types[] = {
	{ 0, "acpi" },
	{ 1, "pci" },
	{ 0, NULL },
};

#define STRUCTURE_HEADER \
	FIELD("type", "Type", 0, 1, NUMBER), FIELD("length_bytes", "Length", 1, 1, SIZE)

static const struct tm_acpi_field header_fields[] = {
	TM_ACPI_HEADER_FIELDS,
	FIELD("table_revision", "Table Revision", 36, 4, NUMBER),
	FIELD("reserved", "Reserved", 40, 8, MUST_BE_ZERO),
};

#define APIC_BEFORE_HIGH                                                               \
	STRUCTURE_HEADER, FIELD("domain_low", "Proximity Domain [7:0]", 2, 1, NUMBER), \
		FIELD("apic_id", "APIC ID", 3, 1, NUMBER),                             \
		FIELD("flags", "Flags", 4, 4, FLAGS, .names = enabled),                \
		FIELD("sapic_eid", "Local SAPIC EID", 8, 1, NUMBER)

static const struct tm_acpi_field apic_fields_1[] = {
	APIC_BEFORE_HIGH,
	FIELD("reserved1", "Reserved", 9, 3, MUST_BE_ZERO),
	FIELD("clock_domain", "Clock Domain", 12, 4, NUMBER),
};

static const struct tm_acpi_field apic_fields[] = {
	APIC_BEFORE_HIGH,
	FIELD("domain_high", "Proximity Domain [31:8]", 9, 3, NUMBER),
	FIELD("clock_domain", "Clock Domain", 12, 4, NUMBER),
};

#define MEMORY_AFTER_DOMAIN                                                   \
	FIELD("base_address", "Base Address", 8, 8, ADDRESS),                 \
		FIELD("range_bytes", "Length", 16, 8, SIZE),                  \
		FIELD("reserved2", "Reserved", 24, 4, MUST_BE_ZERO),          \
		FIELD("flags", "Flags", 28, 4, FLAGS, .names = memory_flags), \
		FIELD("reserved3", "Reserved", 32, 8, MUST_BE_ZERO)

static const struct tm_acpi_field memory_fields_1[] = {
	STRUCTURE_HEADER,
	FIELD("domain", "Proximity Domain", 2, 1, NUMBER),
	FIELD("reserved1", "Reserved", 3, 5, MUST_BE_ZERO),
	MEMORY_AFTER_DOMAIN,
};

static const struct tm_acpi_field memory_fields[] = {
	STRUCTURE_HEADER,
	FIELD("domain", "Proximity Domain", 2, 4, NUMBER),
	FIELD("reserved1", "Reserved", 6, 2, MUST_BE_ZERO),
	MEMORY_AFTER_DOMAIN,
};

static const struct tm_acpi_field x2apic_fields[] = {
	STRUCTURE_HEADER,
	FIELD("reserved1", "Reserved", 2, 2, MUST_BE_ZERO),
	FIELD("domain", "Proximity Domain", 4, 4, NUMBER),
	FIELD("apic_id", "X2APIC ID", 8, 4, NUMBER),
	FIELD("flags", "Flags", 12, 4, FLAGS, .names = enabled),
	FIELD("clock_domain", "Clock Domain", 16, 4, NUMBER),
	FIELD("reserved2", "Reserved", 20, 4, MUST_BE_ZERO),
};

static const struct tm_acpi_field gicc_fields[] = {
	STRUCTURE_HEADER,
	FIELD("domain", "Proximity Domain", 2, 4, NUMBER),
	FIELD("processor_uid", "ACPI Processor UID", 6, 4, NUMBER),
	FIELD("flags", "Flags", 10, 4, FLAGS, .names = enabled),
	FIELD("clock_domain", "Clock Domain", 14, 4, NUMBER),
};

static const struct tm_acpi_field its_fields[] = {
	STRUCTURE_HEADER,
	FIELD("domain", "Proximity Domain", 2, 4, NUMBER),
	FIELD("reserved1", "Reserved", 6, 2, MUST_BE_ZERO),
	FIELD("its_id", "ITS ID", 8, 4, NUMBER),
};

#define GENERIC_BEFORE_HANDLE                                                                    \
	STRUCTURE_HEADER, FIELD("reserved1", "Reserved", 2, 1, MUST_BE_ZERO),                    \
		FIELD("handle_type", "Device Handle Type", 3, 1, CHOICE, .names = handle_types), \
		FIELD("domain", "Proximity Domain", 4, 4, NUMBER)

#define GENERIC_AFTER_HANDLE                                           \
	FIELD("flags", "Flags", 24, 4, FLAGS, .names = generic_flags), \
		FIELD("reserved3", "Reserved", 28, 4, MUST_BE_ZERO)

static const struct tm_acpi_field acpi_device_fields[] = {
	GENERIC_BEFORE_HANDLE,
	FIELD("hid", "ACPI _HID", 8, 8, STRING),
	FIELD("uid", "ACPI _UID", 16, 4, NUMBER),
	FIELD("reserved2", "Reserved", 20, 4, MUST_BE_ZERO),
	GENERIC_AFTER_HANDLE,
};

static const struct tm_acpi_field pci_device_fields[] = {
	GENERIC_BEFORE_HANDLE,
	FIELD("pci_segment", "PCI Segment", 8, 2, NUMBER),
	FIELD("pci_bus", "PCI Bus", 10, 1, HEX),
	FIELD("pci_device", "PCI Device", 11, 1, HEX, .shift = 3, .bits = 5),
	FIELD("pci_function", "PCI Function", 11, 1, HEX, .bits = 3),
	FIELD("reserved2", "Reserved", 12, 12, MUST_BE_ZERO),
	GENERIC_AFTER_HANDLE,
};

static const struct tm_acpi_field other_device_fields[] = {
	GENERIC_BEFORE_HANDLE,
	FIELD("handle", "Device Handle", 8, 16, BYTES),
	GENERIC_AFTER_HANDLE,
};

static const struct tm_acpi_field rintc_fields[] = {
	STRUCTURE_HEADER,
	FIELD("reserved1", "Reserved", 2, 2, MUST_BE_ZERO),
	FIELD("domain", "Proximity Domain", 4, 4, NUMBER),
	FIELD("processor_uid", "ACPI Processor UID", 8, 4, NUMBER),
	FIELD("flags", "Flags", 12, 4, FLAGS, .names = enabled),
	FIELD("clock_domain", "Clock Domain", 16, 4, NUMBER),
};

/* The kind of device handle is the byte at 3; the last row takes what has neither. */
#define GENERIC(type, key, label)                                                               \
	STRUCT(type, key, label, 32, acpi_device_fields, .variant_at = 3, .variant = 0),        \
		STRUCT(type, key, label, 32, pci_device_fields, .variant_at = 3, .variant = 1), \
		STRUCT(type, key, label, 32, other_device_fields)

static const struct tm_acpi_struct structs[] = {
	STRUCT(0, "apic", "Processor Local APIC/SAPIC Affinity", 16, apic_fields_1,
	       .to_revision = 1),
	STRUCT(0, "apic", "Processor Local APIC/SAPIC Affinity", 16, apic_fields,
	       .from_revision = 2),
	STRUCT(1, "memory", "Memory Affinity", 40, memory_fields_1, .to_revision = 1),
	STRUCT(1, "memory", "Memory Affinity", 40, memory_fields, .from_revision = 2),
	STRUCT(2, "x2apic", "Processor Local x2APIC Affinity", 24, x2apic_fields),
	STRUCT(3, "gicc", "GICC Affinity", 18, gicc_fields),
	STRUCT(4, "its", "GIC Interrupt Translation Service Affinity", 12, its_fields),
	GENERIC(5, "generic-initiator", "Generic Initiator Affinity"),
	GENERIC(6, "generic-port", "Generic Port Affinity"),
	STRUCT(7, "rintc", "RINTC Affinity", 20, rintc_fields),
};

const struct tm_acpi_table_desc tm_acpi_srat_desc = {
	.name = "SRAT",
	.header_size = 48,
	.length_at = 4,
	.revision_at = 8,
	.last_revision = 3,
	.unknown_revision = TM_ACPI_WARNING,
	.bad_checksum = TM_ACPI_ERROR,
	.type_size = 1,
	.entry_length_at = 1,
	.entry_length_size = 1,
	.header = STRUCT(0, "header", "System Resource Affinity Table", 48, header_fields),
	.structs = structs,
	.nr_structs = TM_ARRAY_SIZE(structs),
};
