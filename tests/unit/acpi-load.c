/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables below a root, in files and folders, and in acpidump's text. */
#include "tests/unit/acpi-tables.h"

#include "lib/acpi/file.h"
#include "lib/acpi/load.h"

#define TABLES "sys/firmware/acpi/tables/"
#define CXL "sys/bus/cxl/devices/"

static void put_file(const struct tree *tree, const char *path, const struct bytes *b)
{
	tree_bytes(tree, path, b->data, b->size);
}

static int refuse_cdat(void *context, int root_fd, const char *path, int flags, mode_t mode)
{
	if (strstr(path, "endpoint4/CDAT") || strstr(path, "SRAT"))
		return -EACCES;
	return tm_io_system.open(context, root_fd, path, flags, mode);
}

static void test_root(void **state)
{
	struct tree *tree = *state;
	struct tm_io io = tm_io_system;
	struct bytes b = { .size = 0 };
	struct tm_acpi acpi;
	struct tm_error err = { 0 };

	sample_hmat(&b, 2);
	put_file(tree, TABLES "HMAT", &b);
	put_file(tree, TABLES "SRAT", &b);
	tree_folder(tree, TABLES "CEDT");
	sample_cdat(&b);
	put_file(tree, CXL "endpoint12/CDAT", &b);
	put_file(tree, CXL "endpoint2/CDAT", &b);
	put_file(tree, CXL "endpoint4/CDAT", &b);
	tree_text(tree, CXL "endpoint5/CDAT", "");
	put_file(tree, CXL "endpoint06/CDAT", &b);
	put_file(tree, CXL "port1/CDAT", &b);
	io.open = refuse_cdat;
	tree->root.io = &io;
	assert_int_equal(tm_acpi_load(&tree->root, &acpi, &err), 0);
	tree->root.io = &tm_io_system;
	assert_int_equal(acpi.state[TM_ACPI_HMAT], TM_KNOWN);
	assert_int_equal(acpi.state[TM_ACPI_SRAT], TM_DENIED);
	assert_int_equal(acpi.state[TM_ACPI_SLIT], TM_ABSENT);
	assert_int_equal(acpi.state[TM_ACPI_CEDT], TM_MALFORMED);
	/* The ones that can be read count, in the order of their numbers. */
	assert_int_equal(acpi.state[TM_ACPI_CDAT], TM_KNOWN);
	assert_int_equal(acpi.nr, 4);
	assert_string_equal(acpi.tables[0]->origin, "/" TABLES "HMAT");
	assert_string_equal(acpi.tables[1]->origin, "/" CXL "endpoint2/CDAT");
	assert_string_equal(acpi.tables[2]->origin, "/" CXL "endpoint12/CDAT");
	assert_string_equal(acpi.tables[3]->origin, "/" CXL "port1/CDAT");
	assert_ptr_equal(tm_acpi_table(&acpi, TM_ACPI_CDAT), acpi.tables[1]);
	assert_null(tm_acpi_table(&acpi, TM_ACPI_SRAT));
	tm_acpi_release(&acpi);
	assert_int_equal(acpi.nr, 0);
}

static void test_root_without(void **state)
{
	struct tree *tree = *state;
	struct tm_acpi acpi;

	assert_int_equal(tm_acpi_load(&tree->root, &acpi, NULL), 0);
	assert_int_equal(acpi.nr, 0);
	for (int i = 0; i < TM_ACPI_NR_SIGNATURES; i++)
		assert_int_equal(acpi.state[i], TM_ABSENT);
	tm_acpi_release(&acpi);
	tree_folder(tree, CXL "endpoint2");
	assert_int_equal(tm_acpi_load(&tree->root, &acpi, NULL), 0);
	assert_int_equal(acpi.state[TM_ACPI_CDAT], TM_ABSENT);
	tm_acpi_release(&acpi);
	tree_text(tree, CXL "endpoint2/CDAT", "");
	tree_text(tree, TABLES "HMAT", "");
	assert_int_equal(tm_acpi_load(&tree->root, &acpi, NULL), 0);
	assert_int_equal(acpi.state[TM_ACPI_CDAT], TM_NOT_PROVIDED);
	assert_int_equal(acpi.state[TM_ACPI_HMAT], TM_NOT_PROVIDED);
	tm_acpi_release(&acpi);
}

