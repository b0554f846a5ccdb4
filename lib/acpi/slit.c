/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/acpi/slit.h"

bool tm_slit_read(const struct tm_acpi_table *table, struct tm_slit *slit)
{
	struct tm_slit s;

	if (table->signature != TM_ACPI_SLIT || !table->nr_entries ||
	    !tm_acpi_entry_is(table->entries, 0) ||
	    !tm_acpi_value(table, table->entries, "distances", &s.distances))
		return false;
	s.count = s.distances.columns;
	*slit = s;
	return true;
}

int tm_slit_distance(const struct tm_slit *slit, uint64_t from, uint64_t to)
{
	uint64_t n = slit->count, there = slit->distances.count;

	/* No more rows than bytes: then the product cannot wrap. */
	if (from >= n || to >= n || from > there / n || from * n + to >= there)
		return -1;
	return (int)tm_acpi_element(&slit->distances, from * n + to);
}
