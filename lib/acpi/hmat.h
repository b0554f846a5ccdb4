/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an HMAT says: latencies and bandwidths of (initiator, target) pairs, the side caches of
 * memory, and which initiator memory is attached to. All by proximity domain (srat.h translates).
 */
#ifndef TM_ACPI_HMAT_H
#define TM_ACPI_HMAT_H

#include "lib/acpi/table.h"
#include "lib/base/value.h"

enum tm_hmat_data {
	TM_HMAT_ACCESS_LATENCY, /* read and write alike */
	TM_HMAT_READ_LATENCY,
	TM_HMAT_WRITE_LATENCY,
	TM_HMAT_ACCESS_BANDWIDTH,
	TM_HMAT_READ_BANDWIDTH,
	TM_HMAT_WRITE_BANDWIDTH,
	TM_HMAT_NR_DATA, /* this and higher: reserved */
};

static inline bool tm_hmat_is_latency(unsigned data_type)
{
	return data_type <= TM_HMAT_WRITE_LATENCY;
}

enum tm_hmat_why {
	TM_HMAT_VALUE,	       /* a figure like any other */
	TM_HMAT_NOT_PROVIDED,  /* entry 0; in revision 1 also a product below 10 */
	TM_HMAT_UNREACHABLE,   /* entry 0xffff: this initiator cannot reach this target */
	TM_HMAT_BEYOND_KERNEL, /* a figure, but its product has over 32 bits: 0 to the kernel */
	TM_HMAT_TOO_LARGE,     /* the product has over 64 bits */
	TM_HMAT_MISSING,       /* the structure ends before it, or its data type is reserved */
};

/* `num` is in ns or MB/s, and known for TM_HMAT_VALUE and TM_HMAT_BEYOND_KERNEL. */
struct tm_hmat_figure {
	struct tm_num num;
	enum tm_hmat_why why;
};

/* The figure that an entry of HMAT stands for. CDAT's are those of revision 2. */
struct tm_hmat_figure tm_hmat_value(unsigned revision, unsigned data_type, uint16_t entry,
				    uint64_t base_unit);

/* A structure of latencies or bandwidths. */
struct tm_hmat_locality {
	size_t offset; /* of the structure, in the table */
	unsigned revision;
	unsigned hierarchy;	    /* 0: memory */
	const char *hierarchy_name; /* "memory", "first-level-cache", ...; NULL: reserved */
	unsigned data_type;	    /* enum tm_hmat_data, or reserved */
	bool min_transfer;	    /* reached only with transfers of min_transfer_size */
	unsigned min_transfer_size;
	bool non_sequential;
	uint64_t base_unit;
	/* As many as are there; whole: all that the structure says it has. */
	size_t nr_initiators;
	size_t nr_targets;
	bool whole;
	struct tm_acpi_value initiators;
	struct tm_acpi_value targets;
	struct tm_acpi_value entries;
};

/* False where the structure is of another type or too short. */
bool tm_hmat_locality(const struct tm_acpi_table *hmat, const struct tm_acpi_entry *entry,
		      struct tm_hmat_locality *locality);
uint32_t tm_hmat_initiator(const struct tm_hmat_locality *locality, size_t i);
uint32_t tm_hmat_target(const struct tm_hmat_locality *locality, size_t t);
/* Offset in the table of the pair's entry, and the entry; false where it is not there. */
bool tm_hmat_entry(const struct tm_hmat_locality *locality, size_t i, size_t t, uint16_t *entry,
		   size_t *offset);
struct tm_hmat_figure tm_hmat_figure(const struct tm_hmat_locality *locality, size_t i, size_t t);

/* A memory-side cache. */
struct tm_hmat_cache {
	size_t offset;
	uint32_t domain;
	uint64_t size_bytes;
	unsigned total_levels;
	unsigned level; /* 1 is nearest to memory */
	unsigned associativity;
	unsigned write_policy;
	unsigned line_size_bytes;
	unsigned address_mode;
	const char *associativity_name; /* NULL: reserved */
	const char *write_policy_name;
	struct tm_acpi_value smbios_handles;
};

bool tm_hmat_cache(const struct tm_acpi_table *hmat, const struct tm_acpi_entry *entry,
		   struct tm_hmat_cache *cache);

/* Which initiator a memory domain is attached to. */
struct tm_hmat_domain {
	size_t offset;
	bool initiator_valid;
	uint32_t initiator;
	bool memory_valid; /* always, since revision 2 */
	uint32_t memory;
	uint64_t base; /* revision 1 only; else 0 */
	uint64_t length;
};

bool tm_hmat_domain(const struct tm_acpi_table *hmat, const struct tm_acpi_entry *entry,
		    struct tm_hmat_domain *domain);

#endif
