/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/processes.h"
#include "lib/base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/sample/counters.h"
#include "lib/sample/flush-ring.h"
#include "lib/sys/process-stat.h"
#include "lib/sys/attr.h"

/* Listed for their memory; the rest of the list is for those with flushes. */
#define LARGE_MAX 64
/* Whose memory is looked at by node. */
#define FOREMOST 5
/* Looking through all processes, and through page tables. */
#define SELDOM_NS 10000000000ULL
/* The threads of one with more are not looked at. */
#define THREADS_MAX 128
#define SCHED_MAX ((size_t)64 << 10)
/* A line is some 100 bytes, and a process may have 65,530 mappings and more. */
#define MAPS_MAX ((size_t)64 << 20)

struct large {
	int pid;
	uint64_t start, resident;
};

/* What is kept of a process from sample to sample. */
struct kept {
	int pid;
	uint64_t start, looked_ns;
	enum tm_state state;
	struct tm_resident *memory;
	size_t nr, cap;
};

struct tm_processes {
	const struct tm_root *root;
	struct tm_flush_ring ring;
	struct large large[LARGE_MAX];
	size_t nr_large;
	uint64_t scanned_ns;
	struct kept kept[FOREMOST * 4];
	struct tm_buf text;
};

void tm_process_samples_release(struct tm_process_samples *samples)
{
	for (size_t i = 0; i < samples->cap; i++)
		free(samples->list[i].memory);
	free(samples->list);
	*samples = (struct tm_process_samples){ 0 };
}

void tm_process_samples_none(struct tm_process_samples *samples, enum tm_state state)
{
	samples->state = samples->flush_state = state;
	samples->nr = 0;
	samples->lost = 0;
}

struct tm_process_sample *tm_process_samples_add(struct tm_process_samples *samples)
{
	struct tm_process_sample *p;

	if (tm_array_grow(&samples->list, samples->nr, &samples->cap, sizeof(*samples->list)))
		return NULL;
	p = &samples->list[samples->nr++];
	*p = (struct tm_process_sample){ .memory = p->memory, .cap_memory = p->cap_memory };
	return p;
}

const struct tm_process_sample *tm_process_samples_find(const struct tm_process_samples *samples,
							int pid, uint64_t start)
{
	for (size_t i = 0; i < samples->nr; i++)
		if (samples->list[i].pid == pid && samples->list[i].start == start)
			return &samples->list[i];
	return NULL;
}

int tm_process_sample_add_memory(struct tm_process_sample *process, int node, uint64_t bytes)
{
	if (tm_array_grow(&process->memory, process->nr_memory, &process->cap_memory,
			  sizeof(*process->memory)))
		return -ENOMEM;
	process->memory[process->nr_memory++] = (struct tm_resident){ node, bytes };
	return 0;
}

int tm_processes_open(struct tm_processes **processes, const struct tm_root *root,
		      const struct tm_perf_io *io, void *io_context)
{
	struct tm_processes *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->root = root;
	if (tm_flush_ring_open(&p->ring, root, io, io_context)) {
		free(p);
		return -ENOMEM;
	}
	*processes = p;
	return 0;
}

void tm_processes_close(struct tm_processes *p)
{
	if (!p)
		return;
	tm_flush_ring_close(&p->ring);
	for (size_t i = 0; i < TM_ARRAY_SIZE(p->kept); i++)
		free(p->kept[i].memory);
	tm_buf_release(&p->text);
	free(p);
}

bool tm_processes_error(const struct tm_processes *p, struct tm_error *err)
{
	if (p->ring.state == TM_KNOWN)
		return false;
	*err = p->ring.error;
	return true;
}

int tm_processes_fd(const struct tm_processes *p)
{
	return p->ring.state == TM_KNOWN ? p->ring.fd : -1;
}

void tm_processes_drain(struct tm_processes *p)
{
	tm_flush_ring_drain(&p->ring);
}

/* Keeps the largest, in falling order. */
static void keep_large(struct tm_processes *p, const struct large *one)
{
	size_t at = p->nr_large;

	while (at && p->large[at - 1].resident < one->resident)
		at--;
	if (at == LARGE_MAX)
		return;
	if (p->nr_large < LARGE_MAX)
		p->nr_large++;
	memmove(&p->large[at + 1], &p->large[at], (p->nr_large - at - 1) * sizeof(*one));
	p->large[at] = *one;
}

