/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words of the kernel's command line for huge pages. The wanted outcomes are those of the kernel's
 * parsers, reckoned by hand; tests/vm/mthp-*.t boots some of these lines.
 */
#include "tests/unit/tree.h"

#include "lib/model/thp-boot.h"

#define THP TM_THP_FOLDER
#define V(major, minor) ((major) << 16 | (minor) << 8)

/* 4K pages: 8K without an anonymous side, up to 2M. */
static int sizes_setup(void **state)
{
	struct tree *tree;

	tree_setup(state);
	tree = *state;
	for (long kib = 8; kib <= 2048; kib *= 2) {
		char path[128];

		snprintf(path, sizeof(path), THP "/hugepages-%ldkB/enabled", kib);
		if (kib > 8)
			tree_file(tree, path, "always inherit madvise [never]");
		snprintf(path, sizeof(path), THP "/hugepages-%ldkB/shmem_enabled", kib);
		tree_file(tree, path, "always inherit within_size advise [never]");
	}
	tree_file(tree, THP "/enabled", "always [madvise] never");
	tree_file(tree, THP "/shmem_enabled", "always within_size advise [never] deny force");
	tree_file(tree, THP "/hpage_pmd_size", "2097152");
	return 0;
}

#define sizes_test(function) cmocka_unit_test_setup_teardown(function, sizes_setup, tree_teardown)

static char fate_letter(enum tm_thp_fate fate)
{
	return fate == TM_THP_TAKEN ? 't' : fate == TM_THP_IGNORED ? 'i' : 'u';
}

/* "madvise/- 16K=always 2M=inherit | 64K=always": what is not "never" of both sides. */
static void outcome(const struct tm_thp_boot_state *state, struct tm_buf *text)
{
	tm_buf_addf(text, "%s/%s", state->enabled ? state->enabled : "-",
		    state->shmem ? state->shmem : "-");
	for (int side = 0; side < 2; side++) {
		if (side)
			tm_buf_adds(text, " |");
		for (size_t i = 0; i < state->nr_sizes; i++) {
			const char *word = side ? state->sizes[i].shmem : state->sizes[i].enabled;

			if (word && strcmp(word, "never") != 0)
				tm_buf_addf(text, " %ld=%s", state->sizes[i].kib, word);
		}
	}
}

struct sample {
	const char *line;
	const char *fates;  /* a letter for each word about huge pages */
	const char *wanted; /* as outcome() says it */
	const char *says;   /* in what is said of the last of them */
};

#define START " 2048=inherit | 2048=inherit"

