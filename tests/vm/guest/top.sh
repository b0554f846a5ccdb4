# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# top-*.t: what `tiermem top` says while pages move down and up again, beside what /proc/vmstat says before and after.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

counter()
{
	awk -v name="$1" '$1 == name { print $2 }' /proc/vmstat
}

demoted()
{
	awk '/^pgdemote_/ { sum += $2 } END { print sum }' /proc/vmstat
}

# Called by wait_for.
# shellcheck disable=SC2317
promoted_since()
{
	[ "$(counter pgpromote_success)" -gt "$1" ]
}

# shellcheck disable=SC2317
lines()
{
	[ "$(grep -c . /tmp/samples 2>/dev/null)" -ge "$1" ]
}

mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
exits 0 "preset tiering" tiermem policy preset tiering
# A process that slept is scanned no faster than once in the longest period, which is a minute of its running.
exits 0 "scanning often" tiermem policy set scan-size=1Gi scan-delay=0 scan-period-min=100 scan-period-max=500

emit before </proc/vmstat
tiermem top --json --processes --interval 0.5 --record /tmp/recording >/tmp/samples 2>/tmp/top.err &
top=$!
if wait_for 30 lines 1; then tap_ok "it samples"; else tap_not_ok "it samples: $(cat /tmp/top.err)"; fi

free=$(awk '$3 == "MemFree:" { print int($4 / 1024) }' /sys/devices/system/node/node0/meminfo)
mkfifo /tmp/in
down=$(demoted)
pressure $((free / 2)) $((free * 5 / 8)) </tmp/in >/tmp/pressure &
exec 3>/tmp/in
if wait_for 120 grep -q full /tmp/pressure; then tap_ok "memory is short"; else tap_not_ok "memory is short"; fi
if [ "$(demoted)" -gt $((down + 1000)) ]; then tap_ok "pages were demoted"; else tap_not_ok "pages were demoted"; fi
# The memory of processes is looked at every ten seconds.
sleep 11
up=$(counter pgpromote_success)
echo go >&3
if wait_for 120 promoted_since "$((up + 1000))"; then tap_ok "pages were promoted"; else tap_not_ok "pages were promoted"; fi
exec 3>&-
wait %2 2>/dev/null
sleep 3
emit after </proc/vmstat
kill "$top"
wait "$top"
tap_is "$?" 0 "a signal ends it"
emit samples.json /tmp/samples
emit recording.json /tmp/recording
emit_run batch tiermem top --replay /tmp/recording --batch
emit_run metrics tiermem top --metrics
# While nothing moves, the counters are those of vmstat to the last one.
# shellcheck disable=SC2317
moves()
{
	grep -E '^(pgpromote|pgdemote|pgmigrate)_' /proc/vmstat
}

# Called by wait_for.
# shellcheck disable=SC2317
same_moves()
{
	moves >/tmp/moves
	tiermem top --metrics >/tmp/still
	[ "$(moves)" = "$(cat /tmp/moves)" ]
}

exits 0 "preset off" tiermem policy preset off
if wait_for 30 same_moves; then tap_ok "nothing moves"; else tap_not_ok "nothing moves"; fi
emit moves /tmp/moves
emit still /tmp/still
# What an ordinary user may not see is marked, and the rest is there.
emit_run nobody.json su -s /bin/sh nobody -c 'tiermem top --json --count 1 --processes'
exit 0
