/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/model/cxl.h"

#include <stdlib.h>
#include <string.h>

void tm_cxl_release(struct tm_cxl *cxl)
{
	for (size_t i = 0; i < cxl->nr_memdevs; i++) {
		tm_text_release(&cxl->memdevs[i].serial);
		tm_text_release(&cxl->memdevs[i].firmware);
	}
	free(cxl->memdevs);
	free(cxl->ports);
	for (size_t i = 0; i < cxl->nr_decoders; i++) {
		tm_text_release(&cxl->decoders[i].targets);
		tm_text_release(&cxl->decoders[i].mode);
	}
	free(cxl->decoders);
	for (size_t i = 0; i < cxl->nr_regions; i++) {
		tm_text_release(&cxl->regions[i].uuid);
		tm_text_release(&cxl->regions[i].mode);
		free(cxl->regions[i].targets);
	}
	free(cxl->regions);
	free(cxl->dax);
	*cxl = (struct tm_cxl){ 0 };
}

/* Every kind of object begins with its name, so one search serves them all. */
static const void *find(const void *objects, size_t nr, size_t size, const char *name)
{
	for (size_t i = 0; i < nr; i++) {
		const char *object = (const char *)objects + i * size;

		if (!strcmp(object, name))
			return object;
	}
	return NULL;
}

const struct tm_cxl_memdev *tm_cxl_memdev_find(const struct tm_cxl *cxl, const char *name)
{
	_Static_assert(offsetof(struct tm_cxl_memdev, name) == 0, "name comes first");
	return find(cxl->memdevs, cxl->nr_memdevs, sizeof(*cxl->memdevs), name);
}

const struct tm_cxl_decoder *tm_cxl_decoder_find(const struct tm_cxl *cxl, const char *name)
{
	_Static_assert(offsetof(struct tm_cxl_decoder, name) == 0, "name comes first");
	return find(cxl->decoders, cxl->nr_decoders, sizeof(*cxl->decoders), name);
}

const struct tm_cxl_region *tm_cxl_region_find(const struct tm_cxl *cxl, const char *name)
{
	_Static_assert(offsetof(struct tm_cxl_region, name) == 0, "name comes first");
	return find(cxl->regions, cxl->nr_regions, sizeof(*cxl->regions), name);
}

const struct tm_cxl_port *tm_cxl_port_find(const struct tm_cxl *cxl, const char *name)
{
	_Static_assert(offsetof(struct tm_cxl_port, name) == 0, "name comes first");
	return find(cxl->ports, cxl->nr_ports, sizeof(*cxl->ports), name);
}

const struct tm_cxl_memdev *tm_cxl_decoder_memdev(const struct tm_cxl *cxl,
						  const struct tm_cxl_decoder *decoder)
{
	const struct tm_cxl_port *port = tm_cxl_port_find(cxl, decoder->port);

	return port && port->kind == TM_PORT_ENDPOINT ? tm_cxl_memdev_find(cxl, port->device) :
							NULL;
}

/* Committed in the window by the firmware, where the kernel made no region of it. */
static bool decodes_in(const struct tm_cxl_decoder *window, const struct tm_cxl_decoder *decoder)
{
	if (decoder->kind == TM_PORT_ROOT || decoder->region[0] || !tm_num_is(&decoder->size) ||
	    !decoder->size.value)
		return false;
	/* Addresses are for root only: without them it may be any window. */
	if (!tm_num_is(&window->start) || !tm_num_is(&window->size) || !tm_num_is(&decoder->start))
		return true;
	return decoder->start.value >= window->start.value &&
	       decoder->start.value - window->start.value < window->size.value;
}

bool tm_cxl_window_used(const struct tm_cxl *cxl, const struct tm_cxl_decoder *window)
{
	for (size_t i = 0; i < cxl->nr_regions; i++)
		/* A region may lie here too where its place could not be read. */
		if (!cxl->regions[i].decoder[0] || !strcmp(cxl->regions[i].decoder, window->name))
			return true;
	for (size_t i = 0; i < cxl->nr_decoders; i++)
		if (decodes_in(window, &cxl->decoders[i]))
			return true;
	return false;
}

const char *tm_port_kind_name(enum tm_cxl_port_kind kind)
{
	static const char *const name[] = {
		[TM_PORT_ROOT] = "root",
		[TM_PORT_SWITCH] = "switch",
		[TM_PORT_ENDPOINT] = "endpoint",
	};

	return name[kind];
}

const char *tm_dax_kind_name(enum tm_dax_kind kind)
{
	static const char *const name[] = {
		[TM_DAX_OTHER] = "other",	[TM_DAX_CXL_RAM] = "cxl-ram",
		[TM_DAX_CXL_PMEM] = "cxl-pmem", [TM_DAX_PMEM] = "pmem",
		[TM_DAX_RESERVED] = "reserved",
	};

	return name[kind];
}
