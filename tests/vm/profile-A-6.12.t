#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The unit of the boot service under a real systemd: its sandbox lets it write what it must.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

vm_need 6.12
systemd=/usr/lib/systemd/systemd
[[ -x $systemd ]] || skip_all "no systemd on this machine"
make -s install-service PREFIX=/usr DESTDIR="$tmp/files" >"$tmp/install.log" 2>&1 || diag "$(cat "$tmp/install.log")"

add=()
for file in lib/systemd/system/tiermem-profile.service lib/systemd/system/tiermem-hotplug.timer lib/tiermem/tiermem-hotplug; do
	add+=(--add "$tmp/files/usr/$file:/usr/$file")
done
# Since release 254 it starts its services through another program.
[[ ! -x $systemd-executor ]] || add+=(--program "$systemd-executor")
vm_boot profile --machine A --kernel 6.12 --script "$top/tests/vm/guest/profile-systemd.sh" --timeout 240 \
	--program "$systemd" --program systemctl "${add[@]}"
vm_ended profile
((failures == 0)) || diag "$(tail -n 20 "$(vm_out profile)/service.log" 2>/dev/null)"
done_testing
