/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Device DAX: Documentation/ABI/testing/sysfs-bus-dax. The device's place in the tree says what
 * backs it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/read.h"

#define DAX "sys/bus/dax/devices"

static void last_part(const char *path, char name[TM_NAME_MAX])
{
	size_t len = strlen(path);

	while (len && path[len - 1] == '/')
		len--;
	for (size_t start = len; start > 0; start--) {
		if (path[start - 1] == '/') {
			path += start;
			len -= start;
			break;
		}
	}
	snprintf(name, TM_NAME_MAX, "%.*s", (int)TM_MIN(len, (size_t)TM_NAME_MAX - 1), path);
}

/* The component "region<number>" directly above a dax_region is the CXL region. */
static void find_region(const char *path, char name[TM_NAME_MAX])
{
	const char *below = strstr(path, "/dax_region");
	char above[TM_PATH_MAX];
	long id;

	if (!below)
		return;
	snprintf(above, sizeof(above), "%.*s", (int)(below - path), path);
	last_part(above, name);
	if (!tm_name_id(name, "region", &id))
		name[0] = '\0';
}

static enum tm_dax_kind kind_of(const struct tm_dax *dax, const char *path)
{
	if (dax->region[0] && strstr(path, "/decoder"))
		return TM_DAX_CXL_RAM;
	if (strstr(path, "/nvdimm-bridge"))
		return TM_DAX_CXL_PMEM;
	if (strstr(path, "/ndbus"))
		return TM_DAX_PMEM;
	return strstr(path, "/hmem.") ? TM_DAX_RESERVED : TM_DAX_OTHER;
}

static void read_device(struct tm_reader *rd, struct tm_dax *dax)
{
	char path[TM_PATH_MAX], device[TM_PATH_MAX];

	if (!tm_path_format(path, DAX "/%s/driver", dax->name) &&
	    !tm_root_readlink(rd->root, path, device))
		last_part(device, dax->driver);
	if (!tm_path_format(path, DAX "/%s", dax->name) &&
	    !tm_root_resolve(rd->root, path, device)) {
		find_region(device, dax->region);
		dax->kind = kind_of(dax, device);
		if (dax->kind != TM_DAX_CXL_RAM)
			dax->region[0] = '\0';
	}
	dax->target_node = tm_read_id(rd, DAX "/%s/target_node", dax->name);
	dax->numa_node = tm_read_id(rd, DAX "/%s/numa_node", dax->name);
	dax->size = tm_read_num(rd, DAX "/%s/size", dax->name);
	dax->resource = tm_read_num(rd, DAX "/%s/resource", dax->name);
	if (dax->resource.state == TM_ABSENT)
		dax->resource = tm_read_num(rd, DAX "/%s/mapping0/start", dax->name);
}

static int compare_dax(const void *a, const void *b)
{
	return strverscmp(((const struct tm_dax *)a)->name, ((const struct tm_dax *)b)->name);
}

int tm_read_dax(struct tm_reader *rd)
{
	struct tm_cxl *cxl = &rd->machine->cxl;
	struct tm_scan scan;
	const char *name;
	int rc = tm_scan_open(rd->root, DAX, &scan);

	if (rc) {
		tm_read_note(rd, DAX, tm_state_from_errno(-rc));
		return 0;
	}
	while (!rc && (name = tm_scan_next(&scan))) {
		if (strncmp(name, "dax", 3) || strlen(name) >= TM_NAME_MAX)
			continue;
		rc = tm_array_grow(&cxl->dax, cxl->nr_dax, &cxl->cap_dax, sizeof(*cxl->dax));
		if (!rc)
			strcpy(cxl->dax[cxl->nr_dax++].name, name);
	}
	tm_scan_close(&scan);
	for (size_t i = 0; !rc && i < cxl->nr_dax; i++)
		read_device(rd, &cxl->dax[i]);
	if (cxl->nr_dax)
		qsort(cxl->dax, cxl->nr_dax, sizeof(*cxl->dax), compare_dax);
	return rc;
}
