#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Kinds of machines that are out there, by the numbers under which the project lists them: each with its captured machine,
# and with others of the kind.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

mkdir "$tmp/json"

# look NAME: what follows is about the captured machine
look()
{
	root=$(machine "$1")
	name=$1
	take
}

# variant NAME: the same for one whose manifest is on standard input
variant()
{
	root=$tmp/variants/$1
	name=$1
	mkdir -p "$tmp/variants"
	cat >"$root.manifest"
	tests/machines/unpack "$root.manifest" "$root" || exit
	take
}

take()
{
	tiermem --root "$root" topology --json
	cp "$out_file" "$tmp/json/$name"
	is "$name: read without a word" "$status $err" '0 '
}

# json_is WHAT FILTER WANTED
json_is()
{
	is "$name: $1" "$(jq -c "$2" "$tmp/json/$name")" "$3"
}

# codes WANTED: the problems there are, and no other
codes()
{
	json_is 'problems' '[.problems[].code]' "$1"
}

# columns COLUMNS WANTED: raw cells
columns()
{
	tiermem --root "$root" topology --raw --noheadings -o "$1"
	is "$name: $1" "$out" "$2"
}

two_sockets='include common/kernel
include common/node
use kernel release=6.16.9-amd64 host=two-sockets
use cpus online=0-7
use nodes possible=0-1 online=0-1 cpu=0-1 memory=0-1 normal=0-1
use node id=0 cpus=0-3 bits=8 total=33554432 free=1048576 distance="10 21"
use node id=1 cpus=4-7 bits=8 total=33554432 free=1048576 distance="21 10"
use tier id=4 nodes=0-1
for n 0-1 use weight node=<n> value=1'

# 7. Two-level memory: a side cache, and 0 for every figure
look two-level-memory
codes '["not-provided"]'
columns NODE,R-MB/s,W-MB/s,R-NS,W-NS,CACHES '0 - - - - 96G
1 - - - - 96G'
variant two-level-memory-with-weights <<END
$two_sockets
for n 0-1 use performance target=<n> initiators=<n> bandwidth=0 latency=0
for n 0-1 use side_cache node=<n> size=103079215104
use weight_auto value=true
END
codes '["not-provided"]'
json_is 'never 0' '[.nodes[].performance[][]] | any(. == 0)' 'true'
json_is 'but for the initiator' '[.nodes[].performance[] | del(.initiator)[]] | any(. == 0)' 'false'
variant side-cache-of-unknown-size <<END
$two_sockets
for n 0-1 use performance target=<n> initiators=<n> bandwidth=1000 latency=100
use side_cache node=0 size=0 line_size=0 indexing=7 write_policy=x
END
json_is 'its cache' '.nodes[0].memory_side_caches[0] | [.size_bytes, .size_bytes_reason, .line_size_bytes, .indexing, .write_policy]' \
	'[null,"not-provided",null,null,null]'

# 8. The best initiator in access0 is a generic one: access1 is what counts
look generic-initiator
codes '["generic-initiator-best"]'
columns NODE,R-MB/s,R-NS,FROM '0 204800 100 0
1 - - -
2 204800 100 2'
variant generic-initiator-alone <<END
$two_sockets
use nodes possible=0-2 online=0-2 cpu=0-1 memory=0-1 normal=0-1 initiator=2
use node id=0 cpus=0-3 bits=8 total=33554432 free=1048576 distance="10 21 12"
use node id=1 cpus=4-7 bits=8 total=33554432 free=1048576 distance="21 10 31"
use node id=2 bits=8 total=0 free=0 distance="12 31 10"
for n 0-1 use access class=0 target=<n> initiators=2 read_bandwidth=900000 write_bandwidth=900000 read_latency=9 write_latency=9
END
columns NODE,R-MB/s,FROM '0 - -
1 - -
2 - -'
json_is 'its figures are there all the same' '[.nodes[].performance[] | [.initiator, .read_latency_ns]]' '[[2,9],[2,9]]'

# 9. access1 without access0; bandwidth without latency
look access1-only
codes '[]'
columns NODE,R-MB/s,R-NS '0 204800 100
1 25600 -'

