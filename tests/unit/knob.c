/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/knob/knob.h"

/* Every row of every set is whole, and its values can be said and read back. */
static void test_rows(void **state)
{
	(void)state;
	for (int set = 0; set < TM_KNOB_SETS; set++) {
		size_t nr;
		const struct tm_knob *rows = tm_knob_list((enum tm_knob_set)set, &nr);

		assert_true(nr > 0);
		for (size_t i = 0; i < nr; i++) {
			const struct tm_knob *knob = &rows[i];

			assert_ptr_equal(tm_knob_find((enum tm_knob_set)set, knob->name), knob);
			assert_non_null(knob->help);
			assert_true(!strncmp(knob->path, "sys/", 4) ||
				    !strncmp(knob->path, "proc/sys/", 9));
			if (knob->form == TM_FORM_CHOICE)
				assert_non_null(knob->words);
			if (knob->form == TM_FORM_NUMBER)
				assert_true(knob->min < knob->max);
			for (const struct tm_knob_word *w = knob->words; w && w->word; w++) {
				struct tm_buf normal = TM_BUF_INIT, word = TM_BUF_INIT;

				assert_non_null(w->help);
				assert_int_equal(tm_knob_parse(knob, NULL, w->word, &normal, NULL),
						 0);
				tm_knob_say(knob, tm_buf_str(&normal), &word);
				assert_string_equal(tm_buf_str(&word), w->word);
				tm_buf_release(&normal);
				tm_buf_release(&word);
			}
		}
	}
	assert_null(tm_knob_find(TM_KNOBS_THP, "demotion"));
}

struct sample {
	enum tm_knob_set set;
	const char *name, *accepted, *word;
	const char *normal; /* NULL: refused */
	const char *said;   /* the word for it; or in the error or its hint */
};

static const struct sample samples[] = {
	{ TM_KNOBS_POLICY, "demotion", NULL, "on", "true", "on" },
	{ TM_KNOBS_POLICY, "demotion", NULL, "0", "false", "off" },
	{ TM_KNOBS_POLICY, "demotion", NULL, "yikes", NULL, "on or off" },
	{ TM_KNOBS_POLICY, "numa-balancing", NULL, "tiering", "2", "tiering" },
	{ TM_KNOBS_POLICY, "numa-balancing", NULL, "3", "3", "both" },
	{ TM_KNOBS_POLICY, "numa-balancing", NULL, "4", NULL,
	  "off, normal, tiering, both or 0 to 3" },
	{ TM_KNOBS_POLICY, "numa-balancing", NULL, "tierng", NULL, "did you mean tiering?" },
	{ TM_KNOBS_POLICY, "promote-rate-limit", NULL, "20G", "19073", "19073Mi" },
	{ TM_KNOBS_POLICY, "promote-rate-limit", NULL, "64Gi", "65536", "64Gi" },
	{ TM_KNOBS_POLICY, "promote-rate-limit", NULL, "1000", NULL, "1Mi to 16777215Mi" },
	{ TM_KNOBS_POLICY, "promote-rate-limit", NULL, "-1", NULL, "1Mi to 16777215Mi" },
	{ TM_KNOBS_POLICY, "watermark-scale-factor", NULL, "3000", "3000", "3000" },
	{ TM_KNOBS_POLICY, "watermark-scale-factor", NULL, "3001", NULL, "1 to 3000" },
	{ TM_KNOBS_WEIGHTS, "weight", NULL, "255", "255", "255" },
	{ TM_KNOBS_WEIGHTS, "weight", NULL, "0", NULL, "1 to 255" },
	{ TM_KNOBS_WEIGHTS, "weight", NULL, "256", NULL, "1 to 255" },
	{ TM_KNOBS_WEIGHTS, "weight", NULL, "010", "10", "10" },
	{ TM_KNOBS_THP, "shmem", "always within_size advise never deny force", "madvise", NULL,
	  "did you mean advise?" },
	{ TM_KNOBS_THP, "enabled", "always madvise never", "advise", NULL,
	  "did you mean madvise?" },
	{ TM_KNOBS_THP, "enabled", "always madvise never", "deny", NULL,
	  "always, madvise or never" },
	{ TM_KNOBS_MTHP, "shmem", "always inherit never", "within_size", NULL,
	  "this kernel does not take 'within_size'" },
	/* A word of a later kernel, by its own list. */
	{ TM_KNOBS_THP, "enabled", "always auto madvise never", "auto", "auto", "auto" },
	{ TM_KNOBS_THP, "enabled", "always auto madvise never", "aut", NULL, "always" },
	{ TM_KNOBS_THP, "enabled", NULL, "", NULL, "always" },
	{ TM_KNOBS_THP, "enabled", "always madvise never", "always madvise", NULL, "always" },
	{ TM_KNOBS_THP, "enabled", "always madvise never", "", NULL, "always" },
};

static void test_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(samples); i++) {
		const struct sample *s = &samples[i];
		const struct tm_knob *knob = tm_knob_find(s->set, s->name);
		struct tm_buf normal = TM_BUF_INIT, said = TM_BUF_INIT;
		struct tm_error err = { 0 };
		int rc = tm_knob_parse(knob, s->accepted, s->word, &normal, &err);

		if (s->normal) {
			if (rc || strcmp(tm_buf_str(&normal), s->normal))
				fail_msg("%s=%s: %d, '%s', %s", s->name, s->word, rc,
					 tm_buf_str(&normal), err.text);
			tm_knob_say(knob, tm_buf_str(&normal), &said);
			assert_string_equal(tm_buf_str(&said), s->said);
		} else if (rc != -EINVAL || !strstr(err.text, s->name) || normal.len ||
			   (!strstr(err.text, s->said) && !strstr(err.hint, s->said))) {
			fail_msg("%s=%s: %d, '%s', hint '%s'", s->name, s->word, rc, err.text,
				 err.hint);
		}
		tm_buf_release(&normal);
		tm_buf_release(&said);
	}
}

static void test_reading(void **state)
{
	struct tree *tree = *state;
	const struct tm_knob *enabled = tm_knob_find(TM_KNOBS_MTHP, "enabled");
	const struct tm_knob *limit = tm_knob_find(TM_KNOBS_POLICY, "promote-rate-limit");
	struct tm_setting setting;
	struct tm_num number;
	char path[TM_PATH_MAX];

	tm_knob_path(enabled, 64, path);
	assert_string_equal(path, "sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled");
	tree_file(tree, path, "always inherit [madvise] never\n");
	assert_int_equal(tm_setting_read(&tree->root, enabled, 64, &setting), 0);
	assert_int_equal(setting.value.state, TM_KNOWN);
	assert_string_equal(setting.value.value, "madvise");
	assert_string_equal(setting.accepted, "always inherit madvise never");
	tm_setting_release(&setting);

	assert_int_equal(tm_setting_read(&tree->root, enabled, 128, &setting), 0);
	assert_int_equal(setting.value.state, TM_ABSENT);
	tm_setting_release(&setting);

	tree_file(tree, limit->path, "65536\n");
	assert_int_equal(tm_setting_read(&tree->root, limit, 0, &setting), 0);
	number = tm_knob_number(limit, setting.value.value);
	assert_int_equal(number.value, 65536ULL << 20);
	tm_setting_release(&setting);

	tree_file(tree, limit->path, "many\n");
	assert_int_equal(tm_setting_read(&tree->root, limit, 0, &setting), 0);
	assert_int_equal(setting.value.state, TM_MALFORMED);
	tm_setting_release(&setting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_words),
		cmocka_unit_test_setup_teardown(test_reading, tree_setup, tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
