/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/bench/cow.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A word of the pattern every so many bytes: no part of a page could be left out of a copy. */
#define STRIDE 64

/* The word beside the first one of the pattern is what threads write to. */
#define OLD 0x0123456789abcdefULL
#define NEW 0xfedcba9876543210ULL

const char *tm_bench_cow_kind_name(unsigned kind)
{
	static const char *const names[TM_BENCH_COW_KINDS] = { "fork", "private" };

	return kind < TM_BENCH_COW_KINDS ? names[kind] : NULL;
}

/* Differs from page to page, from word to word, and from pass to pass. */
static uint64_t pattern(size_t page, size_t offset, uint64_t pass)
{
	return ((uint64_t)page << 20 ^ offset ^ pass << 52) * 0x9e3779b97f4a7c15ULL;
}

static uint64_t *word_at(char *start, size_t offset)
{
	return (uint64_t *)(void *)(start + offset);
}

static void fill(const struct tm_bench_cow *cow, char *start)
{
	for (size_t page = 0; page < cow->pages; page++, start += cow->page) {
		for (size_t offset = 0; offset < cow->page; offset += STRIDE)
			*word_at(start, offset) = pattern(page, offset, cow->pass);
		word_at(start, 0)[1] = OLD;
	}
}

/* The first page that does not hold the pattern and the word; cow->pages: all do. */
static size_t check(const struct tm_bench_cow *cow, char *start, uint64_t word)
{
	for (size_t page = 0; page < cow->pages; page++, start += cow->page) {
		for (size_t offset = 0; offset < cow->page; offset += STRIDE)
			if (*word_at(start, offset) != pattern(page, offset, cow->pass))
				return page;
		if (word_at(start, 0)[1] != word)
			return page;
	}
	return cow->pages;
}

/*
 * The child: does nothing until it is told, then tells whether its pages are as they were. Other
 * threads are gone in it, so that it must not take any lock.
 */
static void hold(const struct tm_bench_cow *cow, int told, int answer)
{
	char intact;
	ssize_t n;

	do
		n = read(told, &intact, 1);
	while (n > 0 || (n < 0 && errno == EINTR));
	intact = check(cow, cow->start, OLD) == cow->pages;
	n = write(answer, &intact, 1);
	_exit(n == 1 ? 0 : 1);
}

