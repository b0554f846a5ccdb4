/* SPDX-License-Identifier: GPL-2.0-only */
/* Vectors and predictions from the figures. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/weights-view.h"
#include "lib/tune/kernel.h"

const char *const predicted_names[NR_PREDICTED] = {
	[LOCAL] = "local",   [UNIFORM] = "uniform",	    [CURRENT] = "current",
	[KERNEL] = "kernel", [RECOMMENDED] = "recommended",
};

/* The smaller of the two, as the kernel takes it whatever the mix; 0: unknown. */
static uint32_t for_kernel(struct tm_num read, struct tm_num write)
{
	if (!tm_num_is(&read) || !tm_num_is(&write))
		return 0;
	return (uint32_t)TM_MIN(TM_MIN(read.value, write.value), (uint64_t)UINT32_MAX);
}

/* NULL: no bandwidth is known, or out of memory. */
static unsigned *apply_rule(const uint32_t *bandwidth, size_t nr, bool *failed)
{
	unsigned *weight;
	bool any = false;

	for (size_t i = 0; i < nr; i++)
		any |= bandwidth[i] != 0;
	if (!any)
		return NULL;
	weight = calloc(nr, sizeof(*weight));
	if (weight)
		tm_tune_kernel_weights(bandwidth, nr, weight);
	else
		*failed = true;
	return weight;
}

unsigned *weights_kernel_now(const struct tm_machine *m, bool *failed)
{
	size_t nr = tm_idset_count(&m->memory_nodes), at = 0;
	uint32_t *bandwidth = calloc(nr + 1, sizeof(*bandwidth));
	unsigned *weight;

	*failed = !bandwidth;
	if (!bandwidth)
		return NULL;
	tm_idset_for_each(id, &m->memory_nodes) {
		const struct tm_perf *best = tm_machine_best(m, (int)id);

		if (best && best->access == TM_ACCESS1)
			bandwidth[at] = for_kernel(best->read_bandwidth, best->write_bandwidth);
		at++;
	}
	weight = apply_rule(bandwidth, nr, failed);
	free(bandwidth);
	return weight;
}

/* Over all nodes with memory, whichever were asked for: weights are global. */
static int kernel_vector(struct weights *w)
{
	uint32_t *bandwidth = calloc(w->nr_all + 1, sizeof(*bandwidth));
	bool failed = !bandwidth;
	unsigned *weight = NULL;

	for (size_t i = 0; i < w->nr_all && bandwidth; i++)
		bandwidth[i] = for_kernel(w->all[i].read, w->all[i].write);
	if (bandwidth)
		weight = apply_rule(bandwidth, w->nr_all, &failed);
	for (size_t i = 0, k = 0; i < w->nr_all && weight; i++)
		if (k < w->nr && w->nodes[k].node == w->all[i].node)
			w->nodes[k++].kernel = weight[i];
	free(bandwidth);
	free(weight);
	return failed ? -ENOMEM : 0;
}

/* Not where something could not be read: then the rule cannot be followed here. */
static int find_stale(struct weights *w)
{
	const struct tm_machine *m = &w->machine;
	unsigned *weight;
	bool failed;
	size_t at = 0;

	if (m->weight_mode != TM_WEIGHTS_AUTO)
		return 0;
	for (size_t i = 0; i < m->nr_nodes; i++)
		if (m->nodes[i].perf_unreadable)
			return 0;
	weight = weights_kernel_now(m, &failed);
	tm_idset_for_each(id, &m->memory_nodes) {
		const struct tm_node *node = tm_machine_node(m, id);

		if (weight && !failed && node && tm_num_is(&node->weight) &&
		    node->weight.value != weight[at] && tm_idset_add(&w->stale, id))
			failed = true;
		at++;
	}
	free(weight);
	return failed ? -ENOMEM : 0;
}

/* The best weights of the nodes whose bandwidth is known; assumed ones are as they were given. */
static int best_vector(struct weights *w, const struct weight_request *request)
{
	uint64_t *bandwidth = calloc(w->nr, sizeof(*bandwidth));
	unsigned *weight = calloc(w->nr, sizeof(*weight));
	struct tm_tune_request tune = {
		.bandwidth = bandwidth,
		.max_weight = request->max_weight,
		.tolerance_ppm = request->tolerance_ppm,
	};
	int rc = bandwidth && weight ? 0 : -ENOMEM;

	for (size_t i = 0; i < w->nr && !rc; i++)
		if (!w->nodes[i].assumed)
			bandwidth[tune.nr++] = TM_MAX(w->nodes[i].bandwidth.value, (uint64_t)1);
	if (!rc && tune.nr)
		rc = tm_tune_best(&tune, weight, &w->within);
	for (size_t i = 0, at = 0; i < w->nr && !rc; i++)
		w->nodes[i].recommended = w->nodes[i].assumed ? w->nodes[i].assumed : weight[at++];
	free(bandwidth);
	free(weight);
	return rc;
}

/*
 * The memory next to the CPUs: the fastest DRAM, else the node of the least latency, else the
 * first.
 */
static size_t local_node(const struct weights *w)
{
	size_t found = 0;
	bool dram = false;

	for (size_t i = 0; i < w->nr; i++) {
		const struct weight_node *node = &w->nodes[i], *best = &w->nodes[found];
		bool is_dram = node->node->kind == TM_KIND_DRAM;

		if (is_dram && (!dram || node->bandwidth.value > best->bandwidth.value))
			found = i;
		else if (!dram && !is_dram && tm_num_is(&node->latency) &&
			 (!tm_num_is(&best->latency) || node->latency.value < best->latency.value))
			found = i;
		dram |= is_dram;
	}
	return found;
}

