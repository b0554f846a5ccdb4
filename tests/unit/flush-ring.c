/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/perf-fake.h"

#include "lib/sample/flush-ring.h"

#define ID "sys/kernel/tracing/events/tlb/tlb_flush/id"
#define FORMAT "sys/kernel/tracing/events/tlb/tlb_flush/format"

struct setup {
	struct tree tree;
	struct fake fake;
	struct tm_flush_ring ring;
};

static void process(struct setup *s, int pid, const char *comm, unsigned long start)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%d/stat", pid);
	tree_file(&s->tree, path, "%d (%s) S 1 1 1 0 -1 4194560 9 9 9 9 1 1 1 1 20 0 1 0 %lu 9 9",
		  pid, comm, start);
}

static struct setup *set_up(void)
{
	struct setup *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	tree_make(&s->tree);
	tree_text(&s->tree, ID, "188\n");
	tree_text(&s->tree, FORMAT, "name: tlb_flush\n");
	assert_int_equal(tm_flush_ring_open(&s->ring, &s->tree.root, &fake_io, &s->fake), 0);
	assert_int_equal(s->ring.state, TM_KNOWN);
	return s;
}

static void tear_down(struct setup *s)
{
	tm_flush_ring_close(&s->ring);
	assert_int_equal(fake_still_open(&s->fake), 0);
	tree_free(&s->tree);
	free(s);
}

static void follow(struct setup *s, const char *list)
{
	struct tm_idset cpus = fake_cpus(list);

	assert_int_equal(tm_flush_ring_follow(&s->ring, &cpus), 0);
	tm_idset_release(&cpus);
}

/* The kernel's side of a buffer: writes words where head is, and moves it. */
static void write_words(struct setup *s, int fd, const uint64_t *words, size_t nr)
{
	struct perf_event_mmap_page *page = s->fake.events[fd].map;
	char *data = (char *)page + s->ring.page_size;
	uint64_t size = s->ring.most;

	for (size_t i = 0; i < nr; i++, page->data_head += 8)
		memcpy(data + page->data_head % size, &words[i], 8);
}

static uint64_t header(uint32_t type, uint16_t size)
{
	struct perf_event_header h = { .type = type, .size = size };
	uint64_t word;

	memcpy(&word, &h, sizeof(word));
	return word;
}

/* fd 0 is the victims' event of the first CPU and has the buffer, fd 1 the initiators'. */
static void flush(struct setup *s, int fd, uint32_t pid)
{
	const uint32_t who[2] = { pid, pid + 1 };
	uint64_t words[3] = { header(PERF_RECORD_SAMPLE, 24), 1000 + (uint64_t)fd };

	memcpy(&words[2], who, 8);
	write_words(s, fd / 2 * 2, words, 3);
}

static void lose(struct setup *s, int fd, uint64_t nr)
{
	const uint64_t words[3] = { header(PERF_RECORD_LOST, 24), 1000 + (uint64_t)fd, nr };

	write_words(s, fd / 2 * 2, words, 3);
}

static const struct tm_flush_proc *find(const struct setup *s, pid_t pid)
{
	for (size_t i = 0; i < s->ring.procs.nr; i++)
		if (s->ring.procs.list[i].pid == pid)
			return &s->ring.procs.list[i];
	fail_msg("process %d is not there", (int)pid);
	return NULL;
}

static void assert_proc(const struct setup *s, pid_t pid, uint64_t victim, uint64_t initiator)
{
	const struct tm_flush_proc *p = find(s, pid);

	assert_int_equal(p->victim, victim);
	assert_int_equal(p->initiator, initiator);
}

