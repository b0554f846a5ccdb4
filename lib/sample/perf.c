/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/perf.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/compiler.h"

/* What a process has open besides. */
#define OWN_FILES 128

static int system_open(void *context, const struct perf_event_attr *attr, pid_t pid, int cpu,
		       int group_fd)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			  (unsigned long)PERF_FLAG_FD_CLOEXEC);

	(void)context;
	return fd < 0 ? -errno : (int)fd;
}

static ssize_t system_read(void *context, int fd, void *data, size_t size)
{
	ssize_t n = read(fd, data, size);

	(void)context;
	return n < 0 ? -errno : n;
}

static int system_control(void *context, int fd, unsigned long request, void *argument)
{
	(void)context;
	return ioctl(fd, request, argument) < 0 ? -errno : 0;
}

static int system_close(void *context, int fd)
{
	(void)context;
	return close(fd) < 0 ? -errno : 0;
}

static int system_map(void *context, int fd, size_t size, void **memory)
{
	void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	(void)context;
	if (mapped == MAP_FAILED)
		return -errno;
	*memory = mapped;
	return 0;
}

static int system_unmap(void *context, void *memory, size_t size)
{
	(void)context;
	return munmap(memory, size) < 0 ? -errno : 0;
}

const struct tm_perf_io tm_perf_io_system = {
	.open = system_open,
	.read = system_read,
	.control = system_control,
	.close = system_close,
	.map = system_map,
	.unmap = system_unmap,
};

static const struct failure {
	int number;
	enum tm_state state;
	const char *reason; /* NULL: that of the state */
	const char *sentence, *hint;
} failures[] = {
	{ TM_PERF_NOT_HERE, TM_UNSUPPORTED, NULL, "CPUs of this kind do not count it", NULL },
	{ ENOENT, TM_UNSUPPORTED, NULL,
	  "neither this CPU nor, in a virtual machine, its host offers this event", NULL },
	{ EOPNOTSUPP, TM_UNSUPPORTED, NULL, "the hardware counts, but not in the way asked for",
	  NULL },
	{ ENODEV, TM_UNSUPPORTED, NULL, "the CPU is offline, or nothing counts this event", NULL },
	{ ENXIO, TM_UNSUPPORTED, NULL, "nothing counts this event", NULL },
	{ ENOSYS, TM_UNSUPPORTED, NULL, "this kernel is built without performance events", NULL },
	{ EINVAL, TM_UNSUPPORTED, NULL, "this kernel does not take the event as it is described",
	  NULL },
	{ E2BIG, TM_UNSUPPORTED, NULL, "this kernel does not know all that is asked for", NULL },
	{ EACCES, TM_DENIED, NULL, "this user may not count it",
	  "run as root, or with CAP_PERFMON (kernel.perf_event_paranoid rules it)" },
	{ EPERM, TM_DENIED, NULL, "this user may not count it, or a container forbids it",
	  "run as root, or with CAP_PERFMON (kernel.perf_event_paranoid rules it)" },
	{ ESRCH, TM_ABSENT, NULL, "the process has ended", NULL },
	{ ENODATA, TM_UNKNOWN, "not-counted",
	  "it never had a counter to itself: other events had them all",
	  "count fewer events at once" },
	{ EMFILE, TM_UNKNOWN, "too-many-files", "this process may not open as many files",
	  "raise the limit: ulimit -n" },
	{ ENFILE, TM_UNKNOWN, "too-many-files", "the system has too many open files",
	  "raise fs.file-max" },
	{ ENOMEM, TM_UNKNOWN, "no-memory", "the kernel has no memory for it", NULL },
	{ ENOSPC, TM_UNKNOWN, "busy", "all counters of this kind are taken",
	  "count fewer events at once" },
	{ EBUSY, TM_UNKNOWN, "busy", "another user has it for himself", NULL },
};

static const struct failure *find(int number)
{
	for (size_t i = 0; i < TM_ARRAY_SIZE(failures); i++)
		if (failures[i].number == number)
			return &failures[i];
	return NULL;
}

enum tm_state tm_perf_state(int number)
{
	const struct failure *f = find(number);

	if (!number)
		return TM_KNOWN;
	return f ? f->state : TM_UNKNOWN;
}

const char *tm_perf_reason(int number)
{
	const struct failure *f = find(number);

	if (!number)
		return NULL;
	if (!f)
		return "failed";
	return f->reason ? f->reason : tm_state_reason(f->state);
}

const char *tm_perf_explain(int number)
{
	const struct failure *f = find(number);

	if (!number)
		return NULL;
	return f ? f->sentence : "the kernel refuses it for an unusual reason";
}

const char *tm_perf_hint(int number)
{
	const struct failure *f = find(number);

	return f ? f->hint : NULL;
}

static struct tm_perf_count none(int why)
{
	return (struct tm_perf_count){ .count = tm_num_none(tm_perf_state(why)), .why = why };
}

struct tm_perf_count tm_perf_scale(const struct tm_perf_raw *raw)
{
	struct tm_perf_count count = { .count = tm_num_known(raw->value) };

	if (raw->why)
		return none(raw->why);
	/* A process that did not run was not counted either, and nothing was missed. */
	if (raw->running >= raw->enabled)
		return count;
	if (!raw->running)
		return none(ENODATA);
	unsigned __int128 whole = (unsigned __int128)raw->value * raw->enabled + raw->running / 2;

	whole /= raw->running;
	if (whole > UINT64_MAX)
		return (struct tm_perf_count){ .count = tm_num_none(TM_MALFORMED) };
	count.count.value = (uint64_t)whole;
	count.scaled = true;
	return count;
}

struct tm_perf_count tm_perf_rise(const struct tm_perf_raw *before, const struct tm_perf_raw *now)
{
	struct tm_perf_raw rise = {
		.value = now->value - before->value,
		.enabled = now->enabled - before->enabled,
		.running = now->running - before->running,
		.why = now->why ? now->why : before->why,
	};

	/* 64 bits do not wrap: what became less was begun anew. */
	if (!rise.why && (now->value < before->value || now->enabled < before->enabled ||
			  now->running < before->running))
		return (struct tm_perf_count){ .count = tm_num_none(TM_UNKNOWN) };
	return tm_perf_scale(&rise);
}

void tm_perf_sum_add(struct tm_perf_sum *sum, const struct tm_perf_count *count)
{
	struct tm_perf_count *c = &sum->count;

	if (!sum->nr++ || (tm_num_is(&c->count) && !tm_num_is(&count->count))) {
		*c = *count;
	} else if (tm_num_is(&c->count)) {
		c->count.value += count->count.value;
		c->scaled |= count->scaled;
	}
}

struct tm_perf_count tm_perf_sum_end(const struct tm_perf_sum *sum)
{
	return sum->nr ? sum->count : (struct tm_perf_count){ .count = tm_num_none(TM_UNKNOWN) };
}

int tm_perf_make_room(size_t files, struct rlimit *old)
{
	struct rlimit now, wanted;

	if (getrlimit(RLIMIT_NOFILE, &now))
		return -errno;
	*old = wanted = now;
	if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur >= files + OWN_FILES)
		return 0;
	wanted.rlim_cur = files + OWN_FILES;
	if (wanted.rlim_max < wanted.rlim_cur)
		wanted.rlim_max = wanted.rlim_cur;
	if (!setrlimit(RLIMIT_NOFILE, &wanted))
		return 0;
	/* As far as it goes without privilege. */
	wanted = now;
	wanted.rlim_cur = wanted.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &wanted))
		return -errno;
	return now.rlim_max >= files + OWN_FILES ? 0 : -EPERM;
}
