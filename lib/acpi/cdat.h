/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a CXL device or switch says of itself, in its CDAT. */
#ifndef TM_ACPI_CDAT_H
#define TM_ACPI_CDAT_H

#include "lib/acpi/hmat.h"

enum tm_cdat_dsmas_flag {
	TM_CDAT_NON_VOLATILE = 4,
	TM_CDAT_SHAREABLE = 8,
	TM_CDAT_READ_ONLY = 64,
};

/* A range of the device's own addresses (DSMAS), named by a handle. */
struct tm_cdat_range {
	size_t offset;
	unsigned handle;
	unsigned flags;
	uint64_t base;
	uint64_t length;
};

/* A latency or a bandwidth of such a range (DSLBIS). */
struct tm_cdat_perf {
	size_t offset;
	unsigned handle;
	unsigned hierarchy; /* 0: memory, the only one that the kernel takes */
	const char *hierarchy_name;
	unsigned data_type; /* enum tm_hmat_data */
	uint64_t base_unit;
	uint16_t entry[3];	      /* only the first has a meaning for memory */
	struct tm_hmat_figure figure; /* of the first */
};

/* A side cache on the device (DSMSCIS). */
struct tm_cdat_cache {
	size_t offset;
	unsigned handle;
	uint64_t size_bytes;
	unsigned total_levels;
	unsigned level;
	unsigned line_size_bytes;
	const char *associativity_name; /* NULL: reserved */
	const char *write_policy_name;
};

/* An initiator on the device (DSIS). */
struct tm_cdat_initiator {
	size_t offset;
	bool memory_attached; /* the handle is a DSMAS's too */
	unsigned handle;
};

/* What EFI should make of a part of a range (DSEMTS). */
struct tm_cdat_efi {
	size_t offset;
	unsigned handle;
	unsigned efi_type;
	uint64_t base; /* from the start of the range */
	uint64_t length;
};

#define TM_CDAT_PORT_UPSTREAM 0x0100
#define TM_CDAT_PORT_ANY 0xffff

/* Latencies or bandwidths between a switch's ports (SSLBIS). */
struct tm_cdat_switch {
	size_t offset;
	unsigned data_type;
	uint64_t base_unit;
	struct tm_acpi_value pairs;
};

struct tm_cdat_pair {
	unsigned x;
	unsigned y;
	struct tm_hmat_figure figure;
};

/* Each false where the structure is of another type or too short. */
bool tm_cdat_range(const struct tm_acpi_table *cdat, const struct tm_acpi_entry *entry,
		   struct tm_cdat_range *range);
bool tm_cdat_perf(const struct tm_acpi_table *cdat, const struct tm_acpi_entry *entry,
		  struct tm_cdat_perf *perf);
bool tm_cdat_cache(const struct tm_acpi_table *cdat, const struct tm_acpi_entry *entry,
		   struct tm_cdat_cache *cache);
bool tm_cdat_initiator(const struct tm_acpi_table *cdat, const struct tm_acpi_entry *entry,
		       struct tm_cdat_initiator *initiator);
bool tm_cdat_efi(const struct tm_acpi_table *cdat, const struct tm_acpi_entry *entry,
		 struct tm_cdat_efi *efi);
bool tm_cdat_switch(const struct tm_acpi_table *cdat, const struct tm_acpi_entry *entry,
		    struct tm_cdat_switch *ports);
/* The i-th of pairs.count. */
struct tm_cdat_pair tm_cdat_pair(const struct tm_cdat_switch *ports, uint64_t i);

/*
 * Where a range's performance is wanted: the four figures of one handle, memory hierarchy only.
 * An access figure counts for read and write, as the kernel takes it: the last one in the table.
 */
struct tm_cdat_figures {
	struct tm_num read_latency; /* ns */
	struct tm_num write_latency;
	struct tm_num read_bandwidth; /* MB/s */
	struct tm_num write_bandwidth;
};

bool tm_cdat_has_all(const struct tm_cdat_figures *figures);

struct tm_cdat_figures tm_cdat_figures(const struct tm_acpi_table *cdat, unsigned handle);

/* The same of a switch: between its way up and the downstream port of that number. */
struct tm_cdat_figures tm_cdat_port_figures(const struct tm_acpi_table *cdat, unsigned port);

#endif
