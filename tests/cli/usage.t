#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How a command line is understood or refused, and what standard output is owed.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# understood WANTED ARG...: the line is taken, and means this
understood()
{
	local wanted=$1

	shift
	demo "$@"
	is "understood: $*" "$status $out$err" "0 $wanted"
}

# refused WANTED ARG...: usage error, with these lines on standard error, and only there
refused()
{
	local wanted=$1

	shift
	demo "$@"
	[[ " $* " != *' --json '* ]] || out=
	is "refused: $*" "$status $out$err" "2 $wanted"
}

understood 'command=show' show
understood 'command=weights list' weights list
understood 'command=show root=x json' --root x show --json
understood 'command=show root=x json' show --root=x --json
understood 'command=weights apply root=x dry-run force=[] operand=[file]' \
	--dry-run weights --root x apply file --force
understood 'command=show quiet verbose=3 tree=[]' show -vqtvv
understood 'command=show noheadings raw' --raw show --noheadings
understood 'command=show columns=[node,TIER]' show -onode,TIER
understood 'command=show tree=[] columns=[node,TIER] count=[0x10]' show -to node,TIER -t -n0x10 --columns node,TIER --no-color
understood 'command=show sort=[name] operand=[size] operand=[none]' show SIZE --sort=NAME none
understood 'command=show a-name-too-long-for-its-column=[]' show --a-name-too-long-for-its-column ''
understood 'command=show a-name-too-long-for-its-column=[--json]' show --a-name-too-long-for-its-column=--json
understood 'command=show a-name-too-long-for-its-column=[-]' show --a-name-too-long-for-its-column -
understood 'command=weights apply operand=[--force]' weights apply -- --force
understood 'command=weights apply operand=[-]' weights apply -
understood 'command=run nodes=[0] operand=[ls] operand=[-l] operand=[--root]' run --nodes 0 ls -l --root
understood 'command=run operand=[--] operand=[x]' run -- -- x
understood 'command=show json' show --json --json

refused $'tiermem: \'shwo\': no such command\nhint: did you mean show?' shwo
refused $'tiermem: \'weight\': no such command\nhint: did you mean weights?' weight
refused $'tiermem: \'xyzzy\': no such command\nhint: `tiermem --help` lists the commands' xyzzy
refused $'tiermem: \'\': no such command\nhint: `tiermem --help` lists the commands' ''
refused $'tiermem weights: \'aply\': no such subcommand\nhint: did you mean apply?' weights aply
refused $'tiermem weights: needs a subcommand\nhint: `tiermem weights --help` lists its subcommands' weights
refused $'tiermem show: --colums: no such option\nhint: did you mean --columns?' show --colums=x
refused $'tiermem show: --col: no such option\nhint: did you mean --columns?' show --col NODE
refused $'tiermem show: --no_color: no such option\nhint: did you mean --no-color?' show --no_color
refused $'tiermem show: --force: no such option\nhint: `tiermem show --help` lists its options' show --force
refused $'tiermem: --tree: no such option\nhint: it belongs to `tiermem show`, and stands after that name' --tree show
refused $'tiermem: -x: no such option\nhint: `tiermem --help` lists the options' -x
refused $'tiermem show: -j: no such option\nhint: did you mean --json?' show -json
refused 'tiermem show: --json: takes no value' show --json=yes
refused 'tiermem show: --root: needs a value, DIR|ARCHIVE' show --root
refused 'tiermem show: --root: needs a value, DIR|ARCHIVE' show --root --json
refused 'tiermem show: --columns: needs a value, LIST' show -to
refused 'tiermem: --root: is empty' --root '' show
refused 'tiermem show: --root: is empty' show --root=
refused $'tiermem show: --root: given twice, as \'a\' and \'b\'' show --root a --root b
refused $'tiermem show: --sort: given twice, as \'size\' and \'name\'' show --sort size --sort name
refused $'tiermem show: --sort: \'nam\' is none of its values\nhint: did you mean name?' show --sort nam
refused $'tiermem show: --columns: \'\' is none of its values\nhint: `tiermem show --help` lists its values' \
	show --columns NODE,
