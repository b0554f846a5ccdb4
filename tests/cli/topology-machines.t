#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What `tiermem topology` says of each machine in tests/machines. The values in here were written by hand, after the
# comment at the head of each manifest; the golden outputs are for people to look at.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

mkdir "$tmp/json"
seen=()

# The three shapes of text, one after the other; called by run
# shellcheck disable=SC2317
shapes()
{
	local shape

	for shape in '' ' --tree' ' --matrix'; do
		printf '\n$ tiermem topology%s\n' "$shape"
		# shellcheck disable=SC2086
		"$TIERMEM" --root "$1" topology $shape ${shape:+-q} || return
	done
}

# read_machine NAME: what follows is about this one
read_machine()
{
	local root wanted

	name=$1
	seen+=("$name")
	json=$tmp/json/$name
	root=$(machine "$name")
	if [[ $name != hostile ]]; then
		run shapes "$root"
		golden "topology-$name"
	fi
	tiermem --root "$root" topology --json
	cp "$out_file" "$json"
	is "$name: read without a word" "$status $err" '0 '
	wanted=$(sed -n 's/^# problems: //p' "tests/machines/$name/manifest" | tr ' ' '\n' | sort | tr '\n' ' ')
	[[ $wanted != 'any ' ]] || return
	is "$name: which problems" "$(jq -r '[.problems[].code] | sort | .[] + " "' <"$json" | tr -d '\n')" "${wanted/none /}"
}

# json_is WHAT FILTER WANTED: of the machine's document; null is "?", an empty text "-"
json_is()
{
	is "$name: $1" "$(jq -r "def cell: if . == null then \"?\" elif . == \"\" then \"-\" else tostring end;
		def line: map(cell) | join(\" \"); $2" <"$json")" "$3"
}

# Each node: id, kind, tier, CPUs, weight, memory in kB, zones
nodes()
{
	json_is 'nodes' '.nodes[] | [.id, .kind, .tier, .cpus, .weight, (.memory_total_bytes | if . then . / 1024 else . end),
		(if .zones then [.zones[].name] | join(",") else null end)] | line' "$1"
}

# jq has variables of its own.
# shellcheck disable=SC2016
# Each row of figures: target, class, initiator, MB/s of reading and writing, ns of reading and writing
figures()
{
	json_is 'figures' '.nodes[] | .id as $id | .performance[] | [$id, .class, .initiator, .read_bandwidth_mbps,
		.write_bandwidth_mbps, .read_latency_ns, .write_latency_ns] | line' "$1"
}

distances()
{
	json_is 'distances' '.nodes[] | [.id, (.distances | if . then to_entries[] | "\(.key):\(.value)" else . end)] | line' "$1"
}

# shellcheck disable=SC2016
# Each way from a memory device: memdev, endpoint, decoder, region, dax, node
ways()
{
	json_is 'ways' '.cxl as $c | $c.memdevs[] | . as $m |
		[$c.decoders[] | select(.port == $m.endpoint and .size_bytes > 0)] | .[] | . as $d |
		([$c.regions[] | select(.name == $d.region)][0]) as $r |
		([$c.dax[] | select($r != null and .region == $r.name)][0]) as $x |
		[$m.name, $m.endpoint, $d.name, $r.name, $x.name, $x.target_node] | line' "$1"
}

problems()
{
	json_is 'problems' '.problems[] | [.code, .severity, .nodes] | line' "$1"
}

one_expander='0 access0 0 204800 204800 100 100
0 access1 0 204800 204800 100 100'
beyond='1 access0 ? 25600 25600 240 240
1 access1 ? 25600 25600 240 240'

