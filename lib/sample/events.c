/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/sys/attr.h"

void tm_event_samples_release(struct tm_event_samples *samples)
{
	for (size_t i = 0; i < samples->cap_pmu; i++)
		free(samples->pmu[i].name);
	free(samples->pmu);
	*samples = (struct tm_event_samples){ 0 };
}

void tm_event_samples_none(struct tm_event_samples *samples, enum tm_state state)
{
	for (size_t i = 0; i < TM_FLUSH_CELLS; i++)
		samples->flush[i] = tm_num_none(state);
	samples->nr_pmu = 0;
}

struct tm_event_sample *tm_event_samples_add(struct tm_event_samples *samples, const char *name)
{
	struct tm_event_sample *event;
	char *copy;

	if (tm_array_grow(&samples->pmu, samples->nr_pmu, &samples->cap_pmu, sizeof(*samples->pmu)))
		return NULL;
	event = &samples->pmu[samples->nr_pmu];
	/* The names of one sample are mostly those of the next. */
	if (!event->name || strcmp(event->name, name)) {
		copy = strdup(name);
		if (!copy)
			return NULL;
		free(event->name);
		event->name = copy;
	}
	samples->nr_pmu++;
	return event;
}

const struct tm_event_sample *tm_event_samples_find(const struct tm_event_samples *samples,
						    const char *name)
{
	for (size_t i = 0; i < samples->nr_pmu; i++)
		if (!strcmp(samples->pmu[i].name, name))
			return &samples->pmu[i];
	return NULL;
}

static void count_rise(const struct tm_event_samples *before, const struct tm_event_samples *now,
		       struct tm_flush_counts *counts)
{
	for (size_t i = 0; i < TM_FLUSH_CELLS; i++) {
		const struct tm_num *was = &before->flush[i], *is = &now->flush[i];
		struct tm_num none = !tm_num_is(is) ? *is : *was;

		if (tm_num_is(was) && tm_num_is(is) && is->value >= was->value)
			none = tm_num_known(is->value - was->value);
		else if (tm_num_is(&none))
			none = tm_num_none(TM_UNKNOWN);
		counts->cell[i] = (struct tm_perf_count){ .count = none };
	}
}

struct tm_num tm_event_flush_reason(const struct tm_event_samples *before,
				    const struct tm_event_samples *now, enum tm_flush_reason reason)
{
	struct tm_flush_counts counts;

	count_rise(before, now, &counts);
	return tm_flush_by_reason(&counts, reason).count;
}

struct tm_num tm_event_flush_pages(const struct tm_event_samples *before,
				   const struct tm_event_samples *now, enum tm_flush_pages pages)
{
	struct tm_flush_counts counts;

	count_rise(before, now, &counts);
	return tm_flush_by_pages(&counts, pages).count;
}

void tm_event_cell_name(char name[TM_EVENT_CELL_NAME], enum tm_flush_reason reason,
			enum tm_flush_pages pages)
{
	snprintf(name, TM_EVENT_CELL_NAME, "%s_%s", tm_flush_reason_name(reason),
		 tm_flush_pages_name(pages));
}

/* Two readings, of which the older is read into next. */
struct readings {
	struct tm_perf_reading list[2];
	size_t now;
	bool begun;
};

struct tm_events {
	const struct tm_root *root;
	struct tm_flush flush;
	struct readings flush_readings;
	uint64_t flush_sum[TM_FLUSH_CELLS];

	struct tm_pmu pmu;
	struct tm_pmu_event *events;
	size_t nr_events;
	uint64_t *sums;
	bool *scaled;
	struct tm_perf_set set;
	bool has_set;
	struct readings readings;
};

static void release_readings(struct readings *readings)
{
	tm_perf_reading_release(&readings->list[0]);
	tm_perf_reading_release(&readings->list[1]);
}

void tm_events_close(struct tm_events *events)
{
	if (!events)
		return;
	tm_flush_close(&events->flush);
	release_readings(&events->flush_readings);
	if (events->has_set)
		tm_perf_set_close(&events->set);
	release_readings(&events->readings);
	for (size_t i = 0; i < events->nr_events; i++)
		tm_pmu_event_release(&events->events[i]);
	free(events->events);
	free(events->sums);
	free(events->scaled);
	tm_pmu_close(&events->pmu);
	free(events);
}

/* The usual events, then those asked for. */
static int find_events(struct tm_events *events, const char *const *names, size_t nr_names,
		       struct tm_error *err)
{
	struct tm_pmu_event *list;
	int rc = tm_pmu_defaults(&events->pmu, &events->events, &events->nr_events);

