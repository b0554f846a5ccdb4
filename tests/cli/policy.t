#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem policy show`: settings, verdict, counters, and what cannot be read.
# shellcheck source=tests/cli/policy.sh
. "${BASH_SOURCE[0]%/*}/policy.sh"

fresh tiering
policy show
golden policy-show
policy show --raw
is 'bare rows: the settings only' "$(wc -l <"$out_file")" 11
policy show --noheadings
is 'without headings too' "$(wc -l <"$out_file")" 10
policy show -v
like 'all counters with -v' "$out" $'\n''numa_hint_faults +4194304'$'\n'
policy show --json
golden policy-show-json
keeps 'show --json'
untouched show
fresh cxl-in-dram-tier
policy show
golden policy-one-tier

# Field case 2: true or 1, it means the same.
fresh tiering
for word in true 1 Y y on; do
	echo $word >"$root/$demotion"
	policy show --json
	is "demotion reads $word" "$(doc '[.demotion, .verdict.demotion.active]')" '[true,true]'
done
policy set demotion=on
is 'and is not written again' "$status $out $(now $demotion)" '0 nothing to do: it is so already on '

# Field case 29: half a set-up, both ways; mode 1 promotes as well.
echo 0 >"$root/$balancing"
links 'demotion without promotion' '[[false,"balancing-off"],[true]]'
is 'which is said' "$(doc '[.verdict.demotion.notes[].code]')" '["no-way-up"]'
echo false >"$root/$demotion"
echo 2 >"$root/$balancing"
links 'promotion without demotion' '[[true],[false,"demotion-off"]]'
is 'which is said too' "$(doc '[.verdict.promotion.notes[].code]')" '["no-room"]'
echo 1 >"$root/$balancing"
echo true >"$root/$demotion"
links 'mode 1' '[[true],[true]]'
is 'mode 1: what it lacks' "$(doc '[.verdict.promotion.notes[].code], .numa_balancing')" \
	$'["unlimited"]\n{"raw":1,"normal":true,"tiering":false}'
echo 4 >"$root/$balancing"
links 'mode 4 means nothing' '[[null,"balancing-odd"],[true]]'

# Field case 16: without figures CXL memory is in DRAM's tier.
fresh cxl-in-dram-tier
echo 2 >"$root/$balancing"
echo true >"$root/$demotion"
links 'all on, and yet nothing moves' '[[false,"one-tier"],[false,"one-tier"]]'
is 'which node it is' "$(doc '[.verdict.demotion.missing[].nodes]')" '["1"]'
policy set demotion=on
like 'who turns it on is told' "$err" 'warning: demotion: the far memory is in the same tier as DRAM'
fresh tier-order
policy show --json
is 'four tiers, by number' "$(doc '[.tiers[] | [.id, .demotes_to, .top]]')" \
	'[[4,"1",true],[22,"2",false],[35,"3",false],[100,"",false]]'
fresh cpu-only-and-hbm
policy show --json
is 'fast memory without CPUs' "$(doc '[.nodes[] | [.id, .top, .demotes_to]]')" '[[0,true,""],[2,true,"0"]]'

# Field case 23: a kernel that counts less, and one that counts more.
fresh tiering
sed -i '/^pgdemote_proactive/d; /^pgpromote/d' "$root/proc/vmstat"
policy show
like 'not counted is n/a' "$out" $'\n''pgpromote_success +n/a'$'\n'
sed -i 's/^pgfault .*/pgdemote_by_moonlight 12/' "$root/proc/vmstat"
policy show --json
keeps 'unknown counters'
is 'counters' "$(doc '.counters | [.pgpromote_success, .pgpromote_success_reason, .pgdemote_by_moonlight, .pgfault]')" \
	'[null,"unsupported",12,null]'
rm "$root/proc/vmstat"
policy show --json
is 'no counters at all' "$(doc '.counters | [.pgdemote_direct, .pgdemote_direct_reason]')" '[null,"absent"]'

# Field case 27: three different messages, and the rest is shown.
fresh tiering
rm "$root/proc/sys/vm/zone_reclaim_mode"
before=$(sum)
chmod 0000 "$root/$balancing" "$root/$scan"/*
policy show
exits 0 'what cannot be read does not matter'
like 'denied' "$out" $'\n''numa-balancing +denied +this user may not read it'
like 'denied, as debugfs is' "$out" $'\n''scan-size +denied +only root may look into debugfs'
like 'absent' "$out" $'\n''zone-reclaim-mode +n/a +this kernel does not have it'
like 'the rest' "$out" $'\n''promotion: unknown'
links 'denied' '[[null,"balancing-unreadable"],[true]]'
policy set numa-balancing=tiering
says 'setting what is denied' 1 'numa_balancing: Permission denied'
policy set zone-reclaim-mode=off
says 'setting what is not there' 3 'zone-reclaim-mode: this machine has no /proc/sys/vm/zone_reclaim_mode'
chmod 0644 "$root/$balancing" "$root/$scan"/*
untouched 'unreadable'

# DAMON, and whose it is.
fresh tiering
damon=$root/sys/kernel/mm/damon/admin/kdamonds
echo 1 >"$damon/nr_kdamonds"
mkdir -p "$damon/0/contexts/0/schemes/0"
echo on >"$damon/0/state"
echo 77 >"$damon/0/pid"
echo 1 >"$damon/0/contexts/nr_contexts"
echo paddr >"$damon/0/contexts/0/operations"
echo 1 >"$damon/0/contexts/0/schemes/nr_schemes"
echo migrate_cold >"$damon/0/contexts/0/schemes/0/action"
echo 2 >"$damon/0/contexts/0/schemes/0/target_nid"
policy show --json
keeps 'DAMON'
is 'DAMON' "$(doc '.damon | [.nr_kdamonds, [.kdamonds[] | [.id, .state, .pid, .operations, .schemes]]]')" \
	'[1,[[0,"on",77,"paddr",[{"action":"migrate_cold","target_node":2}]]]]'
policy show
like 'DAMON in words' "$out" $'\n''damon: kdamond 0 on.*: migrate_cold to node 2'$'\n'

policy_done
