#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem bench bandwidth`: what is measured, where memory lies, what is refused. Figures are not judged; that kernels
# are not slower than they need be is told by counting their instructions.

# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

: "${TIERMEM_HELPERS:=$top/build/run-helpers}"
unit=$TIERMEM_HELPERS/../unit/bench-stream
tiny=(--size 1M --time 0.01 --repeat 2)

bandwidth()
{
	tiermem bench bandwidth "${tiny[@]}" "$@"
}

# doc FILTER: of the last document
doc()
{
	jq -c "$1" <"$out_file"
}

# ---- what is measured
tiermem bench bandwidth --size 1M --time 0.01 --quick --json --save "$tmp/saved.json"
exits 0 'a quick look'
valid_json 'it keeps to its schema'
is 'what is saved is what is printed' "$(cat "$tmp/saved.json")" "$(cat "$out_file")"
is 'it is a result of this benchmark' "$(doc '[.schema, .benchmark, .quick]')" '["tiermem.bench/1","bandwidth",true]'
stores=$(doc '[.cases[].labels | select(.kernel == "write") | .nontemporal] | unique')
is 'reads and writes, with each kind of store' "$(doc '[.cases[].labels.kernel] | unique')" '["read","write"]'
case $(uname -m) in
x86_64) is 'both kinds' "$stores" '[false,true]' ;;
*) is 'one kind' "$stores" '[false]' ;;
esac
is 'every repeat has a figure' "$(doc '[.cases[].metrics[] | select(.key == "bandwidth_mbps") | .values | length] | unique')" '[3]'
is 'all of them above 0' "$(doc '[.cases[].metrics[] | select(.key == "bandwidth_mbps") | .min > 0] | all')" true
is 'a thread for each CPU of the node' "$(doc '[.cases[].metrics[] | select(.key == "threads") | .median > 0] | all')" true
is 'the arrays are of the size asked for, in whole pages of each thread' \
	"$(doc '[.cases[].metrics[] | select(.key == "array_bytes") | .median > 900000 and .median <= 1048576] | all')" true
is 'small ones are said to be small' "$(doc '[.cases[] | .notes | map(select(test("smaller than the caches"))) | length] | unique')" \
	"$(doc 'if .conditions.caches then [1] else [0] end')"
is 'memory lies where it was asked for, or it is not known' \
	"$(doc '[.cases[].place | . == null or .misplaced_bytes == 0] | all')" true
# shellcheck disable=SC2016 # variables of jq
is 'the nodes have what the best of their cases had' "$(doc '[.cases as $cases | .nodes[] | .id as $id |
	[$cases[] | select(.labels.target == "\($id)" and .labels.kernel == "read").metrics[0].median] |
	max | round] == [.nodes[].read_bandwidth_mbps]')" true
if [[ $(doc '.nodes | length') != 0 ]]; then
	tiermem weights compute --json --from "measured:$tmp/saved.json"
	exits 0 'weights can be computed from it'
	is 'from these figures' "$(doc '[.nodes[] | .source == "measured" and .bandwidth_mbps > 0] | all')" true
fi
tiermem bench bandwidth --size 1M --time 0.01 --quick --save "$tmp/saved.json"
exits 1 'a file that is there is not replaced'

bandwidth --json --kernel read,write,copy,scale,add,triad --mix 2:1,0:1,16:16 --nontemporal no
exits 0 'every kernel and mixes'
is 'each once' "$(doc '[.cases[].labels.kernel] | .[0:9]')" \
	'["read","write","copy","scale","add","triad","2:1","0:1","16:16"]'
is 'none has a reason' "$(doc '[.cases[].reason] | unique')" '[null]'
bandwidth --json --mix 1:0,1:1
is 'mixes alone' "$(doc '[.cases[].labels | .kernel] | unique')" '["1:0","1:1"]'
is 'the other side of a mix is reckoned, or not known' \
	"$(doc '[.nodes[] | .read_bandwidth_mbps > 0 and (.write_bandwidth_mbps == null or .write_bandwidth_mbps > 0)] | all')" true
for vector in scalar 128; do
	bandwidth --json --vector $vector --nontemporal no --kernel triad --threads 3 --page base
	exits 0 "width $vector"
	is "width $vector: it is told" "$(doc '[.conditions.vector, .cases[0].metrics[1].median]')" "[\"$vector\",3]"
done
is 'base pages' "$(doc '[.cases[].page | .asked == "base" and (.huge_bytes == null or .huge_bytes == 0)] | all')" true
bandwidth --kernel read
exits 0 'for people'
like 'a table' "$out" 'POLICY +KERNEL +MB/s THREADS +SPREAD'
cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //; s/[-,].*//')
if [[ -n $cpu ]]; then
	bandwidth --json --kernel read --cpus "$cpu"
	is 'one CPU, one thread' "$(doc '[.conditions.cpus, .cases[0].metrics[1].median]')" "[\"$cpu\",1]"
