/* SPDX-License-Identifier: GPL-2.0-only */
/* The calls that set and ask memory policies, on this machine. */
#include "tests/unit/tree.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "lib/sys/numa.h"

struct state {
	struct tm_numa numa;
	struct tm_idset node; /* one with memory that may be used */
};

/* Emulated machines and some containers have no such calls. */
static int setup(void **state)
{
	static struct state s;
	struct tm_error err = { 0 };
	char text[65536], *list;
	FILE *file = fopen("/proc/self/status", "re");
	size_t len;

	assert_non_null(file);
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = '\0';
	assert_int_equal(tm_numa_load(&s.numa, &err), 0);
	list = strstr(text, "Mems_allowed_list:");
	if (list) {
		list[strcspn(list, "\n")] = '\0';
		assert_int_equal(tm_idset_parse_list(&s.node, strchr(list, ':') + 1), 0);
		for (long id; (id = tm_idset_next(&s.node, tm_idset_next(&s.node, 0) + 1)) >= 0;)
			tm_idset_remove(&s.node, id);
	}
	*state = &s;
	return 0;
}

static int teardown(void **state)
{
	struct state *s = *state;

	tm_idset_release(&s->node);
	tm_numa_unload(&s->numa);
	tm_numa_unload(&s->numa);
	return 0;
}

static void need_calls(const struct state *s)
{
	int rc = tm_idset_empty(&s->node) ?
			 -ENOSYS :
			 tm_numa_try_policy(&s->numa, TM_POLICY_INTERLEAVE, &s->node);

	if (rc == -ENOSYS || rc == -EPERM)
		skip();
	assert_int_equal(rc, 0);
}

static void expect_policy(const struct state *s, const void *address, enum tm_policy wanted,
			  const struct tm_idset *nodes)
{
	struct tm_idset got = TM_IDSET_INIT;
	unsigned policy = 99;

	/* What was in it before goes away. */
	tm_idset_add(&got, 77);
	assert_int_equal(tm_numa_get_policy(&s->numa, address, &policy, &got), 0);
	assert_int_equal(policy, wanted);
	if (nodes)
		assert_true(tm_idset_equal(&got, nodes));
	else
		assert_true(tm_idset_empty(&got));
	tm_idset_release(&got);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(tm_policy_name(TM_POLICY_DEFAULT), "default");
	assert_string_equal(tm_policy_name(TM_POLICY_WEIGHTED_INTERLEAVE), "weighted-interleave");
	assert_int_equal(TM_POLICY_WEIGHTED_INTERLEAVE, 6);
	assert_null(tm_policy_name(TM_NR_POLICIES));
}

static void test_set(void **state)
{
	const struct state *s = *state;

	need_calls(s);
	expect_policy(s, NULL, TM_POLICY_DEFAULT, NULL);
	assert_int_equal(tm_numa_set_policy(&s->numa, TM_POLICY_INTERLEAVE, &s->node), 0);
	expect_policy(s, NULL, TM_POLICY_INTERLEAVE, &s->node);
	/* The stack has none of its own. */
	expect_policy(s, &s, TM_POLICY_DEFAULT, NULL);
	assert_int_equal(tm_numa_set_policy(&s->numa, TM_POLICY_PREFERRED, &s->node), 0);
	expect_policy(s, NULL, TM_POLICY_PREFERRED, &s->node);
	assert_int_equal(tm_numa_set_policy(&s->numa, TM_POLICY_LOCAL, NULL), 0);
	expect_policy(s, NULL, TM_POLICY_LOCAL, NULL);
	assert_int_equal(tm_numa_set_policy(&s->numa, TM_POLICY_DEFAULT, NULL), 0);
	expect_policy(s, NULL, TM_POLICY_DEFAULT, NULL);
}

static void test_set_bad(void **state)
{
	const struct state *s = *state;
	struct tm_idset nodes = TM_IDSET_INIT;

	need_calls(s);
	/* Without nodes, with one that is not there, with one that no kernel can have. */
	assert_int_equal(tm_numa_set_policy(&s->numa, TM_POLICY_BIND, NULL), -EINVAL);
	assert_int_equal(tm_numa_set_policy(&s->numa, TM_POLICY_BIND, &nodes), -EINVAL);
	assert_int_equal(tm_idset_add(&nodes, 4095), 0);
	assert_int_equal(tm_numa_set_policy(&s->numa, TM_POLICY_BIND, &nodes), -EINVAL);
	assert_int_equal(tm_idset_add(&nodes, 4096), 0);
	assert_int_equal(tm_numa_set_policy(&s->numa, TM_POLICY_BIND, &nodes), -ERANGE);
	assert_int_equal(tm_numa_try_policy(&s->numa, TM_POLICY_BIND, &nodes), -ERANGE);
	assert_int_equal(tm_numa_set_policy(&s->numa, (enum tm_policy)31, &s->node), -EINVAL);
	expect_policy(s, NULL, TM_POLICY_DEFAULT, NULL);
	tm_idset_release(&nodes);
}

static void test_try(void **state)
{
	const struct state *s = *state;

	need_calls(s);
	assert_int_equal(tm_numa_try_policy(&s->numa, TM_POLICY_BIND, &s->node), 0);
	assert_int_equal(tm_numa_try_policy(&s->numa, TM_POLICY_BIND, NULL), -EINVAL);
	assert_int_equal(tm_numa_try_policy(&s->numa, (enum tm_policy)31, &s->node), -EINVAL);
	expect_policy(s, NULL, TM_POLICY_DEFAULT, NULL);
}

/* Children inherit it. */
static void test_child(void **state)
{
	const struct state *s = *state;
	struct tm_idset got = TM_IDSET_INIT;
	unsigned policy;
	int status;
	pid_t pid;

	need_calls(s);
	assert_int_equal(tm_numa_set_policy(&s->numa, TM_POLICY_BIND, &s->node), 0);
	pid = fork();
	if (!pid) {
		/* Ends without a word of what it has not freed. */
		if (!tm_numa_get_policy(&s->numa, NULL, &policy, &got) &&
		    policy == TM_POLICY_BIND && tm_idset_equal(&got, &s->node))
			raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(tm_numa_set_policy(&s->numa, TM_POLICY_DEFAULT, NULL), 0);
}

static void test_pages(void **state)
{
	const struct state *s = *state;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int nodes[2] = { -1, -1 };
	void *pages[2];
	char *map;

	need_calls(s);
	map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	/* One page must not bring the other along. */
	madvise(map, 2 * page, MADV_NOHUGEPAGE);
	assert_int_equal(tm_numa_set_policy(&s->numa, TM_POLICY_BIND, &s->node), 0);
	map[5] = 1;
	assert_int_equal(tm_numa_set_policy(&s->numa, TM_POLICY_DEFAULT, NULL), 0);
	pages[0] = map;
	pages[1] = map + page;
	assert_int_equal(tm_numa_find_pages(&s->numa, 0, 2, pages, nodes), 0);
	assert_int_equal(nodes[0], tm_idset_next(&s->node, 0));
	assert_true(nodes[1] < 0);
	assert_int_equal(munmap(map, 2 * page), 0);
	assert_int_equal(tm_numa_find_pages(&s->numa, 0, 1, pages, nodes), 0);
	assert_true(nodes[0] < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	cmocka_unit_test(test_set),
		cmocka_unit_test(test_set_bad), cmocka_unit_test(test_try),
		cmocka_unit_test(test_child),	cmocka_unit_test(test_pages),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
