/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The firmware tables of a machine, or of files, with all that is wrong with them. */
#ifndef TM_ACPI_LOAD_H
#define TM_ACPI_LOAD_H

#include "lib/acpi/findings.h"
#include "lib/acpi/table.h"
#include "lib/base/value.h"
#include "lib/sys/root.h"

struct tm_acpi {
	struct tm_acpi_table **tables; /* each in its place for good: findings point to it */
	size_t nr;
	size_t cap;
	/* TM_KNOWN where there is such a table. CDAT: the best of all devices and switches. */
	enum tm_state state[TM_ACPI_NR_SIGNATURES];
	struct tm_acpi_findings findings;
};

/*
 * The tables below a root: sys/firmware/acpi/tables/{HMAT,SRAT,SLIT,CEDT} and the CDAT of each
 * sys/bus/cxl/devices/endpointN, then of each portN that is a switch. What cannot be read says so
 * in its state. 0 or -ENOMEM.
 */
int tm_acpi_load(const struct tm_root *root, struct tm_acpi *acpi, struct tm_error *err);

/*
 * The tables of a path outside any root: a binary table, a folder of these, or the text that
 * acpidump prints (this is given to acpixtract). They are known by their contents; where these are
 * damaged, by a name like hmat.dat. A folder's other files are passed over. 0; -ENODATA where there
 * is no table of ours; -ENOENT with a hint where acpixtract is not installed; what open(2) gives.
 */
int tm_acpi_load_path(const char *path, struct tm_acpi *acpi, struct tm_error *err);

/* One table from memory, unchecked. 0 or -ENOMEM. */
int tm_acpi_add(struct tm_acpi *acpi, enum tm_acpi_signature signature, const char *origin,
		const void *data, size_t size, struct tm_error *err);

/* All checks of all tables, against each other too. The functions above that load do it. */
int tm_acpi_check(struct tm_acpi *acpi, struct tm_error *err);

/*
 * The end of each loading, which came to `rc` so far: checks, and hands *loaded over to *acpi, or
 * releases it. 0 or -errno.
 */
int tm_acpi_finish(struct tm_acpi *loaded, struct tm_acpi *acpi, int rc, struct tm_error *err);

void tm_acpi_release(struct tm_acpi *acpi);

/* The first table of that kind, which is the one the others are checked against; or NULL. */
const struct tm_acpi_table *tm_acpi_table(const struct tm_acpi *acpi,
					  enum tm_acpi_signature signature);

#endif
