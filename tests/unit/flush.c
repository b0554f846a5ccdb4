/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/perf-fake.h"

#include "lib/sample/flush.h"
#include "lib/sample/perf-trace.h"

#define FOLDER "sys/kernel/tracing/events/tlb/tlb_flush/"
#define OLD_FOLDER "sys/kernel/debug/tracing/events/tlb/tlb_flush/"

static void format(const struct tree *tree, const char *folder, int id, int size)
{
	char path[128];

	snprintf(path, sizeof(path), "%sid", folder);
	tree_file(tree, path, "%d", id);
	snprintf(path, sizeof(path), "%sformat", folder);
	tree_file(tree, path,
		  "name: tlb_flush\nID: %d\nformat:\n"
		  "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		  "\tfield:int reason;\toffset:8;\tsize:4;\tsigned:1;\n"
		  "\tfield:unsigned long pages;\toffset:%d;\tsize:%d;\tsigned:0;\n\n"
		  "print fmt: \"pages:%%ld\", REC->pages",
		  id, size == 8 ? 16 : 12, size);
}

static struct tree *new_tree(void)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	assert_non_null(tree);
	tree_make(tree);
	return tree;
}

static void free_tree(struct tree *tree)
{
	tree_free(tree);
	free(tree);
}

static void test_tracepoint(void **state)
{
	struct tree *tree = new_tree();
	struct tm_tracepoint t;
	struct tm_error err;

	(void)state;
	assert_int_equal(tm_tracepoint_find(&tree->root, "tlb", "tlb_flush", &t, &err), TM_ABSENT);
	assert_non_null(strstr(err.text, "tracefs is not mounted"));
	assert_non_null(strstr(err.hint, "mount -t tracefs"));
	/* An empty mount point, as it is where tracefs is not mounted. */
	tree_folder(tree, "sys/kernel/tracing");
	assert_int_equal(tm_tracepoint_find(&tree->root, "tlb", "tlb_flush", &t, &err), TM_ABSENT);
	tree_folder(tree, "sys/kernel/tracing/events/sched");
	assert_int_equal(tm_tracepoint_find(&tree->root, "tlb", "tlb_flush", &t, &err),
			 TM_UNSUPPORTED);
	assert_non_null(strstr(err.text, "tlb:tlb_flush"));
	format(tree, OLD_FOLDER, 55, 8);
	assert_int_equal(tm_tracepoint_find(&tree->root, "tlb", "tlb_flush", &t, &err), TM_KNOWN);
	assert_int_equal(t.id, 55);
	tm_tracepoint_release(&t);
	format(tree, FOLDER, 188, 8);
	assert_int_equal(tm_tracepoint_find(&tree->root, "tlb", "tlb_flush", &t, NULL), TM_KNOWN);
	assert_int_equal(t.id, 188);
	assert_int_equal(tm_tracepoint_field_size(&t, "pages"), 8);
	assert_int_equal(tm_tracepoint_field_size(&t, "reason"), 4);
	assert_int_equal(tm_tracepoint_field_size(&t, "common_type"), 2);
	assert_int_equal(tm_tracepoint_field_size(&t, "type"), 0);
	assert_int_equal(tm_tracepoint_field_size(&t, "ages"), 0);
	assert_int_equal(tm_tracepoint_field_size(&t, ""), 0);
	tm_tracepoint_release(&t);
	tree_remove(tree, OLD_FOLDER "id");
	for (int i = 0; i < 4; i++) {
		static const char *const bad[] = { "", "0\n", "-4\n", "12x\n" };

		tree_text(tree, FOLDER "id", bad[i]);
		assert_int_equal(tm_tracepoint_find(&tree->root, "tlb", "tlb_flush", &t, &err),
				 TM_MALFORMED);
	}
	free_tree(tree);
}

/* tracefs is there, and for root alone. */
static void test_denied(void **state)
{
	struct tree *tree = new_tree();
	struct tm_tracepoint t;
	struct tm_error err;

	(void)state;
	format(tree, FOLDER, 188, 8);
	tree_mode(tree, FOLDER "id", 0);
	assert_int_equal(tm_tracepoint_find(&tree->root, "tlb", "tlb_flush", &t, &err), TM_DENIED);
	assert_non_null(strstr(err.text, "permission denied"));
	free_tree(tree);
}

