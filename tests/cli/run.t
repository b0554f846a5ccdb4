#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem run` on this machine: the command has all that it would have had without it, and the policy. Nothing here
# sets weights: that is for virtual machines (tests/vm/run-*.t).
# shellcheck disable=SC2016 # scripts for other shells
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# What this kernel takes, as interleaving by weights may be too new for it. It is the default where there is one node.
kernel_weights=/sys/kernel/mm/mempolicy/weighted_interleave
"$TIERMEM" run --interleave -- true 2>"$tmp/why" ||
	skip_all "no memory policies here: $(head -n 1 "$tmp/why")"
mode=--interleave
[[ -d $kernel_weights ]] && mode=--weighted

# same NAME SCRIPT: bash's script says the same under tiermem as without it
same()
{
	run bash -c "$2"
	cp "$out_file" "$tmp/wanted"
	run "$TIERMEM" run $mode -- bash -c "$2"
	is "same $1" "$status $out$err" "0 $(tr '\0' '?' <"$tmp/wanted")"
}

# ---- what becomes of the command

for code in 0 1 7 125 255; do
	tiermem run $mode -- sh -c "exit $code"
	is "exit code $code" "$status $out$err" "$code "
done
tiermem run $mode -- sh -c 'kill -PIPE $$'
exits 141 'a signal of its own'
tiermem run $mode -- no-such-command
is 'a command that is not there' "$status $err" "127 tiermem run: 'no-such-command': no such command"
tiermem run $mode -- ''
is 'no name' "$status $err" "127 tiermem run: '': no such command"
tiermem run $mode -- /etc/passwd
is 'one that may not be executed' "$status $err" '126 tiermem run: /etc/passwd: Permission denied'
tiermem run $mode -- /usr
is 'a folder' "$status $err" '126 tiermem run: /usr: Is a directory'
tiermem run $mode -- "$tmp/no/such/file"
is 'a path that is not there' "$status $err" "127 tiermem run: $tmp/no/such/file: No such file or directory"
printf 'echo "no first line $1"\n' >"$tmp/script"
chmod 755 "$tmp/script"
tiermem run $mode -- "$tmp/script" x
is 'a script without a first line, as execvp(3) has it' "$status $out" '0 no first line x'
mkdir "$tmp/a" "$tmp/b"
printf '#!/bin/sh\necho found\n' >"$tmp/b/tool"
cp "$tmp/b/tool" "$tmp/a/tool"
chmod 755 "$tmp/b/tool"
run env PATH="$tmp/a:$tmp/b:$PATH" "$TIERMEM" run $mode -- tool
is 'one that may not be executed is passed over in PATH' "$status $out" '0 found'
run env PATH="$tmp/a" "$TIERMEM" run $mode -- tool
is 'and told of where there is no other' "$status $err" '126 tiermem run: tool: Permission denied'
run bash -c 'cd "$2" && PATH=:/bin:/usr/bin "$1" run '$mode' -- tool' - "$TIERMEM" "$tmp/b"
is 'an empty part of PATH is this folder' "$status $out" '0 found'

