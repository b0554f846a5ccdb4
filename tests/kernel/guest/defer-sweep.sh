# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# defer.t: a read-only mapping, one page a call, read on every CPU, with the switch off and on.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
switch=/sys/kernel/mm/tlb_defer/enabled

free_kb()
{
	awk '/^MemFree:/ { print $2 }' /proc/meminfo
}

# What the first run brings into memory is there for both of those that count.
tiermem bench migrate --batch 1 --mapping read-only --reader-cpus all --size 64K --repeat 1 --time 0.01 --json >/dev/null
for on in 0 1; do
	echo $on >$switch
	emit_run "sweep-$on.json" tiermem bench migrate --batch 1 --mapping read-only --reader-cpus all --size 16M --repeat 1 \
		--time 0.01 --json
	free_kb | emit "free-$on"
done
exit 0