/* A CDAT of more than a page, as large devices and switches have. */
static void test_large(void **state)
{
	struct tree *tree = *state;
	size_t size = 16 + 700 * 24;
	uint8_t *data = calloc(1, size);
	struct bytes b = { .size = 0 };
	struct tm_acpi acpi;

	assert_non_null(data);
	put(&b, 4, size);
	put(&b, 4, 1);
	memcpy(data, b.data, 8);
	for (size_t i = 0; i < 700; i++) {
		b.size = 0;
		put_dslbis(&b, 1, 0, 0, 1, 1);
		memcpy(data + 16 + i * 24, b.data, 24);
	}
	tree_bytes(tree, CXL "endpoint2/CDAT", data, size);
	assert_int_equal(tm_acpi_load(&tree->root, &acpi, NULL), 0);
	assert_int_equal(acpi.tables[0]->nr_entries, 700);
	assert_int_equal(acpi.tables[0]->used, size);
	tm_acpi_release(&acpi);
	free(data);
}

/* The path of something in the tree, for functions that know no root. */
static const char *outside(const struct tree *tree, const char *path)
{
	static char name[PATH_MAX];

	return tree_name(tree, path, name);
}

static void test_folder(void **state)
{
	struct tree *tree = *state;
	struct bytes b = { .size = 0 };
	struct tm_acpi acpi;
	struct tm_error err = { 0 };

	sample_srat(&b, 3);
	put_file(tree, "dir/b", &b);
	sample_hmat(&b, 2);
	put_file(tree, "dir/z-hmat", &b);
	put_file(tree, "dir/a", &b);
	sample_cdat(&b);
	put_file(tree, "dir/x", &b);
	put_file(tree, "dir/y", &b);
	tree_text(tree, "dir/c", "a text");
	tree_text(tree, "dir/d", "");
	tree_text(tree, "dir/FACP", "FACP");
	tree_folder(tree, "dir/slit.dat");
	tree_fifo(tree, "dir/cedt.dat");
	assert_int_equal(tm_acpi_load_path(outside(tree, "dir"), &acpi, &err), 0);
	/* In the order of names; and one HMAT is all that a machine has. */
	assert_int_equal(acpi.nr, 5);
	assert_int_equal(acpi.tables[0]->signature, TM_ACPI_HMAT);
	assert_non_null(strstr(acpi.tables[0]->origin, "/dir/a"));
	assert_int_equal(acpi.tables[1]->signature, TM_ACPI_SRAT);
	assert_int_equal(acpi.state[TM_ACPI_SRAT], TM_KNOWN);
	assert_int_equal(acpi.state[TM_ACPI_SLIT], TM_ABSENT);
	assert_int_equal(found(&acpi.findings, TM_ACPI_DUPLICATE, 0)->severity, TM_ACPI_WARNING);
	assert_ptr_equal(found(&acpi.findings, TM_ACPI_DUPLICATE, 0)->table, acpi.tables[4]);
	tm_acpi_release(&acpi);
}

static void test_file(void **state)
{
	struct tree *tree = *state;
	struct bytes b = { .size = 0 };
	struct tm_acpi acpi;
	struct tm_error err = { 0 };

	sample_slit(&b);
	put_file(tree, "anything", &b);
	assert_int_equal(tm_acpi_load_path(outside(tree, "anything"), &acpi, &err), 0);
	assert_int_equal(acpi.nr, 1);
	assert_int_equal(acpi.state[TM_ACPI_SLIT], TM_KNOWN);
	tm_acpi_release(&acpi);
}

/* A table whose own signature is damaged, under a name that says what it should be. */
static void test_names(void **state)
{
	static const struct {
		const char *name;
		bool taken;
	} cases[] = {
		{ "slit.dat", true }, { "SLIT", true },	     { "slit3.bin", true },
		{ "Slit.aml", true }, { "slit.asl", false }, { "slit.dsl", false },
		{ "slits", false },   { "a-slit", false },   { "slit.txt", false },
	};
	struct tree *tree = *state;
	struct bytes b = { .size = 0 };
	struct tm_error err = { 0 };
	struct tm_acpi acpi = { 0 };

	sample_slit(&b);
	b.data[0] = 'X';
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		int rc;

		put_file(tree, cases[i].name, &b);
		rc = tm_acpi_load_path(outside(tree, cases[i].name), &acpi, &err);
		assert_int_equal(rc, cases[i].taken ? 0 : -ENODATA);
		if (rc)
			continue;
		assert_non_null(found(&acpi.findings, TM_ACPI_RANGE, 0));
		tm_acpi_release(&acpi);
	}
}

