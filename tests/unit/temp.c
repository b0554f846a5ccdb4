/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tar.h"

#include <signal.h>
#include <sys/wait.h>

#include "lib/sys/temp.h"

static unsigned mode_of(const struct tree *tree, const char *path)
{
	struct stat st;

	assert_int_equal(fstatat(tree->root.fd, path, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 0777;
}

/* Until the guardian of a process that is gone has done its work. */
static bool goes_away(const char *folder)
{
	for (int i = 0; i < 1000; i++) {
		if (!count_temporary(folder))
			return true;
		usleep(10000);
	}
	return false;
}

static void test_temporary_folder(void **state)
{
	struct tree *tree = *state;
	struct tm_error err = { 0 };
	struct tm_temp temp = { 0 };

	tm_temp_release(&temp);
	assert_int_equal(tm_temp_folder(&temp, "/nowhere", &err), -ENOENT);
	assert_int_equal(temp.guardian, 0);
	assert_int_equal(tm_temp_folder(&temp, tree->path, &err), 0);
	assert_int_equal(mode_of(tree, temp.name), 0700);
	/* With what is in it, also where it was captured as denied. */
	assert_int_equal(mkdirat(temp.fd, "a", 0700), 0);
	assert_int_equal(mkdirat(temp.fd, "a/b", 0700), 0);
	assert_int_equal(symlinkat(tree->path, temp.fd, "a/b/link"), 0);
	close(openat(temp.fd, "a/b/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0000));
	assert_int_equal(fchmodat(temp.fd, "a/b", 0111, 0), 0);
	assert_int_equal(fchmodat(temp.fd, "a", 0000, 0), 0);
	tm_temp_release(&temp);
	assert_int_equal(count_temporary(tree->path), 0);
	assert_true(tm_root_exists(&tree->root, "sys"));
	tm_temp_release(&temp);
}

static void test_killed(void **state)
{
	static const int signals[] = { SIGKILL, SIGTERM, SIGHUP };
	struct tree *tree = *state;

	for (size_t i = 0; i < TM_ARRAY_SIZE(signals); i++) {
		pid_t child = fork();
		int status;

		if (!child) {
			struct tm_temp temp;

			signal(signals[i], SIG_DFL);
			if (tm_temp_folder(&temp, tree->path, NULL) || mkdirat(temp.fd, "a", 0700))
				_exit(1);
			raise(signals[i]);
			_exit(2);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
		assert_true(goes_away(tree->path));
	}
}

/* A pipe that the process writes to ends with it, not with the guardian. */
static void test_guardian_holds_nothing(void **state)
{
	struct tree *tree = *state;
	struct tm_error err = { 0 };
	struct tm_temp temp;
	int ends[2];
	char byte;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(tm_temp_folder(&temp, tree->path, &err), 0);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	tm_temp_release(&temp);
}

static void test_temporary_file(void **state)
{
	struct tree *tree = *state;
	struct tm_error err = { 0 };
	struct tm_buf text = TM_BUF_INIT;
	struct tm_temp temp;
	char name[PATH_MAX];

	tree_name(tree, "out", name);
	/* Not kept. */
	assert_int_equal(tm_temp_file(&temp, name, &err), 0);
	assert_int_equal(mode_of(tree, temp.name), 0600);
	tm_temp_release(&temp);
	assert_int_equal(count_temporary(tree->path), 0);
	assert_false(tm_root_exists(&tree->root, "out"));
	/* Kept. */
	assert_int_equal(tm_temp_file(&temp, name, &err), 0);
	assert_int_equal(write(temp.fd, "new", 3), 3);
	assert_int_equal(tm_temp_keep(&temp, name, false), 0);
	tm_temp_release(&temp);
	assert_int_equal(count_temporary(tree->path), 0);
	assert_int_equal(tm_root_read(&tree->root, "out", 100, &text), 0);
	assert_string_equal(text.data, "new");
	/* Something is there. */
	assert_int_equal(tm_temp_file(&temp, name, &err), 0);
	assert_int_equal(tm_temp_keep(&temp, name, false), -EEXIST);
	assert_int_equal(tm_temp_keep(&temp, name, true), 0);
	tm_temp_release(&temp);
	assert_int_equal(tm_root_read(&tree->root, "out", 100, &text), 0);
	assert_int_equal(text.len, 0);
	assert_int_equal(tm_temp_file(&temp, "/nowhere/out", &err), -ENOENT);
	tm_buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_temporary_folder),
		tree_test(test_killed),
		tree_test(test_guardian_holds_nothing),
		tree_test(test_temporary_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
