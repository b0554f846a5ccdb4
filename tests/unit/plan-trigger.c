// SPDX-License-Identifier: GPL-2.0-only
/* What is made goes with what made it, and only what a plan has started is ended. */
#include "tests/unit/trigger.h"

static void test_applies_and_undoes(void **state)
{
	struct tree *tree = *state;
	struct faults f = { DAMON };
	struct tm_journal journal;
	struct tm_plan plan;

	make_tree(tree);
	use_faults(tree, &f);
	plan_damon(tree, &plan);
	assert_null(plan.changes[1].from);
	assert_true(tm_change_restorable(&plan.changes[1]));
	assert_null(tm_plan_lasting(&plan));
	/* Nothing of what is to be made is looked at. */
	assert_int_equal(tm_plan_preview(&plan, &err), 0);
	assert_int_equal(f.writes, 0);
	assert_int_equal(tm_plan_prepare(&plan, false, &err), 0);
	assert_int_equal(tm_plan_apply(&plan, false, &err), 0);
	use_faults(tree, NULL);
	check_after(tree);
	for (size_t i = 0; i < plan.nr; i++)
		assert_int_equal(plan.changes[i].state, TM_CHANGE_DONE);
	assert_string_equal(plan.changes[29].token, "4242");
	tm_plan_release(&plan);
	assert_int_equal(undo(tree, TM_JOURNAL_LAST, &journal), 0);
	check_before(tree);
	assert_int_equal(journal.nr, 30);
	assert_string_equal(journal.changes[29].token, "4242");
	for (size_t i = 0; i < journal.nr; i++)
		assert_int_equal(journal.changes[i].state, TM_CHANGE_RESTORED);
	tm_journal_release(&journal);
	/* All has gone with its maker. */
	assert_int_equal(undo(tree, TM_JOURNAL_LAST, &journal), 0);
	for (size_t i = 0; i < journal.nr; i++)
		assert_int_equal(journal.changes[i].state, TM_CHANGE_UNCHANGED);
	tm_journal_release(&journal);
}

/* The other journal outlives plans that come after. */
static void test_kept_twice(void **state)
{
	struct tree *tree = *state;
	struct tm_journal journal;
	struct tm_plan plan;

	apply_ok(tree);
	tree_file(tree, "proc/sys/x", "3");
	start_plan(tree, &plan);
	add(&plan, "proc/sys/x", "4", TM_FORM_NUMBER);
	assert_int_equal(tm_plan_prepare(&plan, false, &err), 0);
	assert_int_equal(tm_plan_apply(&plan, false, &err), 0);
	tm_plan_release(&plan);
	assert_int_equal(recover(tree), 0);
	assert_int_equal(undo_started(tree), 0);
	check_before(tree);
	assert_string_equal(says(tree, "proc/sys/x"), "4");
	assert_true(tree_has(tree, TM_STATE_FOLDER "/damon.started"));
	/* Undoing the one takes the other along. */
	apply_ok(tree);
	assert_int_equal(undo(tree, TM_JOURNAL_LAST, &journal), 0);
	assert_string_equal(journal.kept_as, "damon.started");
	tm_journal_release(&journal);
	assert_false(tree_has(tree, TM_STATE_FOLDER "/damon.started"));
}

/* Afterwards too: running or not, what is his is not taken away. */
static void test_stranger_afterwards(void **state)
{
	struct tree *tree = *state;

	for (int on = 0; on <= 1; on++) {
		struct tm_journal journal;

		apply_ok(tree);
		take_over(tree, on);
		assert_int_equal(undo(tree, "damon.started", &journal), -EREMOTEIO);
		check_taken_over(tree, on);
		assert_int_equal(journal.changes[0].state, TM_CHANGE_LEFT);
		assert_non_null(strstr(journal.changes[0].error, "goes with it"));
		if (on)
			assert_non_null(strstr(journal.changes[29].error, "9999"));
		assert_false(journal.again);
		tm_journal_release(&journal);
	}
}

