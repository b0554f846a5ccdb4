/* SPDX-License-Identifier: GPL-2.0-only */
/* A report for programs: a tiermem.bench-report/1 document. */
#include <math.h>
#include <string.h>

#include "cmd/bench/report.h"
#include "lib/out/document.h"

static const char *const side_words[SIDES] = { "before", "after" };

static void add_spread(struct tm_json *json, const struct bench_spread *spread)
{
	tm_json_u64(json, "repeats", spread->nr);
	bench_spread_json(json, spread);
}

/* ---- results */

static void add_metrics(struct tm_json *json, const struct bench_kind *kind,
			const struct bench_case *c)
{
	tm_json_array(json, "metrics");
	for (size_t i = 0; i < bench_kind_metrics(kind); i++) {
		struct bench_spread spread = bench_series_spread(&c->metrics[i]);

		tm_json_object(json, NULL);
		tm_json_string(json, "key", kind->metrics[i].key);
		tm_json_string(json, "better", bench_better(&kind->metrics[i]));
		add_spread(json, &spread);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_case(struct tm_json *json, const struct bench_kind *kind,
		     const struct bench_case *c)
{
	tm_json_object(json, NULL);
	bench_labels_json(json, kind, c);
	tm_json_string(json, "reason", c->reason);
	add_metrics(json, kind, c);
	bench_place_json(json, c);
	bench_page_json(json, c);
	bench_notes_json(json, c);
	tm_json_end(json);
}

static void add_result(struct tm_json *json, const char *file, const struct bench_result *result)
{
	const struct stat_record *record = &result->machine;
	char stamp[32] = "";
	struct tm tm;

	if (gmtime_r(&record->when, &tm))
		strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm);
	tm_json_object(json, NULL);
	tm_json_string(json, "file", file);
	tm_json_string(json, "benchmark", result->kind->name);
	tm_json_bool(json, "quick", result->quick);
	tm_json_string(json, "time", stamp);
	tm_json_text(json, "kernel", &record->kernel);
	tm_json_text(json, "host", &record->host);
	tm_json_text(json, "boot_id", &record->boot_id);
	stat_machine_json(json, &record->machine);
	bench_conditions_json(json, result);
	tm_json_array(json, "cases");
	for (size_t i = 0; i < result->nr_cases; i++)
		add_case(json, result->kind, &result->cases[i]);
	tm_json_end(json);
	tm_json_end(json);
}

/* ---- the topology */

static void add_perf(struct tm_json *json, const struct node_row *row)
{
	static const struct tm_perf none = { .complete = false };
	const struct tm_perf *perf = row->best ? row->best : &none;

	tm_json_num(json, "read_bandwidth_mbps", perf->read_bandwidth);
	tm_json_num(json, "write_bandwidth_mbps", perf->write_bandwidth);
	tm_json_num(json, "read_latency_ns", perf->read_latency);
	tm_json_num(json, "write_latency_ns", perf->write_latency);
	if (!row->best) {
		tm_json_null(json, "initiators");
		tm_json_null(json, "source");
		tm_json_null(json, "complete");
		return;
	}
	tm_json_idset(json, "initiators", &row->initiators);
	tm_json_string(json, "source", tm_source_name(perf->source));
	tm_json_bool(json, "complete", perf->complete);
}

static void add_topology(struct tm_json *json, const struct topology *topology)
{
	const struct tm_machine *m = &topology->machine;

	if (!topology->rows) {
		tm_json_null(json, "topology");
		return;
	}
	tm_json_object(json, "topology");
	tm_json_text(json, "kernel", &m->kernel);
	tm_json_text(json, "host", &m->host);
	tm_json_text(json, "boot_id", &m->boot_id);
	tm_json_string(json, "root", m->root);
	tm_json_array(json, "nodes");
	for (size_t i = 0; i < m->nr_nodes; i++) {
		tm_json_object(json, NULL);
		tm_field_json(json, node_fields, nr_node_fields, &topology->rows[i]);
		add_perf(json, &topology->rows[i]);
		tm_json_end(json);
	}
	tm_json_end(json);
	tm_json_end(json);
}

/* ---- the comparison */

static void add_change(struct tm_json *json, const struct report_comparison *comparison,
		       const struct report_change *change, size_t metric)
{
	const struct bench_metric_kind *kind = &comparison->kind->metrics[metric];
	bool tested = change->verdict == TM_VERDICT_WITHIN || change->verdict == TM_VERDICT_LARGER;

	tm_json_object(json, NULL);
	tm_json_string(json, "key", kind->key);
	tm_json_string(json, "better", bench_better(kind));
	for (int side = 0; side < SIDES; side++) {
		tm_json_object(json, side_words[side]);
		add_spread(json, &change->of[side]);
		tm_json_end(json);
	}
	tm_json_double(json, "change_percent", change->has_change ? change->percent : NAN);
	tm_json_string(json, "verdict", report_verdict(comparison, change, metric));
	tm_json_double(json, "u", tested ? change->test.u : NAN);
	tm_json_double(json, "p", tested ? change->test.p : NAN);
	if (tested)
		tm_json_bool(json, "exact", change->test.exact);
	else
		tm_json_null(json, "exact");
	tm_json_end(json);
}

static void add_notes(struct tm_json *json, const struct report_pair *pair)
{
	tm_json_object(json, "notes");
	for (int side = 0; side < SIDES; side++) {
		const struct bench_case *c = pair->of[side];

		tm_json_array(json, side_words[side]);
		if (c && c->reason)
			tm_json_string(json, NULL, c->reason);
		for (size_t i = 0; c && i < c->nr_notes; i++)
			tm_json_string(json, NULL, c->notes[i]);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_pair(struct tm_json *json, const struct report_comparison *comparison,
		     const struct report_pair *pair)
{
	const struct bench_case *either = pair->of[BEFORE] ? pair->of[BEFORE] : pair->of[AFTER];

	tm_json_object(json, NULL);
	bench_labels_json(json, comparison->kind, either);
	tm_json_string(json, "in",
		       !pair->of[AFTER]	 ? side_words[BEFORE] :
		       !pair->of[BEFORE] ? side_words[AFTER] :
					   "both");
	add_notes(json, pair);
	tm_json_array(json, "metrics");
	for (size_t i = 0; i < bench_kind_metrics(comparison->kind); i++)
		add_change(json, comparison, &pair->changes[i], i);
	tm_json_end(json);
	tm_json_end(json);
}

static void add_comparison(struct tm_json *json, const struct report *report)
{
	const struct report_comparison *comparison = &report->comparison;

	if (!comparison->kind) {
		tm_json_null(json, "comparison");
		return;
	}
	tm_json_object(json, "comparison");
	tm_json_string(json, "benchmark", comparison->kind->name);
	for (int side = 0; side < SIDES; side++)
		tm_json_string(json, side_words[side], report->files[side]);
	tm_json_bool(json, "comparable", comparison->machines.comparable);
	stat_differences_json(json, "differences", comparison->machines.differences,
			      comparison->machines.nr_differences);
	stat_differences_json(json, "notes", comparison->machines.notes,
			      comparison->machines.nr_notes);
	tm_json_object(json, "test");
	tm_json_string(json, "name", "mann-whitney-u");
	tm_json_u64(json, "sides", 2);
	tm_json_double(json, "level", TM_COMPARE_LEVEL);
	tm_json_u64(json, "repeats_needed", TM_COMPARE_RUNS);
	tm_json_end(json);
	tm_json_array(json, "cases");
	for (size_t i = 0; i < comparison->nr_pairs; i++)
		add_pair(json, comparison, &comparison->pairs[i]);
	tm_json_end(json);
	tm_json_end(json);
}

int report_json(const struct report *report, char **text, struct tm_error *err)
{
	const struct tm_text no_machine = { NULL, TM_NOT_ASKED };
	const struct tm_identity identity = { no_machine, no_machine, no_machine, "/" };
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin(json, "bench-report", 1, &identity);
	tm_json_array(json, "results");
	for (size_t i = 0; i < report->nr; i++)
		add_result(json, report->files[i], &report->results[i]);
	tm_json_end(json);
	add_topology(json, &report->topology);
	add_comparison(json, report);
	return tm_json_print(json, false, text, err);
}
