/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sound two-tier machine as small as can be: node 0 DRAM (1 GiB, CPUs 0-3), node 1 a CXL expander
 * (512 MiB, movable), with everything that tiermem reads and nothing to complain of. Tests break
 * one thing in it; the fuzzer breaks several.
 */
#ifndef TESTS_UNIT_EXPANDER_H
#define TESTS_UNIT_EXPANDER_H

#define NODE "sys/devices/system/node"
#define BLOCK "sys/devices/system/memory"
#define TIERING "sys/devices/virtual/memory_tiering"
#define WEIGHTS "sys/kernel/mm/mempolicy/weighted_interleave"
#define CXL "sys/bus/cxl/devices"
#define DAX "sys/bus/dax/devices"
#define ROOT0 "sys/devices/platform/ACPI0017:00/root0"
#define PORT1 ROOT0 "/port1"
#define ENDPOINT2 PORT1 "/endpoint2"
#define REGION0 ROOT0 "/decoder0.0/region0"
#define DAX0 REGION0 "/dax_region0/dax0.0"
#define PCI "sys/devices/pci0000:35/0000:35:01.0/0000:36:00.0"

#define PERFORMANCE(node, access, bandwidth, latency)                                             \
	{ NODE "/" node "/" access "/initiators/read_bandwidth", bandwidth "\n", NULL },          \
		{ NODE "/" node "/" access "/initiators/write_bandwidth", bandwidth "\n", NULL }, \
		{ NODE "/" node "/" access "/initiators/read_latency", latency "\n", NULL },      \
		{ NODE "/" node "/" access "/initiators/write_latency", latency "\n", NULL },     \
	{                                                                                         \
		NODE "/" node "/" access "/initiators/node0", NULL, "../../../node0"              \
	}

#define ON_BUS(bus, name, place)                      \
	{                                             \
		bus "/" name, NULL, "../../../" place \
	}

#define MEMORY_BLOCK(node, block)                                    \
	{ BLOCK "/" block "/state", "online\n", NULL },              \
	{                                                            \
		NODE "/" node "/" block, NULL, "../../memory/" block \
	}

/* clang-format off */
#define EXPANDER_ZONEINFO							\
	"Node 0, zone   Normal\n"						\
	"  per-node stats\n"							\
	"      nr_inactive_anon 17\n"						\
	"  pages free     200000\n"						\
	"        boost    0\n"							\
	"        min      5632\n"						\
	"        low      7040\n"						\
	"        high     8448\n"						\
	"        promo    9856\n"						\
	"        spanned  262144\n"						\
	"        present  262144\n"						\
	"        managed  258048\n"						\
	"        cma      0\n"							\
	"        protection: (0, 0, 0)\n"					\
	"      nr_free_pages 200000\n"						\
	"  pagesets\n"								\
	"    cpu: 0\n"								\
	"              count:    12\n"						\
	"              high:     100\n"						\
	"              batch:    63\n"						\
	"  node_unreclaimable:  0\n"						\
	"  start_pfn:           4096\n"						\
	"Node 0, zone  Movable\n"						\
	"  pages free     0\n"							\
	"        min      0\n"							\
	"        spanned  0\n"							\
	"        present  0\n"							\
	"        managed  0\n"							\
	"        protection: (0, 0, 0)\n"					\
	"Node 1, zone   Normal\n"						\
	"  pages free     0\n"							\
	"        min      0\n"							\
	"        spanned  0\n"							\
	"        present  0\n"							\
	"        managed  0\n"							\
	"        protection: (0, 1024, 0)\n"					\
	"Node 1, zone  Movable\n"						\
	"  per-node stats\n"							\
	"      nr_inactive_anon 0\n"						\
	"  pages free     130000\n"						\
	"        boost    0\n"							\
	"        min      0\n"							\
	"        spanned  131072\n"						\
	"        present  131072\n"						\
	"        managed  131072\n"						\
	"        cma      0\n"							\
	"        protection: (0, 0, 0)\n"					\
	"  pagesets\n"								\
	"    cpu: 0\n"								\
	"              count:    0\n"						\
	"  node_unreclaimable:  0\n"						\
	"  start_pfn:           1048576\n"

