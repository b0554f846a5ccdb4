/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf_event_open(2): the calls in a table that tests replace, what its failures mean, and how much
 * an event rose that did not count all the time.
 */
#ifndef TM_SAMPLE_PERF_H
#define TM_SAMPLE_PERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/value.h"

/* Each call returns its result or a negative errno. */
struct tm_perf_io {
	int (*open)(void *context, const struct perf_event_attr *attr, pid_t pid, int cpu,
		    int group_fd);
	ssize_t (*read)(void *context, int fd, void *data, size_t size);
	int (*control)(void *context, int fd, unsigned long request, void *argument);
	int (*close)(void *context, int fd);
	/* Only for events whose records are read. */
	int (*map)(void *context, int fd, size_t size, void **memory);
	int (*unmap)(void *context, void *memory, size_t size);
};

extern const struct tm_perf_io tm_perf_io_system;

/*
 * Why an event gives no count: `number` is the errno of the call that failed, or ENODATA for one
 * that was open and never counted ("not counted"). 0 is TM_KNOWN. What nothing can be said about
 * (too many open files, an event that is in use) is TM_UNKNOWN.
 */
#define TM_PERF_NOT_HERE (-1) /* another kind of CPU than this one counts it: nothing is missing */

enum tm_state tm_perf_state(int number);

/*
 * The word for JSON's <key>_reason: that of the state, or "not-counted", "too-many-files",
 * "no-memory", "busy", "failed"; NULL for 0.
 */
const char *tm_perf_reason(int number);

/* The same as a sentence without a full stop, for people; NULL for 0. */
const char *tm_perf_explain(int number);

/* What can be done about it; NULL: nothing. */
const char *tm_perf_hint(int number);

/* Of one event: a count, and for how many ns it was wanted and did count. */
struct tm_perf_raw {
	uint64_t value, enabled, running;
	int why; /* 0; else there is no count, and this is the reason as above */
};

struct tm_perf_count {
	struct tm_num count;
	bool scaled; /* an estimate: the event shared its counter with others */
	int why;     /* 0 where the count is known; 0 too where no reason is known */
};

/*
 * The count, for the whole time that it was wanted. One that was wanted and never counted is
 * unknown with ENODATA.
 */
struct tm_perf_count tm_perf_scale(const struct tm_perf_raw *raw);

/* What an event rose by between two readings, scaled by the times between them. */
struct tm_perf_count tm_perf_rise(const struct tm_perf_raw *before, const struct tm_perf_raw *now);

/* Begun as { 0 }. The first count that is unknown makes it so; an empty sum is TM_UNKNOWN. */
struct tm_perf_sum {
	struct tm_perf_count count;
	size_t nr;
};

void tm_perf_sum_add(struct tm_perf_sum *sum, const struct tm_perf_count *count);
struct tm_perf_count tm_perf_sum_end(const struct tm_perf_sum *sum);

struct rlimit;

/*
 * Lets this process open so many files besides its own few, where it may not yet. *old is the
 * RLIMIT_NOFILE that it had: a command that is started should get that back, for programs that use
 * select(2). 0; -EPERM: not enough even so; or another -errno.
 */
int tm_perf_make_room(size_t files, struct rlimit *old);

#endif
