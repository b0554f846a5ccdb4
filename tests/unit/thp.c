/* SPDX-License-Identifier: GPL-2.0-only */
/* Huge pages as they are read, on trees of several kernels, and what settings come to. */
#include "tests/unit/tree.h"

#include "lib/model/thp.h"

#define THP TM_THP_FOLDER

static void file(const struct tree *tree, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), THP "/%s", name);
	tree_file(tree, path, "%s", text);
}

/* One size; NULL: it has no such side. */
static void size(const struct tree *tree, long kib, const char *enabled, const char *shmem)
{
	char name[128];

	snprintf(name, sizeof(name), "hugepages-%ldkB/enabled", kib);
	if (enabled)
		file(tree, name, enabled);
	snprintf(name, sizeof(name), "hugepages-%ldkB/shmem_enabled", kib);
	if (shmem)
		file(tree, name, shmem);
	snprintf(name, sizeof(name), "hugepages-%ldkB/stats/split", kib);
	file(tree, name, "0");
}

#define NEVER "always inherit madvise [never]"
#define INHERIT "always [inherit] madvise never"
#define SH_NEVER "always inherit within_size advise [never]"

static void top(const struct tree *tree, const char *pmd)
{
	file(tree, "enabled", "always [madvise] never");
	file(tree, "shmem_enabled", "always within_size advise [never] deny force");
	file(tree, "defrag", "always defer defer+madvise [madvise] never");
	file(tree, "use_zero_page", "1");
	file(tree, "khugepaged/defrag", "0");
	file(tree, "khugepaged/pages_to_scan", "4096");
	file(tree, "khugepaged/full_scans", "12");
	if (pmd)
		file(tree, "hpage_pmd_size", pmd);
}

static void read_thp(const struct tree *tree, struct tm_thp *thp)
{
	struct tm_error err = { 0 };

	assert_int_equal(tm_thp_read(thp, &tree->root, &err), 0);
}

static const char *top_says(const struct tm_thp *thp, const char *name)
{
	const struct tm_setting *setting = tm_thp_top(thp, name);

	assert_non_null(setting);
	return setting->value.state == TM_KNOWN ? setting->value.value : "";
}

/* Base pages of 4K, 16K and 64K. */
static void test_page_sizes(void **state)
{
	static const struct {
		const char *pmd;
		long first, last, last_shared;
	} kinds[] = {
		{ "2097152", 8, 2048, 2048 },
		{ "33554432", 32, 32768, 32768 },
		{ "536870912", 128, 524288, 131072 },
	};

	for (size_t k = 0; k < TM_ARRAY_SIZE(kinds); k++) {
		struct tree *tree = *state;
		struct tm_thp thp;
		size_t i = 0;

		tree_remove(tree, THP);
		top(tree, kinds[k].pmd);
		/* Largest first, as the kernel makes them. */
		for (long kib = kinds[k].last; kib >= kinds[k].first; kib /= 2)
			size(tree, kib,
			     kib == kinds[k].first ? NULL :
			     kib == kinds[k].last  ? INHERIT :
						     NEVER,
			     kib <= kinds[k].last_shared ? SH_NEVER : NULL);
		read_thp(tree, &thp);
		for (long kib = kinds[k].first; kib <= kinds[k].last; kib *= 2, i++) {
			const struct tm_thp_size *it = &thp.sizes[i];

			assert_int_equal(it->kib, kib);
			assert_ptr_equal(tm_thp_size(&thp, kib), it);
			assert_int_equal(it->pmd, kib == kinds[k].last);
			assert_int_equal(it->enabled.value.state,
					 kib == kinds[k].first ? TM_ABSENT : TM_KNOWN);
			assert_int_equal(it->shmem.value.state,
					 kib > kinds[k].last_shared ? TM_ABSENT : TM_KNOWN);
		}
		assert_int_equal(thp.nr_sizes, i);
		assert_int_equal(thp.page_bytes, kinds[k].first << 9);
		assert_null(tm_thp_size(&thp, 4));
		tm_thp_release(&thp);
	}
}

