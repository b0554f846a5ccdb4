#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem weights`, `undo` and `recover` on captured machines. The values are reckoned by hand.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

folder=sys/kernel/mm/mempolicy/weighted_interleave

# sum_of ROOT: of every file but those in run/
sum_of()
{
	(cd "$1" && find . -path ./run -prune -o -type f -exec sha256sum {} + | sort -k 2 | sha256sum)
}

# fresh NAME: a copy of the machine of one's own, in $root
fresh()
{
	root=$tmp/roots/$1
	rm -rf "$root"
	mkdir -p "$root"
	# What no figure of weights comes from is left out: copying takes time.
	tar -C "$(machine "$1")" --exclude 'memory[0-9]*' --exclude 'cpu[0-9]*' -cf - . | tar -C "$root" -xf -
	before=$(sum_of "$root")
}

# keeps NAME: the last run's document is one; that they all keep to their schemas is seen at the end
keeps()
{
	like "$1" "$(jq -r .schema "$out_file" 2>&1)" '^tiermem\.[a-z]+/1$'
	cat "$out_file" >>"$tmp/documents"
}

# now NODE...: the weights that are set
now()
{
	local node

	for node; do
		cat "$root/$folder/$node"
	done | tr '\n' ' '
}

# untouched NAME: nothing was written, and nothing kept
untouched()
{
	is "$1: nothing is written" "$(sum_of "$root")" "$before"
	ok "$1: nothing is kept" test ! -e "$root/run/tiermem"
}

weights()
{
	tiermem --root "$root" weights "$@"
}

# says NAME CODE TEXT: the last run's exit code, and what is in its first line of errors
says()
{
	exits "$2" "$1"
	like "$1: says so" "$err" "$3"
}

# doc FILTER: of the last document
doc()
{
	jq -c "$1" <"$out_file"
}

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
for name in $(tests/machines/list); do
	[[ $name == hostile ]] && continue
	root=$(machine "$name")
	touch "$tmp/stamp"
	weights show
	is "$name: fits 80 columns" "$(awk 'length > 80' "$out_file" "$err_file")" ''
	weights show --json
	keeps "$name: show --json keeps to its schema"
	weights apply --dry-run --json
	keeps "$name: apply --dry-run --json keeps to its schema"
	is "$name: nothing is written" "$(find "$root" -newer "$tmp/stamp")" ''
done

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
printf '{"nodes":[{"id":0,"read_bandwidth_mbps":0,"write_bandwidth_mbps":-5}]}' >"$tmp/bad.json"
weights compute --from "measured:$tmp/bad.json"
says 'zero and below are no bandwidths' 3 'nodes 0-1 is unknown'
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

# --- apply and undo ---

# cycle MACHINE FILES BEFORE AFTER: apply, twice, and undo
cycle()
{
	local name=$1 files=$2 mark

	fresh "$name"
	# shellcheck disable=SC2086
	is "$name: before" "$(now $files)" "$3"
	weights apply --dry-run --json
	exits 0 "$name: apply --dry-run"
	keeps "$name: its plan keeps to the schema"
	is "$name: it is planned" "$(doc '[.dry_run, .state]')" '[true,"planned"]'
	doc '[.changes[] | [.kind, .path, .from, .to]]' >"$tmp/planned"
	untouched "$name: --dry-run"
	weights apply --json
	exits 0 "$name: apply"
	keeps "$name: its document keeps to the schema"
	is "$name: it is applied" "$(doc '[.dry_run, .state]')" '[false,"applied"]'
	doc '[.changes[] | [.kind, .path, .from, .to]]' >"$tmp/done"
	ok "$name: the same plan" cmp "$tmp/planned" "$tmp/done"
	# shellcheck disable=SC2086
	is "$name: after" "$(now $files)" "$4"
	mark=$(find "$root" -printf '%p %T@ %C@\n' | sort)
	weights apply
	is "$name: apply again" "$status $out$err" '0 nothing to do: it is so already'
	is "$name: apply again writes nothing" "$(find "$root" -printf '%p %T@ %C@\n' | sort)" "$mark"
	tiermem --root "$root" undo --dry-run --json
	exits 0 "$name: undo --dry-run"
	keeps "$name: what it would do keeps to the schema"
	is "$name: undo --dry-run writes nothing" "$(find "$root" -printf '%p %T@ %C@\n' | sort)" "$mark"
	tiermem --root "$root" undo --json
	exits 0 "$name: undo"
	keeps "$name: what undo did keeps to the schema"
	is "$name: undo restores" "$(doc '[.state, ([.changes[].state] | unique)]')" '["restored",["restored"]]'
	is "$name: byte for byte" "$(sum_of "$root")" "$before"
	tiermem --root "$root" undo
	says "$name: undo again" 1 'nothing to undo'
	tiermem --root "$root" recover
	is "$name: nothing to recover" "$status $out$err" '0 nothing to recover'
}

