/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/acpi/cdat.h"
#include "lib/acpi/check.h"
#include "lib/base/compiler.h"

/* Handles are one byte. */
#define HANDLES 256

/* One (handle, hierarchy, data type) each. */
#define PERF_KINDS (HANDLES * 16 * TM_HMAT_NR_DATA)

struct checking {
	const struct tm_acpi_table *cdat;
	struct tm_acpi_findings *findings;
	struct tm_cdat_range *ranges; /* in the table's order */
	size_t nr_ranges;
	const struct tm_cdat_range *by_handle[HANDLES];
	bool initiator[HANDLES];
	uint8_t given[PERF_KINDS / 8];
};

static int by_base(const void *a, const void *b)
{
	const struct tm_cdat_range *x = a, *y = b;

	if (x->base != y->base)
		return x->base < y->base ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static uint64_t last_of(const struct tm_cdat_range *r)
{
	return r->length - 1 > UINT64_MAX - r->base ? UINT64_MAX : r->base + (r->length - 1);
}

static void check_range(struct checking *c, const struct tm_cdat_range *r)
{
	if (!r->length)
		tm_acpi_find(c->findings, c->cdat, r->offset + 16, TM_ACPI_RANGE, TM_ACPI_WARNING,
			     "the range with handle %u has length 0", r->handle);
	else if (r->length - 1 > UINT64_MAX - r->base)
		tm_acpi_find(c->findings, c->cdat, r->offset + 16, TM_ACPI_RANGE, TM_ACPI_ERROR,
			     "the range with handle %u ends above the last address", r->handle);
	if (c->by_handle[r->handle]) {
		tm_acpi_find(c->findings, c->cdat, r->offset + 4, TM_ACPI_DUPLICATE, TM_ACPI_ERROR,
			     "handle %u was given already, at 0x%zx", r->handle,
			     c->by_handle[r->handle]->offset);
		return;
	}
	c->by_handle[r->handle] = r;
}

/* `c->by_handle` points into the list: it is sorted as a copy. */
static void check_overlaps(struct checking *c)
{
	struct tm_cdat_range *sorted = calloc(c->nr_ranges + 1, sizeof(*sorted));
	size_t nr = 0, far = 0;

	if (!sorted) {
		c->findings->failed = true;
		return;
	}
	for (size_t i = 0; i < c->nr_ranges; i++)
		if (c->ranges[i].length)
			sorted[nr++] = c->ranges[i];
	qsort(sorted, nr, sizeof(*sorted), by_base);
	for (size_t i = 1; i < nr; i++) {
		if (sorted[i].base <= last_of(&sorted[far]))
			tm_acpi_find(c->findings, c->cdat, sorted[i].offset, TM_ACPI_OVERLAP,
				     TM_ACPI_ERROR,
				     "the range with handle %u overlaps that with handle %u",
				     sorted[i].handle, sorted[far].handle);
		if (last_of(&sorted[i]) > last_of(&sorted[far]))
			far = i;
	}
	free(sorted);
}

static void check_handle(struct checking *c, size_t offset, unsigned handle)
{
	if (!c->by_handle[handle])
		tm_acpi_find(c->findings, c->cdat, offset, TM_ACPI_REFERENCE, TM_ACPI_WARNING,
			     "handle %u is that of no range", handle);
}

static void check_base_unit(struct checking *c, const struct tm_acpi_entry *entry, uint64_t unit)
{
	struct tm_acpi_value value;

	if (!unit && tm_acpi_value(c->cdat, entry, "base_unit", &value))
		tm_acpi_find(c->findings, c->cdat, value.offset, TM_ACPI_RANGE, TM_ACPI_ERROR,
			     "the base unit is 0: no entry has a figure");
}

static void check_perf(struct checking *c, const struct tm_acpi_entry *entry,
		       const struct tm_cdat_perf *p)
{
	size_t kind = (p->handle * 16u + p->hierarchy) * TM_HMAT_NR_DATA + p->data_type;
	struct tm_acpi_tally tally = { .nr = { 0 } };

	if (!c->initiator[p->handle])
		check_handle(c, p->offset + 4, p->handle);
	check_base_unit(c, entry, p->base_unit);
	if (p->data_type >= TM_HMAT_NR_DATA)
		return;
	if (p->base_unit) {
		tm_acpi_tally(&tally, &p->figure, p->offset + 16);
		tm_acpi_check_tally(c->cdat, &tally, c->findings);
	}
	if (c->given[kind / 8] >> kind % 8 & 1)
		tm_acpi_find(c->findings, c->cdat, p->offset, TM_ACPI_DUPLICATE, TM_ACPI_WARNING,
			     "handle %u has this data type already", p->handle);
	c->given[kind / 8] = (uint8_t)(c->given[kind / 8] | 1u << kind % 8);
}

static void check_efi(struct checking *c, const struct tm_cdat_efi *e)
{
	const struct tm_cdat_range *r = c->by_handle[e->handle];

	check_handle(c, e->offset + 4, e->handle);
	if (r && (e->base > r->length || e->length > r->length - e->base))
		tm_acpi_find(c->findings, c->cdat, e->offset + 8, TM_ACPI_RANGE, TM_ACPI_ERROR,
			     "0x%" PRIx64 " bytes from 0x%" PRIx64
			     " on are not in the range with handle %u, which has 0x%" PRIx64,
			     e->length, e->base, e->handle, r->length);
}

static void check_switch(struct checking *c, const struct tm_acpi_entry *entry,
			 const struct tm_cdat_switch *s)
{
	struct tm_acpi_tally tally = { .nr = { 0 } };

	check_base_unit(c, entry, s->base_unit);
	if (s->data_type >= TM_HMAT_NR_DATA || !s->base_unit)
		return;
	for (uint64_t i = 0; i < s->pairs.count; i++) {
		struct tm_cdat_pair pair = tm_cdat_pair(s, i);

		tm_acpi_tally(&tally, &pair.figure, s->pairs.offset + (size_t)i * 8 + 4);
	}
	tm_acpi_check_tally(c->cdat, &tally, c->findings);
}

static void check_entry(struct checking *c, const struct tm_acpi_entry *entry)
{
	struct tm_cdat_perf perf;
	struct tm_cdat_cache cache;
	struct tm_cdat_initiator initiator;
	struct tm_cdat_efi efi;
	struct tm_cdat_switch ports;

	if (tm_cdat_perf(c->cdat, entry, &perf))
		check_perf(c, entry, &perf);
	else if (tm_cdat_cache(c->cdat, entry, &cache))
		check_handle(c, cache.offset + 4, cache.handle);
	else if (tm_cdat_initiator(c->cdat, entry, &initiator) && initiator.memory_attached)
		check_handle(c, initiator.offset + 5, initiator.handle);
	else if (tm_cdat_efi(c->cdat, entry, &efi))
		check_efi(c, &efi);
	else if (tm_cdat_switch(c->cdat, entry, &ports))
		check_switch(c, entry, &ports);
}

static void check_all(struct checking *c)
{
	struct tm_cdat_initiator initiator;

	for (size_t i = 0; i < c->cdat->nr_entries; i++) {
		if (tm_cdat_range(c->cdat, &c->cdat->entries[i], &c->ranges[c->nr_ranges]))
			check_range(c, &c->ranges[c->nr_ranges++]);
		else if (tm_cdat_initiator(c->cdat, &c->cdat->entries[i], &initiator))
			c->initiator[initiator.handle] = true;
	}
	check_overlaps(c);
	for (size_t i = 0; i < c->cdat->nr_entries; i++)
		check_entry(c, &c->cdat->entries[i]);
}

void tm_acpi_check_cdat(const struct tm_acpi_table *cdat, struct tm_acpi_findings *findings)
{
	struct checking *c = calloc(1, sizeof(*c));

	if (c) {
		c->cdat = cdat;
		c->findings = findings;
		c->ranges = calloc(cdat->nr_entries + 1, sizeof(*c->ranges));
	}
	if (c && c->ranges)
		check_all(c);
	else
		findings->failed = true;
	if (c)
		free(c->ranges);
	free(c);
}
