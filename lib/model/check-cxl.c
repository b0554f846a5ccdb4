/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of CXL devices, decoders and regions. */
#include <stdio.h>
#include <string.h>

#include "lib/base/units.h"
#include "lib/model/check.h"

static const char *size_text(struct tm_num size, char buf[TM_UNITS_MAX])
{
	return tm_num_is(&size) ? tm_format_bytes(buf, size.value) : "size unknown";
}

static const struct tm_dax *dax_of(const struct tm_cxl *cxl, const struct tm_cxl_region *region)
{
	for (size_t i = 0; i < cxl->nr_dax; i++)
		if (!strcmp(cxl->dax[i].region, region->name))
			return &cxl->dax[i];
	return NULL;
}

/* Adds the nodes that a region's memory is in, or is meant for. */
static void add_nodes(struct tm_checker *ck, struct tm_problem *problem,
		      const struct tm_cxl_region *region)
{
	const struct tm_machine *m = ck->machine;

	for (size_t i = 0; i < m->cxl.nr_dax; i++)
		if (!strcmp(m->cxl.dax[i].region, region->name) &&
		    tm_num_is(&m->cxl.dax[i].target_node))
			tm_check_node(ck, problem, (long)m->cxl.dax[i].target_node.value);
	for (size_t i = 0; i < m->nr_nodes; i++)
		if (tm_idset_has(&m->nodes[i].region_blocks, region->id))
			tm_check_node(ck, problem, m->nodes[i].id);
}

static bool is_mode(const struct tm_text *mode, const char *word)
{
	return mode->state == TM_KNOWN && !strcmp(mode->value, word);
}

/* The memory's node is online and its folder could not be read. */
static bool node_is_hidden(const struct tm_machine *m, const struct tm_dax *dax)
{
	return dax && tm_num_is(&dax->target_node) &&
	       tm_idset_has(&m->online_nodes, (long)dax->target_node.value) &&
	       !tm_machine_node(m, (long)dax->target_node.value);
}

static bool has_online_memory(const struct tm_machine *m, const struct tm_cxl_region *region,
			      const struct tm_dax *dax)
{
	for (size_t i = 0; i < m->nr_nodes; i++)
		if (tm_idset_has(&m->nodes[i].region_blocks, region->id) &&
		    tm_node_has_memory(m, &m->nodes[i]))
			return true;
	return dax && !strcmp(dax->driver, "kmem") && tm_num_is(&dax->target_node) &&
	       tm_idset_has(&m->memory_nodes, (long)dax->target_node.value);
}

/* Volatile CXL memory is there to be used; persistent memory may well be meant for device DAX. */
void tm_check_memory_offline(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;

	for (size_t i = 0; i < m->cxl.nr_regions; i++) {
		const struct tm_cxl_region *region = &m->cxl.regions[i];
		const struct tm_dax *dax = dax_of(&m->cxl, region);
		struct tm_problem *problem;
		char buf[TM_UNITS_MAX];

		if (!is_mode(&region->mode, "ram") || !tm_num_is(&region->commit) ||
		    !region->commit.value || has_online_memory(m, region, dax) ||
		    node_is_hidden(m, dax))
			continue;
		if (!dax) {
			problem = tm_check_add(
				ck, "%s (%s) is committed but no dax device was made of it",
				region->name, size_text(region->size, buf));
			tm_check_hint(problem,
				      "load the modules dax_cxl and kmem, or bind the region to "
				      "cxl_region");
			continue;
		}
		problem = tm_check_add(ck, "%s (%s) is not online: %s is %s", region->name,
				       size_text(region->size, buf), dax->name,
				       dax->driver[0] ? strcmp(dax->driver, "kmem") ?
							"kept as a device" :
							"added, but its memory blocks are offline" :
							"bound to no driver");
		add_nodes(ck, problem, region);
		tm_check_hint(problem, "daxctl %s %s",
			      !strcmp(dax->driver, "kmem") ? "online-memory" :
							     "reconfigure-device --mode=system-ram",
			      dax->name);
	}
}

void tm_check_zone_normal(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	struct tm_idset nodes = TM_IDSET_INIT;

	for (size_t i = 0; i < m->nr_nodes; i++) {
		const struct tm_node *node = &m->nodes[i];

		for (size_t z = 0; z < node->nr_zones && node->kind == TM_KIND_CXL; z++)
			if (strcmp(node->zones[z].name, "Movable") &&
			    strcmp(node->zones[z].name, "Device") && tm_idset_add(&nodes, node->id))
				ck->problems->failed = true;
	}
	tm_check_add_nodes(ck, &nodes,
			   "CXL memory of %s is in a kernel zone: kernel data lands there and it "
			   "cannot be unplugged",
			   "online it movable: daxctl reconfigure-device without --no-movable");
}

