/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --compare-policies: the same load on memory that is placed in every way that Linux knows, so that
 * one sees what weights are worth before setting them for good.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/bandwidth.h"
#include "cmd/terminal.h"
#include "cmd/weights-view.h"
#include "lib/knob/weights.h"
#include "lib/model/local.h"
#include "lib/tune/best.h"

/* As `weights compute` has it. */
#define TOLERANCE_PPM 10000

struct comparing {
	struct bench *b;
	long initiator; /* below 0: the CPUs are of several nodes */
	bool nontemporal;
	struct tm_idset local; /* nodes */
	unsigned *ones, *now, *best;
	size_t nr; /* nodes */
};

static const char *const scopes[] = { "process", "regions" };

int bandwidth_compare_parse(const struct bench *b, struct tm_error *err)
{
	const struct bandwidth_request *request = b->request;

	if (!request->compare)
		return 0;
	if (request->interleave || request->weighted)
		return tm_error_set(err, EINVAL, "--%s: is among what --compare-policies measures",
				    request->interleave ? "interleave" : "weighted");
	if (tm_idset_count(&b->nodes) < 2)
		return tm_error_set(err, ENOTSUP,
				    "--compare-policies: needs two nodes with memory");
	return 0;
}

int bandwidth_weighted_here(const struct bench *b, const struct tm_idset *nodes,
			    struct tm_error *err)
{
	int rc;

	if (b->machine.weight_mode == TM_WEIGHTS_UNSUPPORTED)
		return weights_lacking(&b->machine, err);
	rc = tm_numa_try_policy(&b->numa, TM_POLICY_WEIGHTED_INTERLEAVE, nodes);
	if (rc == -EINVAL)
		return weights_lacking(&b->machine, err);
	return rc ? tm_error_errno(err, -rc, "policy weighted-interleave") : 0;
}

unsigned *bandwidth_weights_now(const struct bench *b, const struct tm_idset *nodes)
{
	unsigned *weights = calloc(tm_idset_count(nodes) + 1, sizeof(*weights));
	size_t at = 0;

	tm_idset_for_each(id, nodes) {
		const struct tm_node *node = tm_machine_node(&b->machine, id);

		if (!weights || !node || !tm_num_is(&node->weight)) {
			free(weights);
			return NULL;
		}
		weights[at++] = (unsigned)node->weight.value;
	}
	return weights;
}

/* ---- the recommended weights */

/* From what this run has measured of each node. 0; -ENODATA: not all of it is known; -ENOMEM. */
static int find_best(struct comparing *c, const struct bandwidth_load *load, struct tm_error *err)
{
	struct bench *b = c->b;
	uint64_t bandwidth[c->nr];
	struct tm_tune_request tune = {
		.bandwidth = bandwidth,
		.nr = c->nr,
		.max_weight = TM_WEIGHT_MAX,
		.tolerance_ppm = TOLERANCE_PPM,
	};
	bool within;
	size_t at = 0;

	tm_idset_for_each(id, &b->nodes) {
		const struct bench_node *node = bench_result_node(&b->result, (int)id);

		if (!node)
			return tm_error_nomem(err);
		if ((load->reads && !tm_num_is(&node->read_mbps)) ||
		    (load->writes && !tm_num_is(&node->write_mbps)))
			return tm_error_set(err, ENODATA,
					    "the bandwidth of node %ld was not measured", id);
		bandwidth[at++] = tm_tune_mix(node->read_mbps.value, node->write_mbps.value,
					      load->reads, load->writes);
	}
	return tm_tune_best(&tune, c->best, &within) ? tm_error_nomem(err) : 0;
}

static bool kernel_has_bandwidths(const struct bench *b)
{
	for (size_t i = 0; i < b->machine.nr_nodes; i++) {
		const struct tm_perf *perf = tm_machine_best(&b->machine, b->machine.nodes[i].id);
		struct tm_num bandwidth = perf ? tm_perf_bandwidth(perf) : tm_num_none(TM_UNKNOWN);

		if (perf && perf->access == TM_ACCESS1 && tm_num_is(&bandwidth))
			return true;
	}
	return false;
}

