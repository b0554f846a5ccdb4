/* SPDX-License-Identifier: GPL-2.0-only */
/* Snapshots as roots. */
#include "tests/unit/tar.h"

#include "lib/sys/snapshot.h"

#define DOCUMENT(root, page_size)                                                                  \
	"{\"schema\": \"tiermem.snapshot/1\", \"root\": " root ", \"page_size_bytes\": " page_size \
	"}"

static void test_root(void **state)
{
	static const struct member members[] = {
		SOUND,
		{ TM_SNAPSHOT_DOCUMENT, REG, DOCUMENT("\"/far\"", "65536"), 0 },
		{ "sys/broken", REG, "?ENXIO\n", 0 },
		{ "", 0, NULL, 0 },
	};
	struct tree *tree = *state;
	struct tm_error err = { 0 };
	struct tm_buf text = TM_BUF_INIT;
	struct tm_root root;
	char name[64];
	int fd;

	if (!have_libarchive())
		skip();
	fd = make_archive(members);
	/* A NUL, which the helper cannot write. */
	for (off_t at = 0; pread(fd, name, 8, at) == 8; at += 512)
		if (!strncmp(name, "?ENXIO\n", 7))
			assert_int_equal(pwrite(fd, "", 1, at), 1);
	setenv("TMPDIR", tree->path, 1);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	assert_int_equal(tm_root_open(&root, name, &err), 0);
	assert_int_equal(count_temporary(tree->path), 1);
	assert_false(root.live);
	assert_true(root.replay);
	assert_string_equal(root.name, "/far");
	assert_int_equal(root.page_size, 65536);
	assert_int_equal(tm_root_read(&root, "sys/file", 100, &text), 0);
	assert_string_equal(text.data, "text");
	/* What could not be read there cannot be read here, for the same reason. */
	assert_int_equal(tm_root_read(&root, "sys/broken", 100, &text), -ENXIO);
	tm_root_close(&root);
	assert_int_equal(count_temporary(tree->path), 0);
	close(fd);
	tm_buf_release(&text);

	/* No place to unpack to. */
	setenv("TMPDIR", "/nowhere/at/all", 1);
	fd = make_archive(members);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	assert_int_equal(tm_root_open(&root, name, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nowhere/at/all"));
	close(fd);
	unsetenv("TMPDIR");
}

static void test_documents(void **state)
{
	static const struct {
		const char *text, *why; /* NULL: accepted */
	} cases[] = {
		{ DOCUMENT("\"/x\"", "null"), NULL },
		{ "", "empty" },
		{ "{", "not a JSON document" },
		{ "[]", "no object" },
		{ "{\"root\":\"/x\"}", "schema" },
		{ "{\"schema\":\"tiermem.snapshot/2\",\"root\":\"/x\",\"page_size_bytes\":null}",
		  "schema" },
		{ "{\"schema\":1,\"root\":\"/x\",\"page_size_bytes\":null}", "schema" },
		{ "{\"schema\":\"tiermem.snapshot/1\",\"page_size_bytes\":4096}", "no root" },
		{ "{\"schema\":\"tiermem.snapshot/1\",\"root\":\"\",\"page_size_bytes\":4096}",
		  "no root" },
		{ "{\"schema\":\"tiermem.snapshot/1\",\"root\":\"/x\"}", "page size" },
		{ DOCUMENT("\"/x\"", "0"), "page size" },
		{ DOCUMENT("\"/x\"", "5000"), "page size" },
		{ DOCUMENT("\"/x\"", "2097152"), "page size" },
		{ DOCUMENT("\"/x\"", "\"4096\""), "page size" },
	};
	struct tree *tree = *state;

	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_error err = { 0 };
		struct tm_root root;
		int rc;

		tree_text(tree, TM_SNAPSHOT_DOCUMENT, cases[i].text);
		rc = tm_root_open(&root, tree->path, &err);
		if (!cases[i].why) {
			assert_int_equal(rc, 0);
			assert_string_equal(root.name, "/x");
			assert_int_equal(root.page_size, 0);
			tm_root_close(&root);
			continue;
		}
		assert_int_equal(rc, -EINVAL);
		if (!strstr(err.text, cases[i].why) || !strstr(err.text, TM_SNAPSHOT_DOCUMENT))
			fail_msg("case %zu: %s", i, err.text);
	}
}

static void test_no_archive(void **state)
{
	struct tree *tree = *state;
	struct tm_error err = { 0 };
	struct tm_root root;
	char name[PATH_MAX];

	if (!have_libarchive())
		skip();
	tree_text(tree, "file", "some text\n");
	assert_int_equal(tm_root_open(&root, tree_name(tree, "file", name), &err), -EINVAL);
	assert_non_null(strstr(err.text, "not a snapshot archive"));
	assert_string_not_equal(err.hint, "");
	tree_bytes(tree, "file", "", 0);
	assert_int_equal(tm_root_open(&root, tree_name(tree, "file", name), &err), -EINVAL);
	tree_fifo(tree, "file");
	assert_int_equal(tm_root_open(&root, tree_name(tree, "file", name), &err), -ENOTDIR);
	assert_int_equal(tm_root_open(&root, "/dev/null", &err), -ENOTDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_root),
		tree_test(test_documents),
		tree_test(test_no_archive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
