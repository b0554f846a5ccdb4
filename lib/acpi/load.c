/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/acpi/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/acpi/check.h"
#include "lib/base/compiler.h"

/* No machine has so many CXL endpoints, or switches. */
#define PORTS_MAX 1024

#define CXL "sys/bus/cxl/devices"

const struct tm_acpi_table *tm_acpi_table(const struct tm_acpi *acpi,
					  enum tm_acpi_signature signature)
{
	for (size_t i = 0; i < acpi->nr; i++)
		if (acpi->tables[i]->signature == signature)
			return acpi->tables[i];
	return NULL;
}

void tm_acpi_release(struct tm_acpi *acpi)
{
	for (size_t i = 0; i < acpi->nr; i++) {
		tm_acpi_table_release(acpi->tables[i]);
		free(acpi->tables[i]);
	}
	free(acpi->tables);
	tm_acpi_findings_release(&acpi->findings);
	*acpi = (struct tm_acpi){ 0 };
}

int tm_acpi_add(struct tm_acpi *acpi, enum tm_acpi_signature signature, const char *origin,
		const void *data, size_t size, struct tm_error *err)
{
	const struct tm_acpi_table *first = tm_acpi_table(acpi, signature);
	struct tm_acpi_table *table = calloc(1, sizeof(*table));
	int rc;

	if (!table || tm_array_grow(&acpi->tables, acpi->nr, &acpi->cap, sizeof(void *))) {
		free(table);
		return tm_error_nomem(err);
	}
	rc = tm_acpi_table_parse(table, signature, origin, data, size, &acpi->findings, err);
	if (rc) {
		free(table);
		return rc;
	}
	acpi->tables[acpi->nr++] = table;
	acpi->state[signature] = TM_KNOWN;
	/* Each device has a CDAT of its own. */
	if (first && signature != TM_ACPI_CDAT)
		tm_acpi_find(&acpi->findings, table, 0, TM_ACPI_DUPLICATE, TM_ACPI_WARNING,
			     "there is another %s before it, %s, and one is all that counts",
			     tm_acpi_signature_name(signature), first->origin);
	return 0;
}

int tm_acpi_check(struct tm_acpi *acpi, struct tm_error *err)
{
	const struct tm_acpi_table *srat = tm_acpi_table(acpi, TM_ACPI_SRAT);
	struct tm_srat_nodes nodes = { NULL, 0 };

	if (srat && tm_srat_nodes(srat, tm_acpi_table(acpi, TM_ACPI_CEDT), &nodes, err))
		return -ENOMEM;
	for (size_t i = 0; i < acpi->nr; i++)
		tm_acpi_check_table(acpi->tables[i], srat ? &nodes : NULL, &acpi->findings);
	tm_srat_nodes_release(&nodes);
	return acpi->findings.failed ? tm_error_nomem(err) : 0;
}

/* Reads one table into the state; the number of the error counts only for memory. */
static int load_one(const struct tm_root *root, struct tm_acpi *acpi,
		    enum tm_acpi_signature signature, const char *path, struct tm_error *err)
{
	struct tm_buf bytes = TM_BUF_INIT;
	char origin[TM_PATH_MAX + 1];
	int rc = tm_root_read(root, path, TM_ACPI_TABLE_MAX, &bytes);
	enum tm_state *state = &acpi->state[signature];

	if (rc == -ENOMEM)
		return tm_error_nomem(err);
	if (rc || !bytes.len) {
		/* An endpoint without one must not hide another's. */
		if (*state != TM_KNOWN && *state != TM_DENIED)
			*state = rc ? tm_state_from_errno(-rc) : TM_NOT_PROVIDED;
		tm_buf_release(&bytes);
		return 0;
	}
	snprintf(origin, sizeof(origin), "/%s", path);
	rc = tm_acpi_add(acpi, signature, origin, bytes.data, bytes.len, err);
	tm_buf_release(&bytes);
	return rc;
}

static int by_number(const void *a, const void *b)
{
	const long *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The numbers of all "endpoint2", or all "port1", in their order. 0 or -errno. */
static int list_ports(const struct tm_root *root, const char *kind, long ids[PORTS_MAX], size_t *nr)
{
	struct tm_scan scan;
	const char *name;
	int rc = tm_scan_open(root, CXL, &scan);

	*nr = 0;
	if (rc)
		return rc;
	while (*nr < PORTS_MAX && (name = tm_scan_next(&scan)))
		if (tm_name_id(name, kind, &ids[*nr]))
			++*nr;
	tm_scan_close(&scan);
	qsort(ids, *nr, sizeof(*ids), by_number);
	return 0;
}

/* The CDAT of each port of a kind. */
static int load_ports(const struct tm_root *root, const char *kind, struct tm_acpi *acpi,
		      struct tm_error *err)
{
	long *ids = calloc(PORTS_MAX, sizeof(*ids));
	size_t nr;
	int rc;

	if (!ids)
		return tm_error_nomem(err);
	rc = list_ports(root, kind, ids, &nr);
	if (rc && rc != -ENOMEM) {
		acpi->state[TM_ACPI_CDAT] = tm_state_from_errno(-rc);
		rc = 0;
	} else if (rc) {
		tm_error_nomem(err);
	}
	for (size_t i = 0; i < nr && !rc; i++) {
		char path[TM_PATH_MAX];

		rc = tm_path_format(path, CXL "/%s%ld/CDAT", kind, ids[i]);
		if (!rc)
			rc = load_one(root, acpi, TM_ACPI_CDAT, path, err);
	}
	free(ids);
	return rc;
}

int tm_acpi_finish(struct tm_acpi *loaded, struct tm_acpi *acpi, int rc, struct tm_error *err)
{
	if (!rc)
		rc = tm_acpi_check(loaded, err);
	if (rc)
		tm_acpi_release(loaded);
	else
		*acpi = *loaded;
	return rc;
}

int tm_acpi_load(const struct tm_root *root, struct tm_acpi *acpi, struct tm_error *err)
{
	struct tm_acpi loaded = { 0 };
	int rc = 0;

	for (int i = 0; i < TM_ACPI_CDAT && !rc; i++) {
		enum tm_acpi_signature signature = (enum tm_acpi_signature)i;
		char path[TM_PATH_MAX];

		rc = tm_path_format(path, "sys/firmware/acpi/tables/%s",
				    tm_acpi_signature_name(signature));
		if (!rc)
			rc = load_one(root, &loaded, signature, path, err);
	}
	loaded.state[TM_ACPI_CDAT] = TM_ABSENT;
	if (!rc)
		rc = load_ports(root, "endpoint", &loaded, err);
	if (!rc)
		rc = load_ports(root, "port", &loaded, err);
	return tm_acpi_finish(&loaded, acpi, rc, err);
}
