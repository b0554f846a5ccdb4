#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A machine with two kinds of memory: what bandwidth measures, that its pages lie as each policy says, and that the
# weights it sets for that are put back, however it ends. (Emulated memory is equally fast: no figure is judged.)

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

vm_need 6.12
libnuma=$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libnuma\.so\.1 .*x86-64.* => //p' | head -n 1)
[[ -n $libnuma ]] || skip_all "no libnuma on this machine"
vm_boot bandwidth --machine A --kernel 6.12 --script "$top/tests/vm/guest/bench-bandwidth.sh" --program "$libnuma" \
	--timeout 400
vm_ended bandwidth
out=$(vm_out bandwidth)
for name in saved sets compare given; do
	valid_json "$name: keeps to its schema" "$out/$name.json"
done

json_is 'each node is read and written' "$out/saved.json" \
	'[.cases[].labels | [.initiator, .target, .policy, .kernel, .nontemporal]] | sort' \
	"$(jq -nc '[["0", "1"][] as $t | [0, $t, "bind"] + (["read", null], ["write", false], ["write", true])] | sort')"
json_is 'on the node that was asked for' "$out/saved.json" \
	'[.cases[] | .labels.target == (.place.nodes | map(.node) | join(",")) and .place.misplaced_bytes == 0] | all' true
json_is 'figures of both nodes' "$out/saved.json" '[.nodes[] | [.id, .read_bandwidth_mbps > 0, .write_bandwidth_mbps > 0]]' \
	'[[0,true,true],[1,true,true]]'
json_is 'a mixed machine is not made of one' "$out/computed.json" '[.nodes[] | [.id, .source, .bandwidth_mbps > 0]]' \
	'[[0,"measured",true],[1,"measured",true]]'

# shellcheck disable=SC2016 # variables of jq
json_is 'sets of nodes' "$out/sets.json" '[.cases[] | select(.labels.policy != "bind") |
	[.labels.policy, .labels.target, .labels.kernel] + [.place.nodes as $n | ($n | map(.bytes) | add) as $all |
	$n[] | .bytes * 100 / $all | round]]' \
	'[["interleave","0-1","read",50,50],["interleave","0-1","copy",50,50],["weighted","0-1","read",75,25],["weighted","0-1","copy",75,25]]'
json_is 'seven ways to place memory' "$out/compare.json" '[.cases[].labels | select(.scope) | [.policy, .scope]]' \
	'[["local","process"],["uniform","process"],["uniform","regions"],["current","process"],["current","regions"],["recommended","process"],["recommended","regions"]]'
json_is 'local is the node of the CPUs' "$out/compare.json" '[.cases[].labels | select(.policy == "local").target]' '["0"]'
json_is 'none has a reason' "$out/compare.json" '[.cases[].reason] | unique' '[null]'
# shellcheck disable=SC2016 # variables of jq
shares='def shares: [.cases[] | select(.labels.scope) | [.labels.policy, .labels.scope] +
	[.place.nodes as $n | ($n | map(.bytes) | add) as $all | $n[] | [.node, (.bytes * 100 / $all | round)]]];'
# The guest has set 3:1.
json_is 'pages lie as each policy says' "$out/compare.json" "$shares"' shares | .[0:5]' \
	'[["local","process",[0,100]],["uniform","process",[0,50],[1,50]],["uniform","regions",[0,50],[1,50]],["current","process",[0,75],[1,25]],["current","regions",[0,75],[1,25]]]'
recommended=$(jq -r '[.cases[] | select(.labels.policy == "recommended").notes[] | capture("weights are (?<w>[0-9:]+)").w] | unique | join(" ")' \
	"$out/compare.json")
like 'the weights that it recommends are told' "$recommended" '^[0-9]+:[0-9]+$'
is 'they are those that weights compute makes of the same figures' "$recommended" \
	"$(jq -r '[.nodes[].recommended] | join(":")' "$out/recommended.json")"
json_is 'and its pages lie by them, but for rounding' "$out/compare.json" \
	"$shares shares | .[5:] | map(.[2][1]) | unique | .[0] - $(awk -F : '{ print 100 * $1 / ($1 + $2) }' <<<"$recommended") | fabs <= 1" true
json_is 'nothing is misplaced' "$out/compare.json" '[.cases[].notes[] | select(test("misplaced"))]' '[]'
json_is 'two loads, and stores past the caches' "$out/given.json" \
	'[.cases[].labels | select(.scope)] | [(map(.kernel) | unique), length, (map(.nontemporal) | unique)]' '[["3:1","copy"],14,[true]]'
like 'the gain table' "$(cat "$out/table")" \
	$'what policies gain\nKERNEL POLICY +SCOPE +MB/s VS-LOCAL VS-UNIFORM PAGES\n2:1 +local +process +[0-9]+ +\\+0.0% '
done_testing
