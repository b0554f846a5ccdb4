/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/perf-set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/compiler.h"

/* What a read gives before the values: of a group their number, then enabled and running. */
#define GROUP_HEAD 3
#define SINGLE_WORDS 3

/* One event of a CPU or thread. */
struct one {
	int fd;	 /* -1: not open */
	int why; /* of not being open: an errno, or TM_PERF_NOT_HERE */
};

struct tm_perf_target {
	int id;
	unsigned opening;
	bool cpu;
	bool stale;	  /* its counting stopped: to be opened anew */
	bool read;	  /* at least once */
	uint64_t enabled; /* at the last reading */
	struct one *ones;
};

int tm_perf_set_open(struct tm_perf_set *set, const struct tm_perf_io *io, void *io_context,
		     const struct tm_perf_event *events, size_t nr_events, bool grouped)
{
	struct tm_perf_set s = {
		.io = io,
		.io_context = io_context,
		.nr_events = nr_events,
		.grouped = grouped,
		.events = calloc(nr_events ? nr_events : 1, sizeof(*events)),
		.words = calloc(GROUP_HEAD + nr_events, sizeof(*s.words)),
	};

	if (!s.events || !s.words)
		goto nomem;
	for (size_t i = 0; i < nr_events; i++) {
		struct perf_event_attr *attr = &s.events[i].attr;

		*attr = events[i].attr;
		if (events[i].filter && !(s.events[i].filter = strdup(events[i].filter)))
			goto nomem;
		if (events[i].cpus) {
			s.events[i].cpus = calloc(1, sizeof(*s.events[i].cpus));
			if (!s.events[i].cpus || tm_idset_copy(s.events[i].cpus, events[i].cpus))
				goto nomem;
		}
		attr->size = sizeof(*attr);
		/* Events of a group count while its first does. */
		attr->disabled = !grouped || i == 0;
		attr->enable_on_exec = attr->enable_on_exec && attr->disabled;
		attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				    PERF_FORMAT_TOTAL_TIME_RUNNING |
				    (grouped ? PERF_FORMAT_GROUP : 0);
	}
	*set = s;
	return 0;

nomem:
	tm_perf_set_close(&s);
	return -ENOMEM;
}

static void close_one(struct tm_perf_set *set, struct one *one)
{
	if (one->fd >= 0)
		set->io->close(set->io_context, one->fd);
	one->fd = -1;
}

/* The first of a group last: the others go with it. */
static void close_target(struct tm_perf_set *set, struct tm_perf_target *target)
{
	for (size_t i = set->nr_events; target->ones && i--;)
		close_one(set, &target->ones[i]);
	free(target->ones);
	target->ones = NULL;
}

void tm_perf_set_close(struct tm_perf_set *set)
{
	for (size_t i = 0; i < set->nr_targets; i++)
		close_target(set, &set->targets[i]);
	for (size_t i = 0; set->events && i < set->nr_events; i++) {
		free(set->events[i].filter);
		if (set->events[i].cpus)
			tm_idset_release(set->events[i].cpus);
		free(set->events[i].cpus);
	}
	free(set->targets);
	free(set->events);
	free(set->words);
	*set = (struct tm_perf_set){ 0 };
}

size_t tm_perf_set_files(const struct tm_perf_set *set)
{
	return set->nr_events;
}

/* The file of the group that others join; -1 where its first is not open. */
static int group_of(const struct tm_perf_set *set, const struct tm_perf_target *target, size_t i)
{
	return set->grouped && i ? target->ones[0].fd : -1;
}

static void open_one(struct tm_perf_set *set, struct tm_perf_target *target, size_t i)
{
	const struct tm_perf_event *event = &set->events[i];
	struct one *one = &target->ones[i];
	int group = group_of(set, target, i), rc;

	if (target->cpu && event->cpus && !tm_idset_has(event->cpus, target->id)) {
		one->why = TM_PERF_NOT_HERE;
		return;
	}
	if (set->grouped && i && group < 0) {
		one->why = target->ones[0].why;
		return;
	}
	rc = set->io->open(set->io_context, &event->attr, target->cpu ? -1 : target->id,
			   target->cpu ? target->id : -1, group);
	if (rc < 0) {
		one->why = -rc;
		return;
	}
	one->fd = rc;
	if (!event->filter)
		return;
	/* Without its filter it would count something else. */
	rc = set->io->control(set->io_context, one->fd, PERF_EVENT_IOC_SET_FILTER, event->filter);
	if (rc < 0) {
		close_one(set, one);
		one->why = -rc;
	}
}

