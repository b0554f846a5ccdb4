// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is read back from disk is not trusted, the folder is root's own, and values compare by
 * meaning.
 */
#include "tests/unit/plan.h"

static struct tm_error err;

#define HEAD                                                 \
	"{\"schema\":\"tiermem.journal/1\",\"title\":\"t\"," \
	"\"boot_id\":\"b\",\"pid\":1,\"start\":2,\"changes\":["
#define CHANGE(path)                                           \
	"{\"kind\":\"set\",\"form\":\"text\",\"path\":\"" path \
	"\",\"from\":\"a\",\"to\":\"b\",\"restore\":\"a\"}"

static int read_text(struct tree *tree, const char *text)
{
	struct tm_journal journal = { 0 };
	int rc;

	tree_folder(tree, TM_STATE_FOLDER);
	tree_mode(tree, TM_STATE_FOLDER, 0700);
	tree_text(tree, TM_STATE_FOLDER "/x.journal", text);
	rc = tm_journal_read(&tree->root, "x.journal", &journal, &err);
	tm_journal_release(&journal);
	return rc;
}

static void test_damaged(void **state)
{
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"schema\":\"tiermem.journal/2\"}",
		HEAD "]",
		HEAD "1]}",
		HEAD "{}]}",
		HEAD CHANGE("run/tiermem/lock") "]}",
		HEAD CHANGE("etc/passwd") "]}",
		HEAD CHANGE("/sys/x") "]}",
		HEAD CHANGE("sys/../etc/passwd") "]}",
		HEAD CHANGE("proc/1/mem") "]}",
		HEAD CHANGE("proc/sys/../1/mem") "]}",
		HEAD CHANGE("system/x") "]}",
		HEAD "{\"kind\":\"start\",\"form\":\"text\",\"path\":\"sys/x\","
		     "\"from\":\"a\",\"to\":\"b\"}]}",
		HEAD "{\"kind\":\"set\",\"form\":\"words\",\"path\":\"sys/x\","
		     "\"from\":\"a\",\"to\":\"b\"}]}",
		HEAD
		"{\"kind\":\"set\",\"form\":\"text\",\"path\":\"sys/x\",\"from\":1,\"to\":\"b\"}]}",
		HEAD "{\"kind\":\"set\",\"form\":\"text\",\"path\":\"sys/x\","
		     "\"from\":\"a\",\"to\":null}]}",
		HEAD "{\"kind\":\"set\",\"form\":\"text\",\"from\":\"a\",\"to\":\"b\"}]}",
	};
	struct tree *tree = *state;

	for (size_t i = 0; i < TM_ARRAY_SIZE(bad); i++) {
		struct tm_journal *list;
		struct tm_plan plan;
		size_t nr;

		assert_int_equal(read_text(tree, bad[i]), -EINVAL);
		assert_non_null(strstr(err.text, "x.journal"));
		assert_int_equal(tm_journal_list(&tree->root, &list, &nr, &err), -EINVAL);
		assert_null(list);
		assert_int_equal(nr, 0);
		/* Nobody writes past it. */
		tree_file(tree, "sys/x", "1");
		start_plan(tree, &plan);
		add(&plan, "sys/x", "2", TM_FORM_NUMBER);
		assert_int_equal(tm_plan_prepare(&plan, false, &err), -EINVAL);
		assert_string_equal(says(tree, "sys/x"), "1");
		tm_plan_release(&plan);
	}
	assert_int_equal(read_text(tree, HEAD CHANGE("sys/x") "," CHANGE("proc/sys/x") "]}"), 0);
	assert_int_equal(read_text(tree, HEAD "]}"), 0);
}

static void test_other_files_are_no_journals(void **state)
{
	struct tree *tree = *state;
	struct tm_journal *list;
	size_t nr;

	assert_int_equal(tm_journal_list(&tree->root, &list, &nr, &err), 0);
	assert_int_equal(nr, 0);
	read_text(tree, "{");
	tree_remove(tree, TM_STATE_FOLDER "/x.journal");
	tree_text(tree, TM_STATE_FOLDER "/new", "{");
	tree_text(tree, TM_STATE_FOLDER "/lock", "");
	tree_text(tree, TM_STATE_FOLDER "/.journal", "{");
	tree_text(tree, TM_STATE_FOLDER "/" TM_JOURNAL_LAST, "{");
	assert_int_equal(tm_journal_list(&tree->root, &list, &nr, &err), 0);
	assert_int_equal(nr, 0);
}

