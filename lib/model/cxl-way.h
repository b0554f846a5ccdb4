/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The way from CPUs to CXL devices, as drivers/cxl/core/cdat.c and port.c reckon it: links, the
 * switches on it (their CDAT, SSLBIS), and the host bridge (the generic port of SRAT, by HMAT).
 * Internal to lib/model.
 */
#ifndef TM_MODEL_CXL_WAY_H
#define TM_MODEL_CXL_WAY_H

#include "lib/acpi/cdat.h"
#include "lib/model/read.h"

/* From the best CPU to one device, without what the device itself takes. */
struct tm_cxl_way {
	bool complete; /* nothing on it is unknown; else the latencies are not to be used */
	struct tm_num initiator;
	uint64_t read_latency; /* ns */
	uint64_t write_latency;
};

struct tm_cxl_way tm_cxl_way(struct tm_reader *rd, const struct tm_cxl_memdev *memdev);

struct tm_cxl_device {
	const struct tm_cxl_memdev *memdev;
	struct tm_cdat_figures figures; /* its own */
};

/*
 * The bandwidth, in MB/s, of devices that are used at once, where all know their own. What they
 * share (a switch's way up, the host bridge) is a limit to their sum. Of use where each one's way
 * is complete.
 */
void tm_cxl_bandwidth(struct tm_reader *rd, const struct tm_cxl_device *devices, size_t nr,
		      uint64_t *read, uint64_t *write);

/* MB/s of all lanes after line coding (8b/10b, 128b/130b, none at 64 GT/s); 0: unknown. */
uint64_t tm_link_bandwidth(const struct tm_link *link);

#endif
