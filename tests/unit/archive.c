/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tar.h"

#include "lib/sys/archive.h"

/* --- writing, and reading it again ----------------------------------------------------------- */

static int unpack(const struct tree *tree, int fd, const struct tm_archive_limits *limits,
		  struct tm_error *err)
{
	int rc;

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	rc = tm_archive_unpack(fd, "archive", tree->root.fd, limits, err);
	assert_int_equal(rc != 0, err->text[0] != '\0');
	return rc;
}

#define ENTRY(p, k, ...)                                               \
	&(struct tm_entry)                                             \
	{                                                              \
		.path = (char *)(p), .kind = TM_ENTRY_##k, __VA_ARGS__ \
	}
#define CONTENT(text) .data = (char *)(text), .size = sizeof(text) - 1

static struct tm_entry *const entries[] = {
	ENTRY("a", FOLDER, ),
	ENTRY("a/denied", FILE, .denied = true),
	ENTRY("a/empty", FILE, ),
	ENTRY("a/file", FILE, CONTENT("x\0y")),
	ENTRY("a/link", LINK, CONTENT("../a/file")),
	ENTRY("a/write", FILE, .write_only = true),
	ENTRY("closed", FOLDER, .denied = true),
	ENTRY("closed/in", FILE, CONTENT("z")),
	ENTRY("name\xff\xc3", FOLDER, ),
};

