/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that benchmarks share, and what of the machine they choose. */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/bench/options.h"
#include "cmd/run-view.h"
#include "lib/base/units.h"
#include "lib/sys/attr.h"

#define SECOND 1000000000ULL
#define REPEATS 5
#define QUICK_REPEATS 3
#define REPEAT_MAX 1000
#define THREADS_MAX 4096
/* Usually and with --quick, where the benchmark does not say. */
#define TIME (SECOND / 2)
#define QUICK_TIME (SECOND / 10)

int bench_parse_size(const struct bench *b, const char *option, uint64_t usual, uint64_t quick,
		     uint64_t least, uint64_t *size, struct tm_error *err)
{
	const char *text = app_option(b->app, option);
	char bytes[TM_UNITS_MAX];

	*size = b->quick ? quick : usual;
	if (!text)
		return 0;
	if (tm_parse_amount(text, 1024, size) || *size < least || *size > SIZE_MAX / 4) {
		tm_error_set(err, EINVAL, "--%s: '%.100s' is not a size from %s", option, text,
			     tm_format_bytes(bytes, least));
		tm_error_hint(err, "such as 64M or 1G");
		return -EINVAL;
	}
	return 0;
}

int bench_parse_number(const struct bench *b, const char *option, uint64_t usual, uint64_t least,
		       uint64_t most, uint64_t *number, struct tm_error *err)
{
	const char *text = app_option(b->app, option);
	uint64_t value = usual;

	if (text && (tm_parse_u64(text, &value) || value < least || value > most))
		return tm_error_set(err, EINVAL,
				    "--%s: '%.100s' is not from %" PRIu64 " to %" PRIu64, option,
				    text, least, most);
	*number = value;
	return 0;
}

unsigned bench_choose_word(const struct bench *b, const char *option, word_list words,
			   unsigned usual)
{
	const char *value = app_option(b->app, option);

	for (unsigned i = 0; value && words(i, NULL); i++)
		if (!strcmp(words(i, NULL), value))
			return i;
	return usual;
}

const char *bench_mapping_word(size_t i, const char **help)
{
	static const char *const words[] = { "written", "read-only", NULL };
	static const char *const helps[] = { "pages that may be written to, and were",
					     "pages that may only be read" };

	if (words[i] && help)
		*help = helps[i];
	return words[i];
}

const char *bench_page_word(size_t i, const char **help)
{
	static const char *const helps[] = { "as the settings have it", "no huge pages",
					     "transparent huge pages" };

	if (i >= TM_ARRAY_SIZE(helps))
		return NULL;
	if (help)
		*help = helps[i];
	return tm_bench_page_name((unsigned)i);
}

uint64_t bench_cache_bytes(const struct bench *b, long cpu, int index)
{
	char path[TM_PATH_MAX];
	struct tm_text text;
	uint64_t bytes = 0;

	if (tm_path_format(path, "sys/devices/system/cpu/cpu%ld/cache/index%d/size", cpu, index))
		return 0;
	text = tm_attr_text(&b->root, path);
	if (text.state != TM_KNOWN || tm_parse_amount(text.value, 1024, &bytes))
		bytes = 0;
	tm_text_release(&text);
	return bytes;
}

int bench_check_room(const struct bench *b, int node, uint64_t bytes, struct tm_error *err)
{
	const struct tm_node *n = tm_machine_node(&b->machine, node);
	char wanted[TM_UNITS_MAX], free_now[TM_UNITS_MAX];

	/* Where nothing says how much there is, the kernel will. */
	if (!n || !tm_num_is(&n->memory_free) || n->memory_free.value >= bytes)
		return 0;
	tm_error_set(err, ENOTSUP, "node %d has %s of free memory, and %s are needed", node,
		     tm_format_bytes(free_now, n->memory_free.value),
		     tm_format_bytes(wanted, bytes));
	tm_error_hint(err, "give a smaller --size, or --quick");
	return -ENOTSUP;
}

int bench_node_cpus(const struct bench *b, int node, struct tm_idset *cpus)
{
	const struct tm_node *n = tm_machine_node(&b->machine, node);
	struct tm_idset found = TM_IDSET_INIT;
	int rc = 0;

	for (long id = tm_idset_next(&b->cpus, 0); n && id >= 0 && !rc;
	     id = tm_idset_next(&b->cpus, id + 1))
		if (tm_idset_has(&n->cpus, id))
			rc = tm_idset_add(&found, id);
	if (rc) {
		tm_idset_release(&found);
		return rc;
	}
	tm_idset_release(cpus);
	*cpus = found;
	return 0;
}

/* CPUs that this process may use. */
static int read_allowed(struct tm_idset *cpus, struct tm_error *err)
{
	size_t nr = 1024, size;
	cpu_set_t *set = NULL;
	int rc;

	/* The kernel's mask may be larger than any constant. */
	do {
		free(set);
		set = CPU_ALLOC(nr);
		if (!set)
			return tm_error_nomem(err);
		size = CPU_ALLOC_SIZE(nr);
		rc = sched_getaffinity(0, size, set) ? -errno : 0;
		nr *= 2;
	} while (rc == -EINVAL && nr <= (1 << 20));
	for (size_t cpu = 0; !rc && cpu < 8 * size; cpu++)
		if (CPU_ISSET_S(cpu, size, set))
			rc = tm_idset_add(cpus, (long)cpu);
	CPU_FREE(set);
	return rc ? tm_error_errno(err, -rc, "the CPUs of this process") : 0;
}

