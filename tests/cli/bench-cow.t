#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem bench cow`: each page is copied once, by a fault of its own, and no process is left behind.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

short=(--time 0.01 --repeat 2)

of()
{
	jq -c "$1" "$out_file"
}

figures()
{
	of "[.cases[].metrics[] | select(.key == \"$1\").values[]]"
}

tiermem bench cow --help
golden bench-cow-help

tiermem bench cow "${short[@]}" --fork --private --size 1M --threads 2 --json
exits 0 'both ways of sharing'
valid_json 'keeps to the schema'
page=$(of .machine.page_size_bytes)
is 'of what' "$(of '[.cases[].labels | [.memory, .threads, .size_bytes]]')" '[["fork",2,1048576],["private",2,1048576]]'
is 'every page in every pass' "$(figures pages | jq -c unique)" "[$((1048576 / page))]"
# A sanitizer touches memory of its own beside each page.
is 'a fault for each' "$(figures faults_per_page | jq -c 'map(. >= 1 and . <= 1.5) | unique')" '[true]'
is 'by threads, and by bytes' "$(of '[.cases[].metrics | map({(.key): .values[0]}) | add |
	[.pages_per_second / .pages_per_second_per_thread, .copied_mbps * 1e6 / .pages_per_second]
	| map(. + 0.5 | floor)] | unique')" "[[2,$page]]"
is 'shootdowns are not told where they are not counted' "$(figures shootdowns_per_page | jq -c unique)" '[null]'
if [[ -d /sys/devices/system/node ]]; then
	is 'all copies are somewhere' "$(of '[.cases[].place | .misplaced_bytes + .unknown_bytes] | unique')" '[0]'
fi
tiermem bench cow "${short[@]}" --size 1M --threads 1 --stat --json
exits 0 'with counters'
valid_json 'the schema, with counters'
if [[ $(of '.cases[0].counters[] | select(.name == "TLB" and .cpu == null) | .values[0] | type') == '"number"' ]]; then
	is 'shootdowns by page' "$(figures shootdowns_per_page | jq -c 'map(. >= 0) | unique')" '[true]'
fi
tiermem bench cow "${short[@]}" --size 100K --cpus 0
exits 0 'a table'
like 'its columns' "$out" 'MEMORY +THREADS +SIZE +PAGES/s +MB/s +USER s +SYSTEM s +FAULTS/PAGE +SPREAD'
like 'its row' "$out" $'\n *fork +1 +1[0-9]+K +[0-9]+ +[0-9]+ '

# The process that shares the pages goes with the one that measures, and that with the first.
setsid "$TIERMEM" bench cow --size 1M --time 100 --threads 1 >"$tmp/long" 2>&1 &
session=$!
there()
{
	ps -o pid= -s "$session" | wc -l
}
for ((i = 0; i < 100 && $(there) != 3; i++)); do
	sleep 0.1
done
ok 'three processes' test $i -lt 100
{
	kill -KILL "$session"
	wait "$session"
} 2>/dev/null
for ((i = 0; i < 100 && $(there) > 0; i++)); do
	sleep 0.1
done
ok 'SIGKILL leaves nobody' test $i -lt 100

tiermem bench cow --size 1
is 'too small' "$status ${err%%$'\n'*}" "2 tiermem bench cow: --size: '1' is not a size from 64K"
if [[ -d /sys/devices/system/node ]]; then
	tiermem bench cow --size 8000T
	like 'more memory than there is' "$status $err" '^(3 .* of free memory, and .* are needed|2 .*is not a size)'
fi
done_testing
