/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/acpi/cdat.h"

/* CDAT counts as HMAT does since this revision. */
#define AS_HMAT_REVISION 2

static bool is(const struct tm_acpi_table *cdat, const struct tm_acpi_entry *entry, uint32_t type)
{
	return cdat->signature == TM_ACPI_CDAT && tm_acpi_entry_is(entry, type);
}

bool tm_cdat_range(const struct tm_acpi_table *cdat, const struct tm_acpi_entry *entry,
		   struct tm_cdat_range *range)
{
	if (!is(cdat, entry, 0))
		return false;
	*range = (struct tm_cdat_range){
		.offset = entry->offset,
		.handle = (unsigned)tm_acpi_number(cdat, entry, "handle"),
		.flags = (unsigned)tm_acpi_number(cdat, entry, "flags"),
		.base = tm_acpi_number(cdat, entry, "base_address"),
		.length = tm_acpi_number(cdat, entry, "range_bytes"),
	};
	return true;
}

bool tm_cdat_perf(const struct tm_acpi_table *cdat, const struct tm_acpi_entry *entry,
		  struct tm_cdat_perf *perf)
{
	struct tm_cdat_perf p = { .offset = entry->offset };
	struct tm_acpi_value entries;

	if (!is(cdat, entry, 1) || !tm_acpi_value(cdat, entry, "entries", &entries) ||
	    entries.count < 3)
		return false;
	p.handle = (unsigned)tm_acpi_number(cdat, entry, "handle");
	p.hierarchy = (unsigned)tm_acpi_number(cdat, entry, "hierarchy");
	p.hierarchy_name = tm_acpi_choice(cdat, entry, "hierarchy");
	p.data_type = (unsigned)tm_acpi_number(cdat, entry, "data_type");
	p.base_unit = tm_acpi_number(cdat, entry, "base_unit");
	for (unsigned i = 0; i < 3; i++)
		p.entry[i] = (uint16_t)tm_acpi_element(&entries, i);
	p.figure = tm_hmat_value(AS_HMAT_REVISION, p.data_type, p.entry[0], p.base_unit);
	*perf = p;
	return true;
}

bool tm_cdat_cache(const struct tm_acpi_table *cdat, const struct tm_acpi_entry *entry,
		   struct tm_cdat_cache *cache)
{
	if (!is(cdat, entry, 2))
		return false;
	*cache = (struct tm_cdat_cache){
		.offset = entry->offset,
		.handle = (unsigned)tm_acpi_number(cdat, entry, "handle"),
		.size_bytes = tm_acpi_number(cdat, entry, "size_bytes"),
		.total_levels = (unsigned)tm_acpi_number(cdat, entry, "total_levels"),
		.level = (unsigned)tm_acpi_number(cdat, entry, "level"),
		.line_size_bytes = (unsigned)tm_acpi_number(cdat, entry, "line_size_bytes"),
		.associativity_name = tm_acpi_choice(cdat, entry, "associativity"),
		.write_policy_name = tm_acpi_choice(cdat, entry, "write_policy"),
	};
	return true;
}

bool tm_cdat_initiator(const struct tm_acpi_table *cdat, const struct tm_acpi_entry *entry,
		       struct tm_cdat_initiator *initiator)
{
	if (!is(cdat, entry, 3))
		return false;
	*initiator = (struct tm_cdat_initiator){
		.offset = entry->offset,
		.memory_attached = tm_acpi_number(cdat, entry, "flags") & 1,
		.handle = (unsigned)tm_acpi_number(cdat, entry, "handle"),
	};
	return true;
}

bool tm_cdat_efi(const struct tm_acpi_table *cdat, const struct tm_acpi_entry *entry,
		 struct tm_cdat_efi *efi)
{
	if (!is(cdat, entry, 4))
		return false;
	*efi = (struct tm_cdat_efi){
		.offset = entry->offset,
		.handle = (unsigned)tm_acpi_number(cdat, entry, "handle"),
		.efi_type = (unsigned)tm_acpi_number(cdat, entry, "efi_type"),
		.base = tm_acpi_number(cdat, entry, "offset_bytes"),
		.length = tm_acpi_number(cdat, entry, "range_bytes"),
	};
	return true;
}