static unsigned mode_of(const struct tree *tree, const char *path)
{
	struct stat st;

	assert_int_equal(fstatat(tree->root.fd, path, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 0777;
}

static void test_round_trip(void **state)
{
	struct tree *tree = *state;
	struct tm_buf text = TM_BUF_INIT;
	char target[TM_PATH_MAX];
	struct tm_scan scan;

	if (!have_libarchive())
		skip();
	for (int c = TM_TAR; c <= TM_TAR_ZST; c++) {
		struct tm_error err = { 0 };
		int fd = memory_file();

		assert_int_equal(tm_archive_write(fd, (enum tm_compression)c, entries,
						  TM_ARRAY_SIZE(entries), 1000000000, &err),
				 0);
		assert_int_equal(unpack(tree, fd, &tm_archive_limits, &err), 0);
		close(fd);
		assert_int_equal(tm_root_read(&tree->root, "a/file", 100, &text), 0);
		assert_int_equal(text.len, 3);
		assert_memory_equal(text.data, "x\0y", 3);
		assert_int_equal(tm_root_read(&tree->root, "a/empty", 100, &text), 0);
		assert_int_equal(text.len, 0);
		assert_int_equal(tm_root_readlink(&tree->root, "a/link", target), 0);
		assert_string_equal(target, "../a/file");
		/* Denied as it was, whoever reads. */
		assert_int_equal(tm_root_read(&tree->root, "a/denied", 100, &text), -EACCES);
		assert_int_equal(tm_root_read(&tree->root, "a/write", 100, &text), -EACCES);
		assert_int_equal(tm_scan_open(&tree->root, "closed", &scan), -EACCES);
		assert_int_equal(tm_root_read(&tree->root, "closed/in", 100, &text), 0);
		assert_int_equal(mode_of(tree, "closed"), 0111);
		assert_int_equal(mode_of(tree, "a"), 0755);
		assert_int_equal(mode_of(tree, "a/denied"), 0);
		assert_int_equal(mode_of(tree, "a/write"), 0200);
		assert_true(tm_root_exists(&tree->root, "name\xff\xc3"));
		for (size_t i = 0; i < TM_ARRAY_SIZE(entries); i++)
			if (!strchr(entries[i]->path, '/'))
				tree_remove(tree, entries[i]->path);
	}
	tm_buf_release(&text);
}

static void test_reproducible(void **state)
{
	struct tm_error err = { 0 };

	(void)state;
	if (!have_libarchive())
		skip();
	for (int c = TM_TAR; c <= TM_TAR_ZST; c++) {
		char *data[2];
		struct stat st;

		for (int i = 0; i < 2; i++) {
			int fd = memory_file();

			assert_int_equal(tm_archive_write(fd, (enum tm_compression)c, entries,
							  TM_ARRAY_SIZE(entries), 1000000000, &err),
					 0);
			assert_int_equal(fstat(fd, &st), 0);
			data[i] = malloc((size_t)st.st_size);
			assert_non_null(data[i]);
			assert_int_equal(pread(fd, data[i], (size_t)st.st_size, 0), st.st_size);
			close(fd);
			/* gzip would note the second in which it runs. */
			if (!i && c == TM_TAR_GZ)
				sleep(1);
		}
		assert_memory_equal(data[0], data[1], st.st_size);
		free(data[0]);
		free(data[1]);
	}
}

static void test_write_failures(void **state)
{
	struct tm_error err = { 0 };
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	if (!have_libarchive())
		skip();
	assert_true(fd >= 0);
	assert_int_equal(tm_archive_write(fd, TM_TAR, entries, TM_ARRAY_SIZE(entries), 0, &err),
			 -ENOSPC);
	assert_non_null(strstr(err.text, "No space left"));
	close(fd);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(tm_archive_write(fd, TM_TAR_GZ, entries, 1, 0, &err), -EBADF);
	close(fd);
}

static void test_compression(void **state)
{
	static const char *const bad[] = { "",		 "-",	      "x",     ".tar",
					   "dir/.tar",	 "x.tar.bz2", "x.tgz", "x.TAR",
					   "x.tar.zst.", "x.tar/y",   "tar" };
	enum tm_compression c = TM_TAR;

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(bad); i++)
		assert_int_equal(tm_archive_compression(bad[i], &c), -EINVAL);
	assert_int_equal(tm_archive_compression("x.tar.zst", &c), 0);
	assert_int_equal(c, TM_TAR_ZST);
	assert_int_equal(tm_archive_compression("a.b/x.y.tar.gz", &c), 0);
	assert_int_equal(c, TM_TAR_GZ);
	assert_int_equal(tm_archive_compression("-.tar.xz", &c), 0);
	assert_int_equal(c, TM_TAR_XZ);
	assert_int_equal(tm_archive_compression("x.gz.tar", &c), 0);
	assert_int_equal(c, TM_TAR);
}

/* --- what others may write ------------------------------------------------------------------- */

static void test_refused(void **state)
{
	static const struct {
		const char *why; /* in the message; NULL: accepted */
		struct member members[5];
	} cases[] = {
		{ NULL, { SOUND } },
		{ NULL, { { "./", DIRECTORY, NULL, 0 }, { "./sys/", DIRECTORY, NULL, 0 } } },
		{ NULL, { SOUND, { "sys/link", SYM, "../sys/file", 0 } } },
		/* Folders come by themselves, and may be named after what is in them. */
		{ NULL, { { "sys/a/b", REG, "x", 0 }, { "sys", DIRECTORY, NULL, 0 } } },
		{ "hard link", { SOUND, { "sys/hard", HARD, "sys/file", 0 } } },
		{ "hard link", { SOUND, { "sys/hard", HARD, "/etc/passwd", 0 } } },
		{ "device", { SOUND, { "sys/c", CHR, NULL, 0 } } },
		{ "device", { SOUND, { "sys/b", BLK, NULL, 0 } } },
		{ "named pipe", { SOUND, { "sys/p", FIFO, NULL, 0 } } },
		{ "absolute path", { SOUND, { "/tmp/evil", REG, "x", 0 } } },
		{ "\"..\"", { SOUND, { "../evil", REG, "x", 0 } } },
		{ "\"..\"", { SOUND, { "sys/../../evil", DIRECTORY, NULL, 0 } } },
		{ "\"..\"", { SOUND, { "sys/..", SYM, "file", 0 } } },
		{ "control character", { SOUND, { "sys/\x1b[31m", REG, "x", 0 } } },
		{ "control character", { SOUND, { "sys/l", SYM, "a\nb", 0 } } },
		{ "absolute link", { SOUND, { "sys/l", SYM, "/etc", 0 } } },
		{ "leads outside", { SOUND, { "sys/l", SYM, "../../etc", 0 } } },
		{ "leads outside", { SOUND, { "l", SYM, "..", 0 } } },
		{ "link to nothing", { SOUND, { "sys/l", SYM, "", 0 } } },
		{ "a file or link where",
		  { SOUND, { "sys/l", SYM, ".", 0 }, { "sys/l/x", REG, "x", 0 } } },
		{ "a file or link where", { SOUND, { "sys/file/x", REG, "x", 0 } } },
		{ "there twice", { SOUND, { "sys/file", REG, "other", 0 } } },
		{ "there twice", { SOUND, { "sys", DIRECTORY, NULL, 0 } } },
		{ "there twice", { SOUND, { "./sys//./file", SYM, "x", 0 } } },
		{ "there twice", { SOUND, { "sys/file", DIRECTORY, NULL, 0 } } },
		{ "there twice", { SOUND, { "sys/l", SYM, "file", 0 }, { "sys/l", REG, "x", 0 } } },
		{ "there twice",
		  { SOUND, { "sys/l", SYM, "..", 0 }, { "sys/l", DIRECTORY, NULL, 0 } } },
		{ "too large", { SOUND, { "sys/big", REG, "x", TM_SNAPSHOT_FILE + 2 } } },
		{ "too large", { SOUND, { "sys/big", REG, "x", 077777777777 } } },
		{ "refused", { SOUND, { "sys/cut", REG, "x", 5000 } } }, /* ends before */
		{ "refused", { SOUND, { "sys/odd", 'Z', NULL, 0 }, { "/x", REG, "x", 0 } } },
		{ "no name", { SOUND, { ".", SYM, "sys", 0 } } },
	};
	struct tree *tree = *state;

	if (!have_libarchive())
		skip();
	tree_remove(tree, "proc");
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_error err = { 0 };
		int fd = make_archive(cases[i].members), rc;
		char outside[PATH_MAX];

		tree_remove(tree, "sys");
		tree_remove(tree, "l");
		rc = unpack(tree, fd, &tm_archive_limits, &err);
		if (!cases[i].why && rc)
			fail_msg("case %zu: %s", i, err.text);
		if (cases[i].why && (rc != -EINVAL || !strstr(err.text, cases[i].why)))
			fail_msg("case %zu: %d %s", i, rc, err.text);
		assert_int_not_equal(rc ? err.hint[0] : 'x', '\0');
		close(fd);
		/* Whatever it was, it stayed inside. */
		snprintf(outside, sizeof(outside), "%s/../evil", tree->path);
		assert_int_not_equal(access(outside, F_OK), 0);
		assert_int_not_equal(access("/tmp/evil", F_OK), 0);
	}
}

