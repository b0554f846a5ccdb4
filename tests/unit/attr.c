/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/sys/attr.h"

#define ATTR "sys/attr"

static void test_text(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		enum tm_state state;
		const char *value;
	} cases[] = {
		{ "online\n", 7, TM_KNOWN, "online" },
		{ "online", 6, TM_KNOWN, "online" },
		{ "a b\n\n \t\n", 8, TM_KNOWN, "a b" },
		{ " lead\n", 6, TM_KNOWN, " lead" },
		{ "two\nlines\n", 10, TM_KNOWN, "two\nlines" },
		{ "\xff\x1b\n", 3, TM_KNOWN, "\xff\x1b" },
		{ "", 0, TM_NOT_PROVIDED, NULL },
		{ "\n", 1, TM_NOT_PROVIDED, NULL },
		{ " \n\t", 3, TM_NOT_PROVIDED, NULL },
		{ "a\0b\n", 4, TM_MALFORMED, NULL },
		{ "\0", 1, TM_MALFORMED, NULL },
		{ "a\n\0", 3, TM_MALFORMED, NULL },
	};
	struct tree *tree = *state;

	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_text text;

		tree_bytes(tree, ATTR, cases[i].bytes, cases[i].len);
		text = tm_attr_text(&tree->root, ATTR);
		if (text.state != cases[i].state)
			fail_msg("case %zu: state %d", i, text.state);
		if (cases[i].value)
			assert_string_equal(text.value, cases[i].value);
		else
			assert_null(text.value);
		tm_text_release(&text);
	}
}

static void test_num(void **state)
{
	static const struct {
		const char *text;
		enum tm_state state;
		uint64_t value;
	} cases[] = {
		{ "0\n", TM_KNOWN, 0 },
		{ "18446744073709551615\n", TM_KNOWN, UINT64_MAX },
		{ "0x1f\n", TM_KNOWN, 31 },
		{ " 7\n", TM_KNOWN, 7 },
		{ "010\n", TM_KNOWN, 10 },
		{ "", TM_MALFORMED, 0 },
		{ "\n", TM_MALFORMED, 0 },
		{ "-1\n", TM_MALFORMED, 0 },
		{ "18446744073709551616\n", TM_MALFORMED, 0 },
		{ "1 2\n", TM_MALFORMED, 0 },
		{ "1e9\n", TM_MALFORMED, 0 },
		{ "Unknown\n", TM_MALFORMED, 0 },
	};
	struct tree *tree = *state;

	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_num num;

		tree_text(tree, ATTR, cases[i].text);
		num = tm_attr_num(&tree->root, ATTR);
		if (num.state != cases[i].state || num.value != cases[i].value)
			fail_msg("\"%s\": %d, %llu", cases[i].text, num.state,
				 (unsigned long long)num.value);
	}
}

static void test_sets(void **state)
{
	struct tree *tree = *state;
	struct tm_idset set = TM_IDSET_INIT;

	tree_file(tree, ATTR, "0-3,8");
	assert_int_equal(tm_attr_list(&tree->root, ATTR, &set), TM_KNOWN);
	assert_int_equal(tm_idset_count(&set), 5);
	assert_int_equal(tm_attr_mask(&tree->root, ATTR, &set), TM_MALFORMED);
	assert_int_equal(tm_idset_count(&set), 5);
	tree_file(tree, ATTR, "00000001,0000000f");
	assert_int_equal(tm_attr_list(&tree->root, ATTR, &set), TM_MALFORMED);
	assert_int_equal(tm_idset_count(&set), 5);
	assert_int_equal(tm_attr_mask(&tree->root, ATTR, &set), TM_KNOWN);
	assert_true(tm_idset_has(&set, 32));
	/* The kernel writes an empty set as an empty line. */
	tree_file(tree, ATTR, "%s", "");
	assert_int_equal(tm_attr_list(&tree->root, ATTR, &set), TM_KNOWN);
	assert_true(tm_idset_empty(&set));
	tree_file(tree, ATTR, "0-4294967295");
	assert_int_equal(tm_attr_list(&tree->root, ATTR, &set), TM_MALFORMED);
	assert_int_equal(tm_attr_list(&tree->root, "sys/none", &set), TM_ABSENT);
	tree_bytes(tree, ATTR, "0-3\0,5\n", 7);
	assert_int_equal(tm_attr_list(&tree->root, ATTR, &set), TM_MALFORMED);
	assert_true(tm_idset_empty(&set));
	tm_idset_release(&set);
}

