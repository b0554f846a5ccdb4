/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What single processes do: TLB flushes that they ask for and that interrupt them, pages of theirs
 * that NUMA balancing moved, and where the memory of the foremost lies. All of it costs more than
 * the counters of the whole machine, so it is read only while somebody looks.
 *
 * The list holds the processes with the most memory and those with flushes, keyed by pid and start.
 */
#ifndef TM_SAMPLE_PROCESSES_H
#define TM_SAMPLE_PROCESSES_H

#include "lib/base/error.h"
#include "lib/base/value.h"
#include "lib/sample/perf.h"
#include "lib/sys/numa-maps.h"
#include "lib/sys/root.h"

#define TM_PROCESSES_MAX 192

struct tm_process_sample {
	int pid; /* 0: the kernel's idle task; -1: processes that had ended before they were seen */
	uint64_t start; /* ticks since boot; 0: not known */
	char name[16];	/* "" where it is not known */
	/*
	 * Flushes since the process was first seen: as the one who asks others, as one who is
	 * asked.
	 */
	struct tm_num initiated, received;
	struct tm_num migrated; /* pages, by NUMA balancing, of threads that are still there */
	struct tm_num resident_bytes; /* in memory */
	/* TM_KNOWN: where that is, by node, as of at most ten seconds ago; TM_NOT_ASKED. */
	enum tm_state memory_state;
	struct tm_resident *memory; /* sorted by node */
	size_t nr_memory, cap_memory;
};

struct tm_process_samples {
	enum tm_state state;	   /* TM_KNOWN, or TM_NOT_ASKED */
	enum tm_state flush_state; /* TM_KNOWN: flushes are recorded */
	uint64_t lost;		   /* flushes that nobody could be given: the buffers were full */
	struct tm_process_sample *list; /* in no order */
	size_t nr, cap;
};

void tm_process_samples_release(struct tm_process_samples *samples);
/* Empties it. */
void tm_process_samples_none(struct tm_process_samples *samples, enum tm_state state);
/* Makes room for one and returns it, blank but for its list's memory; NULL: out of memory. */
struct tm_process_sample *tm_process_samples_add(struct tm_process_samples *samples);
/* NULL where it is not in the list. */
const struct tm_process_sample *tm_process_samples_find(const struct tm_process_samples *samples,
							int pid, uint64_t start);
/* Adds memory of a node, which must be above those that are there. 0 or -ENOMEM. */
int tm_process_sample_add_memory(struct tm_process_sample *process, int node, uint64_t bytes);

struct tm_processes; /* what is behind them */

/*
 * `io` is &tm_perf_io_system but in tests. Where flushes cannot be recorded the rest is still
 * there. `root` must outlive it. 0 or -ENOMEM; *processes is set on success only.
 */
int tm_processes_open(struct tm_processes **processes, const struct tm_root *root,
		      const struct tm_perf_io *io, void *io_context);
void tm_processes_close(struct tm_processes *processes);

/* Why flushes are not recorded, for people; false where they are. */
bool tm_processes_error(const struct tm_processes *processes, struct tm_error *err);

/* To poll(2) for POLLIN, upon which tm_processes_drain() is due; -1: there is none. */
int tm_processes_fd(const struct tm_processes *processes);
void tm_processes_drain(struct tm_processes *processes);

/* `now_ns` is the sample's CLOCK_MONOTONIC. 0 or -ENOMEM. */
int tm_processes_read(struct tm_processes *processes, uint64_t now_ns,
		      struct tm_process_samples *samples);

#endif
