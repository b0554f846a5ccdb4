#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Completion in bash, and with it what `tiermem complete` answers.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

mkdir "$tmp/bin"
ln -s "$TIERMEM_DEMO" "$tmp/bin/tiermem"
PATH=$tmp/bin:$PATH

# answer WORD...: the candidates, without their explanations, on one line
answer()
{
	local words

	words=$(command tiermem complete -- "$@" | cut -f 1 | tr '\n' ' ')
	printf '%s' "${words% }"
}

globals='--no-color --quiet --verbose --version --help'
is 'commands' "$(answer '')" 'show fail flood weights run help'
is 'nothing typed at all' "$(answer)" 'show fail flood weights run help'
is 'commands by their start' "$(answer f)" 'fail flood'
is 'options before the command' "$(answer --)" \
	"--root --json --dry-run --noheadings --raw $globals"
is 'subcommands' "$(answer weights '')" 'list apply'
is 'no such command' "$(answer sho '')" ''
is 'options that the command honours' "$(answer weights apply --)" "--from --force --root --dry-run $globals"
is 'options with letters' "$(answer weights apply -)" \
	"--from --force -f --root --dry-run --no-color --quiet -q --verbose -v --version --help -h"
is 'options given are not offered again' "$(answer --root x weights apply -fq --)" \
	"--from --dry-run --no-color --verbose --version --help"
is 'but --verbose may be' "$(answer weights apply -v --v)" '--verbose --version'
is 'options where nothing else can follow' "$(answer flood '')" "$globals"
is 'one of some words' "$(answer show --sort '')" 'size name none'
is 'in any case' "$(answer show --sort N)" 'name none'
is 'after =' "$(answer show --sort=n)" '--sort=name --sort=none'
is 'several of some words' "$(answer show --columns '')" 'NODE CPUS TIER TOTAL'
is 'without those there' "$(answer show -o CPUS,node,)" 'CPUS,node,TIER CPUS,node,TOTAL'
is 'and after =' "$(answer show --columns=CPUS,t)" '--columns=CPUS,TIER --columns=CPUS,TOTAL'
is 'joined to its letter: nothing' "$(answer show -oC)" ''
is 'after what is joined to its letter: operands' "$(answer show -oCPUS '')" 'size name none'
is 'a number: nothing' "$(answer show --count '')" ''
is 'operands' "$(answer show size '')" 'size name none'
is 'not too many: options' "$(answer show size name --s)" '--sort'
is 'not too many: nothing' "$(answer show size name s)" ''
is 'after --' "$(answer show -- n)" 'name none'
is 'no options after --' "$(answer show -- --)" ''
is 'a value that looks like a command' "$(answer --root show w)" 'weights'
is 'a file' "$(command tiermem complete -- weights apply --from '')" $':file\t'
is 'a file after =' "$(command tiermem complete -- weights apply --from=/x)" $':file\t--from='
is 'a folder' "$(command tiermem complete -- show --folder=)" $':folder\t--folder='
is 'a file as operand' "$(command tiermem complete -- weights apply -f '')" $':file\t'
is 'a command line' "$(command tiermem complete -- run --nodes 1 -- '')" $':command\t4'
is 'within a command line' "$(command tiermem complete -- run --nodes 1 ls --)" $':command\t3'
is 'explanations' "$(command tiermem complete -- show --sor)" $'--sort\tsort by this key'
is 'commands that help explains' "$(answer help w)" 'weights'
run command tiermem complete -- $'\xff' --$'\xff'= -$'\xff' ''
exits 0 'odd bytes are no error'

# shellcheck source=completions/tiermem.bash
. completions/tiermem.bash

# As the shell has it outside a completion: it notes what it was asked for.
compopt()
{
	asked+=" $*"
}

_command_offset()
{
	# shellcheck disable=SC2317
	asked+=" command at $1"
}
unset -f _comp_command_offset

# complete_line LINE WORD...: the function's answer, when LINE was typed, which readline cuts into WORDs
complete_line()
{
	COMP_LINE=$1
	COMP_POINT=${#1}
	shift
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	asked=
	COMPREPLY=()
	_tiermem
	reply="${COMPREPLY[*]}$asked"
}

complete_line 'tiermem we' tiermem we
is 'bash: a command' "$reply" weights
complete_line 'tiermem show --sort ' tiermem show --sort ''
is 'bash: words' "$reply" 'size name none'
complete_line 'tiermem show --sort=n' tiermem show --sort = n
is 'bash: words after =' "$reply" 'name none'
complete_line 'tiermem show --sort=' tiermem show --sort =
is 'bash: all words after =' "$reply" 'size name none'
complete_line 'tiermem show --columns=NODE,C' tiermem show --columns = NODE,C
is 'bash: lists after =' "$reply" 'NODE,CPUS'
complete_line 'tiermem show --root=a:b --sort n' tiermem show --root = a : b --sort n
is 'bash: after a value that readline cut' "$reply" 'name none'
complete_line 'tiermem weights apply --from ' tiermem weights apply --from ''
is 'bash: a file' "$reply" ' -o default'
complete_line 'tiermem show --folder=/e' tiermem show --folder = /e
is 'bash: a folder' "$reply" ' -o dirnames'
complete_line 'tiermem run --nodes=1 -- l' tiermem run --nodes = 1 -- l
is 'bash: a command line' "$reply" ' command at 6'
complete_line 'tiermem nothing ' tiermem nothing ''
is 'bash: nothing' "$reply" ''
COMP_LINE='tiermem show --so size' COMP_POINT=17
COMP_WORDS=(tiermem show --so size) COMP_CWORD=2
_tiermem
is 'bash: the cursor within the line' "${COMPREPLY[*]}" --sort

# And once as a person does it.
mkdir "$tmp/some-folder"
touch "$tmp/some-file"
cat >"$tmp/bashrc" <<-EOF
	PS1='READY> '
	PATH=$tmp/bin:\$PATH
	cd $tmp
	. $top/completions/tiermem.bash
	dump() { printf '%s|\n' "\$READLINE_LINE" >>"$tmp/result"; }
	bind 'set bell-style none'
	bind -x '"\C-x\C-d": dump'
EOF
keys='tiermem sh<TAB>--so<TAB>n<TAB>a<TAB>
tiermem show --columns=NO<TAB>
tiermem show --folder=some<TAB>
tiermem weights app<TAB>some-fi<TAB>'
typed=$(tests/cli/type-keys "$tmp/result" "$tmp/log" bash --noprofile --rcfile "$tmp/bashrc" -i <<<"$keys")
is 'bash: on a terminal' "$typed" 'tiermem show --sort name |
tiermem show --columns=NODE |
tiermem show --folder=some-folder/|
tiermem weights apply some-file |'

done_testing
