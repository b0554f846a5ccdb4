# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# bench-clear-*.t: first touches of huge pages of both sizes, and that their pools are as before, however it ends.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
kinds=hugepages/hugepages-2048kB
pool=/sys/kernel/mm/$kinds/nr_hugepages

on_node()
{
	cat "/sys/devices/system/node/node$1/$kinds/nr_hugepages"
}

# All pools there are, for one comparison.
pools()
{
	cat /sys/kernel/mm/hugepages/*/nr_hugepages /sys/devices/system/node/node*/hugepages/*/nr_hugepages | tr '\n' ' '
}

# Called by wait_for.
# shellcheck disable=SC2317
pool_above()
{
	[ "$(cat "$pool")" -gt "$1" ]
}

# shellcheck disable=SC2317
measuring()
{
	child=$(grep -l "^PPid:	$1\$" /proc/[0-9]*/status 2>/dev/null | sed 's|/proc/\([0-9]*\)/.*|\1|')
	[ -n "$child" ]
}

# long ARG...: $bench measures for minutes, $child is the process that does
long()
{
	tiermem bench clear --page-size 2M --size 32M --time 100 "$@" >/tmp/bg.out 2>/tmp/bg.err </dev/null &
	bench=$!
	wait_for 20 pool_above 5 || tap_not_ok "the pool grows: $(cat /tmp/bg.err)"
	if ! wait_for 20 measuring $bench; then
		tap_not_ok "it has a child"
		kill $bench
	fi
	usleep 300000
}

# ended NAME CODE: $bench has ended with it, and the pools are as they were
ended()
{
	wait $bench
	tap_is $? "$2" "$1: it exits $2"
	tap_is "$(pools)" "$before" "$1: the pools are as before"
	tap_is "$(find /run/tiermem -name '*.journal' | wc -l)" 0 "$1: no journal is left"
	tap_is "$(pidof tiermem)" "" "$1: no process is left"
}

bring_online 2
# Spread over the nodes, as nobody asked for certain ones.
echo 5 >$pool
tap_is "$(cat $pool)" 5 "a pool of somebody else's"
before=$(pools)

# ---- both sizes

emit_run two.json tiermem bench clear --page-size 2M --size 32M --repeat 3 --time 0.02 --verify --json
tap_is "$(pools)" "$before" "2M: the pools are as before"
emit_run one.json tiermem bench clear --page-size 1G --size 1G --nodes 2 --repeat 1 --time 0.01 --json
tap_is "$(pools)" "$before" "1G: the pools are as before"
for at in start middle end; do
	emit_run "$at.json" tiermem bench clear --page-size 2M --size 6M --at $at --repeat 1 --time 0.01 --verify --json
done
emit_run nodes.json tiermem bench clear --page-size 2M --size 16M --nodes 0,1 --repeat 1 --time 0.01 --threads 2 --verify --json
tap_is "$(pools)" "$before" "nodes: the pools are as before"
exits 0 "all sizes, as a table" tiermem bench clear --quick --size 16M --time 0.01
emit table </tmp/out
tap_is "$(pools)" "$before" "all sizes: the pools are as before"
exits 0 "loops" tiermem bench clear --user-space --size 4M --repeat 1 --time 0.01 --verify
tap_is "$(grep -cE '^(rep-stosb|vector|non-temporal) ' /tmp/out)" 3 "there are three of them"

# ---- what this machine cannot do

exits 3 "a size that is not there" tiermem bench clear --page-size 2M,16G
says "it is named" 'no huge pages of 16G here'
exits 3 "a node that is too small" tiermem bench clear --page-size 1G --size 1G --nodes 1
says "the figures are told" 'node 1 has .* of free memory, and 1G are needed'
free=$(awk '$3 == "MemFree:" { print int($4 / 2048) }' /sys/devices/system/node/node1/meminfo)
emit_run part.json tiermem bench clear --page-size 2M --size $((free * 2))M --nodes 1 --repeat 1 --time 0.01 --json
tap_is "$(pools)" "$before" "all of a node: the pools are as before"
exits 1 "an ordinary user" su -s /bin/sh nobody -c 'tiermem bench clear --page-size 2M --size 2M'
says "needs root" 'only root may change the pools of huge pages'
exits 0 "an ordinary user's loops" su -s /bin/sh nobody -c \
	'tiermem bench clear --user-space --size 1M --repeat 1 --time 0.01'

# ---- however it ends

for signal in INT TERM; do
	long
	kill -$signal $bench
	ended SIG$signal 1
	tap_is "$(grep -c 'tiermem bench clear: ended by ' /tmp/bg.err)" 1 "SIG$signal: it says so"
done
long
kill -9 "$child"
ended "a killed child" 1
tap_is "$(grep -c 'tiermem bench clear: the measuring process was killed, probably for memory' /tmp/bg.err)" 1 \
	"a killed child: it says so"
node1=$(on_node 1)
long --nodes 1
kill -9 $bench
wait $bench
tap_is "$?" 137 "SIGKILL"
tap_is "$(on_node 1)" $((node1 + 16)) "SIGKILL: it leaves what it has added"
wait_for 10 sh -c '! pidof tiermem' >/dev/null || tap_not_ok "SIGKILL: its child ends too"
exits 0 "recover" tiermem recover
tap_is "$(pools)" "$before" "recover: the pools are as before"
long --nodes 1
kill -9 $bench
wait $bench
exits 0 "the next one recovers by itself" tiermem bench clear --page-size 2M --size 2M --nodes 0 --repeat 1 --time 0.01
says "and says so" "nr_hugepages: a killed tiermem bench had changed it; put back to '$node1'"
tap_is "$(pools)" "$before" "then, too, the pools are as before"
exit 0
