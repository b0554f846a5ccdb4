/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/out/field.h"

/* A record holds one cell of each type; every getter hands it out, or the state in its place. */
struct record {
	enum tm_state state;
	const char *text;
	uint64_t number;
	const struct tm_idset *set;
};

static void get_text(const void *record, struct tm_cell *cell)
{
	const struct record *r = record;

	cell->state = r->state;
	cell->text = r->text;
}

static void get_number(const void *record, struct tm_cell *cell)
{
	const struct record *r = record;

	cell->state = r->state;
	cell->num = r->number;
}

static void get_set(const void *record, struct tm_cell *cell)
{
	const struct record *r = record;

	cell->state = r->state;
	cell->set = r->set;
}

static void get_nothing(const void *record, struct tm_cell *cell)
{
	(void)record;
	(void)cell;
}

static const struct tm_field fields[] = {
	{ "name", "NAME", TM_FIELD_TEXT, true, false, false, "", get_text },
	{ "count", "COUNT", TM_FIELD_NUMBER, true, false, false, "", get_number },
	{ "address", "ADDR", TM_FIELD_HEX, false, false, false, "", get_number },
	{ "size_bytes", "SIZE", TM_FIELD_BYTES, true, false, false, "", get_number },
	{ "online", "ON", TM_FIELD_BOOL, false, false, false, "", get_number },
	{ "cpus", "CPUS", TM_FIELD_SET, false, false, false, "", get_set },
	{ "hidden", NULL, TM_FIELD_NUMBER, false, false, false, "", get_number },
	{ "shown", "SHOWN", TM_FIELD_NUMBER, false, true, false, "", get_number },
	{ "nothing", "NOTHING", TM_FIELD_TEXT, false, false, false, "", get_nothing },
};
#define NR TM_ARRAY_SIZE(fields)

/* The texts of all fields with "|" between. */
static char *texts(const struct record *record, bool raw)
{
	struct tm_buf buf = TM_BUF_INIT;

	for (size_t i = 0; i < NR; i++) {
		if (i)
			tm_buf_addc(&buf, '|');
		tm_field_text(&buf, &fields[i], record, raw);
	}
	return tm_buf_detach(&buf);
}

static void expect_texts(const struct record *record, bool raw, const char *wanted)
{
	char *text = texts(record, raw);

	assert_non_null(text);
	assert_string_equal(text, wanted);
	free(text);
}

static void test_text(void **state)
{
	struct tm_idset set = TM_IDSET_INIT;
	struct record record = { TM_KNOWN, "x", 1536, &set };

	(void)state;
	expect_texts(&record, false, "x|1536|0x600|1.5K|yes|-|1536|1536|-");
	tm_idset_parse_list(&set, "0-3,8");
	record.number = 0;
	record.text = "";
	expect_texts(&record, false, "-|0|0x0|0B|no|0-3,8|0|0|-");
	record.set = NULL;
	record.text = NULL;
	record.number = UINT64_MAX;
	expect_texts(&record, false,
		     "-|18446744073709551615|0xffffffffffffffff|16E|yes|-|"
		     "18446744073709551615|18446744073709551615|-");
	expect_texts(&record, true,
		     "-|18446744073709551615|0xffffffffffffffff|"
		     "18446744073709551615|yes|-|18446744073709551615|"
		     "18446744073709551615|-");
	/* What comes from files is harmless on a terminal. */
	record.text = "a\x1b[2J\n\xff";
	record.number = 1;
	expect_texts(&record, false, "a\\x1b[2J\\x0a\\xff|1|0x1|1B|yes|-|1|1|-");
	tm_idset_release(&set);
}

static void test_no_value(void **state)
{
	static const struct {
		enum tm_state state;
		const char *word;
	} cases[] = {
		{ TM_UNKNOWN, "-" },	   { TM_ABSENT, "-" },	    { TM_DENIED, "denied" },
		{ TM_UNSUPPORTED, "n/a" }, { TM_MALFORMED, "bad" }, { TM_NOT_PROVIDED, "-" },
		{ TM_OFFLINE, "offline" },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct record record = { cases[i].state, "leftover", 99, NULL };

		for (size_t f = 0; f < NR - 1; f++) {
			struct tm_buf buf = TM_BUF_INIT;

			tm_field_text(&buf, &fields[f], &record, f % 2);
			assert_string_equal(tm_buf_str(&buf), cases[i].word);
			tm_buf_release(&buf);
		}
	}
}

static char *json_of(const struct record *record)
{
	struct tm_json *json = tm_json_new();
	struct tm_error err = { 0 };
	char *text = NULL;

	tm_field_json(json, fields, NR, record);
	assert_int_equal(tm_json_print(json, true, &text, &err), 0);
	tm_json_free(json);
	return text;
}

