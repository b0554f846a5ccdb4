/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/acpi/hmat.h"

#include "lib/base/compiler.h"

struct tm_hmat_figure tm_hmat_value(unsigned revision, unsigned data_type, uint16_t entry,
				    uint64_t base_unit)
{
	struct tm_hmat_figure figure = { tm_num_none(TM_NOT_PROVIDED), TM_HMAT_NOT_PROVIDED };
	uint64_t product, divisor = 1;

	if (data_type >= TM_HMAT_NR_DATA)
		return (struct tm_hmat_figure){ tm_num_none(TM_MALFORMED), TM_HMAT_MISSING };
	if (entry == 0xffff)
		figure.why = TM_HMAT_UNREACHABLE;
	if (!entry || entry == 0xffff || !base_unit)
		return figure;
	if (__builtin_mul_overflow(base_unit, (uint64_t)entry, &product))
		return (struct tm_hmat_figure){ tm_num_none(TM_MALFORMED), TM_HMAT_TOO_LARGE };
	/* Revision 1 counts both kinds in tenths, as the kernel reads it. */
	if (revision <= 1)
		divisor = 10;
	else if (tm_hmat_is_latency(data_type))
		divisor = 1000; /* picoseconds */
	if (revision <= 1 && product < 10)
		return figure;
	figure.why = product > UINT32_MAX ? TM_HMAT_BEYOND_KERNEL : TM_HMAT_VALUE;
	figure.num = tm_num_known(product / divisor + (product % divisor != 0));
	return figure;
}

bool tm_hmat_locality(const struct tm_acpi_table *hmat, const struct tm_acpi_entry *entry,
		      struct tm_hmat_locality *locality)
{
	struct tm_hmat_locality l = { .offset = entry->offset, .revision = hmat->revision };
	uint64_t flags;

	if (hmat->signature != TM_ACPI_HMAT || !tm_acpi_entry_is(entry, 1) ||
	    !tm_acpi_value(hmat, entry, "initiators", &l.initiators))
		return false;
	l.hierarchy = (unsigned)tm_acpi_number(hmat, entry, "hierarchy");
	l.hierarchy_name = tm_acpi_choice(hmat, entry, "hierarchy");
	l.data_type = (unsigned)tm_acpi_number(hmat, entry, "data_type");
	flags = tm_acpi_number(hmat, entry, "flags");
	l.min_transfer = flags & 1;
	l.non_sequential = flags >> 1 & 1;
	l.min_transfer_size = (unsigned)tm_acpi_number(hmat, entry, "min_transfer_size");
	l.base_unit = tm_acpi_number(hmat, entry, "base_unit");
	/* The ones after a list that is cut short cannot be placed: they are empty. */
	if (tm_acpi_value(hmat, entry, "targets", &l.targets) &&
	    tm_acpi_value(hmat, entry, "entries", &l.entries))
		l.whole = l.entries.count == l.entries.wanted;
	l.nr_initiators = (size_t)l.initiators.count;
	l.nr_targets = (size_t)l.targets.count;
	*locality = l;
	return true;
}

uint32_t tm_hmat_initiator(const struct tm_hmat_locality *locality, size_t i)
{
	return (uint32_t)tm_acpi_element(&locality->initiators, i);
}

uint32_t tm_hmat_target(const struct tm_hmat_locality *locality, size_t t)
{
	return (uint32_t)tm_acpi_element(&locality->targets, t);
}

bool tm_hmat_entry(const struct tm_hmat_locality *locality, size_t i, size_t t, uint16_t *entry,
		   size_t *offset)
{
	uint64_t index = (uint64_t)i * locality->nr_targets + t;

	if (i >= locality->nr_initiators || t >= locality->nr_targets ||
	    index >= locality->entries.count)
		return false;
	*entry = (uint16_t)tm_acpi_element(&locality->entries, index);
	*offset = locality->entries.offset + (size_t)index * 2;
	return true;
}

struct tm_hmat_figure tm_hmat_figure(const struct tm_hmat_locality *locality, size_t i, size_t t)
{
	uint16_t entry;
	size_t offset;

	if (!tm_hmat_entry(locality, i, t, &entry, &offset))
		return (struct tm_hmat_figure){ tm_num_none(TM_MALFORMED), TM_HMAT_MISSING };
	return tm_hmat_value(locality->revision, locality->data_type, entry, locality->base_unit);
}

bool tm_hmat_cache(const struct tm_acpi_table *hmat, const struct tm_acpi_entry *entry,
		   struct tm_hmat_cache *cache)
{
	struct tm_hmat_cache c = { .offset = entry->offset };

	if (hmat->signature != TM_ACPI_HMAT || !tm_acpi_entry_is(entry, 2) ||
	    !tm_acpi_value(hmat, entry, "smbios_handles", &c.smbios_handles))
		return false;
	c.domain = (uint32_t)tm_acpi_number(hmat, entry, "memory_domain");
	c.size_bytes = tm_acpi_number(hmat, entry, "size_bytes");
	c.total_levels = (unsigned)tm_acpi_number(hmat, entry, "total_levels");
	c.level = (unsigned)tm_acpi_number(hmat, entry, "level");
	c.associativity = (unsigned)tm_acpi_number(hmat, entry, "associativity");
	c.associativity_name = tm_acpi_choice(hmat, entry, "associativity");
	c.write_policy = (unsigned)tm_acpi_number(hmat, entry, "write_policy");
	c.write_policy_name = tm_acpi_choice(hmat, entry, "write_policy");
	c.line_size_bytes = (unsigned)tm_acpi_number(hmat, entry, "line_size_bytes");
	c.address_mode = (unsigned)tm_acpi_number(hmat, entry, "address_mode");
	*cache = c;
	return true;
}

bool tm_hmat_domain(const struct tm_acpi_table *hmat, const struct tm_acpi_entry *entry,
		    struct tm_hmat_domain *domain)
{
	struct tm_hmat_domain d = { .offset = entry->offset };
	uint64_t flags = tm_acpi_number(hmat, entry, "flags");

	if (hmat->signature != TM_ACPI_HMAT || !tm_acpi_entry_is(entry, 0))
		return false;
	d.initiator_valid = flags & 1;
	d.memory_valid = hmat->revision >= 2 || flags >> 1 & 1;
	d.initiator = (uint32_t)tm_acpi_number(hmat, entry, "initiator_domain");
	d.memory = (uint32_t)tm_acpi_number(hmat, entry, "memory_domain");
	d.base = tm_acpi_number(hmat, entry, "base_address");
	d.length = tm_acpi_number(hmat, entry, "range_bytes");
	*domain = d;
	return true;
}
