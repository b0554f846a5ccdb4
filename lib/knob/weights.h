/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the weights of weighted interleave are (Documentation/ABI/testing/sysfs-kernel-mm-
 * mempolicy-weighted-interleave).
 */
#ifndef TM_KNOB_WEIGHTS_H
#define TM_KNOB_WEIGHTS_H

#include "lib/sys/root.h"

#define TM_WEIGHTS_FOLDER "sys/kernel/mm/mempolicy/weighted_interleave"

/* A node's file: 1 to 255. */
void tm_knob_weight(char path[TM_PATH_MAX], int node);
/* The automatic switch, by the name it has on this kernel. */
void tm_knob_weight_switch(char path[TM_PATH_MAX], const char *name);

#endif
