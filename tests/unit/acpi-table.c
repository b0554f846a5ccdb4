/* SPDX-License-Identifier: GPL-2.0-only */
/* Cutting a table into structures, going over fields, and what these look like. */
#include "tests/unit/acpi-tables.h"

#include "lib/acpi/check.h"
#include "lib/json/parse.h"

static void test_cut(void **state)
{
	struct bytes b = { .size = 0 };
	struct one one;

	(void)state;
	sample_hmat(&b, 2);
	parse_one(&one, TM_ACPI_HMAT, &b);
	assert_string_equal(one.table.origin, "unit");
	assert_int_equal(one.table.revision, 2);
	assert_int_equal(one.table.size, b.size);
	assert_int_equal(one.table.used, b.size);
	assert_int_equal(one.table.nr_entries, 5);
	assert_int_equal(one.table.entries[4].type, 2);
	assert_int_equal(one.table.entries[4].length, 36);
	assert_string_equal(one.table.entries[4].desc->key, "cache");
	release_one(&one);
	assert_null(one.table.data);
}

/* The last structure says more than is there: it is kept with what it has. */
static void test_past_the_end(void **state)
{
	struct bytes b = { .size = 0 };
	struct one one;

	(void)state;
	start(&b, TM_ACPI_CEDT, 1);
	put_bridge(&b, 12, 1, 0x10000);
	b.size -= 8;
	finish(&b);
	parse_one(&one, TM_ACPI_CEDT, &b);
	assert_int_equal(one.table.nr_entries, 1);
	assert_int_equal(one.table.entries[0].length, 24);
	assert_int_equal(one.table.entries[0].claimed, 32);
	assert_int_equal(tm_acpi_number(&one.table, &one.table.entries[0], "uid"), 12);
	assert_int_equal(tm_acpi_number(&one.table, &one.table.entries[0], "range_bytes"), 0);
	assert_non_null(found(&one.findings, TM_ACPI_LENGTH, 36));
	assert_int_equal(one.findings.nr, 1);
	release_one(&one);
}

static void test_unknown_types(void **state)
{
	struct bytes b = { .size = 0 };
	struct tm_acpi_value value;
	struct tm_acpi_iter iter;
	struct one one;

	(void)state;
	start(&b, TM_ACPI_SRAT, 3);
	put_all(&b, 1, 99, 5, 1, 2, 3);
	put_memory(&b, 0, 0, 1, 1);
	finish(&b);
	parse_one(&one, TM_ACPI_SRAT, &b);
	assert_int_equal(one.table.nr_entries, 2);
	assert_int_equal(one.table.entries[0].type, 99);
	assert_int_equal(one.table.entries[0].length, 5);
	assert_null(one.table.entries[0].desc);
	iter = tm_acpi_iter(&one.table, &one.table.entries[0]);
	assert_false(tm_acpi_iter_next(&iter, &value));
	assert_false(tm_acpi_value(&one.table, &one.table.entries[0], "type", &value));
	assert_int_equal(tm_acpi_number(&one.table, &one.table.entries[0], "domain"), 0);
	assert_int_equal(one.table.entries[1].offset, 53);
	release_one(&one);
}

/* Structures without number: the reading has a limit, and says so. */
static void test_too_many(void **state)
{
	size_t size = 48 + 2 * 262145;
	uint8_t *data = malloc(size);
	struct bytes head = { .size = 0 };
	struct tm_acpi_findings findings = { 0 };
	struct tm_acpi_table table;

	(void)state;
	assert_non_null(data);
	start(&head, TM_ACPI_SRAT, 3);
	put_at(&head, 4, 4, size);
	memcpy(data, head.data, head.size);
	for (size_t i = head.size; i < size; i += 2) {
		data[i] = 200;
		data[i + 1] = 2;
	}
	assert_int_equal(
		tm_acpi_table_parse(&table, TM_ACPI_SRAT, "many", data, size, &findings, NULL), 0);
	assert_int_equal(table.nr_entries, 262144);
	assert_non_null(found(&findings, TM_ACPI_LENGTH, size - 2));
	tm_acpi_table_release(&table);
	tm_acpi_findings_release(&findings);
	free(data);
}