read_machine two-tier
nodes '0 dram 4 0-31 14 264015360 DMA,DMA32,Normal
1 dram 4 32-63 14 264228000 Normal
2 cxl 79 - 1 134217728 Movable
3 cxl 79 - 1 134217728 Movable'
figures '0 access0 0 215040 215040 110 110
0 access1 0 215040 215040 110 110
1 access0 1 215040 215040 110 110
1 access1 1 215040 215040 110 110
2 access0 0 25600 25600 231 231
2 access1 0 25600 25600 231 231
3 access0 1 25600 25600 231 231
3 access1 1 25600 25600 231 231'
distances '0 0:10 1:21 2:14 3:24
1 0:21 1:10 2:24 3:14
2 0:14 1:24 2:10 3:26
3 0:24 1:14 2:26 3:10'
ways 'mem0 endpoint3 decoder3.0 region0 dax0.0 2
mem1 endpoint4 decoder4.0 region1 dax1.0 3'
json_is 'tiers' '.tiers[] | [.id, .nodes] | line' '4 0-1
79 2-3'
json_is 'devices behind nodes' '.nodes[] | [.id, .cxl.memdevs[], .cxl.regions[], .cxl.dax[]] | line' '0
1
2 mem0 region0 dax0.0
3 mem1 region1 dax1.0'
json_is 'memdevs' '.cxl.memdevs[] | [.name, .pci, .serial, .firmware_version, .numa_node, .ram_size_bytes, .pmem_size_bytes,
	.ram_qos_class, .pmem_qos_class, .link_speed_mtps, .link_max_speed_mtps, .link_width, .link_max_width] | line' \
	'mem0 0000:36:00.0 0x5a00000000000000 1.4.2 0 137438953472 0 0 ? 32000 32000 8 8
mem1 0000:af:00.0 0x5a00000000000001 1.4.2 1 137438953472 0 0 ? 32000 32000 8 8'
json_is 'ports' '.cxl.ports[] | [.name, .kind, .parent, .device, .decoders_committed] | line' \
	'endpoint3 endpoint port1 mem0 1
endpoint4 endpoint port2 mem1 1
port1 switch root0 pci0000:35 1
port2 switch root0 pci0000:ae 1
root0 root ? ACPI0017:00 0'
json_is 'windows' '.cxl.decoders[] | select(.kind == "root") |
	[.name, .port, .start, .size_bytes, .interleave_ways, .interleave_granularity_bytes, .target_list, .qos_class, .locked] |
	line' 'decoder0.0 root0 551903297536 137438953472 1 256 53 0 0
decoder0.1 root0 689342251008 137438953472 1 256 174 0 0'
json_is 'endpoint decoders' '.cxl.decoders[] | select(.kind == "endpoint") |
	[.name, .port, .start, .size_bytes, .region, .mode, .dpa_start, .dpa_size_bytes] | line' \
	'decoder3.0 endpoint3 551903297536 137438953472 region0 ram 0 137438953472
decoder3.1 endpoint3 0 0 ? none ? 0
decoder4.0 endpoint4 689342251008 137438953472 region1 ram 0 137438953472
decoder4.1 endpoint4 0 0 ? none ? 0'
json_is 'regions' '.cxl.regions[] | [.name, .decoder, .mode, .start, .size_bytes, .interleave_ways,
	.interleave_granularity_bytes, .commit, .targets[], .dax[]] | line' \
	'region0 decoder0.0 ram 551903297536 137438953472 1 256 1 decoder3.0 dax0.0
region1 decoder0.1 ram 689342251008 137438953472 1 256 1 decoder4.0 dax1.0'
json_is 'dax' '.cxl.dax[] | [.name, .kind, .region, .driver, .target_node, .numa_node, .start, .size_bytes] | line' \
	'dax0.0 cxl-ram region0 kmem 2 0 551903297536 137438953472
dax1.0 cxl-ram region1 kmem 3 1 689342251008 137438953472'
json_is 'blocks' '.nodes[].blocks | [.total, .online] | line' '128 128
128 128
64 64
64 64'
json_is 'free memory' '.nodes[] | .memory_free_bytes / 1024' '166007360
208000000
132000000
134216000'

read_machine access1-only
nodes '0 dram 4 0-15 28 66059264 DMA,DMA32,Normal
1 cxl 86 - 3 33554432 Movable'
figures '0 access1 0 204800 204800 100 100
1 access1 ? 25600 25600 ? ?'
json_is 'why' '.nodes[1].performance[] | [.read_latency_ns_reason, .complete] | line' 'not-provided true'

read_machine asymmetric
distances '0 0:10 1:21 2:240 3:31
1 0:21 1:10 2:21 3:255
2 0:230 1:21 2:10 3:21
3 0:31 1:240 2:21 3:10'
problems 'distance-asymmetric note 0-3
distance-unreachable note 1'