# 11. One column of distances for each online node
look offline-node
codes '[]'
columns NODE,DISTANCES '0 0:10,2:20,3:30
2 0:20,2:10,3:25
3 0:30,2:25,3:10'
variant sparse-nodes <<'END'
include common/kernel
include common/node
use kernel release=6.12.43-amd64 host=sparse
use nodes possible=0-1,8,255 online=0,8,255 cpu=0 memory=0,8,255 normal=0
use cpus online=0-3
use node id=0 cpus=0-3 bits=4 total=33554432 free=1048576 distance="10 40 80"
use node id=8 bits=4 total=33554432 free=1048576 distance="40 10 81"
use node id=255 bits=4 total=33554432 free=1048576 distance="80 81 10"
END
columns NODE,DISTANCES,KIND '0 0:10,8:40,255:80 dram
8 0:40,8:10,255:81 unknown
255 0:80,8:81,255:10 unknown'
variant too-many-distances <<END
$two_sockets
sys/devices/system/node/node0/distance = 10 21 31
sys/devices/system/node/node1/distance = 256 10
END
columns NODE,DISTANCES '0 bad
1 bad'
json_is 'problems' '[.problems[] | select(.code == "distance-malformed").nodes]' '["0-1"]'

# 12. CPUs without memory, memory without CPUs: neither is CXL, nor slow, for that
look cpu-only-and-hbm
codes '[]'
columns NODE,KIND,CPUS,TIER,TOTAL '0 dram 0-7 4 67644686336
1 unknown 8-15 - 0
2 hbm - 1 17179869184'
variant memory-of-another-node <<'END'
include common/kernel
include common/node
use kernel release=6.16.9-amd64 host=apart
use nodes possible=0-3 online=0-3 cpu=0 memory=1-3 normal=1
use cpus online=0-7
use node id=0 cpus=0-7 bits=8 total=0 free=0 distance="10 11 13 14"
use node id=1 bits=8 total=33554432 free=1048576 distance="11 10 15 15"
use node id=2 bits=8 total=16777216 free=1048576 distance="13 15 10 15"
use node id=3 bits=8 total=16777216 free=1048576 distance="14 15 15 10"
use performance target=1 initiators=0 bandwidth=204800 latency=100
use performance target=2 initiators=0 bandwidth=819200 latency=130
use performance target=3 initiators=0 bandwidth=25600 latency=300
use tier id=1 nodes=2
use tier id=4 nodes=1
use tier id=86 nodes=3
END
# What is slower than DRAM, and nothing says why, is called nothing.
columns NODE,KIND '0 unknown
1 dram
2 hbm
3 unknown'
codes '[]'

# 13. Distances that depend on the direction, and 255: as they are
look asymmetric
codes '["distance-asymmetric","distance-unreachable"]'
tiermem --root "$root" topology --matrix
like "$name: printed as they are" "$out" $'\n +0 +10 +21 240 +31\n +1 +21 +10 +21 255\n +2 230 +21 +10 +21\n'

# 16. Tiers by number; CXL in DRAM's tier
look tier-order
json_is 'order' '[.tiers[].id]' '[4,22,35,100]'
look cxl-in-dram-tier
json_is 'warned' '.problems[] | select(.code == "cxl-in-dram-tier") | [.severity, .nodes]' '["warning","1"]'

# 17. A memdev's numa_node is not where its memory is
look memdev-node
codes '[]'
json_is 'nodes of the devices, and of their memory' '[[.cxl.memdevs[].numa_node], [.cxl.dax[].target_node]]' '[[2,null],[4,5]]'
tiermem --root "$root" topology --tree
like "$name: the tree leads to node 4" "$out" $'\nmem0 .*, near node2\n.*\n +`-node4 .*\nmem1 .*\n +`-node5 '

# 18. Windows without devices make possible nodes that are none
look empty-windows
codes '["window-unpopulated"]'
columns NODE '0
1'
variant one-empty-window <<'END'
include two-tier/manifest
use cxl_window id=2 start=0xd080000000 size=0x4000000000 targets=53
sys/devices/system/node/possible = 0-4
END
json_is 'problem' '.problems[] | [.code, .severity, .nodes, .message]' \
	'["window-unpopulated","note","4","the CXL window decoder0.2 is unpopulated: it can count as a possible node without being one"]'
tiermem --root "$root" topology --tree
like "$name: in the tree" "$out" $'\ndecoder0.2 +256G window, unpopulated'

