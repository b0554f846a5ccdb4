/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What keeps a path inside the root: openat2 where the kernel has it, and the walk that stands in.
 * One table of cases for both; the walk is always tried, so that it works where nobody needs it.
 */
#include "tests/unit/tree.h"

#include <linux/openat2.h>
#include <sys/syscall.h>

#include "lib/sys/walk.h"

static const struct tree_entry entries[] = {
	{ "file", "top\n", NULL },
	{ "a/file", "a\n", NULL },
	{ "a/b/file", "b\n", NULL },
	{ "etc/passwd", "inside\n", NULL },
	{ "links/same", NULL, "../a/file" },
	{ "links/folder", NULL, "../a/b" },
	{ "links/folder-slash", NULL, "../a/b/" },
	{ "links/file-slash", NULL, "../a/file/" },
	{ "links/dot", NULL, "." },
	{ "links/dots", NULL, "./.././a/./b/../file" },
	{ "links/absolute", NULL, "/a/file" },
	{ "links/absolute-folder", NULL, "/a" },
	{ "links/slash", NULL, "/" },
	{ "links/above", NULL, "../../../../../../../../etc/passwd" },
	{ "links/outside", NULL, "/etc/passwd" },
	{ "links/nothing-outside", NULL, "/bin/sh" },
	{ "links/dangling", NULL, "nowhere" },
	{ "links/dangling-below", NULL, "nowhere/file" },
	{ "links/self", NULL, "self" },
	{ "links/ping", NULL, "pong" },
	{ "links/pong", NULL, "ping" },
	{ "links/spiral", NULL, "spiral/x" },
	{ "links/through-file", NULL, "../a/file/b" },
	{ "links/two", NULL, "absolute-folder/b/../../links/same" },
};

