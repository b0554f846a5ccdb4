/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every opening and every reading of a file fails once, with each of two errors, while the expander
 * machine is read. Whatever fails, nothing crashes or leaks, no value is another than without the
 * fault (it may be unknown), and no problem is reported but that something could not be read.
 */
#include "tests/unit/machine.h"

#include <dirent.h>

struct fault {
	bool reads;	   /* readings are counted, not openings */
	const char *below; /* only openings of paths that begin so */
	long calls;	   /* openings or readings so far */
	long at;	   /* the one that fails; 0: none */
	int error;
	char path[TM_PATH_MAX]; /* what failed */
};

static bool fails(struct fault *fault)
{
	return ++fault->calls == fault->at;
}

static int fault_open(void *context, int root_fd, const char *path, int flags, mode_t mode)
{
	struct fault *fault = context;

	if (!fault->reads && !strncmp(path, fault->below, strlen(fault->below)) && fails(fault)) {
		snprintf(fault->path, sizeof(fault->path), "%s", path);
		return -fault->error;
	}
	return tm_io_system.open(NULL, root_fd, path, flags, mode);
}

static ssize_t fault_read(void *context, int fd, void *data, size_t size)
{
	struct fault *fault = context;

	if (fault->reads && fails(fault))
		return -fault->error;
	return tm_io_system.read(NULL, fd, data, size);
}

static int fault_close(void *context, int fd)
{
	(void)context;
	return tm_io_system.close(NULL, fd);
}

static const struct tm_io fault_io = {
	.open = fault_open,
	.read = fault_read,
	.close = fault_close,
};

static void agree_num(const char *what, struct tm_num truth, struct tm_num got)
{
	if (tm_num_is(&got) && (!tm_num_is(&truth) || truth.value != got.value))
		fail_msg("%s is %llu", what, (unsigned long long)got.value);
}

static void agree_text(const char *what, const struct tm_text *truth, const struct tm_text *got)
{
	if (got->state == TM_KNOWN &&
	    (truth->state != TM_KNOWN || strcmp(truth->value, got->value)))
		fail_msg("%s is %s", what, got->value);
}

/* A name that is empty where nothing is known. */
static void agree_name(const char *what, const char *truth, const char *got)
{
	if (got && *got && (!truth || strcmp(truth, got)))
		fail_msg("%s is %s", what, got);
}

static void agree_set(const char *what, enum tm_state state, const struct tm_idset *truth,
		      const struct tm_idset *got)
{
	if (state == TM_KNOWN && !tm_idset_equal(truth, got))
		fail_msg("%s is another set", what);
}

static void agree_node(const struct tm_node *truth, const struct tm_node *got)
{
	assert_int_equal(truth->online, got->online);
	agree_set("cpus", got->cpus_state, &truth->cpus, &got->cpus);
	assert_true(got->kind == truth->kind || got->kind == TM_KIND_UNKNOWN);
	agree_num("tier", truth->tier, got->tier);
	agree_num("weight", truth->weight, got->weight);
	agree_num("total", truth->memory_total, got->memory_total);
	agree_num("free", truth->memory_free, got->memory_free);
	agree_num("blocks", truth->blocks.total, got->blocks.total);
	/* Reckoned from another file it says so. */
	if (got->blocks.source && !strcmp(got->blocks.source, truth->blocks.source))
		agree_num("online blocks", truth->blocks.online, got->blocks.online);
	if (got->zones_state == TM_KNOWN) {
		assert_int_equal(got->nr_zones, truth->nr_zones);
		for (size_t i = 0; i < got->nr_zones; i++)
			assert_memory_equal(&got->zones[i], &truth->zones[i],
					    sizeof(got->zones[i]));
	} else {
		assert_int_equal(got->nr_zones, 0);
	}
	for (size_t i = 0; i < got->nr_distances; i++)
		assert_int_equal(got->distances[i].value,
				 tm_node_distance(truth, got->distances[i].node));
	assert_true(got->nr_caches <= truth->nr_caches);
	for (size_t i = 0; i < got->nr_caches; i++) {
		assert_int_equal(got->caches[i].level, truth->caches[i].level);
		agree_num("cache", truth->caches[i].size, got->caches[i].size);
		agree_num("line", truth->caches[i].line_size, got->caches[i].line_size);
		agree_name("indexing", truth->caches[i].indexing, got->caches[i].indexing);
		agree_name("policy", truth->caches[i].write_policy, got->caches[i].write_policy);
	}
}

