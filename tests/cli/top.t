#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem top` without its screen: lines, JSON, recordings and what can go wrong with them, metrics, and the files of
# machines that are not this one.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

recording=$top/tests/cli/top/two-tiers.ndjson

# Lines, documents.
tiermem top --replay "$recording" --batch
golden top-batch
tiermem top --replay "$recording" --batch --raw --noheadings
golden top-raw
tiermem top --replay "$recording" --json
exits 0 'a recording as JSON'
valid_json 'it keeps to its schema'
cp "$out_file" "$tmp/documents"
is 'the first sample has nothing before it and is not shown' "$(wc -l <"$tmp/documents")" 5
is 'the interval' "$(jq -c .interval_s "$tmp/documents" | sort -u)" 1
is 'a CPU whose count of 32 bits wrapped' \
	"$(jq -c '.tlb.shootdowns[] | select(.cpu == 7) | .count' "$tmp/documents" | tr '\n' ' ')" '20 770 6686 10020 2520 '
is 'CPUs that are offline are left out' "$(jq -r '.tlb.shootdowns | map(.cpu) | contains([5])' "$tmp/documents" | sort -u)" \
	false
is 'shootdowns in all are those of the CPUs' \
	"$(jq '(.tlb.shootdowns | map(.count) | add) == .tlb.shootdowns_total' "$tmp/documents" | sort -u)" true
is '64 bits are exact' "$(jq -s 'map(.migration.pgdemote_kswapd) | add' "$tmp/documents")" 215100
is 'bytes are pages of this size' "$(jq -s '.[4].migration | .promoted_bytes_per_second / .pgpromote_success' "$tmp/documents")" \
	4096
is 'what the tiering said at the time' "$(jq -r .tiering.promotion "$tmp/documents" | cut -c 1-3 | tr '\n' ' ')" \
	'no: yes yes yes yes '
is 'processes come with it' "$(jq -c '[.processes[0] | .name, .flushes_suffered, (.memory | length)]' "$tmp/documents" | tail -n 1)" \
	'["postgres",5100,3]'
ok 'the bundled recording is what its maker makes' cmp -s "$recording" <(tests/cli/top/make-recording)
valid_json 'and keeps to its schema' "$recording"

# Recording what is replayed gives the same again, to the last digit.
tiermem top --replay "$recording" --record "$tmp/again.ndjson" --batch
exits 0 'a replay is recorded'
is 'and is the same' "$(diff <(jq -cS 'del(.tiermem)' "$recording") <(jq -cS 'del(.tiermem)' "$tmp/again.ndjson"))" ''
tiermem top --replay "$recording" --record "$tmp/again.ndjson" --batch
exits 1 'a file that is there is kept'
like 'with a hint' "$err" 'again.ndjson.*exist'
tiermem top --replay "$recording" --record "$tmp/again.ndjson" --force --batch
exits 0 'unless it may be overwritten'

# This machine: figures are those of the files.
tiermem top --json --count 2 --interval 0.1 --processes --record "$tmp/live.ndjson"
exits 0 'this machine'
valid_json 'its documents keep to the schema'
valid_json 'and its recording' "$tmp/live.ndjson"
cp "$out_file" "$tmp/live"
tiermem top --json --replay "$tmp/live.ndjson"
ok 'the replay says the same' cmp -s "$tmp/live" "$out_file"
if [[ -e /proc/interrupts ]]; then
	was=$(awk '$1 == "CAL:" { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' /proc/interrupts)
	tiermem top --record "$tmp/one.ndjson" --count 1 --interval 0.05 --batch --quiet
	is=$(awk '$1 == "CAL:" { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' /proc/interrupts)
	recorded=$(head -n 1 "$tmp/one.ndjson" | jq '.interrupts.CAL | add // 0')
	ok 'interrupts are those of the file' [ $((was <= recorded && recorded <= is)) = 1 ]
fi

# Files that are cut, or are not recordings.
recorded()
{
	tiermem top --replay "$tmp/file" --batch --noheadings
}
head -c 20000 "$recording" >"$tmp/file"
recorded
exits 0 'the last line was cut short'
is 'what is whole is shown' "$(wc -l <"$out_file")" "$(($(wc -l <"$tmp/file") - 1))"
head -n 1 "$recording" | head -c 100 >"$tmp/file"
recorded
exits 1 'only half a line'
: >"$tmp/file"
recorded
exits 1 'an empty file'
like 'is said' "$err" 'an empty recording'
sed '3s/"time_ns":[0-9]*/"time_ns":"x"/' "$recording" >"$tmp/file"
recorded
exits 1 'a line that is wrong'
like 'is named' "$err" 'line 3: time_ns'
head -n 1 "$tmp/documents" >"$tmp/file"
recorded
exits 1 'another document'
like 'is told' "$err" 'line 1: no line of a recording'
tiermem top --replay "$tmp/nothing" --batch
exits 1 'a file that is not there'

