/* SPDX-License-Identifier: GPL-2.0-only */
/* First touch. What is judged is what was done, never how fast. */
#include "tests/unit/tree.h"

#include <sys/mman.h>
#include <sys/vfs.h>

#include "lib/bench/fault.h"

#define KIB ((size_t)1024)
#define TMPFS 0x01021994

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static const char *a_tmpfs(void)
{
	struct statfs fs;

	return !statfs("/dev/shm", &fs) && (long)fs.f_type == TMPFS &&
			       fs.f_bavail * (unsigned long)fs.f_bsize > (1 << 20) &&
			       !access("/dev/shm", W_OK) ?
		       "/dev/shm" :
		       NULL;
}

/* Every page was written to, and the rest of it is as the kernel gives it. */
static void expect_touched(const struct tm_bench_fault *fault)
{
	unsigned char *there = calloc(fault->bytes / fault->page, 1);

	assert_non_null(there);
	assert_int_equal(mincore(fault->start, fault->bytes, there), 0);
	for (size_t i = 0; i < fault->bytes / fault->page; i++) {
		assert_int_equal(fault->start[i * fault->page], 1);
		assert_int_equal(fault->start[i * fault->page + 1], 0);
		assert_int_equal(fault->start[i * fault->page + fault->page - 1], 0);
	}
	free(there);
}

static void try_kind(enum tm_bench_fault_kind kind, unsigned threads, bool one_mapping)
{
	const struct tm_bench_fault_want want = {
		.kind = kind,
		.bytes = 512 * KIB,
		.base = true,
		.one_mapping = one_mapping,
		.folder = a_tmpfs(),
		.threads = threads,
	};
	struct tm_bench_faults sum = { .passes = 0 };
	struct tm_error err = { 0 };
	struct tm_bench_fault fault;
	uint64_t pages;

	if (kind == TM_BENCH_FAULT_TMPFS && !want.folder)
		return;
	assert_int_equal(tm_bench_fault_start(&fault, &want, &err), 0);
	pages = fault.bytes / page_size();
	assert_true(fault.bytes >= want.bytes);
	assert_int_equal(fault.bytes, tm_bench_fault_bytes(&want));
	assert_int_equal(fault.bytes, fault.part * threads);
	for (unsigned pass = 1; pass <= 3; pass++) {
		assert_int_equal(tm_bench_fault_pass(&fault, &sum, &err), 0);
		assert_int_equal(sum.passes, pass);
		assert_int_equal(sum.pages, pass * pages);
		expect_touched(&fault);
	}
	assert_true(sum.elapsed_ns > 0);
	assert_true(sum.on_cpu > 0);
	tm_bench_fault_end(&fault);
	tm_bench_fault_end(&fault);
}

static void test_kinds(void **state)
{
	(void)state;
	for (int kind = 0; kind < TM_BENCH_FAULT_KINDS; kind++) {
		try_kind((enum tm_bench_fault_kind)kind, 1, false);
		try_kind((enum tm_bench_fault_kind)kind, 3, false);
		try_kind((enum tm_bench_fault_kind)kind, 3, true);
	}
}

/* Counts the mappings that smaps has between two addresses. */
static unsigned count_mappings(const char *start, size_t bytes)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 256];
	unsigned nr = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		unsigned long from, to;

		if (sscanf(line, "%lx-%lx ", &from, &to) == 2 && from < (uintptr_t)start + bytes &&
		    to > (uintptr_t)start)
			nr++;
	}
	fclose(file);
	return nr;
}