static void test_records(void **state)
{
	struct setup *s = set_up();

	(void)state;
	process(s, 500, "worker (a) 1", 7777);
	follow(s, "0-1");
	assert_int_equal(s->fake.nr, 4);
	assert_string_equal(s->fake.events[0].filter, "reason == 1 && pages != 0");
	assert_string_equal(s->fake.events[1].filter, "reason == 4 && pages != 0");
	assert_int_equal(s->fake.events[1].output, 0);
	assert_int_equal(s->fake.events[3].output, 2);
	assert_int_equal(s->fake.events[0].attr.config, 188);
	assert_int_equal(s->fake.events[0].attr.sample_period, 1);
	for (size_t i = 0; i < 4; i++)
		assert_true(s->fake.events[i].enabled);
	flush(s, 0, 500);
	flush(s, 0, 500);
	flush(s, 1, 500);
	lose(s, 0, 40);
	flush(s, 2, 501);
	flush(s, 3, 500);
	lose(s, 3, 2);
	/* Others that the kernel may put in. */
	write_words(s, 0, (uint64_t[]){ header(PERF_RECORD_THROTTLE, 32), 1, 2, 3 }, 4);
	flush(s, 0, 0);
	flush(s, 0, UINT32_MAX);
	tm_flush_ring_read(&s->ring);
	assert_int_equal(s->ring.records, 7);
	assert_int_equal(s->ring.lost, 42);
	assert_int_equal(s->ring.broken, 0);
	assert_proc(s, 500, 2, 2);
	assert_string_equal(find(s, 500)->comm, "worker (a) 1");
	assert_int_equal(find(s, 500)->start.value, 7777);
	assert_proc(s, 501, 1, 0);
	assert_int_equal(find(s, 501)->start.state, TM_ABSENT);
	assert_string_equal(find(s, 501)->comm, "");
	assert_proc(s, 0, 1, 0);
	assert_proc(s, -1, 1, 0);
	/* Only what is new is new. */
	flush(s, 0, 500);
	tm_flush_ring_read(&s->ring);
	assert_proc(s, 500, 3, 2);
	assert_int_equal(find(s, 500)->last_victim, 1);
	assert_int_equal(find(s, 501)->last_victim, 0);
	tear_down(s);
}

/* Another process with the id of one that ended has its own counts. */
static void test_pid_reuse(void **state)
{
	struct setup *s = set_up();

	(void)state;
	follow(s, "0");
	process(s, 500, "old", 100);
	flush(s, 0, 500);
	tm_flush_ring_read(&s->ring);
	tree_remove(&s->tree, "proc/500");
	flush(s, 0, 500);
	tm_flush_ring_read(&s->ring);
	assert_proc(s, 500, 2, 0); /* its last, seen after its end */
	assert_string_equal(find(s, 500)->comm, "old");
	process(s, 500, "new", 200);
	flush(s, 1, 500);
	tm_flush_ring_read(&s->ring);
	assert_proc(s, 500, 0, 1);
	assert_string_equal(find(s, 500)->comm, "new");
	assert_int_equal(s->ring.procs.nr, 1);
	tear_down(s);
}

/* Records over the end of the buffer, many times round. */
static void test_wrap(void **state)
{
	struct setup *s = set_up();
	size_t rounds, each;

	(void)state;
	follow(s, "0");
	each = s->ring.most / 24 - 1;
	rounds = 5;
	for (size_t i = 0; i < rounds; i++) {
		for (size_t j = 0; j < each; j++)
			flush(s, 0, 500 + j % 3);
		tm_flush_ring_read(&s->ring);
	}
	assert_int_equal(s->ring.records, rounds * each);
	assert_int_equal(s->ring.broken, 0);
	assert_int_equal(find(s, 500)->victim + find(s, 501)->victim + find(s, 502)->victim,
			 rounds * each);
	tear_down(s);
}

/* What no kernel writes ends the reading of that buffer for now, and is counted. */
static void test_broken(void **state)
{
	static const uint16_t sizes[] = { 0, 4, 12, 64 };
	struct setup *s = set_up();
	struct perf_event_mmap_page *page;

	(void)state;
	follow(s, "0");
	page = s->fake.events[0].map;
	for (size_t i = 0; i < TM_ARRAY_SIZE(sizes); i++) {
		flush(s, 0, 500);
		write_words(s, 0, (uint64_t[]){ header(PERF_RECORD_SAMPLE, sizes[i]), 1000 }, 2);
		tm_flush_ring_read(&s->ring);
		assert_int_equal(s->ring.broken, i + 1);
		assert_true(page->data_tail == page->data_head);
	}
	page->data_head += s->ring.most + 8;
	tm_flush_ring_read(&s->ring);
	assert_int_equal(s->ring.broken, TM_ARRAY_SIZE(sizes) + 1);
	write_words(s, 0, (uint64_t[]){ header(PERF_RECORD_SAMPLE, 24), 7, 500 }, 3); /* whose? */
	flush(s, 0, 500);
	tm_flush_ring_read(&s->ring);
	assert_int_equal(s->ring.broken, TM_ARRAY_SIZE(sizes) + 2);
	assert_proc(s, 500, TM_ARRAY_SIZE(sizes) + 1, 0);
	tear_down(s);
}

