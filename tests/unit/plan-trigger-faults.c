// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plan of thirty changes as DAMON needs it: whatever goes wrong at whatever step, nothing of ours
 * runs or is there afterwards, or all is as planned. What a stranger has started is never ended.
 */
#include "tests/unit/trigger.h"

#define MOST 300

/* One run with a fault; true while the fault happened. */
static bool survives(struct tree *tree, struct faults how, int k)
{
	struct faults f = how;
	struct tm_plan plan;
	bool left;
	int rc;

	f.at = k;
	f.kernel = damon;
	f.refuse = busy;
	make_tree(tree);
	use_faults(tree, &f);
	rc = run(tree, &plan);
	use_faults(tree, NULL);
	left = plan.left;
	if (!rc) {
		check_after(tree);
		assert_false(left);
		assert_int_equal(undo_started(tree), 0);
	} else {
		assert_true(f.happened);
		assert_true(err.text[0]);
		assert_int_equal(rc, -err.number);
		assert_true(!left || plan.again);
		if (!left)
			check_before(tree);
		if (left)
			assert_int_equal(recover(tree), 1);
		else
			recover(tree);
	}
	check_before(tree);
	tm_plan_release(&plan);
	return f.happened;
}

static int each_fails(struct tree *tree, struct faults how)
{
	int k = 1;

	while (k < MOST && survives(tree, how, k))
		k++;
	assert_in_range(k, 2, MOST - 1);
	return k - 1;
}

static void test_writes_fail(void **state)
{
	static const int numbers[] = { EINVAL, EPERM, ENODEV };
	int k = 1;

	/* The journal four times and 30 settings; on failing two settings back. */
	while (k < MOST && survives(*state,
				    (struct faults){ .error = numbers[k % TM_ARRAY_SIZE(numbers)],
						     .only = OP_WRITE },
				    k))
		k++;
	assert_in_range(k, 35, MOST - 1);
	assert_true(each_fails(*state, (struct faults){ .brief = true, .only = OP_WRITE }) >= 34);
}

static void test_other_calls_fail(void **state)
{
	static const enum op ops[] = { OP_OPEN, OP_TRUNCATE, OP_SYNC, OP_RENAME };

	for (size_t i = 0; i < TM_ARRAY_SIZE(ops); i++)
		each_fails(*state, (struct faults){ .error = EIO, .only = ops[i] });
}

static void test_all_fails_from_there(void **state)
{
	each_fails(*state, (struct faults){ .error = EIO, .onwards = true, .only = OP_WRITE });
}

static bool dies(struct tree *tree, int k)
{
	int status;
	pid_t pid;

	make_tree(tree);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct faults f = { .at = k, .die = 1, DAMON };
		struct tm_plan plan;

		use_faults(tree, &f);
		_exit(run(tree, &plan) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 1);
	if (tree_has(tree, "run/tiermem/" TM_JOURNAL_LAST)) {
		check_after(tree);
		assert_int_equal(recover(tree), 0);
		assert_int_equal(undo_started(tree), 0);
	} else if (strcmp(says(tree, NUMBER), "0") != 0) {
		assert_int_equal(recover(tree), 1);
	} else {
		recover(tree);
	}
	check_before(tree);
	return WEXITSTATUS(status) == 9;
}

/* Before each call, which is after the one before it. */
static void test_killed(void **state)
{
	int k = 1;

	while (k < MOST && dies(*state, k))
		k++;
	assert_in_range(k, 100, MOST - 1);
}

/* A kernel that makes nothing: said, and taken back. */
static void test_nothing_is_made(void **state)
{
	struct tree *tree = *state;
	struct tm_plan plan;

	make_tree(tree);
	assert_int_equal(run(tree, &plan), -ENOENT);
	assert_non_null(strstr(err.text, file(0)));
	assert_false(plan.left);
	tm_plan_release(&plan);
	check_before(tree);
}

static bool stranger_came;

static void stranger(struct faults *f)
{
	if (!tree_has(f->tree, STATE) || strcmp(says(f->tree, STATE), "off") != 0)
		return;
	take_over(f->tree, true);
	stranger_came = true;
}

/* At whatever step he starts his own: it runs on, and is reported. */
static void test_stranger_at_each_step(void **state)
{
	struct tree *tree = *state;
	int came = 0;

	for (int k = 1; k < MOST; k++) {
		struct faults f = { .at = k, .before = stranger, DAMON };
		struct tm_plan plan;
		int rc;

		stranger_came = false;
		make_tree(tree);
		use_faults(tree, &f);
		rc = run(tree, &plan);
		use_faults(tree, NULL);
		if (stranger_came) {
			assert_int_not_equal(rc, 0);
			assert_true(plan.left);
			assert_int_equal(plan.changes[0].state, TM_CHANGE_LEFT);
			assert_non_null(plan.changes[0].error);
			check_taken_over(tree, true);
			came++;
		} else {
			assert_int_equal(rc, 0);
			check_after(tree);
		}
		tm_plan_release(&plan);
		if (!f.happened)
			break;
	}
	assert_true(came > 60);
}

/* The folder goes while the plan is applied, or while it is taken back. */
static void vanish(struct faults *f)
{
	if (!tree_has(f->tree, K "/0"))
		return;
	tree_file(f->tree, NUMBER, "0");
	remove_folder(f->tree);
}

static void test_vanishes_at_each_step(void **state)
{
	struct tree *tree = *state;

	for (int k = 1; k < MOST; k++) {
		struct faults f = { .at = k, .before = vanish, DAMON };
		struct tm_plan plan;
		int rc;

		make_tree(tree);
		use_faults(tree, &f);
		rc = run(tree, &plan);
		use_faults(tree, NULL);
		assert_false(plan.left);
		if (rc)
			check_before(tree);
		tm_plan_release(&plan);
		if (!f.happened)
			return;
	}
	fail();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_writes_fail),	       tree_test(test_other_calls_fail),
		tree_test(test_all_fails_from_there),  tree_test(test_killed),
		tree_test(test_nothing_is_made),       tree_test(test_stranger_at_each_step),
		tree_test(test_vanishes_at_each_step),
	};

	/* Thousands of files come and go: rather in memory. */
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
