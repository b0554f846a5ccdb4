# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# policy-MACHINE-KERNEL.t: the kernel takes what `tiermem policy` sets, and pages move. What must hold is told by the
# guest; what the kernel's log says of demotion targets is compared here with what we reckon.

# shellcheck source=tests/vm/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

helpers=${TIERMEM_HELPERS:-$top/build/run-helpers}

# targets_in FILE: "0 1 1-3" for each node of the kernel's log: where its pages go, and where else; what it said last
targets_in()
{
	sed -n 's/.*Demotion targets for Node \([0-9]*\): preferred: \([0-9,-]*\), fallback: \([0-9,-]*\).*/\1 \2 \3/p;
		s/.*Demotion targets for Node \([0-9]*\): null.*/\1/p' "$1" | awk '{ last[$1] = $0 } END { for (node in last) print last[node] }' | sort -n
}

# policy_test MACHINE KERNEL: what it says goes to $out
policy_test()
{
	local name=policy-$1-$2 file

	vm_need "$2"
	vm_boot "$name" --machine "$1" --kernel "$2" --script "$top/tests/vm/guest/policy.sh" \
		--add "$helpers/pressure:/usr/bin/pressure"
	vm_ended "$name"
	out=$(vm_out "$name")
	for file in "$out"/*.json; do
		[[ -e $file ]] && valid_json "${file##*/} keeps to its schema" "$file"
	done
	is "where cold pages go is what the kernel's log says" \
		"$(jq -r '.nodes[] | [.id, .demotes_to, .demotes_else_to] | map(select(. != "")) | join(" ")' "$out/show.json")" \
		"$(targets_in "$out/dmesg")"
}
