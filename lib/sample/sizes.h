/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the kernel counts for each size of huge page: admin-guide/mm/transhuge.rst, "Monitoring
 * usage", hugepages-<N>kB/stats.
 */
#ifndef TM_SAMPLE_SIZES_H
#define TM_SAMPLE_SIZES_H

#include "lib/sample/file.h"

enum tm_size_counter {
	TM_SIZE_ANON_FAULT_ALLOC,
	TM_SIZE_ANON_FAULT_FALLBACK,
	TM_SIZE_SHMEM_ALLOC,
	TM_SIZE_SHMEM_FALLBACK,
	TM_SIZE_SWPOUT,
	TM_SIZE_SPLIT,
	TM_SIZE_SPLIT_DEFERRED,
};
#define TM_SIZE_COUNTERS (TM_SIZE_SPLIT_DEFERRED + 1)

const char *tm_size_counter_name(enum tm_size_counter counter);

struct tm_size_sample {
	uint64_t size_bytes;
	struct tm_num value[TM_SIZE_COUNTERS]; /* TM_UNSUPPORTED: this kernel has no such counter */
};

struct tm_size_samples {
	enum tm_state state;	     /* of the list of sizes */
	struct tm_size_sample *list; /* by rising size */
	size_t nr, cap;
};

void tm_size_samples_release(struct tm_size_samples *sizes);

struct tm_size_files {
	enum tm_state state;
	struct tm_size_file *list;
	size_t nr, cap;
};

/* 0 or -ENOMEM. */
int tm_size_files_open(struct tm_size_files *files, const struct tm_root *root);
void tm_size_files_close(struct tm_size_files *files);
/* The list is reused from call to call. 0 or -ENOMEM. */
int tm_size_files_read(struct tm_size_files *files, struct tm_size_samples *sizes);

#endif
