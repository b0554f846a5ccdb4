/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a SLIT says: distances between proximity domains, which are its indices. */
#ifndef TM_ACPI_SLIT_H
#define TM_ACPI_SLIT_H

#include "lib/acpi/table.h"

#define TM_SLIT_LOCAL 10
#define TM_SLIT_UNREACHABLE 255

struct tm_slit {
	uint64_t count; /* as the table says; what is not there has no distance */
	struct tm_acpi_value distances;
};

/* False where the table is too short to have any. */
bool tm_slit_read(const struct tm_acpi_table *table, struct tm_slit *slit);
/* -1 where the table ends before it. */
int tm_slit_distance(const struct tm_slit *slit, uint64_t from, uint64_t to);

#endif