refused $'tiermem show: --columns: \'CPUS\' is given twice' show --columns CPUS,NODE,cpus
refused $'tiermem show: --count: \'many\' is no number' show --count many
refused $'tiermem show: --count: \'-1\' is no number' show --count=-1
refused $'tiermem show: --count: \'18446744073709551616\' is too large' show -n 18446744073709551616
refused $'tiermem show: KEY: \'x\' is none of its values\nhint: `tiermem show --help` lists its values' show x
refused $'tiermem show: \'none\': one operand too many' show size name none
refused $'tiermem flood: \'x\': takes no operand' flood x
refused $'tiermem weights apply: needs FILE\nhint: `tiermem weights apply --help` lists its operands' weights apply
refused $'tiermem weights apply: FILE: is empty' weights apply ''
refused 'tiermem show: --dry-run: show writes nothing' --dry-run show
refused 'tiermem weights apply: --json: weights apply has no JSON output' weights apply x --json
refused 'tiermem run: --root: run reads no machine' run --root x ls
refused 'tiermem weights list: --raw: weights list prints no table' weights list --raw
refused 'tiermem --version: --root: --version reads no machine' --version --root x

demo "$(printf '\033[31m\377%0200d' 0)"
is 'what was typed is repeated safely, and not at any length' "${#err} ${err:0:28}" \
	"$((10 + 3 * 4 + 94 + 18 + 42)) tiermem: '\\x1b[31m\\xff000000"

demo
exits 2 'no command'
is 'no command: nothing on standard output' "$out" ''
like 'no command: the list of commands' "$err" $'^Usage: tiermem .*\n  show +show what is there\n'
unlike 'no command: without hidden ones' "$err" 'complete'

demo --version
like 'version' "$status $out" '^0 tiermem [0-9]+\.[0-9]+\.[0-9]+[^[:space:]]*$'

# Errors as JSON
demo fail --json
exits 3 'a failure with --json'
valid_json 'its document keeps to the schema'
is 'its code' "$(jq -c '[.schema, .command, .exit_code, .errno]' <"$out_file")" '["tiermem.error/1","fail",3,"ENODEV"]'
is 'its message' "$(jq -r .message <"$out_file")" $'/some/\033[31mfile\\xff: No such device'
is 'the same on standard error, safe for a terminal' "$err" \
	'tiermem fail: warning: /some/file: odd, but it can be lived with
tiermem fail: /some/\x1b[31mfile\xff: No such device
hint: load the\x0amodule'
demo fail --json --late
is 'no second document after something was printed' "$status $out" '3 {}'
demo -q fail
is '-q leaves warnings out' "${err%%$'\n'*}" 'tiermem fail: /some/\x1b[31mfile\xff: No such device'
for line in 'xyzzy --json' '--json xyzzy' 'show --xyzzy --json' '--json' 'weights --json' 'weights apply --json x'; do
	read -ra words <<<"$line"
	demo "${words[@]}"
	exits 2 "a usage error with --json: $line"
	valid_json "is a document too: $line"
done
demo show --xyzzy -- --json
is 'but not after --' "$out" ''

# Standard output
demo flood
exits 0 'much output'
is 'much output: all of it' "$(wc -l <"$out_file")" 20000
run bash -c '"$1" flood >/dev/full' - "$TIERMEM_DEMO"
is 'a full disk' "$status $err" '1 tiermem flood: standard output: No space left on device'
run bash -c '"$1" show >/dev/full' - "$TIERMEM_DEMO"
is 'a full disk, noticed at the end' "$status $err" '1 tiermem show: standard output: No space left on device'
run bash -c '"$1" flood | true; exit "${PIPESTATUS[0]}"' - "$TIERMEM_DEMO"
is 'a closed pipe' "$status $err" '1 '
run bash -c '"$1" show >&-' - "$TIERMEM_DEMO"
is 'no standard output' "$status $err" '1 tiermem show: standard output: Bad file descriptor'
run bash -c '"$1" show <&- 2>&-' - "$TIERMEM_DEMO"
is 'nothing else open' "$status $out" '0 command=show'
run bash -c '"$1" shwo >&- 2>&- <&-' - "$TIERMEM_DEMO"
is 'nothing open at all' "$status" 2

# Colours: only on a terminal, which script(1) makes, and not where they are unwanted.
# colored ARG...: prints "color" or nothing
colored()
{
	script -qefc "$(printf '%q ' "$TIERMEM_DEMO" show "$@")" /dev/null </dev/null | grep -o color
}

is 'colours on a terminal' "$(colored)" color
is 'colours elsewhere' "$("$TIERMEM_DEMO" show)" 'command=show'
is 'colours with --no-color' "$(colored --no-color)" ''
is 'colours with NO_COLOR' "$(NO_COLOR=1 colored)" ''
is 'colours with an empty NO_COLOR' "$(NO_COLOR='' colored)" color

done_testing
