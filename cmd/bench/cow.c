/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem bench cow`: threads of a process write to pages that it shares, which are copied. */
#include "lib/bench/cow.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/bench/fault.h"

#define USUAL (256ULL << 20)
#define QUICK (32ULL << 20)

/* Threads that fault at the same time do it twice now and then; above this it has other reasons. */
#define TOLERANCE 0.05

enum {
	PAGES_PER_SECOND,
	PER_THREAD,
	COPIED,
	USER,
	SYSTEM,
	FAULTS_PER_PAGE,
	SHOOTDOWNS_PER_PAGE,
	FAULTS,
	PAGES,
	PASSES,
};

const struct bench_kind bench_cow_kind = {
	.name = "cow",
	.labels = {
		{ "memory", "MEMORY", BENCH_TEXT, "How the pages are shared: fork or private." },
		{ "threads", "THREADS", BENCH_NUMBER, "Threads that write at the same time." },
		{ "size_bytes", "SIZE", BENCH_BYTES, "The memory that is copied in a pass." },
		{ NULL, NULL, BENCH_TEXT, NULL },
	},
	.metrics = {
		[PAGES_PER_SECOND] = { .key = "pages_per_second", .heading = "PAGES/s",
			.help = "Pages copied in a second, by all threads." },
		[PER_THREAD] = { .key = "pages_per_second_per_thread", .heading = "PAGES/s/THREAD",
			.detail = true,
			.help = "The same of each thread." },
		[COPIED] = { .key = "copied_mbps", .heading = "MB/s",
			.help = "Bytes copied in a second, by all threads." },
		[USER] = { .key = "user_s", .heading = "USER s", .lower_is_better = true,
			.decimals = 3, .help = "User time of all threads for one pass." },
		[SYSTEM] = { .key = "system_s", .heading = "SYSTEM s", .lower_is_better = true,
			.decimals = 3, .help = "System time of all threads for one pass." },
		[FAULTS_PER_PAGE] = { .key = "faults_per_page", .heading = "FAULTS/PAGE",
			.neither_is_better = true, .decimals = 3,
			.help = "Faults that the kernel counted, for each page that was written "
				"to: 1, or something else was going on." },
		[SHOOTDOWNS_PER_PAGE] = { .key = "shootdowns_per_page",
			.heading = "SHOOTDOWNS/PAGE", .lower_is_better = true, .decimals = 3,
			.help = "TLB shootdowns that CPUs received, of the whole machine, for each "
				"page; only with --stat, and where the machine counts them." },
		[FAULTS] = { .key = "faults", .neither_is_better = true,
			.help = "Faults that the kernel counted in one pass." },
		[PAGES] = { .key = "pages", .neither_is_better = true,
			.help = "Pages that were written to in one pass." },
		[PASSES] = { .key = "passes", .neither_is_better = true,
			.help = "How often pages were shared, written to and looked at." },
	},
};

struct cow_request {
	bool memory[TM_BENCH_COW_KINDS];
	uint64_t bytes;
};

/* One case, as the child has it. */
struct cow_case {
	struct bench *b;
	struct tm_bench_cow_want want;
	struct tm_bench_cow cow;
};

static int one_pass(void *context, struct tm_bench_faults *sum, struct tm_error *err)
{
	struct cow_case *c = context;

	return tm_bench_cow_pass(&c->cow, sum, err);
}

static int prepare(void *context, struct bench_slot *slot, struct tm_error *err)
{
	struct tm_bench_faults warm = { .passes = 0 };
	struct cow_case *c = context;
	/* The pages, and their copies. */
	int rc = faults_place(c->b, 2 * (uint64_t)c->want.bytes, err);

	(void)slot;
	if (!rc)
		rc = tm_bench_cow_start(&c->cow, &c->want, err);
	return rc ? rc : tm_bench_cow_pass(&c->cow, &warm, err);
}

static int look(struct cow_case *c, struct bench_slot *slot, struct tm_error *err)
{
	const struct tm_bench_memory memory = {
		.address = c->cow.start,
		.bytes = c->cow.pages * c->cow.page,
		.want = { .nodes = c->b->nodes_given ? &c->b->nodes : NULL },
	};
	int rc = tm_bench_memory_look(&memory, &c->b->numa, &slot->place, err);

	slot->has_place = !rc;
	/* A kernel without NUMA has but one place. */
	return rc == -EOPNOTSUPP ? 0 : rc;
}

static int measure(void *context, struct bench_slot *slot, struct tm_error *err)
{
	struct cow_case *c = context;
	double *values = slot->values;
	struct tm_bench_faults sum;
	int rc = faults_repeat(c->b, one_pass, c, &sum, err);

	if (rc)
		return rc;
	values[PAGES_PER_SECOND] = 1e9 * faults_ratio(sum.pages, sum.elapsed_ns);
	values[PER_THREAD] = values[PAGES_PER_SECOND] / c->want.threads;
	values[COPIED] = values[PAGES_PER_SECOND] * (double)c->cow.page / 1e6;
	values[USER] = 1e-9 * faults_ratio(sum.user_ns, sum.passes);
	values[SYSTEM] = 1e-9 * faults_ratio(sum.system_ns, sum.passes);
	values[FAULTS_PER_PAGE] = faults_ratio(sum.faults, sum.pages);
	values[FAULTS] = faults_ratio(sum.faults, sum.passes);
	values[PAGES] = faults_ratio(sum.pages, sum.passes);
	values[PASSES] = sum.passes;
	if (fabs(values[FAULTS_PER_PAGE] - 1) > TOLERANCE)
		snprintf(slot->note, sizeof(slot->note),
			 "faults: there were %.2f for each page that was written to, and not one",
			 values[FAULTS_PER_PAGE]);
	slot->extra[0] = sum.pages;
	slot->on_cpu = sum.on_cpu;
	return look(c, slot, err);
}

static void derive(void *context, struct bench_slot *slot, const struct stat_record *counters)
{
	const struct stat_key key = { .group = STAT_INTERRUPTS,
				      .scope = STAT_SYSTEM,
				      .name = tm_irq_name(TM_IRQ_TLB),
				      .cpu = -1,
				      .node = -1 };
	const struct stat_counter *shootdowns;

	(void)context;
	if (!counters->nr_runs)
		return;
	shootdowns = stat_record_find(counters, &key);
	if (shootdowns && shootdowns->values[counters->nr_runs - 1].known)
		slot->values[SHOOTDOWNS_PER_PAGE] = faults_ratio(
			shootdowns->values[counters->nr_runs - 1].value, slot->extra[0]);
}

static int run_case(struct bench *b, enum tm_bench_cow_kind memory, unsigned threads,
		    struct tm_error *err)
{
	const struct cow_request *request = b->request;
	struct cow_case one = {
		.b = b,
		.want = { .kind = memory,
			  .bytes = request->bytes,
			  .threads = threads,
			  .cpus = &b->cpus },
	};
	const struct bench_work work = {
		.context = &one,
		.prepare = prepare,
		.measure = measure,
		.derive = derive,
		.nodes = b->nodes_given ? &b->nodes : NULL,
		.page = TM_BENCH_PAGE_BASE,
		.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
	};
	struct bench_case *c = bench_result_case(&b->result);
	int rc = c ? 0 : -ENOMEM;

	if (!rc)
		rc = bench_case_text(&b->result, c, "memory", tm_bench_cow_kind_name(memory));
	if (!rc)
		rc = bench_case_number(&b->result, c, "threads", threads);
	if (!rc)
		rc = bench_case_number(&b->result, c, "size_bytes", request->bytes);
	return rc ? tm_error_nomem(err) : bench_measure(b, c, &work, err);
}

static int run(struct bench *b, struct tm_error *err)
{
	const struct cow_request *request = b->request;
	unsigned threads[2];
	size_t nr = faults_threads(b, threads);
	int rc = 0;

	bench_expect(b, nr * ((size_t)request->memory[0] + request->memory[1]));
	for (int i = 0; i < TM_BENCH_COW_KINDS; i++)
		for (size_t k = 0; k < nr && request->memory[i] && !rc; k++)
			rc = run_case(b, (enum tm_bench_cow_kind)i, threads[k], err);
	return rc;
}

static int parse(struct bench *b, struct tm_error *err)
{
	struct cow_request *request = b->request;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	bool any = false;
	int rc;

	for (unsigned i = 0; i < TM_BENCH_COW_KINDS; i++) {
		request->memory[i] = app_option(b->app, tm_bench_cow_kind_name(i)) != NULL;
		any |= request->memory[i];
	}
	request->memory[TM_BENCH_COW_FORK] |= !any;
	rc = bench_parse_size(b, "size", USUAL, QUICK, 1 << 16, &request->bytes, err);
	request->bytes = (request->bytes + page - 1) / page * page;
	return rc;
}

static int run_command(struct app *app)
{
	static const struct benchmark benchmark = {
		.kind = &bench_cow_kind,
		.request_bytes = sizeof(struct cow_request),
		.parse = parse,
		.run = run,
	};

	return bench_run(app, &benchmark);
}

static const struct option options[] = {
	BENCH_OPTIONS,
	{ "size", 'S', "SIZE", VALUE_TEXT, "memory that is copied, such as 1G", NULL },
	{ "fork", 0, NULL, VALUE_TEXT, "pages shared with a child process (this is usual)", NULL },
	{ "private", 0, NULL, VALUE_TEXT, "pages of a file, in a private mapping", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command bench_cow_command = {
	.name = "cow",
	.summary = "copy on write by many threads: pages copied per second",
	.synopsis = "[--fork] [--private] [--size SIZE] [--threads N]",
	.description =
		"Threads write to pages that the process shares, each page once and in a random "
		"order over all the memory, so that every write has the kernel copy a page, and "
		"flush what other CPUs know of the old one. Only the writing is timed.\n"
		"\n"
		"Pages are shared with a child process that does nothing, or with --private they "
		"are those of a file in a private mapping. After each pass all copies are compared "
		"with what was to be copied, and the originals with what they were.",
	.examples = "tiermem bench cow  # one thread, and one for each CPU\n"
		    "tiermem bench cow --threads 96 --size 8G --stat  # with shootdowns per page\n"
		    "tiermem bench cow --private --save before.json\n",
	.options = options,
	.globals = BENCH_GLOBALS,
	.run = run_command,
};
