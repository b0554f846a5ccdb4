#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Completion in fish. What can be completed with what is tested in completion-bash.t.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

command -v fish >/dev/null || skip_all 'fish is not installed'

mkdir -p "$tmp/bin" "$tmp/files/some-folder"
touch "$tmp/files/some-file"
ln -s "$TIERMEM_DEMO" "$tmp/bin/tiermem"
export PATH=$tmp/bin:$PATH

# typed LINE: the candidates for its last word, with their explanations after a tab
typed()
{
	# shellcheck disable=SC2016
	(cd "$tmp/files" && fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
		"$top/completions/tiermem.fish" "$1")
}

is 'commands' "$(typed 'tiermem fl')" $'flood\tprint much'
is 'subcommands' "$(typed 'tiermem weights a')" $'apply\tset the weights'
is 'options' "$(typed 'tiermem weights apply --dr')" $'--dry-run\tshow what would be written, and write nothing'
is 'options already given' "$(typed 'tiermem --root=x weights apply --roo')" ''
is 'words' "$(typed 'tiermem show --sort ' | sort | tr '\n' ' ')" 'name none size '
is 'words after =' "$(typed 'tiermem show --sort=na')" '--sort=name'
is 'lists' "$(typed 'tiermem show --columns NODE,C')" $'NODE,CPUS\tCPUs of the node'
is 'lists after =' "$(typed 'tiermem show --columns=NODE,C')" $'--columns=NODE,CPUS\tCPUs of the node'
is 'a file' "$(typed 'tiermem weights apply --from some-' | cut -f 1 | sort)" $'some-file\nsome-folder/'
is 'a file after =' "$(typed 'tiermem weights apply --from=some-' | cut -f 1 | sort)" \
	$'--from=some-file\n--from=some-folder/'
is 'a folder' "$(typed 'tiermem show --folder some-' | cut -f 1)" 'some-folder/'
is 'a folder after =' "$(typed 'tiermem show --folder=some-' | cut -f 1)" '--folder=some-folder/'
is 'a quoted value before' "$(typed "tiermem --root 'a b' weights li")" $'list\tlist the weights'
is 'a command line of its own' "$(typed 'tiermem run --nodes 1 -- tiermem weights li')" $'list\tlist the weights'
is 'the first word of a command line' "$(typed 'tiermem run tierme' | cut -f 1)" 'tiermem'
is 'nothing' "$(typed 'tiermem nothing x')" ''

done_testing