read_machine auto-type
json_is 'weights' '[.weight_mode, .nodes[].weight] | line' 'auto 28 3'
json_is 'no further node' '[.nodes[].id] | line' '0 1'

read_machine bad-distance
distances '0 0:10 1:20 2:20 3:20
1 ?
2 ?
3 ?'
json_is 'why' '.nodes[] | [.distances_reason] | line' '?
malformed
malformed
malformed'
json_is 'kinds and CPUs' '.nodes[] | [.id, .kind, .cpus] | line' '0 dram 0-3
1 dram 4-7
2 dram 8-11
3 dram 12-15'
problems 'distance-malformed warning 1-3'

read_machine cpu-only-and-hbm
nodes '0 dram 4 0-7 6 66059264 DMA,DMA32,Normal
1 unknown ? 8-15 ? 0 -
2 hbm 1 - 25 16777216 Movable'
figures '0 access0 0 204800 204800 100 100
0 access1 0 204800 204800 100 100
2 access0 0 819200 819200 130 130
2 access0 1 819200 819200 130 130
2 access1 0 819200 819200 130 130
2 access1 1 819200 819200 130 130'
json_is 'memory nodes' '.memory_nodes' '0,2'
json_is 'tiers by speed' '[.tiers[] | .id] | line' '1 4'
json_is 'device' '.cxl.dax[] | [.name, .kind, .region, .driver, .target_node] | line' 'dax0.0 reserved ? kmem 2'

read_machine cxl-in-dram-tier
nodes '0 dram 4 0-15 1 66059264 DMA,DMA32,Normal
1 cxl 4 - 1 33554432 Movable'
figures '1 access1 ? 31507 31507 ? ?'
problems 'no-performance warning 0-1
incomplete-performance note 1
cxl-in-dram-tier warning 1'

read_machine cxl-zone-normal
nodes '0 dram 4 0-15 28 66059264 DMA,DMA32,Normal
1 cxl 86 - 3 33554432 Normal'
problems 'cxl-zone-normal warning 1'

read_machine decoder-without-region
nodes '0 dram 4 0-15 1 66059264 DMA,DMA32,Normal'
ways 'mem0 endpoint2 decoder2.0 ? ? ?'
json_is 'its size' '.cxl.decoders[] | select(.name == "decoder2.0") | [.size_bytes, .dpa_size_bytes, .locked] | line' \
	'34359738368 34359738368 1'
problems 'decoder-without-region warning -'

read_machine denied
nodes '0 dram 4 0-15 28 66059264 ?
1 cxl ? - ? 33554432 ?'
figures "$one_expander
1 access0 ? 25600 25600 240 240
1 access1 ? 25600 25600 ? 240"
json_is 'why' '[.nodes[1] | .tier_reason, .weight_reason, .zones_reason, .performance[1].read_latency_ns_reason], [.tiers[1].nodes_reason],
	[.cxl.decoders[0].start_reason] | line' 'denied denied denied denied
denied
denied'

read_machine device-dax
nodes '0 dram 4 0-15 1 66059264 DMA,DMA32,Normal'
ways 'mem0 endpoint2 decoder2.0 region0 dax0.0 1'
json_is 'driver' '.cxl.dax[] | [.driver] | line' 'device_dax'
problems 'memory-offline warning 1'

read_machine empty-windows
json_is 'nodes' '[.possible_nodes, .online_nodes, (.nodes[].id)] | line' '0-5 0-1 0 1'
json_is 'bus' '[(.cxl.memdevs | length), (.cxl.regions | length), ([.cxl.decoders[] | select(.kind == "root")] | length)] | line' \
	'0 0 4'
problems 'window-unpopulated note 2-5'

read_machine fake-numa
nodes '0 dram 4 0-7 1 16492500 ?
1 dram 4 0-7 1 16492500 ?'
distances '0 0:10 1:10
1 0:10 1:10'
problems 'fake-numa warning 0-1
no-performance note 0-1'

read_machine far-faster
nodes '0 dram 4 0-15 10 66059264 DMA,DMA32,Normal
1 cxl 1 - 21 33554432 Movable'
figures "$one_expander
1 access0 ? 409600 409600 50 50
1 access1 ? 409600 409600 50 50"
problems 'far-faster-than-near warning 1'

