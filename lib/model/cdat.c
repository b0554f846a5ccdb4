/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Figures of CXL memory from what the devices say themselves, as drivers/cxl reckons them: the
 * device's own (CDAT), plus the link's, plus what HMAT says of the host bridge (the generic port of
 * SRAT). Over the devices of a region latency is the largest, bandwidth the sum. Where the way from
 * CPU to host bridge, or a switch on it, is not known, the row is marked incomplete; where there is
 * no CDAT, a row is estimated from the link alone.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/acpi/cdat.h"
#include "lib/model/read.h"

/* CXL 3.0, 4.2.1: flits of 68 bytes up to 32 GT/s, of 256 above. */
#define FLIT_SMALL 68
#define FLIT_LARGE 256

#define CXL "sys/bus/cxl/devices"

struct way {
	uint64_t read_latency, write_latency;	  /* ns */
	uint64_t read_bandwidth, write_bandwidth; /* MB/s; 0: no limit known */
	bool complete;
	struct tm_num initiator;
};

/* Raw megabytes per second of all lanes, as the kernel takes it for latency. */
static uint64_t link_raw(const struct tm_link *link)
{
	if (!tm_num_is(&link->speed) || !tm_num_is(&link->width))
		return 0;
	return link->speed.value * link->width.value / 8;
}

/* Megabytes per second after line coding: 8b/10b, then 128b/130b, none at 64 GT/s. */
static uint64_t link_bandwidth(const struct tm_link *link)
{
	uint64_t speed = tm_num_is(&link->speed) ? link->speed.value : 0;
	uint64_t lane = speed >= 64000 ? speed : speed >= 8000 ? speed * 128 / 130 : speed * 8 / 10;

	return tm_num_is(&link->width) ? lane * link->width.value / 8 : 0;
}

static uint64_t link_latency(const struct tm_link *link)
{
	uint64_t raw = link_raw(link), flit = FLIT_SMALL, picoseconds;

	if (!raw)
		return 0;
	if (link->speed.value > 32000)
		flit = FLIT_LARGE;
	picoseconds = flit * 1000000 / raw;
	return (picoseconds + 999) / 1000;
}

/* The host bridge's UID is the number of the root's downstream port that leads to it. */
static bool bridge_uid(struct tm_reader *rd, const struct tm_cxl_port *bridge, unsigned *uid)
{
	char path[TM_PATH_MAX], target[TM_PATH_MAX];
	struct tm_scan scan;
	const char *name;
	bool found = false;
	long number;

	if (tm_path_format(path, CXL "/%s", bridge->parent) || tm_scan_open(rd->root, path, &scan))
		return false;
	while (!found && (name = tm_scan_next(&scan))) {
		const char *last;

		if (!tm_name_id(name, "dport", &number) ||
		    tm_path_format(path, CXL "/%s/%s", bridge->parent, name) ||
		    tm_root_readlink(rd->root, path, target))
			continue;
		last = strrchr(target, '/');
		found = !strcmp(last ? last + 1 : target, bridge->device);
	}
	tm_scan_close(&scan);
	if (found)
		*uid = (unsigned)number;
	return found;
}

/* The node that the kernel gave the host bridge's generic port; -1 where SRAT has none. */
static int port_node(const struct tm_machine *m, unsigned uid)
{
	const struct tm_acpi_table *srat = tm_acpi_table(&m->firmware.acpi, TM_ACPI_SRAT);

	for (size_t i = 0; srat && i < srat->nr_entries; i++) {
		struct tm_srat_affinity a;

		if (tm_srat_affinity(srat, &srat->entries[i], &a) && a.kind == TM_SRAT_PORT &&
		    a.enabled && a.handle_type == TM_SRAT_HANDLE_ACPI && a.uid == uid)
			return tm_firmware_node(&m->firmware, a.domain);
	}
	return -1;
}

static bool has_cpus(const struct tm_machine *m, int node)
{
	const struct tm_node *found = tm_machine_node(m, node);

	return found && !tm_idset_empty(&found->cpus);
}

/* From the best CPU to the host bridge, by HMAT. */
static bool add_bridge(const struct tm_machine *m, int node, struct way *way)
{
	const struct tm_perf *best = NULL;

	for (size_t i = 0; i < m->nr_perf; i++) {
		const struct tm_perf *perf = &m->perf[i];

		if (perf->source != TM_SOURCE_HMAT || perf->target != node ||
		    !has_cpus(m, (int)perf->initiator.value) || !tm_num_is(&perf->read_latency) ||
		    !tm_num_is(&perf->write_latency) || !tm_num_is(&perf->read_bandwidth) ||
		    !tm_num_is(&perf->write_bandwidth))
			continue;
		if (!best || perf->read_latency.value < best->read_latency.value)
			best = perf;
	}
	if (!best)
		return false;
	way->read_latency += best->read_latency.value;
	way->write_latency += best->write_latency.value;
	way->read_bandwidth = best->read_bandwidth.value;
	way->write_bandwidth = best->write_bandwidth.value;
	way->initiator = best->initiator;
	return true;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return !a ? b : !b ? a : TM_MIN(a, b);
}

