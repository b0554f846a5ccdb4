/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem bench fault`: first touch of memory of several kinds, and of each size of page. */
#include "cmd/bench/fault.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#define USUAL (256ULL << 20)
#define QUICK (64ULL << 20)
#define FOLDER "/dev/shm"

enum {
	PAGES_PER_SECOND,
	USER,
	SYSTEM,
	FAULTS_PER_CPU,
	FAULTS_PER_SECOND,
	PAGES_PER_CPU,
	BYTES_PER_FAULT,
	FAULTS,
	PAGES,
	PASSES,
};

const struct bench_kind bench_fault_kind = {
	.name = "fault",
	.labels = {
		{ "memory", "MEMORY", BENCH_TEXT, "The kind of memory: private, shared, memfd or "
		  "tmpfs." },
		{ "page_bytes", "PAGE", BENCH_BYTES, "The page size that was asked for; none: as "
		  "the settings of the machine have it." },
		{ "threads", "THREADS", BENCH_NUMBER, "Threads that touch at the same time." },
		{ "size_bytes", "SIZE", BENCH_BYTES, "The memory that all of them touch in a "
		  "pass." },
		{ NULL, NULL, BENCH_TEXT, NULL },
	},
	.metrics = {
		[PAGES_PER_SECOND] = { .key = "pages_per_second", .heading = "PAGES/s",
			.help = "Base pages touched in a second, by all threads; published tests "
				"of page faults call this faults/s, as for base pages it is." },
		[USER] = { .key = "user_s", .heading = "USER s", .lower_is_better = true,
			.decimals = 3, .help = "User time of all threads for one pass." },
		[SYSTEM] = { .key = "system_s", .heading = "SYSTEM s", .lower_is_better = true,
			.decimals = 3, .help = "System time of all threads for one pass." },
		[FAULTS_PER_CPU] = { .key = "faults_per_cpu_second", .heading = "FAULTS/s/CPU",
			.neither_is_better = true,
			.help = "Faults that the kernel counted in a second of CPU time." },
		[FAULTS_PER_SECOND] = { .key = "faults_per_second", .heading = "FAULTS/s",
			.neither_is_better = true,
			.help = "Faults that the kernel counted in a second, of all threads." },
		[PAGES_PER_CPU] = { .key = "pages_per_cpu_second", .heading = "PAGES/s/CPU",
			.detail = true,
			.help = "Base pages touched in a second of CPU time." },
		[BYTES_PER_FAULT] = { .key = "bytes_per_fault", .heading = "BYTES/FAULT",
			.neither_is_better = true,
			.help = "Memory that a fault brought: the page size that was got." },
		[FAULTS] = { .key = "faults", .heading = "FAULTS",
			.detail = true, .neither_is_better = true,
			.help = "Faults that the kernel counted in one pass." },
		[PAGES] = { .key = "pages", .neither_is_better = true,
			.help = "Base pages touched in one pass." },
		[PASSES] = { .key = "passes", .neither_is_better = true,
			.help = "How often the memory was mapped, touched and unmapped." },
	},
};

struct fault_request {
	bool memory[TM_BENCH_FAULT_KINDS];
	uint64_t bytes;
	const char *folder;
	bool base, one_mapping, each_size;
	struct tm_thp thp; /* with each_size */
};

/* One case, as the child has it. */
struct fault_case {
	struct bench *b;
	struct tm_bench_fault_want want;
	uint64_t asked; /* page size; 0: none */
	struct tm_bench_fault fault;
};

/* ---- one case */

static enum tm_thp_side side_of(enum tm_bench_fault_kind memory)
{
	return memory == TM_BENCH_FAULT_PRIVATE ? TM_THP_ANON : TM_THP_SHMEM;
}

static int one_pass(void *context, struct tm_bench_faults *sum, struct tm_error *err)
{
	struct fault_case *c = context;

	return tm_bench_fault_pass(&c->fault, sum, err);
}

static int prepare(void *context, struct bench_slot *slot, struct tm_error *err)
{
	struct tm_bench_faults warm = { .passes = 0 };
	struct fault_case *c = context;
	int rc = faults_place(c->b, tm_bench_fault_bytes(&c->want), err);

	(void)slot;
	if (!rc)
		rc = tm_bench_fault_start(&c->fault, &c->want, err);
	return rc ? rc : tm_bench_fault_pass(&c->fault, &warm, err);
}

static int look(struct fault_case *c, struct bench_slot *slot, struct tm_error *err)
{
	const struct tm_bench_memory memory = {
		.address = c->fault.start,
		.bytes = c->fault.bytes,
		.want = { .nodes = c->b->nodes_given ? &c->b->nodes : NULL },
	};
	int rc = tm_bench_memory_look(&memory, &c->b->numa, &slot->place, err);

	slot->has_place = !rc;
	/* A kernel without NUMA has but one place. */
	return rc == -EOPNOTSUPP ? 0 : rc;
}

static void set_values(const struct fault_case *c, const struct tm_bench_faults *sum,
		       double values[BENCH_METRICS])
{
	uint64_t page = c->fault.page;

	values[PAGES_PER_SECOND] = 1e9 * faults_ratio(sum->pages, sum->elapsed_ns);
	values[PAGES_PER_CPU] = 1e9 * faults_ratio(sum->pages, sum->cpu_ns);
	values[USER] = 1e-9 * faults_ratio(sum->user_ns, sum->passes);
	values[SYSTEM] = 1e-9 * faults_ratio(sum->system_ns, sum->passes);
	values[FAULTS_PER_SECOND] = 1e9 * faults_ratio(sum->faults, sum->elapsed_ns);
	values[FAULTS_PER_CPU] = 1e9 * faults_ratio(sum->faults, sum->cpu_ns);
	values[FAULTS] = faults_ratio(sum->faults, sum->passes);
	values[PAGES] = faults_ratio(sum->pages, sum->passes);
	values[BYTES_PER_FAULT] = faults_ratio(sum->pages * page, sum->faults);
	values[PASSES] = sum->passes;
}

static int measure(void *context, struct bench_slot *slot, struct tm_error *err)
{
	struct fault_case *c = context;
	const struct tm_root *root = &c->b->root;
	enum tm_thp_side side = side_of(c->want.kind);
	struct fault_tries before = fault_sizes_tries(root, side, c->asked), now;
	struct tm_bench_faults sum;
	int rc = faults_repeat(c->b, one_pass, c, &sum, err);

	if (rc)
		return rc;
	now = fault_sizes_tries(root, side, c->asked);
	set_values(c, &sum, slot->values);
	slot->on_cpu = sum.on_cpu;
	fault_sizes_note(c->asked, slot->values[BYTES_PER_FAULT], &before, &now, slot->note,
			 sizeof(slot->note));
	return look(c, slot, err);
}

/* ---- all cases */

static int run_case(struct bench *b, enum tm_bench_fault_kind memory, uint64_t page,
		    unsigned threads, struct tm_error *err)
{
	const struct fault_request *request = b->request;
	uint64_t pmd = tm_bench_pmd_bytes(), part = request->bytes / threads;
	struct fault_case one = {
		.b = b,
		.asked = page,
		.want = { .kind = memory,
			  .bytes = request->bytes,
			  .unit = page && !request->base ? page :
				  part >= pmd		 ? pmd :
							   0,
			  .base = request->base,
			  .one_mapping = request->one_mapping,
			  .folder = request->folder,
			  .threads = threads,
			  .cpus = &b->cpus },
	};
	const struct bench_work work = {
		.context = &one,
		.prepare = prepare,
		.measure = measure,
		.nodes = b->nodes_given ? &b->nodes : NULL,
		.page = page == (uint64_t)sysconf(_SC_PAGESIZE) ? TM_BENCH_PAGE_BASE :
			page && page == pmd			? TM_BENCH_PAGE_THP :
								  TM_BENCH_PAGE_USUAL,
		.page_bytes = page,
	};
	struct bench_case *c = bench_result_case(&b->result);
	struct bench_result *result = &b->result;
	int rc = c ? 0 : -ENOMEM;

	if (!rc)
		rc = bench_case_text(result, c, "memory", tm_bench_fault_kind_name(memory));
	if (!rc)
		rc = bench_case_number(result, c, "threads", threads);
	if (!rc)
		rc = bench_case_number(result, c, "size_bytes", tm_bench_fault_bytes(&one.want));
	if (!rc && page)
		rc = bench_case_number(result, c, "page_bytes", page);
	if (!rc && request->each_size && memory == TM_BENCH_FAULT_TMPFS)
		rc = bench_case_note(c, "page: what a tmpfs gives is said by its mount option "
					"huge=, not by the settings of each size");
	return rc ? tm_error_nomem(err) : bench_measure(b, c, &work, err);
}

/* The page sizes to ask for; 0: none. */
static size_t list_pages(const struct bench *b, enum tm_bench_fault_kind memory,
			 uint64_t pages[FAULT_SIZES])
{
	const struct fault_request *request = b->request;

	if (request->each_size && memory != TM_BENCH_FAULT_TMPFS)
		return fault_sizes_list(&request->thp, side_of(memory), pages);
	pages[0] = request->base ? (uint64_t)sysconf(_SC_PAGESIZE) : 0;
	return 1;
}

static int run_memory(struct bench *b, enum tm_bench_fault_kind memory, struct tm_error *err)
{
	const struct fault_request *request = b->request;
	uint64_t pages[FAULT_SIZES];
	unsigned threads[2];
	size_t nr_pages = list_pages(b, memory, pages), nr_threads = faults_threads(b, threads);
	int rc = 0;

	for (size_t i = 0; i < nr_pages && !rc; i++) {
		if (request->each_size && pages[i])
			rc = fault_sizes_set(b, &request->thp, side_of(memory), pages[i], err);
		for (size_t k = 0; k < nr_threads && !rc; k++)
			rc = run_case(b, memory, pages[i], threads[k], err);
	}
	if (!rc)
		rc = bench_settings_restore(b, err);
	return rc;
}

static int run(struct bench *b, struct tm_error *err)
{
	const struct fault_request *request = b->request;
	uint64_t pages[FAULT_SIZES];
	unsigned threads[2];
	size_t cases = 0;
	int rc = 0;

	for (int i = 0; i < TM_BENCH_FAULT_KINDS; i++)
		if (request->memory[i])
			cases += list_pages(b, (enum tm_bench_fault_kind)i, pages) *
				 faults_threads(b, threads);
	bench_expect(b, cases);
	for (int i = 0; i < TM_BENCH_FAULT_KINDS && !rc; i++)
		if (request->memory[i])
			rc = run_memory(b, (enum tm_bench_fault_kind)i, err);
	return rc;
}

/* ---- options */

/* A full tmpfs ends who touches more of it. */
static int check_tmpfs(const struct bench *b, struct tm_error *err)
{
	const struct fault_request *request = b->request;
	bool given = app_option(b->app, "tmpfs-dir") != NULL;
	uint64_t room;
	int rc = tm_bench_tmpfs_free(request->folder, &room, err);

	if (rc == -ENOENT || rc == -ENOTDIR)
		return given ? -EINVAL : -ENOTSUP;
	if (rc)
		return rc;
	/* Parts are rounded up, at most to one huge page each. */
	if (room / 2 < request->bytes) {
		tm_error_set(err, ENOTSUP, "%s: has not enough room", request->folder);
		tm_error_hint(err, "it needs twice the size: give a smaller --size, or another "
				   "--tmpfs-dir");
		return -ENOTSUP;
	}
	return 0;
}

static int parse(struct bench *b, struct tm_error *err)
{
	struct fault_request *request = b->request;
	const char *folder = app_option(b->app, "tmpfs-dir");
	bool any = false;
	int rc;

	for (unsigned i = 0; i < TM_BENCH_FAULT_KINDS; i++) {
		request->memory[i] = app_option(b->app, tm_bench_fault_kind_name(i)) != NULL;
		any |= request->memory[i];
	}
	request->memory[TM_BENCH_FAULT_PRIVATE] |= !any;
	request->base = app_option(b->app, "base") != NULL;
	request->one_mapping = app_option(b->app, "one-mapping") != NULL;
	request->each_size = app_option(b->app, "each-size") != NULL;
	request->folder = folder ? folder : FOLDER;
	if (request->base && request->each_size)
		return tm_error_set(err, EINVAL, "--base: not together with --each-size");
	if (folder && !request->memory[TM_BENCH_FAULT_TMPFS])
		return tm_error_set(err, EINVAL, "--tmpfs-dir: only with --tmpfs");
	rc = bench_parse_size(b, "size", USUAL, QUICK, 1 << 16, &request->bytes, err);
	if (!rc && request->memory[TM_BENCH_FAULT_TMPFS])
		rc = check_tmpfs(b, err);
	return !rc && request->each_size ? fault_sizes_read(b, &request->thp, err) : rc;
}

static void release(struct bench *b)
{
	struct fault_request *request = b->request;

	tm_thp_release(&request->thp);
}

static int run_command(struct app *app)
{
	static const struct benchmark benchmark = {
		.kind = &bench_fault_kind,
		.request_bytes = sizeof(struct fault_request),
		.parse = parse,
		.run = run,
		.release = release,
	};

	return bench_run(app, &benchmark);
}

static const struct option options[] = {
	BENCH_OPTIONS,
	{ "size", 'S', "SIZE", VALUE_TEXT, "memory that all threads touch together, such as 1G",
	  NULL },
	{ "private", 0, NULL, VALUE_TEXT, "private anonymous memory (this is usual)", NULL },
	{ "shared", 0, NULL, VALUE_TEXT, "shared anonymous memory", NULL },
	{ "memfd", 0, NULL, VALUE_TEXT, "a memfd", NULL },
	{ "tmpfs", 0, NULL, VALUE_TEXT, "a file in a tmpfs", NULL },
	{ "tmpfs-dir", 0, "DIR", VALUE_FOLDER, "where the tmpfs is (/dev/shm)", NULL },
	{ "base", 0, NULL, VALUE_TEXT, "no huge pages, whatever the settings say", NULL },
	{ "each-size", 0, NULL, VALUE_TEXT, "one page size after the other, by their settings",
	  NULL },
	{ "one-mapping", 0, NULL, VALUE_TEXT, "threads touch parts of one mapping", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command bench_fault_command = {
	.name = "fault",
	.summary = "first touch of memory: page faults per second",
	.synopsis = "[--private] [--shared] [--memfd] [--tmpfs [--tmpfs-dir DIR]] [--size SIZE] "
		    "[--base | --each-size] [--one-mapping] [--threads N]",
	.description =
		"Maps memory, writes to every page of it once, and unmaps it, again and again; "
		"only the writing is timed. Several kinds of memory may be given. It is done with "
		"one thread and with one for each CPU, or with those of --threads; each has a "
		"mapping of its own, or with --one-mapping a part of one.\n"
		"\n"
		"Pages are as the settings of this machine have them. With --each-size all sizes "
		"are gone through: each is the only one that is on while it is measured, and "
		"afterwards the settings are what they were. BYTES/FAULT tells what was got.\n"
		"\n"
		"PAGES/s counts base pages, so that sizes can be compared by it; larger pages "
		"bring more by each fault, and so have fewer of them.",
	.examples = "tiermem bench fault  # private memory, one thread and all\n"
		    "tiermem bench fault --shared --size 1G --threads 32\n"
		    "tiermem bench fault --private --shared --each-size --save sizes.json\n"
		    "tiermem bench fault --tmpfs --tmpfs-dir /run --one-mapping\n",
	.options = options,
	.globals = BENCH_GLOBALS,
	.run = run_command,
};