static int add_change(struct tm_plan *plan, const char *path, enum tm_form form, const char *to,
		      const char *lasting, struct tm_error *err)
{
	const struct tm_change_spec spec = {
		.kind = TM_CHANGE_SET,
		.form = form,
		.path = path,
		.to = to,
		.lasting = lasting != NULL,
		.why = lasting,
	};

	return tm_plan_add(plan, &spec, err);
}

/* As `weights apply` would; the switch first, so that putting back turns it on again. */
static int plan_weights(struct comparing *c, struct tm_plan *plan, struct tm_error *err)
{
	struct bench *b = c->b;
	char path[TM_PATH_MAX], text[16];
	size_t at = 0;
	int rc = 0;

	if (b->machine.weight_switch[0]) {
		tm_knob_weight_switch(path, b->machine.weight_switch);
		rc = add_change(plan, path, TM_FORM_BOOL, "false",
				kernel_has_bandwidths(b) ?
					NULL :
					"the kernel knows no bandwidths, so automatic weights "
					"cannot be had back before the next boot",
				err);
	}
	for (long id = tm_idset_next(&b->nodes, 0); id >= 0 && !rc;
	     id = tm_idset_next(&b->nodes, id + 1)) {
		tm_knob_weight(path, (int)id);
		snprintf(text, sizeof(text), "%u", c->best[at++]);
		rc = add_change(plan, path, TM_FORM_NUMBER, text, NULL, err);
	}
	return rc;
}

/* May this machine or user simply not have it? Then other cases go on. */
static bool is_refusal(int rc)
{
	return rc == -ENODATA || rc == -EACCES || rc == -EPERM || rc == -EROFS || rc == -ENOTSUP ||
	       rc == -ENOENT;
}

/* Finds the best weights and sets them. */
static int set_best(struct comparing *c, const struct bandwidth_load *load, struct tm_error *err)
{
	struct tm_plan *plan;
	int rc = find_best(c, load, err);

	if (rc)
		return rc;
	if (c->now && !memcmp(c->now, c->best, c->nr * sizeof(*c->now)))
		return 0;
	plan = bench_settings_plan(c->b, err);
	if (!plan)
		return err->number ? -err->number : -EIO;
	rc = plan_weights(c, plan, err);
	return rc ? rc : bench_settings_apply(c->b, err);
}

/* ---- the cases */

static int measure(struct comparing *c, const struct bandwidth_load *load,
		   const struct bandwidth_way *way, struct tm_error *err)
{
	return bandwidth_measure(c->b, c->initiator, &c->b->cpus, load,
				 c->nontemporal && load->writes, way, err);
}

/* The policy for all of the process, then for the arrays alone. With a reason: why neither. */
static int measure_scopes(struct comparing *c, const struct bandwidth_load *load,
			  struct bandwidth_way way, const char *reason, struct tm_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < TM_ARRAY_SIZE(scopes) && !rc; i++) {
		way.scope = scopes[i];
		way.process = i == 0;
		if (reason)
			rc = bandwidth_refuse(c->b, c->initiator, load,
					      c->nontemporal && load->writes, &way, reason, err);
		else
			rc = measure(c, load, &way, err);
	}
	return rc;
}

static int measure_recommended(struct comparing *c, const struct bandwidth_load *load,
			       struct bandwidth_way way, const char *reason, struct tm_error *err)
{
	struct tm_error why = { 0 }, other = { 0 };
	int rc, restored;

	way.name = "recommended";
	way.weights = c->best;
	if (reason)
		return measure_scopes(c, load, way, reason, err);
	rc = set_best(c, load, &why);
	if (!rc) {
		rc = measure_scopes(c, load, way, NULL, err);
	} else if (is_refusal(rc) && !c->b->left) {
		/* What was planned and not applied is dropped below. */
		way.weights = NULL;
		rc = measure_scopes(c, load, way, why.text, err);
	} else {
		*err = why;
	}
	restored = bench_settings_restore(c->b, &other);
	if (restored && !rc)
		*err = other;
	return rc ? rc : restored;
}

static int compare_load(struct comparing *c, const struct bandwidth_load *load,
			struct tm_error *err)
{
	const struct bandwidth_way local = {
		.name = "local",
		.scope = scopes[0],
		.policy = TM_POLICY_BIND,
		.process = true,
		.nodes = &c->local,
	};
	struct bandwidth_way way = {
		.name = "uniform",
		.policy = TM_POLICY_INTERLEAVE,
		.nodes = &c->b->nodes,
		.weights = c->ones,
	};
	struct tm_error why = { 0 };
	const char *reason = bandwidth_weighted_here(c->b, way.nodes, &why) ? why.text : NULL;
	int rc;

