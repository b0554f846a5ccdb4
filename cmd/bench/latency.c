/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem bench latency`: how long a load from memory takes, idle and while others load it. */
#include "cmd/bench/latency.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/files.h"
#include "lib/base/units.h"
#include "lib/bench/load.h"

#define MIB (1ULL << 20)
#define SIZE (1024 * MIB)
#define QUICK_SIZE (256 * MIB)
/* Of the last-level cache, at which one load in four at most can be from there. */
#define CACHES 4

struct latency_request {
	uint64_t size, cache; /* cache: of the last level; 0: nothing says */
	bool pages[TM_BENCH_PAGES];
	bool loaded;
	const char *svg;
	unsigned loaders;
	struct tm_idset initiators; /* nodes with CPUs to run on */
};

/* Pauses between bursts of 4 KiB, each about half of the one before. */
static const uint64_t pauses[] = { LATENCY_IDLE, 30000, 10000, 4000, 2000, 1000, 500, 250, 100, 0 };
static const uint64_t quick_pauses[] = { LATENCY_IDLE, 4000, 1000, 250, 0 };

static_assert(TM_ARRAY_SIZE(pauses) <= 16, "as many points as a curve has room for");

/* ---- what is asked for */

/* With and without huge pages is what tells how much of the time is translation. */
static void choose_pages(const struct bench *b, struct latency_request *request)
{
	const char *words = app_option(b->app, "page");

	if (!words)
		words = request->loaded ? "thp" : "base,thp";
	for (unsigned page = 0; page < TM_BENCH_PAGES; page++) {
		const char *name = tm_bench_page_name(page);
		size_t len = strlen(name);

		for (const char *word = words; *word;
		     word += strcspn(word, ","), word += *word == ',')
			if (strcspn(word, ",") == len && !strncmp(word, name, len))
				request->pages[page] = true;
	}
	/* Where there are none a curve is drawn all the same. */
	if (request->loaded && !app_option(b->app, "page") && !tm_bench_pmd_bytes()) {
		request->pages[TM_BENCH_PAGE_THP] = false;
		request->pages[TM_BENCH_PAGE_BASE] = true;
	}
}

/* The largest cache that the first CPU knows of, however many CPUs share it. */
static uint64_t cache_bytes(const struct bench *b)
{
	uint64_t most = 0;

	for (int i = 0; i < 8; i++)
		most = TM_MAX(most, bench_cache_bytes(b, tm_idset_next(&b->cpus, 0), i));
	return most;
}

static uint64_t needed(const struct latency_request *request, uint64_t size)
{
	return size + request->loaders * latency_load_bytes(size, request->loaders);
}

/* Where no size is given it is one for which there is room, with as much to spare. */
static int choose_size(const struct bench *b, struct latency_request *request, struct tm_error *err)
{
	uint64_t usual = TM_MAX(SIZE, CACHES * request->cache);
	bool given = app_option(b->app, "size") != NULL;
	int rc;

	usual = (usual + 64 * MIB - 1) / (64 * MIB) * (64 * MIB);
	rc = bench_parse_size(b, "size", usual, QUICK_SIZE, 4096, &request->size, err);
	if (!rc && request->size > UINT32_MAX * 16ULL)
		return tm_error_set(err, EINVAL, "--size: at most 64G, to follow all of it");
	for (long id = tm_idset_next(&b->nodes, 0); id >= 0 && !rc;
	     id = tm_idset_next(&b->nodes, id + 1)) {
		const struct tm_node *node = tm_machine_node(&b->machine, id);

		if (!given && node && tm_num_is(&node->memory_free))
			while (request->size > MIB &&
			       2 * needed(request, request->size) > node->memory_free.value)
				request->size /= 2;
		rc = bench_check_room(b, (int)id, needed(request, request->size), err);
	}
	return rc;
}

static int find_initiators(const struct bench *b, struct latency_request *request,
			   struct tm_error *err)
{
	for (size_t i = 0; i < b->machine.nr_nodes; i++) {
		const struct tm_node *node = &b->machine.nodes[i];

		if (tm_idset_intersects(&node->cpus, &b->cpus) &&
		    tm_idset_add(&request->initiators, node->id))
			return tm_error_nomem(err);
	}
	return 0;
}

static int choose_load(const struct bench *b, struct latency_request *request, struct tm_error *err)
{
	size_t cpus = tm_idset_count(&b->cpus);

	request->loaded = app_option(b->app, "loaded") != NULL;
	request->svg = app_option(b->app, "svg");
	if (request->svg && !request->loaded)
		return tm_error_set(err, EINVAL, "--svg: draws what --loaded measures");
	if (b->threads_given && !request->loaded)
		return tm_error_set(err, EINVAL, "--threads: more than one only with --loaded");
	if (!request->loaded)
		return 0;
	if (b->threads > cpus)
		return tm_error_set(err, EINVAL, "--threads: there are %zu CPUs, for one each",
				    cpus);
	if (b->threads_given && b->threads < 2)
		return tm_error_set(err, EINVAL, "--threads: a load takes at least 2");
	if (cpus < 2) {
		tm_error_set(err, ENOTSUP, "--loaded: there is one CPU, and a load takes another");
		return -ENOTSUP;
	}
	request->loaders = b->threads - 1;
	return 0;
}

static int parse(struct bench *b, struct tm_error *err)
{
	struct latency_request *request = b->request;
	int rc;

	rc = choose_load(b, request, err);
	if (rc)
		return rc;
	choose_pages(b, request);
	request->cache = cache_bytes(b);
	rc = choose_size(b, request, err);
	if (!rc)
		rc = find_initiators(b, request, err);
	if (!rc && request->svg)
		rc = file_try(request->svg, app_option(b->app, "force") != NULL, err);
	return rc;
}

static void release(struct bench *b)
{
	struct latency_request *request = b->request;

	tm_idset_release(&request->initiators);
}

/* ---- cases */

/* A pair of nodes; -1 where the machine has none. */
struct pair {
	long initiator, target;
	struct tm_idset nodes, cpus; /* the target; of all threads */
	int cpu;		     /* of the chase */
};

static void release_pair(struct pair *pair)
{
	tm_idset_release(&pair->nodes);
	tm_idset_release(&pair->cpus);
}

/* The first CPU of the initiator chases; the first ones of the others load. */
static int choose_cpus(const struct bench *b, unsigned loaders, struct pair *pair)
{
	struct tm_idset own = TM_IDSET_INIT;
	int rc = pair->initiator < 0 ? tm_idset_copy(&own, &b->cpus) :
				       bench_node_cpus(b, (int)pair->initiator, &own);

	pair->cpu = (int)tm_idset_next(&own, 0);
	tm_idset_release(&own);
	if (!rc)
		rc = tm_idset_add(&pair->cpus, pair->cpu);
	for (long id = tm_idset_next(&b->cpus, 0); id >= 0 && loaders && !rc;
	     id = tm_idset_next(&b->cpus, id + 1)) {
		if (id == pair->cpu)
			continue;
		rc = tm_idset_add(&pair->cpus, id);
		loaders--;
	}
	return rc;
}

static int label(struct bench *b, struct bench_case *c, const struct pair *pair,
		 const struct latency_case *what, size_t step)
{
	const struct bench_result *result = &b->result;
	int rc = 0;

	if (pair->initiator >= 0)
		rc = bench_case_number(result, c, "initiator", (uint64_t)pair->initiator);
	if (!rc && pair->target >= 0)
		rc = bench_case_number(result, c, "target", (uint64_t)pair->target);
	if (!rc)
		rc = bench_case_text(result, c, "page", tm_bench_page_name(what->page));
	if (!rc)
		rc = bench_case_number(result, c, "size_bytes", what->size);
	if (rc || !what->loaded)
		return rc;
	rc = bench_case_number(result, c, "load_step", step);
	if (!rc && what->pause_ns != LATENCY_IDLE)
		rc = bench_case_number(result, c, "load_pause_ns", what->pause_ns);
	return rc ? rc : bench_case_number(result, c, "load_threads", what->loaders);
}

/* Memory's own latency shows where caches cannot hold much of it. */
static bool is_large(const struct latency_request *request)
{
	return request->size / CACHES >= request->cache &&
	       (request->cache || request->size >= SIZE);
}

static int note_size(const struct latency_request *request, struct bench_case *c)
{
	char size[TM_UNITS_MAX], cache[TM_UNITS_MAX];

	if (!request->cache || is_large(request))
		return 0;
	return bench_case_note(c,
			       "small: a cache (%s) holds part of %s; memory itself takes longer",
			       tm_format_bytes(cache, request->cache),
			       tm_format_bytes(size, request->size));
}

/* The least of all initiators and kinds of pages, idle: what firmware tables tell. */
static int keep_node(struct bench *b, const struct bench_case *c, const struct pair *pair)
{
	struct bench_spread spread = bench_series_spread(&c->metrics[LATENCY_NS]);
	struct bench_node *node;
	uint64_t ns;

	if (pair->target < 0 || !is_large(b->request) || !spread.nr || spread.median < 0.5 ||
	    !c->has_place || c->place.misplaced || c->place.unknown)
		return 0;
	node = bench_result_node(&b->result, (int)pair->target);
	if (!node)
		return -ENOMEM;
	ns = (uint64_t)(spread.median + 0.5);
	if (!tm_num_is(&node->read_latency_ns) || ns < node->read_latency_ns.value)
		node->read_latency_ns = tm_num_known(ns);
	return 0;
}

static int measure_case(struct bench *b, const struct pair *pair, enum tm_bench_page page,
			size_t step, uint64_t pause_ns, struct tm_error *err)
{
	const struct latency_request *request = b->request;
	struct tm_idset one = TM_IDSET_INIT;
	struct latency_case what = {
		.numa = &b->numa,
		.nodes = pair->target < 0 ? NULL : &pair->nodes,
		/* With one node there is nothing to choose, and no need for leave to. */
		.policy = tm_idset_count(&b->machine.memory_nodes) > 1 ? TM_POLICY_BIND :
									 TM_POLICY_DEFAULT,
		.page = page,
		.size = request->size,
		.time_ns = b->time_ns,
		.cpu = pair->cpu,
		.cpus = &pair->cpus,
		.loaded = request->loaded,
		.pause_ns = pause_ns,
		.loaders = pause_ns == LATENCY_IDLE ? 0 : request->loaders,
	};
	struct bench_work work = {
		.context = &what,
		.prepare = latency_prepare,
		.measure = latency_measure,
		.nodes = what.nodes,
		.page = page,
	};
	struct bench_case *c = bench_result_case(&b->result);
	int rc = 0;

	if (!c)
		return tm_error_nomem(err);
	if (label(b, c, pair, &what, step) || tm_idset_add(&one, pair->cpu))
		rc = tm_error_nomem(err);
	if (!what.loaders)
		what.cpus = &one;
	if (!rc)
		rc = bench_measure(b, c, &work, err);
	if (!rc && !c->reason &&
	    (note_size(request, c) || (!what.loaders && keep_node(b, c, pair))))
		rc = tm_error_nomem(err);
	tm_idset_release(&one);
	return rc;
}

static void choose_steps(const struct bench *b, const uint64_t **steps, size_t *nr)
{
	const struct latency_request *request = b->request;

	*steps = b->quick ? quick_pauses : pauses;
	*nr = b->quick ? TM_ARRAY_SIZE(quick_pauses) : TM_ARRAY_SIZE(pauses);
	if (!request->loaded)
		*nr = 1;
}

static int measure_pair(struct bench *b, long initiator, long target, struct tm_error *err)
{
	const struct latency_request *request = b->request;
	struct pair pair = { .initiator = initiator, .target = target };
	const uint64_t *steps;
	size_t nr;
	int rc = 0;

	choose_steps(b, &steps, &nr);
	if ((target >= 0 && tm_idset_add(&pair.nodes, target)) ||
	    choose_cpus(b, request->loaders, &pair))
		rc = tm_error_nomem(err);
	for (unsigned page = 0; page < TM_BENCH_PAGES; page++)
		for (size_t step = 0; request->pages[page] && step < nr && !rc; step++)
			rc = measure_case(b, &pair, (enum tm_bench_page)page, step, steps[step],
					  err);
	release_pair(&pair);
	return rc;
}

static size_t count_cases(const struct bench *b)
{
	const struct latency_request *request = b->request;
	size_t pairs = tm_idset_count(&request->initiators) * tm_idset_count(&b->nodes);
	const uint64_t *steps;
	size_t nr, pages = 0;

	choose_steps(b, &steps, &nr);
	for (unsigned page = 0; page < TM_BENCH_PAGES; page++)
		pages += request->pages[page];
	return TM_MAX(pairs, 1U) * pages * nr;
}

static int run(struct bench *b, struct tm_error *err)
{
	const struct latency_request *request = b->request;
	int rc = 0;

	bench_expect(b, count_cases(b));
	/* A kernel without NUMA tells of no nodes. */
	if (tm_idset_empty(&request->initiators) || tm_idset_empty(&b->nodes))
		rc = measure_pair(b, -1, -1, err);
	else
		for (long from = tm_idset_next(&request->initiators, 0); from >= 0 && !rc;
		     from = tm_idset_next(&request->initiators, from + 1))
			for (long to = tm_idset_next(&b->nodes, 0); to >= 0 && !rc;
			     to = tm_idset_next(&b->nodes, to + 1))
				rc = measure_pair(b, from, to, err);
	if (!rc && request->svg)
		rc = latency_curve_save(b, request->svg, err);
	return rc;
}

static int show(struct bench *b, struct tm_buf *text, struct tm_error *err)
{
	const struct latency_request *request = b->request;

	return request->loaded && !b->app->raw ? latency_curve_show(b, text, err) : 0;
}

/* ---- tables */

const struct bench_kind bench_latency_kind = {
	.name = "latency",
	.labels = {
		{ "initiator", "CPU", BENCH_NUMBER, "Node of the CPU that waits for its loads." },
		{ "target", "MEMORY", BENCH_NUMBER, "Node of the memory." },
		{ "page", "PAGE", BENCH_TEXT, "Pages that were asked for." },
		{ "size_bytes", "SIZE", BENCH_BYTES, "Memory that the chain goes through." },
		{ "load_step", "LOAD", BENCH_NUMBER, "Step of the load, from 0 for none." },
		{ "load_pause_ns", "PAUSE", BENCH_NUMBER,
		  "Nanoseconds that each of the others waits between bursts of 4 KiB." },
		{ "load_threads", "OTHERS", BENCH_NUMBER, "Threads that make the load." },
		{ NULL, NULL, BENCH_NUMBER, NULL },
	},
	.metrics = {
		[LATENCY_NS] = { .key = "latency_ns",
				 .heading = "ns",
				 .lower_is_better = true,
				 .decimals = 1,
				 .help = "Time of one load, which waits for the one before it." },
		[LATENCY_BANDWIDTH] = { .key = "bandwidth_mbps",
					.heading = "MB/s",
					.neither_is_better = true,
					.help = "What the others read meanwhile." },
		[LATENCY_LOADS] = { .key = "loads",
				    .neither_is_better = true,
				    .help = "Loads of which the latency is the mean." },
	},
};

static const struct benchmark benchmark = {
	.kind = &bench_latency_kind,
	.request_bytes = sizeof(struct latency_request),
	.parse = parse,
	.run = run,
	.show = show,
	.release = release,
};

static int run_command(struct app *app)
{
	return bench_run(app, &benchmark);
}

static const struct option options[] = {
	BENCH_OPTIONS,
	{ "size", 'S', "SIZE", VALUE_TEXT, "memory to go through (4 times the last-level cache)",
	  NULL },
	{ "page", 'p', "LIST", VALUE_WORDS, "which pages it has (base,thp)", bench_page_word },
	{ "loaded", 'l', NULL, VALUE_TEXT, "also while other CPUs read, less and more", NULL },
	{ "svg", 0, "FILE", VALUE_FILE, "with --loaded: draw the curve into an SVG file", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command bench_latency_command = {
	.name = "latency",
	.summary = "time of a load from memory, idle and under load",
	.synopsis = "[--size SIZE] [--page LIST] [--loaded [--svg FILE]] [OPTION]...",
	.description =
		"Follows a chain of pointers through memory: one in each cache line, in random "
		"order, each load giving the address of the next. Nothing can be fetched ahead, so "
		"that the time of a load is the latency of the memory, with that of translating "
		"its address: with base pages nearly every load also waits for a page walk, with "
		"huge pages few do. Both are measured, for each node with CPUs and each node with "
		"memory.\n"
		"\n"
		"With --loaded the other CPUs meanwhile read from the same memory, from not at all "
		"to as much as they can, by pauses between bursts. Latency by the bandwidth that "
		"they got shows how much can be asked of a memory before it keeps everyone "
		"waiting.\n"
		"\n"
		"That the chain is one cycle of all lines is checked before and after each repeat, "
		"and each few thousand loads where it has come to: a chase that leaves it out is "
		"an error.",
	.examples = "tiermem bench latency  # each memory from each node with CPUs\n"
		    "tiermem bench latency -N 0,2 -p thp  # DRAM and expander, huge pages\n"
		    "tiermem bench latency --loaded --svg latency.svg  # and draw the curve\n"
		    "tiermem bench latency --size 32K  # of a cache instead\n",
	.group = "Measure",
	.options = options,
	.globals = BENCH_GLOBALS,
	.run = run_command,
};
