/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/knob/weights.h"

void tm_knob_weight(char path[TM_PATH_MAX], int node)
{
	(void)tm_path_format(path, TM_WEIGHTS_FOLDER "/node%d", node);
}

void tm_knob_weight_switch(char path[TM_PATH_MAX], const char *name)
{
	(void)tm_path_format(path, TM_WEIGHTS_FOLDER "/%s", name);
}
