# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# For weights*.t: captured machines that may be written to, and what is looked at afterwards. Source it first.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

folder=sys/kernel/mm/mempolicy/weighted_interleave

# sum_of ROOT: of every file but those in run/
sum_of()
{
	(cd "$1" && find . -path ./run -prune -o -type f -exec sha256sum {} + | sort -k 2 | sha256sum)
}

declare -A sums=()

# fresh NAME: the machine as it is at first, in $root, to write to
fresh()
{
	local tree

	tree=$(machine "$1")
	root=$tmp/roots/$1
	# Copying takes time: mostly only weights have changed, and what no figure of them comes from is left out.
	if [[ -d $root ]]; then
		rm -rf "$root/run" "${root:?}/$folder"
		[[ ! -d $tree/$folder ]] || cp -a "$tree/$folder" "$root/$folder"
	fi
	if [[ ! -d $root || $(sum_of "$root") != "${sums[$1]}" ]]; then
		rm -rf "$root"
		mkdir -p "$root"
		tar -C "$tree" --exclude 'memory[0-9]*' --exclude 'cpu[0-9]*' --exclude transparent_hugepage -cf - . |
			tar -C "$root" -xf -
		sums[$1]=$(sum_of "$root")
	fi
	before=${sums[$1]}
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

# ends: the last line of a test
ends()
{
	valid_json "all $(jq -s length "$tmp/documents") documents keep to their schemas" "$tmp/documents"
	done_testing
}
