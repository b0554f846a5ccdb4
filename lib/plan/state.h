/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folder in which locks and journals lie. Internal to lib/plan. */
#ifndef TM_PLAN_STATE_H
#define TM_PLAN_STATE_H

#include "lib/sys/root.h"

/* Opens it, and makes it when told to. It must be this user's own. */
int tm_state_folder(const struct tm_root *root, bool make, struct tm_error *err);

#endif
