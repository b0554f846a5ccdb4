# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# For policy*.t: captured machines that may be written to, and what is looked at afterwards. Source it first; say
# policy_done last.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# Files by short names.
# shellcheck disable=SC2034
demotion=sys/kernel/mm/numa/demotion_enabled
# shellcheck disable=SC2034
balancing=proc/sys/kernel/numa_balancing
# shellcheck disable=SC2034
limit=proc/sys/kernel/numa_balancing_promote_rate_limit_MBps
# shellcheck disable=SC2034
scan=sys/kernel/debug/sched/numa_balancing

# fresh NAME: the machine as it is at first, in $root, to write to
fresh()
{
	local tree

	tree=$(machine "$1")
	root=$tmp/root
	rm -rf "$root"
	mkdir "$root"
	tar -C "$tree" --exclude 'memory[0-9]*' --exclude 'cpu[0-9]*' --exclude transparent_hugepage -cf - . | tar -C "$root" -xf -
	before=$(sum)
}

sum()
{
	(cd "$root" && find . -path ./run -prune -o -type f -exec sha256sum {} + | sort -k 2 | sha256sum)
}

policy()
{
	tiermem --root "$root" policy "$@"
}

untouched()
{
	is "$1: nothing is written" "$(sum)" "$before"
	ok "$1: nothing is kept" test ! -e "$root/run/tiermem"
}

# says NAME CODE TEXT: the last run's exit code, and what is in its errors
says()
{
	exits "$2" "$1"
	like "$1: in words" "$err" "$3"
}

# keeps NAME: the last run's document is one; that they all keep to their schemas is seen at the end
keeps()
{
	like "$1: a document" "$(jq -r .schema "$out_file" 2>&1)" '^tiermem\.[a-z-]+/1$'
	cat "$out_file" >>"$tmp/documents"
}

doc()
{
	jq -c "$1" "$out_file" 2>&1
}

# links NAME WANTED: [active, the missing links] of promotion and of demotion
links()
{
	policy show --json
	keeps "$1"
	is "$1" "$(doc '.verdict | [.promotion, .demotion] | map([.active] + [.missing[].code])')" "$2"
}

now()
{
	local file

	for file; do
		cat "$root/$file"
	done | tr '\n' ' '
}

policy_done()
{
	ok 'every document keeps to its schema' tests/validate "$tmp/documents"
	done_testing
}