/* `list` into *set; all of it must be in `allowed`. */
static int choose(const char *option, const char *list, const struct tm_idset *allowed,
		  const char *why, struct tm_idset *set, struct tm_error *err)
{
	TM_CLEANUP(tm_freep) char *have = NULL;
	int rc = tm_idset_parse_list(set, list);

	if (rc == -ENOMEM)
		return tm_error_nomem(err);
	if (rc || tm_idset_empty(set)) {
		tm_error_set(err, EINVAL, "--%s: '%.100s' is not a list such as 0-3,8", option,
			     list);
		return -EINVAL;
	}
	tm_idset_for_each(id, set) {
		if (tm_idset_has(allowed, id))
			continue;
		have = tm_idset_format(allowed);
		tm_error_set(err, EINVAL, "--%s: %ld %s", option, id, why);
		tm_error_hint(err, "there are %s", have ? have : "others");
		return -EINVAL;
	}
	return 0;
}

static int choose_cpus(struct bench *b, struct tm_error *err)
{
	const char *list = app_option(b->app, "cpus");
	struct tm_idset allowed = TM_IDSET_INIT;
	int rc = read_allowed(&allowed, err);

	b->cpus_given = list != NULL;
	if (!rc && list)
		rc = choose("cpus", list, &allowed, "is no CPU that this process may use", &b->cpus,
			    err);
	else if (!rc && tm_idset_copy(&b->cpus, &allowed))
		rc = tm_error_nomem(err);
	tm_idset_release(&allowed);
	return rc;
}

/* Nodes with memory that the cpuset of this process allows. */
static int read_allowed_nodes(const struct bench *b, struct tm_idset *nodes, struct tm_error *err)
{
	struct tm_idset cpuset = TM_IDSET_INIT;
	struct tm_buf text = TM_BUF_INIT;
	int rc = tm_root_read(&b->root, "proc/self/status", 1 << 16, &text);

	if (!rc)
		rc = run_take_list(tm_buf_str(&text), "\nMems_allowed_list:", &cpuset);
	tm_buf_release(&text);
	/* Where nothing says so, there is no limit. */
	if (rc == -ENOENT)
		rc = tm_idset_copy(&cpuset, &b->machine.memory_nodes);
	for (long id = tm_idset_next(&cpuset, 0); id >= 0 && !rc;
	     id = tm_idset_next(&cpuset, id + 1))
		if (tm_idset_has(&b->machine.memory_nodes, id))
			rc = tm_idset_add(nodes, id);
	tm_idset_release(&cpuset);
	return rc ? tm_error_errno(err, -rc, "the nodes of this process") : 0;
}

static int choose_nodes(struct bench *b, struct tm_error *err)
{
	const char *list = app_option(b->app, "nodes");
	struct tm_idset allowed = TM_IDSET_INIT;
	int rc = read_allowed_nodes(b, &allowed, err);

	b->nodes_given = list != NULL;
	if (!rc && list)
		rc = choose("nodes", list, &allowed,
			    "is no node with memory that this process may use", &b->nodes, err);
	else if (!rc && tm_idset_copy(&b->nodes, &allowed))
		rc = tm_error_nomem(err);
	tm_idset_release(&allowed);
	return rc;
}

/* One to begin with: a hundredth of a second; one to wait for: an hour. */
static int parse_time(struct bench *b, struct tm_error *err)
{
	const char *text = app_option(b->app, "time");
	uint64_t usual = b->quick ? b->benchmark->quick_time_ns : b->benchmark->time_ns;

	b->time_ns = usual ? usual : b->quick ? QUICK_TIME : TIME;
	if (!text)
		return 0;
	if (tm_parse_seconds(text, &b->time_ns) || b->time_ns < SECOND / 100 ||
	    b->time_ns > 3600 * SECOND)
		return tm_error_set(err, EINVAL,
				    "--time: '%.100s' is not seconds from 0.01 to 3600", text);
	return 0;
}

static int parse_numbers(struct bench *b, struct tm_error *err)
{
	uint64_t repeat = 0, threads = 0;
	int rc = bench_parse_number(b, "repeat", b->quick ? QUICK_REPEATS : REPEATS, 1, REPEAT_MAX,
				    &repeat, err);

	if (!rc)
		rc = bench_parse_number(b, "threads", tm_idset_count(&b->cpus), 1, THREADS_MAX,
					&threads, err);
	if (rc)
		return rc;
	b->repeat = (unsigned)repeat;
	b->threads = (unsigned)threads;
	b->threads_given = app_option(b->app, "threads") != NULL;
	return 0;
}

int bench_options_parse(struct bench *b, struct tm_error *err)
{
	struct app *app = b->app;
	int rc;

	b->quick = app_option(app, "quick") != NULL;
	b->stat = app_option(app, "stat") != NULL;
	/* A benchmark may have other files to write. */
	if (app_option(app, "force") && !app_option(app, "save") && !app_option(app, "svg"))
		return tm_error_set(err, EINVAL, "--force: replaces the file of --save");
	if (app->json && (app->raw || app->noheadings))
		return tm_error_set(err, EINVAL, "--raw: not together with --json");
	rc = choose_cpus(b, err);
	if (!rc)
		rc = choose_nodes(b, err);
	if (!rc)
		rc = parse_time(b, err);
	return rc ? rc : parse_numbers(b, err);
}