static void close_pair(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

static int start_holder(struct tm_bench_cow *cow, struct tm_error *err)
{
	pid_t parent = getpid();
	int told[2], answer[2];

	if (pipe2(told, O_CLOEXEC))
		return tm_error_errno(err, errno, "pipe");
	if (pipe2(answer, O_CLOEXEC)) {
		int number = errno;

		close_pair(told);
		return tm_error_errno(err, number, "pipe");
	}
	cow->holder = fork();
	if (!cow->holder) {
		close(told[1]);
		close(answer[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		hold(cow, told[0], answer[1]);
	}
	if (cow->holder < 0) {
		int number = errno;

		cow->holder = 0;
		close_pair(told);
		close_pair(answer);
		return tm_error_errno(err, number, "a process to share pages with");
	}
	close(told[0]);
	close(answer[1]);
	cow->holder_told = told[1];
	cow->holder_answer = answer[0];
	return 0;
}

/* Lets it look at its pages, and waits for it. */
static int end_holder(struct tm_bench_cow *cow, struct tm_error *err)
{
	char intact = 0;
	ssize_t n;

	close(cow->holder_told);
	do
		n = read(cow->holder_answer, &intact, 1);
	while (n < 0 && errno == EINTR);
	close(cow->holder_answer);
	while (waitpid(cow->holder, NULL, 0) < 0 && errno == EINTR)
		;
	cow->holder = 0;
	if (n != 1)
		return tm_error_set(err, ECHILD, "the process that shares the pages was ended");
	if (!intact)
		return tm_error_set(err, EIO, "a page was changed in the process that shares it");
	return 0;
}

/* Once for all passes; the copies of the pass before are dropped. */
static int share_file(struct tm_bench_cow *cow, struct tm_error *err)
{
	size_t bytes = cow->pages * cow->page;

	if (madvise(cow->start, bytes, MADV_DONTNEED))
		return tm_error_errno(err, errno, "dropping copies");
	tm_bench_touch(cow->start, bytes, cow->page, false);
	return 0;
}

static int share(struct tm_bench_cow *cow, struct tm_error *err)
{
	if (cow->want.kind == TM_BENCH_COW_PRIVATE)
		return share_file(cow, err);
	cow->pass++;
	fill(cow, cow->start);
	return start_holder(cow, err);
}

/* Both sides. A holder that still answers has shared the pages all the time. */
static int compare(struct tm_bench_cow *cow, struct tm_error *err)
{
	size_t page = check(cow, cow->start, NEW);

	if (page < cow->pages)
		return tm_error_set(err, EIO, "page %zu: the copy does not hold what was copied",
				    page);
	if (cow->want.kind == TM_BENCH_COW_FORK)
		return end_holder(cow, err);
	if (check(cow, cow->original, OLD) < cow->pages)
		return tm_error_set(err, EIO, "a page of the file was changed, and not copied");
	return 0;
}

static void write_slice(struct tm_bench_thread *thread)
{
	struct tm_bench_cow *cow = thread->context;
	size_t first = cow->pages * thread->index / cow->want.threads;
	size_t end = cow->pages * (thread->index + 1) / cow->want.threads;
	uint64_t before = tm_bench_faults_now();

	for (size_t i = first; i < end; i++)
		word_at(cow->start, cow->order[i] * cow->page)[1] = NEW;
	cow->faults[thread->index] = tm_bench_faults_now() - before;
	thread->amount = end - first;
}

/* Every page once, in an order that is the same in every run. */
static int make_order(struct tm_bench_cow *cow, struct tm_error *err)
{
	uint64_t state = 1;

	cow->order = calloc(cow->pages, sizeof(*cow->order));
	cow->faults = calloc(cow->want.threads, sizeof(*cow->faults));
	if (!cow->order || !cow->faults)
		return tm_error_nomem(err);
	for (size_t i = 0; i < cow->pages; i++) {
		size_t other = tm_bench_random(&state) % (i + 1);

		cow->order[i] = cow->order[other];
		cow->order[other] = (uint32_t)i;
	}
	return 0;
}

static char *map(size_t bytes, int protection, int flags, int fd)
{
	char *start = mmap(NULL, bytes, protection, flags, fd, 0);

	if (start == MAP_FAILED)
		return NULL;
	/* Copied are base pages, even of huge ones, but these would have to be split before. */
	(void)madvise(start, bytes, MADV_NOHUGEPAGE);
	return start;
}

static int map_file(struct tm_bench_cow *cow, size_t bytes)
{
	int fd = memfd_create("tiermem-bench", MFD_CLOEXEC), rc = 0;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)bytes))
		rc = -errno;
	if (!rc) {
		cow->original = map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
		rc = cow->original ? 0 : -errno;
	}
	if (!rc) {
		fill(cow, cow->original);
		cow->start = map(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
		rc = cow->start ? 0 : -errno;
	}
	close(fd);
	return rc;
}

static int map_memory(struct tm_bench_cow *cow, struct tm_error *err)
{
	size_t bytes = cow->pages * cow->page;
	int rc = 0;

	if (cow->want.kind == TM_BENCH_COW_PRIVATE) {
		rc = map_file(cow, bytes);
	} else {
		cow->start = map(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
		rc = cow->start ? 0 : -errno;
	}
	return rc ? tm_error_errno(err, -rc, "mapping %zu bytes", bytes) : 0;
}

int tm_bench_cow_start(struct tm_bench_cow *cow, const struct tm_bench_cow_want *want,
		       struct tm_error *err)
{
	int rc;

	*cow = (struct tm_bench_cow){ .want = *want, .page = (size_t)sysconf(_SC_PAGESIZE) };
	cow->pages = (want->bytes + cow->page - 1) / cow->page;
	if (!cow->pages || !want->threads || cow->pages > UINT32_MAX)
		return tm_error_set(err, EINVAL, "no memory of this size");
	rc = make_order(cow, err);
	if (!rc)
		rc = map_memory(cow, err);
	if (!rc)
		rc = tm_bench_team_start(&cow->team, want->threads, want->cpus, cow, err);
	if (rc)
		tm_bench_cow_end(cow);
	return rc;
}

void tm_bench_cow_end(struct tm_bench_cow *cow)
{
	if (cow->holder)
		(void)end_holder(cow, NULL);
	tm_bench_team_end(&cow->team);
	if (cow->start)
		munmap(cow->start, cow->pages * cow->page);
	if (cow->original)
		munmap(cow->original, cow->pages * cow->page);
	free(cow->order);
	free(cow->faults);
	*cow = (struct tm_bench_cow){ .start = NULL };
}

int tm_bench_cow_pass(struct tm_bench_cow *cow, struct tm_bench_faults *sum, struct tm_error *err)
{
	struct tm_bench_outcome outcome;
	uint64_t faults = 0;
	int rc = share(cow, err);

	if (rc)
		return rc;
	rc = tm_bench_team_run(&cow->team, write_slice, 0, &outcome);
	if (rc)
		return tm_error_errno(err, -rc, "writing to pages");
	rc = compare(cow, err);
	if (rc)
		return rc;
	for (unsigned i = 0; i < cow->want.threads; i++)
		faults += cow->faults[i];
	tm_bench_faults_add(sum, &outcome, faults);
	return 0;
}
