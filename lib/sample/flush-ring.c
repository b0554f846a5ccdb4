/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/flush-ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/compiler.h"
#include "lib/sample/flush.h"
#include "lib/sample/perf-trace.h"

#define MOST_OF_ONE ((size_t)512 << 10)
#define MOST_OF_ALL ((size_t)64 << 20)

enum { VICTIM, INITIATOR, NR_SIDES };

struct tm_flush_ring_cpu {
	int cpu;
	int fds[NR_SIDES];
	uint64_t ids[NR_SIDES]; /* by which records are told apart */
	void *memory;
	size_t size; /* of the mapping: a page that describes it, then the buffer */
};

int tm_flush_ring_open(struct tm_flush_ring *ring, const struct tm_root *root,
		       const struct tm_perf_io *io, void *io_context)
{
	struct tm_tracepoint tracepoint = { 0 };
	struct tm_flush_ring r = {
		.root = root,
		.io = io,
		.io_context = io_context,
		.page_size = (size_t)sysconf(_SC_PAGESIZE),
		.fd = -1,
	};

	if (!root->live && io == &tm_perf_io_system) {
		tm_error_set(&r.error, EOPNOTSUPP, "flushes are recorded on the live machine only");
		r.state = TM_UNSUPPORTED;
	} else {
		r.state = tm_tracepoint_find(root, "tlb", "tlb_flush", &tracepoint, &r.error);
	}
	r.id = tracepoint.id;
	tm_tracepoint_release(&tracepoint);
	if (tm_flush_procs_init(&r.procs))
		return -ENOMEM;
	/* Without it the buffers are merely looked at when the caller thinks so. */
	if (r.state == TM_KNOWN)
		r.fd = epoll_create1(EPOLL_CLOEXEC);
	*ring = r;
	return 0;
}

static void close_cpu(struct tm_flush_ring *ring, struct tm_flush_ring_cpu *cpu)
{
	if (cpu->memory)
		ring->io->unmap(ring->io_context, cpu->memory, cpu->size);
	for (int side = NR_SIDES; side--;)
		if (cpu->fds[side] >= 0)
			ring->io->close(ring->io_context, cpu->fds[side]);
}

static void close_cpus(struct tm_flush_ring *ring)
{
	for (size_t i = 0; i < ring->nr_cpus; i++)
		close_cpu(ring, &ring->cpus[i]);
	ring->nr_cpus = 0;
}

void tm_flush_ring_close(struct tm_flush_ring *ring)
{
	close_cpus(ring);
	free(ring->cpus);
	tm_flush_procs_release(&ring->procs);
	tm_idset_release(&ring->following);
	if (ring->fd >= 0)
		close(ring->fd);
	*ring = (struct tm_flush_ring){ .fd = -1 };
}

/* One of the two events of a CPU. A fd or -errno. */
static int open_side(struct tm_flush_ring *ring, struct tm_flush_ring_cpu *cpu, int side,
		     size_t bytes)
{
	static const char *const filters[NR_SIDES] = { "reason == 1 && pages != 0",
						       "reason == 4 && pages != 0" };
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = ring->id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID,
		.disabled = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(bytes / 2),
	};
	int fd = ring->io->open(ring->io_context, &attr, -1, cpu->cpu, -1);
	int rc;

	if (fd < 0)
		return fd;
	cpu->fds[side] = fd;
	rc = ring->io->control(ring->io_context, fd, PERF_EVENT_IOC_SET_FILTER,
			       (void *)filters[side]);
	if (!rc)
		rc = ring->io->control(ring->io_context, fd, PERF_EVENT_IOC_ID, &cpu->ids[side]);
	return rc;
}

/* The largest buffer that the kernel allows: it may be less than what is wanted. */
static int map_buffer(struct tm_flush_ring *ring, struct tm_flush_ring_cpu *cpu, size_t bytes)
{
	int rc;

	do {
		cpu->size = ring->page_size + bytes;
		rc = ring->io->map(ring->io_context, cpu->fds[VICTIM], cpu->size, &cpu->memory);
		bytes /= 2;
	} while ((rc == -EPERM || rc == -ENOMEM) && bytes >= ring->page_size);
	return rc;
}

static int open_cpu(struct tm_flush_ring *ring, struct tm_flush_ring_cpu *cpu)
{
	int rc = 0;

	for (int side = 0; side < NR_SIDES && !rc; side++)
		rc = open_side(ring, cpu, side, ring->most);
	if (!rc)
		rc = map_buffer(ring, cpu, ring->most);
	/* Both write into one buffer. */
	if (!rc)
		rc = ring->io->control(ring->io_context, cpu->fds[INITIATOR],
				       PERF_EVENT_IOC_SET_OUTPUT,
				       (void *)(uintptr_t)cpu->fds[VICTIM]);
	for (int side = 0; side < NR_SIDES && !rc; side++)
		rc = ring->io->control(ring->io_context, cpu->fds[side], PERF_EVENT_IOC_ENABLE,
				       NULL);
	if (rc) {
		close_cpu(ring, cpu);
		return rc;
	}
	if (ring->fd >= 0) {
		struct epoll_event event = { .events = EPOLLIN };

		epoll_ctl(ring->fd, EPOLL_CTL_ADD, cpu->fds[VICTIM], &event);
	}
	return 0;
}

