/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the figures come from: the kernel, the firmware, a measurement, or the command line. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/weights-view.h"
#include "lib/base/units.h"

/* A whole number of digits only, within bounds. */
static int small_number(const char *text, size_t len, unsigned least, unsigned most,
			unsigned *number)
{
	unsigned long value = 0;

	if (!len || len > 9)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)text[i]))
			return -EINVAL;
		value = value * 10 + (unsigned long)(text[i] - '0');
	}
	if (value < least || value > most)
		return -EINVAL;
	*number = (unsigned)value;
	return 0;
}

static int bad(struct tm_error *err, const char *option, const char *text, const char *wanted)
{
	tm_error_set(err, EINVAL, "--%s: '%s' is not %s", option, text, wanted);
	return -EINVAL;
}

/* "2:1" */
static int parse_mix(const char *text, struct weight_request *request, struct tm_error *err)
{
	size_t len = strcspn(text, ":");

	if (text[len] != ':' || small_number(text, len, 0, 1000, &request->reads) ||
	    small_number(text + len + 1, strlen(text + len + 1), 0, 1000, &request->writes) ||
	    request->reads + request->writes == 0)
		return bad(err, "mix", text, "reads and writes such as 2:1");
	return 0;
}

/* A percentage with up to four decimals, into parts per million. */
static int parse_tolerance(const char *text, unsigned *ppm, struct tm_error *err)
{
	size_t len = strcspn(text, ".");
	unsigned whole, part = 0;
	const char *decimals = text[len] ? text + len + 1 : "";

	if (small_number(text, len, 0, 100, &whole) || strlen(decimals) > 4 ||
	    (text[len] && small_number(decimals, strlen(decimals), 0, 9999, &part)))
		return bad(err, "tolerance", text, "a percentage from 0 to 100");
	for (size_t i = strlen(decimals); i < 4; i++)
		part *= 10;
	*ppm = whole * 10000 + part;
	return *ppm > 1000000 ? bad(err, "tolerance", text, "a percentage from 0 to 100") : 0;
}

int weights_parse(struct app *app, struct weight_request *request, struct tm_error *err)
{
	struct weight_request r = { .max_weight = TM_WEIGHT_MAX, .tolerance_ppm = 10000 };
	const char *text;
	int rc = 0;

	text = app_option(app, "algorithm");
	if (text && !strcmp(text, "kernel"))
		r.algorithm = ALGORITHM_KERNEL;
	text = app_option(app, "mix");
	if (text)
		rc = parse_mix(text, &r, err);
	text = app_option(app, "tolerance");
	if (!rc && text)
		rc = parse_tolerance(text, &r.tolerance_ppm, err);
	text = app_option(app, "max-weight");
	if (!rc && text && small_number(text, strlen(text), 1, TM_WEIGHT_MAX, &r.max_weight))
		rc = bad(err, "max-weight", text, "a weight from 1 to 255");
	text = app_option(app, "assume-unknown");
	if (!rc && text && small_number(text, strlen(text), 1, TM_WEIGHT_MAX, &r.assume_unknown))
		rc = bad(err, "assume-unknown", text, "a weight from 1 to 255");
	if (!rc)
		*request = r;
	return rc;
}

struct weight_node *weights_find(struct weight_node *nodes, size_t nr, long id)
{
	for (size_t i = 0; i < nr; i++)
		if (nodes[i].node->id == id)
			return &nodes[i];
	return NULL;
}

int weights_parse_list(const char *text, struct tm_idset *set)
{
	struct tm_idset part = TM_IDSET_INIT;
	int rc = 0;

	for (const char *item = text; !rc; item++) {
		size_t len = strcspn(item, ",");
		char *copy = strndup(item, len);

		rc = copy ? tm_idset_parse_list(&part, copy) : -ENOMEM;
		free(copy);
		if (!rc && (tm_idset_empty(&part) || tm_idset_intersects(set, &part)))
			rc = -EINVAL;
		tm_idset_for_each(id, &part)
			rc = rc ? rc : tm_idset_add(set, id);
		item += len;
		if (!*item)
			break;
	}
	tm_idset_release(&part);
	return rc;
}

