#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem topology`: options, columns, what a terminal gets, and which files are opened. What it says of machines is in
# topology-machines.t and topology-cases.t.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

two_tier=$(machine two-tier)

# on_terminal COLUMNS ARG...: runs it on a terminal so wide; $shown is what came
on_terminal()
{
	local columns=$1

	shift
	run script -qec "stty cols $columns && exec $TIERMEM $*" /dev/null </dev/null
	tr -d '\r' <"$out_file" >"$tmp/shown"
	shown=$(cat "$tmp/shown")
}

# widest: the longest line that the terminal got, without escapes
widest()
{
	sed 's/\x1b\[[0-9;]*m//g' "$tmp/shown" | LC_ALL=C.UTF-8 wc -L
}

# Where options stand
tiermem --root "$two_tier" topology
cp "$out_file" "$tmp/before"
exits 0 'options before the subcommand'
tiermem topology --root "$two_tier"
ok 'and after it' cmp -s "$out_file" "$tmp/before"
tiermem topology "--root=$two_tier/"
ok 'with = and a slash at the end' cmp -s "$out_file" "$tmp/before"
(cd "$two_tier" && "$TIERMEM" --root . topology) >"$tmp/here"
ok 'a relative root' cmp -s "$tmp/here" "$tmp/before"
ln -s "$two_tier" "$tmp/link"
tiermem topology --root "$tmp/link"
ok 'a root behind a link' cmp -s "$out_file" "$tmp/before"
is 'nothing on standard error' "$err" ''

# Columns
tiermem --root "$two_tier" topology -o NODE,TIER
is 'two columns' "$out" 'NODE TIER
   0    4
   1    4
   2   79
   3   79'
tiermem --root "$two_tier" topology --columns=tier,Node --noheadings
is 'in the order given, without headings' "$(sed 's/  */ /g; s/^ //' <"$out_file")" '4 0
4 1
79 2
79 3'

# column NAME WANTED: the column's raw cells of all four nodes
column()
{
	tiermem --root "$two_tier" topology --raw --noheadings --columns "$1"
	is "column $1" "$status $(tr '\n' ' ' <"$out_file")" "0 $2 "
}

column NODE '0 1 2 3'
column DOMAIN '- - - -'
column ONLINE 'yes yes yes yes'
column KIND 'dram dram cxl cxl'
column WHY 'memory\x20and\x20CPUs,\x20no\x20device\x20behind\x20it memory\x20and\x20CPUs,\x20no\x20device\x20behind\x20it dax0.0\x20of\x20CXL\x20region0 dax1.0\x20of\x20CXL\x20region1'
column TIER '4 4 79 79'
column CPUS '0-31 32-63 - -'
column TOTAL '270351728640 270569472000 137438953472 137438953472'
column FREE '169991536640 212992000000 135168000000 137437184000'
column R-MB/s '215040 215040 25600 25600'
column W-MB/s '215040 215040 25600 25600'
column R-NS '110 110 231 231'
column W-NS '110 110 231 231'
column SOURCE 'sysfs sysfs sysfs sysfs'
column FROM '0 1 0 1'
column WEIGHT '14 14 1 1'
column DISTANCES '0:10,1:21,2:14,3:24 0:21,1:10,2:24,3:14 0:14,1:24,2:10,3:26 0:24,1:14,2:26,3:10'
column ZONES 'DMA,DMA32,Normal Normal Movable Movable'
column BLOCKS '128/128 128/128 64/64 64/64'
column CACHES '- - - -'
column DEVICES '- - region0,dax0.0 region1,dax1.0'

# The list above is complete, and each column can be had by its key as well.
is 'every column was tried' \
	"$(sed -n 's/^column \([^ ]*\) .*/\1/p' "$top/tests/cli/topology.t" | tr '\n' ' ')" \
	"$("$TIERMEM" help topology --json |
		jq -r '.commands[0].options[] | select(.name == "columns").words[].word' | tr '\n' ' ')"
tiermem --root "$(machine two-level-memory)" topology --raw -o NODE,CACHES,TIER,WEIGHT,R-NS
is 'what is not there: unsupported, and not said' "$out" 'NODE CACHES TIER WEIGHT R-NS
0 96G n/a n/a -
1 96G n/a n/a -'