/* From the CPU to the device's front door. */
static struct way way_to(struct tm_reader *rd, const struct tm_cxl_memdev *memdev)
{
	const struct tm_machine *m = rd->machine;
	const struct tm_cxl_port *endpoint = tm_cxl_port_find(&m->cxl, memdev->endpoint);
	const struct tm_cxl_port *bridge = endpoint ? tm_cxl_port_find(&m->cxl, endpoint->parent) :
						      NULL;
	const struct tm_cxl_port *root = bridge ? tm_cxl_port_find(&m->cxl, bridge->parent) : NULL;
	uint64_t link = link_bandwidth(&memdev->link);
	struct way way = { .initiator = tm_num_none(TM_UNKNOWN) };
	unsigned uid;
	int node;

	way.read_latency = way.write_latency = link_latency(&memdev->link);
	/* A switch on the way has figures of its own, which are not added here. */
	if (root && root->kind == TM_PORT_ROOT && bridge_uid(rd, bridge, &uid)) {
		node = port_node(m, uid);
		way.complete = node >= 0 && add_bridge(m, node, &way) && link;
	}
	way.read_bandwidth = least(way.read_bandwidth, link);
	way.write_bandwidth = least(way.write_bandwidth, link);
	return way;
}

static const struct tm_acpi_table *cdat_of(const struct tm_machine *m, const char *endpoint)
{
	char part[TM_NAME_MAX + 8];

	snprintf(part, sizeof(part), "/%s/CDAT", endpoint);
	for (size_t i = 0; i < m->firmware.acpi.nr; i++) {
		const struct tm_acpi_table *table = m->firmware.acpi.tables[i];

		if (table->signature == TM_ACPI_CDAT && strstr(table->origin, part))
			return table;
	}
	return NULL;
}

/* The figures of the device's range in which the decoder's part lies. */
static bool device_figures(const struct tm_acpi_table *cdat, const struct tm_cxl_decoder *decoder,
			   struct tm_cdat_figures *figures)
{
	uint64_t start = tm_num_is(&decoder->dpa_start) ? decoder->dpa_start.value : 0;

	for (size_t i = 0; cdat && i < cdat->nr_entries; i++) {
		struct tm_cdat_range range;

		if (!tm_cdat_range(cdat, &cdat->entries[i], &range) || start < range.base ||
		    start - range.base >= range.length)
			continue;
		*figures = tm_cdat_figures(cdat, range.handle);
		return tm_num_is(&figures->read_bandwidth) || tm_num_is(&figures->read_latency);
	}
	return false;
}

static void take_latency(struct tm_num *row, struct tm_num device, uint64_t way, bool *all)
{
	if (!tm_num_is(&device))
		*all = false;
	else if (!tm_num_is(row) || device.value + way > row->value)
		*row = tm_num_known(device.value + way);
}

static void add_bandwidth(struct tm_num *row, struct tm_num device, uint64_t way, bool *all)
{
	if (!tm_num_is(&device))
		*all = false;
	else
		*row = tm_num_known((tm_num_is(row) ? row->value : 0) + least(device.value, way));
}

static void add_device(struct tm_perf *row, const struct tm_cdat_figures *device,
		       const struct way *way)
{
	take_latency(&row->read_latency, device->read_latency, way->read_latency, &row->complete);
	take_latency(&row->write_latency, device->write_latency, way->write_latency,
		     &row->complete);
	add_bandwidth(&row->read_bandwidth, device->read_bandwidth, way->read_bandwidth,
		      &row->complete);
	add_bandwidth(&row->write_bandwidth, device->write_bandwidth, way->write_bandwidth,
		      &row->complete);
}

static int add_row(struct tm_machine *m, const struct tm_perf *row)
{
	if (tm_array_grow(&m->perf, m->nr_perf, &m->cap_perf, sizeof(*m->perf)))
		return -ENOMEM;
	m->perf[m->nr_perf++] = *row;
	return 0;
}

static bool kernel_knows(const struct tm_machine *m, int node)
{
	for (size_t i = 0; i < m->nr_perf; i++)
		if (m->perf[i].target == node && m->perf[i].source == TM_SOURCE_SYSFS)
			return true;
	return false;
}

