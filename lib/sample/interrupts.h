/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * /proc/interrupts: the rows that tell of other CPUs being interrupted on behalf of memory
 * management. Only these are parsed; all others are passed over.
 *
 * The header names the online CPUs, with gaps; a row has one count for each of them, in its order.
 * The counts are 32 bits wide in the kernel and wrap.
 */
#ifndef TM_SAMPLE_INTERRUPTS_H
#define TM_SAMPLE_INTERRUPTS_H

#include <stddef.h>

#include "lib/sample/file.h"

enum tm_irq {
	TM_IRQ_TLB, /* received TLB shootdowns; arm64 and s390 have no such row */
	TM_IRQ_CAL, /* function calls */
	TM_IRQ_RES, /* rescheduling */
};
#define TM_IRQS (TM_IRQ_RES + 1)

/* "TLB", "CAL", "RES". */
const char *tm_irq_name(enum tm_irq irq);

struct tm_irq_row {
	/* TM_KNOWN; TM_UNSUPPORTED: this architecture has no such row; TM_MALFORMED. */
	enum tm_state state;
	/* of the first `nr` CPUs of the header; a short row leaves the rest out */
	uint64_t *counts;
	size_t nr;
};

struct tm_interrupts {
	enum tm_state state; /* TM_KNOWN: the file was read and has a header */
	int *cpus;	     /* ids in the header's order, which is rising */
	size_t nr_cpus, cap_cpus;
	struct tm_irq_row rows[TM_IRQS];
	size_t cap_counts; /* of each row */
};

/*
 * Reads the kept-open file. What cannot be read says so in the states. 0 or -ENOMEM. The lists are
 * reused from call to call.
 */
int tm_interrupts_read(struct tm_interrupts *interrupts, struct tm_file *file);
/* Makes room for a count of each of its CPUs in each row. 0 or -ENOMEM. */
int tm_interrupts_reserve(struct tm_interrupts *interrupts);
void tm_interrupts_release(struct tm_interrupts *interrupts);

/* The count of one CPU, which need not be online; unknown with the row's reason. */
struct tm_num tm_interrupts_count(const struct tm_interrupts *interrupts, enum tm_irq irq, int cpu);

/* The sum over all CPUs; unknown unless every CPU's count is known. */
struct tm_num tm_interrupts_total(const struct tm_interrupts *interrupts, enum tm_irq irq);

#endif
