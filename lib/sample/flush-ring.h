/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * TLB flushes by process: who is interrupted (reason remote_shootdown) and who asks for it
 * (remote_send_ipi). Each such flush is a record of 24 bytes in a ring buffer of its CPU, so open
 * this only while someone looks; tm_flush is for counting. Records that found no place are counted
 * as lost, and which processes they were of is not known.
 */
#ifndef TM_SAMPLE_FLUSH_RING_H
#define TM_SAMPLE_FLUSH_RING_H

#include "lib/base/error.h"
#include "lib/base/idset.h"
#include "lib/sample/flush-procs.h"
#include "lib/sample/perf.h"

struct tm_flush_ring_cpu;

struct tm_flush_ring {
	enum tm_state state; /* TM_KNOWN; else there are no counts, and `error` says why */
	struct tm_error error;
	struct tm_flush_procs procs;
	uint64_t records; /* that were read */
	uint64_t lost;	  /* that were not: as far as the kernel has said yet */
	uint64_t broken;  /* times that a buffer did not hold what it should */
	int fd;		  /* to poll(2) for POLLIN: a buffer is half full; -1: there is none */

	const struct tm_root *root;  /* borrowed */
	const struct tm_perf_io *io; /* borrowed */
	void *io_context;
	uint64_t id;			/* of the tracepoint */
	size_t page_size, most;		/* bytes; of one buffer, at most */
	struct tm_flush_ring_cpu *cpus; /* in no order */
	size_t nr_cpus, cap_cpus;
	struct tm_idset following; /* the CPUs of the last call, where all could be opened */
};

/*
 * Gets ready; tm_flush_ring_follow() begins. What cannot be recorded says so in `state`. The
 * arguments as for tm_flush_open(). 0 or -ENOMEM.
 */
int tm_flush_ring_open(struct tm_flush_ring *ring, const struct tm_root *root,
		       const struct tm_perf_io *io, void *io_context);
void tm_flush_ring_close(struct tm_flush_ring *ring);

/*
 * The CPUs that are online now. Their buffers are at most 512 KiB each and 64 MiB together. A CPU
 * that cannot be recorded makes `state` that of its reason, and nothing is recorded any more. 0 or
 * -ENOMEM.
 */
int tm_flush_ring_follow(struct tm_flush_ring *ring, const struct tm_idset *online);

/* Empties the buffers; at any time, when `fd` is readable. */
void tm_flush_ring_drain(struct tm_flush_ring *ring);

/* Empties them and brings `procs` up to date. */
void tm_flush_ring_read(struct tm_flush_ring *ring);

#endif
