/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything that lib/acpi can do with a table whose bytes may be anything: for tests/fuzz and the
 * corruptions of tests/unit. Every byte that a reading gives is added up, so that none of it is
 * left out by the compiler.
 */
#ifndef TESTS_ACPI_EXERCISE_H
#define TESTS_ACPI_EXERCISE_H

#include "lib/acpi/cdat.h"
#include "lib/acpi/cedt.h"
#include "lib/acpi/check.h"
#include "lib/acpi/load.h"
#include "lib/acpi/slit.h"
#include "lib/acpi/srat.h"
#include "tests/fuzz/fuzz.h"

static inline uint64_t exercise_fields(struct tm_acpi_iter iter, bool as_text)
{
	struct tm_buf text = TM_BUF_INIT;
	struct tm_acpi_value value;
	uint64_t sum = 0;

	while (tm_acpi_iter_next(&iter, &value)) {
		for (size_t i = 0; i < value.size; i++)
			sum += value.bytes[i];
		sum += value.number + tm_acpi_not_zero(&value) + tm_acpi_unnamed_bits(&value);
		for (uint64_t i = 0; i < value.count; i++)
			sum += value.field->kind == TM_ACPI_RECORDS ?
				       exercise_fields(tm_acpi_record(&value, i), as_text) :
				       tm_acpi_element(&value, i);
		if (!as_text)
			continue;
		tm_buf_reset(&text);
		tm_acpi_value_text(&text, &value, sum & 1);
		sum += text.len;
	}
	tm_buf_release(&text);
	return sum;
}

static inline uint64_t exercise_hmat(const struct tm_acpi_table *t, const struct tm_acpi_entry *e)
{
	struct tm_hmat_locality l;
	struct tm_hmat_cache c;
	struct tm_hmat_domain d;
	uint64_t sum = 0;

	if (tm_hmat_locality(t, e, &l)) {
		for (size_t i = 0; i < l.nr_initiators; i++)
			sum += tm_hmat_initiator(&l, i);
		for (size_t i = 0; i < l.nr_targets; i++)
			sum += tm_hmat_target(&l, i);
		/* No more than there are entries, whatever the counts say. */
		for (size_t i = 0; l.nr_targets && i < l.entries.count; i++)
			sum += tm_hmat_figure(&l, i / l.nr_targets, i % l.nr_targets).num.value;
		sum += (uint64_t)tm_hmat_figure(&l, l.nr_initiators, 0).why;
		sum += (uint64_t)tm_hmat_figure(&l, SIZE_MAX, SIZE_MAX).why;
	}
	if (tm_hmat_cache(t, e, &c)) {
		sum += c.size_bytes + c.level + (c.write_policy_name ? 1 : 0);
		for (uint64_t i = 0; i < c.smbios_handles.count; i++)
			sum += tm_acpi_element(&c.smbios_handles, i);
	}
	if (tm_hmat_domain(t, e, &d))
		sum += d.memory + d.initiator + d.base + d.length;
	return sum;
}

static inline uint64_t exercise_cxl(const struct tm_acpi_table *t, const struct tm_acpi_entry *e)
{
	struct tm_cedt_bridge bridge;
	struct tm_cedt_window window;
	struct tm_cedt_xor maps;
	struct tm_cedt_collector collector;
	struct tm_cdat_range range;
	struct tm_cdat_perf perf;
	struct tm_cdat_cache cache;
	struct tm_cdat_initiator initiator;
	struct tm_cdat_efi efi;
	struct tm_cdat_switch ports;
	uint64_t sum = 0;

	if (tm_cedt_bridge(t, e, &bridge))
		sum += bridge.base;
	if (tm_cedt_window(t, e, &window))
		for (uint64_t i = 0; i < window.targets.count; i++)
			sum += tm_acpi_element(&window.targets, i) + window.ways;
	if (tm_cedt_xor(t, e, &maps))
		for (uint64_t i = 0; i < maps.maps.count; i++)
			sum += tm_acpi_element(&maps.maps, i);
	if (tm_cedt_collector(t, e, &collector))
		sum += collector.base + collector.bus;
	if (tm_cdat_range(t, e, &range))
		sum += range.base + tm_cdat_figures(t, range.handle).read_latency.value;
	if (tm_cdat_perf(t, e, &perf))
		sum += perf.figure.num.value;
	if (tm_cdat_cache(t, e, &cache))
		sum += cache.size_bytes;
	if (tm_cdat_initiator(t, e, &initiator))
		sum += initiator.handle;
	if (tm_cdat_efi(t, e, &efi))
		sum += efi.base;
	if (tm_cdat_switch(t, e, &ports))
		for (uint64_t i = 0; i < ports.pairs.count; i++)
			sum += tm_cdat_pair(&ports, i).figure.num.value;
	return sum;
}

