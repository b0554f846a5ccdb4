# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# defer.t: first touches with the switch as it is, and turned on with nothing put off.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
switch=/sys/kernel/mm/tlb_defer/enabled

for on in 0 1; do
	[ ! -e $switch ] || echo $on >$switch
	emit_run "fault-$on.json" tiermem bench fault --private --base --threads 1 --size 4M --repeat 9 --time 0.1 --json
	[ -e $switch ] || break
done
grep '^tlb_defer_' /proc/vmstat | emit counters
exit 0
