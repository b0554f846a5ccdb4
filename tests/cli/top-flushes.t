#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A program that makes TLB shootdowns shows in `tiermem top`: in the row, in the reasons, and as a process; and what top
# says of it is what /proc/interrupts and perf say. The program is tests/run-helpers/shootdown.c.
# shellcheck disable=SC2016 # scripts for other shells
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

: "${TIERMEM_HELPERS:=$top/build/run-helpers}"
shootdown=$TIERMEM_HELPERS/shootdown
[[ -x $shootdown ]] || skip_all 'shootdown is not built'
"$shootdown" 1 >/dev/null || skip_all 'only one CPU may be used'
command -v perf >/dev/null || skip_all 'perf is not installed'
# So many that it runs for a second.
count=$("$shootdown" 1000 | sed 's/.* in \([0-9]*\) ns.*/\1/')
count=$((1000000000000 / count + 1000))

# In a mount namespace of its own, where tracefs is mounted: the machine's mounts stay as they are.
# shellcheck disable=SC2317 # called by run
with_tracefs()
{
	unshare -m --propagation private bash -c 'mount -t tracefs tracefs /sys/kernel/tracing && exec "$@"' - "$@"
}

# shellcheck disable=SC2317
without_tracefs()
{
	unshare -m --propagation private bash -c 'umount -l /sys/kernel/tracing /sys/kernel/debug 2>/dev/null; exec "$@"' - "$@"
}

run with_tracefs "$TIERMEM" top --json --count 1 --interval 0.05
[[ $status == 0 && $(jq .tlb.flush_reasons.remote_send_ipi "$out_file") != null ]] ||
	skip_all "flushes cannot be counted here: $(jq -r .tlb.flush_reasons.remote_send_ipi_reason "$out_file")"

# The program begins after the first sample and has ended before the last.
cat >"$tmp/script" <<'END'
"$1" top --json --processes --interval 0.2 --record "$2/recording" >"$2/samples" &
top=$!
until [ "$(wc -l <"$2/samples")" -ge 1 ]; do sleep 0.05; done
perf stat -x, -o "$2/perf" -e tlb:tlb_flush --filter 'reason == 4 && pages != 0' \
	bash -c 'echo $$ >"$1/pid"; exec "$2" "$3"' - "$2" "$3" "$4" >"$2/shootdown"
had=$(wc -l <"$2/samples")
until [ "$(wc -l <"$2/samples")" -ge $((had + 2)) ]; do sleep 0.05; done
kill "$top"
wait "$top"
END
row()
{
	awk '$1 == "TLB:" { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' /proc/interrupts
}
before=$(row)
run with_tracefs bash "$tmp/script" "$TIERMEM" "$tmp" "$shootdown" "$count"
after=$(row)
exits 0 'top ran beside the program'
valid_json 'its samples keep to the schema' "$tmp/samples"
valid_json 'and its recording' "$tmp/recording"

# sum FILTER: over the samples
sum()
{
	jq -s "map($1) | add" "$tmp/samples"
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

first=$(head -n 1 "$tmp/recording" | jq '.interrupts.TLB // [] | add')
last=$(tail -n 1 "$tmp/recording" | jq '.interrupts.TLB // [] | add')
if [[ $first != null ]]; then
	ok 'the row as read by hand, before and after' [ $((before <= first && last <= after)) = 1 ]
	is 'the samples add up to the row' "$(sum .tlb.shootdowns_total)" "$((last - first))"
	ok 'and the program is in it' [ "$((last - first))" -gt 0 ]
fi
# The other thread must be interrupted only while it runs: how often is not known before.
perf=$(awk -F, '$3 == "tlb:tlb_flush" { print $1 }' "$tmp/perf")
ok 'the program made flushes' [ "${perf:-0}" -gt $((count / 4)) ]
of="[.processes[] | select(.pid == $(cat "$tmp/pid"))][0]"
near 'the process has as many flushes as perf counts for it' "$(sum "$of.flushes_caused // 0")" "$perf"
ok 'and has suffered some' [ "$(sum "$of.flushes_suffered // 0")" -gt 0 ]
ok 'the reasons have them' [ "$(sum .tlb.flush_reasons.remote_send_ipi)" -ge "$perf" ]
ok 'it is seen where its memory lies' [ "$(jq -s "map($of.memory // [] | length) | max" "$tmp/samples")" -ge 1 ]
like 'by its name' "$(jq -r "$of.name // empty" "$tmp/samples" | sort -u)" shootdown
is 'nothing was lost' "$(sum .flushes_lost)" 0

# The screen says it as well, and without tracefs how to get there.
tiermem top --replay "$tmp/recording" --batch
like 'in lines' "$out" 'TLB/s'
if command -v tmux >/dev/null; then
	export LC_ALL=C.UTF-8
	unset COLUMNS
	trap 'tmux -S "$tmp/tmux" kill-server 2>/dev/null; rm -rf -- "$tmp"' EXIT
	# shows NAME REGEX COMMAND [KEY...]
	shows()
	{
		local name=$1 regex=$2 shown i

		tmux -S "$tmp/tmux" -f /dev/null new-session -d -s "$((++sessions))" -x 100 -y 30 "$3"
		sleep 1
		shift 3
		(($# == 0)) || tmux -S "$tmp/tmux" send-keys -t "$sessions" "$@"
		for ((i = 0; i < 200; i++)); do
			shown=$(tmux -S "$tmp/tmux" capture-pane -t "$sessions" -p)
			[[ $shown =~ $regex ]] && break
			sleep 0.05
		done
		like "$name" "$shown" "$regex"
	}
	sessions=0
	export -f with_tracefs without_tracefs
	"$shootdown" 10000000 >/dev/null &
	program=$!
	shows 'in the list of processes' "4 Processes.* $program shootdown +[1-9][0-9.]*k? +[0-9]" \
		"bash -c 'with_tracefs \"$TIERMEM\" top -d 0.2'" 4
	kill "$program"
	shows 'without tracefs it says so' 'flushes/s  not counted: tracefs is not mounted \(\? helps\)' \
		"bash -c 'without_tracefs \"$TIERMEM\" top -d 0.2'"
	shows '? tells what to do' 'mount -t tracefs tracefs /sys/kernel/tracing' \
		"bash -c 'without_tracefs \"$TIERMEM\" top -d 0.2'" '?'
fi

done_testing
