/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings, counters and demotion targets as lib/model/policy.c reads them; verdicts. */
#include "tests/unit/machine.h"

#include "lib/model/policy.h"

#define TIERS "sys/devices/virtual/memory_tiering"
#define SCAN "sys/kernel/debug/sched/numa_balancing"

struct read {
	struct tm_machine machine;
	struct tm_tier_policy policy;
};

static void read_policy(const struct tree *tree, struct read *r)
{
	struct tm_error err = { 0 };

	machine_read(tree, &r->machine);
	assert_int_equal(tm_policy_read(&r->policy, &r->machine, &tree->root, &err), 0);
}

static void release(struct read *r)
{
	tm_policy_release(&r->policy);
	tm_machine_release(&r->machine);
}

static void put_tier(const struct tree *tree, int id, const char *nodes)
{
	char path[128];

	snprintf(path, sizeof(path), TIERS "/memory_tier%d/nodelist", id);
	tree_file(tree, path, "%s", nodes);
}

static void put_release(const struct tree *tree, const char *release)
{
	tree_file(tree, "proc/sys/kernel/osrelease", "%s", release);
}

/* --- reading --- */

static void nothing_there(void **state)
{
	struct read r;

	read_policy(*state, &r);
	assert_int_equal(r.policy.nr_nodes, 0);
	assert_int_equal(r.policy.debugfs, TM_ABSENT);
	assert_no_num(tm_policy_number(&r.policy, "demotion"), TM_ABSENT);
	assert_no_num(tm_policy_number(&r.policy, "numa-balancing"), TM_ABSENT);
	assert_no_num(r.policy.swappiness, TM_ABSENT);
	assert_no_num(tm_policy_counter(&r.policy.counters, "pgdemote_kswapd")->value, TM_ABSENT);
	assert_null(tm_policy_counter(&r.policy.counters, "pgfault"));
	assert_null(tm_policy_node(&r.policy, 0));
	assert_int_equal(r.policy.promotion.active, TM_NO);
	release(&r);
}

static void settings(void **state)
{
	struct tree *tree = *state;
	struct read r;

	tree_file(tree, "sys/kernel/mm/numa/demotion_enabled", "true");
	tree_file(tree, "proc/sys/kernel/numa_balancing", "3");
	tree_file(tree, "proc/sys/kernel/numa_balancing_promote_rate_limit_MBps", "19073");
	tree_file(tree, "proc/sys/vm/zone_reclaim_mode", "many");
	tree_file(tree, "proc/sys/vm/swappiness", "60");
	tree_file(tree, SCAN "/scan_size_mb", "256");
	tree_file(tree, SCAN "/scan_delay_ms", "1000");
	tree_mode(tree, SCAN "/scan_delay_ms", 0);
	read_policy(tree, &r);
	assert_int_equal(r.policy.debugfs, TM_KNOWN);
	assert_num(tm_policy_number(&r.policy, "demotion"), 1);
	assert_num(tm_policy_number(&r.policy, "numa-balancing"), 3);
	assert_num(tm_policy_number(&r.policy, "promote-rate-limit"), 19073);
	assert_num(tm_policy_number(&r.policy, "scan-size"), 256);
	assert_num(r.policy.swappiness, 60);
	assert_no_num(tm_policy_number(&r.policy, "zone-reclaim-mode"), TM_MALFORMED);
	assert_no_num(tm_policy_number(&r.policy, "scan-delay"), TM_DENIED);
	assert_no_num(tm_policy_number(&r.policy, "hot-threshold"), TM_ABSENT);
	release(&r);
	/* Mounted, but for root only. */
	tree_mode(tree, "sys/kernel/debug", 0);
	read_policy(tree, &r);
	assert_int_equal(r.policy.debugfs, TM_DENIED);
	tree_mode(tree, "sys/kernel/debug", 0755);
	release(&r);
	tree_remove(tree, "sys/kernel/debug/sched");
	read_policy(tree, &r);
	assert_int_equal(r.policy.debugfs, TM_ABSENT);
	release(&r);
}