# 20. Two memdevs below one port, links in circles, and a file that must not be touched
look one-switch
codes '[]'
ln -s ../../../bus/cxl/devices "$root/sys/devices/platform/ACPI0017:00/again"
ln -s . "$root/sys/bus/cxl/devices/port9"
ln -s ../devices "$root/sys/bus/cxl/devices/endpoint9"
ln -s endpoint8 "$root/sys/bus/cxl/devices/endpoint8"
for shape in --json --tree --matrix; do
	run traced open,openat,openat2,creat timeout 10 "$TIERMEM" --root "$root" topology "$shape"
	is "$name: ends with $shape" "$status" 0
	is "$name: flush is not opened with $shape" "$(grep -c flush "$tmp/strace")" 0
done
tiermem --root "$root" topology --tree
is "$name: both devices are in the tree" "$(grep -c '^mem[01] ' "$out_file")" 2

# 21. Movable-only nodes, memory that is partly online, and less than a block of it
look partly-online
codes '["memory-partly-online"]'
columns NODE,ZONES,BLOCKS '0 DMA,DMA32,Normal 64/64
1 Movable 8/512
2 Normal 1/1'
json_is 'in words' '.problems[0].message' '"node 1: only 8 of its 512 memory blocks are online"'
tiermem --root "$root" topology --blocks --raw --noheadings -o NODE,BLOCKS
is "$name: the same when each block is asked" "$out" '0 64/64
1 8/512
2 1/1'
variant one-block-offline <<'END'
include two-tier/manifest
sys/devices/system/memory/memory300/state = offline
sys/devices/system/memory/memory301/state = going-offline
END
tiermem --root "$root" topology --blocks --json
is "$name: found when each block is asked" "$(jq -c '.problems[] | [.code, .nodes]' <"$out_file")" '["memory-partly-online","2"]'
is "$name: going offline is not offline yet" "$(jq -c '.nodes[2].blocks' <"$out_file")" \
	'{"total":64,"online":63,"source":"state"}'
cp "$out_file" "$tmp/json/blocks"

# 27. What may not be read, what is not there, and what this kernel lacks are three things
look denied
codes '["unreadable"]'
columns NODE,TIER,WEIGHT,R-NS '0 4 28 100
1 denied denied denied'
tiermem --root "$(machine weight-file-missing)" topology --raw --noheadings -o WEIGHT
is 'not there' "$out" '1
-'
tiermem --root "$(machine laptop)" topology --raw --noheadings -o WEIGHT
is 'this kernel lacks it' "$out" 'n/a'

# 30. A link below its maximum, QoS classes that differ, CXL memory in ZONE_NORMAL: each with a hint
for case in link-degraded qos-class-mismatch cxl-zone-normal; do
	look "$case"
	json_is 'problem' '[.problems[] | .code, .severity, .nodes, (.hint | length > 20)]' "[\"$case\",\"warning\",\"1\",true]"
done
variant link-slow-only <<'END'
include one-switch/manifest
sys/devices/pci0000:35/0000:35:01.0/0000:36:00.0/0000:37:01.0/0000:39:00.0/current_link_speed = 2.5 GT/s PCIe
END
json_is 'problem' '[.problems[] | .code, .nodes, .message]' \
	'["link-degraded","1","mem1 (0000:39:00.0): its link runs below what it could: 2.5 of 32.0 GT/s"]'
variant link-unknown <<'END'
include one-switch/manifest
sys/devices/pci0000:35/0000:35:01.0/0000:36:00.0/0000:37:01.0/0000:39:00.0/current_link_speed = Unknown
sys/devices/pci0000:35/0000:35:01.0/0000:36:00.0/0000:37:01.0/0000:39:00.0/current_link_width = 0
sys/devices/pci0000:35/0000:35:01.0/0000:36:00.0/0000:37:00.0/0000:38:00.0/max_link_width = 255
END
codes '[]'
json_is 'unknown, not 0' '[.cxl.memdevs[] | .link_speed_mtps, .link_width, .link_max_width]' '[32000,8,null,null,null,8]'

# 32. A weight that auto has left behind
look stale-weights
json_is 'problem' '.problems[] | [.code, .nodes]' '["stale-weights","0-2"]'
variant weights-by-hand <<'END'
include stale-weights/manifest
use weight_auto value=false
END
codes '[]'
variant weights-fresh <<'END'
include stale-weights/manifest
use weight node=0 value=19
use weight node=1 value=2
use weight node=2 value=9
END
codes '[]'

ok 'every document keeps to its schema' tests/validate "$tmp"/json/*

done_testing
