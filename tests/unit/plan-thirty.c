/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A plan of thirty settings, as a profile makes it: whatever goes wrong at whatever step, all
 * thirty are as they were, or as planned, or reported as left.
 */
#include "tests/unit/plan.h"

#define SIZES 15 /* of two settings each */
#define MOST 400

static void path_of(char path[TM_PATH_MAX], int i)
{
	(void)tm_path_format(path, "sys/kernel/mm/transparent_hugepage/hugepages-%dkB/%s",
			     4 << (i / 2), i % 2 ? "shmem_enabled" : "enabled");
}

static void make_tree(struct tree *tree)
{
	char path[TM_PATH_MAX];

	tree_remove(tree, "run");
	for (int i = 0; i < 2 * SIZES; i++) {
		path_of(path, i);
		tree_file(tree, path, "always inherit madvise [never]");
	}
}

/* How many say so; a bare word and one in brackets are the same. */
static int count(const struct tree *tree, const char *word)
{
	char path[TM_PATH_MAX], marked[32];
	int nr = 0;

	snprintf(marked, sizeof(marked), "[%s]", word);
	for (int i = 0; i < 2 * SIZES; i++) {
		const char *text;

		path_of(path, i);
		text = says(tree, path);
		nr += !strcmp(text, word) || strstr(text, marked) != NULL;
	}
	return nr;
}

static int run(struct tree *tree, struct tm_plan *plan, struct tm_error *err)
{
	char path[TM_PATH_MAX];
	int rc;

	start_plan(tree, plan);
	for (int i = 0; i < 2 * SIZES; i++) {
		path_of(path, i);
		add(plan, path, "always", TM_FORM_CHOICE);
	}
	rc = tm_plan_prepare(plan, false, err);
	return rc ? rc : tm_plan_apply(plan, false, err);
}

static size_t nr_left(const struct tm_plan *plan)
{
	size_t left = 0;

	for (size_t i = 0; i < plan->nr; i++)
		left += plan->changes[i].state == TM_CHANGE_LEFT;
	return left;
}

/* One run with a fault; true while the fault happened. */
static bool survives(struct tree *tree, struct faults *f)
{
	struct tm_error err = { 0 };
	struct tm_plan plan;
	int rc;

	make_tree(tree);
	use_faults(tree, f);
	rc = run(tree, &plan, &err);
	use_faults(tree, NULL);
	assert_false(f->early);
	if (!rc) {
		assert_int_equal(count(tree, "always"), 2 * SIZES);
		assert_int_equal(undo_last(tree), 0);
	} else {
		assert_true(f->happened);
		assert_true(err.text[0]);
		assert_int_equal(count(tree, "never"), 2 * SIZES - (int)nr_left(&plan));
		assert_int_equal(plan.left, nr_left(&plan) > 0);
		assert_int_equal(recover_all(tree), plan.left);
	}
	assert_int_equal(count(tree, "never"), 2 * SIZES);
	tm_plan_release(&plan);
	return f->happened;
}

static int each(struct tree *tree, struct faults how)
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
	static const int numbers[] = { EINVAL, EPERM, ENODEV };

	/* The journal and thirty settings. */
	for (size_t i = 0; i < TM_ARRAY_SIZE(numbers); i++)
		assert_true(each(*state, (struct faults){ .error = numbers[i],
							  .only = OP_WRITE }) >= 1 + 2 * SIZES);
	assert_true(each(*state, (struct faults){ .brief = true, .only = OP_WRITE }) >=
		    1 + 2 * SIZES);
}

/* The device goes away: neither this write nor any after it is taken. */
static void test_writes_fail_from_there(void **state)
{
	each(*state, (struct faults){ .error = EIO, .onwards = true, .only = OP_WRITE });
}

/* A stranger sets the last of the thirty while the first ones are being written. */
static void sets_last(struct faults *f)
{
	char path[TM_PATH_MAX], name[PATH_MAX];
	int fd;

	path_of(path, 2 * SIZES - 1);
	fd = open(tree_name(f->tree, path, name), O_WRONLY | O_TRUNC | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "inherit\n", 8), 8);
	close(fd);
}

static void test_stranger(void **state)
{
	struct tree *tree = *state;

	for (int k = 2; k <= 2 * SIZES; k += 7) {
		struct faults f = { .at = k, .only = OP_WRITE, .before = sets_last };
		struct tm_error err = { 0 };
		struct tm_plan plan;

		make_tree(tree);
		use_faults(tree, &f);
		assert_int_equal(run(tree, &plan, &err), -ESTALE);
		use_faults(tree, NULL);
		assert_false(plan.left);
		assert_int_equal(count(tree, "never"), 2 * SIZES - 1);
		assert_int_equal(count(tree, "inherit"), 1);
		tm_plan_release(&plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_writes_fail, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_writes_fail_from_there, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(test_stranger, tree_setup, tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