/* Ours still runs, with another value in one of its files: the process id tells that it is ours. */
static void test_tuned_afterwards(void **state)
{
	struct tree *tree = *state;

	apply_ok(tree);
	tree_file(tree, file(3), "7");
	assert_int_equal(undo_started(tree), 0);
	check_before(tree);
}

/* Started anew by somebody else, as it was: not ours. */
static void test_started_again(void **state)
{
	struct tree *tree = *state;

	apply_ok(tree);
	tree_file(tree, PID, "9999");
	assert_int_equal(undo_started(tree), -EREMOTEIO);
	assert_string_equal(says(tree, STATE), "on");
	assert_string_equal(says(tree, NUMBER), "1");
}

/* Ended by somebody else, or all of it gone. */
static void test_ended_meanwhile(void **state)
{
	struct tree *tree = *state;

	apply_ok(tree);
	tree_file(tree, STATE, "off");
	tree_file(tree, PID, "-1");
	assert_int_equal(undo_started(tree), 0);
	check_before(tree);

	apply_ok(tree);
	tree_file(tree, NUMBER, "0");
	remove_folder(tree);
	assert_int_equal(undo_started(tree), 0);
	check_before(tree);
}

/* Killed before it was noted what had been started: ours only where all that was set is ours. */
static void test_started_and_killed(void **state)
{
	struct tree *tree = *state;

	for (int his = 0; his <= 1; his++) {
		struct faults f = { DAMON };
		struct tm_journal *list;
		struct tm_lease lease;
		struct tm_plan plan;
		size_t nr;

		make_tree(tree);
		plan_damon(tree, &plan);
		assert_int_equal(tm_plan_prepare(&plan, false, &err), 0);
		assert_int_equal(tm_lease_mine(&lease, &err), 0);
		assert_int_equal(tm_journal_write(&plan, &lease, &err), 0);
		tree_file(tree, NUMBER, "1");
		make_folder(tree);
		for (size_t i = 1; i <= MADE; i++)
			tree_file(tree, plan.changes[i].path, "%s", plan.changes[i].to);
		tree_file(tree, STATE, "on");
		tree_file(tree, PID, "4242");
		if (his)
			tree_file(tree, file(5), "1");
		tm_plan_release(&plan);
		use_faults(tree, &f);
		assert_int_equal(tm_journal_list(&tree->root, &list, &nr, &err), 0);
		assert_int_equal(nr, 1);
		assert_int_equal(tm_journal_undo(&tree->root, &list[0], &err),
				 his ? -EREMOTEIO : 0);
		use_faults(tree, NULL);
		tm_journal_release(&list[0]);
		free(list);
		if (!his)
			check_before(tree);
		else
			assert_string_equal(says(tree, STATE), "on");
	}
}

/* A trigger whose file is there: its outcome is a value like any other, and its token too. */
static void test_plain_trigger(void **state)
{
	struct tm_change_spec spec = { .kind = TM_CHANGE_TRIGGER,
				       .path = "sys/x/run",
				       .to = "on",
				       .restore = "stop",
				       .token = "sys/x/id" };
	struct tree *tree = *state;
	struct tm_plan plan;

	tree_file(tree, "sys/x/run", "stop");
	tree_file(tree, "sys/x/id", "7");
	start_plan(tree, &plan);
	assert_int_equal(tm_plan_add(&plan, &spec, &err), 0);
	assert_string_equal(plan.changes[0].from, "stop");
	assert_int_equal(tm_plan_prepare(&plan, false, &err), 0);
	assert_int_equal(tm_plan_apply(&plan, false, &err), 0);
	tm_plan_release(&plan);
	tree_file(tree, "sys/x/id", "8");
	assert_int_equal(undo_last(tree), -EREMOTEIO);
	assert_string_equal(says(tree, "sys/x/run"), "on");
	tree_remove(tree, "sys/x/id");
	assert_int_equal(undo_last(tree), -EREMOTEIO);
	tree_file(tree, "sys/x/id", "7");
	assert_int_equal(undo_last(tree), 0);
	assert_string_equal(says(tree, "sys/x/run"), "stop");
	/* Running already. */
	tree_file(tree, "sys/x/run", "on");
	start_plan(tree, &plan);
	assert_int_equal(tm_plan_add(&plan, &spec, &err), 0);
	assert_false(tm_plan_has_work(&plan));
	tm_plan_release(&plan);
}

