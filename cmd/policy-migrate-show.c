/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/policy-migrate.h"
#include "cmd/terminal.h"
#include "lib/base/units.h"
#include "lib/out/document.h"
#include "lib/out/field.h"
#include "lib/out/table.h"

struct row {
	const struct migrate *m;
	int node;
};

#define ROW(record) ((const struct row *)(record))

static void get_node(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known((uint64_t)ROW(record)->node));
}

static void get_role(const void *record, struct tm_cell *cell)
{
	const struct migrate *m = ROW(record)->m;

	tm_cell_string(cell, tm_idset_has(&m->from, ROW(record)->node) ? "from" :
			     tm_idset_has(&m->to, ROW(record)->node)   ? "to" :
									 NULL);
}

static void get_before(const void *record, struct tm_cell *cell)
{
	const struct migrate *m = ROW(record)->m;

	tm_cell_num(cell, tm_num_known(migrate_bytes_on(&m->before, ROW(record)->node)));
}

static void get_after(const void *record, struct tm_cell *cell)
{
	const struct migrate *m = ROW(record)->m;

	tm_cell_num(cell, tm_num_none(TM_UNKNOWN));
	if (m->after_known)
		tm_cell_num(cell, tm_num_known(migrate_bytes_on(&m->after, ROW(record)->node)));
}

/* clang-format off */
static const struct tm_field fields[] = {
	{ "node", "NODE", TM_FIELD_NUMBER, true, false, false, "the node", get_node },
	{ "role", "ROLE", TM_FIELD_TEXT, true, false, false, "from it, or to it", get_role },
	{ "before_bytes", "BEFORE", TM_FIELD_BYTES, true, false, false, "in it before",
	  get_before },
	{ "after_bytes", "AFTER", TM_FIELD_BYTES, true, false, false, "in it afterwards",
	  get_after },
};
/* clang-format on */

static const char *why(enum tm_unmoved reason)
{
	static const char *const text[TM_NR_UNMOVED] = {
		[TM_UNMOVED_SHARED] = "other processes map it too; --all moves that",
		[TM_UNMOVED_BUSY] = "in use by the kernel or a device just then",
		[TM_UNMOVED_FULL] = "no memory left on the target",
		[TM_UNMOVED_UNMOVABLE] = "memory that the kernel does not move",
		[TM_UNMOVED_GONE] = "freed or swapped out meanwhile",
		[TM_UNMOVED_OTHER] = "for another reason",
	};

	return text[reason];
}

static const char *name_of(const struct migrate *m)
{
	return m->name.state == TM_KNOWN ? m->name.value : "?";
}

static void add_head(const struct migrate *m, struct tm_buf *out)
{
	char bytes[TM_UNITS_MAX];
	const char *name = name_of(m);

	tm_buf_addf(out, "process %" PRIu64 " (", m->pid);
	tm_buf_add_printable(out, name, strlen(name));
	if (m->app->dry_run) {
		tm_buf_adds(out, "): nothing is moved\n");
		return;
	}
	tm_buf_addf(out, "): moved %s in %" PRIu64 " pages\n",
		    tm_format_bytes(bytes, m->move.moved.bytes), m->move.moved.pages);
	for (int i = 0; i < TM_NR_UNMOVED; i++)
		if (m->move.unmoved[i].pages)
			tm_buf_addf(out, "  not moved: %s, %s\n",
				    tm_format_bytes(bytes, m->move.unmoved[i].bytes),
				    why((enum tm_unmoved)i));
}

static int make_text(const struct migrate *m, const struct row *rows, size_t nr, char **text,
		     struct tm_error *err)
{
	struct tm_table_style style = terminal_style(m->app);
	size_t chosen[2 * TM_ARRAY_SIZE(fields)], nr_chosen;
	TM_CLEANUP(tm_freep) char *table_text = NULL;
	struct tm_buf out = TM_BUF_INIT;
	struct tm_table *table = tm_table_new(&style);
	int rc = table ? 0 : tm_error_nomem(err);

