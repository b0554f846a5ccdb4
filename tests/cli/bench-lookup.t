#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem bench lookup`: which work is done, where the tables lie, and what is refused.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

short=(--time 0.01 --repeat 2)

of()
{
	jq -c "$1" "$out_file"
}

figure()
{
	of "[.cases[0].metrics[] | select(.key == \"$1\").values[]]"
}

tiermem bench lookup --help
golden bench-lookup-help

# ---- by time

tiermem bench lookup "${short[@]}" --size 1M --json
exits 0 'a grid of 1 MiB'
valid_json 'keeps to the schema'
threads=$(of '.conditions.threads | tonumber')
is 'of what' "$(of '.cases[0].labels | [.policy, .nodes, .page, .threads, .nuclides, .grid_points, .grid_bytes <= 1048576]')" \
	"[\"none\",null,\"usual\",$threads,64,52,true]"
is 'whole batches in each repeat' "$(figure lookups | jq -c '[length, (map(. >= 64) | all), (map(. % 64) | add)]')" '[2,true,0]'
is 'so many a second' "$(figure lookups_per_second | jq -c 'map(. > 0)')" '[true,true]'
is 'no checksum, as a time is never the same' "$(figure checksum)" '[null,null]'
if [[ -d /sys/devices/system/node ]]; then
	is 'all of the grid is somewhere' "$(of '.cases[0] | .place.misplaced_bytes + .place.unknown_bytes')" 0
	is 'and no less of it' "$(of '.cases[0] | (.place.nodes | map(.bytes) | add) >= .labels.grid_bytes')" true
fi
tiermem bench lookup "${short[@]}" --size 1M
like 'for people' "$out" $'\n.*POLICY +PAGE +MAPPING +THREADS +NUCLIDES +POINTS +GRID +LOOKUPS/s .*\n *none .* 64 +52 +[0-9]+K +[0-9]+ '

# ---- by number

tiermem bench lookup --lookups 1000 --repeat 2 --threads 2 --grid-points 100 --nuclides 3 --json
exits 0 'a thousand look-ups'
is 'not one more or less' "$(figure lookups)" '[1000,1000]'
is 'in so large a grid' "$(of '.cases[0].labels | [.threads, .nuclides, .grid_points, .grid_bytes]')" '[2,3,100,20480]'
checksum=$(figure checksum)
is 'each repeat is of others' "$(jq -c 'length == (unique | length)' <<<"$checksum")" true
tiermem bench lookup --lookups 1000 --repeat 2 --threads 2 --grid-points 100 --nuclides 3 --page base --json
is 'and the same when it is run again' "$(figure checksum)" "$checksum"
tiermem bench lookup --lookups 1000 --repeat 2 --threads 2 --grid-points 101 --nuclides 3 --json
ok 'but not in another grid' test "$(figure checksum)" != "$checksum"
tiermem bench lookup --lookups 1000 --repeat 2 --threads 3 --grid-points 100 --nuclides 3 --json
is 'three threads share them, on whatever CPUs' "$status $(figure lookups)" '0 [1000,1000]'
ok 'and draw other numbers' test "$(figure checksum)" != "$checksum"
is 'the grid may be written to' "$(of '.cases[0].labels.mapping')" '"written"'
run env ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" strace -f -o "$tmp/strace" -e trace=mprotect \
	"$TIERMEM" bench lookup --lookups 1000 --repeat 2 --threads 2 --grid-points 100 --nuclides 3 --mapping read-only --json
is 'or may not: it comes to the same' "$status $(of '.cases[0].labels.mapping') $(figure checksum)" "0 \"read-only\" $checksum"
ok 'and the kernel is told' grep -q 'mprotect([^,]*, 20480, PROT_READ) = 0' "$tmp/strace"
tiermem bench lookup --lookups 1 --repeat 1 --threads 2 --grid-points 2 --nuclides 1 --json
is 'the least' "$status $(figure lookups)" '0 [1]'

# ---- where

if [[ -d /sys/devices/system/node ]]; then
	node=$(of '.machine.nodes[0].id')
	for policy in bind interleave; do
		tiermem bench lookup "${short[@]}" --size 1M --nodes "$node" --policy $policy --json
		is "$policy" "$status $(of '.cases[0] | [.labels.policy, .labels.nodes, .place.asked, .place.misplaced_bytes,
			(.place.nodes | map(.node))]')" "0 [\"$policy\",\"$node\",\"$node\",0,[$node]]"
	done
	tiermem bench lookup "${short[@]}" --size 1M --nodes "$node" --json
	is 'nodes alone bind' "$(of '.cases[0].labels.policy')" '"bind"'
	tiermem bench lookup "${short[@]}" --size 1M --policy weighted-interleave --json
	if ((status == 3)); then
		like 'a kernel without weights says so' "$err" "this kernel has no 'weighted-interleave' here"
	else
		is 'weighted' "$status $(of '.cases[0] | [.labels.policy, .place.misplaced_bytes]')" '0 ["weighted-interleave",0]'
	fi
	tiermem run --bind --nodes "$node" -- "$TIERMEM" bench lookup "${short[@]}" --size 1M --json
	is 'under tiermem run' "$status $(of '[.conditions.policy, .cases[0].labels.policy]')" "0 [\"bind $node\",\"none\"]"
fi

# ---- what is refused

# refuses CODE TEXT ARG...
refuses()
{
	tiermem bench lookup "${@:3}"
	is "${*:3}" "$status ${err%%$'\n'*}" "$1 tiermem bench lookup: $2"
}

refuses 2 '--grid-points: not together with --size' --size 1M --grid-points 5
refuses 2 '--time: not together with --lookups' --lookups 5 --time 1
refuses 2 "--size: '1K' is not a size from 64K" --size 1K
refuses 2 '--size: 1M hold no tables of 1024 nuclides' --size 1M --nuclides 1024
refuses 2 "--nuclides: '0' is not from 1 to 1024" --nuclides 0
refuses 2 "--grid-points: '1' is not from 2 to 67108863" --grid-points 1
refuses 2 "--lookups: '0' is not from 1 to 4398046510080" --lookups 0
tiermem bench lookup --policy local
exits 2 'a policy that it has not'
if [[ -d /sys/devices/system/node ]]; then
	refuses 2 "--policy: 'none' asks for no nodes" --policy none --nodes "$node"
	tiermem bench lookup --size 8000T
	like 'more memory than there is' "$status $err" '^(3 .* of free memory, and .* are needed|2 .*is not a size)'
fi
done_testing