	if (rc)
		return tm_error_nomem(err);
	if (!nr_names)
		return 0;
	list = reallocarray(events->events, events->nr_events + nr_names, sizeof(*list));
	if (!list)
		return tm_error_nomem(err);
	events->events = list;
	for (size_t i = 0; i < nr_names && !rc; i++) {
		rc = tm_pmu_find(&events->pmu, names[i], &list[events->nr_events], err);
		events->nr_events += !rc;
	}
	return rc;
}

static int open_set(struct tm_events *events)
{
	struct tm_perf_event *list = calloc(events->nr_events + 1, sizeof(*list));
	int rc = list ? 0 : -ENOMEM;

	for (size_t i = 0; i < events->nr_events && !rc; i++) {
		struct tm_pmu_event *event = &events->events[i];

		list[i].attr = event->attr;
		list[i].cpus = tm_idset_empty(&event->cpus) ? NULL : &event->cpus;
	}
	if (!rc)
		rc = tm_perf_set_open(&events->set, &tm_perf_io_system, NULL, list,
				      events->nr_events, false);
	events->has_set = !rc;
	free(list);
	return rc;
}

int tm_events_open(struct tm_events **events, const struct tm_root *root, const char *const *names,
		   size_t nr_names, struct tm_error *err)
{
	struct tm_events *opened = calloc(1, sizeof(*opened));
	int rc;

	if (!opened)
		return tm_error_nomem(err);
	opened->root = root;
	tm_pmu_open(&opened->pmu, root);
	rc = tm_flush_open(&opened->flush, root, &tm_perf_io_system, NULL,
			   &(struct tm_flush_target){ 0 });
	if (rc)
		tm_error_nomem(err);
	if (!rc && root->live)
		rc = find_events(opened, names, nr_names, err);
	opened->sums = calloc(opened->nr_events + 1, sizeof(*opened->sums));
	opened->scaled = calloc(opened->nr_events + 1, sizeof(*opened->scaled));
	if (!rc && (!opened->sums || !opened->scaled || open_set(opened)))
		rc = tm_error_nomem(err);
	if (rc) {
		tm_events_close(opened);
		return rc;
	}
	*events = opened;
	return 0;
}

bool tm_events_flush_error(const struct tm_events *events, struct tm_error *err)
{
	if (events->flush.state == TM_KNOWN)
		return false;
	*err = events->flush.error;
	return true;
}

/* A rise on top of the sum; what is not known leaves the sum as it is. */
static struct tm_num add_rise(uint64_t *sum, const struct tm_perf_count *rise)
{
	if (!tm_num_is(&rise->count))
		return rise->count;
	*sum += rise->count.value;
	return tm_num_known(*sum);
}

static int read_flushes(struct tm_events *events, const struct tm_idset *online,
			struct tm_event_samples *samples)
{
	struct readings *r = &events->flush_readings;
	struct tm_perf_reading *now = &r->list[!r->now];
	struct tm_flush_counts counts;
	int rc = tm_flush_follow(&events->flush, online);

	if (!rc)
		rc = tm_flush_read(&events->flush, now);
	if (rc)
		return rc;
	tm_flush_count(&events->flush, r->begun ? &r->list[r->now] : now, now, &counts);
	for (size_t i = 0; i < TM_FLUSH_CELLS; i++)
		samples->flush[i] = add_rise(&events->flush_sum[i], &counts.cell[i]);
	r->now = !r->now;
	r->begun = true;
	return 0;
}

static int read_hardware(struct tm_events *events, const struct tm_idset *online,
			 struct tm_event_samples *samples)
{
	struct readings *r = &events->readings;
	struct tm_perf_reading *now = &r->list[!r->now];
	int rc = tm_perf_set_cpus(&events->set, online);

	if (!rc)
		rc = tm_perf_set_read(&events->set, now);
	for (size_t i = 0; i < events->nr_events && !rc; i++) {
		struct tm_perf_count rise =
			tm_perf_total_rise(r->begun ? &r->list[r->now] : now, now, i);
		struct tm_event_sample *sample =
			tm_event_samples_add(samples, events->events[i].name);

		if (!sample)
			return -ENOMEM;
		events->scaled[i] |= rise.scaled;
		sample->scaled = events->scaled[i];
		sample->count = add_rise(&events->sums[i], &rise);
	}
	r->now = !r->now;
	r->begun = true;
	return rc;
}

int tm_events_read(struct tm_events *events, struct tm_event_samples *samples)
{
	struct tm_idset online = TM_IDSET_INIT;
	enum tm_state state = tm_attr_list(events->root, "sys/devices/system/cpu/online", &online);
	int rc = 0;

	tm_event_samples_none(samples, state == TM_KNOWN ? TM_UNKNOWN : state);
	if (state == TM_KNOWN)
		rc = read_flushes(events, &online, samples);
	if (state == TM_KNOWN && !rc)
		rc = read_hardware(events, &online, samples);
	tm_idset_release(&online);
	return rc;
}
