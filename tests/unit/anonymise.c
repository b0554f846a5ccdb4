/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/base/buf.h"
#include "lib/sys/anonymise.h"

struct file {
	const char *path, *text;
	const char *wanted; /* NULL: as it was */
};

static struct tm_entry *entry_of(const char *path, const void *data, size_t size)
{
	struct tm_entry *e = calloc(1, sizeof(*e));

	assert_non_null(e);
	*e = (struct tm_entry){ strdup(path), TM_ENTRY_FILE, false, false, malloc(size + 1), size };
	assert_non_null(e->data);
	memcpy(e->data, data, size);
	e->data[size] = '\0';
	return e;
}

static void free_entry(struct tm_entry *e)
{
	free(e->path);
	free(e->data);
	free(e);
}

static void check(const struct file *files, size_t nr)
{
	struct tm_entry **list = calloc(nr, sizeof(*list));
	struct tm_error err = { 0 };

	assert_non_null(list);
	for (size_t i = 0; i < nr; i++)
		list[i] = entry_of(files[i].path, files[i].text, strlen(files[i].text));
	assert_int_equal(tm_anonymise(list, nr, &err), 0);
	for (size_t i = 0; i < nr; i++) {
		assert_string_equal(list[i]->path, files[i].path);
		assert_string_equal(list[i]->data,
				    files[i].wanted ? files[i].wanted : files[i].text);
		assert_int_equal(list[i]->size, strlen(list[i]->data));
		free_entry(list[i]);
	}
	free(list);
}

#define HOST "proc/sys/kernel/hostname"

static void test_forms(void **state)
{
	static const struct file files[] = {
		{ "sys/a/boot_id", "3F2504E0-4f89-41d3-9a0c-0305e82c3301\n",
		  "00000000-0000-4000-8000-000000000001\n" },
		/* The same again, in another case and among other things; and another. */
		{ "sys/a/list",
		  "x=3f2504e0-4f89-41d3-9a0c-0305e82c3301,a23e4567-e89b-12d3-a456-426614174000;",
		  "x=00000000-0000-4000-8000-000000000001,00000000-0000-4000-8000-000000000002;" },
		{ "sys/a/null", "00000000-0000-0000-0000-000000000000\n", NULL },
		{ "sys/a/no-uuid",
		  "3f2504e0-4f89-41d3-9a0c-0305e82c33011 3f2504e0-4f89-41d3-9a0c\n", NULL },
		{ "sys/a/address", "AA:bb:cc:00:11:22\n", "02:00:00:00:00:03\n" },
		{ "sys/a/addresses", "BOOTIF=01-aa-bb-cc-00-11-22 x de:ad:be:ef:00:11:22:33",
		  "BOOTIF=02-00-00-00-00-00-04 x 02:00:00:00:00:00:00:05" },
		/* What looks a little like it: PCI addresses, times, masks, ranges of memory. */
		{ "sys/a/pci", "0000:36:00.0 12:34:56 aa:bb:cc:dd:ee aa:bb:cc-dd:ee:ff\n", NULL },
		{ "sys/a/mask", "ff,ffffffff,00ff00ff\n", NULL },
		{ "proc/iomem", "00000000-00000fff : Reserved\n00100000-bfffffff : System RAM\n",
		  NULL },
		{ "sys/a/dump", "00 01 02 03 04 05 06 07 08\n", NULL },
		{ "sys/a/end", "aa:bb:cc:00:11:2", NULL },
		{ "sys/a/short", "a", NULL },
		{ "sys/a/empty", "", NULL },
	};

	(void)state;
	check(files, TM_ARRAY_SIZE(files));
}

static void test_serials(void **state)
{
	static const struct file files[] = {
		{ "sys/mem0/serial", "0x123456789abc\n", "0x1\n" },
		{ "sys/mem1/serial", "0xdef\n", "0x2\n" },
		{ "sys/mem2/serial", "0x123456789ABC\n", "0x1\n" },
		{ "sys/mem3/serial", "0x0\n", NULL },
		{ "sys/mem4/serial", "\n", NULL },
		{ "sys/cpu0/ppin", "0x77\n", "0x3\n" },
		{ "sys/dimm/serial", "S3X-99\n", "anonymous-4\n" },
		{ "sys/dimm/serial_number", "00c0ffee", "5\n" },
		{ "sys/mem0/size", "0x123456789abc\n", NULL },
		{ "sys/serial/size", "0xdef\n", NULL },
	};

	(void)state;
	check(files, TM_ARRAY_SIZE(files));
}

static void test_host(void **state)
{
	static const struct file full[] = {
		{ "proc/cmdline",
		  "ip=::::db-7.example.org:eth0 root=/dev/db-7 x=mydb-7 DB-7 db-70\n",
		  "ip=::::anonymous:eth0 root=/dev/anonymous x=mydb-7 anonymous db-70\n" },
		{ HOST, "db-7.example.org\n", "anonymous\n" },
		{ "proc/version", "Linux version 6.1 (root@db-7) #1\n",
		  "Linux version 6.1 (root@anonymous) #1\n" },
		/* The kernel's own words stay. */
		{ "sys/a", "db-7\n", NULL },
	};
	static const struct file plain[] = {
		{ HOST, "node0\n", "anonymous\n" },
		{ "sys/node", "node0 node1\n", NULL },
	};
	static const struct file none[] = {
		{ "proc/cmdline", "quiet\n", NULL },
		{ HOST, "\n", NULL },
	};
	static const struct file dot[] = { { HOST, ".x\n", "anonymous\n" },
					   { "proc/cmdline", "a.b\n", NULL } };

	(void)state;
	check(full, TM_ARRAY_SIZE(full));
	check(plain, TM_ARRAY_SIZE(plain));
	check(none, TM_ARRAY_SIZE(none));
	check(dot, TM_ARRAY_SIZE(dot));
}

/* Tables are not text, and what has no content has nothing to hide. */
static void test_others(void **state)
{
	static const char table[] = "SRAT\0 3f2504e0-4f89-41d3-9a0c-0305e82c3301";
	struct tm_entry *list[] = {
		entry_of("sys/firmware/acpi/tables/SRAT", table, sizeof(table)),
		&(struct tm_entry){ .path = (char *)"sys/denied/serial",
				    .denied = true,
				    .kind = TM_ENTRY_FILE },
		&(struct tm_entry){ .path = (char *)"sys/folder", .kind = TM_ENTRY_FOLDER },
		&(struct tm_entry){ .path = (char *)"sys/link",
				    .kind = TM_ENTRY_LINK,
				    .data = (char *)"aa:bb:cc:00:11:22",
				    .size = 17 },
	};
	struct tm_error err = { 0 };

	(void)state;
	assert_int_equal(tm_anonymise(list, TM_ARRAY_SIZE(list), &err), 0);
	assert_memory_equal(list[0]->data, table, sizeof(table));
	assert_null(list[1]->data);
	free_entry(list[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_serials),
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
