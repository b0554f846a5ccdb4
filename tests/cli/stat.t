#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem stat` around commands: what becomes of the command, and where it is told what was counted. The counters are
# in stat-count.t, comparisons in stat-compare.t.
# shellcheck disable=SC2016 # scripts for other shells
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# same NAME SCRIPT: bash's script says the same under tiermem as without it
same()
{
	run bash -c "$2"
	cp "$out_file" "$tmp/wanted"
	run "$TIERMEM" stat -- bash -c "$2"
	is "same $1" "$status $out" "0 $(tr '\0' '?' <"$tmp/wanted")"
}

# ---- what becomes of the command

for code in 0 1 7 125 255; do
	tiermem stat -- sh -c "exit $code"
	like "exit code $code" "$status $out$err" "^$code 1 run: sh -c exit $code"$'\n'
done
tiermem stat true
exits 0 'without --'
tiermem stat false
exits 1 'false'
tiermem stat -- sh -c 'kill -PIPE $$'
like 'a signal of its own' "$status $err" '^141 1 run: '
run bash -c '"$0" stat -- sh -c "kill -KILL \$\$"; echo $?' "$TIERMEM"
is 'a signal that nobody catches' "$out" 137
tiermem stat -- no-such-command
is 'a command that is not there' "$status $err" "127 tiermem stat: 'no-such-command': no such command"
tiermem stat -- /etc/passwd
is 'one that may not be executed' "$status $err" '126 tiermem stat: /etc/passwd: Permission denied'
tiermem stat -- /usr
is 'a folder' "$status $err" '126 tiermem stat: /usr: Is a directory'
printf '#!/no/such/interpreter\n' >"$tmp/script"
chmod 755 "$tmp/script"
tiermem stat -- "$tmp/script"
is 'one that shows only when it is executed' "$status $out$err" \
	"127 tiermem stat: $tmp/script: No such file or directory"
printf 'echo "no first line $1"\n' >"$tmp/script"
tiermem stat -- "$tmp/script" x
is 'a script without a first line, as execvp(3) has it' "$status $out" '0 no first line x'
run bash -c 'echo input | "$0" stat -- tr a-z A-Z' "$TIERMEM"
is 'standard input and output' "$status $out" '0 INPUT'
tiermem stat printf '%s,' -- --all -v 'a b' ''
is 'its own options are its own' "$status $out" '0 --,--all,-v,a b,,'
run bash -c '"$0" stat -- yes 2>/dev/null | head -n 1; echo "${PIPESTATUS[0]}"' "$TIERMEM"
is 'a closed pipe ends it as it would have' "$out" $'y\n141'
same 'descriptors' 'ls -l /proc/self/fd | sed "s/.*[0-9][0-9]:[0-9][0-9] //; s|/proc/[0-9]*|PROC|; s|\[[0-9]*\]||g"'
same 'descriptors where one is closed' 'exec <&-; ls /proc/self/fd | tr "\n" " "'
same 'signals' "grep -E '^(SigBlk|SigIgn|SigCgt|ShdPnd)' /proc/self/status"
same 'environment' 'env -u _ -u SHLVL | sort'
same 'limits and the rest' 'ulimit -a; umask; pwd'
run bash -c 'ulimit -Sn 24; "$0" stat -- bash -c "ulimit -n"' "$TIERMEM"
is 'the limit of open files is not raised for it' "$status $out" '0 24'

# begun CMD...: in the background, and goes on once the command runs, which writes $tmp/begun
begun()
{
	rm -f "$tmp/begun"
	"$@" >"$tmp/background" 2>"$tmp/background.err" &
	until [[ -s $tmp/begun ]]; do sleep 0.02; done
}

# Writes that it runs, and waits for a signal.
patient='trap "echo told; exit 9" USR1 TERM; echo $$ >"$0"; while :; do sleep 0.05; done'
begun "$TIERMEM" stat -- bash -c "$patient" "$tmp/begun"
kill -USR1 $!
wait $!
is 'a signal is handed on' "$? $(cat "$tmp/background")" '9 told'
begun "$TIERMEM" stat -- bash -c "$patient" "$tmp/begun"
kill -TERM $!
wait $!
is 'also one that would end tiermem' "$? $(cat "$tmp/background")" '9 told'
like 'which still reports' "$(<"$tmp/background.err")" '^1 run: .*elapsed'
begun "$TIERMEM" stat -r 5 -- bash -c 'trap "exit 0" TERM; echo $$ >"$0"; while :; do sleep 0.05; done' "$tmp/begun"
kill -TERM $!
wait $!
like 'and no further runs are made' "$? $(<"$tmp/background.err")" '^0 1 run: '

