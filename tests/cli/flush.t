#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# TLB flushes on this machine: what lib/sample counts, against what perf counts in the same run and /proc/interrupts
# says. The program that makes them and the one that counts are tests/run-helpers/{shootdown,flushes}.c.
# shellcheck disable=SC2016 # scripts for other shells
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

: "${TIERMEM_HELPERS:=$top/build/run-helpers}"
for helper in shootdown flushes; do
	[[ -x $TIERMEM_HELPERS/$helper ]] || skip_all "$helper is not built"
done
"$TIERMEM_HELPERS/shootdown" 1 >/dev/null || skip_all 'only one CPU may be used'

# In a mount namespace of its own, where tracefs is mounted: the machine's mounts stay as they are.
# shellcheck disable=SC2317 # called by run
with_tracefs()
{
	unshare -m --propagation private bash -c 'mount -t tracefs tracefs /sys/kernel/tracing && exec "$@"' - "$@"
}

# shellcheck disable=SC2317
without_tracefs()
{
	unshare -m --propagation private bash -c 'umount -l /sys/kernel/tracing /sys/kernel/debug 2>/dev/null
		exec "$@"' - "$@"
}

run with_tracefs "$TIERMEM_HELPERS/flushes" system true
[[ $status == 0 ]] || skip_all "flushes cannot be counted here: ${err##*$'\n'}"

# number REASON PAGES: the third column of one line
number()
{
	awk -v reason="$1" -v pages="$2" '$1 == reason && $2 == pages { print $3 }' "$out_file"
}

# flushes [REASON]: all flushes, of one reason
flushes()
{
	awk -v reason="${1-}" 'NF == 3 && $2 != "none" && (reason == "" || reason == $1) { n += $3 } END { print n + 0 }' \
		"$out_file"
}

# near NAME GOT WANTED: within 2 percent, and a few that are in nobody's hand
near()
{
	local off=$(($2 > $3 ? $2 - $3 : $3 - $2))

	if ((off <= $3 / 50 + 25)); then
		pass "$1"
	else
		fail "$1"
		diag "got $2, wanted $3 within 2 percent"
	fi
}

# between NAME GOT LEAST MOST
between()
{
	if (($2 >= $3 && $2 <= $4)); then
		pass "$1"
	else
		fail "$1"
		diag "got $2, wanted $3 to $4"
		diag "$(cat "$out_file")"
	fi
}

count=3000

# ---- by reason and size: what the program does, and nothing else

run with_tracefs "$TIERMEM_HELPERS/flushes" process "$TIERMEM_HELPERS/shootdown" "$count" mprotect
exits 0 'the flushes of a process are counted'
unlike 'every combination has a number' "$out" '[a-z] [a-z-]+$'
sent=$(number remote_send_ipi one)
# More where giving the right back flushes too; fewer where the other thread is kept from its CPU.
between 'one page each: asked of the other CPU' "$sent" 1 $((count * 3))
between 'and flushed here' "$(number local_mm_shootdown one)" "$count" $((count * 3))
between 'no ranges' "$(number remote_send_ipi range)" 0 99
run with_tracefs "$TIERMEM_HELPERS/flushes" process "$TIERMEM_HELPERS/shootdown" 5000 munmap 8
between 'eight pages are a range' "$(number local_mm_shootdown range)" 5000 5500
between 'not single pages' "$(number local_mm_shootdown one)" 0 499
run with_tracefs "$TIERMEM_HELPERS/flushes" process "$TIERMEM_HELPERS/shootdown" 2000 munmap 600
between 'many pages are all' "$(number local_mm_shootdown all)" 2000 2200

# ---- against perf, in the same run

if command -v perf >/dev/null; then
	# Of a process: perf's count has the starting of the counting program too, which is little.
	run with_tracefs perf stat -x, -o "$tmp/perf" -e tlb:tlb_flush --filter 'pages != 0' \
		"$TIERMEM_HELPERS/flushes" process "$TIERMEM_HELPERS/shootdown" "$count"
	counted=$(awk -F, '/tlb:tlb_flush/ { print $1 }' "$tmp/perf")
	if [[ $counted =~ ^[0-9]+$ ]]; then
		near 'as many as perf counts, in a process' "$(flushes)" "$counted"
		# All CPUs: what others do while perf starts is in its count alone, so an idle moment is waited for.
		for ((try = 0; try < 3; try++)); do
			run with_tracefs perf stat -x, -o "$tmp/perf" -a -e tlb:tlb_flush --filter 'pages != 0' \
				"$TIERMEM_HELPERS/flushes" system "$TIERMEM_HELPERS/shootdown" $((count * 3))
			counted=$(awk -F, '/tlb:tlb_flush/ { print $1 }' "$tmp/perf")
			ours=$(flushes)
			((counted - ours <= counted / 50)) && break
		done
		near 'as many as perf counts, on all CPUs' "$ours" "$counted"
	else
		skip 'as many as perf counts' 'perf counts nothing here'
	fi
else
	skip 'as many as perf counts' 'perf is not installed'
fi

# ---- against /proc/interrupts: interrupts received, whether or not there was something left to flush

if grep -q '^ *TLB:' /proc/interrupts; then
	row='awk "\$1 == \"TLB:\" { for (i = 2; i <= NF && \$i ~ /^[0-9]+\$/; i++) n += \$i } END { print n }" /proc/interrupts'
	run with_tracefs "$TIERMEM_HELPERS/flushes" system sh -c "$row; \"\$0\" $count >/dev/null; $row" \
		"$TIERMEM_HELPERS/shootdown"
	received=$(awk 'NF == 1 { if (n++) print $1 - first; first = $1 }' "$out_file")
	ours=$(($(flushes remote_shootdown) + $(number remote_shootdown none) + $(number remote_wrong_cpu none)))
	near 'as many as the TLB row of /proc/interrupts' "$ours" "$received"
else
	skip 'as many as the TLB row of /proc/interrupts' 'this architecture has no such row'
fi

# ---- by process

# What is counted is of the program that records as well: it asks for few, but under a sanitizer for many.
run with_tracefs "$TIERMEM_HELPERS/flushes" process "$TIERMEM_HELPERS/flushes" ring "$TIERMEM_HELPERS/shootdown" "$count"
exits 0 'flushes are recorded by process'
read -r victim initiator <<<"$(awk '$2 == "shootdown" { print $3, $4 }' "$out_file")"
recorder=$(awk '$2 == "flushes" { n += $4 } END { print n + 0 }' "$out_file")
lost=$(awk '$1 == "lost" { print $2 }' "$out_file")
sent=$(flushes remote_send_ipi)
near 'the initiator is the process, as often as is counted' "$((initiator + recorder + lost))" "$sent"
ok 'most of them' test "$((initiator + lost))" -gt "$((sent / 2))"
ok 'and its other thread the victim' test "$((victim + lost))" -ge 1
like 'lost records are counted' "$lost" '^[0-9]+$'

# ---- what is not there

run without_tracefs "$TIERMEM_HELPERS/flushes" system true
is 'without tracefs' "$status $err" '77 flushes: tracepoint tlb:tlb_flush: tracefs is not mounted'
if command -v setpriv >/dev/null; then
	chmod 755 "$tmp"
	cp "$TIERMEM_HELPERS/flushes" "$tmp/"
	run with_tracefs setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/flushes" system true
	like 'without privilege' "$status $err" '^77 flushes: tracepoint tlb:tlb_flush: permission denied'
else
	skip 'without privilege' 'there is no setpriv'
fi

done_testing