run bash -c 'echo input | "$0" run '$mode' -- tr a-z A-Z' "$TIERMEM"
is 'standard input and output' "$status $out" '0 INPUT'
tiermem run $mode printf '%s,' -- --all -v 'a b' ''
is 'its own options are its own' "$status $out" '0 --,--all,-v,a b,,'
run bash -c '"$0" run '$mode' -- yes | head -n 1; echo "${PIPESTATUS[0]}"' "$TIERMEM"
is 'a closed pipe ends it as it would have' "$out" $'y\n141'
same 'descriptors' 'ls -l /proc/self/fd | sed "s/.*[0-9][0-9]:[0-9][0-9] //; s|/proc/[0-9]*|PROC|; s|\[[0-9]*\]||g"'
same 'descriptors where some are closed' 'exec <&- 2>&-; ls /proc/self/fd | tr "\n" " "'
same 'signals' "grep -E '^(SigBlk|SigIgn|SigCgt|ShdPnd)' /proc/self/status"
same 'environment' 'env -u _ -u SHLVL | sort'
same 'limits and the rest' 'ulimit -a; umask; pwd'
# It is the same process.
run bash -c 'echo $$; exec "$0" run '$mode' -- sh -c "echo \$\$"' "$TIERMEM"
is 'tiermem becomes the command' "$(sort -u "$out_file" | wc -l)" 1
"$TIERMEM" run $mode -- sleep 1000 &
until [[ $(cat "/proc/$!/comm") == sleep ]]; do sleep 0.01; done
tiermem run --show $!
cp "$out_file" "$tmp/shown"
shown_status=$status
tiermem run --show $! --json
cp "$out_file" "$tmp/shown.json"
tiermem run --show $! --raw --noheadings
cp "$out_file" "$tmp/shown.raw"
kill -TERM $!
wait $! 2>/dev/null
is 'a signal is the command'"'"'s' $? 143

# ---- where its memory lies