/* Each entry comes to its place, in whatever order they are. */
static void test_places(void **state)
{
	static const struct member members[] = {
		{ "sys/ab/c/x", REG, "1", 0 },
		{ "sys/a/x", REG, "2", 0 },
		{ "sys/abc/x", REG, "3", 0 },
		{ "sys/ab/c/d/x", REG, "4", 0 },
		{ "top", REG, "5", 0 },
		{ "sys/ab/y", REG, "6", 0 },
		{ "sys/x", REG, "7", 0 },
		{ "proc/ab/c/x", REG, "8", 0 },
		{ "", 0, NULL, 0 },
	};
	struct tree *tree = *state;
	struct tm_buf text = TM_BUF_INIT;
	struct tm_error err = { 0 };
	int fd;

	if (!have_libarchive())
		skip();
	fd = make_archive(members);
	tree_remove(tree, "sys");
	assert_int_equal(unpack(tree, fd, &tm_archive_limits, &err), 0);
	for (size_t i = 0; members[i].type; i++) {
		assert_int_equal(tm_root_read(&tree->root, members[i].path, 10, &text), 0);
		assert_string_equal(text.data, members[i].text);
	}
	tm_buf_release(&text);
	close(fd);
}

/* GNU's long names and pax's headers say the same and are held to the same rules. */
static void test_long_names(void **state)
{
	static const struct member gnu[] = { SOUND,
					     { "././@LongLink", 'L', "../evil", 0 },
					     { "sys/good", REG, "x", 0 },
					     { "", 0, NULL, 0 } };
	static const struct member pax[] = { SOUND,
					     { "pax", 'x', "18 path=/tmp/evil\n", 0 },
					     { "sys/good", REG, "x", 0 },
					     { "", 0, NULL, 0 } };
	static const struct member link[] = { SOUND,
					      { "pax", 'x', "17 linkpath=/etc\n", 0 },
					      { "sys/good", SYM, "file", 0 },
					      { "", 0, NULL, 0 } };
	static const struct member size[] = { SOUND,
					      { "pax", 'x', "22 size=9999999999999\n", 0 },
					      { "sys/good", REG, "x", 0 },
					      { "", 0, NULL, 0 } };
	static const struct member sparse[] = {
		SOUND,
		{ "pax", 'x',
		  "23 GNU.sparse.size=999\n26 GNU.sparse.numblocks=1\n22 GNU.sparse.map=5,1\n", 0 },
		{ "sys/good", REG, "x", 0 },
		{ "", 0, NULL, 0 }
	};
	static const struct {
		const struct member *members;
		const char *why;
	} cases[] = {
		{ gnu, "\"..\" in its path" }, { pax, "absolute path" },  { link, "absolute link" },
		{ size, "file too large" },    { sparse, "sparse file" },
	};
	struct tree *tree = *state;

	if (!have_libarchive())
		skip();
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_error err = { 0 };
		int fd = make_archive(cases[i].members);

		tree_remove(tree, "sys");
		if (unpack(tree, fd, &tm_archive_limits, &err) != -EINVAL ||
		    !strstr(err.text, cases[i].why))
			fail_msg("case %zu: %s", i, err.text);
		close(fd);
	}
}

