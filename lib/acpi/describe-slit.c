/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SLIT: one square of bytes. */
#include "lib/acpi/describe.h"

static const struct tm_acpi_field header_fields[] = {
	TM_ACPI_HEADER_FIELDS,
};

static const struct tm_acpi_field square_fields[] = {
	FIELD("localities", "Number of System Localities", 0, 8, NUMBER),
	FIELD("distances", "Locality", 8, 1, MATRIX, .rows = "localities", .columns = "localities"),
};

static const struct tm_acpi_struct structs[] = {
	STRUCT(0, "distances", "System Localities", 8, square_fields),
};

const struct tm_acpi_table_desc tm_acpi_slit_desc = {
	.name = "SLIT",
	.header_size = 36,
	.length_at = 4,
	.revision_at = 8,
	.last_revision = 1,
	.unknown_revision = TM_ACPI_WARNING,
	.bad_checksum = TM_ACPI_ERROR,
	.header = STRUCT(0, "header", "System Locality Information Table", 36, header_fields),
	.structs = structs,
	.nr_structs = TM_ARRAY_SIZE(structs),
};
