/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes with flushes and memory, of a tree and a kernel that is made up. */
#include "tests/unit/perf-fake.h"

#include "lib/sys/process-stat.h"
#include "lib/sample/sample.h"

#define SECOND 1000000000ULL

struct setup {
	struct tree tree;
	struct fake fake;
	struct tm_processes *processes;
	struct tm_sample samples[2];
};

static void process(struct setup *s, int pid, const char *name, unsigned long start,
		    unsigned threads, unsigned pages)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%d/stat", pid);
	tree_file(&s->tree, path,
		  "%d (%s) S 1 1 1 0 -1 4194560 9 9 9 9 1 1 1 1 20 0 %u 0 %lu 9 %u "
		  "18446744073709551615",
		  pid, name, threads, start, pages);
}

static void migrated(struct setup *s, const char *whose, unsigned pages)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%s/sched", whose);
	tree_file(&s->tree, path,
		  "x (1, #threads: 1)\n----\nnuma_scan_seq : 1\nnuma_pages_migrated    "
		  "      :       %u\nnuma_preferred_nid : 0\n",
		  pages);
}

/* A flush, as the kernel writes it to the buffer of the first CPU. */
static void flush(struct setup *s, bool victim, uint32_t pid)
{
	struct perf_event_mmap_page *page = s->fake.events[0].map;
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 24 };
	const uint32_t who[2] = { pid, pid };
	uint64_t id = victim ? 1000 : 1001;
	char *at = (char *)page + sysconf(_SC_PAGESIZE) + page->data_head;

	memcpy(at, &header, 8);
	memcpy(at + 8, &id, 8);
	memcpy(at + 16, who, 8);
	page->data_head += 24;
}

static const struct tm_process_sample *take(struct setup *s, uint64_t seconds, int pid)
{
	struct tm_sample *now = &s->samples[1];

	tm_sample_release(&s->samples[0]);
	s->samples[0] = s->samples[1];
	*now = (struct tm_sample){ .time_ns = seconds * SECOND };
	assert_int_equal(tm_processes_read(s->processes, now->time_ns, &now->processes), 0);
	for (size_t i = 0; i < now->processes.nr; i++)
		if (now->processes.list[i].pid == pid)
			return &now->processes.list[i];
	return NULL;
}

static uint64_t count(const struct setup *s, const struct tm_process_sample *process,
		      enum tm_process_count which)
{
	struct tm_num num = tm_pair_process(&s->samples[0], &s->samples[1], process, which);

	return tm_num_is(&num) ? num.value : UINT64_MAX;
}

static int set_up(void **state)
{
	struct setup *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	tree_make(&s->tree);
	s->tree.root.page_size = 4096;
	tree_text(&s->tree, "sys/devices/system/cpu/online", "0\n");
	tree_text(&s->tree, "sys/kernel/tracing/events/tlb/tlb_flush/id", "188\n");
	tree_text(&s->tree, "sys/kernel/tracing/events/tlb/tlb_flush/format", "name: tlb_flush\n");
	tree_text(&s->tree, "proc/uptime", "1 1\n");
	assert_int_equal(tm_processes_open(&s->processes, &s->tree.root, &fake_io, &s->fake), 0);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct setup *s = *state;

	tm_processes_close(s->processes);
	assert_int_equal(fake_still_open(&s->fake), 0);
	tm_sample_release(&s->samples[0]);
	tm_sample_release(&s->samples[1]);
	tree_free(&s->tree);
	free(s);
	return 0;
}

static void test_flushes(void **state)
{
	struct setup *s = *state;
	const struct tm_process_sample *one;

	process(s, 500, "data base (x) 1", 7777, 1, 100);
	process(s, 2, "kthreadd", 1, 1, 0);
	migrated(s, "500", 40);
	one = take(s, 100, 500);
	assert_non_null(one);
	assert_string_equal(one->name, "data base (x) 1");
	assert_int_equal(one->start, 7777);
	assert_int_equal(one->resident_bytes.value, 409600);
	assert_int_equal(one->migrated.value, 40);
	assert_int_equal(s->samples[1].processes.nr, 1);
	assert_int_equal(s->samples[1].processes.flush_state, TM_KNOWN);

	flush(s, true, 500);
	flush(s, true, 500);
	flush(s, false, 500);
	flush(s, true, 2);
	flush(s, false, 999); /* it had ended */
	flush(s, true, 0);
	migrated(s, "500", 47);
	one = take(s, 101, 500);
	assert_int_equal(count(s, one, TM_PROCESS_RECEIVED), 2);
	assert_int_equal(count(s, one, TM_PROCESS_INITIATED), 1);
	assert_int_equal(count(s, one, TM_PROCESS_MIGRATED), 7);
	assert_int_equal(s->samples[1].processes.nr, 4);
	/* All flushes of one that is new are from now. */
	for (size_t i = 0; i < 4; i++) {
		one = &s->samples[1].processes.list[i];
		if (one->pid == 999) {
			assert_string_equal(one->name, "");
			assert_int_equal(count(s, one, TM_PROCESS_INITIATED), 1);
			assert_int_equal(one->resident_bytes.state, TM_UNKNOWN);
		}
	}

	/* Those without are told to have none, and the id of another process is not the same. */
	process(s, 500, "other", 9999, 1, 50);
	flush(s, false, 500);
	one = take(s, 102, 500);
	assert_string_equal(one->name, "other");
	assert_int_equal(count(s, one, TM_PROCESS_INITIATED), 1);
	assert_int_equal(count(s, one, TM_PROCESS_RECEIVED), 0);
	assert_int_equal(count(s, one, TM_PROCESS_MIGRATED), UINT64_MAX);
	assert_null(tm_process_samples_find(&s->samples[1].processes, 999, 0));
}

