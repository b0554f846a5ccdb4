/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `tiermem policy migrate`: moves the memory of a process between nodes. This is no setting, so
 * there is no plan: the opposite move takes it back.
 */
#include "cmd/policy-migrate.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/policy.h"
#include "cmd/run-view.h"
#include "lib/base/units.h"
#include "lib/model/thp.h"
#include "lib/sys/attr.h"

/* A line of maps is some 100 bytes, and a process may have 65530 mappings and more. */
#define MAPS_MAX (256u << 20)
#define STATUS_MAX (1u << 20)

/* One after the other, so that pages which are torn go to one node. */
#define STRIDE (UINT64_C(2) << 20)

static const struct option options[] = {
	{ "from", 'F', "LIST", VALUE_TEXT, "the nodes to move memory away from, such as 0,2-3",
	  NULL },
	{ "to", 'T', "LIST", VALUE_TEXT, "the nodes to move it to, in turns", NULL },
	{ "all", 'a', NULL, VALUE_TEXT, "also pages that other processes map too", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

/* --- what is asked for --- */

static int parse_nodes(const struct migrate *m, const char *name, struct tm_idset *nodes,
		       struct tm_error *err)
{
	const char *list = app_option(m->app, name);
	int rc;

	if (!list)
		return tm_error_set(err, EINVAL, "needs --%s LIST", name);
	rc = tm_idset_parse_list(nodes, list);
	if (rc == -ENOMEM)
		return tm_error_nomem(err);
	if (rc || tm_idset_empty(nodes))
		return tm_error_set(err, EINVAL,
				    "--%s: '%.100s' is not a list of nodes such as 0,2-3", name,
				    list);
	return 0;
}

static int check_nodes(const struct migrate *m, const char *name, const struct tm_idset *nodes,
		       struct tm_error *err)
{
	TM_CLEANUP(tm_freep) char *list = tm_idset_format(&m->machine.memory_nodes);

	tm_idset_for_each(id, nodes) {
		const struct tm_node *node = tm_machine_node(&m->machine, id);

		if (node && node->online && tm_idset_has(&m->machine.memory_nodes, id))
			continue;
		tm_error_set(err, EINVAL, "--%s: node %ld %s", name, id,
			     !node	   ? "is not there" :
			     !node->online ? "is offline" :
					     "has no memory");
		tm_error_hint(err, "nodes with memory: %s", list ? list : "");
		return -EINVAL;
	}
	return 0;
}

static int parse(struct migrate *m, struct tm_error *err)
{
	int rc = parse_nodes(m, "from", &m->from, err);

	if (!rc)
		rc = parse_nodes(m, "to", &m->to, err);
	if (!rc && (tm_parse_u64(m->app->argv[0], &m->pid) || !m->pid || m->pid > INT32_MAX))
		rc = tm_error_set(err, EINVAL, "'%.100s' is no process id", m->app->argv[0]);
	if (!rc && tm_idset_intersects(&m->from, &m->to))
		rc = tm_error_set(err, EINVAL, "--from, --to: both name the same node");
	return rc;
}

/* --- the process --- */

static int read_file(const struct migrate *m, const char *name, size_t max, struct tm_buf *text,
		     struct tm_error *err)
{
	char path[TM_PATH_MAX];
	int rc = tm_path_format(path, "proc/%" PRIu64 "/%s", m->pid, name);

	if (!rc)
		rc = tm_root_read(&m->root, path, max, text);
	if (rc == -ENOENT || rc == -ESRCH)
		return tm_error_set(err, ESRCH, "there is no process %" PRIu64, m->pid);
	if (!rc)
		return 0;
	tm_error_errno(err, -rc, "/%s", path);
	if (rc == -EACCES || rc == -EPERM)
		tm_error_hint(err, "only root moves the memory of other users' processes");
	return rc;
}

/* A thread of the kernel has no memory of its own, and a cpuset says where pages may go. */
static int check_process(struct migrate *m, struct tm_error *err)
{
	TM_CLEANUP(tm_freep) char *mems = NULL;
	struct tm_buf text = TM_BUF_INIT;
	bool has_memory;
	int rc = read_file(m, "status", STATUS_MAX, &text, err);

	if (rc)
		return rc;
	has_memory = strstr(tm_buf_str(&text), "\nVmSize:") != NULL;
	rc = run_take_list(tm_buf_str(&text), "\nMems_allowed_list:", &m->mems);
	tm_buf_release(&text);
	if (rc)
		return tm_error_errno(err, -rc, "/proc/%" PRIu64 "/status", m->pid);
	if (!has_memory)
		return tm_error_set(err, ESRCH,
				    "process %" PRIu64 " has no memory of its own: it is a thread "
				    "of the kernel, or has ended",
				    m->pid);
	mems = tm_idset_format(&m->mems);
	tm_idset_for_each(id, &m->to) {
		if (tm_idset_has(&m->mems, id))
			continue;
		tm_error_set(err, EACCES,
			     "--to: node %ld is not among those that its cpuset allows, %s", id,
			     mems ? mems : "");
		tm_error_hint(err, "cpuset.mems of its control group says which are");
		return -EACCES;
	}
	return 0;
}

/* Where its memory is. */
static int read_places(const struct migrate *m, struct tm_numa_maps *maps, struct tm_error *err)
{
	struct tm_buf text = TM_BUF_INIT;
	int rc = read_file(m, "numa_maps", MAPS_MAX, &text, err);

	if (!rc)
		rc = tm_numa_maps_parse(maps, tm_buf_str(&text), err);
	tm_buf_release(&text);
	return rc;
}

uint64_t migrate_bytes_on(const struct tm_numa_maps *maps, int node)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < maps->nr; i++)
		for (size_t k = 0; k < maps->list[i].nr; k++)
			if (maps->list[i].resident[k].node == node)
				sum += maps->list[i].resident[k].bytes;
	return sum;
}