static int find_large(struct tm_processes *p)
{
	struct tm_scan scan;
	const char *name;
	int rc = tm_scan_open(p->root, "proc", &scan);

	p->nr_large = 0;
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	while ((name = tm_scan_next(&scan)) && rc != -ENOMEM) {
		struct tm_process_stat stat;
		long pid;

		if (!isdigit((unsigned char)*name) || !tm_name_id(name, "", &pid) ||
		    pid > INT32_MAX)
			continue;
		rc = tm_process_stat_read(p->root, (pid_t)pid, &p->text, &stat);
		/* Kernel threads have none. */
		if (!rc && stat.resident)
			keep_large(p, &(struct large){ (int)pid, stat.start, stat.resident });
	}
	tm_scan_close(&scan);
	return rc == -ENOMEM ? rc : 0;
}

/* "numa_pages_migrated    :    12" of one thread. */
static struct tm_num read_migrated(struct tm_processes *p, const char *path)
{
	static const char name[] = "\nnuma_pages_migrated";
	int rc = tm_root_read(p->root, path, SCHED_MAX, &p->text);
	const char *found;

	if (rc == -ENOENT)
		return tm_num_none(TM_UNSUPPORTED);
	if (rc)
		return tm_num_none(rc == -ESRCH ? TM_ABSENT : tm_state_from_errno(-rc));
	found = strstr(tm_buf_str(&p->text), name);
	if (!found)
		return tm_num_none(TM_UNSUPPORTED);
	found += strlen(name);
	found += strspn(found, " \t");
	return *found == ':' ? tm_leading_number(found + 1) : tm_num_none(TM_MALFORMED);
}

/* Of all its threads. */
static struct tm_num sum_migrated(struct tm_processes *p, int pid, uint64_t threads)
{
	struct tm_num sum = tm_num_known(0);
	char path[TM_PATH_MAX];
	struct tm_scan scan;
	const char *name;

	if (threads > THREADS_MAX)
		return tm_num_none(TM_NOT_ASKED);
	(void)tm_path_format(path, "proc/%d/sched", pid);
	if (threads <= 1)
		return read_migrated(p, path);
	(void)tm_path_format(path, "proc/%d/task", pid);
	if (tm_scan_open(p->root, path, &scan))
		return tm_num_none(TM_UNKNOWN);
	while ((name = tm_scan_next(&scan)) && tm_num_is(&sum)) {
		struct tm_num one;
		long thread;

		if (!tm_name_id(name, "", &thread))
			continue;
		(void)tm_path_format(path, "proc/%d/task/%ld/sched", pid, thread);
		one = read_migrated(p, path);
		/* A thread that just ended takes its count along. */
		if (tm_num_is(&one))
			sum.value += one.value;
		else if (one.state != TM_ABSENT)
			sum = one;
	}
	tm_scan_close(&scan);
	return sum;
}

/* The process in the list, added with what its stat says; NULL with 0 where it has ended. */
static int add_process(struct tm_processes *p, struct tm_process_samples *samples, int pid,
		       uint64_t start, struct tm_process_sample **added)
{
	struct tm_process_stat stat;
	struct tm_process_sample *one;
	int rc = tm_process_stat_read(p->root, pid, &p->text, &stat);

	*added = NULL;
	if (rc || stat.start != start)
		return rc == -ENOMEM ? rc : 0;
	one = tm_process_samples_add(samples);
	if (!one)
		return -ENOMEM;
	one->pid = pid;
	one->start = start;
	memcpy(one->name, stat.name, sizeof(one->name));
	one->initiated = one->received = p->ring.state == TM_KNOWN ? tm_num_known(0) :
								     tm_num_none(p->ring.state);
	one->resident_bytes = tm_num_none(TM_UNKNOWN);
	if (p->root->page_size &&
	    !__builtin_mul_overflow(stat.resident, p->root->page_size, &one->resident_bytes.value))
		one->resident_bytes.state = TM_KNOWN;
	one->migrated = sum_migrated(p, pid, stat.threads);
	one->memory_state = TM_NOT_ASKED;
	*added = one;
	return 0;
}

