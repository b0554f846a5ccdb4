/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/perf-fake.h"

#include <sys/resource.h>

#include "lib/sample/perf-set.h"

#define SECOND 1000000000ull

static void assert_count(struct tm_perf_count count, uint64_t value, bool scaled)
{
	assert_int_equal(count.count.state, TM_KNOWN);
	assert_true(count.count.value == value);
	assert_int_equal(count.scaled, scaled);
	assert_int_equal(count.why, 0);
}

static void assert_none(struct tm_perf_count count, enum tm_state state, int why)
{
	assert_int_equal(count.count.state, state);
	assert_int_equal(count.count.value, 0);
	assert_int_equal(count.why, why);
}

/* Field case 28: each failure has its own reason, and none is 0. */
static void test_reasons(void **state)
{
	static const struct {
		int number;
		enum tm_state state;
		const char *reason;
	} cases[] = {
		{ ENOENT, TM_UNSUPPORTED, "unsupported" },
		{ EOPNOTSUPP, TM_UNSUPPORTED, "unsupported" },
		{ ENODEV, TM_UNSUPPORTED, "unsupported" },
		{ ENOSYS, TM_UNSUPPORTED, "unsupported" },
		{ EINVAL, TM_UNSUPPORTED, "unsupported" },
		{ TM_PERF_NOT_HERE, TM_UNSUPPORTED, "unsupported" },
		{ EACCES, TM_DENIED, "denied" },
		{ EPERM, TM_DENIED, "denied" },
		{ ESRCH, TM_ABSENT, "absent" },
		{ ENODATA, TM_UNKNOWN, "not-counted" },
		{ EMFILE, TM_UNKNOWN, "too-many-files" },
		{ ENFILE, TM_UNKNOWN, "too-many-files" },
		{ ENOMEM, TM_UNKNOWN, "no-memory" },
		{ EBUSY, TM_UNKNOWN, "busy" },
		{ EIO, TM_UNKNOWN, "failed" },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_perf_raw raw = { .value = 5, .why = cases[i].number };

		assert_int_equal(tm_perf_state(cases[i].number), cases[i].state);
		assert_string_equal(tm_perf_reason(cases[i].number), cases[i].reason);
		assert_non_null(tm_perf_explain(cases[i].number));
		assert_none(tm_perf_scale(&raw), cases[i].state, cases[i].number);
		for (size_t j = 0; j < i; j++)
			if (cases[j].number != EACCES || cases[i].number != EPERM)
				assert_string_not_equal(tm_perf_explain(cases[i].number),
							tm_perf_explain(cases[j].number));
	}
	assert_int_equal(tm_perf_state(0), TM_KNOWN);
	assert_null(tm_perf_reason(0));
	assert_null(tm_perf_explain(0));
	assert_null(tm_perf_hint(0));
	assert_non_null(tm_perf_hint(EACCES));
	assert_non_null(tm_perf_hint(EMFILE));
}

static void test_scale(void **state)
{
	struct tm_perf_raw raw = { .value = 100, .enabled = SECOND, .running = SECOND };

	(void)state;
	assert_count(tm_perf_scale(&raw), 100, false);
	raw.running = SECOND / 4;
	assert_count(tm_perf_scale(&raw), 400, true);
	raw = (struct tm_perf_raw){ .value = 2, .enabled = 5, .running = 3 };
	assert_count(tm_perf_scale(&raw), 3, true); /* to the nearest */
	raw = (struct tm_perf_raw){ .value = 0, .enabled = SECOND, .running = 1 };
	assert_count(tm_perf_scale(&raw), 0, true);
	/* Wanted, never counted. */
	raw = (struct tm_perf_raw){ .enabled = SECOND };
	assert_none(tm_perf_scale(&raw), TM_UNKNOWN, ENODATA);
	/* Not wanted yet: a thread that has not run. */
	raw = (struct tm_perf_raw){ 0 };
	assert_count(tm_perf_scale(&raw), 0, false);
	/* The product needs more than 64 bits, the result does not. */
	raw = (struct tm_perf_raw){ .value = 1ull << 62,
				    .enabled = 30 * SECOND,
				    .running = 20 * SECOND };
	assert_count(tm_perf_scale(&raw), 3ull << 61, true);
	raw.enabled = 100 * SECOND;
	raw.running = SECOND;
	assert_none(tm_perf_scale(&raw), TM_MALFORMED, 0);
}

