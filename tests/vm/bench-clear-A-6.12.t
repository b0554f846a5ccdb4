#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem bench clear` on a machine with huge pages of 2 MiB and 1 GiB, for which node 2 has room.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

vm_need 6.12
libnuma=$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libnuma\.so\.1 .*x86-64.* => //p' | head -n 1)
[[ -n $libnuma ]] || skip_all "no libnuma on this machine"
vm_boot clear --machine A --kernel 6.12 --script "$top/tests/vm/guest/bench-clear.sh" --program "$libnuma" \
	--memory-hotplug 2G --append memhp_default_state=online_kernel --qemu-arg=-cpu --qemu-arg=qemu64,+pdpe1gb
vm_ended clear
out=$(vm_out clear)
for name in two one start middle end nodes part; do
	valid_json "$name keeps to its schema" "$out/$name.json"
	is "$name: ends well" "$(cat "$out/$name.json.rc")" 0
done

# figure KEY: its values, of all cases
figure()
{
	printf '[.cases[].metrics[] | select(.key == "%s").values[]]' "$1"
}

json_is '2M: pages that were got' "$out/two.json" '[.cases[0].page | .asked, .asked_bytes, .got_bytes, .huge_bytes]' \
	'["hugetlb",2097152,2097152,33554432]'
json_is '2M: how many there are, in whole passes' "$out/two.json" "$(figure pages) | map(. > 0 and . % 16 == 0)" \
	'[true,true,true]'
json_is '2M: every byte was looked at' "$out/two.json" \
	"[$(figure checked_bytes), $(figure pages)] | [.[0] == (.[1] | map(. * 2097152))]" '[true]'
json_is '2M: a figure for each repeat' "$out/two.json" "$(figure ms_per_gib) | map(. > 0)" '[true,true,true]'
json_is '1G: pages that were got, and where' "$out/one.json" \
	'.cases[0] | [.page.got_bytes, .page.huge_bytes, .place.nodes, .place.misplaced_bytes]' \
	'[1073741824,1073741824,[{"node":2,"bytes":1073741824}],0]'
json_is '1G: a page in each pass' "$out/one.json" "$(figure pages) | map(. >= 1)" '[true]'
for at in start middle end; do
	json_is "$at: where it was touched" "$out/$at.json" '[.cases[].labels.at]' "[\"$at\"]"
done
json_is 'each node by itself' "$out/nodes.json" \
	'[.cases[] | [.labels.node, .place.nodes, .place.misplaced_bytes, .labels.threads]]' \
	'[[0,[{"node":0,"bytes":16777216}],0,2],[1,[{"node":1,"bytes":16777216}],0,2]]'
json_is 'what was not got is told' "$out/part.json" \
	'.cases[0] | [.labels.size_bytes > 0, .page.got_bytes == 2097152, (.place.misplaced_bytes == 0)]' '[true,true,true]'
diag "of a whole node: $(jq -c '.cases[0] | [.labels.size_bytes, .notes]' "$out/part.json")"
like 'a table has both sizes' "$(cat "$out/table")" 'first-touch +2M +start .*first-touch +1G +start '
done_testing
