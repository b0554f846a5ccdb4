#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# readme-A-6.12.t [--update]
#
# README.md shows in ```console vm blocks what root sees on machine A with kernel 6.12. Runs their commands there, in
# order, and compares; with --update writes README.md. (The other blocks are tests/readme's.)

# shellcheck source=tests/vm/run.sh
. "$(dirname "$0")/run.sh"

# blocks < README: the lines inside them
blocks()
{
	awk '/^```/ { inside = $0 == "```console vm"; next } inside'
}

# filled < README: with what the machine has printed
filled()
{
	local inside='' number=0 line

	while IFS= read -r line; do
		case $line in
		'```console vm') inside=1 ;;
		'```') inside= ;;
		esac
		if [[ -z $inside || $line == '```'* ]]; then
			printf '%s\n' "$line"
		elif [[ $line == '# '* ]]; then
			printf '%s\n' "$line"
			cat "$shown-$((++number))"
		fi
	done
}

# Where a run of pages begins is chance: a few of 60,000 may be on the other node.
rounded()
{
	awk '/^[0-9]+ [0-9]+$/ { $2 = 100 * int($2 / 100 + 0.5) } { print }'
}

blocks <README.md | sed -n 's/^# //p' >"$tmp/commands"
shown=$(vm_out readme)/shown
run_boot readme A 6.12 readme.sh --add "$tmp/commands:/vm/readme.commands"
filled <README.md >"$tmp/readme"
if [[ ${1-} == --update ]]; then
	cat "$tmp/readme" >README.md
fi
is "what README.md shows is what there is ($0 --update)" "$(blocks <README.md | rounded)" \
	"$(blocks <"$tmp/readme" | rounded)"
for command in 'weights show' 'weights apply' 'run .*' undo; do
	ok "it shows tiermem $command" grep -q "^tiermem $command\$" "$tmp/commands"
done
done_testing