static void test_limits(void **state)
{
	static const struct member members[] = { SOUND, /* 2 entries, 4 bytes */
						 { "sys/more", REG, "0123456789", 0 },
						 { "", 0, NULL, 0 } };
	static const struct {
		struct tm_archive_limits limits;
		const char *why;
	} cases[] = {
		{ { 3, 10, 14 }, NULL },
		{ { 2, 10, 14 }, "too many entries" },
		{ { 3, 9, 14 }, "file too large" },
		{ { 3, 10, 13 }, "too much in all" },
	};
	struct tree *tree = *state;

	if (!have_libarchive())
		skip();
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_error err = { 0 };
		int fd = make_archive(members), rc;

		tree_remove(tree, "sys");
		rc = unpack(tree, fd, &cases[i].limits, &err);
		assert_int_equal(rc, cases[i].why ? -EINVAL : 0);
		if (cases[i].why)
			assert_non_null(strstr(err.text, cases[i].why));
		close(fd);
	}
}

/* Cut anywhere, an archive is refused or is one with less in it; it never hangs or crashes. */
static void test_cut(void **state)
{
	struct tree *tree = *state;
	struct tm_error written = { 0 };
	struct stat st;
	int whole = memory_file();

	if (!have_libarchive()) {
		close(whole);
		skip();
	}
	assert_int_equal(tm_archive_write(whole, TM_TAR_GZ, entries, TM_ARRAY_SIZE(entries), 0,
					  &written),
			 0);
	assert_int_equal(fstat(whole, &st), 0);
	for (off_t size = 0; size < st.st_size; size += size < 16 ? 1 : 7) {
		struct tm_error err = { 0 };

		assert_int_equal(ftruncate(whole, st.st_size), 0);
		assert_int_equal(lseek(whole, 0, SEEK_SET), 0);
		assert_int_equal(tm_archive_write(whole, TM_TAR_GZ, entries, TM_ARRAY_SIZE(entries),
						  0, &written),
				 0);
		assert_int_equal(ftruncate(whole, size), 0);
		assert_int_equal(unpack(tree, whole, &tm_archive_limits, &err), -EINVAL);
		for (size_t i = 0; i < TM_ARRAY_SIZE(entries); i++)
			if (!strchr(entries[i]->path, '/'))
				tree_remove(tree, entries[i]->path);
	}
	close(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_round_trip),
		cmocka_unit_test(test_reproducible),
		cmocka_unit_test(test_write_failures),
		cmocka_unit_test(test_compression),
		tree_test(test_refused),
		tree_test(test_places),
		tree_test(test_long_names),
		tree_test(test_limits),
		tree_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