# A recording in which the clock goes back, and CPUs and nodes come and go.
python3 - "$recording" >"$tmp/file" <<'EOF'
import json
import sys

for number, line in enumerate(open(sys.argv[1], encoding="utf-8"), 1):
    sample = json.loads(line)
    if number == 3:
        sample["time_ns"] = 1
    if number == 5:
        sample["nodes"].pop()
        sample["interrupts"]["cpus"][-1] = 200
    print(json.dumps(sample))
EOF
tiermem top --replay "$tmp/file" --json
exits 0 'a clock that jumps, a CPU and a node that go'
valid_json 'still keep to the schema'
is 'no rate without time' "$(jq -c .interval_s "$out_file" | sed -n 2p)" null
is 'the node is gone' "$(jq -c '.nodes | map(.id)' "$out_file" | sed -n 4p)" '[0,1]'
is 'a CPU that is new has no count' "$(jq -c '.tlb.shootdowns[-1]' "$out_file" | sed -n 4p)" \
	'{"cpu":200,"count":null,"count_reason":"offline"}'
is 'and is not in the sum' "$(jq '(.tlb.shootdowns | map(.count // 0) | add) == .tlb.shootdowns_total' "$out_file" | sed -n 4p)" true
is 'and is back without counts' "$(jq -c '.nodes[2] | [.id, .numa_hit, .numa_hit_reason]' "$out_file" | sed -n 5p)" \
	'[2,null,"offline"]'

# Deferred flushes: few kernels have them.
is 'what a kernel has not is not 0' "$(jq -c '.tlb.vmstat | [.tlb_defer_pages, .tlb_defer_pages_reason]' "$tmp/documents" |
	sort -u)" '[null,"unsupported"]'
tests/cli/top/make-recording --deferred >"$tmp/file"
valid_json 'a recording with deferred flushes' "$tmp/file"
tiermem top --replay "$tmp/file" --json
exits 0 'is replayed'
valid_json 'and its documents keep to their schema'
is 'deferred flushes' "$(jq -c '[.tlb.vmstat | .tlb_defer_pages, .tlb_defer_forced, .tlb_defer_refused]' "$out_file" |
	tail -n 1)" '[77220,156,780]'
tiermem top --replay "$tmp/file" --metrics
like 'as metrics' "$(grep tlb_defer_pages "$out_file")" \
	'# TYPE tiermem_vmstat_tlb_defer_pages_total counter'$'\n''tiermem_vmstat_tlb_defer_pages_total 50000'
tiermem top --replay "$recording" --metrics
unlike 'only where there are such' "$out" tlb_defer
tiermem top --replay "$tmp/file" --batch
golden top-batch

# What stops a recording in the midst.
whole()
{
	local lines

	lines=$(wc -l <"$tmp/file")
	tiermem top --replay "$tmp/file" --json
	is "$1: what was recorded can be read" "$status $(wc -l <"$out_file")" "0 $((lines - 1))"
	ok "$1: and is several samples" [ "$lines" -ge 2 ]
}
rm -f "$tmp/file"
"$TIERMEM" top --record "$tmp/file" --interval 0.05 --batch >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 200; i++)); do
	[[ -s $tmp/file && $(wc -l <"$tmp/file") -ge 3 ]] && break
	sleep 0.05
done
kill -KILL "$pid"
wait "$pid" 2>/dev/null
head -c -1 "$tmp/file" >"$tmp/cut" # as if it had been killed while it wrote
whole 'SIGKILL'
mv "$tmp/cut" "$tmp/file"
tiermem top --replay "$tmp/file" --batch
exits 0 'SIGKILL in a line'

