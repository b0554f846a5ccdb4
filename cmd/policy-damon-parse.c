/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of `tiermem policy damon start`. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/policy-damon.h"
#include "lib/base/buf.h"
#include "lib/base/units.h"

/* Where control groups are mounted, the usual way first. */
static const char *const cgroup_mounts[] = { "/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified",
					     "/sys/fs/cgroup" };

/* A number of at most `len` digits in front; *end behind it. -1: none, or no node's. */
static int take_node(const char *text, const char **end)
{
	long id = 0;

	if (!isdigit((unsigned char)*text))
		return -1;
	while (isdigit((unsigned char)*text) && id <= TM_ID_MAX)
		id = id * 10 + (*text++ - '0');
	*end = text;
	return id <= TM_ID_MAX ? (int)id : -1;
}

static int add_route(struct policy_damon_wish *wish, struct policy_damon_route route,
		     struct tm_error *err)
{
	const char *name = route.hot ? "hot" : "cold";

	if (route.from == route.to)
		return tm_error_set(err, EINVAL, "--%s: %d:%d: from a node to itself", name,
				    route.from, route.to);
	for (size_t i = 0; i < wish->nr; i++) {
		const struct policy_damon_route *other = &wish->routes[i];

		if (other->from != route.from)
			continue;
		if (other->hot == route.hot)
			return tm_error_set(err, EINVAL, "--%s: node %d is given twice", name,
					    route.from);
		if (other->to == route.to)
			return tm_error_set(err, EINVAL,
					    "--cold, --hot: both %d:%d, which moves everything",
					    route.from, route.to);
	}
	if (tm_array_grow(&wish->routes, wish->nr, &wish->cap, sizeof(*wish->routes)))
		return tm_error_nomem(err);
	wish->routes[wish->nr++] = route;
	return 0;
}

/* "0:2,1:3" */
static int parse_routes(const struct app *app, const char *name, bool hot,
			struct policy_damon_wish *wish, struct tm_error *err)
{
	const char *list = app_option(app, name), *at = list;
	int rc = 0;

	while (at && !rc) {
		struct policy_damon_route route = { .hot = hot };

		route.from = take_node(at, &at);
		route.to = route.from >= 0 && *at == ':' ? take_node(at + 1, &at) : -1;
		if (route.to < 0 || (*at && *at != ','))
			return tm_error_set(
				err, EINVAL,
				"--%s: '%.100s' is not of the form FROM:TO, such as 0:1", name,
				list);
		rc = add_route(wish, route, err);
		at = *at ? at + 1 : NULL;
	}
	return rc;
}

/* "5ms", "100us", "1s", "2m" into microseconds. False where it is none, or 0, or beyond a day. */
static bool parse_time(const char *text, size_t len, uint64_t *us)
{
	static const struct {
		const char *unit;
		uint64_t us;
	} units[] = { { "us", 1 }, { "ms", 1000 }, { "s", 1000000 }, { "m", 60000000 } };
	size_t digits = 0;
	uint64_t number = 0;

	for (; digits < len && isdigit((unsigned char)text[digits]) && number < 1000000000;
	     digits++)
		number = number * 10 + (uint64_t)(text[digits] - '0');
	for (size_t i = 0; i < TM_ARRAY_SIZE(units); i++) {
		if (!digits || strlen(units[i].unit) != len - digits ||
		    memcmp(text + digits, units[i].unit, len - digits) != 0)
			continue;
		*us = number * units[i].us;
		return *us && *us <= UINT64_C(86400000000);
	}
	return false;
}

/* "256M/1s", or "none" */
static int parse_quota(const char *text, struct policy_damon_wish *wish, struct tm_error *err)
{
	const char *slash = text ? strchr(text, '/') : NULL;
	char *amount;
	uint64_t us;
	int rc;

	wish->quota_bytes = POLICY_DAMON_QUOTA;
	wish->quota_ms = POLICY_DAMON_QUOTA_MS;
	if (!text)
		return 0;
	if (!strcmp(text, "none")) {
		wish->quota_bytes = wish->quota_ms = 0;
		return 0;
	}
	amount = strndup(text, slash ? (size_t)(slash - text) : strlen(text));
	if (!amount)
		return tm_error_nomem(err);
	rc = slash ? tm_parse_amount(amount, 1024, &wish->quota_bytes) : -EINVAL;
	free(amount);
	if (rc || !wish->quota_bytes || !parse_time(slash + 1, strlen(slash + 1), &us) ||
	    us % 1000) {
		tm_error_set(err, EINVAL,
			     "--quota: '%.100s' is not of the form BYTES/INTERVAL, such as 256M/1s",
			     text);
		tm_error_hint(err, "the interval is in whole milliseconds; none sets no limit");
		return -EINVAL;
	}
	wish->quota_ms = us / 1000;
	return 0;
}