static void start_one(struct tm_perf_set *set, struct one *one, const struct perf_event_attr *attr)
{
	int rc;

	if (one->fd < 0 || !attr->disabled || attr->enable_on_exec)
		return;
	rc = set->io->control(set->io_context, one->fd, PERF_EVENT_IOC_ENABLE, NULL);
	if (rc < 0) {
		close_one(set, one);
		one->why = -rc;
	}
}

/* Has it gone, so that nothing was opened? */
static bool is_gone(const struct tm_perf_set *set, const struct tm_perf_target *target)
{
	int gone = target->cpu ? ENODEV : ESRCH;
	bool any = false;

	for (size_t i = 0; i < set->nr_events; i++) {
		int why = target->ones[i].why;

		if (target->ones[i].fd >= 0 || (why != gone && why != TM_PERF_NOT_HERE))
			return false;
		any |= why == gone;
	}
	return any;
}

/* Opens a target's events and keeps it at the end of the list. 0 or -ENOMEM. */
static int add_target(struct tm_perf_set *set, int id, bool cpu, bool *gone)
{
	struct tm_perf_target target = { .id = id, .cpu = cpu, .opening = ++set->openings };

	target.ones = calloc(set->nr_events ? set->nr_events : 1, sizeof(*target.ones));
	if (!target.ones || tm_array_grow(&set->targets, set->nr_targets, &set->cap_targets,
					  sizeof(*set->targets))) {
		free(target.ones);
		return -ENOMEM;
	}
	for (size_t i = 0; i < set->nr_events; i++)
		target.ones[i].fd = -1;
	for (size_t i = 0; i < set->nr_events; i++)
		open_one(set, &target, i);
	for (size_t i = set->nr_events; i--;)
		start_one(set, &target.ones[i], &set->events[i].attr);
	*gone = is_gone(set, &target);
	set->targets[set->nr_targets++] = target;
	return 0;
}

static void drop_target(struct tm_perf_set *set, size_t at)
{
	close_target(set, &set->targets[at]);
	set->nr_targets--;
	memmove(&set->targets[at], &set->targets[at + 1],
		(set->nr_targets - at) * sizeof(*set->targets));
}

static int compare_targets(const void *a, const void *b)
{
	int x = ((const struct tm_perf_target *)a)->id, y = ((const struct tm_perf_target *)b)->id;

	return (x > y) - (x < y);
}

static bool has_target(const struct tm_perf_set *set, int id)
{
	struct tm_perf_target key = { .id = id };

	return set->nr_targets &&
	       bsearch(&key, set->targets, set->nr_targets, sizeof(*set->targets), compare_targets);
}

/* Those that are gone are left out, unless nothing else would say why there is no count. */
static void settle(struct tm_perf_set *set, size_t added_from, size_t nr_gone)
{
	if (nr_gone && nr_gone < set->nr_targets)
		for (size_t i = set->nr_targets; i-- > added_from;)
			if (is_gone(set, &set->targets[i]))
				drop_target(set, i);
	if (set->nr_targets)
		qsort(set->targets, set->nr_targets, sizeof(*set->targets), compare_targets);
}

int tm_perf_set_cpus(struct tm_perf_set *set, const struct tm_idset *cpus)
{
	size_t nr_gone = 0, old;
	int rc = 0;

	for (size_t i = set->nr_targets; i--;)
		if (set->targets[i].stale || !tm_idset_has(cpus, set->targets[i].id) ||
		    is_gone(set, &set->targets[i]))
			drop_target(set, i);
	old = set->nr_targets;
	tm_idset_for_each(id, cpus) {
		struct tm_perf_set known = *set;
		bool gone;

		known.nr_targets = old;
		if (has_target(&known, (int)id))
			continue;
		rc = add_target(set, (int)id, true, &gone);
		if (rc)
			break;
		nr_gone += gone;
	}
	settle(set, old, nr_gone);
	return rc;
}