/* Field case 23: what a kernel does not count is no 0, and what nobody has heard of is taken. */
static void counters(void **state)
{
	struct tree *tree = *state;
	const struct tm_policy_counter *last;
	struct read r;

	machine_lists(tree, "0", "0", "0");
	machine_node(tree, 0, "0", "10", 1024);
	tree_text(tree, "proc/vmstat",
		  "nr_free_pages 12\npgpromote_success 18446744073709551615\npgdemote_kswapd 0\n"
		  "pgdemote_direct many\npgdemote_by_magic 7\npgdemote_ 3\nnuma_hit\nnumapages 5\n"
		  "thp_migration_split 3 4\npgfault 1");
	tree_text(tree, NODE "/node0/vmstat", "pgpromote_success 5\nnuma_hit 9\n");
	read_policy(tree, &r);
	assert_num(tm_policy_counter(&r.policy.counters, "pgpromote_success")->value, UINT64_MAX);
	assert_num(tm_policy_counter(&r.policy.counters, "pgdemote_kswapd")->value, 0);
	assert_no_num(tm_policy_counter(&r.policy.counters, "pgdemote_direct")->value,
		      TM_MALFORMED);
	assert_no_num(tm_policy_counter(&r.policy.counters, "pgdemote_khugepaged")->value,
		      TM_UNSUPPORTED);
	assert_no_num(tm_policy_counter(&r.policy.counters, "thp_migration_split")->value,
		      TM_MALFORMED);
	assert_no_num(tm_policy_counter(&r.policy.counters, "numa_hit")->value, TM_UNSUPPORTED);
	last = &r.policy.counters.list[r.policy.counters.nr - 1];
	assert_string_equal(last->name, "pgdemote_by_magic");
	assert_num(last->value, 7);
	assert_null(tm_policy_counter(&r.policy.counters, "pgdemote_"));
	assert_null(tm_policy_counter(&r.policy.counters, "numapages"));
	assert_null(tm_policy_counter(&r.policy.counters, "pgpromote"));
	assert_num(tm_policy_counter(&r.policy.nodes[0].counters, "pgpromote_success")->value, 5);
	assert_num(tm_policy_counter(&r.policy.nodes[0].counters, "numa_hit")->value, 9);
	assert_no_num(tm_policy_counter(&r.policy.nodes[0].counters, "pgdemote_direct")->value,
		      TM_UNSUPPORTED);
	release(&r);
	tree_mode(tree, "proc/vmstat", 0);
	read_policy(tree, &r);
	assert_no_num(tm_policy_counter(&r.policy.counters, "pgdemote_direct")->value, TM_DENIED);
	assert_num(tm_policy_counter(&r.policy.nodes[0].counters, "numa_hit")->value, 9);
	release(&r);
}

/* --- targets --- */

/* "0>2+2-3": node 0's pages go to 2, else to 2-3; a top tier's node has a "^" before it. */
static void add_targets(const struct tm_tier_policy *p, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < p->nr_nodes; i++) {
		const struct tm_policy_node *node = &p->nodes[i];
		char *to = tm_idset_format(&node->targets);
		char *also = tm_idset_format(&node->fallback);
		size_t len = strlen(text);

		snprintf(text + len, size - len, "%s%s%d>%s+%s", len ? " " : "",
			 tm_num_is(&node->top) && node->top.value ? "^" : "", node->node->id, to,
			 also);
		free(to);
		free(also);
	}
}

#define MAX 6
struct shape {
	const char *name;
	struct {
		const char *cpus, *distances;
	} nodes[MAX];
	struct {
		int id;
		const char *nodes;
	} tiers[MAX];
	const char *wanted;
};

static const struct shape shapes[] = {
	/* The first two are what kernels said in their logs, in virtual machines A and B. */
	{ "one below",
	  { { "0-1", "10 20" }, { "", "20 10" } },
	  { { 4, "0" }, { 70, "1" } },
	  "^0>1+1 1>+" },
	{ "three tiers",
	  { { "0-1", "10 20 20" }, { "", "20 10 20" }, { "", "20 20 10" } },
	  { { 4, "0" }, { 70, "1" }, { 326, "2" } },
	  "^0>1+1-2 1>2+2 2>+" },
	{ "one tier", { { "0", "10 20" }, { "1", "20 10" } }, { { 4, "0-1" } }, "^0>+ ^1>+" },
	{ "a pair each",
	  { { "0", "10 20 30 40" },
	    { "1", "20 10 40 30" },
	    { "", "30 40 10 40" },
	    { "", "40 30 40 10" } },
	  { { 4, "0-1" }, { 22, "2-3" } },
	  "^0>2+2-3 ^1>3+2-3 2>+ 3>+" },
	{ "memory without CPUs above those with: top all the same",
	  { { "0", "10 20 30" }, { "", "20 10 40" }, { "", "30 40 10" } },
	  { { 1, "1" }, { 4, "0" }, { 22, "2" } },
	  "^0>2+2 ^1>0+0,2 2>+" },
	{ "equally near: all of them",
	  { { "0", "10 20 20 21" },
	    { "", "20 10 20 20" },
	    { "", "20 20 10 20" },
	    { "", "21 20 20 10" } },
	  { { 4, "0" }, { 22, "1-3" } },
	  "^0>1-2+1-3 1>+ 2>+ 3>+" },
	{ "lower numbers are taken to be farther, and so are CPUs",
	  { { "0", "10 20 30 30" },
	    { "1", "20 10 30 30" },
	    { "2", "30 20 10 21" },
	    { "", "30 30 21 10" } },
	  { { 4, "2" }, { 22, "1,3" }, { 30, "0" } },
	  "^0>+ ^1>0+0 ^2>3+0-1,3 ^3>0+0" },
	{ "CPUs in the slowest tier: every tier is top",
	  { { "0", "10 20" }, { "1", "20 10" } },
	  { { 4, "0" }, { 22, "1" } },
	  "^0>1+1 ^1>+" },
	{ "no CPUs at all",
	  { { "", "10 20" }, { "", "20 10" } },
	  { { 4, "0" }, { 22, "1" } },
	  "0>1+1 1>+" },
	{ "a node in no tier",
	  { { "0", "10 20 20" }, { "", "20 10 20" }, { "", "20 20 10" } },
	  { { 4, "0" }, { 22, "1" } },
	  "^0>1+1-2 1>+2 ^2>+" },
	{ "a tier of nobody between",
	  { { "0", "10 20" }, { "", "20 10" } },
	  { { 4, "0" }, { 9, "" }, { 22, "1" } },
	  "^0>1+1 1>+" },
};

