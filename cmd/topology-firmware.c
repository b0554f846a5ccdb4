/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/topology-firmware.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/out/document.h"

static void add_fields(struct tm_buf *out, struct tm_acpi_iter iter, int depth)
{
	struct tm_acpi_value value;

	while (tm_acpi_iter_next(&iter, &value)) {
		struct tm_buf text = TM_BUF_INIT;
		const char *line;
		bool first = true;

		/* What must be zero, and is, would only fill the screen. */
		if (value.field->kind == TM_ACPI_MUST_BE_ZERO && !tm_acpi_not_zero(&value))
			continue;
		tm_acpi_value_text(&text, &value, false);
		/* A matrix has a line for each row. */
		for (line = tm_buf_str(&text); *line || first;) {
			size_t len = strcspn(line, "\n");

			tm_buf_addf(out, "%*s%-*s ", depth * 4, "", 38 - depth * 4,
				    first ? value.field->label : "");
			tm_buf_add_printable(out, line, len);
			tm_buf_addc(out, '\n');
			line += len + (line[len] == '\n');
			first = false;
		}
		tm_buf_release(&text);
		for (uint64_t i = 0; value.field->kind == TM_ACPI_RECORDS && i < value.count; i++)
			add_fields(out, tm_acpi_record(&value, i), depth + 1);
	}
}

static void add_table(struct tm_buf *out, const struct tm_acpi_table *table)
{
	tm_buf_addf(out, "%s%s, revision %u, %zu bytes (", out->len ? "\n" : "",
		    tm_acpi_signature_name(table->signature), table->revision, table->size);
	tm_buf_add_printable(out, table->origin, strlen(table->origin));
	tm_buf_adds(out, ")\n");
	add_fields(out, tm_acpi_iter(table, &table->header), 1);
	for (size_t i = 0; i < table->nr_entries; i++) {
		const struct tm_acpi_entry *entry = &table->entries[i];

		tm_buf_addf(out, "  at %zu: ", entry->offset);
		if (entry->desc)
			tm_buf_addf(out, "%s\n", entry->desc->label);
		else
			tm_buf_addf(out, "structure of unknown type %u, %zu bytes\n", entry->type,
				    entry->length);
		add_fields(out, tm_acpi_iter(table, entry), 1);
	}
}

static void add_findings(struct tm_buf *out, const struct tm_acpi_findings *findings)
{
	for (size_t i = 0; i < findings->nr; i++) {
		const struct tm_acpi_finding *f = &findings->list[i];

		tm_buf_addf(out, "%s%s: ", i ? "" : "\n", tm_acpi_severity_name(f->severity));
		if (f->table)
			tm_buf_addf(out, "%s at %zu: ", tm_acpi_signature_name(f->table->signature),
				    f->offset);
		tm_buf_add_printable(out, f->text, strlen(f->text));
		tm_buf_addf(out, " [%s]\n", tm_acpi_rule_name(f->rule));
	}
}

