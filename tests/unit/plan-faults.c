// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever goes wrong at whatever step: every setting ends as it was, or as planned, or is reported
 * as left. Never silently between.
 */
#include "tests/unit/plan.h"

#define MOST 200 /* steps; a plan has far fewer */

static int run(struct tree *tree, struct tm_plan *plan, struct tm_error *err)
{
	int rc;

	plan_weights(tree, plan);
	rc = tm_plan_prepare(plan, false, err);
	return rc ? rc : tm_plan_apply(plan, false, err);
}

static bool is_left(const struct tm_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->nr; i++)
		if (!strcmp(plan->changes[i].path, path))
			return plan->changes[i].state == TM_CHANGE_LEFT && plan->changes[i].error;
	return false;
}

static void check_left(const struct tree *tree, const struct tm_plan *plan)
{
	for (size_t i = 0; i < plan->nr; i++)
		if (strcmp(says(tree, plan->changes[i].path), plan->changes[i].from) != 0)
			assert_true(is_left(plan, plan->changes[i].path));
}

/* One run with a fault; true while the fault happened. */
static bool survives(struct tree *tree, struct faults *f)
{
	struct tm_error err = { 0 };
	struct tm_plan plan;
	bool left;
	int rc;

	make_settings(tree);
	use_faults(tree, f);
	rc = run(tree, &plan, &err);
	use_faults(tree, NULL);
	assert_false(f->early);
	left = plan.left;
	if (!rc) {
		assert_string_equal(weights(tree), AFTER);
		assert_false(left);
		assert_int_equal(undo_last(tree), 0);
	} else {
		assert_true(f->happened);
		assert_true(err.text[0]);
		assert_int_equal(rc, -err.number);
		if (left)
			check_left(tree, &plan);
		else
			assert_string_equal(weights(tree), BEFORE);
		assert_true(!left || plan.again);
		/* With a journal, when what hindered us is gone, it can be had back. */
		if (left)
			assert_int_equal(recover_all(tree), 1);
		else if (f->onwards && !f->only)
			recover_all(tree); /* it could not be removed either */
		else
			assert_int_equal(recover_all(tree), 0);
	}
	assert_string_equal(weights(tree), BEFORE);
	tm_plan_release(&plan);
	/* Nothing bars the next one. */
	plan_weights(tree, &plan);
	assert_int_equal(tm_plan_prepare(&plan, false, NULL), 0);
	assert_int_equal(tm_plan_apply(&plan, false, NULL), 0);
	assert_string_equal(weights(tree), AFTER);
	tm_plan_release(&plan);
	return f->happened;
}

/* Makes each call of a kind fail in turn; how many there were. */
static int each_fails(struct tree *tree, struct faults how)
{
	int k = 1;

	for (; k < MOST; k++) {
		struct faults f = how;

		f.at = k;
		if (!survives(tree, &f))
			break;
	}
	assert_in_range(k, 2, MOST - 1);
	return k - 1;
}

static void test_writes_fail(void **state)
{
	static const int numbers[] = { EINVAL, EPERM, ENODEV, EIO, ENOSPC };

	for (size_t i = 0; i < TM_ARRAY_SIZE(numbers); i++)
		/* The journal, the switch, two weights; on failing some of them back. */
		assert_true(each_fails(*state, (struct faults){ .error = numbers[i],
								.only = OP_WRITE }) >= 4);
}

static void test_writes_are_short(void **state)
{
	assert_true(each_fails(*state, (struct faults){ .brief = true, .only = OP_WRITE }) >= 4);
}

static void test_other_calls_fail(void **state)
{
	static const enum op ops[] = { OP_OPEN, OP_TRUNCATE, OP_SYNC, OP_RENAME, OP_MKDIR };

	for (size_t i = 0; i < TM_ARRAY_SIZE(ops); i++)
		each_fails(*state, (struct faults){ .error = EIO, .only = ops[i] });
}

static void test_all_fails_from_there(void **state)
{
	static const enum op ops[] = { OP_NONE, OP_WRITE, OP_TRUNCATE, OP_SYNC };

	for (size_t i = 0; i < TM_ARRAY_SIZE(ops); i++)
		each_fails(*state,
			   (struct faults){ .error = EIO, .onwards = true, .only = ops[i] });
}

