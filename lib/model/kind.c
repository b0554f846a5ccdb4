/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What kind of memory a node has. Evidence first (a device behind it), figures second; where
 * neither speaks, unknown. A node without CPUs is not CXL for that, and not slow: HBM has none and
 * is faster.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/model/read.h"

/* How much faster than any DRAM a node must be to be called HBM: 1.2 times, in tenths. */
#define HBM_TENTHS 12

static void set(struct tm_node *node, enum tm_kind kind, const char *fmt, ...) TM_PRINTF(3, 4);

static void set(struct tm_node *node, enum tm_kind kind, const char *fmt, ...)
{
	va_list ap;

	node->kind = kind;
	va_start(ap, fmt);
	vsnprintf(node->kind_why, sizeof(node->kind_why), fmt, ap);
	va_end(ap);
}

/* The device that the kernel made this node's memory from, or NULL. */
static const struct tm_dax *backing(const struct tm_machine *m, const struct tm_node *node)
{
	for (size_t i = 0; i < m->cxl.nr_dax; i++) {
		const struct tm_dax *dax = &m->cxl.dax[i];

		if (tm_num_is(&dax->target_node) && dax->target_node.value == (uint64_t)node->id &&
		    !strcmp(dax->driver, "kmem"))
			return dax;
	}
	return NULL;
}

static const struct tm_cxl_region *region_of_blocks(const struct tm_machine *m,
						    const struct tm_node *node)
{
	for (size_t i = 0; i < m->cxl.nr_regions; i++)
		if (tm_idset_has(&node->region_blocks, m->cxl.regions[i].id))
			return &m->cxl.regions[i];
	return NULL;
}

/* A firmware-made range can lie in a CXL window without the kernel knowing a region for it. */
static bool in_cxl_window(const struct tm_machine *m, const struct tm_dax *dax)
{
	for (size_t i = 0; i < m->cxl.nr_decoders && tm_num_is(&dax->resource); i++) {
		const struct tm_cxl_decoder *d = &m->cxl.decoders[i];

		if (d->kind == TM_PORT_ROOT && tm_num_is(&d->start) && tm_num_is(&d->size) &&
		    dax->resource.value >= d->start.value &&
		    dax->resource.value - d->start.value < d->size.value)
			return true;
	}
	return false;
}

static uint64_t bandwidth(const struct tm_machine *m, const struct tm_node *node)
{
	const struct tm_perf *best = tm_machine_best(m, node->id);
	struct tm_num number = best ? tm_perf_bandwidth(best) : tm_num_none(TM_UNKNOWN);

	return tm_num_is(&number) ? number.value : 0;
}

static bool plain_memory(const struct tm_machine *m, const struct tm_node *node)
{
	return tm_node_has_memory(m, node) && !backing(m, node) && !region_of_blocks(m, node);
}

/* The fastest plain memory that has CPUs of its own, or is named DRAM already. 0: no figures. */
static uint64_t dram_bandwidth(const struct tm_machine *m)
{
	uint64_t most = 0;

	for (size_t i = 0; i < m->nr_nodes; i++) {
		const struct tm_node *node = &m->nodes[i];

		if (node->kind == TM_KIND_DRAM)
			most = TM_MAX(most, bandwidth(m, node));
	}
	return most;
}

static void from_device(const struct tm_machine *m, struct tm_node *node, const struct tm_dax *dax)
{
	uint64_t mine, dram;

	switch (dax->kind) {
	case TM_DAX_CXL_RAM:
		set(node, TM_KIND_CXL, "%s of CXL %s", dax->name, dax->region);
		return;
	case TM_DAX_CXL_PMEM:
		set(node, TM_KIND_CXL, "%s of %s%s%s", dax->name, "persistent CXL memory",
		    dax->region[0] ? ", " : "", dax->region);
		return;
	case TM_DAX_PMEM:
		set(node, TM_KIND_PMEM, "%s of an NVDIMM namespace", dax->name);
		return;
	case TM_DAX_RESERVED:
	case TM_DAX_OTHER:
		break;
	}
	mine = bandwidth(m, node);
	dram = dram_bandwidth(m);
	if (in_cxl_window(m, dax))
		set(node, TM_KIND_CXL, "%s lies in a CXL window", dax->name);
	else if (mine && dram && mine * 10 > dram * HBM_TENTHS)
		set(node, TM_KIND_HBM, "%s, reserved by the firmware, and faster than DRAM",
		    dax->name);
	else
		set(node, TM_KIND_UNKNOWN, "%s, reserved by the firmware, of unnamed kind",
		    dax->name);
}