/* A prediction for one vector; below 0 where it, or a figure that it needs, is unknown. */
static struct prediction predict(const struct weights *w, const unsigned *weight)
{
	uint64_t bandwidth[w->nr], latency[w->nr];
	struct prediction p = { -1, -1 };
	bool known = true, timed = true;

	for (size_t i = 0; i < w->nr; i++) {
		const struct weight_node *node = &w->nodes[i];

		bandwidth[i] = node->bandwidth.value;
		latency[i] = node->latency.value;
		known &= weight[i] == 0 || tm_num_is(&node->bandwidth);
		timed &= weight[i] == 0 || tm_num_is(&node->latency);
	}
	if (known)
		p.bandwidth = tm_tune_bandwidth(bandwidth, weight, w->nr);
	if (timed)
		p.latency = tm_tune_latency(latency, weight, w->nr);
	return p;
}

static void predict_all(struct weights *w)
{
	unsigned weight[NR_PREDICTED][w->nr];
	bool have[NR_PREDICTED] = { true, true, true, true, true };
	size_t local = local_node(w);

	w->ideal = 0;
	for (size_t i = 0; i < w->nr; i++) {
		const struct weight_node *node = &w->nodes[i];

		weight[LOCAL][i] = i == local;
		weight[UNIFORM][i] = 1;
		weight[CURRENT][i] = (unsigned)node->node->weight.value;
		have[CURRENT] &= tm_num_is(&node->node->weight);
		weight[KERNEL][i] = node->kernel;
		have[KERNEL] &= node->kernel != 0;
		weight[RECOMMENDED][i] = node->recommended;
		have[RECOMMENDED] &= node->recommended != 0;
		if (w->ideal >= 0)
			w->ideal = tm_num_is(&node->bandwidth) ?
					   w->ideal + (double)node->bandwidth.value :
					   -1;
	}
	for (int p = 0; p < NR_PREDICTED; p++)
		w->predicted[p] = have[p] ? predict(w, weight[p]) : (struct prediction){ -1, -1 };
}

/* Nodes so slow that even the least weight for them costs more than they bring. */
static int find_harmful(struct weights *w)
{
	double local = w->predicted[LOCAL].bandwidth, best = w->predicted[RECOMMENDED].bandwidth;
	uint64_t sum = 0;

	if (local < 0 || best < 0 || best >= local)
		return 0;
	for (size_t i = 0; i < w->nr; i++)
		sum += w->nodes[i].recommended;
	for (size_t i = 0; i < w->nr; i++) {
		const struct weight_node *node = &w->nodes[i];

		if ((double)node->bandwidth.value * (double)sum / node->recommended < local &&
		    tm_idset_add(&w->harmful, node->node->id))
			return -ENOMEM;
	}
	return 0;
}

double weights_shortfall(const struct weights *w)
{
	double best = w->predicted[RECOMMENDED].bandwidth;

	return w->ideal > 0 && best >= 0 ? 1 - best / w->ideal : -1;
}

static int compute(struct weights *w, const struct weight_request *request)
{
	uint64_t sum = 0;
	int rc = kernel_vector(w);

	if (!rc)
		rc = find_stale(w);
	if (rc)
		return rc;
	if (tm_idset_empty(&w->unknown)) {
		rc = best_vector(w, request);
		w->nearest = request->algorithm == ALGORITHM_BEST;
		if (request->algorithm == ALGORITHM_KERNEL)
			for (size_t i = 0; i < w->nr; i++)
				w->nodes[i].recommended = w->nodes[i].assumed ?
								  w->nodes[i].assumed :
								  w->nodes[i].kernel;
	}
	for (size_t i = 0; i < w->nr; i++)
		sum += w->nodes[i].recommended;
	for (size_t i = 0; i < w->nr && sum; i++)
		w->nodes[i].share = (double)w->nodes[i].recommended / (double)sum;
	if (!rc) {
		predict_all(w);
		/* The search knows for its own weights; of the kernel's, the prediction tells. */
		if (!w->nearest)
			w->within = weights_shortfall(w) >= 0 &&
				    weights_shortfall(w) * 1e6 <= request->tolerance_ppm + 1e-6;
		rc = find_harmful(w);
	}
	return rc;
}

int weights_reckon(struct app *app, struct weights *w, const struct weight_request *request,
		   struct tm_error *err)
{
	int rc = weights_read(app, w, request, err);

	if (!rc && compute(w, request))
		rc = tm_error_nomem(err);
	return rc;
}

int weights_init(struct app *app, struct weights *w)
{
	struct weight_request request;
	struct tm_error err = { 0 };
	int rc;

	*w = (struct weights){ .root = { .fd = -1 }, .ideal = -1 };
	for (int p = 0; p < NR_PREDICTED; p++)
		w->predicted[p] = (struct prediction){ -1, -1 };
	if (weights_parse(app, &request, &err))
		return report(app, EXIT_USAGE, &err);
	if (tm_root_open(&w->root, app->root, &err) ||
	    tm_machine_read(&w->machine, &w->root, NULL, &err))
		return report(app, EXIT_FAILED, &err);
	rc = weights_reckon(app, w, &request, &err);
	if (rc)
		return report(app,
			      rc == -EINVAL ? EXIT_USAGE :
			      rc == -ENODEV ? EXIT_UNSUPPORTED :
					      EXIT_FAILED,
			      &err);
	return EXIT_DONE;
}

void weights_release(struct weights *w)
{
	free(w->nodes);
	free(w->all);
	tm_idset_release(&w->stale);
	tm_idset_release(&w->unknown);
	tm_idset_release(&w->harmful);
	tm_machine_release(&w->machine);
	tm_root_close(&w->root);
}
