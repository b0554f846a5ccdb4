/* SPDX-License-Identifier: GPL-2.0-only */
/* What the subcommands of `tiermem policy` share. */
#ifndef CMD_POLICY_VIEW_H
#define CMD_POLICY_VIEW_H

#include "cmd/policy.h"
#include "cmd/settings.h"
#include "lib/model/damon.h"
#include "lib/model/policy.h"
#include "lib/out/field.h"

/* What each of them reads first. */
struct policy_view {
	struct tm_root root;
	struct tm_machine machine;
	struct tm_tier_policy policy;
};

/* 0 or -errno. policy_view_release frees, also after a failure. */
int policy_view_read(struct policy_view *view, const char *root, struct tm_error *err);
void policy_view_release(struct policy_view *view);

/* "yes", "no", "unknown" */
const char *policy_answer(enum tm_answer active);

/* Adds all records with the usual columns. 0 or -errno. */
int policy_add_table(const struct app *app, const struct tm_field *fields, size_t nr_fields,
		     const void *records, size_t nr, size_t size, struct tm_buf *out,
		     struct tm_error *err);

/* Where `rc` is 0, what is in `out` becomes *text, which the caller frees. Releases `out`. */
int policy_take_text(struct tm_buf *out, int rc, char **text, struct tm_error *err);

/*
 * policy-set.c: settings of the policy that shut each other out, or are shut out by what stays as
 * it is: -EINVAL. 0; -ENOMEM.
 */
int policy_check(const struct settings *settings, const struct tm_root *root, struct tm_error *err);

/* policy-show.c: of struct tm_policy_node. */
extern const struct tm_field policy_node_fields[];
extern const size_t policy_nr_node_fields;

/* policy-json.c: the tiermem.policy/1 document; the caller frees it. */
int policy_json(const struct policy_view *view, const struct tm_damon *damon, char **text,
		struct tm_error *err);

#endif
