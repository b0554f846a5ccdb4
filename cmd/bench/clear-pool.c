/* SPDX-License-Identifier: GPL-2.0-only */
/* Pools of huge pages, for the time of the run. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/clear.h"
#include "lib/base/units.h"
#include "lib/sys/attr.h"

#define POOLS "sys/kernel/mm/hugepages"

static int compare_sizes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* "hugepages-2048kB" → 2 MiB; 0: not one of these. */
static uint64_t size_of(const char *name)
{
	uint64_t kb;
	int end = 0;

	if (sscanf(name, "hugepages-%" SCNu64 "kB%n", &kb, &end) != 1 || !end || name[end])
		return 0;
	return kb << 10;
}

int clear_list_sizes(const struct bench *b, uint64_t sizes[CLEAR_SIZES], size_t *nr,
		     struct tm_error *err)
{
	struct tm_scan scan;
	const char *name;
	int rc = tm_scan_open(&b->root, POOLS, &scan);

	*nr = 0;
	if (rc && rc != -ENOENT)
		return tm_error_errno(err, -rc, "/" POOLS);
	while (!rc && (name = tm_scan_next(&scan)))
		if (size_of(name) && *nr < CLEAR_SIZES)
			sizes[(*nr)++] = size_of(name);
	if (!rc)
		tm_scan_close(&scan);
	if (!*nr)
		return tm_error_set(err, ENOTSUP, "this machine has no pools of huge pages");
	qsort(sizes, *nr, sizeof(*sizes), compare_sizes);
	return 0;
}

/* A file of a pool. */
static int format_path(char path[TM_PATH_MAX], uint64_t page, int node, const char *file)
{
	if (node < 0)
		return tm_path_format(path, POOLS "/hugepages-%" PRIu64 "kB/%s", page >> 10, file);
	return tm_path_format(path,
			      "sys/devices/system/node/node%d/hugepages/hugepages-%" PRIu64 "kB/%s",
			      node, page >> 10, file);
}

static struct tm_num read_pool(const struct bench *b, uint64_t page, int node, const char *file)
{
	char path[TM_PATH_MAX];

	if (format_path(path, page, node, file))
		return tm_num_none(TM_UNKNOWN);
	return tm_attr_num(&b->root, path);
}

bool clear_has_size(const struct bench *b, uint64_t page)
{
	struct tm_num pages = read_pool(b, page, -1, "nr_hugepages");

	return tm_num_is(&pages);
}

/* Free ones of which no mapping was promised any: promises are not of a node. */
static uint64_t count_usable(const struct bench *b, uint64_t page, int node)
{
	struct tm_num here = read_pool(b, page, node, "free_hugepages");
	struct tm_num all = read_pool(b, page, -1, "free_hugepages");
	struct tm_num promised = read_pool(b, page, -1, "resv_hugepages");
	uint64_t others = tm_num_is(&promised) ? promised.value : 0;

	if (!tm_num_is(&here) || !tm_num_is(&all) || all.value <= others)
		return 0;
	return TM_MIN(here.value, all.value - others);
}

/* Pages of others stay theirs: ours come to those that are there. */
static int add_pages(struct bench *b, uint64_t page, int node, uint64_t need, struct tm_error *err)
{
	struct tm_num have = read_pool(b, page, node, "nr_hugepages");
	char path[TM_PATH_MAX], size[TM_UNITS_MAX], to[32];
	int rc = format_path(path, page, node, "nr_hugepages");

	if (rc)
		return tm_error_errno(err, -rc, "pool of huge pages");
	if (!tm_num_is(&have))
		return tm_error_set(err, ENOTSUP, "no pool of %s pages on node %d",
				    tm_format_bytes(size, page), node);
	snprintf(to, sizeof(to), "%" PRIu64, have.value + need);
	rc = bench_setting(b, TM_CHANGE_COUNT, TM_FORM_NUMBER, path, to, err);
	if (!rc)
		rc = bench_settings_apply(b, err);
	/* Some kernels have pages of this size at boot only. */
	if (rc == -EINVAL)
		rc = tm_error_set(err, ENOTSUP, "this kernel adds no pages of %s while it runs",
				  tm_format_bytes(size, page));
	return rc;
}

int clear_fill_pool(struct bench *b, uint64_t page, int node, uint64_t bytes, uint64_t *pages,
		    struct tm_error *err)
{
	char size[TM_UNITS_MAX];
	uint64_t need = bytes / page;
	int rc = add_pages(b, page, node, need, err);

	if (rc)
		return rc;
	*pages = TM_MIN(count_usable(b, page, node), need);
	if (*pages)
		return 0;
	tm_format_bytes(size, page);
	return tm_error_set(err, ENOTSUP, "the kernel found no memory for a page of %s", size);
}
