#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Machines that other projects have captured. They are not part of this tree: TIERMEM_FIELD_DATA names the folder that has
# them in machines/. The values were read off the files by hand.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=tests/machines/field.sh
. "$top/tests/machines/field.sh"

field_available || skip_all 'TIERMEM_FIELD_DATA names no folder with machines'
mkdir "$tmp/field" "$tmp/json"
field_unpack "$tmp/field" || exit
seen=()

# look ARCHIVE: what follows is about this one
look()
{
	local shape

	name=$1
	root=$tmp/field/$1
	seen+=("$1")
	for shape in '' --tree --matrix --blocks --verbose '--json --blocks' --json; do
		# shellcheck disable=SC2086
		tiermem --root "$root" topology $shape
		is "$name: read without a word $shape" "$status $err" '0 '
	done
	json=$tmp/json/$name
	cp "$out_file" "$json"
}

# json_is WHAT FILTER WANTED: null is "?", an empty text "-"
json_is()
{
	is "$name: $1" "$(jq -r "def cell: if . == null then \"?\" elif . == \"\" then \"-\" else tostring end;
		def line: map(cell) | join(\" \"); $2" <"$json")" "$3"
}

# Each node: id, kind, CPUs, total and free kB
nodes()
{
	json_is 'nodes' '.nodes[] | [.id, .kind, .cpus, .memory_total_bytes / 1024, .memory_free_bytes / 1024] | line' "$1"
}

distances()
{
	json_is 'distances' '.nodes[] | [.id, (.distances[])] | line' "$1"
	json_is 'to whom' '[.nodes[] | .distances | keys | map(tonumber) | sort] | unique | .[] | line' "${2-$(jq -r '[.nodes[].id] | join(" ")' <"$json")}"
}

# Each row of figures: target, class, initiator, MB/s, ns; reading and writing are alike in all of these
# shellcheck disable=SC2016
figures()
{
	json_is 'figures' '.nodes[] | .id as $id | .performance[] |
		[$id, .class, .initiator, .read_bandwidth_mbps, .read_latency_ns] | line' "$1"
	json_is 'writing as reading' '[.nodes[].performance[] | select(.read_bandwidth_mbps != .write_bandwidth_mbps or
		.read_latency_ns != .write_latency_ns)] | length' 0
}

dax()
{
	json_is 'dax' '.cxl.dax[] | [.name, .kind, .driver, .target_node, .numa_node] | line' "$1"
	json_is 'no CXL' '[.cxl | .memdevs, .ports, .decoders, .regions | length] | line' '0 0 0 0'
}

problems()
{
	json_is 'problems' '.problems[] | [.code, .severity, .nodes] | line' "$1"
}

# None of these has tiers, weights or zones.
no_tiering()
{
	json_is 'no tiers, weights and zones' '[.tiers, .weight_mode, ([.nodes[] | .tier, .weight, .zones] | all(. == null))] | line' \
		'? unsupported true'
}

look hwloc-48amd64-4pa2n6c-sparse
nodes '0 dram 0-5 8386460 8108428
1 dram 6-11 16777216 16498452
2 dram 12-17 8388608 8005212
33 dram 18-23 16777216 16476596
34 dram 24-29 8388608 8219716
45 dram 30-35 16777216 16498640
72 dram 36-41 8388608 8222316
73 dram 42-47 16777216 16478272'
distances '0 10 16 16 22 16 22 16 22
1 16 10 22 16 16 22 22 16
2 16 22 10 16 16 16 16 16
33 22 16 16 10 16 16 22 22
34 16 16 16 16 10 16 16 22
45 22 22 16 16 16 10 22 16
72 16 22 16 22 16 22 10 16
73 22 16 16 22 22 16 16 10'
json_is 'node lists' '[.possible_nodes, .online_nodes, .memory_nodes, .kernel] | line' \
	'0-2,33-34,45,72-73 0-2,33-34,45,72-73 0-2,33-34,45,72-73 ?'
figures ''
dax ''
no_tiering
problems 'no-performance note 0-2,33-34,45,72-73'