static void agree_perf(const struct tm_machine *truth, const struct tm_machine *got)
{
	assert_true(got->nr_perf <= truth->nr_perf);
	for (size_t i = 0; i < got->nr_perf; i++) {
		const struct tm_perf *row = &got->perf[i], *same = NULL;

		for (size_t k = 0; k < truth->nr_perf && !same; k++)
			if (truth->perf[k].target == row->target &&
			    truth->perf[k].access == row->access)
				same = &truth->perf[k];
		assert_non_null(same);
		agree_num("initiator", same->initiator, row->initiator);
		agree_num("read bandwidth", same->read_bandwidth, row->read_bandwidth);
		agree_num("write bandwidth", same->write_bandwidth, row->write_bandwidth);
		agree_num("read latency", same->read_latency, row->read_latency);
		agree_num("write latency", same->write_latency, row->write_latency);
	}
}

static void agree_devices(const struct tm_cxl *truth, const struct tm_cxl *got)
{
	assert_true(got->nr_memdevs <= truth->nr_memdevs && got->nr_ports <= truth->nr_ports);
	for (size_t i = 0; i < got->nr_memdevs; i++) {
		const struct tm_cxl_memdev *a = &truth->memdevs[i], *b = &got->memdevs[i];

		assert_string_equal(a->name, b->name);
		agree_name("endpoint", a->endpoint, b->endpoint);
		agree_name("pci", a->pci, b->pci);
		agree_text("serial", &a->serial, &b->serial);
		agree_text("firmware", &a->firmware, &b->firmware);
		agree_num("numa_node", a->numa_node, b->numa_node);
		agree_num("ram size", a->ram_size, b->ram_size);
		agree_num("pmem size", a->pmem_size, b->pmem_size);
		agree_num("qos_class", a->ram_qos_class, b->ram_qos_class);
		agree_num("speed", a->link.speed, b->link.speed);
		agree_num("max_speed", a->link.max_speed, b->link.max_speed);
		agree_num("width", a->link.width, b->link.width);
		agree_num("max_width", a->link.max_width, b->link.max_width);
	}
	for (size_t i = 0; i < got->nr_ports; i++) {
		const struct tm_cxl_port *a = &truth->ports[i], *b = &got->ports[i];

		assert_string_equal(a->name, b->name);
		assert_int_equal(a->kind, b->kind);
		agree_name("parent", a->parent, b->parent);
		agree_name("device", a->device, b->device);
		agree_num("committed", a->decoders_committed, b->decoders_committed);
	}
}

static void agree_memory(const struct tm_cxl *truth, const struct tm_cxl *got)
{
	assert_true(got->nr_decoders <= truth->nr_decoders);
	for (size_t i = 0; i < got->nr_decoders; i++) {
		const struct tm_cxl_decoder *a = &truth->decoders[i], *b = &got->decoders[i];

		assert_string_equal(a->name, b->name);
		agree_name("port", a->port, b->port);
		assert_int_equal(a->kind, b->kind);
		agree_num("start", a->start, b->start);
		agree_num("size", a->size, b->size);
		agree_num("granularity", a->granularity, b->granularity);
		agree_num("ways", a->ways, b->ways);
		agree_text("targets", &a->targets, &b->targets);
		agree_name("region", a->region, b->region);
		agree_text("mode", &a->mode, &b->mode);
		agree_num("dpa_start", a->dpa_start, b->dpa_start);
		agree_num("dpa_size", a->dpa_size, b->dpa_size);
		agree_num("qos_class", a->qos_class, b->qos_class);
		agree_num("locked", a->locked, b->locked);
	}
	assert_true(got->nr_regions <= truth->nr_regions && got->nr_dax <= truth->nr_dax);
	for (size_t i = 0; i < got->nr_regions; i++) {
		const struct tm_cxl_region *a = &truth->regions[i], *b = &got->regions[i];

		assert_string_equal(a->name, b->name);
		agree_name("decoder", a->decoder, b->decoder);
		agree_text("mode", &a->mode, &b->mode);
		agree_num("resource", a->resource, b->resource);
		agree_num("size", a->size, b->size);
		agree_num("commit", a->commit, b->commit);
		assert_true(b->nr_targets <= a->nr_targets);
		for (size_t k = 0; k < b->nr_targets; k++)
			assert_string_equal(a->targets[k], b->targets[k]);
	}
	for (size_t i = 0; i < got->nr_dax; i++) {
		const struct tm_dax *a = &truth->dax[i], *b = &got->dax[i];

		assert_string_equal(a->name, b->name);
		agree_name("driver", a->driver, b->driver);
		agree_name("region", a->region, b->region);
		assert_true(b->kind == a->kind || b->kind == TM_DAX_OTHER);
		agree_num("target_node", a->target_node, b->target_node);
		agree_num("dax size", a->size, b->size);
		agree_num("dax resource", a->resource, b->resource);
	}
}