static void test_iterate(void **state)
{
	static const char *const keys[] = {
		"type",	     "header_reserved",	  "length_bytes", "hierarchy",	     "flags",
		"data_type", "min_transfer_size", "reserved1",	  "initiator_count", "target_count",
		"reserved2", "base_unit",	  "initiators",	  "targets",	     "entries",
	};
	struct bytes b = { .size = 0 };
	struct tm_acpi_value value;
	struct tm_acpi_iter iter;
	struct one one;
	size_t nr = 0, end = 120;

	(void)state;
	sample_hmat(&b, 2);
	parse_one(&one, TM_ACPI_HMAT, &b);
	iter = tm_acpi_iter(&one.table, &one.table.entries[2]);
	while (tm_acpi_iter_next(&iter, &value)) {
		assert_in_range(nr, 0, TM_ARRAY_SIZE(keys) - 1);
		assert_string_equal(value.field->key, keys[nr++]);
		assert_ptr_equal(value.bytes, one.table.data + value.offset);
		assert_true(value.offset == end || value.field->shift);
		end = value.offset + value.size - (value.field->bits && !value.field->shift);
		end += value.field->bits && !value.field->shift ? 1 : 0;
	}
	assert_int_equal(nr, TM_ARRAY_SIZE(keys));
	assert_false(tm_acpi_iter_next(&iter, &value));
	assert_true(tm_acpi_value(&one.table, &one.table.entries[2], "entries", &value));
	assert_int_equal(value.count, 6);
	assert_int_equal(value.columns, 3);
	assert_int_equal(tm_acpi_element(&value, 5), 60000);
	assert_true(tm_acpi_value(&one.table, &one.table.entries[2], "targets", &value));
	assert_int_equal(value.count, 3);
	assert_false(tm_acpi_value(&one.table, &one.table.entries[2], "memory_domain", &value));
	release_one(&one);
}

static void check_text(const struct tm_acpi_table *table, const struct tm_acpi_entry *entry,
		       const char *key, bool raw, const char *wanted)
{
	struct tm_buf text = TM_BUF_INIT;
	struct tm_acpi_value value;

	assert_true(tm_acpi_value(table, entry, key, &value));
	tm_acpi_value_text(&text, &value, raw);
	assert_string_equal(tm_buf_str(&text), wanted);
	tm_buf_release(&text);
}

static void test_text(void **state)
{
	struct bytes b = { .size = 0 };
	const struct tm_acpi_entry *e;
	struct one one;

	(void)state;
	sample_hmat(&b, 2);
	parse_one(&one, TM_ACPI_HMAT, &b);
	e = one.table.entries;
	check_text(&one.table, &one.table.header, "signature", false, "HMAT");
	check_text(&one.table, &one.table.header, "oem_revision", false, "0x1");
	check_text(&one.table, &e[0], "flags", false, "0x1 (initiator-valid)");
	check_text(&one.table, &e[1], "flags", false, "0x0");
	check_text(&one.table, &e[2], "data_type", false, "1 (read-latency)");
	check_text(&one.table, &e[2], "base_unit", false, "10");
	check_text(&one.table, &e[2], "targets", false, "0 1 2");
	check_text(&one.table, &e[2], "entries", false, "8000 25000 65535\n0 50 60000");
	check_text(&one.table, &e[4], "size_bytes", false, "96G");
	check_text(&one.table, &e[4], "size_bytes", true, "103079215104");
	check_text(&one.table, &e[4], "smbios_handles", false, "0x1234 0x5678");
	check_text(&one.table, &e[4], "reserved1", false, "0x0");
	release_one(&one);

	sample_srat(&b, 3);
	parse_one(&one, TM_ACPI_SRAT, &b);
	e = one.table.entries;
	check_text(&one.table, &e[3], "flags", false, "0x7 (enabled, hot-pluggable, non-volatile)");
	check_text(&one.table, &e[3], "base_address", false, "0x40000000");
	check_text(&one.table, &e[7], "pci_device", false, "0x1e");
	check_text(&one.table, &e[7], "reserved2", false, "00 00 00 00 00 00 00 00 00 00 00 00");
	check_text(&one.table, &e[8], "hid", false, "ACPI0016");
	release_one(&one);

	/* What a stranger's table can put into a text: nothing that a terminal would obey. */
	sample_srat(&b, 3);
	memcpy(b.data + 10, "a\033[2J\n", 6);
	put_at(&b, 28, 4, 0);
	memcpy(b.data + 16, "  x y   ", 8);
	finish(&b);
	parse_one(&one, TM_ACPI_SRAT, &b);
	check_text(&one.table, &one.table.header, "oem_id", false, "a\\x1b[2J\\x0a");
	check_text(&one.table, &one.table.header, "oem_table_id", false, "  x y");
	check_text(&one.table, &one.table.header, "creator_id", false, "");
	release_one(&one);

	sample_cdat(&b);
	put_at(&b, 0x2a, 1, 24);
	put_at(&b, 46, 1, 6);
	put_at(&b, 70, 1, 6);
	finish(&b);
	parse_one(&one, TM_ACPI_CDAT, &b);
	check_text(&one.table, &one.table.entries[2], "data_type", false, "6 (reserved)");
	check_text(&one.table, &one.table.entries[9], "pairs", false, "2");
	release_one(&one);
}

