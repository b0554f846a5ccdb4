/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/sample/blind.h"

/* A CPUID that answers from a list. */
struct leaf {
	uint32_t leaf, eax, ebx, ecx, edx;
};

struct cpu {
	const struct leaf *leaves; /* ends with leaf 0 */
	bool none;		   /* this CPU has no such instruction */
	unsigned asked;
};

static bool fake_cpuid(void *context, uint32_t leaf, uint32_t registers[4])
{
	struct cpu *cpu = context;

	cpu->asked++;
	memset(registers, 0, 4 * sizeof(*registers));
	for (const struct leaf *l = cpu->leaves; l && l->leaf; l++)
		if (l->leaf == leaf)
			memcpy(registers, &l->eax, 4 * sizeof(*registers));
	return !cpu->none;
}

#define HYPERVISOR (1u << 31)
#define MWAIT (1u << 3)
#define KVM 0x4b4d564b, 0x564b4d56, 0x4d
#define HYPERV 0x7263694d, 0x666f736f, 0x76482074
#define STEAL (1u << 5)
#define FLUSH (1u << 9)
#define HCALL_FLUSH (1u << 2)

static const struct {
	const char *what;
	struct leaf leaves[5];
	size_t cpus;
	enum tm_blind wanted;
} cases[] = {
	{ "bare metal: what stands in these leaves means nothing",
	  { { 1, 0, 0, 0, 0 }, { 0x40000000, 0, KVM }, { 0x40000001, FLUSH | STEAL, 0, 0, 0 } },
	  8,
	  TM_BLIND_NOT },
	{ "KVM",
	  { { 1, 0, 0, HYPERVISOR, 0 },
	    { 0x40000000, 0, KVM },
	    { 0x40000001, FLUSH | STEAL, 0, 0, 0 } },
	  8,
	  TM_BLIND_KVM },
	{ "KVM, its leaves above those of another",
	  { { 1, 0, 0, HYPERVISOR, 0 },
	    { 0x40000000, 0, HYPERV },
	    { 0x40000100, 0, KVM },
	    { 0x40000101, FLUSH | STEAL, 0, 0, 0 } },
	  8,
	  TM_BLIND_KVM },
	{ "KVM that flushes nobody",
	  { { 1, 0, 0, HYPERVISOR, 0 }, { 0x40000000, 0, KVM }, { 0x40000001, STEAL, 0, 0, 0 } },
	  8,
	  TM_BLIND_NOT },
	{ "without steal time the kernel does not use it",
	  { { 1, 0, 0, HYPERVISOR, 0 }, { 0x40000000, 0, KVM }, { 0x40000001, FLUSH, 0, 0, 0 } },
	  8,
	  TM_BLIND_NOT },
	{ "nor with CPUs of its own",
	  { { 1, 0, 0, HYPERVISOR, 0 },
	    { 0x40000000, 0, KVM },
	    { 0x40000001, FLUSH | STEAL, 0, 0, 1 } },
	  8,
	  TM_BLIND_NOT },
	{ "nor with MWAIT",
	  { { 1, 0, 0, HYPERVISOR | MWAIT, 0 },
	    { 0x40000000, 0, KVM },
	    { 0x40000001, FLUSH | STEAL, 0, 0, 0 } },
	  8,
	  TM_BLIND_NOT },
	{ "nor with one CPU",
	  { { 1, 0, 0, HYPERVISOR, 0 },
	    { 0x40000000, 0, KVM },
	    { 0x40000001, FLUSH | STEAL, 0, 0, 0 } },
	  1,
	  TM_BLIND_NOT },
	{ "Hyper-V",
	  { { 1, 0, 0, HYPERVISOR, 0 },
	    { 0x40000000, 0, HYPERV },
	    { 0x40000004, HCALL_FLUSH, 0, 0, 0 } },
	  8,
	  TM_BLIND_HYPERV },
	{ "Hyper-V that does not recommend it",
	  { { 1, 0, 0, HYPERVISOR, 0 },
	    { 0x40000000, 0, HYPERV },
	    { 0x40000004, ~HCALL_FLUSH, 0, 0, 0 } },
	  8,
	  TM_BLIND_NOT },
};

static void test_cpuid(void **state)
{
	struct tree *tree = *state;

	tree->root.live = true;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct cpu cpu = { .leaves = cases[i].leaves };
		struct tm_num blind = tm_blind_read(&tree->root, fake_cpuid, &cpu, cases[i].cpus);

		assert_int_equal(blind.state, TM_KNOWN);
		if (blind.value != cases[i].wanted)
			fail_msg("%s: %s", cases[i].what,
				 tm_blind_name((enum tm_blind)blind.value));
	}
}

static enum tm_blind with_files(struct tree *tree, bool live, enum tm_state *state)
{
	struct cpu cpu = { .none = true };
	struct tm_num blind;

	tree->root.live = live;
	blind = tm_blind_read(&tree->root, fake_cpuid, &cpu, 8);
	assert_int_equal(cpu.asked != 0, live && blind.value == TM_BLIND_NOT ? 1 : 0);
	*state = blind.state;
	return (enum tm_blind)blind.value;
}

static void test_files(void **state)
{
	struct tree *tree = *state;
	enum tm_state known;

	/* Of another machine CPUID says nothing. */
	with_files(tree, false, &known);
	assert_int_equal(known, TM_UNKNOWN);
	assert_int_equal(with_files(tree, true, &known), TM_BLIND_NOT);
	assert_int_equal(known, TM_KNOWN);

	tree_text(tree, "proc/cpuinfo", "model name\t: x invlpgb\nflags\t\t: fpu invlpgbx nx\n\n");
	with_files(tree, false, &known);
	assert_int_equal(known, TM_UNKNOWN);
	tree_text(tree, "proc/cpuinfo", "processor\t: 0\nflags\t\t: x\nflags\t\t: fpu invlpgb\n");
	with_files(tree, false, &known);
	assert_int_equal(known, TM_UNKNOWN);
	tree_text(tree, "proc/cpuinfo",
		  "vendor_id\t: x\nflags\t\t: fpu invlpgbx invlpgb\nbugs\t: \n");
	assert_int_equal(with_files(tree, false, &known), TM_BLIND_INVLPGB);
	assert_int_equal(known, TM_KNOWN);

	tree_text(tree, "sys/hypervisor/type", "xen\n");
	tree_text(tree, "sys/hypervisor/guest_type", "HVM\n");
	assert_int_equal(with_files(tree, false, &known), TM_BLIND_INVLPGB);
	tree_text(tree, "sys/hypervisor/guest_type", "PV\n");
	assert_int_equal(with_files(tree, false, &known), TM_BLIND_XEN);
}

static void test_names(void **state)
{
	(void)state;
	for (int i = 0; i < TM_BLINDS; i++) {
		assert_non_null(tm_blind_name((enum tm_blind)i));
		assert_int_equal(tm_blind_explain((enum tm_blind)i) == NULL, i == TM_BLIND_NOT);
	}
}

static int set_up(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	assert_non_null(tree);
	tree_make(tree);
	*state = tree;
	return 0;
}

static int tear_down(void **state)
{
	struct tree *tree = *state;

	tree_free(tree);
	free(tree);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cpuid, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_files, set_up, tear_down),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
