/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/bench/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/units.h"

#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif

const char *tm_bench_page_name(unsigned page)
{
	static const char *const names[TM_BENCH_PAGES] = { "usual", "base", "thp", "hugetlb" };

	return page < TM_BENCH_PAGES ? names[page] : NULL;
}

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static int map(struct tm_bench_memory *memory, uint64_t alignment, int flags)
{
	/* With room to begin at a multiple of what the kernel does not align by itself. */
	uint64_t room = flags & MAP_HUGETLB ? 0 : alignment;
	char *start;

	memory->mapping_bytes = memory->bytes + room;
	start = mmap(NULL, memory->mapping_bytes, PROT_READ | PROT_WRITE,
		     (memory->want.shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | flags, -1,
		     0);
	if (start == MAP_FAILED)
		return -errno;
	memory->mapping = start;
	memory->address = room ? (char *)round_up((uintptr_t)start, alignment) : start;
	return 0;
}

/* What the mapping is not given by mmap. */
static int advise(const struct tm_bench_memory *memory)
{
	int rc = 0;

	if (memory->want.page == TM_BENCH_PAGE_BASE)
		rc = madvise(memory->address, memory->bytes, MADV_NOHUGEPAGE) ? -errno : 0;
	/* A kernel without huge pages gives base pages anyway. */
	if (rc == -EINVAL)
		rc = 0;
	if (memory->want.page == TM_BENCH_PAGE_THP &&
	    madvise(memory->address, memory->bytes, MADV_HUGEPAGE))
		rc = -errno;
	return rc;
}

static int explain(const struct tm_bench_memory *memory, int rc, struct tm_error *err)
{
	char size[TM_UNITS_MAX], page[TM_UNITS_MAX];
	const struct tm_bench_want *want = &memory->want;

	tm_format_bytes(size, memory->bytes);
	if (want->page == TM_BENCH_PAGE_HUGETLB) {
		tm_format_bytes(page, want->page_bytes);
		if (rc == -EINVAL || rc == -ENOENT)
			return tm_error_set(err, EINVAL, "there are no huge pages of %s here",
					    page);
		tm_error_errno(err, -rc, "%s in huge pages of %s", size, page);
		if (rc == -ENOMEM)
			tm_error_hint(err, "the pool has not enough free pages");
		return rc;
	}
	if (want->page == TM_BENCH_PAGE_THP && rc == -EINVAL)
		return tm_error_set(err, EINVAL, "this kernel has no transparent huge pages");
	return tm_error_errno(err, -rc, "%s of memory", size);
}

static int set_policy(const struct tm_bench_memory *memory, const struct tm_numa *numa,
		      struct tm_error *err)
{
	const struct tm_bench_want *want = &memory->want;
	TM_CLEANUP(tm_freep) char *list = NULL;
	int rc;

	if (want->policy == TM_POLICY_DEFAULT)
		return 0;
	rc = tm_numa_set_range(numa, memory->address, memory->bytes, want->policy, want->nodes);
	if (!rc)
		return 0;
	list = want->nodes ? tm_idset_format(want->nodes) : NULL;
	return tm_error_errno(err, -rc, "policy %s%s%s", tm_policy_name(want->policy),
			      list ? " on nodes " : "", list ? list : "");
}

/* The unit in which it is mapped, and the flags for mmap. */
static uint64_t choose_unit(const struct tm_bench_want *want, int *flags)
{
	uint64_t pmd = want->page == TM_BENCH_PAGE_THP ? tm_bench_pmd_bytes() : 0;

	*flags = 0;
	if (want->page == TM_BENCH_PAGE_HUGETLB) {
		*flags = MAP_HUGETLB |
			 (int)((unsigned)__builtin_ctzll(want->page_bytes) << MAP_HUGE_SHIFT);
		return want->page_bytes;
	}
	return pmd ? pmd : (uint64_t)sysconf(_SC_PAGESIZE);
}

int tm_bench_memory_map(struct tm_bench_memory *memory, const struct tm_bench_want *want,
			const struct tm_numa *numa, struct tm_error *err)
{
	uint64_t unit;
	int flags, rc;

	*memory = (struct tm_bench_memory){ .want = *want };
	if (!want->bytes || (want->page == TM_BENCH_PAGE_HUGETLB &&
			     (!want->page_bytes || want->page_bytes & (want->page_bytes - 1))))
		return tm_error_set(err, EINVAL, "no memory of this size");
	unit = choose_unit(want, &flags);
	memory->bytes = round_up(want->bytes, unit);
	rc = map(memory, unit, flags);
	if (!rc)
		rc = advise(memory);
	if (rc)
		explain(memory, rc, err);
	else
		rc = set_policy(memory, numa, err);
	if (rc)
		tm_bench_memory_unmap(memory);
	return rc;
}

void tm_bench_memory_unmap(struct tm_bench_memory *memory)
{
	if (memory->mapping)
		munmap(memory->mapping, memory->mapping_bytes);
	*memory = (struct tm_bench_memory){ .bytes = 0 };
}

void tm_bench_touch(void *start, size_t bytes, size_t step, bool write)
{
	volatile char *p = start;

	for (size_t i = 0; i < bytes; i += step)
		if (write)
			p[i] = 0;
		else
			(void)p[i];
}