rm -f "$tmp/file"
run bash -c 'trap "" XFSZ; ulimit -f 32; exec "$@"' - "$TIERMEM" top --record "$tmp/file" --interval 0.05 --batch --quiet
exits 1 'a file that may not grow'
like 'is said' "$err" 'top: .*/file: File too large'
is 'its last line is whole' "$(tail -c 1 "$tmp/file" | od -An -c | tr -d ' ')" '\n'
whole 'a file that may not grow'
run bash -c '(ulimit -f 32; exec "$@")' - "$TIERMEM" top --record "$tmp/file" --force --interval 0.05 --batch --quiet
exits 1 'the signal for it does not kill'

# shellcheck disable=SC2016 # for the other shell
if unshare -m true 2>/dev/null; then
	mkdir "$tmp/small"
	run unshare -m --propagation private bash -c 'mount -t tmpfs -o size=48k tmpfs "$1/small" || exit 9
		"${@:2}" --record "$1/small/file" --interval 0.05 --batch --quiet; code=$?
		cp "$1/small/file" "$1/file"; exit $code' - "$tmp" "$TIERMEM" top
	exits 1 'a full disk'
	like 'is said' "$err" 'small/file: No space left on device'
	whole 'a full disk'
else
	skip 'a full disk' 'no mount namespace may be made'
fi

run bash -c '"$@" | head -n 2; exit ${PIPESTATUS[0]}' - "$TIERMEM" top --batch --interval 0.05
is 'a closed pipe ends it quietly' "$status $err" "1 $(grep -v '^$' <<<"$err" | grep warning)"
is 'after its lines' "$(wc -l <"$out_file")" 2
mkfifo "$tmp/pipe"
head -n 2 "$tmp/pipe" >"$tmp/file" &
run "$TIERMEM" top --record "$tmp/pipe" --interval 0.05 --batch --quiet
wait $!
exits 1 'a recording into a closed pipe'
whole 'a closed pipe'

for signal in INT TERM HUP; do
	rm -f "$tmp/lines"
	"$TIERMEM" top --batch --interval 0.05 >"$tmp/lines" 2>/dev/null &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		[[ -s $tmp/lines && $(wc -l <"$tmp/lines") -ge 2 ]] && break
		sleep 0.05
	done
	kill -s "$signal" "$pid"
	wait "$pid"
	is "$signal ends it, with whole lines" "$? $(tail -c 1 "$tmp/lines" | od -An -c | tr -d ' ')" '0 \n'
done

# Field case 22: /proc/interrupts of other machines.
tree()
{
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/proc"
	cat >"$tmp/tree/proc/interrupts"
	[[ -z ${1-} ]] || printf '%s' "$1" >"$tmp/tree/proc/vmstat"
}
sampled()
{
	rm -f "$tmp/sample"
	tiermem top --root "$tmp/tree" --json --count 1 --interval 0.05 --record "$tmp/sample"
}
if [[ -n ${TIERMEM_FIELD_DATA-} ]]; then
	tree <"$TIERMEM_FIELD_DATA/proc/interrupts-1cpu-i686"
	sampled
	valid_json '1 CPU'
	is '1 CPU: one count a row' "$(head -n 1 "$tmp/sample" | jq -c '.interrupts | [.cpus, (.TLB, .CAL, .RES | length)]')" '[[0],1,1,1]'
	is '1 CPU: those of the file' "$(head -n 1 "$tmp/sample" | jq '.interrupts | .TLB[0], .CAL[0], .RES[0]' | tr '\n' ' ')" \
		"$(for row in TLB CAL RES; do awk -v row="$row:" '$1 == row { print $2 }' "$tmp/tree/proc/interrupts"; done | tr '\n' ' ')"
	zcat "$TIERMEM_FIELD_DATA/proc/interrupts-1152cpu-x86_64.gz" | tree
	sampled
	valid_json '1,152 CPUs'
	is '1,152 CPUs: all of them' "$(head -n 1 "$tmp/sample" | jq -c '.interrupts | [.cpus, .TLB, .CAL, .RES | length]')" \
		'[1152,1152,1152,1152]'
	is '1,152 CPUs: those of the file' "$(head -n 1 "$tmp/sample" | jq '.interrupts.TLB | add')" \
		"$(awk '$1 == "TLB:" { for (i = 2; i <= 1153; i++) n += $i } END { printf "%d", n }' "$tmp/tree/proc/interrupts")"
	tree <"$TIERMEM_FIELD_DATA/proc/interrupts-aarch64"
	sampled
	valid_json 'arm64'
	is 'arm64 has no such row' "$(jq -c '.tlb | [.shootdowns_total, .shootdowns_total_reason, .shootdowns, .blind_reason]' "$out_file")" \
		'[null,"unsupported",null,null]'
	is 'arm64: calls and reschedules by the words behind them' \
		"$(head -n 1 "$tmp/sample" | jq -c '.interrupts | [.TLB_reason, (.RES | add > 0), (.CAL | add > 0)]')" \
		'["unsupported",true,true]'
	tiermem top --root "$tmp/tree" --batch --count 1 --interval 0.05
	like 'in words' "$err" 'TLB/s: not on this architecture'
	like 'and n/a, not 0' "$out" ' n/a '
