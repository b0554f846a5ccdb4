/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/diff/diff.h"

#define X "--- a/x\n+++ b/x\n"

/* A patch that must be taken; released by the caller. */
static struct tm_diff parse(const char *text)
{
	struct tm_diff diff = { 0 };
	struct tm_error err = { 0 };

	if (tm_diff_parse("p", text, strlen(text), &diff, &err))
		fail_msg("refused: %s", err.text);
	return diff;
}

static void test_mail(void **state)
{
	static const char text[] = "From 0 Mon Sep 17 00:00:00 2001\n"
				   "Subject: [PATCH v2 1/2] mm: words that\n"
				   " go on\n"
				   "\n"
				   "Prose.\n"
				   "--- more prose\n"
				   "---\n"
				   " mm/a b.c | 2 +-\n"
				   "\n"
				   "diff --git a/mm/a b.c b/mm/a b.c\n"
				   "index 1..2 100644\n"
				   "--- a/mm/a b.c\n"
				   "+++ b/mm/a b.c\n"
				   "@@ -7,3 +7,3 @@ int f(void)\n"
				   " one\n"
				   "-two\n"
				   "+zwei\n"
				   "\n"
				   "-- \n"
				   "2.39.5\n";
	struct tm_diff diff = parse(text);
	const struct tm_diff_file *file = diff.files;
	const struct tm_diff_hunk *hunk = file->hunks;

	(void)state;
	assert_string_equal(diff.subject, "mm: words that go on");
	assert_int_equal(diff.nr, 1);
	assert_string_equal(file->path, "mm/a b.c");
	assert_int_equal(file->kind, TM_DIFF_CHANGES);
	assert_int_equal(file->line, 10);
	assert_int_equal(file->nr, 1);
	assert_int_equal(hunk->line, 14);
	assert_int_equal(hunk->start[TM_DIFF_OLD], 7);
	assert_int_equal(hunk->count[TM_DIFF_NEW], 3);
	assert_int_equal(hunk->nr, 4);
	assert_memory_equal(hunk->lines[2].text, "zwei\n", 5);
	assert_int_equal(hunk->lines[2].len, 5);
	/* An empty line of context that lost its blank. */
	assert_int_equal(hunk->lines[3].mark, ' ');
	assert_int_equal(hunk->lines[3].len, 1);
	tm_diff_release(&diff);
	tm_diff_release(&diff);
}