static void test_json(void **state)
{
	struct record record = { TM_KNOWN, "x", UINT64_MAX, NULL };
	char *text = json_of(&record);

	(void)state;
	/* Bytes are exact, hexadecimal is only for people, what is only a column is left out. */
	assert_string_equal(text, "{\"name\":\"x\",\"count\":18446744073709551615,"
				  "\"address\":18446744073709551615,"
				  "\"size_bytes\":18446744073709551615,\"online\":true,"
				  "\"cpus\":\"\",\"hidden\":18446744073709551615,"
				  "\"nothing\":null}\n");
	free(text);
	record.state = TM_DENIED;
	text = json_of(&record);
	assert_string_equal(text, "{\"name\":null,\"name_reason\":\"denied\",\"count\":null,"
				  "\"count_reason\":\"denied\",\"address\":null,"
				  "\"address_reason\":\"denied\",\"size_bytes\":null,"
				  "\"size_bytes_reason\":\"denied\",\"online\":null,"
				  "\"online_reason\":\"denied\",\"cpus\":null,"
				  "\"cpus_reason\":\"denied\",\"hidden\":null,"
				  "\"hidden_reason\":\"denied\",\"nothing\":null}\n");
	free(text);
	record.state = TM_UNKNOWN;
	text = json_of(&record);
	assert_null(strstr(text, "_reason"));
	free(text);
}

static void test_choose(void **state)
{
	static const struct {
		const char *list;
		int rc;
		const char *chosen; /* indices */
	} cases[] = {
		{ NULL, 0, "013" },
		{ "NAME", 0, "0" },
		{ "name", 0, "0" },
		{ "SIZE,NAME", 0, "30" },
		{ "size_bytes,Addr", 0, "32" },
		{ "NAME,NAME", 0, "00" },
		{ "SHOWN", 0, "7" },
		{ "", -EINVAL, "" },
		{ "+", -EINVAL, "" },
		{ ",", -EINVAL, "" },
		{ "NAME,", -EINVAL, "" },
		{ ",NAME", -EINVAL, "" },
		{ "NAME,,SIZE", -EINVAL, "" },
		{ "NAM", -EINVAL, "" },
		{ "NAMES", -EINVAL, "" },
		{ "NAME ", -EINVAL, "" },
		{ "NAME SIZE", -EINVAL, "" },
		{ "hidden", -EINVAL, "" }, /* it has no heading */
		{ "NAME,none", -EINVAL, "" },
		{ "+NAME", -EINVAL, "" },
	};

	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		size_t chosen[2 * NR], nr = 77;
		struct tm_error err = { 0 };
		int rc = tm_field_choose(fields, NR, cases[i].list, chosen, &nr, &err);

		if (rc != cases[i].rc)
			fail_msg("\"%s\": %d", cases[i].list ? cases[i].list : "(none)", rc);
		if (rc) {
			assert_int_equal(nr, 77);
			assert_non_null(strstr(err.text, "column"));
			assert_string_equal(err.hint, "columns: "
						      "NAME,COUNT,ADDR,SIZE,ON,CPUS,SHOWN,NOTHING");
			continue;
		}
		assert_int_equal(nr, strlen(cases[i].chosen));
		for (size_t k = 0; k < nr; k++)
			assert_int_equal(chosen[k], cases[i].chosen[k] - '0');
	}
}

static void test_choose_too_many(void **state)
{
	size_t chosen[2 * NR], nr;
	struct tm_error err = { 0 };
	char list[8 * NR * 2 + 8] = "ON";

	(void)state;
	for (size_t i = 1; i < 2 * NR; i++)
		strcat(list, ",ON");
	assert_int_equal(tm_field_choose(fields, NR, list, chosen, &nr, &err), 0);
	assert_int_equal(nr, 2 * NR);
	strcat(list, ",ON");
	assert_int_equal(tm_field_choose(fields, NR, list, chosen, &nr, &err), -E2BIG);
}

static void test_cells(void **state)
{
	struct tm_cell cell = { .state = TM_UNKNOWN };
	struct tm_text text = { NULL, TM_DENIED };

	(void)state;
	tm_cell_num(&cell, tm_num_known(5));
	assert_int_equal(cell.state, TM_KNOWN);
	assert_int_equal(cell.num, 5);
	tm_cell_text(&cell, &text);
	assert_int_equal(cell.state, TM_DENIED);
	tm_cell_string(&cell, "word");
	assert_int_equal(cell.state, TM_KNOWN);
	tm_cell_string(&cell, NULL);
	assert_int_equal(cell.state, TM_UNKNOWN);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_no_value),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_choose),
		cmocka_unit_test(test_choose_too_many),
		cmocka_unit_test(test_cells),
	};

	return cmocka_run_group_tests_name("field", tests, NULL, NULL);
}
