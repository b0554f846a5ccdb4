/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which node the kernel makes of a proximity domain: tm_srat_nodes(). */
#include <stdlib.h>

#include "lib/acpi/cedt.h"
#include "lib/acpi/srat.h"
#include "lib/base/buf.h"
#include "lib/base/compiler.h"

/* A domain where it appears. The order of appearance is what numbers nodes. */
struct mention {
	uint64_t domain;
	uint64_t rank;
	unsigned has;
	uint64_t base;
	uint64_t length;
};

struct mentions {
	struct mention *list;
	size_t nr;
	size_t cap;
};

/* The passes. Within one, the table's order counts. */
enum { PASS_INITIATORS = 1, PASS_MEMORY, PASS_WINDOWS, PASS_PORTS };

static int add(struct mentions *mentions, unsigned pass, size_t index, struct mention mention)
{
	if (tm_array_grow(&mentions->list, mentions->nr, &mentions->cap, sizeof(*mentions->list)))
		return -1;
	mention.rank = (uint64_t)pass << 32 | (uint32_t)index;
	mentions->list[mentions->nr++] = mention;
	return 0;
}

static int add_srat(struct mentions *mentions, const struct tm_acpi_table *srat)
{
	static const struct {
		unsigned pass, has;
	} kinds[] = {
		[TM_SRAT_CPU] = { PASS_INITIATORS, TM_SRAT_HAS_CPU },
		[TM_SRAT_INITIATOR] = { PASS_INITIATORS, TM_SRAT_HAS_INITIATOR },
		[TM_SRAT_MEMORY] = { PASS_MEMORY, TM_SRAT_HAS_MEMORY },
		[TM_SRAT_PORT] = { PASS_PORTS, TM_SRAT_HAS_PORT },
		[TM_SRAT_ITS] = { 0, 0 },
	};
	struct tm_srat_affinity a;

	for (size_t i = 0; i < srat->nr_entries; i++) {
		if (!tm_srat_affinity(srat, &srat->entries[i], &a) || !a.enabled ||
		    !kinds[a.kind].pass)
			continue;
		if (add(mentions, kinds[a.kind].pass, i,
			(struct mention){ .domain = a.domain, .has = kinds[a.kind].has }))
			return -1;
	}
	return 0;
}

/* Does a window share an address with memory? For each range, `last` is here that of all so far. */
static bool meets(const struct tm_srat_range *ranges, size_t nr, uint64_t base, uint64_t last)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].base <= last)
			low = middle + 1;
		else
			high = middle;
	}
	return low && ranges[low - 1].last >= base;
}

static int add_windows(struct mentions *mentions, const struct tm_acpi_table *srat,
		       const struct tm_acpi_table *cedt)
{
	struct tm_srat_range *ranges;
	struct tm_cedt_window w;
	uint64_t domain = 0;
	size_t nr;
	int rc = 0;

	for (size_t i = 0; i < mentions->nr; i++)
		if (mentions->list[i].has != TM_SRAT_HAS_PORT)
			domain = TM_MAX(domain, mentions->list[i].domain + 1);
	if (tm_srat_ranges(srat, &ranges, &nr, NULL))
		return -1;
	for (size_t i = 1; i < nr; i++)
		ranges[i].last = TM_MAX(ranges[i].last, ranges[i - 1].last);
	for (size_t i = 0; i < cedt->nr_entries && !rc && domain <= UINT32_MAX; i++) {
		uint64_t last;

		if (!tm_cedt_window(cedt, &cedt->entries[i], &w) || !w.length)
			continue;
		last = w.length - 1 > UINT64_MAX - w.base ? UINT64_MAX : w.base + (w.length - 1);
		if (!meets(ranges, nr, w.base, last))
			rc = add(mentions, PASS_WINDOWS, i,
				 (struct mention){ domain++, 0, TM_SRAT_HAS_WINDOW, w.base,
						   w.length });
	}
	free(ranges);
	return rc;
}

static int by_domain(const void *a, const void *b)
{
	const struct mention *x = a, *y = b;

	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int by_rank(const void *a, const void *b)
{
	const struct mention *x = a, *y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* One mention a domain is left: the first, with all that the domain has. */
static void merge(struct mentions *mentions)
{
	size_t kept = 0;

	qsort(mentions->list, mentions->nr, sizeof(*mentions->list), by_domain);
	for (size_t i = 0; i < mentions->nr; i++) {
		struct mention *last = kept ? &mentions->list[kept - 1] : NULL;

		if (last && last->domain == mentions->list[i].domain)
			last->has |= mentions->list[i].has;
		else
			mentions->list[kept++] = mentions->list[i];
	}
	mentions->nr = kept;
}

static int by_node_domain(const void *a, const void *b)
{
	const struct tm_srat_node *x = a, *y = b;

	return x->domain < y->domain ? -1 : x->domain > y->domain;
}

int tm_srat_nodes(const struct tm_acpi_table *srat, const struct tm_acpi_table *cedt,
		  struct tm_srat_nodes *nodes, struct tm_error *err)
{
	struct mentions mentions = { NULL, 0, 0 };
	struct tm_srat_node *list = NULL;

	if (add_srat(&mentions, srat) || (cedt && add_windows(&mentions, srat, cedt)))
		goto failed;
	list = calloc(mentions.nr + 1, sizeof(*list));
	if (!list)
		goto failed;
	if (mentions.nr) {
		merge(&mentions);
		qsort(mentions.list, mentions.nr, sizeof(*mentions.list), by_rank);
	}
	for (size_t i = 0; i < mentions.nr; i++) {
		const struct mention *m = &mentions.list[i];
		const unsigned port_and_window = TM_SRAT_HAS_PORT | TM_SRAT_HAS_WINDOW;

		list[i] = (struct tm_srat_node){
			.domain = (uint32_t)m->domain,
			.node = (int)i,
			.has = m->has,
			.doubtful = m->has & TM_SRAT_HAS_PORT && !(m->has & ~port_and_window),
			.base = m->base,
			.length = m->length,
		};
	}
	qsort(list, mentions.nr, sizeof(*list), by_node_domain);
	free(mentions.list);
	nodes->list = list;
	nodes->nr = mentions.nr;
	return 0;
failed:
	free(mentions.list);
	return tm_error_nomem(err);
}

void tm_srat_nodes_release(struct tm_srat_nodes *nodes)
{
	free(nodes->list);
	*nodes = (struct tm_srat_nodes){ NULL, 0 };
}

const struct tm_srat_node *tm_srat_domain(const struct tm_srat_nodes *nodes, uint32_t domain)
{
	const struct tm_srat_node key = { .domain = domain };

	return nodes->nr ? bsearch(&key, nodes->list, nodes->nr, sizeof(key), by_node_domain) :
			   NULL;
}

const struct tm_srat_node *tm_srat_node(const struct tm_srat_nodes *nodes, int node)
{
	for (size_t i = 0; i < nodes->nr; i++)
		if (nodes->list[i].node == node)
			return &nodes->list[i];
	return NULL;
}