/* The roll-back succeeds and its journal cannot be removed: it is recovered for nothing. */
static void test_unlinking_fails(void **state)
{
	struct tree *tree = *state;
	struct faults f = { .error = EIO, .at = 3, .only = OP_WRITE, .unlink_error = EROFS };
	struct tm_error err = { 0 };
	struct tm_plan plan;

	make_settings(tree);
	use_faults(tree, &f);
	assert_int_equal(run(tree, &plan, &err), -EIO);
	assert_false(plan.left);
	use_faults(tree, NULL);
	tm_plan_release(&plan);
	assert_string_equal(weights(tree), BEFORE);
	assert_int_equal(recover_all(tree), 1);
	assert_string_equal(weights(tree), BEFORE);
}

/* In a child that dies at the k-th call, before or after it; is there one? */
static bool dies(struct tree *tree, int k, int how)
{
	struct tm_error err = { 0 };
	struct tm_plan plan;
	int status;
	pid_t pid;

	make_settings(tree);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct faults f = { .at = k, .die = how };

		use_faults(tree, &f);
		_exit(run(tree, &plan, &err) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 1);
	if (tree_has(tree, "run/tiermem/" TM_JOURNAL_LAST)) {
		assert_string_equal(weights(tree), AFTER);
		assert_int_equal(recover_all(tree), 0);
		assert_int_equal(undo_last(tree), 0);
	} else {
		/* Without a journal nothing was written. */
		if (strcmp(weights(tree), BEFORE) != 0)
			assert_int_equal(recover_all(tree), 1);
		else
			recover_all(tree);
	}
	assert_string_equal(weights(tree), BEFORE);
	return WEXITSTATUS(status) == 9;
}

static void test_killed(void **state)
{
	for (int how = 1; how <= 2; how++) {
		int k = 1;

		while (k < MOST && dies(*state, k, how))
			k++;
		assert_in_range(k, 15, MOST - 1);
	}
}

/* Undoing is killed: what is left of it can be undone. */
static void test_undo_killed(void **state)
{
	struct tree *tree = *state;

	for (int how = 1; how <= 2; how++) {
		int k = 1, status = 9 << 8;

		for (; k < MOST && WEXITSTATUS(status) == 9; k++) {
			struct tm_plan plan;
			pid_t pid;

			make_settings(tree);
			assert_int_equal(run(tree, &plan, NULL), 0);
			tm_plan_release(&plan);
			pid = fork();
			if (!pid) {
				struct faults f = { .at = k, .die = how };

				use_faults(tree, &f);
				_exit(undo_last(tree) ? 1 : 0);
			}
			assert_int_equal(waitpid(pid, &status, 0), pid);
			assert_int_not_equal(WEXITSTATUS(status), 1);
			assert_int_equal(undo_last(tree), 0);
			assert_string_equal(weights(tree), BEFORE);
		}
		assert_in_range(k, 4, MOST - 1);
	}
}

static void stranger_node0(struct faults *f)
{
	tree_file(f->tree, W "/node0", "77");
}

/* Whenever a stranger sets node0: his value stays, or ours is there because he came first. */
static void test_stranger_at_each_step(void **state)
{
	struct tree *tree = *state;

	for (int k = 1; k < MOST; k++) {
		struct faults f = { .at = k, .before = stranger_node0 };
		struct tm_error err = { 0 };
		struct tm_plan plan;
		int rc;

		make_settings(tree);
		plan_weights(tree, &plan);
		use_faults(tree, &f);
		rc = tm_plan_prepare(&plan, false, &err);
		if (!rc)
			rc = tm_plan_apply(&plan, false, &err);
		use_faults(tree, NULL);
		if (rc) {
			assert_string_equal(weights(tree), "true 77 5 1");
			assert_true(rc == -ESTALE || rc == -EIO);
			assert_non_null(strstr(err.text, "77"));
		} else {
			assert_true(!strcmp(weights(tree), AFTER) ||
				    !strcmp(weights(tree), "false 77 1 1"));
		}
		/* What is not ours is not undone. */
		if (!rc && !strcmp(says(tree, W "/node0"), "77")) {
			assert_int_equal(undo_last(tree), -EREMOTEIO);
			assert_string_equal(weights(tree), "true 77 5 1");
		}
		tm_plan_release(&plan);
		if (!f.happened) {
			assert_true(k > 10);
			return;
		}
	}
	fail();
}