static void test_parts_that_do_not_go_together(void **state)
{
	static const struct tm_change_spec bad[] = {
		/* Nothing makes it; it makes nothing new; what is made makes nothing. */
		{ .path = "sys/b", .to = "1", .made_by = "sys/none" },
		{ .path = "sys/b", .to = "1", .made_by = "sys/same" },
		{ .path = "sys/b", .to = "1", .made_by = "sys/made" },
		{ .path = "sys/b", .to = "1", .made_by = "sys/a", .from = "0" },
		{ .path = "sys/a", .to = "3", .from = "0" },
		{ .path = "sys/a", .to = "3", .token = "sys/b" },
		{ .kind = TM_CHANGE_TRIGGER, .path = "sys/b", .to = "1", .made_by = "sys/a" },
		{ .kind = TM_CHANGE_TRIGGER, .path = "sys/a", .to = "3", .from = "0" },
		{ .kind = TM_CHANGE_COUNT, .path = "sys/b", .to = "1", .made_by = "sys/a" },
		{ .kind = TM_CHANGE_EFFECT, .path = "sys/b", .made_by = "sys/a" },
	};
	struct tree *tree = *state;
	struct tm_plan plan;

	tree_file(tree, "sys/a", "0");
	tree_file(tree, "sys/same", "5");
	start_plan(tree, &plan);
	add(&plan, "sys/a", "1", TM_FORM_TEXT);
	add(&plan, "sys/same", "5", TM_FORM_TEXT);
	assert_int_equal(tm_plan_add(&plan,
				     &(struct tm_change_spec){
					     .path = "sys/made", .to = "1", .made_by = "sys/a" },
				     &err),
			 0);
	for (size_t i = 0; i < TM_ARRAY_SIZE(bad); i++) {
		assert_int_equal(tm_plan_add(&plan, &bad[i], &err), -EINVAL);
		assert_int_equal(plan.nr, 3);
	}
	tm_plan_release(&plan);
}

#define HEAD                                                 \
	"{\"schema\":\"tiermem.journal/1\",\"title\":\"t\"," \
	"\"boot_id\":\"b\",\"pid\":1,\"start\":2,\"changes\":["
#define MAKER                                                      \
	"{\"kind\":\"set\",\"form\":\"text\",\"path\":\"sys/nr\"," \
	"\"from\":\"0\",\"to\":\"1\",\"restore\":\"0\"}"
#define CHANGE(kind, path, more) \
	"{\"kind\":\"" kind "\",\"form\":\"text\",\"path\":\"" path "\",\"to\":\"1\"," more "}"