cycle two-tier 'auto node0 node1 node2 node3' 'true 14 14 1 1 ' 'false 9 9 1 1 '
cycle auto-type '__auto_type node0 node1' 'true 28 3 ' 'false 8 1 '
cycle cpu-only-and-hbm 'auto node0 node2' 'true 6 25 ' 'false 1 4 '
cycle stale-weights 'auto node0 node1 node2' 'true 28 3 1 ' 'false 8 1 4 '

fresh stale-weights
weights apply --dry-run
like 'what undoing will do with stale weights' "$err" 'undoing has the kernel compute others'
fresh two-tier
tiermem --root "$root" weights apply
golden weights-apply
tiermem --root "$root" undo
golden weights-undo
fresh two-tier
weights apply --nodes 0,2
exits 0 'some nodes only'
is 'the others keep theirs' "$(now auto node0 node1 node2 node3)" 'false 9 14 1 1 '
weights apply --nodes 1 -q
is 'quietly' "$status $out$err" '0 '
is 'one node' "$(now node0 node1 node2)" '9 1 1 '
tiermem --root "$root" undo -q
is 'only the last plan is undone' "$(now auto node0 node1)" 'false 9 14 '

# Files of nodes that are not there
fresh possible-weights
weights apply --bandwidth 0=4G,1=3G,2=2G,3=1G
exits 0 'nodes that could be there'
is 'only those with memory are written' "$(now node{0..5})" '4 3 2 1 1 1 '
is 'no more files than there were' "$(find "$root/$folder" -name 'node*' | wc -l)" 12
weights reset
exits 0 'reset where the kernel computes nothing'
is 'reset: 1 for each' "$(sum_of "$root")" "$before"
tiermem --root "$root" undo
is 'reset is undone' "$(now node{0..4})" '4 3 2 1 1 '
weights apply --auto
says 'no automatic weights before 6.16' 3 '6\.16'

fresh weight-file-missing
weights apply
says 'a node without a weight file' 1 'node 1 has memory but no weight file'
like 'and what helps' "$err" $'\nhint: .*--nodes'
untouched 'a node without a weight file'
fresh denied
weights apply
says 'a weight that may not be read' 1 'node1: permission denied'
untouched 'a weight that may not be read'
fresh no-figures
weights apply
says 'unknown bandwidth' 3 'bandwidth of node 1 is unknown, and no weight is invented'
like 'what helps: measuring, giving' "$err" '--bandwidth.*--assume-unknown'
weights apply --json
exits 3 'unknown bandwidth, as JSON'
keeps 'is an error document'
untouched 'unknown bandwidth'
weights apply --assume-unknown 2
is 'an assumed weight' "$status $(now node0 node1)" '0 1 2 '
for name in laptop two-level-memory; do
	fresh $name
	for command in apply reset 'apply --auto' 'apply --bandwidth 0=5G --nodes 0'; do
		# shellcheck disable=SC2086
		weights $command
		says "$name: $command" 3 'no weighted interleave'
		like "$name: $command: names the version" "$err" '6\.9'
	done
	untouched $name
done

# --- a node that is slower than it is worth ---

fresh two-tier
weights apply --nodes 0,2 --bandwidth 0=400G,2=1G
says 'a harmful node' 1 'node 2 would make it slower than local memory alone \(256000 against 400000 MB/s\)'
untouched 'a harmful node'
weights show --nodes 0,2 --bandwidth 0=400G,2=1G
like 'show names it' "$out" 'costs more than it brings on node 2'
weights compute --json --nodes 0,2 --bandwidth 0=400G,2=1G
is 'so does the document' "$(doc .harmful_nodes)" '"2"'
weights apply --nodes 0,2 --bandwidth 0=400G,2=1G --force
is '--force' "$status $(now node0 node2)" '0 255 1 '

