#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A machine with two tiers whose upper is short of memory: promotions and demotions show in `tiermem top`, and they are
# those of /proc/vmstat.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

vm_need 6.12
vm_boot top --machine A --kernel 6.12 --script "$top/tests/vm/guest/top.sh" \
	--add "${TIERMEM_HELPERS:-$top/build/run-helpers}/pressure:/usr/bin/pressure"
vm_ended top
out=$(vm_out top)
valid_json 'samples keep to their schema' "$out/samples.json"
valid_json 'the recording keeps to its schema' "$out/recording.json"
valid_json "an ordinary user's samples too" "$out/nobody.json"

# rose NAME: by vmstat, while it sampled
rose()
{
	awk -v name="$1" '$1 == name { print $2 - was; was = $2 }' "$out/before" "$out/after" | tail -n 1
}

# Before its first sample and after its last one the kernel may move a page or two.
for name in pgpromote_success pgdemote_kswapd pgdemote_direct pgmigrate_success numa_hint_faults; do
	sum=$(jq -s "map(.migration.$name) | add" "$out/samples.json")
	is "$name: the samples add up to what was recorded" "$sum" \
		"$(jq -s ".[-1].vmstat.$name - .[0].vmstat.$name" "$out/recording.json")"
	rose=$(rose $name)
	ok "$name: that is what vmstat rose by, $sum of $rose" [ $((rose < sum || rose - sum > rose / 100 + 5)) = 0 ]
done
is 'while nothing moves, every counter of migration is that of vmstat' \
	"$(sed -n 's/^tiermem_vmstat_\(pg[a-z]*_[a-z_]*\)_total \([0-9]*\)$/\1 \2/p' "$out/still" | grep -E '^pg(promote|demote|migrate)_' | sort)" \
	"$(sort "$out/moves")"
like 'and they are not 0' "$(cat "$out/moves")" 'pgpromote_success [1-9].*pgdemote_[a-z]* [1-9]'
is 'some were promoted, some demoted' "$(jq -s '[(map(.migration.promoted_bytes_per_second) | max > 0),
	(map(.migration.demoted_bytes_per_second) | max > 0)] | all' "$out/samples.json")" true
is 'by node as well: all demotions are from node 0' "$(jq -s 'map([.nodes[] | select(.id == 0) |
	.pgdemote_kswapd + .pgdemote_direct] | add) | add' "$out/samples.json")" \
	"$(jq -s 'map(.migration | .pgdemote_kswapd + .pgdemote_direct) | add' "$out/samples.json")"
like 'they show in lines' "$(cat "$out/batch")" $'\n[0-9:]+ +[^ ]+ +[^ ]+ +[^ ]+ +[0-9.]+[kMG] '
is 'tiers and the verdict' "$(jq -c '[.tiering.promotion, .tiering.demotion, (.nodes | map(.tier))]' "$out/samples.json" | tail -n 1 |
	jq -c '[.[0], .[1], (.[2] | length)]')" '["yes","yes",2]'
is 'the process whose pages move' "$(jq -s '[.[].processes[] | select(.name == "pressure") | .pages_migrated // 0] | add > 1000' \
	"$out/samples.json")" true
is 'and where its memory lies' "$(jq -s '[.[].processes[] | select(.name == "pressure") | .memory // [] | map(.node)] | max' \
	"$out/samples.json" | jq -c .)" '[0,1]'
is 'flushes are counted' "$(jq -s 'map(.tlb.flush_reasons.local_mm_shootdown // 0) | add > 0' "$out/samples.json")" true
is 'an ordinary user is denied what is denied' \
	"$(jq -c '[.tlb.flush_reasons.remote_send_ipi_reason, (.tlb.shootdowns_total | type)]' "$out/nobody.json")" '["denied","number"]'
like 'metrics have it' "$(cat "$out/metrics")" 'tiermem_node_tier\{node="1"\}'
done_testing
