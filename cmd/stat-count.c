/* SPDX-License-Identifier: GPL-2.0-only */
/* From samples and from what the kernel tells of a child to the counters of a record. */
#include "cmd/stat-view.h"

static int add(struct stat_record *record, struct stat_key key, struct tm_num num)
{
	return stat_record_add(record, &key, stat_value_of(num));
}

static struct stat_key system_key(enum stat_group group, const char *name)
{
	return (struct stat_key){
		.group = group, .scope = STAT_SYSTEM, .name = name, .cpu = -1, .node = -1
	};
}

static int add_interrupts(struct stat_record *record, const struct tm_sample *before,
			  const struct tm_sample *now)
{
	const struct tm_interrupts *in = &now->interrupts;
	int rc = 0;

	for (int irq = 0; irq < TM_IRQS && !rc; irq++) {
		size_t cpus = 0;
		struct tm_num total = tm_pair_irq_total(before, now, (enum tm_irq)irq, &cpus);
		struct stat_key key = system_key(STAT_INTERRUPTS, tm_irq_name((enum tm_irq)irq));

		rc = add(record, key, total);
		/* The figure that is published of a change: it does not depend on their number. */
		if (!rc && irq == TM_IRQ_TLB) {
			key.name = "TLB-per-cpu";
			if (tm_num_is(&total))
				total.value /= cpus;
			rc = add(record, key, total);
		}
	}
	if (in->rows[TM_IRQ_TLB].state != TM_KNOWN)
		return rc;
	for (size_t i = 0; i < in->nr_cpus && !rc; i++) {
		struct stat_key key = system_key(STAT_INTERRUPTS, tm_irq_name(TM_IRQ_TLB));

		key.cpu = in->cpus[i];
		rc = add(record, key, tm_pair_irq(before, now, TM_IRQ_TLB, key.cpu));
	}
	return rc;
}

static enum stat_group group_of(enum tm_counter counter)
{
	static const enum stat_group groups[TM_COUNTER_GROUPS] = {
		[TM_GROUP_TLB] = STAT_TLB,	   [TM_GROUP_MIGRATION] = STAT_MIGRATION,
		[TM_GROUP_NUMA] = STAT_NUMA,	   [TM_GROUP_THP] = STAT_THP,
		[TM_GROUP_RECLAIM] = STAT_RECLAIM,
	};

	return groups[tm_counter_group(counter)];
}

static int add_counters(struct stat_record *record, const struct tm_sample *before,
			const struct tm_sample *now)
{
	int rc = 0;

	for (int i = 0; i < TM_COUNTERS && !rc; i++) {
		enum tm_counter counter = (enum tm_counter)i;

		rc = add(record, system_key(group_of(counter), tm_counter_name(counter)),
			 tm_pair_counter(before, now, counter));
	}
	return rc;
}

/*
 * Of a node. Older kernels have some counters in its numastat alone, under names of its own. -1:
 * not one of these.
 */
static int numastat_of(enum tm_counter counter)
{
	static const enum tm_counter counters[TM_NUMASTATS] = {
		[TM_NUMASTAT_HIT] = TM_COUNTER_numa_hit,
		[TM_NUMASTAT_MISS] = TM_COUNTER_numa_miss,
		[TM_NUMASTAT_FOREIGN] = TM_COUNTER_numa_foreign,
		[TM_NUMASTAT_INTERLEAVE] = TM_COUNTER_numa_interleave,
		[TM_NUMASTAT_LOCAL] = TM_COUNTER_numa_local,
		[TM_NUMASTAT_OTHER] = TM_COUNTER_numa_other,
	};

	for (int i = 0; i < TM_NUMASTATS; i++)
		if (counters[i] == counter)
			return i;
	return -1;
}

/* Most of vmstat is of the whole machine alone: what a node has not is not listed for it. */
static int add_node(struct stat_record *record, const struct tm_sample *before,
		    const struct tm_sample *now, const struct tm_node_sample *node)
{
	int rc = 0;

	for (int i = 0; i < TM_COUNTERS && !rc; i++) {
		enum tm_counter counter = (enum tm_counter)i;
		struct stat_key key = system_key(group_of(counter), tm_counter_name(counter));
		int numastat = numastat_of(counter);

		key.node = node->id;
		if (tm_num_is(&node->vmstat.value[i]))
			rc = add(record, key, tm_pair_node_counter(before, now, node->id, counter));
		else if (numastat >= 0)
			rc = add(record, key,
				 tm_pair_numastat(before, now, node->id,
						  (enum tm_numastat)numastat));
	}
	return rc;
}

static int add_sizes(struct stat_record *record, const struct tm_sample *before,
		     const struct tm_sample *now)
{
	int rc = 0;

	for (size_t i = 0; i < now->sizes.nr; i++)
		for (int k = 0; k < TM_SIZE_COUNTERS && !rc; k++) {
			enum tm_size_counter counter = (enum tm_size_counter)k;
			struct stat_key key = system_key(STAT_SIZES, tm_size_counter_name(counter));

			key.size_bytes = now->sizes.list[i].size_bytes;
			rc = add(record, key, tm_pair_size(before, now, key.size_bytes, counter));
		}
	return rc;
}

int stat_count_pair(struct stat_record *record, const struct tm_sample *before,
		    const struct tm_sample *now)
{
	int rc = add_interrupts(record, before, now);

	if (!rc)
		rc = add_counters(record, before, now);
	for (size_t i = 0; i < now->nodes.nr && !rc; i++)
		rc = add_node(record, before, now, &now->nodes.list[i]);
	return rc ? rc : add_sizes(record, before, now);
}

static uint64_t in_ns(const struct timeval *time)
{
	return ((uint64_t)time->tv_sec * 1000000 + (uint64_t)time->tv_usec) * 1000;
}

int stat_count_usage(struct stat_record *record, uint64_t elapsed_ns, const struct child_end *end)
{
	const struct rusage *usage = &end->usage;
	const struct {
		enum stat_group group;
		enum stat_unit unit;
		const char *name;
		uint64_t value;
	} rows[] = {
		{ STAT_TIME, STAT_NS, "elapsed", elapsed_ns },
		{ STAT_TIME, STAT_NS, "user", in_ns(&usage->ru_utime) },
		{ STAT_TIME, STAT_NS, "system", in_ns(&usage->ru_stime) },
		{ STAT_USAGE, STAT_BYTES, "max-resident", (uint64_t)usage->ru_maxrss << 10 },
		{ STAT_USAGE, STAT_COUNT, "minor-faults", (uint64_t)usage->ru_minflt },
		{ STAT_USAGE, STAT_COUNT, "major-faults", (uint64_t)usage->ru_majflt },
		{ STAT_USAGE, STAT_COUNT, "voluntary-switches", (uint64_t)usage->ru_nvcsw },
		{ STAT_USAGE, STAT_COUNT, "involuntary-switches", (uint64_t)usage->ru_nivcsw },
	};
	int rc = 0;

	for (size_t i = 0; i < TM_ARRAY_SIZE(rows) && !rc; i++) {
		struct stat_key key = { .group = rows[i].group,
					.scope = STAT_COMMAND,
					.unit = rows[i].unit,
					.name = rows[i].name,
					.cpu = -1,
					.node = -1 };

		rc = add(record, key, tm_num_known(rows[i].value));
	}
	return rc;
}
