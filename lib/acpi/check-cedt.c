/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/acpi/cedt.h"
#include "lib/acpi/check.h"
#include "lib/base/compiler.h"

/* An address range or a number, with the place where it stands. */
struct item {
	uint64_t first;
	uint64_t last;
	size_t offset;
};

struct checking {
	const struct tm_acpi_table *cedt;
	struct tm_acpi_findings *findings;
	struct item *windows;
	size_t nr_windows;
	struct item *bridges; /* by UID */
	size_t nr_bridges;
	/* By granularity code: how many XOR maps there are (-1: no structure), where, and the most
	 * that a window needs (-1: none uses them). */
	int maps[7];
	size_t maps_at[7];
	int needed[7];
};

static int by_first(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int by_first_only(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static void check_bridge(struct checking *c, const struct tm_cedt_bridge *b)
{
	static const uint64_t lengths[] = { 0x2000, 0x10000 };

	c->bridges[c->nr_bridges++] = (struct item){ b->uid, b->uid, b->offset };
	if (b->version < TM_ARRAY_SIZE(lengths) && b->length != lengths[b->version])
		tm_acpi_find(c->findings, c->cedt, b->offset + 24, TM_ACPI_LENGTH, TM_ACPI_ERROR,
			     "the registers of host bridge %" PRIu32 " have a length of 0x%" PRIx64
			     ", and CXL %s has 0x%" PRIx64,
			     b->uid, b->length, b->version ? "2.0" : "1.1", lengths[b->version]);
}

static void check_xor(struct checking *c, const struct tm_cedt_xor *x)
{
	if (x->granularity_code >= TM_ARRAY_SIZE(c->maps))
		return;
	if (c->maps[x->granularity_code] >= 0) {
		tm_acpi_find(c->findings, c->cedt, x->offset, TM_ACPI_DUPLICATE, TM_ACPI_WARNING,
			     "XOR maps for a granularity of %" PRIu64 " were given already",
			     x->granularity);
		return;
	}
	c->maps[x->granularity_code] = (int)x->maps.count;
	c->maps_at[x->granularity_code] = x->offset;
}

static void check_place(struct checking *c, const struct tm_cedt_window *w)
{
	if (w->base % TM_CEDT_WINDOW_UNIT)
		tm_acpi_find(c->findings, c->cedt, w->offset + 8, TM_ACPI_RANGE, TM_ACPI_ERROR,
			     "the window's base 0x%" PRIx64 " is no multiple of 256 MiB", w->base);
	if (!w->length || w->length % TM_CEDT_WINDOW_UNIT)
		tm_acpi_find(c->findings, c->cedt, w->offset + 16, TM_ACPI_RANGE, TM_ACPI_ERROR,
			     "the window's size 0x%" PRIx64 " is %s", w->length,
			     w->length ? "no multiple of 256 MiB" : "nothing");
	if (!w->length)
		return;
	if (w->length - 1 > UINT64_MAX - w->base) {
		tm_acpi_find(c->findings, c->cedt, w->offset + 16, TM_ACPI_RANGE, TM_ACPI_ERROR,
			     "the window at 0x%" PRIx64 " ends above the last address", w->base);
		return;
	}
	c->windows[c->nr_windows++] =
		(struct item){ w->base, w->base + (w->length - 1), w->offset };
}

static void check_targets(struct checking *c, const struct tm_cedt_window *w)
{
	if (w->ways && w->targets.count != w->ways)
		tm_acpi_find(c->findings, c->cedt, w->targets.offset, TM_ACPI_LENGTH,
			     w->targets.count < w->ways ? TM_ACPI_ERROR : TM_ACPI_WARNING,
			     "a window of %u ways has %" PRIu64 " targets", w->ways,
			     w->targets.count);
	for (uint64_t i = 0; i < w->targets.count && (!w->ways || i < w->ways); i++) {
		struct item uid = { .first = tm_acpi_element(&w->targets, i) };

		if (!c->nr_bridges ||
		    !bsearch(&uid, c->bridges, c->nr_bridges, sizeof(uid), by_first_only))
			tm_acpi_find(c->findings, c->cedt, w->targets.offset + (size_t)i * 4,
				     TM_ACPI_REFERENCE, TM_ACPI_ERROR,
				     "target %" PRIu64 " is the UID of no host bridge here",
				     uid.first);
	}
}

static void check_arithmetic(struct checking *c, const struct tm_cedt_window *w)
{
	int wanted = (int)tm_cedt_maps(w->ways), *needed;

	if (w->arithmetic != 1 || !w->ways || !w->granularity)
		return;
	needed = &c->needed[w->granularity_code];
	*needed = TM_MAX(*needed, wanted);
	if (wanted && c->maps[w->granularity_code] < 0)
		tm_acpi_find(c->findings, c->cedt, w->offset + 25, TM_ACPI_REFERENCE, TM_ACPI_ERROR,
			     "XOR arithmetic, and no XOR maps for its granularity of %" PRIu64,
			     w->granularity);
	else if (wanted > c->maps[w->granularity_code] && wanted)
		tm_acpi_find(c->findings, c->cedt, w->offset + 25, TM_ACPI_LENGTH, TM_ACPI_ERROR,
			     "XOR arithmetic over %u ways takes %d maps, and there are %d", w->ways,
			     wanted, c->maps[w->granularity_code]);
}

/* Windows of one granularity share the maps: only more than any of them needs is too many. */
static void check_map_counts(struct checking *c)
{
	for (size_t i = 0; i < TM_ARRAY_SIZE(c->maps); i++)
		if (c->needed[i] >= 0 && c->maps[i] > c->needed[i])
			tm_acpi_find(c->findings, c->cedt, c->maps_at[i], TM_ACPI_LENGTH,
				     TM_ACPI_WARNING,
				     "%d XOR maps for a granularity of %" PRIu64
				     ", and no window needs more than %d",
				     c->maps[i], tm_cedt_granularity(i), c->needed[i]);
}

static void check_doubles(struct checking *c)
{
	size_t far = 0;

	for (size_t i = 1; i < c->nr_bridges; i++)
		if (c->bridges[i].first == c->bridges[i - 1].first)
			tm_acpi_find(c->findings, c->cedt, c->bridges[i].offset, TM_ACPI_DUPLICATE,
				     TM_ACPI_WARNING,
				     "host bridge %" PRIu64 " was given already, at 0x%zx",
				     c->bridges[i].first, c->bridges[i - 1].offset);
	for (size_t i = 1; i < c->nr_windows; i++) {
		if (c->windows[i].first <= c->windows[far].last)
			tm_acpi_find(c->findings, c->cedt, c->windows[i].offset, TM_ACPI_OVERLAP,
				     TM_ACPI_ERROR,
				     "the window at 0x%" PRIx64 " overlaps the one at 0x%" PRIx64,
				     c->windows[i].first, c->windows[far].first);
		if (c->windows[i].last > c->windows[far].last)
			far = i;
	}
}

static void check_all(struct checking *c)
{
	struct tm_cedt_bridge bridge;
	struct tm_cedt_window window;
	struct tm_cedt_xor maps;

	/* Windows name the others, which may come later in the table. */
	for (size_t i = 0; i < c->cedt->nr_entries; i++) {
		if (tm_cedt_bridge(c->cedt, &c->cedt->entries[i], &bridge))
			check_bridge(c, &bridge);
		else if (tm_cedt_xor(c->cedt, &c->cedt->entries[i], &maps))
			check_xor(c, &maps);
	}
	qsort(c->bridges, c->nr_bridges, sizeof(*c->bridges), by_first);
	for (size_t i = 0; i < c->cedt->nr_entries; i++) {
		if (!tm_cedt_window(c->cedt, &c->cedt->entries[i], &window))
			continue;
		check_place(c, &window);
		check_targets(c, &window);
		check_arithmetic(c, &window);
	}
	check_map_counts(c);
	qsort(c->windows, c->nr_windows, sizeof(*c->windows), by_first);
	check_doubles(c);
}

void tm_acpi_check_cedt(const struct tm_acpi_table *cedt, struct tm_acpi_findings *findings)
{
	struct checking c = { .cedt = cedt, .findings = findings };

	for (size_t i = 0; i < TM_ARRAY_SIZE(c.maps); i++)
		c.maps[i] = c.needed[i] = -1;
	c.windows = calloc(cedt->nr_entries + 1, sizeof(*c.windows));
	c.bridges = calloc(cedt->nr_entries + 1, sizeof(*c.bridges));
	if (c.windows && c.bridges)
		check_all(&c);
	else
		findings->failed = true;
	free(c.windows);
	free(c.bridges);
}
