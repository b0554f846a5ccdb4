/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is counted for each node: nodeN/vmstat, nodeN/numastat (admin-guide/numastat.rst) and the
 * memory of nodeN/meminfo. Nodes come and go: samples are lists keyed by id.
 */
#ifndef TM_SAMPLE_NODES_H
#define TM_SAMPLE_NODES_H

#include "lib/sample/counters.h"
#include "lib/sample/file.h"

enum tm_numastat {
	TM_NUMASTAT_HIT,
	TM_NUMASTAT_MISS,
	TM_NUMASTAT_FOREIGN,
	TM_NUMASTAT_INTERLEAVE,
	TM_NUMASTAT_LOCAL,
	TM_NUMASTAT_OTHER,
};
#define TM_NUMASTATS (TM_NUMASTAT_OTHER + 1)

/* As the kernel calls it: "numa_hit", "interleave_hit". */
const char *tm_numastat_name(enum tm_numastat numastat);

struct tm_node_sample {
	int id;
	struct tm_counters vmstat; /* the kernel's own vmstat of a node lacks what is global */
	struct tm_num numastat[TM_NUMASTATS];
	struct tm_num total_bytes;
	struct tm_num free_bytes;
};

struct tm_node_samples {
	enum tm_state state;	     /* of the list of nodes */
	struct tm_node_sample *list; /* by rising id */
	size_t nr, cap;
};

void tm_node_samples_release(struct tm_node_samples *nodes);
const struct tm_node_sample *tm_node_samples_find(const struct tm_node_samples *nodes, int id);

/* The files behind them. */
struct tm_node_files {
	const struct tm_root *root; /* borrowed */
	struct tm_file online;
	char *known; /* what `online` said when the files were opened */
	struct tm_node_file *list;
	size_t nr, cap;
};

void tm_node_files_open(struct tm_node_files *files, const struct tm_root *root);
void tm_node_files_close(struct tm_node_files *files);
/* Reads them into the list, which is reused from call to call. 0 or -ENOMEM. */
int tm_node_files_read(struct tm_node_files *files, struct tm_node_samples *nodes);

#endif