# ---- where it is told

tiermem stat -- echo out
is 'standard output is the command'"'"'s' "$out" out
like 'the report goes to standard error' "$err" '^1 run: echo out
.*
COUNTER +OF +COUNT
elapsed +command +[0-9.]+ s
user +command +[0-9.]+ s
system +command +[0-9.]+ s
max-resident +command +[0-9.]+[KMG]'
ok '80 columns are enough' test "$(wc -L <"$err_file")" -le 80
tiermem stat --json -- echo out
valid_json '--json'
is '--json: the command has standard error' "$status $err" '0 out'
is '--json: what was run' "$(jq -c '[.command, .pid, .events_of, .runs]' "$out_file")" \
	'[["echo","out"],null,"command",[{"exit_code":0,"signal":null}]]'
is '--json: the machine' "$(jq -r '.machine.online_cpus' "$out_file")" "$(</sys/devices/system/cpu/online)"
tiermem stat --raw -- true
is '--raw: no more than the table' "$(head -n 1 "$err_file")" 'COUNTER OF COUNT'
unlike '--raw: exact numbers' "$err" 'command [0-9.]+ s'
tiermem stat --noheadings -- true
like '--noheadings' "$err" '^elapsed '
tiermem stat -v -- true
like '--verbose: what did not move' "$err" $'\n''pgmigrate_fail +system +[0-9]+'$'\n'
tiermem stat -- sleep 0.3
like 'time' "$err" $'\n''elapsed +command +0\.[3-9]'
tiermem stat -- true $'\e[31m' "$(printf 'x%.0s' {1..100})"
like 'a command that is long, and not to be printed as it is' "$err" '^1 run: true \\x1b\[31m x{40,60}\.\.\.'$'\n'

cd "$tmp" || exit 1
tiermem stat -o saved -- sh -c 'echo $$; exit 3'
like '--output' "$status $out $err" '^3 [0-9]+ 1 run: '
valid_json '--output keeps to its schema' saved
is '--output: a file as others' "$(stat -c %a saved)" "$(printf '%o' $((0666 & ~$(umask))))"
is '--output: only the file' "$(printf '%s\n' .tiermem* saved*)" $'.tiermem*\nsaved'
cp saved kept
tiermem stat -o saved -- touch ran
is '--output does not replace' "$status $err" $'125 tiermem stat: saved: File exists\nhint: --force replaces it'
ok 'and nothing was run' test ! -e ran
ok 'and nothing was changed' cmp -s saved kept
tiermem stat -f -o saved -- touch ran
is '--force' "$status $(jq -c .command saved)" '0 ["touch","ran"]'
rm ran
mkdir folder
for place in folder no/such/file /proc/x; do
	tiermem stat -f -o $place -- touch ran
	like "--output $place" "$status $err" '^125 tiermem stat: '
done
ok 'is found before anything is run' test ! -e ran
run bash -c '{ ulimit -f 0; "$0" stat -o cut -- true 2>&1; echo "exit code $?"; } | cat' "$TIERMEM"
like '--output that finds no room' "$out" $'elapsed.*\ntiermem stat: cut: File too large\nexit code 125$'
is 'leaves nothing' "$(printf '%s\n' .tiermem* cut*)" $'.tiermem*\ncut*'
tiermem stat -o saved2 --json -- true
ok '--output and --json are the same' diff <(jq -S . saved2) <(jq -S . "$out_file")
tiermem stat -o gone -- sh -c 'cd ..; rm -rf "$0"; mkdir "$0"; chmod 0 "$0"' "$tmp/none"
exits 0 'the command may do as it likes'
cd "$top" || exit 1

# ---- again and again

tiermem stat -r 3 --json -- sh -c 'echo x >>"$0"; exit "$(($(wc -l <"$0") == 2 ? 4 : 0))"' "$tmp/count"
valid_json '--repeat'
is '--repeat: the first that fails' "$status $(wc -l <"$tmp/count") $(jq -c '[.runs[].exit_code]' "$out_file")" \
	'4 3 [0,4,0]'