static void test_kinds(void **state)
{
	struct tm_diff diff = parse("--- a/d\t2026-01-01\n"
				    "+++ /dev/null\t1970-01-01\n"
				    "@@ -1,2 +0,0 @@\n"
				    "-a\n"
				    "-b\n"
				    "diff --git a/n b/n\n"
				    "new file mode 100755\n"
				    "--- /dev/null\n"
				    "+++ b/n\n"
				    "@@ -0,0 +1 @@\n"
				    "+a\n"
				    "\\ No newline at end of file\n"
				    "diff --git a/e b/e\n"
				    "new file mode 100644\n"
				    "index 0..1\n"
				    "diff --git a/m b/m\n"
				    "old mode 100644\n"
				    "new mode 100755\n");

	(void)state;
	assert_int_equal(diff.nr, 4);
	assert_null(diff.subject);
	assert_int_equal(diff.files[0].kind, TM_DIFF_DELETES);
	assert_string_equal(diff.files[0].path, "d");
	assert_int_equal(diff.files[1].kind, TM_DIFF_CREATES);
	assert_int_equal(diff.files[1].mode[TM_DIFF_NEW], 0755);
	assert_int_equal(diff.files[1].hunks[0].lines[0].len, 1);
	assert_int_equal(diff.files[2].kind, TM_DIFF_CREATES);
	assert_int_equal(diff.files[2].nr, 0);
	assert_int_equal(diff.files[3].kind, TM_DIFF_CHANGES);
	assert_int_equal(diff.files[3].mode[TM_DIFF_OLD], 0644);
	tm_diff_release(&diff);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "p: changes nothing" },
		{ "Subject: x\n\nprose\n", "p: changes nothing" },
		{ X, "p:1: nothing is changed here" },
		{ X "@@ -1 +1 @@\n a\n", "p:3: nothing is changed here" },
		{ "--- a/x\n+++ b/y\n", "p:2: its two paths differ, and renames are not taken" },
		{ "--- /x\n+++ b/x\n", "p:1: its path is absolute" },
		{ "--- x\n+++ x\n", "p:1: its path has no folder before it, as in a/mm/migrate.c" },
		{ "--- a/../x\n+++ b/../x\n", "p:1: its path leads out of the tree" },
		{ "--- ../x\n+++ ../x\n", "p:1: its path leads out of the tree" },
		{ "--- a/b/..\n+++ a/b/..\n", "p:1: its path leads out of the tree" },
		{ "--- a/.Git/config\n+++ b/.Git/config\n", "p:1: its path leads into .git" },
		{ "--- a/x//y\n+++ b/x//y\n", "p:1: its path has an empty part" },
		{ "--- a/./y\n+++ b/./y\n", "p:1: its path has an empty part" },
		{ "--- a/\n+++ b/\n", "p:1: its path has an empty part" },
		{ "--- a/x\x01\n+++ b/x\x01\n", "p:1: its path has a control character in it" },
		{ "--- a/x\r\n+++ b/x\r\n", "p:1: its path has a control character in it" },
		{ "--- \"a/x\"\n+++ b/x\n", "p:1: its path is quoted" },
		{ "--- /dev/null\n+++ /dev/null\n", "p:2: it names no file" },
		{ "diff --git a/x b/x\n--- a/x\n@@ -1 +1 @@\n",
		  "p:3: after the old name a line \"+++ \" is missing" },
		{ "diff --git a/x b/y\n", "p:1: its two paths differ, and renames are not taken" },
		{ "diff --git a/x b/yy\n", "p:1: its two paths differ, and renames are not taken" },
		{ "diff --git a/x b/x\nindex 1..2\n", "p:1: nothing is changed here" },
		{ "diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n",
		  "p:2: a hunk without the names of its file" },
		{ "@@ -1 +1 @@\n-a\n+b\n", "p:1: a hunk without the names of its file" },
		{ "diff --git a/x b/x\nrename from x\n",
		  "p:2: renames and copies are not taken; git's --no-renames makes none" },
		{ "diff --git a/x b/x\nsimilarity index 90%\n",
		  "p:2: renames and copies are not taken; git's --no-renames makes none" },
		{ "diff --git a/x b/x\nGIT binary patch\n", "p:2: binary files are not taken" },
		{ "Binary files a/x and b/x differ\n", "p:1: binary files are not taken" },
		{ "diff --git a/x b/x\nnew file mode 120000\n",
		  "p:2: only plain files are taken, of mode 100644 or 100755" },
		{ "diff --git a/x b/x\nold mode 100644\nnew mode 160000\n",
		  "p:3: only plain files are taken, of mode 100644 or 100755" },
		{ "diff --git a/x b/x\nold mode 100644\n", "p:1: its modes do not go together" },
		{ "diff --git a/x b/x\nnew file mode 100644\ndeleted file mode 100644\n",
		  "p:3: a file is either new or deleted" },
		{ "diff --git a/x b/x\nnew file mode 100644\n" X "@@ -0,0 +1 @@\n+a\n",
		  "p:4: a new or deleted file is /dev/null on its other side" },
		{ "--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
		  "p:3: a new file has old lines" },
		{ "--- a/x\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n",
		  "p:3: a deleted file has new lines" },
		{ X "@@ -1 +1 @@\n-a\n+b\n" X "@@ -1 +1 @@\n-b\n+c\n",
		  "p:6: this file was changed before" },
		{ X "@@ -1,2 +1 @@\n-a\n", "p:4: the patch ends within a hunk" },
		{ X "@@ -1,2 +1,2 @@\n-a\n+b", "p:5: the patch ends within this line" },
		{ X "@@ -1,2 +1,2 @@\n-a\n+b\ndiff\n", "p:6: fewer lines than the hunk says" },
		{ X "@@ -1 +1,2 @@\n-a\n-b\n+c\n", "p:5: more lines than the hunk says" },
		{ X "@@ -1 +1 @@\n-a\n+b\n+c\n", "p:6: more lines than the hunk says" },
		{ X "@@ -1 +1 @@\n-a\n+b\n--c\n", "p:6: more lines than the hunk says" },
		{ X "@@ -1 +1 @@\n-a\n+b\n c\n", "p:6: more lines than the hunk says" },
		{ X "@@ -1 +1 @@\n-a\n\\ No newline\n\\ No newline\n+b\n",
		  "p:6: no line stands before it" },
		{ X "@@ -1 +1 @@\n\\ No newline\n", "p:4: no line stands before it" },
		{ X "@@ -1,2 +1,2 @@\n a\n\\ No newline\n-b\n+c\n",
		  "p:6: a line after one without a line break" },
		{ X "@@ -1,2 +1,2\n", "p:3: no hunk, which begins as in \"@@ -3,7 +3,8 @@\"" },
		{ X "@@ -0,2 +1,2 @@\n", "p:3: no hunk, which begins as in \"@@ -3,7 +3,8 @@\"" },
		{ X "@@ -x +1 @@\n", "p:3: no hunk, which begins as in \"@@ -3,7 +3,8 @@\"" },
		{ X "@@ -1 +99999999999999999999 @@\n",
		  "p:3: no hunk, which begins as in \"@@ -3,7 +3,8 @@\"" },
		{ X "@@ -5 +5 @@\n-a\n+b\n",
		  "p:3: it has no context, of which diff -u gives three lines" },
		{ X "@@ -5,0 +6 @@\n+b\n",
		  "p:3: it has no context, of which diff -u gives three lines" },
		{ X "@@ -5,2 +5,2 @@\n a\n-b\n+c\n@@ -6,2 +7,2 @@\n a\n-b\n+c\n",
		  "p:7: it does not come after the hunk before it" },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_diff diff = { 0 };
		struct tm_error err = { 0 };

		assert_int_equal(tm_diff_parse("p", cases[i].text, strlen(cases[i].text), &diff,
					       &err),
				 -EBADMSG);
		assert_string_equal(err.text, cases[i].why);
		assert_null(diff.files);
		assert_int_equal(tm_diff_parse("p", cases[i].text, strlen(cases[i].text), &diff,
					       NULL),
				 -EBADMSG);
	}
}

