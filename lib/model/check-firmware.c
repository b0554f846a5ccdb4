/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of the firmware's tables, by themselves and against what the kernel made of them. */
#include <stdio.h>
#include <string.h>

#include "lib/model/check.h"

static bool kernel_has_rows(const struct tm_machine *m)
{
	for (size_t i = 0; i < m->nr_perf; i++)
		if (m->perf[i].source == TM_SOURCE_SYSFS && tm_num_is(&m->perf[i].initiator))
			return true;
	return false;
}

static const struct tm_acpi_finding *worst_of(const struct tm_machine *m,
					      enum tm_acpi_signature signature,
					      enum tm_acpi_severity least, size_t *nr)
{
	const struct tm_acpi_findings *all = &m->firmware.acpi.findings;
	const struct tm_acpi_finding *worst = NULL;

	*nr = 0;
	for (size_t i = 0; i < all->nr; i++) {
		const struct tm_acpi_finding *finding = &all->list[i];

		if (!finding->table || finding->table->signature != signature ||
		    finding->severity < least)
			continue;
		(*nr)++;
		if (!worst || finding->severity > worst->severity)
			worst = finding;
	}
	return worst;
}

void tm_check_firmware_fault(struct tm_checker *ck)
{
	for (int s = 0; s < TM_ACPI_NR_SIGNATURES; s++) {
		const char *name = tm_acpi_signature_name((enum tm_acpi_signature)s);
		const struct tm_acpi_finding *worst;
		struct tm_problem *problem;
		size_t nr;

		worst = worst_of(ck->machine, (enum tm_acpi_signature)s, TM_ACPI_WARNING, &nr);
		if (!worst)
			continue;
		problem = tm_check_add(ck, "%s: %zu fault%s, the worst at offset %zu: %.140s", name,
				       nr, nr > 1 ? "s" : "", worst->offset, worst->text);
		tm_check_hint(
			problem,
			"tiermem topology --firmware shows all of them; the vendor must mend it");
	}
}

void tm_check_hmat_missing(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;

	/* Where SRAT can be read, an HMAT would be too. */
	if (m->firmware.acpi.state[TM_ACPI_SRAT] != TM_KNOWN ||
	    m->firmware.acpi.state[TM_ACPI_HMAT] != TM_ABSENT ||
	    tm_idset_count(&m->memory_nodes) < 2 || kernel_has_rows(m))
		return;
	tm_check_hint(tm_check_add(ck,
				   "the firmware has no HMAT: nobody tells the kernel how fast its "
				   "memories are"),
		      "look for a setting such as \"HMAT support\" in the firmware's menus");
}

void tm_check_hmat_refused(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	const struct tm_acpi_finding *worst;
	size_t nr;

	if (!m->firmware.entries || kernel_has_rows(m))
		return;
	worst = worst_of(m, TM_ACPI_HMAT, TM_ACPI_ERROR, &nr);
	if (worst)
		tm_check_hint(tm_check_add(ck,
					   "there is an HMAT, but the kernel took nothing from it; "
					   "likely because: %.140s",
					   worst->text),
			      "dmesg | grep -i hmat may say more");
	else
		tm_check_hint(
			tm_check_add(
				ck, "there is an HMAT, but the kernel took nothing from it, and no "
				    "fault is found in it"),
			"the kernel may be built without ACPI_HMAT; dmesg | grep -i hmat");
}

void tm_check_hmat_entries(struct tm_checker *ck)
{
	const struct tm_firmware *fw = &ck->machine->firmware;
	struct tm_problem *problem;

	if (!fw->not_provided && !fw->unreachable && !fw->beyond_kernel)
		return;
	problem = tm_check_add(
		ck,
		"HMAT: of %zu figures %zu are not provided (0), %zu unreachable, %zu too "
		"large for the kernel",
		fw->entries, fw->not_provided, fw->unreachable, fw->beyond_kernel);
	if (fw->beyond_kernel && problem)
		problem->severity = TM_WARNING;
	tm_check_hint(problem, "tiermem topology --matrix shows what there is");
}

static bool differs(struct tm_num a, struct tm_num b)
{
	return tm_num_is(&a) && tm_num_is(&b) && a.value != b.value;
}

void tm_check_hmat_disagrees(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	struct tm_idset nodes = TM_IDSET_INIT;

	for (size_t i = 0; i < m->nr_perf; i++) {
		const struct tm_perf *kernel = &m->perf[i];

		for (size_t k = 0; k < m->nr_perf; k++) {
			const struct tm_perf *table = &m->perf[k];

			if (kernel->source == TM_SOURCE_SYSFS && table->source == TM_SOURCE_HMAT &&
			    kernel->target == table->target && tm_num_is(&kernel->initiator) &&
			    kernel->initiator.value == table->initiator.value &&
			    (differs(kernel->read_latency, table->read_latency) ||
			     differs(kernel->write_latency, table->write_latency) ||
			     differs(kernel->read_bandwidth, table->read_bandwidth) ||
			     differs(kernel->write_bandwidth, table->write_bandwidth)))
				tm_check_collect(ck, &nodes, kernel->target);
		}
	}
	tm_check_add_nodes(
		ck, &nodes, "the kernel's figures for %s are not those of the firmware's HMAT",
		"compare with tiermem topology --matrix; the translation of domains may be wrong");
}

void tm_check_domains(struct tm_checker *ck)
{
	if (ck->machine->firmware.doubtful)
		tm_check_hint(
			tm_check_add(ck, "which node is which proximity domain is in doubt: %.160s",
				     ck->machine->firmware.doubt),
			"what is shown of HMAT and SLIT may belong to other nodes");
}

void tm_check_incomplete(struct tm_checker *ck)
{
	const struct tm_machine *m = ck->machine;
	struct tm_idset nodes = TM_IDSET_INIT;

	for (size_t i = 0; i < m->nr_nodes; i++) {
		const struct tm_perf *shown = tm_machine_shown(m, m->nodes[i].id);

		if (shown && !shown->complete && shown->source != TM_SOURCE_SYSFS)
			tm_check_collect(ck, &nodes, m->nodes[i].id);
	}
	tm_check_add_nodes(
		ck, &nodes,
		"the figures shown for %s are a device's own, or made from its link: "
		"the way from the CPU is not in them",
		"the true latency is higher; measure it, or look for generic ports in the SRAT");
}
