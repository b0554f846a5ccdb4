/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Migration between tiers: Documentation/ABI/testing/sysfs-kernel-mm-numa, admin-guide/sysctl/
 * {kernel,vm}.rst, and what the scheduler shows in debugfs.
 */
#include <stdint.h>

#include "lib/knob/rows.h"

#define SCAN "sys/kernel/debug/sched/numa_balancing/"

/* The sysctl takes 4 as well, which means nothing. */
static const struct tm_knob_word balancing_words[] = {
	{ "off", "0", "no page is moved for being used from afar" },
	{ "normal", "1", "pages move to the node that uses them, also up a tier, unlimited" },
	{ "tiering", "2", "hot pages move up to the top tier, within the rate limit" },
	{ "both", "3", "both at once" },
	{ NULL, NULL, NULL },
};

static const struct tm_knob_word reclaim_words[] = {
	{ "off", "0", "a full node gives way to the next one" },
	{ "clean", "1", "a full node first drops clean cache" },
	{ NULL, NULL, NULL },
};

const struct tm_knob tm_knob_rows_policy[] = {
	{
		.name = "demotion",
		.path = "sys/kernel/mm/numa/demotion_enabled",
		.form = TM_FORM_BOOL,
		.help = "reclaim moves cold pages down a tier rather than out",
	},
	{
		.name = "numa-balancing",
		.path = "proc/sys/kernel/numa_balancing",
		.form = TM_FORM_NUMBER,
		.words = balancing_words,
		.max = 3,
		.help = "which pages the kernel moves to where they are used",
	},
	{
		.name = "promote-rate-limit",
		.path = "proc/sys/kernel/numa_balancing_promote_rate_limit_MBps",
		.form = TM_FORM_NUMBER,
		.min = 1,
		.max = UINT32_MAX,
		.scale = 1 << 20,
		.help = "how much may move up to a node in a second, with numa-balancing=tiering",
	},
	{
		.name = "hot-threshold",
		.path = SCAN "hot_threshold_ms",
		.form = TM_FORM_NUMBER,
		.min = 1,
		.max = UINT32_MAX,
		.unit = "ms",
		.help = "how soon after it was unmapped a page must be used to count as hot, to begin with",
	},
	{
		.name = "scan-delay",
		.path = SCAN "scan_delay_ms",
		.form = TM_FORM_NUMBER,
		.max = UINT32_MAX,
		.unit = "ms",
		.help = "how long a new process is left alone",
	},
	{
		.name = "scan-period-min",
		.path = SCAN "scan_period_min_ms",
		.form = TM_FORM_NUMBER,
		.min = 1,
		.max = UINT32_MAX,
		.unit = "ms",
		.help = "the shortest time in which a process is scanned once",
	},
	{
		.name = "scan-period-max",
		.path = SCAN "scan_period_max_ms",
		.form = TM_FORM_NUMBER,
		.min = 1,
		.max = UINT32_MAX,
		.unit = "ms",
		.help = "the longest time in which a process is scanned once",
	},
	{
		.name = "scan-size",
		.path = SCAN "scan_size_mb",
		.form = TM_FORM_NUMBER,
		.min = 1,
		.max = UINT32_MAX,
		.scale = 1 << 20,
		.help = "how much is unmapped in one go",
	},
	{
		.name = "zone-reclaim-mode",
		.path = "proc/sys/vm/zone_reclaim_mode",
		.form = TM_FORM_NUMBER,
		.words = reclaim_words,
		.max = 7,
		.help = "whether a full node reclaims before memory of another is taken",
	},
	{
		.name = "watermark-scale-factor",
		.path = "proc/sys/vm/watermark_scale_factor",
		.form = TM_FORM_NUMBER,
		.min = 1,
		.max = 3000,
		.unit = "ten-thousandths",
		.help = "how much memory kswapd keeps free, and so how early it demotes",
	},
	{ .name = NULL },
};
