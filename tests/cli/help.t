#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Help, made from command tables: those of tests/cli/demo.c, which have a bit of everything.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# same NAME ARG... -- ARG...: both command lines print the same
same()
{
	local name=$1 first

	shift
	first=()
	while [[ $1 != -- ]]; do
		first+=("$1")
		shift
	done
	shift
	demo "${first[@]}"
	cp "$out_file" "$tmp/first"
	demo "$@"
	ok "$name" cmp -s "$out_file" "$tmp/first"
}

demo --help
golden help
demo show --help
golden help-show
demo weights --help
golden help-weights
demo weights apply --help
golden help-weights-apply
demo help --json
golden help-json
valid_json 'help --json keeps to its schema'
demo help help
exits 0 'help on help'

same 'help without --' help -- --help
same 'help COMMAND' help show -- show --help
same 'help COMMAND SUBCOMMAND' help weights apply -- weights apply --help
same '-h before the command' -h show -- show --help
same 'JSON' --help --json -- help --json
same 'help where operands are missing' weights apply -h -- help weights apply
same 'help beside what the command would refuse' flood --help --root x -- help flood

demo help show --json
is 'JSON of one command' "$(jq -c '[.commands[].name]' <"$out_file")" '["show"]'
valid_json 'is a whole document'
demo help weights list --json
is 'JSON of a subcommand is its command' "$(jq -c '[.commands[].name]' <"$out_file")" '["weights"]'
demo help shwo
is 'help on nothing' "$status $out$err" $'2 tiermem help: \'shwo\': no such command\nhint: did you mean show?'
demo help show x
is 'help on no subcommand' "$status $out$err" \
	$'2 tiermem help: \'x\': no such subcommand\nhint: `tiermem help show` lists what there is'
demo help shwo --json
exits 2 'help on nothing, as JSON'
valid_json 'is an error document'
demo complete --help
exits 0 'a hidden command explains itself'

# The program's own tables
tiermem help --json
exits 0 'tiermem help --json'
valid_json 'keeps to its schema'
tiermem --help
exits 0 'tiermem --help'
for command in $("$TIERMEM" help --json | jq -r '.commands[].name'); do
	like "tiermem --help lists $command" "$out" $'\n'"  $command "
done

done_testing
