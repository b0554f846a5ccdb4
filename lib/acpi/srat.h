/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an SRAT says: which proximity domain CPUs, memory and devices belong to; and which node the
 * kernel makes of a domain.
 */
#ifndef TM_ACPI_SRAT_H
#define TM_ACPI_SRAT_H

#include "lib/acpi/table.h"

enum tm_srat_kind {
	TM_SRAT_CPU,
	TM_SRAT_MEMORY,
	TM_SRAT_ITS, /* an interrupt translation service */
	TM_SRAT_INITIATOR,
	TM_SRAT_PORT, /* a CXL host bridge, say */
};

enum tm_srat_handle { TM_SRAT_HANDLE_ACPI = 0, TM_SRAT_HANDLE_PCI = 1 };

struct tm_srat_affinity {
	size_t offset;
	unsigned type;
	enum tm_srat_kind kind;
	uint32_t domain; /* in revision 1, 8 bits of it for APIC and memory */
	bool enabled;

	uint32_t cpu; /* CPU: APIC id, x2APIC id or ACPI processor UID, by the type */

	uint64_t base; /* memory */
	uint64_t length;
	bool hot_pluggable;
	bool non_volatile;
	bool specific_purpose;

	unsigned handle_type; /* initiator and port: enum tm_srat_handle, or reserved */
	char hid[9];	      /* ACPI */
	uint32_t uid;
	unsigned segment; /* PCI */
	unsigned bus;
	unsigned device;
	unsigned function;
};

/* False where the structure is of no known type or too short. */
bool tm_srat_affinity(const struct tm_acpi_table *srat, const struct tm_acpi_entry *entry,
		      struct tm_srat_affinity *affinity);

/* What a domain has. */
enum tm_srat_has {
	TM_SRAT_HAS_CPU = 1,
	TM_SRAT_HAS_MEMORY = 2,
	TM_SRAT_HAS_INITIATOR = 4,
	TM_SRAT_HAS_PORT = 8,
	TM_SRAT_HAS_WINDOW = 16, /* made up by the kernel for a CXL window that SRAT leaves out */
};

struct tm_srat_node {
	uint32_t domain;
	int node;
	unsigned has; /* of enum tm_srat_has */
	/*
	 * The number is a guess: a port whose domain has nothing else gets a node only if something
	 * later asks for one, or shares its domain's number with one that the kernel made up.
	 */
	bool doubtful;
	uint64_t base; /* of the window */
	uint64_t length;
};

struct tm_srat_nodes {
	struct tm_srat_node *list; /* in the order of the domains */
	size_t nr;
};

/*
 * Domain to node, as Linux numbers them: by first appearance, first over enabled CPUs and generic
 * initiators in the table's order, then over enabled memory; then a new domain above all of these
 * for each CXL window that shares no address with SRAT's memory; then ports. `cedt` may be NULL.
 * 0 or -ENOMEM.
 */
int tm_srat_nodes(const struct tm_acpi_table *srat, const struct tm_acpi_table *cedt,
		  struct tm_srat_nodes *nodes, struct tm_error *err);
void tm_srat_nodes_release(struct tm_srat_nodes *nodes);

/* NULL where there is none. */
const struct tm_srat_node *tm_srat_domain(const struct tm_srat_nodes *nodes, uint32_t domain);
const struct tm_srat_node *tm_srat_node(const struct tm_srat_nodes *nodes, int node);

/* An enabled memory range. */
struct tm_srat_range {
	uint64_t base;
	uint64_t last; /* the last address in it */
	uint32_t domain;
	size_t offset;
};

/* The enabled ranges that have a length, by base; those past the last address end there. */
int tm_srat_ranges(const struct tm_acpi_table *srat, struct tm_srat_range **ranges, size_t *nr,
		   struct tm_error *err);

#endif
