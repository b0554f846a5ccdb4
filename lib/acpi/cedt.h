/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a CEDT says of CXL: host bridges, and windows of addresses that may lead to devices. */
#ifndef TM_ACPI_CEDT_H
#define TM_ACPI_CEDT_H

#include "lib/acpi/table.h"

/* Windows begin at, and are, multiples of it. */
#define TM_CEDT_WINDOW_UNIT (256ull << 20)

/* A host bridge (CHBS). */
struct tm_cedt_bridge {
	size_t offset;
	uint32_t uid;
	unsigned version; /* 0: CXL 1.1, 1: CXL 2.0 and later */
	uint64_t base;	  /* of its registers */
	uint64_t length;
};

/* A fixed memory window (CFMWS). */
struct tm_cedt_window {
	size_t offset;
	uint64_t base;
	uint64_t length;
	unsigned ways;	      /* 1 to 16; 0: a code that nobody knows */
	uint64_t granularity; /* bytes; 0: a code that nobody knows */
	unsigned granularity_code;
	unsigned arithmetic;	      /* 0 modulo, 1 XOR */
	unsigned restrictions;	      /* enum tm_cedt_restriction */
	unsigned qtg;		      /* the QoS throttling group */
	struct tm_acpi_value targets; /* UIDs of host bridges */
};

enum tm_cedt_restriction {
	TM_CEDT_DEVICE_COHERENT = 1,
	TM_CEDT_HOST_ONLY_COHERENT = 2,
	TM_CEDT_VOLATILE = 4,
	TM_CEDT_PERSISTENT = 8,
	TM_CEDT_FIXED = 16,
	TM_CEDT_BACK_INVALIDATE = 32,
};

/* Maps for windows with XOR arithmetic of one granularity (CXIMS). */
struct tm_cedt_xor {
	size_t offset;
	uint64_t granularity;
	unsigned granularity_code;
	struct tm_acpi_value maps;
};

/* The event collector to which a downstream port reports (RDPAS). */
struct tm_cedt_collector {
	size_t offset;
	unsigned segment;
	unsigned bus;
	unsigned device;
	unsigned function;
	bool has_protocol; /* the record is long enough for it */
	unsigned protocol; /* 0 CXL.io, 1 CXL.cachemem */
	uint64_t base;
};

/* Each false where the structure is of another type or too short. */
bool tm_cedt_bridge(const struct tm_acpi_table *cedt, const struct tm_acpi_entry *entry,
		    struct tm_cedt_bridge *bridge);
bool tm_cedt_window(const struct tm_acpi_table *cedt, const struct tm_acpi_entry *entry,
		    struct tm_cedt_window *window);
bool tm_cedt_xor(const struct tm_acpi_table *cedt, const struct tm_acpi_entry *entry,
		 struct tm_cedt_xor *maps);
bool tm_cedt_collector(const struct tm_acpi_table *cedt, const struct tm_acpi_entry *entry,
		       struct tm_cedt_collector *collector);

/* Codes for numbers; 0 where a code is reserved. */
unsigned tm_cedt_ways(unsigned code);
uint64_t tm_cedt_granularity(uint64_t code);
/* How many XOR maps a window of so many ways needs. */
unsigned tm_cedt_maps(unsigned ways);

#endif