static void agree(const struct tm_machine *truth, const struct tm_machine *got)
{
	agree_text("kernel", &truth->kernel, &got->kernel);
	agree_text("host", &truth->host, &got->host);
	agree_text("boot_id", &truth->boot_id, &got->boot_id);
	agree_set("possible", got->possible_state, &truth->possible_nodes, &got->possible_nodes);
	agree_set("online", got->online_state, &truth->online_nodes, &got->online_nodes);
	agree_set("cpus", got->online_cpus_state, &truth->online_cpus, &got->online_cpus);
	agree_num("page size", truth->page_size, got->page_size);
	agree_num("block size", truth->block_size, got->block_size);
	assert_true(got->weight_mode == truth->weight_mode ||
		    got->weight_mode == TM_WEIGHTS_UNKNOWN);
	agree_name("switch", truth->weight_switch, got->weight_switch);
	for (size_t i = 0; i < got->nr_nodes; i++)
		agree_node(machine_get(truth, got->nodes[i].id), &got->nodes[i]);
	assert_true(got->nr_tiers <= truth->nr_tiers);
	for (size_t i = 0; i < got->nr_tiers; i++) {
		assert_int_equal(got->tiers[i].id, truth->tiers[i].id);
		agree_set("tier", got->tiers[i].nodes_state, &truth->tiers[i].nodes,
			  &got->tiers[i].nodes);
	}
	agree_perf(truth, got);
	agree_devices(&truth->cxl, &got->cxl);
	agree_memory(&truth->cxl, &got->cxl);
}

static int open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* The problems that tell of a fault itself, and of nothing that is not so. */
static bool only_told(const char *codes)
{
	return !strcmp(codes, "") || !strcmp(codes, "unreadable") || !strcmp(codes, "malformed") ||
	       !strcmp(codes, "no-nodes") || !strcmp(codes, "no-nodes unreadable") ||
	       !strcmp(codes, "no-nodes malformed") ||
	       !strcmp(codes, "malformed distance-malformed");
}

static void try_all(const struct tree *tree, struct fault which, long least, bool blocks)
{
	static const int errors[] = { EIO, EACCES };
	const struct tm_machine_options options = { .blocks = blocks };
	struct fault fault = which;
	struct tm_root root = tree->root;
	struct tm_error err = { 0 };
	struct tm_machine truth;
	char codes[1024];
	size_t wrong = 0;
	int before;
	long calls;

	root.io = &fault_io;
	root.io_context = &fault;
	assert_int_equal(tm_machine_read(&truth, &root, &options, &err), 0);
	assert_problems(&truth, "");
	calls = fault.calls;
	assert_true(calls >= least);
	before = open_descriptors();
	for (long at = 1; at <= calls; at++) {
		for (size_t e = 0; e < TM_ARRAY_SIZE(errors); e++) {
			struct tm_machine got;
			int rc;

			fault = which;
			fault.at = at;
			fault.error = errors[e];
			rc = tm_machine_read(&got, &root, &options, &err);
			assert_true(fault.calls >= at);
			assert_int_equal(rc, 0);
			agree(&truth, &got);
			machine_problems(&got, codes, sizeof(codes));
			if (!only_told(codes)) {
				print_error("%s, %s: %s\n", fault.path, strerror(errors[e]), codes);
				wrong++;
			}
			tm_machine_release(&got);
		}
	}
	assert_int_equal(before, open_descriptors());
	assert_int_equal(wrong, 0);
	tm_machine_release(&truth);
}

static void test_open(void **state)
{
	try_all(*state, (struct fault){ .below = "" }, 100, false);
}

/* Memory blocks are only asked on request. */
static void test_open_blocks(void **state)
{
	try_all(*state, (struct fault){ .below = BLOCK "/memory" }, 12, true);
}

static void test_read(void **state)
{
	try_all(*state, (struct fault){ .reads = true, .below = "" }, 1, false);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		expander_test(test_open),
		expander_test(test_open_blocks),
		expander_test(test_read),
	};

	return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