/* An emulator may forget what it was advised, and show two that are alike as one. */
static bool tells_apart(void)
{
	size_t page = page_size();
	char *start = mmap(NULL, 2 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned nr;

	assert_ptr_not_equal(start, MAP_FAILED);
	assert_int_equal(madvise(start, page, MADV_DONTDUMP), 0);
	nr = count_mappings(start, 2 * page);
	munmap(start, 2 * page);
	return nr == 2;
}

static void test_mappings(void **state)
{
	bool apart = tells_apart();
	struct tm_bench_fault_want want = { .bytes = 256 * KIB, .threads = 4 };
	struct tm_bench_faults sum = { .passes = 0 };
	struct tm_error err = { 0 };
	struct tm_bench_fault fault;

	(void)state;
	for (int i = 0; i < 4; i++) {
		want.kind = i & 1 ? TM_BENCH_FAULT_MEMFD : TM_BENCH_FAULT_PRIVATE;
		want.one_mapping = i & 2;
		assert_int_equal(tm_bench_fault_start(&fault, &want, &err), 0);
		assert_int_equal(tm_bench_fault_pass(&fault, &sum, &err), 0);
		if (apart || want.one_mapping)
			assert_int_equal(count_mappings(fault.start, fault.bytes),
					 want.one_mapping ? 1 : 4);
		tm_bench_fault_end(&fault);
	}
}

static void test_unit(void **state)
{
	struct tm_bench_fault_want want = {
		.kind = TM_BENCH_FAULT_SHARED, .bytes = 65 * KIB, .unit = 64 * KIB, .threads = 2
	};
	struct tm_bench_faults sum = { .passes = 0 };
	struct tm_error err = { 0 };
	struct tm_bench_fault fault;

	(void)state;
	assert_int_equal(tm_bench_fault_bytes(&want), 128 * KIB);
	assert_int_equal(tm_bench_fault_start(&fault, &want, &err), 0);
	assert_int_equal(tm_bench_fault_pass(&fault, &sum, &err), 0);
	assert_int_equal((uintptr_t)fault.start % (64 * KIB), 0);
	assert_int_equal(fault.part, 64 * KIB);
	tm_bench_fault_end(&fault);
	want.bytes = 129 * KIB;
	assert_int_equal(tm_bench_fault_bytes(&want), 256 * KIB);
}

static void test_bad(void **state)
{
	struct tm_bench_fault_want want = { .bytes = 4 * KIB, .threads = 0 };
	struct tm_bench_faults sum = { .passes = 0 };
	struct tm_error err = { 0 };
	struct tm_bench_fault fault;

	(void)state;
	assert_int_equal(tm_bench_fault_start(&fault, &want, &err), -EINVAL);
	want.threads = 1;
	want.unit = 3 * page_size();
	assert_int_equal(tm_bench_fault_start(&fault, &want, &err), -EINVAL);
	want.unit = 0;
	want.kind = TM_BENCH_FAULT_TMPFS;
	want.folder = "/nonexistent/folder";
	assert_int_equal(tm_bench_fault_start(&fault, &want, &err), 0);
	assert_int_equal(tm_bench_fault_pass(&fault, &sum, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/folder"));
	assert_int_equal(sum.passes, 0);
	assert_null(fault.start);
	tm_bench_fault_end(&fault);
}

static void test_tmpfs(void **state)
{
	struct tm_error err = { 0 };
	uint64_t bytes = 1;

	(void)state;
	assert_int_equal(tm_bench_tmpfs_free("/proc", &bytes, &err), -ENOTSUP);
	assert_string_equal(err.text, "/proc: is not on a tmpfs");
	assert_int_equal(tm_bench_tmpfs_free("/nonexistent", &bytes, &err), -ENOENT);
	assert_int_equal(bytes, 1);
	if (a_tmpfs()) {
		assert_int_equal(tm_bench_tmpfs_free(a_tmpfs(), &bytes, &err), 0);
		assert_true(bytes > (1 << 20));
	}
}

static void test_sums(void **state)
{
	const struct tm_bench_outcome first = { .amount = 10,
						.elapsed_ns = 100,
						.user_ns = 1,
						.system_ns = 2,
						.cpu_ns = 3,
						.on_cpu = 0.9 };
	const struct tm_bench_outcome second = { .amount = 10, .elapsed_ns = 50, .on_cpu = 1 };
	struct tm_bench_faults sum = { .passes = 0 };

	(void)state;
	tm_bench_faults_add(&sum, &first, 7);
	tm_bench_faults_add(&sum, &second, 8);
	assert_int_equal(sum.passes, 2);
	assert_int_equal(sum.pages, 20);
	assert_int_equal(sum.faults, 15);
	assert_int_equal(sum.elapsed_ns, 150);
	assert_int_equal(sum.user_ns + sum.system_ns, sum.cpu_ns);
	assert_true(sum.on_cpu > 0.89 && sum.on_cpu < 0.91);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(tm_bench_fault_kind_name(TM_BENCH_FAULT_PRIVATE), "private");
	assert_string_equal(tm_bench_fault_kind_name(TM_BENCH_FAULT_TMPFS), "tmpfs");
	assert_null(tm_bench_fault_kind_name(TM_BENCH_FAULT_KINDS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	 cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_mappings), cmocka_unit_test(test_unit),
		cmocka_unit_test(test_bad),	 cmocka_unit_test(test_tmpfs),
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