static const struct sample samples[] = {
	{ "", "", "-/-" START, "" },
	{ "root=/dev/sda2 ro quiet hugepages=4 hugepagesz=2M", "", "-/-" START, "" },
	{ "transparent_hugepage=always", "t", "always/-" START, "inherit: always" },
	{ "transparent_hugepage=always transparent_hugepage=never", "tt", "never/-" START,
	  "never" },
	{ "transparent_hugepage=always transparent_hugepage=sometimes", "ti", "always/-" START,
	  "always, madvise or never" },
	{ "transparent_hugepage=advise", "i", "-/-" START, "no value" },
	{ "transparent_hugepage=", "i", "-/-" START, "no value" },
	/* Not the name with its '='. */
	{ "transparent_hugepage", "u", "-/-" START, "transparent_hugepage=VALUE" },
	{ "transparent_hugepages=always", "u", "-/-" START, "did you mean transparent_hugepage=" },
	{ "thp=always", "u", "-/-" START, "hands it to init" },
	{ "transparent-hugepage=never thp-anon=64K:always", "tt",
	  "never/- 64=always | 2048=inherit", "every size that is not named: never" },
	/* Per size: unnamed ones, the PMD size too, become never. */
	{ "thp_anon=64K:always", "t", "-/- 64=always | 2048=inherit", "64K: always" },
	{ "thp_anon=16K-64K,1M:madvise;2M:inherit", "t",
	  "-/- 16=madvise 32=madvise 64=madvise 1024=madvise 2048=inherit | 2048=inherit",
	  "16K-64K,1M: madvise; 2M: inherit" },
	{ "thp_anon=2M:never", "t", "-/- | 2048=inherit", "2M: never" },
	/* Words add up; the last counts for a size, also within one. */
	{ "thp_anon=64K:always thp_anon=2M:madvise", "tt",
	  "-/- 64=always 2048=madvise | 2048=inherit", "2M: madvise" },
	{ "thp_anon=16K-128K:always;64K:never", "t",
	  "-/- 16=always 32=always 128=always | 2048=inherit", "64K: never" },
	{ "thp_anon=64K:always thp_anon=64K:madvise", "tt", "-/- 64=madvise | 2048=inherit", "" },
	/* A bad one leaves an earlier one as it is. */
	{ "thp_anon=64K:always thp_anon=32K:always;48K:always", "ti",
	  "-/- 64=always | 2048=inherit", "'48K' is no power of two; the whole word is ignored" },
	{ "thp_anon=64K", "i", "-/-" START, "no ':'" },
	{ "thp_anon=64K:always;", "i", "-/-" START, "no ':'" },
	{ "thp_anon=", "i", "-/-" START, "no ':'" },
	{ "thp_anon=:always", "i", "-/-" START, "'' is no size" },
	{ "thp_anon=64K,:always", "i", "-/-" START, "'' is no size" },
	{ "thp_anon=64K:", "i", "-/-" START, "'' is no policy" },
	{ "thp_anon=64K:always:never", "i", "-/-" START, "'always:never' is no policy" },
	{ "thp_anon=64K:advise", "i", "-/-" START, "always, madvise, inherit or never" },
	{ "thp_anon=64K:Always", "i", "-/-" START, "no policy" },
	{ "thp_anon=64K-16K:always", "i", "-/-" START, "runs backwards" },
	{ "thp_anon=64K-:always", "i", "-/-" START, "'' is no size" },
	{ "thp_anon=-64K:always", "i", "-/-" START, "'' is no size" },
	{ "thp_anon=8K:always", "i", "-/-" START, "no size '8K' for anonymous" },
	{ "thp_anon=4M:always", "i", "-/-" START, "no size '4M'" },
	{ "thp_anon=4K:always", "i", "-/-" START, "no size '4K'" },
	{ "thp_anon=all:always", "i", "-/-" START, "'all' is no size" },
	/* The size is looked at before the policy. */
	{ "thp_anon=4M:sometimes", "i", "-/-" START, "no size '4M'" },
	/* memparse(): units in either case, what follows them is not looked at, bases, wrapping. */
	{ "thp_anon=64k:always", "t", "-/- 64=always | 2048=inherit", "" },
	{ "thp_anon=64KB:always", "t", "-/- 64=always | 2048=inherit", "" },
	{ "thp_anon=64Kpages-0x80000:always", "t",
	  "-/- 64=always 128=always 256=always 512=always | 2048=inherit", "64K-512K" },
	{ "thp_anon=65536:always", "t", "-/- 64=always | 2048=inherit", "" },
	{ "thp_anon=0100K:always", "t", "-/- 64=always | 2048=inherit", "" },
	{ "thp_anon=064K:always", "i", "-/-" START, "'064K' is no power of two" },
	{ "thp_anon=08K:always", "i", "-/-" START, "'08K' is no size" },
	{ "thp_anon=0xK:always", "i", "-/-" START, "'0xK' is no size" },
	{ "thp_anon=18446744073709617152:always", "t", "-/- 64=always | 2048=inherit", "" },
	{ "thp_anon=16K-64K-2M:always", "t", "-/- 16=always 32=always 64=always | 2048=inherit",
	  "16K-64K: always" },
	/* Quotes, blanks, and the end of the kernel's part. */
	{ "thp_anon=\"64K:always;2M:inherit\" x", "t", "-/- 64=always 2048=inherit | 2048=inherit",
	  "" },
	{ "\"thp_anon=64K:always\"", "t", "-/- 64=always | 2048=inherit", "" },
	{ "\t thp_anon=64K:always\n", "t", "-/- 64=always | 2048=inherit", "" },
	{ "\"thp_anon=64K: always\"", "i", "-/-" START, "' always' is no policy" },
	{ "x=\"transparent_hugepage=never\" y", "", "-/-" START, "" },
	{ "-- transparent_hugepage=never", "", "-/-" START, "" },
	{ "--=1 transparent_hugepage=never", "t", "never/-" START, "" },
	/* Shared memory. */
	{ "transparent_hugepage_shmem=within_size", "t", "-/within_size" START, "within_size" },
	{ "transparent_hugepage_shmem=inherit", "i", "-/-" START, "no value" },
	{ "transparent_hugepage_shmem=always transparent_hugepage_shmem=deny", "ti",
	  "-/never" START, "starts with never" },
	{ "transparent_hugepage_shmem=force", "i", "-/-" START, "unless thp_shmem=" },
	{ "thp_shmem=2M:inherit transparent_hugepage_shmem=force", "ti",
	  "-/never 2048=inherit | 2048=inherit", "starts with never" },
	{ "thp_shmem=1M-2M:inherit transparent_hugepage_shmem=force", "ti",
	  "-/- 2048=inherit | 1024=inherit 2048=inherit", "unless" },
	{ "thp_shmem=8K:advise,within_size", "i", "-/-" START, "no policy" },
	{ "thp_shmem=8K:advise;64K:within_size", "t", "-/- 2048=inherit | 8=advise 64=within_size",
	  "8K: advise; 64K: within_size" },
	{ "thp_shmem=64K:madvise", "i", "-/-" START, "advise, within_size" },
	{ "transparent_hugepage_tmpfs=within_size", "t", "-/-" START, "tmpfs" },
	{ "transparent_hugepage_tmpfs=deny", "i", "-/-" START, "no value" },
};