static void test_odd_bytes(void **state)
{
	static const char nul[] = X "@@ -1 +1 @@\n-a\n+b\0c\n";
	struct tm_diff diff = { 0 };
	struct tm_error err = { 0 };
	char *large = calloc(1, TM_DIFF_BYTES + 1);

	(void)state;
	assert_non_null(large);
	memset(large, '\n', TM_DIFF_BYTES + 1);
	assert_int_equal(tm_diff_parse("p", nul, sizeof(nul) - 1, &diff, &err), -EBADMSG);
	assert_string_equal(err.text, "p: holds NUL bytes");
	assert_int_equal(tm_diff_parse("p", large, TM_DIFF_BYTES + 1, &diff, &err), -EBADMSG);
	assert_string_equal(err.text, "p: is too large for a patch");
	assert_int_equal(tm_diff_parse("p", large, TM_DIFF_BYTES, &diff, &err), -EBADMSG);
	assert_string_equal(err.text, "p: changes nothing");
	free(large);
}

/* Every start of a patch is refused or is a patch; none breaks. */
static void test_cut(void **state)
{
	static const char text[] = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n" X
				   "@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n"
				   "@@ -10,2 +10,3 @@\n a\n+b\n c\n\\ No newline\n";

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		char *exact = malloc(len + 1);
		struct tm_diff diff = { 0 };

		assert_non_null(exact);
		memcpy(exact, text, len);
		if (!tm_diff_parse("p", exact, len, &diff, NULL))
			tm_diff_release(&diff);
		free(exact);
	}
}

/* --- fitting --- */

#define ABC X "@@ -3,7 +3,8 @@\n c\n d\n e\n-f\n+F\n+G\n g\n h\n i\n"
#define TWO ABC "@@ -20,4 +21,3 @@\n q\n-r\n s\n t\n"

static void check_fit(const char *patch, const char *before, const char *after, size_t moved,
		      size_t offset)
{
	struct tm_diff diff = parse(patch);
	struct tm_buf out = TM_BUF_INIT, back = TM_BUF_INIT;
	struct tm_fit fit;

	assert_int_equal(tm_diff_fit(diff.files, false, before, strlen(before), &out, &fit), 0);
	assert_string_equal(tm_buf_str(&out), after);
	assert_null(fit.hunk);
	assert_int_equal(fit.moved, moved);
	assert_int_equal(fit.offset, offset);
	assert_int_equal(tm_diff_fit(diff.files, true, tm_buf_str(&out), out.len, &back, &fit), 0);
	assert_string_equal(tm_buf_str(&back), before);
	tm_buf_release(&out);
	tm_buf_release(&back);
	tm_diff_release(&diff);
}