static void test_top(void **state)
{
	struct tree *tree = *state;
	const struct tm_setting *shmem;
	struct tm_num scans;
	struct tm_thp thp;

	top(tree, "2097152");
	read_thp(tree, &thp);
	assert_int_equal(thp.state, TM_KNOWN);
	assert_int_equal(thp.pmd_bytes.value, 2 << 20);
	assert_string_equal(top_says(&thp, "enabled"), "madvise");
	assert_string_equal(top_says(&thp, "defrag"), "madvise");
	assert_string_equal(top_says(&thp, "use-zero-page"), "1");
	assert_string_equal(top_says(&thp, "khugepaged-defrag"), "0");
	assert_string_equal(top_says(&thp, "khugepaged-pages-to-scan"), "4096");
	shmem = tm_thp_top(&thp, "shmem");
	assert_string_equal(shmem->accepted, "always within_size advise never deny force");
	assert_int_equal(tm_thp_top(&thp, "shrink-underused")->value.state, TM_ABSENT);
	assert_null(tm_thp_top(&thp, "weight"));
	/* What is no setting counts. */
	assert_int_equal(thp.khugepaged.nr, 1);
	scans = tm_thp_counter(&thp.khugepaged, "full_scans");
	assert_int_equal(scans.value, 12);
	/* Without sizes: a kernel before 6.8. */
	assert_int_equal(thp.nr_sizes, 0);
	tm_thp_release(&thp);
}

