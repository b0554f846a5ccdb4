/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem bench clear`: what clearing costs, in the kernel and in loops of our own. */
#include "cmd/bench/clear.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/units.h"

#define MIB (1ULL << 20)
#define GIB (1ULL << 30)

/* In the order of enum clear_figure. */
const struct bench_kind bench_clear_kind = {
	.name = "clear",
	.labels = {
		{ "how", "HOW", BENCH_TEXT,
		  "first-touch: the kernel, of a huge page; else the loop in user space." },
		{ "page_bytes", "PAGE", BENCH_BYTES, "Size of the huge pages." },
		{ "at", "AT", BENCH_TEXT, "The byte of each page that was touched." },
		{ "store_bytes", "STORE", BENCH_NUMBER,
		  "Bytes that one instruction of the loop stores." },
		{ "node", "NODE", BENCH_NUMBER, "The memory's node; none: any." },
		{ "size_bytes", "SIZE", BENCH_BYTES, "Memory that a pass clears." },
		{ "threads", "THREADS", BENCH_NUMBER, "Threads that share the memory." },
	},
	.metrics = {
		[CLEAR_MS_PER_GIB] = { .key = "ms_per_gib", .heading = "ms/GiB",
				       .lower_is_better = true, .decimals = 1,
				       .help = "Milliseconds to clear 1 GiB." },
		[CLEAR_MBPS] = { .key = "cleared_mbps", .heading = "MB/s",
			.detail = true,
				 .help = "10^6 bytes cleared a second." },
		[CLEAR_US_PER_PAGE] = { .key = "us_per_page", .heading = "us/PAGE",
					.lower_is_better = true, .decimals = 1,
					.help = "Microseconds of a thread for one page." },
		[CLEAR_PAGES] = { .key = "pages", .heading = "PAGES",
			.detail = true, .neither_is_better = true,
				  .help = "Huge pages touched in a repeat." },
		[CLEAR_PAGE_GOT] = { .key = "page_got_bytes", .neither_is_better = true,
				     .help = "Page size that the memory has, by smaps." },
		[CLEAR_CHECKED] = { .key = "checked_bytes", .neither_is_better = true,
				    .help = "With --verify: bytes that were looked at." },
	},
};

static const char *const loops[] = {
	"rep-stosb",
	"vector",
	"non-temporal",
#if defined(__aarch64__)
	"dc-zva",
#endif
};

static int parse_page_size(struct bench *b, const char *text, struct tm_error *err)
{
	struct clear_request *r = b->request;
	uint64_t size;

	if (tm_parse_amount(text, 1024, &size) || size < 4096 || size & (size - 1)) {
		tm_error_set(err, EINVAL, "--page-size: '%.100s' is not the size of a page", text);
		tm_error_hint(err, "such as 2M or 1G");
		return -EINVAL;
	}
	for (size_t i = 0; i < r->nr_page_sizes; i++)
		if (r->page_sizes[i] == size)
			return 0;
	if (r->nr_page_sizes == CLEAR_SIZES)
		return tm_error_set(err, EINVAL, "--page-size: more than %d sizes", CLEAR_SIZES);
	if (!clear_has_size(b, size)) {
		tm_error_set(err, ENOTSUP, "--page-size: no huge pages of %s here", text);
		tm_error_hint(err, "ls /sys/kernel/mm/hugepages shows those there are");
		return -ENOTSUP;
	}
	r->page_sizes[r->nr_page_sizes++] = size;
	return 0;
}

/* "2M,1G"; else all there are. */
static int parse_page_sizes(struct bench *b, struct tm_error *err)
{
	const char *given = app_option(b->app, "page-size");
	struct clear_request *r = b->request;
	char *list, *rest, *word;
	int rc = 0;

	if (!given)
		return clear_list_sizes(b, r->page_sizes, &r->nr_page_sizes, err);
	list = rest = strdup(given);
	if (!list)
		return tm_error_nomem(err);
	while (!rc && (word = strsep(&rest, ",")))
		rc = parse_page_size(b, word, err);
	free(list);
	return rc;
}

static void parse_at(struct bench *b)
{
	const char *word = app_option(b->app, "at");
	struct clear_request *r = b->request;

	for (unsigned at = 0; word && at < TM_BENCH_ATS; at++)
		if (!strcmp(word, tm_bench_at_name(at)))
			r->at = (enum tm_bench_at)at;
}

/* Far more than any cache holds, so that it is memory that is cleared. */
static uint64_t choose_user_size(void)
{
	long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
	uint64_t size = 256 * MIB;

	while (cache > 0 && size < 4 * (uint64_t)cache && size < GIB)
		size *= 2;
	return size;
}

static int parse_user_space(struct bench *b, struct tm_error *err)
{
	static const char *const others[] = { "page-size", "at" };
	struct clear_request *r = b->request;
	uint64_t usual = choose_user_size();

	for (size_t i = 0; i < TM_ARRAY_SIZE(others); i++)
		if (app_option(b->app, others[i]))
			return tm_error_set(err, EINVAL, "--%s: not together with --user-space",
					    others[i]);
	return bench_parse_size(b, "size", usual, usual, 4096, &r->size, err);
}

static int parse_kernel(struct bench *b, struct tm_error *err)
{
	struct clear_request *r = b->request;
	int rc = bench_parse_size(b, "size", GIB, 256 * MIB, 4096, &r->size, err);

	parse_at(b);
	if (!rc)
		rc = parse_page_sizes(b, err);
	if (!rc && geteuid()) {
		tm_error_set(err, EPERM, "only root may change the pools of huge pages");
		tm_error_hint(err, "--user-space compares loops, and needs no root");
		rc = -EPERM;
	}
	return rc;
}

static int parse(struct bench *b, struct tm_error *err)
{
	struct clear_request *r = b->request;

	r->user_space = app_option(b->app, "user-space") != NULL;
	r->verify = app_option(b->app, "verify") != NULL;
	/* One by one is how a fault comes; more share the memory's bandwidth. */
	r->threads = b->threads = b->threads_given ? b->threads : 1;
	return r->user_space ? parse_user_space(b, err) : parse_kernel(b, err);
}

static struct bench_case *begin_case(struct bench *b, const char *how, uint64_t size, int node)
{
	const struct clear_request *r = b->request;
	struct bench_case *c = bench_result_case(&b->result);
	struct bench_result *result = &b->result;

	if (!c || bench_case_text(result, c, "how", how) ||
	    bench_case_number(result, c, "size_bytes", size) ||
	    bench_case_number(result, c, "threads", r->threads))
		return NULL;
	if (node >= 0 && bench_case_number(result, c, "node", (uint64_t)node))
		return NULL;
	return c;
}

/* Of the machine, where no node is asked for. */
static int check_room(const struct bench *b, int node, uint64_t bytes, struct tm_error *err)
{
	char wanted[TM_UNITS_MAX], there[TM_UNITS_MAX];
	uint64_t sum = 0;

	if (node >= 0)
		return bench_check_room(b, node, bytes, err);
	for (size_t i = 0; i < b->machine.nr_nodes; i++) {
		const struct tm_num *unused = &b->machine.nodes[i].memory_free;

		if (tm_num_is(unused))
			sum += unused->value;
	}
	if (!sum || sum >= bytes)
		return 0;
	tm_error_set(err, ENOTSUP, "there are %s of free memory, and %s are needed",
		     tm_format_bytes(there, sum), tm_format_bytes(wanted, bytes));
	tm_error_hint(err, "give a smaller --size");
	return -ENOTSUP;
}

/* Whole pages, as many as there are. */
static int touch_pages(struct bench *b, struct bench_case *c, uint64_t page, uint64_t bytes,
		       int node, struct tm_error *err)
{
	struct tm_error other = { 0 };
	char size[TM_UNITS_MAX];
	uint64_t pages;
	int rc = clear_fill_pool(b, page, node, bytes, &pages, err), restored;

	if (!rc && pages < bytes / page &&
	    bench_case_note(c, "page: the kernel had memory for %s of these pages only",
			    tm_format_bytes(size, pages * page)))
		rc = tm_error_nomem(err);
	if (!rc)
		rc = bench_case_number(&b->result, c, "size_bytes", pages * page);
	if (!rc)
		rc = clear_measure(b, c, NULL, page, pages * page, node, err);
	restored = bench_settings_restore(b, rc ? &other : err);
	return rc ? rc : restored;
}

static int run_page(struct bench *b, uint64_t page, int node, struct tm_error *err)
{
	const struct clear_request *r = b->request;
	uint64_t bytes = (r->size + page - 1) / page * page;
	struct bench_case *c = begin_case(b, "first-touch", bytes, node);
	int rc;

	if (!c || bench_case_number(&b->result, c, "page_bytes", page) ||
	    bench_case_text(&b->result, c, "at", tm_bench_at_name(r->at)))
		return tm_error_nomem(err);
	rc = check_room(b, node, bytes, err);
	if (!rc)
		rc = touch_pages(b, c, page, bytes, node, err);
	return rc == -ENOTSUP ? bench_refuse(b, c, err) : rc;
}

static int run_loop(struct bench *b, const char *name, int node, struct tm_error *err)
{
	const struct clear_request *r = b->request;
	const struct tm_bench_loop *loop = tm_bench_loop_find(name);
	struct bench_case *c = begin_case(b, name, r->size, node);
	int rc = 0;

	if (!c)
		return tm_error_nomem(err);
	if (!loop)
		rc = tm_error_set(err, ENOTSUP, "this CPU has no such instruction");
	else if (loop->store_bytes)
		rc = bench_case_number(&b->result, c, "store_bytes", loop->store_bytes);
	if (!rc)
		rc = check_room(b, node, r->size, err);
	if (!rc)
		rc = clear_measure(b, c, loop, 0, r->size, node, err);
	return rc == -ENOTSUP ? bench_refuse(b, c, err) : rc;
}

static int run_node(struct bench *b, int node, struct tm_error *err)
{
	const struct clear_request *r = b->request;
	int rc = 0;

	for (size_t i = 0; i < r->nr_page_sizes && !rc; i++)
		rc = run_page(b, r->page_sizes[i], node, err);
	for (size_t i = 0; r->user_space && i < TM_ARRAY_SIZE(loops) && !rc; i++)
		rc = run_loop(b, loops[i], node, err);
	return rc;
}

/*
 * Pools are filled node by node: what the machine's own file adds and takes back is spread over all
 * nodes, and would leave others' pages on other ones than before. Usually it is the node whose
 * memory a touch gets. -1: this kernel has no nodes.
 */
static int usual_node(const struct bench *b)
{
	const struct clear_request *r = b->request;

	if (r->user_space || !b->machine.has_numa)
		return -1;
	tm_idset_for_each(id, &b->nodes) {
		const struct tm_node *node = tm_machine_node(&b->machine, id);

		if (node && tm_idset_has(&node->cpus, tm_idset_next(&b->cpus, 0)))
			return (int)id;
	}
	return (int)tm_idset_next(&b->nodes, 0);
}

static int run_all(struct bench *b, struct tm_error *err)
{
	const struct clear_request *r = b->request;
	size_t cases = r->user_space ? TM_ARRAY_SIZE(loops) : r->nr_page_sizes;
	int rc = 0;

	bench_expect(b, cases * (b->nodes_given ? tm_idset_count(&b->nodes) : 1));
	if (!b->nodes_given)
		return run_node(b, usual_node(b), err);
	for (long id = tm_idset_next(&b->nodes, 0); id >= 0 && !rc;
	     id = tm_idset_next(&b->nodes, id + 1))
		rc = run_node(b, (int)id, err);
	return rc;
}

static const struct benchmark benchmark = {
	.kind = &bench_clear_kind,
	.request_bytes = sizeof(struct clear_request),
	.parse = parse,
	.run = run_all,
};

static int run(struct app *app)
{
	return bench_run(app, &benchmark);
}

static const char *list_ats(size_t i, const char **help)
{
	static const char *const helps[] = { "its first byte", "the byte in its middle",
					     "its last byte" };

	if (i >= TM_BENCH_ATS)
		return NULL;
	*help = helps[i];
	return tm_bench_at_name((unsigned)i);
}

static const struct option options[] = {
	BENCH_OPTIONS,
	{ "size", 'S', "SIZE", VALUE_TEXT, "memory to clear in a pass, such as 1G", NULL },
	{ "page-size", 'p', "LIST", VALUE_TEXT, "huge pages of these sizes, such as 2M,1G", NULL },
	{ "at", 'a', "WHERE", VALUE_WORD, "which byte of each page is touched", list_ats },
	{ "user-space", 'u', NULL, VALUE_TEXT, "compare loops that clear memory in user space",
	  NULL },
	{ "verify", 0, NULL, VALUE_TEXT, "look at every byte afterwards, not at a sample", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command bench_clear_command = {
	.name = "clear",
	.summary = "measure how long clearing of huge pages takes",
	.synopsis = "[--page-size LIST] [--at WHERE] [--size SIZE] [--verify] [OPTION...] | "
		    "--user-space [--size SIZE] [--verify] [OPTION...]",
	.description =
		"The kernel clears a huge page when it is touched first: this is what the touch "
		"waits for. Pages are added to the pool of each size, to those that are there "
		"already, for the time of the run; they are mapped, touched, looked at, made dirty "
		"and given back again and again. They are on the node of the CPU that touches "
		"them, or on those that --nodes names, one after the other. It needs root.\n"
		"\n"
		"--user-space compares ways to clear: rep stosb, stores of the CPU's widest "
		"vectors, and such stores past the caches (non-temporal), with the fence that ends "
		"them. Memory is cleared that is there already, so that no page fault counts.\n"
		"\n"
		"One thread clears, unless --threads says more.",
	.examples = "tiermem bench clear  # each size of huge pages that there is\n"
		    "tiermem bench clear --page-size 1G --size 4G --nodes 0,2\n"
		    "tiermem bench clear --page-size 2M --at end  # touched from behind\n"
		    "tiermem bench clear --user-space  # which loop is the fastest here\n",
	.options = options,
	.globals = BENCH_GLOBALS,
	.run = run,
};
