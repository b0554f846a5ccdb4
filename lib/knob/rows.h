/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of the settings. Internal to lib/knob. */
#ifndef TM_KNOB_ROWS_H
#define TM_KNOB_ROWS_H

#include "lib/knob/knob.h"

/* Each ends with a row without a name. */
extern const struct tm_knob tm_knob_rows_weights[];
extern const struct tm_knob tm_knob_rows_thp[];
extern const struct tm_knob tm_knob_rows_mthp[];
extern const struct tm_knob tm_knob_rows_policy[];

#endif
