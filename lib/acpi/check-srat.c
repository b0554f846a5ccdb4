/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/acpi/check.h"
#include "lib/base/compiler.h"

/* Kernels as distributions build them have 1,024 nodes, and take no domain above. */
#define DOMAINS 1024

static void check_header(const struct tm_acpi_table *srat, struct tm_acpi_findings *findings)
{
	struct tm_acpi_value value;

	if (tm_acpi_value(srat, &srat->header, "table_revision", &value) && value.number != 1)
		tm_acpi_find(findings, srat, value.offset, TM_ACPI_REVISION, TM_ACPI_NOTE,
			     "the field Table Revision is %" PRIu64 " and should be 1",
			     value.number);
}

static void check_affinity(const struct tm_acpi_table *srat, const struct tm_srat_affinity *a,
			   struct tm_acpi_findings *findings)
{
	if (!a->enabled)
		return;
	if (a->domain >= DOMAINS)
		tm_acpi_find(findings, srat, a->offset, TM_ACPI_RANGE,
			     a->kind == TM_SRAT_CPU || a->kind == TM_SRAT_MEMORY ? TM_ACPI_REFUSED :
										   TM_ACPI_WARNING,
			     "proximity domain %" PRIu32 ": kernels take up to %d", a->domain,
			     DOMAINS - 1);
	if (a->kind != TM_SRAT_MEMORY)
		return;
	if (!a->length)
		tm_acpi_find(findings, srat, a->offset + 16, TM_ACPI_RANGE, TM_ACPI_WARNING,
			     "an enabled memory range has length 0");
	else if (a->length - 1 > UINT64_MAX - a->base)
		tm_acpi_find(findings, srat, a->offset + 16, TM_ACPI_RANGE, TM_ACPI_ERROR,
			     "the memory range at 0x%" PRIx64 " ends above the last address",
			     a->base);
}

/* Ranges by base, against the one so far that reaches furthest. */
static void check_overlaps(const struct tm_acpi_table *srat, struct tm_acpi_findings *findings)
{
	struct tm_srat_range *ranges;
	size_t nr, far = 0;

	if (tm_srat_ranges(srat, &ranges, &nr, NULL)) {
		findings->failed = true;
		return;
	}
	for (size_t i = 1; i < nr; i++) {
		const struct tm_srat_range *r = &ranges[i], *f = &ranges[far];

		if (r->base <= f->last) {
			bool same = r->domain == f->domain;

			/* The kernel unites ranges of one node, and wants no other sharing. */
			tm_acpi_find(findings, srat, r->offset, TM_ACPI_OVERLAP,
				     same ? TM_ACPI_WARNING : TM_ACPI_REFUSED,
				     "memory at 0x%" PRIx64 " of proximity domain %" PRIu32
				     " overlaps that at 0x%" PRIx64 " of %s%" PRIu32,
				     r->base, r->domain, f->base, same ? "the same " : "",
				     f->domain);
		}
		if (r->last > f->last)
			far = i;
	}
	free(ranges);
}

static void check_domains(const struct tm_acpi_table *srat, struct tm_acpi_findings *findings)
{
	struct tm_srat_nodes nodes;
	struct tm_srat_affinity a;
	size_t memory = 0;

	if (tm_srat_nodes(srat, NULL, &nodes, NULL)) {
		findings->failed = true;
		return;
	}
	for (size_t i = 0; i < nodes.nr; i++)
		memory += nodes.list[i].has & TM_SRAT_HAS_MEMORY ? 1 : 0;
	if (!memory)
		tm_acpi_find(findings, srat, 0, TM_ACPI_REFERENCE, TM_ACPI_REFUSED,
			     "no proximity domain has memory");
	/* Once a domain, where it is named first: its number is taken off when that is done. */
	for (size_t i = 0; i < srat->nr_entries && memory; i++) {
		struct tm_srat_node *node;

		if (!tm_srat_affinity(srat, &srat->entries[i], &a) || !a.enabled)
			continue;
		node = (struct tm_srat_node *)tm_srat_domain(&nodes, a.domain);
		if (!node || node->node < 0 || !(node->has & TM_SRAT_HAS_CPU) ||
		    node->has & TM_SRAT_HAS_MEMORY)
			continue;
		tm_acpi_find(findings, srat, a.offset, TM_ACPI_REFERENCE, TM_ACPI_NOTE,
			     "proximity domain %" PRIu32 " has CPUs and no memory", a.domain);
		node->node = -1;
	}
	tm_srat_nodes_release(&nodes);
}

/* A CPU that belongs to two domains, or twice to one. */
struct owner {
	uint64_t cpu; /* with its type above */
	uint32_t domain;
	size_t offset;
};

static int by_cpu(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void check_cpus(const struct tm_acpi_table *srat, struct tm_acpi_findings *findings)
{
	struct owner *owners = calloc(srat->nr_entries + 1, sizeof(*owners));
	struct tm_srat_affinity a;
	size_t nr = 0;

	if (!owners) {
		findings->failed = true;
		return;
	}
	for (size_t i = 0; i < srat->nr_entries; i++)
		if (tm_srat_affinity(srat, &srat->entries[i], &a) && a.enabled &&
		    a.kind == TM_SRAT_CPU)
			owners[nr++] = (struct owner){ (uint64_t)a.type << 32 | a.cpu, a.domain,
						       a.offset };
	qsort(owners, nr, sizeof(*owners), by_cpu);
	for (size_t i = 1; i < nr; i++)
		if (owners[i].cpu == owners[i - 1].cpu)
			tm_acpi_find(findings, srat, owners[i].offset, TM_ACPI_DUPLICATE,
				     TM_ACPI_WARNING,
				     "CPU %" PRIu32 " of proximity domain %" PRIu32
				     " was given already, at 0x%zx, in %" PRIu32,
				     (uint32_t)owners[i].cpu, owners[i].domain,
				     owners[i - 1].offset, owners[i - 1].domain);
	free(owners);
}

void tm_acpi_check_srat(const struct tm_acpi_table *srat, struct tm_acpi_findings *findings)
{
	struct tm_srat_affinity a;

	check_header(srat, findings);
	for (size_t i = 0; i < srat->nr_entries; i++)
		if (tm_srat_affinity(srat, &srat->entries[i], &a))
			check_affinity(srat, &a, findings);
	check_overlaps(srat, findings);
	check_domains(srat, findings);
	check_cpus(srat, findings);
}
