#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem bench migrate` between two tiers.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

vm_need 6.12
libnuma=$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libnuma\.so\.1 .*x86-64.* => //p' | head -n 1)
[[ -n $libnuma ]] || skip_all "no libnuma on this machine"
vm_boot migrate --machine A --kernel 6.12 --script "$top/tests/vm/guest/bench-migrate.sh" --program "$libnuma"
vm_ended migrate
out=$(vm_out migrate)
for name in batches read-only alone pinned busy; do
	valid_json "$name keeps to its schema" "$out/$name.json"
	is "$name: ends well" "$(cat "$out/$name.json.rc")" 0
done

# all KEY: the values of a figure, of all cases
all()
{
	printf '[.cases[].metrics[] | select(.key == "%s").values[]]' "$1"
}

# median KEY: one for each case
median()
{
	printf '[.cases[].metrics[] | select(.key == "%s").median]' "$1"
}

json_is 'from tier to tier' "$out/batches.json" '[.cases[].labels | [.from, .to, .batch, .mapping]]' \
	'[[0,1,1,"written"],[0,1,128,"written"]]'
json_is 'every page moves, in whole sweeps to and back' "$out/batches.json" \
	"$(all moved_pages) | all(. > 0 and . % 256 == 0)" true
for name in batches read-only alone pinned; do
	json_is "$name: no page fails" "$out/$name.json" "$(all failed_pages) | add" 0
	json_is "$name: all pages are back" "$out/$name.json" \
		'[.cases[].place | .misplaced_bytes + .unknown_bytes, (.nodes | map(.node))] | unique' '[0,[0]]'
done
read -r before after <"$out/migrated"
moved=$(jq "$(all moved_pages) | add" "$out/batches.json")
ok "by vmstat as well: $moved of $((after - before))" [ $((after - before >= moved)) = 1 ]
json_is 'the reader has another CPU' "$out/batches.json" '[.cases[].labels | .mover_cpu, .readers, .reader_cpus]' \
	'[0,1,"1",0,1,"1"]'
json_is 'the mapping is as asked for' "$out/read-only.json" '[.cases[].labels | .mapping, .batch]' '["read-only",64]'
json_is 'threads are where they should' "$out/pinned.json" '[.cases[].labels | .mover_cpu, .readers, .reader_cpus]' \
	'[1,2,"0"]'
json_is 'without readers there is no figure of them' "$out/alone.json" \
	"[$(median reads_per_second), [.cases[].labels.reader_cpus]]" '[[null],[null]]'
json_is 'readers read' "$out/batches.json" "$(all reads_per_second) | all(. > 0)" true
json_is 'flushes are counted' "$out/batches.json" \
	"[$(median flushes_all_per_page), $(median flushes_range_per_page), $(median flushes_one_per_page)] |
	map(map(type)) | flatten | unique" '["number"]'
# The kernel flushes all where it could flush the one page.
json_is 'one by one makes a flush for each, and many at a time do not' "$out/batches.json" \
	"[$(median flushes_all_per_page), $(median flushes_range_per_page), $(median flushes_one_per_page)] |
	[.[0][0] + .[1][0] + .[2][0] >= 1, .[0][1] + .[1][1] + .[2][1] < 0.2]" '[true,true]'
json_is 'many at a time make a fifth of the shootdowns, or fewer' "$out/batches.json" \
	"$(median shootdowns_per_page) | .[0] >= 5 * .[1] and .[0] > 0.1" true
json_is 'shootdowns are interrupts' "$out/batches.json" \
	"[$(median ipis_per_page), $(median shootdowns_per_page)] | .[0][0] >= .[1][0]" true
json_is 'a busy neighbour is noticed' "$out/busy.json" '[.cases[].notes[] | select(startswith("busy: "))] | length' 1
diag "per page: $(jq -c "[$(median shootdowns_per_page), $(median ipis_per_page), $(median flushes_all_per_page),
	$(median flushes_range_per_page), $(median flushes_one_per_page), $(median pages_per_second)]" "$out/batches.json")"
like 'a table' "$(cat "$out/table")" 'FROM TO SIZE BATCH .*PAGES/s'
done_testing
