/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/sys/attr.h"
#include "lib/sys/record.h"

/* All entries as text, one a line: "path/", "path -> target", "path = content". */
static char *recorded(const struct tm_recorder *rec)
{
	struct tm_buf buf = TM_BUF_INIT;
	struct tm_error err = { 0 };
	struct tm_entry **list;

	assert_int_equal(tm_recorder_list(rec, &list, &err), 0);
	for (size_t i = 0; i < rec->nr; i++) {
		const struct tm_entry *e = list[i];

		if (i)
			assert_true(strcmp(list[i - 1]->path, e->path) < 0);
		assert_null(tm_entry_path_fault(e->path));
		tm_buf_adds(&buf, e->path);
		if (e->kind == TM_ENTRY_FOLDER)
			tm_buf_addc(&buf, '/');
		if (e->kind == TM_ENTRY_LINK) {
			assert_null(tm_entry_link_fault(e->path, e->data));
			tm_buf_addf(&buf, " -> %s", e->data);
		}
		if (e->denied)
			tm_buf_adds(&buf, " denied");
		else if (e->write_only)
			tm_buf_adds(&buf, " write-only");
		else if (e->kind == TM_ENTRY_FILE && e->size > 100)
			tm_buf_addf(&buf, " %zu bytes", e->size);
		else if (e->kind == TM_ENTRY_FILE) {
			tm_buf_adds(&buf, " = ");
			tm_buf_add_printable(&buf, e->data, e->size);
		}
		tm_buf_addc(&buf, '\n');
	}
	free(list);
	assert_false(buf.failed);
	return tm_buf_detach(&buf);
}

#define assert_recorded(rec, wanted)                \
	do {                                        \
		char *text_ = recorded(rec);        \
		assert_string_equal(text_, wanted); \
		free(text_);                        \
	} while (0)

/* As readers do: through the recorder's root. */
static int read_attr(struct tm_recorder *rec, const char *path)
{
	struct tm_buf text = TM_BUF_INIT;
	int rc = tm_attr_read(&rec->root, path, &text);

	tm_buf_release(&text);
	return rc;
}

static int read_file(struct tm_recorder *rec, const char *path)
{
	struct tm_buf text = TM_BUF_INIT;
	int rc = tm_root_read(&rec->root, path, TM_ATTR_MAX, &text);

	tm_buf_release(&text);
	return rc;
}

static int list(struct tm_recorder *rec, const char *path)
{
	struct tm_scan scan;
	int rc = tm_scan_open(&rec->root, path, &scan);

	if (rc)
		return rc;
	while (tm_scan_next(&scan))
		;
	tm_scan_close(&scan);
	return 0;
}

static void test_files(void **state)
{
	struct tree *tree = *state;
	struct tm_recorder rec;

	tree_file(tree, "sys/a/read", "1");
	tree_file(tree, "sys/a/other", "2");
	tree_bytes(tree, "sys/a/empty", "", 0);
	tree_bytes(tree, "proc/bytes", "a\0\n", 3);
	tm_recorder_init(&rec, &tree->root);
	assert_recorded(&rec, "");
	assert_int_equal(read_attr(&rec, "sys/a/read"), 0);
	assert_int_equal(read_attr(&rec, "sys/a/read"), 0);
	assert_int_equal(read_file(&rec, "sys/a/empty"), 0);
	assert_int_equal(read_file(&rec, "proc//./bytes"), 0);
	assert_int_equal(read_file(&rec, "sys/a/none"), -ENOENT);
	assert_int_equal(read_file(&rec, "sys/none/none"), -ENOENT);
	assert_int_equal(read_file(&rec, "sys/a/read/none"), -ENOTDIR);
	assert_recorded(&rec, "proc/\n"
			      "proc/bytes = a\\x00\\x0a\n"
			      "sys/\n"
			      "sys/a/\n"
			      "sys/a/empty = \n"
			      "sys/a/read = 1\\x0a\n");
	assert_int_equal(rec.nr_files, 3);
	assert_non_null(tm_recorder_find(&rec, "sys/a/read"));
	assert_null(tm_recorder_find(&rec, "sys/a/other"));
	tm_recorder_release(&rec);
}

