/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests of plans: a tree with a few settings, and a tm_io that fails, dies, or lets somebody
 * else write, at the n-th call that could matter (reading and closing aside), and a kernel of our
 * own.
 */
#ifndef TESTS_UNIT_PLAN_H
#define TESTS_UNIT_PLAN_H

#include "tests/unit/tree.h"

#include <sys/wait.h>

#include "lib/plan/change.h"
#include "lib/plan/journal.h"
#include "lib/plan/plan.h"

#define W "sys/kernel/mm/mempolicy/weighted_interleave"

enum op { OP_NONE, OP_OPEN, OP_WRITE, OP_TRUNCATE, OP_SYNC, OP_RENAME, OP_UNLINK, OP_MKDIR };

struct faults {
	int at;		  /* the call at which something happens, from 1; 0: none */
	int error;	  /* it fails so; 0: it does not */
	bool brief;	  /* it writes one byte less */
	bool onwards;	  /* and so do all after it */
	int die;	  /* 1: ends the process before it, 2: after it */
	int unlink_error; /* removing a file fails so, always */
	enum op only;	  /* calls of this kind alone are counted */
	void (*before)(struct faults *f);
	/* After a write to a setting that succeeded: what the kernel makes of it. */
	void (*kernel)(struct faults *f, const char *path);
	/* Before a write to a setting: the errno with which the kernel refuses it, or 0. */
	int (*refuse)(struct faults *f, const char *path);

	const struct tree *tree;
	int count, writes;
	bool happened;
	/* What was written or renamed in the state folder and is not on the disk yet. */
	bool file_unsynced, folder_unsynced;
	bool journalled, begun; /* a journal, a setting was written */
	bool early; /* the first setting was written before the journal was on the disk */
};

/* What is to happen to this call. */
static inline bool fault_now(struct faults *f, enum op op)
{
	if (f->only && op != f->only)
		return false;
	f->count++;
	if (!f->at || (f->onwards ? f->count < f->at : f->count != f->at))
		return false;
	f->happened = true;
	if (f->before)
		f->before(f);
	if (f->die == 1)
		_exit(9);
	return true;
}

#define FAULTY(op, call)                     \
	do {                                 \
		bool now = fault_now(f, op); \
		int result;                  \
		if (now && f->error)         \
			return -f->error;    \
		result = call;               \
		if (now && f->die == 2)      \
			_exit(9);            \
		return result;               \
	} while (0)

static inline int faulty_open(void *context, int fd, const char *path, int flags, mode_t mode)
{
	struct faults *f = context;

	if (flags & O_PATH)
		return tm_io_system.open(NULL, fd, path, flags, mode);
	FAULTY(OP_OPEN, tm_io_system.open(NULL, fd, path, flags, mode));
}

static inline ssize_t faulty_read(void *context, int fd, void *data, size_t size)
{
	(void)context;
	return tm_io_system.read(NULL, fd, data, size);
}

static inline int faulty_close(void *context, int fd)
{
	(void)context;
	return tm_io_system.close(NULL, fd);
}

static inline ssize_t faulty_write(void *context, int fd, const void *data, size_t size)
{
	struct faults *f = context;
	bool now = fault_now(f, OP_WRITE), setting;
	char name[64], path[PATH_MAX];
	const char *below;
	ssize_t n, len;

	f->writes++;
	if (now && f->error)
		return -f->error;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	len = readlink(name, path, sizeof(path) - 1);
	assert_true(len > 0);
	path[len] = '\0';
	below = path + strlen(f->tree->path) + 1;
	setting = strstr(path, "/sys/") != NULL;
	if (!setting)
		f->file_unsynced = f->journalled = true;
	else if (!f->begun)
		f->early = f->file_unsynced || f->folder_unsynced || !f->journalled;
	f->begun |= setting;
	if (f->refuse && setting && f->refuse(f, below))
		return -f->refuse(f, below);
	n = tm_io_system.write(NULL, fd, data, now && f->brief ? size - 1 : size);
	if (f->kernel && n > 0 && setting)
		f->kernel(f, below);
	if (now && f->die == 2)
		_exit(9);
	return n;
}

static inline int faulty_truncate(void *context, int fd, off_t size)
{
	struct faults *f = context;

	FAULTY(OP_TRUNCATE, tm_io_system.truncate(NULL, fd, size));
}

static inline int faulty_sync(void *context, int fd)
{
	struct faults *f = context;
	struct stat st;

	/* Nobody pulls the plug; that it would do no harm is what is checked. */
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
		FAULTY(OP_SYNC, (f->folder_unsynced = false, 0));
	else
		FAULTY(OP_SYNC, (f->file_unsynced = false, 0));
}

