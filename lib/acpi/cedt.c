/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/acpi/cedt.h"

unsigned tm_cedt_ways(unsigned code)
{
	if (code <= 4)
		return 1u << code;
	return code >= 8 && code <= 10 ? 3u << (code - 8) : 0;
}

uint64_t tm_cedt_granularity(uint64_t code)
{
	return code <= 6 ? 256ull << code : 0;
}

unsigned tm_cedt_maps(unsigned ways)
{
	unsigned maps = 0;

	if (ways % 3 == 0)
		ways /= 3;
	while (ways > 1) {
		ways /= 2;
		maps++;
	}
	return maps;
}

static bool is(const struct tm_acpi_table *cedt, const struct tm_acpi_entry *entry, uint32_t type)
{
	return cedt->signature == TM_ACPI_CEDT && tm_acpi_entry_is(entry, type);
}

bool tm_cedt_bridge(const struct tm_acpi_table *cedt, const struct tm_acpi_entry *entry,
		    struct tm_cedt_bridge *bridge)
{
	if (!is(cedt, entry, 0))
		return false;
	*bridge = (struct tm_cedt_bridge){
		.offset = entry->offset,
		.uid = (uint32_t)tm_acpi_number(cedt, entry, "uid"),
		.version = (unsigned)tm_acpi_number(cedt, entry, "cxl_version"),
		.base = tm_acpi_number(cedt, entry, "base_address"),
		.length = tm_acpi_number(cedt, entry, "range_bytes"),
	};
	return true;
}

bool tm_cedt_window(const struct tm_acpi_table *cedt, const struct tm_acpi_entry *entry,
		    struct tm_cedt_window *window)
{
	struct tm_cedt_window w = { .offset = entry->offset };

	if (!is(cedt, entry, 1) || !tm_acpi_value(cedt, entry, "targets", &w.targets))
		return false;
	w.base = tm_acpi_number(cedt, entry, "base_address");
	w.length = tm_acpi_number(cedt, entry, "range_bytes");
	w.ways = tm_cedt_ways((unsigned)tm_acpi_number(cedt, entry, "interleave_ways"));
	w.granularity_code = (unsigned)tm_acpi_number(cedt, entry, "interleave_granularity");
	w.granularity = tm_cedt_granularity(w.granularity_code);
	w.arithmetic = (unsigned)tm_acpi_number(cedt, entry, "interleave_arithmetic");
	w.restrictions = (unsigned)tm_acpi_number(cedt, entry, "restrictions");
	w.qtg = (unsigned)tm_acpi_number(cedt, entry, "qtg_id");
	*window = w;
	return true;
}

bool tm_cedt_xor(const struct tm_acpi_table *cedt, const struct tm_acpi_entry *entry,
		 struct tm_cedt_xor *maps)
{
	struct tm_cedt_xor m = { .offset = entry->offset };

	if (!is(cedt, entry, 2) || !tm_acpi_value(cedt, entry, "maps", &m.maps))
		return false;
	m.granularity_code = (unsigned)tm_acpi_number(cedt, entry, "interleave_granularity");
	m.granularity = tm_cedt_granularity(m.granularity_code);
	*maps = m;
	return true;
}

bool tm_cedt_collector(const struct tm_acpi_table *cedt, const struct tm_acpi_entry *entry,
		       struct tm_cedt_collector *collector)
{
	struct tm_acpi_value protocol;

	if (!is(cedt, entry, 3))
		return false;
	*collector = (struct tm_cedt_collector){
		.offset = entry->offset,
		.segment = (unsigned)tm_acpi_number(cedt, entry, "pci_segment"),
		.bus = (unsigned)tm_acpi_number(cedt, entry, "pci_bus"),
		.device = (unsigned)tm_acpi_number(cedt, entry, "pci_device"),
		.function = (unsigned)tm_acpi_number(cedt, entry, "pci_function"),
		.base = tm_acpi_number(cedt, entry, "base_address"),
	};
	collector->has_protocol = tm_acpi_value(cedt, entry, "protocol", &protocol);
	collector->protocol = collector->has_protocol ? (unsigned)protocol.number : 0;
	return true;
}