fi

# Policies may be forbidden here (containers), or the machine may have no nodes at all.
bandwidth --json --kernel read --interleave --weighted
if [[ $status == 0 && $(doc '.nodes | length') != 0 ]]; then
	is 'sets come after the matrix' "$(doc '[.cases[].labels.policy] | unique | sort - ["default"] - ["bind"]')" '["interleave","weighted"]'
	is 'without weighted interleave there is a reason' "$(doc '[.cases[] | select(.labels.policy == "weighted").reason |
		. == null or test("no weighted interleave|denied|permitted")] | all')" true
fi
nodes=$(jq '.nodes | length' "$tmp/saved.json")
if ((nodes < 2)); then
	bandwidth --compare-policies
	exits 3 'policies of one node are not compared'
	like 'and why' "$err" 'needs two nodes with memory'
fi

# ---- what is refused
# refused CODE MESSAGE ARG...
refused()
{
	local code=$1 message=$2

	shift 2
	bandwidth "$@"
	exits "$code" "refused: $*"
	like "refused: $*: why" "$err" "$message"
}
for mix in 1 1: :1 0:0 17:1 1:17 1:1:1 '1:1,' ',1:1' a:b -1:1 001:1; do
	refused 2 "--mix: '$mix' is not reads and writes of 0 to 16" --mix="$mix"
done
refused 2 '--mix: 2:1 is there twice' --mix 2:1,2:1
refused 2 "--kernel: 'triangle'" --kernel triangle
refused 2 "--vector: '1024'" --vector 1024
refused 2 "--nontemporal: 'maybe'" --nontemporal maybe
refused 2 "--page: 'hugetlb'" --page hugetlb
refused 2 'is among what --compare-policies measures' --compare-policies --weighted
tiermem bench bandwidth --size 12
exits 2 'an array of 12 bytes'
like 'an array of 12 bytes: why' "$err" "--size: '12' is not a size from 64K"
refused 3 'no such stores here with --vector scalar' --vector scalar --nontemporal yes
if [[ $(uname -m) == x86_64 ]] && ! grep -qw avx512f /proc/cpuinfo; then
	refused 3 'this CPU has no vectors of 512 bits' --vector 512
fi
if ((nodes)); then
	tiermem bench bandwidth --kernel read --time 0.01 --size 4000000G
	exits 3 'more than there is'
	like 'more than there is: why' "$err" 'of free memory, and .* are needed'
fi

# ---- an interrupted run
"$TIERMEM" bench bandwidth --size 1M --time 3 --save "$tmp/never.json" >"$out_file" 2>"$err_file" &
sleep 0.5
kill -TERM $!
wait $!
status=$?
exits 1 'a signal ends it'
err=$(cat "$err_file")
like 'it is said' "$err" 'ended by Terminated'
ok 'nothing is saved' test ! -e "$tmp/never.json"

# ---- instructions for each line of 64 bytes of an array
if [[ $(uname -m) != x86_64 ]]; then
	skip 'instructions' 'counted on x86 only'
elif ! command -v valgrind >/dev/null; then
	skip 'instructions' 'no valgrind on this machine'
elif [[ ! -x $unit ]]; then
	skip 'instructions' "$unit is not built"
elif grep -q __asan_init "$unit"; then
	skip 'instructions' 'a sanitizer adds its own'
else
	for i in 1 2; do
		valgrind -q --tool=callgrind --compress-strings=no --compress-pos=no --callgrind-out-file="$tmp/calls" \
			"$unit" once >/dev/null 2>"$tmp/valgrind"
		# Of calls from within, the cost is on the line after.
		awk '/^fn=/ { name = substr($0, 4) } /^calls=/ { getline; next }
			/^[0-9]/ && name ~ /^[a-z_]+_(scalar|128|256|512)$/ { cost[name] += $2 }
			END { for (name in cost) print name, cost[name] / 1024 }' "$tmp/calls" | sort >"$tmp/counts.$i"
	done
	ok 'instructions: every kernel was seen' test "$(wc -l <"$tmp/counts.1")" -ge 17
	ok 'instructions: the count is the same each time' cmp -s "$tmp/counts.1" "$tmp/counts.2"
	# A load, a store and what is between for each vector, one more; and the loop.
	too_many=$(awk '{
		split("read 2 write 2 copy 2 scale 3 add 3 triad 4", words)
		for (i = 1; i in words; i += 2)
			most[words[i]] = words[i + 1]
		op = $1
		sub(/_.*/, "", op)
		width = $1
		sub(/.*_/, "", width)
		vectors = width == "scalar" ? 8 : 512 / width
		if ($2 > most[op] * vectors + 10 / (8 / vectors) + 0.5 || $2 < vectors)
			print $1, $2
	}' "$tmp/counts.1")
	is 'instructions: none takes more than it needs, or too few to do it' "$too_many" ''
fi
done_testing