static void test_fits(void **state)
{
	(void)state;
	check_fit(ABC, "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", "a\nb\nc\nd\ne\nF\nG\ng\nh\ni\nj\n", 0, 0);
	/* At the file's ends, and moved either way. */
	check_fit(ABC, "c\nd\ne\nf\ng\nh\ni\n", "c\nd\ne\nF\nG\ng\nh\ni\n", 1, 2);
	check_fit(ABC, "\n\n\n\nc\nd\ne\nf\ng\nh\ni\nj", "\n\n\n\nc\nd\ne\nF\nG\ng\nh\ni\nj", 1, 2);
	/* The nearest place. */
	check_fit(X "@@ -4,3 +4,3 @@\n a\n-b\n+B\n a\n", "a\nb\na\n1\n2\na\nb\na\n",
		  "a\nb\na\n1\n2\na\nB\na\n", 1, 2);
	/* What moved before counts for what comes behind. */
	check_fit(X "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -5,3 +5,3 @@\n x\n-y\n+Y\n x\n",
		  "1\n2\na\nb\nc\nx\ny\nx\ny\nx\ny\nx\n", "1\n2\na\nB\nc\nx\ny\nx\nY\nx\ny\nx\n", 2,
		  5);
	/* Line breaks at the end. */
	check_fit(X "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline\n+b\n", "a\nb", "a\nb\n", 0, 0);
	check_fit(X "@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline\n+b\n+c\n\\ No newline\n", "a\nb",
		  "a\nb\nc", 0, 0);
	/* The whole file, from and to nothing. */
	check_fit(X "@@ -1 +1 @@\n-a\n+b\n", "a\n", "b\n", 0, 0);
	check_fit(X "@@ -0,0 +1,2 @@\n+a\n+b\n", "", "a\nb\n", 0, 0);
	check_fit("--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n", "", "a\nb\n", 0, 0);
	check_fit("--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", "a\nb\n", "", 0, 0);
	/* Lines of Windows are other lines, but a patch may have them too. */
	check_fit(X "@@ -1,3 +1,3 @@\n a\r\n-b\r\n+c\r\n d\r\n", "a\r\nb\r\nd\r\n",
		  "a\r\nc\r\nd\r\n", 0, 0);
}

struct misfit {
	const char *patch, *text;
	size_t number, line;
	const char *wanted, *found; /* NULL: the end */
};

static void check_misfit(const struct misfit *m)
{
	struct tm_diff diff = parse(m->patch);
	struct tm_buf out = TM_BUF_INIT;
	struct tm_fit fit;

	assert_int_equal(tm_diff_fit(diff.files, false, m->text, strlen(m->text), &out, &fit),
			 -ESTALE);
	assert_non_null(fit.hunk);
	assert_int_equal(fit.number, m->number);
	assert_int_equal(fit.line, m->line);
	if (m->wanted) {
		assert_int_equal(fit.wanted->len, strlen(m->wanted));
		assert_memory_equal(fit.wanted->text, m->wanted, fit.wanted->len);
	} else {
		assert_null(fit.wanted);
	}
	if (m->found) {
		assert_int_equal(fit.found_len, strlen(m->found));
		assert_memory_equal(fit.found, m->found, fit.found_len);
	} else {
		assert_null(fit.found);
	}
	tm_buf_release(&out);
	tm_diff_release(&diff);
}

static void test_misfits(void **state)
{
	static const struct misfit misfits[] = {
		{ ABC, "", 1, 1, "c\n", NULL },
		{ ABC, "a\nb\nc\nd\ne\nx\ng\nh\ni\n", 1, 6, "f\n", "x\n" },
		{ ABC, "a\nb\nc\nd\ne\nf\ng\nh\n", 1, 9, "i\n", NULL },
		/* One blank more, or another line break, is otherwise. */
		{ ABC, "a\nb\nc\nd\ne \nf\ng\nh\ni\n", 1, 5, "e\n", "e \n" },
		{ X "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\nb", 1, 2, "b\n", "b" },
		{ X "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline\n+c\n", "a\nb\n", 1, 2, "b", "b\n" },
		/* Less context than on the other side is the file's start or end. */
		{ X "@@ -1,2 +1,2 @@\n-a\n+A\n b\n", "x\na\nb\n", 1, 1, "a\n", "x\n" },
		{ X "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "a\nb\nc\n", 1, 3, NULL, "c\n" },
		{ X "@@ -0,0 +1 @@\n+a\n", "b\n", 1, 1, NULL, "b\n" },
		/* The second comes after the first. */
		{ TWO, "q\nr\ns\nt\nc\nd\ne\nf\ng\nh\ni\n", 2, 12, "q\n", NULL },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(misfits); i++)
		check_misfit(&misfits[i]);
}

/* Every single byte of context counts. */
static void test_exact(void **state)
{
	static const char good[] = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";
	struct tm_diff diff = parse(ABC);

	(void)state;
	for (size_t i = 0; i < sizeof(good) - 1; i++) {
		struct tm_buf out = TM_BUF_INIT;
		char text[sizeof(good)];
		struct tm_fit fit;
		/* "a", "b" and "j" are not in it. */
		bool outside = i < 3 || i > 17;
		int rc;

		memcpy(text, good, sizeof(good));
		text[i] = '#';
		rc = tm_diff_fit(diff.files, false, text, sizeof(good) - 1, &out, &fit);
		assert_int_equal(rc, outside ? 0 : -ESTALE);
		tm_buf_release(&out);
	}
	tm_diff_release(&diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mail),	cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_odd_bytes),
		cmocka_unit_test(test_cut),	cmocka_unit_test(test_fits),
		cmocka_unit_test(test_misfits), cmocka_unit_test(test_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
