/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem bench`: the benchmarks by which tiering changes are judged. */
#include "cmd/bench/bench.h"

static const struct command *const benchmarks[] = {
	&bench_bandwidth_command, &bench_latency_command, &bench_lookup_command,
	&bench_fault_command,	  &bench_cow_command,	  &bench_clear_command,
	&bench_migrate_command,	  &bench_report_command,  NULL,
};

const struct command bench_command = {
	.name = "bench",
	.summary = "measure memory and page migration, and report",
	.synopsis = "BENCHMARK [option...]",
	.description =
		"Measures this machine: what each memory gives to each node's CPUs, and what "
		"page faults, copies, clearing and migration cost. Every benchmark warms up, "
		"repeats, and tells the median and the spread, together with how it was "
		"measured: CPUs, nodes, the page size that was got, settings, kernel and "
		"compiler. Memory is looked for after it was placed: where it is not as asked "
		"for, the figures are marked.\n"
		"\n"
		"Settings that a benchmark needs, such as pools of huge pages, are made by one "
		"plan and put back at the end, also after Ctrl-C. After a SIGKILL `tiermem "
		"recover` does it.",
	.examples = "tiermem bench bandwidth  # each memory from each node with CPUs\n"
		    "tiermem bench latency --loaded --svg latency.svg\n"
		    "tiermem bench fault --shared --each-size\n"
		    "tiermem bench report before.json after.json --compare\n",
	.group = "Measure",
	.subcommands = benchmarks,
};