tiermem --root "$two_tier" topology --columns NODE,NOPE
is 'no such column' "$status $out$err" "2 tiermem topology: --columns: 'NOPE' is none of its values
hint: did you mean NODE?"
tiermem --root "$two_tier" topology --columns BANDWIDTH
is 'nor one like it' "$status $out$err" "2 tiermem topology: --columns: 'BANDWIDTH' is none of its values
hint: \`tiermem topology --help\` lists its values"
for list in '' ',' 'NODE,' ',NODE' 'NODE,,TIER' 'NODE,node' '+WHY' 'NODE TIER'; do
	tiermem --root "$two_tier" topology --columns "$list"
	is "no list of columns: '$list'" "$status $out" '2 '
done

# Raw
tiermem --root "$two_tier" topology --raw
is 'raw: exact, one blank between cells, no problems below' "$out" \
	'NODE KIND TIER CPUS TOTAL FREE R-MB/s W-MB/s R-NS W-NS WEIGHT
0 dram 4 0-31 270351728640 169991536640 215040 215040 110 110 14
1 dram 4 32-63 270569472000 212992000000 215040 215040 110 110 14
2 cxl 79 - 137438953472 135168000000 25600 25600 231 231 1
3 cxl 79 - 137438953472 137437184000 25600 25600 231 231 1'
tiermem --root "$two_tier" topology --raw --tree
is 'raw tree: a list that names parents' "$(sed -n '1,3p;9,$p' "$out_file" | cut -d ' ' -f 1,2,4)" \
	'NAME SIZE PARENT
tier4 540921200640 -
node0 270351728640 tier4
endpoint3 - mem0
decoder3.0 137438953472 endpoint3
region0 137438953472 decoder3.0
dax0.0 137438953472 region0
node2 137438953472 dax0.0
mem1 137438953472 -
endpoint4 - mem1
decoder4.0 137438953472 endpoint4
region1 137438953472 decoder4.0
dax1.0 137438953472 region1
node3 137438953472 dax1.0'
tiermem --root "$two_tier" topology --raw --matrix --noheadings
is 'raw matrix: a list of pairs' "$(head -n 5 "$out_file")" '0 0 10 110 110 215040 215040 sysfs
0 1 21 - - - - sysfs
0 2 14 231 231 25600 25600 sysfs
0 3 24 - - - - sysfs
1 0 21 - - - - sysfs'
is 'of all pairs' "$(wc -l <"$out_file")" 16
tiermem --root "$(machine no-figures)" topology --raw --matrix
is 'raw matrix: without figures, but for the link' "$(tail -n 3 "$out_file")" '1 0 14 - - - - sysfs
1 1 10 - - - - sysfs
- 1 - - - 31507 31507 estimated'
tiermem --root "$(machine link-degraded)" topology --raw --matrix
is 'raw matrix: from a place that is not named' "$(tail -n 1 "$out_file")" '- 1 - 240 240 25600 25600 sysfs'
for shape in '' --tree --matrix; do
	tiermem --root "$(machine link-degraded)" topology $shape --raw
	unlike "no problems with --raw $shape" "$out" 'link-degraded'
	tiermem --root "$(machine link-degraded)" topology $shape --noheadings
	unlike "nor with --noheadings $shape" "$out" 'link-degraded|NODE|NAME|FROM'
	tiermem --root "$(machine link-degraded)" topology $shape -q
	unlike "nor with -q $shape" "$out" 'link-degraded'
	tiermem --root "$(machine link-degraded)" topology $shape
	like "but else $shape" "$out" $'\n\nwarning: mem0 .* \[link-degraded\]\n  hint: '
done

# Verbose
tiermem --root "$two_tier" topology --verbose
like '--verbose says why' "$out" \
	$'\n\nkind of node 0: dram \(memory and CPUs, no device behind it\)\n.*\nkind of node 3: cxl \(dax1.0 of CXL region1\)$'

# Refused
refused()
{
	local wanted=$1

	shift
	tiermem --root "$two_tier" topology "$@"
	is "refused: $*" "$status $err" "2 tiermem topology: $wanted"
}

refused '--dry-run: topology writes nothing' --dry-run
refused "'x': takes no operand" x
refused '--matrix: not together with --tree' --tree --matrix
refused '--columns: not together with --tree' -o NODE -t
refused '--matrix: not together with --json' --json -m
refused '--raw: not together with --json' --raw --json

# Terminals
for root in "$two_tier" "$(machine interleave-12way)" "$(machine two-level-memory)" "$(machine denied)" \
	"$(machine asymmetric)" "$(machine hostile)"; do
	for shape in '' --tree --matrix --verbose '-o NODE,WHY,CPUS,DISTANCES,ZONES,DEVICES'; do
		on_terminal 80 topology --root "$root" "$shape"
		is "80 columns: ${root##*/} $shape" "$status $(($(widest) <= 80))" '0 1'
	done
done

# A machine of 24 nodes with CPUs in turn: wider than any terminal
mkdir -p "$tmp/wide/sys/devices/system/node"
{
	echo 'include common/kernel'
	echo 'include common/node'
	echo 'use kernel release=6.12.43-amd64 host=wide'
	echo 'use nodes possible=0-23 online=0-23 cpu=0-23 memory=0-23 normal=0-23'
	echo 'use cpus online=0-575'
	distances=$(seq -s ' ' 11 33)
	for node in {0..23}; do
		echo "use node id=$node cpus=$node-575/24 bits=576 total=33554432 free=1048576 distance=\"10 $distances\""
		echo "use performance target=$node initiators=$node bandwidth=102400 latency=100"
	done
	echo 'use tier id=4 nodes=0-23'
} >"$tmp/wide.manifest"
rm -r "$tmp/wide"
tests/machines/unpack "$tmp/wide.manifest" "$tmp/wide"
for shape in '' --tree --matrix; do
	on_terminal 80 topology --root "$tmp/wide" "$shape" -q
	is "80 columns: 24 nodes $shape" "$status $(($(widest) <= 80))" '0 1'
done
like 'the matrix goes on below' "$shown" $'\nRead bandwidth, MB/s \(continued\)\nFROM.TO +'
is 'nothing is cut: every pair of the matrix' "$(grep -c '^ *[0-9]' "$tmp/shown")" "$((24 * (1 + 2 + 2 + 3 + 3)))"
on_terminal 80 topology --root "$tmp/wide" -q --no-color
is 'nothing is cut: every CPU of the table' \
	"$(tail -n +2 "$tmp/shown" | sed 's/  *[0-9.]*G .*//; s/^  *[0-9]*  *dram  *4 //' | tr -d ' ' | tr , '\n' | grep -c .)" 576
like 'a list is folded after a comma' "$shown" $'\n   0 dram +4 0,24,[0-9,]*, +32G .*\n +[0-9]+,[0-9,]+'
tiermem topology --root "$tmp/wide" -q
like 'but not where there is no terminal' "$out" ' 0,24,48,72,96,120,[0-9,]*,552 '

# Colours
bold=$'\x1b\\[1m'
on_terminal 80 topology --root "$two_tier"
like 'a terminal gets bold headings' "$shown" "${bold}NODE"
on_terminal 80 topology --root "$two_tier" --no-color
unlike 'not with --no-color' "$shown" $'\x1b'
NO_COLOR=1 on_terminal 80 topology --root "$two_tier"
unlike 'not with NO_COLOR' "$shown" $'\x1b'
NO_COLOR='' on_terminal 80 topology --root "$two_tier"
like 'an empty NO_COLOR does not count' "$shown" "$bold"
for shape in '' --tree --matrix --verbose; do
	tiermem topology --root "$two_tier" $shape
	unlike "no terminal, no colours $shape" "$out" $'\x1b'
done
LC_ALL=C.UTF-8 run "$TIERMEM" topology --root "$two_tier" --tree
like 'lines of the tree in a UTF-8 locale' "$out" $'\n└─node3 .*\n└─endpoint3 '
tiermem topology --root "$two_tier" --tree
like 'and in ASCII' "$out" $'\n`-node3 .*\n`-endpoint3 '

# JSON
tiermem topology --root "$two_tier" --json
exits 0 'JSON'
valid_json 'keeps to its schema'
is 'begins as all documents do' "$(jq -r 'keys_unsorted[:7] | join(" ")' <"$out_file")" \
	'schema tiermem kernel host boot_id root time'
is 'its head' "$(jq -c '[.schema, .kernel, .host, .boot_id, .root]' <"$out_file")" \
	"[\"tiermem.topology/1\",\"6.16.9-amd64\",\"two-tier\",\"7f0c3a52-5d0e-4b7e-9c1f-2b8f6c1d9e40\",\"$two_tier\"]"
is 'the rest of it' "$(jq -c '[.possible_nodes, .online_nodes, .memory_nodes, .memory_block_size_bytes, .weight_mode]' <"$out_file")" \
	'["0-3","0-3","0-3",2147483648,"auto"]'

# The schema catches what it is there for.
spoiled()
{
	jq "$2" "$out_file" >"$tmp/spoiled"
	run tests/validate "$tmp/spoiled"
	is "the schema refuses $1" "$status" 1
	tiermem topology --root "$two_tier" --json
}

spoiled 'a key that it does not know' '.nodes[0].more = 1'
spoiled 'a missing key' 'del(.nodes[0].weight)'
spoiled '0 for an unknown figure' '.nodes[0].performance[0].read_latency_ns = 0'
spoiled 'a reason beside a value' '.nodes[0].weight_reason = "absent"'
spoiled 'a reason that does not exist' '.nodes[0].weight = null | .nodes[0].weight_reason = "lost"'
spoiled 'a set that is none' '.nodes[0].cpus = "0-"'
spoiled 'a kind that does not exist' '.nodes[0].kind = "ram"'
spoiled 'a problem that is not listed' '.problems = [{code: "x", severity: "note", nodes: "", message: "x", hint: null}]'
spoiled 'a root decoder with a region' '.cxl.decoders[0].region = "region0"'
sed -n 's/^\t{ "\([a-z-]*\)", TM_\([A-Z]*\),.*/\1 \L\2/p' lib/model/problem.c >"$tmp/codes"
is 'the schema lists the codes there are' \
	"$(jq -r '.properties.problems.items.properties.code.enum[]' schemas/tiermem.topology-1.schema.json | sort)" \
	"$(cut -d ' ' -f 1 "$tmp/codes" | sort)"
# The page explains each as ".It Li code Pq severity".
is 'the manual page lists them with their severity' \
	"$(sed -n 's/^\.It Li \([a-z-]*\) Pq \([a-z]*\).*/\1 \2/p' man/tiermem-json.5 | sort)" "$(sort "$tmp/codes")"

# described NAME FILTER: each word that the filter takes from the schema stands in the manual page
described()
{
	local word missing=

	while read -r word; do
		grep -Eq -- "(^|[ (])$word( |\$|,)" man/tiermem-json.5 || missing+=" $word"
	done < <(jq -r "$2" schemas/tiermem.topology-1.schema.json | sort -u)
	is "the manual page describes every $1" "$missing" ''
}

described key '.. | objects | select(.type == "object" or (.type | type) == "array").properties? // empty | keys[] |
	select(endswith("_reason") | not)'
described word '.. | .enum? // empty | .[] | strings'

# Examples in the page are what is printed.
awk -v folder="$tmp" '/^\.Bd -literal/ { n++; next } /^\.Ed/ { on = 0; close(file) } /^\$ / { file = folder "/example-" n; on = 1 }
	on { print >file }' n=0 man/tiermem-topology.1
for example in "$tmp"/example-*; do
	sed -i 's/\\(ga/`/g; s/\\e/\\/g' "$example"
	read -r _ _ line <"$example"
	read -ra words <<<"$line"
	tiermem --root "$two_tier" "${words[@]}"
	is "the example: $line" "$out" "$(tail -n +2 "$example")"
