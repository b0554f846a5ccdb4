/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem bench migrate`: what moving pages between nodes costs, here and on other CPUs. */
#include "cmd/bench/migrate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/units.h"

#define MIB (1ULL << 20)
#define BATCH "512" /* what the kernel itself migrates at a time */
#define BATCH_MAX (1 << 20)
#define READERS_MAX 4096
#define ALL_CPUS "all"

/* In the order of enum migrate_figure. */
const struct bench_kind bench_migrate_kind = {
	.name = "migrate",
	.labels = {
		{ "from", "FROM", BENCH_NUMBER, "Node from which a sweep goes." },
		{ "to", "TO", BENCH_NUMBER, "Node to which it goes, and from there back." },
		{ "size_bytes", "SIZE", BENCH_BYTES, "Memory that a sweep moves." },
		{ "batch", "BATCH", BENCH_NUMBER, "Pages of one call of move_pages(2)." },
		{ "mapping", "MAPPING", BENCH_TEXT, "read-only or written." },
		{ "mover_cpu", "MOVER", BENCH_NUMBER, "CPU of the thread that moves." },
		{ "readers", "READERS", BENCH_NUMBER, "Threads that read the memory meanwhile." },
		{ "reader_cpus", "ON", BENCH_TEXT, "Their CPUs." },
	},
	.metrics = {
		[MIGRATE_PAGES_PER_SECOND] = { .key = "pages_per_second", .heading = "PAGES/s",
					       .help = "Pages moved a second." },
		[MIGRATE_MOVED] = { .key = "moved_pages", .heading = "MOVED",
				    .neither_is_better = true,
				    .help = "Pages that a repeat moved." },
		[MIGRATE_FAILED] = { .key = "failed_pages", .heading = "FAILED",
				     .lower_is_better = true,
				     .help = "Pages that were not on their node after a sweep." },
		[MIGRATE_RETRIED] = { .key = "retried_pages", .heading = "RETRIED",
			.detail = true,
				      .lower_is_better = true,
				      .help = "Pages that were tried again, as the kernel had them "
					      "in use." },
		[MIGRATE_SHOOTDOWNS] = { .key = "shootdowns_per_page", .heading = "SHOOTDOWNS",
					 .lower_is_better = true, .decimals = 3,
					 .help = "Interrupts of the row TLB, on all CPUs, for each "
						 "page moved." },
		[MIGRATE_IPIS] = { .key = "ipis_per_page", .heading = "IPIS",
				   .lower_is_better = true, .decimals = 3,
				   .help = "Interrupts of the row CAL, in which shootdowns count "
					   "too, for each page moved." },
		[MIGRATE_FLUSHES_ALL] = { .key = "flushes_all_per_page", .heading = "ALL",
					  .lower_is_better = true, .decimals = 3,
					  .help = "Flushes of a whole TLB for each page moved." },
		[MIGRATE_FLUSHES_RANGE] = { .key = "flushes_range_per_page", .heading = "RANGE",
			.detail = true,
					    .lower_is_better = true, .decimals = 3,
					    .help = "Flushes of several pages for each page "
						    "moved." },
		[MIGRATE_FLUSHES_ONE] = { .key = "flushes_one_per_page", .heading = "ONE",
					  .lower_is_better = true, .decimals = 3,
					  .help = "Flushes of one page for each page moved." },
		[MIGRATE_DEFERRED] = { .key = "deferred_per_page", .heading = "DEFERRED",
				       .decimals = 3,
				       .help = "Pages whose flush was put off, for each page "
					       "moved." },
		[MIGRATE_FORCED] = { .key = "forced_per_page", .heading = "FORCED",
				     .lower_is_better = true, .decimals = 3,
				     .help = "Flushes of all that was put off, for each page "
					     "moved." },
		[MIGRATE_READS] = { .key = "reads_per_second", .heading = "READS/s",
			.detail = true,
				    .help = "Pages that all readers looked at in a second." },
	},
};

static int parse_batch(struct bench *b, const char *text, struct tm_error *err)
{
	struct migrate_request *r = b->request;
	uint64_t batch;

	if (tm_parse_u64(text, &batch) || !batch || batch > BATCH_MAX)
		return tm_error_set(err, EINVAL, "--batch: '%.100s' is not from 1 to %d", text,
				    BATCH_MAX);
	if (r->nr_batches == MIGRATE_BATCHES)
		return tm_error_set(err, EINVAL, "--batch: more than %d of them", MIGRATE_BATCHES);
	r->batches[r->nr_batches++] = batch;
	return 0;
}

/* "1,512" */
static int parse_batches(struct bench *b, struct tm_error *err)
{
	const char *given = app_option(b->app, "batch");
	char *list = strdup(given ? given : BATCH), *rest = list, *word;
	int rc = 0;

	if (!list)
		return tm_error_nomem(err);
	while (!rc && (word = strsep(&rest, ",")))
		rc = parse_batch(b, word, err);
	free(list);
	return rc;
}

static int choose_pair(struct bench *b, const struct tm_idset *nodes, struct tm_error *err)
{
	struct migrate_request *r = b->request;

	r->from = (int)tm_idset_next(nodes, 0);
	r->to = (int)tm_idset_next(nodes, r->from + 1);
	if (r->from >= 0 && r->to >= 0)
		return 0;
	tm_error_set(err, ENOTSUP,
		     "pages migrate between nodes with memory, and there is only one");
	tm_error_hint(err, "to try it, numa=fake=2 on the kernel's command line makes two of one");
	return -ENOTSUP;
}

/* The first node of the tier that may be used, or -1. */
static int node_of_tier(const struct bench *b, const struct tm_tier *tier)
{
	tm_idset_for_each(id, &tier->nodes)
		if (tm_idset_has(&b->nodes, id))
			return (int)id;
	return -1;
}

/* From the fastest tier with memory to the next one; where there are no two, between two nodes. */
static int choose_nodes(struct bench *b, struct tm_error *err)
{
	struct migrate_request *r = b->request;
	const struct tm_machine *m = &b->machine;

	if (b->nodes_given && tm_idset_count(&b->nodes) != 2) {
		tm_error_set(err, EINVAL, "--nodes: '%.100s' are not two nodes",
			     app_option(b->app, "nodes"));
		tm_error_hint(err, "such as 0,1: pages go from the one to the other and back");
		return -EINVAL;
	}
	r->from = r->to = -1;
	for (size_t i = 0; !b->nodes_given && i < m->nr_tiers && r->to < 0; i++) {
		int node = node_of_tier(b, &m->tiers[i]);

		if (r->from < 0)
			r->from = node;
		else
			r->to = node;
	}
	return r->to < 0 ? choose_pair(b, &b->nodes, err) : 0;
}

/* A CPU of the node from which pages go, where it has one. */
static int choose_mover(struct bench *b, struct tm_error *err)
{
	struct migrate_request *r = b->request;
	struct tm_idset near = TM_IDSET_INIT;

	if (bench_node_cpus(b, r->from, &near))
		return tm_error_nomem(err);
	r->mover_cpu = (int)tm_idset_next(tm_idset_empty(&near) ? &b->cpus : &near, 0);
	tm_idset_release(&near);
	return 0;
}

static int parse_reader_cpus(struct bench *b, const char *list, struct tm_error *err)
{
	const struct tm_idset *allowed = b->cpus_given ? &b->machine.online_cpus : &b->cpus;
	struct migrate_request *r = b->request;
	int rc = !strcmp(list, ALL_CPUS) ? tm_idset_copy(&r->reader_cpus, allowed) :
					   tm_idset_parse_list(&r->reader_cpus, list);

	if (rc == -ENOMEM)
		return tm_error_nomem(err);
	if (rc || tm_idset_empty(&r->reader_cpus))
		return tm_error_set(err, EINVAL,
				    "--reader-cpus: '%.100s' is neither a list such as "
				    "0-3,8 nor " ALL_CPUS,
				    list);
	tm_idset_for_each(id, &r->reader_cpus)
		if (!tm_idset_has(allowed, id))
			return tm_error_set(err, EINVAL,
					    "--reader-cpus: %ld is no CPU that this "
					    "process may use",
					    id);
	return 0;
}

/* What is wrong with the options is told before what is wrong with the machine. */
static int parse_readers(struct bench *b, struct tm_error *err)
{
	const char *list = app_option(b->app, "reader-cpus");
	struct migrate_request *r = b->request;
	uint64_t readers;
	int rc = list ? parse_reader_cpus(b, list, err) : 0;

	if (!rc)
		rc = bench_parse_number(b, "readers", tm_idset_count(&r->reader_cpus), 0,
					READERS_MAX, &readers, err);
	if (!rc)
		r->readers = (unsigned)readers;
	return rc;
}

/* One on every CPU but the mover's. */
static int choose_readers(struct bench *b, struct tm_error *err)
{
	struct migrate_request *r = b->request;
	int rc = 0;

	if (!app_option(b->app, "reader-cpus")) {
		rc = tm_idset_copy(&r->reader_cpus, &b->cpus);
		tm_idset_remove(&r->reader_cpus, r->mover_cpu);
		if (!app_option(b->app, "readers"))
			r->readers = (unsigned)tm_idset_count(&r->reader_cpus);
	}
	/* More than one CPU is asked for where there is only one. */
	if (!rc && r->readers && tm_idset_empty(&r->reader_cpus))
		rc = tm_idset_add(&r->reader_cpus, r->mover_cpu);
	/* A reader on the mover's CPU only has what the mover leaves. */
	b->threads = r->readers;
	if (!r->readers || !tm_idset_has(&r->reader_cpus, r->mover_cpu))
		b->threads++;
	return rc ? tm_error_nomem(err) : 0;
}

static int parse(struct bench *b, struct tm_error *err)
{
	struct migrate_request *r = b->request;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int rc;

	r->written = !bench_choose_word(b, "mapping", bench_mapping_word, 0);
	if (b->threads_given) {
		tm_error_set(err, EINVAL, "--threads: one thread moves the pages");
		tm_error_hint(err, "--readers says how many others read them");
		return -EINVAL;
	}
	rc = parse_batches(b, err);
	if (!rc)
		rc = bench_parse_size(b, "size", 64 * MIB, 16 * MIB, page, &r->size, err);
	if (!rc)
		rc = parse_readers(b, err);
	if (!rc)
		rc = choose_nodes(b, err);
	if (!rc)
		rc = choose_mover(b, err);
	if (!rc)
		rc = choose_readers(b, err);
	r->size = (r->size + page - 1) / page * page;
	if (!rc)
		rc = bench_check_room(b, r->from, r->size, err);
	return rc ? rc : bench_check_room(b, r->to, r->size, err);
}

static int add_labels(struct bench *b, struct bench_case *c, uint64_t batch)
{
	const struct migrate_request *r = b->request;
	TM_CLEANUP(tm_freep) char *cpus = tm_idset_format(&r->reader_cpus);
	struct bench_result *result = &b->result;

	if (!cpus || bench_case_number(result, c, "from", (uint64_t)r->from) ||
	    bench_case_number(result, c, "to", (uint64_t)r->to) ||
	    bench_case_number(result, c, "size_bytes", r->size) ||
	    bench_case_number(result, c, "batch", batch) ||
	    bench_case_text(result, c, "mapping", bench_mapping_word(!r->written, NULL)) ||
	    bench_case_number(result, c, "mover_cpu", (uint64_t)r->mover_cpu) ||
	    bench_case_number(result, c, "readers", r->readers))
		return -ENOMEM;
	return r->readers ? bench_case_text(result, c, "reader_cpus", cpus) : 0;
}

/* Why few shootdowns may be no good news. */
static int add_notes(struct bench *b, struct bench_case *c)
{
	const struct migrate_request *r = b->request;
	const char *blind = stat_explain_blind(&b->result.machine.machine);
	int rc = 0;

	if (!r->readers && !app_option(b->app, "readers"))
		rc = bench_case_note(c, "readers: none, as there is no other CPU to read on");
	if (!rc && blind)
		rc = bench_case_note(c, "shootdowns: %s", blind);
	return rc;
}

static int run_all(struct bench *b, struct tm_error *err)
{
	const struct migrate_request *r = b->request;
	int rc = 0;

	bench_expect(b, r->nr_batches);
	for (size_t i = 0; i < r->nr_batches && !rc; i++) {
		struct bench_case *c = bench_result_case(&b->result);

		if (!c || add_labels(b, c, r->batches[i]) || add_notes(b, c))
			return tm_error_nomem(err);
		rc = migrate_measure(b, c, r->batches[i], err);
	}
	return rc;
}

static void release(struct bench *b)
{
	struct migrate_request *r = b->request;

	tm_idset_release(&r->reader_cpus);
}

static const struct benchmark benchmark = {
	.kind = &bench_migrate_kind,
	.request_bytes = sizeof(struct migrate_request),
	.parse = parse,
	.run = run_all,
	.release = release,
	.counters = true,
};

static int run(struct app *app)
{
	return bench_run(app, &benchmark);
}

static const struct option options[] = {
	BENCH_OPTIONS,
	{ "size", 'S', "SIZE", VALUE_TEXT, "memory to move in a sweep, such as 64M", NULL },
	{ "batch", 'b', "LIST", VALUE_TEXT, "pages of one call, such as 1,512 for both", NULL },
	{ "mapping", 'm', "KIND", VALUE_WORD, "may the pages be written to?", bench_mapping_word },
	{ "readers", 'R', "N", VALUE_NUMBER, "threads that read the memory meanwhile", NULL },
	{ "reader-cpus", 0, "LIST", VALUE_TEXT, "they run on these CPUs, such as 1-3, or on all",
	  NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command bench_migrate_command = {
	.name = "migrate",
	.summary = "measure the migration of pages between nodes",
	.synopsis = "[--nodes A,B] [--size SIZE] [--batch LIST] [--mapping KIND] [--readers N] "
		    "[--reader-cpus LIST] [OPTION...]",
	.description =
		"Moves memory with move_pages(2) from one node to another and back, from the "
		"fastest tier to the next one unless --nodes names two. Every page goes once in a "
		"sweep; then all go back. Meanwhile other threads of the process read the memory, "
		"so that their CPUs have its translations, which migration must flush: what that "
		"costs them is told as shootdowns, interrupts and flushes for each page.\n"
		"\n"
		"Pages of one call are flushed together: --batch 1,512 compares one by one with "
		"many at a time. A read-only mapping and a written one differ in what the kernel "
		"may put off.\n"
		"\n"
		"Every byte is compared with what was written, and every page is looked for, after "
		"each repeat. The readers look too.",
	.examples = "tiermem bench migrate  # between the first two tiers\n"
		    "tiermem bench migrate --nodes 0,2 --batch 1,64,512\n"
		    "tiermem bench migrate --mapping read-only --readers 16\n"
		    "tiermem bench migrate --cpus 0 --reader-cpus 8-15  # on another socket\n"
		    "tiermem bench migrate --batch 1 --mapping read-only --reader-cpus all\n",
	.options = options,
	.globals = BENCH_GLOBALS,
	.run = run,
};
