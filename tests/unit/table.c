/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/out/table.h"

static const struct tm_table_style plain = { .headings = true, .ascii = true };

/* Prints, checks and frees. */
static void expect(struct tm_table *table, const char *wanted)
{
	struct tm_error err = { 0 };
	char *text = NULL;

	assert_int_equal(tm_table_print(table, &text, &err), 0);
	assert_string_equal(text, wanted);
	free(text);
	tm_table_free(table);
}

static struct tm_table *two_columns(const struct tm_table_style *style)
{
	struct tm_table *table = tm_table_new(style);

	assert_non_null(table);
	tm_table_column(table, "NAME", false, false, false);
	tm_table_column(table, "SIZE", true, false, false);
	return table;
}

static void add(struct tm_table *table, const char *name, const char *size)
{
	struct tm_row *row = tm_table_row(table, NULL);

	tm_row_cell(table, row, 0, name);
	tm_row_cell(table, row, 1, size);
}

static void test_alignment(void **state)
{
	struct tm_table *table = two_columns(&plain);

	(void)state;
	add(table, "a", "1");
	add(table, "longer", "1024G");
	expect(table, "NAME    SIZE\n"
		      "a          1\n"
		      "longer 1024G\n");
}

static void test_empty(void **state)
{
	(void)state;
	expect(two_columns(&plain), "");
	tm_table_free(NULL);
}

static void test_noheadings(void **state)
{
	struct tm_table_style style = plain;
	struct tm_table *table;
	struct tm_error err = { 0 };
	char *text, name[8], size[8];

	(void)state;
	style.headings = false;
	table = two_columns(&style);
	add(table, "a", "1");
	assert_int_equal(tm_table_print(table, &text, &err), 0);
	/* A single line; whether hidden headings count for the width is libsmartcols' choice. */
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	assert_int_equal(sscanf(text, "%7s %7s", name, size), 2);
	assert_string_equal(name, "a");
	assert_string_equal(size, "1");
	free(text);
	tm_table_free(table);
}

/* One blank between columns, and no column may vanish: scripts count them. */
static void test_raw(void **state)
{
	struct tm_table_style style = plain;
	struct tm_table *table;

	(void)state;
	style.raw = true;
	style.width = 10;
	table = two_columns(&style);
	add(table, "a-name-that-is-longer-than-ten-columns", "1");
	add(table, "", "");
	add(table, "b", "22");
	expect(table, "NAME SIZE\n"
		      "a-name-that-is-longer-than-ten-columns 1\n"
		      "- -\n"
		      "b 22\n");
}

static void test_width(void **state)
{
	struct tm_table_style style = plain;
	struct tm_table *table;
	struct tm_row *row;
	struct tm_error err = { 0 };
	char *text;

	(void)state;
	style.width = 30;
	table = tm_table_new(&style);
	tm_table_column(table, "NODE", true, false, false);
	tm_table_column(table, "WHY", false, true, false);
	row = tm_table_row(table, NULL);
	tm_row_cell(table, row, 0, "0");
	tm_row_cell(table, row, 1, "a very long explanation that no terminal of thirty has");
	assert_int_equal(tm_table_print(table, &text, &err), 0);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strlen(line) <= 30);
	free(text);
	tm_table_free(table);
}

static void test_tree(void **state)
{
	struct tm_table *table = tm_table_new(&plain);
	struct tm_row *top, *middle, *leaf;

	(void)state;
	tm_table_column(table, "NAME", false, false, true);
	top = tm_table_row(table, NULL);
	tm_row_cell(table, top, 0, "root0");
	middle = tm_table_row(table, top);
	tm_row_cell(table, middle, 0, "port1");
	leaf = tm_table_row(table, middle);
	tm_row_cell(table, leaf, 0, "mem0");
	leaf = tm_table_row(table, top);
	tm_row_cell(table, leaf, 0, "port2");
	expect(table, "NAME\n"
		      "root0\n"
		      "|-port1\n"
		      "| `-mem0\n"
		      "`-port2\n");
}

static void test_colour(void **state)
{
	struct tm_table_style style = plain;
	struct tm_error err = { 0 };
	struct tm_table *table;
	char *text;

	(void)state;
	table = two_columns(&style);
	add(table, "a", "1");
	assert_int_equal(tm_table_print(table, &text, &err), 0);
	assert_null(strchr(text, '\x1b'));
	free(text);
	tm_table_free(table);
	style.color = true;
	table = two_columns(&style);
	add(table, "a", "1");
	assert_int_equal(tm_table_print(table, &text, &err), 0);
	assert_non_null(strchr(text, '\x1b'));
	/* Only headings, and they end what they began. */
	assert_null(strchr(strstr(text, "\na"), '\x1b'));
	free(text);
	tm_table_free(table);
}

struct record {
	const char *name;
	struct tm_num size;
};

static void get_name(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ((const struct record *)record)->name);
}

static void get_size(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, ((const struct record *)record)->size);
}

static void test_records(void **state)
{
	static const struct tm_field fields[] = {
		{ "name", "NAME", TM_FIELD_TEXT, true, false, false, "", get_name },
		{ "size_bytes", "SIZE", TM_FIELD_BYTES, true, false, false, "", get_size },
	};
	static const size_t both[] = { 0, 1 }, swapped[] = { 1, 0 };
	const struct record records[] = {
		{ "one", { 1536, TM_KNOWN } },
		{ "two", { 0, TM_DENIED } },
		{ NULL, { 0, TM_UNSUPPORTED } },
	};
	struct tm_table_style style = plain;
	struct tm_table *table;

	(void)state;
	table = tm_table_new(&style);
	tm_table_records(table, fields, both, 2, records, 3, sizeof(records[0]));
	expect(table, "NAME   SIZE\n"
		      "one    1.5K\n"
		      "two  denied\n"
		      "-       n/a\n");
	style.raw = true;
	table = tm_table_new(&style);
	tm_table_records(table, fields, swapped, 2, records, 2, sizeof(records[0]));
	expect(table, "SIZE NAME\n"
		      "1536 one\n"
		      "denied two\n");
	table = tm_table_new(&style);
	tm_table_records(table, fields, both, 2, NULL, 0, sizeof(records[0]));
	expect(table, "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alignment),  cmocka_unit_test(test_empty),
		cmocka_unit_test(test_noheadings), cmocka_unit_test(test_raw),
		cmocka_unit_test(test_width),	   cmocka_unit_test(test_tree),
		cmocka_unit_test(test_colour),	   cmocka_unit_test(test_records),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