static int refuse_node(const struct tm_machine *m, long id, struct tm_error *err)
{
	char *have = tm_idset_format(&m->memory_nodes);

	tm_error_set(err, EINVAL, "--nodes: node %ld has no memory here", id);
	tm_error_hint(err, "nodes with memory: %s", have ? have : "");
	free(have);
	return -EINVAL;
}

/* All nodes with memory. */
static int list_nodes(struct weights *w, struct tm_error *err)
{
	const struct tm_machine *m = &w->machine;

	w->all = calloc(tm_idset_count(&m->memory_nodes) + 1, sizeof(*w->all));
	w->nodes = calloc(tm_idset_count(&m->memory_nodes) + 1, sizeof(*w->nodes));
	if (!w->all || !w->nodes)
		return tm_error_nomem(err);
	tm_idset_for_each(id, &m->memory_nodes)
		if (tm_machine_node(m, id))
			w->all[w->nr_all++].node = tm_machine_node(m, id);
	return w->nr_all ? 0 : tm_error_set(err, ENODEV, "no node with memory can be read");
}

/* Of these the ones of --nodes, each of which must be one. */
static int choose_nodes(struct app *app, struct weights *w, struct tm_error *err)
{
	const char *list = app_option(app, "nodes");
	struct tm_idset chosen = TM_IDSET_INIT;
	int rc = list ? weights_parse_list(list, &chosen) : 0;

	if (rc && rc != -ENOMEM)
		rc = bad(err, "nodes", list, "a list of nodes, each once, such as 0,2-3");
	else if (rc)
		tm_error_nomem(err);
	tm_idset_for_each(id, &chosen)
		if (!rc && !weights_find(w->all, w->nr_all, id))
			rc = refuse_node(&w->machine, id, err);
	for (size_t i = 0; i < w->nr_all && !rc; i++)
		if (!list || tm_idset_has(&chosen, w->all[i].node->id))
			w->nodes[w->nr++] = w->all[i];
	tm_idset_release(&chosen);
	return rc;
}

/* For CPUs: access1; of a whole matrix the row of the best initiator with CPUs. */
static const struct tm_perf *pick_row(const struct tm_machine *m, int target, enum tm_source source)
{
	const struct tm_perf *best = NULL;

	if (source == TM_SOURCE_SYSFS)
		return tm_machine_best(m, target);
	for (size_t i = 0; i < m->nr_perf; i++) {
		const struct tm_perf *perf = &m->perf[i];
		struct tm_num a = tm_perf_bandwidth(perf), b;

		if (perf->target != target || perf->source != source || !tm_num_is(&a) ||
		    !tm_perf_from_cpus(m, perf))
			continue;
		b = best ? tm_perf_bandwidth(best) : tm_num_none(TM_UNKNOWN);
		if (!best || a.value > b.value)
			best = perf;
	}
	return best;
}

static void read_rows(struct weights *w, enum tm_source source)
{
	for (size_t i = 0; i < w->nr_all; i++) {
		struct weight_node *node = &w->all[i];
		const struct tm_perf *perf = pick_row(&w->machine, node->node->id, source);

		if (!perf)
			continue;
		node->read = perf->read_bandwidth;
		node->write = perf->write_bandwidth;
		node->latency = perf->read_latency;
		node->complete = perf->complete;
		node->source = tm_source_name(source);
	}
}

/* "300G": bytes per second in decimal steps, into MB/s. */
static int parse_bandwidth(const char *text, size_t len, uint64_t *mbps)
{
	static const char units[] = "KMGT";
	uint64_t bytes = 0, factor = 1;
	size_t digits = strspn(text, "0123456789");
	const char *unit;

	if (!digits || digits > len || digits > 18)
		return -EINVAL;
	for (size_t i = 0; i < digits; i++)
		bytes = bytes * 10 + (uint64_t)(text[i] - '0');
	if (digits < len) {
		unit = strchr(units, toupper((unsigned char)text[digits]));
		if (!unit || !*unit || digits + 1 != len)
			return -EINVAL;
		for (const char *u = units; u <= unit; u++)
			factor *= 1000;
	}
	if (__builtin_mul_overflow(bytes, factor, &bytes) || bytes < 1000000 ||
	    bytes / 1000000 > UINT32_MAX)
		return -ERANGE;
	*mbps = bytes / 1000000;
	return 0;
}

