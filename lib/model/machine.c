/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/model/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/read.h"

const char *tm_kind_name(enum tm_kind kind)
{
	static const char *const name[] = {
		[TM_KIND_UNKNOWN] = "unknown", [TM_KIND_DRAM] = "dram", [TM_KIND_HBM] = "hbm",
		[TM_KIND_CXL] = "cxl",	       [TM_KIND_PMEM] = "pmem",
	};

	return name[kind];
}

const char *tm_access_name(enum tm_access access)
{
	static const char *const name[] = {
		[TM_ACCESS0] = "access0",
		[TM_ACCESS1] = "access1",
		[TM_ACCESS_MATRIX] = "matrix",
	};

	return name[access];
}

const char *tm_source_name(enum tm_source source)
{
	static const char *const name[] = {
		[TM_SOURCE_SYSFS] = "sysfs",	   [TM_SOURCE_HMAT] = "hmat",
		[TM_SOURCE_CDAT] = "cdat",	   [TM_SOURCE_ESTIMATED] = "estimated",
		[TM_SOURCE_MEASURED] = "measured",
	};

	return name[source];
}

const char *tm_weight_mode_name(enum tm_weight_mode mode)
{
	static const char *const name[] = {
		[TM_WEIGHTS_UNSUPPORTED] = "unsupported",
		[TM_WEIGHTS_MANUAL] = "manual",
		[TM_WEIGHTS_AUTO] = "auto",
		[TM_WEIGHTS_UNKNOWN] = "unknown",
	};

	return name[mode];
}

int tm_machine_read(struct tm_machine *machine, const struct tm_root *root,
		    const struct tm_machine_options *options, struct tm_error *err)
{
	static int (*const part[])(struct tm_reader * rd) = {
		tm_read_system, tm_read_nodes,	  tm_read_memory, tm_read_perf,
		tm_read_tiers,	tm_read_weights,  tm_read_dax,	  tm_read_cxl,
		tm_read_blocks, tm_read_firmware, tm_read_cdat,
	};
	static const struct tm_machine_options plain = { 0 };
	struct tm_machine m = { 0 };
	struct tm_reader rd = { root, &m, options ? options : &plain };
	int rc = 0;

	m.root = strdup(root->name);
	m.live = root->live;
	if (!m.root)
		rc = -ENOMEM;
	for (size_t i = 0; !rc && i < TM_ARRAY_SIZE(part); i++)
		rc = part[i](&rd);
	if (rc) {
		tm_machine_release(&m);
		return rc == -ENOMEM ? tm_error_nomem(err) :
				       tm_error_errno(err, -rc, "%s", root->name);
	}
	tm_perf_sort(&m);
	tm_find_kinds(&m);
	*machine = m;
	return 0;
}

void tm_machine_release(struct tm_machine *m)
{
	free(m->root);
	tm_text_release(&m->kernel);
	tm_text_release(&m->host);
	tm_text_release(&m->boot_id);
	tm_idset_release(&m->possible_nodes);
	tm_idset_release(&m->online_nodes);
	tm_idset_release(&m->online_cpus);
	tm_idset_release(&m->memory_nodes);
	for (size_t i = 0; i < m->nr_nodes; i++) {
		tm_idset_release(&m->nodes[i].cpus);
		tm_idset_release(&m->nodes[i].region_blocks);
		free(m->nodes[i].zones);
		free(m->nodes[i].distances);
		free(m->nodes[i].caches);
	}
	free(m->nodes);
	free(m->perf);
	for (size_t i = 0; i < m->nr_tiers; i++)
		tm_idset_release(&m->tiers[i].nodes);
	free(m->tiers);
	tm_cxl_release(&m->cxl);
	tm_firmware_release(&m->firmware);
	*m = (struct tm_machine){ 0 };
}

static int compare_id(const void *id, const void *node)
{
	long a = *(const long *)id, b = ((const struct tm_node *)node)->id;

	return a < b ? -1 : a > b;
}

const struct tm_node *tm_machine_node(const struct tm_machine *m, long id)
{
	if (!m->nr_nodes)
		return NULL;
	return bsearch(&id, m->nodes, m->nr_nodes, sizeof(*m->nodes), compare_id);
}

bool tm_node_has_memory(const struct tm_machine *m, const struct tm_node *node)
{
	return tm_idset_has(&m->memory_nodes, node->id);
}

const struct tm_perf *tm_machine_best(const struct tm_machine *m, int target)
{
	const struct tm_perf *best = NULL;

	for (size_t i = 0; i < m->nr_perf; i++) {
		const struct tm_perf *perf = &m->perf[i];
		const struct tm_node *from = NULL;

		if (perf->target != target || perf->source != TM_SOURCE_SYSFS)
			continue;
		if (perf->access == TM_ACCESS1)
			return perf;
		if (perf->initiator.state == TM_KNOWN)
			from = tm_machine_node(m, (long)perf->initiator.value);
		if (perf->access == TM_ACCESS0 && from && !tm_idset_empty(&from->cpus) && !best)
			best = perf;
	}
	return best;
}

bool tm_perf_from_cpus(const struct tm_machine *m, const struct tm_perf *perf)
{
	const struct tm_node *from;

	if (!tm_num_is(&perf->initiator))
		return true;
	from = tm_machine_node(m, (long)perf->initiator.value);
	return from && !tm_idset_empty(&from->cpus);
}

const struct tm_perf *tm_machine_shown(const struct tm_machine *m, int target)
{
	const struct tm_perf *best = tm_machine_best(m, target), *found = NULL;

	if (best && tm_perf_has_figure(best))
		return best;
	/* Rows are sorted by source, in the order of trust. */
	for (size_t i = 0; i < m->nr_perf; i++) {
		const struct tm_perf *perf = &m->perf[i];

		if (perf->target != target || perf->source == TM_SOURCE_SYSFS ||
		    !tm_perf_has_figure(perf) || !tm_perf_from_cpus(m, perf) ||
		    (found && perf->source != found->source))
			continue;
		if (!found || (tm_num_is(&perf->read_latency) && tm_num_is(&found->read_latency) &&
			       perf->read_latency.value < found->read_latency.value))
			found = perf;
	}
	return found ? found : best;
}

bool tm_perf_has_figure(const struct tm_perf *perf)
{
	return tm_num_is(&perf->read_bandwidth) || tm_num_is(&perf->write_bandwidth) ||
	       tm_num_is(&perf->read_latency) || tm_num_is(&perf->write_latency);
}

struct tm_num tm_perf_bandwidth(const struct tm_perf *perf)
{
	if (!tm_num_is(&perf->read_bandwidth))
		return perf->read_bandwidth;
	if (!tm_num_is(&perf->write_bandwidth))
		return perf->write_bandwidth;
	return tm_num_known(TM_MIN(perf->read_bandwidth.value, perf->write_bandwidth.value));
}

int tm_node_distance(const struct tm_node *node, int to)
{
	for (size_t i = 0; i < node->nr_distances; i++)
		if (node->distances[i].node == to)
			return node->distances[i].value;
	return -1;
}