read_machine firmware
nodes '0 dram 4 0-3 1 4000000 ?
1 unknown 60 - 1 4000000 ?
2 unknown 80 - 1 4000000 ?'
figures '0 access0 0 200000 200000 80 80
0 access1 0 200000 200000 80 80
1 access0 0 100000 100000 250 250
1 access1 0 100000 100000 250 250
2 access0 0 50000 50000 300 300
2 access1 0 50000 50000 300 300'
problems ''

read_machine generic-initiator
nodes '0 dram 4 0-7 1 65970000 ?
1 unknown ? - 1 0 ?
2 dram 4 8-15 1 65970000 ?'
figures '0 access0 1 20480 20480 10 10
0 access1 0 204800 204800 100 100
2 access0 2 204800 204800 100 100
2 access1 2 204800 204800 100 100'
json_is 'initiator and memory nodes' '[(.nodes[].generic_initiator), .memory_nodes] | line' 'false true false 0,2'
problems 'generic-initiator-best note 0'

read_machine hmat-refused
# shellcheck disable=SC2016 # jq's
json_is "figures: the firmware's only" '[.nodes[] | .id as $to | .performance[] | [.initiator, $to, .source, .read_latency_ns,
	.write_bandwidth_mbps]] | .[] | line' '0 0 hmat 95 204800
1 0 hmat 162 96000
0 1 hmat 162 96000
1 1 hmat 95 204800
0 2 hmat 240 51200
1 2 hmat 331 42000'
json_is 'domains' '[.nodes[].domain] | line' '0 1 6'
like "$name: why" "$(jq -r '.problems[] | select(.code == "hmat-refused").message' <"$json")" \
	'likely because: SRAT has no memory in proximity domain 4$'

read_machine hostile
json_is 'the sound node' '.nodes[0] | [.id, .cpus, .memory_total_bytes, (.distances | tostring)] | line' \
	'0 0-3 8589934592 {"0":10}'
json_is 'what is a node at all' '[.nodes[].id] | line' '0 1 2 3 8'
json_is 'no invented figure' '[.nodes[1:][] | .tier, .weight, .memory_total_bytes, .distances, .performance[][]?] |
	map(select(. != null)) | line' ''
json_is 'said so' '[.problems[].code] | index("malformed") != null' true

read_machine implausible
figures '0 access0 0 1790 1790 7600 7600
0 access1 0 1790 1790 7600 7600
1 access0 1 1790 1790 7600 7600
1 access1 1 1790 1790 7600 7600'
problems 'implausible-performance warning 0-1'

read_machine interleave-12way
nodes '0 dram 4 0-15 18 66059264 DMA,DMA32,Normal
1 cxl 18 - 13 201326592 Movable'
json_is 'members in order' '.cxl.regions[] | [.interleave_ways, .interleave_granularity_bytes, .targets[]] | line' \
	'12 256 decoder11.0 decoder21.0 decoder31.0 decoder12.0 decoder22.0 decoder32.0 decoder13.0 decoder23.0 decoder33.0 decoder14.0 decoder24.0 decoder34.0'
ways "$(for n in 11 12 13 14 21 22 23 24 31 32 33 34; do echo "mem$n endpoint$n decoder$n.0 region0 dax0.0 1"; done)"
json_is 'what each gives' '[.cxl.decoders[] | select(.kind == "endpoint").dpa_size_bytes] | unique | line' 17179869184
json_is 'behind the node' '.nodes[1].cxl.memdevs | length' 12

read_machine interleave-3way
nodes '0 dram 4 0-15 23 66059264 DMA,DMA32,Normal
1 cxl 28 - 8 100663296 Movable'
figures "$one_expander
1 access0 ? 76800 76800 240 240
1 access1 ? 76800 76800 240 240"
json_is 'members in order' '.cxl.regions[] | [.interleave_ways, .interleave_granularity_bytes, .targets[]] | line' \
	'3 256 decoder4.0 decoder5.0 decoder6.0'
ways 'mem0 endpoint4 decoder4.0 region0 dax0.0 1
mem1 endpoint5 decoder5.0 region0 dax0.0 1
mem2 endpoint6 decoder6.0 region0 dax0.0 1'
json_is 'window' '.cxl.decoders[0] | [.interleave_ways, .target_list] | line' '3 16,32,48'

