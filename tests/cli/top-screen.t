#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The screen of `tiermem top`, in a real terminal emulator: tmux. What it shows of a recording is kept in golden/; keys,
# sizes, terminals and the ways to leave are tried one by one.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

export LC_ALL=C.UTF-8
# It would stand above the terminal's own size.
unset COLUMNS
recording=$top/tests/cli/top/two-tiers.ndjson
server=$tmp/tmux

command -v tmux >/dev/null || skip_all 'tmux is not installed'
trap 'tmux -S "$server" kill-server 2>/dev/null; rm -rf -- "$tmp"' EXIT

tmux()
{
	command tmux -S "$server" -f /dev/null "$@"
}

# The server stays as long as this session does; what is looked at is another.
tmux new-session -d -s base 'sleep 600'

# session COLUMNS ROWS COMMAND
session()
{
	tmux kill-session -t s 2>/dev/null
	tmux new-session -d -s s -x "$1" -y "$2" "$3"
	tmux set-option -t s status off
	# Only now is the last line there too.
	tmux resize-window -t s -x "$1" -y "$2"
}

resize()
{
	tmux resize-window -t s -x "$1" -y "$2"
}

# start COLUMNS ROWS [NAME=VALUE...] ARG...: `tiermem top ARG...`, in a shell that says then how it ended
start()
{
	local columns=$1 rows=$2 set=()

	shift 2
	while [[ ${1-} == *=* ]]; do
		set+=("$1")
		shift
	done
	rm -f "$tmp/ended"
	# shellcheck disable=SC2016 # for the other shell
	printf '#!/bin/bash\nset -m\ntrap : INT\ncd %q\n%s 2>stderr\ncode=$?\nstty -a >stty\necho "$code" >ended\nexec sleep 60\n' \
		"$tmp" "$(printf '%q ' env "${set[@]}" "$TIERMEM" top "$@")" >"$tmp/session"
	session "$columns" "$rows" "bash $tmp/session"
}

screen()
{
	tmux capture-pane -t s -p "$@"
}

# shows NAME REGEX: within ten seconds
shows()
{
	local shown i

	for ((i = 0; i < 200; i++)); do
		shown=$(screen)
		if [[ $shown =~ $2 ]]; then
			pass "$1"
			return 0
		fi
		sleep 0.05
	done
	fail "$1"
	diag "wanted: $2"
	diag "$shown"
	return 1
}

# hides NAME REGEX
hides()
{
	local i

	for ((i = 0; i < 200; i++)); do
		if [[ ! $(screen) =~ $2 ]]; then
			pass "$1"
			return
		fi
		sleep 0.05
	done
	fail "$1"
}

keys()
{
	tmux send-keys -t s "$@"
}

# ends NAME CODE: it has ended so, and the terminal is as it was before
ends()
{
	local i

	for ((i = 0; i < 200; i++)); do
		[[ -s $tmp/ended ]] && break
		sleep 0.05
	done
	is "$1" "$(cat "$tmp/ended" 2>/dev/null)" "$2"
	is "$1: the terminal is clean" \
		"$(tmux display-message -t s -p '#{alternate_on}#{cursor_flag}#{mouse_any_flag}#{keypad_cursor_flag}') \
$(grep -o -- '-\?\becho\b\|-\?\bicanon\b' "$tmp/stty" | tr '\n' ' ')" '0100 icanon echo '
}

# keep NAME: the screen, as golden
keep()
{
	screen >"$out_file"
	: >"$err_file"
	status=0
	golden "$1"
}

# Replayed to its end a recording gives the same screen each time.
for size in 80x24 100x36 200x50; do
	start "${size%x*}" "${size#*x}" --replay "$recording" --interval 0.05 --processes
	shows "$size: to the end" 'end of the recording' && keep "top-$size"
	keys q
	ends "$size: q leaves" 0
done
is 'README.md shows a real screen' "$(sed -n '/^db7 /,/^```/p' "$top/README.md" | grep -v '^```')" \
	"$(grep -v '^ end of the recording' "$golden_folder/top-100x36.out")"
# A kernel that puts flushes off has two rows more.
tests/cli/top/make-recording --deferred >"$tmp/deferred"
start 80 30 --replay "$tmp/deferred" --interval 0.05
shows 'deferred flushes' 'end of the recording' && keep top-deferred
keys q
ends 'deferred flushes: q leaves' 0
for size in 40x10 12x3 2x1; do
	start "${size%x*}" "${size#*x}" --replay "$recording" --interval 0.05
	shows "$size: something" '[^[:space:]]' && sleep 0.5
	[[ $size == 40x10 ]] && keep "top-$size"
	keys q
	ends "$size: q leaves" 0
done

# Keys.
start 80 40 --replay "$recording" --interval 0.05
shows 'processes are not shown at first' 'end of the recording'
unlike 'and are not there' "$(screen)" 'Processes'
keys 4
shows '4 shows processes' '4 Processes sorted by flushes.*postgres.*redis-server.*cc1plus'
like 'in the order of their flushes' "$(screen)" 'redis-server.*postgres.*cc1plus.*systemd-journal|postgres.*redis-server'
keys s s
shows 's sorts otherwise' 'sorted by flushes suffered.*redis-server.*postgres'
keys s s
shows 'by memory as well' 'sorted by memory.*postgres.*redis-server.*systemd-journal.*cc1plus'
keys / r e d x BSpace
shows '/ asks for a name' '/red '
keys Enter
shows 'and shows those with it' '/red .*redis-server'
unlike 'only' "$(screen)" 'postgres'
keys Escape
shows 'Esc shows all again' 'postgres'
keys 1
hides '1 hides shootdowns' '1 TLB'
keys 1
shows '1 shows them' '1 TLB'
keys '?'
shows '? explains' 'q +leave.*space +pause.*/ +show processes'
keys '?'
shows 'and goes away' '1 TLB'
# A press and a release, at the left of the third row.
tmux send-keys -t s -l $'\e[M !#'
tmux send-keys -t s -l $'\e[M#!#'
hides 'a click on a title hides its panel' '1 TLB'
keys 1
shows 'and 1 shows it' '1 TLB'
keys b
shows 'b takes a baseline' 'baseline.*17k/s -36%'
keys b
hides 'b again forgets it' '-36%'
keys r
shows 'r forgets' 'forgotten'
keys q
ends 'q leaves' 0

