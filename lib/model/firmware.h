/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The firmware's own words beside the kernel's: which node the kernel makes of a proximity domain,
 * and the whole matrix of latencies and bandwidths, of which sysfs has only the best initiators.
 */
#ifndef TM_MODEL_FIRMWARE_H
#define TM_MODEL_FIRMWARE_H

#include "lib/acpi/load.h"
#include "lib/acpi/srat.h"

struct tm_firmware {
	struct tm_acpi acpi;
	struct tm_srat_nodes domains; /* empty without an SRAT */
	/* What sysfs contradicts: the translation of domains to nodes is in doubt. */
	bool doubtful;
	char doubt[160]; /* the first contradiction, in words */
	/* Pairs of HMAT's memory structures, in all. */
	size_t entries;
	size_t not_provided;
	size_t unreachable;
	size_t beyond_kernel; /* the kernel takes them as 0 */
};

void tm_firmware_release(struct tm_firmware *firmware);

/* The CDAT of a port or endpoint by its name; NULL where there is none or it cannot be read. */
const struct tm_acpi_table *tm_firmware_cdat(const struct tm_firmware *firmware, const char *port);

/* The node of a domain, or -1. */
int tm_firmware_node(const struct tm_firmware *firmware, uint32_t domain);

#endif