	if (tm_idset_empty(&c->local))
		rc = bandwidth_refuse(c->b, c->initiator, load, c->nontemporal && load->writes,
				      &local, "it is not known which node is near the CPUs", err);
	else
		rc = measure(c, load, &local, err);
	if (!rc)
		rc = measure_scopes(c, load, way, NULL, err);
	way.policy = TM_POLICY_WEIGHTED_INTERLEAVE;
	way.name = "current";
	way.weights = c->now;
	if (!rc)
		rc = measure_scopes(c, load, way,
				    reason ? reason :
				    c->now ? NULL :
					     "the weights that are set cannot be read",
				    err);
	return rc ? rc : measure_recommended(c, load, way, reason, err);
}

/* Reads and writes of each node alone: the weights come from these. */
static int measure_nodes(struct comparing *c, struct tm_error *err)
{
	static const struct bandwidth_load loads[] = {
		{ TM_BENCH_READ, 1, 0, "read" },
		{ TM_BENCH_WRITE, 0, 1, "write" },
	};
	int rc = 0;

	for (long id = tm_idset_next(&c->b->nodes, 0); id >= 0 && !rc;
	     id = tm_idset_next(&c->b->nodes, id + 1)) {
		struct tm_idset node = TM_IDSET_INIT;
		const struct bandwidth_way way = { .name = "bind",
						   .policy = TM_POLICY_BIND,
						   .nodes = &node };

		if (tm_idset_add(&node, id))
			rc = tm_error_nomem(err);
		for (size_t i = 0; i < TM_ARRAY_SIZE(loads) && !rc; i++)
			rc = measure(c, &loads[i], &way, err);
		tm_idset_release(&node);
	}
	return rc ? rc : bandwidth_find_nodes(c->b, err);
}

/* The node that all of the CPUs are of, or -1. */
static long find_initiator(const struct bench *b)
{
	for (size_t i = 0; i < b->machine.nr_nodes; i++) {
		const struct tm_node *node = &b->machine.nodes[i];
		bool all = true;

		tm_idset_for_each(cpu, &b->cpus)
			all &= tm_idset_has(&node->cpus, cpu);
		if (all)
			return node->id;
	}
	return -1;
}

/*
 * The memory in the nodes of the CPUs. Only where these have none is it what is nearest: far memory
 * that hangs on the same socket is near too.
 */
static int find_local(struct comparing *c)
{
	const struct tm_machine *m = &c->b->machine;

	for (size_t i = 0; i < m->nr_nodes; i++)
		if (tm_idset_intersects(&m->nodes[i].cpus, &c->b->cpus) &&
		    tm_idset_has(&m->memory_nodes, m->nodes[i].id) &&
		    tm_idset_add(&c->local, m->nodes[i].id))
			return -ENOMEM;
	return tm_idset_empty(&c->local) ? tm_machine_local(m, &c->b->cpus, &c->local) : 0;
}

static int begin(struct comparing *c, struct tm_error *err)
{
	struct bench *b = c->b;

	/* What a killed run left is put back now, so that the weights are the current ones. */
	if (b->machine.weight_mode != TM_WEIGHTS_UNSUPPORTED && !bench_settings_plan(b, err))
		return err->number ? -err->number : -EIO;
	c->initiator = find_initiator(b);
	c->ones = calloc(c->nr, sizeof(*c->ones));
	c->best = calloc(c->nr, sizeof(*c->best));
	if (!c->ones || !c->best || find_local(c))
		return tm_error_nomem(err);
	for (size_t i = 0; i < c->nr; i++)
		c->ones[i] = 1;
	c->now = bandwidth_weights_now(b, &b->nodes);
	return bench_settings_restore(b, err);
}

int bandwidth_compare(struct bench *b, struct tm_error *err)
{
	const struct bandwidth_request *request = b->request;
	struct comparing c = {
		.b = b,
		.nontemporal = !request->usual,
		.nr = tm_idset_count(&b->nodes),
	};
	int rc = begin(&c, err);

	bench_expect(b, 2 * c.nr + 7 * request->nr_loads);
	if (!rc)
		rc = measure_nodes(&c, err);
	for (size_t i = 0; i < request->nr_loads && !rc; i++)
		rc = compare_load(&c, &request->loads[i], err);
	tm_idset_release(&c.local);
	free(c.ones);
	free(c.now);
	free(c.best);
	return rc;
}

