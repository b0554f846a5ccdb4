/* SPDX-License-Identifier: GPL-2.0-only */
/* What perf_event_open(2) counts around a run: TLB flushes by reason, and events by name. */
#ifndef CMD_STAT_EVENTS_H
#define CMD_STAT_EVENTS_H

#include "cmd/stat-view.h"
#include "lib/sample/flush.h"
#include "lib/sample/pmu.h"

struct stat_counting {
	struct tm_perf_reading before, now;
};

struct stat_events {
	const struct tm_root *root; /* borrowed */
	enum stat_scope scope;
	struct tm_pmu pmu;
	struct tm_pmu_event *list;
	size_t nr;
	struct tm_idset online; /* STAT_SYSTEM: the CPUs to count on */
	struct rlimit files;	/* what the command gets back */
	/* Of one run. */
	struct tm_perf_set set;
	enum tm_state state; /* other than TM_KNOWN: nothing of the list is counted, and why */
	struct tm_flush flush;
	struct stat_counting listed, flushed;
};

/*
 * Finds the events by their names. 0; -EINVAL for a name that is none; -ENOSYS where the library
 * that knows names is not there; -ENOMEM.
 */
int stat_events_init(struct stat_events *events, const struct tm_root *root,
		     const struct stat_record *record, const char *names, struct tm_error *err);
void stat_events_release(struct stat_events *events);

/*
 * For one run: opens them on all CPUs, or for a process; with `on_exec` they count from its next
 * execve(2) on, else from stat_events_begin. What cannot be counted is noted. 0 or -ENOMEM.
 */
int stat_events_open(struct stat_events *events, pid_t pid, bool on_exec);
int stat_events_begin(struct stat_events *events);
int stat_events_end(struct stat_events *events);
void stat_events_close(struct stat_events *events);

/* What they counted, into the record's last run. 0 or -ENOMEM. */
int stat_events_count(struct stat_events *events, struct stat_record *record);

#endif
