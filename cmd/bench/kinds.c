/* SPDX-License-Identifier: GPL-2.0-only */
/* Every kind of benchmark, for reading results back. */
#include <string.h>

#include "cmd/bench/bench.h"

const struct bench_kind *const bench_kinds[] = {
	&bench_bandwidth_kind, &bench_latency_kind, &bench_lookup_kind,	 &bench_fault_kind,
	&bench_cow_kind,       &bench_clear_kind,   &bench_migrate_kind, NULL,
};

const struct bench_kind *bench_kind_find(const char *name)
{
	for (const struct bench_kind *const *kind = bench_kinds; *kind; kind++)
		if (!strcmp((*kind)->name, name))
			return *kind;
	return NULL;
}

size_t bench_kind_labels(const struct bench_kind *kind)
{
	size_t nr = 0;

	while (nr < BENCH_LABELS && kind->labels[nr].key)
		nr++;
	return nr;
}

size_t bench_kind_metrics(const struct bench_kind *kind)
{
	size_t nr = 0;

	while (nr < BENCH_METRICS && kind->metrics[nr].key)
		nr++;
	return nr;
}

int bench_kind_metric(const struct bench_kind *kind, const char *key)
{
	for (size_t i = 0; i < bench_kind_metrics(kind); i++)
		if (!strcmp(kind->metrics[i].key, key))
			return (int)i;
	return -1;
}