/* ---- the table */

static double median(const struct bench_case *c)
{
	struct bench_spread spread = bench_series_spread(&c->metrics[BANDWIDTH]);

	return spread.nr ? spread.median : NAN;
}

static bool has(const struct bench_case *c, enum bandwidth_label label, const char *text)
{
	return c->labels[label].state == TM_KNOWN && !strcmp(c->labels[label].text, text);
}

/* Of the same kernel; of the same scope where `scope` is given. */
static double find(const struct bench_result *result, const struct bench_case *like,
		   const char *policy, const char *scope)
{
	for (size_t i = 0; i < result->nr_cases; i++) {
		const struct bench_case *c = &result->cases[i];

		if (has(c, BY_KERNEL, like->labels[BY_KERNEL].text) && has(c, BY_POLICY, policy) &&
		    has(c, BY_SCOPE, scope))
			return median(c);
	}
	return NAN;
}

static void put_gain(struct tm_table *table, struct tm_row *row, size_t column, double is,
		     double was)
{
	char text[32] = "-";

	if (is > 0 && was > 0)
		snprintf(text, sizeof(text), "%+.1f%%", (is / was - 1) * 100);
	tm_row_cell(table, row, column, text);
}

static void put_shares(struct tm_table *table, struct tm_row *row, size_t column,
		       const struct bench_case *c)
{
	struct tm_buf text = TM_BUF_INIT;
	uint64_t bytes = c->place.unknown;

	for (size_t i = 0; i < c->place.nr; i++)
		bytes += c->place.nodes[i].bytes;
	for (size_t i = 0; i < c->place.nr; i++)
		tm_buf_addf(&text, "%s%d: %.1f%%", i ? ", " : "", c->place.nodes[i].node,
			    (double)c->place.nodes[i].bytes * 100 / (double)bytes);
	tm_row_cell(table, row, column, text.len ? tm_buf_str(&text) : "-");
	tm_buf_release(&text);
}

int bandwidth_compare_show(struct bench *b, struct tm_buf *text, struct tm_error *err)
{
	static const char *const headings[] = { "KERNEL",   "POLICY",	  "SCOPE", "MB/s",
						"VS-LOCAL", "VS-UNIFORM", "PAGES" };
	const struct bandwidth_request *request = b->request;
	const struct bench_result *result = &b->result;
	struct tm_table_style style = terminal_style(b->app);
	struct tm_table *table;
	char *body = NULL;
	int rc;

	if (!request->compare)
		return 0;
	table = tm_table_new(&style);
	if (!table)
		return tm_error_nomem(err);
	for (size_t i = 0; i < TM_ARRAY_SIZE(headings); i++)
		tm_table_column(table, headings[i], i >= 3 && i <= 5, i == 6, false);
	for (size_t i = 0; i < result->nr_cases; i++) {
		const struct bench_case *c = &result->cases[i];
		char figure[32] = "-";
		struct tm_row *row;

		if (c->labels[BY_SCOPE].state != TM_KNOWN)
			continue;
		row = tm_table_row(table, NULL);
		if (median(c) > 0)
			snprintf(figure, sizeof(figure), "%.0f", median(c));
		tm_row_cell(table, row, 0, c->labels[BY_KERNEL].text);
		tm_row_cell(table, row, 1, c->labels[BY_POLICY].text);
		tm_row_cell(table, row, 2, c->labels[BY_SCOPE].text);
		tm_row_cell(table, row, 3, figure);
		put_gain(table, row, 4, median(c), find(result, c, "local", scopes[0]));
		put_gain(table, row, 5, median(c),
			 find(result, c, "uniform", c->labels[BY_SCOPE].text));
		put_shares(table, row, 6, c);
	}
	rc = tm_table_print(table, &body, err);
	tm_table_free(table);
	if (!rc)
		tm_buf_addf(text, "%s%s", style.headings ? "\nwhat policies gain\n" : "\n", body);
	free(body);
	return rc ? rc : text->failed ? tm_error_nomem(err) : 0;
}