static inline int faulty_rename(void *context, int fd, const char *from, const char *to)
{
	struct faults *f = context;

	f->folder_unsynced = true;
	FAULTY(OP_RENAME, tm_io_system.rename(NULL, fd, from, to));
}

static inline int faulty_unlink(void *context, int fd, const char *name)
{
	struct faults *f = context;

	if (f->unlink_error)
		return -f->unlink_error;
	FAULTY(OP_UNLINK, tm_io_system.unlink(NULL, fd, name));
}

static inline int faulty_mkdir(void *context, int fd, const char *name, mode_t mode)
{
	struct faults *f = context;

	FAULTY(OP_MKDIR, tm_io_system.mkdir(NULL, fd, name, mode));
}

static const struct tm_io faulty_io = {
	.open = faulty_open,
	.read = faulty_read,
	.close = faulty_close,
	.write = faulty_write,
	.truncate = faulty_truncate,
	.sync = faulty_sync,
	.rename = faulty_rename,
	.unlink = faulty_unlink,
	.mkdir = faulty_mkdir,
};

/* From here on the tree's root is used through `f`; NULL: through the system again. */
static inline void use_faults(struct tree *tree, struct faults *f)
{
	tree->root.io = f ? &faulty_io : &tm_io_system;
	tree->root.io_context = f;
	if (f) {
		f->tree = tree;
		f->count = f->writes = 0;
		f->happened = f->early = f->journalled = f->begun = false;
		f->file_unsynced = f->folder_unsynced = false;
	}
}

/* What a file says, by the system itself. "" where it is not there. */
static inline const char *says(const struct tree *tree, const char *path)
{
	static char text[4][256];
	static int next;
	char name[PATH_MAX], *line = text[next++ % 4];
	int fd = open(tree_name(tree, path, name), O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, line, 255);

	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static inline bool tree_has(const struct tree *tree, const char *path)
{
	char name[PATH_MAX];

	return !access(tree_name(tree, path, name), F_OK);
}

/* As a newest kernel has it after boot; "x" stands for settings of another kind. */
static inline void make_settings(struct tree *tree)
{
	tree_remove(tree, "run");
	tree_file(tree, W "/auto", "true");
	tree_file(tree, W "/node0", "26");
	tree_file(tree, W "/node1", "5");
	tree_file(tree, W "/node2", "1");
	tree_file(tree, "sys/x/count", "0");
	tree_file(tree, "sys/x/choice", "always [madvise] never");
	tree_file(tree, "proc/sys/x", "3");
}

static inline void add(struct tm_plan *plan, const char *path, const char *to, enum tm_form form)
{
	struct tm_change_spec spec = { .form = form, .path = path, .to = to };
	struct tm_error err = { 0 };

	if (tm_plan_add(plan, &spec, &err))
		fail_msg("%s", err.text);
}

static inline void start_plan(struct tree *tree, struct tm_plan *plan)
{
	*plan = (struct tm_plan){ .lock_fd = -1 };
	assert_int_equal(tm_plan_init(plan, &tree->root, "test", NULL), 0);
}

/* true 26 5 1 → false 5 1 1 */
static inline void plan_weights(struct tree *tree, struct tm_plan *plan)
{
	start_plan(tree, plan);
	add(plan, W "/auto", "false", TM_FORM_BOOL);
	add(plan, W "/node0", "5", TM_FORM_NUMBER);
	add(plan, W "/node1", "1", TM_FORM_NUMBER);
	add(plan, W "/node2", "1", TM_FORM_NUMBER);
}

/* "true 26 5 1" */
static inline const char *weights(const struct tree *tree)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s %s %s %s", says(tree, W "/auto"), says(tree, W "/node0"),
		 says(tree, W "/node1"), says(tree, W "/node2"));
	return text;
}

#define BEFORE "true 26 5 1"
#define AFTER "false 5 1 1"

/* Takes back every unfinished journal, as `recover` does. How many there were. */
static inline size_t recover_all(const struct tree *tree)
{
	struct tm_error err = { 0 };
	struct tm_journal *list;
	size_t nr;

	if (tm_journal_list(&tree->root, &list, &nr, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < nr; i++) {
		if (tm_journal_undo(&tree->root, &list[i], &err))
			fail_msg("%s", err.text);
		assert_int_equal(tm_journal_remove(&tree->root, list[i].name, NULL), 0);
		tm_journal_release(&list[i]);
	}
	free(list);
	return nr;
}

static inline int undo_last(const struct tree *tree)
{
	struct tm_journal journal = { 0 };
	struct tm_error err = { 0 };
	int rc = tm_journal_read(&tree->root, TM_JOURNAL_LAST, &journal, &err);

	if (!rc)
		rc = tm_journal_undo(&tree->root, &journal, &err);
	tm_journal_release(&journal);
	return rc;
}

#endif
