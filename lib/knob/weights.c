/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/knob/weights.h"

#include "lib/knob/rows.h"

const struct tm_knob tm_knob_rows_weights[] = {
	{
		.name = "weight",
		.path = TM_WEIGHTS_FOLDER "/node%ld",
		.form = TM_FORM_NUMBER,
		.min = 1,
		.max = 255,
		.since = "6.9",
		.help = "how many pages in a row this node gets by weighted interleave",
	},
	{ .name = NULL },
};

void tm_knob_weight(char path[TM_PATH_MAX], int node)
{
	tm_knob_path(&tm_knob_rows_weights[0], node, path);
}

void tm_knob_weight_switch(char path[TM_PATH_MAX], const char *name)
{
	(void)tm_path_format(path, TM_WEIGHTS_FOLDER "/%s", name);
}
