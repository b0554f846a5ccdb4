/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the CXL bus. Only attributes named here are opened, and nothing is written: the bus folder
 * also holds `flush`, and devices hold files that start things.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/units.h"
#include "lib/model/read.h"

#define CXL "sys/bus/cxl/devices"

/* The last two parts of where a device really is: its own name, and what it sits below. */
static void find_parent(struct tm_reader *rd, const char *name, char parent[TM_NAME_MAX],
			char device[TM_PATH_MAX])
{
	char path[TM_PATH_MAX];
	char *slash, *start;

	int rc;

	parent[0] = device[0] = '\0';
	if (tm_path_format(path, CXL "/%s", name))
		return;
	rc = tm_root_resolve(rd->root, path, device);
	if (rc) {
		tm_read_note(rd, path, rc == -EACCES ? TM_DENIED : TM_MALFORMED);
		return;
	}
	strcpy(path, device);
	slash = strrchr(path, '/');
	if (!slash)
		return;
	*slash = '\0';
	start = strrchr(path, '/');
	start = start ? start + 1 : path;
	if (strlen(start) < TM_NAME_MAX)
		strcpy(parent, start);
}

/* "32.0 GT/s PCIe" → 32000; "Unknown" is no figure. */
static struct tm_num read_speed(struct tm_reader *rd, const char *folder, const char *attr)
{
	struct tm_text text = tm_read_text(rd, "%s/%s", folder, attr);
	struct tm_num speed = tm_num_none(text.state);
	unsigned whole, tenth = 0;

	if (text.state == TM_KNOWN) {
		speed.state = TM_NOT_PROVIDED;
		if (strstr(text.value, "GT/s") &&
		    (sscanf(text.value, "%5u.%1u", &whole, &tenth) == 2 ||
		     sscanf(text.value, "%5u", &whole) == 1))
			speed = tm_num_known(whole * 1000ULL + tenth * 100ULL);
	}
	tm_text_release(&text);
	return speed;
}

/* 0 and 255 stand for "not known" (drivers/pci/pci-sysfs.c prints what the register holds). */
static struct tm_num read_width(struct tm_reader *rd, const char *folder, const char *attr)
{
	struct tm_num width = tm_read_figure(rd, "%s/%s", folder, attr);

	if (tm_num_is(&width) && width.value > 32)
		width = tm_num_none(TM_NOT_PROVIDED);
	return width;
}

