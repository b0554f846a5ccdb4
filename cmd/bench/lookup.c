/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem bench lookup`: random look-ups in large tables, as particle transport makes them. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cmd/bench/bench.h"
#include "lib/base/units.h"
#include "lib/bench/lookup.h"
#include "lib/bench/team.h"

#define MIB (1ULL << 20)
#define SIZE (1024 * MIB)
#define QUICK_SIZE (128 * MIB)
#define NUCLIDES 64
#define SEED 7

enum metric { PER_SECOND, LOOKUPS, CHECKSUM };

/* What is asked for, and then what the child has. */
struct lookup_request {
	const struct tm_numa *numa;
	uint64_t nuclides, points, bytes;
	uint64_t lookups; /* of all threads together; 0: until the time is over */
	uint64_t time_ns;
	unsigned threads;
	const struct tm_idset *cpus, *nodes; /* nodes: NULL for any */
	enum tm_policy policy;
	enum tm_bench_page page;
	bool written;
	/* The child's. */
	struct tm_bench_memory memory;
	struct tm_bench_grid grid;
	struct tm_bench_team team;
	struct tm_bench_lookups *lookup; /* of each thread */
	struct tm_error *err;
};

/* ---- what is asked for */

static const struct {
	const char *name, *help;
	enum tm_policy policy;
} policies[] = {
	{ "none", "what this process is under, as from tiermem run", TM_POLICY_DEFAULT },
	{ "bind", "on the nearest of the nodes that has room", TM_POLICY_BIND },
	{ "interleave", "on all nodes alike", TM_POLICY_INTERLEAVE },
	{ "weighted-interleave", "on all nodes by their weights", TM_POLICY_WEIGHTED_INTERLEAVE },
};

static const char *list_policies(size_t i, const char **help)
{
	if (i >= TM_ARRAY_SIZE(policies))
		return NULL;
	if (help)
		*help = policies[i].help;
	return policies[i].name;
}

static int choose_policy(const struct bench *b, struct lookup_request *request,
			 struct tm_error *err)
{
	unsigned chosen = bench_choose_word(b, "policy", list_policies, b->nodes_given ? 1 : 0);
	int rc;

	request->policy = policies[chosen].policy;
	if (request->policy == TM_POLICY_DEFAULT)
		return b->nodes_given ?
			       tm_error_set(err, EINVAL, "--policy: 'none' asks for no nodes") :
			       0;
	request->nodes = &b->nodes;
	rc = tm_numa_try_policy(&b->numa, request->policy, &b->nodes);
	if (rc == -EINVAL || rc == -ENOSYS)
		return tm_error_set(err, ENOTSUP, "--policy: this kernel has no '%s' here",
				    policies[chosen].name);
	return rc ? tm_error_errno(err, -rc, "--policy: %s", policies[chosen].name) : 0;
}

static uint64_t free_bytes(const struct bench *b)
{
	uint64_t sum = 0;

	tm_idset_for_each(id, &b->nodes) {
		const struct tm_node *node = tm_machine_node(&b->machine, id);

		if (!node || !tm_num_is(&node->memory_free))
			return UINT64_MAX;
		sum += node->memory_free.value;
	}
	return sum ? sum : UINT64_MAX;
}

static int choose_grid(const struct bench *b, struct lookup_request *request, struct tm_error *err)
{
	uint64_t room = free_bytes(b), usual = SIZE, size;
	char bytes[TM_UNITS_MAX], there[TM_UNITS_MAX];
	int rc = bench_parse_number(b, "nuclides", NUCLIDES, 1, TM_BENCH_NUCLIDES_MAX,
				    &request->nuclides, err);

	while (usual > MIB && usual > room / 2)
		usual /= 2;
	if (!rc)
		rc = bench_parse_size(b, "size", usual, TM_MIN(usual, QUICK_SIZE), 65536, &size,
				      err);
	if (rc)
		return rc;
	request->points = tm_bench_grid_points((unsigned)request->nuclides, size);
	rc = bench_parse_number(b, "grid-points", request->points, 2,
				UINT32_MAX / request->nuclides, &request->points, err);
	if (rc)
		return rc;
	request->bytes = tm_bench_grid_bytes((unsigned)request->nuclides, request->points);
	if (request->points < 2)
		return tm_error_set(err, EINVAL,
				    "--size: %s hold no tables of %" PRIu64 " nuclides",
				    tm_format_bytes(bytes, size), request->nuclides);
	if (request->bytes > room) {
		tm_error_set(err, ENOTSUP, "there are %s of free memory, and %s are needed",
			     tm_format_bytes(there, room), tm_format_bytes(bytes, request->bytes));
		tm_error_hint(err, "give a smaller --size, or --quick");
		return -ENOTSUP;
	}
	return 0;
}

static int parse(struct bench *b, struct tm_error *err)
{
	struct lookup_request *request = b->request;
	int rc;

	if (app_option(b->app, "size") && app_option(b->app, "grid-points"))
		return tm_error_set(err, EINVAL, "--grid-points: not together with --size");
	if (app_option(b->app, "lookups") && app_option(b->app, "time"))
		return tm_error_set(err, EINVAL, "--time: not together with --lookups");
	rc = choose_policy(b, request, err);
	if (!rc)
		rc = choose_grid(b, request, err);
	if (!rc)
		rc = bench_parse_number(b, "lookups", 0, 1, UINT32_MAX * 1024ULL, &request->lookups,
					err);
	request->page = (enum tm_bench_page)bench_choose_word(b, "page", bench_page_word,
							      TM_BENCH_PAGE_USUAL);
	request->written = !bench_choose_word(b, "mapping", bench_mapping_word, 0);
	request->numa = &b->numa;
	request->time_ns = b->time_ns;
	request->threads = b->threads;
	request->cpus = &b->cpus;
	return rc;
}

/* ---- in the child */

/* By the first thread alone: where the policy says nothing the memory is near its CPU. */
static void build(struct tm_bench_thread *thread)
{
	struct lookup_request *request = thread->context;

	tm_bench_lookups_seed(&request->lookup[thread->index], SEED, thread->index);
	if (thread->index == 0)
		thread->error = tm_bench_grid_build(&request->grid, request->memory.address,
						    (unsigned)request->nuclides, request->points,
						    SEED, request->err);
}

/* This thread's part of so many look-ups. */
static uint64_t share(const struct lookup_request *request, unsigned index)
{
	return request->lookups / request->threads + (index < request->lookups % request->threads);
}

static void look_up(struct tm_bench_thread *thread)
{
	struct lookup_request *request = thread->context;
	struct tm_bench_lookups *lookup = &request->lookup[thread->index];
	uint64_t rest = request->lookups ? share(request, thread->index) : UINT64_MAX;

	tm_bench_lookups_begin(lookup);
	while (rest && !tm_bench_over(thread)) {
		unsigned nr = (unsigned)TM_MIN(rest, (uint64_t)TM_BENCH_BATCH);

		tm_bench_lookups_batch(lookup, &request->grid, nr);
		rest -= nr;
	}
	thread->amount = lookup->count;
}

static void check(struct tm_bench_thread *thread)
{
	const struct lookup_request *request = thread->context;

	thread->error =
		tm_bench_lookups_check(&request->lookup[thread->index], &request->grid, NULL);
}

static int prepare(void *context, struct bench_slot *slot, struct tm_error *err)
{
	struct lookup_request *request = context;
	const struct tm_bench_want want = {
		.bytes = request->bytes,
		.policy = request->policy,
		.nodes = request->nodes,
		.page = request->page,
	};
	struct tm_bench_outcome outcome;
	int rc;

	(void)slot;
	request->err = err;
	if (request->page == TM_BENCH_PAGE_THP && !tm_bench_pmd_bytes())
		return tm_error_set(err, ENOTSUP, "this kernel has no transparent huge pages");
	request->lookup = aligned_alloc(_Alignof(struct tm_bench_lookups),
					request->threads * sizeof(*request->lookup));
	if (!request->lookup)
		return tm_error_nomem(err);
	rc = tm_bench_memory_map(&request->memory, &want, request->numa, err);
	if (!rc)
		rc = tm_bench_team_start(&request->team, request->threads, request->cpus, request,
					 err);
	if (!rc)
		rc = tm_bench_team_run(&request->team, build, 0, &outcome);
	if (!rc && !request->written &&
	    mprotect(request->memory.address, request->memory.bytes, PROT_READ))
		rc = tm_error_errno(err, errno, "mprotect");
	return rc;
}

/* It fits into a double, and tells other work apart from the same. */
static double checksum(const struct lookup_request *request)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < request->threads; i++)
		sum += request->lookup[i].checksum;
	return (double)(sum >> 32 ^ (sum & UINT32_MAX));
}

/* Each repeat is of other look-ups, but the same ones whenever it is run. */
static int measure(void *context, struct bench_slot *slot, struct tm_error *err)
{
	struct lookup_request *request = context;
	struct tm_bench_outcome outcome, checked;
	int rc = tm_bench_team_run(&request->team, look_up, request->lookups ? 0 : request->time_ns,
				   &outcome);

	if (!rc)
		rc = tm_bench_team_run(&request->team, check, 0, &checked);
	if (rc)
		return tm_error_set(err, -rc, "look-ups did not come to what they must come to");
	slot->values[PER_SECOND] = outcome.per_second;
	slot->values[LOOKUPS] = (double)outcome.amount;
	slot->values[CHECKSUM] = request->lookups ? checksum(request) : NAN;
	slot->on_cpu = outcome.on_cpu;
	rc = tm_bench_memory_look(&request->memory, request->numa, &slot->place, err);
	/* A kernel without NUMA has no other place for it. */
	slot->has_place = !rc;
	return rc == -EOPNOTSUPP ? 0 : rc;
}

/* ---- the case */

static int label(struct bench *b, struct bench_case *c, const struct lookup_request *request)
{
	const struct bench_result *result = &b->result;
	TM_CLEANUP(tm_freep) char *nodes = NULL;
	const char *policy = "none";
	int rc = 0;

	for (size_t i = 0; i < TM_ARRAY_SIZE(policies); i++)
		if (policies[i].policy == request->policy)
			policy = policies[i].name;
	if (request->nodes) {
		nodes = tm_idset_format(request->nodes);
		rc = nodes ? bench_case_text(result, c, "nodes", nodes) : -ENOMEM;
	}
	if (!rc)
		rc = bench_case_text(result, c, "policy", policy);
	if (!rc)
		rc = bench_case_text(result, c, "page", tm_bench_page_name(request->page));
	if (!rc)
		rc = bench_case_text(result, c, "mapping",
				     bench_mapping_word(!request->written, NULL));
	if (!rc)
		rc = bench_case_number(result, c, "threads", request->threads);
	if (!rc)
		rc = bench_case_number(result, c, "nuclides", request->nuclides);
	if (!rc)
		rc = bench_case_number(result, c, "grid_points", request->points);
	return rc ? rc : bench_case_number(result, c, "grid_bytes", request->bytes);
}

static int run(struct bench *b, struct tm_error *err)
{
	struct lookup_request *request = b->request;
	struct bench_case *c = bench_result_case(&b->result);
	const struct bench_work work = {
		.context = request,
		.prepare = prepare,
		.measure = measure,
		.nodes = request->nodes,
		.page = request->page,
	};

	if (!c || label(b, c, request))
		return tm_error_nomem(err);
	bench_expect(b, 1);
	return bench_measure(b, c, &work, err);
}

/* ---- tables */

const struct bench_kind bench_lookup_kind = {
	.name = "lookup",
	.labels = {
		{ "policy", "POLICY", BENCH_TEXT, "Memory policy of the tables." },
		{ "nodes", "NODES", BENCH_TEXT, "Nodes of that policy." },
		{ "page", "PAGE", BENCH_TEXT, "Pages that were asked for." },
		{ "mapping", "MAPPING", BENCH_TEXT, "read-only or written." },
		{ "threads", "THREADS", BENCH_NUMBER, "Threads that look up." },
		{ "nuclides", "NUCLIDES", BENCH_NUMBER, "Tables." },
		{ "grid_points", "POINTS", BENCH_NUMBER, "Entries of each table." },
		{ "grid_bytes", "GRID", BENCH_BYTES, "Memory of all tables and the union." },
		{ NULL, NULL, BENCH_NUMBER, NULL },
	},
	.metrics = {
		[PER_SECOND] = { .key = "lookups_per_second",
				 .heading = "LOOKUPS/s",
				 .help = "Look-ups of all threads in a second." },
		[LOOKUPS] = { .key = "lookups",
			      .heading = "LOOKUPS",
			      .neither_is_better = true,
			      .help = "Look-ups of all threads in a repeat." },
		[CHECKSUM] = { .key = "checksum",
			       .neither_is_better = true,
			       .help = "Of the places that were looked up: with --lookups, the "
				       "same wherever number, threads and grid are." },
	},
};

static const struct benchmark benchmark = {
	.kind = &bench_lookup_kind,
	.request_bytes = sizeof(struct lookup_request),
	.parse = parse,
	.run = run,
	/* A repeat's first look-ups find nothing in caches, and are to be few of all. */
	.time_ns = 2000000000,
	.quick_time_ns = 200000000,
};

static int run_command(struct app *app)
{
	return bench_run(app, &benchmark);
}

static const struct option options[] = {
	BENCH_OPTIONS,
	{ "size", 'S', "SIZE", VALUE_TEXT, "memory of the whole grid (1G)", NULL },
	{ "grid-points", 'g', "N", VALUE_NUMBER, "entries of each nuclide's table, instead", NULL },
	{ "nuclides", 'n', "N", VALUE_NUMBER, "nuclides (64)", NULL },
	{ "lookups", 'l', "N", VALUE_NUMBER, "look-ups of each repeat, instead of a time", NULL },
	{ "policy", 'P', "POLICY", VALUE_WORD, "memory policy (bind with --nodes, else none)",
	  list_policies },
	{ "page", 'p', "PAGE", VALUE_WORD, "which pages the grid has (usual)", bench_page_word },
	{ "mapping", 'm', "KIND", VALUE_WORD, "may the grid be written to, once it is made?",
	  bench_mapping_word },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command bench_lookup_command = {
	.name = "lookup",
	.summary = "random look-ups in large tables",
	.synopsis = "[--size SIZE | --grid-points N] [--nuclides N] [--lookups N] "
		    "[--policy POLICY] [--page PAGE] [--mapping KIND] [OPTION]...",
	.description =
		"Looks up cross-sections as Monte Carlo particle transport does. Each look-up is "
		"of a random energy in a random material: a binary search in the energies of all "
		"nuclides, and then, for each nuclide of the material, two neighbouring entries of "
		"its table, between which five values are interpolated. It is an application that "
		"waits for memory, but with several loads under way at a time, and is slowed by "
		"every TLB flush: between latency and bandwidth.\n"
		"\n"
		"The grid is placed by --policy on --nodes. Without them it is placed by whatever "
		"policy tiermem is under, so that tiermem run decides. Of each repeat some "
		"look-ups are done again in a slower way, and must come to the same; as must the "
		"number of random numbers that were drawn.",
	.examples = "tiermem bench lookup  # each CPU one thread, 1 GiB\n"
		    "tiermem bench lookup -N 0,2 -P weighted-interleave -S 20G\n"
		    "tiermem run --bind --nodes 2 -- tiermem bench lookup -S 20G\n"
		    "tiermem bench lookup --lookups 1000000 -s  # and what that flushes\n",
	.group = "Measure",
	.options = options,
	.globals = BENCH_GLOBALS,
	.run = run_command,
};