/* Scaled by the interval's own times: two scaled totals could have a negative difference. */
static void test_rise(void **state)
{
	struct tm_perf_raw a = { .value = 1000, .enabled = 100, .running = 10 };
	struct tm_perf_raw b = { .value = 1010, .enabled = 200, .running = 110 };

	(void)state;
	assert_true(tm_perf_scale(&a).count.value > tm_perf_scale(&b).count.value);
	assert_count(tm_perf_rise(&a, &b), 10, false);
	b.running = 60;
	assert_count(tm_perf_rise(&a, &b), 20, true);
	b.running = 10;
	assert_none(tm_perf_rise(&a, &b), TM_UNKNOWN, ENODATA);
	b = (struct tm_perf_raw){ .value = 999, .enabled = 200, .running = 110 };
	assert_none(tm_perf_rise(&a, &b), TM_UNKNOWN, 0); /* begun anew */
	b = (struct tm_perf_raw){ .why = ENOENT };
	assert_none(tm_perf_rise(&a, &b), TM_UNSUPPORTED, ENOENT);
	assert_none(tm_perf_rise(&b, &a), TM_UNSUPPORTED, ENOENT);
	a = (struct tm_perf_raw){ .value = UINT64_MAX - 5, .enabled = 1, .running = 1 };
	b = (struct tm_perf_raw){ .value = UINT64_MAX, .enabled = 2, .running = 2 };
	assert_count(tm_perf_rise(&a, &b), 5, false);
}

struct setup {
	struct fake fake;
	struct tm_perf_set set;
	struct tm_perf_reading before, now;
};

static struct setup *set_up(size_t nr, bool grouped)
{
	static char filter[] = "pages != 0";
	struct tm_perf_event events[4] = {
		{ .attr = { .type = PERF_TYPE_TRACEPOINT, .config = 7 }, .filter = filter },
	};
	struct setup *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	assert_int_equal(tm_perf_set_open(&s->set, &fake_io, &s->fake, events, nr, grouped), 0);
	return s;
}

static void tear_down(struct setup *s)
{
	tm_perf_set_close(&s->set);
	assert_int_equal(fake_still_open(&s->fake), 0);
	tm_perf_reading_release(&s->before);
	tm_perf_reading_release(&s->now);
	free(s);
}

static void follow(struct setup *s, const char *list)
{
	struct tm_idset cpus = fake_cpus(list);

	assert_int_equal(tm_perf_set_cpus(&s->set, &cpus), 0);
	tm_idset_release(&cpus);
}

/* The reading of now becomes that of before. */
static void take(struct setup *s)
{
	struct tm_perf_reading old = s->before;

	s->before = s->now;
	s->now = old;
	assert_int_equal(tm_perf_set_read(&s->set, &s->now), 0);
}

static void test_set(void **state)
{
	(void)state;
	for (int grouped = 0; grouped < 2; grouped++) {
		struct setup *s = set_up(2, grouped);

		follow(s, "0-1");
		assert_int_equal(fake_still_open(&s->fake), 4);
		for (size_t i = 0; i < 4; i++) {
			assert_true(s->fake.events[i].enabled);
			assert_string_equal(s->fake.events[i].filter, i % 2 ? "" : "pages != 0");
		}
		fake_pass(&s->fake, SECOND, 1);
		take(s);
		fake_pass(&s->fake, SECOND, 3);
		s->fake.events[1].raw.value += 100; /* the second event of CPU 0 */
		take(s);
		assert_count(tm_perf_total(&s->now, 0), 8, false);
		assert_count(tm_perf_total(&s->now, 1), 108, false);
		assert_count(tm_perf_total_rise(&s->before, &s->now, 0), 6, false);
		assert_count(tm_perf_total_rise(&s->before, &s->now, 1), 106, false);
		assert_count(tm_perf_rise_of(&s->before, &s->now, 1, 0), 103, false);
		assert_count(tm_perf_rise_of(&s->before, &s->now, 1, 1), 3, false);
		assert_none(tm_perf_rise_of(&s->before, &s->now, 1, 5), TM_OFFLINE, 0);
		tear_down(s);
	}
}

