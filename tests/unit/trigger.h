/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests of triggers: a kernel in which writing a number makes a folder, whose files are set and
 * then started, as DAMON has it; and a plan of thirty changes for it.
 */
#ifndef TESTS_UNIT_TRIGGER_H
#define TESTS_UNIT_TRIGGER_H

#include "tests/unit/plan.h"

static struct tm_error err;

#define K "sys/kernel/mm/damon/admin/kdamonds"
#define NUMBER K "/nr_kdamonds"
#define STATE K "/0/state"
#define PID K "/0/pid"
#define MADE 28 /* files between the number and the trigger */

/* The i-th file that is made, and what is written to it; the kernel's default is "0". */
static inline const char *file(int i)
{
	static char path[2][128];
	static int next;
	char *p = path[next++ % 2];

	snprintf(p, sizeof(path[0]), K "/0/file%d", i);
	return p;
}

/* Some ten thousand files in all: with as few calls as it can be done with. */
static inline void make_file(int folder, const char *path, const char *text)
{
	int fd = openat(folder, strrchr(path, '/') + 1, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static inline void make_folder(const struct tree *tree)
{
	char name[PATH_MAX];
	int folder;

	tree_folder(tree, K "/0");
	folder = open(tree_name(tree, K "/0", name), O_RDONLY | O_DIRECTORY);
	assert_true(folder >= 0);
	for (int i = 0; i < MADE; i++)
		make_file(folder, file(i), "0\n");
	make_file(folder, PID, "-1\n");
	make_file(folder, STATE, "off\n");
	close(folder);
}

static inline void remove_folder(const struct tree *tree)
{
	char name[PATH_MAX];
	int folder = open(tree_name(tree, K "/0", name), O_RDONLY | O_DIRECTORY);

	if (folder < 0)
		return;
	for (int i = 0; i < MADE; i++)
		unlinkat(folder, strrchr(file(i), '/') + 1, 0);
	unlinkat(folder, "pid", 0);
	unlinkat(folder, "state", 0);
	close(folder);
	assert_int_equal(rmdir(name), 0);
}

/* Writing the number deletes what is there and makes as many anew; starting gives a process id. */
static inline void damon(struct faults *f, const char *path)
{
	const char *now;

	if (!strcmp(path, NUMBER)) {
		remove_folder(f->tree);
		if (!strcmp(says(f->tree, NUMBER), "1"))
			make_folder(f->tree);
	} else if (!strcmp(path, STATE)) {
		now = says(f->tree, STATE);
		if (!strcmp(now, "on"))
			tree_file(f->tree, PID, "4242");
		else if (!strcmp(now, "off"))
			tree_file(f->tree, PID, "-1");
	}
}

/* As the kernel: no number while something runs, and no write to a file that is gone. */
static inline int busy(struct faults *f, const char *path)
{
	if (strstr(path, " (deleted)"))
		return ENODEV;
	return !strcmp(path, NUMBER) && !strcmp(says(f->tree, STATE), "on") ? EBUSY : 0;
}

#define DAMON .kernel = damon, .refuse = busy

static inline void make_tree(struct tree *tree)
{
	tree_remove(tree, "run");
	remove_folder(tree);
	tree_file(tree, NUMBER, "0");
}

static inline void plan_damon(struct tree *tree, struct tm_plan *plan)
{
	struct tm_change_spec made = { .form = TM_FORM_NUMBER, .made_by = NUMBER };
	char value[16];

	start_plan(tree, plan);
	add(plan, NUMBER, "1", TM_FORM_NUMBER);
	for (int i = 0; i < MADE; i++) {
		made.path = file(i);
		snprintf(value, sizeof(value), "%d", i + 100);
		made.to = value;
		assert_int_equal(tm_plan_add(plan, &made, &err), 0);
	}
	assert_int_equal(tm_plan_add(plan,
				     &(struct tm_change_spec){ .kind = TM_CHANGE_TRIGGER,
							       .path = STATE,
							       .from = "off",
							       .to = "on",
							       .token = PID,
							       .made_by = NUMBER },
				     &err),
			 0);
	assert_int_equal(plan->nr, 30);
	plan->keep_as = "damon.started";
}

static inline int run(struct tree *tree, struct tm_plan *plan)
{
	int rc;

	plan_damon(tree, plan);
	rc = tm_plan_prepare(plan, false, &err);
	return rc ? rc : tm_plan_apply(plan, false, &err);
}

static inline void check_before(const struct tree *tree)
{
	assert_string_equal(says(tree, NUMBER), "0");
	assert_false(tree_has(tree, K "/0"));
}

static inline void check_after(const struct tree *tree)
{
	assert_string_equal(says(tree, NUMBER), "1");
	assert_string_equal(says(tree, STATE), "on");
	assert_string_equal(says(tree, PID), "4242");
	for (int i = 0; i < MADE; i++)
		assert_int_equal(atoi(says(tree, file(i))), i + 100);
}

/* As `recover` and `undo` do, with the kernel there. */
static inline size_t recover(struct tree *tree)
{
	struct faults f = { DAMON };
	size_t nr;

	use_faults(tree, &f);
	nr = recover_all(tree);
	use_faults(tree, NULL);
	return nr;
}

static inline int undo(struct tree *tree, const char *name, struct tm_journal *journal)
{
	struct faults f = { DAMON };
	int rc;

	use_faults(tree, &f);
	assert_int_equal(tm_journal_read(&tree->root, name, journal, &err), 0);
	rc = tm_journal_undo(&tree->root, journal, &err);
	use_faults(tree, NULL);
	return rc;
}

static inline int undo_started(struct tree *tree)
{
	struct tm_journal journal;
	int rc = undo(tree, "damon.started", &journal);

	tm_journal_release(&journal);
	return rc;
}

static inline void apply_ok(struct tree *tree)
{
	struct faults f = { DAMON };
	struct tm_plan plan;

	make_tree(tree);
	use_faults(tree, &f);
	if (run(tree, &plan))
		fail_msg("%s", err.text);
	use_faults(tree, NULL);
	tm_plan_release(&plan);
}

/* Somebody makes kdamonds of his own in the place of ours. */
static inline void take_over(const struct tree *tree, bool on)
{
	tree_file(tree, NUMBER, "1");
	remove_folder(tree);
	make_folder(tree);
	for (int i = 0; i < MADE; i++)
		tree_file(tree, file(i), "%d", 500 + i);
	if (!on)
		return;
	tree_file(tree, STATE, "on");
	tree_file(tree, PID, "9999");
}

static inline void check_taken_over(const struct tree *tree, bool on)
{
	assert_string_equal(says(tree, NUMBER), "1");
	assert_string_equal(says(tree, STATE), on ? "on" : "off");
	assert_string_equal(says(tree, PID), on ? "9999" : "-1");
	for (int i = 0; i < MADE; i++)
		assert_int_equal(atoi(says(tree, file(i))), 500 + i);
}

#endif
