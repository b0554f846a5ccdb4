/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/model/firmware.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/acpi/hmat.h"
#include "lib/acpi/slit.h"
#include "lib/model/read.h"

void tm_firmware_release(struct tm_firmware *firmware)
{
	tm_acpi_release(&firmware->acpi);
	tm_srat_nodes_release(&firmware->domains);
	*firmware = (struct tm_firmware){ 0 };
}

int tm_firmware_node(const struct tm_firmware *firmware, uint32_t domain)
{
	const struct tm_srat_node *found = tm_srat_domain(&firmware->domains, domain);

	return found ? found->node : -1;
}

const struct tm_acpi_table *tm_firmware_cdat(const struct tm_firmware *firmware, const char *port)
{
	char end[TM_NAME_MAX + 8];
	int len = snprintf(end, sizeof(end), "/%s/CDAT", port);

	for (size_t i = 0; i < firmware->acpi.nr; i++) {
		const struct tm_acpi_table *table = firmware->acpi.tables[i];
		size_t size = strlen(table->origin);

		if (table->signature == TM_ACPI_CDAT && size > (size_t)len &&
		    !strcmp(table->origin + size - (size_t)len, end))
			return table;
	}
	return NULL;
}

static void doubt(struct tm_firmware *fw, const char *fmt, ...) TM_PRINTF(2, 3);

static void doubt(struct tm_firmware *fw, const char *fmt, ...)
{
	va_list ap;

	if (fw->doubtful)
		return;
	fw->doubtful = true;
	va_start(ap, fmt);
	vsnprintf(fw->doubt, sizeof(fw->doubt), fmt, ap);
	va_end(ap);
}

/* SLIT is indexed by domain and sysfs by node: where the translation is right, they agree. */
static void check_slit(struct tm_machine *m)
{
	const struct tm_acpi_table *table = tm_acpi_table(&m->firmware.acpi, TM_ACPI_SLIT);
	const struct tm_srat_nodes *domains = &m->firmware.domains;
	struct tm_slit slit;

	if (!table || !tm_slit_read(table, &slit))
		return;
	for (size_t a = 0; a < domains->nr; a++) {
		const struct tm_node *from = tm_machine_node(m, domains->list[a].node);

		for (size_t b = 0; from && b < domains->nr; b++) {
			int kernel = tm_node_distance(from, domains->list[b].node);
			int firmware = tm_slit_distance(&slit, domains->list[a].domain,
							domains->list[b].domain);

			if (kernel >= 0 && firmware >= 0 && kernel != firmware)
				doubt(&m->firmware,
				      "SLIT has %d from domain %u to %u, the kernel %d from node "
				      "%d to %d",
				      firmware, domains->list[a].domain, domains->list[b].domain,
				      kernel, domains->list[a].node, domains->list[b].node);
		}
	}
}

static struct tm_perf *find_row(struct tm_machine *m, int initiator, int target)
{
	for (size_t i = m->nr_perf; i-- > 0;) {
		struct tm_perf *perf = &m->perf[i];

		if (perf->source == TM_SOURCE_HMAT && perf->target == target &&
		    perf->initiator.value == (uint64_t)initiator)
			return perf;
	}
	return NULL;
}

static struct tm_perf *row_for(struct tm_machine *m, int initiator, int target)
{
	struct tm_perf *perf = find_row(m, initiator, target);
	const struct tm_perf row = {
		.initiator = tm_num_known((uint64_t)initiator),
		.target = target,
		.access = TM_ACCESS_MATRIX,
		.source = TM_SOURCE_HMAT,
		.complete = true,
	};

	if (perf)
		return perf;
	return tm_perf_add(m, &row) ? NULL : &m->perf[m->nr_perf - 1];
}

