#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem weights show` and `compute` on captured machines, and what is not understood. The values are reckoned by hand.
# shellcheck source=tests/cli/weights.sh
. "${BASH_SOURCE[0]%/*}/weights.sh"

vectors='[.nodes[] | [.id, .current, .kernel, .recommended]]'

# --- show ---

fresh two-tier
weights show
golden weights-two-tier
weights show --json
exits 0 'show --json'
keeps 'show --json keeps to its schema'
is 'current, kernel, best' "$(doc "$vectors")" '[[0,14,14,9],[1,14,14,9],[2,1,1,1],[3,1,1,1]]'
is 'shares are of the pages' "$(doc '[.nodes[].share]')" '[0.45,0.45,0.05,0.05]'
# 2 × 215040 + 2 × 25600; 4 × 25600; 30 × 215040 / 14; 20 × 215040 / 9
is 'predicted bandwidths' "$(doc '.prediction | [.ideal_mbps, .local_mbps, .uniform_mbps, .current_mbps, .kernel_mbps,
	.recommended_mbps] | map(round)')" '[481280,215040,102400,460800,460800,477867]'
# (110 + 231) / 2; (28 × 110 + 2 × 231) / 30; (18 × 110 + 2 × 231) / 20
is 'predicted latencies' "$(doc '.prediction | [.local_latency_ns, .uniform_latency_ns, .kernel_latency_ns,
	.recommended_latency_ns] | map(. * 10 | round)')" '[1100,1705,1181,1221]'
is 'within the tolerance' "$(doc '[.within_tolerance, .unknown_nodes, .harmful_nodes, .stale_nodes]')" '[true,"","",""]'
untouched show
weights show --nodes 0,2
like 'only some nodes' "$out" $'\n''   0 dram 215040 215040 215040 110 sysfs   14     14    9 90.0%'
unlike 'and no others' "$out" $'\n''   1 '
unlike 'one socket: no remark on its link' "$out" 'sockets'
weights show --raw
is 'raw rows only' "$(wc -l <"$out_file")" 5

fresh stale-weights
weights show
golden weights-stale
weights show --json
is 'stale weights' "$(doc '[.stale_nodes, .mode]')" '["0-2","auto"]'
# 204800 + 25600 + 102400 = 332800: floor of 32 × … is 19, 2, 9
is 'what the kernel would compute' "$(doc "$vectors")" '[[0,28,19,8],[1,3,2,1],[2,1,9,4]]'

fresh no-figures
weights show
golden weights-no-figures
weights show --json
is 'what is unknown is null' "$(doc '[.nodes[] | .recommended, .share], .unknown_nodes, .prediction.recommended_mbps')" \
	$'[null,null,null,null]\n"1"\nnull'
fresh laptop
weights show
says 'a kernel without weights' 3 'kernel 6\.1\.0-39-amd64 has no weighted interleave'
like 'the rest is shown all the same' "$out" 'mode: unsupported'
weights show --json
exits 3 'a kernel without weights, as JSON'
keeps 'its document is whole'
fresh cpu-only-and-hbm
weights show --json
is 'fast memory without CPUs' "$(doc "$vectors, .prediction.local_mbps")" $'[[0,6,6,1],[2,25,25,4]]\n204800'
fresh generic-initiator
weights show --json
is 'not from the figures of a device' "$(doc '[.nodes[].bandwidth_mbps]')" '[204800,204800]'
fresh offline-node
weights show --json
is 'sparse ids' "$(doc '[.nodes[].id]')" '[0,2,3]'
fresh denied
weights show --json
is 'what may not be read' "$(doc '.nodes[1] | [.current, .current_reason]')" '[null,"denied"]'
keeps 'its document keeps to the schema'

# --- compute ---

fresh two-tier
# compute NAME WANTED ARG...: the recommended weights
compute()
{
	local name=$1 wanted=$2

	shift 2
	weights compute --json "$@"
	is "compute: $name" "$status $(doc '[.nodes[].recommended]')" "$wanted"
}