bool tm_cdat_switch(const struct tm_acpi_table *cdat, const struct tm_acpi_entry *entry,
		    struct tm_cdat_switch *ports)
{
	struct tm_cdat_switch p = { .offset = entry->offset };

	if (!is(cdat, entry, 5) || !tm_acpi_value(cdat, entry, "pairs", &p.pairs))
		return false;
	p.data_type = (unsigned)tm_acpi_number(cdat, entry, "data_type");
	p.base_unit = tm_acpi_number(cdat, entry, "base_unit");
	*ports = p;
	return true;
}

struct tm_cdat_pair tm_cdat_pair(const struct tm_cdat_switch *ports, uint64_t i)
{
	struct tm_acpi_iter iter = tm_acpi_record(&ports->pairs, i);
	uint16_t number[3] = { 0 }; /* x, y, entry */
	struct tm_acpi_value value;

	for (unsigned n = 0; n < 3 && tm_acpi_iter_next(&iter, &value); n++)
		number[n] = (uint16_t)value.number;
	return (struct tm_cdat_pair){ number[0], number[1],
				      tm_hmat_value(AS_HMAT_REVISION, ports->data_type, number[2],
						    ports->base_unit) };
}

bool tm_cdat_has_all(const struct tm_cdat_figures *figures)
{
	return tm_num_is(&figures->read_latency) && tm_num_is(&figures->write_latency) &&
	       tm_num_is(&figures->read_bandwidth) && tm_num_is(&figures->write_bandwidth);
}

static void set_figure(struct tm_cdat_figures *figures, unsigned data_type, struct tm_num num)
{
	if (data_type == TM_HMAT_ACCESS_LATENCY || data_type == TM_HMAT_READ_LATENCY)
		figures->read_latency = num;
	if (data_type == TM_HMAT_ACCESS_LATENCY || data_type == TM_HMAT_WRITE_LATENCY)
		figures->write_latency = num;
	if (data_type == TM_HMAT_ACCESS_BANDWIDTH || data_type == TM_HMAT_READ_BANDWIDTH)
		figures->read_bandwidth = num;
	if (data_type == TM_HMAT_ACCESS_BANDWIDTH || data_type == TM_HMAT_WRITE_BANDWIDTH)
		figures->write_bandwidth = num;
}

struct tm_cdat_figures tm_cdat_figures(const struct tm_acpi_table *cdat, unsigned handle)
{
	const struct tm_num none = tm_num_none(TM_NOT_PROVIDED);
	struct tm_cdat_figures figures = { none, none, none, none };
	struct tm_cdat_perf perf;

	for (size_t i = 0; i < cdat->nr_entries; i++) {
		if (tm_cdat_perf(cdat, &cdat->entries[i], &perf) && perf.handle == handle &&
		    !perf.hierarchy && perf.figure.why == TM_HMAT_VALUE)
			set_figure(&figures, perf.data_type, perf.figure.num);
	}
	return figures;
}

/* Does the pair lie between the way up and this port? One of two ways down does not. */
static bool is_of_port(const struct tm_cdat_pair *pair, unsigned port)
{
	bool x_up = pair->x == TM_CDAT_PORT_UPSTREAM || pair->x == TM_CDAT_PORT_ANY;
	bool y_up = pair->y == TM_CDAT_PORT_UPSTREAM || pair->y == TM_CDAT_PORT_ANY;
	bool x_port = pair->x == port || pair->x == TM_CDAT_PORT_ANY;
	bool y_port = pair->y == port || pair->y == TM_CDAT_PORT_ANY;

	return (x_up && y_port) || (y_up && x_port);
}

struct tm_cdat_figures tm_cdat_port_figures(const struct tm_acpi_table *cdat, unsigned port)
{
	const struct tm_num none = tm_num_none(TM_NOT_PROVIDED);
	struct tm_cdat_figures figures = { none, none, none, none };
	struct tm_cdat_switch ports;

	for (size_t i = 0; i < cdat->nr_entries; i++) {
		if (!tm_cdat_switch(cdat, &cdat->entries[i], &ports))
			continue;
		for (uint64_t k = 0; k < ports.pairs.count; k++) {
			struct tm_cdat_pair pair = tm_cdat_pair(&ports, k);

			if (is_of_port(&pair, port) && pair.figure.why == TM_HMAT_VALUE)
				set_figure(&figures, ports.data_type, pair.figure.num);
		}
	}
	return figures;
}
