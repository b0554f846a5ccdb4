/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The machine: what the kernel says of its memory, read once and not changed after. One owner, one
 * free.
 *
 * Nodes are keyed by id and sorted by id; ids are sparse. Performance is a property of a pair
 * (initiator, target) for an access class and a source. Nothing here is decided by a node's
 * position.
 */
#ifndef TM_MODEL_MACHINE_H
#define TM_MODEL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/idset.h"
#include "lib/base/value.h"
#include "lib/model/cxl.h"
#include "lib/model/firmware.h"
#include "lib/sys/root.h"

enum tm_kind { TM_KIND_UNKNOWN, TM_KIND_DRAM, TM_KIND_HBM, TM_KIND_CXL, TM_KIND_PMEM };
const char *tm_kind_name(enum tm_kind kind);

/*
 * Documentation/admin-guide/mm/numaperf.rst: class 0 is the best initiator, class 1 the best CPU.
 */
enum tm_access { TM_ACCESS0, TM_ACCESS1, TM_ACCESS_MATRIX };
const char *tm_access_name(enum tm_access access);

enum tm_source {
	TM_SOURCE_SYSFS,
	TM_SOURCE_HMAT,
	TM_SOURCE_CDAT,
	TM_SOURCE_ESTIMATED,
	TM_SOURCE_MEASURED,
};
const char *tm_source_name(enum tm_source source);

struct tm_perf {
	struct tm_num initiator; /* node id */
	int target;		 /* node id */
	enum tm_access access;
	enum tm_source source;
	bool complete;		      /* covers the whole way from the initiator to the memory */
	struct tm_num read_bandwidth; /* MB/s, 10^6 bytes */
	struct tm_num write_bandwidth;
	struct tm_num read_latency; /* ns */
	struct tm_num write_latency;
};

struct tm_distance {
	int node;  /* to */
	int value; /* as the firmware's SLIT gives it: 10 is local, 255 unreachable */
};

struct tm_zone {
	char name[16];
	uint64_t present_pages;
	uint64_t managed_pages;
};

/* sysfs: node side caches; the number is the index folder's, higher is nearer the CPU. */
struct tm_side_cache {
	int level;
	struct tm_num size;	  /* bytes */
	struct tm_num line_size;  /* bytes */
	const char *indexing;	  /* "direct-mapped", "indexed", "custom"; NULL unknown */
	const char *write_policy; /* "write-back", "write-through", "none"; NULL unknown */
};

struct tm_blocks {
	struct tm_num total;
	struct tm_num online;
	const char
		*source; /* of `online`: "state" (each asked), "zoneinfo" or "meminfo" (reckoned) */
};

struct tm_node {
	int id;
	struct tm_num domain; /* proximity domain, by SRAT */
	bool online;
	struct tm_idset cpus;
	enum tm_state cpus_state;
	enum tm_kind kind;
	char kind_why[128];
	struct tm_num tier;
	struct tm_num weight;
	struct tm_num memory_total; /* bytes */
	struct tm_num memory_free;
	struct tm_blocks blocks;
	struct tm_zone *zones; /* those with memory */
	size_t nr_zones, cap_zones;
	enum tm_state zones_state;
	struct tm_distance *distances;
	size_t nr_distances, cap_distances;
	enum tm_state distances_state;
	struct tm_side_cache *caches;
	size_t nr_caches, cap_caches;
	bool perf_unreadable; /* some figure is there and could not be read */
	bool generic_initiator;
	struct tm_idset region_blocks; /* ids of the CXL regions in which its memory blocks lie */
};

struct tm_tier {
	int id;
	struct tm_idset nodes;
	enum tm_state nodes_state;
};

/* Weighted interleave: /sys/kernel/mm/mempolicy/weighted_interleave (6.9 and later). */
enum tm_weight_mode {
	TM_WEIGHTS_UNSUPPORTED, /* this kernel has none */
	TM_WEIGHTS_MANUAL,	/* set by hand, or a kernel without the auto switch */
	TM_WEIGHTS_AUTO,
	TM_WEIGHTS_UNKNOWN, /* there, but it could not be read */
};
const char *tm_weight_mode_name(enum tm_weight_mode mode);

struct tm_problem; /* lib/model/problem.h */

/* What could not be read though it is there: for one note instead of a hundred. */
struct tm_unreadable {
	size_t denied;
	size_t malformed;
	char first_denied[256];
	char first_malformed[256];
};

struct tm_machine {
	char *root;
	bool live;
	struct tm_text kernel; /* release */
	unsigned version;      /* (major << 16) + (minor << 8), or 0 when unknown */
	struct tm_text host;
	struct tm_text boot_id;

	bool has_numa; /* sysfs has a node folder at all */
	struct tm_idset possible_nodes, online_nodes;
	enum tm_state possible_state, online_state;
	struct tm_idset online_cpus;
	enum tm_state online_cpus_state;
	struct tm_idset memory_nodes; /* nodes with memory */
	struct tm_num page_size;      /* bytes */
	struct tm_num block_size;     /* bytes per memory block */

	struct tm_node *nodes;
	size_t nr_nodes, cap_nodes;
	struct tm_perf *perf; /* sorted by target, source, access, initiator */
	size_t nr_perf, cap_perf;
	struct tm_tier *tiers; /* sorted by id: fastest first */
	size_t nr_tiers, cap_tiers;
	enum tm_state tiers_state;
	enum tm_weight_mode weight_mode;
	char weight_switch[16]; /* name of the auto file, "" when there is none */

	struct tm_cxl cxl;
	struct tm_firmware firmware;
	struct tm_unreadable unreadable;
};

/* "6.12.48-amd64" as (major << 16) + (minor << 8), or 0 where it does not begin so. */
unsigned tm_kernel_version(const char *release);

struct tm_machine_options {
	bool blocks; /* ask every memory block for its state; slow on large machines */
};

/*
 * Reads the machine below `root`. Missing parts become unknown values; only what makes the whole
 * reading impossible is an error (memory, or a path that is too long).
 */
int tm_machine_read(struct tm_machine *machine, const struct tm_root *root,
		    const struct tm_machine_options *options, struct tm_error *err);
void tm_machine_release(struct tm_machine *machine);

/* NULL where there is no such node. */
const struct tm_node *tm_machine_node(const struct tm_machine *machine, long id);

/*
 * Has the node memory? Unknown size counts as memory where the kernel lists the node as having
 * some.
 */
bool tm_node_has_memory(const struct tm_machine *machine, const struct tm_node *node);

/*
 * The row on which decisions rest: access1 of the target (the best CPU initiator), from the kernel;
 * where there are several best initiators they have equal figures. Without access1, access0 if its
 * initiator has CPUs. NULL: none.
 */
const struct tm_perf *tm_machine_best(const struct tm_machine *machine, int target);

/*
 * The row to show: the best from the kernel, else from HMAT (the best CPU initiator), CDAT, or an
 * estimate. Its source and whether it is complete must be shown with it. NULL: none.
 */
const struct tm_perf *tm_machine_shown(const struct tm_machine *machine, int target);

/* Does it tell what CPUs get: is the initiator one with CPUs, or not said? */
bool tm_perf_from_cpus(const struct tm_machine *machine, const struct tm_perf *perf);

/* Is any of its four figures known? */
bool tm_perf_has_figure(const struct tm_perf *perf);

/* min(read, write) bandwidth in MB/s, as the kernel uses it; unknown where either is. */
struct tm_num tm_perf_bandwidth(const struct tm_perf *perf);

/* The distance from one node to another; -1 unknown. */
int tm_node_distance(const struct tm_node *node, int to);

#endif
