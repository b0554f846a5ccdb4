# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# topology-*.t: what tiermem says of this machine, and what the kernel says.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

uname -r | emit release
for node in /sys/devices/system/node/node[0-9]*; do
	sed -n 's/^Node \([0-9]*\) MemTotal: *\([0-9]*\) kB/\1 \2/p' "$node/meminfo"
done | emit totals

emit_run topology.json tiermem topology --json
for view in plain tree matrix verbose; do
	case $view in
	plain) emit_run plain.txt tiermem topology ;;
	*) emit_run "$view.txt" tiermem topology "--$view" ;;
	esac
done
emit_run user.json su -s /bin/sh nobody -c 'tiermem topology --json'
emit_run list.txt tiermem topology --matrix --raw --noheadings

# Without the kernel's figures for CXL memory: what tiermem itself makes of the firmware's and the device's tables.
hide()
{
	for _folder; do
		[ ! -d "$_folder" ] || mount -t tmpfs none "$_folder"
	done
}

hide /sys/bus/cxl/devices/region*/access?
for target in /sys/bus/dax/devices/dax*/target_node; do
	[ ! -e "$target" ] || hide "/sys/devices/system/node/node$(cat "$target")"/access?
done
emit_run hidden.json tiermem topology --json
exit 0
