# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# bench-bandwidth-*.t: bandwidth of two nodes, and of policies on both; the weights are looked at before and after.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
weights=/sys/kernel/mm/mempolicy/weighted_interleave
# Huge pages are spread too, but of these few arrays have too few to come out even.
tiny="--size 4M --time 0.02 --repeat 2 --page base"

weights_are()
{
	tap_is "$(cat $weights/node0 $weights/node1 | tr '\n' ' ')" "$1 " "$2"
}

# Called by wait_for.
# shellcheck disable=SC2317
weights_differ()
{
	[ "$(cat $weights/node0 $weights/node1 | tr '\n' ' ')" != "$1 " ]
}

exits 0 "bandwidth" tiermem bench bandwidth --nodes 0,1 --quick --size 4M --time 0.02 --save /tmp/saved.json
emit saved.json /tmp/saved.json
emit_run computed.json tiermem weights compute --from measured:/tmp/saved.json --json
tap_is $? 0 "weights are computed from it"
weights_are "1 1" "nothing is set for that"

exits 0 "weights of one's own" tiermem weights apply --bandwidth 0=300G,1=100G
weights_are "3 1" "weights of one's own"
# shellcheck disable=SC2086
exits 0 "sets of nodes" tiermem bench bandwidth --interleave --weighted $tiny --kernel read,copy --nontemporal no \
	--save /tmp/sets.json
emit sets.json /tmp/sets.json
# shellcheck disable=SC2086
exits 0 "policies are compared" tiermem bench bandwidth --compare-policies $tiny --save /tmp/compare.json
emit table /tmp/out
emit compare.json /tmp/compare.json
weights_are "3 1" "the weights are put back"
emit_run recommended.json tiermem weights compute --from measured:/tmp/compare.json --mix 2:1 --json
# shellcheck disable=SC2086
exits 0 "loads of one's own" tiermem bench bandwidth --compare-policies $tiny --kernel copy --mix 3:1 --nontemporal yes \
	--save /tmp/given.json
emit given.json /tmp/given.json
weights_are "3 1" "the weights are put back again"
# shellcheck disable=SC2086
exits 0 "an ordinary user" su -s /bin/sh nobody -c "tiermem bench bandwidth --compare-policies $tiny --json"
if grep -q 'ermission denied' /tmp/out; then
	tap_ok "is told what is denied"
else
	tap_not_ok "is told what is denied"
fi
weights_are "3 1" "and sets nothing"

# Weights that no measurement recommends, so that they differ while it runs.
exits 0 "odd weights" tiermem weights apply --bandwidth 0=7G,1=199G
now=$(cat $weights/node0 $weights/node1 | tr '\n' ' ' | sed 's/ $//')
for signal in TERM INT KILL; do
	tiermem bench bandwidth --compare-policies --size 4M --time 2 --repeat 50 --mix 2:1 >/tmp/out 2>/tmp/err &
	pid=$!
	sleep 1
	kill -$signal $pid
	wait $pid
	code=$?
	weights_are "$now" "SIG$signal before it sets anything"
	if [ $code -ne 0 ]; then tap_ok "SIG$signal: exits $code"; else tap_not_ok "SIG$signal: exits $code"; fi

	tiermem bench bandwidth --compare-policies --size 1M --time 0.2 --repeat 3 --kernel read >/tmp/out 2>/tmp/err &
	pid=$!
	if wait_for 60 weights_differ "$now"; then
		tap_ok "SIG$signal: weights are set"
	else
		tap_not_ok "SIG$signal: weights are set"
	fi
	kill -$signal $pid
	wait $pid
	code=$?
	if [ $code -ne 0 ]; then tap_ok "SIG$signal: exits $code"; else tap_not_ok "SIG$signal: exits $code"; fi
	if [ $signal = KILL ]; then
		if weights_differ "$now"; then tap_ok "SIGKILL leaves them"; else tap_not_ok "SIGKILL leaves them"; fi
		# shellcheck disable=SC2086
		exits 0 "the next run recovers" tiermem bench bandwidth --compare-policies $tiny --save /tmp/next.json
		tap_is "$(grep '"weights"' /tmp/next.json | grep -o '[0-9]*:[0-9]* 1:[0-9]*')" "0:${now% *} 1:${now#* }" \
			"and tells the weights that it then found"
	fi
	weights_are "$now" "SIG$signal: they are as before"
done
if pgrep -f 'tiermem bench' >/dev/null; then tap_not_ok "no child is left"; else tap_ok "no child is left"; fi
exit 0
