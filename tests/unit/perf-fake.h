/* SPDX-License-Identifier: GPL-2.0-only */
/* A source of events that does what a test says, in place of perf_event_open(2). */
#ifndef TESTS_UNIT_PERF_FAKE_H
#define TESTS_UNIT_PERF_FAKE_H

#include "tests/unit/tree.h"

#include "lib/base/idset.h"
#include "lib/sample/perf.h"

#define FAKE_EVENTS 512
#define FAKE_CPUS 8

struct fake_event {
	bool open, enabled;
	struct perf_event_attr attr;
	pid_t pid;
	int cpu, group, output;
	char filter[96];
	struct tm_perf_raw raw;
	void *map;
};

struct fake {
	struct fake_event events[FAKE_EVENTS];
	size_t nr; /* that were ever opened: their numbers are their fds */
	/* errno of opening on a CPU, of every or only the n-th of the events there */
	int fail[FAKE_CPUS], fail_nth[FAKE_CPUS];
	int opened_on[FAKE_CPUS];
	int fail_filter, fail_map;
	size_t map_most; /* bytes; 0: any */
	bool short_read;
};

static inline struct fake_event *fake_event(void *context, int fd)
{
	struct fake *fake = context;

	assert_in_range(fd, 0, fake->nr - 1);
	assert_true(fake->events[fd].open);
	return &fake->events[fd];
}

static inline int fake_open(void *context, const struct perf_event_attr *attr, pid_t pid, int cpu,
			    int group)
{
	struct fake *fake = context;
	int at = cpu < 0 ? 0 : cpu;

	assert_int_equal(attr->size, sizeof(*attr));
	assert_true((pid == -1) == (cpu >= 0));
	assert_in_range(at, 0, FAKE_CPUS - 1);
	if (fake->fail[at] && (!fake->fail_nth[at] || fake->fail_nth[at] == ++fake->opened_on[at]))
		return -fake->fail[at];
	assert_in_range(fake->nr, 0, FAKE_EVENTS - 1);
	if (group >= 0)
		assert_int_equal(fake_event(fake, group)->cpu, cpu);
	fake->events[fake->nr] = (struct fake_event){ .open = true,
						      .enabled = !attr->disabled,
						      .attr = *attr,
						      .pid = pid,
						      .cpu = cpu,
						      .group = group,
						      .output = -1 };
	return (int)fake->nr++;
}

static inline ssize_t fake_read(void *context, int fd, void *data, size_t size)
{
	struct fake *fake = context;
	struct fake_event *e = fake_event(fake, fd);
	uint64_t *words = data;
	size_t nr = 0, at = 0;

	if (fake->short_read)
		return 0;
	if (!(e->attr.read_format & PERF_FORMAT_GROUP)) {
		assert_int_equal(size, 24);
		memcpy(words, &e->raw, 24);
		return 24;
	}
	for (size_t i = 0; i < fake->nr; i++)
		nr += fake->events[i].open && ((int)i == fd || fake->events[i].group == fd);
	assert_int_equal(size, (3 + nr) * 8);
	words[at++] = nr;
	words[at++] = e->raw.enabled;
	words[at++] = e->raw.running;
	for (size_t i = 0; i < fake->nr; i++)
		if (fake->events[i].open && ((int)i == fd || fake->events[i].group == fd))
			words[at++] = fake->events[i].raw.value;
	return (ssize_t)size;
}

static inline int fake_control(void *context, int fd, unsigned long request, void *argument)
{
	struct fake *fake = context;
	struct fake_event *e = fake_event(fake, fd);

	switch (request) {
	case PERF_EVENT_IOC_SET_FILTER:
		/* Before anything is counted. */
		assert_false(e->enabled && e->group < 0);
		snprintf(e->filter, sizeof(e->filter), "%s", (const char *)argument);
		return -fake->fail_filter;
	case PERF_EVENT_IOC_ENABLE:
		e->enabled = true;
		return 0;
	case PERF_EVENT_IOC_ID:
		*(uint64_t *)argument = 1000 + (uint64_t)fd;
		return 0;
	case PERF_EVENT_IOC_SET_OUTPUT:
		e->output = (int)(intptr_t)argument;
		assert_non_null(fake_event(fake, e->output)->map);
		return 0;
	default:
		fail_msg("an unknown request");
		return -EINVAL;
	}
}

static inline int fake_close(void *context, int fd)
{
	struct fake_event *e = fake_event(context, fd);

	assert_null(e->map);
	e->open = false;
	return 0;
}

static inline int fake_map(void *context, int fd, size_t size, void **memory)
{
	struct fake *fake = context;

	if (fake->fail_map)
		return -fake->fail_map;
	if (fake->map_most && size > fake->map_most)
		return -EPERM;
	*memory = calloc(1, size);
	assert_non_null(*memory);
	fake_event(fake, fd)->map = *memory;
	return 0;
}

static inline int fake_unmap(void *context, void *memory, size_t size)
{
	struct fake *fake = context;

	(void)size;
	for (size_t i = 0; i < fake->nr; i++)
		if (fake->events[i].map == memory)
			fake->events[i].map = NULL;
	free(memory);
	return 0;
}

static const struct tm_perf_io fake_io = {
	.open = fake_open,
	.read = fake_read,
	.control = fake_control,
	.close = fake_close,
	.map = fake_map,
	.unmap = fake_unmap,
};

static inline size_t fake_still_open(const struct fake *fake)
{
	size_t nr = 0;

	for (size_t i = 0; i < fake->nr; i++)
		nr += fake->events[i].open;
	return nr;
}

/* Time goes by everywhere; events that are enabled count `value` more. */
static inline void fake_pass(struct fake *fake, uint64_t ns, uint64_t value)
{
	for (size_t i = 0; i < fake->nr; i++) {
		struct fake_event *e = &fake->events[i];

		e->raw.enabled += ns;
		e->raw.running += ns;
		e->raw.value += value;
	}
}

static inline struct tm_idset fake_cpus(const char *list)
{
	struct tm_idset set = TM_IDSET_INIT;

	assert_int_equal(tm_idset_parse_list(&set, list), 0);
	return set;
}

#endif