static void explain(const struct tm_thp_kernel *kernel, const struct sample *s)
{
	struct tm_buf text = TM_BUF_INIT, fates = TM_BUF_INIT;
	struct tm_thp_boot boot;
	struct tm_error err = { 0 };

	assert_int_equal(tm_thp_boot_explain(kernel, s->line, &boot, &err), 0);
	for (size_t i = 0; i < boot.nr; i++) {
		tm_buf_addc(&fates, fate_letter(boot.words[i].fate));
		assert_true(strlen(boot.words[i].says) > 0);
		assert_true(strlen(boot.words[i].word) > 0);
	}
	outcome(&boot.state, &text);
	if (strcmp(tm_buf_str(&fates), s->fates) || strcmp(tm_buf_str(&text), s->wanted) ||
	    (boot.nr && !strstr(boot.words[boot.nr - 1].says, s->says)))
		fail_msg("%s: '%s' %s, says '%s'", s->line, tm_buf_str(&fates), tm_buf_str(&text),
			 boot.nr ? boot.words[boot.nr - 1].says : "");
	tm_buf_release(&text);
	tm_buf_release(&fates);
	tm_thp_boot_release(&boot);
}

static void test_explain(void **state)
{
	const struct tree *tree = *state;
	struct tm_thp thp;
	struct tm_thp_kernel kernel = { &thp, V(7, 3), tm_num_known(UINT64_C(4) << 30) };

	assert_int_equal(tm_thp_read(&thp, &tree->root, NULL), 0);
	for (size_t i = 0; i < TM_ARRAY_SIZE(samples); i++)
		explain(&kernel, &samples[i]);
	tm_thp_release(&thp);
}