static void put_shape(const struct tree *tree, const struct shape *shape)
{
	char list[16];
	int nr = 0;

	tree_remove(tree, "sys/devices");
	tree_folder(tree, TIERS);
	for (; nr < MAX && shape->nodes[nr].cpus; nr++)
		machine_node(tree, nr, shape->nodes[nr].cpus, shape->nodes[nr].distances, 1024);
	snprintf(list, sizeof(list), "0-%d", nr - 1);
	machine_lists(tree, list, list, list);
	for (int t = 0; t < MAX && shape->tiers[t].nodes; t++)
		put_tier(tree, shape->tiers[t].id, shape->tiers[t].nodes);
}

static void targets(void **state)
{
	for (size_t i = 0; i < TM_ARRAY_SIZE(shapes); i++) {
		char got[256];
		struct read r;

		put_shape(*state, &shapes[i]);
		read_policy(*state, &r);
		add_targets(&r.policy, got, sizeof(got));
		if (strcmp(got, shapes[i].wanted))
			print_error("%s\n", shapes[i].name);
		assert_string_equal(got, shapes[i].wanted);
		release(&r);
	}
}

/* --- verdicts --- */

/* The codes of a verdict; what only could not be read has a "?", a note brackets. */
static void say_verdict(const struct tm_verdict *verdict, char *text, size_t size)
{
	static const char *const answers[] = { "no:", "yes:", "unsure:" };

	snprintf(text, size, "%s", answers[verdict->active]);
	for (size_t i = 0; i < verdict->reasons.nr; i++) {
		const struct tm_problem *reason = &verdict->reasons.list[i];
		size_t len = strlen(text);

		assert_string_not_equal(reason->message, "");
		snprintf(text + len, size - len,
			 reason->severity == TM_NOTE	? " (%s)" :
			 reason->severity == TM_WARNING ? " %s?" :
							  " %s",
			 reason->code);
	}
}

/* What a machine is like, and what that alone makes of the two ways. */
struct kind {
	const char *name;
	void (*put)(const struct tree *tree);
	enum tm_answer down, up;
	const char *down_codes, *up_codes;
};

static void put_two(const struct tree *tree)
{
	put_shape(tree, &shapes[0]);
	put_release(tree, "6.12.0");
}

static void put_one_node(const struct tree *tree)
{
	put_two(tree);
	machine_lists(tree, "0", "0", "0");
	put_tier(tree, 4, "0");
	tree_remove(tree, TIERS "/memory_tier70");
	tree_remove(tree, NODE "/node1");
}

static void put_alike(const struct tree *tree)
{
	put_shape(tree, &shapes[2]);
	put_release(tree, "6.12.0");
}

/* Field case 16. */
static void put_far_in_tier(const struct tree *tree)
{
	put_two(tree);
	tree_remove(tree, TIERS "/memory_tier70");
	put_tier(tree, 4, "0-1");
}

static void put_all_top(const struct tree *tree)
{
	put_two(tree);
	tree_file(tree, NODE "/node1/cpulist", "2-3");
}

static void put_no_home(const struct tree *tree)
{
	put_two(tree);
	tree_file(tree, NODE "/node0/cpulist", "%s", "");
}

