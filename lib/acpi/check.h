/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The semantic checks: what a table that can be read still says wrongly. Each adds findings; memory
 * running out is remembered in them.
 */
#ifndef TM_ACPI_CHECK_H
#define TM_ACPI_CHECK_H

#include "lib/acpi/hmat.h"
#include "lib/acpi/srat.h"

/* All that follow, as they apply to the table. `nodes` are SRAT's, or NULL where there is none. */
void tm_acpi_check_table(const struct tm_acpi_table *table, const struct tm_srat_nodes *nodes,
			 struct tm_acpi_findings *findings);

/* What the field lists alone tell: reserved bits, values without a meaning, lengths. */
void tm_acpi_check_fields(const struct tm_acpi_table *table, struct tm_acpi_findings *findings);

void tm_acpi_check_hmat(const struct tm_acpi_table *hmat, const struct tm_srat_nodes *nodes,
			struct tm_acpi_findings *findings);
void tm_acpi_check_srat(const struct tm_acpi_table *srat, struct tm_acpi_findings *findings);
void tm_acpi_check_slit(const struct tm_acpi_table *slit, const struct tm_srat_nodes *nodes,
			struct tm_acpi_findings *findings);
void tm_acpi_check_cedt(const struct tm_acpi_table *cedt, struct tm_acpi_findings *findings);
void tm_acpi_check_cdat(const struct tm_acpi_table *cdat, struct tm_acpi_findings *findings);

/* How the entries of one structure of latencies or bandwidths come out. */
struct tm_acpi_tally {
	size_t nr[6];	 /* by enum tm_hmat_why */
	size_t first[6]; /* offset of the first one */
};

void tm_acpi_tally(struct tm_acpi_tally *tally, const struct tm_hmat_figure *figure, size_t offset);
/* One finding for each kind of entry that gives no figure that the kernel would take. */
void tm_acpi_check_tally(const struct tm_acpi_table *table, const struct tm_acpi_tally *tally,
			 struct tm_acpi_findings *findings);

#endif
