# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# bench-migrate-*.t: sweeps between the tiers, one page a call and many, beside what /proc/vmstat says.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

migrated()
{
	awk '$1 == "pgmigrate_success" { print $2 }' /proc/vmstat
}

mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
before=$(migrated)
emit_run batches.json tiermem bench migrate --batch 1,128 --size 512K --repeat 3 --time 0.01 --json
echo "$before $(migrated)" | emit migrated
emit_run read-only.json tiermem bench migrate --nodes 0,1 --batch 64 --size 2M --repeat 2 --time 0.01 \
	--mapping read-only --json
emit_run alone.json tiermem bench migrate --readers 0 --size 1M --repeat 2 --time 0.01 --json
emit_run pinned.json tiermem bench migrate --cpus 1 --readers 2 --reader-cpus 0 --size 1M --repeat 2 --time 0.01 --json
exits 0 "a table" tiermem bench migrate --batch 1,512 --size 256K --repeat 2 --time 0.01
emit table </tmp/out
exits 0 "counters" tiermem bench migrate --size 1M --repeat 2 --time 0.01 --stat
tap_is "$(grep -c '^pgmigrate_success ' /tmp/out)" 1 "they are shown"
exits 3 "a node without room" tiermem bench migrate --size 2G
says "it is named" 'node 0 has .* of free memory, and 2G are needed'
exits 2 "one node" tiermem bench migrate --nodes 1
says "needs two" "'1' are not two nodes"
exits 2 "no such CPU" tiermem bench migrate --reader-cpus 0,5
says "it is named" '5 is no CPU that this process may use'
exits 0 "an ordinary user" su -s /bin/sh nobody -c 'tiermem bench migrate --size 256K --repeat 1 --time 0.01'

# A busy neighbour.
sh -c 'while :; do :; done' &
busy=$!
sh -c 'while :; do :; done' &
busy="$busy $!"
emit_run busy.json tiermem bench migrate --size 1M --repeat 2 --time 0.2 --json
# shellcheck disable=SC2086
kill $busy

# However it ends.
tiermem bench migrate --size 1M --time 100 >/tmp/bg.out 2>/tmp/bg.err </dev/null &
bench=$!
sleep 2
kill -TERM $bench
wait $bench
tap_is $? 1 "SIGTERM ends it"
tap_is "$(pidof tiermem)" "" "no process is left"
exit 0