look hwloc-fakeheteromemtiers
json_is 'nodes' '.nodes[] | [.id, .kind, .cpus, .memory_total_bytes / 1024, .blocks.total] | line' '0 dram 0-1 3005392 24
1 dram 2-3 1002460 8
2 hbm 4-5 524288 4
4 hbm - 524288 4
6 pmem - 393216 3
8 pmem - 393216 3
9 pmem - 393216 3'
distances '0 10 20 20 20 20 20 20
1 20 10 20 20 20 20 20
2 20 20 10 20 20 20 20
4 20 20 20 10 20 20 20
6 20 20 20 20 10 20 20
8 20 20 20 20 20 10 20
9 20 20 20 20 20 20 10'
json_is 'node lists' '[.possible_nodes, .online_nodes, .memory_nodes, .kernel] | line' '0-9 0-2,4,6,8-9 0-2,4,6,8-9 5.18.0-rc4'
figures '0 access1 0 1000 ?
1 access1 1 1000 ?
2 access1 2 10000 ?
4 access1 1 10000 ?
6 access1 1 100 ?
8 access1 0 100 ?
9 access1 2 100 ?'
json_is 'why no latency' '[.nodes[].performance[].read_latency_ns_reason] | unique | line' not-provided
dax 'dax0.0 reserved device_dax 3 0
dax1.0 reserved kmem 4 1
dax2.0 reserved device_dax 5 1
dax3.0 reserved kmem 2 2
dax5.0 pmem kmem 6 0
dax6.0 pmem device_dax 7 2
dax7.0 pmem kmem 8 0
dax8.0 pmem kmem 9 2'
no_tiering
problems ''

look 'hwloc-fakememinitiators-1np2c+1npp+gi'
json_is 'nodes' '.nodes[] | [.id, .kind, .cpus, .memory_total_bytes / 1024, .blocks.total, .generic_initiator] | line' \
	'0 unknown 0-1 0 ? false
1 unknown 2-3 0 ? false
2 unknown 4-5 0 ? false
3 unknown 6-7 0 ? false
4 unknown - 0 ? true
5 dram - 97447340 48 false
6 dram - 99090348 49 false
7 pmem - 778043392 371 false
8 dram - 97542052 48 false
9 dram - 99051020 48 false
10 pmem - 780140544 372 false'
distances '0 10 21 13 21 12 11 14 17 21 21 28
1 21 10 21 13 31 21 21 28 11 14 17
2 13 21 10 21 12 14 11 17 21 21 28
3 21 13 21 10 31 21 21 28 14 11 17
4 12 31 12 31 10 15 15 13 31 31 13
5 11 21 14 21 15 10 13 17 21 21 28
6 14 21 11 21 15 13 10 17 21 21 28
7 17 28 17 28 13 17 17 10 28 28 28
8 21 11 21 14 31 21 21 28 10 13 17
9 21 14 21 11 31 21 21 28 13 10 17
10 28 17 28 17 13 28 28 28 17 17 10'
json_is 'memory nodes' '.memory_nodes' 5-10
figures '5 access0 4 419431 8
5 access1 0 131072 26
6 access0 4 419431 8
6 access1 2 131072 26
7 access0 4 8192 8
7 access1 0 78644 77
7 access1 2 78644 77
8 access0 1 131072 26
8 access1 1 131072 26
9 access0 3 131072 26
9 access1 3 131072 26
10 access0 1 78644 77
10 access0 3 78644 77
10 access1 1 78644 77
10 access1 3 78644 77'
tiermem --root "$root" topology --raw --noheadings -o NODE,R-MB/s,R-NS,FROM
is "$name: the table has what CPUs get" "$(tail -n 6 "$out_file")" '5 131072 26 0
6 131072 26 2
7 78644 77 0,2
8 131072 26 1
9 131072 26 3
10 78644 77 1,3'
dax 'dax0.0 pmem kmem 7 4
dax1.0 pmem kmem 10 4'
no_tiering
problems 'generic-initiator-best note 5-7'