else
	skip 'captured files' 'TIERMEM_FIELD_DATA is not set'
fi
# The same in small.
printf '           CPU0       CPU1\nIPI0:         3          4       Rescheduling interrupts\nIPI1:2768808080 5 Function call interrupts\n' | tree
sampled
is 'rows by the words behind them, and no blank before the count' \
	"$(head -n 1 "$tmp/sample" | jq -c '.interrupts | [.TLB_reason, .RES, .CAL]')" '["unsupported",[3,4],[2768808080,5]]'
printf '     CPU0 CPU2\nTLB: 5 \n\nNMI:\nRES:1 2\n' | tree
sampled
valid_json 'gaps, a short row and no blank'
is 'a row that is too short has no sum' \
	"$(jq -c '.tlb | [.shootdowns_total, .shootdowns_total_reason, .reschedules_total]' "$out_file")" '[null,"malformed",0]'

# Field case 23: names of vmstat vary.
printf '     CPU0\nTLB: 5 x\n' | tree $'pgmigrate_success 12\npgmigrate_fail 18446744073709551615\nnr_something_new 5\n'
sampled
valid_json 'an old vmstat'
is 'an old vmstat: absent is not 0' \
	"$(jq -c '.migration | [.pgpromote_success, .pgpromote_success_reason, .promoted_bytes_per_second, .pgmigrate_success]' \
		"$out_file")" '[null,"unsupported",null,0]'
tiermem top --root "$tmp/tree" --batch --count 1 --interval 0.05 --noheadings
like 'an old vmstat: n/a' "$out" '0 +n/a +n/a +n/a +n/a +0 +0 +n/a'

# Field case 28: events that cannot be counted give their reason; a name that is not one is refused.
tiermem top --json --count 1 --interval 0.05
is 'events without counts say why' \
	"$(jq '[.tlb.pmu[], (.tlb.flush_reasons | to_entries | map(select(.value == null and (.key | endswith("_reason") | not)))[])] |
		map(select(.count == null and (.count_reason // "") == "" and has("event"))) | length' "$out_file")" 0
is 'events are never 0 for not counted' "$(jq '[.tlb.pmu[] | select(.count == 0 and has("count_reason"))] | length' "$out_file")" 0
tiermem top --event nothing-like-it --batch --count 1
ok 'an event that nobody knows is refused' [ "$status" -ne 0 ]
like 'and named' "$err" 'nothing-like-it'

# A page of metrics has one sample, before which nothing was counted: a counter that is always 0 says nothing.
run traced perf_event_open "$TIERMEM" top --metrics
exits 0 'metrics of this machine'
unlike 'no flushes where none were counted' "$out" 'tlb_flushes_total|source="flushes"'
is 'and no events are opened for it' "$(grep -c perf_event_open "$tmp/strace")" 0

# Without root what is denied is marked.
if [[ $(id -u) == 0 ]] && command -v setpriv >/dev/null; then
	printf '     CPU0\nTLB: 5 x\n' | tree $'pgmigrate_success 12\n'
	chmod 711 "$tmp"
	chmod 000 "$tmp/tree/proc/vmstat"
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$TIERMEM" top --root "$tmp/tree" --json --count 1 --interval 0.05
	exits 0 'another user'
	is 'what is denied is marked' "$(jq -r .migration.pgmigrate_success_reason "$out_file")" denied
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$TIERMEM" top --root "$tmp/tree" --batch --count 1 --interval 0.05
	like 'in lines as well' "$out" 'denied'
fi

# Options.
for words in '--interval 0' '--interval x' '--interval 0.01' '--count 0' '--replay x --root /y' '--replay x --event y' \
	'--metrics --json' '--metrics --count 3' '--metrics --event cycles' '--force --batch' '--batch --processes'; do
	# shellcheck disable=SC2086 # several words
	tiermem top $words
	exits 2 "$words is refused"
done

done_testing
