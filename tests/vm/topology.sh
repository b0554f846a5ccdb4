# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# topology-MACHINE-KERNEL.t: `tiermem topology` on a real kernel says what the machine was built with.

# shellcheck source=tests/vm/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

figures='.initiator, .read_bandwidth_mbps, .write_bandwidth_mbps, .read_latency_ns, .write_latency_ns'

# One row: initiator, read and write bandwidth, read and write latency.
sysfs_rows()
{
	printf '[.nodes[] | select(.id == %d) | .performance[] | select(.source == "sysfs" and .class == "%s") | [%s]]' \
		"$1" "$2" "$figures"
}

# own_rows NODE WANTED: what tiermem itself makes of the device's CDAT, HMAT and SRAT, beside what the kernel has and
# where that is hidden
own_rows()
{
	local file rows

	rows=".nodes[] | select(.id == $1) | .performance[]"
	for file in "$json" "$out/hidden.json"; do
		json_is "node $1: ${file##*/}: from CDAT" "$file" "[$rows | select(.source == \"cdat\") | [$figures, .complete]]" \
			"[$2]"
	done
	json_is "node $1: the kernel's own figures were hidden" "$out/hidden.json" \
		"[$rows | select(.source == \"sysfs\")]" '[]'
	valid_json "hidden.json keeps to its schema" "$out/hidden.json"
}

# What QEMU was told: "FROM TO NS MB/s" of each pair, where G is 2^30 bytes, as QEMU and the kernel have it.
told_pairs()
{
	awk -F'[=,]' '/^hmat-lb,/ {
		for (i = 2; i < NF; i += 2)
			is[$i] = $(i + 1)
		pair = is["initiator"] " " is["target"]
		if (is["data-type"] == "access-latency")
			latency[pair] = is["latency"]
		else
			bandwidth[pair] = 1024 * is["bandwidth"]
	}
	END { for (pair in latency) print pair, latency[pair], bandwidth[pair] }' "$out/qemu.command" | sort
}

matrix_as_told()
{
	json_is "the matrix in the document is as the machine was built" "$json" "[.nodes[] | .id as \$to | .performance[] |
		select(.class == \"matrix\") | [.initiator, \$to, .read_latency_ns, .write_latency_ns, .read_bandwidth_mbps,
		.write_bandwidth_mbps, .complete]] | sort" \
		"[$(told_pairs | sed 's/\(.*\) \(.*\) \(.*\) \(.*\)/[\1,\2,\3,\3,\4,\4,true]/' | paste -sd,)]"
	is "and so it is in the list" "$(awk '$NF == "hmat" { print $1, $2, $4, $5, $6, $7 }' "$out/list.txt" | sort)" \
		"$(told_pairs | awk '{ print $1, $2, $3, $3, $4, $4 }')"
	like "there are pairs" "$(told_pairs)" '^0 0 80 307200'$'\n''0 1 250 61440'
}

# rows NODE WANTED: in both classes
rows()
{
	json_is "node $1: best initiators of any kind" "$json" "$(sysfs_rows "$1" access0)" "[$2]"
	json_is "node $1: best initiators with CPUs" "$json" "$(sysfs_rows "$1" access1)" "[$2]"
}

# node N FILTER WANTED TEXT
node()
{
	json_is "node $1: $4" "$json" ".nodes[] | select(.id == $1) | $2" "$3"
}

