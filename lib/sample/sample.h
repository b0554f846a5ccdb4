/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A sample: all counters at one moment. A pair of samples gives what happened between them; the
 * dashboard, batch lines, recordings, `stat` and metrics all come from pairs. CPUs and nodes are
 * paired by id, since they come and go.
 *
 *	tm_sampler_open → tm_sample_take … → tm_sampler_close, tm_sample_release
 *
 * Every source is optional: one that is missing says why in its state.
 */
#ifndef TM_SAMPLE_SAMPLE_H
#define TM_SAMPLE_SAMPLE_H

#include "lib/base/error.h"
#include "lib/sample/counters.h"
#include "lib/sample/events.h"
#include "lib/sample/interrupts.h"
#include "lib/sample/nodes.h"
#include "lib/sample/processes.h"
#include "lib/sample/sizes.h"

/* What to take; the rest is TM_NOT_ASKED. */
enum {
	TM_SAMPLE_INTERRUPTS = 1 << 0,
	TM_SAMPLE_VMSTAT = 1 << 1,
	TM_SAMPLE_NODES = 1 << 2,
	TM_SAMPLE_SIZES = 1 << 3,
	TM_SAMPLE_FILES = (1 << 4) - 1,
	TM_SAMPLE_EVENTS = 1 << 4, /* by perf */
	TM_SAMPLE_PROCESSES = 1 << 5,
};

struct tm_sample {
	uint64_t time_ns; /* CLOCK_MONOTONIC: intervals come from this one */
	uint64_t wall_ns; /* since 1970-01-01 00:00 UTC */
	struct tm_interrupts interrupts;
	struct tm_counters vmstat;
	struct tm_node_samples nodes;
	struct tm_size_samples sizes;
	struct tm_event_samples events;
	struct tm_process_samples processes;
};

struct tm_sampler {
	const struct tm_root *root; /* borrowed */
	unsigned what;
	struct tm_file interrupts;
	struct tm_file vmstat;
	struct tm_node_files nodes;
	struct tm_size_files sizes;
	struct tm_events *events;	/* NULL: not asked for */
	struct tm_processes *processes; /* NULL: not asked for */
};

/* `root` must outlive the sampler. 0 or -ENOMEM: what cannot be opened is noted. */
int tm_sampler_open(struct tm_sampler *sampler, const struct tm_root *root, unsigned what,
		    struct tm_error *err);
/*
 * Adds TM_SAMPLE_EVENTS, with hardware events of these names besides the usual ones. As
 * tm_events_open.
 */
int tm_sampler_add_events(struct tm_sampler *sampler, const char *const *names, size_t nr_names,
			  struct tm_error *err);
/* Begins or ends TM_SAMPLE_PROCESSES, at any time. 0 or -ENOMEM. */
int tm_sampler_processes(struct tm_sampler *sampler, bool on, struct tm_error *err);
void tm_sampler_close(struct tm_sampler *sampler);

/*
 * Takes a sample into an object that was zeroed or used before, whose lists are reused. 0 or
 * -ENOMEM.
 */
int tm_sample_take(struct tm_sampler *sampler, struct tm_sample *sample, struct tm_error *err);
void tm_sample_release(struct tm_sample *sample);

/* A pair. */

/* Nanoseconds between the two; TM_UNKNOWN unless the clock went on. */
struct tm_num tm_pair_interval(const struct tm_sample *before, const struct tm_sample *now);

/* Interrupts that a CPU got; TM_OFFLINE where it was not online at both. */
struct tm_num tm_pair_irq(const struct tm_sample *before, const struct tm_sample *now,
			  enum tm_irq irq, int cpu);

/*
 * The sum over the CPUs that were online at both; how many those are goes to *cpus, which may be
 * NULL. Unknown where the count of one of them is.
 */
struct tm_num tm_pair_irq_total(const struct tm_sample *before, const struct tm_sample *now,
				enum tm_irq irq, size_t *cpus);

struct tm_num tm_pair_counter(const struct tm_sample *before, const struct tm_sample *now,
			      enum tm_counter counter);

/* Of a node; TM_OFFLINE where it was not online at both. */
struct tm_num tm_pair_node_counter(const struct tm_sample *before, const struct tm_sample *now,
				   int node, enum tm_counter counter);
struct tm_num tm_pair_numastat(const struct tm_sample *before, const struct tm_sample *now,
			       int node, enum tm_numastat numastat);

/* Of a size of huge page; TM_ABSENT where it is not in both. */
struct tm_num tm_pair_size(const struct tm_sample *before, const struct tm_sample *now,
			   uint64_t size_bytes, enum tm_size_counter counter);

/* An event of the hardware; TM_ABSENT where it is not in both. */
struct tm_num tm_pair_event(const struct tm_sample *before, const struct tm_sample *now,
			    const char *name);

/*
 * What a process in the list of `now` did. Its flushes begin at 0 when it is
 * first seen, so that one which is new has done all of them since; its other counts are then
 * TM_UNKNOWN.
 */
enum tm_process_count { TM_PROCESS_INITIATED, TM_PROCESS_RECEIVED, TM_PROCESS_MIGRATED };

struct tm_num tm_pair_process(const struct tm_sample *before, const struct tm_sample *now,
			      const struct tm_process_sample *process, enum tm_process_count count);
/* Flushes that nobody could be given. */
struct tm_num tm_pair_processes_lost(const struct tm_sample *before, const struct tm_sample *now);

#endif
