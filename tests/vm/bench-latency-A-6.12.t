#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem bench latency` and `lookup` on a machine with two nodes: each pair is measured, and memory lies where the
# policy says.
# shellcheck disable=SC2016 # variables of jq

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

vm_need 6.12
libnuma=$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libnuma\.so\.1 .*x86-64.* => //p' | head -n 1)
[[ -n $libnuma ]] || skip_all "no libnuma on this machine"
vm_boot bench-latency --machine A --kernel 6.12 --script "$top/tests/vm/guest/bench-latency.sh" --program "$libnuma"
vm_ended bench-latency
out=$(vm_out bench-latency)

for name in latency far bind interleave weighted run; do
	is "$name: the exit code" "$(cat "$out/$name.json.rc") $(cat "$out/$name.json.err")" '0 '
	valid_json "$name: keeps to the schema" "$out/$name.json"
done
# Node 1 has no CPUs.
json_is 'from each node with CPUs to each with memory' "$out/latency.json" \
	'[.cases[].labels | [.initiator, .target, .page]]' '[[0,0,"base"],[0,0,"thp"],[0,1,"base"],[0,1,"thp"]]'
json_is 'each in its memory' "$out/latency.json" \
	'[.cases[] | .labels.target as $n | .place | [.misplaced_bytes, .unknown_bytes, (.nodes | map(.node) == [$n])]] | unique' \
	'[[0,0,true]]'
json_is 'base pages, and huge ones' "$out/latency.json" '[.cases[].page.got_bytes]' '[4096,2097152,4096,2097152]'
json_is 'under load, far memory' "$out/far.json" \
	'[.cases[] | [.labels.load_step, .labels.target, .place.misplaced_bytes]]' '[[0,1,0],[1,1,0],[2,1,0],[3,1,0],[4,1,0]]'
json_is 'a grid on the far node' "$out/bind.json" '.cases[0] | [.labels.policy, (.place.nodes | map(.node)), .place.misplaced_bytes]' \
	'["bind",[1],0]'
json_is 'half on each' "$out/interleave.json" \
	'.cases[0].place | (.nodes | map(.bytes) | (.[0] - .[1]) * 100 / (.[0] + .[1]) | fabs < 1), .misplaced_bytes' $'true\n0'
json_is 'three of four by weight' "$out/weighted.json" \
	'.cases[0].place.nodes | map(.bytes) | .[0] * 100 / (.[0] + .[1]) | . > 74 and . < 76' true
json_is 'by the policy that it runs under' "$out/run.json" \
	'[.conditions.policy, .cases[0].labels.policy, (.cases[0].place.nodes | map(.node))]' '["bind 1","none",[1]]'
valid_json 'moved: keeps to the schema' "$out/moved.json"
json_is 'memory on another node than asked for is noticed' "$out/moved.json" \
	'.cases[0] | [.place.asked, .place.misplaced_bytes > 3000000, (.notes | map(test("^misplaced: ")) | any)]' '["0",true,true]'
json_is 'and gives no figure for the node' "$out/moved.json" '[.nodes[]? | .read_latency_ns | numbers]' '[]'
like 'more than the node has' "$(cat "$out/room.rc") $(cat "$out/room.err")" '^3 .*node 1 has .* of free memory, and 1G are needed'
done_testing