static void test_links(void **state)
{
	struct tree *tree = *state;
	struct tm_recorder rec;
	char target[TM_PATH_MAX];

	tree_file(tree, "sys/devices/x/y/value", "7");
	tree_link(tree, "sys/bus/y", "../devices/x/y");
	tree_link(tree, "sys/bus/class", "../class/first");
	tree_link(tree, "sys/class/first", "/sys/bus/y");
	tree_link(tree, "sys/devices/x/y/driver", "../../../../sys/drivers/kmem");
	tree_link(tree, "sys/bus/up", "../../../../../sys/bus/y/.");
	tree_link(tree, "sys/bus/loop", "loop");
	tree_link(tree, "sys/bus/etc", "/etc/passwd");
	tree_link(tree, "sys/bus/top", "/");
	tree_link(tree, "sys/bus/unread", "y");
	tm_recorder_init(&rec, &tree->root);
	assert_int_equal(read_attr(&rec, "sys/bus/class/value"), 0);
	assert_int_equal(read_attr(&rec, "sys/bus/up/value"), 0);
	assert_int_equal(read_attr(&rec, "sys/bus/y/../../x/../none"), -ENOENT);
	assert_int_equal(read_attr(&rec, "sys/bus/loop"), -ELOOP);
	assert_int_equal(read_attr(&rec, "sys/bus/etc"), -ENOENT);
	assert_int_equal(read_attr(&rec, "sys/bus/top/sys/bus/y/value"), 0);
	assert_int_equal(tm_root_readlink(&rec.root, "sys/bus/y/driver", target), 0);
	/* Links lead where they did, but never out of the root, and are relative. */
	assert_recorded(&rec, "sys/\n"
			      "sys/bus/\n"
			      "sys/bus/class -> ../class/first\n"
			      "sys/bus/etc -> ../../etc/passwd\n"
			      "sys/bus/loop -> loop\n"
			      "sys/bus/top -> ../..\n"
			      "sys/bus/up -> ../../sys/bus/y\n"
			      "sys/bus/y -> ../devices/x/y\n"
			      "sys/class/\n"
			      "sys/class/first -> ../../sys/bus/y\n"
			      "sys/devices/\n"
			      "sys/devices/x/\n"
			      "sys/devices/x/y/\n"
			      "sys/devices/x/y/driver -> ../../../../sys/drivers/kmem\n"
			      "sys/devices/x/y/value = 7\\x0a\n");
	tm_recorder_release(&rec);
}

static void test_listed(void **state)
{
	struct tree *tree = *state;
	struct tm_recorder rec;

	tree_file(tree, "sys/node/node0/meminfo", "m");
	tree_file(tree, "sys/node/node0/below/unread", "u");
	tree_link(tree, "sys/node/node0/cpu0", "../../cpu/cpu0");
	tree_file(tree, "sys/node/node0/compact", "never");
	tree_mode(tree, "sys/node/node0/compact", 0200);
	tree_file(tree, "sys/node/node0/uevent", "never");
	tree_file(tree, "sys/node/node0/line\nbreak", "never");
	tree_fifo(tree, "sys/node/node0/pipe");
	tree_link(tree, "sys/again", "node/node0");
	tm_recorder_init(&rec, &tree->root);
	assert_int_equal(list(&rec, "sys/again"), 0);
	assert_int_equal(list(&rec, "sys/node/node0"), 0);
	assert_int_equal(list(&rec, "sys/none"), -ENOENT);
	assert_int_equal(list(&rec, "sys/node/node0/meminfo"), -ENOTDIR);
	assert_recorded(&rec, "sys/\n"
			      "sys/again -> node/node0\n"
			      "sys/node/\n"
			      "sys/node/node0/\n"
			      "sys/node/node0/below/\n"
			      "sys/node/node0/compact write-only\n"
			      "sys/node/node0/cpu0 -> ../../cpu/cpu0\n"
			      "sys/node/node0/meminfo = m\\x0a\n"
			      "sys/node/node0/pipe = \\x00EINVAL\\x0a\n");
	tm_recorder_release(&rec);
}

/* An I/O in which some things fail, and which knows what was opened for reading. */
struct faulty {
	const char *closed; /* folder that may not be searched */
	const char *broken; /* file that cannot be read … */
	int number;	    /* … with this error */
	bool broken_fd[256];
	int opened_shunned;
};

static int faulty_open(void *context, int root_fd, const char *path, int flags, mode_t mode)
{
	struct faulty *f = context;
	size_t len = f->closed ? strlen(f->closed) : 0;
	int fd;

	if (len && !strncmp(path, f->closed, len) && path[len] == '/')
		return -EACCES;
	if (!(flags & O_PATH) && (strstr(path, "uevent") || strstr(path, "flush")))
		f->opened_shunned++;
	fd = tm_io_system.open(NULL, root_fd, path, flags, mode);
	if (fd >= 0 && f->broken && !strcmp(path, f->broken) && !(flags & O_PATH))
		f->broken_fd[fd] = true;
	return fd;
}

static ssize_t faulty_read(void *context, int fd, void *data, size_t size)
{
	struct faulty *f = context;

	return f->broken_fd[fd] ? -f->number : tm_io_system.read(NULL, fd, data, size);
}