int tm_perf_set_threads(struct tm_perf_set *set, const pid_t *threads, size_t nr)
{
	size_t nr_gone = 0;
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++) {
		bool gone = false;

		rc = add_target(set, threads[i], false, &gone);
		nr_gone += gone;
	}
	settle(set, 0, nr_gone);
	return rc;
}

/* The threads that a process has now. 0, -ESRCH or -errno. */
static int list_threads(const struct tm_root *root, pid_t pid, pid_t **threads, size_t *nr)
{
	char path[TM_PATH_MAX];
	struct tm_scan scan;
	size_t cap = 0;
	const char *name;
	int rc = tm_path_format(path, "proc/%d/task", (int)pid);

	*threads = NULL;
	*nr = 0;
	if (!rc)
		rc = tm_scan_open(root, path, &scan);
	if (rc)
		return rc;
	while (!rc && (name = tm_scan_next(&scan))) {
		long id;

		if (!tm_name_id(name, "", &id))
			continue;
		rc = tm_array_grow(threads, *nr, &cap, sizeof(**threads));
		if (!rc)
			(*threads)[(*nr)++] = (pid_t)id;
	}
	tm_scan_close(&scan);
	return rc ? rc : *nr ? 0 : -ESRCH;
}

int tm_perf_set_process(struct tm_perf_set *set, const struct tm_root *root, pid_t pid)
{
	pid_t *threads;
	size_t nr;
	int rc = list_threads(root, pid, &threads, &nr);

	if (!rc)
		rc = tm_perf_set_threads(set, threads, nr);
	free(threads);
	return rc;
}

/* Reads a group into the raw counts of its open events. False: it counts no more. */
static bool read_group(struct tm_perf_set *set, struct tm_perf_target *target,
		       struct tm_perf_raw *raw)
{
	size_t nr = 0, at = GROUP_HEAD;
	ssize_t n;

	for (size_t i = 0; i < set->nr_events; i++)
		nr += target->ones[i].fd >= 0;
	if (!nr)
		return true;
	n = set->io->read(set->io_context, target->ones[0].fd, set->words,
			  (GROUP_HEAD + nr) * sizeof(*set->words));
	if (n != (ssize_t)((GROUP_HEAD + nr) * sizeof(*set->words)) || set->words[0] != nr)
		return false;
	for (size_t i = 0; i < set->nr_events; i++)
		if (target->ones[i].fd >= 0)
			raw[i] = (struct tm_perf_raw){ .value = set->words[at++],
						       .enabled = set->words[1],
						       .running = set->words[2] };
	return true;
}

static bool read_singles(struct tm_perf_set *set, struct tm_perf_target *target,
			 struct tm_perf_raw *raw)
{
	for (size_t i = 0; i < set->nr_events; i++) {
		uint64_t words[SINGLE_WORDS];

		if (target->ones[i].fd < 0)
			continue;
		if (set->io->read(set->io_context, target->ones[i].fd, words, sizeof(words)) !=
		    (ssize_t)sizeof(words))
			return false;
		raw[i] = (struct tm_perf_raw){ .value = words[0],
					       .enabled = words[1],
					       .running = words[2] };
	}
	return true;
}

static bool read_target(struct tm_perf_set *set, struct tm_perf_target *target,
			struct tm_perf_raw *raw)
{
	uint64_t enabled = 0;
	bool open = false;

	for (size_t i = 0; i < set->nr_events; i++)
		raw[i] = (struct tm_perf_raw){ .why = target->ones[i].why };
	if (!(set->grouped ? read_group(set, target, raw) : read_singles(set, target, raw)))
		return false;
	for (size_t i = 0; i < set->nr_events; i++) {
		open |= target->ones[i].fd >= 0;
		enabled = TM_MAX(enabled, raw[i].enabled);
	}
	/*
	 * Time goes on on a CPU. Where it stood still, the CPU was offline, and may be back: the
	 * kernel does not resume its events.
	 */
	if (target->cpu && open && target->read && enabled <= target->enabled)
		return false;
	target->enabled = enabled;
	target->read = true;
	return true;
}

