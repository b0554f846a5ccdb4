/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem policy usage`: the tables and the tiermem.policy-usage/1 document. */
#include "cmd/policy-usage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/units.h"
#include "lib/out/document.h"

#define TOP 20

enum scope { MACHINE, PROCESS, CGROUP };

struct shown {
	struct app *app;
	enum scope scope;
	const char *cgroup;
	struct policy_view view;
	struct usage usage;
	struct node_row *nodes;
	size_t nr_nodes;
	struct process_row *processes; /* those with most far memory first */
	size_t nr_processes, nr_printed;
};

static void format_share(char share[16], uint64_t part, uint64_t whole)
{
	if (whole)
		snprintf(share, 16, "%.1f%%", 100 * (double)part / (double)whole);
	else
		share[0] = '\0';
}

/* --- by node --- */

struct node_row {
	int id;
	const struct tm_policy_node *node; /* NULL: the machine does not have it any more */
	uint64_t anon, file, kernel, resident;
	char share[16];
};

#define NODE(record) ((const struct node_row *)(record))

static void get_id(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known((uint64_t)NODE(record)->id));
}

static void get_kind(const void *record, struct tm_cell *cell)
{
	const struct tm_policy_node *node = NODE(record)->node;

	tm_cell_string(cell, node ? tm_kind_name(node->node->kind) : NULL);
}

static void get_tier(const void *record, struct tm_cell *cell)
{
	const struct tm_policy_node *node = NODE(record)->node;

	tm_cell_num(cell, node ? node->node->tier : tm_num_none(TM_UNKNOWN));
}

static void get_top(const void *record, struct tm_cell *cell)
{
	const struct tm_policy_node *node = NODE(record)->node;

	tm_cell_num(cell, node ? node->top : tm_num_none(TM_UNKNOWN));
}

static void get_anon(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known(NODE(record)->anon));
}

static void get_file(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known(NODE(record)->file));
}

static void get_kernel(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known(NODE(record)->kernel));
}

static void get_resident(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known(NODE(record)->resident));
}

static void get_share(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, *NODE(record)->share ? NODE(record)->share : NULL);
}

/* clang-format off */
static const struct tm_field node_fields[] = {
	{ "id", "NODE", TM_FIELD_NUMBER, true, false, false, "node id", get_id },
	{ "kind", "KIND", TM_FIELD_TEXT, true, false, false, "kind of memory", get_kind },
	{ "tier", "TIER", TM_FIELD_NUMBER, true, false, false, "its tier", get_tier },
	{ "top", "TOP", TM_FIELD_BOOL, true, false, false, "in a top tier", get_top },
	{ "resident_bytes", "RESIDENT", TM_FIELD_BYTES, true, false, false, "how much is there",
	  get_resident },
	{ "share", "SHARE", TM_FIELD_TEXT, true, true, false, "of all", get_share },
	/* Of a control group only. */
	{ "anon_bytes", "ANON", TM_FIELD_BYTES, true, false, false, "programs' own memory",
	  get_anon },
	{ "file_bytes", "FILE", TM_FIELD_BYTES, true, false, false, "cache of files, shared memory",
	  get_file },
	{ "kernel_bytes", "KERNEL", TM_FIELD_BYTES, true, false, false, "the kernel's, for it",
	  get_kernel },
};
/* clang-format on */
#define CGROUP_FIELDS 3

static size_t nr_node_fields(const struct shown *s)
{
	return TM_ARRAY_SIZE(node_fields) - (s->scope == CGROUP ? 0 : CGROUP_FIELDS);
}

static void fill_node(struct node_row *row, const struct shown *s, int id)
{
	const struct usage *u = &s->usage;

	*row = (struct node_row){
		.id = id,
		.node = tm_policy_node(&s->view.policy, id),
		.anon = amounts_get(&u->anon, id),
		.file = amounts_get(&u->file, id),
		.kernel = amounts_get(&u->kernel, id),
		.resident = amounts_get(&u->resident, id),
	};
	format_share(row->share, row->resident, amounts_sum(&u->resident));
}

static int compare_nodes(const void *a, const void *b)
{
	return NODE(a)->id - NODE(b)->id;
}

/* All nodes with memory, and what else turned up. */
static int make_nodes(struct shown *s, struct tm_error *err)
{
	const struct tm_tier_policy *p = &s->view.policy;
	const struct amounts *resident = &s->usage.resident;

	s->nodes = calloc(p->nr_nodes + resident->nr + 1, sizeof(*s->nodes));
	if (!s->nodes)
		return tm_error_nomem(err);
	for (size_t i = 0; i < p->nr_nodes; i++)
		fill_node(&s->nodes[s->nr_nodes++], s, p->nodes[i].node->id);
	for (size_t i = 0; i < resident->nr; i++)
		if (!tm_policy_node(p, resident->list[i].node))
			fill_node(&s->nodes[s->nr_nodes++], s, resident->list[i].node);
	qsort(s->nodes, s->nr_nodes, sizeof(*s->nodes), compare_nodes);
	return 0;
}

/* --- by process --- */

struct process_row {
	const struct process *process;
	uint64_t resident;
	struct tm_num far;
	char share[16];
	char *spread; /* "0:1.2G 2:340M" */
};

#define ROW(record) ((const struct process_row *)(record))

static void get_pid(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known(ROW(record)->process->pid));
}

static void get_name(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->process->name);
}

static void get_process_resident(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, tm_num_known(ROW(record)->resident));
}

static void get_far(const void *record, struct tm_cell *cell)
{
	tm_cell_num(cell, ROW(record)->far);
}

static void get_far_share(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, *ROW(record)->share ? ROW(record)->share : NULL);
}

static void get_spread(const void *record, struct tm_cell *cell)
{
	tm_cell_string(cell, ROW(record)->spread);
}

static const struct tm_field process_fields[] = {
	{ "pid", "PID", TM_FIELD_NUMBER, true, false, false, "process id", get_pid },
	{ "name", "COMMAND", TM_FIELD_TEXT, true, false, false, "its command", get_name },
	{ "resident_bytes", "RESIDENT", TM_FIELD_BYTES, true, false, false, "its memory",
	  get_process_resident },
	{ "far_bytes", "FAR", TM_FIELD_BYTES, true, false, false, "of it below the top tiers",
	  get_far },
	{ "far_share", "SHARE", TM_FIELD_TEXT, true, true, false, "of its memory", get_far_share },
	{ "nodes", "BY-NODE", TM_FIELD_TEXT, true, true, true, "how much in which node",
	  get_spread },
};

static uint64_t known_or_0(struct tm_num num)
{
	return tm_num_is(&num) ? num.value : 0;
}

static int compare(uint64_t more, uint64_t less)
{
	return more > less ? -1 : more < less;
}

/* Most far memory first, then most memory, then by id. */
static int compare_processes(const void *a, const void *b)
{
	const struct process_row *x = a, *y = b;
	int order = compare(known_or_0(x->far), known_or_0(y->far));

	if (!order)
		order = compare(x->resident, y->resident);
	return order ? order : compare(y->process->pid, x->process->pid);
}

static int fill_process(struct process_row *row, const struct shown *s,
			const struct process *process)
{
	struct tm_buf spread = TM_BUF_INIT;
	char bytes[TM_UNITS_MAX];

	row->process = process;
	row->resident = amounts_sum(&process->resident);
	row->far = amounts_far(&process->resident, &s->view.policy);
	if (tm_num_is(&row->far))
		format_share(row->share, row->far.value, row->resident);
	for (size_t i = 0; i < process->resident.nr; i++)
		if (process->resident.list[i].bytes)
			tm_buf_addf(&spread, "%s%d:%s", spread.len ? " " : "",
				    process->resident.list[i].node,
				    tm_format_bytes(bytes, process->resident.list[i].bytes));
	tm_buf_adds(&spread, "");
	row->spread = tm_buf_detach(&spread);
	return row->spread ? 0 : -ENOMEM;
}

static int make_processes(struct shown *s, uint64_t top, struct tm_error *err)
{
	s->processes = calloc(s->usage.nr + 1, sizeof(*s->processes));
	if (!s->processes)
		return tm_error_nomem(err);
	for (size_t i = 0; i < s->usage.nr; i++)
		if (fill_process(&s->processes[s->nr_processes++], s, &s->usage.processes[i]))
			return tm_error_nomem(err);
	qsort(s->processes, s->nr_processes, sizeof(*s->processes), compare_processes);
	s->nr_printed = top && top < s->nr_processes ? (size_t)top : s->nr_processes;
	return 0;
}

/* --- text --- */

static void add_head(const struct shown *s, struct tm_buf *out)
{
	uint64_t sum = amounts_sum(&s->usage.resident);
	struct tm_num far = amounts_far(&s->usage.resident, &s->view.policy);
	char bytes[TM_UNITS_MAX], share[16];

	if (s->scope == PROCESS) {
		const struct process *process = &s->usage.processes[0];

		tm_buf_addf(out, "process %" PRIu64 " (", process->pid);
		tm_buf_add_printable(out, process->name, strlen(process->name));
		tm_buf_adds(out, "): ");
	} else if (s->scope == CGROUP) {
		tm_buf_adds(out, "control group ");
		tm_buf_add_printable(out, s->cgroup, strlen(s->cgroup));
		tm_buf_adds(out, ": ");
	} else {
		tm_buf_addf(out, "%zu process%s: ", s->nr_processes,
			    s->nr_processes == 1 ? "" : "es");
	}
	tm_buf_addf(out, "%s in memory", tm_format_bytes(bytes, sum));
	if (tm_num_is(&far)) {
		format_share(share, far.value, sum);
		tm_buf_addf(out, ", %s below the top tiers%s%s%s",
			    tm_format_bytes(bytes, far.value), *share ? " (" : "", share,
			    *share ? ")" : "");
	}
	tm_buf_addc(out, '\n');
}

static int add_all(const struct shown *s, struct tm_buf *out, struct tm_error *err)
{
	/* Scripts that ask for bare rows get one table. */
	bool bare = s->app->raw || s->app->noheadings;
	int rc = 0;

	if (!bare)
		add_head(s, out);
	if (!bare || s->scope != MACHINE)
		rc = policy_add_table(s->app, node_fields, nr_node_fields(s), s->nodes, s->nr_nodes,
				      sizeof(*s->nodes), out, err);
	if (rc || s->scope != MACHINE)
		return rc;
	if (!bare)
		tm_buf_addc(out, '\n');
	rc = policy_add_table(s->app, process_fields, TM_ARRAY_SIZE(process_fields), s->processes,
			      s->nr_printed, sizeof(*s->processes), out, err);
	if (!bare && s->nr_printed < s->nr_processes)
		tm_buf_addf(out, "and %zu more: --top 0 shows all\n",
			    s->nr_processes - s->nr_printed);
	return rc;
}

static int make_text(const struct shown *s, char **text, struct tm_error *err)
{
	struct tm_buf out = TM_BUF_INIT;
	int rc = add_all(s, &out, err);

	return policy_take_text(&out, rc, text, err);
}

/* --- the document --- */

static void add_tiers(struct tm_json *json, const struct shown *s)
{
	const struct tm_machine *m = &s->view.machine;

	if (m->tiers_state != TM_KNOWN) {
		tm_json_none(json, "tiers", m->tiers_state);
		return;
	}
	tm_json_array(json, "tiers");
	for (size_t t = 0; t < m->nr_tiers; t++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < s->nr_nodes; i++)
			if (tm_idset_has(&m->tiers[t].nodes, s->nodes[i].id))
				sum += s->nodes[i].resident;
		tm_json_object(json, NULL);
		tm_json_i64(json, "id", m->tiers[t].id);
		tm_json_bool(json, "top", tm_policy_top(&s->view.policy, m->tiers[t].id).value);
		tm_json_u64(json, "resident_bytes", sum);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_processes(struct tm_json *json, const struct shown *s)
{
	tm_json_u64(json, "processes_read", s->nr_processes);
	tm_json_u64(json, "processes_denied", s->usage.denied);
	tm_json_array(json, "processes");
	for (size_t i = 0; i < s->nr_printed; i++) {
		const struct process_row *row = &s->processes[i];
		char key[16];

		tm_json_object(json, NULL);
		tm_field_json(json, process_fields, TM_ARRAY_SIZE(process_fields), row);
		tm_json_object(json, "nodes");
		for (size_t n = 0; n < row->process->resident.nr; n++) {
			snprintf(key, sizeof(key), "%d", row->process->resident.list[n].node);
			tm_json_u64(json, key, row->process->resident.list[n].bytes);
		}
		tm_json_end(json);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static int make_document(const struct shown *s, char **text, struct tm_error *err)
{
	static const char *const scopes[] = { "machine", "process", "cgroup" };
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	const struct tm_machine *m = &s->view.machine;
	struct tm_identity identity = { m->kernel, m->host, m->boot_id, m->root };

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin(json, "policy-usage", 1, &identity);
	tm_json_string(json, "scope", scopes[s->scope]);
	if (s->scope == CGROUP)
		tm_json_string(json, "cgroup", s->cgroup);
	tm_json_u64(json, "resident_bytes", amounts_sum(&s->usage.resident));
	tm_json_num(json, "far_bytes", amounts_far(&s->usage.resident, &s->view.policy));
	tm_json_array(json, "nodes");
	for (size_t i = 0; i < s->nr_nodes; i++) {
		tm_json_object(json, NULL);
		tm_field_json(json, node_fields, nr_node_fields(s), &s->nodes[i]);
		tm_json_end(json);
	}
	tm_json_end(json);
	add_tiers(json, s);
	if (s->scope != CGROUP)
		add_processes(json, s);
	return tm_json_print(json, false, text, err);
}

/* --- the command --- */

static int parse(struct shown *s, uint64_t *pid, uint64_t *top, struct tm_error *err)
{
	const char *given = app_option(s->app, "top");

	s->cgroup = app_option(s->app, "cgroup");
	s->scope = s->cgroup ? CGROUP : s->app->argc ? PROCESS : MACHINE;
	*top = TOP;
	if (s->cgroup && s->app->argc)
		return tm_error_set(err, EINVAL, "--cgroup: not together with a process id");
	if (given && s->scope != MACHINE)
		return tm_error_set(err, EINVAL, "--top: only where all processes are shown");
	if (given && tm_parse_u64(given, top))
		return tm_error_set(err, EINVAL, "--top: '%.100s' is no number", given);
	if (s->scope == PROCESS && (tm_parse_u64(s->app->argv[0], pid) || !*pid))
		return tm_error_set(err, EINVAL, "'%.100s' is no process id", s->app->argv[0]);
	return 0;
}

static int read_usage(struct shown *s, uint64_t pid, struct tm_error *err)
{
	switch (s->scope) {
	case PROCESS:
		return usage_read_process(&s->usage, &s->view.root, pid, err);
	case CGROUP:
		return usage_read_cgroup(&s->usage, &s->view.root, s->cgroup, err);
	default:
		return usage_read_all(&s->usage, &s->view.root, err);
	}
}

static void warn_of_gaps(const struct shown *s)
{
	if (s->usage.denied)
		warn(s->app, "%zu process%s may not be looked at: only root sees all",
		     s->usage.denied, s->usage.denied > 1 ? "es" : "");
	if (s->usage.malformed)
		warn(s->app, "lines that are not of the known form, and left out: %zu",
		     s->usage.malformed);
}

static int run_usage(struct app *app)
{
	struct shown s = { .app = app, .view = { .root = { .fd = -1 } } };
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_error err = { 0 };
	uint64_t pid = 0, top;
	int rc = parse(&s, &pid, &top, &err);

	if (!rc)
		rc = policy_view_read(&s.view, app->root, &err);
	if (!rc)
		rc = read_usage(&s, pid, &err);
	if (!rc)
		rc = make_nodes(&s, &err);
	if (!rc)
		rc = make_processes(&s, top, &err);
	if (!rc)
		rc = app->json ? make_document(&s, &text, &err) : make_text(&s, &text, &err);
	if (!rc) {
		out_text(app, text);
		warn_of_gaps(&s);
	}
	for (size_t i = 0; i < s.nr_processes; i++)
		free(s.processes[i].spread);
	free(s.processes);
	free(s.nodes);
	usage_release(&s.usage);
	policy_view_release(&s.view);
	return !rc ? EXIT_DONE :
		     report(app,
			    rc == -EINVAL  ? EXIT_USAGE :
			    rc == -ENOTSUP ? EXIT_UNSUPPORTED :
					     EXIT_FAILED,
			    &err);
}

static const struct option options[] = {
	{ "cgroup", 0, "PATH", VALUE_TEXT, "of a control group, such as system.slice/ssh.service",
	  NULL },
	{ "top", 'n', "N", VALUE_NUMBER, "so many processes (20); 0: all of them", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command policy_usage_command = {
	.name = "usage",
	.summary = "show where memory lies, and who lives in far memory",
	.synopsis = "[PID | --cgroup PATH | --top N]",
	.description =
		"Shows how much memory of a process, of a control group, or of all processes is in "
		"which node and tier. All processes are sorted by what they have below the top "
		"tiers: who lives in far memory comes first.\n\n"
		"Memory that processes share counts with each of them. Looking at a process takes "
		"the kernel some time, in which it cannot map memory; with many large ones that "
		"shows.",
	.examples = "tiermem policy usage  # who lives in far memory\n"
		    "tiermem policy usage 4711  # one process\n"
		    "tiermem policy usage --cgroup system.slice/postgresql.service  # a service\n",
	.options = options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_TABLE,
	.max_operands = 1,
	.operand = "PID",
	.operand_kind = VALUE_NUMBER,
	.run = run_usage,
};
