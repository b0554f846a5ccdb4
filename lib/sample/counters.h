/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The counters of /proc/vmstat and its likes of each node that tell of TLB flushes, migration and
 * huge pages. Names differ between kernels: one that is not there is TM_UNSUPPORTED, and one that
 * is not in this list is passed over.
 */
#ifndef TM_SAMPLE_COUNTERS_H
#define TM_SAMPLE_COUNTERS_H

#include <stddef.h>

#include "lib/base/value.h"

enum tm_counter_group {
	TM_GROUP_TLB,
	TM_GROUP_MIGRATION,
	TM_GROUP_NUMA,
	TM_GROUP_THP,
	TM_GROUP_RECLAIM
};
#define TM_COUNTER_GROUPS (TM_GROUP_RECLAIM + 1)

/* "tlb", "migration", "numa", "thp", "reclaim". */
const char *tm_counter_group_name(enum tm_counter_group group);

/* In the order of their names, which is that of the search. */
#define TM_COUNTER_LIST(X)                    \
	X(allocstall_movable, RECLAIM)        \
	X(allocstall_normal, RECLAIM)         \
	X(nr_tlb_local_flush_all, TLB)        \
	X(nr_tlb_local_flush_one, TLB)        \
	X(nr_tlb_remote_flush, TLB)           \
	X(nr_tlb_remote_flush_received, TLB)  \
	X(numa_foreign, NUMA)                 \
	X(numa_hint_faults, MIGRATION)        \
	X(numa_hint_faults_local, MIGRATION)  \
	X(numa_hit, NUMA)                     \
	X(numa_huge_pte_updates, MIGRATION)   \
	X(numa_interleave, NUMA)              \
	X(numa_local, NUMA)                   \
	X(numa_miss, NUMA)                    \
	X(numa_other, NUMA)                   \
	X(numa_pages_migrated, MIGRATION)     \
	X(numa_pte_updates, MIGRATION)        \
	X(pgdemote_direct, MIGRATION)         \
	X(pgdemote_khugepaged, MIGRATION)     \
	X(pgdemote_kswapd, MIGRATION)         \
	X(pgdemote_proactive, MIGRATION)      \
	X(pgfault, RECLAIM)                   \
	X(pgmajfault, RECLAIM)                \
	X(pgmigrate_fail, MIGRATION)          \
	X(pgmigrate_success, MIGRATION)       \
	X(pgpromote_candidate, MIGRATION)     \
	X(pgpromote_candidate_nrl, MIGRATION) \
	X(pgpromote_success, MIGRATION)       \
	X(pgscan_direct, RECLAIM)             \
	X(pgscan_kswapd, RECLAIM)             \
	X(pgsteal_direct, RECLAIM)            \
	X(pgsteal_kswapd, RECLAIM)            \
	X(pswpin, RECLAIM)                    \
	X(pswpout, RECLAIM)                   \
	X(thp_collapse_alloc, THP)            \
	X(thp_collapse_alloc_failed, THP)     \
	X(thp_deferred_split_page, THP)       \
	X(thp_fault_alloc, THP)               \
	X(thp_fault_fallback, THP)            \
	X(thp_file_alloc, THP)                \
	X(thp_migration_fail, MIGRATION)      \
	X(thp_migration_split, MIGRATION)     \
	X(thp_migration_success, MIGRATION)   \
	X(thp_split_page, THP)                \
	X(thp_split_pmd, THP)                 \
	X(thp_swpout, THP)                    \
	X(thp_zero_page_alloc, THP)           \
	X(tlb_defer_forced, TLB)              \
	X(tlb_defer_pages, TLB)               \
	X(tlb_defer_refused, TLB)             \
	X(workingset_refault_anon, RECLAIM)   \
	X(workingset_refault_file, RECLAIM)

enum tm_counter {
#define TM_COUNTER_ENUM(name, group) TM_COUNTER_##name,
	TM_COUNTER_LIST(TM_COUNTER_ENUM)
#undef TM_COUNTER_ENUM
		TM_COUNTERS,
};

const char *tm_counter_name(enum tm_counter counter);
enum tm_counter_group tm_counter_group(enum tm_counter counter);
/* TM_COUNTERS where it is none of ours. */
enum tm_counter tm_counter_find(const char *name, size_t len);

struct tm_counters {
	struct tm_num value[TM_COUNTERS];
};

/* All of them in one state. */
void tm_counters_none(struct tm_counters *counters, enum tm_state state);

/*
 * Lines of "name value". A name that is missing is TM_UNSUPPORTED, a value that is no number
 * TM_MALFORMED. `text` must end in a NUL.
 */
void tm_counters_parse(struct tm_counters *counters, const char *text);

/*
 * What a counter of so many bits (32 or 64) rose by. A counter of 32 bits that has become less has
 * wrapped, unless it would have had to go more than half way round: then, as with one of 64 bits,
 * it was reset and nothing is known (TM_UNKNOWN). Where one of the two is not known, its state.
 */
struct tm_num tm_count_delta(const struct tm_num *before, const struct tm_num *now, unsigned bits);

#endif
