#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Which nodes `tiermem run` chooses, on captured machines. A captured machine runs nothing, but --dry-run shows what
# would be done there by a command that may run on some of its CPUs.
# shellcheck disable=SC2016 # scripts for other shells
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# allow MACHINE CPUS MEMS: what the command may use there
allow()
{
	tree=$(machine "$1")
	mkdir -p "$tree/proc/self"
	printf 'Name:\tx\nCpus_allowed_list:\t%s\nMems_allowed_list:\t%s\n' "$2" "$3" >"$tree/proc/self/status"
}

dry()
{
	tiermem --root "$tree" run --dry-run "$@" -- true
}

# chooses NAME NODES ARG...
chooses()
{
	local name=$1 nodes=$2

	shift 2
	dry "$@"
	is "$name" "$status $(sed -n 's/^nodes *\([0-9,-]*[0-9]\).*/\1/p' "$out_file")$err" "0 $nodes"
}

# refuses NAME CODE WANTED ARG...
refuses()
{
	local name=$1 code=$2 wanted=$3

	shift 3
	dry "$@"
	is "$name" "$status $out$err" "$code tiermem run: $wanted"
}

# ---- two sockets with DRAM (nodes 0 and 1, tier 4), each with an expander (nodes 2 and 3, tier 79)

allow two-tier 0-31 0-3
chooses 'one socket: its DRAM and its expander' 0,2
dry
is 'it says whose they are' "$out" 'policy      weighted-interleave
nodes       0,2, local to CPUs 0-31
weights     0:14 2:1
cpuset.mems 0-3'
chooses 'all nodes are explicit' 0-3 --all
chooses 'a kind of the socket' 2 --kind cxl
chooses 'kinds of the socket' 0,2 --kind CXL,dram
chooses 'a kind of all sockets' 2-3 --kind cxl --all
chooses 'a tier of the socket' 2 --tiers 79
chooses 'a tier of all sockets' 0-1 --tiers 4 --all
chooses 'a tier and a kind' 2-3 --tiers 79 --kind cxl,hbm --all
chooses 'nodes by name, in any order' 0,3 --nodes 3,0
chooses 'weighted is the default' 0,2 --weighted
refuses 'no such kind' 2 '--kind: no local node with memory is of hbm
hint: --all looks on other sockets too, --nodes names nodes' --kind hbm
refuses 'no such kind anywhere' 2 '--kind: no node with memory is of hbm,pmem
hint: `tiermem topology` shows kinds and tiers' --kind hbm,pmem --all
refuses 'no such tier' 2 '--tiers: there is no tier 5
hint: `tiermem topology --tree` shows the tiers' --tiers 4-5
refuses 'no node of both' 2 '--tiers, --kind: no node with memory is of both
hint: `tiermem topology` shows kinds and tiers' --tiers 4 --kind cxl --all
refuses 'no such node' 2 '--nodes: there is no node 4
hint: nodes with memory: 0-3' --nodes 0,4
dry --weights 5,1
is 'weights are in the order of the nodes' "$(sed -n 's/^weights *//p' "$out_file")" \
	'0:5 2:1 while the command runs, then as they are now'
dry --weights 14,1
is 'those that are set are no change' "$(sed -n 's/^weights *//p' "$out_file")" '0:14 2:1'
refuses 'one too few' 2 '--weights: 1 weight for 2 nodes (0,2)' --weights 5
refuses 'one too many' 2 '--weights: 3 weights for 2 nodes (0,2)' --weights 5,1,1
dry --weights 5,1 --json
valid_json '--json keeps to its schema'
is '--json' "$(jq -c '[.nodes, .cpus_allowed, .mems_allowed, .fallback, .weights, .program, .command]' "$out_file")" \
	'["0,2","0-31","0-3",false,[{"node":0,"current":14,"wanted":5},{"node":2,"current":1,"wanted":1}],null,["true"]]'
allow two-tier 40,50 0-3
chooses 'the other socket' 1,3
allow two-tier 31-32 0-3
chooses 'a command that may run on both' 0-3
like 'is told of taskset' "$out" 'local to CPUs 31-32, which are of several nodes: see taskset\(1\)'

# cpuset.mems
allow two-tier 0-31 1-2
chooses 'the cpuset cuts the local set' 2
like 'and is shown' "$out" 'cpuset.mems 1-2'
chooses 'and all nodes' 1-2 --all
dry --nodes 0,2
is 'it cuts named nodes with a warning' "$status $(sed -n 's/^nodes *//p' "$out_file") $err" \
	'0 2 tiermem run: warning: --nodes: left out is 0: the cpuset allows 1-2'
refuses 'it leaves none' 125 'nodes 0,3 are not among those that the cpuset allows, 1-2
hint: cpuset.mems of this control group says which are' --nodes 0,3
chooses 'weights count those that are left' 2 --nodes 0,2 --weights 1 -q
rm "$tree/proc/self/status"
chooses 'a tree that does not say what is allowed: everything' 0-3

# ---- other machines

allow generic-initiator 0-7 0,2
chooses 'a device that is the best initiator says nothing of CPUs' 0
allow generic-initiator 8-15 0,2
chooses 'nor for the other socket' 2
allow cpu-only-and-hbm 8-15 0,2
chooses 'CPUs in a node without memory' 2
allow cpu-only-and-hbm 0-7 0,2
chooses 'HBM that is as near to both' 0,2
refuses 'a node without memory' 2 '--nodes: node 1 has no memory
hint: nodes with memory: 0,2' --nodes 1
allow interleave-3way 0-7 0-1
chooses 'an expander whose row names no initiator' 0-1
allow access1-only 0 0-1
chooses 'without access0' 0-1
allow no-figures 0 0-1
chooses 'without figures, by distance' 0-1
# Nodes 1 to 3 have no distances that can be read: nothing says that they are near.
allow bad-distance 0 0-3
dry
is 'unknown distances' "$status $err" '0 '

# Kernels before 6.9
tree=$(machine two-tier)
rm -rf "$tree/sys/kernel/mm/mempolicy"
sed -i 's/6\.16\.9/6.1.0/' "$tree/proc/sys/kernel/osrelease"
refuses 'a kernel without weighted interleave' 3 'kernel 6.1.0-amd64 has no weighted interleave
hint: it came with kernel 6.9; --fallback spreads pages evenly instead'
dry --fallback
is '--fallback' "$status $err
$out" '0 tiermem run: warning: kernel 6.1.0-amd64 has no weighted interleave: pages are spread evenly
policy      interleave, as the kernel has no weighted interleave
nodes       0-3, local to CPUs 0-63, which are of several nodes: see taskset(1)
cpuset.mems 0-3'
dry --fallback --json -q
is '--fallback in JSON' "$status $(jq -c '[.policy, .fallback]' "$out_file")" '0 ["interleave",true]'
chooses 'which evenly does not need' 0-3 --interleave

# A captured machine runs nothing, and has no processes.
tiermem --root "$tree" run --interleave -- touch "$tmp/ran"
is 'it runs nothing' "$status $err" '2 tiermem run: --root: a captured machine runs nothing
hint: --dry-run shows what would be done there'
ok 'nothing was run' test ! -e "$tmp/ran"
tiermem --root "$tree" run --show 1
is 'it has no processes' "$status $err" '2 tiermem run: --root: a captured machine has no processes'

done_testing
