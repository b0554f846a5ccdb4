/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A list of wanted settings, and the plan that makes them so: for `mthp set`, `policy set`, presets
 * and profiles alike. Order within the plan, and settings that shut each other out, are known here
 * only.
 */
#ifndef CMD_SETTINGS_H
#define CMD_SETTINGS_H

#include "lib/knob/knob.h"
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
 * the kernel that brings it, where that is known), -EACCES and others from reading it, -EINVAL
 * (no value for it), -EEXIST (wanted before, with another value).
 */
int settings_want(struct settings *settings, const struct tm_root *root, const struct tm_knob *knob,
		  long instance, const char *word, struct tm_error *err);

/*
 * Adds them to the plan in an order that the kernel takes. Errors: -EINVAL where they shut each
 * other out, or out with what stays as it is; else as tm_plan_add.
 */
int settings_plan(const struct settings *settings, const struct tm_root *root, struct tm_plan *plan,
		  struct tm_error *err);

/* "numa-balancing", "64K enabled": for messages. */
void settings_name(const struct tm_knob *knob, long instance, struct tm_buf *name);

#endif