done
is 'all examples were tried' "$(find "$tmp" -name 'example-*' | wc -l)" "$(grep -c '^\.Bd -literal' man/tiermem-topology.1)"

# Memory blocks are counted, and asked only on request.
opened()
{
	strace -f -o "$tmp/strace" -e trace=open,openat,openat2,creat "$TIERMEM" --root "$two_tier" topology "$@" >"$tmp/json"
	grep -Ec '"[^"]*/memory[0-9]+' "$tmp/strace"
}

is 'no file of a memory block is opened' "$(opened --json)" 0
is 'and the count is reckoned' "$(jq -c '[.nodes[].blocks]' "$tmp/json")" \
	"$(jq -nc '[128, 128, 64, 64] | map({total: ., online: ., source: "zoneinfo"})')"
is 'with --blocks each is asked' "$(opened --json --blocks)" 384
is 'and the count is exact' "$(jq -c '[.nodes[].blocks]' "$tmp/json")" \
	"$(jq -nc '[128, 128, 64, 64] | map({total: ., online: ., source: "state"})')"

# This machine
tiermem topology
exits 0 'this machine'
tiermem topology --json
exits 0 'this machine as JSON'
valid_json 'keeps to its schema'
is 'is the one that runs' "$(jq -r '[.root, .kernel, .host, .boot_id] | join(" ")' <"$out_file")" \
	"/ $(uname -r) $(uname -n) $(cat /proc/sys/kernel/random/boot_id)"
tiermem topology --root /
exits 0 'as --root / it is the same'
if [[ -r /sys/devices/system/node/online ]]; then
	tiermem topology --json
	is 'nodes online' "$(jq -r .online_nodes <"$out_file")" "$(cat /sys/devices/system/node/online)"
else
	skip 'nodes online' 'this kernel has no NUMA'
fi

done_testing
