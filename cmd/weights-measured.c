/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --from measured:FILE: a document that tiermem-json(5) describes. It is written by people and
 * programs, so what is not understood is refused by name: a misspelt key would be an unknown
 * figure. A result of `tiermem bench bandwidth` holds more than that; what it says of nodes is
 * taken, and as strictly.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/files.h"
#include "cmd/weights-view.h"
#include "lib/json/parse.h"

#define MEASURED_MAX (16u << 20)

/* `where`: "" or "node 3: ". The keys end with NULL. */
static int check_keys(const char *name, const char *where, const struct tm_jvalue *object,
		      const char *const *keys, struct tm_error *err)
{
	struct tm_buf list = TM_BUF_INIT;

	for (const struct tm_jvalue *v = tm_jvalue_first(object); v; v = tm_jvalue_next(v)) {
		const char *const *key = keys;

		while (*key && strcmp(*key, tm_jvalue_key(v)) != 0)
			key++;
		if (*key)
			continue;
		tm_error_set(err, EBADMSG, "%s: %sunknown key '%.100s'", name, where,
			     tm_jvalue_key(v));
		for (key = keys; *key; key++)
			tm_buf_addf(&list, "%s%s", key == keys ? "" : ", ", *key);
		tm_error_hint(err, "known are %s", tm_buf_str(&list));
		tm_buf_release(&list);
		return -EBADMSG;
	}
	return 0;
}

/* Absent and null are unknown; what is there must be a figure. */
static int take_figure(const char *name, const struct tm_jvalue *row, int id, const char *key,
		       struct tm_num *figure, struct tm_error *err)
{
	const struct tm_jvalue *value = tm_jvalue_get(row, key);
	double number;

	*figure = tm_num_none(TM_UNKNOWN);
	if (!value || tm_jvalue_type(value) == TM_JNULL)
		return 0;
	if (tm_jvalue_double(value, &number) || !(number >= 1) || number > UINT32_MAX) {
		tm_error_set(err, EBADMSG, "%s: node %d: %s: not a number from 1 to %u", name, id,
			     key, UINT32_MAX);
		tm_error_hint(err, "null is what is not known");
		return -EBADMSG;
	}
	*figure = tm_num_known((uint64_t)(number + 0.5));
	return 0;
}

static int take_row(struct weights *w, const char *name, const struct tm_jvalue *row,
		    struct tm_idset *seen, struct tm_error *err)
{
	static const char *const keys[] = { "id", "read_bandwidth_mbps", "write_bandwidth_mbps",
					    "read_latency_ns", NULL };
	const struct tm_jvalue *value = tm_jvalue_get(row, "id");
	struct weight_node figures = { .complete = true,
				       .source = tm_source_name(TM_SOURCE_MEASURED) };
	struct weight_node *node;
	char where[32];
	uint64_t id;
	int rc;

	if (!value || tm_jvalue_u64(value, &id) || id > TM_ID_MAX)
		return tm_error_set(err, EBADMSG, "%s: a row of nodes has no id", name);
	if (tm_idset_has(seen, (long)id))
		return tm_error_set(err, EBADMSG, "%s: node %d is there twice", name, (int)id);
	if (tm_idset_add(seen, (long)id))
		return tm_error_nomem(err);
	snprintf(where, sizeof(where), "node %d: ", (int)id);
	rc = check_keys(name, where, row, keys, err);
	if (!rc)
		rc = take_figure(name, row, (int)id, keys[1], &figures.read, err);
	if (!rc)
		rc = take_figure(name, row, (int)id, keys[2], &figures.write, err);
	if (!rc)
		rc = take_figure(name, row, (int)id, keys[3], &figures.latency, err);
	/* A node that is not here was another machine's, or its memory is offline now. */
	node = rc ? NULL : weights_find(w->all, w->nr_all, (long)id);
	if (node) {
		figures.node = node->node;
		*node = figures;
	}
	return rc;
}

static bool says(const struct tm_jvalue *doc, const char *key, const char *wanted)
{
	const struct tm_jvalue *value = tm_jvalue_get(doc, key);
	const char *text = value ? tm_jvalue_string(value) : NULL;

	return text && !strcmp(text, wanted);
}

/* Is it the result of a benchmark? Only one of them tells what nodes give. */
static int check_bench(const char *name, const struct tm_jvalue *doc, bool *bench,
		       struct tm_error *err)
{
	*bench = says(doc, "schema", "tiermem.bench/1");
	if (!*bench || says(doc, "benchmark", "bandwidth"))
		return 0;
	tm_error_set(err, EBADMSG, "%s: is a result of another benchmark than bandwidth", name);
	tm_error_hint(err, "`tiermem bench bandwidth --save FILE` makes one");
	return -EBADMSG;
}

static int take_document(struct weights *w, const char *name, const struct tm_jvalue *doc,
			 struct tm_error *err)
{
	static const char *const keys[] = { "schema", "tiermem", "kernel", "host", "boot_id",
					    "root",   "time",	 "nodes",  NULL };
	const struct tm_jvalue *nodes = tm_jvalue_get(doc, "nodes");
	struct tm_idset seen = TM_IDSET_INIT;
	bool bench;
	int rc = check_bench(name, doc, &bench, err);

	if (rc)
		return rc;
	if (!nodes || tm_jvalue_type(nodes) != TM_JARRAY)
		return tm_error_set(err, EBADMSG, "%s: no saved bandwidth measurement", name);
	if (!bench)
		rc = check_keys(name, "", doc, keys, err);
	for (const struct tm_jvalue *v = tm_jvalue_first(nodes); v && !rc; v = tm_jvalue_next(v))
		rc = take_row(w, name, v, &seen, err);
	tm_idset_release(&seen);
	return rc;
}

int weights_read_measured(struct weights *w, const char *name, struct tm_error *err)
{
	struct tm_buf text = TM_BUF_INIT;
	struct tm_jdoc *doc = NULL;
	int rc = file_read(name, MEASURED_MAX, &text, err);

	if (!rc)
		rc = tm_jdoc_parse(name, tm_buf_str(&text), text.len, &doc, err);
	tm_buf_release(&text);
	if (rc)
		return rc == -EINVAL ? -EBADMSG : rc;
	rc = take_document(w, name, tm_jdoc_root(doc), err);
	tm_jdoc_free(doc);
	return rc;
}
