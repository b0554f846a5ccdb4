/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events that the hardware counts, by name: the kernel's own names for TLB misses, which every CPU
 * may have, and the CPU's names, which libpfm4 knows. That a name is known does not mean that it
 * can be counted: a virtual machine often has no counters (tm_perf_state()).
 */
#ifndef TM_SAMPLE_PMU_H
#define TM_SAMPLE_PMU_H

#include "lib/base/error.h"
#include "lib/base/idset.h"
#include "lib/sample/perf-set.h"
#include "lib/sys/root.h"

struct tm_pmu_event {
	char *name; /* as asked for, or as the manuals write it */
	char *full; /* as libpfm understood it ("skx::ITLB:ITLB_FLUSH:…"), or NULL */
	struct perf_event_attr attr;
	struct tm_idset cpus; /* where it counts, on machines with unlike CPUs; empty: everywhere */
};

void tm_pmu_event_release(struct tm_pmu_event *event);

/* libpfm4 and what it found; loaded at the first name that is not the kernel's. */
struct tm_pmu {
	const struct tm_root *root; /* borrowed; for the CPUs of each kind */
	struct tm_libpfm *pfm;
};

void tm_pmu_open(struct tm_pmu *pmu, const struct tm_root *root);
void tm_pmu_close(struct tm_pmu *pmu);

/*
 * The event of a name: dTLB-load-misses, dTLB-store-misses, iTLB-load-misses and their like, a
 * tracepoint "group:name", or a name of this CPU in any of the usual forms ("itlb.itlb_flush",
 * "ITLB:ITLB_FLUSH", "skx::ITLB:ITLB_FLUSH:u"; the case does not matter). User and kernel are both
 * counted unless the name says otherwise.
 *
 * 0; -ENOENT: no such event here, *err names the nearest; -EINVAL: what follows the name is wrong;
 * -ENOSYS: libpfm4 is not installed; -ENOMEM.
 */
int tm_pmu_find(struct tm_pmu *pmu, const char *name, struct tm_pmu_event *event,
		struct tm_error *err);

/*
 * What `top` shows unasked: the three kinds of TLB misses, then the flushes that this CPU counts by
 * itself, if it does and libpfm4 is there. The list is the caller's; release each event, then the
 * list. 0 or -ENOMEM.
 */
int tm_pmu_defaults(struct tm_pmu *pmu, struct tm_pmu_event **events, size_t *nr);

#endif