/* What the kernel's age and memory make of it. */
static void test_kernels(void **state)
{
	static const struct sample old = { "transparent_hugepage=always thp_anon=64K:always", "tu",
					   "always/-" START, "comes with Linux 6.12" };
	static const struct sample middle = { "thp_anon=64K:always thp_shmem=64K:always", "tu",
					      "-/- 64=always | 2048=inherit",
					      "comes with Linux 6.13" };
	static const struct sample little = { "transparent_hugepage=always", "t", "never/-" START,
					      "512 MiB" };
	const struct tree *tree = *state;
	struct tm_thp thp;
	struct tm_thp_kernel kernel = { &thp, V(6, 11), tm_num_none(TM_ABSENT) };

	assert_int_equal(tm_thp_read(&thp, &tree->root, NULL), 0);
	explain(&kernel, &old);
	kernel.version = V(6, 12);
	explain(&kernel, &middle);
	kernel.memory = tm_num_known((UINT64_C(512) << 20) - 1);
	explain(&kernel, &little);
	tm_thp_release(&thp);
}

/* A machine without sizes: those of its page size, or of 4K pages. */
static void test_assumed(void **state)
{
	static const struct sample four = { "thp_anon=16K,2M:always thp_anon=4M:always", "ti",
					    "-/- 16=always 2048=always | 2048=inherit", "4M" };
	static const struct sample sixteen = { "thp_anon=32M:always thp_anon=32K:always", "ti",
					       "-/- 32768=always | 32768=inherit", "32K" };
	static const struct sample none = { "transparent_hugepage=never thp_anon=16K:always", "tu",
					    "never/- |", "6.12" };
	struct tree *tree = *state;
	struct tm_thp thp;
	struct tm_thp_kernel kernel = { &thp, 0, tm_num_none(TM_ABSENT) };

	tree_remove(tree, THP);
	assert_int_equal(tm_thp_read(&thp, &tree->root, NULL), 0);
	explain(&kernel, &four);
	thp.page_bytes = 16384;
	explain(&kernel, &sixteen);
	kernel.version = V(6, 1);
	explain(&kernel, &none);
	tm_thp_release(&thp);
}

#define NEXT(words) words[next_random(&random, TM_ARRAY_SIZE(words))]

static size_t next_random(unsigned *random, size_t nr)
{
	*random = *random * 1103515245 + 12345;
	return (*random >> 16) % nr;
}

/* Every state that words can bring is brought, by the words that are made for it. */
static void test_make(void **state)
{
	static const char *const anon[] = { "always", "inherit", "madvise", "never" };
	static const char *const shmem[] = { "always", "inherit", "within_size", "advise",
					     "never" };
	static const char *const top[] = { "always", "madvise", "never" };
	static const char *const top_shmem[] = { "always", "within_size", "advise", "never" };
	const struct tree *tree = *state;
	struct tm_thp thp;
	struct tm_thp_kernel kernel = { &thp, V(6, 13), tm_num_known(UINT64_C(4) << 30) };
	unsigned random = 1;

	assert_int_equal(tm_thp_read(&thp, &tree->root, NULL), 0);
	for (int round = 0; round < 2000; round++) {
		struct tm_buf line = TM_BUF_INIT, notes = TM_BUF_INIT, is = TM_BUF_INIT,
			      wanted = TM_BUF_INIT;
		struct tm_thp_boot_state made;
		struct tm_thp_boot boot;

		assert_int_equal(tm_thp_boot_now(&thp, &made), 0);
		made.enabled = NEXT(top);
		made.shmem = NEXT(top_shmem);
		for (size_t i = 0; i < made.nr_sizes; i++) {
			if (made.sizes[i].enabled)
				made.sizes[i].enabled = round % 7 ? NEXT(anon) : "never";
			made.sizes[i].shmem = round % 11 ? NEXT(shmem) : "never";
		}
		tm_thp_boot_make(&kernel, &made, &line, &notes);
		assert_false(line.failed);
		assert_int_equal(notes.len, 0);
		assert_null(strchr(tm_buf_str(&line), ';'));
		assert_int_equal(tm_thp_boot_explain(&kernel, tm_buf_str(&line), &boot, NULL), 0);
		for (size_t i = 0; i < boot.nr; i++)
			assert_int_equal(boot.words[i].fate, TM_THP_TAKEN);
		outcome(&made, &wanted);
		outcome(&boot.state, &is);
		if (strcmp(tm_buf_str(&is), tm_buf_str(&wanted)) != 0)
			fail_msg("%s: %s, wanted %s", tm_buf_str(&line), tm_buf_str(&is),
				 tm_buf_str(&wanted));
		tm_thp_boot_release(&boot);
		tm_thp_boot_state_release(&made);
		tm_buf_release(&line);
		tm_buf_release(&notes);
		tm_buf_release(&is);
		tm_buf_release(&wanted);
	}
	tm_thp_release(&thp);
}