static bool is_pci_address(const char *name)
{
	unsigned domain, bus, device, function;
	int end = 0;

	return sscanf(name, "%8x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &end) == 4 &&
	       name[end] == '\0';
}

static void read_link(struct tm_reader *rd, const char *folder, struct tm_link *link)
{
	link->speed = read_speed(rd, folder, "current_link_speed");
	link->max_speed = read_speed(rd, folder, "max_link_speed");
	link->width = read_width(rd, folder, "current_link_width");
	link->max_width = read_width(rd, folder, "max_link_width");
}

static void no_link(struct tm_link *link)
{
	const struct tm_num absent = tm_num_none(TM_ABSENT);

	*link = (struct tm_link){ absent, absent, absent, absent };
}

static void read_memdev(struct tm_reader *rd, struct tm_cxl_memdev *memdev)
{
	char parent[TM_NAME_MAX], device[TM_PATH_MAX];
	const char *name = memdev->name;

	memdev->serial = tm_read_text(rd, CXL "/%s/serial", name);
	memdev->firmware = tm_read_text(rd, CXL "/%s/firmware_version", name);
	memdev->numa_node = tm_read_id(rd, CXL "/%s/numa_node", name);
	memdev->ram_size = tm_read_num(rd, CXL "/%s/ram/size", name);
	memdev->pmem_size = tm_read_num(rd, CXL "/%s/pmem/size", name);
	memdev->ram_qos_class = tm_read_id(rd, CXL "/%s/ram/qos_class", name);
	memdev->pmem_qos_class = tm_read_id(rd, CXL "/%s/pmem/qos_class", name);
	find_parent(rd, name, parent, device);
	if (!is_pci_address(parent)) {
		no_link(&memdev->link);
		return;
	}
	strcpy(memdev->pci, parent);
	*strrchr(device, '/') = '\0';
	read_link(rd, device, &memdev->link);
}

static void read_port(struct tm_reader *rd, struct tm_cxl_port *port)
{
	char path[TM_PATH_MAX], target[TM_PATH_MAX], device[TM_PATH_MAX];
	const char *last;

	find_parent(rd, port->name, port->parent, device);
	if (port->kind == TM_PORT_ROOT || !tm_cxl_port_find(&rd->machine->cxl, port->parent))
		port->parent[0] = '\0';
	if (!tm_path_format(path, CXL "/%s/uport", port->name) &&
	    !tm_root_readlink(rd->root, path, target)) {
		last = strrchr(target, '/');
		last = last ? last + 1 : target;
		if (strlen(last) < TM_NAME_MAX)
			strcpy(port->device, last);
	}
	/* A switch; a host bridge is no PCI function, and an endpoint's link is its device's. */
	no_link(&port->link);
	if (is_pci_address(port->device) && !tm_path_format(path, CXL "/%s/uport", port->name))
		read_link(rd, path, &port->link);
	port->decoders_committed = tm_read_num(rd, CXL "/%s/decoders_committed", port->name);
}

/* An address that is not set reads as all ones. */
static struct tm_num read_address(struct tm_reader *rd, const char *name, const char *attr)
{
	struct tm_num address = tm_read_num(rd, CXL "/%s/%s", name, attr);

	if (tm_num_is(&address) && address.value == UINT64_MAX)
		address = tm_num_none(TM_NOT_PROVIDED);
	return address;
}

/*
 * decoder2.0 belongs to the port with number 2, whatever its kind, where its folder does not tell.
 */
static void find_port(struct tm_cxl *cxl, struct tm_cxl_decoder *decoder)
{
	long number = strtol(decoder->name + strlen("decoder"), NULL, 10), id;

	for (size_t i = 0; i < cxl->nr_ports && !tm_cxl_port_find(cxl, decoder->port); i++) {
		const struct tm_cxl_port *port = &cxl->ports[i];

		if ((tm_name_id(port->name, "root", &id) || tm_name_id(port->name, "port", &id) ||
		     tm_name_id(port->name, "endpoint", &id)) &&
		    id == number)
			strcpy(decoder->port, port->name);
	}
}

static void read_decoder(struct tm_reader *rd, struct tm_cxl_decoder *decoder)
{
	struct tm_cxl *cxl = &rd->machine->cxl;
	char device[TM_PATH_MAX];
	const struct tm_cxl_port *port;
	const char *name = decoder->name;
	struct tm_text region;

	find_parent(rd, name, decoder->port, device);
	find_port(cxl, decoder);
	port = tm_cxl_port_find(cxl, decoder->port);
	if (!port)
		decoder->port[0] = '\0';
	decoder->kind = port ? port->kind : TM_PORT_SWITCH;
	decoder->start = read_address(rd, name, "start");
	decoder->size = tm_read_num(rd, CXL "/%s/size", name);
	decoder->granularity = tm_read_num(rd, CXL "/%s/interleave_granularity", name);
	decoder->ways = tm_read_num(rd, CXL "/%s/interleave_ways", name);
	decoder->targets = tm_read_text(rd, CXL "/%s/target_list", name);
	decoder->mode = tm_read_text(rd, CXL "/%s/mode", name);
	decoder->dpa_start = read_address(rd, name, "dpa_resource");
	decoder->dpa_size = tm_read_num(rd, CXL "/%s/dpa_size", name);
	decoder->qos_class = tm_read_id(rd, CXL "/%s/qos_class", name);
	decoder->locked = tm_read_num(rd, CXL "/%s/locked", name);
	region = tm_read_text(rd, CXL "/%s/region", name);
	decoder->region_state = region.state;
	if (region.state == TM_KNOWN && strlen(region.value) < TM_NAME_MAX)
		strcpy(decoder->region, region.value);
	tm_text_release(&region);
}

static int read_region(struct tm_reader *rd, struct tm_cxl_region *region)
{
	char device[TM_PATH_MAX];
	const char *name = region->name;
	int rc = 0;

	find_parent(rd, name, region->decoder, device);
	if (!tm_cxl_decoder_find(&rd->machine->cxl, region->decoder))
		region->decoder[0] = '\0';
	region->uuid = tm_read_text(rd, CXL "/%s/uuid", name);
	region->mode = tm_read_text(rd, CXL "/%s/mode", name);
	region->resource = read_address(rd, name, "resource");
	region->size = tm_read_num(rd, CXL "/%s/size", name);
	region->granularity = tm_read_num(rd, CXL "/%s/interleave_granularity", name);
	region->ways = tm_read_num(rd, CXL "/%s/interleave_ways", name);
	region->commit = tm_read_num(rd, CXL "/%s/commit", name);
	for (int i = 0; !rc && i < TM_CXL_TARGETS_MAX; i++) {
		struct tm_text target = tm_read_text(rd, CXL "/%s/target%d", name, i);

		/* A target that is not set yet is empty; the ones after it may still be there. */
		if (target.state == TM_KNOWN && strlen(target.value) < TM_NAME_MAX) {
			rc = tm_array_grow(&region->targets, region->nr_targets,
					   &region->cap_targets, sizeof(*region->targets));
			if (!rc)
				strcpy(region->targets[region->nr_targets++], target.value);
		}
		if (target.state == TM_ABSENT)
			i = TM_CXL_TARGETS_MAX;
		tm_text_release(&target);
	}
	return rc;
}

static bool is_decoder(const char *name)
{
	unsigned port, number;
	int end = 0;

	return sscanf(name, "decoder%6u.%6u%n", &port, &number, &end) == 2 && name[end] == '\0';
}

/* Adds an object to the list that its name belongs to. */
static int add_object(struct tm_cxl *cxl, const char *name)
{
	long id;
	int rc = 0;

#define ADD(list, nr, cap)                                                              \
	do {                                                                            \
		rc = tm_array_grow(&cxl->list, cxl->nr, &cxl->cap, sizeof(*cxl->list)); \
		if (!rc)                                                                \
			strcpy(cxl->list[cxl->nr++].name, name);                        \
	} while (0)

	if (strlen(name) >= TM_NAME_MAX)
		return 0;
	if (tm_name_id(name, "mem", &id)) {
		ADD(memdevs, nr_memdevs, cap_memdevs);
	} else if (is_decoder(name)) {
		ADD(decoders, nr_decoders, cap_decoders);
	} else if (tm_name_id(name, "region", &id)) {
		ADD(regions, nr_regions, cap_regions);
		if (!rc)
			cxl->regions[cxl->nr_regions - 1].id = (int)id;
	} else if (tm_name_id(name, "root", &id) || tm_name_id(name, "port", &id) ||
		   tm_name_id(name, "endpoint", &id)) {
		ADD(ports, nr_ports, cap_ports);
		if (!rc)
			cxl->ports[cxl->nr_ports - 1].kind = *name == 'r' ? TM_PORT_ROOT :
							     *name == 'p' ? TM_PORT_SWITCH :
									    TM_PORT_ENDPOINT;
	}
#undef ADD
	return rc;
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(a, b); /* every object begins with its name */
}

static void sort(void *objects, size_t nr, size_t size)
{
	if (nr)
		qsort(objects, nr, size, compare_names);
}

/* A memdev's endpoint is the port that says it belongs to it. */
static void join_endpoints(struct tm_cxl *cxl)
{
	for (size_t i = 0; i < cxl->nr_ports; i++) {
		const struct tm_cxl_port *port = &cxl->ports[i];
		struct tm_cxl_memdev *memdev =
			(struct tm_cxl_memdev *)tm_cxl_memdev_find(cxl, port->device);

		if (memdev && port->kind == TM_PORT_ENDPOINT)
			strcpy(memdev->endpoint, port->name);
	}
}

/*
 * Persistent CXL memory reaches device DAX through libnvdimm, whose region folder does not name the
 * CXL region: it is the one in which the device's address lies, or the only persistent one.
 */
static void join_pmem(struct tm_cxl *cxl)
{
	for (size_t i = 0; i < cxl->nr_dax; i++) {
		struct tm_dax *dax = &cxl->dax[i];
		const struct tm_cxl_region *found = NULL;
		size_t persistent = 0;

		if (dax->kind != TM_DAX_CXL_PMEM)
			continue;
		for (size_t r = 0; r < cxl->nr_regions; r++) {
			const struct tm_cxl_region *region = &cxl->regions[r];

			if (region->mode.state != TM_KNOWN || strcmp(region->mode.value, "pmem"))
				continue;
			persistent++;
			if (!tm_num_is(&dax->resource) || !tm_num_is(&region->resource) ||
			    !tm_num_is(&region->size)) {
				found = found ? found : region;
			} else if (dax->resource.value >= region->resource.value &&
				   dax->resource.value - region->resource.value <
					   region->size.value) {
				found = region;
				persistent = 1;
				break;
			}
		}
		if (found && persistent == 1)
			strcpy(dax->region, found->name);
	}
}

int tm_read_cxl(struct tm_reader *rd)
{
	struct tm_cxl *cxl = &rd->machine->cxl;
	struct tm_scan scan;
	const char *name;
	int rc = tm_scan_open(rd->root, CXL, &scan);

	if (rc) {
		tm_read_note(rd, CXL, tm_state_from_errno(-rc));
		return 0;
	}
	cxl->present = true;
	while (!rc && (name = tm_scan_next(&scan)))
		rc = add_object(cxl, name);
	tm_scan_close(&scan);
	if (rc)
		return rc;
	sort(cxl->memdevs, cxl->nr_memdevs, sizeof(*cxl->memdevs));
	sort(cxl->ports, cxl->nr_ports, sizeof(*cxl->ports));
	sort(cxl->decoders, cxl->nr_decoders, sizeof(*cxl->decoders));
	sort(cxl->regions, cxl->nr_regions, sizeof(*cxl->regions));
	for (size_t i = 0; i < cxl->nr_memdevs; i++)
		read_memdev(rd, &cxl->memdevs[i]);
	for (size_t i = 0; i < cxl->nr_ports; i++)
		read_port(rd, &cxl->ports[i]);
	for (size_t i = 0; i < cxl->nr_decoders; i++)
		read_decoder(rd, &cxl->decoders[i]);
	for (size_t i = 0; i < cxl->nr_regions && !rc; i++)
		rc = read_region(rd, &cxl->regions[i]);
	join_endpoints(cxl);
	join_pmem(cxl);
	return rc;
}
