/* SPDX-License-Identifier: GPL-2.0-only */
/* Machines read from trees, and what tests ask of them. */
#ifndef TESTS_UNIT_MACHINE_H
#define TESTS_UNIT_MACHINE_H

#include "tests/unit/tree.h"

#include "lib/model/machine.h"
#include "lib/model/problem.h"
#include "tests/unit/expander.h"

/* For cmocka: *state is a tree that holds the expander machine. */
static inline int expander_setup(void **state)
{
	tree_setup(state);
	for (size_t i = 0; i < TM_ARRAY_SIZE(expander); i++)
		tree_add(*state, &expander[i]);
	return 0;
}

#define expander_test(function) \
	cmocka_unit_test_setup_teardown(function, expander_setup, tree_teardown)

/* One node, with the least that makes it a node. */
static inline void machine_node(const struct tree *tree, int id, const char *cpus,
				const char *distances, unsigned megabytes)
{
	char path[128];

	snprintf(path, sizeof(path), NODE "/node%d/cpulist", id);
	tree_file(tree, path, "%s", cpus);
	snprintf(path, sizeof(path), NODE "/node%d/distance", id);
	tree_file(tree, path, "%s", distances);
	snprintf(path, sizeof(path), NODE "/node%d/meminfo", id);
	tree_file(tree, path, "Node %d MemTotal: %u kB\nNode %d MemFree: %u kB", id,
		  megabytes * 1024, id, megabytes * 512);
}

/* The lists beside the nodes. */
static inline void machine_lists(const struct tree *tree, const char *possible, const char *online,
				 const char *memory)
{
	tree_file(tree, NODE "/possible", "%s", possible);
	tree_file(tree, NODE "/online", "%s", online);
	tree_file(tree, NODE "/has_memory", "%s", memory);
}

/* Figures of one class; initiator -1 names none. */
static inline void machine_figures(const struct tree *tree, int target, int access, int initiator,
				   unsigned bandwidth, unsigned latency)
{
	static const char *const name[] = { "read_bandwidth", "write_bandwidth", "read_latency",
					    "write_latency" };
	char path[160], to[32];

	for (size_t i = 0; i < TM_ARRAY_SIZE(name); i++) {
		snprintf(path, sizeof(path), NODE "/node%d/access%d/initiators/%s", target, access,
			 name[i]);
		tree_file(tree, path, "%u", i < 2 ? bandwidth : latency);
	}
	if (initiator < 0)
		return;
	snprintf(path, sizeof(path), NODE "/node%d/access%d/initiators/node%d", target, access,
		 initiator);
	snprintf(to, sizeof(to), "../../../node%d", initiator);
	tree_link(tree, path, to);
}

static inline void machine_read(const struct tree *tree, struct tm_machine *m)
{
	struct tm_error err = { 0 };

	assert_int_equal(tm_machine_read(m, &tree->root, NULL, &err), 0);
}

static inline const struct tm_node *machine_get(const struct tm_machine *m, int id)
{
	const struct tm_node *node = tm_machine_node(m, id);

	assert_non_null(node);
	return node;
}

#define assert_num(num, wanted)                                   \
	do {                                                      \
		struct tm_num num_ = (num);                       \
		assert_int_equal(num_.state, TM_KNOWN);           \
		assert_int_equal(num_.value, (uint64_t)(wanted)); \
	} while (0)

#define assert_no_num(num, why) assert_int_equal((num).state, why)

#define assert_text(text, wanted)                          \
	do {                                               \
		const struct tm_text *text_ = &(text);     \
		assert_int_equal(text_->state, TM_KNOWN);  \
		assert_string_equal(text_->value, wanted); \
	} while (0)

#define assert_set(set, wanted)                     \
	do {                                        \
		char *list_ = tm_idset_format(set); \
		assert_non_null(list_);             \
		assert_string_equal(list_, wanted); \
		free(list_);                        \
	} while (0)

/* All problem codes with blanks between, in their order. */
static inline void machine_problems(const struct tm_machine *m, char *codes, size_t size)
{
	struct tm_problems problems = { 0 };
	struct tm_error err = { 0 };

	assert_int_equal(tm_problems_find(m, &problems, &err), 0);
	codes[0] = '\0';
	for (size_t i = 0; i < problems.nr; i++) {
		size_t len = strlen(codes);

		assert_non_null(problems.list[i].code);
		assert_string_not_equal(problems.list[i].message, "");
		snprintf(codes + len, size - len, "%s%s", len ? " " : "", problems.list[i].code);
	}
	tm_problems_release(&problems);
}

#define assert_problems(m, wanted)                           \
	do {                                                 \
		char codes_[1024];                           \
		machine_problems(m, codes_, sizeof(codes_)); \
		assert_string_equal(codes_, wanted);         \
	} while (0)

#endif
