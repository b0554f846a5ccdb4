/* SPDX-License-Identifier: GPL-2.0-only */
/* On what was measured: the machines of the results, and the topology that the report reads. */
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/report.h"
#include "lib/base/units.h"

static bool same_text(const struct tm_text *a, const struct tm_text *b)
{
	if (a->state != TM_KNOWN || b->state != TM_KNOWN)
		return a->state != TM_KNOWN && b->state != TM_KNOWN;
	return !strcmp(a->value, b->value);
}

static bool same_num(const struct tm_num *a, const struct tm_num *b)
{
	return tm_num_is(a) == tm_num_is(b) && (!tm_num_is(a) || a->value == b->value);
}

/* The same in all that the report tells of it. */
static bool same_machine(const struct stat_record *a, const struct stat_record *b)
{
	const struct stat_machine *m = &a->machine, *n = &b->machine;

	if (!same_text(&a->host, &b->host) || !same_text(&a->kernel, &b->kernel) ||
	    !same_text(&m->cpu_model, &n->cpu_model) ||
	    !same_text(&m->online_cpus, &n->online_cpus) || !same_text(&m->blind, &n->blind) ||
	    !same_num(&m->page_size, &n->page_size) || m->nr_nodes != n->nr_nodes)
		return false;
	for (size_t i = 0; i < m->nr_nodes; i++)
		if (m->nodes[i].id != n->nodes[i].id ||
		    !same_num(&m->nodes[i].memory_total, &n->nodes[i].memory_total))
			return false;
	return true;
}

/* The first file that was measured on the same. */
static size_t first_with(const struct report *report, size_t index)
{
	size_t first = 0;

	while (!same_machine(&report->results[first].machine, &report->results[index].machine))
		first++;
	return first;
}

size_t report_machine_of(const struct report *report, size_t index)
{
	size_t first = first_with(report, index), machine = 0;

	for (size_t i = 0; i < first; i++)
		machine += first_with(report, i) == i;
	return machine;
}

static void add_row(struct page *page, struct page_table *table, const char *what,
		    const struct tm_text *text)
{
	page_cell(page, table, what, NULL);
	page_cell(page, table, text->state == TM_KNOWN ? text->value : "unknown", NULL);
}

static void add_nodes(struct tm_buf *text, const struct stat_machine *machine)
{
	char bytes[TM_UNITS_MAX];

	for (size_t i = 0; i < machine->nr_nodes; i++) {
		const struct stat_node *node = &machine->nodes[i];

		tm_buf_addf(text, "%snode %d: %s", i ? ", " : "", node->id,
			    tm_num_is(&node->memory_total) ?
				    tm_format_bytes(bytes, node->memory_total.value) :
				    "unknown");
	}
	if (!machine->nr_nodes)
		tm_buf_adds(text, "unknown");
}

static void add_machine(const struct stat_record *record, struct page *page)
{
	const struct stat_machine *machine = &record->machine;
	struct page_table *table = page_table(page);
	const char *blind = stat_explain_blind(machine);
	struct tm_buf text = TM_BUF_INIT;
	char bytes[TM_UNITS_MAX];

	page_column(page, table, false, "MACHINE");
	page_column(page, table, false, "");
	add_row(page, table, "host", &record->host);
	add_row(page, table, "kernel", &record->kernel);
	add_row(page, table, "CPU", &machine->cpu_model);
	add_row(page, table, "online CPUs", &machine->online_cpus);
	page_cell(page, table, "memory", NULL);
	add_nodes(&text, machine);
	page_cell(page, table, tm_buf_str(&text), NULL);
	page_cell(page, table, "page size", NULL);
	page_cell(page, table,
		  tm_num_is(&machine->page_size) ?
			  tm_format_bytes(bytes, machine->page_size.value) :
			  "unknown",
		  NULL);
	if (blind) {
		page_cell(page, table, "TLB row is blind", NULL);
		page_cell(page, table, blind, NULL);
	}
	page->failed |= text.failed;
	tm_buf_release(&text);
}

void report_add_machines(const struct report *report, struct page *page)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr; i++)
		nr = TM_MAX(nr, report_machine_of(report, i) + 1);
	for (size_t i = 0, told = 0; i < report->nr; i++) {
		if (report_machine_of(report, i) != told)
			continue;
		if (nr > 1 && report->comparison.kind)
			page_heading(page, 2, "Machine %s", i ? "after" : "before");
		else if (nr > 1)
			page_heading(page, 2, "Machine %zu", told + 1);
		else
			page_heading(page, 2, "Machine");
		add_machine(&report->results[i].machine, page);
		told++;
	}
}

/* The usual columns of `tiermem topology`, and from where and by whom the figures are. */
static bool is_told(const struct tm_field *field)
{
	return field->heading &&
	       (field->usual || !strcmp(field->key, "source") || !strcmp(field->key, "initiators"));
}

static bool is_host_of_any(const struct report *report)
{
	const struct tm_text *host = &report->topology.machine.host;

	for (size_t i = 0; i < report->nr; i++)
		if (host->state == TM_KNOWN && same_text(host, &report->results[i].machine.host))
			return true;
	return false;
}

void report_add_topology(const struct report *report, struct page *page)
{
	const struct topology *topology = &report->topology;
	const struct tm_machine *m = &topology->machine;
	struct tm_buf text = TM_BUF_INIT;
	struct page_table *table;

	page_heading(page, 2, "Topology");
	page_text(page,
		  "%s, kernel %s, as read from %s for this report. Figures are those of the "
		  "kernel or the firmware, not measured.",
		  m->host.state == TM_KNOWN ? m->host.value : "unknown host",
		  m->kernel.state == TM_KNOWN ? m->kernel.value : "unknown", m->root);
	if (!is_host_of_any(report))
		page_text(page, "No result was measured on this host.");
	table = page_table(page);
	for (size_t i = 0; i < nr_node_fields; i++)
		if (is_told(&node_fields[i]))
			page_column(page, table,
				    node_fields[i].type == TM_FIELD_NUMBER ||
					    node_fields[i].type == TM_FIELD_BYTES,
				    node_fields[i].heading);
	for (size_t k = 0; k < m->nr_nodes; k++)
		for (size_t i = 0; i < nr_node_fields; i++) {
			if (!is_told(&node_fields[i]))
				continue;
			tm_buf_reset(&text);
			tm_field_text(&text, &node_fields[i], &topology->rows[k], false);
			page->failed |= text.failed;
			page_cell(page, table, tm_buf_str(&text), NULL);
		}
	tm_buf_release(&text);
	for (size_t i = 0; i < topology->problems.nr; i++) {
		const struct tm_problem *problem = &topology->problems.list[i];

		page_item(page, 0, "%s: %s", tm_severity_name(problem->severity), problem->message);
	}
}
