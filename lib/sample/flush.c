/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/flush.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/compiler.h"
#include "lib/sample/perf-trace.h"

static const struct {
	enum tm_flush_reason reason;
	enum tm_flush_pages pages;
} cells[TM_FLUSH_CELLS] = {
	{ TM_FLUSH_TASK_SWITCH, TM_FLUSH_ALL },
	{ TM_FLUSH_REMOTE_SHOOTDOWN, TM_FLUSH_ONE },
	{ TM_FLUSH_REMOTE_SHOOTDOWN, TM_FLUSH_RANGE },
	{ TM_FLUSH_REMOTE_SHOOTDOWN, TM_FLUSH_ALL },
	{ TM_FLUSH_REMOTE_SHOOTDOWN, TM_FLUSH_NONE },
	{ TM_FLUSH_LOCAL_SHOOTDOWN, TM_FLUSH_ALL },
	{ TM_FLUSH_LOCAL_MM_SHOOTDOWN, TM_FLUSH_ONE },
	{ TM_FLUSH_LOCAL_MM_SHOOTDOWN, TM_FLUSH_RANGE },
	{ TM_FLUSH_LOCAL_MM_SHOOTDOWN, TM_FLUSH_ALL },
	{ TM_FLUSH_REMOTE_SEND_IPI, TM_FLUSH_ONE },
	{ TM_FLUSH_REMOTE_SEND_IPI, TM_FLUSH_RANGE },
	{ TM_FLUSH_REMOTE_SEND_IPI, TM_FLUSH_ALL },
	{ TM_FLUSH_REMOTE_WRONG_CPU, TM_FLUSH_NONE },
};

const char *tm_flush_reason_name(enum tm_flush_reason reason)
{
	static const char *const names[TM_FLUSH_REASONS] = {
		[TM_FLUSH_TASK_SWITCH] = "task_switch",
		[TM_FLUSH_REMOTE_SHOOTDOWN] = "remote_shootdown",
		[TM_FLUSH_LOCAL_SHOOTDOWN] = "local_shootdown",
		[TM_FLUSH_LOCAL_MM_SHOOTDOWN] = "local_mm_shootdown",
		[TM_FLUSH_REMOTE_SEND_IPI] = "remote_send_ipi",
		[TM_FLUSH_REMOTE_WRONG_CPU] = "remote_wrong_cpu",
	};

	return names[reason];
}

const char *tm_flush_pages_name(enum tm_flush_pages pages)
{
	static const char *const names[TM_FLUSH_PAGES] = {
		[TM_FLUSH_ONE] = "one",
		[TM_FLUSH_RANGE] = "range",
		[TM_FLUSH_ALL] = "all",
		[TM_FLUSH_NONE] = "none",
	};

	return names[pages];
}

int tm_flush_cell(enum tm_flush_reason reason, enum tm_flush_pages pages)
{
	for (int i = 0; i < TM_FLUSH_CELLS; i++)
		if (cells[i].reason == reason && cells[i].pages == pages)
			return i;
	return -1;
}

#define FILTER_SIZE 96

/* The kernel's TLB_FLUSH_ALL is -1UL, which a filter takes as an unsigned number only. */
static void make_filter(char filter[FILTER_SIZE], size_t cell, uint64_t all)
{
	enum tm_flush_reason reason = cells[cell].reason;
	int len = snprintf(filter, FILTER_SIZE, "reason == %d && ", (int)reason);
	char *rest = filter + len;
	size_t size = FILTER_SIZE - (size_t)len;

	switch (cells[cell].pages) {
	case TM_FLUSH_NONE:
		snprintf(rest, size, "pages == 0");
		break;
	case TM_FLUSH_ONE:
		snprintf(rest, size, "pages == 1");
		break;
	case TM_FLUSH_RANGE:
		snprintf(rest, size, "pages > 1 && pages < %" PRIu64, all);
		break;
	case TM_FLUSH_ALL:
		/* Where there are no others, none can be missed. */
		if (tm_flush_cell(reason, TM_FLUSH_ONE) < 0)
			snprintf(rest, size, "pages != 0");
		else
			snprintf(rest, size, "pages == %" PRIu64, all);
		break;
	}
}

/* The largest number of a field of 4 or 8 bytes; 0: it is neither. */
static uint64_t largest(size_t size)
{
	return size == 8 ? UINT64_MAX : size == 4 ? UINT32_MAX : 0;
}

static int fail(struct tm_flush *flush, enum tm_state state)
{
	flush->state = state;
	return 0;
}

