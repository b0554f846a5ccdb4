# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# weights-stale-newest.t: memory comes after boot, and the kernel's automatic weights do not follow.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
weights=/sys/kernel/mm/mempolicy/weighted_interleave

weights_are()
{
	tap_is "$(cat $weights/auto $weights/node[0-9]* | tr '\n' ' ')" "$1 " "$2"
}

weights_are "true 26 5" "before"
exits 0 "show" tiermem weights show --json
emit before.json /tmp/out
for state in /sys/devices/system/node/node2/memory*/state; do
	echo online_movable >"$state"
done
wait_for 20 test -e $weights/node2
weights_are "true 26 5 1" "the kernel does not reckon anew"
exits 0 "show" tiermem weights show --json
emit stale.json /tmp/out
exits 0 "topology" tiermem topology
tap_is "$(grep -c 'stale-weights' /tmp/out)" 1 "topology warns"
exits 1 "stale weights cannot be had back" tiermem weights apply --auto
says "says so" 'stale weight cannot be had back'
weights_are "true 26 5 1" "nothing is written"
exits 0 "--accept" tiermem weights apply --auto --accept --json
emit auto.json /tmp/out
weights_are "true 12 2 1" "the kernel has reckoned anew"
exits 0 "show" tiermem weights show --json
emit after.json /tmp/out
exits 0 "apply" tiermem weights apply
weights_are "false 10 2 1" "the best"
exits 0 "undo" tiermem undo
weights_are "true 12 2 1" "undo"

# Offlining takes the node's file away, and leaves the others as they are.
for state in /sys/devices/system/node/node2/memory*/state; do
	echo offline >"$state"
done
wait_for 20 test ! -e $weights/node2
exits 0 "show" tiermem weights show --json
emit gone.json /tmp/out
exit 0
