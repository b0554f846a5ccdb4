/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What perf counts, as part of a sample: TLB flushes by reason and size, and events of the
 * hardware.
 *
 * The kernel's own counts end with a CPU that goes offline. So these are sums of what was seen to
 * rise from sample to sample: counters that start at 0 when sampling begins. What could not be
 * counted between two samples is unknown in the later one, and the sum goes on from there.
 */
#ifndef TM_SAMPLE_EVENTS_H
#define TM_SAMPLE_EVENTS_H

#include "lib/sample/flush.h"
#include "lib/sample/pmu.h"

struct tm_event_sample {
	char *name;
	struct tm_num count;
	bool scaled; /* an estimate: the event shared its counter with others */
};

struct tm_event_samples {
	struct tm_num flush[TM_FLUSH_CELLS];
	struct tm_event_sample *pmu;
	size_t nr_pmu, cap_pmu;
};

void tm_event_samples_release(struct tm_event_samples *samples);
/* The flushes in one state, and no hardware events. */
void tm_event_samples_none(struct tm_event_samples *samples, enum tm_state state);
/* Makes room for an event and returns it, its name copied; NULL: out of memory. */
struct tm_event_sample *tm_event_samples_add(struct tm_event_samples *samples, const char *name);
/* NULL where there is no event of that name. */
const struct tm_event_sample *tm_event_samples_find(const struct tm_event_samples *samples,
						    const char *name);

/*
 * Flushes for one reason or of one size between two samples, as tm_flush_by_reason() and
 * tm_flush_by_pages() have it.
 */
struct tm_num tm_event_flush_reason(const struct tm_event_samples *before,
				    const struct tm_event_samples *now,
				    enum tm_flush_reason reason);
struct tm_num tm_event_flush_pages(const struct tm_event_samples *before,
				   const struct tm_event_samples *now, enum tm_flush_pages pages);

/* "remote_shootdown_one": of the cell of flush[] for a reason and a size. */
#define TM_EVENT_CELL_NAME 64
void tm_event_cell_name(char name[TM_EVENT_CELL_NAME], enum tm_flush_reason reason,
			enum tm_flush_pages pages);

struct tm_events; /* the counters behind them */

/*
 * Opens them for the whole system. `names` are of hardware events besides the usual ones; a name
 * that is not known is an error: -ENOENT and the like as tm_pmu_find(). On a root that is not this
 * machine nothing can be counted. 0, -ENOMEM. *events is set on success only.
 */
int tm_events_open(struct tm_events **events, const struct tm_root *root, const char *const *names,
		   size_t nr_names, struct tm_error *err);
void tm_events_close(struct tm_events *events);

/* Why there are no flush counts, and what can be done, for people; false where there are. */
bool tm_events_flush_error(const struct tm_events *events, struct tm_error *err);

/* Reads them, on the CPUs that are online. 0 or -ENOMEM. */
int tm_events_read(struct tm_events *events, struct tm_event_samples *samples);

#endif