/* Sets DRAM: memory without a device that has CPUs of its own. */
static void find_local_dram(const struct tm_machine *m, struct tm_node *node)
{
	if (!tm_node_has_memory(m, node))
		set(node, TM_KIND_UNKNOWN, "no memory");
	else if (plain_memory(m, node) && !tm_idset_empty(&node->cpus))
		set(node, TM_KIND_DRAM, "memory and CPUs, no device behind it");
	else
		set(node, TM_KIND_UNKNOWN, "no CPUs, no device behind it, no figures that tell");
}

static bool nearer(const struct tm_machine *m, const struct tm_node *from, const struct tm_node *a,
		   const struct tm_node *b)
{
	const struct tm_perf *x = tm_machine_best(m, a->id), *y = tm_machine_best(m, b->id);
	int da = tm_node_distance(from, a->id), db = tm_node_distance(from, b->id);

	if (x && y && tm_num_is(&x->read_latency) && tm_num_is(&y->read_latency) &&
	    x->read_latency.value != y->read_latency.value)
		return x->read_latency.value < y->read_latency.value;
	return da >= 0 && db >= 0 && da < db;
}

static bool best_from(const struct tm_machine *m, int target, int initiator)
{
	for (size_t i = 0; i < m->nr_perf; i++)
		if (m->perf[i].target == target && m->perf[i].access == TM_ACCESS1 &&
		    tm_num_is(&m->perf[i].initiator) &&
		    m->perf[i].initiator.value == (uint64_t)initiator)
			return true;
	return false;
}

/*
 * Some machines put CPUs and memory in separate nodes: the nearest plain memory of CPUs is their
 * DRAM.
 */
static void find_nearest_dram(struct tm_machine *m, const struct tm_node *from)
{
	struct tm_node *nearest = NULL;

	if (tm_idset_empty(&from->cpus) || tm_node_has_memory(m, from))
		return;
	for (size_t i = 0; i < m->nr_nodes; i++) {
		struct tm_node *node = &m->nodes[i];

		if (plain_memory(m, node) && best_from(m, node->id, from->id) &&
		    (!nearest || nearer(m, from, node, nearest)))
			nearest = node;
	}
	if (nearest && nearest->kind == TM_KIND_UNKNOWN)
		set(nearest, TM_KIND_DRAM, "the nearest memory of node %d's CPUs", from->id);
}

static void find_unknown(const struct tm_machine *m, struct tm_node *node)
{
	const struct tm_dax *dax = backing(m, node);
	const struct tm_cxl_region *region = region_of_blocks(m, node);
	uint64_t mine = bandwidth(m, node), dram = dram_bandwidth(m);

	/* Of memory that is still offline, the device behind it tells what it will be. */
	if ((!tm_node_has_memory(m, node) && !dax) || node->kind != TM_KIND_UNKNOWN)
		return;
	if (dax)
		from_device(m, node, dax);
	else if (region)
		set(node, TM_KIND_CXL, "its memory blocks lie in CXL %s", region->name);
	else if (mine && dram && mine * 10 > dram * HBM_TENTHS)
		set(node, TM_KIND_HBM, "no CPUs, and faster than DRAM (%llu against %llu MB/s)",
		    (unsigned long long)mine, (unsigned long long)dram);
	else if (mine && dram)
		set(node, TM_KIND_UNKNOWN, "no CPUs, no device behind it, not faster than DRAM");
}

void tm_find_kinds(struct tm_machine *m)
{
	for (size_t i = 0; i < m->nr_nodes; i++)
		find_local_dram(m, &m->nodes[i]);
	for (size_t i = 0; i < m->nr_nodes; i++)
		find_nearest_dram(m, &m->nodes[i]);
	for (size_t i = 0; i < m->nr_nodes; i++)
		find_unknown(m, &m->nodes[i]);
}