read_machine laptop
nodes '0 dram ? 0-7 ? 16160512 DMA,DMA32,Normal'
figures ''
json_is 'what it lacks' '[.weight_mode, .nodes[0].weight_reason, .tiers, (.cxl | map(length) | add)] | line' \
	'unsupported unsupported ? 0'
json_is 'tier' '.nodes[0] | [.tier, .tier_reason] | line' '? absent'

read_machine link-degraded
json_is 'link' '.cxl.memdevs[] | [.link_speed_mtps, .link_max_speed_mtps, .link_width, .link_max_width] | line' \
	'16000 32000 4 8'
problems 'link-degraded warning 1'
json_is 'in words' '.problems[].message' \
	'mem0 (0000:36:00.0): its link runs below what it could: 16.0 of 32.0 GT/s, x4 of x8'

read_machine memdev-node
nodes '0 dram 4 0-3 1 32985000 ?
1 dram 4 4-7 1 32985000 ?
2 dram 4 8-11 1 32985000 ?
3 dram 4 12-15 1 32985000 ?
4 cxl 43 - 1 33554432 ?
5 cxl 46 - 1 33554432 ?'
json_is 'where the devices are' '.cxl.memdevs[] | [.name, .numa_node, .numa_node_reason] | line' 'mem0 2 ?
mem1 ? not-provided'
json_is 'where their memory is' '.nodes[] | [.id, .cxl.memdevs[]] | line' '0
1
2
3
4 mem0
5 mem1'

read_machine memory-offline
nodes '0 dram 4 0-15 1 66059264 DMA,DMA32,Normal
1 cxl ? - ? 0 -'
json_is 'blocks' '.nodes[1] | [.online, .blocks.total, .blocks.online] | line' 'true 16 0'
ways 'mem0 endpoint2 decoder2.0 region0 dax0.0 1'
json_is 'memory nodes' '.memory_nodes' 0
problems 'memory-offline warning 1'

read_machine no-figures
nodes '0 dram 4 0-15 1 66059264 DMA,DMA32,Normal
1 cxl 22 - 1 33554432 Movable'
figures "$one_expander
1 access1 ? 31507 31507 ? ?"
json_is 'weight mode' '.weight_mode' manual
problems 'no-performance warning 1
incomplete-performance note 1'

read_machine node-without-tier
json_is 'tier' '.nodes[] | [.tier, .tier_reason] | line' '4 ?
? absent'
figures "$one_expander
$beyond"
problems 'node-without-tier warning 1'

read_machine offline-node
json_is 'nodes' '[.possible_nodes, .online_nodes, (.nodes[] | .id, .cpus)] | line' '0-3 0,2-3 0 0-3 2 4-7 3 8-11'
distances '0 0:10 2:20 3:30
2 0:20 2:10 3:25
3 0:30 2:25 3:10'

read_machine one-switch
nodes '0 dram 4 0-15 25 66059264 DMA,DMA32,Normal
1 cxl 57 - 6 67108864 Movable'
ways 'mem0 endpoint3 decoder3.0 region0 dax0.0 1
mem1 endpoint4 decoder4.0 region0 dax0.0 1'
json_is 'ports' '.cxl.ports[] | [.name, .kind, .parent, .device] | line' 'endpoint3 endpoint port2 mem0
endpoint4 endpoint port2 mem1
port1 switch root0 pci0000:35
port2 switch port1 0000:36:00.0
root0 root ? ACPI0017:00'
json_is 'interleaving' '.cxl.regions[] | [.interleave_ways, .interleave_granularity_bytes, .targets[]] | line' \
	'2 1024 decoder3.0 decoder4.0'

read_machine partly-online
# Nothing says that node 2 is DRAM but that its figures are like it.
nodes '0 dram 4 0-7 14 8247296 DMA,DMA32,Normal
1 cxl 43 - 3 1048576 Movable
2 unknown 4 - 14 65536 Normal'
json_is 'blocks' '.nodes[] | [.blocks.total, .blocks.online] | line' '64 64
512 8
1 1'
problems 'memory-partly-online warning 1'