static const struct tm_jvalue *at(const struct tm_jvalue *array, int index)
{
	const struct tm_jvalue *value = tm_jvalue_first(array);

	while (index-- && value)
		value = tm_jvalue_next(value);
	return value;
}

static uint64_t number_in(const struct tm_jvalue *object, const char *key)
{
	uint64_t number = 0;

	assert_int_equal(tm_jvalue_u64(tm_jvalue_get(object, key), &number), 0);
	return number;
}

static struct tm_jdoc *as_json(const struct tm_acpi_table *table)
{
	struct tm_json *json = tm_json_new();
	struct tm_jdoc *doc = NULL;
	struct tm_error err = { 0 };
	char *text = NULL;

	tm_acpi_table_json(json, table);
	assert_int_equal(tm_json_print(json, false, &text, &err), 0);
	assert_int_equal(tm_jdoc_parse("json", text, strlen(text), &doc, &err), 0);
	free(text);
	tm_json_free(json);
	return doc;
}

static void test_json(void **state)
{
	struct bytes b = { .size = 0 };
	const struct tm_jvalue *root, *list, *entry;
	struct tm_jdoc *doc;
	struct one one;

	(void)state;
	sample_hmat(&b, 2);
	put_at(&b, 60, 4, 3); /* reserved */
	parse_one(&one, TM_ACPI_HMAT, &b);
	doc = as_json(&one.table);
	root = tm_jdoc_root(doc);
	assert_string_equal(tm_jvalue_string(tm_jvalue_get(root, "signature")), "HMAT");
	assert_string_equal(tm_jvalue_string(tm_jvalue_get(root, "origin")), "unit");
	assert_int_equal(number_in(tm_jvalue_get(root, "header"), "revision"), 2);
	assert_null(tm_jvalue_get(tm_jvalue_get(root, "header"), "reserved"));
	list = tm_jvalue_get(root, "structures");
	entry = at(list, 0);
	assert_string_equal(tm_jvalue_string(tm_jvalue_get(entry, "name")), "memory-domain");
	assert_int_equal(number_in(entry, "flags"), 1);
	assert_string_equal(tm_jvalue_string(at(tm_jvalue_get(entry, "flags_set"), 0)),
			    "initiator-valid");
	/* What must be zero is there only where it is not. */
	assert_string_equal(tm_jvalue_string(tm_jvalue_get(entry, "reserved2")), "0x3");
	assert_null(tm_jvalue_get(entry, "reserved1"));
	entry = at(list, 2);
	assert_int_equal(number_in(entry, "offset"), 120);
	assert_int_equal(number_in(entry, "type"), 1);
	assert_int_equal(number_in(entry, "data_type"), 1);
	assert_string_equal(tm_jvalue_string(tm_jvalue_get(entry, "data_type_name")),
			    "read-latency");
	assert_int_equal(tm_jvalue_type(at(at(tm_jvalue_get(entry, "entries"), 1), 2)), TM_JNUMBER);
	assert_null(at(tm_jvalue_get(entry, "entries"), 2));
	assert_null(at(list, 5));
	tm_jdoc_free(doc);
	release_one(&one);

	sample_cdat(&b);
	put_at(&b, 208 + 0, 1, 77);
	parse_one(&one, TM_ACPI_CDAT, &b);
	doc = as_json(&one.table);
	list = tm_jvalue_get(tm_jdoc_root(doc), "structures");
	entry = at(list, 9);
	assert_int_equal(number_in(at(tm_jvalue_get(entry, "pairs"), 1), "y_port"), 0xffff);
	tm_jdoc_free(doc);
	release_one(&one);
}

