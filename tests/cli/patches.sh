# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# For patches*.t: sources that are made of the patches' own lines. Source it first.
# shellcheck source=tests/cli/lib.sh disable=SC2034
. "${BASH_SOURCE[0]%/*}/lib.sh"

shipped=patches/6.12
mapfile -t names < <(sed -n 's/\.patch$//p' "$shipped/series")
last=${names[-1]}

# Content and modes of all files below a folder, and the folders.
sum_of()
{
	(cd "$1" && find . -name .git -prune -o -printf '%y %m %p\n' | sort && find . -name .git -prune -o -type f \
		-exec sha256sum {} + | sort -k 2) | sha256sum
}

# fresh: sources for the shipped patches, in $tree
tests/cli/patches-tree "$shipped" "$tmp/made" || exit 1
tree=$tmp/tree
fresh()
{
	rm -rf "$tree"
	cp -a "$tmp/made" "$tree"
	before=$(sum_of "$tree")
}

# patches SUBCOMMAND ARG...: with the shipped patches
patches()
{
	local sub=$1

	shift
	tiermem patches "$sub" --patches "$shipped" "$@"
}

# outcomes: "NUMBER outcome" of the last run, in one line
outcomes()
{
	sed -nE 's/^([0-9]+)-[^ ]+ +([a-z]+) .*/\1 \2/p' "$out_file" | paste -sd ' '
}

# all WORD [NAME...]: that outcome for all, or for these
all()
{
	local word=$1 name

	shift
	(($#)) || set -- "${names[@]}"
	for name; do
		printf '%s %s ' "${name%%-*}" "$word"
	done | sed 's/ $//'
}

doc()
{
	jq -c "$1" <"$out_file"
}

# keeps NAME: the last run's document is one; that they all keep to their schemas is seen at the end
keeps()
{
	like "$1" "$(jq -r .schema "$out_file" 2>&1)" '^tiermem\.(patches|patches-tree|error)/1$'
	cat "$out_file" >>"$tmp/documents"
}

# untouched NAME: $tree is as it was
untouched()
{
	is "$1: nothing is changed" "$(sum_of "$tree")" "$before"
}

# file_of PATCH N: the n-th file that it changes
file_of()
{
	sed -n 's|^+++ b/||p' "$shipped/$1.patch" | sed -n "${2}p"
}