/* --- its mappings --- */

struct range {
	uint64_t start, end;
};

struct mappings {
	struct migrate *m;
	struct range *list; /* sorted, as the kernel gives them */
	size_t nr, cap;
};

/* "7f00-7fff r--p …", each line */
static int take_ranges(struct mappings *maps, const char *text)
{
	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		struct range range;

		end = strchrnul(line, '\n');
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &range.start, &range.end) != 2)
			continue;
		if (tm_array_grow(&maps->list, maps->nr, &maps->cap, sizeof(*maps->list)))
			return -ENOMEM;
		maps->list[maps->nr++] = range;
	}
	return 0;
}

static int by_start(const void *key, const void *element)
{
	uint64_t start = *(const uint64_t *)key;
	const struct range *range = element;

	return (start > range->start) - (start < range->start);
}

/* Only what has pages on the nodes is walked: others may be large and empty. */
static int visit(void *context, const struct tm_numa_map *map)
{
	struct mappings *maps = context;
	const struct range *range;
	bool any = false;

	for (size_t i = 0; i < map->nr; i++)
		any |= map->resident[i].bytes &&
		       tm_idset_has(&maps->m->from, map->resident[i].node);
	range = any ? bsearch(&map->start, maps->list, maps->nr, sizeof(*maps->list), by_start) :
		      NULL;
	/* One that has come between the two readings is too new to be waited for. */
	if (!range)
		return 0;
	return tm_move_range(&maps->m->move, range->start, range->end, map->page_bytes);
}

static int move_mappings(struct migrate *m, struct tm_error *err)
{
	struct tm_buf text = TM_BUF_INIT, numa = TM_BUF_INIT;
	struct mappings maps = { .m = m };
	int rc = read_file(m, "maps", MAPS_MAX, &text, err);

	if (!rc)
		rc = read_file(m, "numa_maps", MAPS_MAX, &numa, err);
	if (rc)
		goto out;
	rc = take_ranges(&maps, tm_buf_str(&text));
	if (!rc)
		rc = tm_numa_maps_each(tm_buf_str(&numa), visit, &maps);
	if (rc)
		tm_error_errno(err, -rc, "process %" PRIu64, m->pid);
out:
	free(maps.list);
	tm_buf_release(&text);
	tm_buf_release(&numa);
	return rc;
}

