#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem weights apply` and `reset` on captured machines, and `undo` of these. The values are reckoned by hand.
# shellcheck source=tests/cli/weights.sh
. "${BASH_SOURCE[0]%/*}/weights.sh"

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
	tiermem --root "$root" undo --dry-run
	is "$name: undo fits 80 columns" "$(awk 'length > 80' "$out_file")" ''
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

ends