/* On one of two CPUs an event cannot be opened: there is no total, and the other's count stays. */
static void test_partial(void **state)
{
	static const int numbers[] = { EMFILE, EACCES, ENOENT, EOPNOTSUPP, EBUSY };

	(void)state;
	for (size_t i = 0; i < 2 * TM_ARRAY_SIZE(numbers); i++) {
		struct setup *s = set_up(2, i % 2);
		int why = numbers[i / 2];

		s->fake.fail[1] = why;
		s->fake.fail_nth[1] = 2; /* its second event */
		follow(s, "0-1");
		take(s);
		fake_pass(&s->fake, SECOND, 2);
		take(s);
		fake_pass(&s->fake, SECOND, 2);
		take(s);
		assert_count(tm_perf_total_rise(&s->before, &s->now, 0), 4, false);
		assert_none(tm_perf_total_rise(&s->before, &s->now, 1), tm_perf_state(why), why);
		assert_count(tm_perf_rise_of(&s->before, &s->now, 1, 0), 2, false);
		assert_none(tm_perf_rise_of(&s->before, &s->now, 1, 1), tm_perf_state(why), why);
		tear_down(s);
	}
}

/* All of them fail, the group's first included, or the filter is refused. */
static void test_failing(void **state)
{
	(void)state;
	for (int grouped = 0; grouped < 2; grouped++) {
		struct setup *s = set_up(2, grouped);

		s->fake.fail[0] = s->fake.fail[1] = EACCES;
		follow(s, "0-1");
		take(s);
		for (size_t e = 0; e < 2; e++)
			assert_none(tm_perf_total(&s->now, e), TM_DENIED, EACCES);
		tear_down(s);

		s = set_up(2, grouped);
		s->fake.fail_filter = EINVAL;
		follow(s, "0-1");
		take(s);
		assert_none(tm_perf_total(&s->now, 0), TM_UNSUPPORTED, EINVAL);
		tear_down(s);
	}
}

/* Only the CPUs that are offline fail so: they are left out. When all do, that is the reason. */
static void test_offline(void **state)
{
	struct setup *s = set_up(2, true);

	(void)state;
	s->fake.fail[1] = ENODEV;
	follow(s, "0-2");
	fake_pass(&s->fake, SECOND, 5);
	take(s);
	assert_int_equal(s->now.nr, 2);
	assert_count(tm_perf_total(&s->now, 0), 10, false);
	/* It is tried again. */
	s->fake.fail[1] = 0;
	follow(s, "0-2");
	fake_pass(&s->fake, SECOND, 5);
	take(s);
	assert_int_equal(s->now.nr, 3);
	assert_count(tm_perf_total_rise(&s->before, &s->now, 0), 10, false);
	tear_down(s);

	s = set_up(2, false);
	s->fake.fail[0] = s->fake.fail[1] = ENODEV;
	follow(s, "0-1");
	take(s);
	assert_none(tm_perf_total(&s->now, 0), TM_UNSUPPORTED, ENODEV);
	tear_down(s);
}