/* No huge pages at all, and what is like them elsewhere. */
static void test_nothing(void **state)
{
	struct tree *tree = *state;
	struct tm_thp thp;

	tree_file(tree, "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "3");
	tree_file(tree, "sys/devices/system/node/node0/hugepages/hugepages-64kB/nr_hugepages", "3");
	read_thp(tree, &thp);
	assert_int_equal(thp.state, TM_ABSENT);
	assert_int_equal(thp.nr_sizes, 0);
	assert_int_equal(thp.pmd_bytes.state, TM_ABSENT);
	assert_int_equal(thp.khugepaged.state, TM_ABSENT);
	assert_int_equal(tm_thp_top(&thp, "enabled")->value.state, TM_ABSENT);
	tm_thp_release(&thp);
}

/* Names that are no sizes; a size without hpage_pmd_size; a size without anything. */
static void test_names(void **state)
{
	static const char *const strange[] = {
		"hugepages-kB",	   "hugepages-0kB",
		"hugepages-064kB", "hugepages-64KB",
		"hugepages-64kBx", "hugepages--64kB",
		"hugepages-1e3kB", "hugepages-64",
		"xhugepages-64kB", "hugepages-99999999999999999999kB"
	};
	struct tree *tree = *state;
	struct tm_thp thp;
	struct tm_num none;

	for (size_t i = 0; i < TM_ARRAY_SIZE(strange); i++) {
		char name[128];

		snprintf(name, sizeof(name), "%s/enabled", strange[i]);
		file(tree, name, NEVER);
	}
	size(tree, 1024, NEVER, NULL);
	tree_folder(tree, THP "/hugepages-64kB");
	read_thp(tree, &thp);
	assert_int_equal(thp.nr_sizes, 2);
	assert_int_equal(thp.sizes[0].kib, 64);
	assert_int_equal(thp.sizes[0].counters.state, TM_ABSENT);
	none = tm_thp_counter(&thp.sizes[0].counters, "split");
	assert_int_equal(none.state, TM_ABSENT);
	assert_int_equal(thp.sizes[1].kib, 1024);
	assert_false(thp.sizes[1].pmd);
	tm_thp_release(&thp);
}

/* Absent is not 0, and a name that nobody knows is kept. */
static void test_counters(void **state)
{
	struct tree *tree = *state;
	const struct tm_thp_counters *counters;
	struct tm_thp thp;
	double ratio = -1;

	size(tree, 64, NEVER, SH_NEVER);
	file(tree, "hugepages-64kB/stats/of_tomorrow", "18446744073709551615");
	file(tree, "hugepages-64kB/stats/shmem_alloc", "300");
	file(tree, "hugepages-64kB/stats/shmem_fallback", "100");
	file(tree, "hugepages-64kB/stats/anon_fault_alloc", "0");
	file(tree, "hugepages-64kB/stats/anon_fault_fallback", "0");
	file(tree, "hugepages-64kB/stats/zero", "0");
	file(tree, "hugepages-64kB/stats/bad", "many");
	read_thp(tree, &thp);
	counters = &thp.sizes[0].counters;
	assert_int_equal(counters->nr, 8);
	for (size_t i = 1; i < counters->nr; i++)
		assert_true(strcmp(counters->list[i - 1].name, counters->list[i].name) < 0);
	assert_true(tm_thp_counter(counters, "of_tomorrow").value == UINT64_MAX);
	assert_int_equal(tm_thp_counter(counters, "zero").state, TM_KNOWN);
	assert_int_equal(tm_thp_counter(counters, "swpin").state, TM_ABSENT);
	assert_int_equal(tm_thp_counter(counters, "bad").state, TM_MALFORMED);
	assert_true(tm_thp_fallback(&thp.sizes[0], TM_THP_SHMEM, &ratio));
	assert_true(ratio == 0.25);
	/* 0 of 0 is no ratio. */
	assert_false(tm_thp_fallback(&thp.sizes[0], TM_THP_ANON, &ratio));
	tm_thp_release(&thp);

	tree_remove(tree, THP "/hugepages-64kB/stats/shmem_fallback");
	read_thp(tree, &thp);
	assert_false(tm_thp_fallback(&thp.sizes[0], TM_THP_SHMEM, &ratio));
	tm_thp_release(&thp);
}

static struct tm_text text(const char *word)
{
	static const char *const states[] = { [TM_ABSENT] = "absent", [TM_DENIED] = "denied" };

	for (size_t i = 0; i < TM_ARRAY_SIZE(states); i++)
		if (states[i] && !strcmp(states[i], word))
			return (struct tm_text){ NULL, (enum tm_state)i };
	return (struct tm_text){ (char *)word, TM_KNOWN };
}

typedef enum tm_state (*effective_fn)(const struct tm_text *top, const struct tm_text *own,
				      const char **word);

/* Rows: the setting for all sizes; columns: the size's own. "?": unknown. */
static void check_table(effective_fn effective, const char *const *own, size_t nr_own,
			const char *const (*rows)[8], size_t nr_rows)
{
	for (size_t r = 0; r < nr_rows; r++) {
		for (size_t o = 0; o < nr_own; o++) {
			struct tm_text above = text(rows[r][0]), mine = text(own[o]);
			const char *word = "?", *wanted = rows[r][o + 1];
			enum tm_state state = effective(&above, &mine, &word);

			if (state == TM_ABSENT)
				word = "absent";
			if (state == TM_DENIED)
				word = "denied";
			if (strcmp(word, wanted) ||
			    (state == TM_KNOWN) != (mine.state == TM_KNOWN && *wanted != '?'))
				fail_msg("top %s, own %s: %s, wanted %s", rows[r][0], own[o], word,
					 wanted);
		}
	}
}

static void test_effective(void **state)
{
	static const char *const own[] = { "always", "inherit", "madvise",
					   "never",  "absent",	"denied" };
	static const char *const rows[][8] = {
		{ "always", "always", "always", "madvise", "never", "absent", "denied" },
		{ "madvise", "always", "madvise", "madvise", "never", "absent", "denied" },
		{ "never", "always", "never", "madvise", "never", "absent", "denied" },
		{ "absent", "always", "?", "madvise", "never", "absent", "denied" },
		{ "denied", "always", "?", "madvise", "never", "absent", "denied" },
	};
	static const char *const own_shmem[] = { "always", "inherit", "within_size", "advise",
						 "never",  "absent",  "denied" };
#define OWN "within_size", "advise", "never", "absent", "denied"
#define STOP "never", "never", "never", "absent", "denied"
	static const char *const rows_shmem[][8] = {
		{ "always", "always", "always", OWN },
		{ "within_size", "always", "within_size", OWN },
		{ "advise", "always", "advise", OWN },
		{ "never", "always", "never", OWN },
		{ "deny", "never", "never", STOP },
		{ "force", "never", "always", STOP },
		{ "absent", "always", "?", OWN },
		{ "denied", "?", "?", "?", "?", "never", "absent", "denied" },
	};

	(void)state;
	check_table(tm_thp_effective_enabled, own, TM_ARRAY_SIZE(own), rows, TM_ARRAY_SIZE(rows));
	check_table(tm_thp_effective_shmem, own_shmem, TM_ARRAY_SIZE(own_shmem), rows_shmem,
		    TM_ARRAY_SIZE(rows_shmem));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_page_sizes), tree_test(test_top),
		tree_test(test_nothing),    tree_test(test_names),
		tree_test(test_counters),   cmocka_unit_test(test_effective),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
