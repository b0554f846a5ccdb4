# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# weights-MACHINE-KERNEL.t: the kernel takes the weights that `tiermem weights` sets, and they come back.

# shellcheck source=tests/vm/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# weights_test MACHINE KERNEL: what it says goes to $out
weights_test()
{
	local file

	vm_need "$2"
	vm_boot "$1-$2" --machine "$1" --kernel "$2" --script "$top/tests/vm/guest/weights.sh"
	vm_ended "$1-$2"
	out=$(vm_out "$1-$2")
	for file in "$out"/*.json; do
		[[ -e $file ]] || continue
		valid_json "${file##*/} keeps to its schema" "$file"
	done
}

# The dry run's plan is what was then done
same_plan()
{
	json_is "the dry run shows the plan" "$out/dry-run.json" '[.changes[] | [.path, .from, .to]]' \
		"$(jq -c '[.changes[] | [.path, .from, .to]]' "$out/apply.json")"
}
