/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events that count on every CPU, or in every thread of a process. Counts belong to a CPU or thread
 * by its id and to one opening of it, so that one that goes away and comes back is not mistaken for
 * itself.
 */
#ifndef TM_SAMPLE_PERF_SET_H
#define TM_SAMPLE_PERF_SET_H

#include "lib/base/idset.h"
#include "lib/sample/perf.h"
#include "lib/sys/root.h"

struct tm_perf_event {
	struct perf_event_attr attr; /* size, disabled and read_format are set by the set */
	char *filter;		     /* of a tracepoint, or NULL */
	struct tm_idset *cpus;	     /* where it can count, or NULL for all */
};

struct tm_perf_target;

struct tm_perf_set {
	const struct tm_perf_io *io; /* borrowed */
	void *io_context;
	struct tm_perf_event *events;
	size_t nr_events;
	bool grouped;
	struct tm_perf_target *targets; /* in the order of their ids */
	size_t nr_targets, cap_targets;
	uint64_t *words; /* what a read fills */
	unsigned openings;
};

/*
 * Makes a set; nothing counts yet. With `grouped` the events of a CPU are read by one call, which
 * interrupts that CPU once and sees all of them at one moment; events that must take turns on the
 * hardware's counters are better apart. The events are copied. 0 or -ENOMEM.
 */
int tm_perf_set_open(struct tm_perf_set *set, const struct tm_perf_io *io, void *io_context,
		     const struct tm_perf_event *events, size_t nr_events, bool grouped);
void tm_perf_set_close(struct tm_perf_set *set);

/*
 * Counts on these CPUs, system-wide: opens the events on those that came, closes them on those that
 * went. A CPU that goes offline meanwhile is left out; any other failure stays with the CPU and is
 * the reason why there is no count. 0 or -ENOMEM.
 */
int tm_perf_set_cpus(struct tm_perf_set *set, const struct tm_idset *cpus);

/*
 * Counts in these threads instead, and with attr.inherit in all that they will start. Threads that
 * have ended are left out unless all have. 0 or -ENOMEM. Call it once.
 */
int tm_perf_set_threads(struct tm_perf_set *set, const pid_t *threads, size_t nr);

/* The same for all threads that a process has now. 0; -ESRCH: it has none; -ENOMEM; -errno. */
int tm_perf_set_process(struct tm_perf_set *set, const struct tm_root *root, pid_t pid);

/* How many files a set has open on each CPU or thread. */
size_t tm_perf_set_files(const struct tm_perf_set *set);

struct tm_perf_reading_of {
	int id; /* CPU or thread */
	unsigned opening;
};

struct tm_perf_reading {
	struct tm_perf_reading_of *of;
	struct tm_perf_raw *raw; /* nr_events for each of them */
	size_t nr, nr_events, cap_of, cap_raw;
};

/*
 * Reads all counts. A CPU that was offline since the last reading is not in it. 0 or -ENOMEM. The
 * lists are reused from call to call.
 */
int tm_perf_set_read(struct tm_perf_set *set, struct tm_perf_reading *reading);
void tm_perf_reading_release(struct tm_perf_reading *reading);

/* An event since its opening: the sum over all CPUs, unknown unless each of them is known. */
struct tm_perf_count tm_perf_total(const struct tm_perf_reading *reading, size_t event);

/*
 * What it rose by between two readings, over the CPUs or threads that are in both. Threads that are
 * in one alone, and CPUs that came or went, do not count. Unknown where one of those in both is
 * unknown, or there is none.
 */
struct tm_perf_count tm_perf_total_rise(const struct tm_perf_reading *before,
					const struct tm_perf_reading *now, size_t event);

/* The same of one CPU or thread; TM_OFFLINE where it is not in both. */
struct tm_perf_count tm_perf_rise_of(const struct tm_perf_reading *before,
				     const struct tm_perf_reading *now, size_t event, int id);

#endif
