/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

static void test_open(void **state)
{
	struct tree *tree = *state;
	struct tm_error err = { 0 };
	struct tm_root root = { .fd = 1234 };
	char path[PATH_MAX];

	assert_int_equal(tm_root_open(&root, "/nowhere/at/all", &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nowhere/at/all: "));
	assert_int_equal(root.fd, 1234);
	/* A file may be an archive (tests/unit/archive.c); this one is not. */
	tree_file(tree, "file", "text");
	assert_int_equal(tm_root_open(&root, tree_name(tree, "file", path), &err), -EINVAL);
	assert_non_null(strstr(err.text, path));
	tree_fifo(tree, "fifo");
	assert_int_equal(tm_root_open(&root, tree_name(tree, "fifo", path), &err), -ENOTDIR);
	assert_string_not_equal(err.hint, "");
	assert_int_equal(root.fd, 1234);
	tree_folder(tree, "empty");
	assert_int_equal(tm_root_open(&root, tree_name(tree, "empty", path), &err), -EINVAL);
	assert_non_null(strstr(err.text, "neither sys/ nor proc/"));
	assert_string_not_equal(err.hint, "");
	assert_int_equal(tm_root_open(&root, path, NULL), -EINVAL);

	/* One of the two is enough. */
	tree_folder(tree, "half/proc");
	assert_int_equal(tm_root_open(&root, tree_name(tree, "half", path), &err), 0);
	assert_false(root.live);
	assert_string_equal(root.name, path);
	tm_root_close(&root);
	tm_root_close(&root);
}

static void test_live(void **state)
{
	static const char *const names[] = { NULL, "/", "//", "/tmp/.." };
	struct tm_error err = { 0 };
	int slash = open("/", O_PATH | O_DIRECTORY);
	bool emulated = faccessat(slash, "proc", F_OK, 0) != 0;

	(void)state;
	close(slash);
	/* An emulator that puts a folder of libraries in the place of / shows no machine there. */
	if (emulated)
		return;
	for (size_t i = 0; i < TM_ARRAY_SIZE(names); i++) {
		struct tm_root root = { 0 };

		assert_int_equal(tm_root_open(&root, names[i], &err), 0);
		assert_true(root.live);
		assert_string_equal(root.name, "/");
		assert_true(tm_root_exists(&root, "proc/self/stat"));
		tm_root_close(&root);
	}
}

static void test_read(void **state)
{
	struct tree *tree = *state;
	struct tm_buf text = TM_BUF_INIT;
	char big[10000];

	tree_bytes(tree, "sys/bytes", "a\0b\n", 4);
	assert_int_equal(tm_root_read(&tree->root, "sys/bytes", 100, &text), 0);
	assert_int_equal(text.len, 4);
	assert_memory_equal(text.data, "a\0b\n", 5);
	tree_bytes(tree, "sys/empty", "", 0);
	assert_int_equal(tm_root_read(&tree->root, "sys/empty", 100, &text), 0);
	assert_int_equal(text.len, 0);
	assert_string_equal(tm_buf_str(&text), "");

	/* Exactly at the limit, and one above. */
	memset(big, 'x', sizeof(big));
	tree_bytes(tree, "sys/big", big, sizeof(big));
	assert_int_equal(tm_root_read(&tree->root, "sys/big", sizeof(big), &text), 0);
	assert_int_equal(text.len, sizeof(big));
	assert_int_equal(tm_root_read(&tree->root, "sys/empty", 0, &text), 0);
	tm_buf_reset(&text);
	tm_buf_adds(&text, "untouched");
	assert_int_equal(tm_root_read(&tree->root, "sys/big", sizeof(big) - 1, &text), -EFBIG);
	assert_int_equal(tm_root_read(&tree->root, "sys/none", 100, &text), -ENOENT);
	assert_int_equal(tm_root_read(&tree->root, "sys/big/none", 100, &text), -ENOTDIR);
	assert_int_equal(tm_root_read(&tree->root, "sys", 100, &text), -EISDIR);
	tree_fifo(tree, "sys/fifo");
	assert_int_equal(tm_root_read(&tree->root, "sys/fifo", 100, &text), -EINVAL);
	assert_string_equal(tm_buf_str(&text), "untouched");
	tm_buf_release(&text);
}

static void test_exists(void **state)
{
	struct tree *tree = *state;

	tree_file(tree, "sys/file", "x");
	tree_fifo(tree, "sys/fifo");
	tree_link(tree, "sys/link", "file");
	tree_link(tree, "sys/dangling", "nothing");
	assert_true(tm_root_exists(&tree->root, "sys"));
	assert_true(tm_root_exists(&tree->root, "sys/file"));
	assert_true(tm_root_exists(&tree->root, "sys/fifo"));
	assert_true(tm_root_exists(&tree->root, "sys/link"));
	assert_false(tm_root_exists(&tree->root, "sys/dangling"));
	assert_false(tm_root_exists(&tree->root, "sys/file/below"));
	tree_mode(tree, "sys/file", 0000);
	assert_true(tm_root_exists(&tree->root, "sys/file"));
}

static void test_readlink(void **state)
{
	struct tree *tree = *state;
	char target[TM_PATH_MAX] = "untouched", longest[TM_PATH_MAX + 100];

	assert_int_equal(tm_root_readlink(&tree->root, "sys/none", target), -ENOENT);
	tree_file(tree, "sys/file", "x");
	assert_int_equal(tm_root_readlink(&tree->root, "sys/file", target), -EINVAL);
	assert_int_equal(tm_root_readlink(&tree->root, "sys", target), -EINVAL);
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	tree_link(tree, "sys/long", longest);
	assert_int_equal(tm_root_readlink(&tree->root, "sys/long", target), -ENAMETOOLONG);
	longest[TM_PATH_MAX] = '\0';
	tree_link(tree, "sys/long", longest);
	assert_int_equal(tm_root_readlink(&tree->root, "sys/long", target), -ENAMETOOLONG);
	assert_string_equal(target, "untouched");

	longest[TM_PATH_MAX - 1] = '\0';
	tree_link(tree, "sys/long", longest);
	assert_int_equal(tm_root_readlink(&tree->root, "sys/long", target), 0);
	assert_string_equal(target, longest);
	/* Not followed, wherever it leads. */
	tree_link(tree, "sys/dangling", "/nowhere");
	assert_int_equal(tm_root_readlink(&tree->root, "sys/dangling", target), 0);
	assert_string_equal(target, "/nowhere");
	tree_link(tree, "sys/first", "dangling");
	assert_int_equal(tm_root_readlink(&tree->root, "sys/first", target), 0);
	assert_string_equal(target, "dangling");
}

static void test_resolve(void **state)
{
	struct tree *tree = *state;
	char resolved[TM_PATH_MAX] = "untouched";

	tree_file(tree, "sys/devices/a/b/file", "x");
	tree_link(tree, "sys/bus/b", "../devices/a/b");
	tree_link(tree, "sys/bus/absolute", "/sys/devices/a");
	tree_link(tree, "sys/bus/up", "../../../../../../sys/devices/a");
	tree_link(tree, "sys/bus/loop", "loop");
	tree_link(tree, "sys/bus/dangling", "nowhere");
	assert_int_equal(tm_root_resolve(&tree->root, "sys/bus/none", resolved), -ENOENT);
	assert_int_equal(tm_root_resolve(&tree->root, "sys/bus/dangling", resolved), -ENOENT);
	assert_int_equal(tm_root_resolve(&tree->root, "sys/bus/loop", resolved), -ELOOP);
	assert_string_equal(resolved, "untouched");
	assert_int_equal(tm_root_resolve(&tree->root, "sys/bus/b", resolved), 0);
	assert_string_equal(resolved, "sys/devices/a/b");
	assert_int_equal(tm_root_resolve(&tree->root, "sys/bus/b/file", resolved), 0);
	assert_string_equal(resolved, "sys/devices/a/b/file");
	assert_int_equal(tm_root_resolve(&tree->root, "sys/bus/absolute", resolved), 0);
	assert_string_equal(resolved, "sys/devices/a");
	assert_int_equal(tm_root_resolve(&tree->root, "sys/bus/up", resolved), 0);
	assert_string_equal(resolved, "sys/devices/a");
	assert_int_equal(tm_root_resolve(&tree->root, ".", resolved), 0);
	assert_string_equal(resolved, "");
}

static void test_scan(void **state)
{
	struct tree *tree = *state;
	struct tm_scan scan;
	const char *name;
	unsigned seen = 0;

	tree_folder(tree, "sys/empty");
	assert_int_equal(tm_scan_open(&tree->root, "sys/empty", &scan), 0);
	assert_null(tm_scan_next(&scan));
	tm_scan_close(&scan);
	tm_scan_close(&scan);

	tree_file(tree, "sys/full/file", "x");
	tree_folder(tree, "sys/full/folder");
	tree_link(tree, "sys/full/link", "nowhere");
	tree_fifo(tree, "sys/full/.hidden");
	tree_file(tree, "sys/full/\xff\n\x1b", "x");
	assert_int_equal(tm_scan_open(&tree->root, "sys/full", &scan), 0);
	while ((name = tm_scan_next(&scan))) {
		static const char *const names[] = { "file", "folder", "link", ".hidden",
						     "\xff\n\x1b" };
		size_t i = 0;

		while (i < TM_ARRAY_SIZE(names) && strcmp(name, names[i]))
			i++;
		assert_in_range(i, 0, TM_ARRAY_SIZE(names) - 1);
		assert_false(seen & 1u << i);
		seen |= 1u << i;
	}
	assert_int_equal(seen, 31);
	tm_scan_close(&scan);

	assert_int_equal(tm_scan_open(&tree->root, "sys/none", &scan), -ENOENT);
	assert_int_equal(tm_scan_open(&tree->root, "sys/full/file", &scan), -ENOTDIR);
	assert_int_equal(tm_scan_open(&tree->root, "sys/full/.hidden", &scan), -ENOTDIR);
}

static void test_names(void **state)
{
	static const struct {
		const char *name, *prefix;
		long id; /* -1: no such name */
	} cases[] = {
		{ "node0", "node", 0 },
		{ "node12", "node", 12 },
		{ "node4294967", "node", 4294967 },
		{ "0", "", 0 },
		{ "node", "node", -1 },
		{ "node01", "node", -1 },
		{ "node00", "node", -1 },
		{ "node-1", "node", -1 },
		{ "node+1", "node", -1 },
		{ "node 1", "node", -1 },
		{ "node1 ", "node", -1 },
		{ "node1\n", "node", -1 },
		{ "node1a", "node", -1 },
		{ "nodea", "node", -1 },
		{ "Node1", "node", -1 },
		{ "xnode1", "node", -1 },
		{ "nod", "node", -1 },
		{ "", "node", -1 },
		{ "node0x1", "node", -1 },
		{ "node99999999999", "node", -1 },
		{ "node4294967296", "node", -1 },
		{ "node18446744073709551616", "node", -1 },
		{ "node18446744073709551617", "node", -1 },
		{ "node\xd9\xa1", "node", -1 },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		long id = -1;
		bool is = tm_name_id(cases[i].name, cases[i].prefix, &id);

		if (is != (cases[i].id >= 0) || id != cases[i].id)
			fail_msg("\"%s\": %d, %ld", cases[i].name, is, id);
	}
}

static void test_path_format(void **state)
{
	char path[TM_PATH_MAX];

	(void)state;
	assert_int_equal(tm_path_format(path, "sys/node%d/%s", 3, "x"), 0);
	assert_string_equal(path, "sys/node3/x");
	assert_int_equal(tm_path_format(path, "%*s", TM_PATH_MAX - 1, "x"), 0);
	assert_int_equal(strlen(path), TM_PATH_MAX - 1);
	assert_int_equal(tm_path_format(path, "%*s", TM_PATH_MAX, "x"), -ENAMETOOLONG);
}

/* The I/O behind a root can be replaced, and each of its failures is passed on. */
struct faulty {
	int open_error;
	int read_error;
	int closed;
};

static int faulty_open(void *context, int root_fd, const char *path, int flags, mode_t mode)
{
	const struct faulty *faulty = context;

	return faulty->open_error ? -faulty->open_error :
				    tm_io_system.open(NULL, root_fd, path, flags, mode);
}

static ssize_t faulty_read(void *context, int fd, void *data, size_t size)
{
	const struct faulty *faulty = context;

	/* One byte at a time: a short read is not the end. */
	return faulty->read_error ? -faulty->read_error :
				    tm_io_system.read(NULL, fd, data, size ? 1 : 0);
}

static int faulty_close(void *context, int fd)
{
	((struct faulty *)context)->closed++;
	return tm_io_system.close(NULL, fd);
}

static void test_replaced_io(void **state)
{
	static const struct tm_io io = {
		.open = faulty_open,
		.read = faulty_read,
		.close = faulty_close,
	};
	struct tree *tree = *state;
	struct tm_buf text = TM_BUF_INIT;
	char target[TM_PATH_MAX];
	struct faulty faulty = { 0 };
	struct tm_scan scan;
	struct tm_root root = tree->root;

	root.io = &io;
	root.io_context = &faulty;
	tree_file(tree, "sys/file", "hello");
	assert_int_equal(tm_root_read(&root, "sys/file", 100, &text), 0);
	assert_string_equal(tm_buf_str(&text), "hello\n");
	assert_int_equal(faulty.closed, 1);
	faulty.read_error = EIO;
	assert_int_equal(tm_root_read(&root, "sys/file", 100, &text), -EIO);
	assert_int_equal(faulty.closed, 2);
	faulty.open_error = EMFILE;
	assert_int_equal(tm_root_read(&root, "sys/file", 100, &text), -EMFILE);
	assert_int_equal(tm_root_readlink(&root, "sys/file", target), -EMFILE);
	assert_int_equal(tm_root_resolve(&root, "sys/file", target), -EMFILE);
	assert_int_equal(tm_scan_open(&root, "sys", &scan), -EMFILE);
	assert_false(tm_root_exists(&root, "sys"));
	assert_string_equal(tm_buf_str(&text), "hello\n");
	tm_buf_release(&text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		tree_test(test_open),
		cmocka_unit_test(test_live),
		tree_test(test_read),
		tree_test(test_exists),
		tree_test(test_readlink),
		tree_test(test_resolve),
		tree_test(test_scan),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_path_format),
		tree_test(test_replaced_io),
	};

	return cmocka_run_group_tests_name("root", tests, NULL, NULL);
}
