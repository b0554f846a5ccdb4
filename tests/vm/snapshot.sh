# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# snapshot-MACHINE-KERNEL.t: on a real kernel, a snapshot shows what the machine itself shows. What must hold is told by
# the guest.

# shellcheck source=tests/vm/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# snapshot_test MACHINE KERNEL
snapshot_test()
{
	local name=snapshot-$1-$2 library out user

	vm_need "$2"
	library=$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libarchive\.so\.13 .*x86-64.* => //p' | head -n 1)
	[[ -n $library ]] || skip_all "no libarchive on this machine"
	vm_boot "$name" --machine "$1" --kernel "$2" --script "$top/tests/vm/guest/snapshot.sh" --program "$library"
	vm_ended "$name"
	out=$(vm_out "$name")
	like "something was compared" "$(grep -c ': the snapshot$' "$out/tap")" '^3[0-9]$'
	like "root may read all" "$(cat "$out/took-root")" '[1-9][0-9]* files, 0 denied'
	like "another user may not" "$(cat "$out/took-nobody")" '[1-9][0-9]* files, [1-9][0-9]* denied'
	for user in root nobody; do
		valid_json "$user.json keeps to its schema" "$out/$user.json"
		json_is "$user: it tells which machine and boot it was" "$out/$user.json" '[.host, .kernel, .root, .boot_id]' \
			"$(jq -c '[.host, .kernel, .root, .boot_id]' "$out/live.json")"
	done
	done_testing
}