/* Longer than a page, as the CPU lists of large machines are: read whole, or not at all. */
static void test_long(void **state)
{
	struct tree *tree = *state;
	struct tm_idset set = TM_IDSET_INIT;
	struct tm_buf text = TM_BUF_INIT, read = TM_BUF_INIT;
	long cpu = 0;

	while (text.len < 6000)
		tm_buf_addf(&text, "%s%ld", text.len ? "," : "", 2 * cpu++);
	tm_buf_addc(&text, '\n');
	tree_bytes(tree, ATTR, text.data, text.len);
	assert_int_equal(tm_attr_list(&tree->root, ATTR, &set), TM_KNOWN);
	assert_int_equal(tm_idset_count(&set), cpu);
	assert_true(tm_idset_has(&set, 2 * (cpu - 1)));

	/* All lengths about the edges of one page and of two. */
	for (size_t page = 4096; page <= 8192; page += 4096)
		for (size_t len = page - 2; len <= page + 2; len++) {
			tm_buf_reset(&text);
			while (text.len < len)
				tm_buf_addc(&text, (char)('a' + text.len % 26));
			tree_bytes(tree, ATTR, text.data, len);
			assert_int_equal(tm_attr_read(&tree->root, ATTR, &read), 0);
			assert_int_equal(read.len, len);
			assert_memory_equal(read.data, text.data, len);
		}
	/* A NUL beyond the first page. */
	text.data[5000] = '\0';
	tree_bytes(tree, ATTR, text.data, text.len);
	assert_int_equal(tm_attr_read(&tree->root, ATTR, &read), -EINVAL);
	assert_int_equal(read.len, 8194);
	tm_buf_release(&text);
	tm_buf_release(&read);
	tm_idset_release(&set);
}

static void test_huge(void **state)
{
	struct tree *tree = *state;
	struct tm_buf read = TM_BUF_INIT;
	struct tm_text text;
	struct tm_num num;
	size_t size = 10 << 20;
	char *data = malloc(size);

	assert_non_null(data);
	memset(data, '1', size);
	tree_bytes(tree, ATTR, data, size);
	assert_int_equal(tm_attr_read(&tree->root, ATTR, &read), -EFBIG);
	text = tm_attr_text(&tree->root, ATTR);
	assert_int_equal(text.state, TM_MALFORMED);
	num = tm_attr_num(&tree->root, ATTR);
	assert_int_equal(num.state, TM_MALFORMED);
	tree_bytes(tree, ATTR, data, TM_ATTR_MAX + 1);
	assert_int_equal(tm_attr_read(&tree->root, ATTR, &read), -EFBIG);
	tree_bytes(tree, ATTR, data, TM_ATTR_MAX);
	assert_int_equal(tm_attr_read(&tree->root, ATTR, &read), 0);
	assert_int_equal(read.len, TM_ATTR_MAX);
	tm_buf_release(&read);
	free(data);
}

static void test_other_kinds(void **state)
{
	struct tree *tree = *state;
	struct tm_buf read = TM_BUF_INIT;

	tm_buf_adds(&read, "untouched");
	assert_int_equal(tm_attr_read(&tree->root, ATTR, &read), -ENOENT);
	tree_folder(tree, ATTR);
	assert_int_equal(tm_attr_read(&tree->root, ATTR, &read), -EISDIR);
	tree_fifo(tree, ATTR);
	assert_int_equal(tm_attr_read(&tree->root, ATTR, &read), -EINVAL);
	tree_link(tree, ATTR, "attr");
	assert_int_equal(tm_attr_read(&tree->root, ATTR, &read), -ELOOP);
	tree_link(tree, ATTR, "nowhere");
	assert_int_equal(tm_attr_read(&tree->root, ATTR, &read), -ENOENT);
	tree_link(tree, ATTR, "/dev/zero"); /* inside there is none */
	assert_int_equal(tm_attr_read(&tree->root, ATTR, &read), -ENOENT);
	tree_file(tree, ATTR, "7");
	assert_int_equal(tm_attr_read(&tree->root, ATTR "/below", &read), -ENOTDIR);
	tree_mode(tree, ATTR, 0000);
	assert_int_equal(tm_attr_read(&tree->root, ATTR, &read), -EACCES);
	assert_int_equal(tm_attr_num(&tree->root, ATTR).state, TM_DENIED);
	/* As the kernel makes the files that only start something. */
	tree_mode(tree, ATTR, 0200);
	assert_int_equal(tm_attr_read(&tree->root, ATTR, &read), -EACCES);
	assert_string_equal(tm_buf_str(&read), "untouched");
	tree_mode(tree, ATTR, 0400);
	assert_int_equal(tm_attr_num(&tree->root, ATTR).value, 7);
	/* Through a link inside. */
	tree_link(tree, "sys/link", "/sys/attr");
	assert_int_equal(tm_attr_num(&tree->root, "sys/link").value, 7);
	tm_buf_release(&read);
}

/* libsysfs takes names of at most 255 bytes; a root may lie deep, and so may attributes. */
static void test_deep(void **state)
{
	struct tree *tree = *state;
	char path[800] = "sys";

	while (strlen(path) < 700)
		strcat(path, "/a-folder-with-a-name-of-forty-characters");
	strcat(path, "/attr");
	tree_file(tree, path, "12");
	assert_int_equal(tm_attr_num(&tree->root, path).state, TM_KNOWN);
	assert_int_equal(tm_attr_num(&tree->root, path).value, 12);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		tree_test(test_text),	     tree_test(test_num),  tree_test(test_sets),
		tree_test(test_long),	     tree_test(test_huge), tree_test(test_deep),
		tree_test(test_other_kinds),
	};

	return cmocka_run_group_tests_name("attr", tests, NULL, NULL);
}