static int faulty_close(void *context, int fd)
{
	struct faulty *f = context;

	f->broken_fd[fd] = false;
	return tm_io_system.close(NULL, fd);
}

static const struct tm_io faulty_io = {
	.open = faulty_open,
	.read = faulty_read,
	.close = faulty_close,
};

static void test_denied(void **state)
{
	struct faulty faulty = { .closed = "sys/closed" };
	struct tree *tree = *state;
	struct tm_recorder rec;

	tree_file(tree, "sys/secret", "never");
	tree_mode(tree, "sys/secret", 0000);
	tree_file(tree, "sys/folder/inside", "i");
	tree_mode(tree, "sys/folder", 0111);
	tree_file(tree, "sys/closed/a/b", "never");
	tree->root.io = &faulty_io;
	tree->root.io_context = &faulty;
	tm_recorder_init(&rec, &tree->root);
	assert_int_equal(read_file(&rec, "sys/secret"), -EACCES);
	assert_int_equal(read_attr(&rec, "sys/secret"), -EACCES);
	assert_int_equal(list(&rec, "sys/folder"), -EACCES);
	assert_int_equal(read_attr(&rec, "sys/folder/inside"), 0);
	assert_int_equal(read_attr(&rec, "sys/closed/a/b"), -EACCES);
	assert_int_equal(list(&rec, "sys/closed/c/d"), -EACCES);
	/* "not there" and "may not be known" are kept apart. */
	assert_int_equal(read_attr(&rec, "sys/none"), -ENOENT);
	assert_recorded(&rec, "sys/\n"
			      "sys/closed/\n"
			      "sys/closed/a/\n"
			      "sys/closed/a/b denied\n"
			      "sys/closed/c/\n"
			      "sys/closed/c/d/ denied\n"
			      "sys/folder/ denied\n"
			      "sys/folder/inside = i\\x0a\n"
			      "sys/secret denied\n");
	tree_mode(tree, "sys/folder", 0755);
	tm_recorder_release(&rec);
}

static void test_unreadable(void **state)
{
	static const struct {
		int number;
		const char *wanted;
	} cases[] = {
		{ ENXIO, "sys/\nsys/bad = \\x00ENXIO\\x0a\n" },
		{ EIO, "sys/\nsys/bad = \\x00EIO\\x0a\n" },
		{ EPERM, "sys/\nsys/bad denied\n" },
		{ ENOENT, "sys/\n" }, /* it has just gone */
	};
	struct tree *tree = *state;

	tree_file(tree, "sys/bad", "never");
	tree->root.io = &faulty_io;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct faulty faulty = { .broken = "sys/bad" };
		struct tm_recorder rec;

		faulty.number = cases[i].number;
		tree->root.io_context = &faulty;
		tm_recorder_init(&rec, &tree->root);
		assert_int_equal(read_file(&rec, "sys/bad"), -cases[i].number);
		assert_recorded(&rec, cases[i].wanted);
		tm_recorder_release(&rec);
	}
}

static void test_no_memory(void **state)
{
	struct faulty faulty = { .broken = "sys/bad", .number = ENOMEM };
	struct tm_error err = { 0 };
	struct tree *tree = *state;
	struct tm_entry **entries;
	struct tm_recorder rec;

	tree_file(tree, "sys/bad", "never");
	tree_file(tree, "sys/good", "1");
	tree->root.io = &faulty_io;
	tree->root.io_context = &faulty;
	tm_recorder_init(&rec, &tree->root);
	read_file(&rec, "sys/bad");
	read_file(&rec, "sys/good");
	assert_int_equal(tm_recorder_list(&rec, &entries, &err), -ENOMEM);
	assert_string_not_equal(err.text, "");
	tm_recorder_release(&rec);
}

/* What starts something is not even opened for reading. */
static void test_shunned(void **state)
{
	struct faulty faulty = { 0 };
	struct tree *tree = *state;
	struct tm_recorder rec;
	int fd;

	tree_file(tree, "sys/cxl/flush", "never");
	tree_file(tree, "sys/cxl/sub/uevent", "never");
	tree_file(tree, "sys/cxl/sub/size", "1");
	tree->root.io = &faulty_io;
	tree->root.io_context = &faulty;
	tm_recorder_init(&rec, &tree->root);
	assert_int_equal(list(&rec, "sys/cxl"), 0);
	tm_recorder_glob(&rec, "sys/cxl/**");
	tm_recorder_glob(&rec, "sys/*/fl*");
	assert_recorded(&rec, "sys/\nsys/cxl/\nsys/cxl/sub/\nsys/cxl/sub/size = 1\\x0a\n");
	/* Somebody asks whether it is there. */
	fd = tm_root_openat(&rec.root, "sys/cxl/flush", O_PATH, 0);
	assert_true(fd >= 0);
	close(fd);
	assert_true(tm_recorder_find(&rec, "sys/cxl/flush")->write_only);
	assert_int_equal(faulty.opened_shunned, 0);
	tm_recorder_release(&rec);
}