/* An SRAT's own readings, and the nodes that come of it with a CEDT, or NULL. */
static inline uint64_t exercise_srat(const struct tm_acpi_table *srat,
				     const struct tm_acpi_table *cedt)
{
	struct tm_srat_nodes nodes;
	struct tm_srat_affinity a;
	uint64_t sum = 0;

	for (size_t i = 0; i < srat->nr_entries; i++)
		if (tm_srat_affinity(srat, &srat->entries[i], &a))
			sum += a.domain + a.base + a.length + a.uid + strlen(a.hid);
	CHECK(!tm_srat_nodes(srat, cedt, &nodes, NULL));
	for (size_t i = 0; i < nodes.nr; i++) {
		CHECK(tm_srat_domain(&nodes, nodes.list[i].domain) == &nodes.list[i]);
		sum += (uint64_t)nodes.list[i].node;
	}
	tm_srat_nodes_release(&nodes);
	return sum;
}

static inline uint64_t exercise_json(const struct tm_acpi_table *table)
{
	struct tm_json *json = tm_json_new();
	char *text = NULL;
	uint64_t sum;

	CHECK(json);
	tm_acpi_table_json(json, table);
	CHECK(!tm_json_print(json, true, &text, NULL));
	sum = strlen(text);
	free(text);
	tm_json_free(json);
	return sum;
}

static inline uint64_t exercise_slit(const struct tm_acpi_table *table)
{
	struct tm_slit slit;
	uint64_t sum = 0;

	if (!tm_slit_read(table, &slit))
		return 0;
	for (uint64_t i = 0; i < slit.count && i < 64; i++)
		for (uint64_t j = 0; j < slit.count && j < 64; j++)
			sum += (uint64_t)tm_slit_distance(&slit, i, j);
	CHECK(tm_slit_distance(&slit, slit.count, 0) == -1);
	CHECK(tm_slit_distance(&slit, UINT64_MAX, UINT64_MAX) == -1);
	return sum;
}

static inline uint64_t exercise_findings(const struct tm_acpi_findings *findings)
{
	uint64_t sum = 0;

	CHECK(!findings->failed);
	for (size_t i = 0; i < findings->nr; i++) {
		const struct tm_acpi_finding *f = &findings->list[i];

		/* Every finding is about a place in its table. */
		CHECK(f->text[0] && f->offset <= f->table->size);
		CHECK(tm_acpi_findings_reach(findings, f->severity));
		sum += strlen(f->text) + strlen(tm_acpi_rule_name(f->rule)) +
		       strlen(tm_acpi_severity_name(f->severity));
	}
	return sum;
}

/* All readings of a table, whatever it is; text and JSON, which take longest, only on demand. */
static inline uint64_t exercise_table(const struct tm_acpi_table *table, bool output)
{
	uint64_t sum = exercise_fields(tm_acpi_iter(table, &table->header), output);

	for (size_t i = 0; i < table->nr_entries; i++) {
		const struct tm_acpi_entry *entry = &table->entries[i];

		CHECK(entry->offset <= table->used);
		CHECK(entry->length <= table->used - entry->offset);
		sum += exercise_fields(tm_acpi_iter(table, entry), output);
		sum += exercise_hmat(table, entry) + exercise_cxl(table, entry);
	}
	sum += exercise_slit(table);
	return output ? sum + exercise_json(table) : sum;
}

/* All of it, for a table that is alone but for the domains of an SRAT, or NULL. */
static inline uint64_t exercise_alone(enum tm_acpi_signature signature,
				      const struct tm_srat_nodes *nodes, const void *data,
				      size_t size)
{
	struct tm_acpi_findings findings = { 0 };
	struct tm_acpi_table table;
	uint64_t sum;

	CHECK(!tm_acpi_table_parse(&table, signature, "here", data, size, &findings, NULL));
	tm_acpi_check_table(&table, nodes, &findings);
	sum = exercise_table(&table, size % 8 == 0) + exercise_findings(&findings);
	tm_acpi_findings_release(&findings);
	tm_acpi_table_release(&table);
	return sum;
}

static inline void exercise_add(struct tm_acpi *acpi, enum tm_acpi_signature signature,
				const void *data, size_t size)
{
	CHECK(!tm_acpi_add(acpi, signature, "here", data, size, NULL));
}

/* All of it, for tables that were added; then they are gone. */
static inline uint64_t exercise(struct tm_acpi *acpi)
{
	uint64_t sum = 0;

	CHECK(!tm_acpi_check(acpi, NULL));
	for (size_t i = 0; i < acpi->nr; i++)
		sum += exercise_table(acpi->tables[i], true);
	if (tm_acpi_table(acpi, TM_ACPI_SRAT))
		sum += exercise_srat(tm_acpi_table(acpi, TM_ACPI_SRAT),
				     tm_acpi_table(acpi, TM_ACPI_CEDT));
	sum += exercise_findings(&acpi->findings);
	tm_acpi_release(acpi);
	return sum;
}

#endif