/* The words themselves, and what is said where there are none. */
static void test_make_words(void **state)
{
	static const struct {
		unsigned version;
		uint64_t memory;
		const char *shmem;
		const char *line, *notes;
	} cases[] = {
		{ V(6, 13), UINT64_C(4) << 30, "advise",
		  "transparent_hugepage=madvise thp_anon=16K-64K,2M:always thp_anon=256K:inherit "
		  "thp_shmem=8K:always thp_shmem=64K-128K:within_size "
		  "transparent_hugepage_shmem=advise",
		  "" },
		{ 0, UINT64_C(4) << 30, "force",
		  "transparent_hugepage=madvise thp_anon=16K-64K,2M:always thp_anon=256K:inherit "
		  "thp_shmem=8K:always thp_shmem=64K-128K:within_size "
		  "transparent_hugepage_shmem=never",
		  "top shmem: 'force' cannot be had at boot, the kernel starts with never\n" },
		{ V(6, 12), 1 << 20, "never",
		  "transparent_hugepage=madvise thp_anon=16K-64K,2M:always thp_anon=256K:inherit",
		  "top enabled: with less than 512 MiB of memory the kernel starts with never all "
		  "the same\n"
		  "shmem of the sizes: this kernel has no word for it, thp_shmem= comes with Linux "
		  "6.13\n" },
		{ V(6, 11), UINT64_C(4) << 30, "always", "transparent_hugepage=madvise",
		  "enabled of the sizes: this kernel has no word for it, thp_anon= comes with "
		  "Linux 6.12\n"
		  "shmem of the sizes: this kernel has no word for it, thp_shmem= comes with Linux "
		  "6.13\n"
		  "top shmem: this kernel has no word for it, transparent_hugepage_shmem= comes "
		  "with "
		  "Linux 6.13\n" },
	};
	const struct tree *tree = *state;
	struct tm_thp thp;

	assert_int_equal(tm_thp_read(&thp, &tree->root, NULL), 0);
	for (size_t c = 0; c < TM_ARRAY_SIZE(cases); c++) {
		struct tm_thp_kernel kernel = { &thp, cases[c].version,
						tm_num_known(cases[c].memory) };
		struct tm_buf line = TM_BUF_INIT, notes = TM_BUF_INIT;
		struct tm_thp_boot_state wanted;

		assert_int_equal(tm_thp_boot_now(&thp, &wanted), 0);
		wanted.shmem = cases[c].shmem;
		/* 8 16 32 64 128 256 512 1024 2048 */
		wanted.sizes[1].enabled = wanted.sizes[2].enabled = wanted.sizes[3].enabled =
			wanted.sizes[8].enabled = "always";
		wanted.sizes[5].enabled = "inherit";
		wanted.sizes[0].shmem = "always";
		wanted.sizes[3].shmem = wanted.sizes[4].shmem = "within_size";
		tm_thp_boot_make(&kernel, &wanted, &line, &notes);
		assert_string_equal(tm_buf_str(&line), cases[c].line);
		assert_string_equal(tm_buf_str(&notes), cases[c].notes);
		tm_thp_boot_state_release(&wanted);
		tm_buf_release(&line);
		tm_buf_release(&notes);
	}
	tm_thp_release(&thp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		sizes_test(test_explain), sizes_test(test_kernels),    sizes_test(test_assumed),
		sizes_test(test_make),	  sizes_test(test_make_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
