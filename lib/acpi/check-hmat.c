/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/acpi/check.h"
#include "lib/acpi/describe.h"
#include "lib/acpi/hmat.h"

void tm_acpi_tally(struct tm_acpi_tally *tally, const struct tm_hmat_figure *figure, size_t offset)
{
	if (!tally->nr[figure->why]++)
		tally->first[figure->why] = offset;
}

void tm_acpi_check_tally(const struct tm_acpi_table *table, const struct tm_acpi_tally *tally,
			 struct tm_acpi_findings *findings)
{
	static const struct {
		enum tm_hmat_why why;
		enum tm_acpi_severity severity;
		const char *text;
	} rows[] = {
		{ TM_HMAT_NOT_PROVIDED, TM_ACPI_NOTE, "not provided" },
		{ TM_HMAT_UNREACHABLE, TM_ACPI_NOTE,
		  "0xffff, the initiator cannot reach the target" },
		{ TM_HMAT_BEYOND_KERNEL, TM_ACPI_WARNING,
		  "over 32 bits with the base unit, which the kernel takes as 0" },
		{ TM_HMAT_TOO_LARGE, TM_ACPI_ERROR, "over 64 bits with the base unit" },
	};
	size_t all = 0;

	for (size_t i = 0; i < TM_ARRAY_SIZE(tally->nr); i++)
		all += tally->nr[i];
	for (size_t i = 0; i < TM_ARRAY_SIZE(rows); i++)
		if (tally->nr[rows[i].why])
			tm_acpi_find(findings, table, tally->first[rows[i].why], TM_ACPI_RANGE,
				     rows[i].severity, "%zu of %zu entries: %s",
				     tally->nr[rows[i].why], all, rows[i].text);
}

struct checking {
	const struct tm_acpi_table *hmat;
	const struct tm_srat_nodes *nodes;
	struct tm_acpi_findings *findings;
	/* The last structure of each hierarchy and data type; offset 0: none yet. */
	struct tm_hmat_locality last[16][TM_HMAT_NR_DATA];
};

/* A list of domains with each one's place, to find doubles in. */
struct named {
	uint32_t domain;
	size_t offset;
};