/* `text`: the file's first line; or the errno. */
static const struct {
	const char *path;
	int flags;
	int error;
	const char *text;
} cases[] = {
	{ "file", O_RDONLY, 0, "top" },
	{ "/file", O_RDONLY, 0, "top" },
	{ "//a///b//file", O_RDONLY, 0, "b" },
	{ "./a/./file", O_RDONLY, 0, "a" },
	{ "a/b/../file", O_RDONLY, 0, "a" },
	{ "a/../a/../file", O_RDONLY, 0, "top" },
	{ "..", O_RDONLY | O_DIRECTORY, 0, NULL },
	{ "../../../file", O_RDONLY, 0, "top" },
	{ "../../../etc/passwd", O_RDONLY, 0, "inside" },
	{ "/../etc/passwd", O_RDONLY, 0, "inside" },
	{ ".", O_RDONLY | O_DIRECTORY, 0, NULL },
	{ "/", O_RDONLY | O_DIRECTORY, 0, NULL },
	{ "a", O_RDONLY | O_DIRECTORY, 0, NULL },
	{ "a/", O_RDONLY | O_DIRECTORY, 0, NULL },
	{ "a/b/.", O_RDONLY | O_DIRECTORY, 0, NULL },
	{ "a", O_PATH, 0, NULL },
	{ "", O_RDONLY, ENOENT, NULL },
	{ "none", O_RDONLY, ENOENT, NULL },
	{ "none/file", O_RDONLY, ENOENT, NULL },
	{ "a/none", O_PATH, ENOENT, NULL },
	{ "file", O_RDONLY | O_DIRECTORY, ENOTDIR, NULL },
	{ "file/", O_RDONLY, ENOTDIR, NULL },
	{ "file/.", O_RDONLY, ENOTDIR, NULL },
	{ "file/..", O_RDONLY, ENOTDIR, NULL },
	{ "file/x", O_RDONLY, ENOTDIR, NULL },
	{ "links/same", O_RDONLY, 0, "a" },
	{ "links/folder/file", O_RDONLY, 0, "b" },
	{ "links/folder/../file", O_RDONLY, 0, "a" }, /* where the link leads, not where it is */
	{ "links/folder", O_RDONLY | O_DIRECTORY, 0, NULL },
	{ "links/folder-slash/file", O_RDONLY, 0, "b" },
	{ "links/file-slash", O_RDONLY, ENOTDIR, NULL },
	{ "links/dot/dot/dot/same", O_RDONLY, 0, "a" },
	{ "links/dots", O_RDONLY, 0, "a" },
	{ "links/absolute", O_RDONLY, 0, "a" },
	{ "links/absolute-folder/b/file", O_RDONLY, 0, "b" },
	{ "links/slash/file", O_RDONLY, 0, "top" },
	{ "links/slash/..//../file", O_RDONLY, 0, "top" },
	{ "links/above", O_RDONLY, 0, "inside" },
	{ "links/outside", O_RDONLY, 0, "inside" },
	{ "links/nothing-outside", O_RDONLY, ENOENT, NULL },
	{ "links/dangling", O_RDONLY, ENOENT, NULL },
	{ "links/dangling-below", O_RDONLY, ENOENT, NULL },
	{ "links/self", O_RDONLY, ELOOP, NULL },
	{ "links/self/x", O_RDONLY, ELOOP, NULL },
	{ "links/ping", O_PATH, ELOOP, NULL },
	{ "links/spiral", O_RDONLY, ELOOP, NULL },
	{ "links/through-file", O_RDONLY, ENOTDIR, NULL },
	{ "links/two", O_RDONLY, 0, "a" },
	{ "links/same/x", O_RDONLY, ENOTDIR, NULL },
	{ "links/same", O_RDONLY | O_NOFOLLOW, ELOOP, NULL },
	{ "links/same", O_PATH | O_NOFOLLOW, 0, NULL },
	{ "links/dangling", O_PATH | O_NOFOLLOW, 0, NULL },
	{ "links/self", O_PATH | O_NOFOLLOW, 0, NULL },
	{ "links/folder", O_RDONLY | O_NOFOLLOW | O_DIRECTORY, ENOTDIR, NULL },
	{ "links/folder/file", O_RDONLY | O_NOFOLLOW, 0, "b" },
	{ "fifo", O_RDONLY | O_NONBLOCK, 0, NULL },
	{ "fifo", O_PATH, 0, NULL },
	{ "fifo/x", O_RDONLY, ENOTDIR, NULL },
	{ "fifo", O_RDONLY | O_NONBLOCK | O_DIRECTORY, ENOTDIR, NULL },
	{ "chain40", O_RDONLY, 0, "top" }, /* 40 links are allowed, 41 are not */
	{ "chain41", O_RDONLY, ELOOP, NULL },
	{ "far", O_RDONLY, 0, "top" },
};

static int by_openat2(int root_fd, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

static int by_walk(int root_fd, const char *path, int flags)
{
	return tm_walk_open(root_fd, path, flags, 0);
}

static int by_system(int root_fd, const char *path, int flags)
{
	return tm_io_system.open(NULL, root_fd, path, flags, 0);
}

static int setup(void **state)
{
	char far[900] = "";
	struct tree *tree;

	tree_setup(state);
	tree = *state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(entries); i++)
		tree_add(tree, &entries[i]);
	tree_fifo(tree, "fifo");
	tree_link(tree, "chain1", "file");
	for (int i = 2; i <= 41; i++) {
		char path[32], target[32];

		snprintf(path, sizeof(path), "chain%d", i);
		snprintf(target, sizeof(target), "chain%d", i - 1);
		tree_link(tree, path, target);
	}
	/* A long way round. */
	for (int i = 0; i < 80; i++)
		strcat(far, "a/b/../../");
	strcat(far, "file");
	tree_link(tree, "far", far);
	return 0;
}