/* One row for the region's node: from CDAT, or from the links where a device has none. */
static int add_region(struct tm_reader *rd, const struct tm_cxl_region *region, int target)
{
	struct tm_machine *m = rd->machine;
	struct tm_perf row = {
		.initiator = tm_num_none(TM_UNKNOWN),
		.target = target,
		.access = TM_ACCESS1,
		.source = TM_SOURCE_CDAT,
		.complete = true,
	};
	struct tm_perf alone = row, estimate = row;
	static const struct way nothing = { 0 };
	bool all = region->nr_targets > 0, linked = all;

	for (size_t i = 0; i < region->nr_targets; i++) {
		const struct tm_cxl_decoder *d = tm_cxl_decoder_find(&m->cxl, region->targets[i]);
		const struct tm_cxl_memdev *memdev = d ? tm_cxl_decoder_memdev(&m->cxl, d) : NULL;
		struct tm_cdat_figures figures;
		struct way way;

		if (!memdev) {
			all = linked = false;
			break;
		}
		way = way_to(rd, memdev);
		row.complete &= way.complete;
		if (i == 0)
			row.initiator = way.initiator;
		if (device_figures(cdat_of(m, memdev->endpoint), d, &figures)) {
			add_device(&row, &figures, &way);
			add_device(&alone, &figures, &nothing);
		} else {
			all = false;
		}
		if (link_bandwidth(&memdev->link)) {
			struct tm_num link = tm_num_known(link_bandwidth(&memdev->link));

			add_bandwidth(&estimate.read_bandwidth, link, 0, &linked);
			add_bandwidth(&estimate.write_bandwidth, link, 0, &linked);
		} else {
			linked = false;
		}
	}
	/* Half a way would pass for a whole one: then it is the devices' own figures. */
	alone.complete = false;
	if (all)
		return add_row(m, row.complete ? &row : &alone);
	estimate.source = TM_SOURCE_ESTIMATED;
	estimate.complete = false;
	return linked && !kernel_knows(m, target) ? add_row(m, &estimate) : 0;
}

/* The node of a region: through its dax device, or through the memory blocks that lie in it. */
static int region_node(const struct tm_machine *m, const struct tm_cxl_region *region)
{
	for (size_t i = 0; i < m->cxl.nr_dax; i++)
		if (!strcmp(m->cxl.dax[i].region, region->name) &&
		    tm_num_is(&m->cxl.dax[i].target_node))
			return (int)m->cxl.dax[i].target_node.value;
	for (size_t i = 0; i < m->nr_nodes; i++)
		if (tm_idset_has(&m->nodes[i].region_blocks, region->id))
			return m->nodes[i].id;
	return -1;
}

/*
 * What the kernel reckoned for the region stands there too (6.9 and later), also where the node has
 * none.
 */
static int add_kernel_row(struct tm_reader *rd, const struct tm_cxl_region *region, int node,
			  enum tm_access access)
{
	const char *class = tm_access_name(access), *name = region->name;
	struct tm_perf row = {
		.initiator = tm_num_none(TM_UNKNOWN),
		.target = node,
		.access = access,
		.source = TM_SOURCE_SYSFS,
		.complete = true,
	};

	row.read_bandwidth = tm_read_figure(rd, CXL "/%s/%s/read_bandwidth", name, class);
	row.write_bandwidth = tm_read_figure(rd, CXL "/%s/%s/write_bandwidth", name, class);
	row.read_latency = tm_read_figure(rd, CXL "/%s/%s/read_latency", name, class);
	row.write_latency = tm_read_figure(rd, CXL "/%s/%s/write_latency", name, class);
	if (!tm_num_is(&row.read_bandwidth) && !tm_num_is(&row.read_latency))
		return 0;
	return add_row(rd->machine, &row);
}

int tm_read_cdat(struct tm_reader *rd)
{
	struct tm_machine *m = rd->machine;
	int rc = 0;

	for (size_t i = 0; i < m->cxl.nr_regions && !rc; i++) {
		const struct tm_cxl_region *region = &m->cxl.regions[i];
		int node = region_node(m, region);

		if (node < 0 || !tm_machine_node(m, node) || !tm_idset_has(&m->memory_nodes, node))
			continue;
		if (!kernel_knows(m, node)) {
			rc = add_kernel_row(rd, region, node, TM_ACCESS0);
			if (!rc)
				rc = add_kernel_row(rd, region, node, TM_ACCESS1);
		}
		if (!rc)
			rc = add_region(rd, region, node);
	}
	return rc;
}