static void json_findings(struct tm_json *json, const struct tm_acpi_findings *findings)
{
	tm_json_array(json, "findings");
	for (size_t i = 0; i < findings->nr; i++) {
		const struct tm_acpi_finding *f = &findings->list[i];

		tm_json_object(json, NULL);
		tm_json_string(json, "table",
			       f->table ? tm_acpi_signature_name(f->table->signature) : NULL);
		tm_json_string(json, "origin", f->table ? f->table->origin : NULL);
		tm_json_u64(json, "offset", f->offset);
		tm_json_string(json, "rule", tm_acpi_rule_name(f->rule));
		tm_json_string(json, "severity", tm_acpi_severity_name(f->severity));
		tm_json_string(json, "message", f->text);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void json_domains(struct tm_json *json, const struct tm_srat_nodes *domains)
{
	static const struct {
		unsigned bit;
		const char *name;
	} has[] = {
		{ TM_SRAT_HAS_CPU, "cpus" },
		{ TM_SRAT_HAS_MEMORY, "memory" },
		{ TM_SRAT_HAS_INITIATOR, "generic-initiator" },
		{ TM_SRAT_HAS_PORT, "generic-port" },
		{ TM_SRAT_HAS_WINDOW, "cxl-window" },
	};

	tm_json_array(json, "domains");
	for (size_t i = 0; i < domains->nr; i++) {
		const struct tm_srat_node *node = &domains->list[i];

		tm_json_object(json, NULL);
		tm_json_u64(json, "domain", node->domain);
		tm_json_i64(json, "node", node->node);
		tm_json_bool(json, "doubtful", node->doubtful);
		tm_json_array(json, "has");
		for (size_t k = 0; k < TM_ARRAY_SIZE(has); k++)
			if (node->has & has[k].bit)
				tm_json_string(json, NULL, has[k].name);
		tm_json_end(json);
		tm_json_end(json);
	}
	tm_json_end(json);
}

void topology_add_firmware(struct tm_json *json, const struct tm_machine *m)
{
	static const char *const keys[TM_ACPI_NR_SIGNATURES] = {
		[TM_ACPI_HMAT] = "hmat", [TM_ACPI_SRAT] = "srat", [TM_ACPI_SLIT] = "slit",
		[TM_ACPI_CEDT] = "cedt", [TM_ACPI_CDAT] = "cdat",
	};
	const struct tm_firmware *fw = &m->firmware;

	tm_json_object(json, "firmware");
	for (int i = 0; i < TM_ACPI_NR_SIGNATURES; i++) {
		/* Its revision, where it can be read. */
		const struct tm_acpi_table *table =
			tm_acpi_table(&fw->acpi, (enum tm_acpi_signature)i);

		tm_json_num(json, keys[i],
			    table ? tm_num_known(table->revision) : tm_num_none(fw->acpi.state[i]));
	}
	json_domains(json, &fw->domains);
	json_findings(json, &fw->acpi.findings);
	tm_json_end(json);
}

static int print_json(struct app *app, const struct tm_machine *m, const struct tm_acpi *acpi,
		      const struct tm_srat_nodes *domains)
{
	struct tm_identity identity = { m->kernel, m->host, m->boot_id, m->root };
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_error err = { 0 };
	int rc = json ? 0 : tm_error_nomem(&err);

	if (!rc) {
		tm_document_begin(json, "firmware", 1, &identity);
		tm_json_array(json, "tables");
		for (size_t i = 0; i < acpi->nr; i++) {
			tm_json_object(json, NULL);
			tm_acpi_table_json(json, acpi->tables[i]);
			tm_json_end(json);
		}
		tm_json_end(json);
		json_domains(json, domains);
		json_findings(json, &acpi->findings);
		rc = tm_json_print(json, false, &text, &err);
	}
	if (rc)
		return report(app, EXIT_FAILED, &err);
	out_text(app, text);
	return EXIT_DONE;
}

static int print_text(struct app *app, const struct tm_acpi *acpi)
{
	struct tm_buf out = TM_BUF_INIT;
	struct tm_error err = { 0 };

	for (size_t i = 0; i < acpi->nr; i++)
		add_table(&out, acpi->tables[i]);
	if (!app->quiet)
		add_findings(&out, &acpi->findings);
	if (out.failed) {
		tm_buf_release(&out);
		tm_error_nomem(&err);
		return report(app, EXIT_FAILED, &err);
	}
	out_text(app, tm_buf_str(&out));
	tm_buf_release(&out);
	return EXIT_DONE;
}

/* Nothing to show: because there is nothing, or because this user may not look. */
static int report_none(struct app *app, const struct tm_acpi *acpi)
{
	struct tm_error err = { 0 };

	for (int i = 0; i < TM_ACPI_NR_SIGNATURES; i++) {
		if (acpi->state[i] != TM_DENIED)
			continue;
		tm_error_set(&err, EACCES, "/sys/firmware/acpi/tables: permission denied");
		tm_error_hint(&err, "firmware tables are read by root");
		return report(app, EXIT_FAILED, &err);
	}
	tm_error_set(&err, ENOENT,
		     "/sys/firmware/acpi/tables: there is no HMAT, SRAT, SLIT or CEDT");
	tm_error_hint(&err,
		      "virtual machines and machines without ACPI have none; containers hide them");
	return report(app, EXIT_UNSUPPORTED, &err);
}

static int show(struct app *app, const struct tm_machine *m, const struct tm_acpi *acpi,
		const struct tm_srat_nodes *domains)
{
	int code;

	if (!acpi->nr)
		return report_none(app, acpi);
	code = app->json ? print_json(app, m, acpi, domains) : print_text(app, acpi);
	/* The tables are what was asked for: what cannot be trusted in them is a failure. */
	if (code == EXIT_DONE && tm_acpi_findings_reach(&acpi->findings, TM_ACPI_ERROR))
		return EXIT_FAILED;
	return code;
}

int topology_firmware(struct app *app, const char *path)
{
	struct tm_machine machine = { 0 };
	struct tm_acpi acpi = { 0 };
	struct tm_srat_nodes domains = { 0 };
	const struct tm_acpi_table *srat;
	struct tm_error err = { 0 };
	struct tm_root root;
	int code, rc;

	if (tm_root_open(&root, app->root, &err))
		return report(app, EXIT_FAILED, &err);
	rc = tm_machine_read(&machine, &root, NULL, &err);
	tm_root_close(&root);
	if (rc)
		return report(app, EXIT_FAILED, &err);
	if (!path) {
		code = show(app, &machine, &machine.firmware.acpi, &machine.firmware.domains);
	} else {
		rc = tm_acpi_load_path(path, &acpi, &err);
		srat = rc ? NULL : tm_acpi_table(&acpi, TM_ACPI_SRAT);
		if (srat)
			rc = tm_srat_nodes(srat, tm_acpi_table(&acpi, TM_ACPI_CEDT), &domains,
					   &err);
		code = rc ? report(app, EXIT_FAILED, &err) : show(app, &machine, &acpi, &domains);
		tm_srat_nodes_release(&domains);
		tm_acpi_release(&acpi);
	}
	tm_machine_release(&machine);
	return code;
}