two=(--nodes '0,1')
compute 'from a data sheet' '0 [4,1]' "${two[@]}" --bandwidth 0=256G,1=64G
compute "by the kernel's rule" '0 [25,6]' "${two[@]}" --bandwidth 0=256G,1=64G --algorithm kernel
is 'both are always there' "$(doc '[.nodes[] | .kernel]')" '[25,6]'
compute 'equal ones' '0 [1,1]' "${two[@]}" --bandwidth 0=7G,1=7000M
compute 'units of every size' '0 [1,1]' "${two[@]}" --bandwidth 0=2T,1=2000000000000
compute 'small units' '0 [1,2]' "${two[@]}" --bandwidth 0=1000K,1=2000k
compute 'a ratio beyond 255' '0 [255,1]' "${two[@]}" --bandwidth 0=400G,1=1G
like 'how far it is off' "$(doc '[.within_tolerance, .below_ideal_percent]')" '^\[false,36\.1'
compute 'the kernel has no more than 32' '0 [31,1]' "${two[@]}" --bandwidth 0=400G,1=1G --algorithm kernel
compute 'a maximum' '0 [3,1]' "${two[@]}" --bandwidth 0=300G,1=60G --max-weight 3
compute 'a tolerance' '0 [4,1]' "${two[@]}" --bandwidth 0=300G,1=60G --tolerance 17
compute 'none' '0 [19,4]' "${two[@]}" --bandwidth 0=19G,1=4G --tolerance 0
compute 'a fine one' '0 [19,4]' "${two[@]}" --bandwidth 0=19G,1=4G --tolerance 0.0001
compute 'unknown nodes' '3 [null,null]' "${two[@]}" --bandwidth 0=256G
like 'unknown nodes: which' "$err" 'node 1 is unknown'
compute 'an assumed weight' '0 [1,7]' "${two[@]}" --bandwidth 0=256G --assume-unknown 7
is 'an assumed weight is called so' "$(doc '[.nodes[].assumed]')" '[false,true]'
fresh no-figures
compute 'nothing is made up by the rule either' '3 [null,null]' --algorithm kernel

cat >"$tmp/measured.json" <<-'END'
	{"nodes": [{"id": 0, "read_bandwidth_mbps": 300000, "write_bandwidth_mbps": 150000.4, "read_latency_ns": 99},
		{"id": 1, "read_bandwidth_mbps": 60000, "write_bandwidth_mbps": 50000}, {"id": 9}]}
END
compute 'from a measurement' '0 [3,1]' --from "measured:$tmp/measured.json"
is 'what it says' "$(doc '[.nodes[0] | .source, .bandwidth_mbps, .latency_ns]')" '["measured",150000,99]'
compute 'reads only' '0 [5,1]' --from "measured:$tmp/measured.json" --mix 1:0
compute 'writes only' '0 [3,1]' --from "measured:$tmp/measured.json" --mix 0:3
# 2 parts at 300000 and 1 at 150000 take 1/75000: 225000; 2 at 60000 and 1 at 50000: 3 / (1/30000 + 1/50000) = 56250
weights compute --json --from "measured:$tmp/measured.json" --mix 2:1
is 'a mix' "$(doc '[.nodes[] | .bandwidth_mbps], [.nodes[] | .recommended]')" $'[225000,56250]\n[4,1]'
# bad_file NAME TEXT MESSAGE
bad_file()
{
	printf '%s' "$2" >"$tmp/bad.json"
	weights compute --from "measured:$tmp/bad.json"
	says "a measurement that is none: $1" 1 "$3"
}
bad_file 'empty' '' 'bad\.json'
bad_file 'no JSON' '{"nodes": [}' 'bad\.json'
bad_file 'another document' '{"schema":"x"}' 'no saved bandwidth measurement'
bad_file 'no rows' '{"nodes":{}}' 'no saved bandwidth measurement'
bad_file 'a row without an id' '{"nodes":[{"read_bandwidth_mbps":1}]}' 'has no id'
bad_file 'an id that is none' '{"nodes":[{"id":-1}]}' 'has no id'
bad_file 'a row that is none' '{"nodes":[3]}' 'has no id'
bad_file 'a node twice' '{"nodes":[{"id":0},{"id":0}]}' 'node 0 is there twice'
bad_file 'a node twice that is not here' '{"nodes":[{"id":77},{"id":77}]}' 'node 77 is there twice'
bad_file 'a key twice' '{"nodes":[{"id":0,"id":1}]}' 'bad\.json'
bad_file 'a misspelt figure' '{"nodes":[{"id":1,"read_bandwidth_mpbs":5}]}' \
	"node 1: unknown key 'read_bandwidth_mpbs'"$'\n''hint: known are id, read_bandwidth_mbps, '
