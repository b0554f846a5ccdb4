# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# defer.t: look-ups in tables of which a fifth, or a ninth, fits into node 0, most of which was taken at boot, with demotion
# and promotion, and the switch off and on.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
switch=/sys/kernel/mm/tlb_defer/enabled

# What there is to have of node 0 before demotion starts, in KiB
room()
{
	awk '$1 == "Node" { node = $2 } node == "0," && $2 == "free" { sum += $3 } node == "0," && $1 == "promo" { sum -= $2 }
		END { print sum * 4 }' /proc/zoneinfo
}

exits 0 "tiering" tiermem policy preset tiering
exits 0 "scanning often" tiermem policy set scan-size=1Gi scan-delay=0 scan-period-min=100 scan-period-max=500 \
	promote-rate-limit=64Gi
echo 3 >/proc/sys/vm/drop_caches
room=$(room)
for case in 4-read-only 8-read-only 8-written; do
	parts=${case%%-*}
	for on in 0 1; do
		echo $on >$switch
		exits 0 "$case, $on" tiermem stat --repeat 5 --output /tmp/$case-$on.json -- \
			tiermem bench lookup --size $((room * (parts + 1)))K --lookups 40000 --repeat 1 --threads 1 --nuclides 16 --page base \
			--mapping ${case#*-}
		emit "$case-$on.json" /tmp/$case-$on.json
	done
	tiermem stat --compare --csv /tmp/$case-0.json /tmp/$case-1.json | emit "$case.csv"
done
echo "$room" | emit room
exit 0
