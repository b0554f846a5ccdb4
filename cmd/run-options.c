/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/run-view.h"

/* Far above any memory, and far below where sums could overflow. */
#define LARGE_MAX (1ULL << 60)

static const struct {
	const char *option;
	enum tm_policy policy;
} modes[] = {
	{ "weighted", TM_POLICY_WEIGHTED_INTERLEAVE },
	{ "interleave", TM_POLICY_INTERLEAVE },
	{ "bind", TM_POLICY_BIND },
	/* Of one node only it becomes TM_POLICY_PREFERRED, which all kernels have. */
	{ "preferred", TM_POLICY_PREFERRED_MANY },
};

static int exclude(const struct app *app, const char *option, const char *other,
		   struct tm_error *err)
{
	return app_option(app, option) && app_option(app, other) ?
		       tm_error_set(err, EINVAL, "--%s: not together with --%s", other, option) :
		       0;
}

static int parse_mode(struct run *run, struct tm_error *err)
{
	const char *given = NULL;

	run->policy = TM_POLICY_WEIGHTED_INTERLEAVE;
	for (size_t i = 0; i < TM_ARRAY_SIZE(modes); i++) {
		if (!app_option(run->app, modes[i].option))
			continue;
		if (given)
			return exclude(run->app, given, modes[i].option, err);
		given = modes[i].option;
		run->policy = modes[i].policy;
	}
	return 0;
}

/* Options that would have no effect are refused. */
static int check_sense(const struct run *run, struct tm_error *err)
{
	static const char *const weighted[] = { "weights", "fallback" };
	static const char *const filters[] = { "tiers", "kind", "all" };
	const struct app *app = run->app;
	int rc = 0;

	for (size_t i = 0; i < TM_ARRAY_SIZE(weighted) && !rc; i++)
		if (app_option(app, weighted[i]) && run->policy != TM_POLICY_WEIGHTED_INTERLEAVE)
			rc = tm_error_set(err, EINVAL, "--%s: is for weighted interleave",
					  weighted[i]);
	for (size_t i = 0; i < TM_ARRAY_SIZE(filters) && !rc; i++)
		rc = exclude(app, "nodes", filters[i], err);
	if (!rc && app_option(app, "accept") && !app_option(app, "weights"))
		rc = tm_error_set(err, EINVAL,
				  "--accept: only with --weights, which sets something");
	if (!rc && (app->raw || app->noheadings))
		rc = tm_error_set(err, EINVAL, "--%s: only with --show, which prints a table",
				  app->raw ? "raw" : "noheadings");
	return rc;
}

/* "5,1": 1 to 255 each. */
static int parse_weights(struct run *run, const char *list, struct tm_error *err)
{
	size_t nr = 1;

	for (const char *s = list; *s; s++)
		nr += *s == ',';
	run->weights = calloc(nr, sizeof(*run->weights));
	if (!run->weights)
		return tm_error_nomem(err);
	for (const char *item = list;; item++) {
		size_t len = strcspn(item, ",");
		unsigned weight = 0;

		for (size_t i = 0; i < len && weight <= TM_WEIGHT_MAX; i++)
			weight = isdigit((unsigned char)item[i]) ?
					 weight * 10 + (unsigned)(item[i] - '0') :
					 TM_WEIGHT_MAX + 1;
		if (weight < 1 || weight > TM_WEIGHT_MAX)
			return tm_error_set(err, EINVAL,
					    "--weights: '%.*s' is not a weight from 1 to %d",
					    (int)TM_MIN(len, (size_t)100), item, TM_WEIGHT_MAX);
		run->weights[run->nr_weights++] = weight;
		item += len;
		if (!*item)
			return 0;
	}
}

bool run_parse_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	const char *unit, *s = text;
	unsigned shift = 0;
	uint64_t n = 0;

	for (; isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n))
			return false;
	if (s == text)
		return false;
	if (*s) {
		unit = strchr(units, toupper((unsigned char)*s));
		if (!unit || s[1])
			return false;
		shift = 10 * (unsigned)(unit - units + 1);
	}
	if (n > LARGE_MAX >> shift)
		return false;
	*bytes = n << shift;
	return true;
}

int run_parse(struct run *run, struct tm_error *err)
{
	const char *weights = app_option(run->app, "weights");
	const char *large = app_option(run->app, "large");
	int rc = parse_mode(run, err);

	if (!rc)
		rc = check_sense(run, err);
	if (!rc && weights)
		rc = parse_weights(run, weights, err);
	if (rc || !large)
		return rc;
	if (!run_parse_size(large, &run->large))
		return tm_error_set(err, EINVAL,
				    "--large: '%.100s' is not a size such as 512K, 16M or 1G",
				    large);
	if (run->large < (uint64_t)sysconf(_SC_PAGESIZE))
		return tm_error_set(err, EINVAL,
				    "--large: '%.100s' is less than a page (%ld bytes)", large,
				    sysconf(_SC_PAGESIZE));
	return 0;
}
