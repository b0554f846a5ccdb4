// SPDX-License-Identifier: GPL-2.0-only
/* Plans: what is refused before anything is written, leases, and where journals lie. */
#include "tests/unit/plan.h"

#include <signal.h>

static struct tm_error err;

static void prepare_ok(struct tm_plan *plan)
{
	if (tm_plan_prepare(plan, false, &err))
		fail_msg("%s", err.text);
}

static void apply_ok(struct tm_plan *plan)
{
	prepare_ok(plan);
	if (tm_plan_apply(plan, false, &err))
		fail_msg("%s", err.text);
}

static void test_applies_and_undoes(void **state)
{
	struct tree *tree = *state;
	struct tm_journal journal = { 0 };
	struct stat st;
	char name[PATH_MAX];
	struct tm_plan plan;

	make_settings(tree);
	plan_weights(tree, &plan);
	assert_true(tm_plan_has_work(&plan));
	assert_int_equal(plan.changes[3].state, TM_CHANGE_UNCHANGED);
	apply_ok(&plan);
	assert_string_equal(weights(tree), AFTER);
	for (int i = 0; i < 3; i++)
		assert_int_equal(plan.changes[i].state, TM_CHANGE_DONE);
	tm_plan_release(&plan);
	assert_int_equal(lstat(tree_name(tree, TM_STATE_FOLDER, name), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(lstat(tree_name(tree, TM_STATE_FOLDER "/" TM_JOURNAL_LAST, name), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);

	assert_int_equal(tm_journal_read(&tree->root, TM_JOURNAL_LAST, &journal, &err), 0);
	assert_string_equal(journal.title, "test");
	assert_int_equal(journal.lease.pid, getpid());
	assert_int_equal(journal.nr, 3);
	assert_int_equal(tm_journal_undo(&tree->root, &journal, &err), 0);
	assert_string_equal(weights(tree), BEFORE);
	for (int i = 0; i < 3; i++)
		assert_int_equal(journal.changes[i].state, TM_CHANGE_RESTORED);
	tm_journal_release(&journal);
}

/* What is so already: no write, no journal, not even the folder. */
static void test_unchanged_writes_nothing(void **state)
{
	struct tree *tree = *state;
	struct faults f = { .at = 1, .error = EIO };
	struct tm_plan plan;

	make_settings(tree);
	start_plan(tree, &plan);
	add(&plan, W "/auto", "1", TM_FORM_BOOL);
	add(&plan, W "/node0", "26", TM_FORM_NUMBER);
	assert_false(tm_plan_has_work(&plan));
	/* The first call of any kind would fail. */
	use_faults(tree, &f);
	apply_ok(&plan);
	assert_int_equal(f.count, 0);
	use_faults(tree, NULL);
	assert_false(tree_has(tree, "run"));
	tm_plan_release(&plan);
}

static void test_preview_writes_nothing(void **state)
{
	struct tree *tree = *state;
	struct faults f = { 0 };
	struct tm_plan plan;

	make_settings(tree);
	plan_weights(tree, &plan);
	use_faults(tree, &f);
	assert_int_equal(tm_plan_preview(&plan, &err), 0);
	assert_int_equal(f.writes, 0);
	use_faults(tree, NULL);
	assert_false(tree_has(tree, "run"));
	assert_string_equal(weights(tree), BEFORE);
	assert_int_equal(tm_plan_apply(&plan, false, &err), -EINVAL);
	tree_file(tree, W "/node0", "77");
	assert_int_equal(tm_plan_preview(&plan, &err), -ESTALE);
	tm_plan_release(&plan);
}

static int refused;

static int refuse_open(void *context, int fd, const char *path, int flags, mode_t mode)
{
	(void)context;
	if ((flags & O_ACCMODE) != O_RDONLY && strstr(path, "node1"))
		return -refused;
	return tm_io_system.open(NULL, fd, path, flags, mode);
}

/* Three kinds of trouble, three messages, and the settings before it are not touched. */
static void test_trouble_is_found_at_prepare(void **state)
{
	static const int numbers[] = { EACCES, EROFS, ENOENT };
	static const char *const hints[] = { "root", "read-only", "lacks" };
	struct tree *tree = *state;
	struct tm_io io = tm_io_system;
	char seen[3][512];

	io.open = refuse_open;
	for (size_t i = 0; i < TM_ARRAY_SIZE(numbers); i++) {
		struct tm_plan plan;

		make_settings(tree);
		plan_weights(tree, &plan);
		tree->root.io = &io;
		refused = numbers[i];
		assert_int_equal(tm_plan_prepare(&plan, false, &err), -numbers[i]);
		assert_non_null(strstr(err.text, W "/node1"));
		assert_non_null(strstr(err.hint, hints[i]));
		strcpy(seen[i], err.text);
		tree->root.io = &tm_io_system;
		assert_string_equal(weights(tree), BEFORE);
		assert_false(tree_has(tree, "run"));
		tm_plan_release(&plan);
	}
	assert_string_not_equal(seen[0], seen[1]);
	assert_string_not_equal(seen[1], seen[2]);
	assert_string_not_equal(seen[0], seen[2]);
}

static void test_moved_before_prepare(void **state)
{
	struct tree *tree = *state;
	struct tm_plan plan;

	make_settings(tree);
	plan_weights(tree, &plan);
	/* Also one that was not to be written: the plan reckons with it. */
	tree_file(tree, W "/node2", "9");
	assert_int_equal(tm_plan_prepare(&plan, false, &err), -ESTALE);
	assert_string_equal(err.text, "/" W "/node2: was '1' and is now '9'");
	assert_string_equal(weights(tree), "true 26 5 9");
	tm_plan_release(&plan);

	make_settings(tree);
	plan_weights(tree, &plan);
	tree_remove(tree, W "/node1");
	assert_int_equal(tm_plan_prepare(&plan, false, &err), -ENOENT);
	tm_plan_release(&plan);
}

static void test_lasting_needs_accept(void **state)
{
	struct tm_change_spec spec = { .kind = TM_CHANGE_SET,
				       .form = TM_FORM_BOOL,
				       .path = W "/auto",
				       .to = "false",
				       .lasting = true,
				       .why = "there is no way back" };
	struct tree *tree = *state;
	struct tm_plan plan;

	make_settings(tree);
	start_plan(tree, &plan);
	assert_int_equal(tm_plan_add(&plan, &spec, &err), 0);
	add(&plan, W "/node0", "5", TM_FORM_NUMBER);
	assert_ptr_equal(tm_plan_lasting(&plan), &plan.changes[0]);
	assert_int_equal(tm_plan_prepare(&plan, false, &err), -EPERM);
	assert_non_null(strstr(err.text, "there is no way back"));
	assert_non_null(strstr(err.hint, "--accept"));
	assert_string_equal(weights(tree), BEFORE);
	assert_false(tree_has(tree, "run"));
	assert_int_equal(tm_plan_prepare(&plan, true, &err), 0);
	assert_int_equal(tm_plan_apply(&plan, false, &err), 0);
	tm_plan_release(&plan);
	/* What can be had back is, the other is said. */
	assert_int_equal(undo_last(tree), -EREMOTEIO);
	assert_string_equal(weights(tree), "false 26 5 1");
}

static void grant_sixty(struct faults *f, const char *path)
{
	if (!strcmp(path, "sys/x/count") && atoi(says(f->tree, path)) > 60)
		tree_file(f->tree, path, "60");
}

static void test_count_met_in_part(void **state)
{
	struct tm_change_spec spec = {
		.kind = TM_CHANGE_COUNT, .form = TM_FORM_NUMBER, .path = "sys/x/count", .to = "100"
	};
	struct faults f = { .kernel = grant_sixty };
	struct tree *tree = *state;
	struct tm_plan plan;

	make_settings(tree);
	start_plan(tree, &plan);
	assert_int_equal(tm_plan_add(&plan, &spec, &err), 0);
	use_faults(tree, &f);
	apply_ok(&plan);
	assert_string_equal(plan.changes[0].got, "60");
	assert_string_equal(plan.changes[0].to, "100");
	assert_string_equal(says(tree, "sys/x/count"), "60");
	assert_int_equal(undo_last(tree), 0);
	assert_string_equal(says(tree, "sys/x/count"), "0");
	tm_plan_release(&plan);

	/* A stranger's 61 is not our 60. */
	start_plan(tree, &plan);
	assert_int_equal(tm_plan_add(&plan, &spec, &err), 0);
	apply_ok(&plan);
	tm_plan_release(&plan);
	tree_file(tree, "sys/x/count", "61");
	assert_int_equal(undo_last(tree), -EREMOTEIO);
	assert_string_equal(says(tree, "sys/x/count"), "61");

	/* More than was asked for is enough. */
	tree_file(tree, "sys/x/count", "300");
	start_plan(tree, &plan);
	assert_int_equal(tm_plan_add(&plan, &spec, &err), 0);
	assert_false(tm_plan_has_work(&plan));
	use_faults(tree, NULL);
	tm_plan_release(&plan);
}

/* Switching on has the kernel compute; a weight that is written switches off. */
static void kernel_rule(struct faults *f, const char *path)
{
	if (!strcmp(path, W "/auto") && !strcmp(says(f->tree, path), "true")) {
		tree_file(f->tree, W "/node0", "26");
		tree_file(f->tree, W "/node1", "5");
	} else if (!strncmp(path, W "/node", strlen(W "/node"))) {
		tree_file(f->tree, W "/auto", "false");
	}
}

static void plan_automatic(struct tree *tree, struct tm_plan *plan)
{
	struct tm_change_spec effect = { .kind = TM_CHANGE_EFFECT, .form = TM_FORM_NUMBER };

	make_settings(tree);
	tree_file(tree, W "/auto", "false");
	tree_file(tree, W "/node0", "3");
	tree_file(tree, W "/node1", "2");
	start_plan(tree, plan);
	effect.path = W "/node0";
	assert_int_equal(tm_plan_add(plan, &effect, &err), 0);
	effect.path = W "/node1";
	assert_int_equal(tm_plan_add(plan, &effect, &err), 0);
	add(plan, W "/auto", "true", TM_FORM_BOOL);
}

static void test_effects_are_restored(void **state)
{
	struct tree *tree = *state;
	struct faults f = { .kernel = kernel_rule };
	struct tm_plan plan;

	plan_automatic(tree, &plan);
	use_faults(tree, &f);
	apply_ok(&plan);
	assert_string_equal(weights(tree), "true 26 5 1");
	assert_string_equal(plan.changes[0].got, "26");
	assert_int_equal(undo_last(tree), 0);
	assert_string_equal(weights(tree), "false 3 2 1");
	tm_plan_release(&plan);

	/* What a stranger makes of an effect is his. */
	plan_automatic(tree, &plan);
	apply_ok(&plan);
	tm_plan_release(&plan);
	tree_file(tree, W "/node0", "77");
	tree_file(tree, W "/auto", "false");
	assert_int_equal(undo_last(tree), -EREMOTEIO);
	assert_string_equal(weights(tree), "false 77 2 1");
	use_faults(tree, NULL);
}

/* Killed at any step, effects are put back only where they are effects. */
static void test_effects_of_the_killed(void **state)
{
	struct tree *tree = *state;

	for (int k = 1, status = 9 << 8; WEXITSTATUS(status) == 9; k++) {
		struct faults f = { .at = k, .die = 2, .kernel = kernel_rule };
		struct tm_plan plan;
		pid_t pid;

		assert_true(k < 100);
		plan_automatic(tree, &plan);
		use_faults(tree, &f);
		pid = fork();
		if (!pid)
			_exit(tm_plan_prepare(&plan, false, &err) ||
			      tm_plan_apply(&plan, false, &err));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_not_equal(WEXITSTATUS(status), 1);
		f = (struct faults){ .kernel = kernel_rule, .tree = tree };
		if (recover_all(tree) || strcmp(says(tree, W "/auto"), "true") != 0)
			assert_string_equal(weights(tree), "false 3 2 1");
		else
			assert_string_equal(weights(tree), "true 26 5 1");
		use_faults(tree, NULL);
		tm_plan_release(&plan);
	}
}

/* Killed before the switch was written: a weight that differs is no effect, but a stranger's. */
static void test_no_effect_without_a_cause(void **state)
{
	struct tree *tree = *state;
	struct tm_journal *list;
	struct tm_lease lease;
	struct tm_plan plan;
	size_t nr;

	plan_automatic(tree, &plan);
	assert_int_equal(tm_lease_mine(&lease, &err), 0);
	prepare_ok(&plan);
	assert_int_equal(tm_journal_write(&plan, &lease, &err), 0);
	tm_plan_release(&plan);
	tree_file(tree, W "/node0", "77");
	assert_int_equal(tm_journal_list(&tree->root, &list, &nr, &err), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(tm_journal_undo(&tree->root, &list[0], &err), -EREMOTEIO);
	assert_false(list[0].again);
	assert_string_equal(weights(tree), "false 77 2 1");
	tm_journal_release(&list[0]);
	free(list);
}

/* The value on the way is ours too. */
static void test_killed_after_first(void **state)
{
	struct tm_change_spec spec = { .kind = TM_CHANGE_SET,
				       .form = TM_FORM_BOOL,
				       .path = W "/auto",
				       .to = "true",
				       .first = "0" };
	struct tree *tree = *state;
	struct tm_lease lease;
	struct tm_plan plan;

	make_settings(tree);
	start_plan(tree, &plan);
	assert_int_equal(tm_plan_add(&plan, &spec, &err), 0);
	assert_true(tm_plan_has_work(&plan));
	assert_int_equal(tm_lease_mine(&lease, &err), 0);
	prepare_ok(&plan);
	assert_int_equal(tm_journal_write(&plan, &lease, &err), 0);
	tree_file(tree, W "/auto", "false");
	assert_int_equal(recover_all(tree), 1);
	assert_string_equal(weights(tree), BEFORE);
	tm_plan_release(&plan);
}

/* One file twice: the second starts from what the first leaves. */
static void test_twice_the_same_file(void **state)
{
	struct tree *tree = *state;
	struct tm_plan plan;

	make_settings(tree);
	start_plan(tree, &plan);
	add(&plan, "proc/sys/x", "4", TM_FORM_NUMBER);
	add(&plan, "proc/sys/x", "5", TM_FORM_NUMBER);
	apply_ok(&plan);
	tm_plan_release(&plan);
	assert_string_equal(says(tree, "proc/sys/x"), "5");
	assert_int_equal(undo_last(tree), 0);
	assert_string_equal(says(tree, "proc/sys/x"), "3");
}

static void test_two_at_once(void **state)
{
	struct tree *tree = *state;
	struct tm_plan a, b;

	make_settings(tree);
	plan_weights(tree, &a);
	plan_weights(tree, &b);
	prepare_ok(&a);
	assert_int_equal(tm_plan_prepare(&b, false, &err), -EBUSY);
	assert_non_null(strstr(err.text, "another tiermem"));
	assert_string_equal(weights(tree), BEFORE);
	assert_int_equal(tm_plan_apply(&a, false, &err), 0);
	/* It looks again. */
	assert_int_equal(tm_plan_prepare(&b, false, &err), -ESTALE);
	tm_plan_release(&a);
	tm_plan_release(&b);
}

/* A process that has applied a plan, holds it, and puts it back when told to. */
struct holder {
	pid_t pid;
	int tell;
};

static struct holder hold(struct tree *tree)
{
	struct holder holder;
	int told[2], tells[2];
	char c;

	assert_int_equal(pipe(told) | pipe(tells), 0);
	holder.pid = fork();
	if (!holder.pid) {
		struct tm_plan plan;

		close(tells[1]);
		plan_weights(tree, &plan);
		if (tm_plan_prepare(&plan, false, NULL) || tm_plan_apply(&plan, true, NULL) ||
		    write(told[1], "x", 1) != 1 || read(tells[0], &c, 1) < 0)
			_exit(1);
		_exit(tm_plan_restore(&plan, NULL) ? 4 : 0);
	}
	holder.tell = tells[1];
	close(tells[0]);
	close(told[1]);
	assert_int_equal(read(told[0], &c, 1), 1);
	close(told[0]);
	return holder;
}

static void test_live_lease(void **state)
{
	struct tree *tree = *state;
	struct holder holder;
	struct tm_plan plan;
	char pid[32];
	int status;

	make_settings(tree);
	holder = hold(tree);
	snprintf(pid, sizeof(pid), "process %d ", (int)holder.pid);
	assert_string_equal(weights(tree), AFTER);
	start_plan(tree, &plan);
	add(&plan, W "/node1", "9", TM_FORM_NUMBER);
	assert_int_equal(tm_plan_preview(&plan, &err), -EBUSY);
	assert_int_equal(tm_plan_prepare(&plan, false, &err), -EBUSY);
	assert_non_null(strstr(err.text, pid));
	assert_string_equal(weights(tree), AFTER);
	tm_plan_release(&plan);
	/* Other settings are free, and undoing them leaves the lease alone. */
	start_plan(tree, &plan);
	add(&plan, "proc/sys/x", "4", TM_FORM_NUMBER);
	apply_ok(&plan);
	tm_plan_release(&plan);
	assert_int_equal(undo_last(tree), 0);
	assert_string_equal(weights(tree), AFTER);

	close(holder.tell);
	assert_int_equal(waitpid(holder.pid, &status, 0), holder.pid);
	assert_int_equal(status, 0);
	assert_string_equal(weights(tree), BEFORE);
	assert_int_equal(recover_all(tree), 0);
}

static void test_killed_holder(void **state)
{
	struct tree *tree = *state;
	struct tm_journal *list;
	struct holder holder;
	struct tm_plan plan;
	siginfo_t info;
	size_t nr;

	make_settings(tree);
	holder = hold(tree);
	assert_int_equal(tm_journal_list(&tree->root, &list, &nr, &err), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(list[0].lease.pid, holder.pid);
	assert_true(tm_lease_lives(&list[0].lease));
	kill(holder.pid, SIGKILL);
	/* Dead, though nobody has waited for it. */
	assert_int_equal(waitid(P_PID, (id_t)holder.pid, &info, WEXITED | WNOWAIT), 0);
	assert_false(tm_lease_lives(&list[0].lease));
	plan_weights(tree, &plan);
	tree_file(tree, W "/node1", "7");
	tm_plan_release(&plan);
	tree_file(tree, W "/node1", "1");
	start_plan(tree, &plan);
	add(&plan, W "/node1", "9", TM_FORM_NUMBER);
	assert_int_equal(tm_plan_prepare(&plan, false, &err), -EBUSY);
	assert_non_null(strstr(err.hint, "tiermem recover"));
	tm_plan_release(&plan);
	waitpid(holder.pid, NULL, 0);
	assert_int_equal(recover_all(tree), 1);
	assert_string_equal(weights(tree), BEFORE);
	tm_journal_release(&list[0]);
	free(list);
	close(holder.tell);
}

/* A stranger sets what is held: his value stays. */
static void test_restore_leaves_strangers(void **state)
{
	struct tree *tree = *state;
	struct holder holder;
	int status;

	make_settings(tree);
	holder = hold(tree);
	tree_file(tree, W "/node1", "77");
	close(holder.tell);
	assert_int_equal(waitpid(holder.pid, &status, 0), holder.pid);
	assert_int_equal(WEXITSTATUS(status), 4);
	assert_string_equal(weights(tree), "true 26 77 1");
	assert_int_equal(recover_all(tree), 0);
}

static void test_leases(void **state)
{
	struct tree *tree = *state;
	struct tm_lease mine, other;

	assert_int_equal(tm_lease_mine(&mine, &err), 0);
	assert_int_equal(mine.pid, getpid());
	assert_true(tm_lease_lives(&mine));
	/* The pid has come again. */
	other = mine;
	other.start++;
	assert_false(tm_lease_lives(&other));
	/* An earlier boot, whoever has its pid now. */
	other = mine;
	other.boot_id[0] = other.boot_id[0] == '0' ? '1' : '0';
	assert_false(tm_lease_lives(&other));
	/* Only this machine's settings went with its boot. */
	assert_false(tm_lease_expired(&other, &tree->root));
	tree->root.live = true;
	assert_true(tm_lease_expired(&other, &tree->root));
	assert_false(tm_lease_expired(&mine, &tree->root));
	tree->root.live = false;
	other = mine;
	other.pid = 0x7ffffffe;
	assert_false(tm_lease_lives(&other));
}

/* Two processes with one pid, one after the other, have two journals. */
static void test_pid_reused(void **state)
{
	struct tree *tree = *state;
	struct tm_journal *list;
	struct tm_lease lease;
	struct tm_plan plan;
	size_t nr;

	make_settings(tree);
	assert_int_equal(tm_lease_mine(&lease, &err), 0);
	plan_weights(tree, &plan);
	prepare_ok(&plan);
	assert_int_equal(tm_journal_write(&plan, &lease, &err), 0);
	lease.start++;
	assert_int_equal(tm_journal_write(&plan, &lease, &err), 0);
	lease.boot_id[0] ^= 1;
	assert_int_equal(tm_journal_write(&plan, &lease, &err), 0);
	assert_int_equal(tm_journal_list(&tree->root, &list, &nr, &err), 0);
	assert_int_equal(nr, 3);
	for (size_t i = 0; i < nr; i++)
		tm_journal_release(&list[i]);
	free(list);
	tm_plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_applies_and_undoes),
		tree_test(test_unchanged_writes_nothing),
		tree_test(test_preview_writes_nothing),
		tree_test(test_trouble_is_found_at_prepare),
		tree_test(test_moved_before_prepare),
		tree_test(test_lasting_needs_accept),
		tree_test(test_count_met_in_part),
		tree_test(test_effects_are_restored),
		tree_test(test_effects_of_the_killed),
		tree_test(test_no_effect_without_a_cause),
		tree_test(test_killed_after_first),
		tree_test(test_twice_the_same_file),
		tree_test(test_two_at_once),
		tree_test(test_live_lease),
		tree_test(test_killed_holder),
		tree_test(test_restore_leaves_strangers),
		tree_test(test_leases),
		tree_test(test_pid_reused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
