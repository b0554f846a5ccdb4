/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * acpi-dump PATH: every field of every table there, for comparison with another reading.
 *
 *	table SIGNATURE ORIGIN
 *	entry OFFSET LENGTH TYPE NAME
 *	field OFFSET SIZE SHIFT BITS KEY HEX-OF-THE-BYTES VALUE...
 *	finding SIGNATURE OFFSET RULE SEVERITY TEXT
 *
 * and what the typed readings make of them (see print_typed). Numbers are decimal. Bits: 0 means
 * all of the bytes. Each element of a list is a field line of its own.
 */
#include <inttypes.h>
#include <stdio.h>

#include "lib/acpi/cdat.h"
#include "lib/acpi/cedt.h"
#include "lib/acpi/load.h"
#include "lib/acpi/slit.h"
#include "lib/acpi/srat.h"

static void print_hex(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x", bytes[i]);
}

static void print_value(const struct tm_acpi_value *value);

static void print_elements(const struct tm_acpi_value *value)
{
	struct tm_acpi_value inner;

	for (uint64_t i = 0; i < value->count; i++) {
		size_t size = value->field->size, offset = value->offset + (size_t)i * size;
		struct tm_acpi_iter iter;

		if (value->field->kind == TM_ACPI_RECORDS) {
			iter = tm_acpi_record(value, i);
			while (tm_acpi_iter_next(&iter, &inner))
				print_value(&inner);
			continue;
		}
		printf("field %zu %zu 0 0 %s ", offset, size, value->field->key);
		print_hex(value->bytes + i * size, size);
		printf(" %" PRIu64 "\n", tm_acpi_element(value, i));
	}
}

static void print_value(const struct tm_acpi_value *value)
{
	const struct tm_acpi_field *field = value->field;
	struct tm_buf text = TM_BUF_INIT;

	if (field->kind == TM_ACPI_LIST || field->kind == TM_ACPI_MATRIX ||
	    field->kind == TM_ACPI_RECORDS) {
		print_elements(value);
		return;
	}
	printf("field %zu %zu %u %u %s ", value->offset, value->size, field->shift, field->bits,
	       field->key);
	print_hex(value->bytes, value->size);
	tm_acpi_value_text(&text, value, true);
	printf(" %s\n", tm_buf_str(&text));
	tm_buf_release(&text);
}

static void print_entry(const struct tm_acpi_table *table, const struct tm_acpi_entry *entry)
{
	struct tm_acpi_iter iter = tm_acpi_iter(table, entry);
	struct tm_acpi_value value;

	printf("entry %zu %zu %" PRIu32 " %s\n", entry->offset, entry->length, entry->type,
	       entry->desc ? entry->desc->key : "-");
	while (tm_acpi_iter_next(&iter, &value))
		print_value(&value);
}

static const char *num(struct tm_num n, char text[32])
{
	if (tm_num_is(&n))
		snprintf(text, 32, "%" PRIu64, n.value);
	else
		snprintf(text, 32, "%s", n.state == TM_NOT_PROVIDED ? "none" : "bad");
	return text;
}

static void print_figures(const struct tm_hmat_locality *l)
{
	char text[32];

	for (size_t i = 0; i < l->nr_initiators; i++)
		for (size_t t = 0; t < l->nr_targets; t++) {
			struct tm_hmat_figure figure = tm_hmat_figure(l, i, t);

			printf("figure %u %u %" PRIu32 " %" PRIu32 " %s %d\n", l->hierarchy,
			       l->data_type, tm_hmat_initiator(l, i), tm_hmat_target(l, t),
			       num(figure.num, text), (int)figure.why);
		}
}

static void print_switch(const struct tm_cdat_switch *ports)
{
	char text[32];

	for (uint64_t i = 0; i < ports->pairs.count; i++) {
		struct tm_cdat_pair pair = tm_cdat_pair(ports, i);

		printf("switch %u %u %u %s %d\n", ports->data_type, pair.x, pair.y,
		       num(pair.figure.num, text), (int)pair.figure.why);
	}
}

/*
 *	figure HIERARCHY TYPE INITIATOR TARGET VALUE WHY     HMAT, in ns or MB/s
 *	perf HANDLE HIERARCHY TYPE VALUE WHY                 CDAT
 *	switch TYPE X Y VALUE WHY                            CDAT
 *	window BASE LENGTH WAYS GRANULARITY                  CEDT
 */
static void print_typed(const struct tm_acpi_table *table)
{
	struct tm_hmat_locality locality;
	struct tm_cdat_perf perf;
	struct tm_cdat_switch ports;
	struct tm_cedt_window window;
	char text[32];

	for (size_t i = 0; i < table->nr_entries; i++) {
		const struct tm_acpi_entry *entry = &table->entries[i];

		if (tm_hmat_locality(table, entry, &locality))
			print_figures(&locality);
		if (tm_cdat_perf(table, entry, &perf))
			printf("perf %u %u %u %s %d\n", perf.handle, perf.hierarchy, perf.data_type,
			       num(perf.figure.num, text), (int)perf.figure.why);
		if (tm_cdat_switch(table, entry, &ports))
			print_switch(&ports);
		if (tm_cedt_window(table, entry, &window))
			printf("window %" PRIu64 " %" PRIu64 " %u %" PRIu64 "\n", window.base,
			       window.length, window.ways, window.granularity);
	}
}

/* node DOMAIN NODE HAS */
static int print_nodes(const struct tm_acpi *acpi)
{
	const struct tm_acpi_table *srat = tm_acpi_table(acpi, TM_ACPI_SRAT);
	struct tm_srat_nodes nodes;

	if (!srat)
		return 0;
	if (tm_srat_nodes(srat, tm_acpi_table(acpi, TM_ACPI_CEDT), &nodes, NULL))
		return 1;
	for (size_t i = 0; i < nodes.nr; i++)
		printf("node %" PRIu32 " %d %u\n", nodes.list[i].domain, nodes.list[i].node,
		       nodes.list[i].has);
	tm_srat_nodes_release(&nodes);
	return 0;
}

int main(int argc, char **argv)
{
	struct tm_error err = { 0 };
	struct tm_acpi acpi;
	int rc;

	if (argc != 2) {
		fputs("usage: acpi-dump PATH\n", stderr);
		return 2;
	}
	if (tm_acpi_load_path(argv[1], &acpi, &err)) {
		fprintf(stderr, "acpi-dump: %s\n", err.text);
		if (err.hint[0])
			fprintf(stderr, "hint: %s\n", err.hint);
		return 1;
	}
	for (size_t i = 0; i < acpi.nr; i++) {
		const struct tm_acpi_table *table = acpi.tables[i];

		printf("table %s %s\n", tm_acpi_signature_name(table->signature), table->origin);
		print_entry(table, &table->header);
		for (size_t j = 0; j < table->nr_entries; j++)
			print_entry(table, &table->entries[j]);
		print_typed(table);
	}
	rc = print_nodes(&acpi);
	for (size_t i = 0; i < acpi.findings.nr; i++) {
		const struct tm_acpi_finding *f = &acpi.findings.list[i];

		printf("finding %s %zu %s %s%s %s\n", tm_acpi_signature_name(f->table->signature),
		       f->offset, tm_acpi_rule_name(f->rule), tm_acpi_severity_name(f->severity),
		       f->severity == TM_ACPI_REFUSED ? "!" : "", f->text);
	}
	tm_acpi_release(&acpi);
	return rc;
}