# --- the one-way door ---

fresh two-tier
rm -r "$root"/sys/devices/system/node/node*/access1
before=$(sum_of "$root")
weights apply --bandwidth 0=9G,1=9G,2=1G,3=1G --dry-run
is 'the one-way door: a dry run' "$status" 0
like 'announces it' "$err" 'warning: .*/auto: .*before the next boot'
weights apply --bandwidth 0=9G,1=9G,2=1G,3=1G
says 'the one-way door is announced' 1 'warning: .*/auto: .*before the next boot'
like 'and needs --accept' "$err" $'\nhint: add --accept'
untouched 'the one-way door'
weights apply --bandwidth 0=9G,1=9G,2=1G,3=1G --accept
is 'with --accept' "$status $(now auto node0 node3)" '0 false 9 1 '
weights apply --auto
says 'there is no way back' 3 'no bandwidths'
tiermem --root "$root" undo --json
exits 4 'undo says what it cannot put back'
keeps 'its document keeps to the schema'
is 'and puts back the rest' "$(now auto node0 node1)" 'false 14 14 '
is 'in the document' "$(doc '[.state, (.changes[] | select(.state == "left") | .path)]')" "[\"left\",\"$folder/auto\"]"

# --- automatic weights ---

fresh two-tier
weights apply --auto
is 'automatic already' "$status $out" '0 nothing to do: it is so already'
untouched 'automatic already'
weights apply -q
weights apply --auto --json
exits 0 'apply --auto'
keeps 'its document keeps to the schema'
is 'it is switched on; the kernel does the rest' "$(now auto node0)" 'true 9 '
is 'what the kernel may move is in the plan' "$(doc '[.changes[].kind]')" '["effect","effect","effect","effect","set"]'
# What a kernel would have made of it
tiermem --root "$root" undo
is 'undo of --auto' "$status $(now auto node0)" '0 false 9 '
weights reset -q
is 'reset is --auto' "$status $(now auto)" '0 true '
fresh stale-weights
weights apply --auto
says 'stale weights cannot be had back' 1 'stale weight cannot be had back'
untouched 'stale weights'
weights apply --auto --accept
is 'with --accept' "$status $(now auto)" '0 true '

# --- journals ---

# dead_journal STATE: as a process leaves it that was killed before it wrote (none), half-way, or after it
dead_journal()
{
	fresh two-tier
	weights apply -q
	sed -i 's/"start":[^,]*,/"start": 1,/' "$root/run/tiermem/last.journal"
	mv "$root/run/tiermem/last.journal" "$root/run/tiermem/9-1-0.journal"
	case $1 in
	none) echo 14 | tee "$root/$folder/node0" "$root/$folder/node1" >/dev/null ;;&
	half) echo 14 >"$root/$folder/node1" ;;
	none) echo true >"$root/$folder/auto" ;;
	esac
}

for how in none half all; do
	dead_journal $how
	cp -a "$root" "$tmp/copy"
	weights show
	exits 0 "killed ($how): readers go on"
	like "killed ($how): and say it" "$err" 'tiermem recover'
	weights apply --bandwidth 0=9G,1=1G,2=1G,3=1G
	says "killed ($how): writers do not" 1 'half-way'
	tiermem --root "$root" undo
	says "killed ($how): nothing to undo" 1 'nothing to undo'
	ok "killed ($how): all as it was" diff -r --no-dereference "$tmp/copy" "$root"
	tiermem --root "$root" recover --dry-run --json
	keeps "killed ($how): recover --dry-run"
	ok "killed ($how): it writes nothing" diff -r --no-dereference "$tmp/copy" "$root"
	tiermem --root "$root" recover --json
	exits 0 "killed ($how): recover"
	keeps "killed ($how): what it did"
	is "killed ($how): byte for byte" "$(sum_of "$root")" "$before"
	tiermem --root "$root" recover
	is "killed ($how): once" "$status $out$err" '0 nothing to recover'
	rm -rf "$tmp/copy"