int tm_perf_set_read(struct tm_perf_set *set, struct tm_perf_reading *reading)
{
	reading->nr = 0;
	reading->nr_events = set->nr_events;
	for (size_t i = 0; i < set->nr_targets; i++) {
		struct tm_perf_target *target = &set->targets[i];
		size_t first = reading->nr * set->nr_events;

		if (target->stale)
			continue;
		if (tm_array_grow(&reading->of, reading->nr, &reading->cap_of,
				  sizeof(*reading->of)) ||
		    tm_array_grow(&reading->raw, first + set->nr_events, &reading->cap_raw,
				  sizeof(*reading->raw)))
			return -ENOMEM;
		if (!read_target(set, target, reading->raw + first)) {
			target->stale = target->cpu;
			if (target->stale)
				continue;
			/* A thread's share cannot be left out: the sum would be too small. */
			for (size_t e = 0; e < set->nr_events; e++)
				reading->raw[first + e] = (struct tm_perf_raw){ .why = ENODATA };
		}
		reading->of[reading->nr++] =
			(struct tm_perf_reading_of){ .id = target->id, .opening = target->opening };
	}
	return 0;
}

void tm_perf_reading_release(struct tm_perf_reading *reading)
{
	free(reading->of);
	free(reading->raw);
	*reading = (struct tm_perf_reading){ 0 };
}

struct tm_perf_count tm_perf_total(const struct tm_perf_reading *reading, size_t event)
{
	struct tm_perf_sum sum = { 0 };

	for (size_t i = 0; i < reading->nr; i++) {
		const struct tm_perf_raw *raw = &reading->raw[i * reading->nr_events + event];
		struct tm_perf_count count = tm_perf_scale(raw);

		if (raw->why != TM_PERF_NOT_HERE)
			tm_perf_sum_add(&sum, &count);
	}
	return tm_perf_sum_end(&sum);
}

struct tm_perf_count tm_perf_total_rise(const struct tm_perf_reading *before,
					const struct tm_perf_reading *now, size_t event)
{
	struct tm_perf_sum sum = { 0 };
	size_t j = 0;

	for (size_t i = 0; i < now->nr; i++) {
		const struct tm_perf_raw *raw = &now->raw[i * now->nr_events + event];
		struct tm_perf_count count;

		while (j < before->nr && before->of[j].id < now->of[i].id)
			j++;
		if (j == before->nr || before->of[j].id != now->of[i].id ||
		    before->of[j].opening != now->of[i].opening || raw->why == TM_PERF_NOT_HERE)
			continue;
		count = tm_perf_rise(&before->raw[j * before->nr_events + event], raw);
		tm_perf_sum_add(&sum, &count);
	}
	return tm_perf_sum_end(&sum);
}

static int compare_of(const void *a, const void *b)
{
	int x = ((const struct tm_perf_reading_of *)a)->id,
	    y = ((const struct tm_perf_reading_of *)b)->id;

	return (x > y) - (x < y);
}

static const struct tm_perf_reading_of *find_of(const struct tm_perf_reading *reading, int id)
{
	struct tm_perf_reading_of key = { .id = id };

	return reading->nr ?
		       bsearch(&key, reading->of, reading->nr, sizeof(*reading->of), compare_of) :
		       NULL;
}

struct tm_perf_count tm_perf_rise_of(const struct tm_perf_reading *before,
				     const struct tm_perf_reading *now, size_t event, int id)
{
	const struct tm_perf_reading_of *b = find_of(before, id), *n = find_of(now, id);

	if (!b || !n || b->opening != n->opening)
		return (struct tm_perf_count){ .count = tm_num_none(TM_OFFLINE) };
	return tm_perf_rise(&before->raw[(size_t)(b - before->of) * before->nr_events + event],
			    &now->raw[(size_t)(n - now->of) * now->nr_events + event]);
}
