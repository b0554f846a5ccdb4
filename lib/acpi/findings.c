/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/acpi/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"

void tm_acpi_findings_release(struct tm_acpi_findings *findings)
{
	for (size_t i = 0; i < findings->nr; i++)
		free(findings->list[i].text);
	free(findings->list);
	*findings = (struct tm_acpi_findings){ 0 };
}

static void add(struct tm_acpi_findings *findings, struct tm_acpi_finding finding, const char *text)
{
	finding.text = strdup(text);
	if (!finding.text ||
	    tm_array_grow(&findings->list, findings->nr, &findings->cap, sizeof(*findings->list))) {
		free(finding.text);
		findings->failed = true;
		return;
	}
	findings->list[findings->nr++] = finding;
}

void tm_acpi_find(struct tm_acpi_findings *findings, const struct tm_acpi_table *table,
		  size_t offset, enum tm_acpi_rule rule, enum tm_acpi_severity severity,
		  const char *fmt, ...)
{
	struct tm_acpi_finding finding = { table, offset, rule, severity, NULL };
	char text[512];
	va_list ap;

	if (findings->failed)
		return;
	findings->worst = TM_MAX(findings->worst, (int)severity + 1);
	if (findings->nr >= TM_ACPI_FINDINGS_MAX) {
		finding.severity = TM_ACPI_NOTE;
		snprintf(text, sizeof(text), "there are more findings than the %d listed",
			 TM_ACPI_FINDINGS_MAX);
		if (!findings->more++)
			add(findings, finding, text);
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	add(findings, finding, text);
}

const char *tm_acpi_rule_name(enum tm_acpi_rule rule)
{
	static const char *const names[] = {
		[TM_ACPI_CHECKSUM] = "checksum",   [TM_ACPI_LENGTH] = "length",
		[TM_ACPI_RESERVED] = "reserved",   [TM_ACPI_OVERLAP] = "overlap",
		[TM_ACPI_RANGE] = "range",	   [TM_ACPI_REVISION] = "revision",
		[TM_ACPI_DUPLICATE] = "duplicate", [TM_ACPI_REFERENCE] = "reference",
	};

	return names[rule];
}

const char *tm_acpi_severity_name(enum tm_acpi_severity severity)
{
	static const char *const names[] = {
		[TM_ACPI_NOTE] = "note",
		[TM_ACPI_WARNING] = "warning",
		[TM_ACPI_ERROR] = "error",
		[TM_ACPI_REFUSED] = "error",
	};

	return names[severity];
}
