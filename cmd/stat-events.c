/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/stat-events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_named(struct stat_events *events, const char *name, size_t *cap,
		     struct tm_error *err)
{
	struct tm_pmu_event event = { 0 };
	int rc;

	if (!*name)
		return tm_error_set(err, EINVAL, "--event: an empty name");
	if (tm_array_grow(&events->list, events->nr, cap, sizeof(*events->list)))
		return tm_error_nomem(err);
	rc = tm_pmu_find(&events->pmu, name, &event, err);
	if (!rc)
		events->list[events->nr++] = event;
	return rc == -ENOENT ? -EINVAL : rc;
}

/* "a,b" one by one. */
static int find_named(struct stat_events *events, const char *names, struct tm_error *err)
{
	struct tm_buf name = TM_BUF_INIT;
	size_t cap = 0, len;
	int rc = 0;

	for (; !rc; names += len + 1) {
		len = strcspn(names, ",");
		tm_buf_reset(&name);
		tm_buf_add(&name, names, len);
		rc = name.failed ? tm_error_nomem(err) :
				   add_named(events, tm_buf_str(&name), &cap, err);
		if (!names[len])
			break;
	}
	tm_buf_release(&name);
	return rc;
}

/* A list of CPUs that cannot be read leaves nothing to count on. */
static int take_online(struct stat_events *events, const struct stat_record *record)
{
	const struct tm_text *online = &record->machine.online_cpus;

	if (online->state != TM_KNOWN)
		return 0;
	return tm_idset_parse_list(&events->online, online->value);
}

int stat_events_init(struct stat_events *events, const struct tm_root *root,
		     const struct stat_record *record, const char *names, struct tm_error *err)
{
	int rc = 0;

	*events = (struct stat_events){ .root = root, .scope = record->scope };
	tm_pmu_open(&events->pmu, root);
	if (names)
		rc = find_named(events, names, err);
	else if (root->live && tm_pmu_defaults(&events->pmu, &events->list, &events->nr))
		rc = tm_error_nomem(err);
	if (!rc && take_online(events, record))
		rc = tm_error_nomem(err);
	if (!rc) {
		size_t cpus = events->scope == STAT_SYSTEM ? tm_idset_count(&events->online) : 1;

		/* Where they are too many all the same, they say so themselves. */
		tm_perf_make_room(cpus * (events->nr + TM_FLUSH_CELLS), &events->files);
	}
	return rc;
}

void stat_events_release(struct stat_events *events)
{
	struct stat_counting *countings[] = { &events->listed, &events->flushed };

	stat_events_close(events);
	for (size_t i = 0; i < TM_ARRAY_SIZE(countings); i++) {
		tm_perf_reading_release(&countings[i]->before);
		tm_perf_reading_release(&countings[i]->now);
	}
	for (size_t i = 0; i < events->nr; i++)
		tm_pmu_event_release(&events->list[i]);
	free(events->list);
	tm_idset_release(&events->online);
	tm_pmu_close(&events->pmu);
	*events = (struct stat_events){ 0 };
}

static int open_threads(struct stat_events *events, pid_t pid)
{
	int rc = tm_perf_set_process(&events->set, events->root, pid);

	if (!rc || rc == -ENOMEM)
		return rc;
	events->state = tm_state_from_errno(-rc);
	return 0;
}

static int open_listed(struct stat_events *events, pid_t pid, bool on_exec)
{
	struct tm_perf_event *list = calloc(events->nr + 1, sizeof(*list));
	int rc;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < events->nr; i++) {
		list[i].attr = events->list[i].attr;
		list[i].attr.inherit = pid != 0;
		list[i].attr.enable_on_exec = on_exec;
		if (!tm_idset_empty(&events->list[i].cpus))
			list[i].cpus = &events->list[i].cpus;
	}
	rc = tm_perf_set_open(&events->set, &tm_perf_io_system, NULL, list, events->nr, false);
	free(list);
	if (!rc)
		rc = pid ? open_threads(events, pid) :
			   tm_perf_set_cpus(&events->set, &events->online);
	return rc;
}

int stat_events_open(struct stat_events *events, pid_t pid, bool on_exec)
{
	struct tm_flush_target target = { .pid = pid, .on_exec = on_exec };
	int rc;

	events->state = events->root->live ? TM_KNOWN : TM_UNSUPPORTED;
	rc = tm_flush_open(&events->flush, events->root, &tm_perf_io_system, NULL, &target);
	if (!rc)
		rc = tm_flush_follow(&events->flush, &events->online);
	if (!rc && events->root->live && events->nr)
		rc = open_listed(events, pid, on_exec);
	return rc;
}

static int read_both(struct stat_events *events, bool at_end)
{
	struct stat_counting *listed = &events->listed, *flushed = &events->flushed;
	int rc = 0;

	if (events->set.events)
		rc = tm_perf_set_read(&events->set, at_end ? &listed->now : &listed->before);
	if (!rc)
		rc = tm_flush_read(&events->flush, at_end ? &flushed->now : &flushed->before);
	return rc;
}

int stat_events_begin(struct stat_events *events)
{
	return read_both(events, false);
}

int stat_events_end(struct stat_events *events)
{
	return read_both(events, true);
}

void stat_events_close(struct stat_events *events)
{
	tm_perf_set_close(&events->set);
	tm_flush_close(&events->flush);
}

static int add(struct stat_record *record, enum stat_scope scope, enum stat_group group,
	       const char *name, const struct tm_perf_count *count)
{
	const char *reason = tm_perf_reason(count->why);
	struct stat_key key = {
		.group = group, .scope = scope, .name = name, .cpu = -1, .node = -1
	};
	struct stat_value value = stat_value_of(count->count);

	if (!value.known && reason)
		value = stat_value_none(reason);
	value.scaled = count->scaled;
	return stat_record_add(record, &key, value);
}

static int count_flushes(struct stat_events *events, struct stat_record *record)
{
	struct tm_flush_counts counts;
	char name[64];
	int rc = 0;

	tm_flush_count(&events->flush, &events->flushed.before, &events->flushed.now, &counts);
	for (int i = 0; i < TM_FLUSH_REASONS && !rc; i++) {
		enum tm_flush_reason reason = (enum tm_flush_reason)i;
		struct tm_perf_count count = tm_flush_by_reason(&counts, reason);

		rc = add(record, events->scope, STAT_FLUSHES, tm_flush_reason_name(reason), &count);
	}
	for (int i = 0; i < TM_FLUSH_PAGES && !rc; i++) {
		struct tm_perf_count count = tm_flush_by_pages(&counts, (enum tm_flush_pages)i);

		snprintf(name, sizeof(name), "pages_%s",
			 tm_flush_pages_name((enum tm_flush_pages)i));
		rc = add(record, events->scope, STAT_FLUSHES, name, &count);
	}
	return rc;
}

int stat_events_count(struct stat_events *events, struct stat_record *record)
{
	int rc = count_flushes(events, record);

	for (size_t i = 0; i < events->nr && !rc; i++) {
		struct tm_perf_count count = { .count = tm_num_none(events->state) };

		if (events->state == TM_KNOWN)
			count = tm_perf_total_rise(&events->listed.before, &events->listed.now, i);
		rc = add(record, events->scope, STAT_EVENTS, events->list[i].name, &count);
	}
	return rc;
}
