/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/sample/interrupts.h"

static void read_it(struct tree *tree, struct tm_interrupts *in, const char *text)
{
	struct tm_file file;

	if (text)
		tree_text(tree, "proc/interrupts", text);
	tm_file_open(&file, &tree->root, "proc/interrupts");
	assert_int_equal(tm_interrupts_read(in, &file), 0);
	tm_file_close(&file);
}

static void expect(const struct tm_interrupts *in, enum tm_irq irq, int cpu, enum tm_state state,
		   uint64_t value)
{
	struct tm_num count = tm_interrupts_count(in, irq, cpu);

	if (count.state != state || count.value != value)
		fail_msg("%s of CPU %d: state %d, %llu", tm_irq_name(irq), cpu, count.state,
			 (unsigned long long)count.value);
}

static const char gaps[] = "           CPU0       CPU2       CPU7       \n"
			   "  0:         46          0          0   IO-APIC   2-edge      timer\n"
			   "\n"
			   " 37:  TLB: 99  RES: 4\n"
			   "NMI:          0          0          0   Non-maskable interrupts\n"
			   "RES:     812345          1 4294967295   Rescheduling interrupts\n"
			   "CAL:         11         12   Function call interrupts\n"
			   "TLB:          7          0         10   TLB shootdowns  \n"
			   "TLBX:         1          1          1   Something else\n"
			   "ERR:          0\n"
			   "MIS:          0";

static void test_gaps(void **state)
{
	struct tree *tree = *state;
	struct tm_interrupts in = { 0 };
	struct tm_num total;

	read_it(tree, &in, gaps);
	assert_int_equal(in.state, TM_KNOWN);
	assert_int_equal(in.nr_cpus, 3);
	expect(&in, TM_IRQ_TLB, 0, TM_KNOWN, 7);
	expect(&in, TM_IRQ_TLB, 2, TM_KNOWN, 0);
	expect(&in, TM_IRQ_TLB, 7, TM_KNOWN, 10);
	expect(&in, TM_IRQ_TLB, 1, TM_OFFLINE, 0);
	expect(&in, TM_IRQ_RES, 7, TM_KNOWN, 4294967295);
	/* A short row: nothing is known of the last CPU, and so of the sum. */
	expect(&in, TM_IRQ_CAL, 2, TM_KNOWN, 12);
	expect(&in, TM_IRQ_CAL, 7, TM_MALFORMED, 0);
	total = tm_interrupts_total(&in, TM_IRQ_CAL);
	assert_int_equal(total.state, TM_MALFORMED);
	total = tm_interrupts_total(&in, TM_IRQ_TLB);
	assert_int_equal(total.value, 17);
	tm_interrupts_release(&in);
}

/* The same object reads one file after the other: nothing of the one before may stay. */
static void test_again(void **state)
{
	struct tree *tree = *state;
	struct tm_interrupts in = { 0 };

	read_it(tree, &in, gaps);
	read_it(tree, &in, "  CPU1\nCAL: 5 Function call interrupts\n");
	assert_int_equal(in.nr_cpus, 1);
	expect(&in, TM_IRQ_CAL, 1, TM_KNOWN, 5);
	expect(&in, TM_IRQ_CAL, 0, TM_OFFLINE, 0);
	expect(&in, TM_IRQ_TLB, 1, TM_UNSUPPORTED, 0);
	tree_remove(tree, "proc/interrupts");
	read_it(tree, &in, NULL);
	assert_int_equal(in.state, TM_ABSENT);
	expect(&in, TM_IRQ_CAL, 1, TM_ABSENT, 0);
	tm_interrupts_release(&in);
}

static void test_damaged(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"CPU0 CPUx\n",
		"CPU0 CPU0\n",
		"CPU1 CPU0\n",
		"CPU-1\n",
		"CPU\n",
		"nonsense\n",
		"CPU99999999999999999999\n",
		"CPU65536\n",
	};
	struct tree *tree = *state;
	struct tm_interrupts in = { 0 };

	for (size_t i = 0; i < TM_ARRAY_SIZE(texts); i++) {
		read_it(tree, &in, texts[i]);
		assert_int_equal(in.state, TM_MALFORMED);
		expect(&in, TM_IRQ_TLB, 0, TM_MALFORMED, 0);
	}
	read_it(tree, &in,
		"CPU0 CPU1\nTLB: 1 2x TLB shootdowns\nRES:\nCAL: 99999999999999999999 0\n");
	expect(&in, TM_IRQ_TLB, 0, TM_MALFORMED, 0);
	expect(&in, TM_IRQ_RES, 0, TM_MALFORMED, 0);
	expect(&in, TM_IRQ_CAL, 0, TM_MALFORMED, 0);
	/* More counts than CPUs: the rest is not ours to explain. */
	read_it(tree, &in, "CPU0\nTLB: 1 2 TLB shootdowns\n");
	expect(&in, TM_IRQ_TLB, 0, TM_KNOWN, 1);
	tm_interrupts_release(&in);
}

/* Read in small pieces, every row comes out as when it is read at once. */
static ssize_t few(void *context, int fd, void *data, size_t size, off_t offset)
{
	return tm_io_system.pread(NULL, fd, data, TM_MIN(size, *(size_t *)context), offset);
}

static void test_pieces(void **state)
{
	struct tree *tree = *state;
	struct tm_io io = tm_io_system;

	io.pread = few;
	for (size_t piece = 1; piece < 80; piece++) {
		struct tm_interrupts in = { 0 };

		tree->root.io = &io;
		tree->root.io_context = &piece;
		read_it(tree, &in, gaps);
		tree->root.io = &tm_io_system;
		assert_int_equal(in.nr_cpus, 3);
		expect(&in, TM_IRQ_TLB, 7, TM_KNOWN, 10);
		expect(&in, TM_IRQ_RES, 0, TM_KNOWN, 812345);
		expect(&in, TM_IRQ_CAL, 0, TM_KNOWN, 11);
		tm_interrupts_release(&in);
	}
}

static const char arm[] = "           CPU0       CPU1       \n"
			  " 10:          1          2     GICv3  27 Level     arch_timer\n"
			  "IPI0:2768808080 2844211768       Rescheduling interrupts\n"
			  "IPI1: 357815098  213258177       Function call interrupts\n"
			  "IPI2:         0          0       CPU stop interrupts\n"
			  "Err:          0\n";

static void test_arm(void **state)
{
	struct tree *tree = *state;
	struct tm_interrupts in = { 0 };

	read_it(tree, &in, arm);
	expect(&in, TM_IRQ_RES, 0, TM_KNOWN, 2768808080);
	expect(&in, TM_IRQ_CAL, 1, TM_KNOWN, 213258177);
	expect(&in, TM_IRQ_TLB, 0, TM_UNSUPPORTED, 0);
	tm_interrupts_release(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_gaps, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_again, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_damaged, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_pieces, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_arm, tree_setup, tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
