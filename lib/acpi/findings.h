/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is wrong with firmware tables: where, which rule is broken, how bad it is, and a sentence.
 * A finding never stops the reading of what is sound.
 */
#ifndef TM_ACPI_FINDINGS_H
#define TM_ACPI_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/compiler.h"

struct tm_acpi_table;

enum tm_acpi_rule {
	TM_ACPI_CHECKSUM,  /* the bytes do not add up to 0 */
	TM_ACPI_LENGTH,	   /* a length or count does not fit what is there */
	TM_ACPI_RESERVED,  /* bits that must be 0 */
	TM_ACPI_OVERLAP,   /* address ranges that share addresses */
	TM_ACPI_RANGE,	   /* a value that the specification does not give a meaning */
	TM_ACPI_REVISION,  /* a revision that is not known */
	TM_ACPI_DUPLICATE, /* said twice */
	TM_ACPI_REFERENCE, /* names something that is not there */
};

enum tm_acpi_severity {
	TM_ACPI_NOTE,	 /* worth knowing */
	TM_ACPI_WARNING, /* against the specification, and harmless so far */
	TM_ACPI_ERROR,	 /* what it says cannot be used, or not be trusted */
	TM_ACPI_REFUSED, /* an error for which the kernel drops the whole table */
};

struct tm_acpi_finding {
	const struct tm_acpi_table *table;
	size_t offset; /* in the table */
	enum tm_acpi_rule rule;
	enum tm_acpi_severity severity;
	char *text; /* a sentence without a full stop, cut to some hundred letters */
};

/* So many are kept; then comes one more that says that there are more. */
#define TM_ACPI_FINDINGS_MAX 1000

struct tm_acpi_findings {
	struct tm_acpi_finding *list;
	size_t nr;
	size_t cap;
	size_t more; /* that were not kept */
	int worst;   /* of all, the ones not kept too: severity + 1; 0: none */
	bool failed; /* out of memory: once, for all */
};

void tm_acpi_findings_release(struct tm_acpi_findings *findings);

void tm_acpi_find(struct tm_acpi_findings *findings, const struct tm_acpi_table *table,
		  size_t offset, enum tm_acpi_rule rule, enum tm_acpi_severity severity,
		  const char *fmt, ...) TM_PRINTF(6, 7);

/* Is there any as bad as that, or worse? Those that were not kept count. */
static inline bool tm_acpi_findings_reach(const struct tm_acpi_findings *findings,
					  enum tm_acpi_severity severity)
{
	return findings->worst > (int)severity;
}

/* "checksum" and so on: the word for JSON and for people. */
const char *tm_acpi_rule_name(enum tm_acpi_rule rule);
/* "note", "warning", "error"; a refused table is an error. */
const char *tm_acpi_severity_name(enum tm_acpi_severity severity);

#endif