/* The table stays as large as it is: those that are still leave it, and the rest are "others". */
static void test_many(void **state)
{
	struct setup *s = set_up();

	(void)state;
	follow(s, "0");
	flush(s, 0, 1000000);
	tm_flush_ring_read(&s->ring);
	for (uint32_t i = 0; i < TM_FLUSH_PROCS + 99; i++) {
		flush(s, (int)(i % 2), 2000 + i);
		if (i % 1000 == 0)
			tm_flush_ring_drain(&s->ring);
	}
	tm_flush_ring_read(&s->ring);
	/* One place was taken by the first. */
	assert_int_equal(s->ring.procs.other_victim + s->ring.procs.other_initiator, 100);
	assert_int_equal(s->ring.procs.nr, TM_FLUSH_PROCS - 1);
	assert_proc(s, 2000, 1, 0);
	assert_proc(s, 2001, 0, 1);
	flush(s, 0, 2001);
	flush(s, 0, 5);
	tm_flush_ring_read(&s->ring);
	tm_flush_ring_read(&s->ring);
	flush(s, 0, 6);
	tm_flush_ring_read(&s->ring);
	assert_in_range(s->ring.procs.nr, 1, 3);
	assert_proc(s, 6, 1, 0);
	tear_down(s);
}

static void test_cpus(void **state)
{
	struct setup *s = set_up();

	(void)state;
	follow(s, "0-1");
	flush(s, 2, 500);
	/* What a CPU left behind when it went is still read. */
	follow(s, "0");
	assert_int_equal(fake_still_open(&s->fake), 2);
	tm_flush_ring_read(&s->ring);
	assert_proc(s, 500, 1, 0);
	s->fake.fail[2] = ENODEV; /* offline again before it could be opened */
	follow(s, "0-2");
	assert_int_equal(s->ring.state, TM_KNOWN);
	assert_int_equal(fake_still_open(&s->fake), 4);
	s->fake.fail[2] = 0;
	follow(s, "0-2");
	assert_int_equal(fake_still_open(&s->fake), 6);
	/* A failure ends it, with its reason. */
	s->fake.fail[3] = EMFILE;
	follow(s, "0-3");
	assert_int_equal(s->ring.state, TM_UNKNOWN);
	assert_non_null(strstr(s->ring.error.text, "CPU 3"));
	assert_non_null(strstr(s->ring.error.hint, "ulimit"));
	assert_int_equal(fake_still_open(&s->fake), 0);
	tm_flush_ring_read(&s->ring);
	tear_down(s);
}

/* A smaller buffer where the kernel allows no larger one; the reason where it allows none. */
static void test_memory(void **state)
{
	struct setup *s = set_up();

	(void)state;
	s->fake.map_most = s->ring.page_size * 5;
	follow(s, "0");
	assert_int_equal(s->ring.state, TM_KNOWN);
	s->ring.most = s->ring.page_size * 4; /* for write_words() */
	for (int i = 0; i < 1000; i++) {
		flush(s, 0, 500);
		tm_flush_ring_drain(&s->ring);
	}
	tm_flush_ring_read(&s->ring);
	assert_proc(s, 500, 1000, 0);
	tear_down(s);

	s = set_up();
	s->fake.fail_map = EPERM;
	follow(s, "0");
	assert_int_equal(s->ring.state, TM_DENIED);
	tear_down(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records), cmocka_unit_test(test_pid_reuse),
		cmocka_unit_test(test_wrap),	cmocka_unit_test(test_broken),
		cmocka_unit_test(test_many),	cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