# nodes_are "0 1 3" "0:4 1:70 3:326": those with memory, and their tiers
nodes_are()
{
	local list=${1// /,} pair id kib

	json_is "nodes with memory" "$json" '[.nodes[] | select((.memory_total_bytes // 0) > 0) | .id]' "[$list]"
	for pair in $2; do
		node "${pair%:*}" .tier "${pair#*:}" tier
		json_is "tier ${pair#*:} has node ${pair%:*}" "$json" \
			".tiers[] | select(.id == ${pair#*:}) | .nodes | tostring | test(\"${pair%:*}\")" true
	done
	while read -r id kib; do
		node "$id" .memory_total_bytes $((kib * 1024)) "total memory, as the kernel says"
	done <"$out/totals"
	for id in $1; do
		node "$id" ".distances | to_entries | map([.key, .value])" \
			"$(jq -cn "[$list] | map([tostring, if . == $id then 10 else 20 end])")" distances
	done
}

views_work()
{
	local view

	for view in topology.json plain.txt tree.txt matrix.txt verbose.txt user.json list.txt hidden.json; do
		is "$view: exit code" "$(cat "$out/$view.rc")" 0
		is "$view: no messages" "$(cat "$out/$view.err")" ""
		ok "$view: something is printed" test -s "$out/$view"
	done
	valid_json "topology.json keeps to its schema" "$json"
	valid_json "user.json keeps to its schema" "$out/user.json"
	like "the matrix has the far node's latency" "$(cat "$out/matrix.txt")" '(^|[^0-9])250([^0-9]|$)'
	json_is "the kernel's name" "$json" .kernel "\"$(cat "$out/release")\""
	json_is "no problem is an error" "$json" '[.problems[] | select(.severity == "error")]' '[]'
	json_is "an ordinary user sees the same nodes" "$out/user.json" '[.nodes[] | [.id, .tier, .weight]]' \
		"$(jq -c '[.nodes[] | [.id, .tier, .weight]]' "$json")"
}

# What all machines are built with, beside their expanders.
dram_and_far_memory()
{
	node 0 .cpus '"0-1"' CPUs
	node 0 .kind '"dram"' kind
	rows 0 '[0,307200,307200,80,80]'
	rows 1 '[0,61440,61440,250,250]'
	node 0 '[.memory_side_caches[] | .size_bytes]' '[65536]' 'side cache'
	node 1 .memory_side_caches '[]' 'no side cache'
}

weights_are()
{
	json_is "weights" "$json" '[.nodes[] | select((.memory_total_bytes // 0) > 0) | .weight]' "$1"
}

machine_A()
{
	dram_and_far_memory
	case $1 in
	6.1)
		# One tier for all that is there at boot; weights came with 6.9.
		nodes_are "0 1" "0:4 1:4"
		weights_are '[null,null]'
		node 0 .weight_reason '"unsupported"' 'why there is no weight'
		ok "which kernel brings weights" grep -q '6\.9' "$json" "$out/verbose.txt"
		;;
	6.12)
		nodes_are "0 1" "0:4 1:70"
		weights_are '[1,1]'
		;;
	newest)
		nodes_are "0 1" "0:4 1:70"
		weights_are '[26,5]'
		;;
	esac
	matrix_as_told
	json_is "no CXL" "$json" '[.cxl.memdevs, .cxl.regions] | map(length)' '[0,0]'
}

names='[.[] | if type == "object" then .name // .id else . end]'

machine_B()
{
	dram_and_far_memory
	nodes_are "0 1 3" "0:4 1:70 3:326"
	weights_are '[1,1,1]'
	# The kernel links no initiator to a node whose figures come from CXL.
	rows 3 '[null,16000,16000,252,352]'
	# With the generic port's row in HMAT the way is whole, and the arithmetic the kernel's.
	own_rows 3 '[0,16000,16000,252,352,true]'
	node 3 .kind '"cxl"' kind
	node 3 '.cpus // ""' '""' 'no CPUs'
	node 3 ".cxl | [.regions, .dax, .memdevs] | map($names)" '[["region0"],["dax0.0"],["mem0"]]' 'what is behind it'
	json_is "the region" "$json" \
		'.cxl.regions[] | [.size_bytes, .interleave_ways, .interleave_granularity_bytes]' '[268435456,1,256]'
	json_is "the generic port's node has no memory" "$json" \
		'[.nodes[] | select(.id == 2) | .memory_total_bytes // 0] | add // 0' 0
	like "the tree has the chain" "$(tr -d '\n' <"$out/tree.txt")" 'mem0.*endpoint2.*decoder2\.0.*region0.*dax0\.0'
}

machine_C()
{
	dram_and_far_memory
	nodes_are "0 1 2" "0:4 1:70 2:22"
	weights_are '[1,1,1]'
	rows 2 ''
	own_rows 2 '[null,16000,16000,150,250,false]'
	node 2 ".cxl | [.regions, .dax, .memdevs] | map($names)" '[["region0"],["dax0.0"],["mem0"]]' 'what is behind it'
	json_is "its lack of figures is a problem" "$json" \
		'[.problems[] | select(.code == "no-performance") | .nodes | tostring | test("2")]' '[true]'
}

machine_D()
{
	local row='8000,8000,418,518'

	dram_and_far_memory
	nodes_are "0 1 3" "0:4 1:70 3:1010"
	# Port 100 ns, switch 150, device 150 or 250, and 9 ns for each of the slowest links; the switch's way up is a limit
	# to both devices.
	rows 3 "[null,$row]"
	own_rows 3 "[0,$row,true]"
	node 3 ".cxl | [.regions, .dax, .memdevs] | map($names)" '[["region0"],["dax0.0"],["mem0","mem1"]]' \
		'what is behind it'
	json_is "the region" "$json" \
		'.cxl.regions[] | [.size_bytes, .interleave_ways, .interleave_granularity_bytes]' '[536870912,2,256]'
	like "the tree has the way through the switch" "$(cat "$out/tree.txt")" 'endpoint[34] .* below root0 port1 port2'
}

# topology_test MACHINE KERNEL
topology_test()
{
	vm_need "$2"
	vm_boot "$1-$2" --machine "$1" --kernel "$2" --script "$top/tests/vm/guest/topology.sh"
	vm_ended "$1-$2"
	out=$(vm_out "$1-$2")
	json=$out/topology.json
	views_work
	"machine_$1" "$2"
	done_testing
}
