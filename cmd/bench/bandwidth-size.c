/* SPDX-License-Identifier: GPL-2.0-only */
/* How large the arrays are: beyond the caches, and within what is free. */
#include <errno.h>
#include <string.h>

#include "cmd/bench/bandwidth.h"
#include "lib/sys/attr.h"

#define MIB (1ULL << 20)
/* Of all last-level caches; then one access in four at most can be from there. */
#define TIMES 4
#define QUICK_TIMES 2
/* Where nobody says how large the caches are. */
#define CACHE (64 * MIB)
#define LEAST (16 * MIB)
/* Kernels have up to three arrays; the more a mix has, the smaller they are. */
#define ARRAYS 3

/* The index of the largest level that the CPU has, or -1. */
static int last_level(const struct bench *b, long cpu)
{
	uint64_t highest = 0;
	int found = -1;

	for (int i = 0; i < 10; i++) {
		char path[TM_PATH_MAX];
		struct tm_num level;

		if (tm_path_format(path, "sys/devices/system/cpu/cpu%ld/cache/index%d/level", cpu,
				   i))
			break;
		level = tm_attr_num(&b->root, path);
		if (!tm_num_is(&level))
			break;
		if (level.value > highest) {
			highest = level.value;
			found = i;
		}
	}
	return found;
}

uint64_t bandwidth_cache(const struct bench *b, const struct tm_idset *cpus)
{
	struct tm_idset seen = TM_IDSET_INIT;
	uint64_t sum = 0;

	tm_idset_for_each(cpu, cpus) {
		struct tm_idset shared = TM_IDSET_INIT;
		int index = tm_idset_has(&seen, cpu) ? -1 : last_level(b, cpu);
		char path[TM_PATH_MAX];

		if (index < 0)
			continue;
		sum += bench_cache_bytes(b, cpu, index);
		if (!tm_path_format(path, "sys/devices/system/cpu/cpu%ld/cache/index%d/%s", cpu,
				    index, "shared_cpu_list") &&
		    tm_attr_list(&b->root, path, &shared) == TM_KNOWN)
			tm_idset_for_each(other, &shared)
				/* Without memory a cache may count twice: the arrays are larger. */
				(void)tm_idset_add(&seen, other);
		tm_idset_release(&shared);
	}
	tm_idset_release(&seen);
	return sum;
}

/* What of all memory comes to the `at`-th node, in hundredths, rounded up. */
static uint64_t share_percent(const struct bandwidth_way *way, size_t at)
{
	size_t nr = tm_idset_count(way->nodes);
	uint64_t sum = 0;

	if (!way->weights)
		return 100 / TM_MAX(nr, (size_t)1) + 1;
	for (size_t i = 0; i < nr; i++)
		sum += way->weights[i];
	return way->weights[at] * 100 / TM_MAX(sum, UINT64_C(1)) + 1;
}

static uint64_t usual_size(const struct bench *b, unsigned arrays)
{
	const struct bandwidth_request *request = b->request;
	uint64_t cache = request->cache ? request->cache : CACHE;
	uint64_t bytes = cache * (b->quick ? QUICK_TIMES : TIMES);

	if (arrays > ARRAYS)
		bytes = bytes * ARRAYS / arrays;
	bytes = TM_MAX(bytes, LEAST);
	return (bytes + MIB - 1) / MIB * MIB;
}

int bandwidth_size(const struct bench *b, const struct bandwidth_load *load,
		   const struct bandwidth_way *way, unsigned threads, uint64_t *bytes,
		   bool *limited, struct tm_error *err)
{
	const struct bandwidth_request *request = b->request;
	unsigned arrays = load->reads + load->writes;
	uint64_t size = request->size ? request->size : usual_size(b, arrays);
	size_t at = 0;
	int rc = 0;

	*limited = false;
	for (long id = way->nodes ? tm_idset_next(way->nodes, 0) : -1; id >= 0 && !rc;
	     id = tm_idset_next(way->nodes, id + 1), at++) {
		const struct tm_node *node = tm_machine_node(&b->machine, id);
		uint64_t percent = TM_MIN(share_percent(way, at), (uint64_t)100);

		/* Half of what is free: others want some too. */
		while (!request->size && node && tm_num_is(&node->memory_free) && size > MIB &&
		       size / 100 * percent * arrays > node->memory_free.value / 2) {
			size = size / 2 / MIB * MIB;
			*limited = true;
		}
		rc = bench_check_room(b, (int)id, size / 100 * percent * arrays, err);
	}
	*bytes = TM_MAX(size, tm_bench_streams_least(threads));
	return rc;
}
