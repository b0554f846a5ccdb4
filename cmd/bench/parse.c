/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tiermem.bench/1 document from a file. What is not there, or is of another kind than it should
 * be, is refused by name; keys, labels and figures that are not known are passed over, as a newer
 * tiermem may have added them. Medians and the like are made anew from the values.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/report.h"
#include "cmd/files.h"
#include "lib/json/parse.h"

/* Thousands of cases with all their counters stay below. */
#define DOCUMENT_MAX (64u << 20)

struct parser {
	struct bench_result *result;
	const char *name; /* of the file */
	struct tm_error *err;
};

static int refuse(const struct parser *p, const char *where, const char *key)
{
	return tm_error_set(p->err, EBADMSG, "%s: %s%.100s: missing, or not as it should be",
			    p->name, where, key);
}

static bool is_type(const struct tm_jvalue *value, enum tm_jtype type)
{
	return value && tm_jvalue_type(value) == type;
}

static const struct tm_jvalue *get_of_type(const struct tm_jvalue *object, const char *key,
					   enum tm_jtype type)
{
	const struct tm_jvalue *value = tm_jvalue_get(object, key);

	return is_type(value, type) ? value : NULL;
}

static size_t count(const struct tm_jvalue *array)
{
	size_t nr = 0;

	for (const struct tm_jvalue *v = tm_jvalue_first(array); v; v = tm_jvalue_next(v))
		nr++;
	return nr;
}

/* A text of its own, or null, which leaves *text NULL. */
static int take_text(const struct parser *p, const struct tm_jvalue *object, const char *where,
		     const char *key, char **text)
{
	const struct tm_jvalue *value = tm_jvalue_get(object, key);
	const char *string = value ? tm_jvalue_string(value) : NULL;

	if (is_type(value, TM_JNULL))
		return 0;
	if (!string)
		return refuse(p, where, key);
	*text = strdup(string);
	return *text ? 0 : tm_error_nomem(p->err);
}

/* A whole number, or null. */
static int take_num(const struct parser *p, const struct tm_jvalue *object, const char *where,
		    const char *key, struct tm_num *num)
{
	const struct tm_jvalue *value = tm_jvalue_get(object, key);

	*num = tm_num_none(TM_UNKNOWN);
	if (is_type(value, TM_JNULL))
		return 0;
	if (!value || tm_jvalue_u64(value, &num->value))
		return refuse(p, where, key);
	num->state = TM_KNOWN;
	return 0;
}

static int take_id(const struct parser *p, const struct tm_jvalue *object, const char *where,
		   const char *key, int *id)
{
	struct tm_num num;
	int rc = take_num(p, object, where, key, &num);

	if (!rc && (!tm_num_is(&num) || num.value > TM_ID_MAX))
		rc = refuse(p, where, key);
	*id = rc ? -1 : (int)num.value;
	return rc;
}

static int take_time(const struct parser *p, const struct tm_jvalue *document)
{
	const struct tm_jvalue *value = tm_jvalue_get(document, "time");
	const char *text = value ? tm_jvalue_string(value) : NULL, *end;
	struct tm tm = { 0 };

	end = text ? strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;
	p->result->machine.when = end ? timegm(&tm) : -1;
	if (!end || *end || end != text + strlen("2026-01-31T12:00:00Z") ||
	    p->result->machine.when < 0)
		return refuse(p, "", "time");
	return 0;
}