static int lock(struct tree *tree, unsigned flags)
{
	int fd = tm_state_lock(&tree->root, flags, &err);

	if (fd >= 0)
		close(fd);
	return fd >= 0 ? 0 : fd;
}

static void test_state_folder(void **state)
{
	struct tree *tree = *state;
	struct tm_journal *list;
	char name[PATH_MAX];
	struct stat st;
	size_t nr;

	/* Readers make none. */
	assert_int_equal(lock(tree, 0), -ENOENT);
	assert_false(tree_has(tree, "run"));
	assert_int_equal(lock(tree, TM_LOCK_MAKE), 0);
	assert_int_equal(stat(tree_name(tree, TM_STATE_FOLDER, name), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(lock(tree, 0), 0);
	/* Readable by others is put right, writable by others is not believed. */
	tree_mode(tree, TM_STATE_FOLDER, 0755);
	assert_int_equal(lock(tree, TM_LOCK_MAKE), 0);
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	tree_mode(tree, TM_STATE_FOLDER, 0770);
	assert_int_equal(lock(tree, TM_LOCK_MAKE), -EPERM);
	tree_mode(tree, TM_STATE_FOLDER, 0707);
	assert_int_equal(lock(tree, TM_LOCK_MAKE), -EPERM);
	assert_int_equal(tm_journal_list(&tree->root, &list, &nr, &err), -EPERM);
	/* No link, and no link in the place of the lock. */
	tree_remove(tree, TM_STATE_FOLDER);
	tree_folder(tree, "elsewhere");
	tree_link(tree, TM_STATE_FOLDER, "../elsewhere");
	assert_true(lock(tree, TM_LOCK_MAKE) < 0);
	assert_false(tree_has(tree, "elsewhere/lock"));
	tree_remove(tree, TM_STATE_FOLDER);
	assert_int_equal(lock(tree, TM_LOCK_MAKE), 0);
	tree_remove(tree, TM_STATE_FOLDER "/lock");
	tree_link(tree, TM_STATE_FOLDER "/lock", "../../elsewhere/lock");
	assert_true(lock(tree, TM_LOCK_MAKE) < 0);
	assert_false(tree_has(tree, "elsewhere/lock"));
}

static void test_foreign_owner(void **state)
{
	struct tree *tree = *state;
	char name[PATH_MAX];

	if (geteuid())
		skip();
	assert_int_equal(lock(tree, TM_LOCK_MAKE), 0);
	assert_int_equal(chown(tree_name(tree, TM_STATE_FOLDER, name), 1234, 0), 0);
	assert_int_equal(lock(tree, TM_LOCK_MAKE), -EPERM);
	assert_non_null(strstr(err.text, "not this user's own"));
}

/* run -> /somewhere is inside the root, wherever that is outside. */
static void test_run_is_a_link(void **state)
{
	struct tree *tree = *state;
	char outside[PATH_MAX], below[PATH_MAX + 16];

	snprintf(outside, sizeof(outside), "%s.outside", tree->path);
	snprintf(below, sizeof(below), "%s/tiermem", outside);
	assert_int_equal(mkdir(outside, 0700), 0);
	tree_link(tree, "run", outside);
	assert_int_equal(lock(tree, TM_LOCK_MAKE), -ENOENT);
	assert_int_equal(access(below, F_OK), -1);
	assert_int_equal(rmdir(outside), 0);
	tree_folder(tree, "var/run");
	tree_link(tree, "run", "/var/run");
	assert_int_equal(lock(tree, TM_LOCK_MAKE), 0);
	assert_true(tree_has(tree, "var/run/tiermem/lock"));
}

static void test_lock_waits_for_its_end(void **state)
{
	struct tree *tree = *state;
	int fd = tm_state_lock(&tree->root, TM_LOCK_MAKE, &err), ready[2];
	char c;
	pid_t pid;

	assert_true(fd >= 0);
	assert_int_equal(lock(tree, TM_LOCK_MAKE), -EBUSY);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		/* The child holds it too, until it ends. */
		close(ready[1]);
		_exit(read(ready[0], &c, 1) < 0);
	}
	close(fd);
	assert_int_equal(lock(tree, TM_LOCK_MAKE), -EBUSY);
	close(ready[1]);
	assert_int_equal(lock(tree, TM_LOCK_MAKE | TM_LOCK_WAIT), 0);
	close(ready[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void check_form(enum tm_form form, const char *raw, const char *wanted)
{
	struct tm_buf normal = TM_BUF_INIT;
	int rc;

	tm_buf_adds(&normal, "before");
	rc = tm_form_normalise(form, raw, &normal);
	assert_int_equal(rc, wanted ? 0 : -EINVAL);
	assert_string_equal(tm_buf_str(&normal), wanted ? wanted : "before");
	tm_buf_release(&normal);
}

static void test_forms(void **state)
{
	enum tm_form form = TM_FORM_TEXT;

	(void)state;
	check_form(TM_FORM_TEXT, " a  b\n", "a  b");
	check_form(TM_FORM_TEXT, "\n", "");
	check_form(TM_FORM_NUMBER, "7\n", "7");
	check_form(TM_FORM_NUMBER, " 0x1F ", "31");
	check_form(TM_FORM_NUMBER, "18446744073709551615", "18446744073709551615");
	check_form(TM_FORM_NUMBER, "18446744073709551616", NULL);
	check_form(TM_FORM_NUMBER, "-1", NULL);
	check_form(TM_FORM_NUMBER, "", NULL);
	check_form(TM_FORM_NUMBER, "7 8", NULL);
	for (const char *s = "yYtT1"; *s; s++)
		check_form(TM_FORM_BOOL, (char[]){ *s, '\n', '\0' }, "true");
	for (const char *s = "nNfF0"; *s; s++)
		check_form(TM_FORM_BOOL, (char[]){ *s, '\n', '\0' }, "false");
	check_form(TM_FORM_BOOL, "true\n", "true");
	check_form(TM_FORM_BOOL, "on", "true");
	check_form(TM_FORM_BOOL, "Off", "false");
	check_form(TM_FORM_BOOL, "o", NULL);
	check_form(TM_FORM_BOOL, "2", NULL);
	check_form(TM_FORM_BOOL, "", NULL);
	check_form(TM_FORM_CHOICE, "always [madvise] never\n", "madvise");
	check_form(TM_FORM_CHOICE, "never", "never");
	check_form(TM_FORM_CHOICE, "always madvise", NULL);
	check_form(TM_FORM_CHOICE, "always [] never", NULL);
	check_form(TM_FORM_CHOICE, "always [never", NULL);
	check_form(TM_FORM_CHOICE, "", NULL);
	for (int i = TM_FORM_TEXT; i <= TM_FORM_CHOICE; i++) {
		assert_int_equal(tm_form_parse(tm_form_name((enum tm_form)i), &form), 0);
		assert_int_equal(form, i);
	}
	assert_int_equal(tm_form_parse("words", &form), -EINVAL);
}

/* Y is written, true is read, and that is the same. */
static void test_compares_by_meaning(void **state)
{
	struct tree *tree = *state;
	struct tm_plan plan;

	make_settings(tree);
	start_plan(tree, &plan);
	add(&plan, W "/auto", "Y", TM_FORM_BOOL);
	add(&plan, "sys/x/choice", "madvise", TM_FORM_CHOICE);
	add(&plan, "sys/x/count", "0x0", TM_FORM_NUMBER);
	assert_false(tm_plan_has_work(&plan));
	add(&plan, "sys/x/choice", "never", TM_FORM_CHOICE);
	assert_string_equal(plan.changes[3].from, "madvise");
	assert_true(tm_plan_has_work(&plan));
	tm_plan_release(&plan);
}

static void test_add_refuses(void **state)
{
	struct tm_change_spec spec = { .form = TM_FORM_NUMBER, .path = W "/node0", .to = "many" };
	struct tree *tree = *state;
	struct tm_plan plan;

	make_settings(tree);
	start_plan(tree, &plan);
	assert_int_equal(tm_plan_add(&plan, &spec, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'many' is no value"));
	spec.to = "1";
	spec.path = W "/auto";
	assert_int_equal(tm_plan_add(&plan, &spec, &err), -EINVAL);
	assert_non_null(strstr(err.text, "holds no number"));
	spec.path = W "/node9";
	assert_int_equal(tm_plan_add(&plan, &spec, &err), -ENOENT);
	tree_mode(tree, W "/node1", 0);
	spec.path = W "/node1";
	assert_int_equal(tm_plan_add(&plan, &spec, &err), -EACCES);
	assert_int_equal(plan.nr, 0);
	tm_plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_damaged),       tree_test(test_other_files_are_no_journals),
		tree_test(test_state_folder),  tree_test(test_foreign_owner),
		tree_test(test_run_is_a_link), tree_test(test_lock_waits_for_its_end),
		cmocka_unit_test(test_forms),  tree_test(test_compares_by_meaning),
		tree_test(test_add_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
