# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# bench-latency-*.t: `tiermem bench latency` and `lookup` with two nodes. What they take for true of places is looked at
# on the host; how long loads take in an emulated machine tells nothing.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

short='--time 0.05 --repeat 2 --json'

# shellcheck disable=SC2086 # several words
{
	emit_run latency.json tiermem bench latency $short --size 16M
	emit_run far.json tiermem bench latency $short --size 4M --page thp --nodes 1 --loaded --quick
	emit_run bind.json tiermem bench lookup $short --size 16M --nodes 1
	emit_run interleave.json tiermem bench lookup $short --size 16M --nodes 0,1 --policy interleave --page base
	echo 3 >/sys/kernel/mm/mempolicy/weighted_interleave/node0
	emit_run weighted.json tiermem bench lookup $short --size 16M --policy weighted-interleave --page base
	emit_run run.json tiermem run --bind --nodes 1 -- tiermem bench lookup $short --size 16M
	emit_run room tiermem bench latency --nodes 1 --size 1G || true
}

# Somebody moves the memory while it is measured.
tiermem bench latency --nodes 0 --size 4M --page base --time 1 --repeat 6 --json >/tmp/moved.json 2>/tmp/moved.err &
bench=$!
# Called by wait_for: the chain is there.
# shellcheck disable=SC2317
laid()
{
	child=$(grep -l "^PPid:	$bench\$" /proc/[0-9]*/status 2>/dev/null | sed 's|/proc/\([0-9]*\)/.*|\1|')
	[ -n "$child" ] && [ "$(awk '$1 == "RssAnon:" { print $2 }' "/proc/$child/status")" -gt 3000 ]
}
if wait_for 60 laid; then tap_ok "it measures"; else tap_not_ok "it measures"; fi
exits 0 "its memory is moved" tiermem policy migrate "$child" --from 0 --to 1
wait "$bench"
tap_is "$?" 0 "it is measured to the end"
emit moved.json /tmp/moved.json