static void test_cells(void **state)
{
	int seen = 0;

	(void)state;
	for (int r = 0; r < TM_FLUSH_REASONS; r++)
		for (int p = 0; p < TM_FLUSH_PAGES; p++) {
			int cell = tm_flush_cell((enum tm_flush_reason)r, (enum tm_flush_pages)p);

			if (cell >= 0)
				assert_int_equal(cell, seen++);
		}
	assert_int_equal(seen, TM_FLUSH_CELLS);
	assert_string_equal(tm_flush_reason_name(TM_FLUSH_REMOTE_SEND_IPI), "remote_send_ipi");
	assert_string_equal(tm_flush_pages_name(TM_FLUSH_RANGE), "range");
	/* The kernel's numbers. */
	assert_int_equal(TM_FLUSH_REMOTE_SHOOTDOWN, 1);
	assert_int_equal(TM_FLUSH_REMOTE_SEND_IPI, 4);
	assert_int_equal(TM_FLUSH_REMOTE_WRONG_CPU, 5);
}

struct setup {
	struct tree *tree;
	struct fake fake;
	struct tm_flush flush;
	struct tm_perf_reading before, now;
	struct tm_flush_counts counts;
};

static struct setup *set_up(int size, struct tm_flush_target target)
{
	struct setup *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->tree = new_tree();
	format(s->tree, FOLDER, 188, size);
	tree_folder(s->tree, "proc/900/task/900");
	tree_folder(s->tree, "proc/900/task/905");
	assert_int_equal(tm_flush_open(&s->flush, &s->tree->root, &fake_io, &s->fake, &target), 0);
	return s;
}

static void tear_down(struct setup *s)
{
	tm_flush_close(&s->flush);
	assert_int_equal(fake_still_open(&s->fake), 0);
	tm_perf_reading_release(&s->before);
	tm_perf_reading_release(&s->now);
	free_tree(s->tree);
	free(s);
}

static void follow(struct setup *s, const char *list)
{
	struct tm_idset cpus = fake_cpus(list);

	assert_int_equal(tm_flush_follow(&s->flush, &cpus), 0);
	tm_idset_release(&cpus);
}

static const char *filter_of(const struct setup *s, enum tm_flush_reason reason,
			     enum tm_flush_pages pages)
{
	return s->fake.events[tm_flush_cell(reason, pages)].filter;
}