void tm_check_decoder(struct tm_checker *ck)
{
	const struct tm_cxl *cxl = &ck->machine->cxl;

	for (size_t i = 0; i < cxl->nr_decoders; i++) {
		const struct tm_cxl_decoder *d = &cxl->decoders[i];
		char buf[TM_UNITS_MAX];
		struct tm_problem *problem;

		if (d->kind != TM_PORT_ENDPOINT || d->region_state != TM_NOT_PROVIDED ||
		    !tm_num_is(&d->size) || !d->size.value)
			continue;
		problem = tm_check_add(ck,
				       "%s (%s, below %s) is committed but belongs to no region",
				       d->name, size_text(d->size, buf), d->port);
		tm_check_hint(
			problem,
			"the firmware set it up in a way the kernel could not assemble; see cxl "
			"messages in dmesg");
	}
}

void tm_check_link(struct tm_checker *ck)
{
	const struct tm_cxl *cxl = &ck->machine->cxl;

	for (size_t i = 0; i < cxl->nr_memdevs; i++) {
		const struct tm_cxl_memdev *memdev = &cxl->memdevs[i];
		const struct tm_link *link = &memdev->link;
		bool slow = tm_num_is(&link->speed) && tm_num_is(&link->max_speed) &&
			    link->speed.value < link->max_speed.value;
		bool narrow = tm_num_is(&link->width) && tm_num_is(&link->max_width) &&
			      link->width.value < link->max_width.value;
		struct tm_problem *problem;
		char speed[64] = "", width[48] = "";

		if (slow)
			snprintf(speed, sizeof(speed), " %.1f of %.1f GT/s",
				 (double)link->speed.value / 1000,
				 (double)link->max_speed.value / 1000);
		if (narrow)
			snprintf(width, sizeof(width), " x%u of x%u", (unsigned)link->width.value,
				 (unsigned)link->max_width.value);
		if (!slow && !narrow)
			continue;
		problem = tm_check_add(ck, "%s (%s): its link runs below what it could:%s%s%s",
				       memdev->name, memdev->pci, speed, slow && narrow ? "," : "",
				       width);
		tm_check_hint(problem,
			      "reseat the card or look at the slot's wiring: lspci -vv -s %s",
			      memdev->pci);
		for (size_t d = 0; d < cxl->nr_decoders; d++) {
			const struct tm_cxl_region *region =
				tm_cxl_region_find(cxl, cxl->decoders[d].region);

			if (region && tm_cxl_decoder_memdev(cxl, &cxl->decoders[d]) == memdev)
				add_nodes(ck, problem, region);
		}
	}
}

/* The root decoder above a region, through the decoder it was made in. */
void tm_check_qos_class(struct tm_checker *ck)
{
	const struct tm_cxl *cxl = &ck->machine->cxl;

	for (size_t i = 0; i < cxl->nr_decoders; i++) {
		const struct tm_cxl_decoder *d = &cxl->decoders[i];
		const struct tm_cxl_region *region = tm_cxl_region_find(cxl, d->region);
		const struct tm_cxl_memdev *memdev = tm_cxl_decoder_memdev(cxl, d);
		const struct tm_cxl_decoder *window =
			region ? tm_cxl_decoder_find(cxl, region->decoder) : NULL;
		struct tm_problem *problem;
		struct tm_num device;

		if (!memdev || !window)
			continue;
		device = is_mode(&region->mode, "pmem") ? memdev->pmem_qos_class :
							  memdev->ram_qos_class;
		if (!tm_num_is(&device) || !tm_num_is(&window->qos_class) ||
		    device.value == window->qos_class.value)
			continue;
		problem = tm_check_add(
			ck, "%s has QoS class %u, but %s in %s was made in a window of class %u",
			memdev->name, (unsigned)device.value, region->name, window->name,
			(unsigned)window->qos_class.value);
		tm_check_hint(problem,
			      "make the region in a window whose qos_class is the device's");
		add_nodes(ck, problem, region);
	}
}

/* A window reserves addresses and a node number for memory that may never come. */
void tm_check_window(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	const char *first = NULL;
	struct tm_problem *problem;
	size_t empty = 0;

	for (size_t i = 0; i < m->cxl.nr_decoders; i++) {
		const struct tm_cxl_decoder *d = &m->cxl.decoders[i];

		if (d->kind != TM_PORT_ROOT || tm_cxl_window_used(&m->cxl, d))
			continue;
		if (empty++ == 0)
			first = d->name;
	}
	if (!empty)
		return;
	if (empty == 1)
		problem = tm_check_add(
			ck,
			"the CXL window %s is unpopulated: it can count as a possible node "
			"without being one",
			first);
	else
		problem = tm_check_add(
			ck,
			"%zu CXL windows are unpopulated, the first is %s: they can count as "
			"possible nodes without being any",
			empty, first);
	for (long id = tm_idset_next(&m->possible_nodes, 0); id >= 0;
	     id = tm_idset_next(&m->possible_nodes, id + 1))
		if (!tm_machine_node(m, id))
			tm_check_node(ck, problem, id);
}