static const struct tree_entry expander[] = {
	{ "proc/sys/kernel/osrelease", "6.16.9-test\n", NULL },
	{ "proc/sys/kernel/hostname", "expander\n", NULL },
	{ "proc/sys/kernel/random/boot_id", "7f0c3a52-5d0e-4b7e-9c1f-2b8f6c1d9e40\n", NULL },
	{ "proc/zoneinfo", EXPANDER_ZONEINFO, NULL },
	{ "sys/devices/system/cpu/online", "0-3\n", NULL },
	{ NODE "/possible", "0-1\n", NULL },
	{ NODE "/online", "0-1\n", NULL },
	{ NODE "/has_cpu", "0\n", NULL },
	{ NODE "/has_memory", "0-1\n", NULL },
	{ NODE "/has_normal_memory", "0\n", NULL },
	{ NODE "/has_generic_initiator", "\n", NULL },
	{ NODE "/node0/cpumap", "f\n", NULL },
	{ NODE "/node0/cpulist", "0-3\n", NULL },
	{ NODE "/node0/distance", "10 14\n", NULL },
	{ NODE "/node0/meminfo", "Node 0 MemTotal:        1032192 kB\n"
				 "Node 0 MemFree:          800000 kB\n", NULL },
	{ NODE "/node1/cpumap", "0\n", NULL },
	{ NODE "/node1/cpulist", "\n", NULL },
	{ NODE "/node1/distance", "14 10\n", NULL },
	{ NODE "/node1/meminfo", "Node 1 MemTotal:         524288 kB\n"
				 "Node 1 MemFree:          520000 kB\n", NULL },
	PERFORMANCE("node0", "access0", "204800", "100"),
	PERFORMANCE("node0", "access1", "204800", "100"),
	PERFORMANCE("node1", "access0", "25600", "240"),
	PERFORMANCE("node1", "access1", "25600", "240"),
	{ NODE "/node0/memory_side_cache/index1/size", "1073741824\n", NULL },
	{ NODE "/node0/memory_side_cache/index1/line_size", "64\n", NULL },
	{ NODE "/node0/memory_side_cache/index1/indexing", "0\n", NULL },
	{ NODE "/node0/memory_side_cache/index1/write_policy", "0\n", NULL },
	{ BLOCK "/block_size_bytes", "8000000\n", NULL },
	MEMORY_BLOCK("node0", "memory0"),
	MEMORY_BLOCK("node0", "memory1"),
	MEMORY_BLOCK("node0", "memory2"),
	MEMORY_BLOCK("node0", "memory3"),
	MEMORY_BLOCK("node0", "memory4"),
	MEMORY_BLOCK("node0", "memory5"),
	MEMORY_BLOCK("node0", "memory6"),
	MEMORY_BLOCK("node0", "memory7"),
	MEMORY_BLOCK("node1", "memory32"),
	MEMORY_BLOCK("node1", "memory33"),
	MEMORY_BLOCK("node1", "memory34"),
	MEMORY_BLOCK("node1", "memory35"),
	{ TIERING "/memory_tier4/nodelist", "0\n", NULL },
	{ TIERING "/memory_tier86/nodelist", "1\n", NULL },
	{ WEIGHTS "/auto", "true\n", NULL },
	{ WEIGHTS "/node0", "28\n", NULL },
	{ WEIGHTS "/node1", "3\n", NULL },

	ON_BUS(CXL, "root0", "devices/platform/ACPI0017:00/root0"),
	{ ROOT0 "/uport", NULL, "../../ACPI0017:00" },
	{ ROOT0 "/decoders_committed", "0\n", NULL },
	ON_BUS(CXL, "decoder0.0", "devices/platform/ACPI0017:00/root0/decoder0.0"),
	{ ROOT0 "/decoder0.0/start", "0x100000000\n", NULL },
	{ ROOT0 "/decoder0.0/size", "0x20000000\n", NULL },
	{ ROOT0 "/decoder0.0/interleave_ways", "1\n", NULL },
	{ ROOT0 "/decoder0.0/interleave_granularity", "256\n", NULL },
	{ ROOT0 "/decoder0.0/target_list", "53\n", NULL },
	{ ROOT0 "/decoder0.0/qos_class", "0\n", NULL },
	{ ROOT0 "/decoder0.0/locked", "0\n", NULL },
	ON_BUS(CXL, "port1", "devices/platform/ACPI0017:00/root0/port1"),
	{ PORT1 "/uport", NULL, "../../../../pci0000:35" },
	{ PORT1 "/decoders_committed", "1\n", NULL },
	ON_BUS(CXL, "decoder1.0", "devices/platform/ACPI0017:00/root0/port1/decoder1.0"),
	{ PORT1 "/decoder1.0/start", "0x100000000\n", NULL },
	{ PORT1 "/decoder1.0/size", "0x20000000\n", NULL },
	{ PORT1 "/decoder1.0/interleave_ways", "1\n", NULL },
	{ PORT1 "/decoder1.0/interleave_granularity", "256\n", NULL },
	{ PORT1 "/decoder1.0/target_list", "1\n", NULL },
	{ PORT1 "/decoder1.0/locked", "0\n", NULL },
	{ PORT1 "/decoder1.0/region", "region0\n", NULL },
	ON_BUS(CXL, "endpoint2", "devices/platform/ACPI0017:00/root0/port1/endpoint2"),
	{ ENDPOINT2 "/uport", NULL, "../../../../../pci0000:35/0000:35:01.0/0000:36:00.0/mem0" },
	{ ENDPOINT2 "/decoders_committed", "1\n", NULL },
	ON_BUS(CXL, "decoder2.0", "devices/platform/ACPI0017:00/root0/port1/endpoint2/decoder2.0"),
	{ ENDPOINT2 "/decoder2.0/start", "0x100000000\n", NULL },
	{ ENDPOINT2 "/decoder2.0/size", "0x20000000\n", NULL },
	{ ENDPOINT2 "/decoder2.0/interleave_ways", "1\n", NULL },
	{ ENDPOINT2 "/decoder2.0/interleave_granularity", "256\n", NULL },
	{ ENDPOINT2 "/decoder2.0/locked", "0\n", NULL },
	{ ENDPOINT2 "/decoder2.0/mode", "ram\n", NULL },
	{ ENDPOINT2 "/decoder2.0/dpa_resource", "0x0\n", NULL },
	{ ENDPOINT2 "/decoder2.0/dpa_size", "0x0000000020000000\n", NULL },
	{ ENDPOINT2 "/decoder2.0/region", "region0\n", NULL },
	ON_BUS(CXL, "mem0", "devices/pci0000:35/0000:35:01.0/0000:36:00.0/mem0"),
	{ PCI "/current_link_speed", "32.0 GT/s PCIe\n", NULL },
	{ PCI "/max_link_speed", "32.0 GT/s PCIe\n", NULL },
	{ PCI "/current_link_width", "8\n", NULL },
	{ PCI "/max_link_width", "8\n", NULL },
	{ PCI "/mem0/serial", "0x5a\n", NULL },
	{ PCI "/mem0/firmware_version", "1.4.2\n", NULL },
	{ PCI "/mem0/numa_node", "0\n", NULL },
	{ PCI "/mem0/ram/size", "0x20000000\n", NULL },
	{ PCI "/mem0/ram/qos_class", "0\n", NULL },
	{ PCI "/mem0/pmem/size", "0x0\n", NULL },
	ON_BUS(CXL, "region0", "devices/platform/ACPI0017:00/root0/decoder0.0/region0"),
	{ REGION0 "/mode", "ram\n", NULL },
	{ REGION0 "/uuid", "\n", NULL },
	{ REGION0 "/resource", "0x100000000\n", NULL },
	{ REGION0 "/size", "0x20000000\n", NULL },
	{ REGION0 "/interleave_ways", "1\n", NULL },
	{ REGION0 "/interleave_granularity", "256\n", NULL },
	{ REGION0 "/commit", "1\n", NULL },
	{ REGION0 "/target0", "decoder2.0\n", NULL },
	ON_BUS(DAX, "dax0.0",
	       "devices/platform/ACPI0017:00/root0/decoder0.0/region0/dax_region0/dax0.0"),
	{ DAX0 "/driver", NULL, "../../../../../../../../bus/dax/drivers/kmem" },
	{ "sys/bus/dax/drivers/kmem", NULL, NULL },
	{ DAX0 "/target_node", "1\n", NULL },
	{ DAX0 "/numa_node", "0\n", NULL },
	{ DAX0 "/size", "536870912\n", NULL },
	{ DAX0 "/resource", "0x100000000\n", NULL },
};
/* clang-format on */

#endif
