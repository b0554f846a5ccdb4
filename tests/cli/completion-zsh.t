#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Completion in zsh, on a terminal. What can be completed with what is tested in completion-bash.t.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

command -v zsh >/dev/null || skip_all 'zsh is not installed'

mkdir "$tmp/bin" "$tmp/some folder"
touch "$tmp/some-file"
ln -s "$TIERMEM_DEMO" "$tmp/bin/tiermem"
cat >"$tmp/.zshrc" <<-EOF
	PS1='READY> '
	unsetopt promptsp beep
	path=($tmp/bin \$path)
	fpath=($top/completions \$fpath)
	cd $tmp
	autoload -Uz compinit
	compinit -u -D
	dump() { print -r -- "\$BUFFER|" >>$tmp/result }
	zle -N dump
	bindkey '^X^D' dump
	bindkey '^A' beginning-of-line
	bindkey '^K' kill-line
EOF

# typed KEYS: what the line becomes
typed()
{
	rm -f "$tmp/result"
	ZDOTDIR=$tmp TERM=vt100 tests/cli/type-keys "$tmp/result" "$tmp/log" zsh -i <<<"$1"
}

is 'commands, options and words' "$(typed 'tiermem sh<TAB>--so<TAB>nam<TAB>')" 'tiermem show --sort name |'
is 'subcommands' "$(typed 'tiermem weig<TAB>app<TAB>--dr<TAB>')" 'tiermem weights apply --dry-run |'
is 'words after =' "$(typed 'tiermem show --sort=nam<TAB>')" 'tiermem show --sort=name |'
is 'lists after =' "$(typed 'tiermem show --columns=NODE,C<TAB>')" 'tiermem show --columns=NODE,CPUS |'
is 'a file' "$(typed 'tiermem weights apply --from some-<TAB>')" 'tiermem weights apply --from some-file |'
is 'a file after =' "$(typed 'tiermem weights apply --from=some-<TAB>')" \
	'tiermem weights apply --from=some-file |'
is 'a folder' "$(typed 'tiermem show --folder so<TAB>')" 'tiermem show --folder some\ folder/|'
is 'a quoted value before' "$(typed "tiermem --root 'a b' show --so<TAB>")" "tiermem --root 'a b' show --sort |"
is 'the cursor within the line' "$(typed $'tiermem show --so size\x02\x02\x02\x02\x02<TAB>')" \
	'tiermem show --sort  size|'
is 'a command line of its own' "$(typed 'tiermem run --nodes 1 -- tiermem weig<TAB>')" \
	'tiermem run --nodes 1 -- tiermem weights |'
is 'nothing' "$(typed 'tiermem nothing x<TAB>')" 'tiermem nothing x|'
is 'a list of what is possible' "$(typed 'tiermem show --columns T<TAB><SEE:lower is faster>')" \
	'tiermem show --columns T|'
like 'with explanations, also with a colon in them' "$(tr -d '\0' <"$tmp/log")" 'TIER +-- memory tier: lower is faster'

done_testing