static void test_recognise(void **state)
{
	enum tm_acpi_signature signature;
	struct bytes b = { .size = 0 };

	(void)state;
	sample_hmat(&b, 2);
	assert_true(tm_acpi_recognise(b.data, b.size, &signature));
	assert_int_equal(signature, TM_ACPI_HMAT);
	sample_cedt(&b);
	assert_true(tm_acpi_recognise(b.data, b.size, &signature));
	assert_int_equal(signature, TM_ACPI_CEDT);
	assert_false(tm_acpi_recognise("HMA", 3, &signature));
	assert_false(tm_acpi_recognise("FACP", 4, &signature));
	assert_false(tm_acpi_recognise("", 0, &signature));

	sample_cdat(&b);
	assert_true(tm_acpi_recognise(b.data, b.size, &signature));
	assert_int_equal(signature, TM_ACPI_CDAT);
	/* By its form: the length fits, the revision is one, reserved is 0, a structure follows. */
	put_at(&b, 0, 4, b.size + 1);
	assert_false(tm_acpi_recognise(b.data, b.size, &signature));
	sample_cdat(&b);
	put_at(&b, 4, 1, 3);
	assert_false(tm_acpi_recognise(b.data, b.size, &signature));
	sample_cdat(&b);
	put_at(&b, 8, 1, 1);
	assert_false(tm_acpi_recognise(b.data, b.size, &signature));
	sample_cdat(&b);
	put_at(&b, 16, 1, 9);
	assert_false(tm_acpi_recognise(b.data, b.size, &signature));
	sample_cdat(&b);
	put_at(&b, 18, 2, 23);
	assert_false(tm_acpi_recognise(b.data, b.size, &signature));
	/* Nothing in it. */
	start(&b, TM_ACPI_CDAT, 1);
	finish(&b);
	assert_true(tm_acpi_recognise(b.data, b.size, &signature));
	put(&b, 1, 0);
	finish(&b);
	assert_false(tm_acpi_recognise(b.data, b.size, &signature));
}

static void test_findings(void **state)
{
	struct bytes b = { .size = 0 };
	struct tm_acpi_findings f = { 0 };
	struct one one;

	(void)state;
	sample_slit(&b);
	parse_one(&one, TM_ACPI_SLIT, &b);
	assert_false(tm_acpi_findings_reach(&f, TM_ACPI_NOTE));
	for (int i = 0; i < 1500; i++)
		tm_acpi_find(&f, &one.table, (size_t)i % 9, TM_ACPI_RANGE,
			     i == 1400 ? TM_ACPI_ERROR : TM_ACPI_NOTE, "number %d", i);
	assert_int_equal(f.nr, TM_ACPI_FINDINGS_MAX + 1);
	assert_int_equal(f.more, 500);
	assert_string_equal(f.list[999].text, "number 999");
	assert_int_equal(f.list[1000].severity, TM_ACPI_NOTE);
	assert_string_equal(f.list[1000].text, "there are more findings than the 1000 listed");
	/* The error that was not kept counts. */
	assert_true(tm_acpi_findings_reach(&f, TM_ACPI_ERROR));
	assert_false(tm_acpi_findings_reach(&f, TM_ACPI_REFUSED));
	tm_acpi_findings_release(&f);
	assert_false(tm_acpi_findings_reach(&f, TM_ACPI_NOTE));
	assert_string_equal(tm_acpi_rule_name(TM_ACPI_CHECKSUM), "checksum");
	assert_string_equal(tm_acpi_rule_name(TM_ACPI_REFERENCE), "reference");
	assert_string_equal(tm_acpi_severity_name(TM_ACPI_REFUSED), "error");
	release_one(&one);
}

/* The signature that a file's name or place promised is not there. */
static void test_signature(void **state)
{
	struct bytes b = { .size = 0 };
	struct one one;

	(void)state;
	sample_hmat(&b, 2);
	parse_one(&one, TM_ACPI_SRAT, &b);
	assert_int_equal(found(&one.findings, TM_ACPI_RANGE, 0)->severity, TM_ACPI_ERROR);
	release_one(&one);
}

/* Nothing of it, for all tables. */
static void test_empty(void **state)
{
	struct bytes b = { .size = 0 };
	struct one one;

	(void)state;
	for (int i = 0; i < TM_ACPI_NR_SIGNATURES; i++) {
		b.size = 0;
		parse_one(&one, (enum tm_acpi_signature)i, &b);
		assert_int_equal(one.table.nr_entries, 0);
		assert_int_equal(one.table.header.length, 0);
		assert_int_equal(one.findings.nr, 1);
		assert_non_null(found(&one.findings, TM_ACPI_LENGTH, 0));
		tm_acpi_check_table(&one.table, NULL, &one.findings);
		release_one(&one);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),	      cmocka_unit_test(test_past_the_end),
		cmocka_unit_test(test_unknown_types), cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_iterate),	      cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),	      cmocka_unit_test(test_recognise),
		cmocka_unit_test(test_findings),      cmocka_unit_test(test_signature),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests_name("acpi-table", tests, NULL, NULL);
}