static void test_journals_that_do_not_go_together(void **state)
{
	static const char *const bad[] = {
		HEAD CHANGE("set", "sys/b", "\"made_by\":\"sys/nr\"") "," MAKER "]}",
		HEAD MAKER "," CHANGE("set", "sys/b", "\"made_by\":\"sys/none\"") "]}",
		HEAD MAKER "," CHANGE("set", "sys/b", "\"made_by\":1") "]}",
		HEAD MAKER "," CHANGE("set", "sys/b", "\"made_by\":\"sys/nr\",\"from\":\"0\"") "]}",
		HEAD MAKER
		"," CHANGE("set", "sys/b", "\"made_by\":\"sys/nr\",\"restore\":\"0\"") "]}",
		HEAD MAKER "," CHANGE("count", "sys/b", "\"made_by\":\"sys/nr\"") "]}",
		HEAD MAKER "," CHANGE("set", "sys/b", "\"made_by\":\"sys/nr\"") "," CHANGE(
			"set", "sys/c", "\"made_by\":\"sys/b\"") "]}",
		HEAD CHANGE("set", "sys/b", "\"restore\":\"0\"") "]}",
		HEAD CHANGE("trigger", "sys/b", "\"restore\":\"0\"") "]}",
		HEAD CHANGE("trigger", "sys/b", "\"from\":\"0\",\"token\":\"7\"") "]}",
		HEAD CHANGE("trigger", "sys/b",
			    "\"from\":\"0\",\"token_path\":\"etc/passwd\"") "]}",
		HEAD CHANGE("set", "sys/b", "\"from\":\"0\",\"token_path\":\"sys/c\"") "]}",
	};
	static const char *const names[] = { "",    ".x",   "..",  "../x",
					     "a/b", "lock", "new", "last.journal" };
	static const char good[] = HEAD MAKER
		"," CHANGE("set", "sys/b", "\"made_by\":\"sys/nr\"") "," CHANGE(
			"trigger", "sys/c",
			"\"from\":\"0\",\"made_by\":\"sys/nr\",\"token_path\":\"sys/d\","
			"\"token\":\"7\",\"restore\":\"0\"") "]}";
	struct tree *tree = *state;
	struct tm_journal journal;

	tree_folder(tree, TM_STATE_FOLDER);
	tree_mode(tree, TM_STATE_FOLDER, 0700);
	for (size_t i = 0; i < TM_ARRAY_SIZE(bad); i++) {
		tree_text(tree, TM_STATE_FOLDER "/x.journal", bad[i]);
		assert_int_equal(tm_journal_read(&tree->root, "x.journal", &journal, &err),
				 -EINVAL);
	}
	for (size_t i = 0; i < TM_ARRAY_SIZE(names); i++) {
		char text[256];

		snprintf(text, sizeof(text),
			 "{\"schema\":\"tiermem.journal/1\",\"title\":\"t\",\"boot_id\":\"b\","
			 "\"pid\":1,\"start\":2,\"kept_as\":\"%s\",\"changes\":[]}",
			 names[i]);
		tree_text(tree, TM_STATE_FOLDER "/x.journal", text);
		assert_int_equal(tm_journal_read(&tree->root, "x.journal", &journal, &err),
				 -EINVAL);
	}
	tree_text(tree, TM_STATE_FOLDER "/x.journal", good);
	assert_int_equal(tm_journal_read(&tree->root, "x.journal", &journal, &err), 0);
	assert_int_equal(journal.nr, 3);
	tm_journal_release(&journal);
}

static void test_refresh(void **state)
{
	struct tree *tree = *state;
	struct faults f = { .at = 1, .error = EINVAL, .only = OP_WRITE };

	tree_file(tree, "sys/x/state", "on");
	assert_int_equal(tm_refresh(&tree->root, "sys/x/state", "update", &err), 0);
	assert_string_equal(says(tree, "sys/x/state"), "update");
	assert_false(tree_has(tree, "run"));
	assert_int_equal(tm_refresh(&tree->root, "sys/x/none", "update", &err), -ENOENT);
	use_faults(tree, &f);
	assert_int_equal(tm_refresh(&tree->root, "sys/x/state", "more", &err), -EINVAL);
	use_faults(tree, NULL);
	assert_non_null(strstr(err.text, "'more' was not taken"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_applies_and_undoes),
		tree_test(test_kept_twice),
		tree_test(test_stranger_afterwards),
		tree_test(test_tuned_afterwards),
		tree_test(test_started_again),
		tree_test(test_ended_meanwhile),
		tree_test(test_started_and_killed),
		tree_test(test_plain_trigger),
		tree_test(test_parts_that_do_not_go_together),
		tree_test(test_journals_that_do_not_go_together),
		tree_test(test_refresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
