#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem bench migrate`: its options, and a machine with one node. What moves is tested in a virtual machine.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# refuses NAME CODE WANTED ARG...
refuses()
{
	local name=$1 code=$2 wanted=$3

	shift 3
	tiermem bench migrate "$@"
	is "$name" "$status $out$err" "$code tiermem bench migrate: $wanted"
}

tiermem bench migrate --help
golden bench-migrate-help

refuses 'no batch' 2 "--batch: '0' is not from 1 to 1048576" --batch 1,0
refuses 'a batch that is no number' 2 "--batch: 'all' is not from 1 to 1048576" --batch all
refuses 'an empty batch' 2 "--batch: '' is not from 1 to 1048576" --batch 1,
refuses 'too many of them' 2 '--batch: more than 16 of them' --batch 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
refuses 'no such mapping' 2 "--mapping: 'shared' is none of its values
hint: \`tiermem bench migrate --help\` lists its values" --mapping shared
refuses 'threads' 2 '--threads: one thread moves the pages
hint: --readers says how many others read them' --threads 2
refuses 'too many readers' 2 "--readers: '5000' is not from 0 to 4096" --readers 5000
refuses 'no list of CPUs' 2 "--reader-cpus: 'x' is neither a list such as 0-3,8 nor all" --reader-cpus x
refuses 'no such CPU' 2 '--reader-cpus: 60000 is no CPU that this process may use' --reader-cpus 60000
refuses 'no size' 2 "--size: '1' is not a size from $(getconf PAGESIZE | sed 's/4096/4K/; s/16384/16K/; s/65536/64K/')
hint: such as 64M or 1G" --size 1

nodes=$(tr -d '\n' </sys/devices/system/node/has_memory 2>/dev/null)
if [[ $nodes == *[,-]* ]]; then
	tiermem bench migrate --size 256K --repeat 1 --time 0.01 --json
	exits 0 'between two nodes'
	valid_json '--json keeps to its schema'
	if ! grep -q '^tlb_defer_pages ' /proc/vmstat; then
		is 'what this kernel does not count is unknown' "$(jq -c '[.cases[].metrics[] |
			select(.key == ("deferred_per_page", "forced_per_page")).values[]] | unique' "$out_file")" '[null]'
	fi
	tiermem bench migrate --size 256K --repeat 1 --time 0.01 --batch 1 --mapping read-only --reader-cpus all --json
	exits 0 'readers on all CPUs'
	is 'the mover has one beside it' "$(jq '.cases[0].labels | .readers' "$out_file")" "$(nproc)"
	is 'no page fails' "$(jq '[.cases[].metrics[] | select(.key == "failed_pages").values[]] | add' "$out_file")" 0
else
	refuses 'one node' 3 'pages migrate between nodes with memory, and there is only one
hint: to try it, numa=fake=2 on the kernel'"'"'s command line makes two of one' --quick
	refuses 'readers on all CPUs' 3 'pages migrate between nodes with memory, and there is only one
hint: to try it, numa=fake=2 on the kernel'"'"'s command line makes two of one' --quick --reader-cpus all
	[[ -z $nodes ]] || refuses 'one node by name' 2 "--nodes: '$nodes' are not two nodes
hint: such as 0,1: pages go from the one to the other and back" --nodes "$nodes"
	tiermem bench migrate --json
	valid_json 'an error as JSON'
fi
done_testing