/* One that only the ring knows: it has ended, or is none. */
static int add_other(struct tm_process_samples *samples, const struct tm_flush_proc *proc,
		     struct tm_process_sample **added)
{
	struct tm_process_sample *one = tm_process_samples_add(samples);

	*added = one;
	if (!one)
		return -ENOMEM;
	one->pid = proc->pid;
	one->start = tm_num_is(&proc->start) ? proc->start.value : 0;
	memcpy(one->name, proc->comm, sizeof(one->name));
	one->migrated = one->resident_bytes = tm_num_none(TM_UNKNOWN);
	one->memory_state = TM_ABSENT;
	return 0;
}

static uint64_t recent(const struct tm_flush_proc *proc)
{
	return proc->last_victim + proc->last_initiator;
}

/* Those with flushes just now come first, then those with the most. */
static int by_flushes(const void *a, const void *b)
{
	const struct tm_flush_proc *x = *(const struct tm_flush_proc *const *)a;
	const struct tm_flush_proc *y = *(const struct tm_flush_proc *const *)b;
	uint64_t all_x = x->victim + x->initiator, all_y = y->victim + y->initiator;

	if (recent(x) != recent(y))
		return recent(x) < recent(y) ? 1 : -1;
	return (all_x < all_y) - (all_x > all_y);
}

static int add_flushers(struct tm_processes *p, struct tm_process_samples *samples)
{
	const struct tm_flush_proc **order = calloc(p->ring.procs.nr + 1, sizeof(*order));
	size_t nr = 0;
	int rc = order ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->ring.procs.nr && !rc; i++)
		if (p->ring.procs.list[i].victim || p->ring.procs.list[i].initiator)
			order[nr++] = &p->ring.procs.list[i];
	if (nr)
		qsort(order, nr, sizeof(*order), by_flushes);
	for (size_t i = 0; i < nr && !rc; i++) {
		const struct tm_flush_proc *proc = order[i];
		struct tm_process_sample *one = NULL;
		uint64_t start = tm_num_is(&proc->start) ? proc->start.value : 0;

		for (size_t k = 0; k < samples->nr && !one; k++)
			if (samples->list[k].pid == proc->pid && samples->list[k].start == start)
				one = &samples->list[k];
		if (!one && samples->nr >= TM_PROCESSES_MAX)
			continue;
		if (!one && start)
			rc = add_process(p, samples, proc->pid, start, &one);
		/* Of those that have ended, what they did last is still told. */
		if (!one && !rc && recent(proc))
			rc = add_other(samples, proc, &one);
		if (one) {
			one->initiated = tm_num_known(proc->initiator);
			one->received = tm_num_known(proc->victim);
		}
	}
	free(order);
	return rc;
}

static int add_resident(void *context, const struct tm_numa_map *map)
{
	struct kept *kept = context;

	for (size_t i = 0; i < map->nr; i++) {
		size_t at = 0;

		while (at < kept->nr && kept->memory[at].node < map->resident[i].node)
			at++;
		if (at == kept->nr || kept->memory[at].node != map->resident[i].node) {
			if (tm_array_grow(&kept->memory, kept->nr, &kept->cap,
					  sizeof(*kept->memory)))
				return -ENOMEM;
			memmove(&kept->memory[at + 1], &kept->memory[at],
				(kept->nr++ - at) * sizeof(*kept->memory));
			kept->memory[at] = (struct tm_resident){ map->resident[i].node, 0 };
		}
		kept->memory[at].bytes += map->resident[i].bytes;
	}
	return 0;
}

static int look_at_memory(struct tm_processes *p, struct kept *kept)
{
	char path[TM_PATH_MAX];
	int rc;

	kept->nr = 0;
	(void)tm_path_format(path, "proc/%d/numa_maps", kept->pid);
	rc = tm_root_read(p->root, path, MAPS_MAX, &p->text);
	if (!rc)
		rc = tm_numa_maps_each(tm_buf_str(&p->text), add_resident, kept);
	kept->state = rc == -ENOENT ? TM_UNSUPPORTED : rc ? tm_state_from_errno(-rc) : TM_KNOWN;
	/* The text of a large process is large: it is not kept. */
	tm_buf_release(&p->text);
	return rc == -ENOMEM ? rc : 0;
}