static bool is_key(const char *key)
{
	return islower((unsigned char)*key) &&
	       !key[strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

/* Keys are not known beforehand, and none is there twice. */
static int take_conditions(const struct parser *p, const struct tm_jvalue *document)
{
	const struct tm_jvalue *object = get_of_type(document, "conditions", TM_JOBJECT);

	if (!object)
		return refuse(p, "", "conditions");
	for (const struct tm_jvalue *v = tm_jvalue_first(object); v; v = tm_jvalue_next(v)) {
		const char *text = tm_jvalue_string(v), *key = tm_jvalue_key(v);

		if (!is_key(key) || (!text && !is_type(v, TM_JNULL)))
			return refuse(p, "conditions.", key);
		if (bench_result_condition(p->result, key, text ? "%s" : NULL, text))
			return tm_error_nomem(p->err);
	}
	return 0;
}

static int take_label(const struct parser *p, const char *where, const struct tm_jvalue *value,
		      size_t index, struct bench_case *c)
{
	const struct bench_label_kind *kind = &p->result->kind->labels[index];
	const char *text = tm_jvalue_string(value);
	uint64_t number = 0;
	int yes = 0, rc;

	switch (kind->type) {
	case BENCH_TEXT:
		if (!text)
			return refuse(p, where, kind->key);
		rc = bench_case_text(p->result, c, kind->key, text);
		return rc ? tm_error_nomem(p->err) : 0;
	case BENCH_BOOL:
		if (tm_jvalue_bool(value, &yes))
			return refuse(p, where, kind->key);
		number = yes != 0;
		break;
	default:
		if (tm_jvalue_u64(value, &number))
			return refuse(p, where, kind->key);
		break;
	}
	return bench_case_number(p->result, c, kind->key, number);
}

static int take_labels(const struct parser *p, const char *where, const struct tm_jvalue *row,
		       struct bench_case *c)
{
	const struct tm_jvalue *object = get_of_type(row, "labels", TM_JOBJECT);
	char below[64];
	int rc = 0;

	if (!object)
		return refuse(p, where, "labels");
	snprintf(below, sizeof(below), "%slabels.", where);
	for (size_t i = 0; i < bench_kind_labels(p->result->kind) && !rc; i++) {
		const struct tm_jvalue *value =
			tm_jvalue_get(object, p->result->kind->labels[i].key);

		/* An older tiermem may not have had it. */
		if (value && !is_type(value, TM_JNULL))
			rc = take_label(p, below, value, i, c);
	}
	return rc;
}

static int take_series(const struct parser *p, const char *where, const struct tm_jvalue *array,
		       struct bench_series *series)
{
	size_t nr = count(array);

	series->values = calloc(nr + 1, sizeof(*series->values));
	if (!series->values)
		return tm_error_nomem(p->err);
	for (const struct tm_jvalue *v = tm_jvalue_first(array); v; v = tm_jvalue_next(v)) {
		double *value = &series->values[series->nr++];

		*value = NAN;
		if (!is_type(v, TM_JNULL) && tm_jvalue_double(v, value))
			return refuse(p, where, "values");
	}
	return 0;
}

/* A figure that is not in the file has as many values as the others have, all unknown. */
static int fill_series(const struct parser *p, struct bench_series *series, size_t nr)
{
	series->values = calloc(nr + 1, sizeof(*series->values));
	if (!series->values)
		return tm_error_nomem(p->err);
	for (series->nr = 0; series->nr < nr; series->nr++)
		series->values[series->nr] = NAN;
	return 0;
}

static int take_metric(const struct parser *p, const char *where, const struct tm_jvalue *row,
		       struct bench_case *c, size_t *repeats)
{
	const struct tm_jvalue *name = get_of_type(row, "key", TM_JSTRING);
	const struct tm_jvalue *values = get_of_type(row, "values", TM_JARRAY);
	int index, rc;

	if (!name)
		return refuse(p, where, "key");
	if (!values)
		return refuse(p, where, "values");
	index = bench_kind_metric(p->result->kind, tm_jvalue_string(name));
	if (index < 0)
		return 0;
	if (c->metrics[index].values)
		return tm_error_set(p->err, EBADMSG, "%s: %s%.100s is there twice", p->name, where,
				    tm_jvalue_string(name));
	rc = take_series(p, where, values, &c->metrics[index]);
	/* One repeat gives one value to each figure. */
	if (!rc && *repeats != SIZE_MAX && c->metrics[index].nr != *repeats)
		rc = refuse(p, where, "values");
	*repeats = c->metrics[index].nr;
	return rc;
}

static int take_metrics(const struct parser *p, const char *where, const struct tm_jvalue *row,
			struct bench_case *c)
{
	const struct tm_jvalue *array = get_of_type(row, "metrics", TM_JARRAY);
	size_t repeats = SIZE_MAX, index = 0;
	char below[64];
	int rc = 0;

	if (!array)
		return refuse(p, where, "metrics");
	for (const struct tm_jvalue *v = tm_jvalue_first(array); v && !rc; v = tm_jvalue_next(v)) {
		snprintf(below, sizeof(below), "%smetrics[%zu].", where, index++);
		rc = take_metric(p, below, v, c, &repeats);
	}
	if (repeats == SIZE_MAX)
		repeats = 0;
	for (size_t i = 0; i < bench_kind_metrics(p->result->kind) && !rc; i++)
		if (!c->metrics[i].values)
			rc = fill_series(p, &c->metrics[i], repeats);
	return rc;
}

static int take_place_node(const struct parser *p, const char *where, const struct tm_jvalue *row,
			   struct tm_bench_place *place)
{
	struct tm_num bytes;
	int node, rc = take_id(p, row, where, "node", &node);

	if (!rc)
		rc = take_num(p, row, where, "bytes", &bytes);
	if (rc)
		return rc;
	/* In order, and so none twice; no more than there is room for. */
	if (!tm_num_is(&bytes) || place->nr == TM_ARRAY_SIZE(place->nodes) ||
	    (place->nr && place->nodes[place->nr - 1].node >= node))
		return refuse(p, where, "node");
	place->nodes[place->nr].node = node;
	place->nodes[place->nr++].bytes = bytes.value;
	return 0;
}

static int take_place(const struct parser *p, const char *where, const struct tm_jvalue *row,
		      struct bench_case *c)
{
	const struct tm_jvalue *object = get_of_type(row, "place", TM_JOBJECT);
	const struct tm_jvalue *nodes = object ? get_of_type(object, "nodes", TM_JARRAY) : NULL;
	struct tm_num misplaced, unknown;
	char below[64], deeper[80];
	int rc;

	if (is_type(tm_jvalue_get(row, "place"), TM_JNULL))
		return 0;
	snprintf(below, sizeof(below), "%splace.", where);
	snprintf(deeper, sizeof(deeper), "%snodes.", below);
	if (!nodes)
		return refuse(p, object ? below : where, object ? "nodes" : "place");
	rc = take_text(p, object, below, "asked", &c->place_asked);
	if (!rc)
		rc = take_num(p, object, below, "misplaced_bytes", &misplaced);
	if (!rc)
		rc = take_num(p, object, below, "unknown_bytes", &unknown);
	for (const struct tm_jvalue *v = tm_jvalue_first(nodes); v && !rc; v = tm_jvalue_next(v))
		rc = take_place_node(p, deeper, v, &c->place);
	if (rc)
		return rc;
	c->has_place = true;
	c->place.misplaced = misplaced.value;
	c->place.unknown = unknown.value;
	return 0;
}

/* What was got is only known where somebody has looked at the place. */
static int take_page(const struct parser *p, const char *where, const struct tm_jvalue *row,
		     struct bench_case *c)
{
	const struct tm_jvalue *object = get_of_type(row, "page", TM_JOBJECT);
	const struct tm_jvalue *word = object ? get_of_type(object, "asked", TM_JSTRING) : NULL;
	struct tm_num asked, got, huge;
	char below[64];
	unsigned page = 0;
	int rc;

	snprintf(below, sizeof(below), "%spage.", where);
	if (!object)
		return refuse(p, where, "page");
	while (word && page < TM_BENCH_PAGES &&
	       strcmp(tm_bench_page_name(page), tm_jvalue_string(word)) != 0)
		page++;
	if (!word || page == TM_BENCH_PAGES)
		return refuse(p, below, "asked");
	rc = take_num(p, object, below, "asked_bytes", &asked);
	if (!rc)
		rc = take_num(p, object, below, "got_bytes", &got);
	if (!rc)
		rc = take_num(p, object, below, "huge_bytes", &huge);
	if (rc)
		return rc;
	c->page = (enum tm_bench_page)page;
	c->page_bytes = asked.value;
	c->place.page_bytes = c->has_place ? got.value : 0;
	c->place.huge = c->has_place ? huge.value : 0;
	return 0;
}

static int take_notes(const struct parser *p, const char *where, const struct tm_jvalue *row,
		      struct bench_case *c)
{
	const struct tm_jvalue *array = get_of_type(row, "notes", TM_JARRAY);

	if (!array)
		return refuse(p, where, "notes");
	for (const struct tm_jvalue *v = tm_jvalue_first(array); v; v = tm_jvalue_next(v)) {
		const char *text = tm_jvalue_string(v);

		if (!text)
			return refuse(p, where, "notes");
		if (bench_case_note(c, "%s", text))
			return tm_error_nomem(p->err);
	}
	return 0;
}

/* As many runs as the first counter has values. */
static int take_counters(const struct parser *p, const char *where, const struct tm_jvalue *row,
			 struct bench_case *c)
{
	const struct tm_jvalue *counters = tm_jvalue_get(row, "counters"), *first, *values;
	size_t runs, len = strlen(where);
	char name[512];
	int rc = 0;

	if (is_type(counters, TM_JNULL))
		return 0;
	if (!is_type(counters, TM_JARRAY))
		return refuse(p, where, "counters");
	first = tm_jvalue_first(counters);
	values = is_type(first, TM_JOBJECT) ? tm_jvalue_get(first, "values") : NULL;
	runs = values ? count(values) : 0;
	for (size_t i = 0; i < runs && !rc; i++)
		rc = stat_record_run(&c->counters);
	if (rc)
		return tm_error_nomem(p->err);
	c->has_counters = true;
	/* Its messages begin with a name; ours says in which case it is. */
	snprintf(name, sizeof(name), "%s: %.*s", p->name, (int)(len ? len - 1 : 0), where);
	return stat_record_take_counters(&c->counters, row, name, p->err);
}

static int take_case(const struct parser *p, const struct tm_jvalue *row, size_t index)
{
	struct bench_case *c = bench_result_case(p->result);
	char where[32];
	int rc;

	if (!c)
		return tm_error_nomem(p->err);
	snprintf(where, sizeof(where), "cases[%zu].", index);
	rc = take_labels(p, where, row, c);
	if (!rc)
		rc = take_text(p, row, where, "reason", &c->reason);
	if (!rc)
		rc = take_metrics(p, where, row, c);
	if (!rc)
		rc = take_place(p, where, row, c);
	if (!rc)
		rc = take_page(p, where, row, c);
	if (!rc)
		rc = take_notes(p, where, row, c);
	return rc ? rc : take_counters(p, where, row, c);
}

static int take_cases(const struct parser *p, const struct tm_jvalue *document)
{
	const struct tm_jvalue *array = get_of_type(document, "cases", TM_JARRAY);
	size_t index = 0;
	int rc = 0;

	if (!array)
		return refuse(p, "", "cases");
	for (const struct tm_jvalue *v = tm_jvalue_first(array); v && !rc; v = tm_jvalue_next(v))
		rc = take_case(p, v, index++);
	return rc;
}

static int take_node(const struct parser *p, const struct tm_jvalue *row)
{
	struct bench_node node;
	struct bench_node *added;
	int rc = take_id(p, row, "nodes.", "id", &node.id);

	if (!rc)
		rc = take_num(p, row, "nodes.", "read_bandwidth_mbps", &node.read_mbps);
	if (!rc)
		rc = take_num(p, row, "nodes.", "write_bandwidth_mbps", &node.write_mbps);
	if (!rc)
		rc = take_num(p, row, "nodes.", "read_latency_ns", &node.read_latency_ns);
	if (rc)
		return rc;
	for (size_t i = 0; i < p->result->nr_nodes; i++)
		if (p->result->nodes[i].id == node.id)
			return tm_error_set(p->err, EBADMSG, "%s: nodes: node %d is there twice",
					    p->name, node.id);
	added = bench_result_node(p->result, node.id);
	if (!added)
		return tm_error_nomem(p->err);
	*added = node;
	return 0;
}

static int take_nodes(const struct parser *p, const struct tm_jvalue *document)
{
	const struct tm_jvalue *array = tm_jvalue_get(document, "nodes");
	int rc = 0;

	if (!array)
		return 0;
	if (!is_type(array, TM_JARRAY))
		return refuse(p, "", "nodes");
	p->result->has_nodes = true;
	for (const struct tm_jvalue *v = tm_jvalue_first(array); v && !rc; v = tm_jvalue_next(v))
		rc = take_node(p, v);
	return rc;
}

static int take_kind(const struct parser *p, const struct tm_jvalue *document)
{
	const struct tm_jvalue *schema = get_of_type(document, "schema", TM_JSTRING);
	const struct tm_jvalue *name = get_of_type(document, "benchmark", TM_JSTRING);

	if (!schema)
		return tm_error_set(p->err, EBADMSG, "%s: names no schema", p->name);
	if (strcmp(tm_jvalue_string(schema), "tiermem.bench/1") != 0) {
		tm_error_set(p->err, EBADMSG, "%s: a %.100s document, and no tiermem.bench/1",
			     p->name, tm_jvalue_string(schema));
		tm_error_hint(p->err, "`tiermem bench bandwidth --save FILE` writes one");
		return -EBADMSG;
	}
	if (!name)
		return refuse(p, "", "benchmark");
	p->result->kind = bench_kind_find(tm_jvalue_string(name));
	if (!p->result->kind)
		return tm_error_set(p->err, EBADMSG, "%s: '%.100s' is no benchmark of this tiermem",
				    p->name, tm_jvalue_string(name));
	return 0;
}

static int take_document(const struct parser *p, const struct tm_jvalue *document)
{
	struct bench_result *result = p->result;
	const struct tm_jvalue *quick = tm_jvalue_get(document, "quick");
	int yes = 0, rc = take_kind(p, document);

	if (!rc && (!quick || tm_jvalue_bool(quick, &yes)))
		rc = refuse(p, "", "quick");
	result->quick = yes;
	if (!rc)
		rc = stat_record_take_machine(&result->machine, document, p->name, p->err);
	if (!rc)
		rc = take_text(p, document, "", "root", &result->machine.root);
	if (!rc && !result->machine.root)
		rc = refuse(p, "", "root");
	if (!rc)
		rc = take_time(p, document);
	if (!rc)
		rc = take_conditions(p, document);
	if (!rc)
		rc = take_cases(p, document);
	return rc ? rc : take_nodes(p, document);
}

int bench_result_parse(struct bench_result *result, const char *name, const char *text, size_t len,
		       struct tm_error *err)
{
	const struct parser p = { result, name, err };
	struct tm_jdoc *doc = NULL;
	int rc = tm_jdoc_parse(name, text, len, &doc, err);

	if (rc == -EINVAL) {
		rc = -EBADMSG;
		if (err)
			err->number = EBADMSG;
	}
	if (!rc)
		rc = take_document(&p, tm_jdoc_root(doc));
	tm_jdoc_free(doc);
	if (rc)
		bench_result_release(result);
	return rc;
}

int bench_result_read(struct bench_result *result, const char *name, struct tm_error *err)
{
	struct tm_buf text = TM_BUF_INIT;
	int rc = file_read(name, DOCUMENT_MAX, &text, err);

	if (!rc)
		rc = bench_result_parse(result, name, tm_buf_str(&text), text.len, err);
	tm_buf_release(&text);
	return rc;
}
