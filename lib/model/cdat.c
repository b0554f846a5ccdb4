/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Figures of CXL memory from what the devices say themselves, as drivers/cxl reckons them: the
 * device's own (CDAT), and the way to it. Over the devices of a region latency is the largest,
 * bandwidth the sum, as far as what they share lets it through. Where something on the way is not
 * known, the row has the devices' own figures and is marked incomplete; where there is no CDAT, a
 * row is estimated from the links alone.
 */
#include <string.h>

#include "lib/model/cxl-way.h"

#define CXL "sys/bus/cxl/devices"

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

static void take_latency(struct tm_num *row, struct tm_num device, uint64_t way)
{
	if (tm_num_is(&device) && (!tm_num_is(row) || device.value + way > row->value))
		*row = tm_num_known(device.value + way);
}

static void add_bandwidth(struct tm_num *row, struct tm_num device)
{
	if (tm_num_is(&device))
		*row = tm_num_known((tm_num_is(row) ? row->value : 0) + device.value);
}

static bool kernel_knows(const struct tm_machine *m, int node)
{
	for (size_t i = 0; i < m->nr_perf; i++)
		if (m->perf[i].target == node && m->perf[i].source == TM_SOURCE_SYSFS)
			return true;
	return false;
}

/* The devices' own figures, and from the CPUs on, where all of it is known. */
static struct tm_perf sum_up(struct tm_reader *rd, struct tm_perf row,
			     const struct tm_cxl_device *devices, size_t nr)
{
	struct tm_perf whole = row;
	uint64_t read, write;

	whole.complete = true;
	for (size_t i = 0; i < nr; i++) {
		const struct tm_cdat_figures *own = &devices[i].figures;
		struct tm_cxl_way way = tm_cxl_way(rd, devices[i].memdev);

		whole.complete &= way.complete && tm_cdat_has_all(own);
		if (i == 0)
			whole.initiator = way.initiator;
		take_latency(&row.read_latency, own->read_latency, 0);
		take_latency(&row.write_latency, own->write_latency, 0);
		add_bandwidth(&row.read_bandwidth, own->read_bandwidth);
		add_bandwidth(&row.write_bandwidth, own->write_bandwidth);
		take_latency(&whole.read_latency, own->read_latency, way.read_latency);
		take_latency(&whole.write_latency, own->write_latency, way.write_latency);
	}
	/* Half a way would pass for a whole one. */
	if (!whole.complete)
		return row;
	tm_cxl_bandwidth(rd, devices, nr, &read, &write);
	whole.read_bandwidth = tm_num_known(read);
	whole.write_bandwidth = tm_num_known(write);
	return whole;
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
	};
	struct tm_perf estimate = row;
	struct tm_cxl_device devices[TM_CXL_TARGETS_MAX];
	bool all = region->nr_targets > 0, linked = all;

	for (size_t i = 0; i < region->nr_targets; i++) {
		const struct tm_cxl_decoder *d = tm_cxl_decoder_find(&m->cxl, region->targets[i]);
		const struct tm_cxl_memdev *memdev = d ? tm_cxl_decoder_memdev(&m->cxl, d) : NULL;
		uint64_t link = memdev ? tm_link_bandwidth(&memdev->link) : 0;

		devices[i].memdev = memdev;
		all = all && memdev &&
		      device_figures(tm_firmware_cdat(&m->firmware, memdev->endpoint), d,
				     &devices[i].figures);
		linked = linked && link;
		add_bandwidth(&estimate.read_bandwidth, tm_num_known(link));
		add_bandwidth(&estimate.write_bandwidth, tm_num_known(link));
	}
	if (all) {
		row = sum_up(rd, row, devices, region->nr_targets);
		return tm_perf_add(m, &row);
	}
	estimate.source = TM_SOURCE_ESTIMATED;
	return linked && !kernel_knows(m, target) ? tm_perf_add(m, &estimate) : 0;
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
	return tm_perf_add(rd->machine, &row);
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
