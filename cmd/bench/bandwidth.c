/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem bench bandwidth`: how many bytes a second each memory gives to each node's CPUs. */
#include "cmd/bench/bandwidth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/units.h"

#define SIZE_LEAST (64 << 10)

/* ---- words */

static const char *list_kernels(size_t i, const char **help)
{
	static const char *const helps[] = {
		[TM_BENCH_READ] = "sum of a", [TM_BENCH_WRITE] = "a = x",
		[TM_BENCH_COPY] = "c = a",    [TM_BENCH_SCALE] = "c = x * a",
		[TM_BENCH_ADD] = "c = a + b", [TM_BENCH_TRIAD] = "c = a + x * b",
	};

	if (i >= TM_ARRAY_SIZE(helps))
		return NULL;
	if (help)
		*help = helps[i];
	return tm_bench_op_name((unsigned)i);
}

static const char *list_stores(size_t i, const char **help)
{
	static const char *const words[][2] = {
		{ "no", "through the caches" },
		{ "yes", "past them" },
		{ "both", "one after the other" },
	};

	if (i >= TM_ARRAY_SIZE(words))
		return NULL;
	if (help)
		*help = words[i][1];
	return words[i][0];
}

static const char *list_vectors(size_t i, const char **help)
{
	if (help)
		*help = i ? "bits" : "the widest that this CPU has";
	if (!i)
		return "auto";
	return tm_bench_vector_name((unsigned)i - 1);
}

/* ---- what is asked for */

static int add_load(struct bandwidth_request *request, enum tm_bench_op op, unsigned reads,
		    unsigned writes, struct tm_error *err)
{
	struct bandwidth_load *load = &request->loads[request->nr_loads];

	if (request->nr_loads == BANDWIDTH_LOADS)
		return tm_error_set(err, EINVAL, "--mix: more than 16 of them");
	*load = (struct bandwidth_load){ .op = op, .reads = reads, .writes = writes };
	if (op == TM_BENCH_MIX)
		snprintf(load->name, sizeof(load->name), "%u:%u", reads, writes);
	else
		snprintf(load->name, sizeof(load->name), "%s", tm_bench_op_name(op));
	for (size_t i = 0; i < request->nr_loads; i++)
		if (!strcmp(request->loads[i].name, load->name))
			return tm_error_set(err, EINVAL, "--mix: %s is there twice", load->name);
	request->nr_loads++;
	return 0;
}

static int add_kernels(struct bandwidth_request *request, const char *words, struct tm_error *err)
{
	int rc = 0;

	for (const char *word = words; *word && !rc; word += *word == ',') {
		size_t len = strcspn(word, ",");
		unsigned op = 0, reads, writes;

		while (op < TM_BENCH_MIX && (strlen(tm_bench_op_name(op)) != len ||
					     strncmp(tm_bench_op_name(op), word, len) != 0))
			op++;
		tm_bench_op_arrays((enum tm_bench_op)op, &reads, &writes);
		rc = add_load(request, (enum tm_bench_op)op, reads, writes, err);
		word += len;
	}
	return rc;
}

/* Up to two digits before `end`. */
static bool take_side(const char **text, char end, unsigned *side)
{
	size_t digits = strspn(*text, "0123456789");

	*side = 0;
	if (!digits || digits > 2 || ((*text)[digits] != end && (end || (*text)[digits] != ',')))
		return false;
	for (size_t i = 0; i < digits; i++)
		*side = *side * 10 + (unsigned)((*text)[i] - '0');
	*text += digits;
	return *side <= TM_BENCH_MIX_MAX;
}

static int add_mixes(struct bandwidth_request *request, const char *list, struct tm_error *err)
{
	int rc = 0;

	for (const char *text = list; !rc; text++) {
		unsigned reads, writes;
		bool good = take_side(&text, ':', &reads);

		text += good;
		good = good && take_side(&text, '\0', &writes) && reads + writes > 0;
		if (!good) {
			tm_error_set(err, EINVAL,
				     "--mix: '%.100s' is not reads and writes of 0 to %d", list,
				     TM_BENCH_MIX_MAX);
			tm_error_hint(err, "such as 2:1, or a list such as 1:0,2:1,1:1");
			return -EINVAL;
		}
		rc = add_load(request, TM_BENCH_MIX, reads, writes, err);
		if (!*text)
			break;
	}
	return rc;
}

static int choose_loads(const struct bench *b, struct bandwidth_request *request,
			struct tm_error *err)
{
	const char *kernels = app_option(b->app, "kernel"), *mixes = app_option(b->app, "mix");
	int rc = 0;

	/* What weights are for is a load of its own; nodes are read and written anyway. */
	if (!kernels && !mixes && request->compare)
		return add_load(request, TM_BENCH_MIX, 2, 1, err);
	if (!kernels && !mixes)
		kernels = b->quick ? "read,write" : "read,write,triad";
	if (kernels)
		rc = add_kernels(request, kernels, err);
	return rc || !mixes ? rc : add_mixes(request, mixes, err);
}

static int choose_vector(const struct bench *b, struct bandwidth_request *request,
			 struct tm_error *err)
{
	const char *word = app_option(b->app, "vector");

	request->vector = tm_bench_vector_widest();
	if (!word || !strcmp(word, "auto"))
		return 0;
	for (unsigned i = 0; i < TM_BENCH_VECTORS; i++)
		if (!strcmp(word, tm_bench_vector_name(i)))
			request->vector = (enum tm_bench_vector)i;
	if (tm_bench_vector_here(request->vector))
		return 0;
	tm_error_set(err, ENOTSUP, "--vector: this CPU has no vectors of %s bits", word);
	tm_error_hint(err, "the widest it has is %s",
		      tm_bench_vector_name(tm_bench_vector_widest()));
	return -ENOTSUP;
}

static int choose_stores(const struct bench *b, struct bandwidth_request *request,
			 struct tm_error *err)
{
	const char *word = app_option(b->app, "nontemporal");
	bool here = tm_bench_stream_kernel(TM_BENCH_WRITE, request->vector, true) != NULL;

	request->usual = !word || strcmp(word, "yes") != 0;
	request->past = word ? strcmp(word, "no") != 0 : here && !request->compare;
	if (request->past && !here)
		return tm_error_set(err, ENOTSUP,
				    "--nontemporal: no such stores here with --vector %s",
				    tm_bench_vector_name(request->vector));
	if (request->compare && request->usual && request->past)
		return tm_error_set(err, EINVAL,
				    "--nontemporal: yes or no together with --compare-policies");
	return 0;
}

static int choose_page(const struct bench *b, struct bandwidth_request *request,
		       struct tm_error *err)
{
	const char *word = app_option(b->app, "page");

	for (unsigned i = 0; word && i < TM_BENCH_PAGES; i++)
		if (!strcmp(word, tm_bench_page_name(i)))
			request->page = (enum tm_bench_page)i;
	if (request->page == TM_BENCH_PAGE_THP && !tm_bench_pmd_bytes())
		return tm_error_set(err, ENOTSUP,
				    "--page: this kernel has no transparent huge pages");
	return 0;
}

static int note_conditions(struct bench *b, const struct bandwidth_request *request)
{
	char bytes[TM_UNITS_MAX];
	int rc = bench_result_condition(&b->result, "vector", "%s",
					tm_bench_vector_name(request->vector));

	if (!rc)
		rc = bench_result_condition(&b->result, "caches", request->cache ? "%s" : NULL,
					    tm_format_bytes(bytes, request->cache));
	return rc;
}

static int parse(struct bench *b, struct tm_error *err)
{
	struct bandwidth_request *request = b->request;
	int rc;

	request->interleave = app_option(b->app, "interleave") != NULL;
	request->weighted = app_option(b->app, "weighted") != NULL;
	request->compare = app_option(b->app, "compare-policies") != NULL;
	rc = choose_loads(b, request, err);
	if (!rc)
		rc = bench_parse_size(b, "size", 0, 0, SIZE_LEAST, &request->size, err);
	if (!rc)
		rc = choose_vector(b, request, err);
	if (!rc)
		rc = choose_stores(b, request, err);
	if (!rc)
		rc = choose_page(b, request, err);
	if (!rc)
		rc = bandwidth_compare_parse(b, err);
	request->cache = bandwidth_cache(b, &b->cpus);
	return rc ? rc : note_conditions(b, request) ? tm_error_nomem(err) : 0;
}

/* ---- the matrix */

/* All loads, with each kind of store. `reason`: why they are not measured. */
static int measure_loads(struct bench *b, long initiator, const struct tm_idset *cpus,
			 const struct bandwidth_way *way, const char *reason, struct tm_error *err)
{
	const struct bandwidth_request *request = b->request;
	int rc = 0;

	for (size_t i = 0; i < request->nr_loads && !rc; i++) {
		const struct bandwidth_load *load = &request->loads[i];

		for (int past = 0; past < 2 && !rc; past++) {
			/* What writes nothing is measured once. */
			if (load->writes ? !(past ? request->past : request->usual) : past)
				continue;
			rc = reason ? bandwidth_refuse(b, initiator, load, past, way, reason, err) :
				      bandwidth_measure(b, initiator, cpus, load, past, way, err);
		}
	}
	return rc;
}

static int measure_target(struct bench *b, long initiator, const struct tm_idset *cpus, long target,
			  struct tm_error *err)
{
	struct tm_idset node = TM_IDSET_INIT;
	struct bandwidth_way way = { .name = "bind", .policy = TM_POLICY_BIND, .nodes = &node };
	int rc = tm_idset_add(&node, target) ? tm_error_nomem(err) : 0;

	/* Containers may forbid policies; where there is one node it needs none. */
	if (!rc && tm_idset_count(&b->machine.memory_nodes) == 1 &&
	    tm_numa_try_policy(&b->numa, TM_POLICY_BIND, &node)) {
		way.name = "default";
		way.policy = TM_POLICY_DEFAULT;
	}
	if (!rc)
		rc = measure_loads(b, initiator, cpus, &way, NULL, err);
	tm_idset_release(&node);
	return rc;
}

/* Memory spread over all the nodes. */
static int measure_set(struct bench *b, long initiator, const struct tm_idset *cpus, bool weighted,
		       struct tm_error *err)
{
	size_t nr = tm_idset_count(&b->nodes);
	unsigned *weights = weighted ? bandwidth_weights_now(b, &b->nodes) :
				       calloc(nr + 1, sizeof(*weights));
	const struct bandwidth_way way = {
		.name = weighted ? "weighted" : "interleave",
		.policy = weighted ? TM_POLICY_WEIGHTED_INTERLEAVE : TM_POLICY_INTERLEAVE,
		.nodes = &b->nodes,
		.weights = weights,
	};
	struct tm_error why = { 0 };
	const char *reason = NULL;
	int rc;

	for (size_t i = 0; i < nr && weights && !weighted; i++)
		weights[i] = 1;
	if (weighted && bandwidth_weighted_here(b, &b->nodes, &why))
		reason = why.text;
	rc = measure_loads(b, initiator, cpus, &way, reason, err);
	free(weights);
	return rc;
}

static int measure_initiator(struct bench *b, long initiator, const struct tm_idset *cpus,
			     struct tm_error *err)
{
	const struct bandwidth_way anywhere = { .name = "default", .policy = TM_POLICY_DEFAULT };
	const struct bandwidth_request *request = b->request;
	int rc = 0;

	if (tm_idset_empty(&b->nodes))
		return measure_loads(b, initiator, cpus, &anywhere, NULL, err);
	for (long target = tm_idset_next(&b->nodes, 0); target >= 0 && !rc;
	     target = tm_idset_next(&b->nodes, target + 1))
		rc = measure_target(b, initiator, cpus, target, err);
	if (!rc && request->interleave)
		rc = measure_set(b, initiator, cpus, false, err);
	if (!rc && request->weighted)
		rc = measure_set(b, initiator, cpus, true, err);
	return rc;
}

/* The loads and stores of one initiator and target. */
static size_t count_loads(const struct bandwidth_request *request)
{
	size_t nr = 0;

	for (size_t i = 0; i < request->nr_loads; i++)
		nr += request->loads[i].writes ? (size_t)request->usual + request->past : 1;
	return nr;
}

static int run(struct bench *b, struct tm_error *err)
{
	const struct bandwidth_request *request = b->request;
	size_t targets = TM_MAX(tm_idset_count(&b->nodes), (size_t)1) + request->interleave +
			 request->weighted;
	size_t initiators = 0;
	int rc = 0;

	if (request->compare)
		return bandwidth_compare(b, err);
	for (size_t i = 0; i < b->machine.nr_nodes; i++)
		initiators += tm_idset_intersects(&b->machine.nodes[i].cpus, &b->cpus);
	bench_expect(b, TM_MAX(initiators, (size_t)1) * targets * count_loads(request));
	for (size_t i = 0; i < b->machine.nr_nodes && !rc; i++) {
		struct tm_idset cpus = TM_IDSET_INIT;
		int node = b->machine.nodes[i].id;

		if (bench_node_cpus(b, node, &cpus))
			rc = tm_error_nomem(err);
		else if (!tm_idset_empty(&cpus))
			rc = measure_initiator(b, node, &cpus, err);
		tm_idset_release(&cpus);
	}
	/* Where nothing tells which node CPUs are of. */
	if (!rc && !initiators)
		rc = measure_initiator(b, -1, &b->cpus, err);
	return rc ? rc : bandwidth_find_nodes(b, err);
}

const struct bench_kind bench_bandwidth_kind = {
	.name = "bandwidth",
	.labels = {
		{ "initiator", "FROM", BENCH_NUMBER, "node whose CPUs read and write" },
		{ "target", "TO", BENCH_TEXT, "nodes of the memory" },
		{ "policy", "POLICY", BENCH_TEXT, "by which memory was placed" },
		{ "scope", "SCOPE", BENCH_TEXT,
		  "process: the policy is of all its memory; regions: only of the arrays" },
		{ "kernel", "KERNEL", BENCH_TEXT, "what was done, or reads:writes" },
		{ "nontemporal", "NT", BENCH_BOOL, "whether stores went past the caches" },
		{ NULL, NULL, BENCH_TEXT, NULL },
	},
	.metrics = {
		{ .key = "bandwidth_mbps", .heading = "MB/s",
		  .help = "bytes that the program read and wrote, in millions a second" },
		{ .key = "threads", .heading = "THREADS", .neither_is_better = true,
		  .help = "that streamed at the same time" },
		{ .key = "array_bytes", .neither_is_better = true,
		  .help = "of each array, all threads together" },
		{ .key = NULL },
	},
};

static const struct benchmark benchmark = {
	.kind = &bench_bandwidth_kind,
	.request_bytes = sizeof(struct bandwidth_request),
	.parse = parse,
	.run = run,
	.show = bandwidth_compare_show,
};

static int run_command(struct app *app)
{
	return bench_run(app, &benchmark);
}

static const struct option options[] = {
	BENCH_OPTIONS,
	{ "kernel", 'k', "LIST", VALUE_WORDS, "what to do to memory, such as read,triad",
	  list_kernels },
	{ "mix", 'm', "LIST", VALUE_TEXT, "so many reads to so many writes, such as 2:1,1:1",
	  NULL },
	{ "nontemporal", 0, "WORD", VALUE_WORD, "stores that go past the caches", list_stores },
	{ "vector", 0, "BITS", VALUE_WORD, "width of the instructions", list_vectors },
	{ "size", 'S', "SIZE", VALUE_TEXT, "of each array, such as 1G", NULL },
	{ "page", 'p', "KIND", VALUE_WORD, "by which pages memory is mapped", bench_page_word },
	{ "interleave", 'i', NULL, VALUE_TEXT, "also memory spread evenly over all the nodes",
	  NULL },
	{ "weighted", 'w', NULL, VALUE_TEXT, "also memory spread by the weights that are set",
	  NULL },
	{ "compare-policies", 'c', NULL, VALUE_TEXT,
	  "compare local, interleaved and weighted memory; sets weights, and puts them back",
	  NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command bench_bandwidth_command = {
	.name = "bandwidth",
	.summary = "measure how fast each memory is read and written",
	.synopsis = "[--kernel LIST] [--mix LIST] [--nontemporal WORD] [--vector BITS] "
		    "[--size AMOUNT] [--page KIND] [--interleave] [--weighted] "
		    "[--compare-policies] [--time SECONDS] [--repeat N] [--threads N] "
		    "[--cpus LIST] [--nodes LIST] [--quick] [--stat] [--save FILE [--force]]",
	.description =
		"Streams through arrays, from the CPUs of each node to the memory of each node, "
		"and "
		"tells how many bytes a second the program read and wrote. Every CPU has a thread "
		"and its own part of the arrays, which are larger than the caches. Afterwards all "
		"of them are checked: a figure is only given for work that was done.\n"
		"\n"
		"Bytes are those of the program. An ordinary store makes the CPU read the line "
		"first, which is not counted, so that `write` shows about half of what the memory "
		"does; a non-temporal store (column NT) does not.\n"
		"\n"
		"--save keeps what each node gave, from which `tiermem weights compute --from "
		"measured:FILE` computes weights. --compare-policies measures what they are worth: "
		"memory near the CPUs, spread evenly, by the weights that are set, and by those "
		"that it computes from what it measured; each as the policy of the whole process "
		"and of the arrays alone, as `tiermem run` and `tiermem run --large` set it.",
	.examples = "tiermem bench bandwidth  # each memory from each node with CPUs\n"
		    "tiermem bench bandwidth --quick --save now.json  # for the next line\n"
		    "tiermem weights compute --from measured:now.json\n"
		    "tiermem bench bandwidth --mix 1:0,2:1,1:1 --nodes 0,2 --interleave\n"
		    "tiermem bench bandwidth --compare-policies --mix 2:1  # what weights gain\n",
	.options = options,
	.globals = BENCH_GLOBALS,
	.run = run_command,
};
