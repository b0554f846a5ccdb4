#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A saved profile after a reboot, on a real kernel: what the boot service runs makes the settings so, and when the
# expander's memory comes online later, a real udevd sees to it that the weights follow.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

vm_need 6.12
"$top/tests/vm/fetch" udev 2>"$tmp/.fetch" || skip_all "udev could not be fetched: $(tail -n 1 "$tmp/.fetch")"
udev=$TIERMEM_CACHE/vm/udev/root
udevadm=$(find "$udev/bin" "$udev/usr/bin" -name udevadm -type f 2>/dev/null | head -n 1)
make -s install-service PREFIX=/usr DESTDIR="$tmp/files" >"$tmp/install.log" 2>&1 || diag "$(cat "$tmp/install.log")"

add=()
for file in lib/systemd/system/tiermem-profile.service lib/udev/rules.d/90-tiermem.rules lib/tiermem/tiermem-hotplug; do
	add+=(--add "$tmp/files/usr/$file:/usr/$file")
done
# The libraries that this host may lack lie beside it, and are found there by ldd and in the guest.
libraries=$udev/usr/lib/x86_64-linux-gnu:$udev/lib/x86_64-linux-gnu
printf '%s\n%s\n' "$udevadm" "$libraries" >"$tmp/udev"
LD_LIBRARY_PATH=$libraries vm_boot profile --machine B --kernel 6.12 --script "$top/tests/vm/guest/profile.sh" \
	--timeout 400 --append vm.setup=late --program "$udevadm" --add "$tmp/udev:/vm/udev" "${add[@]}"
vm_ended profile
for file in "$(vm_out profile)"/*.json; do
	[[ -e $file ]] && valid_json "${file##*/} keeps to its schema" "$file"
done
out=$(vm_out profile)
json_is "saved at the end: the weights of three nodes" "$out/saved.json" '.weights' '{"0":20,"1":4,"3":1}'
json_is "and what else was set" "$out/saved.json" \
	'[.policy.demotion, .policy["numa-balancing"], .policy["promote-rate-limit"], .mthp.sizes["64K"].shmem]' \
	'["on","tiering","19073Mi","always"]'
done_testing
