#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem bench fault` and `tiermem bench cow`: counts of faults by size of page, and that settings are as before.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

vm_need 6.12
libnuma=$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libnuma\.so\.1 .*x86-64.* => //p' | head -n 1)
[[ -n $libnuma ]] || skip_all "no libnuma on this machine"
"${CC:-cc}" -O2 -static -x c -o "$tmp/nothp" - <<'END' || skip_all "no static programs can be made"
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	return argc < 2 || prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) || execv(argv[1], argv + 1);
}
END
vm_boot fault --machine A --kernel 6.12 --script "$top/tests/vm/guest/bench-fault.sh" --program "$libnuma" \
	--add "$tmp/nothp:/usr/bin/nothp"
vm_ended fault
out=$(vm_out fault)
for name in off on on-base on-memfd sizes tmpfs force nothp cow-one cow-two cow-node node; do
	valid_json "$name keeps to its schema" "$out/$name.json"
	is "$name: ends well" "$(cat "$out/$name.json.rc")" 0
done

# median KEY: one for each case
median()
{
	printf '[.cases[].metrics[] | select(.key == "%s").median]' "$1"
}

# ---- the published experiment: 64K for shared memory

json_is 'off: a fault for every page' "$out/off.json" "[$(median faults), $(median pages), $(median bytes_per_fault)]" \
	'[[4096],[4096],[4096]]'
fewer=$(jq -n "$(jq "$(median faults)[0]" "$out/off.json") / $(jq "$(median faults)[0]" "$out/on.json")")
ok "on: fewer faults, by $fewer" [ "$(jq -n "$fewer >= 12 and $fewer <= 17")" = true ]
json_is 'on: the same pages' "$out/on.json" "$(median pages)" '[4096]'
json_is 'on, but not asked to be: a fault for every page' "$out/on-base.json" "$(median faults)" '[4096]'
json_is 'on: a memfd too, by parts of one mapping' "$out/on-memfd.json" "$(median faults) | map(. >= 4096 / 17 and . <= 4096 / 12)" \
	'[true]'
json_is 'no case has a note about pages' "$out/on.json" '[.cases[].notes[] | select(startswith("page"))]' '[]'

# ---- each size

json_is 'kinds' "$out/sizes.json" '[.cases[].labels.memory] | unique' '["memfd","private","shared"]'
sizes='[4096,16384,32768,65536,131072,262144,524288,1048576,2097152]'
json_is 'the sizes of private memory' "$out/sizes.json" \
	'[.cases[].labels | select(.memory == "private").page_bytes]' "$sizes"
json_is 'those of shared memory' "$out/sizes.json" \
	'[.cases[].labels | select(.memory == "shared" and .page_bytes != 8192).page_bytes]' "$sizes"
json_is 'each was got, by the count of faults' "$out/sizes.json" '[.cases[] | (.metrics[] | select(.key == "bytes_per_fault").median)
	/ .labels.page_bytes | select(. < 0.75 or . > 1.07)]' '[]'
json_is 'or it is told' "$out/sizes.json" '[.cases[] | select(((.metrics[] | select(.key == "bytes_per_fault").median)
	/ .labels.page_bytes - 1 | fabs) > 0.1) | .notes | map(startswith("page: ")) | any | not | select(.)]' '[]'
json_is 'after force too' "$out/force.json" '[.cases[] | (.metrics[] | select(.key == "bytes_per_fault").median)
	/ .labels.page_bytes | select(. < 0.75 or . > 1.07)]' '[]'
json_is 'a tmpfs has no sizes' "$out/tmpfs.json" '[.cases[] | select(.labels.memory == "tmpfs") |
	[.labels.page_bytes, (.notes | map(startswith("page: what a tmpfs gives")) | any)]]' '[[null,true]]'
json_is 'a size that was not got is noticed' "$out/nothp.json" \
	'[.cases[] | [.labels.page_bytes > 4096, (.notes | map(test("^page: [0-9]+[KM] was asked for, 4K was got")) | any)]] | unique' \
	'[[false,false],[true,true]]'
like 'a table' "$(cat "$out/table")" $'\n *shared +64K +2 +16M .* 65536 +'

# ---- copy on write

json_is 'one thread: a fault for each page' "$out/cow-one.json" "[$(median faults), $(median pages)]" \
	'[[2048,2048],[2048,2048]]'
# Two that fault at once find now and then that something has changed meanwhile, and fault again.
json_is 'two threads: a fault for each page' "$out/cow-two.json" \
	"[$(median pages), ($(median faults) | map(. >= 256 and . < 280))]" '[[256,256],[true,true]]'
json_is 'one thread: no shootdown for a page' "$out/cow-one.json" "$(median shootdowns_per_page) | map(. < 0.1)" '[true,true]'
json_is 'two threads: shootdowns' "$out/cow-two.json" "$(median shootdowns_per_page) | map(. > 0.2 and . < 1.5)" '[true,true]'
json_is 'copies are on the node' "$out/cow-node.json" '[.cases[].place | [.misplaced_bytes, (.nodes | map(.node))]]' '[[0,[1]]]'
json_is 'first touch is on the node' "$out/node.json" '[.cases[].place | [.misplaced_bytes, (.nodes | map(.node))]]' \
	'[[0,[1]],[0,[1]]]'
done_testing