is '--repeat: a value of each run' "$(jq -c '[.counters[] | .values, .value_reasons, .values_scaled | length] |
	unique' "$out_file")" '[3]'
is '--repeat: median and spread' "$(jq '[.counters[] | select(.values | all) | (.values | sort) as $v |
	.median == $v[1] and .min == $v[0] and .max == $v[2] and
	.median_absolute_deviation == ([$v[1] - $v[0], $v[2] - $v[1]] | min)] | all' "$out_file")" true
tiermem stat -r 2 -- true
like '--repeat as a table' "$err" '^2 runs: true

COUNTER +OF +MEDIAN +MAD +RANGE
elapsed +command +[0-9.]+ s +[0-9.]+% +-[0-9.]+% \.\. \+[0-9.]+%'
unlike 'progress is for terminals' "$err" 'run 1 of'
ok '80 columns are enough for that too' test "$(wc -L <"$err_file")" -le 80
tiermem stat -r 2 --raw -- true
is '--repeat --raw' "$(head -n 1 "$err_file")" 'COUNTER OF MEDIAN MAD MIN MAX'
tiermem stat -r 5 -- sh -c 'echo x; kill -PIPE $$'
is 'one that is killed is the last' "$status $out" '141 x'
if command -v script >/dev/null; then
	run script -qec "$TIERMEM stat -r 2 -- true" /dev/null
	like 'progress on a terminal' "$out" 'run 1 of 2: [0-9.]+ s.*run 2 of 2: '
else
	skip 'progress on a terminal' 'there is no script'
fi

# ---- a process

begun bash -c 'trap "exit 0" TERM; echo $$ >"$0"; read -rt 60 <><(:)' "$tmp/begun"
target=$!
tiermem stat -p "$target" --json -- sleep 0.1
valid_json '--pid and a command'
is '--pid and a command' "$status $(jq -c '[.pid, .events_of, .command[0]]' "$out_file")" \
	"0 [$target,\"process\",\"sleep\"]"
"$TIERMEM" stat -p "$target" --json >"$tmp/attached" 2>&1 &
until grep -q 'SigBlk.*[1-9a-f]' "/proc/$!/status"; do sleep 0.02; done
sleep 0.2
kill -INT $!
wait $!
is '--pid until Ctrl-C' "$? $(jq -c '[.command, .runs[0].exit_code, (.counters[0] | .name, .scope)]' "$tmp/attached")" \
	'0 [null,null,"elapsed","process"]'
valid_json '--pid keeps to its schema' "$tmp/attached"
ok 'the process goes on' kill -0 "$target"
(
	sleep 0.3
	kill "$target"
) &
tiermem stat -p "$target"
like '--pid until it ends' "$status $err" "^0 1 run: process $target"$'\n'
tiermem stat -p 4194305
is '--pid of no process' "$status $err" '125 tiermem stat: --pid: there is no process 4194305'

# ---- refused

# refused WANTED ARG...
refused()
{
	local wanted=$1

	shift
	tiermem stat "$@"
	is "refused: ${*:-nothing}" "$status $out$err" "2 tiermem stat: $wanted"
}

refused $'needs a COMMAND to run\nhint: or --pid PID, or --compare BEFORE AFTER'
refused $'needs a COMMAND to run\nhint: or --pid PID, or --compare BEFORE AFTER' --all
refused "--repeat: '0' is not from 1 to 1000" -r 0 -- true
refused "--repeat: '1001' is not from 1 to 1000" -r 1001 -- true
refused "--repeat: there is no command to repeat" -r 2 -p 1
refused "--pid: '0' is no process id" -p 0
refused "--pid: '99999999999' is no process id" -p 99999999999
refused '--pid: not together with --all' -a -p 1 -- true
refused '--force: replaces the file of --output' --force -- true
refused '--event: an empty name' -e page-faults, -- true
tiermem stat -e no-such-event -- touch "$tmp/ran"
like 'an event that nobody knows' "$status $err" '^[23] tiermem stat: .*no-such-event'
ok 'is found before anything is run' test ! -e "$tmp/ran"

done_testing