static void set_figure(struct tm_perf *perf, unsigned data_type, struct tm_num figure)
{
	switch (data_type) {
	case TM_HMAT_ACCESS_LATENCY:
		perf->read_latency = perf->write_latency = figure;
		break;
	case TM_HMAT_READ_LATENCY:
		perf->read_latency = figure;
		break;
	case TM_HMAT_WRITE_LATENCY:
		perf->write_latency = figure;
		break;
	case TM_HMAT_ACCESS_BANDWIDTH:
		perf->read_bandwidth = perf->write_bandwidth = figure;
		break;
	case TM_HMAT_READ_BANDWIDTH:
		perf->read_bandwidth = figure;
		break;
	case TM_HMAT_WRITE_BANDWIDTH:
		perf->write_bandwidth = figure;
		break;
	default:
		break;
	}
}

static void count(struct tm_firmware *fw, enum tm_hmat_why why)
{
	fw->entries++;
	fw->not_provided += why == TM_HMAT_NOT_PROVIDED;
	fw->unreachable += why == TM_HMAT_UNREACHABLE;
	fw->beyond_kernel += why == TM_HMAT_BEYOND_KERNEL || why == TM_HMAT_TOO_LARGE;
}

static int add_locality(struct tm_machine *m, const struct tm_hmat_locality *locality)
{
	struct tm_firmware *fw = &m->firmware;

	for (size_t i = 0; i < locality->nr_initiators; i++) {
		int initiator = tm_firmware_node(fw, tm_hmat_initiator(locality, i));

		for (size_t t = 0; t < locality->nr_targets; t++) {
			int target = tm_firmware_node(fw, tm_hmat_target(locality, t));
			struct tm_hmat_figure figure = tm_hmat_figure(locality, i, t);
			struct tm_perf *perf;

			count(fw, figure.why);
			/*
			 * A domain that SRAT lacks has no node to show it with; the findings name
			 * it.
			 */
			if (initiator < 0 || target < 0)
				continue;
			perf = row_for(m, initiator, target);
			if (!perf)
				return -ENOMEM;
			set_figure(perf, locality->data_type, figure.num);
		}
	}
	return 0;
}

static int read_hmat(struct tm_machine *m)
{
	const struct tm_acpi_table *hmat = tm_acpi_table(&m->firmware.acpi, TM_ACPI_HMAT);
	int rc = 0;

	for (size_t i = 0; hmat && i < hmat->nr_entries && !rc; i++) {
		struct tm_hmat_locality locality;

		/* Hierarchy 0 is memory itself; the others are of its caches. */
		if (tm_hmat_locality(hmat, &hmat->entries[i], &locality) && locality.hierarchy == 0)
			rc = add_locality(m, &locality);
	}
	return rc;
}

int tm_read_firmware(struct tm_reader *rd)
{
	struct tm_machine *m = rd->machine;
	struct tm_firmware *fw = &m->firmware;
	const struct tm_acpi_table *srat;
	int rc = tm_acpi_load(rd->root, &fw->acpi, NULL);

	if (rc)
		return rc;
	for (int i = 0; i < TM_ACPI_CDAT; i++) {
		char path[TM_PATH_MAX];

		if (!tm_path_format(path, "sys/firmware/acpi/tables/%s",
				    tm_acpi_signature_name((enum tm_acpi_signature)i)))
			tm_read_note(rd, path, fw->acpi.state[i]);
	}
	srat = tm_acpi_table(&fw->acpi, TM_ACPI_SRAT);
	if (!srat)
		return 0;
	rc = tm_srat_nodes(srat, tm_acpi_table(&fw->acpi, TM_ACPI_CEDT), &fw->domains, NULL);
	for (size_t i = 0; i < fw->domains.nr && !rc; i++) {
		struct tm_node *node =
			(struct tm_node *)tm_machine_node(m, fw->domains.list[i].node);

		if (node)
			node->domain = tm_num_known(fw->domains.list[i].domain);
	}
	if (rc)
		return rc;
	check_slit(m);
	return read_hmat(m);
}
