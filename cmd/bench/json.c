/* SPDX-License-Identifier: GPL-2.0-only */
/* The tiermem.bench/1 document of a result. */
#include <math.h>
#include <stdlib.h>

#include "cmd/bench/result.h"
#include "lib/out/document.h"

void bench_labels_json(struct tm_json *json, const struct bench_kind *kind,
		       const struct bench_case *c)
{
	tm_json_object(json, "labels");
	for (size_t i = 0; i < bench_kind_labels(kind); i++) {
		const struct bench_label *label = &c->labels[i];
		const char *key = kind->labels[i].key;

		if (label->state != TM_KNOWN)
			tm_json_null(json, key);
		else if (kind->labels[i].type == BENCH_TEXT)
			tm_json_string(json, key, label->text);
		else if (kind->labels[i].type == BENCH_BOOL)
			tm_json_bool(json, key, label->number);
		else
			tm_json_u64(json, key, label->number);
	}
	tm_json_end(json);
}

/* Counts exactly, measures with the digits that mean something. */
static void add_value(struct tm_json *json, const char *key, double value)
{
	if (value == floor(value) && fabs(value) < 1e15)
		tm_json_i64(json, key, (int64_t)value);
	else
		tm_json_double(json, key, value);
}

void bench_spread_json(struct tm_json *json, const struct bench_spread *spread)
{
	const struct {
		const char *key;
		double value;
	} members[] = {
		{ "median", spread->median },
		{ "min", spread->min },
		{ "max", spread->max },
		{ "median_absolute_deviation", spread->deviation },
		{ "spread_percent", bench_spread_percent(spread) },
	};

	for (size_t i = 0; i < TM_ARRAY_SIZE(members); i++)
		add_value(json, members[i].key, spread->nr ? members[i].value : NAN);
}

const char *bench_better(const struct bench_metric_kind *kind)
{
	return kind->neither_is_better ? NULL : kind->lower_is_better ? "lower" : "higher";
}

void bench_notes_json(struct tm_json *json, const struct bench_case *c)
{
	tm_json_array(json, "notes");
	for (size_t i = 0; i < c->nr_notes; i++)
		tm_json_string(json, NULL, c->notes[i]);
	tm_json_end(json);
}

void bench_conditions_json(struct tm_json *json, const struct bench_result *result)
{
	tm_json_object(json, "conditions");
	for (size_t i = 0; i < result->nr_conditions; i++)
		tm_json_string(json, result->conditions[i].key, result->conditions[i].text);
	tm_json_end(json);
}

static void add_metrics(struct tm_json *json, const struct bench_kind *kind,
			const struct bench_case *c)
{
	tm_json_array(json, "metrics");
	for (size_t i = 0; i < bench_kind_metrics(kind); i++) {
		const struct bench_metric_kind *metric = &kind->metrics[i];
		struct bench_spread spread;

		tm_json_object(json, NULL);
		tm_json_string(json, "key", metric->key);
		tm_json_string(json, "better", bench_better(metric));
		tm_json_array(json, "values");
		for (size_t k = 0; k < c->metrics[i].nr; k++)
			add_value(json, NULL, c->metrics[i].values[k]);
		tm_json_end(json);
		spread = bench_series_spread(&c->metrics[i]);
		bench_spread_json(json, &spread);
		tm_json_end(json);
	}
	tm_json_end(json);
}

void bench_place_json(struct tm_json *json, const struct bench_case *c)
{
	if (!c->has_place) {
		tm_json_null(json, "place");
		return;
	}
	tm_json_object(json, "place");
	tm_json_string(json, "asked", c->place_asked);
	tm_json_array(json, "nodes");
	for (size_t i = 0; i < c->place.nr; i++) {
		tm_json_object(json, NULL);
		tm_json_i64(json, "node", c->place.nodes[i].node);
		tm_json_u64(json, "bytes", c->place.nodes[i].bytes);
		tm_json_end(json);
	}
	tm_json_end(json);
	tm_json_u64(json, "misplaced_bytes", c->place.misplaced);
	tm_json_u64(json, "unknown_bytes", c->place.unknown);
	tm_json_end(json);
}

static void add_some(struct tm_json *json, const char *key, bool known, uint64_t number)
{
	if (known)
		tm_json_u64(json, key, number);
	else
		tm_json_null(json, key);
}

void bench_page_json(struct tm_json *json, const struct bench_case *c)
{
	bool looked = c->has_place && c->place.page_bytes;

	tm_json_object(json, "page");
	tm_json_string(json, "asked", tm_bench_page_name(c->page));
	add_some(json, "asked_bytes", c->page_bytes, c->page_bytes);
	add_some(json, "got_bytes", looked, c->place.page_bytes);
	add_some(json, "huge_bytes", looked, c->place.huge);
	tm_json_end(json);
}

static int add_case(struct tm_json *json, const struct bench_result *result,
		    const struct bench_case *c)
{
	int rc = 0;

	tm_json_object(json, NULL);
	bench_labels_json(json, result->kind, c);
	tm_json_string(json, "reason", c->reason);
	add_metrics(json, result->kind, c);
	bench_place_json(json, c);
	bench_page_json(json, c);
	bench_notes_json(json, c);
	if (c->has_counters)
		rc = stat_counters_json(json, &c->counters);
	else
		tm_json_null(json, "counters");
	tm_json_end(json);
	return rc;
}

static void add_nodes(struct tm_json *json, const struct bench_result *result)
{
	tm_json_array(json, "nodes");
	for (size_t i = 0; i < result->nr_nodes; i++) {
		const struct bench_node *node = &result->nodes[i];

		tm_json_object(json, NULL);
		tm_json_i64(json, "id", node->id);
		add_some(json, "read_bandwidth_mbps", tm_num_is(&node->read_mbps),
			 node->read_mbps.value);
		add_some(json, "write_bandwidth_mbps", tm_num_is(&node->write_mbps),
			 node->write_mbps.value);
		add_some(json, "read_latency_ns", tm_num_is(&node->read_latency_ns),
			 node->read_latency_ns.value);
		tm_json_end(json);
	}
	tm_json_end(json);
}

int bench_result_json(const struct bench_result *result, char **text, struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	const struct stat_record *machine = &result->machine;
	struct tm_identity identity = { machine->kernel, machine->host, machine->boot_id,
					machine->root };
	int rc = 0;

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin_at(json, "bench", 1, &identity, machine->when);
	tm_json_string(json, "benchmark", result->kind->name);
	tm_json_bool(json, "quick", result->quick);
	stat_machine_json(json, &machine->machine);
	bench_conditions_json(json, result);
	tm_json_array(json, "cases");
	for (size_t i = 0; i < result->nr_cases && !rc; i++)
		rc = add_case(json, result, &result->cases[i]);
	tm_json_end(json);
	if (result->has_nodes)
		add_nodes(json, result);
	return rc ? tm_error_nomem(err) : tm_json_print(json, false, text, err);
}
