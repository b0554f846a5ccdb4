/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of `tiermem policy damon`, and what `policy show` needs of it. */
#ifndef CMD_POLICY_DAMON_H
#define CMD_POLICY_DAMON_H

#include "cmd/command.h"
#include "lib/model/damon.h"
#include "lib/model/machine.h"
#include "lib/plan/journal.h"

/*
 * Reads DAMON, and whose its kdamonds are: those that `policy damon start` began are ours. 0 or
 * -ENOMEM; what cannot be read says so in its state. tm_damon_release() frees.
 */
int policy_damon_read(struct tm_damon *damon, const struct tm_root *root, struct tm_error *err);

/* The rest is for cmd/policy-damon*.c. */

/* The journal of `start`, which outlives other plans: what was written, and what it started. */
#define POLICY_DAMON_RECORD "damon.started"
#define POLICY_DAMON_TITLE "policy damon start"

#define POLICY_DAMON_QUOTA (UINT64_C(256) << 20)
#define POLICY_DAMON_QUOTA_MS 1000

struct policy_damon_route {
	bool hot; /* migrate_hot; else migrate_cold */
	int from, to;
};

/* What the options of `start` say. */
struct policy_damon_wish {
	struct policy_damon_route *routes; /* sorted by source node, cold before hot */
	size_t nr, cap;
	uint64_t quota_bytes, quota_ms; /* 0: no limit */
	uint64_t sample_us, aggregation_us, update_us;
	char *cgroup; /* as the kernel names it, "/a/b"; NULL: all memory */
};

/* -EINVAL: a usage error; -ENOMEM. */
int policy_damon_parse(const struct app *app, struct policy_damon_wish *wish, struct tm_error *err);
void policy_damon_release(struct policy_damon_wish *wish);

/*
 * Checks the wish against the machine, and makes the plan of it. -EINVAL: a usage error; -ENOTSUP:
 * this kernel or machine lacks it; else as tm_plan_add. `plan` is initialised, and its owner the
 * caller.
 */
int policy_damon_plan(const struct app *app, const struct policy_damon_wish *wish,
		      const struct tm_root *root, const struct tm_machine *m, struct tm_plan *plan,
		      struct tm_error *err);

/* -ENOTSUP or -EACCES where the kernel has no DAMON for us to use; else 0. */
int policy_damon_usable(const struct tm_damon *damon, const struct tm_machine *m,
			struct tm_error *err);

/* Exit codes. */
int policy_damon_status(struct app *app, const struct tm_root *root, const struct tm_machine *m);
int policy_damon_stop(struct app *app, const struct tm_root *root, const struct tm_machine *m);

#endif
