/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading numa_maps. */
#include "tests/unit/tree.h"

#include "lib/sys/numa-maps.h"

static void parse(struct tm_numa_maps *maps, const char *text)
{
	struct tm_error err = { 0 };

	assert_int_equal(tm_numa_maps_parse(maps, text, &err), 0);
}

static void expect(const struct tm_placement *p, const char *policy, const char *flags,
		   const char *nodes, size_t mappings)
{
	char *list = tm_idset_format(&p->nodes);

	assert_string_equal(p->policy, policy);
	assert_string_equal(p->flags, flags);
	assert_string_equal(list, nodes);
	assert_int_equal(p->mappings, mappings);
	free(list);
}

static void expect_bytes(const struct tm_placement *p, size_t at, int node, uint64_t bytes)
{
	assert_true(at < p->nr);
	assert_int_equal(p->resident[at].node, node);
	assert_int_equal(p->resident[at].bytes, bytes);
}

static void test_process(void **state)
{
	struct tm_numa_maps maps;

	(void)state;
	parse(&maps,
	      "5583c1a00000 default file=/usr/bin/app mapped=5 N0=5 kernelpagesize_kB=4\n"
	      "5583c2b00000 default heap anon=33 dirty=33 N0=30 N1=3 kernelpagesize_kB=4\n"
	      "7f1200000000 weighted interleave:0-1 anon=60000 dirty=60000 active=0 N0=50000 "
	      "N1=10000 kernelpagesize_kB=4\n"
	      "7f1300000000 weighted interleave:0-1 anon=1 huge dirty=1 N1=1 "
	      "kernelpagesize_kB=2048\n"
	      "7f1400000000 weighted interleave:0-1\n"
	      "7ffd00000000 default stack anon=4 dirty=4 N0=4 kernelpagesize_kB=4\n"
	      "7ffd000f0000 default\n");
	assert_int_equal(maps.nr, 2);
	assert_int_equal(maps.malformed, 0);
	expect(&maps.list[0], "default", "", "", 4);
	expect_bytes(&maps.list[0], 0, 0, 39 * 4096);
	expect_bytes(&maps.list[0], 1, 1, 3 * 4096);
	assert_int_equal(maps.list[0].nr, 2);
	expect(&maps.list[1], "weighted-interleave", "", "0-1", 3);
	expect_bytes(&maps.list[1], 0, 0, 50000ULL * 4096);
	expect_bytes(&maps.list[1], 1, 1, 10000ULL * 4096 + (2 << 20));
	assert_ptr_equal(maps.process, &maps.list[0]);
	tm_numa_maps_release(&maps);
	assert_int_equal(maps.nr, 0);
}

static void test_policies(void **state)
{
	static const struct {
		const char *text, *policy, *flags, *nodes;
	} cases[] = {
		{ "default", "default", "", "" },
		{ "local", "local", "", "" },
		{ "prefer:3", "preferred", "", "3" },
		{ "prefer (many):0,8", "preferred-many", "", "0,8" },
		{ "prefer (many)=static:0,8", "preferred-many", "static", "0,8" },
		{ "bind:0-3", "bind", "", "0-3" },
		{ "bind=static:0-3", "bind", "static", "0-3" },
		{ "bind=static|balancing:0-3", "bind", "static|balancing", "0-3" },
		{ "interleave=relative:1,3", "interleave", "relative", "1,3" },
		{ "weighted interleave:0", "weighted-interleave", "", "0" },
		{ "weighted interleave=static:0,2", "weighted-interleave", "static", "0,2" },
		{ "brand-new:0", "brand-new", "", "0" },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_numa_maps maps;
		char line[256];

		/* At the end of the line, and before something else. */
		for (int more = 0; more < 2; more++) {
			snprintf(line, sizeof(line), "7f00 %s%s%s", cases[i].text,
				 more ? " stack anon=2 N3=2 kernelpagesize_kB=64" : "",
				 more ? "\n" : "");
			parse(&maps, line);
			assert_int_equal(maps.nr, 1);
			assert_int_equal(maps.malformed, 0);
			expect(&maps.list[0], cases[i].policy, cases[i].flags, cases[i].nodes, 1);
			if (more)
				expect_bytes(&maps.list[0], 0, 3, 2 * 65536);
			assert_ptr_equal(maps.process, more ? &maps.list[0] : NULL);
			tm_numa_maps_release(&maps);
		}
	}
}

/* Policies that differ in flags or nodes only are not the same. */
static void test_groups(void **state)
{
	struct tm_numa_maps maps;

	(void)state;
	parse(&maps, "1000 bind:0\n2000 bind:1\n3000 bind=static:0\n4000 bind:0 N9=1 N2=1 N10=1 "
		     "kernelpagesize_kB=4\n");
	assert_int_equal(maps.nr, 3);
	expect(&maps.list[0], "bind", "", "0", 2);
	expect_bytes(&maps.list[0], 0, 2, 4096);
	expect_bytes(&maps.list[0], 1, 9, 4096);
	expect_bytes(&maps.list[0], 2, 10, 4096);
	expect(&maps.list[1], "bind", "", "1", 1);
	expect(&maps.list[2], "bind", "static", "0", 1);
	assert_null(maps.process);
	tm_numa_maps_release(&maps);
}

static void test_malformed(void **state)
{
	static const char *const lines[] = {
		"",
		" ",
		"7f00",
		"7f00 ",
		"nothing default",
		"7f00 :0",
		"7f00 bind:0-",
		"7f00 bind:x",
		"7f00 bind:99999999",
		"7f00 preferable",
		"7f00 bind=a-flag-that-is-far-too-long-to-be-one:0",
		"7f00 a-policy-that-is-far-too-long-to-be-one:0",
		"7f00 default N0=1",
		"7f00 default N0=1 kernelpagesize_kB=",
		"7f00 default N0=1 kernelpagesize_kB=x",
		"7f00 default N0=18446744073709551615 kernelpagesize_kB=4",
		"7f00 default N0=1 kernelpagesize_kB=18446744073709551615",
		"7f00 default N0=18446744073709551615 N0=1 kernelpagesize_kB=4",
	};
	struct tm_numa_maps maps;

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(lines); i++) {
		char text[256];

		/* The sound line beside it counts all the same. */
		snprintf(text, sizeof(text), "%s\n1000 bind:0\n", lines[i]);
		parse(&maps, text);
		assert_int_equal(maps.malformed, 1);
		assert_int_equal(maps.nr, 1);
		expect(&maps.list[0], "bind", "", "0", 1);
		tm_numa_maps_release(&maps);
	}
	/* Words that are not known, or only like known ones, are for others. */
	parse(&maps,
	      "7f00 default N=1 Nx=1 N0 N0=x N99999999=1 mapmax=3 swapcache=1 writeback=2\n");
	assert_int_equal(maps.malformed, 0);
	assert_int_equal(maps.list[0].nr, 0);
	tm_numa_maps_release(&maps);
	parse(&maps, "");
	assert_int_equal(maps.nr + maps.malformed, 0);
	tm_numa_maps_release(&maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
