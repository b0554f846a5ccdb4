/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan of `tiermem policy damon start`: a kdamond for each node that memory is taken from,
 * which watches that node alone. (One for all would apply each scheme to every node's memory.)
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/policy-damon.h"
#include "lib/base/buf.h"
#include "lib/model/damon-ranges.h"

#define NUMBER TM_DAMON_FOLDER "/nr_kdamonds"
#define WATCHER "sys/module/damon_stat/parameters/enabled"

#define MIGRATE_SINCE ((6u << 16) + (11u << 8))

/*
 * Cold is what was not seen used for so long. Hot is what was used in so many of a hundred samples,
 * and was so in the aggregation before too.
 */
#define COLD_US UINT64_C(5000000)
#define HOT_PERCENT 10

struct builder {
	struct tm_plan *plan;
	int id; /* of the kdamond */
	struct tm_error *err;
	int rc; /* the first failure; nothing is added after it */
};

TM_PRINTF(4, 0)
static void add_text(struct builder *b, enum tm_form form, const char *value, const char *fmt,
		     va_list ap)
{
	char name[TM_PATH_MAX], path[TM_PATH_MAX];

	if (b->rc)
		return;
	b->rc = tm_path_vformat(name, fmt, ap);
	if (!b->rc)
		b->rc = tm_path_format(path, TM_DAMON_FOLDER "/%d/%s", b->id, name);
	if (b->rc) {
		tm_error_errno(b->err, -b->rc, "/" TM_DAMON_FOLDER);
		return;
	}
	b->rc = tm_plan_add(b->plan,
			    &(struct tm_change_spec){ .kind = TM_CHANGE_SET,
						      .form = form,
						      .path = path,
						      .to = value,
						      .made_by = NUMBER },
			    b->err);
}

TM_PRINTF(3, 4)
static void set(struct builder *b, const char *value, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_text(b, TM_FORM_TEXT, value, fmt, ap);
	va_end(ap);
}

TM_PRINTF(3, 4)
static void set_bool(struct builder *b, const char *value, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_text(b, TM_FORM_BOOL, value, fmt, ap);
	va_end(ap);
}

TM_PRINTF(3, 4)
static void set_number(struct builder *b, uint64_t number, const char *fmt, ...)
{
	char value[32];
	va_list ap;

	snprintf(value, sizeof(value), "%" PRIu64, number);
	va_start(ap, fmt);
	add_text(b, TM_FORM_NUMBER, value, fmt, ap);
	va_end(ap);
}

static void set_range(struct builder *b, uint64_t min, uint64_t max, unsigned scheme,
		      const char *what)
{
	set_number(b, min, "contexts/0/schemes/%u/access_pattern/%s/min", scheme, what);
	set_number(b, max, "contexts/0/schemes/%u/access_pattern/%s/max", scheme, what);
}

static void add_pattern(struct builder *b, const struct policy_damon_wish *wish,
			const struct policy_damon_route *route, uint64_t page, unsigned scheme)
{
	uint64_t samples = wish->aggregation_us / wish->sample_us;
	uint64_t age = (COLD_US + wish->aggregation_us - 1) / wish->aggregation_us;

	set_range(b, page, UINT64_MAX, scheme, "sz");
	if (route->hot) {
		set_range(b, TM_MAX((samples * HOT_PERCENT + 99) / 100, UINT64_C(1)), UINT32_MAX,
			  scheme, "nr_accesses");
		set_range(b, 1, UINT32_MAX, scheme, "age");
	} else {
		set_range(b, 0, 0, scheme, "nr_accesses");
		set_range(b, age, UINT32_MAX, scheme, "age");
	}
}

static void add_scheme(struct builder *b, const struct policy_damon_wish *wish,
		       const struct policy_damon_route *route, uint64_t page, unsigned scheme)
{
	set(b, route->hot ? "migrate_hot" : "migrate_cold", "contexts/0/schemes/%u/action", scheme);
	set_number(b, (uint64_t)route->to, "contexts/0/schemes/%u/target_nid", scheme);
	add_pattern(b, wish, route, page, scheme);
	if (wish->quota_bytes) {
		set_number(b, wish->quota_bytes, "contexts/0/schemes/%u/quotas/bytes", scheme);
		set_number(b, wish->quota_ms, "contexts/0/schemes/%u/quotas/reset_interval_ms",
			   scheme);
		/* What goes first where the quota does not suffice for all. */
		set_number(b, 500, "contexts/0/schemes/%u/quotas/weights/nr_accesses_permil",
			   scheme);
		set_number(b, 500, "contexts/0/schemes/%u/quotas/weights/age_permil", scheme);
	}
	if (wish->cgroup) {
		set_number(b, 1, "contexts/0/schemes/%u/filters/nr_filters", scheme);
		set(b, "memcg", "contexts/0/schemes/%u/filters/0/type", scheme);
		/* Memory that is not of the group is left out. */
		set_bool(b, "false", "contexts/0/schemes/%u/filters/0/matching", scheme);
		set(b, wish->cgroup, "contexts/0/schemes/%u/filters/0/memcg_path", scheme);
	}
}

static void add_regions(struct builder *b, const struct tm_damon_range *ranges, size_t nr)
{
	set_number(b, 1, "contexts/0/targets/nr_targets");
	set_number(b, nr, "contexts/0/targets/0/regions/nr_regions");
	for (size_t i = 0; i < nr; i++) {
		set_number(b, ranges[i].start, "contexts/0/targets/0/regions/%zu/start", i);
		set_number(b, ranges[i].end, "contexts/0/targets/0/regions/%zu/end", i);
	}
}

/* A kdamond for the routes from one node. */
static void add_kdamond(struct builder *b, const struct policy_damon_wish *wish,
			const struct policy_damon_route *routes, size_t nr, uint64_t page,
			const struct tm_damon_range *ranges, size_t nr_ranges)
{
	set_number(b, 1, "contexts/nr_contexts");
	set(b, "paddr", "contexts/0/operations");
	set_number(b, wish->sample_us, "contexts/0/monitoring_attrs/intervals/sample_us");
	set_number(b, wish->aggregation_us, "contexts/0/monitoring_attrs/intervals/aggr_us");
	set_number(b, wish->update_us, "contexts/0/monitoring_attrs/intervals/update_us");
	add_regions(b, ranges, nr_ranges);
	set_number(b, nr, "contexts/0/schemes/nr_schemes");
	for (size_t i = 0; i < nr; i++)
		add_scheme(b, wish, &routes[i], page, (unsigned)i);
}

/* How many of the routes, from `at` on, are from the same node. */
static size_t same_source(const struct policy_damon_wish *wish, size_t at)
{
	size_t nr = 1;

	while (at + nr < wish->nr && wish->routes[at + nr].from == wish->routes[at].from)
		nr++;
	return nr;
}

static int add_number(struct tm_plan *plan, const struct policy_damon_wish *wish,
		      struct tm_error *err)
{
	char value[32];
	unsigned nr = 0;

	for (size_t i = 0; i < wish->nr; i += same_source(wish, i))
		nr++;
	snprintf(value, sizeof(value), "%u", nr);
	return tm_plan_add(plan,
			   &(struct tm_change_spec){ .kind = TM_CHANGE_SET,
						     .form = TM_FORM_NUMBER,
						     .path = NUMBER,
						     .to = value },
			   err);
}

/* Only after all is described: one after the other, so that what fails takes back those before. */
static int add_trigger(struct tm_plan *plan, int id, struct tm_error *err)
{
	char state[TM_PATH_MAX], pid[TM_PATH_MAX];

	if (tm_path_format(state, TM_DAMON_FOLDER "/%d/state", id) ||
	    tm_path_format(pid, TM_DAMON_FOLDER "/%d/pid", id))
		return tm_error_set(err, ENAMETOOLONG, "/" TM_DAMON_FOLDER);
	return tm_plan_add(plan,
			   &(struct tm_change_spec){ .kind = TM_CHANGE_TRIGGER,
						     .form = TM_FORM_TEXT,
						     .path = state,
						     .from = "off",
						     .to = "on",
						     .token = pid,
						     .made_by = NUMBER },
			   err);
}

/* DAMON_STAT changes nothing, and is on by default in newer kernels: it can make room. */
static int add_watcher(struct tm_plan *plan, struct tm_error *err)
{
	return tm_plan_add(plan,
			   &(struct tm_change_spec){
				   .kind = TM_CHANGE_SET,
				   .form = TM_FORM_BOOL,
				   .path = WATCHER,
				   .to = "false",
				   .why = "DAMON_STAT only watches, but the kernel starts nothing "
					  "beside it: it rests meanwhile" },
			   err);
}

static int make_plan(const struct policy_damon_wish *wish, const struct tm_root *root,
		     const struct tm_machine *m, bool watcher, struct tm_plan *plan,
		     struct tm_error *err)
{
	uint64_t page = tm_num_is(&m->page_size) ? m->page_size.value : 4096;
	struct builder b = { .plan = plan, .err = err };

	if (watcher)
		b.rc = add_watcher(plan, err);
	if (!b.rc)
		b.rc = add_number(plan, wish, err);
	for (size_t i = 0, nr; i < wish->nr && !b.rc; i += nr, b.id++) {
		struct tm_damon_range *ranges = NULL;
		size_t nr_ranges;

		nr = same_source(wish, i);
		b.rc = tm_damon_ranges(m, root, wish->routes[i].from, &ranges, &nr_ranges, err);
		if (!b.rc)
			add_kdamond(&b, wish, &wish->routes[i], nr, page, ranges, nr_ranges);
		free(ranges);
	}
	for (int id = 0; id < b.id && !b.rc; id++)
		b.rc = add_trigger(plan, id, err);
	return b.rc;
}

static int check_node(const struct tm_machine *m, const struct policy_damon_route *route, int id,
		      struct tm_error *err)
{
	TM_CLEANUP(tm_freep) char *list = NULL;
	const struct tm_node *node = tm_machine_node(m, id);

	if (node && node->online && tm_idset_has(&m->memory_nodes, id))
		return 0;
	/* The kernel takes any number, and then moves nothing. */
	tm_error_set(err, EINVAL, "--%s: %d:%d: node %d %s", route->hot ? "hot" : "cold",
		     route->from, route->to, id,
		     !node	   ? "is not there" :
		     !node->online ? "is offline" :
				     "has no memory");
	list = tm_idset_format(&m->memory_nodes);
	tm_error_hint(err, "nodes with memory: %s", list ? list : "");
	return -EINVAL;
}

/* Not wrong, but rarely meant. */
static void warn_direction(const struct app *app, const struct tm_machine *m,
			   const struct policy_damon_route *route)
{
	const struct tm_node *from = tm_machine_node(m, route->from);
	const struct tm_node *to = tm_machine_node(m, route->to);

	if (!tm_num_is(&from->tier) || !tm_num_is(&to->tier))
		return;
	if (route->hot ? to->tier.value > from->tier.value : to->tier.value < from->tier.value)
		warn(app, "--%s: %d:%d: node %d is of a %s tier than node %d",
		     route->hot ? "hot" : "cold", route->from, route->to, route->to,
		     route->hot ? "slower" : "faster", route->from);
}

static int check_cgroup(const struct tm_root *root, const char *cgroup, struct tm_error *err)
{
	static const char *const mounts[] = { "sys/fs/cgroup", "sys/fs/cgroup/memory",
					      "sys/fs/cgroup/unified" };
	bool any = false;

	if (!cgroup)
		return 0;
	for (size_t i = 0; i < TM_ARRAY_SIZE(mounts); i++) {
		char path[TM_PATH_MAX];

		if (tm_path_format(path, "%s%s", mounts[i], cgroup))
			return tm_error_set(err, EINVAL, "--cgroup: the path is too long");
		if (tm_root_exists(root, path))
			return 0;
		/* Where none is mounted there, the kernel alone knows. */
		if (!tm_path_format(path, "%s/cgroup.procs", mounts[i]))
			any |= tm_root_exists(root, path);
	}
	return any ? tm_error_set(err, EINVAL, "--cgroup: there is no control group %s", cgroup) :
		     0;
}

int policy_damon_usable(const struct tm_damon *damon, const struct tm_machine *m,
			struct tm_error *err)
{
	const char *kernel = m->kernel.state == TM_KNOWN ? m->kernel.value : "(unknown)";

	switch (damon->kdamonds.state) {
	case TM_KNOWN:
		return 0;
	case TM_ABSENT:
		tm_error_set(err, ENOTSUP, "kernel %s has no DAMON", kernel);
		tm_error_hint(err, "it is there with CONFIG_DAMON_SYSFS and CONFIG_DAMON_PADDR");
		return -ENOTSUP;
	case TM_DENIED:
		tm_error_errno(err, EACCES, "/" NUMBER);
		tm_error_hint(err, "DAMON is root's alone");
		return -EACCES;
	default:
		return tm_error_set(err, EIO, "/" NUMBER ": holds no number");
	}
}

static int check_free(const struct tm_damon *damon, struct tm_error *err)
{
	if (damon->exclusive && strcmp(damon->exclusive, "damon_stat") != 0) {
		tm_error_set(err, EBUSY, "%s runs, and the kernel starts nothing beside it",
			     damon->exclusive);
		tm_error_hint(err, "echo N > /sys/module/%s/parameters/enabled ends it",
			      damon->exclusive);
		return -EBUSY;
	}
	for (size_t i = 0; i < damon->nr; i++) {
		if (!tm_num_is(&damon->list[i].ours) || !damon->list[i].ours.value)
			continue;
		tm_error_set(err, EEXIST, "kdamond %d was started by tiermem before, and runs",
			     damon->list[i].id);
		tm_error_hint(err, "`tiermem policy damon stop` first");
		return -EEXIST;
	}
	if (!damon->kdamonds.value)
		return 0;
	tm_error_set(err, EBUSY,
		     "/" NUMBER ": is %" PRIu64 ": somebody else has set up kdamonds, and writing "
		     "it would delete them",
		     damon->kdamonds.value);
	tm_error_hint(err,
		      "`tiermem policy damon status` shows them; whose they are must end them");
	return -EBUSY;
}

static int check_machine(const struct app *app, const struct policy_damon_wish *wish,
			 const struct tm_root *root, const struct tm_machine *m,
			 struct tm_error *err)
{
	int rc = 0;

	if (m->version && m->version < MIGRATE_SINCE) {
		tm_error_set(err, ENOTSUP,
			     "kernel %s has DAMON, but no migrate_hot and "
			     "migrate_cold",
			     m->kernel.value);
		tm_error_hint(err, "they came with kernel 6.11");
		return -ENOTSUP;
	}
	for (size_t i = 0; i < wish->nr && !rc; i++) {
		const struct policy_damon_route *route = &wish->routes[i];

		rc = check_node(m, route, route->from, err);
		if (!rc)
			rc = check_node(m, route, route->to, err);
		if (!rc)
			warn_direction(app, m, route);
	}
	return rc ? rc : check_cgroup(root, wish->cgroup, err);
}

int policy_damon_plan(const struct app *app, const struct policy_damon_wish *wish,
		      const struct tm_root *root, const struct tm_machine *m, struct tm_plan *plan,
		      struct tm_error *err)
{
	struct tm_damon damon = { 0 };
	int rc = policy_damon_read(&damon, root, err);

	if (!rc)
		rc = policy_damon_usable(&damon, m, err);
	if (!rc)
		rc = check_machine(app, wish, root, m, err);
	if (!rc)
		rc = check_free(&damon, err);
	if (!rc)
		rc = make_plan(wish, root, m, damon.exclusive != NULL, plan, err);
	plan->keep_as = POLICY_DAMON_RECORD;
	tm_damon_release(&damon);
	return rc;
}