static void try_all(const struct tree *tree, const char *how,
		    int (*open_by)(int root_fd, const char *path, int flags))
{
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		int fd = open_by(tree->root.fd, cases[i].path, cases[i].flags);
		char text[64] = "";
		ssize_t size = 0;

		if (fd < 0) {
			if (-fd != cases[i].error)
				fail_msg("%s, case %zu, \"%s\": %s", how, i, cases[i].path,
					 strerror(-fd));
			continue;
		}
		if (cases[i].error)
			fail_msg("%s, case %zu, \"%s\": was opened", how, i, cases[i].path);
		assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
		if (cases[i].text) {
			size = read(fd, text, sizeof(text) - 1);
			assert_in_range(size, 1, sizeof(text) - 1);
			text[size - 1] = '\0';
			if (strcmp(text, cases[i].text))
				fail_msg("%s, \"%s\": read \"%s\"", how, cases[i].path, text);
		}
		close(fd);
	}
}

static void test_walk(void **state)
{
	try_all(*state, "walk", by_walk);
}

static void test_system(void **state)
{
	try_all(*state, "system", by_system);
}

static void test_openat2(void **state)
{
	const struct tree *tree = *state;
	int fd = by_openat2(tree->root.fd, ".", O_PATH);

	/* Emulators and old kernels lack it; then test_system has tried the walk. */
	if (fd == -ENOSYS) {
		print_message("openat2 is not there\n");
		return;
	}
	close(fd);
	try_all(tree, "openat2", by_openat2);
}

/* Nothing stays open, whether it went well or not. */
static void test_descriptors(void **state)
{
	const struct tree *tree = *state;
	int before = dup(tree->root.fd), after;

	close(before);
	for (int round = 0; round < 3; round++)
		for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
			int fd = by_walk(tree->root.fd, cases[i].path, cases[i].flags);

			if (fd >= 0)
				close(fd);
		}
	after = dup(tree->root.fd);
	close(after);
	assert_int_equal(before, after);
}

static void test_limits(void **state)
{
	const struct tree *tree = *state;
	char path[3 * TM_PATH_MAX], target[TM_PATH_MAX + 200];
	int fd;

	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(by_walk(tree->root.fd, path, O_RDONLY), -ENAMETOOLONG);
	path[300] = '\0';
	assert_int_equal(by_walk(tree->root.fd, path, O_RDONLY), -ENAMETOOLONG);
	assert_int_equal(by_system(tree->root.fd, path, O_RDONLY), -ENAMETOOLONG);
	path[255] = '\0';
	assert_int_equal(by_walk(tree->root.fd, path, O_RDONLY), -ENOENT);

	/* A target longer than the walk's room is an error, not a shorter path. */
	memset(target, '/', sizeof(target));
	memcpy(target + sizeof(target) - 5, "file", 5);
	target[0] = 'a';
	memcpy(target + TM_PATH_MAX - 6, "/file/", 6);
	tree_link(tree, "long", target);
	fd = by_walk(tree->root.fd, "long", O_RDONLY);
	assert_int_equal(fd, -ENAMETOOLONG);
}

/* Creating: only inside, and also where a link leads to a place that is free. */
static void test_create(void **state)
{
	const struct tree *tree = *state;
	char name[PATH_MAX];
	struct stat st;
	int fd;

	fd = tm_walk_open(tree->root.fd, "a/new", O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(stat(tree_name(tree, "a/new", name), &st), 0);
	fd = tm_walk_open(tree->root.fd, "links/dangling", O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(stat(tree_name(tree, "links/nowhere", name), &st), 0);
	assert_int_equal(tm_walk_open(tree->root.fd, "none/new", O_WRONLY | O_CREAT, 0600),
			 -ENOENT);
	assert_int_equal(tm_walk_open(tree->root.fd, "a/new", O_WRONLY | O_CREAT | O_EXCL, 0600),
			 -EEXIST);
	fd = tm_walk_open(tree->root.fd, "../../new", O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(stat(tree_name(tree, "new", name), &st), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walk),	cmocka_unit_test(test_system),
		cmocka_unit_test(test_openat2), cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_limits),	cmocka_unit_test(test_create),
	};

	return cmocka_run_group_tests_name("walk", tests, setup, tree_teardown);
}
