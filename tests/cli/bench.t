#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What all benchmarks do alike, on this machine: options, what is told beside the figures, saving, and ends of every
# kind. No figure is judged.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

lookup=(bench lookup --size 8M --time 0.01 --repeat 2)

# ---- options

tiermem bench
exits 2 'a benchmark must be chosen'
like 'what helps' "$err" 'hint: .tiermem bench --help'
refused()
{
	tiermem bench lookup "${@:2}"
	exits 2 "refused: ${*:2}"
	like "the reason: ${*:2}" "$err" "$1"
}
refused "--time: '0' is not seconds from 0.01 to 3600" --time 0
refused "--time: '1s' is not seconds" --time 1s
refused "--repeat: '0' is not from 1 to 1000" --repeat 0
refused "--threads: '0' is not from 1 to 4096" --threads 0
refused "--cpus: '0-' is not a list" --cpus 0-
refused '--cpus: 8191 is no CPU that this process may use.*hint: there are ' --cpus 8191
refused '--nodes: 1023 is no node with memory' --nodes 1023
refused "--nodes: '' is not a list" --nodes ''
refused '--force: replaces the file of --save' --force
refused '--raw: not together with --json' --raw --json
refused '--root' --root /
tiermem bench lookup --json --time 0
valid_json 'with --json the error is a document'

# ---- what is told

tiermem "${lookup[@]}" --cpus 0 --threads 1
exits 0 'a run'
like 'the CPU' "$out" '^lookup on [^
]+
kernel '
for word in 'cpus 0,' 'nodes ' 'policy default' 'threads 1' 'time 0.01 s' 'repeat 2' 'load average' 'compiler [gc]'; do
	like "it says: $word" "$out" "$word"
done
unlike 'it is not called quick' "$out" '\(quick\)'
tiermem "${lookup[@]}" --json
exits 0 'as a document'
valid_json 'which keeps to its schema'
is 'repeats' "$(jq -c '[.benchmark, .quick, (.cases[0].metrics[0].values | length)]' "$out_file")" '["lookup",false,2]'
is 'nothing was counted' "$(jq -c '.cases[0].counters' "$out_file")" null
tiermem bench lookup --quick --size 8M --json
is 'a quick one has three' "$(jq -c '[.quick, (.cases[0].metrics[0].values | length)]' "$out_file")" '[true,3]'
tiermem "${lookup[@]}" --stat --json
exits 0 'counting'
valid_json 'the schema, with counters'
is 'a value for each repeat' "$(jq -c '[.cases[0].counters[] | select(.name == "pgfault") | .values | length]' \
	"$out_file")" '[2]'
tiermem "${lookup[@]}" --stat
like 'counters in a table' "$out" 'counters of .*COUNTER '
tiermem "${lookup[@]}" --noheadings --raw
is 'one line for programs' "$(wc -l <"$out_file")" "$((1 + $(grep -c '^\[' "$out_file")))"

# ---- saving

echo precious >"$tmp/there"
tiermem "${lookup[@]}" --save "$tmp/there"
exits 1 'a file that is there'
is 'stays' "$(cat "$tmp/there")" precious
tiermem "${lookup[@]}" --save "$tmp/no/folder"
exits 1 'no such folder'
tiermem "${lookup[@]}" --save "$tmp/there" --force
exits 0 'replaced with --force'
valid_json 'what was saved' "$tmp/there"
tiermem "${lookup[@]}" --save "$tmp/saved" --json
is 'saved is what is printed' "$(cat "$tmp/saved")" "$out"

# ---- ends

# begun: in the background, until its measuring child works: $pid and $child
begun()
{
	local try

	rm -f "$tmp/result"
	"${@:-env}" env --default-signal "$TIERMEM" bench lookup --size 8M --time 10 --repeat 1 --save "$tmp/result" \
		>"$tmp/ended.out" 2>"$tmp/ended.err" &
	pid=$!
	for ((try = 0; try < 1000; try++)); do
		child=$(pgrep -P "$pid" tiermem | tail -n 1)
		# One that looks whether the file can be written is there for a moment before, and has no threads.
		[[ -n $child && $(find "/proc/$child/task" -maxdepth 1 2>/dev/null | wc -l) -gt 2 ]] && break
		sleep 0.01
	done
}
# gone PID: within a while; a zombie that nobody waits for is gone too
# shellcheck disable=SC2317 # called by ok
gone()
{
	local try

	for ((try = 0; try < 500; try++)); do
		[[ ! -e /proc/$1 || $(cut -d ' ' -f 3 "/proc/$1/stat" 2>/dev/null) == Z ]] && return
		sleep 0.01
	done
	return 1
}
for signal in INT TERM HUP ALRM PROF; do
	begun
	kill -"$signal" "$pid"
	wait "$pid"
	is "SIG$signal ends it" $? 1
	like "SIG$signal: it says so" "$(cat "$tmp/ended.err")" '^tiermem bench lookup: ended by '
	ok "SIG$signal: no child is left" gone "$child"
	ok "SIG$signal: nothing is saved" test ! -e "$tmp/result"
	is "SIG$signal: nothing is printed" "$(cat "$tmp/ended.out")" ''
done
# The child may be told first: that is no failure of its own.
begun setsid
kill -TERM -- "-$pid"
wait "$pid"
is 'the whole group is told' $? 1
like 'it says so' "$(cat "$tmp/ended.err")" '^tiermem bench lookup: ended by '
run timeout -s HUP 0.3 env --ignore-signal=HUP "$TIERMEM" bench lookup --size 8M --time 0.6 --repeat 1
like 'nohup: it is measured' "$out" 'LOOKUPS/s'
begun
kill -KILL "$child"
wait "$pid"
is 'its child is killed, as for memory' $? 1
like 'it says so' "$(cat "$tmp/ended.err")" 'the measuring process was killed, probably for memory
hint: '
ok 'nothing is saved' test ! -e "$tmp/result"
begun
kill -KILL "$pid"
wait "$pid" 2>/dev/null
ok 'where it is killed its child ends too' gone "$child"
ok 'and nothing is left beside the file' test -z "$(find "$tmp" -name '.tiermem*')"

# ---- figures that are not to be believed are marked

cpu=$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')
timeout 60 taskset -c "$cpu" sh -c 'while :; do :; done' &
neighbour=$!
tiermem bench lookup --size 8M --time 0.3 --repeat 1 --threads 1 --cpus "$cpu" --json
exits 0 'with a busy neighbour'
like 'it is noticed' "$(jq -r '.cases[0].notes[]' "$out_file")" '^busy: '
kill "$neighbour"
wait "$neighbour" 2>/dev/null
if grep -q '\[\(always\|madvise\)\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null; then
	# PR_SET_THP_DISABLE, which children inherit.
	run python3 -c 'import ctypes, os, sys
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])' "$TIERMEM" bench latency --size 8M --page thp --time 0.01 --repeat 1 --json
	exits 0 'where huge pages are not to be had'
	like 'it is noticed' "$(jq -r '.cases[0].notes[]' "$out_file")" 'page: 0 % of the memory is in huge pages'
	is 'and told' "$(jq -c '.cases[0].page | [.asked, .got_bytes, .huge_bytes]' "$out_file")" \
		"[\"thp\",$(getconf PAGESIZE),0]"
else
	skip 'where huge pages are not to be had' 'they are not to be had here'
fi

done_testing