/* --- progress, and Ctrl-C --- */

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

static uint64_t bytes_from(const struct migrate *m)
{
	uint64_t sum = 0;

	tm_idset_for_each(id, &m->from)
		sum += migrate_bytes_on(&m->before, (int)id);
	return sum;
}

static bool wants_progress(const struct app *app)
{
	return !app->quiet && isatty(STDERR_FILENO);
}

static bool between_batches(void *context, const struct tm_move *move)
{
	static const long tenth = 100000000;
	static struct timespec shown;
	const struct migrate *m = context;
	char moved[TM_UNITS_MAX], all[TM_UNITS_MAX];
	struct timespec now;

	if (wants_progress(m->app) && !clock_gettime(CLOCK_MONOTONIC, &now) &&
	    (now.tv_sec != shown.tv_sec || now.tv_nsec - shown.tv_nsec > tenth)) {
		shown = now;
		fprintf(stderr, "\r%s of %s   ", tm_format_bytes(moved, move->moved.bytes),
			tm_format_bytes(all, bytes_from(m)));
	}
	return interrupted;
}

static void clear_progress(const struct app *app)
{
	if (wants_progress(app))
		fprintf(stderr, "\r%24s\r", "");
}

/* --- the move --- */

/* What ended it, in words. */
static void explain(struct migrate *m, int rc, struct tm_error *err)
{
	m->state = "failed";
	switch (rc) {
	case -ECANCELED:
		m->state = "interrupted";
		tm_error_set(err, EINTR, "interrupted: the rest has stayed where it was");
		break;
	case -ESRCH:
		m->state = "ended";
		tm_error_set(err, ESRCH, "process %" PRIu64 " has ended", m->pid);
		break;
	case -ENOSPC:
		m->state = "full";
		tm_error_set(err, ENOSPC, "--to: no memory left there");
		tm_error_hint(err, "`tiermem topology` shows how much is free in each node");
		break;
	case -EPERM:
		tm_error_errno(err, EPERM, "process %" PRIu64, m->pid);
		tm_error_hint(err, m->move.shared ?
					   "--all needs CAP_SYS_NICE" :
					   "only root moves the memory of other users' processes");
		break;
	case -EACCES:
		tm_error_set(err, EACCES, "--to: its cpuset has ceased to allow the node");
		break;
	default:
		break;
	}
}

static int move_pages(struct migrate *m, struct tm_error *err)
{
	struct sigaction action = { .sa_handler = interrupt }, old_int, old_term;
	struct tm_num pmd = tm_attr_num(&m->root, TM_THP_FOLDER "/hpage_pmd_size");
	int rc = tm_numa_load(&m->numa, err);

	if (rc)
		return rc;
	m->move = (struct tm_move){
		.numa = &m->numa,
		.pid = (pid_t)m->pid,
		.from = &m->from,
		.to = &m->to,
		.stride = tm_num_is(&pmd) && pmd.value ? TM_MAX(pmd.value, STRIDE) : STRIDE,
		.shared = app_option(m->app, "all") != NULL,
		.stop = between_batches,
		.context = m,
	};
	sigaction(SIGINT, &action, &old_int);
	sigaction(SIGTERM, &action, &old_term);
	rc = move_mappings(m, err);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	clear_progress(m->app);
	if (rc)
		explain(m, rc, err);
	return rc;
}

/* There was something to move, and none of it would. */
static int check_outcome(const struct migrate *m, struct tm_error *err)
{
	uint64_t pages = 0;

	/* What is freed meanwhile, or shared and so not asked for, is no failure. */
	for (int i = 0; i < TM_NR_UNMOVED; i++)
		if (i != TM_UNMOVED_GONE && i != TM_UNMOVED_SHARED)
			pages += m->move.unmoved[i].pages;
	if (m->move.moved.pages || !pages)
		return 0;
	return tm_error_set(err, EBUSY, "nothing could be moved");
}

