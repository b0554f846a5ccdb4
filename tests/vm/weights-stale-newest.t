#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

vm_need newest
vm_boot stale --machine A --kernel newest --script "$top/tests/vm/guest/stale.sh" --memory-hotplug 512M \
	--append memhp_default_state=offline
vm_ended stale
out=$(vm_out stale)
for name in before stale auto after gone; do
	valid_json "$name.json keeps to its schema" "$out/$name.json"
done
now='[.mode, .stale_nodes, [.nodes[] | [.id, .current, .kernel]]]'
json_is "before" "$out/before.json" "$now" '["auto","",[[0,26,26],[1,5,5]]]'
json_is "after memory came: which are stale" "$out/stale.json" "$now" '["auto","0-1",[[0,26,12],[1,5,2],[2,1,1]]]'
json_is "what the kernel made of it" "$out/auto.json" '[.changes[] | [.kind, .from, .got, .restorable]]' \
	'[["effect","26","12",false],["effect","5","2",false],["set","true",null,true]]'
json_is "nothing is stale after --auto" "$out/after.json" "$now" '["auto","",[[0,12,12],[1,2,2],[2,1,1]]]'
json_is "after the memory went" "$out/gone.json" "$now" '["auto","0-1",[[0,12,26],[1,2,5]]]'
done_testing