static void test_filters(void **state)
{
	struct setup *s = set_up(8, (struct tm_flush_target){ 0 });

	(void)state;
	assert_int_equal(s->flush.state, TM_KNOWN);
	follow(s, "0");
	assert_int_equal(s->fake.nr, TM_FLUSH_CELLS);
	assert_int_equal(s->fake.events[3].attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(s->fake.events[3].attr.config, 188);
	assert_int_equal(s->fake.events[3].attr.inherit, 0);
	assert_int_equal(s->fake.events[3].group, 0);
	assert_string_equal(filter_of(s, TM_FLUSH_TASK_SWITCH, TM_FLUSH_ALL),
			    "reason == 0 && pages != 0");
	assert_string_equal(filter_of(s, TM_FLUSH_REMOTE_SHOOTDOWN, TM_FLUSH_ALL),
			    "reason == 1 && pages == 18446744073709551615");
	assert_string_equal(filter_of(s, TM_FLUSH_REMOTE_SEND_IPI, TM_FLUSH_ONE),
			    "reason == 4 && pages == 1");
	assert_string_equal(filter_of(s, TM_FLUSH_LOCAL_MM_SHOOTDOWN, TM_FLUSH_RANGE),
			    "reason == 3 && pages > 1 && pages < 18446744073709551615");
	assert_string_equal(filter_of(s, TM_FLUSH_REMOTE_WRONG_CPU, TM_FLUSH_NONE),
			    "reason == 5 && pages == 0");
	tear_down(s);

	/* A kernel of 32 bits. */
	s = set_up(4, (struct tm_flush_target){ 0 });
	follow(s, "0");
	assert_string_equal(filter_of(s, TM_FLUSH_REMOTE_SEND_IPI, TM_FLUSH_ALL),
			    "reason == 4 && pages == 4294967295");
	tear_down(s);

	/* A tracepoint of another shape is not counted wrong but not at all. */
	s = set_up(2, (struct tm_flush_target){ 0 });
	assert_int_equal(s->flush.state, TM_MALFORMED);
	follow(s, "0");
	assert_int_equal(s->fake.nr, 0);
	tear_down(s);
}

/* Each cell of each CPU counts another number. */
static void pass_distinct(struct setup *s)
{
	fake_pass(&s->fake, 1000, 0);
	for (size_t i = 0; i < s->fake.nr; i++)
		s->fake.events[i].raw.value += (uint64_t)1 << i % TM_FLUSH_CELLS;
}

static void test_counts(void **state)
{
	struct setup *s = set_up(8, (struct tm_flush_target){ 0 });
	struct tm_perf_count count;

	(void)state;
	follow(s, "0-1");
	assert_int_equal(s->fake.nr, 2 * TM_FLUSH_CELLS);
	pass_distinct(s);
	assert_int_equal(tm_flush_read(&s->flush, &s->before), 0);
	pass_distinct(s);
	follow(s, "0-2");
	assert_int_equal(tm_flush_read(&s->flush, &s->now), 0);
	tm_flush_count(&s->flush, &s->before, &s->now, &s->counts);
	for (int i = 0; i < TM_FLUSH_CELLS; i++) {
		assert_int_equal(s->counts.cell[i].count.state, TM_KNOWN);
		assert_int_equal(s->counts.cell[i].count.value, 2 << i);
	}
	count = tm_flush_by_reason(&s->counts, TM_FLUSH_REMOTE_SHOOTDOWN);
	assert_int_equal(count.count.value, 2 << 1 | 2 << 2 | 2 << 3); /* 4: nothing flushed */
	count = tm_flush_by_reason(&s->counts, TM_FLUSH_REMOTE_WRONG_CPU);
	assert_int_equal(count.count.value, 2 << 12);
	count = tm_flush_by_pages(&s->counts, TM_FLUSH_ALL);
	assert_int_equal(count.count.value, 2 << 0 | 2 << 3 | 2 << 5 | 2 << 8);
	count = tm_flush_by_pages(&s->counts, TM_FLUSH_NONE);
	assert_int_equal(count.count.value, 2 << 4 | 2 << 12);
	tm_flush_count(&s->flush, NULL, &s->now, &s->counts);
	assert_int_equal(s->counts.cell[0].count.value, 4);
	tear_down(s);
}

/* The reason of the first failure comes through to every sum that needs the count. */
static void test_failures(void **state)
{
	struct setup *s = set_up(8, (struct tm_flush_target){ 0 });
	struct tm_perf_count count;

	(void)state;
	s->fake.fail[1] = EMFILE;
	s->fake.fail_nth[1] = 3; /* remote_shootdown range */
	follow(s, "0-1");
	pass_distinct(s);
	assert_int_equal(tm_flush_read(&s->flush, &s->now), 0);
	tm_flush_count(&s->flush, NULL, &s->now, &s->counts);
	count = tm_flush_by_reason(&s->counts, TM_FLUSH_REMOTE_SHOOTDOWN);
	assert_int_equal(count.count.state, TM_UNKNOWN);
	assert_int_equal(count.count.value, 0);
	assert_string_equal(tm_perf_reason(count.why), "too-many-files");
	count = tm_flush_by_reason(&s->counts, TM_FLUSH_REMOTE_SEND_IPI);
	assert_int_equal(count.count.state, TM_KNOWN);
	tear_down(s);

	/* A captured machine is not counted on by the system's calls. */
	s = set_up(8, (struct tm_flush_target){ 0 });
	tm_flush_close(&s->flush);
	assert_int_equal(tm_flush_open(&s->flush, &s->tree->root, &tm_perf_io_system, NULL,
				       &(struct tm_flush_target){ 0 }),
			 0);
	assert_int_equal(s->flush.state, TM_UNSUPPORTED);
	assert_int_equal(tm_flush_read(&s->flush, &s->now), 0);
	tm_flush_count(&s->flush, NULL, &s->now, &s->counts);
	assert_int_equal(s->counts.cell[5].count.state, TM_UNSUPPORTED);
	count = tm_flush_by_pages(&s->counts, TM_FLUSH_ALL);
	assert_int_equal(count.count.state, TM_UNSUPPORTED);
	tear_down(s);
}

static void test_process(void **state)
{
	struct setup *s = set_up(8, (struct tm_flush_target){ .pid = 900, .on_exec = true });

	(void)state;
	assert_int_equal(s->flush.state, TM_KNOWN);
	assert_int_equal(s->fake.nr, 2 * TM_FLUSH_CELLS);
	assert_in_range(s->fake.events[0].pid, 900, 905);
	assert_int_equal(s->fake.events[0].pid + s->fake.events[TM_FLUSH_CELLS].pid, 1805);
	assert_int_equal(s->fake.events[1].attr.inherit, 1);
	assert_int_equal(s->fake.events[0].attr.enable_on_exec, 1);
	follow(s, "0-3"); /* of no interest to it */
	assert_int_equal(s->fake.nr, 2 * TM_FLUSH_CELLS);
	pass_distinct(s);
	assert_int_equal(tm_flush_read(&s->flush, &s->now), 0);
	tm_flush_count(&s->flush, NULL, &s->now, &s->counts);
	assert_int_equal(s->counts.cell[9].count.value, 2 << 9);
	tear_down(s);

	s = set_up(8, (struct tm_flush_target){ .pid = 901 });
	assert_int_equal(s->flush.state, TM_ABSENT);
	assert_non_null(strstr(s->flush.error.text, "901"));
	tear_down(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tracepoint), cmocka_unit_test(test_denied),
		cmocka_unit_test(test_cells),	   cmocka_unit_test(test_filters),
		cmocka_unit_test(test_counts),	   cmocka_unit_test(test_failures),
		cmocka_unit_test(test_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