static void choose_size(struct tm_flush_ring *ring, const struct tm_idset *online)
{
	size_t nr = tm_idset_count(online);

	ring->most = MOST_OF_ONE;
	while (ring->most > ring->page_size && ring->most * nr > MOST_OF_ALL)
		ring->most /= 2;
}

static bool is_open(const struct tm_flush_ring *ring, long cpu)
{
	for (size_t i = 0; i < ring->nr_cpus; i++)
		if (ring->cpus[i].cpu == cpu)
			return true;
	return false;
}

static void drain_cpu(struct tm_flush_ring *ring, struct tm_flush_ring_cpu *cpu);

int tm_flush_ring_follow(struct tm_flush_ring *ring, const struct tm_idset *online)
{
	if (ring->state != TM_KNOWN || tm_idset_equal(&ring->following, online))
		return 0;
	/* What it is only when all of them are open. */
	tm_idset_release(&ring->following);
	for (size_t i = ring->nr_cpus; i--;) {
		if (tm_idset_has(online, ring->cpus[i].cpu))
			continue;
		drain_cpu(ring, &ring->cpus[i]);
		close_cpu(ring, &ring->cpus[i]);
		ring->cpus[i] = ring->cpus[--ring->nr_cpus];
	}
	choose_size(ring, online);
	tm_idset_for_each(id, online) {
		struct tm_flush_ring_cpu cpu = { .cpu = (int)id, .fds = { -1, -1 } };
		int rc;

		if (is_open(ring, id))
			continue;
		if (tm_array_grow(&ring->cpus, ring->nr_cpus, &ring->cap_cpus, sizeof(cpu)))
			return -ENOMEM;
		rc = open_cpu(ring, &cpu);
		if (!rc) {
			ring->cpus[ring->nr_cpus++] = cpu;
		} else if (rc != -ENODEV) { /* which says that it went offline meanwhile */
			tm_error_set(&ring->error, -rc, "recording flushes on CPU %ld: %s", id,
				     tm_perf_explain(-rc));
			if (tm_perf_hint(-rc))
				tm_error_hint(&ring->error, "%s", tm_perf_hint(-rc));
			ring->state = tm_perf_state(-rc);
			close_cpus(ring);
			return 0;
		}
	}
	return ring->nr_cpus == tm_idset_count(online) ? tm_idset_copy(&ring->following, online) :
							 0;
}

/* A word of the buffer; records are aligned to words, and may wrap between two of them. */
static uint64_t word(const char *data, uint64_t mask, uint64_t at)
{
	uint64_t value;

	memcpy(&value, data + (at & mask), sizeof(value));
	return value;
}

/* What the kernel calls a sample: which event, and who. */
static void take_sample(struct tm_flush_ring *ring, const struct tm_flush_ring_cpu *cpu,
			uint64_t id, uint64_t who)
{
	uint32_t ids[2]; /* process, thread */

	memcpy(ids, &who, sizeof(ids));
	if (id != cpu->ids[VICTIM] && id != cpu->ids[INITIATOR]) {
		ring->broken++;
		return;
	}
	ring->records++;
	tm_flush_procs_add(&ring->procs, (pid_t)ids[0], id == cpu->ids[VICTIM]);
}

static void drain_cpu(struct tm_flush_ring *ring, struct tm_flush_ring_cpu *cpu)
{
	struct perf_event_mmap_page *page = cpu->memory;
	const char *data = (const char *)cpu->memory + ring->page_size;
	uint64_t size = cpu->size - ring->page_size;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;

	/* perf_event_open(2), "MMAP layout": head and tail only rise; their rest is the place. */
	while (tail != head) {
		struct perf_event_header header;
		uint64_t first = word(data, size - 1, tail);

		memcpy(&header, &first, sizeof(header));
		if (head - tail > size || header.size < sizeof(header) || header.size % 8 ||
		    header.size > head - tail) {
			ring->broken++;
			break;
		}
		if (header.type == PERF_RECORD_SAMPLE && header.size >= 3 * 8)
			take_sample(ring, cpu, word(data, size - 1, tail + 8),
				    word(data, size - 1, tail + 16));
		else if (header.type == PERF_RECORD_LOST && header.size >= 3 * 8)
			ring->lost += word(data, size - 1, tail + 16);
		tail += header.size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}

void tm_flush_ring_drain(struct tm_flush_ring *ring)
{
	for (size_t i = 0; i < ring->nr_cpus; i++)
		drain_cpu(ring, &ring->cpus[i]);
}

void tm_flush_ring_read(struct tm_flush_ring *ring)
{
	tm_flush_ring_drain(ring);
	tm_flush_procs_settle(&ring->procs, ring->root);
}
