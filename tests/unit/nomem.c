/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every allocation fails once: the function says so, or has done without, and nothing leaks or
 * crashes. Sanitizers and valgrind bring an allocator of their own, so there it is skipped.
 */
#include "tests/unit/acpi-tables.h"
#include "tests/unit/machine.h"

#include <dlfcn.h>
#include <stdio.h>

#include "lib/json/build.h"
#include "lib/json/parse.h"
#include "lib/out/field.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED

int main(void)
{
	printf("1..0 # SKIP the sanitizer's allocator cannot be made to fail\n");
	return 0;
}

#else

static long calls; /* allocations since the count was set */
static long fail_at;
static long live; /* blocks that nobody has freed */

static bool fails(void)
{
	if (++calls != fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

static void *counted(void *block)
{
	live += block != NULL;
	return block;
}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* These take the place of libc's for the whole program, with all its libraries. */
void *malloc(size_t size)
{
	static void *(*real)(size_t);

	if (!real)
		*(void **)&real = next("malloc");
	return fails() ? NULL : counted(real(size));
}

void *calloc(size_t nr, size_t size)
{
	static void *(*real)(size_t, size_t);

	if (!real)
		*(void **)&real = next("calloc");
	return fails() ? NULL : counted(real(nr, size));
}

void *realloc(void *old, size_t size)
{
	static void *(*real)(void *, size_t);

	if (!real)
		*(void **)&real = next("realloc");
	if (fails())
		return NULL;
	return old ? real(old, size) : counted(real(old, size));
}

void free(void *block)
{
	static void (*real)(void *);

	if (!real)
		*(void **)&real = next("free");
	live -= block != NULL;
	real(block);
}

/*
 * Runs `once` with the n-th allocation failing, for every n until none fails any more. It returns 0
 * or -ENOMEM; `required` says that it cannot succeed without all its memory.
 */
static void try_all(int (*once)(const void *argument), const void *argument, bool required)
{
	for (long at = 1;; at++) {
		bool failed;
		long before;
		int rc;

		calls = 0;
		fail_at = at;
		before = live;
		rc = once(argument);
		failed = calls >= at;
		fail_at = 0;
		if (live != before)
			fail_msg("allocation %ld: %ld blocks are left", at, live - before);
		assert_true(at < 100000);
		if (rc && rc != -ENOMEM)
			fail_msg("allocation %ld: %d", at, rc);
		if (!failed) {
			assert_int_equal(rc, 0);
			assert_true(at > 1);
			return;
		}
		if (required && rc != -ENOMEM)
			fail_msg("allocation %ld failed and nobody noticed", at);
	}
}

static int use_buffer(const void *argument)
{
	struct tm_buf buf = TM_BUF_INIT;
	char *text;

	(void)argument;
	for (int i = 0; i < 200; i++)
		tm_buf_addf(&buf, "%d,", i);
	tm_buf_add_printable(&buf, "\x1b", 1);
	text = tm_buf_detach(&buf);
	free(text);
	return text ? 0 : -ENOMEM;
}

static int use_sets(const void *argument)
{
	struct tm_idset a = TM_IDSET_INIT, b = TM_IDSET_INIT, c = TM_IDSET_INIT;
	char *text = NULL;
	int rc = tm_idset_parse_list(&a, "0-3,700,5000");

	(void)argument;
	if (!rc)
		rc = tm_idset_parse_mask(&b, "ff,00000000,00000001");
	if (!rc)
		rc = tm_idset_copy(&c, &a);
	if (!rc && !(text = tm_idset_format(&c)))
		rc = -ENOMEM;
	if (!rc)
		assert_string_equal(text, "0-3,700,5000");
	free(text);
	tm_idset_release(&a);
	tm_idset_release(&b);
	tm_idset_release(&c);
	return rc;
}

static int build_json(const void *argument)
{
	struct tm_json *json = tm_json_new();
	struct tm_error err = { 0 };
	struct tm_idset set = TM_IDSET_INIT;
	char *text = NULL;
	int rc;

	(void)argument;
	if (!json)
		return -ENOMEM;
	tm_json_object(json, "o");
	tm_json_string(json, "s", "text\xff");
	tm_json_array(json, "a");
	tm_json_u64(json, NULL, 1);
	tm_json_bool(json, NULL, true);
	tm_json_double(json, NULL, 0.5);
	tm_json_end(json);
	tm_json_num(json, "n", tm_num_none(TM_DENIED));
	tm_json_idset(json, "set", &set);
	tm_json_end(json);
	rc = tm_json_print(json, false, &text, &err);
	free(text);
	tm_json_free(json);
	return rc;
}

static int parse_json(const void *argument)
{
	static const char text[] = "{\"a\":[1,2.5,\"x\",null,true,{}],\"b\":{\"c\":\"\\u00e9\"}}";
	struct tm_jdoc *doc = NULL;
	struct tm_error err = { 0 };
	int rc = tm_jdoc_parse("x", text, strlen(text), &doc, &err);

	(void)argument;
	tm_jdoc_free(doc);
	/* cJSON does not say whether it was the memory or the text. */
	return rc == -EINVAL ? -ENOMEM : rc;
}

static int read_root(const void *argument)
{
	const struct tree *tree = argument;
	struct tm_buf text = TM_BUF_INIT;
	struct tm_root root;
	int rc = tm_root_open(&root, tree->path, NULL);

	if (rc)
		return rc;
	rc = tm_root_read(&root, "proc/zoneinfo", 1 << 20, &text);
	tm_buf_release(&text);
	tm_root_close(&root);
	return rc;
}

static int read_machine(const void *argument)
{
	const struct tree *tree = argument;
	struct tm_problems problems = { 0 };
	struct tm_error err = { 0 };
	struct tm_machine m;
	int rc = tm_machine_read(&m, &tree->root, NULL, &err);

	if (rc) {
		assert_int_equal(err.number, ENOMEM);
		return rc;
	}
	rc = tm_problems_find(&m, &problems, &err);
	tm_problems_release(&problems);
	tm_machine_release(&m);
	return rc;
}

static int load_tables(const void *argument)
{
	const struct tree *tree = argument;
	struct tm_error err = { 0 };
	struct tm_acpi acpi;
	int rc = tm_acpi_load(&tree->root, &acpi, &err);

	if (rc) {
		assert_int_equal(err.number, ENOMEM);
		return rc;
	}
	/* A table that was there and is not now would pass for one that the firmware lacks. */
	assert_int_equal(acpi.nr, 6);
	for (int i = 0; i < TM_ACPI_NR_SIGNATURES; i++)
		assert_int_equal(acpi.state[i], TM_KNOWN);
	assert_true(acpi.findings.nr > 0);
	tm_acpi_release(&acpi);
	return 0;
}

static void put_table(const struct tree *tree, const char *path, const struct bytes *b)
{
	tree_bytes(tree, path, b->data, b->size);
}

static void test_buffer(void **state)
{
	(void)state;
	try_all(use_buffer, NULL, true);
}

static void test_sets(void **state)
{
	(void)state;
	try_all(use_sets, NULL, true);
}

static void test_json(void **state)
{
	(void)state;
	/* cJSON makes its output smaller at the end, and does without where it cannot. */
	try_all(build_json, NULL, false);
	try_all(parse_json, NULL, true);
}

static void test_root(void **state)
{
	try_all(read_root, *state, true);
}

/* An attribute that could not be read for want of memory is malformed, not a failure of all. */
static void test_machine(void **state)
{
	const struct tree *tree = *state;

	/* Fewer devices: each allocation is a whole reading. */
	tree_remove(tree, NODE "/node1");
	tree_remove(tree, NODE "/node0/access0");
	tree_remove(tree, PORT1 "/decoder1.0");
	tree_remove(tree, CXL "/decoder1.0");
	/* Something to complain of. */
	tree_file(tree, NODE "/node0/distance", "10 14 20");
	try_all(read_machine, tree, false);
}

static void test_tables(void **state)
{
	const struct tree *tree = *state;
	struct bytes b = { .size = 0 };

	sample_hmat(&b, 2);
	/* A finding needs memory too. */
	b.data[9]++;
	put_table(tree, "sys/firmware/acpi/tables/HMAT", &b);
	sample_srat(&b, 3);
	put_table(tree, "sys/firmware/acpi/tables/SRAT", &b);
	sample_slit(&b);
	put_table(tree, "sys/firmware/acpi/tables/SLIT", &b);
	sample_cedt(&b);
	put_table(tree, "sys/firmware/acpi/tables/CEDT", &b);
	sample_cdat(&b);
	put_table(tree, CXL "/endpoint2/CDAT", &b);
	put_table(tree, CXL "/port1/CDAT", &b);
	try_all(load_tables, tree, true);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buffer), cmocka_unit_test(test_sets),
		cmocka_unit_test(test_json),   expander_test(test_root),
		expander_test(test_machine),   expander_test(test_tables),
	};

	/* Valgrind replaces malloc wherever it finds one; volatile, or the compiler needs none. */
	void *volatile block = malloc(1);

	free(block);
	if (!calls) {
		printf("1..0 # SKIP malloc cannot be made to fail here\n");
		return 0;
	}
	return cmocka_run_group_tests_name("nomem", tests, NULL, NULL);
}

#endif
