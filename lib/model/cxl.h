/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CXL and device DAX as sysfs shows them: Documentation/ABI/testing/sysfs-bus-cxl, sysfs-bus-dax.
 *
 * Objects refer to each other by name, as in sysfs. A memdev's numa_node is where its CPUs are, not
 * where its memory is: memory is found through the region's dax device and its target node.
 */
#ifndef TM_MODEL_CXL_H
#define TM_MODEL_CXL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/value.h"

#define TM_NAME_MAX 64

/* CXL 3.1, 8.2.4.20: a decoder has no more targets. */
#define TM_CXL_TARGETS_MAX 16

/* PCIe link of a device: speed in MT/s (2500 for 2.5 GT/s). */
struct tm_link {
	struct tm_num speed, max_speed;
	struct tm_num width, max_width;
};

struct tm_cxl_memdev {
	char name[TM_NAME_MAX];	    /* mem0 */
	char endpoint[TM_NAME_MAX]; /* endpoint2; "" when there is none */
	char pci[TM_NAME_MAX];	    /* 0000:0d:00.0; "" when it is no PCI device */
	struct tm_text serial;
	struct tm_text firmware;
	struct tm_num numa_node;
	struct tm_num ram_size, pmem_size; /* bytes */
	struct tm_num ram_qos_class, pmem_qos_class;
	struct tm_link link;
};

enum tm_cxl_port_kind { TM_PORT_ROOT, TM_PORT_SWITCH, TM_PORT_ENDPOINT };

struct tm_cxl_port {
	char name[TM_NAME_MAX];	  /* root0, port1, endpoint2 */
	char parent[TM_NAME_MAX]; /* "" for the root */
	char device[TM_NAME_MAX]; /* its uport: mem0, pci0000:0c */
	enum tm_cxl_port_kind kind;
	struct tm_link link; /* a switch's way up; else TM_ABSENT */
	struct tm_num decoders_committed;
};

struct tm_cxl_decoder {
	char name[TM_NAME_MAX]; /* decoder2.0 */
	char port[TM_NAME_MAX];
	enum tm_cxl_port_kind kind;
	struct tm_num start, size; /* host physical, bytes; start is root only */
	struct tm_num granularity; /* bytes */
	struct tm_num ways;
	struct tm_text targets;	    /* target_list, as it is */
	char region[TM_NAME_MAX];   /* "" when none */
	enum tm_state region_state; /* TM_NOT_PROVIDED: it belongs to none */
	struct tm_text mode;	    /* endpoint: ram, pmem, mixed, none */
	struct tm_num dpa_start, dpa_size;
	struct tm_num qos_class; /* root */
	struct tm_num locked;
};

struct tm_cxl_region {
	char name[TM_NAME_MAX]; /* region0 */
	int id;
	char decoder[TM_NAME_MAX]; /* its root decoder; "" when its place does not tell */
	struct tm_text uuid;
	struct tm_text mode; /* ram, pmem */
	struct tm_num resource, size;
	struct tm_num granularity, ways;
	struct tm_num commit;
	char (*targets)[TM_NAME_MAX]; /* endpoint decoders in interleave order */
	size_t nr_targets, cap_targets;
};

enum tm_dax_kind { TM_DAX_OTHER, TM_DAX_CXL_RAM, TM_DAX_CXL_PMEM, TM_DAX_PMEM, TM_DAX_RESERVED };

struct tm_dax {
	char name[TM_NAME_MAX];	  /* dax0.0 */
	char driver[TM_NAME_MAX]; /* kmem, device_dax; "" unbound */
	char region[TM_NAME_MAX]; /* CXL region; "" when none */
	enum tm_dax_kind kind;
	struct tm_num target_node;
	struct tm_num numa_node;
	struct tm_num size;
	struct tm_num resource;
};

struct tm_cxl {
	bool present; /* sysfs has the CXL bus */
	struct tm_cxl_memdev *memdevs;
	size_t nr_memdevs, cap_memdevs;
	struct tm_cxl_port *ports;
	size_t nr_ports, cap_ports;
	struct tm_cxl_decoder *decoders;
	size_t nr_decoders, cap_decoders;
	struct tm_cxl_region *regions;
	size_t nr_regions, cap_regions;
	struct tm_dax *dax;
	size_t nr_dax, cap_dax;
};

void tm_cxl_release(struct tm_cxl *cxl);

const struct tm_cxl_memdev *tm_cxl_memdev_find(const struct tm_cxl *cxl, const char *name);
const struct tm_cxl_decoder *tm_cxl_decoder_find(const struct tm_cxl *cxl, const char *name);
const struct tm_cxl_region *tm_cxl_region_find(const struct tm_cxl *cxl, const char *name);
const struct tm_cxl_port *tm_cxl_port_find(const struct tm_cxl *cxl, const char *name);
/* The memdev behind an endpoint decoder, or NULL. */
const struct tm_cxl_memdev *tm_cxl_decoder_memdev(const struct tm_cxl *cxl,
						  const struct tm_cxl_decoder *decoder);

/* Is there, as far as can be known, memory in the window (a root decoder)? */
bool tm_cxl_window_used(const struct tm_cxl *cxl, const struct tm_cxl_decoder *window);

const char *tm_port_kind_name(enum tm_cxl_port_kind kind);
const char *tm_dax_kind_name(enum tm_dax_kind kind);

#endif
