#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Manual pages: their form, and that they say what the program does.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

command -v mandoc >/dev/null || skip_all 'mandoc is not installed'

# Not "style": that would miss pages that are not installed.
for page in man/*.[1-9]; do
	run mandoc -T lint -W base,warning "$page"
	is "$page is clean" "$status $out$err" '0 '
done

run tests/check-docs "$TIERMEM"
is 'help, pages and completion agree with the command tables' "$status $err" '0 '

# That check is no check unless it sees what it is for. These copies of the pages have one fault each.
mkdir -p "$tmp/tests"
cp tests/check-docs "$tmp/tests/"

# finds NAME FAULTS SED-SCRIPT PAGE: with the page so edited, check-docs prints these lines (a regular expression)
finds()
{
	rm -rf "$tmp/man"
	cp -r man "$tmp/man"
	sed -i "$3" "$tmp/man/$4"
	run "$tmp/tests/check-docs" "$TIERMEM"
	like "finds $1" "$status $err" "^1 $2\$"
}

main=man/tiermem.1
topology=man/tiermem-topology.1
finds 'a missing option' "$main: lacks --raw" '/^\.It Fl -raw/d' tiermem.1
finds 'an option that there is not' "$main: has --rare, which the command has not" \
	's/^\.It Fl -raw/.It Fl -rare\n&/' tiermem.1
finds 'another value' "$main: lacks --root DIR\\|ARCHIVE"$'\n'"$main: has --root FILE, which the command has not" \
	's/^\.It Fl -root Ar DIR|ARCHIVE/.It Fl -root Ar FILE/' tiermem.1
finds 'a missing letter' "$main: lacks --quiet, -q"$'\n'"$main: has --quiet, which the command has not" \
	's/^\.It Fl q , Fl -quiet/.It Fl -quiet/' tiermem.1
finds 'a missing exit code' "$main: exit status lists \\[0, 1, 2, 4, 5\\]" '/^\.It 3$/d' tiermem.1
finds 'a missing command' "$main: lists the commands \\[.*\\]" '/^\.It Cm topology/d' tiermem.1
finds "a command's missing option" "$topology: lacks --.*" '0,/^\.It Fl/{/^\.It Fl/d}' tiermem-topology.1
finds 'a missing word' "$topology: does not explain the value WEIGHT" 's/WEIGHT/WIDTH/g' tiermem-topology.1
finds 'another summary' "$topology: \\.Nd is not the command's summary, .*" 's/^\.Nd .*/.Nd something/' \
	tiermem-topology.1

rm -rf "$tmp/man"
cp -r man "$tmp/man"
cp man/tiermem.1 "$tmp/man/tiermem-nothing.1"
run "$tmp/tests/check-docs" "$TIERMEM"
like 'finds a page of no command' "$status $err" '^1 .*man/tiermem-nothing.1: no such command'
rm "$tmp/man/tiermem-topology.1"
run "$tmp/tests/check-docs" "$TIERMEM"
like 'finds a command without a page' "$status $err" '^1 .*man/tiermem-topology.1: there is no such page'

done_testing
