/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * TLB flushes by why they are made and how much they flush, counted by the kernel at the tracepoint
 * tlb:tlb_flush {int reason, unsigned long pages} (include/trace/events/tlb.h, arch/x86/mm/tlb.c).
 *
 * Nothing is recorded: each combination that occurs is an event of its own with a filter, so that
 * a million flushes a second cost a few comparisons each and one read for each CPU at the end. That
 * makes TM_FLUSH_CELLS open files for each CPU (tm_perf_make_room()). The numbers of reasons are
 * matched, not the kernel's words for them, which changed.
 */
#ifndef TM_SAMPLE_FLUSH_H
#define TM_SAMPLE_FLUSH_H

#include "lib/base/error.h"
#include "lib/sample/perf-set.h"
#include "lib/sys/root.h"

/* The kernel's numbers. */
enum tm_flush_reason {
	TM_FLUSH_TASK_SWITCH,
	TM_FLUSH_REMOTE_SHOOTDOWN, /* another CPU asked for it: this one is the victim */
	TM_FLUSH_LOCAL_SHOOTDOWN,  /* of many address spaces, by the CPU that asks */
	TM_FLUSH_LOCAL_MM_SHOOTDOWN,
	TM_FLUSH_REMOTE_SEND_IPI,  /* the initiator asks others, once however many they are */
	TM_FLUSH_REMOTE_WRONG_CPU, /* asked, with nothing to flush for it; since Linux 6.13 */
};
#define TM_FLUSH_REASONS (TM_FLUSH_REMOTE_WRONG_CPU + 1)

/* "task_switch", "remote_shootdown", … */
const char *tm_flush_reason_name(enum tm_flush_reason reason);

/*
 * How much. The initiator counts in base pages, the CPUs that flush in pages of the mapping's size:
 * of one huge page the former says a range, the latter one.
 */
enum tm_flush_pages {
	TM_FLUSH_ONE,
	TM_FLUSH_RANGE,
	TM_FLUSH_ALL,
	/* Not a flush: asked, and it was done already, or another address space was loaded. */
	TM_FLUSH_NONE,
};
#define TM_FLUSH_PAGES (TM_FLUSH_NONE + 1)

/* "one", "range", "all", "none". */
const char *tm_flush_pages_name(enum tm_flush_pages pages);

/*
 * The combinations: one, range and all; only all of those that flush nothing less (task_switch,
 * local_shootdown); none where it tells of interrupts that were for nothing (remote_shootdown,
 * remote_wrong_cpu). Each more costs a flush about 30 ns, whichever it is.
 */
#define TM_FLUSH_CELLS 13

/* Index of a combination, or -1 where there is none. */
int tm_flush_cell(enum tm_flush_reason reason, enum tm_flush_pages pages);

struct tm_flush_target {
	pid_t pid;    /* 0: the whole system */
	bool on_exec; /* only from the process's next execve(2) on */
};

struct tm_flush {
	enum tm_state state; /* TM_KNOWN; else there are no counts, and `error` says why */
	struct tm_error error;
	bool system;
	struct tm_perf_set set;
};

/*
 * Gets ready to count: on the whole system nothing counts until the first tm_flush_follow(); of a
 * process all its threads, and all that they will start, count from now on (or from on_exec).
 * `io` is &tm_perf_io_system but in tests, and refused for a root that is not this machine. What
 * cannot be counted says so in `state`. 0 or -ENOMEM.
 */
int tm_flush_open(struct tm_flush *flush, const struct tm_root *root, const struct tm_perf_io *io,
		  void *io_context, const struct tm_flush_target *target);
void tm_flush_close(struct tm_flush *flush);

/* The CPUs that are online now, before each reading. Does nothing for a process. 0 or -ENOMEM. */
int tm_flush_follow(struct tm_flush *flush, const struct tm_idset *online);

/* Events of the reading are cells. Empty where `state` is not TM_KNOWN. 0 or -ENOMEM. */
int tm_flush_read(struct tm_flush *flush, struct tm_perf_reading *reading);

/* Flushes by combination; each is known, or carries its reason. */
struct tm_flush_counts {
	struct tm_perf_count cell[TM_FLUSH_CELLS];
};

/*
 * Between two readings; with `before` NULL since the opening. CPUs that came or went are left out.
 * Where nothing is counted all have the flush's state.
 */
void tm_flush_count(const struct tm_flush *flush, const struct tm_perf_reading *before,
		    const struct tm_perf_reading *now, struct tm_flush_counts *counts);

/*
 * Flushes for one reason, of whatever size, without TM_FLUSH_NONE but for
 * TM_FLUSH_REMOTE_WRONG_CPU, which is nothing else.
 */
struct tm_perf_count tm_flush_by_reason(const struct tm_flush_counts *counts,
					enum tm_flush_reason reason);

/*
 * Flushes of one size, for whatever reason but TM_FLUSH_REMOTE_SEND_IPI, which flushes nothing by
 * itself.
 */
struct tm_perf_count tm_flush_by_pages(const struct tm_flush_counts *counts,
				       enum tm_flush_pages pages);

#endif
