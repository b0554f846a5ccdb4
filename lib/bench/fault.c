/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/bench/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

const char *tm_bench_fault_kind_name(unsigned kind)
{
	static const char *const names[TM_BENCH_FAULT_KINDS] = { "private", "shared", "memfd",
								 "tmpfs" };

	return kind < TM_BENCH_FAULT_KINDS ? names[kind] : NULL;
}

uint64_t tm_bench_faults_now(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return 0;
	return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

void tm_bench_faults_add(struct tm_bench_faults *sum, const struct tm_bench_outcome *outcome,
			 uint64_t faults)
{
	sum->on_cpu = sum->passes ? TM_MIN(sum->on_cpu, outcome->on_cpu) : outcome->on_cpu;
	sum->passes++;
	sum->pages += outcome->amount;
	sum->faults += faults;
	sum->elapsed_ns += outcome->elapsed_ns;
	sum->cpu_ns += outcome->cpu_ns;
	sum->user_ns += outcome->user_ns;
	sum->system_ns += outcome->system_ns;
}

int tm_bench_tmpfs_free(const char *folder, uint64_t *bytes, struct tm_error *err)
{
	struct statfs fs;

	if (statfs(folder, &fs))
		return tm_error_errno(err, errno, "%s", folder);
	if (fs.f_type != TMPFS_MAGIC)
		return tm_error_set(err, ENOTSUP, "%s: is not on a tmpfs", folder);
	*bytes = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
	/* Mounted without a limit: memory is the limit. */
	if (!fs.f_blocks)
		*bytes = UINT64_MAX;
	return 0;
}

static size_t unit_of(const struct tm_bench_fault_want *want)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return TM_MAX(want->unit, page);
}

static size_t part_of(const struct tm_bench_fault_want *want)
{
	size_t unit = unit_of(want), least = (want->bytes + want->threads - 1) / want->threads;

	return (least + unit - 1) / unit * unit;
}

size_t tm_bench_fault_bytes(const struct tm_bench_fault_want *want)
{
	return part_of(want) * want->threads;
}

static void drop(struct tm_bench_fault *fault)
{
	if (fault->reserved)
		munmap(fault->reserved, fault->reserved_bytes);
	fault->reserved = NULL;
	fault->start = NULL;
}

static int open_file(const struct tm_bench_fault_want *want, size_t bytes, struct tm_error *err)
{
	int fd = want->kind == TM_BENCH_FAULT_MEMFD ?
			 memfd_create("tiermem-bench", MFD_CLOEXEC) :
			 open(want->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	const char *name = want->kind == TM_BENCH_FAULT_MEMFD ? "memfd" : want->folder;
	int rc = 0;

	if (fd < 0)
		return tm_error_errno(err, errno, "%s: a file to touch", name);
	if (ftruncate(fd, (off_t)bytes))
		rc = tm_error_errno(err, errno, "%s: a file of %zu bytes", name, bytes);
	if (rc)
		close(fd);
	return rc ? rc : fd;
}

/* One mapping in place of what is reserved there. */
static int map_at(const struct tm_bench_fault_want *want, char *at, size_t bytes,
		  struct tm_error *err)
{
	int flags = MAP_FIXED | MAP_ANONYMOUS, fd = -1, rc = 0;

	flags |= want->kind == TM_BENCH_FAULT_PRIVATE ? MAP_PRIVATE : MAP_SHARED;
	if (want->kind == TM_BENCH_FAULT_MEMFD || want->kind == TM_BENCH_FAULT_TMPFS) {
		flags = MAP_FIXED | MAP_SHARED;
		fd = open_file(want, bytes, err);
		if (fd < 0)
			return fd;
	}
	if (mmap(at, bytes, PROT_READ | PROT_WRITE, flags, fd, 0) == MAP_FAILED)
		rc = tm_error_errno(err, errno, "mapping %zu bytes", bytes);
	if (fd >= 0)
		close(fd);
	/* A kernel without huge pages does not know the word, and gives none. */
	if (!rc && want->base && madvise(at, bytes, MADV_NOHUGEPAGE) && errno != EINVAL)
		rc = tm_error_errno(err, errno, "memory without huge pages");
	return rc;
}

/*
 * All parts, one beside the other. What is reserved first makes them begin at a multiple of the
 * unit, files and shared memory too, of which the offset must agree with the address.
 */
static int map_all(struct tm_bench_fault *fault, struct tm_error *err)
{
	const struct tm_bench_fault_want *want = &fault->want;
	size_t unit = unit_of(want), step = want->one_mapping ? fault->bytes : fault->part;
	uintptr_t start;
	int rc = 0;

	fault->reserved_bytes = fault->bytes + unit;
	fault->reserved = mmap(NULL, fault->reserved_bytes, PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (fault->reserved == MAP_FAILED) {
		fault->reserved = NULL;
		return tm_error_errno(err, errno, "address space for %zu bytes", fault->bytes);
	}
	start = (uintptr_t)fault->reserved;
	fault->start = (char *)fault->reserved + (unit - start % unit) % unit;
	for (size_t at = 0; at < fault->bytes && !rc; at += step) {
		rc = map_at(want, fault->start + at, step, err);
		/* Two that are alike in everything, and adjacent, would become one mapping. */
		if (!rc && at / step % 2)
			(void)madvise(fault->start + at, step, MADV_DONTDUMP);
	}
	if (rc)
		drop(fault);
	return rc;
}

/* Nothing but the write and the step: what is measured is the fault. */
static void touch(volatile char *at, const char *end, size_t page)
{
	for (; at != end; at += page)
		*at = 1;
}

static void touch_part(struct tm_bench_thread *thread)
{
	struct tm_bench_fault *fault = thread->context;
	char *start = fault->start + thread->index * fault->part;
	uint64_t before = tm_bench_faults_now();

	touch(start, start + fault->part, fault->page);
	fault->faults[thread->index] = tm_bench_faults_now() - before;
	thread->amount = fault->part / fault->page;
}

int tm_bench_fault_start(struct tm_bench_fault *fault, const struct tm_bench_fault_want *want,
			 struct tm_error *err)
{
	int rc;

	*fault = (struct tm_bench_fault){ .want = *want };
	if (!want->threads || !want->bytes || unit_of(want) & (unit_of(want) - 1))
		return tm_error_set(err, EINVAL, "nothing to touch");
	fault->page = (size_t)sysconf(_SC_PAGESIZE);
	fault->part = part_of(want);
	fault->bytes = tm_bench_fault_bytes(want);
	fault->faults = calloc(want->threads, sizeof(*fault->faults));
	if (!fault->faults)
		return tm_error_nomem(err);
	rc = tm_bench_team_start(&fault->team, want->threads, want->cpus, fault, err);
	if (rc)
		tm_bench_fault_end(fault);
	return rc;
}

void tm_bench_fault_end(struct tm_bench_fault *fault)
{
	tm_bench_team_end(&fault->team);
	drop(fault);
	free(fault->faults);
	fault->faults = NULL;
}

int tm_bench_fault_pass(struct tm_bench_fault *fault, struct tm_bench_faults *sum,
			struct tm_error *err)
{
	struct tm_bench_outcome outcome;
	uint64_t faults = 0;
	int rc;

	drop(fault);
	rc = map_all(fault, err);
	if (rc)
		return rc;
	rc = tm_bench_team_run(&fault->team, touch_part, 0, &outcome);
	if (rc)
		return tm_error_errno(err, -rc, "touching memory");
	for (unsigned i = 0; i < fault->want.threads; i++)
		faults += fault->faults[i];
	tm_bench_faults_add(sum, &outcome, faults);
	return 0;
}