static void test_errors(void **state)
{
	struct tree *tree = *state;
	struct tm_acpi acpi = { .nr = 77 };
	struct tm_error err = { 0 };
	int fd;

	assert_int_equal(tm_acpi_load_path(outside(tree, "nothing"), &acpi, &err), -ENOENT);
	assert_non_null(strstr(err.text, "nothing: No such file"));
	tree_folder(tree, "empty");
	assert_int_equal(tm_acpi_load_path(outside(tree, "empty"), &acpi, &err), -ENODATA);
	assert_non_null(strstr(err.text, "no HMAT, SRAT, SLIT, CEDT or CDAT"));
	assert_non_null(strstr(err.hint, "acpidump"));
	tree_text(tree, "text", "some text\n");
	assert_int_equal(tm_acpi_load_path(outside(tree, "text"), &acpi, &err), -ENODATA);
	tree_fifo(tree, "fifo");
	assert_int_equal(tm_acpi_load_path(outside(tree, "fifo"), &acpi, &err), -EINVAL);
	/* A table is not so large, whatever it begins with. */
	tree_text(tree, "hmat.dat", "HMAT");
	fd = open(outside(tree, "hmat.dat"), O_WRONLY | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, TM_ACPI_TABLE_MAX + 1), 0);
	close(fd);
	assert_int_equal(tm_acpi_load_path(outside(tree, "hmat.dat"), &acpi, &err), -EFBIG);
	/* Nothing was touched. */
	assert_int_equal(acpi.nr, 77);
}

static void test_is_dump(void **state)
{
	static const struct {
		const char *text;
		bool dump;
	} cases[] = {
		{ "HMAT @ 0x0000\n    0000: 00\n", true },
		{ "\n\nsomething\nSRAT @ 0x7f\n", true },
		{ "PSD_ @ 0x7f", true },
		{ "AHMAT @ 0x0000\n", false },
		{ "MAT @ 0x0000\n", false },
		{ "a.b- @ 0x0000\n", false },
		{ " @ 0x", false },
		{ "HMAT @ 0", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].text);
		char *exact = malloc(len + 1);

		assert_non_null(exact);
		memcpy(exact, cases[i].text, len);
		if (tm_acpi_is_dump(exact, len) != cases[i].dump)
			fail_msg("case %zu", i);
		free(exact);
	}
	/* No text at all. */
	assert_false(tm_acpi_is_dump("HMAT @ 0x0\n\0", 12));
}

/* The text that acpidump prints of a table. */
static void as_dump(struct tm_buf *text, const char *name, const struct bytes *b)
{
	tm_buf_addf(text, "%s @ 0x0000000000000000\n", name);
	for (size_t i = 0; i < b->size; i += 16) {
		tm_buf_addf(text, "    %04zX:", i);
		for (size_t j = i; j < i + 16 && j < b->size; j++)
			tm_buf_addf(text, " %02X", b->data[j]);
		tm_buf_adds(text, "  ................\n");
	}
	tm_buf_adds(text, "\n");
}

static int count_files(const char *folder)
{
	struct tm_root root = { .fd = open(folder, O_RDONLY | O_DIRECTORY), .io = &tm_io_system };
	struct tm_scan scan;
	int nr = 0;

	assert_int_equal(tm_scan_open(&root, ".", &scan), 0);
	while (tm_scan_next(&scan))
		nr++;
	tm_scan_close(&scan);
	close(root.fd);
	return nr;
}

static void test_dump(void **state)
{
	struct tree *tree = *state;
	struct bytes hmat = { .size = 0 }, srat = { .size = 0 };
	struct tm_buf text = TM_BUF_INIT;
	struct tm_error err = { 0 };
	struct tm_acpi acpi;
	char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;

	if (access(TM_ACPI_ACPIXTRACT, X_OK))
		skip();
	sample_hmat(&hmat, 2);
	sample_srat(&srat, 3);
	as_dump(&text, "HMAT", &hmat);
	as_dump(&text, "SRAT", &srat);
	as_dump(&text, "HMAT", &hmat);
	tree_bytes(tree, "dump.txt", text.data, text.len);
	tree_folder(tree, "temp");
	setenv("TMPDIR", outside(tree, "temp"), 1);
	assert_int_equal(tm_acpi_load_path(outside(tree, "dump.txt"), &acpi, &err), 0);
	assert_int_equal(acpi.nr, 3);
	assert_int_equal(acpi.tables[0]->signature, TM_ACPI_HMAT);
	assert_int_equal(acpi.tables[0]->size, hmat.size);
	assert_memory_equal(acpi.tables[0]->data, hmat.data, hmat.size);
	assert_memory_equal(acpi.tables[2]->data, srat.data, srat.size);
	assert_non_null(strstr(acpi.tables[2]->origin, "dump.txt: srat.dat"));
	tm_acpi_release(&acpi);
	/* Nothing stays behind, whether it went well or not. */
	assert_int_equal(count_files(outside(tree, "temp")), 0);
	tree_text(tree, "bad.txt", "HMAT @ 0x0\n    0000: nonsense\n");
	/* acpixtract makes a table of that too. */
	if (!tm_acpi_load_path(outside(tree, "bad.txt"), &acpi, &err)) {
		assert_true(tm_acpi_findings_reach(&acpi.findings, TM_ACPI_ERROR));
		tm_acpi_release(&acpi);
	}
	assert_int_equal(count_files(outside(tree, "temp")), 0);
	if (before)
		setenv("TMPDIR", before, 1);
	else
		unsetenv("TMPDIR");
	free(before);
	tm_buf_release(&text);
}

