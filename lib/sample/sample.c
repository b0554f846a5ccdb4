/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/sample.h"

#include <errno.h>
#include <string.h>
#include <time.h>

int tm_sampler_open(struct tm_sampler *sampler, const struct tm_root *root, unsigned what,
		    struct tm_error *err)
{
	int rc = 0;

	*sampler = (struct tm_sampler){
		.root = root,
		.what = what,
		.interrupts = { .fd = -1 },
		.vmstat = { .fd = -1 },
		.nodes = { .online = { .fd = -1 } },
	};
	if (what & TM_SAMPLE_INTERRUPTS)
		tm_file_open(&sampler->interrupts, root, "proc/interrupts");
	if (what & TM_SAMPLE_VMSTAT)
		tm_file_open(&sampler->vmstat, root, "proc/vmstat");
	if (what & TM_SAMPLE_NODES)
		tm_node_files_open(&sampler->nodes, root);
	if (what & TM_SAMPLE_SIZES)
		rc = tm_size_files_open(&sampler->sizes, root);
	if (rc) {
		tm_sampler_close(sampler);
		return tm_error_nomem(err);
	}
	return 0;
}

int tm_sampler_add_events(struct tm_sampler *sampler, const char *const *names, size_t nr_names,
			  struct tm_error *err)
{
	int rc = tm_events_open(&sampler->events, sampler->root, names, nr_names, err);

	if (!rc)
		sampler->what |= TM_SAMPLE_EVENTS;
	return rc;
}

int tm_sampler_processes(struct tm_sampler *sampler, bool on, struct tm_error *err)
{
	if (on == (sampler->processes != NULL))
		return 0;
	if (!on) {
		tm_processes_close(sampler->processes);
		sampler->processes = NULL;
		sampler->what &= ~(unsigned)TM_SAMPLE_PROCESSES;
		return 0;
	}
	if (tm_processes_open(&sampler->processes, sampler->root, &tm_perf_io_system, NULL))
		return tm_error_nomem(err);
	sampler->what |= TM_SAMPLE_PROCESSES;
	return 0;
}

void tm_sampler_close(struct tm_sampler *sampler)
{
	tm_file_close(&sampler->interrupts);
	tm_file_close(&sampler->vmstat);
	tm_node_files_close(&sampler->nodes);
	tm_size_files_close(&sampler->sizes);
	tm_events_close(sampler->events);
	tm_processes_close(sampler->processes);
	sampler->events = NULL;
	sampler->processes = NULL;
	sampler->what = 0;
}

void tm_sample_release(struct tm_sample *sample)
{
	tm_interrupts_release(&sample->interrupts);
	tm_node_samples_release(&sample->nodes);
	tm_size_samples_release(&sample->sizes);
	tm_event_samples_release(&sample->events);
	tm_process_samples_release(&sample->processes);
	*sample = (struct tm_sample){ 0 };
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now))
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int take_interrupts(struct tm_sampler *sampler, struct tm_sample *sample)
{
	if (sampler->what & TM_SAMPLE_INTERRUPTS)
		return tm_interrupts_read(&sample->interrupts, &sampler->interrupts);
	sample->interrupts.state = TM_NOT_ASKED;
	sample->interrupts.nr_cpus = 0;
	for (size_t i = 0; i < TM_IRQS; i++)
		sample->interrupts.rows[i].state = TM_NOT_ASKED;
	return 0;
}

static int take_vmstat(struct tm_sampler *sampler, struct tm_sample *sample)
{
	int rc;

	if (!(sampler->what & TM_SAMPLE_VMSTAT)) {
		tm_counters_none(&sample->vmstat, TM_NOT_ASKED);
		return 0;
	}
	rc = tm_file_read(&sampler->vmstat);
	if (rc)
		tm_counters_none(&sample->vmstat, tm_state_from_errno(-rc));
	else
		tm_counters_parse(&sample->vmstat, sampler->vmstat.data);
	return rc == -ENOMEM ? rc : 0;
}

int tm_sample_take(struct tm_sampler *sampler, struct tm_sample *sample, struct tm_error *err)
{
	int rc;

	sample->time_ns = clock_ns(CLOCK_MONOTONIC);
	sample->wall_ns = clock_ns(CLOCK_REALTIME);
	rc = take_interrupts(sampler, sample);
	if (!rc)
		rc = take_vmstat(sampler, sample);
	sample->nodes.nr = sample->sizes.nr = 0;
	sample->nodes.state = sample->sizes.state = TM_NOT_ASKED;
	if (!rc && (sampler->what & TM_SAMPLE_NODES))
		rc = tm_node_files_read(&sampler->nodes, &sample->nodes);
	if (!rc && (sampler->what & TM_SAMPLE_SIZES))
		rc = tm_size_files_read(&sampler->sizes, &sample->sizes);
	tm_event_samples_none(&sample->events, TM_NOT_ASKED);
	if (!rc && sampler->events)
		rc = tm_events_read(sampler->events, &sample->events);
	tm_process_samples_none(&sample->processes, TM_NOT_ASKED);
	if (!rc && sampler->processes)
		rc = tm_processes_read(sampler->processes, sample->time_ns, &sample->processes);
	return rc ? tm_error_nomem(err) : 0;
}