static struct kept *find_kept(struct tm_processes *p, const struct tm_process_sample *one)
{
	for (size_t i = 0; i < TM_ARRAY_SIZE(p->kept); i++)
		if (p->kept[i].looked_ns && p->kept[i].pid == one->pid &&
		    p->kept[i].start == one->start)
			return &p->kept[i];
	return NULL;
}

/* The place of the one that was looked at longest ago. */
static struct kept *oldest_kept(struct tm_processes *p)
{
	struct kept *oldest = &p->kept[0];

	for (size_t i = 1; i < TM_ARRAY_SIZE(p->kept); i++)
		if (p->kept[i].looked_ns < oldest->looked_ns)
			oldest = &p->kept[i];
	return oldest;
}

/* The foremost are looked at again when that was long ago. */
static int add_memory(struct tm_processes *p, struct tm_process_sample *one, bool foremost,
		      uint64_t now_ns)
{
	struct kept *kept = find_kept(p, one);
	int rc = 0;

	if (foremost && (!kept || now_ns - kept->looked_ns >= SELDOM_NS)) {
		kept = kept ? kept : oldest_kept(p);
		kept->pid = one->pid;
		kept->start = one->start;
		kept->looked_ns = now_ns;
		rc = look_at_memory(p, kept);
	}
	if (rc || !kept)
		return rc;
	one->memory_state = kept->state;
	for (size_t i = 0; i < kept->nr && !rc; i++)
		rc = tm_process_sample_add_memory(one, kept->memory[i].node, kept->memory[i].bytes);
	return rc;
}

/* The first in `ring` order, with flushes, and then the largest. */
static int add_memories(struct tm_processes *p, struct tm_process_samples *samples, uint64_t now_ns)
{
	bool foremost[TM_PROCESSES_MAX] = { false };
	int rc = 0;

	for (size_t n = 0; n < FOREMOST; n++) {
		size_t best = samples->nr;
		uint64_t most = 0;
		bool flushes = false;

		for (size_t i = 0; i < samples->nr; i++) {
			const struct tm_process_sample *one = &samples->list[i];
			uint64_t count = one->initiated.value + one->received.value;

			if (foremost[i] || !tm_num_is(&one->resident_bytes) ||
			    !one->resident_bytes.value)
				continue;
			if (flushes ? count <= most : !count && one->resident_bytes.value <= most)
				continue;
			flushes = count != 0;
			most = flushes ? count : one->resident_bytes.value;
			best = i;
		}
		if (best < samples->nr)
			foremost[best] = true;
	}
	for (size_t i = 0; i < samples->nr && !rc; i++)
		if (samples->list[i].memory_state == TM_NOT_ASKED)
			rc = add_memory(p, &samples->list[i], foremost[i], now_ns);
	return rc;
}

int tm_processes_read(struct tm_processes *p, uint64_t now_ns, struct tm_process_samples *samples)
{
	struct tm_idset online = TM_IDSET_INIT;
	struct tm_process_sample *one;
	int rc = 0;

	tm_process_samples_none(samples, TM_KNOWN);
	if (tm_attr_list(p->root, "sys/devices/system/cpu/online", &online) == TM_KNOWN)
		rc = tm_flush_ring_follow(&p->ring, &online);
	tm_idset_release(&online);
	if (rc)
		return rc;
	tm_flush_ring_read(&p->ring);
	samples->flush_state = p->ring.state;
	samples->lost = p->ring.lost + p->ring.procs.other_victim + p->ring.procs.other_initiator;
	if (!p->scanned_ns || now_ns - p->scanned_ns >= SELDOM_NS) {
		rc = find_large(p);
		p->scanned_ns = now_ns;
	}
	for (size_t i = 0; i < p->nr_large && !rc; i++)
		rc = add_process(p, samples, p->large[i].pid, p->large[i].start, &one);
	if (!rc)
		rc = add_flushers(p, samples);
	if (!rc)
		rc = add_memories(p, samples, now_ns);
	return rc;
}
