#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem bench latency`: what is measured where, and what is refused. How long a load takes is judged by no test; that
# it is that of an independent chase is for tests/bench/peer-latency.
# shellcheck disable=SC2016 # variables of jq
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

short=(--time 0.01 --repeat 2)
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
cpus=$(nproc)
base=$(getconf PAGESIZE)
pmd=$(cat /sys/kernel/mm/transparent_hugepage/hpage_pmd_size 2>/dev/null)

# of FILTER: of the last document
of()
{
	jq -c "$1" "$out_file"
}

# figure KEY: its values in the first case
figure()
{
	of "[.cases[$1].metrics[] | select(.key == \"$2\").values[]]"
}

tiermem bench latency --help
golden bench-latency-help

# ---- one chase

tiermem bench latency "${short[@]}" --size 1M --page base --json
exits 0 'a chase through 1 MiB'
valid_json 'keeps to the schema'
is 'of what' "$(of '.cases[0].labels | [.page, .size_bytes, .load_step, .load_pause_ns, .load_threads]')" \
	'["base",1048576,null,null,null]'
is 'two repeats, each of a load at least' "$(figure 0 latency_ns | jq -c '[length, (map(. > 0) | all)]')" '[2,true]'
is 'of whole legs' "$(figure 0 loads | jq -c '[(map(. >= 4096) | all), (map(. % 4096) | add)]')" '[true,0]'
is 'nobody loaded it' "$(figure 0 bandwidth_mbps)" '[null,null]'
is 'in base pages' "$(of '.cases[0].page | [.asked, .got_bytes, .huge_bytes]')" "[\"base\",$base,0]"
is 'what is small is no latency of the memory' "$(of '[.nodes[]?.read_latency_ns | select(. != null)]')" '[]'
if [[ -d /sys/devices/system/node ]]; then
	is 'all of it where it was asked for' \
		"$(of '.cases[0] | .labels.target as $node | .place |
			[.misplaced_bytes, .unknown_bytes, (.nodes | map(select(.node == $node).bytes) | add)]')" '[0,0,1048576]'
fi

tiermem bench latency "${short[@]}" --size 4K --page base --json
is 'through a page, round and round' "$status $(figure 0 loads | jq 'map(. % 64) | add')" '0 0'