	if (!rc)
		rc = tm_field_choose(fields, TM_ARRAY_SIZE(fields),
				     m->app->dry_run ? "node,role,before" : NULL, chosen,
				     &nr_chosen, err);
	if (!rc) {
		tm_table_records(table, fields, chosen, nr_chosen, rows, nr, sizeof(*rows));
		rc = tm_table_print(table, &table_text, err);
	}
	tm_table_free(table);
	if (rc)
		return rc;
	if (!m->app->raw && !m->app->noheadings)
		add_head(m, &out);
	tm_buf_adds(&out, table_text);
	*text = tm_buf_detach(&out);
	return *text ? 0 : tm_error_nomem(err);
}

static int make_document(const struct migrate *m, const struct row *rows, size_t nr, char **text,
			 struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	const struct tm_machine *machine = &m->machine;
	struct tm_identity identity = { machine->kernel, machine->host, machine->boot_id,
					machine->root };

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin(json, "migrate", 1, &identity);
	tm_json_u64(json, "pid", m->pid);
	tm_json_string(json, "name", name_of(m));
	tm_json_idset(json, "from", &m->from);
	tm_json_idset(json, "to", &m->to);
	tm_json_idset(json, "mems_allowed", &m->mems);
	tm_json_bool(json, "all", app_option(m->app, "all") != NULL);
	tm_json_bool(json, "dry_run", m->app->dry_run);
	tm_json_string(json, "state", m->state);
	tm_json_u64(json, "moved_pages", m->move.moved.pages);
	tm_json_u64(json, "moved_bytes", m->move.moved.bytes);
	tm_json_array(json, "unmoved");
	for (int i = 0; i < TM_NR_UNMOVED; i++) {
		if (!m->move.unmoved[i].pages)
			continue;
		tm_json_object(json, NULL);
		tm_json_string(json, "reason", tm_unmoved_name((enum tm_unmoved)i));
		tm_json_u64(json, "pages", m->move.unmoved[i].pages);
		tm_json_u64(json, "bytes", m->move.unmoved[i].bytes);
		tm_json_end(json);
	}
	tm_json_end(json);
	tm_json_array(json, "nodes");
	for (size_t i = 0; i < nr; i++) {
		tm_json_object(json, NULL);
		tm_field_json(json, fields, TM_ARRAY_SIZE(fields), &rows[i]);
		tm_json_end(json);
	}
	tm_json_end(json);
	return tm_json_print(json, false, text, err);
}

/* Nodes that are named, and those where some of its memory is. */
static int list_nodes(const struct migrate *m, struct tm_idset *nodes)
{
	const struct tm_numa_maps *maps[] = { &m->before, &m->after };
	int rc = tm_idset_copy(nodes, &m->from);

	tm_idset_for_each(id, &m->to)
		rc = rc ? rc : tm_idset_add(nodes, id);
	for (size_t i = 0; i < TM_ARRAY_SIZE(maps); i++)
		for (size_t k = 0; k < maps[i]->nr; k++)
			for (size_t n = 0; n < maps[i]->list[k].nr && !rc; n++)
				rc = tm_idset_add(nodes, maps[i]->list[k].resident[n].node);
	return rc;
}

int migrate_show(const struct migrate *m, char **text, struct tm_error *err)
{
	struct tm_idset nodes = TM_IDSET_INIT;
	struct row *rows = NULL;
	size_t nr = 0;
	int rc = list_nodes(m, &nodes);

	if (!rc)
		rows = calloc(tm_idset_count(&nodes) + 1, sizeof(*rows));
	if (rc || !rows) {
		tm_idset_release(&nodes);
		return tm_error_nomem(err);
	}
	tm_idset_for_each(id, &nodes)
		rows[nr++] = (struct row){ m, (int)id };
	rc = m->app->json ? make_document(m, rows, nr, text, err) :
			    make_text(m, rows, nr, text, err);
	free(rows);
	tm_idset_release(&nodes);
	return rc;
}
