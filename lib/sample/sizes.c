/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/sizes.h"
#include "lib/base/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/sample/counters.h"

#define THP "sys/kernel/mm/transparent_hugepage"

struct tm_size_file {
	uint64_t size_bytes;
	struct tm_file file[TM_SIZE_COUNTERS];
};

static const char *const names[] = {
	[TM_SIZE_ANON_FAULT_ALLOC] = "anon_fault_alloc",
	[TM_SIZE_ANON_FAULT_FALLBACK] = "anon_fault_fallback",
	[TM_SIZE_SHMEM_ALLOC] = "shmem_alloc",
	[TM_SIZE_SHMEM_FALLBACK] = "shmem_fallback",
	[TM_SIZE_SWPOUT] = "swpout",
	[TM_SIZE_SPLIT] = "split",
	[TM_SIZE_SPLIT_DEFERRED] = "split_deferred",
};

const char *tm_size_counter_name(enum tm_size_counter counter)
{
	return names[counter];
}

void tm_size_samples_release(struct tm_size_samples *sizes)
{
	free(sizes->list);
	*sizes = (struct tm_size_samples){ 0 };
}

static int by_size(const void *a, const void *b)
{
	const struct tm_size_file *x = a, *y = b;

	return (x->size_bytes > y->size_bytes) - (x->size_bytes < y->size_bytes);
}

static int add(struct tm_size_files *files, const struct tm_root *root, long kib)
{
	struct tm_size_file *size;
	char path[TM_PATH_MAX];

	if (tm_array_grow(&files->list, files->nr, &files->cap, sizeof(*files->list)))
		return -ENOMEM;
	size = &files->list[files->nr++];
	size->size_bytes = (uint64_t)kib << 10;
	for (size_t i = 0; i < TM_SIZE_COUNTERS; i++) {
		(void)tm_path_format(path, THP "/hugepages-%ldkB/stats/%s", kib, names[i]);
		tm_file_open(&size->file[i], root, path);
	}
	return 0;
}

/* "hugepages-64kB" */
static bool folder_size(const char *name, long *kib)
{
	char text[64];
	size_t len = strlen(name);

	if (len < 3 || len >= sizeof(text) || strcmp(name + len - 2, "kB"))
		return false;
	memcpy(text, name, len - 2);
	text[len - 2] = '\0';
	/* Shifted to bytes it must still be a number. */
	return tm_name_id(text, "hugepages-", kib) && *kib > 0 && *kib <= INT64_MAX >> 10;
}

int tm_size_files_open(struct tm_size_files *files, const struct tm_root *root)
{
	struct tm_scan scan;
	const char *name;
	int rc;

	*files = (struct tm_size_files){ 0 };
	rc = tm_scan_open(root, THP, &scan);
	files->state = rc ? tm_state_from_errno(-rc) : TM_KNOWN;
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	while ((name = tm_scan_next(&scan)) && !rc) {
		long kib;

		if (folder_size(name, &kib))
			rc = add(files, root, kib);
	}
	tm_scan_close(&scan);
	if (files->nr)
		qsort(files->list, files->nr, sizeof(*files->list), by_size);
	return rc;
}

void tm_size_files_close(struct tm_size_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		for (size_t k = 0; k < TM_SIZE_COUNTERS; k++)
			tm_file_close(&files->list[i].file[k]);
	free(files->list);
	*files = (struct tm_size_files){ 0 };
}

static struct tm_num read_value(struct tm_file *file, int *rc)
{
	int failed;

	if (file->state == TM_ABSENT)
		return tm_num_none(TM_UNSUPPORTED);
	failed = tm_file_read(file);
	if (failed == -ENOMEM)
		*rc = failed;
	return failed ? tm_num_none(tm_state_from_errno(-failed)) : tm_leading_number(file->data);
}

int tm_size_files_read(struct tm_size_files *files, struct tm_size_samples *sizes)
{
	int rc = 0;

	sizes->nr = 0;
	sizes->state = files->state;
	for (size_t i = 0; i < files->nr && !rc; i++) {
		struct tm_size_sample *sample;

		if (tm_array_grow(&sizes->list, sizes->nr, &sizes->cap, sizeof(*sizes->list)))
			return -ENOMEM;
		sample = &sizes->list[sizes->nr++];
		sample->size_bytes = files->list[i].size_bytes;
		for (size_t k = 0; k < TM_SIZE_COUNTERS; k++)
			sample->value[k] = read_value(&files->list[i].file[k], &rc);
	}
	return rc;
}
