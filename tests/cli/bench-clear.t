#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem bench clear`: its options, and the loops in user space. Pools of huge pages are this machine's own, so what
# changes them is tested in a virtual machine.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# refuses NAME CODE WANTED ARG...
refuses()
{
	local name=$1 code=$2 wanted=$3

	shift 3
	tiermem bench clear "$@"
	is "$name" "$status $out$err" "$code tiermem bench clear: $wanted"
}

tiermem bench clear --help
golden bench-clear-help

refuses 'no size of a page' 2 "--page-size: '3M' is not the size of a page
hint: such as 2M or 1G" --page-size 3M
refuses 'an empty size' 2 "--page-size: '' is not the size of a page
hint: such as 2M or 1G" --page-size ''
refuses 'pages that are not there' 3 '--page-size: no huge pages of 16T here
hint: ls /sys/kernel/mm/hugepages shows those there are' --page-size 16T
refuses 'no size' 2 "--size: 'much' is not a size from 4K
hint: such as 64M or 1G" --size much --page-size 16T
refuses 'no place in a page' 2 "--at: 'top' is none of its values
hint: \`tiermem bench clear --help\` lists its values" --at top
refuses 'pages in user space' 2 '--page-size: not together with --user-space' --user-space --page-size 2M
refuses 'a place in user space' 2 '--at: not together with --user-space' --user-space --at end

# An ordinary user is told before anything is done, where there are pools at all.
user=()
((EUID)) || user=(setpriv --reuid 65534 --clear-groups)
if "${user[@]}" test -x "$TIERMEM" && [[ -n $(ls /sys/kernel/mm/hugepages 2>/dev/null) ]]; then
	run "${user[@]}" "$TIERMEM" bench clear
	is 'an ordinary user' "$status $out$err" '1 tiermem bench clear: only root may change the pools of huge pages
hint: --user-space compares loops, and needs no root'
fi

loops=(rep-stosb vector non-temporal)
[[ $(uname -m) != aarch64 ]] || loops+=(dc-zva)
user_space()
{
	tiermem bench clear --user-space --time 0.01 --repeat 2 "$@"
}

user_space --size 1M --verify --json
exits 0 'loops in user space'
valid_json '--json keeps to its schema'
is 'all of them' "$(jq -r '.cases[].labels.how' "$out_file" | tr '\n' ' ')" "${loops[*]} "
measured='.cases[] | select(.reason == null)'
is 'each has its figures' "$(jq -c "[$measured | .metrics[] | select(.key == \"ms_per_gib\" or .key == \"cleared_mbps\") |
	.values | map(. > 0)] | unique" "$out_file")" '[[true,true]]'
is 'every byte was looked at, in whole passes' "$(jq -c "[$measured | .metrics[] | select(.key == \"checked_bytes\") |
	.values[] | . > 0 and . % 1048576 == 0] | unique" "$out_file")" '[true]'
is 'figures of pages have no values' "$(jq -c "[.cases[].metrics[] | select(.key == \"pages\") | .values[]?] | unique" \
	"$out_file")" '[null]'
is 'one thread, unless more are asked for' "$(jq -c '[.cases[].labels.threads] | unique' "$out_file")" '[1]'
is 'memory that was cleared' "$(jq -c "[$measured | .labels.size_bytes] | unique" "$out_file")" '[1048576]'
if [[ $(uname -m) == x86_64 ]]; then
	is 'all loops were measured' "$(jq -c '[.cases[].reason] | unique' "$out_file")" '[null]'
	is 'stores of the widest vectors' "$(jq -c '[.cases[].labels.store_bytes] | [.[0], (.[1] | . == 16 or . == 32 or . == 64),
		.[1] == .[2]]' "$out_file")" '[null,true,true]'
fi

# Sizes that nothing divides, and more threads than pages.
user_space --size 12345 --threads 7 --verify --json
exits 0 'odd sizes and many threads'
is 'they share it' "$(jq -c '[.cases[].labels.threads] | unique' "$out_file")" '[7]'
node=$(tr -d '\n' </sys/devices/system/node/has_memory 2>/dev/null)
if [[ -n $node ]]; then
	node=${node%%[,-]*}
	user_space --size 256K --nodes "$node" --json
	is 'memory of a node' "$(jq -c "[$measured | .labels.node, .place.asked, .place.misplaced_bytes] | unique" "$out_file")" \
		"$(jq -nc "[$node, \"$node\", 0] | unique")"
fi

user_space --size 1000T
exits 3 'more than there is'
like 'and what helps' "$err" 'are needed
hint: give a smaller --size'

user_space --size 256K
exits 0 'a table'
like 'it has the loops' "$out" $'\nHOW .*\nvector '
user_space --size 256K --save "$tmp/saved.json"
exits 0 'saved'
valid_json 'the file keeps to its schema' "$tmp/saved.json"
done_testing