static void test_threads(void **state)
{
	struct setup *s = *state;
	const struct tm_process_sample *one;

	process(s, 7, "threads", 1, 3, 10);
	migrated(s, "7/task/7", 10);
	migrated(s, "7/task/8", 20);
	migrated(s, "7/task/9", 3);
	assert_int_equal(take(s, 1, 7)->migrated.value, 33);
	/* Too many to look at each of them. */
	process(s, 7, "threads", 1, 5000, 10);
	assert_int_equal(take(s, 2, 7)->migrated.state, TM_NOT_ASKED);
	process(s, 7, "threads", 1, 1, 10);
	one = take(s, 3, 7);
	assert_int_equal(one->migrated.state, TM_UNSUPPORTED);
	tree_text(&s->tree, "proc/7/sched", "\nnuma_scan_seq : 1\n");
	assert_int_equal(take(s, 4, 7)->migrated.state, TM_UNSUPPORTED);
	tree_text(&s->tree, "proc/7/sched", "\nnuma_pages_migrated : x\n");
	assert_int_equal(take(s, 5, 7)->migrated.state, TM_MALFORMED);
}

#define MAPS "7f0000000000 default anon=30 dirty=30 N0=10 N2=20 kernelpagesize_kB=4\n"
#define MORE "7f0000000000 default anon=90 dirty=90 N0=90 kernelpagesize_kB=4\n"

static void test_memory(void **state)
{
	struct setup *s = *state;
	const struct tm_process_sample *one;

	process(s, 7, "large", 1, 1, 1000);
	tree_text(&s->tree, "proc/7/numa_maps", MAPS MAPS);
	one = take(s, 50, 7);
	assert_int_equal(one->memory_state, TM_KNOWN);
	assert_int_equal(one->nr_memory, 2);
	assert_int_equal(one->memory[0].bytes, 20 * 4096);
	assert_int_equal(one->memory[1].node, 2);
	assert_int_equal(one->memory[1].bytes, 40 * 4096);
	/* Page tables are not walked again for ten seconds. */
	tree_text(&s->tree, "proc/7/numa_maps", MORE);
	assert_int_equal(take(s, 59, 7)->memory[0].bytes, 20 * 4096);
	one = take(s, 60, 7);
	assert_int_equal(one->nr_memory, 1);
	assert_int_equal(one->memory[0].bytes, 90 * 4096);

	/* Only of the foremost: the five largest, and those with flushes before them. */
	for (int pid = 100; pid < 110; pid++)
		process(s, pid, "small", 5, 1, (unsigned)pid - 99);
	assert_int_equal(take(s, 71, 100)->memory_state, TM_NOT_ASKED);
	assert_int_equal(take(s, 72, 109)->memory_state, TM_UNSUPPORTED);
	flush(s, true, 100);
	assert_int_equal(take(s, 73, 100)->memory_state, TM_UNSUPPORTED);
}

static void test_no_flushes(void **state)
{
	struct setup *s = *state;
	const struct tm_process_sample *one;
	struct tm_error err;

	tm_processes_close(s->processes);
	tree_remove(&s->tree, "sys/kernel/tracing/events/tlb/tlb_flush/id");
	tree_remove(&s->tree, "sys/kernel/tracing/events/tlb/tlb_flush/format");
	tree_remove(&s->tree, "sys/kernel/tracing/events/tlb/tlb_flush");
	assert_int_equal(tm_processes_open(&s->processes, &s->tree.root, &fake_io, &s->fake), 0);
	assert_true(tm_processes_error(s->processes, &err));
	assert_int_equal(tm_processes_fd(s->processes), -1);
	process(s, 500, "x", 1, 1, 100);
	one = take(s, 1, 500);
	assert_non_null(one);
	assert_false(tm_num_is(&one->initiated));
	assert_int_not_equal(s->samples[1].processes.flush_state, TM_KNOWN);
	one = take(s, 2, 500);
	assert_int_equal(count(s, one, TM_PROCESS_INITIATED), UINT64_MAX);
}

static void test_stat(void **state)
{
	static const char *const bad[] = {
		"",
		"1",
		"1 (x",
		"1 x) S",
		")(",
		"1 (x) S 1 2 3",
		"1 (x) S 1 1 1 0 -1 4 9 9 9 9 1 1 1 1 20 0 x 0 5 9 7 1",
		"1 (x) S 1 1 1 0 -1 4 9 9 9 9 1 1 1 1 20 0 1 0 99999999999999999999 9 7 1",
	};
	struct tm_process_stat stat = { .start = 42 };

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(bad); i++)
		assert_int_equal(tm_process_stat_parse(bad[i], &stat), -EINVAL);
	assert_int_equal(stat.start, 42);
	assert_int_equal(
		tm_process_stat_parse("1 (a) b) c(\x1b) R 1 1 1 0 -1 4 9 9 9 9 1 1 1 1 20 0 "
				      "6 0 5 9 7",
				      &stat),
		0);
	assert_string_equal(stat.name, "a) b) c(\\x1b");
	assert_int_equal(stat.threads, 6);
	assert_int_equal(stat.resident, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_flushes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_flushes, set_up, tear_down),
		cmocka_unit_test(test_stat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
