/* SPDX-License-Identifier: GPL-2.0-only */
/* The tiermem.topology/1 document: tiermem-json(5), schemas/tiermem.topology-1.schema.json. */
#include <stdio.h>
#include <string.h>

#include "cmd/topology-firmware.h"
#include "cmd/topology-view.h"
#include "lib/out/document.h"

/* "" stands for "there is none" in the model's names. */
static void add_name(struct tm_json *json, const char *key, const char *name)
{
	tm_json_string(json, key, *name ? name : NULL);
}

static void add_zones(struct tm_json *json, const struct tm_machine *m, const struct tm_node *node)
{
	uint64_t page = tm_num_is(&m->page_size) ? m->page_size.value : 0;

	if (node->zones_state != TM_KNOWN) {
		tm_json_none(json, "zones", node->zones_state);
		return;
	}
	tm_json_array(json, "zones");
	for (size_t i = 0; i < node->nr_zones; i++) {
		const struct tm_zone *zone = &node->zones[i];

		tm_json_object(json, NULL);
		tm_json_string(json, "name", zone->name);
		tm_json_num(json, "present_bytes",
			    page ? tm_num_known(zone->present_pages * page) :
				   tm_num_none(TM_UNKNOWN));
		tm_json_num(json, "managed_bytes",
			    page ? tm_num_known(zone->managed_pages * page) :
				   tm_num_none(TM_UNKNOWN));
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_blocks(struct tm_json *json, const struct tm_node *node)
{
	tm_json_object(json, "blocks");
	tm_json_num(json, "total", node->blocks.total);
	tm_json_num(json, "online", node->blocks.online);
	tm_json_string(json, "source", node->blocks.source);
	tm_json_end(json);
}

static void add_distances(struct tm_json *json, const struct tm_node *node)
{
	char key[16];

	if (node->distances_state != TM_KNOWN) {
		tm_json_none(json, "distances", node->distances_state);
		return;
	}
	tm_json_object(json, "distances");
	for (size_t i = 0; i < node->nr_distances; i++) {
		snprintf(key, sizeof(key), "%d", node->distances[i].node);
		tm_json_i64(json, key, node->distances[i].value);
	}
	tm_json_end(json);
}

static void add_performance(struct tm_json *json, const struct tm_machine *m, int target)
{
	tm_json_array(json, "performance");
	for (size_t i = 0; i < m->nr_perf; i++) {
		const struct tm_perf *perf = &m->perf[i];

		if (perf->target != target)
			continue;
		tm_json_object(json, NULL);
		tm_json_num(json, "initiator", perf->initiator);
		tm_json_string(json, "class", tm_access_name(perf->access));
		tm_json_num(json, "read_bandwidth_mbps", perf->read_bandwidth);
		tm_json_num(json, "write_bandwidth_mbps", perf->write_bandwidth);
		tm_json_num(json, "read_latency_ns", perf->read_latency);
		tm_json_num(json, "write_latency_ns", perf->write_latency);
		tm_json_string(json, "source", tm_source_name(perf->source));
		tm_json_bool(json, "complete", perf->complete);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_caches(struct tm_json *json, const struct tm_node *node)
{
	tm_json_array(json, "memory_side_caches");
	for (size_t i = 0; i < node->nr_caches; i++) {
		const struct tm_side_cache *cache = &node->caches[i];

		tm_json_object(json, NULL);
		tm_json_i64(json, "level", cache->level);
		tm_json_num(json, "size_bytes", cache->size);
		tm_json_num(json, "line_size_bytes", cache->line_size);
		tm_json_string(json, "indexing", cache->indexing);
		tm_json_string(json, "write_policy", cache->write_policy);
		tm_json_end(json);
	}
	tm_json_end(json);
}

/* Names of what lies behind the node; the objects themselves are in the document's cxl. */
static void add_devices(struct tm_json *json, const struct tm_machine *m,
			const struct tm_node *node)
{
	const struct tm_cxl *cxl = &m->cxl;
	bool behind[cxl->nr_regions + 1];

	memset(behind, 0, sizeof(behind));
	tm_json_object(json, "cxl");
	tm_json_array(json, "dax");
	for (size_t i = 0; i < cxl->nr_dax; i++) {
		const struct tm_dax *dax = &cxl->dax[i];

		if (!tm_num_is(&dax->target_node) || dax->target_node.value != (uint64_t)node->id)
			continue;
		tm_json_string(json, NULL, dax->name);
		for (size_t r = 0; r < cxl->nr_regions; r++)
			behind[r] |= !strcmp(cxl->regions[r].name, dax->region);
	}
	tm_json_end(json);
	tm_json_array(json, "regions");
	for (size_t r = 0; r < cxl->nr_regions; r++) {
		behind[r] |= tm_idset_has(&node->region_blocks, cxl->regions[r].id);
		if (behind[r])
			tm_json_string(json, NULL, cxl->regions[r].name);
	}
	tm_json_end(json);
	tm_json_array(json, "memdevs");
	for (size_t i = 0; i < cxl->nr_memdevs; i++) {
		bool mine = false;

		for (size_t r = 0; r < cxl->nr_regions; r++)
			for (size_t k = 0; behind[r] && k < cxl->regions[r].nr_targets; k++) {
				const struct tm_cxl_decoder *d =
					tm_cxl_decoder_find(cxl, cxl->regions[r].targets[k]);

				mine |= d && tm_cxl_decoder_memdev(cxl, d) == &cxl->memdevs[i];
			}
		if (mine)
			tm_json_string(json, NULL, cxl->memdevs[i].name);
	}
	tm_json_end(json);
	tm_json_end(json);
}

static void add_nodes(struct tm_json *json, const struct topology *t)
{
	const struct tm_machine *m = &t->machine;

	tm_json_array(json, "nodes");
	for (size_t i = 0; i < m->nr_nodes; i++) {
		const struct tm_node *node = &m->nodes[i];

		tm_json_object(json, NULL);
		tm_field_json(json, node_fields, nr_node_fields, &t->rows[i]);
		tm_json_bool(json, "generic_initiator", node->generic_initiator);
		add_zones(json, m, node);
		add_blocks(json, node);
		add_distances(json, node);
		add_performance(json, m, node->id);
		add_caches(json, node);
		add_devices(json, m, node);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_set(struct tm_json *json, const char *key, enum tm_state state,
		    const struct tm_idset *set)
{
	if (state == TM_KNOWN)
		tm_json_idset(json, key, set);
	else
		tm_json_none(json, key, state);
}

static void add_tiers(struct tm_json *json, const struct tm_machine *m)
{
	if (m->tiers_state != TM_KNOWN) {
		tm_json_none(json, "tiers", m->tiers_state);
		return;
	}
	tm_json_array(json, "tiers");
	for (size_t i = 0; i < m->nr_tiers; i++) {
		tm_json_object(json, NULL);
		tm_json_i64(json, "id", m->tiers[i].id);
		add_set(json, "nodes", m->tiers[i].nodes_state, &m->tiers[i].nodes);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_memdevs(struct tm_json *json, const struct tm_cxl *cxl)
{
	tm_json_array(json, "memdevs");
	for (size_t i = 0; i < cxl->nr_memdevs; i++) {
		const struct tm_cxl_memdev *memdev = &cxl->memdevs[i];

		tm_json_object(json, NULL);
		tm_json_string(json, "name", memdev->name);
		add_name(json, "endpoint", memdev->endpoint);
		add_name(json, "pci", memdev->pci);
		tm_json_text(json, "serial", &memdev->serial);
		tm_json_text(json, "firmware_version", &memdev->firmware);
		tm_json_num(json, "numa_node", memdev->numa_node);
		tm_json_num(json, "ram_size_bytes", memdev->ram_size);
		tm_json_num(json, "pmem_size_bytes", memdev->pmem_size);
		tm_json_num(json, "ram_qos_class", memdev->ram_qos_class);
		tm_json_num(json, "pmem_qos_class", memdev->pmem_qos_class);
		tm_json_num(json, "link_speed_mtps", memdev->link.speed);
		tm_json_num(json, "link_max_speed_mtps", memdev->link.max_speed);
		tm_json_num(json, "link_width", memdev->link.width);
		tm_json_num(json, "link_max_width", memdev->link.max_width);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_ports(struct tm_json *json, const struct tm_cxl *cxl)
{
	tm_json_array(json, "ports");
	for (size_t i = 0; i < cxl->nr_ports; i++) {
		const struct tm_cxl_port *port = &cxl->ports[i];

		tm_json_object(json, NULL);
		tm_json_string(json, "name", port->name);
		tm_json_string(json, "kind", tm_port_kind_name(port->kind));
		add_name(json, "parent", port->parent);
		add_name(json, "device", port->device);
		tm_json_num(json, "decoders_committed", port->decoders_committed);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_decoders(struct tm_json *json, const struct tm_cxl *cxl)
{
	tm_json_array(json, "decoders");
	for (size_t i = 0; i < cxl->nr_decoders; i++) {
		const struct tm_cxl_decoder *d = &cxl->decoders[i];

		tm_json_object(json, NULL);
		tm_json_string(json, "name", d->name);
		add_name(json, "port", d->port);
		tm_json_string(json, "kind", tm_port_kind_name(d->kind));
		tm_json_num(json, "start", d->start);
		tm_json_num(json, "size_bytes", d->size);
		tm_json_num(json, "interleave_granularity_bytes", d->granularity);
		tm_json_num(json, "interleave_ways", d->ways);
		if (d->kind != TM_PORT_ENDPOINT)
			tm_json_text(json, "target_list", &d->targets);
		if (d->kind == TM_PORT_ROOT)
			tm_json_num(json, "qos_class", d->qos_class);
		else
			add_name(json, "region", d->region);
		if (d->kind == TM_PORT_ENDPOINT) {
			tm_json_text(json, "mode", &d->mode);
			tm_json_num(json, "dpa_start", d->dpa_start);
			tm_json_num(json, "dpa_size_bytes", d->dpa_size);
		}
		tm_json_num(json, "locked", d->locked);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_regions(struct tm_json *json, const struct tm_cxl *cxl)
{
	tm_json_array(json, "regions");
	for (size_t i = 0; i < cxl->nr_regions; i++) {
		const struct tm_cxl_region *region = &cxl->regions[i];

		tm_json_object(json, NULL);
		tm_json_string(json, "name", region->name);
		add_name(json, "decoder", region->decoder);
		tm_json_text(json, "uuid", &region->uuid);
		tm_json_text(json, "mode", &region->mode);
		tm_json_num(json, "start", region->resource);
		tm_json_num(json, "size_bytes", region->size);
		tm_json_num(json, "interleave_granularity_bytes", region->granularity);
		tm_json_num(json, "interleave_ways", region->ways);
		tm_json_num(json, "commit", region->commit);
		tm_json_array(json, "targets");
		for (size_t k = 0; k < region->nr_targets; k++)
			tm_json_string(json, NULL, region->targets[k]);
		tm_json_end(json);
		tm_json_array(json, "dax");
		for (size_t k = 0; k < cxl->nr_dax; k++)
			if (!strcmp(cxl->dax[k].region, region->name))
				tm_json_string(json, NULL, cxl->dax[k].name);
		tm_json_end(json);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_dax(struct tm_json *json, const struct tm_cxl *cxl)
{
	tm_json_array(json, "dax");
	for (size_t i = 0; i < cxl->nr_dax; i++) {
		const struct tm_dax *dax = &cxl->dax[i];

		tm_json_object(json, NULL);
		tm_json_string(json, "name", dax->name);
		tm_json_string(json, "kind", tm_dax_kind_name(dax->kind));
		add_name(json, "region", dax->region);
		add_name(json, "driver", dax->driver);
		tm_json_num(json, "target_node", dax->target_node);
		tm_json_num(json, "numa_node", dax->numa_node);
		tm_json_num(json, "start", dax->resource);
		tm_json_num(json, "size_bytes", dax->size);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_problems(struct tm_json *json, const struct tm_problems *problems)
{
	tm_json_array(json, "problems");
	for (size_t i = 0; i < problems->nr; i++) {
		const struct tm_problem *problem = &problems->list[i];

		tm_json_object(json, NULL);
		tm_json_string(json, "code", problem->code);
		tm_json_string(json, "severity", tm_severity_name(problem->severity));
		tm_json_idset(json, "nodes", &problem->nodes);
		tm_json_string(json, "message", problem->message);
		add_name(json, "hint", problem->hint);
		tm_json_end(json);
	}
	tm_json_end(json);
}

int topology_json(const struct topology *t, char **text, struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	const struct tm_machine *m = &t->machine;
	struct tm_identity identity = { m->kernel, m->host, m->boot_id, m->root };

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin(json, "topology", 1, &identity);
	add_set(json, "possible_nodes", m->possible_state, &m->possible_nodes);
	add_set(json, "online_nodes", m->online_state, &m->online_nodes);
	add_set(json, "memory_nodes", m->has_numa ? TM_KNOWN : m->online_state, &m->memory_nodes);
	tm_json_num(json, "memory_block_size_bytes", m->block_size);
	tm_json_string(json, "weight_mode", tm_weight_mode_name(m->weight_mode));
	tm_json_string(json, "weight_mode_hint",
		       m->weight_mode == TM_WEIGHTS_UNSUPPORTED ?
			       "kernel 6.9 brings weighted interleave" :
			       NULL);
	add_nodes(json, t);
	add_tiers(json, m);
	tm_json_object(json, "cxl");
	add_memdevs(json, &m->cxl);
	add_ports(json, &m->cxl);
	add_decoders(json, &m->cxl);
	add_regions(json, &m->cxl);
	add_dax(json, &m->cxl);
	tm_json_end(json);
	topology_add_firmware(json, m);
	add_problems(json, &t->problems);
	return tm_json_print(json, false, text, err);
}