static int prepare(struct migrate *m, struct tm_error *err)
{
	char path[TM_PATH_MAX];
	int rc = parse(m, err);

	if (!rc)
		rc = tm_root_open(&m->root, NULL, err);
	if (!rc)
		rc = tm_machine_read(&m->machine, &m->root, NULL, err);
	if (!rc && !m->machine.has_numa)
		rc = tm_error_set(err, ENOTSUP, "this kernel has no NUMA nodes");
	if (!rc)
		rc = check_nodes(m, "from", &m->from, err);
	if (!rc)
		rc = check_nodes(m, "to", &m->to, err);
	if (!rc)
		rc = check_process(m, err);
	if (!rc)
		rc = read_places(m, &m->before, err);
	if (!rc && !tm_path_format(path, "proc/%" PRIu64 "/comm", m->pid))
		m->name = tm_attr_text(&m->root, path);
	return rc;
}

static enum exit_code exit_code(int rc)
{
	switch (rc) {
	case -EINVAL:
		return EXIT_USAGE;
	case -ENOTSUP:
	case -ENOSYS:
		return EXIT_UNSUPPORTED;
	default:
		return EXIT_FAILED;
	}
}

static int migrate(struct migrate *m)
{
	struct tm_error err = { 0 }, moved = { 0 };
	TM_CLEANUP(tm_freep) char *text = NULL;
	int rc = prepare(m, &err), stopped = 0;

	if (rc)
		return report(m->app, exit_code(rc), &err);
	m->state = m->app->dry_run ? "planned" : "done";
	if (!m->app->dry_run) {
		stopped = move_pages(m, &moved);
		if (!stopped)
			stopped = check_outcome(m, &moved);
		/* Of one that has ended there is nothing to read any more. */
		m->after_known = !read_places(m, &m->after, NULL);
	}
	if (!stopped || m->move.numa)
		rc = migrate_show(m, &text, &err);
	if (rc)
		return report(m->app, EXIT_FAILED, &err);
	if (text)
		out_text(m->app, text);
	return stopped ? report(m->app, exit_code(stopped), &moved) : EXIT_DONE;
}

static int run(struct app *app)
{
	struct migrate m = { .app = app, .root = { .fd = -1 } };
	int code = migrate(&m);

	tm_move_release(&m.move);
	tm_numa_unload(&m.numa);
	tm_text_release(&m.name);
	tm_numa_maps_release(&m.before);
	tm_numa_maps_release(&m.after);
	tm_idset_release(&m.from);
	tm_idset_release(&m.to);
	tm_idset_release(&m.mems);
	tm_machine_release(&m.machine);
	tm_root_close(&m.root);
	return code;
}

const struct command policy_migrate_command = {
	.name = "migrate",
	.summary = "move the memory of a process between nodes",
	.synopsis = "PID --from LIST --to LIST [--all]",
	.description =
		"Moves what a process has on some nodes to others, once; what it takes later lies "
		"where its policy says. To several nodes it goes in turns of 2 MiB of address "
		"space, or of a huge page where that is larger. Pages that several processes map, "
		"such as those of libraries, stay without --all.\n\n"
		"This is no setting: `tiermem undo` does not take it back, the opposite migrate "
		"does. Ctrl-C ends it, and what was moved stays moved.",
	.examples = "tiermem policy migrate 1234 --from 0 --to 2 --dry-run  # how much would move\n"
		    "tiermem policy migrate 1234 --from 0 --to 2  # to the expander\n"
		    "tiermem policy migrate 1234 --from 2 --to 0  # and back\n",
	.options = options,
	.globals = GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.min_operands = 1,
	.max_operands = 1,
	.operand = "PID",
	.operand_kind = VALUE_NUMBER,
	.run = run,
};