static void put_old(const struct tree *tree)
{
	put_two(tree);
	tree_remove(tree, TIERS);
	put_release(tree, "5.15.0");
}

static void put_denied(const struct tree *tree)
{
	put_two(tree);
	tree_mode(tree, TIERS "/memory_tier70/nodelist", 0);
}

static const struct kind kinds[] = {
	{ "two tiers", put_two, TM_YES, TM_YES, "", "" },
	{ "one node", put_one_node, TM_NO, TM_NO, " one-node", " one-node" },
	{ "alike", put_alike, TM_NO, TM_NO, " no-lower-tier", " no-lower-tier" },
	{ "far memory in DRAM's tier", put_far_in_tier, TM_NO, TM_NO, " one-tier", " one-tier" },
	{ "all top", put_all_top, TM_YES, TM_NO, "", " all-top" },
	{ "no home", put_no_home, TM_YES, TM_NO, "", " no-home" },
	{ "old kernel", put_old, TM_UNSURE, TM_UNSURE, " tiers-unreadable?", " tiers-unreadable?" },
	{ "denied", put_denied, TM_UNSURE, TM_UNSURE, " tiers-unreadable?", " tiers-unreadable?" },
};

/* A setting, and what it alone makes of its way. NULL: absent; "": denied. */
struct value {
	const char *text;
	enum tm_answer active;
	const char *codes, *notes;
};

static const struct value demotions[] = {
	{ "true", TM_YES, "", "" },
	{ "1", TM_YES, "", "" },
	{ "false", TM_NO, " demotion-off", "" },
	{ "perhaps", TM_UNSURE, " demotion-unreadable?", "" },
	{ "", TM_UNSURE, " demotion-unreadable?", "" },
	{ NULL, TM_NO, " demotion-unsupported", "" },
};

static const struct value balancings[] = {
	{ "0", TM_NO, " balancing-off", "" },
	{ "1", TM_YES, "", " (unlimited)" },
	{ "2", TM_YES, "", "" },
	{ "3", TM_YES, "", "" },
	{ "4", TM_UNSURE, " balancing-odd?", "" },
	{ "", TM_UNSURE, " balancing-unreadable?", "" },
	{ NULL, TM_NO, " balancing-unsupported", "" },
};

static void put_value(const struct tree *tree, const char *path, const char *text)
{
	if (!text) {
		tree_remove(tree, path);
		return;
	}
	tree_file(tree, path, "%s", text);
	if (!*text)
		tree_mode(tree, path, 0);
}

static enum tm_answer both(enum tm_answer a, enum tm_answer b)
{
	if (a == TM_NO || b == TM_NO)
		return TM_NO;
	return a == TM_UNSURE || b == TM_UNSURE ? TM_UNSURE : TM_YES;
}

/* Field case 29: the two ways apart, each with its missing links. */
static void check_pair(const struct tree *tree, const struct kind *kind, const struct value *down,
		       const struct value *up)
{
	static const char *const answers[] = { "no:", "yes:", "unsure:" };
	enum tm_answer goes_down = both(kind->down, down->active);
	enum tm_answer goes_up = both(kind->up, up->active);
	char wanted[512], got[512];
	struct read r;

	put_value(tree, "sys/kernel/mm/numa/demotion_enabled", down->text);
	put_value(tree, "proc/sys/kernel/numa_balancing", up->text);
	read_policy(tree, &r);
	/* The links of the machine, of the setting, notes; at the end, half a set-up. */
	snprintf(wanted, sizeof(wanted), "%s%s%s%s", answers[goes_down], kind->down_codes,
		 down->codes, goes_down != TM_NO && goes_up == TM_NO ? " (no-way-up)" : "");
	say_verdict(&r.policy.demotion, got, sizeof(got));
	if (strcmp(got, wanted))
		print_error("%s, demotion %s\n", kind->name, down->text);
	assert_string_equal(got, wanted);
	if (!strcmp(kind->up_codes, " all-top") || !strcmp(kind->up_codes, " no-home"))
		snprintf(wanted, sizeof(wanted), "%s%s%s%s", answers[goes_up], up->codes,
			 kind->up_codes, up->notes);
	else
		snprintf(wanted, sizeof(wanted), "%s%s%s%s%s", answers[goes_up], kind->up_codes,
			 up->codes, up->notes,
			 goes_up != TM_NO && goes_down == TM_NO ? " (no-room)" : "");
	say_verdict(&r.policy.promotion, got, sizeof(got));
	if (strcmp(got, wanted))
		print_error("%s, numa_balancing %s\n", kind->name, up->text);
	assert_string_equal(got, wanted);
	release(&r);
}

