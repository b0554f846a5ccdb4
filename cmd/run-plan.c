/* SPDX-License-Identifier: GPL-2.0-only */
/* What will be done: lines for --dry-run and --verbose, a document for --json. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/run-view.h"
#include "lib/base/units.h"
#include "lib/out/document.h"

/* So wide is a terminal that says nothing else, and so far in begins what a line says. */
#define WIDTH 80
#define INDENT 12

/*
 * "nodes       0-3, local to CPUs 0-31", going on below where that is too long: it breaks at blanks
 * and in lists. Empties the text.
 */
static void add_line(struct tm_buf *buf, const char *label, struct tm_buf *text)
{
	size_t column = INDENT;

	tm_buf_addf(buf, "%-*s", INDENT, label);
	for (const char *part = tm_buf_str(text); *part;) {
		size_t blank = *part == ' ', len = blank + strcspn(part + blank, " ,");

		len += part[len] == ',';
		if (column > INDENT && column + len > WIDTH) {
			tm_buf_addf(buf, "\n%*s", INDENT, "");
			column = INDENT;
			part += blank;
			len -= blank;
		}
		tm_buf_add(buf, part, len);
		column += len;
		part += len;
	}
	tm_buf_addc(buf, '\n');
	buf->failed |= text->failed;
	tm_buf_reset(text);
}

static void add_set(struct tm_buf *buf, const struct tm_idset *set)
{
	TM_CLEANUP(tm_freep) char *list = tm_idset_format(set);

	tm_buf_adds(buf, list ? list : "");
}

/* "0:1 1:1", then what they will be. */
static void add_weights(struct tm_buf *buf, const struct run *run)
{
	const struct weights *w = &run->w;
	bool changes = run_changes_weights(run), even = true;

	for (size_t i = 0; i < w->nr; i++) {
		const struct tm_num *now = &w->nodes[i].node->weight;
		const char *between = i ? " " : "";
		int id = w->nodes[i].node->id;

		if (changes)
			tm_buf_addf(buf, "%s%d:%u", between, id, w->nodes[i].recommended);
		else if (tm_num_is(now))
			tm_buf_addf(buf, "%s%d:%" PRIu64, between, id, now->value);
		else
			tm_buf_addf(buf, "%s%d:?", between, id);
		even &= tm_num_is(now) && now->value == 1;
	}
	if (changes)
		tm_buf_adds(buf, " while the command runs, then as they are now");
	else if (even && w->nr > 1)
		tm_buf_adds(buf, ", which is even: `tiermem weights apply` sets better ones");
}

/* The local set of a command that may run everywhere is everything. */
static size_t count_homes(const struct run *run)
{
	const struct tm_machine *m = &run->w.machine;
	size_t homes = 0;

	for (size_t i = 0; i < m->nr_nodes; i++)
		homes += tm_idset_intersects(&m->nodes[i].cpus, &run->cpus);
	return homes;
}

static void add_nodes_line(struct tm_buf *buf, const struct run *run)
{
	add_set(buf, &run->nodes);
	if (run->chosen)
		return;
	tm_buf_adds(buf, ", local to CPUs ");
	add_set(buf, &run->cpus);
	if (count_homes(run) > 1)
		tm_buf_adds(buf, ", which are of several nodes: see taskset(1)");
}

char *run_describe(const struct run *run)
{
	bool weighted = run->policy == TM_POLICY_WEIGHTED_INTERLEAVE;
	struct tm_buf buf = TM_BUF_INIT, text = TM_BUF_INIT;
	char size[TM_UNITS_MAX];

	tm_buf_addf(&text, "%s%s", tm_policy_name(run->policy),
		    run->fallen_back ? ", as the kernel has no weighted interleave" : "");
	add_line(&buf, "policy", &text);
	add_nodes_line(&text, run);
	add_line(&buf, "nodes", &text);
	if (weighted) {
		add_weights(&text, run);
		add_line(&buf, "weights", &text);
	}
	add_set(&text, &run->mems);
	add_line(&buf, "cpuset.mems", &text);
	if (run->large) {
		tm_buf_addf(&text, "only anonymous mappings of %s and above",
			    tm_format_bytes(size, run->large));
		add_line(&buf, "for", &text);
	}
	if (run->library)
		tm_buf_addf(&buf, "%-11s %s\n", "preloaded", run->library);
	if (run->program) {
		tm_buf_addf(&buf, "%-11s ", "command");
		tm_buf_add_printable(&buf, run->program, strlen(run->program));
		tm_buf_addc(&buf, '\n');
	}
	tm_buf_release(&text);
	return tm_buf_detach(&buf);
}

static void add_nodes(struct tm_json *json, const struct run *run)
{
	bool changes = run_changes_weights(run);

	tm_json_array(json, "weights");
	for (size_t i = 0; i < run->w.nr; i++) {
		const struct weight_node *node = &run->w.nodes[i];

		tm_json_object(json, NULL);
		tm_json_i64(json, "node", node->node->id);
		tm_json_num(json, "current", node->node->weight);
		if (changes)
			tm_json_u64(json, "wanted", node->recommended);
		else
			tm_json_null(json, "wanted");
		tm_json_end(json);
	}
	tm_json_end(json);
}

static int make_document(const struct run *run, char **text, struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	const struct tm_machine *m = &run->w.machine;
	struct tm_identity identity = { m->kernel, m->host, m->boot_id, m->root };

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin(json, "run", 1, &identity);
	tm_json_bool(json, "dry_run", true);
	tm_json_string(json, "policy", tm_policy_name(run->policy));
	tm_json_bool(json, "fallback", run->fallen_back);
	tm_json_idset(json, "nodes", &run->nodes);
	tm_json_idset(json, "cpus_allowed", &run->cpus);
	tm_json_idset(json, "mems_allowed", &run->mems);
	add_nodes(json, run);
	if (run->large)
		tm_json_u64(json, "large_bytes", run->large);
	else
		tm_json_null(json, "large_bytes");
	tm_json_string(json, "preload", run->library);
	tm_json_string(json, "program", run->program);
	tm_json_array(json, "command");
	for (int i = 0; i < run->app->argc; i++)
		tm_json_string(json, NULL, run->app->argv[i]);
	tm_json_end(json);
	return tm_json_print(json, false, text, err);
}

int run_preview(struct run *run)
{
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_error err = { 0 };
	int rc = 0;

	if (run->app->json)
		rc = make_document(run, &text, &err);
	else if (!(text = run_describe(run)))
		rc = tm_error_nomem(&err);
	if (rc)
		return report(run->app, (enum exit_code)CHILD_FAILED, &err);
	out_text(run->app, text);
	return EXIT_DONE;
}