tiermem bench latency "${short[@]}" --size 2M --json
if [[ -n $pmd ]]; then
	is 'with and without huge pages' "$status $(of '[.cases[].labels.page]')" '0 ["base","thp"]'
	is 'which it got, or says that it did not' \
		"$(of ".cases[1] | .page.got_bytes == $pmd or (.notes | any(startswith(\"page:\")))")" true
else
	is 'without huge pages' "$status $(of '[.cases[] | [.labels.page, .reason == null]]')" '0 [["base",true],["thp",false]]'
	tiermem bench latency "${short[@]}" --size 2M --page thp
	exits 3 'nothing but huge pages, which this kernel has not'
fi

tiermem bench latency "${short[@]}" --size 1M --page usual,base --stat --json
is 'counters of each case' "$status $(of '[.cases[] | .counters | length > 0]')" '0 [true,true]'
valid_json 'keeps to the schema, with counters'
tiermem bench latency "${short[@]}" --size 1M --page base
like 'for people' "$out" $'\n.*CPU +MEMORY +PAGE +SIZE +ns .*\n.* base +1M +[0-9.]+ '

# ---- a neighbour on its CPU

taskset -c "$cpu" sh -c 'while :; do :; done' &
neighbour=$!
tiermem bench latency --time 0.2 --repeat 2 --size 1M --page base --cpus "$cpu" --json
kill "$neighbour"
wait "$neighbour" 2>/dev/null
like 'a busy neighbour is noticed' "$(of '.cases[0].notes')" 'busy: '

# ---- under load

if ((cpus > 1)); then
	tiermem bench latency --quick "${short[@]}" --size 1M --page base --loaded --svg "$tmp/curve.svg" --threads 2 --json
	exits 0 'under load'
	valid_json 'keeps to the schema'
	is 'five steps of it, from none to all' "$(of '[.cases[].labels | [.load_step, .load_pause_ns, .load_threads]]')" \
		'[[0,null,0],[1,4000,1],[2,1000,1],[3,250,1],[4,0,1]]'
	is 'bandwidth is that of the others' "$(of '[.cases[] | .metrics[] | select(.key == "bandwidth_mbps").median > 0]')" \
		'[false,true,true,true,true]'
	is 'and 0 where there was none' "$(figure 0 bandwidth_mbps)" '[0,0]'
	ok 'the curve is well-formed' /usr/bin/python3 -c \
		'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' "$tmp/curve.svg"
	is 'with all points' "$(grep -c '<circle' "$tmp/curve.svg")" 5
	unlike 'needs nothing from elsewhere' "$(sed 's|xmlns="[^"]*"||' "$tmp/curve.svg")" 'href|url|http|@import|<script'

	tiermem bench latency --quick "${short[@]}" --size 1M --page base --loaded --svg "$tmp/curve.svg"
	is 'a file that is there is kept' "$status $(grep -c '<circle' "$tmp/curve.svg")" '1 5'
	like 'before anything is measured' "$err" "^tiermem bench latency: $tmp/curve.svg: File exists"
	tiermem bench latency --quick "${short[@]}" --size 1M --page base --loaded --svg "$tmp/no/such/folder"
	exits 1 'a folder that is not there'

	tiermem bench latency --quick "${short[@]}" --size 1M --page base --loaded
	like 'drawn' "$out" $'\nLatency under load\nns\n.*\|.*o.*\n +\+-+\n +0 .* GB/s\n  o  .*base pages'
	unlike 'in ASCII where the locale has no more' "$(LC_ALL=C tr -d '\0-\177' <"$out_file" | wc -c)" '[1-9]'
	run env LC_ALL=C.UTF-8 "$TIERMEM" bench latency --quick "${short[@]}" --size 1M --page base --loaded
	like 'else with lines' "$out" '└───'
	tiermem bench latency --quick "${short[@]}" --size 1M --page base --loaded --raw
	unlike 'not between rows for a script' "$out" 'Latency under load'
else
	tiermem bench latency --loaded --page base --size 1M
	exits 3 'under load on one CPU'
fi
tiermem bench latency --loaded --cpus "$cpu" --size 1M
is 'a load takes another CPU' "$status ${err%%$'\n'*}" \
	'3 tiermem bench latency: --loaded: there is one CPU, and a load takes another'

# ---- an interrupted one

"$TIERMEM" bench latency --time 60 --size 1M --page base --save "$tmp/saved" >"$tmp/background" 2>"$tmp/background.err" &
sleep 0.5
kill -TERM $!
wait $!
is 'a signal ends it' "$? $(<"$tmp/background.err")" '1 tiermem bench latency: ended by Terminated'
ok 'and nothing is saved' test ! -e "$tmp/saved"

# ---- what is refused

# refuses CODE TEXT ARG...
refuses()
{
	tiermem bench latency "${@:3}"
	is "${*:3}" "$status ${err%%$'\n'*}" "$1 tiermem bench latency: $2"
}

refuses 2 '--svg: draws what --loaded measures' --svg "$tmp/x.svg"
refuses 2 '--threads: more than one only with --loaded' --threads 2
refuses 2 "--size: 'x' is not a size from 4K" --size x
refuses 2 "--size: '100' is not a size from 4K" --size 100
refuses 2 '--size: at most 64G, to follow all of it' --size 65G
if ((cpus > 1)); then
	refuses 2 '--threads: a load takes at least 2' --loaded --threads 1
	refuses 2 "--threads: there are $cpus CPUs, for one each" --loaded --threads $((cpus + 1))
fi
tiermem bench latency --page huge
exits 2 'pages that there are not'
tiermem bench latency --root /
exits 2 '--root'
memory=$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)
if [[ -d /sys/devices/system/node ]] && ((memory < 60 << 20)); then
	tiermem bench latency --size "${memory}K"
	like 'more memory than there is' "$status $err" '^3 .*: node [0-9]+ has .* of free memory, and .* are needed'
fi
done_testing