/* "5ms/100ms/1s"; the kernel's own where it is not given. */
static int parse_intervals(const char *text, struct policy_damon_wish *wish, struct tm_error *err)
{
	uint64_t *const parts[] = { &wish->sample_us, &wish->aggregation_us, &wish->update_us };
	size_t nr = 0;

	wish->sample_us = 5000;
	wish->aggregation_us = 100000;
	wish->update_us = 1000000;
	for (const char *at = text; at; nr++) {
		const char *end = strchrnul(at, '/');

		if (nr == TM_ARRAY_SIZE(parts) || !parse_time(at, (size_t)(end - at), parts[nr]))
			nr = TM_ARRAY_SIZE(parts) + 1;
		if (nr > TM_ARRAY_SIZE(parts))
			break;
		at = *end ? end + 1 : NULL;
	}
	if (text && nr != TM_ARRAY_SIZE(parts))
		return tm_error_set(err, EINVAL,
				    "--interval: '%.100s' is not of the form "
				    "SAMPLE/AGGREGATION/UPDATE, such as 5ms/100ms/1s",
				    text);
	if (wish->sample_us > wish->aggregation_us || wish->aggregation_us > wish->update_us)
		return tm_error_set(
			err, EINVAL,
			"--interval: '%.100s': samples are taken within an aggregation, "
			"and that within an update",
			text);
	return 0;
}

/* By its path below the mount point, or with that; the kernel's name begins with a slash. */
static int parse_cgroup(const char *text, struct policy_damon_wish *wish, struct tm_error *err)
{
	const char *path = text;
	struct tm_buf name = TM_BUF_INIT;
	size_t len;

	if (!text)
		return 0;
	for (size_t i = 0; i < TM_ARRAY_SIZE(cgroup_mounts) && path == text; i++) {
		len = strlen(cgroup_mounts[i]);
		if (!strncmp(text, cgroup_mounts[i], len) && (text[len] == '/' || !text[len]))
			path = text + len;
	}
	path += strspn(path, "/");
	len = strlen(path);
	while (len && path[len - 1] == '/')
		len--;
	tm_buf_addc(&name, '/');
	tm_buf_add(&name, path, len);
	if (!len || strchr(path, '\n') || strstr(tm_buf_str(&name), "/..") || strstr(path, "//")) {
		tm_buf_release(&name);
		tm_error_set(err, EINVAL, "--cgroup: '%.100s' is not the path of a control group",
			     text);
		tm_error_hint(err, "such as system.slice/db.service");
		return -EINVAL;
	}
	wish->cgroup = tm_buf_detach(&name);
	return wish->cgroup ? 0 : tm_error_nomem(err);
}

static int by_source(const void *a, const void *b)
{
	const struct policy_damon_route *x = a, *y = b;

	return x->from != y->from ? x->from - y->from : x->hot - y->hot;
}

int policy_damon_parse(const struct app *app, struct policy_damon_wish *wish, struct tm_error *err)
{
	int rc = parse_routes(app, "cold", false, wish, err);

	if (!rc)
		rc = parse_routes(app, "hot", true, wish, err);
	if (!rc && !wish->nr) {
		rc = tm_error_set(err, EINVAL, "start: needs --cold, --hot, or both");
		tm_error_hint(err, "--cold 0:1 moves cold memory of node 0 to node 1");
	}
	if (!rc)
		rc = parse_quota(app_option(app, "quota"), wish, err);
	if (!rc)
		rc = parse_intervals(app_option(app, "interval"), wish, err);
	if (!rc)
		rc = parse_cgroup(app_option(app, "cgroup"), wish, err);
	if (!rc)
		qsort(wish->routes, wish->nr, sizeof(*wish->routes), by_source);
	return rc;
}

void policy_damon_release(struct policy_damon_wish *wish)
{
	free(wish->routes);
	free(wish->cgroup);
	*wish = (struct policy_damon_wish){ 0 };
}