start 80 24 --replay "$recording"
shows 'a recording is shown at its own pace' 'every 1 s  replay .*14:13:2[1-5]'
keys ' '
shows 'space pauses' 'paused'
was=$(screen)
sleep 1.3
is 'paused it stays' "$(screen)" "$was"
keys - -
shows '- makes the pace faster' 'replay at 0.2 s'
keys + + +
shows '+ makes it slower' 'replay at 2 s'
keys - - - - ' '
shows 'space goes on' 'end of the recording'
keys q
ends 'and q leaves' 0

# Of this machine; w records it.
start 80 24 -d 0.1
shows 'this machine' "Linux $(uname -r).*every 0.1 s"
keys w
shows 'w records' 'recording to tiermem-[-0-9]*.ndjson'
sleep 0.5
keys w
shows 'w again stops' 'recording stopped'
keys + +
shows '+ samples less often' 'every 0.5 s'
keys -
shows '- more often' 'every 0.2 s'
keys q
ends 'q leaves' 0
recorded=("$tmp"/tiermem-*.ndjson)
valid_json 'what was recorded keeps to its schema' "${recorded[0]}"
tiermem top --replay "${recorded[0]}" --json
exits 0 'and can be replayed'

# Resized while it runs.
start 80 24 --replay "$recording" --interval 0.05
shows 'before resizing' 'end of the recording'
resize 120 30
shows 'it grows' '5 Huge pages ─{100}'
resize 40 10
hides 'it shrinks' 'Huge pages'
resize 1 1
sleep 0.2
resize 80 24
shows 'and comes back' '5 Huge pages ─{60}'
ok 'no line is longer than the screen' test "$(screen | LC_ALL=C.UTF-8 wc -L)" -le 80
keys q
ends 'q leaves' 0

# Terminals: colours, none, and plain ASCII.
colours()
{
	if screen -e | grep -Eq $'\e\\[([0-9;]*;)?(3[0-7]|38;5;[0-9]+)m'; then echo some; else echo none; fi
}


start 80 24 TERM=screen-256color --replay "$recording" --interval 0.05
shows '256 colours' 'end of the recording'
is 'are used' "$(colours)" some
keys q
ends 'and left' 0
for set in TERM=vt100 NO_COLOR=1; do
	start 80 24 TERM=screen "$set" --replay "$recording" --interval 0.05
	shows "$set" 'end of the recording'
	is "$set: no colours" "$(colours)" none
	keys q
	ends "$set: left" 0
done
start 80 24 LC_ALL=C --replay "$recording" --interval 0.05
shows 'the C locale' 'end of the recording' && keep top-ascii
ok 'it is plain ASCII' [ -z "$(screen | LC_ALL=C tr -d '\0-\177')" ]
keys q
ends 'the C locale is left' 0

# Signals.
program()
{
	pgrep -P "$(tmux display-message -t s -p '#{pane_pid}')"
}

signalled() # SIGNAL CODE
{
	start 80 24 -d 0.1
	shows "$1: before" '1 TLB'
	kill -s "$1" "$(program)"
	ends "$1" "$2"
}
signalled TERM 143
signalled INT 130
signalled HUP 129
signalled QUIT 131
start 80 24 -d 0.1
shows 'Ctrl-C: before' '1 TLB'
keys C-c
ends 'Ctrl-C' 130

# Ctrl-Z, in a shell that minds jobs.
session 80 24 'PS1="shell> " bash --norc --noprofile -i'
keys "'$TIERMEM' top -d 0.1" Enter
shows 'Ctrl-Z: before' '1 TLB'
keys C-z
shows 'Ctrl-Z stops it' 'Stopped.*shell>'
is 'and gives the terminal back' "$(tmux display-message -t s -p '#{alternate_on}#{cursor_flag}')" 01
keys fg Enter
shows 'continued, it is there again' '1 TLB'
keys q
shows 'and leaves by q' 'shell> fg.*shell>'
is 'cleanly' "$(tmux display-message -t s -p '#{alternate_on}#{cursor_flag}')" 01

# The terminal goes away.
start 80 24 -d 0.1
shows 'before the terminal goes' '1 TLB'
pid=$(program)
tmux kill-session -t s
for ((i = 0; i < 200; i++)); do
	[[ -d /proc/$pid ]] || break
	sleep 0.05
done
ok 'when the terminal has gone it ends' [ ! -d "/proc/$pid" ]

# No terminal for it.
# The library leaks what it had of it.
start 80 24 TERM=nothing-like-it "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0"
ends 'a terminal that is not known' 1
like 'is said' "$(cat "$tmp/stderr")" 'this terminal is not known \(TERM\)'
tiermem top
exits 1 'standard output is a file'
like 'and a hint is given' "$err" 'standard output is no terminal.*hint:.*--batch'

done_testing
