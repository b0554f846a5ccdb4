/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Migration between tiers: Documentation/ABI/testing/sysfs-kernel-mm-numa, admin-guide/sysctl/
 * {kernel,vm}.rst, and what the scheduler shows in debugfs.
 */
#include <stdint.h>

#include "lib/knob/rows.h"

#define SCAN "sys/kernel/debug/sched/numa_balancing/"

/*
 * The kernel turns MiB into pages of 4 KiB in 32 bits, and takes more than this all the same: the
 * rate limit comes out as nothing, and a scan size that does is divided by.
 */
#define MIB_MAX ((1u << 24) - 1)

/* The sysctl takes 4 as well, which means nothing. */
static const struct tm_knob_word balancing_words[] = {
	{ "off", "0", "no page moves to where it is used" },
	{ "normal", "1", "pages move to where they are used, unlimited" },
	{ "tiering", "2", "hot pages move up, within the rate limit" },
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
		.help = "reclaim moves cold pages down a tier",
	},
	{
		.name = "numa-balancing",
		.path = "proc/sys/kernel/numa_balancing",
		.form = TM_FORM_NUMBER,
		.words = balancing_words,
		.max = 3,
		.help = "which pages move to where they are used",
	},
	{
		.name = "promote-rate-limit",
		.path = "proc/sys/kernel/numa_balancing_promote_rate_limit_MBps",
		.form = TM_FORM_NUMBER,
		.min = 1,
		.max = MIB_MAX,
		.scale = 1 << 20,
		.help = "a second, up to each node, by tiering",
	},
	{
		.name = "hot-threshold",
		.path = SCAN "hot_threshold_ms",
		.form = TM_FORM_NUMBER,
		.min = 1,
		.max = UINT32_MAX,
		.unit = "ms",
		.help = "used again so soon, a page counts as hot",
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
		.help = "shortest time to scan a process once",
	},
	{
		.name = "scan-period-max",
		.path = SCAN "scan_period_max_ms",
		.form = TM_FORM_NUMBER,
		.min = 1,
		.max = UINT32_MAX,
		.unit = "ms",
		.help = "longest time to scan a process once",
	},
	{
		.name = "scan-size",
		.path = SCAN "scan_size_mb",
		.form = TM_FORM_NUMBER,
		.min = 1,
		.max = MIB_MAX,
		.scale = 1 << 20,
		.help = "how much of it is scanned in one go",
	},
	{
		.name = "zone-reclaim-mode",
		.path = "proc/sys/vm/zone_reclaim_mode",
		.form = TM_FORM_NUMBER,
		.words = reclaim_words,
		.max = 7,
		.help = "whether a full node reclaims first",
	},
	{
		.name = "watermark-scale-factor",
		.path = "proc/sys/vm/watermark_scale_factor",
		.form = TM_FORM_NUMBER,
		.min = 1,
		.max = 3000,
		.unit = "ten-thousandths",
		.help = "how early reclaim begins",
	},
	{ .name = NULL },
};
