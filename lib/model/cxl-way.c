/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/model/cxl-way.h"

#include <string.h>

/* CXL 3.0, 4.2.1: flits of 68 bytes up to 32 GT/s, of 256 above. */
#define FLIT_SMALL 68
#define FLIT_LARGE 256

/* No machine has so many switches in one another; a circle of ports ends. */
#define DEPTH_MAX 16

#define CXL "sys/bus/cxl/devices"

/* MB/s; 0: no limit known. */
struct rates {
	uint64_t read, write;
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return !a ? b : !b ? a : TM_MIN(a, b);
}

static void limit(struct rates *rates, uint64_t read, uint64_t write)
{
	rates->read = least(rates->read, read);
	rates->write = least(rates->write, write);
}

/* MB/s of all lanes without line coding: this is what the kernel reckons with. */
static uint64_t link_raw(const struct tm_link *link)
{
	if (!tm_num_is(&link->speed) || !tm_num_is(&link->width))
		return 0;
	return link->speed.value * link->width.value / 8;
}

uint64_t tm_link_bandwidth(const struct tm_link *link)
{
	uint64_t speed = tm_num_is(&link->speed) ? link->speed.value : 0;
	uint64_t lane = speed >= 64000 ? speed : speed >= 8000 ? speed * 128 / 130 : speed * 8 / 10;

	return tm_num_is(&link->width) ? lane * link->width.value / 8 : 0;
}

/* One flit, in ns. */
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

/* Is this the folder, or one above it? */
static bool leads_to(const char *folder, const char *path)
{
	size_t len = strlen(folder);

	return len && !strncmp(folder, path, len) && (!path[len] || path[len] == '/');
}

