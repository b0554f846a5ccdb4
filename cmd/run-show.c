/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem run --show PID`: the policies of a process, and on which nodes its memory is. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/run-view.h"
#include "cmd/terminal.h"
#include "lib/base/units.h"
#include "lib/out/document.h"
#include "lib/out/field.h"
#include "lib/out/table.h"
#include "lib/sys/numa-maps.h"

/* A line of numa_maps is some 100 bytes, and a process may have 65530 mappings and more. */
#define MAPS_MAX (256u << 20)
#define STATUS_MAX (1u << 20)

struct shown {
	struct app *app;
	uint64_t pid;
	struct tm_root root;
	struct tm_machine machine;
	struct tm_numa_maps maps;
	char *name; /* of the command, safe to print */
	struct tm_idset cpus, mems;
	struct row *rows;
	size_t nr;
};

/* One policy on one node. */
struct row {
	const struct tm_placement *placement;
	const struct tm_resident *resident; /* NULL: nothing is in memory */
	const struct tm_node *node;	    /* NULL: none, or unknown */
	char share[16];
};

#define ROW(record) ((const struct row *)(record))

static void get_policy(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->placement->policy);
}

static void get_flags(const void *record, struct tm_cell *cell)
{
	const char *flags = ROW(record)->placement->flags;

	tm_cell_string(cell, *flags ? flags : NULL);
}

static void get_nodes(const void *record, struct tm_cell *cell)
{
	cell->state = TM_KNOWN;
	cell->set = &ROW(record)->placement->nodes;
}

static void get_mappings(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known(ROW(record)->placement->mappings));
}

static void get_node(const void *record, struct tm_cell *cell)
{
	const struct tm_resident *resident = ROW(record)->resident;

	tm_cell_num(cell,
		    resident ? tm_num_known((uint64_t)resident->node) : tm_num_none(TM_UNKNOWN));
}

static void get_kind(const void *record, struct tm_cell *cell)
{
	const struct tm_node *node = ROW(record)->node;

	tm_cell_string(cell, node ? tm_kind_name(node->kind) : NULL);
}

static void get_tier(const void *record, struct tm_cell *cell)
{
	const struct tm_node *node = ROW(record)->node;

	tm_cell_num(cell, node ? node->tier : tm_num_none(TM_UNKNOWN));
}

static void get_weight(const void *record, struct tm_cell *cell)
{
	const struct tm_node *node = ROW(record)->node;

	tm_cell_num(cell, node ? node->weight : tm_num_none(TM_UNKNOWN));
}

static void get_resident(const void *record, struct tm_cell *cell)
{
	const struct tm_resident *resident = ROW(record)->resident;

	tm_cell_num(cell, tm_num_known(resident ? resident->bytes : 0));
}

static void get_share(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, *ROW(record)->share ? ROW(record)->share : NULL);
}

static const struct tm_field fields[] = {
	{ "policy", "POLICY", TM_FIELD_TEXT, true, false, true, "how memory is placed",
	  get_policy },
	{ "flags", "FLAGS", TM_FIELD_TEXT, false, false, false, "flags of the policy", get_flags },
	{ "nodes", "OVER", TM_FIELD_SET, true, false, true, "the nodes of the policy", get_nodes },
	{ "mappings", "MAPS", TM_FIELD_NUMBER, true, false, false, "mappings that have it",
	  get_mappings },
	{ "node", "NODE", TM_FIELD_NUMBER, true, false, false, "where memory is", get_node },
	{ "kind", "KIND", TM_FIELD_TEXT, true, false, false, "the node's kind", get_kind },
	{ "tier", "TIER", TM_FIELD_NUMBER, true, false, false, "its tier", get_tier },
	{ "weight", "WEIGHT", TM_FIELD_NUMBER, true, false, false, "its weight", get_weight },
	{ "resident_bytes", "RESIDENT", TM_FIELD_BYTES, true, false, false, "how much is there",
	  get_resident },
	{ "share", "SHARE", TM_FIELD_TEXT, true, true, false, "of what has the policy", get_share },
};

static int fail(struct shown *s, int rc, const struct tm_error *err)
{
	return report(s->app,
		      rc == -EINVAL	? EXIT_USAGE :
		      rc == -EOPNOTSUPP ? EXIT_UNSUPPORTED :
					  (enum exit_code)CHILD_FAILED,
		      err);
}

/* Nothing of what a command line says can be honoured here. */
static int check_options(const struct app *app, struct tm_error *err)
{
	for (const struct option *o = app->command->options; o->name; o++)
		if (strcmp(o->name, "show") && app_option(app, o->name))
			return tm_error_set(err, EINVAL, "--%s: not together with --show", o->name);
	if (app->dry_run)
		return tm_error_set(err, EINVAL, "--dry-run: --show changes nothing");
	if (app->argc)
		return tm_error_set(err, EINVAL, "'%.100s': --show runs no command", app->argv[0]);
	return 0;
}

static int read_file(struct shown *s, const char *name, size_t max, struct tm_buf *text,
		     struct tm_error *err)
{
	char path[TM_PATH_MAX];
	int rc = tm_path_format(path, "proc/%llu/%s", (unsigned long long)s->pid, name);

	if (!rc)
		rc = tm_root_read(&s->root, path, max, text);
	if (!rc)
		return 0;
	if ((rc == -ENOENT || rc == -ESRCH) && !strcmp(name, "status"))
		return tm_error_set(err, ESRCH, "there is no process %llu",
				    (unsigned long long)s->pid);
	if (rc == -ENOENT)
		return tm_error_set(err, EOPNOTSUPP, "/%s: this kernel has no NUMA support", path);
	tm_error_errno(err, -rc, "/%s", path);
	if (rc == -EACCES || rc == -EPERM)
		tm_error_hint(err, "only root sees the memory of other users' processes");
	return rc;
}

/* "Name:\tawk", the first line, into s->name. */
static int take_name(struct shown *s, const char *status)
{
	static const char key[] = "Name:\t";
	struct tm_buf safe = TM_BUF_INIT;

	if (strncmp(status, key, strlen(key)))
		return -EPROTO;
	status += strlen(key);
	tm_buf_add_printable(&safe, status, strcspn(status, "\n"));
	s->name = tm_buf_detach(&safe);
	return s->name ? 0 : -ENOMEM;
}

static int read_status(struct shown *s, struct tm_error *err)
{
	struct tm_buf text = TM_BUF_INIT;
	int rc = read_file(s, "status", STATUS_MAX, &text, err);

	if (rc)
		return rc;
	rc = take_name(s, tm_buf_str(&text));
	if (!rc)
		rc = run_take_list(tm_buf_str(&text), "\nCpus_allowed_list:", &s->cpus);
	if (!rc)
		rc = run_take_list(tm_buf_str(&text), "\nMems_allowed_list:", &s->mems);
	tm_buf_release(&text);
	if (rc == -ENOMEM)
		return tm_error_nomem(err);
	return rc ? tm_error_set(err, EPROTO, "/proc/%llu/status: not of the known form",
				 (unsigned long long)s->pid) :
		    0;
}

static void fill_row(struct row *row, const struct shown *s, const struct tm_placement *placement,
		     const struct tm_resident *resident)
{
	uint64_t sum = 0;

	*row = (struct row){ placement, resident, NULL, "" };
	if (!resident)
		return;
	row->node = tm_machine_node(&s->machine, resident->node);
	for (size_t i = 0; i < placement->nr; i++)
		sum += placement->resident[i].bytes;
	if (sum)
		snprintf(row->share, sizeof(row->share), "%.1f%%",
			 100 * (double)resident->bytes / (double)sum);
}

static int make_rows(struct shown *s, struct tm_error *err)
{
	size_t room = 0;

	for (size_t i = 0; i < s->maps.nr; i++)
		room += TM_MAX(s->maps.list[i].nr, (size_t)1);
	s->rows = calloc(room + 1, sizeof(*s->rows));
	if (!s->rows)
		return tm_error_nomem(err);
	for (size_t i = 0; i < s->maps.nr; i++) {
		const struct tm_placement *placement = &s->maps.list[i];

		if (!placement->nr)
			fill_row(&s->rows[s->nr++], s, placement, NULL);
		for (size_t k = 0; k < placement->nr; k++)
			fill_row(&s->rows[s->nr++], s, placement, &placement->resident[k]);
	}
	return 0;
}

static int read_all(struct shown *s, struct tm_error *err)
{
	struct tm_buf text = TM_BUF_INIT;
	int rc = tm_root_open(&s->root, s->app->root, err);

	if (!rc && !s->root.live)
		rc = tm_error_set(err, EINVAL, "--root: a captured machine has no processes");
	if (!rc)
		rc = tm_machine_read(&s->machine, &s->root, NULL, err);
	if (!rc)
		rc = read_status(s, err);
	if (!rc)
		rc = read_file(s, "numa_maps", MAPS_MAX, &text, err);
	if (!rc)
		rc = tm_numa_maps_parse(&s->maps, tm_buf_str(&text), err);
	tm_buf_release(&text);
	return rc ? rc : make_rows(s, err);
}

/* Above the table: which policy the process itself has. */
static void add_head(struct tm_buf *buf, const struct shown *s)
{
	const struct tm_placement *p = s->maps.process;
	TM_CLEANUP(tm_freep) char *mems = tm_idset_format(&s->mems);
	TM_CLEANUP(tm_freep) char *nodes = p ? tm_idset_format(&p->nodes) : NULL;

	tm_buf_addf(buf, "process %llu (%s): ", (unsigned long long)s->pid, s->name);
	if (!p)
		tm_buf_adds(buf, s->maps.nr ? "policy unknown" : "has no memory of its own");
	else if (nodes && *nodes)
		tm_buf_addf(buf, "%s over nodes %s", p->policy, nodes);
	else
		tm_buf_adds(buf, p->policy);
	tm_buf_addf(buf, "; cpuset.mems %s\n", mems ? mems : "");
}

static int make_text(const struct shown *s, char **text, struct tm_error *err)
{
	struct tm_table_style style = terminal_style(s->app);
	size_t chosen[2 * TM_ARRAY_SIZE(fields)], nr_chosen;
	TM_CLEANUP(tm_freep) char *rows = NULL;
	struct tm_buf buf = TM_BUF_INIT;
	struct tm_table *table = tm_table_new(&style);
	int rc = table ? 0 : tm_error_nomem(err);

	if (!rc)
		rc = tm_field_choose(fields, TM_ARRAY_SIZE(fields), NULL, chosen, &nr_chosen, err);
	if (!rc) {
		tm_table_records(table, fields, chosen, nr_chosen, s->rows, s->nr,
				 sizeof(*s->rows));
		rc = tm_table_print(table, &rows, err);
	}
	tm_table_free(table);
	if (rc)
		return rc;
	/* Scripts that ask for bare rows get nothing else. */
	if (!s->app->raw && !s->app->noheadings)
		add_head(&buf, s);
	tm_buf_adds(&buf, rows);
	*text = tm_buf_detach(&buf);
	return *text ? 0 : tm_error_nomem(err);
}

static int make_document(const struct shown *s, char **text, struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	const struct tm_machine *m = &s->machine;
	struct tm_identity identity = { m->kernel, m->host, m->boot_id, m->root };

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin(json, "run", 1, &identity);
	tm_json_u64(json, "pid", s->pid);
	tm_json_string(json, "name", s->name);
	tm_json_string(json, "policy", s->maps.process ? s->maps.process->policy : NULL);
	if (s->maps.process)
		tm_json_idset(json, "nodes", &s->maps.process->nodes);
	else
		tm_json_null(json, "nodes");
	tm_json_idset(json, "cpus_allowed", &s->cpus);
	tm_json_idset(json, "mems_allowed", &s->mems);
	tm_json_array(json, "placement");
	for (size_t i = 0; i < s->nr; i++) {
		tm_json_object(json, NULL);
		tm_field_json(json, fields, TM_ARRAY_SIZE(fields), &s->rows[i]);
		tm_json_end(json);
	}
	tm_json_end(json);
	return tm_json_print(json, false, text, err);
}

int run_show(struct app *app, const char *pid)
{
	struct shown s = { .app = app, .root = { .fd = -1 } };
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_error err = { 0 };
	int rc = check_options(app, &err);

	if (!rc && (tm_parse_u64(pid, &s.pid) || !s.pid))
		rc = tm_error_set(&err, EINVAL, "--show: '%.100s' is no process id", pid);
	if (!rc)
		rc = read_all(&s, &err);
	if (!rc)
		rc = app->json ? make_document(&s, &text, &err) : make_text(&s, &text, &err);
	if (!rc && s.maps.malformed)
		warn(app, "/proc/%s/numa_maps: %zu lines are not of the known form, and left out",
		     pid, s.maps.malformed);
	if (!rc)
		out_text(app, text);
	free(s.name);
	free(s.rows);
	tm_idset_release(&s.cpus);
	tm_idset_release(&s.mems);
	tm_numa_maps_release(&s.maps);
	tm_machine_release(&s.machine);
	tm_root_close(&s.root);
	return rc ? fail(&s, rc, &err) : EXIT_DONE;
}