bad_file 'a key of another document' '{"nodes":[],"tiers":[]}' "unknown key 'tiers'"
bad_file 'what the machine says is no measurement' "$("$TIERMEM" --root "$root" topology --json)" "unknown key '"
for figure in read_bandwidth_mbps write_bandwidth_mbps read_latency_ns; do
	for value in 0 -5 0.2 -0.0 4294967296 1e300 '"5"' true '[5]' '{}'; do
		bad_file "$figure: $value" "{\"nodes\":[{\"id\":9,\"$figure\":$value}]}" \
			"node 9: $figure: not a number from 1 to 4294967295"
	done
done
printf '{"schema":"tiermem.measured/1","host":"a","nodes":[{"id":0,"read_bandwidth_mbps":null,"write_bandwidth_mbps":7}]}' \
	>"$tmp/bad.json"
weights compute --from "measured:$tmp/bad.json"
says 'null is unknown' 3 'nodes 0-1 is unknown'
# A result of `tiermem bench bandwidth`: what it says of nodes counts, the rest is its own.
bench='"schema":"tiermem.bench/1","cases":[{"reason":null}],"quick":true'
printf '{%s,"benchmark":"bandwidth","nodes":[{"id":0,"read_bandwidth_mbps":300,"write_bandwidth_mbps":150,"read_latency_ns":null},
	{"id":1,"read_bandwidth_mbps":60,"write_bandwidth_mbps":50}]}' "$bench" >"$tmp/bench.json"
compute 'from a benchmark' '0 [3,1]' --from "measured:$tmp/bench.json"
compute 'reads of a benchmark' '0 [5,1]' --from "measured:$tmp/bench.json" --mix 1:0
# shellcheck disable=SC2016 # no command
bad_file 'another benchmark' "{$bench,\"benchmark\":\"latency\",\"nodes\":[]}" \
	'another benchmark than bandwidth'$'\n''hint: `tiermem bench bandwidth --save FILE`'
bad_file 'no benchmark' "{$bench,\"nodes\":[]}" 'another benchmark than bandwidth'
bad_file 'a benchmark without nodes' "{$bench,\"benchmark\":\"bandwidth\"}" 'no saved bandwidth measurement'
bad_file 'its nodes are looked at as well' "{$bench,\"benchmark\":\"bandwidth\",\"nodes\":[{\"id\":0,\"read\":1}]}" \
	"node 0: unknown key 'read'"
weights compute --from measured:/nowhere
says 'no file' 1 '/nowhere: No such file'
weights compute --from "measured:$tmp"
says 'a folder' 1 'Is a directory'
fresh two-tier
weights compute --from cdat
says 'no CDAT' 3 'unknown'
weights compute --from hmat
says 'no HMAT' 3 'unknown'

# --- what is not understood: nothing is written, and the argument is named ---

fresh two-tier
# wrong ARGUMENT VALUE...
wrong()
{
	local option=$1 value

	shift
	for value; do
		weights apply "--$option=$value"
		says "--$option=$value" 2 "^tiermem weights apply: --$option: "
	done
	untouched "--$option"
}
wrong bandwidth '' 0 = 0= =5G 0=0 0=-5G 0=5 0=5X 0=5GG 0=G 0=1e9 0=5.5G 0=999999999999999999999G 0=99999999T 9=5G 0=5G,0=6G \
	0=5G, ,0=5G 0=5G,,1=5G x=5G -1=5G 99999999999999999999=5G '0=5G 1=5G' 0=5G,4=5G 0x0=5G
wrong nodes '' , 0,0 0-1,1 9 0,9 x -1 0- 1-0 65536 99999999999999999999 0,,1 0, ,0
wrong max-weight '' 0 256 -1 x 1.5 99999999999999999999 0x
wrong mix '' 1 : 1: :1 0:0 1:-1 x:y 1:1:1 1001:1 99999999999999999999:1
wrong tolerance '' x -1 101 100.0001 1. . .5 1.00001 1e1 99999999999999999999 1%
wrong assume-unknown '' 0 256 -1 x 99999999999999999999
wrong algorithm '' fastest
wrong from '' sysf hmat,cdat measured: measured
weights apply --from sysfs --bandwidth 0=5G
says 'two sources' 2 '--from: not together'
for option in --nodes=0 --from=sysfs --bandwidth=0=5G --mix=1:1 --algorithm=best --max-weight=9 --tolerance=2 --assume-unknown=1; do
	weights apply --auto "$option"
	says "--auto $option" 2 "${option%%=*}: not together with --auto"
done
weights show --dry-run
says 'show writes nothing anyway' 2 '--dry-run'
weights apply --nodes 9 --json
exits 2 'an error, as JSON'
keeps 'is an error document'
untouched 'wrong usage'

ends
