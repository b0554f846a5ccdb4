/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "lib/acpi/check.h"
#include "lib/acpi/slit.h"

struct square {
	const struct tm_acpi_table *slit;
	struct tm_acpi_value value;
	struct tm_acpi_findings *findings;
};

static void find(const struct square *s, uint64_t index, enum tm_acpi_severity severity,
		 const char *why)
{
	uint64_t from = index / s->value.columns, to = index % s->value.columns;

	tm_acpi_find(s->findings, s->slit, s->value.offset + (size_t)index, TM_ACPI_RANGE, severity,
		     "the distance from %" PRIu64 " to %" PRIu64 " is %" PRIu64 "%s", from, to,
		     tm_acpi_element(&s->value, index), why);
}

static void check_distances(const struct square *s)
{
	for (uint64_t i = 0; i < s->value.count; i++) {
		uint64_t from = i / s->value.columns, to = i % s->value.columns;
		uint64_t distance = tm_acpi_element(&s->value, i);

		/* The kernel ignores the whole table for one of these. */
		if (from == to && distance != TM_SLIT_LOCAL)
			find(s, i, TM_ACPI_REFUSED, ", and to itself it must be 10");
		else if (from != to && distance < TM_SLIT_LOCAL)
			find(s, i, TM_ACPI_REFUSED, ", which is reserved");
		else if (from != to && distance == TM_SLIT_LOCAL)
			find(s, i, TM_ACPI_REFUSED, ", as if it were the same");
	}
}

/* How many pairs differ by direction; the first is named. Such machines exist. */
static void check_symmetry(const struct square *s)
{
	uint64_t n = s->value.columns, pairs = 0, first = 0;

	if (s->value.count < s->value.wanted)
		return;
	for (uint64_t from = 0; from < n; from++) {
		for (uint64_t to = from + 1; to < n; to++) {
			if (tm_acpi_element(&s->value, from * n + to) ==
			    tm_acpi_element(&s->value, to * n + from))
				continue;
			first = pairs ? first : from * n + to;
			pairs++;
		}
	}
	if (pairs)
		tm_acpi_find(s->findings, s->slit, s->value.offset + (size_t)first, TM_ACPI_RANGE,
			     TM_ACPI_NOTE,
			     "pairs whose distance depends on the direction: %" PRIu64
			     ", the first from %" PRIu64 " to %" PRIu64,
			     pairs, first / n, first % n);
}

void tm_acpi_check_slit(const struct tm_acpi_table *slit, const struct tm_srat_nodes *nodes,
			struct tm_acpi_findings *findings)
{
	struct square s = { .slit = slit, .findings = findings };
	struct tm_slit read;

	if (!tm_slit_read(slit, &read))
		return;
	s.value = read.distances;
	if (read.count) {
		check_distances(&s);
		check_symmetry(&s);
	} else {
		tm_acpi_find(findings, slit, slit->entries->offset, TM_ACPI_RANGE, TM_ACPI_WARNING,
			     "it has no localities");
	}
	for (size_t i = 0; nodes && i < nodes->nr; i++)
		if (nodes->list[i].has != TM_SRAT_HAS_WINDOW && nodes->list[i].domain >= read.count)
			tm_acpi_find(findings, slit, slit->entries->offset, TM_ACPI_REFERENCE,
				     TM_ACPI_NOTE,
				     "it gives no distance for SRAT's proximity domain %" PRIu32,
				     nodes->list[i].domain);
}
