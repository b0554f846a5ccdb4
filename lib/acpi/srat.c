/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/acpi/srat.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"

static void read_handle(const struct tm_acpi_table *srat, const struct tm_acpi_entry *entry,
			struct tm_srat_affinity *a)
{
	struct tm_acpi_value hid;

	a->handle_type = (unsigned)tm_acpi_number(srat, entry, "handle_type");
	if (tm_acpi_value(srat, entry, "hid", &hid)) {
		memcpy(a->hid, hid.bytes, TM_MIN(hid.size, sizeof(a->hid) - 1));
		a->uid = (uint32_t)tm_acpi_number(srat, entry, "uid");
	}
	a->segment = (unsigned)tm_acpi_number(srat, entry, "pci_segment");
	a->bus = (unsigned)tm_acpi_number(srat, entry, "pci_bus");
	a->device = (unsigned)tm_acpi_number(srat, entry, "pci_device");
	a->function = (unsigned)tm_acpi_number(srat, entry, "pci_function");
}

bool tm_srat_affinity(const struct tm_acpi_table *srat, const struct tm_acpi_entry *entry,
		      struct tm_srat_affinity *affinity)
{
	struct tm_srat_affinity a = { .offset = entry->offset, .type = entry->type };
	uint64_t flags = tm_acpi_number(srat, entry, "flags");

	if (srat->signature != TM_ACPI_SRAT || !tm_acpi_entry_is(entry, entry->type))
		return false;
	a.domain = (uint32_t)tm_acpi_number(srat, entry, "domain");
	a.enabled = flags & 1;
	switch (entry->type) {
	case 0:
		a.domain = (uint32_t)(tm_acpi_number(srat, entry, "domain_high") << 8 |
				      tm_acpi_number(srat, entry, "domain_low"));
		/* fallthrough */
	case 2:
		a.kind = TM_SRAT_CPU;
		a.cpu = (uint32_t)tm_acpi_number(srat, entry, "apic_id");
		break;
	case 3:
	case 7:
		a.kind = TM_SRAT_CPU;
		a.cpu = (uint32_t)tm_acpi_number(srat, entry, "processor_uid");
		break;
	case 1:
		a.kind = TM_SRAT_MEMORY;
		a.base = tm_acpi_number(srat, entry, "base_address");
		a.length = tm_acpi_number(srat, entry, "range_bytes");
		a.hot_pluggable = flags >> 1 & 1;
		a.non_volatile = flags >> 2 & 1;
		a.specific_purpose = flags >> 3 & 1;
		break;
	case 4:
		a.kind = TM_SRAT_ITS;
		a.enabled = true; /* it has no such flag */
		break;
	case 5:
	case 6:
		a.kind = entry->type == 5 ? TM_SRAT_INITIATOR : TM_SRAT_PORT;
		read_handle(srat, entry, &a);
		break;
	default:
		return false;
	}
	*affinity = a;
	return true;
}

static int by_base(const void *a, const void *b)
{
	const struct tm_srat_range *x = a, *y = b;

	if (x->base != y->base)
		return x->base < y->base ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

int tm_srat_ranges(const struct tm_acpi_table *srat, struct tm_srat_range **ranges, size_t *nr,
		   struct tm_error *err)
{
	struct tm_srat_range *list = calloc(srat->nr_entries + 1, sizeof(*list));
	struct tm_srat_affinity a;
	size_t count = 0;

	if (!list)
		return tm_error_nomem(err);
	for (size_t i = 0; i < srat->nr_entries; i++) {
		if (!tm_srat_affinity(srat, &srat->entries[i], &a) || a.kind != TM_SRAT_MEMORY ||
		    !a.enabled || !a.length)
			continue;
		list[count].base = a.base;
		list[count].last = a.length - 1 > UINT64_MAX - a.base ? UINT64_MAX :
									a.base + (a.length - 1);
		list[count].domain = a.domain;
		list[count++].offset = a.offset;
	}
	qsort(list, count, sizeof(*list), by_base);
	*ranges = list;
	*nr = count;
	return 0;
}