/* Events of one kind of CPU, on a machine with two kinds. */
static void test_not_here(void **state)
{
	struct tm_idset cores = fake_cpus("0-1");
	struct tm_perf_event event = { .attr = { .type = 9 }, .cpus = &cores };
	struct setup *s = set_up(1, false);

	(void)state;
	tm_perf_set_close(&s->set);
	assert_int_equal(tm_perf_set_open(&s->set, &fake_io, &s->fake, &event, 1, false), 0);
	tm_idset_release(&cores);
	follow(s, "0-3");
	assert_int_equal(fake_still_open(&s->fake), 2);
	fake_pass(&s->fake, SECOND, 5);
	take(s);
	assert_count(tm_perf_total(&s->now, 0), 10, false);
	fake_pass(&s->fake, SECOND, 5);
	take(s);
	assert_count(tm_perf_total_rise(&s->before, &s->now, 0), 10, false);
	assert_none(tm_perf_rise_of(&s->before, &s->now, 0, 3), TM_UNSUPPORTED, TM_PERF_NOT_HERE);
	follow(s, "2-3");
	take(s);
	assert_none(tm_perf_total(&s->now, 0), TM_UNKNOWN, 0);
	tear_down(s);
}

static void test_hotplug(void **state)
{
	struct setup *s = set_up(1, true);

	(void)state;
	follow(s, "0-1");
	fake_pass(&s->fake, SECOND, 7);
	take(s);
	/* CPU 1 goes with its last counts, CPU 2 comes. */
	fake_pass(&s->fake, SECOND, 7);
	follow(s, "0,2");
	assert_int_equal(fake_still_open(&s->fake), 2);
	fake_pass(&s->fake, 1, 0);
	take(s);
	assert_count(tm_perf_total_rise(&s->before, &s->now, 0), 7, false);
	assert_none(tm_perf_rise_of(&s->before, &s->now, 0, 1), TM_OFFLINE, 0);
	assert_none(tm_perf_rise_of(&s->before, &s->now, 0, 2), TM_OFFLINE, 0);
	/* CPU 1 is back: its count is another than the one it had. */
	follow(s, "0-2");
	fake_pass(&s->fake, SECOND, 7);
	take(s);
	assert_count(tm_perf_total_rise(&s->before, &s->now, 0), 14, false);
	fake_pass(&s->fake, SECOND, 1);
	take(s);
	assert_count(tm_perf_total_rise(&s->before, &s->now, 0), 3, false);
	tear_down(s);
}

/* A CPU that was away between two samples: the kernel does not resume its events, which shows. */
static void test_away_between(void **state)
{
	struct setup *s = set_up(1, true);

	(void)state;
	follow(s, "0-1");
	fake_pass(&s->fake, SECOND, 7);
	take(s);
	s->fake.events[0].raw.enabled += SECOND;
	s->fake.events[0].raw.running += SECOND;
	s->fake.events[0].raw.value += 2;
	follow(s, "0-1");
	take(s);
	assert_int_equal(s->now.nr, 1);
	assert_count(tm_perf_total_rise(&s->before, &s->now, 0), 2, false);
	follow(s, "0-1");
	assert_int_equal(s->fake.nr, 3); /* opened anew */
	fake_pass(&s->fake, SECOND, 1);
	take(s);
	fake_pass(&s->fake, SECOND, 1);
	take(s);
	assert_count(tm_perf_total_rise(&s->before, &s->now, 0), 2, false);
	tear_down(s);
}

static void test_threads(void **state)
{
	static const pid_t threads[] = { 500, 501, 502 };
	struct setup *s = set_up(2, true);

	(void)state;
	assert_int_equal(tm_perf_set_threads(&s->set, threads, 3), 0);
	assert_int_equal(s->fake.events[2].pid, 501);
	assert_int_equal(s->fake.events[2].cpu, -1);
	take(s);
	take(s);
	/* None of them ran meanwhile: that is 0, not unknown. */
	assert_count(tm_perf_total_rise(&s->before, &s->now, 0), 0, false);
	fake_pass(&s->fake, SECOND, 2);
	take(s);
	assert_count(tm_perf_total_rise(&s->before, &s->now, 0), 6, false);
	/* A share that cannot be read makes the sum unknown. */
	s->fake.short_read = true;
	take(s);
	assert_none(tm_perf_total(&s->now, 0), TM_UNKNOWN, ENODATA);
	tear_down(s);

	s = set_up(1, true);
	s->fake.fail[0] = ESRCH;
	assert_int_equal(tm_perf_set_threads(&s->set, threads, 3), 0);
	take(s);
	assert_none(tm_perf_total(&s->now, 0), TM_ABSENT, ESRCH);
	tear_down(s);
}