/* As soon as node0 is written, a stranger sets node1. */
static void overtake(struct faults *f, const char *path)
{
	if (!strcmp(path, W "/node0") && !strcmp(says(f->tree, W "/node1"), "5"))
		tree_file(f->tree, W "/node1", "4");
}

/* Between prepare and apply: changed, vanished. */
static void test_moved_after_prepare(void **state)
{
	struct tree *tree = *state;
	struct faults f = { .kernel = overtake };
	struct tm_error err = { 0 };
	struct tm_plan plan;

	make_settings(tree);
	plan_weights(tree, &plan);
	assert_int_equal(tm_plan_prepare(&plan, false, &err), 0);
	tree_file(tree, W "/node1", "77");
	assert_int_equal(tm_plan_apply(&plan, false, &err), -ESTALE);
	assert_string_equal(weights(tree), "true 26 77 1");
	assert_false(plan.left);
	assert_int_equal(plan.changes[2].state, TM_CHANGE_FAILED);
	assert_int_equal(recover_all(tree), 0);
	tm_plan_release(&plan);

	make_settings(tree);
	plan_weights(tree, &plan);
	assert_int_equal(tm_plan_prepare(&plan, false, &err), 0);
	tree_remove(tree, W "/node1");
	assert_int_equal(tm_plan_apply(&plan, false, &err), -ENOENT);
	assert_string_equal(weights(tree), "true 26  1");
	assert_false(plan.left);
	tm_plan_release(&plan);

	/* While it is at work. */
	make_settings(tree);
	plan_weights(tree, &plan);
	use_faults(tree, &f);
	assert_int_equal(tm_plan_prepare(&plan, false, &err), 0);
	assert_int_equal(tm_plan_apply(&plan, false, &err), -ESTALE);
	use_faults(tree, NULL);
	assert_string_equal(weights(tree), "true 26 4 1");
	assert_false(plan.left);
	tm_plan_release(&plan);
}

static void meddle(struct faults *f, const char *path)
{
	if (!strcmp(path, W "/node1"))
		tree_file(f->tree, W "/node0", "77");
}

/* The third setting fails after a stranger has set the second: his stays, and is reported. */
static void test_stranger_before_roll_back(void **state)
{
	struct tree *tree = *state;
	struct faults f = { .kernel = meddle, .at = 4, .brief = true, .only = OP_WRITE };
	struct tm_error err = { 0 };
	struct tm_plan plan;

	make_settings(tree);
	use_faults(tree, &f);
	assert_int_equal(run(tree, &plan, &err), -EIO);
	use_faults(tree, NULL);
	assert_true(f.happened);
	assert_true(plan.left);
	assert_false(plan.again);
	assert_true(is_left(&plan, W "/node0"));
	assert_string_equal(weights(tree), "true 77 5 1");
	tm_plan_release(&plan);
	/* It bars nobody. */
	plan_weights(tree, &plan);
	assert_int_equal(tm_plan_prepare(&plan, false, NULL), 0);
	tm_plan_release(&plan);
}

/* The node goes while the plan is taken back. */
static void vanish(struct faults *f, const char *path)
{
	if (!strcmp(path, W "/node1"))
		tree_remove(f->tree, W "/node0");
}

static void test_vanishes_before_roll_back(void **state)
{
	struct tree *tree = *state;
	struct faults f = { .kernel = vanish, .at = 4, .brief = true, .only = OP_WRITE };
	struct tm_error err = { 0 };
	struct tm_plan plan;

	make_settings(tree);
	use_faults(tree, &f);
	assert_int_equal(run(tree, &plan, &err), -EIO);
	use_faults(tree, NULL);
	assert_true(plan.left);
	assert_true(is_left(&plan, W "/node0"));
	assert_string_equal(weights(tree), "true  5 1");
	tm_plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_writes_fail),
		tree_test(test_writes_are_short),
		tree_test(test_other_calls_fail),
		tree_test(test_all_fails_from_there),
		tree_test(test_unlinking_fails),
		tree_test(test_killed),
		tree_test(test_undo_killed),
		tree_test(test_stranger_at_each_step),
		tree_test(test_moved_after_prepare),
		tree_test(test_stranger_before_roll_back),
		tree_test(test_vanishes_before_roll_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