/* The number of the downstream port that leads from a port to the next one. */
static bool downstream(struct tm_reader *rd, const struct tm_cxl_port *port,
		       const struct tm_cxl_port *next, unsigned *number)
{
	char path[TM_PATH_MAX], device[TM_PATH_MAX], target[TM_PATH_MAX];
	struct tm_scan scan;
	const char *name;
	bool found = false;
	long id;

	if (tm_path_format(path, CXL "/%s/uport", next->name) ||
	    tm_root_resolve(rd->root, path, device) ||
	    tm_path_format(path, CXL "/%s", port->name) || tm_scan_open(rd->root, path, &scan))
		return false;
	while (!found && (name = tm_scan_next(&scan)))
		found = tm_name_id(name, "dport", &id) &&
			!tm_path_format(path, CXL "/%s/%s", port->name, name) &&
			!tm_root_resolve(rd->root, path, target) && leads_to(target, device);
	tm_scan_close(&scan);
	if (found)
		*number = (unsigned)id;
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

static bool has_all(const struct tm_perf *perf)
{
	return tm_num_is(&perf->read_latency) && tm_num_is(&perf->write_latency) &&
	       tm_num_is(&perf->read_bandwidth) && tm_num_is(&perf->write_bandwidth);
}

/* From the best CPU to the host bridge. Its UID is its number below the root. NULL: unknown. */
static const struct tm_perf *to_bridge(struct tm_reader *rd, const struct tm_cxl_port *bridge)
{
	const struct tm_machine *m = rd->machine;
	const struct tm_cxl_port *root = tm_cxl_port_find(&m->cxl, bridge->parent);
	const struct tm_perf *best = NULL;
	unsigned uid;
	int node;

	if (!root || !downstream(rd, root, bridge, &uid))
		return NULL;
	node = port_node(m, uid);
	for (size_t i = 0; i < m->nr_perf && node >= 0; i++) {
		const struct tm_perf *perf = &m->perf[i];

		if (perf->source != TM_SOURCE_HMAT || perf->target != node || !has_all(perf) ||
		    !tm_perf_from_cpus(m, perf))
			continue;
		if (!best || perf->read_latency.value < best->read_latency.value)
			best = perf;
	}
	return best;
}

static const struct tm_cxl_port *parent_of(const struct tm_machine *m,
					   const struct tm_cxl_port *port)
{
	return port ? tm_cxl_port_find(&m->cxl, port->parent) : NULL;
}

static bool is_bridge(const struct tm_machine *m, const struct tm_cxl_port *port)
{
	const struct tm_cxl_port *parent = parent_of(m, port);

	return parent && parent->kind == TM_PORT_ROOT;
}

/* Through the switch, from its way up to the port that leads to the next one. False: unknown. */
static bool through(struct tm_reader *rd, const struct tm_cxl_port *port,
		    const struct tm_cxl_port *next, struct tm_cdat_figures *figures)
{
	const struct tm_acpi_table *cdat = tm_firmware_cdat(&rd->machine->firmware, port->name);
	unsigned number;

	if (!cdat || !downstream(rd, port, next, &number))
		return false;
	*figures = tm_cdat_port_figures(cdat, number);
	return tm_cdat_has_all(figures);
}

struct tm_cxl_way tm_cxl_way(struct tm_reader *rd, const struct tm_cxl_memdev *memdev)
{
	const struct tm_machine *m = rd->machine;
	const struct tm_cxl_port *port = tm_cxl_port_find(&m->cxl, memdev->endpoint), *above;
	struct tm_cxl_way way = { .initiator = tm_num_none(TM_UNKNOWN) };
	const struct tm_link *link = &memdev->link;
	const struct tm_perf *bridge;

	for (int depth = 0; depth < DEPTH_MAX; depth++, port = above) {
		struct tm_cdat_figures figures;

		above = parent_of(m, port);
		if (!above || above->kind != TM_PORT_SWITCH || !link_raw(link))
			return way;
		way.read_latency += link_latency(link);
		way.write_latency += link_latency(link);
		if (is_bridge(m, above)) {
			bridge = to_bridge(rd, above);
			if (!bridge)
				return way;
			way.read_latency += bridge->read_latency.value;
			way.write_latency += bridge->write_latency.value;
			way.initiator = bridge->initiator;
			way.complete = true;
			return way;
		}
		if (!through(rd, above, port, &figures))
			return way;
		way.read_latency += figures.read_latency.value;
		way.write_latency += figures.write_latency.value;
		link = &above->link;
	}
	return way;
}

struct flow {
	struct tm_reader *rd;
	const struct tm_cxl_device *devices;
	size_t nr;
};

/* What comes from one port or device into the port above it. */
static void flow_into(const struct flow *flow, const struct tm_cxl_port *port,
		      const struct tm_cxl_port *next, struct rates rates,
		      const struct tm_link *link, struct rates *sum)
{
	struct tm_cdat_figures figures;

	limit(&rates, link_raw(link), link_raw(link));
	if (!is_bridge(flow->rd->machine, port) && through(flow->rd, port, next, &figures))
		limit(&rates, figures.read_bandwidth.value, figures.write_bandwidth.value);
	sum->read += rates.read;
	sum->write += rates.write;
}

/* All that comes into a port from below. */
static struct rates flow_of(const struct flow *flow, const struct tm_cxl_port *port, int depth)
{
	const struct tm_cxl *cxl = &flow->rd->machine->cxl;
	struct rates sum = { 0, 0 };

	for (size_t i = 0; i < flow->nr; i++) {
		const struct tm_cxl_device *d = &flow->devices[i];
		const struct tm_cxl_port *endpoint = tm_cxl_port_find(cxl, d->memdev->endpoint);
		struct rates own = { d->figures.read_bandwidth.value,
				     d->figures.write_bandwidth.value };

		if (endpoint && !strcmp(endpoint->parent, port->name))
			flow_into(flow, port, endpoint, own, &d->memdev->link, &sum);
	}
	for (size_t i = 0; i < cxl->nr_ports && depth < DEPTH_MAX; i++) {
		const struct tm_cxl_port *below = &cxl->ports[i];
		struct rates rates;

		if (below->kind != TM_PORT_SWITCH || strcmp(below->parent, port->name))
			continue;
		rates = flow_of(flow, below, depth + 1);
		if (rates.read || rates.write)
			flow_into(flow, port, below, rates, &below->link, &sum);
	}
	return sum;
}

void tm_cxl_bandwidth(struct tm_reader *rd, const struct tm_cxl_device *devices, size_t nr,
		      uint64_t *read, uint64_t *write)
{
	const struct flow flow = { rd, devices, nr };
	const struct tm_machine *m = rd->machine;
	struct rates all = { 0, 0 };

	for (size_t i = 0; i < m->cxl.nr_ports; i++) {
		const struct tm_cxl_port *port = &m->cxl.ports[i];
		const struct tm_perf *bridge;
		struct rates rates;

		if (port->kind != TM_PORT_SWITCH || !is_bridge(m, port))
			continue;
		rates = flow_of(&flow, port, 0);
		if (!rates.read && !rates.write)
			continue;
		bridge = to_bridge(rd, port);
		if (bridge)
			limit(&rates, bridge->read_bandwidth.value, bridge->write_bandwidth.value);
		all.read += rates.read;
		all.write += rates.write;
	}
	*read = all.read;
	*write = all.write;
}