/* With enable_on_exec it is the kernel that begins; the others of a group follow its first. */
static void test_on_exec(void **state)
{
	static const pid_t thread = 500;
	struct tm_perf_event events[2] = { { .attr = { .enable_on_exec = 1 } },
					   { .attr = { .enable_on_exec = 1 } } };
	struct setup *s = set_up(1, true);

	(void)state;
	tm_perf_set_close(&s->set);
	assert_int_equal(tm_perf_set_open(&s->set, &fake_io, &s->fake, events, 2, true), 0);
	assert_int_equal(tm_perf_set_threads(&s->set, &thread, 1), 0);
	assert_false(s->fake.events[0].enabled);
	assert_true(s->fake.events[0].attr.enable_on_exec);
	assert_true(s->fake.events[1].enabled);
	assert_false(s->fake.events[1].attr.enable_on_exec);
	tear_down(s);
}

/* This machine: software events count; where it has no hardware PMU that is said, not 0. */
static void test_live(void **state)
{
	struct tm_perf_event events[2] = {
		{ .attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS } },
		{ .attr = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES } },
	};
	struct tm_perf_reading reading = { 0 };
	struct tm_perf_count faults, cycles;
	pid_t self = getpid();
	struct tm_perf_set set;
	char *memory;

	(void)state;
	for (size_t i = 0; i < 2; i++)
		events[i].attr.exclude_kernel = events[i].attr.exclude_hv = 1;
	assert_int_equal(tm_perf_set_open(&set, &tm_perf_io_system, NULL, events, 2, false), 0);
	assert_int_equal(tm_perf_set_threads(&set, &self, 1), 0);
	memory = calloc(64, 4096);
	for (size_t i = 0; i < 64; i++)
		((volatile char *)memory)[i * 4096] = 1;
	free(memory);
	assert_int_equal(tm_perf_set_read(&set, &reading), 0);
	faults = tm_perf_total(&reading, 0);
	cycles = tm_perf_total(&reading, 1);
	tm_perf_set_close(&set);
	tm_perf_reading_release(&reading);
	/* As in qemu-user. The commands' tests need it, and say so. */
	if (faults.why == EACCES || faults.why == EPERM || faults.why == ENOSYS)
		return;
	assert_int_equal(faults.count.state, TM_KNOWN);
	assert_in_range(faults.count.value, 1, 100000);
	if (!tm_num_is(&cycles.count)) {
		assert_int_not_equal(cycles.why, 0);
		assert_int_equal(cycles.count.value, 0);
	}
}

static void test_room(void **state)
{
	struct rlimit first, old, now;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &first), 0);
	now = first;
	now.rlim_cur = TM_MIN(now.rlim_max, (rlim_t)200);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
	assert_int_equal(tm_perf_make_room(10, &old), 0);
	assert_int_equal(old.rlim_cur, now.rlim_cur);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	assert_int_equal(now.rlim_cur, old.rlim_cur); /* it is enough */
	assert_int_equal(tm_perf_make_room(400, &old), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	assert_true(now.rlim_cur >= 400);
	assert_int_equal(tm_perf_make_room((size_t)1 << 40, &old), -EPERM);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &first), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons), cmocka_unit_test(test_scale),
		cmocka_unit_test(test_rise),	cmocka_unit_test(test_set),
		cmocka_unit_test(test_partial), cmocka_unit_test(test_failing),
		cmocka_unit_test(test_offline), cmocka_unit_test(test_not_here),
		cmocka_unit_test(test_hotplug), cmocka_unit_test(test_away_between),
		cmocka_unit_test(test_threads), cmocka_unit_test(test_on_exec),
		cmocka_unit_test(test_live),	cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
