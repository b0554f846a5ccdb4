/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A list of wanted settings, and the plan that makes them so: for `mthp set`, `policy set`, presets
 * and profiles alike. Order within the plan, and settings that shut each other out, are known here
 * only.
 */
#ifndef CMD_SETTINGS_H
#define CMD_SETTINGS_H

#include "lib/knob/knob.h"
#include "lib/model/thp.h"
#include "lib/plan/plan.h"

struct wanted {
	const struct tm_knob *knob;
	long instance;
	char *value; /* normal */
};

struct settings {
	struct wanted *list;
	size_t nr, cap;
};

void settings_release(struct settings *settings);

/*
 * Adds one by the user's word. Errors: -ENOTSUP (this machine has no such setting; the text names
 * the kernel that brings it, where that is known), -EACCES and others from reading it, -EBADMSG
 * (its file is not of the documented form), -EINVAL (no value for it), -EEXIST (wanted before, with
 * another value).
 */
int settings_want(struct settings *settings, const struct tm_root *root, const struct tm_knob *knob,
		  long instance, const char *word, struct tm_error *err);

/*
 * Adds them to the plan in an order that the kernel takes. What the kernel would not take back is
 * added as lasting. Errors: -EINVAL where they shut each other out, or are shut out by what stays
 * as it is; else as tm_plan_add.
 */
int settings_plan(const struct settings *settings, const struct tm_root *root, struct tm_plan *plan,
		  struct tm_error *err);

/* "numa-balancing", "64K enabled", "top defrag": for messages. */
void settings_name(const struct tm_knob *knob, long instance, struct tm_buf *name);

/* What is wanted of one setting, or NULL. */
struct wanted *settings_find(const struct settings *settings, const struct tm_knob *knob,
			     long instance);

/* settings-thp.c: what the settings of huge pages ask of each other. */
struct settings_thp {
	const struct tm_knob *top; /* shared memory of all sizes */
	bool first, last;	   /* that one is written before, or after, those of the sizes */
	bool forced;		   /* it says "force", and goes on to */
	bool odd;		   /* a state in which the kernel would refuse "force" */
};

/* -EINVAL where the kernel would refuse what is wanted. */
int settings_thp_order(const struct settings *settings, const struct tm_thp *thp,
		       struct settings_thp *order, struct tm_error *err);

/* Why a wanted one could not be taken back; NULL: it can. */
const char *settings_thp_lasting(const struct settings_thp *order, const struct tm_thp *thp,
				 const struct wanted *wanted);

#endif