/* A file that is too large for its reader is so again when it is replayed. */
static void test_large(void **state)
{
	static const size_t sizes[] = { TM_ATTR_MAX - 1, TM_ATTR_MAX, TM_ATTR_MAX + 1,
					2 * TM_ATTR_MAX };
	char *data = calloc(1, 2 * TM_ATTR_MAX);
	struct tree *tree = *state;

	assert_non_null(data);
	memset(data, '1', 2 * TM_ATTR_MAX);
	for (size_t i = 0; i < TM_ARRAY_SIZE(sizes); i++) {
		struct tm_recorder rec;

		tree_bytes(tree, "sys/large", data, sizes[i]);
		tree_bytes(tree, "proc/large", data, sizes[i]);
		tm_recorder_init(&rec, &tree->root);
		assert_int_equal(read_attr(&rec, "sys/large"), sizes[i] > TM_ATTR_MAX ? -EFBIG : 0);
		read_file(&rec, "proc/large");
		assert_int_equal(tm_recorder_find(&rec, "sys/large")->size,
				 TM_MIN(sizes[i], (size_t)TM_ATTR_MAX + 1));
		assert_int_equal(tm_recorder_find(&rec, "proc/large")->size, sizes[i]);
		tm_recorder_release(&rec);
	}
	free(data);
}

static void test_glob(void **state)
{
	struct tree *tree = *state;
	struct tm_recorder rec;

	tree_file(tree, "sys/real/endpoint1/CDAT", "1");
	tree_file(tree, "sys/real/endpoint1/size", "never");
	tree_link(tree, "sys/bus/endpoint1", "../real/endpoint1");
	tree_file(tree, "sys/bus/endpoint20/CDAT", "20");
	tree_file(tree, "sys/bus/port3/CDAT", "never");
	tree_file(tree, "sys/mm/x/y/z", "z");
	tree_file(tree, "sys/mm/a", "a");
	tree_link(tree, "sys/mm/x/up", "..");
	tree_link(tree, "sys/kernel", "mm");
	tree_file(tree, "proc/one", "1");
	tree_file(tree, "proc/only", "never");
	tm_recorder_init(&rec, &tree->root);
	tm_recorder_glob(&rec, "sys/bus/endpoint*/CDAT");
	tm_recorder_glob(&rec, "sys/bus/none*/CDAT");
	tm_recorder_glob(&rec, "sys/none/*/x");
	tm_recorder_glob(&rec, "sys/kernel/**");
	tm_recorder_glob(&rec, "proc/o?e");
	tm_recorder_glob(&rec, "proc/none");
	assert_recorded(&rec, "proc/\n"
			      "proc/one = 1\\x0a\n"
			      "sys/\n"
			      "sys/bus/\n"
			      "sys/bus/endpoint1 -> ../real/endpoint1\n"
			      "sys/bus/endpoint20/\n"
			      "sys/bus/endpoint20/CDAT = 20\\x0a\n"
			      "sys/kernel -> mm\n"
			      "sys/mm/\n"
			      "sys/mm/a = a\\x0a\n"
			      "sys/mm/x/\n"
			      "sys/mm/x/up -> ..\n"
			      "sys/mm/x/y/\n"
			      "sys/mm/x/y/z = z\\x0a\n"
			      "sys/real/\n"
			      "sys/real/endpoint1/\n"
			      "sys/real/endpoint1/CDAT = 1\\x0a\n");
	tm_recorder_release(&rec);
}

static void count(void *context, size_t files)
{
	size_t *last = context;

	assert_int_equal(files, *last + 1);
	*last = files;
}

static void test_add(void **state)
{
	struct tree *tree = *state;
	struct tm_recorder rec;
	size_t files = 0;

	tree_file(tree, "sys/a", "1");
	tm_recorder_init(&rec, &tree->root);
	rec.progress = count;
	rec.progress_context = &files;
	read_attr(&rec, "sys/a");
	tm_recorder_add(&rec, "document", "{}", 2);
	tm_recorder_add(&rec, "document", "[1]", 3);
	assert_int_equal(files, 2);
	assert_recorded(&rec, "document = [1]\nsys/\nsys/a = 1\\x0a\n");
	tm_recorder_release(&rec);
	tm_recorder_release(&rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_files),	 tree_test(test_links),	     tree_test(test_listed),
		tree_test(test_denied),	 tree_test(test_unreadable), tree_test(test_no_memory),
		tree_test(test_shunned), tree_test(test_large),	     tree_test(test_glob),
		tree_test(test_add),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