done

dead_journal all
echo 77 >"$root/$folder/node0"
tiermem --root "$root" recover --json
exits 4 "a stranger's value"
keeps "a stranger's value: the document"
like "a stranger's value is named" "$err" "node0: somebody else set it to '77'.*; it was '14' before"
is "a stranger's value stays, the rest is restored" "$(now auto node0 node1)" 'true 77 14 '
weights apply -q
exits 0 'and bars nobody for ever'

fresh two-tier
weights apply -q
echo 78 >"$root/$folder/node1"
tiermem --root "$root" undo
says "undo: a stranger's value" 4 "node1: somebody else set it to '78'"
is "undo: his stays, ours are restored" "$(now auto node0 node1)" 'true 14 78 '
echo 9 >"$root/$folder/node1"
tiermem --root "$root" undo
is 'undo can be tried again' "$status $(now node1)" '0 14 '

# A process that lives: this shell
fresh two-tier
weights apply -q
start=$(sed 's/.*) //' /proc/$$/stat | cut -d ' ' -f 20)
sed -i "s/\"start\":[^,]*,/\"start\": $start,/; s/\"pid\":[^,]*,/\"pid\": $$,/" "$root/run/tiermem/last.journal"
mv "$root/run/tiermem/last.journal" "$root/run/tiermem/$$.journal"
weights apply --bandwidth 0=9G,1=1G,2=1G,3=1G
says 'a live lease' 1 "process $$ \(tiermem weights apply\) holds it"
tiermem --root "$root" recover
exits 0 'recover leaves it alone'
like 'and says so' "$err" "process $$ .*lives"
is 'as it was' "$(now auto node0)" 'false 9 '

fresh two-tier
weights apply -q
echo '{' >"$root/run/tiermem/1.journal"
weights reset
says 'a damaged journal' 1 '1\.journal'
tiermem --root "$root" recover
says 'recover names it' 1 '1\.journal'

# Another tiermem holds the lock.
fresh two-tier
weights apply -q
(
	flock 9
	weights reset
	printf '%s %s\n' "$status" "$err" >"$tmp/locked"
	tiermem --root "$root" undo
	printf '%s %s\n' "$status" "$err" >"$tmp/locked-undo"
) 9<"$root/run/tiermem/lock"
like 'two at once' "$(cat "$tmp/locked")" '^1 .*another tiermem is writing'
like 'two at once: undo' "$(cat "$tmp/locked-undo")" '^1 .*another tiermem is writing'

# --- a folder of somebody else's, and archives ---

fresh two-tier
mkdir -p "$root/run" "$tmp/elsewhere"
ln -s "$tmp/elsewhere" "$root/run/tiermem"
weights apply
exits 1 'the state folder is no link'
is 'nothing is written through it' "$(sum_of "$root") $(ls "$tmp/elsewhere")" "$before "

if [[ $EUID != 0 ]]; then
	skip 'read-only files' 'only root has another user at hand'
else
	fresh two-tier
	chmod -R a+rX "$tmp"
	run setpriv --reuid 65534 --clear-groups "$TIERMEM" --root "$root" weights apply
	says 'not allowed to write' 1 "/auto: Permission denied"
	like 'not allowed to write: a hint' "$err" $'\nhint: settings are written by root'
	untouched 'not allowed to write'
fi

fresh two-tier
tiermem --root "$root" snapshot "$tmp/two-tier.tar"
for command in 'weights apply' 'weights reset' 'weights apply --auto' undo recover; do
	# shellcheck disable=SC2086
	tiermem --root "$tmp/two-tier.tar" $command
	says "an archive: $command" 2 '--root: nothing can be written to an archive'
done
tiermem --root "$tmp/two-tier.tar" weights apply --dry-run --json
exits 0 'an archive: a dry run'
is 'an archive: what would be written' "$(doc '[.changes[] | select(.state == "planned") | .to]')" '["false","9","9"]'
tiermem --root "$tmp/two-tier.tar" weights show
exits 0 'an archive: show'

valid_json "all $(jq -s length "$tmp/documents") documents keep to their schemas" "$tmp/documents"

done_testing
