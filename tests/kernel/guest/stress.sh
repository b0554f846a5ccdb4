# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# stress.t: what the stress needs to be there, and the stress, with the arguments that the kernel was given as stress="...".

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
huge=/sys/kernel/mm/transparent_hugepage
ksm=/sys/kernel/mm/ksm
switch=/sys/kernel/mm/tlb_defer/enabled

bring_online 2
echo 128M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0
tap_is $? 0 "there is swap"
# Only where it is asked for, of all sizes that fit.
echo never >$huge/enabled
for size in 16 32 64 128; do
	echo madvise >$huge/hugepages-${size}kB/enabled
done
for set in smart_scan=0 pages_to_scan=10000 sleep_millisecs=20 run=1; do
	echo ${set#*=} >$ksm/${set%=*}
done
# Hinting faults, now and then.
echo 500 >/sys/kernel/debug/sched/numa_balancing/scan_period_min_ms
echo 1 >/proc/sys/kernel/numa_balancing
[ ! -e $switch ] || echo 1 >$switch

emit before /proc/vmstat
# shellcheck disable=SC2046
emit_run stress /vm/stress $(sed -n 's/.*stress="\([^"]*\)".*/\1/p' /proc/cmdline)
emit after /proc/vmstat
[ ! -e $switch ] || cat $switch | emit switch
exit 0
