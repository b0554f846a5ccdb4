# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# migrate-MACHINE-KERNEL.t and damon-MACHINE-KERNEL.t: memory moves between nodes of a real kernel. What must hold is
# told by the guest.

# shellcheck source=tests/vm/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

helpers=${TIERMEM_HELPERS:-$top/build/run-helpers}

# moving_test WHAT MACHINE KERNEL: the guest script is guest/WHAT.sh
moving_test()
{
	local name=$1-$2-$3 libnuma file

	vm_need "$3"
	libnuma=$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libnuma\.so\.1 .*x86-64.* => //p' | head -n 1)
	[[ -n $libnuma ]] || skip_all "no libnuma on this machine"
	vm_boot "$name" --machine "$2" --kernel "$3" --script "$top/tests/vm/guest/$1.sh" --program "$libnuma" \
		--add "$helpers/dwell:/usr/bin/dwell" --timeout 400
	vm_ended "$name"
	out=$(vm_out "$name")
	for file in "$out"/*.json; do
		[[ -e $file ]] && valid_json "${file##*/} keeps to its schema" "$file"
	done
}

# What `status` said after memory was moved, and what `start` was about to do
damon_figures()
{
	json_is "ours runs, with counters of now" "$out/status.json" \
		'.kdamonds[0] | [.state, .ours, .operations, .stats_refreshed]' '["on",true,"paddr",true]'
	json_is "what was moved is counted" "$out/status.json" \
		'.kdamonds[0].schemes[0] | [.action, .target_node, .applied_bytes > 100000000, .tried_bytes > 0]' \
		'["migrate_cold",1,true,true]'
	json_is "the node's own memory is watched" "$out/status.json" '[.kdamonds[0].regions[] | [.start, .end]]' \
		'[[0,1073741824]]'
	json_is "the dry run's plan was applied" "$out/dry-run.json" '[.changes[] | [.path, .to]]' \
		"$(jq -c '[.changes[] | [.path, .to]]' "$out/start.json")"
	json_is "all of it can be taken back" "$out/start.json" '[.changes[] | .state] | unique' '["done"]'
	json_is "a stranger's is not ours" "$out/foreign.json" '.kdamonds[0] | [.state, .ours, .stats_refreshed]' \
		'["on",false,false]'
}