static int add_threads(struct tm_flush *flush, const struct tm_root *root, pid_t pid)
{
	int rc = tm_perf_set_process(&flush->set, root, pid);

	if (!rc || rc == -ENOMEM)
		return rc;
	tm_error_errno(&flush->error, -rc, "process %d", (int)pid);
	tm_perf_set_close(&flush->set);
	return fail(flush, tm_state_from_errno(-rc));
}

int tm_flush_open(struct tm_flush *flush, const struct tm_root *root, const struct tm_perf_io *io,
		  void *io_context, const struct tm_flush_target *target)
{
	struct tm_flush f = { .state = TM_KNOWN, .system = !target->pid };
	struct tm_perf_event events[TM_FLUSH_CELLS] = { 0 };
	char filters[TM_FLUSH_CELLS][FILTER_SIZE];
	struct tm_tracepoint tracepoint = { 0 };
	uint64_t all;
	int rc = 0;

	*flush = f;
	if (!root->live && io == &tm_perf_io_system) {
		tm_error_set(&flush->error, EOPNOTSUPP,
			     "flushes are counted on the live machine only");
		return fail(flush, TM_UNSUPPORTED);
	}
	flush->state = tm_tracepoint_find(root, "tlb", "tlb_flush", &tracepoint, &flush->error);
	if (flush->state != TM_KNOWN)
		return 0;
	all = largest(tm_tracepoint_field_size(&tracepoint, "pages"));
	if (!all || tm_tracepoint_field_size(&tracepoint, "reason") != sizeof(uint32_t)) {
		tm_error_set(&flush->error, EINVAL,
			     "tracepoint tlb:tlb_flush: its fields are not those that are known");
		tm_tracepoint_release(&tracepoint);
		return fail(flush, TM_MALFORMED);
	}
	for (size_t i = 0; i < TM_FLUSH_CELLS; i++) {
		make_filter(filters[i], i, all);
		events[i].filter = filters[i];
		events[i].attr.type = PERF_TYPE_TRACEPOINT;
		events[i].attr.config = tracepoint.id;
		events[i].attr.inherit = !f.system;
		events[i].attr.enable_on_exec = !f.system && target->on_exec;
	}
	tm_tracepoint_release(&tracepoint);
	rc = tm_perf_set_open(&flush->set, io, io_context, events, TM_FLUSH_CELLS, true);
	if (!rc && !f.system)
		rc = add_threads(flush, root, target->pid);
	if (rc)
		tm_flush_close(flush);
	return rc;
}

void tm_flush_close(struct tm_flush *flush)
{
	tm_perf_set_close(&flush->set);
	flush->state = TM_UNKNOWN;
}

int tm_flush_follow(struct tm_flush *flush, const struct tm_idset *online)
{
	if (flush->state != TM_KNOWN || !flush->system)
		return 0;
	return tm_perf_set_cpus(&flush->set, online);
}

int tm_flush_read(struct tm_flush *flush, struct tm_perf_reading *reading)
{
	reading->nr = 0;
	return flush->state == TM_KNOWN ? tm_perf_set_read(&flush->set, reading) : 0;
}

void tm_flush_count(const struct tm_flush *flush, const struct tm_perf_reading *before,
		    const struct tm_perf_reading *now, struct tm_flush_counts *counts)
{
	for (size_t i = 0; i < TM_FLUSH_CELLS; i++) {
		if (flush->state != TM_KNOWN)
			counts->cell[i] =
				(struct tm_perf_count){ .count = tm_num_none(flush->state) };
		else if (before)
			counts->cell[i] = tm_perf_total_rise(before, now, i);
		else
			counts->cell[i] = tm_perf_total(now, i);
	}
}

struct tm_perf_count tm_flush_by_reason(const struct tm_flush_counts *counts,
					enum tm_flush_reason reason)
{
	struct tm_perf_sum sum = { 0 };

	for (size_t i = 0; i < TM_FLUSH_CELLS; i++) {
		if (cells[i].reason != reason ||
		    (cells[i].pages == TM_FLUSH_NONE && reason != TM_FLUSH_REMOTE_WRONG_CPU))
			continue;
		tm_perf_sum_add(&sum, &counts->cell[i]);
	}
	return tm_perf_sum_end(&sum);
}

struct tm_perf_count tm_flush_by_pages(const struct tm_flush_counts *counts,
				       enum tm_flush_pages pages)
{
	struct tm_perf_sum sum = { 0 };

	for (size_t i = 0; i < TM_FLUSH_CELLS; i++) {
		if (cells[i].pages == pages && cells[i].reason != TM_FLUSH_REMOTE_SEND_IPI)
			tm_perf_sum_add(&sum, &counts->cell[i]);
	}
	return tm_perf_sum_end(&sum);
}