static int by_domain(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static struct named *sorted(const struct tm_acpi_value *list)
{
	struct named *names = calloc((size_t)list->count + 1, sizeof(*names));

	for (size_t i = 0; names && i < list->count; i++)
		names[i] = (struct named){ (uint32_t)tm_acpi_element(list, i),
					   list->offset + i * list->field->size };
	if (names && list->count)
		qsort(names, (size_t)list->count, sizeof(*names), by_domain);
	return names;
}

static void check_list(struct checking *c, const struct tm_acpi_value *list, bool initiators)
{
	const char *what = initiators ? "initiator" : "target";
	struct named *names = sorted(list);

	if (!names) {
		c->findings->failed = true;
		return;
	}
	/* Where the list's length is wrong, these may be anything. */
	for (size_t i = 0; i < list->count && list->count == list->wanted; i++) {
		const struct tm_srat_node *node =
			c->nodes ? tm_srat_domain(c->nodes, names[i].domain) : NULL;

		if (i && names[i].domain == names[i - 1].domain) {
			tm_acpi_find(c->findings, c->hmat, names[i].offset, TM_ACPI_DUPLICATE,
				     TM_ACPI_WARNING, "%s %" PRIu32 " is listed twice", what,
				     names[i].domain);
			continue;
		}
		if (c->nodes && (!node || node->has == TM_SRAT_HAS_WINDOW))
			tm_acpi_find(c->findings, c->hmat, names[i].offset, TM_ACPI_REFERENCE,
				     TM_ACPI_WARNING,
				     "%s %" PRIu32 " is a proximity domain that SRAT does not have",
				     what, names[i].domain);
	}
	free(names);
}

/* The smallest domain that both lists have; false: none. */
static bool common(const struct tm_acpi_value *a, const struct tm_acpi_value *b, uint32_t *domain,
		   bool *failed)
{
	struct named *x = sorted(a), *y = sorted(b);
	size_t i = 0, j = 0;
	bool found = false;

	*failed = !x || !y;
	while (!*failed && !found && i < a->count && j < b->count) {
		if (x[i].domain == y[j].domain) {
			*domain = x[i].domain;
			found = true;
		} else if (x[i].domain < y[j].domain) {
			i++;
		} else {
			j++;
		}
	}
	free(x);
	free(y);
	return found;
}

/* A pair that another structure of this hierarchy and type has given already. */
static void check_again(struct checking *c, const struct tm_hmat_locality *l)
{
	struct tm_hmat_locality *last;
	uint32_t initiator = 0, target = 0;
	bool failed = false, other = false;

	if (l->hierarchy >= TM_ARRAY_SIZE(c->last) || l->data_type >= TM_HMAT_NR_DATA)
		return;
	last = &c->last[l->hierarchy][l->data_type];
	if (last->offset && common(&last->initiators, &l->initiators, &initiator, &failed) &&
	    common(&last->targets, &l->targets, &target, &other))
		tm_acpi_find(c->findings, c->hmat, l->offset, TM_ACPI_DUPLICATE, TM_ACPI_WARNING,
			     "the figure from initiator %" PRIu32 " to target %" PRIu32
			     " was given already, in the structure at 0x%zx",
			     initiator, target, last->offset);
	if (failed || other)
		c->findings->failed = true;
	*last = *l;
}

static void check_locality(struct checking *c, const struct tm_acpi_entry *entry,
			   const struct tm_hmat_locality *l)
{
	struct tm_acpi_tally tally = { .nr = { 0 } };
	struct tm_acpi_value value;

	if (tm_acpi_value(c->hmat, entry, "base_unit", &value) && !l->base_unit)
		tm_acpi_find(c->findings, c->hmat, value.offset, TM_ACPI_RANGE, TM_ACPI_ERROR,
			     "the base unit is 0: no entry has a figure");
	if (!l->min_transfer && l->min_transfer_size &&
	    tm_acpi_value(c->hmat, entry, "min_transfer_size", &value))
		tm_acpi_find(c->findings, c->hmat, value.offset, TM_ACPI_RESERVED, TM_ACPI_NOTE,
			     "a minimum transfer size is given, and the flag for it is not set");
	check_list(c, &l->initiators, true);
	if (l->targets.field)
		check_list(c, &l->targets, false);
	if (l->data_type < TM_HMAT_NR_DATA && l->base_unit) {
		for (uint64_t i = 0; i < l->entries.count; i++) {
			struct tm_hmat_figure figure = tm_hmat_value(
				l->revision, l->data_type,
				(uint16_t)tm_acpi_element(&l->entries, i), l->base_unit);

			tm_acpi_tally(&tally, &figure, l->entries.offset + (size_t)i * 2);
		}
		tm_acpi_check_tally(c->hmat, &tally, c->findings);
	}
	check_again(c, l);
}

/* The kernel reads these first, and drops the table for a domain that SRAT lacks. */
static void check_domain(struct checking *c, const struct tm_hmat_domain *d)
{
	const struct tm_srat_node *memory, *initiator;

	if (!c->nodes)
		return;
	memory = tm_srat_domain(c->nodes, d->memory);
	initiator = tm_srat_domain(c->nodes, d->initiator);
	if (d->memory_valid && (!memory || !(memory->has & TM_SRAT_HAS_MEMORY)))
		tm_acpi_find(c->findings, c->hmat, d->offset + 16, TM_ACPI_REFERENCE,
			     TM_ACPI_REFUSED, "SRAT has no memory in proximity domain %" PRIu32,
			     d->memory);
	else if (d->memory_valid && d->initiator_valid &&
		 (!initiator || initiator->has == TM_SRAT_HAS_WINDOW || initiator->doubtful))
		tm_acpi_find(c->findings, c->hmat, d->offset + 12, TM_ACPI_REFERENCE,
			     TM_ACPI_REFUSED,
			     "initiator %" PRIu32 " is a proximity domain that SRAT does not have",
			     d->initiator);
}

static void check_cache(struct checking *c, const struct tm_hmat_cache *cache)
{
	const struct tm_srat_node *node = c->nodes ? tm_srat_domain(c->nodes, cache->domain) : NULL;

	if (cache->level > cache->total_levels && cache->total_levels)
		tm_acpi_find(c->findings, c->hmat, cache->offset + 24, TM_ACPI_RANGE, TM_ACPI_ERROR,
			     "cache level %u of %u", cache->level, cache->total_levels);
	if (c->nodes && (!node || !(node->has & TM_SRAT_HAS_MEMORY)))
		tm_acpi_find(c->findings, c->hmat, cache->offset + 8, TM_ACPI_REFERENCE,
			     TM_ACPI_WARNING,
			     "a cache of proximity domain %" PRIu32 ", in which SRAT has no memory",
			     cache->domain);
}

/* Caches of one domain and level, and memory domains with two different initiators. */
struct said {
	uint64_t key;
	uint32_t value;
	size_t offset;
};

static int by_key(const void *a, const void *b)
{
	const struct said *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void check_doubles(struct checking *c)
{
	struct said *said = calloc(c->hmat->nr_entries + 1, sizeof(*said));
	struct tm_hmat_domain domain;
	struct tm_hmat_cache cache;
	size_t nr = 0;

	if (!said) {
		c->findings->failed = true;
		return;
	}
	for (size_t i = 0; i < c->hmat->nr_entries; i++) {
		const struct tm_acpi_entry *entry = &c->hmat->entries[i];

		if (tm_hmat_cache(c->hmat, entry, &cache))
			said[nr++] = (struct said){ 1ull << 40 | (uint64_t)cache.domain << 4 |
							    cache.level,
						    0, cache.offset };
		else if (tm_hmat_domain(c->hmat, entry, &domain) && domain.initiator_valid)
			said[nr++] =
				(struct said){ domain.memory, domain.initiator, domain.offset };
	}
	qsort(said, nr, sizeof(*said), by_key);
	for (size_t i = 1; i < nr; i++) {
		if (said[i].key != said[i - 1].key)
			continue;
		if (said[i].key >> 40)
			tm_acpi_find(c->findings, c->hmat, said[i].offset, TM_ACPI_DUPLICATE,
				     TM_ACPI_WARNING,
				     "this cache level of this proximity domain was given already, "
				     "at 0x%zx",
				     said[i - 1].offset);
		else if (said[i].value != said[i - 1].value)
			tm_acpi_find(c->findings, c->hmat, said[i].offset, TM_ACPI_DUPLICATE,
				     TM_ACPI_WARNING,
				     "proximity domain %" PRIu64 " was attached already, at 0x%zx, "
				     "to another initiator",
				     said[i].key, said[i - 1].offset);
	}
	free(said);
}

void tm_acpi_check_hmat(const struct tm_acpi_table *hmat, const struct tm_srat_nodes *nodes,
			struct tm_acpi_findings *findings)
{
	struct checking *c = calloc(1, sizeof(*c));
	struct tm_hmat_locality locality;
	struct tm_hmat_domain domain;
	struct tm_hmat_cache cache;

	if (!c) {
		findings->failed = true;
		return;
	}
	c->hmat = hmat;
	c->nodes = nodes;
	c->findings = findings;
	for (size_t i = 0; i < hmat->nr_entries; i++) {
		const struct tm_acpi_entry *entry = &hmat->entries[i];

		if (tm_hmat_locality(hmat, entry, &locality))
			check_locality(c, entry, &locality);
		else if (tm_hmat_cache(hmat, entry, &cache))
			check_cache(c, &cache);
		else if (tm_hmat_domain(hmat, entry, &domain))
			check_domain(c, &domain);
	}
	check_doubles(c);
	free(c);
}
