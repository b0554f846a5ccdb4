#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 0004: a huge page of 1 GiB is all zero after its first touch, wherever that was, with the switch off and on.

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

own_kernels
vm_boot clear --machine A --kernel "$patched" --script "$(guest clear)" --program "$libnuma" --memory-hotplug 2G \
	--append memhp_default_state=online_kernel --qemu-arg=-cpu --qemu-arg=qemu64,+pdpe1gb --timeout 400
vm_ended clear
out=$(vm_out clear)

# figure KEY: its values, of all cases
figure()
{
	printf '[.cases[].metrics[] | select(.key == "%s").values[]]' "$1"
}

rows=()
for on in 0 1; do
	for at in start middle end; do
		name=$at-$on
		is "$name: every byte is zero" "$(cat "$out/$name.json.rc") $(cat "$out/$name.json.err")" '0 '
		valid_json "$name keeps to its schema" "$out/$name.json"
		json_is "$name: a page of 1 GiB was got" "$out/$name.json" \
			'.cases[0] | [.labels.at, .page.got_bytes, .page.huge_bytes, .place.misplaced_bytes]' \
			"[\"$at\",1073741824,1073741824,0]"
		json_is "$name: all of it was looked at, each time" "$out/$name.json" \
			"$(figure checked_bytes) == ($(figure pages) | map(. * 1073741824))" true
		pages=$(jq "$(figure pages) | add" "$out/$name.json")
		bytes=$(jq "$(figure checked_bytes) | add" "$out/$name.json")
		rows+=("| $on | $at | $pages | $bytes | $(cat "$out/$name.json.rc") |")
	done
done
figures 0004 <<END
### 0004 x86: clear gigantic pages with non-temporal stores

A page of 1 GiB whose memory was full of 0xa5, after its first touch by \`tiermem bench clear --page-size 1G --size 1G --nodes 2
--at WHERE --verify --repeat 1\`, which fails at the first byte that is not zero. How long it takes is for real machines to say.

| vm.clear_gigantic_nocache | touched at its | pages | bytes looked at | exit code |
|---|---|---|---|---|
$(printf '%s\n' "${rows[@]}")
END
done_testing