/* "0=300G,2=60G" */
static int read_command_line(struct weights *w, const char *list, struct tm_error *err)
{
	for (const char *item = list; item; item = *item ? item + 1 : NULL) {
		size_t len = strcspn(item, ","), name = strcspn(item, "=");
		struct weight_node *node;
		char text[64];
		uint64_t mbps;
		unsigned id;

		snprintf(text, sizeof(text), "%.*s", (int)TM_MIN(len, sizeof(text) - 1), item);
		if (name >= len || small_number(item, name, 0, TM_ID_MAX, &id))
			return bad(err, "bandwidth", text,
				   "a node and its bandwidth such as 0=300G");
		node = weights_find(w->all, w->nr_all, id);
		if (!node || !weights_find(w->nodes, w->nr, id))
			return tm_error_set(err, EINVAL, "--bandwidth: node %u %s", id,
					    node ? "is not among --nodes" : "has no memory here");
		if (node->source)
			return tm_error_set(err, EINVAL, "--bandwidth: node %u is there twice", id);
		if (parse_bandwidth(item + name + 1, len - name - 1, &mbps))
			return bad(err, "bandwidth", text,
				   "a bandwidth in bytes/s from 1M to 4294T");
		node->read = node->write = tm_num_known(mbps);
		node->source = "given";
		node->complete = true;
		item += len;
		if (*item && !item[1])
			return bad(err, "bandwidth", list, "a list without a comma at its end");
		if (!*item)
			break;
	}
	return 0;
}

/* One figure for the node: by the mix, or the smaller of the two. */
static struct tm_num mix(const struct weight_node *node, const struct weight_request *request)
{
	bool mixed = request->reads + request->writes > 0;
	struct tm_num missing;

	/* What is never done need not be known. */
	if (mixed && !request->writes)
		return node->read;
	if (mixed && !request->reads)
		return node->write;
	if (!tm_num_is(&node->read) || !tm_num_is(&node->write)) {
		missing = tm_num_is(&node->read) ? node->write : node->read;
		if (node->source && missing.state == TM_UNKNOWN)
			missing.state = TM_NOT_PROVIDED;
		return missing;
	}
	if (mixed)
		return tm_num_known(tm_tune_mix(node->read.value, node->write.value, request->reads,
						request->writes));
	return tm_num_known(TM_MIN(node->read.value, node->write.value));
}

static int read_source(struct app *app, struct weights *w, struct tm_error *err)
{
	const char *from = app_option(app, "from"), *list = app_option(app, "bandwidth");

	if (from && list)
		return tm_error_set(err, EINVAL, "--from: not together with --bandwidth");
	if (list)
		return read_command_line(w, list, err);
	if (from && !strncmp(from, "measured:", 9) && from[9])
		return weights_read_measured(w, from + 9, err);
	if (!from || !strcmp(from, "sysfs"))
		read_rows(w, TM_SOURCE_SYSFS);
	else if (!strcmp(from, "hmat"))
		read_rows(w, TM_SOURCE_HMAT);
	else if (!strcmp(from, "cdat"))
		read_rows(w, TM_SOURCE_CDAT);
	else
		return bad(err, "from", from, "sysfs, hmat, cdat or measured:FILE");
	return 0;
}

int weights_read(struct app *app, struct weights *w, const struct weight_request *request,
		 struct tm_error *err)
{
	int rc = list_nodes(w, err);

	if (!rc)
		rc = choose_nodes(app, w, err);
	if (!rc)
		rc = read_source(app, w, err);
	for (size_t i = 0; i < w->nr && !rc; i++) {
		struct weight_node *node = &w->nodes[i];

		const struct weight_node *figures =
			node->node ? weights_find(w->all, w->nr_all, node->node->id) : NULL;

		if (!figures)
			continue;
		*node = *figures;
		node->bandwidth = mix(node, request);
		if (tm_num_is(&node->bandwidth))
			continue;
		if (request->assume_unknown)
			node->assumed = request->assume_unknown;
		else if (tm_idset_add(&w->unknown, node->node->id))
			rc = tm_error_nomem(err);
	}
	return rc;
}
