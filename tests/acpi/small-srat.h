/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An SRAT without faults, for tables that are checked against one: CPUs in the domains 0 and 1,
 * memory in 0, 1 and 2, a generic port in 3.
 */
#ifndef TESTS_ACPI_SMALL_SRAT_H
#define TESTS_ACPI_SMALL_SRAT_H

#include <stdint.h>

#include "lib/acpi/srat.h"
#include "tests/fuzz/fuzz.h"

/* clang-format off */
static const uint8_t small_srat[] = {
	'S', 'R', 'A', 'T', 248, 0, 0, 0, 3, 0xd7, 'T', 'I', 'E', 'R', 'M', 'M',
	'T', 'E', 'S', 'T', 'D', 'A', 'T', 'A', 1, 0, 0, 0, 'T', 'M', 'E', 'M', 1, 0, 0, 0,
	1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* 48: x2APIC 0 in 0, 1 in 1 */
	2, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	2, 24, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* 96: 1 GiB each, at 0, 4 and 8 GiB */
	1, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0,
	0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 40, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0,
	0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 40, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0,
	0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* 216: the port of ACPI0016, _UID 12 */
	6, 32, 0, 0, 3, 0, 0, 0, 'A', 'C', 'P', 'I', '0', '0', '1', '6', 12, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 0, 0, 0, 0,
};
/* clang-format on */

/* Its nodes, made once. */
static inline const struct tm_srat_nodes *small_srat_nodes(void)
{
	static struct tm_srat_nodes nodes;
	struct tm_acpi_findings findings = { 0 };
	struct tm_acpi_table table;

	if (nodes.nr)
		return &nodes;
	CHECK(!tm_acpi_table_parse(&table, TM_ACPI_SRAT, "small", small_srat, sizeof(small_srat),
				   &findings, NULL));
	CHECK(!findings.nr);
	CHECK(!tm_srat_nodes(&table, NULL, &nodes, NULL));
	CHECK(nodes.nr == 4);
	tm_acpi_table_release(&table);
	return &nodes;
}

#endif