/* Scripts that stand for acpixtract. */
static void test_extract(void **state)
{
	static const struct {
		const char *script;
		int rc;
		const char *says;
	} cases[] = {
		{ "exit 0", 0, "" },
		{ "echo banner; echo; echo 'it went wrong  '; exit 3", -EIO,
		  "failed with code 3: it went wrong" },
		{ "exit 4", -EIO, "failed with code 4" },
		{ "printf 'a\\033[2Jb'; exit 1", -EIO, "failed with code 1: a\\x1b[2Jb" },
		{ "kill -9 $$", -EIO, "was ended by signal 9" },
		/* As it is called: the text, no environment to speak of, no input, a mask. */
		{ "[ \"$1 $2 $#\" = '-a acpidump.txt 2' ] || exit 1\n"
		  "[ -z \"$HOME$TMPDIR$USER\" ] || exit 2\n"
		  "[ \"$(cat acpidump.txt)\" = 'the text' ] || exit 3\n"
		  "[ -z \"$(cat)\" ] || exit 4\n"
		  "[ \"$(umask)\" = 0077 ] || exit 5\n",
		  0, "" },
		/* More output than anybody wants. */
		{ "i=0; while [ $i -lt 3000 ]; do echo 'line after line after line'; "
		  "i=$((i+1)); done; exit 1",
		  -EIO, "failed with code 1: line after line" },
		/* More than a table can be. */
		{ "dd if=/dev/zero of=hmat.dat bs=1M count=20 2>/dev/null", -EIO, "" },
	};
	struct tree *tree = *state;
	struct tm_buf text = TM_BUF_INIT;
	struct tm_error err;

	tm_buf_adds(&text, "the text");
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		char tool[PATH_MAX], script[1024];
		struct stat st;
		int fd, rc;

		memset(&err, 0, sizeof(err));
		snprintf(script, sizeof(script), "#!/bin/sh\n%s\n", cases[i].script);
		tree_text(tree, "tool", script);
		tree_mode(tree, "tool", 0755);
		tree_remove(tree, "work");
		tree_folder(tree, "work");
		tree_name(tree, "tool", tool);
		fd = open(outside(tree, "work"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		rc = tm_acpi_extract(tool, fd, "NAME", &text, &err);
		if (rc != cases[i].rc || !strstr(err.text, cases[i].says) ||
		    (rc && strncmp(err.text, "NAME: ", 6)))
			fail_msg("case %zu: %d, %s", i, rc, err.text);
		if (!fstatat(fd, "hmat.dat", &st, 0))
			assert_in_range(st.st_size, 0, TM_ACPI_TABLE_MAX);
		close(fd);
	}
	memset(&err, 0, sizeof(err));
	assert_int_equal(tm_acpi_extract("/nowhere/acpixtract", -1, "NAME", &text, &err), -ENOENT);
	assert_non_null(strstr(err.text, "NAME: acpidump text needs /nowhere/acpixtract"));
	assert_non_null(strstr(err.hint, "acpica-tools"));
	tm_buf_release(&text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		tree_test(test_root),	 tree_test(test_root_without),	 tree_test(test_large),
		tree_test(test_folder),	 tree_test(test_file),		 tree_test(test_names),
		tree_test(test_errors),	 cmocka_unit_test(test_is_dump), tree_test(test_dump),
		tree_test(test_extract),
	};

	return cmocka_run_group_tests_name("acpi-load", tests, NULL, NULL);
}
