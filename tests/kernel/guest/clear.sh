# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# clear.t: the first touch of a page of 1 GiB whose memory was full of something else, with the switch off and on.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
switch=/proc/sys/vm/clear_gigantic_nocache
pool=/sys/devices/system/node/node2/hugepages/hugepages-1048576kB

# pressure would do as well, but what it writes is mostly zeroes
dirty()
{
	mkdir -p /tmp/fill
	mount -t tmpfs -o mpol=bind:2,size=2G,huge=never tmpfs /tmp/fill
	tr '\0' '\245' </dev/zero | head -c 16777216 >/tmp/fill/0
	_n=0
	while _n=$((_n + 1)); cat /tmp/fill/0 >>/tmp/fill/all 2>/dev/null; do [ $_n -lt 116 ] || break; done
	_filled=$(awk '$3 == "Shmem:" { print int($4 / 1024) }' /sys/devices/system/node/node2/meminfo)
	umount /tmp/fill
	echo 3 >/proc/sys/vm/drop_caches
}

bring_online 2
free=$(awk '$3 == "MemFree:" { print int($4 / 1024) }' /sys/devices/system/node/node2/meminfo)
dirty
tap_is "$((_filled * 100 / free >= 90))" 1 "node 2 was filled: $_filled of $free MiB"

if [ -e $switch ]; then
	tap_is "$(cat $switch)" 0 "off at first"
	for bad in 2 -1 x; do
		echo $bad 2>/dev/null >$switch && tap_not_ok "the switch refuses $bad"
	done
	tap_is "$(cat $switch)" 0 "it takes 0 and 1 only"
fi
for on in 0 1; do
	[ ! -e $switch ] || echo $on >$switch
	for at in start middle end; do
		emit_run "$at-$on.json" tiermem bench clear --page-size 1G --size 1G --nodes 2 --at $at --verify --repeat 1 \
			--time 0.01 --json
		tap_is "$(cat $pool/nr_hugepages)" 0 "$at, $on: the pool is as before"
	done
	[ -e $switch ] || break
done
exit 0