static void verdicts(void **state)
{
	for (size_t k = 0; k < TM_ARRAY_SIZE(kinds); k++) {
		kinds[k].put(*state);
		for (size_t d = 0; d < TM_ARRAY_SIZE(demotions); d++)
			for (size_t b = 0; b < TM_ARRAY_SIZE(balancings); b++)
				check_pair(*state, &kinds[k], &demotions[d], &balancings[b]);
	}
}

static void put_both_on(const struct tree *tree)
{
	tree_file(tree, "sys/kernel/mm/numa/demotion_enabled", "true");
	tree_file(tree, "proc/sys/kernel/numa_balancing", "2");
}

#define assert_verdict(verdict, wanted)                   \
	do {                                              \
		char got_[512];                           \
		say_verdict(verdict, got_, sizeof(got_)); \
		assert_string_equal(got_, wanted);        \
	} while (0)

static void notes(void **state)
{
	struct tree *tree = *state;
	struct tm_error err = { 0 };
	struct read r;

	put_two(tree);
	put_both_on(tree);
	tree_file(tree, "proc/sys/vm/swappiness", "0");
	tree_file(tree, "proc/sys/kernel/numa_balancing_promote_rate_limit_MBps", "0");
	read_policy(tree, &r);
	assert_verdict(&r.policy.demotion, "yes: (swappiness-zero)");
	assert_verdict(&r.policy.promotion, "yes: (rate-limit-zero)");
	/* As if it were set. */
	assert_int_equal(tm_policy_suppose(&r.policy, "promote-rate-limit", "5", &err), 0);
	assert_int_equal(tm_policy_suppose(&r.policy, "demotion", "false", &err), 0);
	assert_verdict(&r.policy.demotion, "no: demotion-off (swappiness-zero)");
	assert_verdict(&r.policy.promotion, "yes: (no-room)");
	release(&r);
	/* Memory that came in no tier. */
	put_shape(tree, &shapes[9]);
	tree_file(tree, "proc/sys/vm/swappiness", "1");
	tree_file(tree, "proc/sys/kernel/numa_balancing_promote_rate_limit_MBps", "1");
	read_policy(tree, &r);
	assert_verdict(&r.policy.demotion, "yes: (node-without-tier)");
	assert_verdict(&r.policy.promotion, "yes: (node-without-tier)");
	release(&r);
}

/* The kernel gives up tiers by performance where DRAM nodes differ by more than a tenth. */
static void dram_mismatch(void **state)
{
	static const struct {
		unsigned bandwidth, latency;
		const char *release;
		bool odd;
	} cases[] = {
		{ 100000, 100, "6.12.0", false }, { 110000, 110, "6.12.0", false },
		{ 110001, 100, "6.12.0", true },  { 89999, 100, "6.12.0", true },
		{ 90000, 90, "6.12.0", false },	  { 100000, 111, "6.12.0", true },
		{ 100000, 111, "6.7.0", true },	  { 100000, 111, "6.6.0", false },
		{ 0, 0, "6.12.0", false },
	};
	struct tree *tree = *state;
	struct read last;

	put_alike(tree);
	put_both_on(tree);
	machine_figures(tree, 0, 1, 0, 100000, 100);
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct read r;

		put_release(tree, cases[i].release);
		machine_figures(tree, 1, 1, 1, cases[i].bandwidth, cases[i].latency);
		read_policy(tree, &r);
		assert_verdict(&r.policy.demotion, cases[i].odd ?
							   "no: no-lower-tier dram-mismatch" :
							   "no: no-lower-tier");
		release(&r);
	}
	/* Where a tier is below all the same, it is only a word of caution. */
	put_shape(tree, &shapes[3]);
	put_release(tree, "6.12.0");
	machine_figures(tree, 0, 1, 0, 100000, 100);
	machine_figures(tree, 1, 1, 1, 100000, 200);
	read_policy(tree, &last);
	assert_verdict(&last.policy.demotion, "yes: (dram-mismatch)");
	release(&last);
}

/* Every code turns up in the document's list, and no other does. */
static void codes(void **state)
{
	size_t nr = 0;

	(void)state;
	for (const char *code; (code = tm_policy_code(nr)); nr++)
		for (size_t i = 0; i < nr; i++)
			assert_string_not_equal(code, tm_policy_code(i));
	assert_true(nr > 15);
	assert_null(tm_policy_code(nr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(nothing_there), tree_test(settings),	   tree_test(counters),
		tree_test(targets),	  tree_test(verdicts),	   tree_test(notes),
		tree_test(dram_mismatch), cmocka_unit_test(codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