policy=${mode#--}
[[ $mode == --weighted ]] && policy=weighted-interleave
memory=$(cat /sys/devices/system/node/has_memory)
is '--show: exit code' "$shown_status" 0
like '--show: the process' "$(head -n 1 "$tmp/shown")" \
	"^process [0-9]+ \(sleep\): $policy over nodes [0-9,-]+; cpuset.mems [0-9,-]+\$"
like '--show: headings' "$(sed -n 2p "$tmp/shown")" '^POLICY +OVER +MAPS +NODE +KIND +TIER +WEIGHT +RESIDENT +SHARE$'
ok '--show: 80 columns are enough' test "$(wc -L <"$tmp/shown")" -le 80
valid_json '--show --json keeps to its schema' "$tmp/shown.json"
is '--show --json' "$(jq -r '.name, .policy, (.placement | map(.resident_bytes) | add > 0)' "$tmp/shown.json" | tr '\n' ' ')" \
	"sleep $policy true "
is '--show --raw: rows only' "$(grep -cv "^$policy [0-9,-]* [0-9]* [0-9]* [a-z]* [^ ]* [^ ]* [0-9]* [0-9.]*%\$" "$tmp/shown.raw")" 0
tiermem run --show $$
like '--show of a process without one' "$out" '\(bash\): default; '
tiermem run --show 2
like '--show of a kernel thread' "$status $out$err" \
	'^(0 process 2 .*: has no memory of its own|125 .*|0 process 2 .*)'
tiermem run --show 4194305
is '--show of no process' "$status $err" '125 tiermem run: there is no process 4194305'

# ---- nodes of this machine

# dry ARG...: the lines of what would be done
dry()
{
	tiermem run --dry-run "$@" -- true
}

dry $mode --all
is '--all is every node with memory' "$status $(sed -n 's/^nodes *//p' "$out_file")" "0 $memory"
one=${memory%%[-,]*}
dry --bind --nodes "$one"
is 'policy bind' "$(head -n 1 "$out_file")" 'policy      bind'
dry --preferred --nodes "$one"
is 'policy preferred' "$(head -n 1 "$out_file")" 'policy      preferred'
dry $mode
like 'what would be executed' "$out" $'\ncommand     [^\n]*/true'
ok 'it is not executed' test "$status" = 0
tiermem run --dry-run $mode -- no-such-command
exits 127 'a dry run finds what is not there'
tiermem run --dry-run $mode --json --large 16M -- true 'a b'
valid_json '--dry-run --json keeps to its schema'
is '--dry-run --json' "$(jq -c '[.policy, .large_bytes, .command, (.preload | test("libtiermem-large.so$"))]' "$out_file")" \
	"[\"$policy\",16777216,[\"true\",\"a b\"],true]"
run "$TIERMEM" run -v $mode -- echo out
is '--verbose: standard output is the command'"'"'s' "$status $out" '0 out'
like '--verbose: says what is done' "$err" "^policy      $policy"$'\n''nodes '
if [[ $mode == --weighted ]]; then
	tiermem run --fallback -- true
	is '--fallback where it is not needed' "$status $out$err" '0 '
	weight=$(cat "$kernel_weights/node$one")
	run bash -c 'echo $$; exec "$0" run --nodes '"$one --weights $weight"' -- sh -c "echo \$\$"' "$TIERMEM"
	is '--weights that are set already need no parent' "$status $(sort -u "$out_file" | wc -l)" '0 1'
	tiermem run --nodes "$one" --weights "$weight" --dry-run --json -- true
	is 'and nothing is to be written' "$(jq -c '[.weights[] | .wanted]' "$out_file")" '[null]'
fi

# ---- refused

# refused CODE WANTED ARG...
refused()
{
	local code=$1 wanted=$2

	shift 2
	tiermem run "$@"
	is "refused: ${*:-nothing}" "$status $out$err" "$code tiermem run: $wanted"
}

have="hint: nodes with memory: $memory"
refused 2 $'needs a COMMAND to run\nhint: or --show PID'
refused 2 $'needs a COMMAND to run\nhint: or --show PID' --all --
refused 2 "--nodes: there is no node 999"$'\n'"$have" --nodes "$one,999" -- true
for list in x '' ',' 1-0 -1 0x0 99999999 99999999999999999999 "$one,$one" "$one-$one,$one" "$one," ",$one" "$one,,$one" 1.5; do
	refused 2 "--nodes: '$list' is not a list of nodes, each once, such as 0,2-3" "--nodes=$list" -- true
done
for list in fast '' 4,4 4-5,5 '4,' -4; do
	refused 2 "--tiers: '$list' is not a list of tiers, each once, such as 4,22" "--tiers=$list" -- true
done
refused 2 "--interleave: not together with --weighted" --interleave --weighted -- true
refused 2 "--preferred: not together with --bind" -p -b -- true
refused 2 "--all: not together with --nodes" --nodes 0 --all -- true
refused 2 "--kind: not together with --nodes" --nodes 0 --kind dram -- true
refused 2 "--weights: is for weighted interleave" --interleave --weights 1 -- true
refused 2 "--fallback: is for weighted interleave" --bind --fallback -- true
refused 2 "--accept: only with --weights, which sets something" --accept -- true
refused 2 "--raw: only with --show, which prints a table" --raw -- true
for weights in 0 256 -1 x '' '5,' ',5' 1.5 99999999999999999999; do
	item=${weights%%,*}
	[[ $weights == 5, ]] && item=
	refused 2 "--weights: '$item' is not a weight from 1 to 255" "--weights=$weights" -- true
done
for size in x 16X 16MB -1 1.5M 99999999999999999999 2000000T ''; do
	refused 2 "--large: '$size' is not a size such as 512K, 16M or 1G" "--large=$size" -- true
done
page=$(getconf PAGESIZE)
for size in 0 1 $((page - 1)); do
	refused 2 "--large: '$size' is less than a page ($page bytes)" --large "$size" -- true
done
refused 2 "--bind: not together with --show" --show 1 --bind
refused 2 "'true': --show runs no command" --show 1 -- true
refused 2 "--dry-run: --show changes nothing" --show 1 --dry-run
refused 2 "--show: '0' is no process id" --show 0
refused 2 "--show: 'self' is no number" --show self
tiermem run --kind dram,tape -- true
exits 2 'a kind that nobody knows'
tiermem run --json $mode -- true
is '--json needs --show or --dry-run' "$status $(jq -r .schema "$out_file")" '2 tiermem.error/1'
valid_json 'and says so in JSON'
if [[ $mode == --weighted ]]; then
	count=$(dry --all && grep -o '[0-9]*:[0-9?]*' "$out_file" | wc -l)
	tiermem run --all --weights "$(printf '9,%.0s' $(seq "$count"))9" -- true
	like 'as many weights as nodes' "$status $err" "^2 tiermem run: --weights: $((count + 1)) weights for $count nodes? \("
fi

done_testing