look hwloc-memorysidecaches
json_is 'nodes' '.nodes[] | [.id, .kind, .memory_total_bytes / 1024, .blocks.total] | line' '0 dram 388492316 ?
1 dram 390163848 135
2 dram 390163840 ?
3 dram 390162812 378'
for node in 0 1 2 3; do
	json_is "CPUs of node $node" ".nodes[$node].cpus" "$(seq -s , "$node" 4 79)"
done
distances '0 10 21 11 21
1 21 10 21 11
2 11 21 10 21
3 21 11 21 10'
figures '0 access0 0 ? ?
1 access0 1 ? ?
2 access0 2 ? ?
3 access0 3 ? ?'
json_is 'caches' '.nodes[] | .memory_side_caches[] | [.level, .size_bytes, .line_size_bytes, .indexing, .write_policy] | line' \
	'1 103079215104 64 direct-mapped write-back
1 103079215104 64 direct-mapped write-back
1 103079215104 64 direct-mapped write-back
1 103079215104 64 direct-mapped write-back'
json_is 'kernel' '.kernel' 5.3.0-rc7
no_tiering
problems 'not-provided note 0-3'

look hwloc-nvidiagpunumanodes
json_is 'nodes' '.nodes[] | [.id, .kind, .cpus, .memory_total_bytes / 1024] | line' '0 dram 0-15 129839104
8 dram 88-103 133952000
250 unknown - 15728640
251 unknown - 15728640
252 unknown - 15728640
253 unknown - 15728640
254 unknown - 15728640
255 unknown - 15728640'
json_is 'free memory of 250-255' '[.nodes[2:][].memory_free_bytes / 1024] | unique | line' 15728576
distances '0 10 40 80 80 80 80 80 80
8 40 10 80 80 80 80 80 80
250 80 80 10 80 80 80 80 80
251 80 80 80 10 80 80 80 80
252 80 80 80 80 10 80 80 80
253 80 80 80 80 80 10 80 80
254 80 80 80 80 80 80 10 80
255 80 80 80 80 80 80 80 10'
json_is 'node lists' '[.possible_nodes, .online_nodes] | line' '0,8,250-255 0,8,250-255'
figures ''
no_tiering
problems 'no-performance warning 0,8,250-255'

look hwloc-offline-cpu0-node0
nodes '1 dram 5,7,9,11,13,15,17,19 67108864 57913400'
# Two columns though one node is online: they are those of the possible nodes, where the own one is the 10.
distances '1 10'
json_is 'node lists' '[.possible_nodes, .online_nodes, .memory_nodes] | line' '0-1 1 1'
figures ''
no_tiering
problems ''

look pcp-sysfs-numa-001
json_is 'nodes' '.nodes[] | [.id, .kind, .cpus, .memory_total_bytes / 1024, .blocks.total] | line' '0 dram 0-1 1030924 8
1 dram 2-3 1031416 8
2 dram 4-5 965616 8
3 dram 6-7 1006408 8'
distances '0 10 20 20 20
1 20 10 20 20
2 20 20 10 20
3 20 20 20 10'
json_is 'block size and kernel' '[.memory_block_size_bytes, .kernel, .kernel_reason] | line' '134217728 ? absent'
tiermem --root "$root" topology --blocks --raw --noheadings -o NODE,BLOCKS
is "$name: blocks" "$out" '0 8/8
1 8/8
2 8/8
3 8/8'
figures ''
no_tiering
problems 'no-performance note 0-3'

look utillinux-lsmem-x86_64-16g
json_is 'no node is invented' '[(.nodes | length), .possible_nodes, .online_nodes, .memory_nodes, .kernel] | line' '0 ? ? ? ?'
json_is 'block size' '.memory_block_size_bytes' 134217728
no_tiering
problems 'no-nodes warning -'

is 'every archive was read' "$(printf '%s\n' "${seen[@]}" | sort)" "$(field_names | sort)"
ok 'every document keeps to its schema' tests/validate "$tmp"/json/*

done_testing