read_machine pmem-expander
nodes '0 dram 4 0-15 1 66059264 DMA,DMA32,Normal
1 cxl 22 - 1 15728640 Movable'
ways 'mem0 endpoint2 decoder2.0 region0 dax0.0 1'
json_is 'region' '.cxl.regions[] | [.name, .mode, .uuid, .size_bytes] | line' \
	'region0 pmem 3f8e2c4a-7d1b-4e56-9a0c-5b6d7e8f9012 17179869184'
json_is 'dax' '.cxl.dax[] | [.name, .kind, .region, .driver, .size_bytes] | line' 'dax0.0 cxl-pmem region0 kmem 17112760320'
json_is 'blocks' '.nodes[1].blocks | [.total, .online] | line' '15 15'
problems 'no-performance warning 1
incomplete-performance note 1'

read_machine possible-weights
json_is 'weights' '[.possible_nodes, .weight_mode, (.nodes[] | .id, .weight)] | line' '0-11 manual 0 1 1 1 2 1 3 1'

read_machine qos-class-mismatch
json_is 'classes' '[.cxl.memdevs[0].ram_qos_class, .cxl.decoders[0].qos_class] | line' '1 0'
problems 'qos-class-mismatch warning 1'

read_machine stale-weights
nodes '0 dram 4 0-15 28 66059264 DMA,DMA32,Normal
1 cxl 86 - 3 33554432 Movable
2 unknown 9 - 1 16777216 Movable'
problems 'stale-weights warning 0-2'
json_is 'in words' '.problems[].message' \
	"the automatic weight of nodes 0-2 is not what the kernel's rule gives now: 28:3:1 instead of 19:2:9"

read_machine thp-16k
nodes '0 dram ? 0-7 ? 16160512 ?'

read_machine thp-4k
nodes '0 dram ? 0-7 ? 16160512 DMA,DMA32,Normal'

read_machine thp-64k
nodes '0 dram ? 0-7 ? 16160512 ?'

read_machine tier-order
json_is 'tiers in order' '.tiers[] | [.id, .nodes] | line' '4 0
22 1
35 2
100 3'
nodes '0 dram 4 0-15 1 66059264 DMA,DMA32,Normal
1 cxl 22 - 1 33554432 Movable
2 cxl 35 - 1 33554432 Movable
3 cxl 100 - 1 33554432 Movable'
ways 'mem0 endpoint4 decoder4.0 region0 dax0.0 1
mem1 endpoint5 decoder5.0 region1 dax1.0 2
mem2 endpoint6 decoder6.0 region2 dax2.0 3'
problems 'no-performance warning 1
incomplete-performance note 1'

read_machine tiering
nodes '0 dram 4 0-31 14 264015360 DMA,DMA32,Normal
1 dram 4 32-63 14 264228000 Normal
2 cxl 79 - 1 134217728 Movable
3 cxl 79 - 1 134217728 Movable'
json_is 'tiers' '.tiers[] | [.id, .nodes] | line' '4 0-1
79 2-3'
problems ''

read_machine two-level-memory
nodes '0 dram ? 0,2,4,6 ? 388492316 ?
1 dram ? 1,3,5,7 ? 390163840 ?'
figures '0 access0 0 ? ? ? ?
1 access0 1 ? ? ? ?'
json_is 'why' '[.nodes[].performance[] | .read_bandwidth_mbps_reason, .write_latency_ns_reason] | unique | line' not-provided
json_is 'caches' '.nodes[] | .memory_side_caches[] | [.level, .size_bytes, .line_size_bytes, .indexing, .write_policy] | line' \
	'1 103079215104 64 direct-mapped write-back
1 103079215104 64 direct-mapped write-back'
json_is 'tiers and weights' '[.tiers_reason, .weight_mode, .nodes[].tier_reason] | line' \
	'unsupported unsupported unsupported unsupported'
problems 'not-provided note 0-1'

read_machine weight-file-missing
json_is 'weights' '[.weight_mode, (.nodes[] | .weight, .weight_reason)] | line' 'manual 1 ? ? absent'
problems 'weight-file-missing warning 1'

is 'every machine was read' "$(printf '%s\n' "${seen[@]}" | sort)" "$(tests/machines/list | sort)"
ok 'every document keeps to its schema' tests/validate "$tmp"/json/*

done_testing
